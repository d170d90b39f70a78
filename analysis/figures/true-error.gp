# title: True errors beside the natural map: one step, several solvers and both methods
# run: heavy-stack,arch,beam,piling --settle 30 --steps 1 --reference on --newton-iterations 60 --linear-iterations 40 --linear-history off --linear-solver jacobi,gauss-seidel,pcr,cholesky
# run: heavy-stack,arch,beam,piling --settle 30 --steps 1 --reference on --method interior-point --linear-solver gmres --preconditioner lu --newton-iterations 200 --linear-iterations 200 --newton-tolerance 1e-11 --linear-history off
# quick: heavy-stack,arch --settle 10 --steps 1 --reference on --newton-iterations 40 --linear-iterations 40 --linear-history off --linear-solver jacobi,gauss-seidel,pcr,cholesky
# quick: heavy-stack,arch --settle 10 --steps 1 --reference on --method interior-point --linear-solver gmres --preconditioner lu --newton-iterations 200 --linear-iterations 200 --newton-tolerance 1e-11 --linear-history off
# select: reference=1 steps=1 precision=f64
# panel: scenario
# series: method+linear_solver+preconditioner?+scaling?+ncp?
# data: newton
row = 130
plot_height = rows_height(4, row) + 30
floor_at(p, s) = s > series_of(p) ? NaN : exists(sprintf("reference_%d_%d", p, s)) ? value(sprintf("reference_%d_%d", p, s)) : floor_at(p, s + 1)
floor_of(p) = floor_at(p, 1)
unsolved(p, s) = exists(sprintf("unsolved_%d_%d", p, s)) ? value(sprintf("unsolved_%d_%d", p, s)) : NaN
errors_of(p, s) = exists(sprintf("unsolved_%d_%d", p, s)) ? sprintf("no reference (solved to %.0e)/%.0e", unsolved(p, s), last_of(p, s, at_natural_map_error)) : sprintf("%.0e/%.0e/%.0e", last_of(p, s, at_velocity_error), last_of(p, s, at_force_error), last_of(p, s, at_natural_map_error))
none_solved(p) = (n_ = 0, sum [s_ = 1:series_of(p)] (n_ = n_ + exists(sprintf("unsolved_%d_%d", p, s_)), 0), n_ == series_of(p))
outcome = "Outcome, errors at the end of velocities / forces / natural map:"
do for [p = 1:panels] {
    outcome = outcome."\n".panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? ", " : "").spaced(label_of(p, s))." ".errors_of(p, s) }
}
caption = "|u - u*| and |M^-1 (J^T z - J*^T z*)| in the mass norm over the total mass, u* the solution of a method other than the run's own (interior-point or newton), at a natural map of 1e-8 m/s or less; a scene at rest starts at its velocities. Dashed: what u* itself may be off by. Time: assembly, set-up and solves of the iterations.\n".caption
extent_first = at_natural_map_error; extent_last = at_force_error
@extent
@begin
unset key
set logscale y; @decade_ticks
wide = 0.9 / panels
place(c) = 84 + down + (row + 36) * (c - 1) + (c == 4 ? 30 : 0)
rows = "natural_map_error velocity_error force_error force_error"
spent = 0
do for [p = 1:panels] { do for [c = 1:4] {
    set lmargin at screen 0.085 + wide * (p - 1); set rmargin at screen 0.06 + wide * p
    set tmargin at screen from_top(place(c)); set bmargin at screen from_top(place(c) + row)
    if (c == 1) { set title panel_name(p) noenhanced font ",12" offset 0, -0.7 } else { unset title }
    if (c < 3) { unset xlabel } else { set xlabel (c == 3 ? "iteration" : "time [ms]") font ",11" offset 0, 0.7 }
    if (c == 4) { set logscale x; set format x "10^{%L}"; set xtics autofreq font ",8" } else { unset logscale x; set format x "%g"; set xtics font ",10"; @iteration_ticks }
    if (p == 1) { set ylabel spaced(word(rows, c))." [m/s]" font ",9.5" offset 1, 0; set format y "10^{%L}" } else { unset ylabel; set format y "" }
    set yrange [low:high]
    y = value("at_".word(rows, c))
    own = c > 1 ? floor_of(p) : NaN
    if (c > 1 && none_solved(p)) { set label 90 sprintf("no reference:\nthe step was solved\nto %.0e m/s only", unsolved(p, 1)) at graph 0.5, graph 0.6 center font ",10" } else { unset label 90 }
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (spent = $1 == 0 ? 0 : spent, before = spent, spent = spent + 1e3 * (column(at_assembly_s) + column(at_setup_s) + column(at_solve_s)), c < 4 ? $1 : before > 0 ? before : NaN):(larger(column(y), 1e-16)) with linespoints ls s pointinterval 6 notitle, own with lines lc rgb "#777777" dt (6,4) lw 1.5 notitle
    eval(unframe)
} }
unset label 90
@legend
plot for [s = 1:series_of(1)] NaN with linespoints ls s title spaced(label_of(1, s)), NaN with lines lc rgb "#777777" dt (6,4) lw 1.5 title "the solution's own error"
unset multiplot
