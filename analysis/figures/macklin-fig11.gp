# title: Residual against iteration on one linear subproblem (Macklin et al. 2019, fig. 11)
# run: arch,heavy-stack,beam,piling --settle 60 --steps 1 --lead 3 --newton-iterations 1 --linear-iterations 100 --linear-solver jacobi,gauss-seidel,pcg,pcr
# quick: arch,heavy-stack --settle 10 --steps 1 --lead 3 --newton-iterations 1 --linear-iterations 60 --linear-solver jacobi,gauss-seidel,pcg,pcr
# select: steps=1 lead=3 newton_iterations=1 precision=f64
# panel: scenario
# series: linear_solver+preconditioner?+scaling?+ncp?
# data: linear
plot_height = rows_height(2, 200)
# how far PCR is below PCG after 20 iterations, in the plain and in the preconditioned norm, by scene
outcome = "Outcome after 20 iterations, PCG over PCR (the paper: often an order of magnitude), plain / preconditioned norm:\n"
ratio_of(p, c) = at20_of(p, index_of(p, "pcg"), c) / at20_of(p, index_of(p, "pcr"), c)
do for [p = 1:panels] {
    outcome = outcome.sprintf("%s%s %s / %s", p > 1 ? "; " : "", panel_name(p), number("%.2g", ratio_of(p, 2)), number("%.2g", ratio_of(p, 3)))
}
outcome = outcome."  (-: one had stopped, or is missing)"
caption = "The same system for all solvers of a scene: the fourth Newton iteration of a step. Top: 2-norm of the residual; bottom: its norm in the preconditioner; both over their values at the start. Jacobi takes the l1 row sums as diagonal.\n".caption
extent_first = 2; extent_last = 3
@extent
low = larger(low, 1e-9)
@begin
unset key
set logscale y; set format y "10^{%L}"; @decade_ticks
wide = 0.9 / panels
do for [p = 1:panels] { do for [c = 2:3] {
    set lmargin at screen 0.085 + wide * (p - 1); set rmargin at screen 0.065 + wide * p
    set tmargin at screen row_top(c - 1, 200); set bmargin at screen row_bottom(c - 1, 200)
    if (c == 3) { set xlabel "iteration" font ",11" offset 0, 0.6 } else { unset xlabel }
    if (c == 2) { set title panel_name(p) noenhanced font ",12" offset 0, -0.7 } else { unset title }
    if (p == 1) { set ylabel (c == 2 ? "||b - A x|| / ||b||" : "preconditioned, over start") offset 1, 0; set format y "10^{%L}" } else { unset ylabel; set format y "" }
    set yrange [low:high]
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(column(c) > 0 ? column(c) : NaN) with linespoints ls s pointinterval 10 title spaced(label_of(p, s))
    @unframe
} }
@legend
plot for [s = 1:series_of(1)] NaN with linespoints ls s title spaced(label_of(1, s))
unset multiplot
