# title: Performance and data profiles of the solvers over all runs
# any: runs of any record
# rows: profile
share_of(s) = last_of(3, s, 2)
outcome = "Outcome, share solved in the end: "
do for [s = 1:series_of(1)] { outcome = outcome.sprintf("%s%s %s", s > 1 ? "; " : "", spaced(label_of(1, s)), number("%.2f", share_of(s))) }
brief = "Share of the problems solved within a factor of the best (top) and within a cost (bottom)."
# a solver that solves none is named as well, and its curve stands above the axis
do for [s = 1:entries] { entry[s] = entry[s].number(" (%.0f %%)", 100 * share_of(s)) }
quantity = panel_names; panel_names = word(quantity, 1)." ".word(quantity, 2)
panels = 2; rows = 2; tall = 110 * k; row_gap = 27; least_wide = 72; legend_left = 6
@begin
set ytics 0.2
do for [p = 1:2] { do for [r = 1:2] {
    t = 2 * (r - 1) + p
    @place
    eval(x_named(r == 1 ? "factor of the best" : spaced(word(quantity, t)).(p == 1 ? " [ms]" : "")))
    y_name = "share of problems"; @y_label
    set format y "%.1f"
    unit_of_x = t == 3 ? 1e3 : 1 # seconds are drawn as milliseconds
    low = unit_of_x * least_of(t, 0, 1); high = unit_of_x * most_of(t, 0, 1)
    set logscale x; set yrange [-0.04:1.04]
    set xrange [low:high]
    set format x "%g"
    if (high / low > (wide < 120 * k ? 30 : 300)) { set xtics autofreq } else { labels_ = labels_between(low, high); eval("set xtics (".labels_[1:strlen(labels_) - 2].")") }
    plot for [s = 1:series_of(t)] panel_file(t) index (s - 1) using (unit_of_x * $1):3:4 with filledcurves fs transparent solid (0.6 / (3 + series_of(t))) noborder lc rgb color_of(s) notitle, \
         for [s = 1:series_of(t)] panel_file(t) index (s - 1) using (unit_of_x * $1):2 with lines ls s notitle, \
         for [s = 1:series_of(t)] panel_file(t) index (s - 1) every every_of(t, s)::first_of(t, s) using (unit_of_x * $1):2 with points ls s notitle
} }
