# title: Every scene to the same natural map: time of a step by method
# run: arch,heavy-stack,beam,wall --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --linear-solver cholesky,pcr
# run: incline --set angle=0.25,0.5 --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --linear-solver cholesky,pcr
# run: piling --set shape=table,box,sphere --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --linear-solver cholesky,pcr
# run: arch,heavy-stack,beam,wall --method interior-point --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --preconditioner lu --linear-solver klu,gmres
# run: incline --set angle=0.25,0.5 --method interior-point --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --preconditioner lu --linear-solver klu,gmres
# run: piling --set shape=table,box,sphere --method interior-point --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 5000 --linear-iterations 100 --linear-history off --preconditioner lu --linear-solver klu,gmres
# quick: arch,heavy-stack,beam,incline --settle 10 --steps 2 --newton-tolerance 1e-8 --newton-iterations 100 --linear-iterations 100 --linear-history off --linear-solver cholesky,pcr
# quick: arch,heavy-stack,beam,incline --method interior-point --settle 10 --steps 2 --newton-tolerance 1e-8 --newton-iterations 100 --linear-iterations 100 --linear-history off --preconditioner lu --linear-solver klu,gmres
# select: scenario=arch|heavy-stack|beam|wall|incline|piling newton_tolerance=1e-08 linear_iterations=100 linear_solver=cholesky|pcr|klu|gmres
# panel: scenario+@shape+@angle
# series: method+linear_solver
# rows: run
# columns: steps contacts=last(contacts) natural_map_error_most=worst(natural_map_error) steps_to_1e-6=count(newton_iterations@1e-6) iterations_to_1e-6=mean(newton_iterations@1e-6) factorisations_to_1e-6=mean(factorisations@1e-6) linear_iterations_to_1e-6=mean(linear_iterations@1e-6) ms_to_1e-6=median(step_ms@1e-6) steps_to_1e-8=count(newton_iterations@1e-8) iterations_to_1e-8=mean(newton_iterations@1e-8) factorisations_to_1e-8=mean(factorisations@1e-8) linear_iterations_to_1e-8=mean(linear_iterations@1e-8) ms_to_1e-8=median(step_ms@1e-8)
# times: shown
short(t) = t[1:1] eq "n" ? "newton ".t[8:] : "interior p. ".t[16:]
stacked(t) = strstrt(t, " ") ? t[1:strstrt(t, " ") - 1]."\n".t[strstrt(t, " ") + 1:] : t
of(c) = c == 1 ? 4 : 9 # columns to each accuracy
all(p, s, i) = last_of(p, s, i) == last_of(p, s, 1)
part(p, s, i) = number(i % 5 == 3 ? "%.3g" : "%.0f", last_of(p, s, i))
cell(p, s) = last_of(p, s, 1) != last_of(p, s, 1) ? "-" : all(p, s, 9) ? part(p, s, 10)." / ".part(p, s, 11)." / ".part(p, s, 12)." / ".part(p, s, 13) : sprintf("%d of %d, %.0e", last_of(p, s, 9), last_of(p, s, 1), last_of(p, s, 3))
outcome = "To 1e-8 m/s: iterations / factorizations / linear iterations / ms, a step; or how many of the steps converged, and the largest natural map at their ends [m/s]."
about = "Counts are means over the steps, times medians, with what is done once per step. Crosses: some steps did not converge. A run goes on from its own solutions: where all converge, states agree."
brief = "Crosses, and counts of steps: some did not converge; with these the largest error [m/s]."
do for [s = 1:entries] { entry[s] = short(label_of(1, s)); entry_kind[s] = "p" }
shown_columns = "8 13"
set style line 19 lc rgb "#777777" pt 2 ps 0.7
entries = entries + 1; entry[entries] = "not all steps converged"; entry_style[entries] = 19; entry_kind[entries] = "p"
entry_shown[entries] = sum [p = 1:panels] sum [s = 1:series_1] (last_of(p, s, 1) == last_of(p, s, 1) && !(all(p, s, 4) && all(p, s, 9)))
scenes = panels
columns = 1 + series_of(1); lines = scenes
array head_1[columns]; array head_2[columns]; array ends[columns]; array cells[columns * lines]
head_1[1] = "scene"; head_2[1] = "a step to 1e-8 m/s"; ends[1] = 18
do for [s = 1:series_of(1)] { head_1[s + 1] = short(label_of(1, s)); head_2[s + 1] = "iter. / fact. / linear / ms"; ends[s + 1] = 20 + 27 * s }
do for [p = 1:scenes] {
    cells[columns * (p - 1) + 1] = spaced(panel_name(p))
    do for [s = 1:series_of(1)] { cells[columns * (p - 1) + 1 + s] = cell(p, s); outcome = outcome.(s == 1 ? "\n".spaced(panel_name(p)).": " : "; ").short(label_of(1, s))." ".cell(p, s) }
}
panels = 1; rows = 2; tall = 80 * k; panel_title = 3; row_gap = 25
plots_high = (panel_title + 25 + 28) * k + 2 * tall
tabulated = table_fits(ends[columns]) # else it stands in the text alone
body = plots_high + (tabulated ? table_high(lines) : 0)
brief = tabulated ? brief : "Crosses: some steps did not converge."
@begin
set logscale y; set format y "10^{%L}"
least = 1e9; most = 1e-9
do for [p = 1:scenes] { do for [s = 1:series_of(p)] { do for [c = 1:2] {
    ms = last_of(p, s, of(c) + 4)
    if (ms > 0) { least = smaller(least, ms); most = larger(most, ms) }
} } }
top = 10**ceil(log10(most) + 0.6)
set yrange [10**floor(log10(least)):top]
set xrange [0.5:scenes + 0.5]
set xtics (stacked(spaced(panel_name(1))) 1) scale 0
do for [p = 2:scenes] { set xtics add (stacked(spaced(panel_name(p))) p) }
letters = sum [p = 1:scenes] text_wide(panel_name(p).".")
tick_font = sprintf(",%g", smaller(7 * k, 8 * k * wide / letters))
set xtics font tick_font
do for [c = 1:2] {
    eval(spot(x_of(1), y_of(1, c), wide, tall)); eval(y_named(sprintf("ms per step to 1e-%d m/s", 4 + 2 * c)))
    set print $points
    do for [s = 1:series_of(1)] {
        do for [p = 1:scenes] { print sprintf("%g\t%g\t%g", p + 0.12 * (s - 0.5 * (series_of(1) + 1)), all(p, s, of(c)) ? last_of(p, s, of(c) + 4) : NaN, all(p, s, of(c)) || last_of(p, s, 1) != last_of(p, s, 1) ? NaN : top / 2) }
        print ""; print ""
    }
    set print
    plot for [s = 1:series_of(1)] $points index (s - 1) using 1:2 with points ls s notitle, for [s = 1:series_of(1)] $points index (s - 1) using 1:3 with points ls s pt 2 notitle
}
head = head + plots_high
unset logscale
if (tabulated) { @table }
