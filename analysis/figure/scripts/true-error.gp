# title: True errors and natural map of one step, by solver
# run: heavy-stack,arch,beam,piling --settle 30 --steps 1 --reference on --newton-iterations 60 --linear-iterations 40 --linear-history off --linear-solver jacobi,gauss-seidel,pcr,cholesky
# run: heavy-stack,arch,beam,piling --settle 30 --steps 1 --reference on --method interior-point --linear-solver gmres --preconditioner lu --newton-iterations 200 --linear-iterations 200 --newton-tolerance 1e-11 --linear-history off
# quick: heavy-stack,arch --settle 10 --steps 1 --reference on --newton-iterations 40 --linear-iterations 40 --linear-history off --linear-solver jacobi,gauss-seidel,pcr,cholesky
# quick: heavy-stack,arch --settle 10 --steps 1 --reference on --method interior-point --linear-solver gmres --preconditioner lu --newton-iterations 200 --linear-iterations 200 --newton-tolerance 1e-11 --linear-history off
# select: reference=1 steps=1 precision=f64
# panel: scenario
# series: method+linear_solver+preconditioner?+scaling?+ncp?
# rows: newton
# at: last
# columns: iteration all
# times: shown
floor_at(p, s) = s > series_of(p) ? NaN : exists(sprintf("reference_%d_%d", p, s)) ? value(sprintf("reference_%d_%d", p, s)) : floor_at(p, s + 1)
floor_of(p) = floor_at(p, 1)
unsolved(p, s) = exists(sprintf("unsolved_%d_%d", p, s)) ? value(sprintf("unsolved_%d_%d", p, s)) : NaN
apart_at(p, s) = s > series_of(p) ? NaN : exists(sprintf("apart_%d_%d", p, s)) ? value(sprintf("apart_%d_%d", p, s)) : apart_at(p, s + 1)
apart_of(p) = apart_at(p, 1) # the distance of two solutions; NaN where one alone is known
errors_of(p, s) = exists(sprintf("apart_%d_%d", p, s)) ? sprintf("no true error (two solutions, %.0e apart)/%.0e", value(sprintf("apart_%d_%d", p, s)), last_of(p, s, at_natural_map_error)) : exists(sprintf("unsolved_%d_%d", p, s)) ? sprintf("no reference (solved to %.0e)/%.0e", unsolved(p, s), last_of(p, s, at_natural_map_error)) : sprintf("%.0e/%.0e/%.0e", last_of(p, s, at_velocity_error), last_of(p, s, at_force_error), last_of(p, s, at_natural_map_error))
none_solved(p) = (n_ = 0, sum [s_ = 1:series_of(p)] (n_ = n_ + exists(sprintf("unsolved_%d_%d", p, s_)), 0), n_ == series_of(p))
outcome = "Outcome, errors at the end of velocities / forces / natural map:"
do for [p = 1:panels] {
    outcome = outcome."\n".panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? ", " : "").spaced(label_of(p, s))." ".errors_of(p, s) }
}
about = "|u - u*| and |M^-1 (J^T z - J*^T z*)| in the mass norm over the total mass, u* the solution of a method other than the run's own (interior-point or newton), at a natural map of 1e-8 m/s or less; a scene at rest starts at its velocities. Dashed: what u* itself may be off by. Time: assembly, set-up and solves of the iterations."
brief = "Velocity and force errors: distance to the step's solution in the mass norm; dashed: what that may be off by."
entries = entries + 1; entry[entries] = "the solution's own error"; entry_style[entries] = 17; entry_kind[entries] = "l"
entry_shown[entries] = sum [p = 1:panels] (floor_of(p) == floor_of(p))
shown_columns = sprintf("%d %d %d", at_natural_map_error, at_velocity_error, at_force_error)
extent_first = at_natural_map_error; extent_last = at_force_error
@extent
rows = 4; tall = 72 * k; row_gap = 26
@begin
@decade_ticks
names = "natural_map_error velocity_error force_error force_error"
spent = 0
# the times of a panel [ms]: of the least part of an iteration, and of all iterations
shortest(p) = larger(1e3 * told("low", p, 0, at_solve_s), 1e-3)
longest(p) = (m_ = 1e-3, sum [s_ = 1:series_of(p)] (m_ = larger(1e3 * (sum_of(p, s_, at_assembly_s) + sum_of(p, s_, at_setup_s) + sum_of(p, s_, at_solve_s)), m_), 0), m_)
seconds_in(c) = valid(c) ? column(c) : 0 # the last iterate has no solve
do for [p = 1:panels] { do for [r = 1:rows] {
    @place
    eval(x_named(r < 3 ? "" : r == 3 ? "iteration" : "time [ms]"))
    if (r == 4) { set xrange [*:*]; set logscale x; set format x "10^{%L}"; set xtics decades_apart(shortest(p), longest(p)); set mxtics 10 } else { unset logscale x; set format x "%g"; unset mxtics; @iteration_ticks }
    y_name = spaced(word(names, r))." [m/s]"; @y_label
    y = value("at_".word(names, r))
    own = r > 1 ? floor_of(p) : NaN
    if (r > 1 && none_solved(p)) { set label 90 sprintf("no reference:\nthe step was solved\nto %.0e m/s only", unsolved(p, 1)) at graph 0.5, graph 0.6 center } else { if (r > 1 && apart_of(p) == apart_of(p)) { set label 90 sprintf("two solutions,\n%.0e m/s apart:\nno errors", apart_of(p)) at graph 0.5, graph 0.6 center } else { unset label 90 } }
    time_at(i) = (spent = $1 == 0 ? 0 : spent, before = spent, spent = spent + 1e3 * (seconds_in(at_assembly_s) + seconds_in(at_setup_s) + seconds_in(at_solve_s)), i ? (before > 0 ? before : NaN) : $1)
    marked(s) = $1 == $1 && int($1) % every_of(p, s) == first_of(p, s) ? floored(column(y)) : NaN
    plot NaN notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (time_at(r == 4)):(floored(column(y))) with lines ls s notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (time_at(r == 4)):(marked(s)) with points ls s notitle, own with lines ls 17 notitle
} }
unset label 90
