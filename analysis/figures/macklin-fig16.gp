# title: Convergence over the beam's insertion, identity against effective mass (Macklin et al. 2019, fig. 16)
# run: beam --steps 132 --newton-iterations 100 --linear-iterations 40 --linear-history off --scaling identity,effective-mass,effective-mass-capped
# quick: beam --steps 12 --newton-iterations 30 --linear-iterations 40 --linear-history off --scaling identity,effective-mass,effective-mass-capped
# select: scenario=beam linear_iterations=40 linear_solver=pcr precision=f64 scaling=identity|effective-mass|effective-mass-capped newton_iterations=100|30
# panel: scaling
# series: scenario
# data: quartiles
plot_height = 384
outcome = "Outcome, median natural-map error after the last Newton iteration [m/s]: "
do for [p = 1:panels] {
    outcome = outcome.sprintf("%s%s %s", p > 1 ? "; " : "", panel_name(p), number("%.1e", last_of(p, 1, 4)))
}
outcome = outcome."\nThe paper: superlinear, an order of magnitude below identity. With damping 0.75 an iteration cannot gain more than a factor of 4 in momentum."
caption = "Minimum, quartiles, median and maximum over the steps of the natural-map error (the largest of momentum, joint, normal and friction errors).\n".caption
extent_first = 2; extent_last = 6
@extent
@begin
set logscale y; set format y "10^{%L}"; @decade_ticks; set xlabel "Newton iteration" offset 0, 0.5
set yrange [low:high]
unset key
wide = 0.9 / panels
do for [p = 1:panels] {
    set lmargin at screen 0.085 + wide * (p - 1); set rmargin at screen 0.065 + wide * p
    set tmargin at screen from_top(84); set bmargin at screen from_top(plot_height)
    set title panel_name(p) noenhanced font ",12" offset 0, -0.6
    if (p == 1) { set ylabel "natural-map error [m/s]"; set format y "10^{%L}" } else { unset ylabel; set format y "" }
    stats panel_file(p) every ::1::1 using 4 nooutput
    first_median = STATS_max
    plot panel_file(p) index 0 using 1:2:6 with filledcurves fc rgb "#0072B2" fs transparent solid 0.12 noborder title "all steps", \
         '' index 0 using 1:3:5 with filledcurves fc rgb "#0072B2" fs transparent solid 0.3 noborder title "middle half", \
         '' index 0 using 1:4 with lines ls 1 title "median", \
         first_median * 0.25**(x - 1) with lines lc rgb "#D55E00" dt (4,4) lw 1.2 title "0.25 an iteration"
    @unframe
}
@legend
plot NaN with filledcurves fc rgb "#0072B2" fs transparent solid 0.12 noborder title "all steps", \
     NaN with filledcurves fc rgb "#0072B2" fs transparent solid 0.3 noborder title "middle half", \
     NaN with lines ls 1 title "median", NaN with lines lc rgb "#D55E00" dt (4,4) lw 1.2 title "0.25 an iteration"
unset multiplot
