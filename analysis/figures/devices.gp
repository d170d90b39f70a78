# title: Processor and GPU: an iteration of PCR, and a solve to an accuracy
# any: timings of 'ncpbench bench pcr,accuracy --device cpu,cuda'
# data: devices
legend_rows = (series_of(1) + 3) / 4; down = 15 * (legend_rows - 1)
plot_height = rows_height(1, 320)
outcome = "Outcome, largest scene: "
do for [s = 1:series_of(1)] {
    outcome = outcome.label_of(1, s).sprintf(" %.3g µs an iteration of %g contacts", last_of(1, s, 2), last_of(1, s, 1))
    if (last_of(1, s, 5) == last_of(1, s, 5)) { outcome = outcome.sprintf(" (limit %.3g)", last_of(1, s, 5)) }
    if (s < series_of(1)) { outcome = outcome.(s % 2 == 0 ? ";\n" : "; ") }
}
@begin
left_edge(p) = 0.09 + 0.49 * (p - 1)
set logscale xy; set format x "10^{%L}"; set format y "10^{%L}"
set xlabel "contacts"
set tmargin at screen from_top(84 + down); set bmargin at screen from_top(84 + down + 320)
array what[2] = ["an iteration of PCR [µs]", "a solve to the accuracy [µs]"]
do for [p = 1:panels] {
    set lmargin at screen left_edge(p); set rmargin at screen left_edge(p) + (panels == 1 ? 0.87 : 0.38)
    set ylabel what[p] offset 2, 0
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:2:3:4 with yerrorbars lc rgb color_of(s) lw 1 ps 0 notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:2 with linespoints ls ((s - 1) % 8 + 1) dt 1 lc rgb color_of(s) notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:5 with lines lc rgb color_of(s) lw 1 dt (6, 4) notitle
    @unframe
}
@legend
plot for [s = 1:series_of(1)] NaN with linespoints ls ((s - 1) % 8 + 1) dt 1 lc rgb color_of(s) title label_of(1, s), \
     NaN with lines lc rgb "#666666" lw 1 dt (6, 4) title "bandwidth"
unset multiplot
