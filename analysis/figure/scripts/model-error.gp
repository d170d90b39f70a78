# title: One step by all methods: error by the law that was solved, and by Coulomb's
# run: arch,wall,piling --settle 30 --steps 1 --geometry frozen --friction-law coulomb,relaxed --method newton,interior-point,auto,psor,pssor,apgd --newton-iterations 300 --newton-tolerance 1e-9 --linear-history off
# run: arch,piling --settle 30 --steps 1 --geometry frozen --friction-law polyhedral,polyhedral-relaxed --facets 8 --method lemke,pgs --newton-iterations 300 --newton-tolerance 1e-9 --linear-history off
# run: wall --settle 30 --steps 1 --geometry frozen --friction-law polyhedral,polyhedral-relaxed --facets 8 --method pgs --newton-iterations 300 --newton-tolerance 1e-9 --linear-history off
# quick: arch --settle 10 --steps 1 --geometry frozen --friction-law coulomb,relaxed --method newton,interior-point,psor,apgd --newton-iterations 60 --newton-tolerance 1e-9 --linear-history off
# quick: arch --settle 10 --steps 1 --geometry frozen --friction-law polyhedral,polyhedral-relaxed --facets 8 --method pgs --newton-iterations 60 --newton-tolerance 1e-9 --linear-history off
# select: geometry=frozen steps=1 newton_tolerance=1e-09 method=newton|interior-point|auto|psor|pssor|apgd|lemke|pgs
# panel: scenario
# series: method+@friction-law
# rows: newton
# at: last
# columns: iteration time_ms=before(assembly_ms+setup_ms+solve_ms) natural_map_error coulomb_error
# times: shown
outcome = "At the end, natural map of the law solved / by Coulomb's law [m/s], after [ms]:"
do for [p = 1:panels] {
    outcome = outcome."\n".panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s %s/%s, %s", s > 1 ? "; " : "", spaced(label_of(p, s)), number("%.0e", last_of(p, s, 3)), number("%.0e", last_of(p, s, 4)), number("%.3g", last_of(p, s, 2))) }
}
about = "One step after 30 that let the scene settle, from zero (auto: from the step before, as it comes), contacts linear within the step, at most 300 iterations: psor and pgs a sweep, apgd a product each. Where a law is not named it is Coulomb's, for which psor, apgd and pgs go by rounds. Polygons have 8 facets. The lower row is what a user of the relaxed or polygonal law gets: the natural map by Coulomb's law of the same iterates. lemke has no row before its end, and does not take the wall's 4256 unknowns."
brief = "One step from zero (auto: from the one before). A law that is not named is Coulomb's; polygons have 8 facets."
rows = 2; tall = 110 * k; row_gap = 22
low = 1e-11; high = 10
@begin
set logscale xy; set format y "10^{%L}"; set format x "10^{%L}"; set ytics 1e3
x_name = "time [ms]"
error_at(r) = r == 1 ? 3 : 4
shown_error(x) = x > low ? x : low
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = r == 1 ? "error, law solved [m/s]" : "Coulomb error [m/s]"; @y_label
    set yrange [low:high]; set xrange [1e-3:*]
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using ($2 > 1e-3 ? $2 : 1e-3):(shown_error(column(error_at(r)))) with lines ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using ($2 > 1e-3 ? $2 : 1e-3):(shown_error(column(error_at(r)))) with points ls s notitle
} }
unset multiplot
