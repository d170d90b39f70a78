# title: Accuracy against the time of a step, with the Pareto front
# all: runs of any record
# panel: *
# series: *
# rows: run
# columns: steps steps_to_1e-1=count(newton_iterations@1e-1) ms_to_1e-1=median(step_ms@1e-1) steps_to_1e-2=count(newton_iterations@1e-2) ms_to_1e-2=median(step_ms@1e-2) steps_to_1e-3=count(newton_iterations@1e-3) ms_to_1e-3=median(step_ms@1e-3) steps_to_1e-4=count(newton_iterations@1e-4) ms_to_1e-4=median(step_ms@1e-4) steps_to_1e-5=count(newton_iterations@1e-5) ms_to_1e-5=median(step_ms@1e-5) steps_to_1e-6=count(newton_iterations@1e-6) ms_to_1e-6=median(step_ms@1e-6) steps_to_1e-7=count(newton_iterations@1e-7) ms_to_1e-7=median(step_ms@1e-7) steps_to_1e-8=count(newton_iterations@1e-8) ms_to_1e-8=median(step_ms@1e-8) steps_to_1e-9=count(newton_iterations@1e-9) ms_to_1e-9=median(step_ms@1e-9) steps_to_1e-10=count(newton_iterations@1e-10) ms_to_1e-10=median(step_ms@1e-10) steps_to_1e-11=count(newton_iterations@1e-11) ms_to_1e-11=median(step_ms@1e-11) steps_to_1e-12=count(newton_iterations@1e-12) ms_to_1e-12=median(step_ms@1e-12)
# times: shown
# accuracy 10^-a: the median time of a run whose steps all reach it, and the least of all runs
accuracies = 12; deepest = 2
ms_of(p, s, a) = last_of(p, s, 2 * a) == last_of(p, s, 1) ? last_of(p, s, 2 * a + 1) : NaN
# the times that a logarithmic axis shows; what takes none stands at its left edge
low = 1e300; high = 0
do for [p = 1:panels] { do for [c_ = 3:2 * accuracies + 1:2] { i_ = widened(p, 0, c_) } }
low = low < 1e300 ? 10**floor(log10(low)) : 1; high = high > low ? 10**ceil(log10(high)) : 10 * low
array least_ms[accuracies * panels]; array best[accuracies * panels]
do for [p = 1:panels] { do for [a = 1:accuracies] {
    i_ = accuracies * (p - 1) + a; least_ms[i_] = 1e300; best[i_] = 0
    do for [s = 1:series_of(p)] { if (ms_of(p, s, a) < least_ms[i_]) { least_ms[i_] = ms_of(p, s, a); best[i_] = s } }
} }
outcome = "Fastest from this accuracy [m/s] on, median ms per step to reach it in all steps:"
set print $drawn
do for [p = 1:panels] {
    outcome = outcome."\n".spaced(panel_name(p)).":"
    separator = " "
    do for [s = 0:series_of(p)] {
        print "nan\tnan"
        do for [a = 1:accuracies] {
            i_ = accuracies * (p - 1) + a
            ms_ = s ? ms_of(p, s, a) : best[i_] ? least_ms[i_] : NaN
            print sprintf("%.9g\t%.9g", larger(low, ms_), 10.0**-a)
            if (best[i_]) { deepest = larger(deepest, a) }
            if (!s && best[i_] && (a == 1 || best[i_] != best[larger(i_ - 1, 1)])) { outcome = outcome.separator.sprintf("1e-%d %s %.3g", a, spaced(label_of(p, best[i_])), ms_); separator = "; " }
        }
        print ""; print ""
    }
}
unset print
array first_index[panels + 1]; first_index[1] = 0
do for [p = 1:panels] { first_index[p + 1] = first_index[p] + series_of(p) + 1 }
about = "Median time of a step until the natural map is at most the accuracy; a curve ends where a step did not reach it. Wide line: the Pareto front, the least time of all runs at each accuracy."
brief = "Median time of a step to an accuracy that all steps reach. Wide line: the Pareto front."
set style line 20 lc rgb "#dddddd" lw 6
entries = entries + 1; entry[entries] = "Pareto front"; entry_shown[entries] = 1; entry_kind[entries] = "l"; entry_style[entries] = 20
rows = 1; tall = 130 * k; row_gap = 22
@begin
set logscale xy; set xrange [low:high]; set format y "10^{%L}"; set format x "10^{%L}"; set yrange [10.0**-(deepest + 1):1]; set ytics 1e2
x_name = "ms per step"; y_name = "natural map [m/s]"; r = 1
do for [p = 1:panels] {
    @place; @x_label; @y_label
    plot NaN notitle, $drawn index first_index[p] using 1:2 with lines ls 20 notitle, for [s = 1:series_of(p)] $drawn index (first_index[p] + s) using 1:2 with linespoints ls s notitle
}
