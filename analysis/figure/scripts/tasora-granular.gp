# title: Cost of a step, penetration and memory against the number of spheres (Tasora, Anitescu 2009)
# run: granular --set count=1000,3000,9000,25000,50000 --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 120 --newton-tolerance 0 --record-every 120 --warm-start on --steps 40 --linear-history off
# quick: granular --set count=300,1000 --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 120 --newton-tolerance 0 --record-every 120 --warm-start on --steps 20 --linear-history off
# select: scenario=granular geometry=frozen steps=40|20
# panel: scenario
# series: @count
# rows: run
# columns: bodies contacts=last(contacts) step_s=median(step_s) step_most_s=most(step_s) detect_s=median(detect_s) penetration_m=most(max_penetration) peak_bytes map=median(natural_map_error)
# times: shown
count_of(s) = (t_ = label_of(1, s), real(t_[strstrt(t_, "=") + 1:]))
each(s, c) = last_of(1, s, c)
radius = 0.005
n = series_of(1)
outcome = "Spheres: contacts, s per step (median), ns per contact and sweep with all the rest of a step, detection's share, deepest penetration over the radius, bytes a contact:\n"
do for [s = 1:n] { outcome = outcome.sprintf("%s: %.0f, %.3g, %.0f, %.2g, %.2g, %.0f\n", sprintf("%.0f", count_of(s)), each(s, 2), each(s, 3), 1e9 * each(s, 3) / each(s, 2) / 120, each(s, 5) / each(s, 3), each(s, 6) / radius, each(s, 7) / each(s, 2)) }
slope = n > 1 ? log(each(n, 3) / each(1, 3)) / log(each(n, 2) / each(1, 2)) : NaN
outcome = outcome.number("Time grows as the contacts to the power of %.2f from the fewest to the most.\n", slope).(papers ? "Tasora and Anitescu (2009): 18 s per step with 50,000 spheres and 120 iterations, over two million unknowns; interpenetration within 0.002 of the radius; cost linear in the number of bodies. Its spheres have six to seven contacts each, which fits a million triples only if contacts that are merely near are counted.\n" : "")
about = "Spheres of 5 mm that fall into a box and flow out of it at one side, h = 0.01 s, friction 0.4, 120 sweeps of psor a step from the impulses of the step before; K = 1. Contacts are those of the final step."
brief = papers ? sprintf("%s spheres: %.2g s per step (paper: 18 s with 50,000), penetration %.2g radii (paper: 0.002).", sprintf("%.0f", count_of(n)), each(n, 3), each(n, 6) / radius) : sprintf("%s spheres: %.2g s per step.", sprintf("%.0f", count_of(n)), each(n, 3))
entries = 3
entry[1] = "a step"; entry_style[1] = 1; entry_kind[1] = "lp"
entry[2] = "detection"; entry_style[2] = 2; entry_kind[2] = "l"
entry[3] = "linear"; entry_style[3] = 17; entry_kind[3] = "l"
do for [i = 1:3] { entry_shown[i] = 1 }
between = 46
panels = 3; tall = 110 * k; panel_title = 3; least_wide = 100
panel_names = "time penetration memory"
@begin
set print $points
do for [s = 1:n] { print sprintf("%g\t%g\t%g\t%g\t%g", count_of(s), each(s, 3), each(s, 6) / radius, each(s, 7) / 2.0**20, each(s, 5)) }
set print
set logscale x; set format x "10^{%L}"; r = 1
array names[3] = ["time [s]", "deepest penetration / radius", "memory [MiB]"]
do for [p = 1:3] {
    @place
    eval(x_named("spheres"))
    name_902 = names[p]; set label 902 name_902 at screen from_left(x_of(p) - 32 * k), graph 0.5 center rotate by 90 noenhanced font normal
    set logscale y; set format y "10^{%L}"
    plot $points using 1:(column(p + 1)) with linespoints ls 1 notitle, p == 1 ? each(1, 3) * x / count_of(1) : NaN with lines ls 17 notitle, '' using 1:(p == 1 ? $5 : NaN) with lines ls 2 notitle
}
