# title: Iterations of preconditioners against mass ratio, friction, Newton iteration and open contacts
# apart: the study in full takes long: docs/reproduce.md
# run: stack-20-ratio-1e-6,stack-20-ratio-1,stack-20-ratio-1e2,stack-20-ratio-1e4,stack-20-ratio-1e6 --lead 6 --warm-start off --steps 1 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 5000 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: wall --set width=20 --set height=20 --set offset=5e-5 --set mu=0.05,0.2,0.6,1,2 --lead 6 --warm-start off --steps 1 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 5000 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: wall --set width=20 --set height=20 --set offset=5e-5 --lead 0,1,2,3,4,8,12 --warm-start off --steps 1 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 5000 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: stack-20-ratio-1,stack-20-ratio-1e2,stack-20-ratio-1e6 --lead 6 --warm-start off --steps 1 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 5000 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: wall --set width=8 --set height=8 --set offset=5e-5 --set mu=0.2,0.6,2 --lead 6 --warm-start off --steps 1 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 5000 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: wall --set width=8 --set height=8 --set offset=5e-5 --lead 0,2,4,8 --warm-start off --steps 1 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 5000 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# select: steps=1 newton_iterations=1 lead_exact=1 form=stiffness linear_norm=true linear_tolerance=5e-09 linear_iterations=5000 linear_solver=pcg
# panel: scenario+lead+@mu
# series: preconditioner
# rows: run
# columns: lead iterations=last(residual_iterations@1e-8) linear_iterations open=first(open_contacts) contacts=first(open_contacts+sticking_contacts+sliding_contacts)
systems_ = panels; curves_ = series_of(1)
is_wall(p) = (t_ = panel_name(p), t_[1:4] eq "wall")
power_in(t) = (e_ = strstrt(t, "e"), e_ ? int(t[e_ + 1:]) : 0)
ratio_of(p) = (t_ = first_part(panel_name(p)), 10.0**power_in(t_[16:])) # of "stack-20-ratio-1e2"
mu_of(p) = number_in(panel_name(p), "mu")
open_of(p, s) = 100.0 * last_of(p, s, 4) / last_of(p, s, 5)
# along the axis of panel c: mass ratio, friction, Newton iteration, share of open contacts; NaN: the system is not in it
x_at(c, p, s) = c == 1 ? (is_wall(p) ? NaN : ratio_of(p)) : !is_wall(p) ? NaN : c == 2 ? (last_of(p, s, 1) == 6 ? mu_of(p) : NaN) : c == 3 ? (last_of(p, s, 1) == 6 || mu_of(p) == 0.6 ? (mu_of(p) == 0.6 ? last_of(p, s, 1) + 1 : NaN) : NaN) : open_of(p, s)
counted(p, s) = last_of(p, s, 3) != last_of(p, s, 3) ? "-" : last_of(p, s, 2) == last_of(p, s, 2) ? sprintf("%.0f", last_of(p, s, 2)) : sprintf("over %.0f", last_of(p, s, 3))
array axis_[4] = ["mass ratio", "coefficient of friction", "Newton iteration", "open contacts [%]"]
n_of = systems_
outcome = "Iterations to a residual of 1e-8:"
do for [c = 1:3] { do for [s = 1:curves_] {
    key_of(p) = 1.0 * x_at(c, p, s)
    @ascending
    outcome = outcome."\n".axis_[c].", ".label_of(1, s).":"
    do for [i = 1:ordered] { outcome = outcome.sprintf("%s %g: ", i > 1 ? "," : "", key_of(order_of[i])).counted(order_of[i], s) }
} }
about = "One Newton system in the stiffness formulation, iterations before are exact. Mass ratio: stacks of 20 boxes (standard set), mass of the top one over that of the lowest. The other panels: a wall, its bricks off their places by up to 5e-5 of a length, of which each has another coefficient of friction or another Newton iteration. Open contacts: share of contacts without force as the iteration begins, of the systems of both. A curve has no point where the iterations that were allowed do not reach the residual."
brief = "Mass ratio: stacks of 20 boxes; else walls. Iterations to a residual of 1e-8, the seventh Newton system but for the third panel."
set print $points
do for [c = 1:4] { do for [s = 1:entries] {
    key_of(p) = 1.0 * x_at(c, p, s)
    point_of(p) = sprintf("%g\t%g", x_at(c, p, s), last_of(p, s, 2))
    @print_curve
} }
set print
do for [s = 1:entries] { entry_shown[s] = 1 }
panels = 4; panel_title = 3; rows = 1; tall = 110 * k; least_wide = 78; row_gap = 22
@begin
low = 0.7; high = 10
do for [p = 1:systems_] { i_ = widened(p, 0, 2) }
high = 10**ceil(log10(high)); low = 0.7
do for [p = 1:panels] {
    @place
    @decade_ticks
    unset logscale x; set format x "%g"; set xtics autofreq; set xrange [*:*]
    if (p == 1) { set logscale x; set format x "10^{%L}"; set xtics 1e4; set xrange [1e-7:1e7] }
    if (p == 2) { set xtics 0.5; set xrange [0:2.1] }
    if (p == 3) { set xtics 4; set xrange [0:14] }
    eval(x_named(axis_[p])); y_name = "iterations"; @y_label
    if (p == 4) { set xrange [0:100]; set xtics 50 }
    plot for [s = 1:entries] $points index ((p - 1) * entries + s - 1) using 1:(p < 4 ? $2 : NaN) with lines ls s notitle, for [s = 1:entries] $points index ((p - 1) * entries + s - 1) using 1:2 with points ls s notitle
}
