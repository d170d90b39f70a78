# title: Time of a step of drops, by method (Le Cleac'h et al. 2023, fig. 11)
# run: drop --steps 2000 --method single-level,bilevel --method-option rho-unit=product --seed 1,2,3,4,5,6,7,8,9,10 --linear-history off --repeat 0
# quick: drop --steps 100 --method single-level,bilevel --method-option rho-unit=product --seed 1,2 --linear-history off --repeat 0
# select: scenario=drop method=single-level|bilevel steps=2000|100
# panel: method
# series: seed
# rows: step
# columns: step time assembly_ms setup_ms solve_ms newton_iterations
# times: shown
array mean[panels]; array middle[panels]; array worst[panels]; array many[panels]; array passes[panels]
do for [p = 1:panels] {
    stats panel_file(p) using ($3 + $4 + $5):6 nooutput
    mean[p] = STATS_mean_x; middle[p] = STATS_median_x; worst[p] = STATS_max_x; many[p] = STATS_records; passes[p] = STATS_mean_y
}
outcome = "Time of a step, mean / median / most [ms], and iterations: "
do for [p = 1:panels] { outcome = outcome.sprintf("%s%s %.3f / %.3f / %.3g, %.1f (%d steps)", p > 1 ? "; " : "", panel_name(p), mean[p], middle[p], worst[p], passes[p], many[p]) }
if (panels == 2) { outcome = outcome.sprintf(".\nRatio of the means %.1f, of the medians %.1f", panel_name(1) eq "bilevel" ? mean[1] / mean[2] : mean[2] / mean[1], panel_name(1) eq "bilevel" ? middle[1] / middle[2] : middle[2] / middle[1]) }
outcome = outcome.(papers ? " (the paper: 30, its own code in Julia, without set-up's details).\n" : ".\n")
about = "The pentagon of the paper's fig. 6 falls from random places and comes to rest, h = 10 ms, rho = 1e-6, inner tolerance 1e-4: assembly, set-up and solve of each step, without detection. Ten starts of 2000 steps each, most of them at rest on a face.".(panels == 2 ? " Both methods share all of their code but the collision, so that the ratio is that of the formulations." : "")
brief = sprintf("Ten starts of 2000 steps, most of them at rest%s.", panels == 2 ? sprintf("; ratio of the means %.1f%s", panel_name(1) eq "bilevel" ? mean[1] / mean[2] : mean[2] / mean[1], papers ? " (paper: 30)" : "") : "")
entries = 0
rows = 1; tall = 110 * k; row_gap = 22
# 20 bins a decade, from 1 us on
slot(t) = (i_ = int(floor(20 * log10(t / 1e-3))) + 1, i_ < 1 ? 1 : i_ > 120 ? 120 : i_)
time_of(i) = 1e-3 * 10 ** ((i - 0.5) / 20.0)
array count[240]
do for [i = 1:240] { count[i] = 0 }
note(p, t) = (i_ = 120 * (p - 1) + slot(t), count[i_] = count[i_] + 1)
do for [p = 1:panels] { stats panel_file(p) using (note(p, $3 + $4 + $5)) nooutput }
set print $bins
do for [p = 1:panels] {
    do for [i = 1:120] { c_ = count[120 * (p - 1) + i]; print sprintf("%g\t%g", time_of(i), c_ > 0 ? c_ : 0.5) }
    print ""; print ""
}
unset print
@begin
set logscale xy; set format x "10^{%L}"; set format y "10^{%L}"; set ytics 10
x_name = "time of a step [ms]"
do for [p = 1:panels] {
    r = 1
    @place; @x_label
    y_name = "steps"; @y_label
    set xrange [1e-2:1e1]; set yrange [0.5:3e4]
    plot $bins index (p - 1) using 1:2 with histeps ls p lw 2 dt 1 notitle
}
unset multiplot
