# title: Where and when a block stops that slides down a slope, by time step (Larionov et al. 2023, fig. 4)
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,tr,decoupled-tr,bdf2,sdirk2 --friction-coupling implicit,lagged,extrapolated --time-step 0.1 --steps 500 --linear-history off --repeat 0
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,tr,decoupled-tr,bdf2,sdirk2 --friction-coupling implicit,lagged,extrapolated --time-step 0.05 --steps 1000 --linear-history off --repeat 0
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,tr,decoupled-tr,bdf2,sdirk2 --friction-coupling implicit,lagged,extrapolated --time-step 0.02 --steps 2500 --linear-history off --repeat 0
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,tr,decoupled-tr,bdf2,sdirk2 --friction-coupling implicit,lagged,extrapolated --time-step 0.01 --steps 5000 --linear-history off --repeat 0
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,tr,decoupled-tr,bdf2,sdirk2 --friction-coupling lagged --friction-iterations 20 --lag-tolerance 1e-6 --time-step 0.1 --steps 500 --linear-history off --repeat 0
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,tr,decoupled-tr,bdf2,sdirk2 --friction-coupling lagged --friction-iterations 20 --lag-tolerance 1e-6 --time-step 0.05 --steps 1000 --linear-history off --repeat 0
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,tr,decoupled-tr,bdf2,sdirk2 --friction-coupling lagged --friction-iterations 20 --lag-tolerance 1e-6 --time-step 0.02 --steps 2500 --linear-history off --repeat 0
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,tr,decoupled-tr,bdf2,sdirk2 --friction-coupling lagged --friction-iterations 20 --lag-tolerance 1e-6 --time-step 0.01 --steps 5000 --linear-history off --repeat 0
# quick: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,sdirk2 --friction-coupling implicit,lagged,extrapolated --time-step 0.1 --steps 500 --linear-history off --repeat 0
# quick: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,sdirk2 --friction-coupling implicit,lagged,extrapolated --time-step 0.05 --steps 1000 --linear-history off --repeat 0
# quick: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,sdirk2 --friction-coupling lagged --friction-iterations 20 --lag-tolerance 1e-6 --time-step 0.1 --steps 500 --linear-history off --repeat 0
# quick: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --method smoothed --integrator be,sdirk2 --friction-coupling lagged --friction-iterations 20 --lag-tolerance 1e-6 --time-step 0.05 --steps 1000 --linear-history off --repeat 0
# select: scenario=incline method=smoothed steps=500|1000|2500|5000
# panel: @integrator
# series: @method.friction-coupling+@method.friction-iterations+time_step
# gathered: series
# rows: step
# columns: step time kinetic_energy
# number: stopped=first(time where 2 * kinetic_energy <= 1e-6 and time >= 0.5)
# number: speeds=sum(sqrt(2 * kinetic_energy) where time <= stopped)
# number: last_speed=last(sqrt(2 * kinetic_energy) where time <= stopped)
speed = 0.1; exact_way = 0.768992; exact_time = 15.37985
coupling_of(t) = t[1:strstrt(t, "_") - 1].(strstrt(t, "=1_") ? "" : ", passes")
# where and when it is no faster than eps, the way as the sum of speeds: of a step's end with be, else of both ends
array time_[series_1]; array way_[series_1]; array coupling_[series_1]; array h_[series_1]
array names[4] = ["implicit", "lagged", "lagged, passes", "extrapolated"]
n_of = series_1; key_of(s) = coupling_[s] eq names[c] ? h_[s] : NaN
point_of(s) = sprintf("%.9g\t%.9g\t%.9g", h_[s], way_[s], time_[s])
outcome = "Way [m] and time [s] until it is no faster than eps, from the largest time step to the smallest:"
set print $points
do for [p = 1:panels] {
    outcome = outcome."\n".panel_name(p).":"
    do for [s = 1:series_1] {
        coupling_[s] = coupling_of(label_of(1, s)); h_[s] = real(last_part(label_of(1, s)))
        way_[s] = h_[s] * (number_of("speeds", p, s) + (panel_name(p) eq "be" ? 0 : 0.5 * (speed - number_of("last_speed", p, s))))
        time_[s] = number_of("stopped", p, s)
    }
    do for [c = 1:4] {
        @print_curve
        if (ordered > 0) { outcome = outcome.(c > 1 ? ";" : "")." ".names[c] }
        do for [i = 1:ordered] { s = order_of[ordered + 1 - i]; outcome = outcome.sprintf("%s %s %s", i > 1 ? "," : "", number("%.4f", way_[s]), number("%.2f", time_[s])) }
    }
}
unset print
outcome = outcome."\nExact, without smoothing: 0.7690 m, 15.38 s; with it 0.7689 m and 15.23 s to eps."
if (papers) { outcome = outcome." Larionov et al. (2023) has curves: implicit friction stops the block at every time step, lagged friction does not, and does not come nearer with smaller steps or more passes." }
about = "A block slides down a slope of 10 degrees with mu = 0.177 from 0.1 m/s, and starts at the gap where contacts begin to push. The way is the sum of speeds from the kinetic energy. Passes: lagged friction again and again within a step, until normal forces change by less than 1e-6 of the largest. A point is missing where the block is faster than eps for 50 s; with tr contacts bounce, and speeds are those of the bounces, too. eps = delta = 1e-3 are ours. The gray line is exact."
brief = "A block on a slope of 10°, from a gap; gray: exact".(papers ? " (0.769 m, 15.38 s, as in the paper)." : ".")
entries = 0
do for [c = 1:4] { entries = entries + 1; entry[entries] = names[c]; entry_shown[entries] = 1; entry_kind[entries] = "lp"; entry_style[entries] = c }
rows = 2; tall = 95 * k; row_gap = 22; least_wide = 90
array quantity[2] = ["way [m]", "time to stop [s]"]
array exact[2] = [exact_way, exact_time]
array low_[2] = [0.5, 10]; array high_[2] = [8, 50]
@begin
set logscale xy; set ytics ("0.5" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "10" 10, "15" 15, "20" 20, "30" 30, "50" 50); set xrange [0.008:0.125]; set xtics ("0.01" 0.01, "0.02" 0.02, "0.05" 0.05, "0.1" 0.1)
do for [p = 1:panels] {
    do for [r = 1:rows] {
        @place
        x_name = "time step [s]"; @x_label
        y_name = quantity[r]; @y_label
        set yrange [low_[r]:high_[r]]
        plot exact[r] with lines ls 17 notitle, for [c = 1:4] $points index (4 * (p - 1) + c - 1) using 1:(column(r + 1)) with linespoints ls c notitle
    }
}
