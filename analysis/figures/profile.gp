# title: Performance and data profiles of the solvers over all runs
# any: runs of any record
# data: profile
plot_height = rows_height(2, 200) + 44
# labels for an axis from a to b whose decades are too few to be its labels: steps of 1, 2, 5, or even ones
labels_between(a, b) = b / a < 3 ? even_labels(nice((b - a) / 5.0) * ceil(a / nice((b - a) / 5.0) - 1e-9), b, nice((b - a) / 5.0)) : decade_labels(10**floor(log10(a)), a, b)
even_labels(x, b, step) = x > b ? "" : sprintf("'%g' %.9g, ", x, x).even_labels(x + step, b, step)
decade_labels(unit, a, b) = unit > b ? "" : label_within(unit, a, b).label_within(2 * unit, a, b).label_within(5 * unit, a, b).decade_labels(10 * unit, a, b)
label_within(x, a, b) = x < a * 0.999 || x > b ? "" : sprintf("'%g' %.9g, ", x, x)
outcome = "Outcome, share solved in the end: "
do for [s = 1:series_of(1)] { outcome = outcome.sprintf("%s%s %s", s > 1 ? "; " : "", spaced(label_of(1, s)), number("%.2f", last_of(3, s, 2))) }
@begin
unset key
set ytics 0.2
do for [p = 1:4] {
    column_ = (p - 1) % 2; row_ = (p - 1) / 2
    set lmargin at screen 0.075 + 0.475 * column_; set rmargin at screen 0.5 + 0.475 * column_
    set tmargin at screen from_top(84 + down + 258 * row_); set bmargin at screen from_top(84 + down + 258 * row_ + 200)
    if (row_ == 0) { set xlabel "factor of the best, in ".spaced(panel_name(p)) font ",11" offset 0, 0.5 } else { set xlabel spaced(panel_name(p))." of a step".(column_ == 0 ? " [ms]" : "") font ",11" offset 0, 0.5 }
    if (column_ == 0) { set ylabel "share of problems" font ",11" offset 1, 0; set format y "%.1f" } else { unset ylabel; set format y "" }
    unset logscale x; set xrange [*:*]; set yrange [*:*] # stats heeds them
    unit_of_x = row_ == 1 && column_ == 0 ? 1e3 : 1 # seconds are drawn as milliseconds
    stats panel_file(p) using (unit_of_x * $1) nooutput
    set logscale x; set yrange [0:1.02]
    set xrange [STATS_min:STATS_max]
    set format x "%g"
    if (STATS_max / STATS_min > 300) { set xtics autofreq } else { labels_ = labels_between(STATS_min, STATS_max); eval("set xtics (".labels_[1:strlen(labels_) - 2].")") }
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (unit_of_x * $1):3:4 with filledcurves fs transparent solid 0.13 noborder lc rgb color_of(s) notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (unit_of_x * $1):2 with steps ls s lw 2.2 notitle
    eval(unframe)
}
@legend
if (legend_rows > 1) { set key font ",9" }
plot for [s = 1:series_of(1)] NaN with lines ls s lw 2.2 title spaced(label_of(1, s))
unset multiplot
