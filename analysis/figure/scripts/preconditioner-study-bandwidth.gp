# title: Memory bandwidth of applications of preconditioners and of A
# apart: the study in full takes long: docs/reproduce.md
# any: timings of 'ncpbench bench preconditioners'
# make: bench preconditioners --contacts 1000,10000,100000 --precision f64,f32
# quickmake: bench preconditioners --contacts 1000,10000 --precision f64
# rows: bandwidth
outcome = "Bandwidth over that of a triad, percent, largest pile that each takes:"
do for [p = 1:panels] { outcome = outcome."\n".panel_name(p).":"; do for [s = 1:series_of(p)] { if (has(p, s, 2)) { outcome = outcome.sprintf("%s %s %.0f", s > 1 ? "," : "", label_of(p, s), 100 * last_of(p, s, 2) / last_of(p, s, 3)) } } }
about = "Stiffness formulation of a pile of boxes, third Newton iteration: what an application reads and writes at least, over its median time of 15 samples. Dashed: a triad (a = b + s c) over as much memory, in the same run. Those that factorize all of A are timed up to 3000 rows."
brief = "Dashed: a triad over as much memory. Bytes: what an application reads and writes at least."
entries = entries + 1; entry[entries] = "triad"; entry_style[entries] = 17; entry_kind[entries] = "l"; entry_shown[entries] = 1
tall = 150 * k; least_wide = 150
low = 1; high = 1
do for [p = 1:panels] { i_ = widened(p, 0, 2) + widened(p, 0, 3) }
low = 10**floor(log10(low)); high = 10**ceil(log10(high))
@begin
do for [p = 1:panels] {
    @place
    @decade_ticks
    set logscale x; set format x "10^{%L}"; set xrange [*:*]
    eval(x_named("memory of an application [B]")); y_name = "bandwidth [GB/s]"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:3 with lines ls 17 notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:2 with linespoints ls s notitle
}
