# title: True errors beside the natural map: one step, several solvers and both methods
# run: heavy-stack,arch,beam,piling --settle 30 --steps 1 --reference on --newton-iterations 60 --linear-iterations 40 --linear-history off --linear-solver jacobi,gauss-seidel,pcr,cholesky
# run: heavy-stack,arch,beam,piling --settle 30 --steps 1 --reference on --method interior-point --linear-solver gmres --preconditioner lu --newton-iterations 200 --linear-iterations 200 --newton-tolerance 1e-11 --linear-history off
# quick: heavy-stack,arch --settle 10 --steps 1 --reference on --newton-iterations 40 --linear-iterations 40 --linear-history off --linear-solver jacobi,gauss-seidel,pcr,cholesky
# quick: heavy-stack,arch --settle 10 --steps 1 --reference on --method interior-point --linear-solver gmres --preconditioner lu --newton-iterations 200 --linear-iterations 200 --newton-tolerance 1e-11 --linear-history off
# select: reference=1 steps=1 precision=f64
# panel: scenario
# series: method+linear_solver+preconditioner?+scaling?+ncp?
# data: newton
floor_at(p, s) = s > series_of(p) ? NaN : exists(sprintf("reference_%d_%d", p, s)) ? value(sprintf("reference_%d_%d", p, s)) : floor_at(p, s + 1)
floor_of(p) = floor_at(p, 1)
outcome = "Outcome, errors at the end of velocities / forces / natural map:"
do for [p = 1:panels] {
    outcome = outcome."\n".panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s %.0e/%.0e/%.0e", s > 1 ? ", " : "", spaced(label_of(p, s)), last_of(p, s, at_velocity_error), last_of(p, s, at_force_error), last_of(p, s, at_natural_map_error)) }
}
about = "|u - u*| and |M^-1 (J^T z - J*^T z*)| in the mass norm over the total mass, u* the solution of the method that came farther of two; a scene at rest starts at its velocities. Dashed: what u* itself may be off by. Time: assembly, set-up and solves of the iterations."
brief = "Velocity and force errors: distance to the step's solution in the mass norm; dashed: what that may be off by."
entries = entries + 1; entry[entries] = "the solution's own error"; entry_style[entries] = 17; entry_kind[entries] = "l"
extent_first = at_natural_map_error; extent_last = at_force_error
@extent
rows = 4; tall = 72 * k; row_gap = 26
@begin
@decade_ticks
names = "natural_map_error velocity_error force_error force_error"
spent = 0
do for [p = 1:panels] { do for [r = 1:rows] {
    @place
    eval(x_named(r < 3 ? "" : r == 3 ? "iteration" : "time [ms]"))
    if (r == 4) { set xrange [*:*]; set logscale x; set format x "10^{%L}"; set xtics autofreq; set mxtics 10 } else { unset logscale x; set format x "%g"; unset mxtics; @iteration_ticks }
    y_name = spaced(word(names, r))." [m/s]"; @y_label
    y = value("at_".word(names, r))
    own = r > 1 ? floor_of(p) : NaN
    time_at(i) = (spent = $1 == 0 ? 0 : spent, before = spent, spent = spent + 1e3 * (column(at_assembly_s) + column(at_setup_s) + column(at_solve_s)), i ? (before > 0 ? before : NaN) : $1)
    marked(s) = (int($1) % every_of(p, s)) == first_of(p, s) ? larger(column(y), 1e-16) : NaN
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (time_at(r == 4)):(larger(column(y), 1e-16)) with lines ls s notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (time_at(r == 4)):(marked(s)) with points ls s notitle, own with lines ls 17 notitle
} }
unset multiplot
