# title: Processor and GPU: an iteration of PCR, and a solve to an accuracy
# any: timings of 'ncpbench bench pcr,accuracy --device cpu,cuda'
# rows: devices
outcome = "Outcome, largest scene: "
do for [s = 1:series_of(1)] {
    if (!has(1, s, 2)) { continue }
    outcome = outcome.(strlen(outcome) > 24 ? "; " : "").label_of(1, s).sprintf(" %.3g µs an iteration of %g contacts", last_of(1, s, 2), last_of(1, s, 1))
    if (last_of(1, s, 5) == last_of(1, s, 5)) { outcome = outcome.sprintf(" (limit %.3g)", last_of(1, s, 5)) }
}
brief = "Piles of boxes: medians of 15 samples, bars from the least to the most."
do for [s = 1:entries] { set style line 18 + s lc rgb color_of(s) lw 1.1 dt 1 pt marker_of(s) ps 0.6; entry_style[s] = 18 + s }
entries = entries + 1; entry[entries] = "bandwidth"; entry_style[entries] = 17; entry_kind[entries] = "l"
entry_shown[entries] = sum [p = 1:panels] sum [s = 1:series_of(p)] has(p, s, 5)
shown_columns = "2"
tall = 170 * k; panel_title = 3; between = left_space + 4; least_wide = 150
@begin
set logscale xy; set format x "10^{%L}"; set format y "10^{%L}"
x_name = "contacts"; r = 1
array what[2] = ["an iteration of PCR [µs]", sprintf("a solve to %.0e of its start [µs]", accuracy)]
do for [p = 1:panels] {
    @place; @x_label; eval(y_named(what[p]))
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:2:3:4 with yerrorbars lc rgb color_of(s) lw 0.6 ps 0 notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:2 with linespoints ls (18 + s) notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:5 with lines lc rgb color_of(s) lw 0.9 dt (5, 3) notitle
}
