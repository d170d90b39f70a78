# title: Time of a step of drops, by method (Le Cleac'h et al. 2023, fig. 11)
# run: drop --steps 2000 --method single-level,bilevel --method-option rho-unit=product --seed 1,2,3,4,5,6,7,8,9,10 --linear-history off --repeat 0
# quick: drop --steps 100 --method single-level,bilevel --method-option rho-unit=product --seed 1,2 --linear-history off --repeat 0
# select: scenario=drop method=single-level|bilevel steps=2000|100
# panel: method
# series: seed
# rows: step
# columns: step time assembly_ms setup_ms solve_ms newton_iterations
# times: shown
# number: mean=mean(assembly_ms + setup_ms + solve_ms)
# number: middle=median(assembly_ms + setup_ms + solve_ms)
# number: worst=most(assembly_ms + setup_ms + solve_ms)
# number: many=count(assembly_ms + setup_ms + solve_ms)
# number: passes=mean(newton_iterations)
mean(p) = number_of("mean", p, 0); middle(p) = number_of("middle", p, 0)
by_ = panel_name(1) eq "bilevel" ? 1 : 2
outcome = "Time of a step, mean / median / most [ms], and iterations: "
do for [p = 1:panels] { outcome = outcome.sprintf("%s%s %.3f / %.3f / %.3g, %.1f (%d steps)", p > 1 ? "; " : "", panel_name(p), mean(p), middle(p), number_of("worst", p, 0), number_of("passes", p, 0), number_of("many", p, 0)) }
if (panels == 2) { outcome = outcome.sprintf(".\nRatio of the means %.1f, of the medians %.1f", mean(by_) / mean(3 - by_), middle(by_) / middle(3 - by_)) }
outcome = outcome.(papers ? " (the paper: 30, its own code in Julia, without set-up's details).\n" : ".\n")
about = "The pentagon of the paper's fig. 6 falls from random places and comes to rest, h = 10 ms, rho = 1e-6, inner tolerance 1e-4: assembly, set-up and solve of each step, without detection. Ten starts of 2000 steps each, most of them at rest on a face.".(panels == 2 ? " Both methods share all of their code but the collision, so that the ratio is that of the formulations." : "")
brief = sprintf("Ten starts of 2000 steps, most of them at rest%s.", panels == 2 ? sprintf("; ratio of the means %.1f%s", mean(by_) / mean(3 - by_), papers ? " (paper: 30)" : "") : "")
entries = 0
rows = 1; tall = 110 * k; row_gap = 22
@begin
set logscale y; set format x "10^{%g}"; set xtics 1; set format y "10^{%L}"; set ytics 10
x_name = "time of a step [ms]"
do for [p = 1:panels] {
    @place; @x_label
    y_name = "steps"; @y_label
    set xrange [-2:1]; set yrange [0.5:3e4]
    plot panel_file(p) using (log10($3 + $4 + $5)) bins=120 binrange [-2.975:2.975] with boxes fs solid noborder lc rgb color_of(p) notitle # 20 bins per decade
}
