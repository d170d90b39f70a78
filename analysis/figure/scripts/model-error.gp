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
about = "One step after 30 that let the scene settle, from zero (auto: from the step before, as it comes), contacts linear within the step, at most 300 iterations: psor and pgs a sweep, apgd a product each. Where a law is not named it is Coulomb's, for which psor, apgd and pgs go by rounds. Polygons have 8 facets. First row: Coulomb's law. Second: the relaxed law and the polygons', the error by the law that was solved; third, what their user gets: the natural map by Coulomb's law of the same iterates. lemke has no row before its end, and does not take the wall's 4256 unknowns."
brief = "One step from zero (auto: from the one before). Above: Coulomb's law; below: the relaxed and the polygons' laws (8 facets)."
# Colour, dash and marker are of the method; the laws that one method solves have rows of their own, or, of polygons, a look.
method_of(s) = (t_ = label_of(1, s), i_ = strstrt(t_, "_"), i_ ? t_[1:i_ - 1] : t_)
law_of(s) = (t_ = label_of(1, s), i_ = strstrt(t_, "_"), i_ ? t_[i_ + 1:] : "coulomb")
of_coulomb(s) = law_of(s) eq "coulomb"
known = "newton interior-point psor apgd pgs auto lemke pssor"
style_of(s) = (m_ = 0, sum [k_ = 1:words(known)] (m_ = word(known, k_) eq method_of(s) ? k_ : m_, 0), (m_ ? m_ : 8) + (law_of(s) eq "polyhedral-relaxed" ? 8 : 0))
named(s) = method_of(s).(law_of(s) eq "polyhedral" ? ", polygon" : law_of(s) eq "polyhedral-relaxed" ? ", relaxed polygon" : "")
curves_ = series_1; entries = 0
array of_row[2]; of_row[1] = 0; of_row[2] = 0
do for [s = 1:curves_] { if (sum [p = 1:panels] (has(p, s, 3) || has(p, s, 4))) {
    of_row[of_coulomb(s) ? 1 : 2] = 1; again_ = 0
    do for [i = 1:entries] { again_ = again_ || entry[i] eq named(s) }
    if (!again_) { entries = entries + 1; entry[entries] = named(s); entry_style[entries] = style_of(s); entry_kind[entries] = "lp"; entry_shown[entries] = 1 }
} }
# rows of plots: which curves, and which error of theirs
kinds = (of_row[1] ? "1" : "").(of_row[2] ? " 2 3" : "")
rows = words(kinds) ? words(kinds) : 1; tall = 92 * k; row_gap = 22
kind_of(r) = words(kinds) ? int(word(kinds, r)) : 1
array first_[panels]
do for [p = 1:panels] { first_[p] = smaller(told("low", p, 0, 2), 1e300); first_[p] = first_[p] < 1e300 ? 10**floor(log10(first_[p])) : 1e-3 }
low = 1e-11; high = 10
@begin
set logscale xy; set format y "10^{%L}"; set format x "10^{%L}"; set ytics 1e3
x_name = "time [ms]"
array names_[3] = ["Coulomb's law [m/s]", "law solved [m/s]", "by Coulomb's [m/s]"]
shown_at(s, r) = of_coulomb(s) == (kind_of(r) == 1)
shown_error(x) = x == x ? larger(x, low) : NaN
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = names_[kind_of(r)]; @y_label
    set yrange [low:high]; set xrange [first_[p]:*]; set xtics decades_apart(first_[p], 10 * most_of(p, 0, 2))
    c = kind_of(r) == 3 ? 4 : 3
    plot for [s = 1:curves_] panel_file(p) index (s - 1) using (larger($2, first_[p])):(shown_at(s, r) ? shown_error(column(c)) : NaN) with lines ls style_of(s) notitle, for [s = 1:curves_] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using (larger($2, first_[p])):(shown_at(s, r) ? shown_error(column(c)) : NaN) with points ls style_of(s) notitle
} }
