# title: What each method says of a problem without a solution
# run: jammed-box --friction-law coulomb,relaxed --method newton,interior-point,auto,psor,pssor,apgd --newton-tolerance 1e-8 --newton-iterations 3000 --linear-history off
# run: jammed-box --friction-law polyhedral,polyhedral-relaxed --method psor,pssor,apgd,lemke,pgs --newton-tolerance 1e-8 --newton-iterations 3000 --linear-history off
# quick: jammed-box --friction-law coulomb,relaxed --method interior-point,psor,apgd --newton-tolerance 1e-8 --newton-iterations 1024 --linear-history off
# quick: jammed-box --friction-law polyhedral,polyhedral-relaxed --method psor,apgd,lemke,pgs --newton-tolerance 1e-8 --newton-iterations 1024 --linear-history off
# select: scenario=jammed-box newton_tolerance=1e-08 steps=1
# panel: scenario+@friction-law
# series: method
# rows: run
# columns: iterations=last(newton_iterations) map=last(natural_map_error) reason=last(reason)
reasons = "none converged exact round-off iterations diverged indefinite not-positive-definite singular breakdown stagnated nan refused time-limit crashed infeasible ray cycled inconsistent friction-lag"
law_of(p) = (t_ = panel_name(p), i_ = strstrt(t_, "_"), i_ ? t_[i_ + 1:] : "coulomb")
cell_of(p, s) = last_of(p, s, 1) != last_of(p, s, 1) ? "-" : word(reasons, int(last_of(p, s, 3)) + 1).sprintf(last_of(p, s, 3) == 15 ? " (%.0f)" : last_of(p, s, 2) >= 100 ? " (%.0f, %.0f)" : " (%.0f, %.2g)", last_of(p, s, 1), last_of(p, s, 2))
columns = 1 + panels; lines = series_of(1)
array head_1[columns]; array head_2[columns]; array ends[columns]; array cells[columns * lines]
head_1[1] = "method"; head_2[1] = ""; ends[1] = 15
do for [p = 1:panels] { head_1[p + 1] = law_of(p); head_2[p + 1] = ""; ends[p + 1] = 15 + 24 * p }
do for [s = 1:lines] {
    cells[columns * (s - 1) + 1] = label_of(1, s); outcome = outcome.label_of(1, s).":"
    do for [p = 1:panels] { cells[columns * (s - 1) + 1 + p] = cell_of(p, s); outcome = outcome.(p > 1 ? ";" : "")." ".law_of(p)." ".cell_of(p, s) }
    outcome = outcome.".\n"
}
about = "Two walls that lean by less than the friction angle hold a box that is in them by 0.5 mm: no velocity is in the duals of both friction cones. In brackets iterations, and the natural map that is left [m/s]. infeasible is proved, by impulses that balance and do negative work; of Coulomb's law and of the polygon's that is not relaxed no method proves it. Methods that do not solve a law have a dash."
brief = "Two walls hold a box that is in them by 0.5 mm. Iterations, and the natural map left [m/s]; infeasible is proved."
head_lines = 1
# on a narrow page a line for each method and law
said(p, s) = cell_of(p, s) ne "-"
if (!latex && !table_fits(ends[columns])) {
    columns = 3; lines = 0
    undefine head_1 head_2 ends cells
    array head_1[3] = ["method", "law", "what it says"]; array head_2[3] = ["", "", ""]; array ends[3] = [14, 33, 60]
    array cells[3 * panels * series_of(1)]
    do for [s = 1:series_of(1)] { do for [p = 1:panels] { if (said(p, s)) {
        cells[3 * lines + 1] = label_of(1, s); cells[3 * lines + 2] = law_of(p); cells[3 * lines + 3] = cell_of(p, s); lines = lines + 1
    } } }
}
@begin_table
@table
