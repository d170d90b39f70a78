# title: Overlap of falling bodies against ms per step, with --verify-contacts
# run: piling --set shape=box --set count=500 --method auto --newton-tolerance 1e-4 --time-step 0.001 --steps 500 --linear-history off --repeat 0
# run: piling --set shape=box --set count=500 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.001 --steps 500 --linear-history off --repeat 0
# run: piling --set shape=box --set count=500 --method auto --newton-tolerance 1e-4 --time-step 0.004 --steps 125 --linear-history off --repeat 0
# run: piling --set shape=box --set count=500 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.004 --steps 125 --linear-history off --repeat 0
# run: piling --set shape=box --set count=500 --method auto --newton-tolerance 1e-4 --time-step 0.0083 --steps 60 --linear-history off --repeat 0
# run: piling --set shape=box --set count=500 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.0083 --steps 60 --linear-history off --repeat 0
# run: piling --set shape=box --set count=500 --method auto --newton-tolerance 1e-4 --time-step 0.033 --steps 15 --linear-history off --repeat 0
# run: piling --set shape=box --set count=500 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.033 --steps 15 --linear-history off --repeat 0
# run: piling --set shape=table --set count=54 --method auto --newton-tolerance 1e-4 --time-step 0.001 --steps 500 --linear-history off --repeat 0
# run: piling --set shape=table --set count=54 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.001 --steps 500 --linear-history off --repeat 0
# run: piling --set shape=table --set count=54 --method auto --newton-tolerance 1e-4 --time-step 0.004 --steps 125 --linear-history off --repeat 0
# run: piling --set shape=table --set count=54 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.004 --steps 125 --linear-history off --repeat 0
# run: piling --set shape=table --set count=54 --method auto --newton-tolerance 1e-4 --time-step 0.0083 --steps 60 --linear-history off --repeat 0
# run: piling --set shape=table --set count=54 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.0083 --steps 60 --linear-history off --repeat 0
# run: piling --set shape=table --set count=54 --method auto --newton-tolerance 1e-4 --time-step 0.033 --steps 15 --linear-history off --repeat 0
# run: piling --set shape=table --set count=54 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.033 --steps 15 --linear-history off --repeat 0
# quick: piling --set shape=box --set count=60 --method auto --newton-tolerance 1e-4 --time-step 0.0083 --steps 60 --linear-history off --repeat 0
# quick: piling --set shape=box --set count=60 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.0083 --steps 60 --linear-history off --repeat 0
# quick: piling --set shape=box --set count=60 --method auto --newton-tolerance 1e-4 --time-step 0.033 --steps 15 --linear-history off --repeat 0
# quick: piling --set shape=box --set count=60 --method auto --newton-tolerance 1e-4 --verify-contacts 1e-4 --time-step 0.033 --steps 15 --linear-history off --repeat 0
# select: scenario=piling method=auto newton_tolerance=0.0001 time_step=0.001|0.004|0.0083|0.033 steps=500|125|60|15
# panel: scenario+@shape
# series: @verify-contacts+time_step
# gathered: series
# rows: step
# columns: step max_penetration step_ms
# times: shown
array names[2] = ["off", "verify-contacts=0.0001"]; array said[2] = ["not verified", "--verify-contacts 1e-4"]
most_ = 0; do for [p = 1:panels] { most_ = larger(most_, series_of(p)) }
array h_[most_]; array deep_[most_]; array cost_[most_]; array name_[most_]
n_of = 0; key_of(s) = name_[s] eq names[c] ? h_[s] : NaN
point_of(s) = sprintf("%.9g\t%.9g\t%.9g", 1e3 * h_[s], larger(deep_[s], 1e-4), cost_[s])
outcome = "Largest overlap [mm] and mean ms per step, by time step [ms]:"
set print $points
do for [p = 1:panels] {
    n_of = series_of(p)
    do for [s = 1:n_of] {
        h_[s] = real(last_part(label_of(p, s))); deep_[s] = 1e3 * larger(0, most_of(p, s, 2)); cost_[s] = sum_of(p, s, 3) / rows_of(p, s); name_[s] = first_part(label_of(p, s))
    }
    outcome = outcome."\n".panel_name(p).":"
    do for [c = 1:2] {
        @print_curve
        outcome = outcome.(c > 1 ? "; " : " ").said[c]
        do for [i = 1:ordered] { outcome = outcome.sprintf("%s %.3g: %.2g, %.3g", i > 1 ? "," : "", 1e3 * h_[order_of[i]], deep_[order_of[i]], cost_[order_of[i]]) }
    }
}
unset print
about = "Half a second of fall, solved to 1e-4 m/s by auto. Overlap is of the bodies where they are at the end of a step, the largest of all steps; ms are means of the steps, detection included. Numbers at points: the time step in ms. bash results/studies/peers/overlap.sh draws engines beside auto."
brief = "Largest overlap of all steps, 0.5 s of fall; numbers at points: time step [ms]."
entries = 0
do for [c = 1:2] { entries = entries + 1; entry[entries] = said[c]; entry_shown[entries] = 1; entry_kind[entries] = "lp"; entry_style[entries] = c }
entries = entries + 1; entry[entries] = "allowed"; entry_shown[entries] = 1; entry_kind[entries] = "l"; entry_style[entries] = 17
rows = 2; tall = 105 * k; row_gap = 32; least_wide = 150
array quantity[2] = ["time step [ms]", "ms per step"]
@begin
set logscale xy; set format y "10^{%L}"; set format x "%g"
do for [p = 1:panels] { do for [r = 1:rows] {
    @place
    eval(x_named(quantity[r]))
    y_name = "largest overlap [mm]"; @y_label
    if (r == 1) { set xrange [0.8:42]; set xtics ("1" 1, "4" 4, "8.3" 8.3, "33" 33) } else { set xrange [*:*]; set xtics autofreq }
    set arrow 17 from graph 0, first 0.1 to graph 1, first 0.1 nohead ls 17
    plot NaN notitle, for [c = 1:(r == 1 ? 0 : 1)] $points index (2 * (p - 1) + c - 1) using 3:2:(sprintf("%g", $1)) with labels right offset -0.7,0 tc ls 1 notitle, \
        for [c = 2:(r == 1 ? 0 : 2)] $points index (2 * (p - 1) + c - 1) using 3:2:(sprintf("%g", $1)) with labels left offset 0.7,0 tc ls 2 notitle, \
        for [c = 1:2] $points index (2 * (p - 1) + c - 1) using (r == 1 ? $1 : $3):2 with linespoints ls c notitle
} }
