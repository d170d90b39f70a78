# title: Creep of a block at rest against iterations per step: what methods smooth or leave
# run: incline --set angle=0.25 --set mu=0.3 --set speed=0.1 --set gap=0.001 --time-step 0.01 --steps 60 --linear-history off --repeat 0 --method smoothed --friction-tolerance 1e-2,1e-3,1e-4,1e-5,1e-6
# run: incline --set angle=0.25 --set mu=0.3 --set speed=0.1 --set gap=0.001 --time-step 0.01 --steps 60 --linear-history off --repeat 0 --method smoothed --friction-coupling lagged --friction-tolerance 1e-2,1e-3,1e-4,1e-5,1e-6
# run: incline --set angle=0.25 --set mu=0.3 --set speed=0.1 --set gap=0.001 --time-step 0.01 --steps 60 --linear-history off --repeat 0 --method single-level --method-option rho=1e-4,1e-5,1e-6,1e-8,1e-10
# run: incline --set angle=0.25 --set mu=0.3 --set speed=0.1 --set gap=0.001 --time-step 0.01 --steps 60 --linear-history off --repeat 0 --method newton,interior-point,psor,apgd --newton-iterations 1000 --newton-tolerance 1e-3,1e-4,1e-5,1e-7,1e-9
# quick: incline --set angle=0.25 --set mu=0.3 --set speed=0.1 --set gap=0.001 --time-step 0.01 --steps 60 --linear-history off --repeat 0 --method smoothed --friction-tolerance 1e-2,1e-4,1e-6
# quick: incline --set angle=0.25 --set mu=0.3 --set speed=0.1 --set gap=0.001 --time-step 0.01 --steps 60 --linear-history off --repeat 0 --method single-level --method-option rho=1e-4,1e-6,1e-8
# quick: incline --set angle=0.25 --set mu=0.3 --set speed=0.1 --set gap=0.001 --time-step 0.01 --steps 60 --linear-history off --repeat 0 --method psor --newton-iterations 1000 --newton-tolerance 1e-3,1e-5,1e-7
# select: scenario=incline time_step=0.01 steps=60
# panel: scenario
# series: method+@method.friction-coupling+@method.friction-tolerance+@method.rho+newton_tolerance
# gathered: series
# rows: step
# columns: step kinetic_energy newton_iterations
least = 1e-15
methods = "smoothed_implicit smoothed_lagged single-level newton interior-point psor apgd"
starts(t, with) = strstrt(t."_", with."_") == 1
array creep_[series_1]; array work_[series_1]; array label_[series_1]
do for [s = 1:series_1] {
    creep_[s] = sqrt(2 * last_of(1, s, 2)); work_[s] = sum_of(1, s, 3) / rows_of(1, s); label_[s] = label_of(1, s)
}
array names[7]; do for [c = 1:7] { names[c] = word(methods, c) }
n_of = series_1; key_of(s) = starts(label_[s], names[c]) ? -log10(larger(creep_[s], least)) : NaN
point_of(s) = sprintf("%.9g\t%.9g", work_[s], larger(creep_[s], least))
outcome = "Creep [m/s] and iterations per step:"
entries = 0
set print $points
do for [c = 1:7] {
    @print_curve
    if (ordered > 0) { outcome = outcome."\n".spaced(names[c]).":"; entries = entries + 1; entry[entries] = spaced(names[c]); entry_shown[entries] = 1; entry_kind[entries] = "lp"; entry_style[entries] = c }
    do for [i = 1:ordered] { s = order_of[i]; outcome = outcome.sprintf("%s %.2g %.2f", i > 1 ? "," : "", creep_[s], work_[s]) }
}
unset print
about = "A block slides down a slope that friction holds, stops after 0.24 s, and is at rest until 0.6 s. The creep is its speed then, from the kinetic energy. Along each curve: eps of smoothed, 1e-2 to 1e-6 m/s; rho of single-level, 1e-4 to 1e-10; the tolerance of the others, 1e-3 to 1e-9 m/s. Iterations are means over all steps, and what one costs differs by method: a factorization (smoothed, single-level, interior-point), linear iterations (newton), a sweep or a gradient (psor, apgd)."
brief = "Speed at rest after 60 steps against iterations per step; along a curve eps, rho or the tolerance falls."
tall = 150 * k; panel_title = 3
@begin
p = 1
@place
set logscale xy; set xrange [0.5:*]; set yrange [0.3 * least:0.1]; set format "10^{%L}"; set ytics 1e3; set xtics ("1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200)
eval(x_named("iterations per step")); eval(y_named("creep [m/s]"))
plot NaN notitle, for [c = 1:7] $points index (c - 1) using 1:2 with linespoints ls c notitle
