# title: Both methods on every scene to the same natural map: time of a step
# run: arch,heavy-stack,beam,wall --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --linear-solver cholesky,pcr
# run: incline --set angle=0.25,0.5 --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --linear-solver cholesky,pcr
# run: piling --set shape=table,box,sphere --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --linear-solver cholesky,pcr
# run: arch,heavy-stack,beam,wall --method interior-point --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --preconditioner lu --linear-solver klu,gmres
# run: incline --set angle=0.25,0.5 --method interior-point --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --preconditioner lu --linear-solver klu,gmres
# run: piling --set shape=table,box,sphere --method interior-point --settle 30 --steps 5 --newton-tolerance 1e-8 --newton-iterations 200 --linear-iterations 100 --linear-history off --preconditioner lu --linear-solver klu,gmres
# quick: arch,heavy-stack,beam,incline --settle 10 --steps 2 --newton-tolerance 1e-8 --newton-iterations 100 --linear-iterations 100 --linear-history off --linear-solver cholesky,pcr
# quick: arch,heavy-stack,beam,incline --method interior-point --settle 10 --steps 2 --newton-tolerance 1e-8 --newton-iterations 100 --linear-iterations 100 --linear-history off --preconditioner lu --linear-solver klu,gmres
# select: newton_tolerance=1e-08 linear_iterations=100 linear_solver=cholesky|pcr|klu|gmres
# panel: scenario+@shape+@angle
# series: method+linear_solver
# data: reach
row = 130
plot_height = rows_height(2, row) + 80 + 17 * panels
axis_height = 20
short(t) = t[1:1] eq "n" ? "newton ".t[8:] : "interior p. ".t[16:]
of(c) = c == 1 ? 4 : 9 # columns to each accuracy
all(p, s, k) = last_of(p, s, k) == last_of(p, s, 1)
part(p, s, k) = number(k % 5 == 3 ? "%.3g" : "%.0f", last_of(p, s, k))
cell(p, s) = last_of(p, s, 1) != last_of(p, s, 1) ? "-" : all(p, s, 9) ? part(p, s, 10)." / ".part(p, s, 11)." / ".part(p, s, 12)." / ".part(p, s, 13) : sprintf("%d of %d, %.0e", last_of(p, s, 9), last_of(p, s, 1), last_of(p, s, 3))
outcome = "Table, to 1e-8 m/s: iterations / factorisations / linear iterations / ms, a step; or how many of the steps came there, and the largest natural map at their ends [m/s]."
caption = "Counts are means over the steps, times medians, with what is done once a step. Crosses: not all steps came there. A run goes on from its own solutions: where all converge, states agree.\n".caption
@begin
set logscale y; set format y "10^{%L}"
unset key
least = 1e9; most = 1e-9
do for [p = 1:panels] { do for [s = 1:series_of(p)] { do for [c = 1:2] {
    ms = last_of(p, s, of(c) + 4)
    if (ms > 0) { least = smaller(least, ms); most = larger(most, ms) }
} } }
top = 10**ceil(log10(most) + 0.6)
set yrange [10**floor(log10(least)):top]
set xrange [0.5:panels + 0.5]
set xtics (spaced(panel_name(1)) 1) font ",9" scale 0
do for [p = 2:panels] { set xtics add (spaced(panel_name(p)) p) }
set lmargin at screen 0.085; set rmargin at screen 0.97
do for [c = 1:2] {
    set tmargin at screen row_top(c, row); set bmargin at screen row_bottom(c, row)
    set ylabel sprintf("ms a step to 1e-%d m/s", 4 + 2 * c) font ",9.5" offset 1, 0
    set print $points
    do for [s = 1:series_of(1)] {
        do for [p = 1:panels] { print sprintf("%g\t%g\t%g", p + 0.12 * (s - 0.5 * (series_of(1) + 1)), all(p, s, of(c)) ? last_of(p, s, of(c) + 4) : NaN, all(p, s, of(c)) || last_of(p, s, 1) != last_of(p, s, 1) ? NaN : top / 2) }
        print ""; print ""
    }
    set print
    plot for [s = 1:series_of(1)] $points index (s - 1) using 1:2 with points ls s ps 1.1, for [s = 1:series_of(1)] $points index (s - 1) using 1:3 with points ls s pt 2
    eval(unframe)
}
do for [s = 0:series_of(1)] { do for [p = 0:panels] {
    tag = 200 + 10 * p + s
    entry = s == 0 ? (p ? spaced(panel_name(p)) : "") : p == 0 ? short(label_of(1, s)) : cell(p, s)
    set label tag entry at screen (s == 0 ? 0.02 : 0.21 * s - 0.06), screen from_top(100 + down + 2 * (row + 36) + 17 * p) noenhanced font ",9"
} }
@legend
plot for [s = 1:series_of(1)] NaN with points ls s ps 1.1 title short(label_of(1, s))
unset multiplot
