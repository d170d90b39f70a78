# title: Joints by sweeps or exactly: iterations against loops and mass ratio
# run: loop-chain --set count=1,2,4,8,16,32 --geometry frozen --newton-tolerance 1e-6 --newton-iterations 20000 --steps 3 --linear-history off --repeat 0 --method psor,apgd,nsgs --joints sweep,direct
# run: four-bars --set count=1,2,4,8,16,32 --geometry frozen --newton-tolerance 1e-6 --newton-iterations 20000 --steps 3 --linear-history off --repeat 0 --method psor,apgd,nsgs --joints sweep,direct
# run: nunchaku --set held=1 --set mass-ratio=1,4,32,256 --geometry frozen --newton-tolerance 1e-6 --newton-iterations 20000 --steps 3 --linear-history off --repeat 0 --method psor,apgd,nsgs --joints sweep,direct
# quick: loop-chain --set count=1,8 --geometry frozen --newton-tolerance 1e-6 --newton-iterations 20000 --steps 3 --linear-history off --repeat 0 --method psor,apgd,nsgs --joints sweep,direct
# quick: four-bars --set count=1,8 --geometry frozen --newton-tolerance 1e-6 --newton-iterations 20000 --steps 3 --linear-history off --repeat 0 --method psor,apgd,nsgs --joints sweep,direct
# quick: nunchaku --set held=1 --set mass-ratio=1,16 --geometry frozen --newton-tolerance 1e-6 --newton-iterations 20000 --steps 3 --linear-history off --repeat 0 --method psor,apgd,nsgs --joints sweep,direct
# select: scenario=loop-chain|four-bars|nunchaku method=psor|apgd|nsgs newton_tolerance=1e-06 steps=3 geometry=frozen
# panel: scenario
# series: method+@method.joints+@count+@mass-ratio
# gathered: series
# rows: run
# columns: iterations=mean(newton_iterations) map=worst(natural_map_error)
array names[6] = ["psor_sweep", "apgd_sweep", "nsgs_sweep", "psor_direct", "apgd_direct", "nsgs_direct"]
most_ = 0; do for [p = 1:panels] { most_ = larger(most_, series_of(p)) }
array x_[most_]; array counted_[most_]; array name_[most_]
n_of = 0; key_of(s) = name_[s] eq names[c] && counted_[s] == counted_[s] ? x_[s] : NaN
point_of(s) = sprintf("%.9g\t%.9g", x_[s], larger(counted_[s], 0.5))
# the method, how it takes joints, and the loops or the ratio
label_part(t, i) = i > 1 ? label_part(t[strlen(first_part(t)) + 2:], i - 1) : first_part(t)
ratio_of(t) = number_in(t, "mass-ratio")
outcome = "Iterations to 1e-6 m/s, by loops (nunchaku: mass ratio):"
set print $points
do for [p = 1:panels] {
    n_of = series_of(p)
    do for [s = 1:n_of] {
        t_ = label_of(p, s); x_[s] = ratio_of(t_) == ratio_of(t_) ? ratio_of(t_) : number_in(t_, "count")
        counted_[s] = last_of(p, s, 2) <= 1.001e-6 ? last_of(p, s, 1) : NaN; name_[s] = label_part(t_, 1)."_".value_in(label_part(t_, 2))
    }
    outcome = outcome."\n".panel_name(p).":"
    do for [c = 1:6] {
        @print_curve
        outcome = outcome.(c > 1 ? "; " : " ").spaced(names[c])
        do for [i = 1:ordered] { outcome = outcome.sprintf("%s %g: %s", i > 1 ? "," : "", x_[order_of[i]], number("%.0f", counted_[order_of[i]])) }
    }
}
unset print
about = "Mean of three steps from zero impulses to a natural map of 1e-6 m/s, constraints linear at the start of the step. loop-chain has contacts and limits beside its loops, four-bars only joints, as nunchaku, whose heavy rod hangs from six balls. An iteration is a sweep of psor and nsgs, a product of apgd. With direct the joint rows, redundant ones too, are eliminated; without contacts it takes no iteration, drawn at 0.5. Expected: sweeps grow with the mass ratio, exact joints with neither."
brief = "Mean of three steps to 1e-6 m/s; direct without contacts takes no iteration (drawn at 0.5)."
entries = 0
do for [c = 1:6] { entries = entries + 1; entry[entries] = spaced(names[c]); entry_shown[entries] = 1; entry_kind[entries] = "lp"; entry_style[entries] = c }
rows = 1; tall = 120 * k; least_wide = 130; r = 1
@begin
set logscale xy; set format y "%g"; set format x "%g"; set yrange [0.4:*]
do for [p = 1:panels] {
    @place
    eval(x_named(panel_name(p) eq "nunchaku" ? "mass ratio" : "loops"))
    y_name = "iterations"; @y_label
    if (panel_name(p) eq "nunchaku") { set xrange [0.8:330]; set xtics (1, 4, 32, 256) } else { set xrange [0.9:36]; set xtics (1, 2, 4, 8, 16, 32) }
    plot NaN notitle, for [c = 1:6] $points index (6 * (p - 1) + c - 1) using 1:2 with linespoints ls c notitle
}
