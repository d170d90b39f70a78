# title: Complementarity error and step size by scaling of the complementarity function (Macklin et al. 2019, fig. 17)
# run: arch,piling,heavy-stack --settle 60 --steps 1 --newton-iterations 60 --linear-solver pcr --linear-iterations 80 --linear-history off --scaling identity,time-step,effective-mass,effective-mass-capped
# quick: arch,heavy-stack --settle 10 --steps 1 --newton-iterations 40 --linear-solver pcr --linear-iterations 80 --linear-history off --scaling identity,time-step,effective-mass,effective-mass-capped
# select: steps=1 linear_iterations=80 linear_solver=pcr precision=f64 warm_start=0 scaling=identity|time-step|effective-mass|effective-mass-capped
# panel: scenario
# series: scaling+preconditioner?+ncp?
# data: newton
plot_height = rows_height(2, 200)
outcome = "Outcome, largest complementarity error (normal, friction) at the end [m/s]: "
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "\n" : "").panel_name(p).": "
    do for [s = 1:series_of(p)] {
        outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", spaced(label_of(p, s)), number("%.0e", larger(last_of(p, s, 5), last_of(p, s, 6))))
    }
}
caption = "Complementarity error: the larger of the normal and the friction error. Step: the largest change of an impulse, times its effective inverse mass w.\n".caption
extent_first = 5; extent_last = 10
@extent
@begin
unset key
set logscale y; set format y "10^{%L}"; @decade_ticks
wide = 0.9 / panels
do for [p = 1:panels] { do for [c = 1:2] {
    set lmargin at screen 0.085 + wide * (p - 1); set rmargin at screen 0.065 + wide * p
    set tmargin at screen row_top(c, 200); set bmargin at screen row_bottom(c, 200)
    if (c == 2) { set xlabel "Newton iteration" font ",11" offset 0, 0.6 } else { unset xlabel }
    if (c == 1) { set title panel_name(p) noenhanced font ",12" offset 0, -0.7 } else { unset title }
    if (p == 1) { set ylabel (c == 1 ? "complementarity error [m/s]" : "step w |Δz| [m/s]") offset 1, 0; set format y "10^{%L}" } else { unset ylabel; set format y "" }
    set yrange [low:high]
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(larger(column(c == 1 ? 5 : 10), column(c == 1 ? 6 : 10))) with linespoints ls s pointinterval 6 title spaced(label_of(p, s))
    @unframe
} }
@legend
plot for [s = 1:series_of(1)] NaN with linespoints ls s title spaced(label_of(1, s))
unset multiplot
