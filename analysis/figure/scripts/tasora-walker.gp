# title: A walker with 37 parts and 12 motors (Tasora, Anitescu 2009)
# run: walker --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 50 --newton-tolerance 0 --record-every 50 --warm-start on --store-states 20 --linear-history off
# quick: walker --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 50 --newton-tolerance 0 --record-every 50 --warm-start on --steps 80 --store-states 20 --linear-history off
# select: scenario=walker geometry=frozen method=psor
# panel: scenario
# series: method+newton_iterations
# rows: step
# columns: step time step_ms infeasibility natural_map_error kinetic_energy
# times: shown
# number: middle=median(step_ms)
n = rows_of(1, 1)
deepest = larger(0, most_of(1, 1, 4))
middle = number_of("middle", 1, 1)
outcome = sprintf("Median of a step %.3g ms; largest penetration or joint error %.2g m in %d steps.", middle, deepest, n).(papers ? " Tasora and Anitescu (2009): about 1 ms, on a laptop of 2 GHz, with 50 iterations.\n" : "\n")
about = "Six legs, of which three step at a time; 50 sweeps of psor a step from the impulses of the step before, h = 0.01 s, friction 0.6, K = 1. Measures and gait are ours."
brief = sprintf("A step takes %.2g ms (median)", middle).(papers ? " (paper: about 1 ms)." : ".")
between = 46
entries = 0; panels = 2; tall = 110 * k; panel_title = 3
@begin
x_name = "time [s]"; r = 1
p = 1
@place
eval(x_named("time [s]")); eval(y_named("ms per step")); set yrange [0:4 * middle]
plot panel_file(1) index 0 using 2:3 with lines ls 1 notitle
p = 2
@place
eval(x_named("time [s]")); name_902 = "I(q) [m]"; set label 902 name_902 at screen from_left(x_of(2) - 34 * k), graph 0.5 center rotate by 90 noenhanced font normal
set yrange [*:*]; set logscale y; set format y "10^{%L}"
plot panel_file(1) index 0 using 2:4 with lines ls 1 notitle
