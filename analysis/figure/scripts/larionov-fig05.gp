# title: How far blocks slide down a shaken bowl, by time step and friction (Larionov et al. 2023, fig. 5)
# run: bowl --method smoothed --friction-coupling implicit,lagged --time-step 0.01 --steps 200 --store-states 1 --linear-history off --repeat 0
# run: bowl --method smoothed --friction-coupling implicit,lagged --time-step 0.005 --steps 400 --store-states 2 --linear-history off --repeat 0
# run: bowl --method smoothed --friction-coupling implicit,lagged --time-step 0.0025 --steps 800 --store-states 4 --linear-history off --repeat 0
# run: bowl --method smoothed --friction-coupling implicit,lagged --time-step 0.00125 --steps 1600 --store-states 8 --linear-history off --repeat 0
# run: bowl --method smoothed --friction-coupling lagged --friction-iterations 20 --lag-tolerance 1e-6 --time-step 0.01 --steps 200 --store-states 1 --linear-history off --repeat 0
# run: bowl --method smoothed --friction-coupling lagged --friction-iterations 20 --lag-tolerance 1e-6 --time-step 0.005 --steps 400 --store-states 2 --linear-history off --repeat 0
# quick: bowl --method smoothed --friction-coupling implicit,lagged --time-step 0.01 --steps 100 --store-states 2 --linear-history off --repeat 0
# quick: bowl --method smoothed --friction-coupling implicit,lagged --time-step 0.005 --steps 200 --store-states 4 --linear-history off --repeat 0
# select: scenario=bowl method=smoothed steps=100|200|400|800|1600
# panel: @method.friction-coupling+@method.friction-iterations
# series: time_step
# rows: scene
# number: end_s=last(time_s)
# number: end_z=last(middle_z_m)
gravity = 9.81; shake = 0.5; frequency = 8 * pi; slope = atan(0.98 * 0.65); least = 0.01; creep = 1e-3 * (1 - sqrt(1 - 0.98))
coupling_of(t) = (i_ = strstrt(t, "_"), i_ ? t[1:i_ - 1].(t[strlen(t) - 1:] eq "=1" ? "" : ", passes") : t)
# the blocks' way down the walls: how much the bowl, whose motion is known, has gained on their centre since the first state [mm]
lifted(t) = shake * gravity / frequency**2 * sin(frequency * t)
begun(p, s) = lifted(first_of_column(p, s, 1)) - first_of_column(p, s, 12)
way(p, s, t, z) = 1000 * (lifted(t) - z - begun(p, s)) / sin(slope)
outcome = sprintf("Displacement in the end; creep of eps (1 - sqrt(1 - r)) = %.3g mm/s:", 1000 * creep)
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? ";" : "")." ".coupling_of(panel_name(p))
    do for [s = 1:series_of(p)] {
        if (begun(p, s) == begun(p, s)) { outcome = outcome.sprintf("%s %.3g mm with h = %s s", s > 1 ? "," : "", way(p, s, number_of("end_s", p, s), number_of("end_z", p, s)), label_of(p, s)) }
    }
}
outcome = outcome.".".(papers ? " Larionov et al. (2023): the bowl slips out after 35, 40 and 100 of 150 frames with lagged friction and h = 5, 2.5, 1.25 ms; implicit friction holds it with each." : "")
about = "Three blocks on the walls of a bowl that is shaken by half of gravity, 4 times per second. tan of the slope is 0.98 mu, mu = 0.65. Way down the walls since the first state, at least 0.01 mm, with what the springs of contacts sink. It stands for the paper's bowl, which three soft pads lift: here the bowl and the blocks are rigid. eps = delta = 1e-3. Passes: lagged friction until normal forces change by less than 1e-6 of the largest."
brief = "Way of blocks down the walls of a shaken bowl, by time step h.".(papers ? " In the paper three pads lift a bowl, which lagged friction drops." : "")
do for [s = 1:entries] { entry[s] = "h = ".label_of(1, s)." s"; entry_kind[s] = "l" }
tall = 120 * k; panel_title = 13
@begin
do for [p = 1:panels] {
    @place
    eval(panel_named(coupling_of(panel_name(p))))
    set logscale y; set yrange [least:100]; set xrange [0:*]
    x_name = "time [s]"; @x_label
    y_name = "way down the wall [mm]"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(larger(way(p, s, $1, $12), least)) with lines ls s notitle
}
