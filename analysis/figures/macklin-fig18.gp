# title: Constraint error and step size by linear solver (Macklin et al. 2019, fig. 18)
# run: heavy-stack,arch,beam,piling --settle 60 --steps 1 --precision f32 --newton-iterations 60 --linear-iterations 40 --linear-history off --limits on --linear-solver jacobi,gauss-seidel,pcg,pcr,cholesky
# quick: heavy-stack,arch --settle 10 --steps 1 --precision f32 --newton-iterations 40 --linear-iterations 40 --linear-history off --limits on --linear-solver jacobi,gauss-seidel,pcg,pcr,cholesky
# select: steps=1 precision=f32 linear_iterations=40
# also: any
# panel: scenario
# series: linear_solver+preconditioner?+scaling?+ncp?
# data: newton
outcome = "Outcome, natural-map error at the end [m/s]: "
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "\n" : "").panel_name(p).": "
    do for [s = 1:series_of(p)] {
        outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", spaced(label_of(p, s)), number("%.0e", last_of(p, s, 9)))
    }
}
bound_of(p, s, c) = last_of(p, s, c == 1 ? 11 : 12)
bounds = sum [p = 1:panels] sum [s = 1:series_of(p)] (bound_of(p, s, 1) == bound_of(p, s, 1))
about = "Natural-map error: the largest of joint, normal, friction and momentum errors.".(bounds ? " Dashed: Tisseur's bounds (92), (91) for f32 at the last iterate of the most accurate solver, for unknowns in velocity units." : " Tisseur's bounds (92), (91) are not in the record (--limits on).").(index_of(1, "cholesky") ? " Cholesky factorises in double." : "")." Step: the largest change of an impulse, times its effective inverse mass w."
brief = "Top: the largest of joint, normal, friction and momentum errors; bottom: the largest change of an impulse, times w."
if (bounds) { entries = entries + 1; entry[entries] = "Tisseur's bound"; entry_style[entries] = 17; entry_kind[entries] = "l" }
extent_first = 9; extent_last = 10
@extent
rows = 2; tall = 92 * k
@begin
@decade_ticks; @iteration_ticks
x_name = "Newton iteration"
y_at(r) = column(r == 1 ? 9 : 10)
do for [p = 1:panels] {
    # the bounds of the solver with the smallest error
    best = 1; least = 1e300
    do for [s = 1:series_of(p)] {
        if (last_of(p, s, 9) < least) { least = last_of(p, s, 9); best = s }
    }
    do for [r = 1:rows] {
        bound = bound_of(p, best, r)
        @place; @x_label
        y_name = (r == 1 ? "natural-map error [m/s]" : "step w |Δz| [m/s]"); @y_label
        plot @curves, bound with lines ls 17 notitle
    }
}
unset multiplot
