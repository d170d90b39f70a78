# title: Iterations of psor, pssor, pgs and apgd against a stack's height and mass ratio
# run: heavy-stack --set count=2,5,10,20 --set mass-ratio=1 --time-step 0.01 --friction-law relaxed --method psor,pssor,apgd --newton-iterations 100000 --newton-tolerance 9.81e-8 --geometry frozen --steps 1 --linear-history off
# run: heavy-stack --set count=5 --set mass-ratio=2,4,8,16 --time-step 0.01 --friction-law relaxed --method psor,pssor,apgd --newton-iterations 100000 --newton-tolerance 9.81e-8 --geometry frozen --steps 1 --linear-history off
# run: heavy-stack --set count=2,5,10,20 --set mass-ratio=1 --time-step 0.01 --friction-law polyhedral-relaxed --facets 4 --method pgs --newton-iterations 100000 --newton-tolerance 9.81e-8 --geometry frozen --steps 1 --linear-history off
# run: heavy-stack --set count=5 --set mass-ratio=2,4,8,16 --time-step 0.01 --friction-law polyhedral-relaxed --facets 4 --method pgs --newton-iterations 100000 --newton-tolerance 9.81e-8 --geometry frozen --steps 1 --linear-history off
# quick: heavy-stack --set count=2,5 --set mass-ratio=1 --time-step 0.01 --friction-law relaxed --method psor,pssor,apgd --newton-iterations 5000 --newton-tolerance 9.81e-8 --geometry frozen --steps 1 --linear-history off
# quick: heavy-stack --set count=5 --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor,pssor,apgd --newton-iterations 5000 --newton-tolerance 9.81e-8 --geometry frozen --steps 1 --linear-history off
# quick: heavy-stack --set count=2,5 --set mass-ratio=1 --time-step 0.01 --friction-law polyhedral-relaxed --facets 4 --method pgs --newton-iterations 5000 --newton-tolerance 9.81e-8 --geometry frozen --steps 1 --linear-history off
# quick: heavy-stack --set count=5 --set mass-ratio=2 --time-step 0.01 --friction-law polyhedral-relaxed --facets 4 --method pgs --newton-iterations 5000 --newton-tolerance 9.81e-8 --geometry frozen --steps 1 --linear-history off
# select: scenario=heavy-stack geometry=frozen time_step=0.01 steps=1 method=psor|pssor|apgd|pgs newton_tolerance=9.81e-08
# panel: @count+@mass-ratio
# series: method
# rows: run
# columns: to_2=mean(newton_iterations@9.81e-4) to_4=mean(newton_iterations@9.81e-6) to_6=mean(newton_iterations@9.81e-8) map=worst(natural_map_error)
setups = panels
array boxes[setups]; array ratio[setups]
do for [p = 1:setups] { t_ = spaced(panel_name(p)); boxes[p] = number_in(t_, "count"); ratio[p] = number_in(t_, "mass-ratio") }
counted(p, s, c) = number("%.0f", last_of(p, s, c))
outcome = "Iterations to 1e-2 / 1e-4 / 1e-6 of g h:\n"
do for [p = 1:setups] {
    outcome = outcome.sprintf("%g boxes, each %g times as heavy as the one below: ", boxes[p], ratio[p])
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s %s / %s / %s", s > 1 ? ", " : "", label_of(p, s), counted(p, s, 1), counted(p, s, 2), counted(p, s, 3)) }
    outcome = outcome.".\n"
}
about = "A stack of equal boxes at rest, one step of h = 0.01 s from zero, relaxed friction (pgs: its polygon with 4 facets), omega = lambda = 1; an iteration of pssor is two sweeps, one of apgd a product. To a natural map of 1e-2 (dotted), 1e-4 (dashed) and 1e-6 (lines) of g h; what did not converge in 100000 iterations is left out. Left: boxes of one mass; right: five boxes."
brief = "Relaxed friction, one step from zero, h = 10 ms: to 1e-2 (dotted), 1e-4 (dashed) and 1e-6 (lines) of g h. Right: five boxes."
of_boxes(p) = ratio[p] == 1; of_ratios(p) = boxes[p] == 5
# a run that did not reach all three accuracies: a cross in its color above the curves
misses(j, s) = has(j, s, 4) && !has(j, s, 3)
crosses = sum [p_ = 1:setups] (sum [s_ = 1:series_1] misses(p_, s_))
n_of = setups; curves_ = series_1; shown_columns = "1 2 3"
do for [s = 1:entries] { entry_kind[s] = "p" } # dashes are of the accuracy
if (crosses) { entries = entries + 1; entry[entries] = "1e-6 not reached"; entry_style[entries] = 21; entry_kind[entries] = "p"; entry_shown[entries] = 1 }
panels = 2; panel_names = "boxes_of_one_mass five_boxes,_mass_ratio"
least_wide = 150
@begin
set logscale xy; set format y "10^{%L}"
x_names = "boxes mass_ratio"; y_name = "iterations"; r = 1
do for [p = 1:panels] {
    @place; @y_label
    eval(x_named(spaced(word(x_names, p))))
    key_of(j) = p == 1 ? (of_boxes(j) ? boxes[j] : NaN) : of_ratios(j) ? ratio[j] : NaN
    @ascending
    set print $points
    do for [s = 1:curves_] { do for [c = 1:3] {
        print "nan\tnan"
        do for [i = 1:ordered] { print sprintf("%g\t%g\t%d", key_of(order_of[i]), last_of(order_of[i], s, c), misses(order_of[i], s)) }
        print ""; print ""
    } }
    set print
    set xtics (1, 2, 5, 10, 20) ; if (p == 2) { set xtics (1, 2, 4, 8, 16) }
    set xrange [p == 1 ? 1.8 : 0.9:p == 1 ? 22 : 18]
    if (crosses) { set yrange [*:4e4] }
    plot for [s = 1:curves_] $points index (3 * (s - 1) + 2) with linespoints ls s dt 1 notitle, for [s = 1:curves_] $points index (3 * (s - 1) + 1) with linespoints ls s dt (6, 3) notitle, for [s = 1:curves_] $points index (3 * (s - 1)) with linespoints ls s dt (1, 2) notitle, for [s = 1:curves_] $points index (3 * (s - 1)) using ($3 > 0 ? $1 * 1.04**(s - 0.5 * curves_ - 0.5) : NaN):(2e4) with points ls s pt 2 notitle
}
