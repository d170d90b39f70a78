# title: One step of bodies that stand on faces, by all methods: error against time
# run: drop,blocks,stack-4,arch --settle 60 --steps 1 --method newton,interior-point,psor,apgd --newton-iterations 300 --newton-tolerance 1e-10 --repeat 5 --linear-history off
# run: drop,blocks,stack-4,arch --settle 60 --steps 1 --method single-level --method-option rho=1e-6,1e-8,1e-10 --newton-tolerance 1e-10 --repeat 5 --linear-history off
# run: drop,blocks,stack-4,arch --settle 60 --steps 1 --method bilevel --method-option rho=1e-8 --newton-tolerance 1e-10 --repeat 5 --linear-history off
# quick: drop,blocks --settle 60 --steps 1 --method newton,interior-point,psor --newton-iterations 100 --newton-tolerance 1e-10 --repeat 5 --linear-history off
# quick: drop,blocks --settle 60 --steps 1 --method single-level --method-option rho=1e-6,1e-8 --newton-tolerance 1e-10 --linear-history off
# quick: drop,blocks --settle 60 --steps 1 --method bilevel --method-option rho=1e-8 --newton-tolerance 1e-10 --linear-history off
# select: steps=1 newton_tolerance=1e-10
# panel: scenario
# series: method+@method.rho
# rows: newton
# at: last
# columns: iteration time_ms=before(assembly_ms+setup_ms+solve_ms) natural_map_error
# times: shown
named(t) = (t_ = spaced(t), i_ = strstrt(t_, "method.rho="), i_ ? t_[1:i_ - 1]."rho ".t_[i_ + 11:] : t_)
outcome = "Natural map [m/s] at the end, after [ms] and iterations:"
do for [p = 1:panels] {
    outcome = outcome."\n".panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s %s, %s, %d", s > 1 ? "; " : "", named(label_of(p, s)), number("%.0e", last_of(p, s, 3)), number("%.3g", last_of(p, s, 2)), last_of(p, s, 1)) }
}
about = "One step after 60 by the same method, from zero. The error is the harness's natural map, over the contacts of detection, and for single-level over the points that it found as well. What single-level keeps is its rho: gaps and slip that the smoothing leaves, here as velocities; bilevel keeps what its inner tolerance of 1e-4 leaves, or does not get there."
brief = "One step after 60 by the same method, from zero. What single-level keeps is what its rho leaves."
do for [s = 1:entries] { entry[s] = named(entry[s]) }
rows = 1; tall = 130 * k; row_gap = 22
shown_columns = "3"
low = 1e-13; high = 10
@begin
set logscale xy; set format y "10^{%L}"; set format x "10^{%L}"; set ytics 1e3
x_name = "time [ms]"
shown_error(x) = x > low ? x : low
do for [p = 1:panels] {
    @place; @x_label
    y_name = "natural map [m/s]"; @y_label
    set yrange [low:high]; set xrange [1e-3:*]; set xtics decades_apart(1e-3, 10 * most_of(p, 0, 2))
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using ($2 > 1e-3 ? $2 : 1e-3):(shown_error($3)) with lines ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using ($2 > 1e-3 ? $2 : 1e-3):(shown_error($3)) with points ls s notitle
}
