# title: Methods on problem files: shares solved against products with N and time, and pairs by class
# any: runs on problem files: suites of the standard set, of FCLIB's files, of piles, of a plugin's methods
# apart: in full more than half an hour
# make: suite --standard full --method auto,interior-point --newton-iterations 2000 --relative-tolerance 1e-8 --repeat 0 --linear-history off --time-limit 1
# make: suite --standard full --method newton --linear-solver cholesky --finish exact --newton-iterations 2000 --relative-tolerance 1e-8 --repeat 0 --linear-history off --time-limit 1
# make: suite --standard full --method psor,pssor,nsgs,apgd,admm,fbf --record-every 5 --newton-iterations 20000 --relative-tolerance 1e-8 --repeat 0 --linear-history off --time-limit 1
# make: suite --standard full --method admm --preset kamino,pinocchio,siconos-scaled --record-every 5 --newton-iterations 20000 --relative-tolerance 1e-8 --repeat 0 --linear-history off --time-limit 1
# make: suite --standard full --method apgd --coupling followed --record-every 5 --newton-iterations 20000 --relative-tolerance 1e-8 --repeat 0 --linear-history off --time-limit 1
# quickmake: suite --standard small --method interior-point --newton-iterations 60 --relative-tolerance 1e-8 --repeat 0 --linear-history off --time-limit 0.05
# quickmake: suite --standard small --method nsgs,apgd,admm --record-every 5 --newton-iterations 100 --relative-tolerance 1e-8 --repeat 0 --linear-history off --time-limit 0.05
# rows: field
# times: shown
n_of = series_of(1)
# the others factor, or count no products
multiplies(s) = label_of(1, s) ne "auto" && label_of(1, s) ne "interior-point" && label_of(1, s) ne "newton" && label_of(1, s)[1:7] ne "siconos"
method_named(s) = spaced(label_of(1, s))
outcome = "Percentage of the problems solved to 1e-4, 1e-6, 1e-8 |q|:"
do for [s = 1:n_of] { outcome = outcome.sprintf("%s %s %.0f, %.0f, %.0f", s > 1 ? ";" : "", method_named(s), 100 * last_of(4, s, 2), 100 * last_of(5, s, 2), 100 * last_of(6, s, 2)) }
about = "Each run is from zero impulses to a natural map of 1e-8 |q|; its history gives the cost of each accuracy. A plugin's method needs a run for each accuracy. A run ends at its limits of time and iterations: what lies beyond is unknown, and counts as unsolved. Infeasible problems and refused runs are left out. Products are with N; fbf counts those of inner problems; auto, interior-point and newton factor instead. Cells: percentage of the problems, solved to 1e-8 by one of a pair, on which the row's method takes less time than the column's. Grey: the 95 % interval (Wilson 1927) holds one half. Pairs are shown since the order of a profile of many methods may mislead (Gould and Scott 2016)."
brief = "Shares end at the limits of time and iterations. Cells: percentage of problems on which the row takes less time. Grey: not decided at 95 %."
entries = n_of
do for [s = 1:entries] { entry[s] = method_named(s); entry_style[s] = s; entry_kind[s] = "l"; entry_shown[s] = 1 }
# the opponent by class: nsgs, or else the first
nsgs_ = index_of(1, "nsgs"); opponent = nsgs_ ? nsgs_ : 1
classes_ = panels - 7
plot_high = 84 * k; gap = 40 * k; cell_high = 11 * k; left_space = 82; low_space = 74 * k
pairs_top = 2 * (plot_high + gap) + 16 * k
class_top = pairs_top + cell_high * n_of + low_space + 6 * k
body = class_top + cell_high * (classes_ + 1) + low_space
@begin
third_ = page_width / 3.0
do for [p = 1:6] {
    left_ = 40 * k + third_ * ((p - 1) % 3)
    eval(spot(left_, head + 10 * k + (p > 3 ? plot_high + gap : 0), third_ - 46 * k, plot_high))
    set ytics 0.2 font small; set format y "%.1f"; set format x "10^{%L}"; set logscale x; set xtics 100; set yrange [-0.02:1.02]
    eval(panel_named(sprintf("to 1e-%d |q|", 2 + 2 * ((p - 1) % 3 + 1))))
    eval(x_named(p > 3 ? "time [s]" : "products with N"))
    if (p % 3 == 1) { set ylabel "share of problems" font small offset 1, 0 } else { unset ylabel }
    low = p <= 3 ? 1 : 1e-5; t_ = most_of(p, 0, 1); high = t_ > 10 * low && t_ < 1e30 ? t_ : 10 * low
    set xrange [low:1.3 * high]
    plot for [s = 1:n_of] panel_file(p) index (s - 1) using 1:(p > 3 || multiplies(s) ? $2 : NaN) with lines ls s notitle
}
unset grid; unset tics; unset border; unset key; unset logscale; unset ylabel; unset xlabel
set cbrange [0:1]; unset colorbox
shade(share, low, high) = low <= 0.5 && high >= 0.5 ? 0xe6e6e6 : share > 0.5 ? 0xa8d5f2 : 0xf5cba7
shown(x) = sprintf("%.0f", 100 * x)
number_font = sprintf(",%g", smaller(6.5, 0.3 * (page_width - (left_space + 6) * k) / n_of / k * 1.35) * k)
set xrange [0.5:n_of + 0.5]
eval(spot(left_space * k, head + pairs_top, page_width - (left_space + 6) * k, cell_high * n_of))
set yrange [n_of + 0.5:0.5]
unset label
eval(panel_named("less time than, all classes"))
do for [s = 1:n_of] {
    set label 100 + s method_named(s) at graph 0, first s right noenhanced font small offset -0.5, 0
    set label 200 + s method_named(s) at first s, graph 0 right rotate by 45 noenhanced font small offset 0, -0.5
}
plot for [s = 1:n_of] panel_file(7) index (s - 1) using ($0 + 1):(s):(0.46):(0.44):($1 > 0 ? shade($2, $3, $4) : 0xffffff) with boxxyerror fs solid noborder fc rgb variable notitle, \
     for [s = 1:n_of] panel_file(7) index (s - 1) using ($0 + 1):(s):($1 > 0 ? shown($2) : "") with labels font number_font noenhanced notitle
eval(spot(left_space * k, head + class_top, page_width - (left_space + 6) * k, cell_high * (classes_ + 1)))
set yrange [classes_ + 1.5:0.5]
unset label
eval(panel_named("less time than ".method_named(opponent).", by class"))
do for [c = 7:panels] { set label 100 + c panel_name(c) at graph 0, first (c - 6) right noenhanced font small offset -0.5, 0 }
do for [s = 1:n_of] { set label 200 + s method_named(s) at first s, graph 0 right rotate by 45 noenhanced font small offset 0, -0.5 }
plot for [c = 7:panels] for [s = 1:n_of] panel_file(c) index (s - 1) every ::(opponent - 1)::(opponent - 1) using (s):(c - 6):(0.46):(0.44):($1 > 0 ? shade($2, $3, $4) : 0xffffff) with boxxyerror fs solid noborder fc rgb variable notitle, \
     for [c = 7:panels] for [s = 1:n_of] panel_file(c) index (s - 1) every ::(opponent - 1)::(opponent - 1) using (s):(c - 6):($1 > 0 ? shown($2) : "") with labels font number_font noenhanced notitle
