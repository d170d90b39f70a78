# title: Constraint error and step size by linear solver (Macklin et al. 2019, fig. 18)
# run: heavy-stack,arch,beam,piling --settle 60 --steps 1 --precision f32 --newton-iterations 60 --linear-iterations 40 --linear-history off --limits on --linear-solver jacobi,gauss-seidel,pcg,pcr,cholesky
# quick: heavy-stack,arch --settle 10 --steps 1 --precision f32 --newton-iterations 40 --linear-iterations 40 --linear-history off --limits on --linear-solver jacobi,gauss-seidel,pcg,pcr,cholesky
# select: steps=1 precision=f32 linear_iterations=40
# panel: scenario
# series: linear_solver+preconditioner?+scaling?+ncp?
# data: newton
legend_rows = (series_count + legend_columns) / legend_columns; down = (legend_rows - 1) * 15 # of one name more
plot_height = rows_height(2, 200)
outcome = "Outcome, natural-map error at the end [m/s]: "
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "\n" : "").panel_name(p).": "
    do for [s = 1:series_of(p)] {
        outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", spaced(label_of(p, s)), number("%.0e", last_of(p, s, 9)))
    }
}
bound_of(p, s, c) = last_of(p, s, c == 1 ? 11 : 12)
bounds = sum [p = 1:panels] sum [s = 1:series_of(p)] (bound_of(p, s, 1) == bound_of(p, s, 1))
caption = "Natural-map error: the largest of joint, normal, friction and momentum errors.".(bounds ? " Dashed: Tisseur's bounds (92), (91) for f32 at the last iterate of the most accurate solver, for unknowns in velocity units." : " Tisseur's bounds (92), (91) are not in the record (--limits on).").(index_of(1, "cholesky") ? " Cholesky factorises in double." : "")." Step: the largest change of an impulse, times its effective inverse mass w.\n".caption
extent_first = 9; extent_last = 10
@extent
@begin
unset key
set logscale y; set format y "10^{%L}"; @decade_ticks
wide = 0.9 / panels
do for [p = 1:panels] {
    # the bounds of the solver with the smallest error
    best = 1; least = 1e300
    do for [s = 1:series_of(p)] {
        if (last_of(p, s, 9) < least) { least = last_of(p, s, 9); best = s }
    }
    do for [c = 1:2] {
        bound = bound_of(p, best, c)
        set lmargin at screen 0.085 + wide * (p - 1); set rmargin at screen 0.065 + wide * p
        set tmargin at screen row_top(c, 200); set bmargin at screen row_bottom(c, 200)
        if (c == 2) { set xlabel "Newton iteration" font ",11" offset 0, 0.6 } else { unset xlabel }
        if (c == 1) { set title panel_name(p) noenhanced font ",12" offset 0, -0.7 } else { unset title }
        if (p == 1) { set ylabel (c == 1 ? "natural-map error [m/s]" : "step w |Δz| [m/s]") offset 1, 0; set format y "10^{%L}" } else { unset ylabel; set format y "" }
        set yrange [low:high]
        plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(column(c == 1 ? 9 : 10)) with linespoints ls s pointinterval 6 title spaced(label_of(p, s)), \
             bound with lines lc rgb "#777777" dt (6,4) lw 1.5 title "Tisseur's bound"
        eval(unframe)
    }
}
@legend
if (bounds) {
    plot for [s = 1:series_of(1)] NaN with linespoints ls s title spaced(label_of(1, s)), NaN with lines lc rgb "#777777" dt (6,4) lw 1.5 title "Tisseur's bound"
} else {
    plot for [s = 1:series_of(1)] NaN with linespoints ls s title spaced(label_of(1, s))
}
unset multiplot
