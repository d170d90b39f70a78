# title: Constraint error and step size by linear solver (Macklin et al. 2019, fig. 18)
# run: heavy-stack,arch,beam,piling --settle 60 --steps 1 --precision f32 --newton-iterations 60 --linear-iterations 40 --linear-history off --limits on --linear-solver jacobi,gauss-seidel,pcg,pcr,cholesky --geometry updated
# quick: heavy-stack,arch --settle 10 --steps 1 --precision f32 --newton-iterations 40 --linear-iterations 40 --linear-history off --limits on --linear-solver jacobi,gauss-seidel,pcg,pcr,cholesky --geometry updated
# select: steps=1 precision=f32 linear_iterations=40
# also: any
# panel: scenario
# series: linear_solver+preconditioner?+scaling?+ncp?
# rows: newton
# at: last
# columns: iteration all
end_of(p, s) = last_of(p, s, at_natural_map_error)
bound_of(p, s, r) = last_of(p, s, r == 1 ? at_limit_residual : at_limit_step)
bounds = sum [p = 1:panels] sum [s = 1:series_of(p)] (bound_of(p, s, 1) == bound_of(p, s, 1))
# The bounds are those of the solver with the smallest error, at its last iterate. They are of a solution: where no solver
# comes within ten times of them, they are not drawn.
array best[panels]; array reached[panels]
outcome = "Natural-map error at the end [m/s]: "; least = ""; against = ""; without = ""
do for [p = 1:panels] {
    best[p] = 1; reached[p] = 1e300
    outcome = outcome.(p > 1 ? "\n" : "").panel_name(p).": "
    do for [s = 1:series_of(p)] {
        outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", spaced(label_of(p, s)), number("%.0e", end_of(p, s)))
        if (end_of(p, s) < reached[p]) { reached[p] = end_of(p, s); best[p] = s }
    }
    least = least.(p > 1 ? ", " : "").panel_name(p)." ".spaced(label_of(p, best[p])).sprintf(" %.0e", reached[p])
    ratio = bound_of(p, best[p], 1) / reached[p]
    if (ratio >= 0.1) { against = against.(against eq "" ? "" : ", ").panel_name(p).sprintf(" %.2g", ratio) }
    if (ratio < 0.1) { without = without.(without eq "" ? "" : ", ").panel_name(p) }
}
pcr = index_of(1, "pcr")
over_least = ""; lowest = 1e300; highest = 0
do for [p = 1:panels] {
    ratio = pcr ? end_of(p, pcr) / reached[p] : NaN
    over_least = over_least.(p > 1 ? ", " : "").panel_name(p)." ".number("%.2g", ratio).(ratio > 1.05 ? " (".spaced(label_of(p, best[p])).")" : "")
    ratio = bound_of(p, best[p], 1) / reached[p]
    if (ratio >= 0.1) { lowest = smaller(lowest, ratio); highest = larger(highest, ratio) }
}
compared = pcr ? "Error of pcr over the least at the end".(papers ? " (paper: 1)" : "").": ".over_least : ""
outcome = outcome.".\n".(pcr ? compared.".\n" : "").(against eq "" ? "" : "Tisseur's bound (92) over the least error reached: ".against.".\n").(without eq "" ? "" : "No bound where no solver comes within ten times of it, as it is one of the solution: ".without.".\n").(papers ? "Macklin et al. (2019): Jacobi and Gauss-Seidel stagnate on ill-conditioned problems, PCG fluctuates, PCR converges fast and smoothly; the bounds predict the accuracy well, but on the beam.\n" : "")
about = "Natural-map error: the largest of joint, normal, friction and momentum errors.".(bounds ? " Dashed: Tisseur's bounds (92), (91) for f32 at the last iterate of the most accurate solver, for unknowns in velocity units." : " Tisseur's bounds (92), (91) are not in the record (--limits on).").(index_of(1, "cholesky") ? " Cholesky factorizes in double." : "")." Step: the largest change of an impulse, times its effective inverse mass w."
brief = (pcr ? compared : "Least at the end [m/s]: ".least).(highest > 0 ? sprintf("; Tisseur's bound over it: %.3g to %.3g.", lowest, highest) : ".")
if (bounds) { entries = entries + 1; entry[entries] = "Tisseur's bound"; entry_style[entries] = 17; entry_kind[entries] = "l"; entry_shown[entries] = highest > 0 }
shown_columns = sprintf("%d %d", at_natural_map_error, at_step_linf)
extent_first = at_natural_map_error; extent_last = at_step_linf
@extent
rows = 2; tall = 92 * k
@begin
@decade_ticks; @iteration_ticks
x_name = "Newton iteration"
y_at(r) = column(r == 1 ? at_natural_map_error : at_step_linf)
do for [p = 1:panels] { do for [r = 1:rows] {
    bound = bound_of(p, best[p], r)
    shown = bound_of(p, best[p], 1) >= 0.1 * reached[p] ? bound : NaN
    @place; @x_label
    y_name = (r == 1 ? "natural-map error [m/s]" : "step w |Δz| [m/s]"); @y_label
    plot @curves, shown with lines ls 17 notitle
} }
