# title: How high a hollow ball bounces, by integrator, time step and pressure (Larionov et al. 2023, fig. 10)
# run: tennis-ball --set frequency=2 --set speed=7.06 --set way=0.06 --set pressure=0,1 --settle 10 --settle-tolerance 1e-4 --method smoothed --integrator be,bdf2,sdirk2 --contact-stiffness 1e5 --rayleigh-stiffness 0,1e-4 --time-step 0.0005 --steps 30 --store-states 1 --linear-history off --repeat 0
# run: tennis-ball --set frequency=2 --set speed=7.06 --set way=0.06 --set pressure=0,1 --settle 25 --settle-tolerance 1e-4 --method smoothed --integrator be,bdf2,sdirk2 --contact-stiffness 1e5 --rayleigh-stiffness 0,1e-4 --time-step 0.0002 --steps 75 --store-states 2 --linear-history off --repeat 0
# run: tennis-ball --set frequency=2 --set speed=7.06 --set way=0.06 --set pressure=0,1 --settle 50 --settle-tolerance 1e-4 --method smoothed --integrator be,bdf2,sdirk2 --contact-stiffness 1e5 --rayleigh-stiffness 0,1e-4 --time-step 0.0001 --steps 150 --store-states 4 --linear-history off --repeat 0
# quick: tennis-ball --set frequency=1 --set speed=7.06 --set way=0.06 --set pressure=0,1 --settle 10 --settle-tolerance 1e-4 --method smoothed --integrator be,bdf2,sdirk2 --contact-stiffness 1e5 --rayleigh-stiffness 0,1e-4 --time-step 0.0005 --steps 30 --store-states 1 --linear-history off --repeat 0
# select: scenario=tennis-ball method=smoothed time_step=0.0005|0.0002|0.0001 steps=30|75|150
# panel: @pressure+@method.rayleigh-stiffness
# series: @integrator+time_step
# gathered: series
# rows: scene
# number: end=last(time_s)
# number: late_start=first(time_s where time_s > 0.875 * end)
# number: late_x=first(middle_x_m where time_s > 0.875 * end)
# number: end_x=last(middle_x_m)
speed = 7.06
panel_text(p) = sprintf("%s atm, %s", value_in(first_part(word(panel_names, p))), real(value_in(last_part(word(panel_names, p)))) > 0 ? "damped" : "undamped")
# the speed of the centre of mass over the last eighth of the time; its square over that of the drop is how high the ball comes
array name_[series_1]; array h_[series_1]; array bounce_[series_1]
array names[3] = ["be", "bdf2", "sdirk2"]
n_of = series_1; key_of(s) = name_[s] eq names[c] ? h_[s] : NaN
point_of(s) = sprintf("%.9g\t%.9g", h_[s], bounce_[s])
outcome = "Height of the bounce over that of the drop, from the largest time step to the smallest:"
set print $points
do for [p = 1:panels] {
    outcome = outcome."\n".panel_text(p).":"
    do for [s = 1:series_1] {
        name_[s] = first_part(label_of(1, s)); h_[s] = real(last_part(label_of(1, s)))
        way_ = number_of("end_x", p, s) - number_of("late_x", p, s)
        bounce_[s] = way_ > 0 ? (way_ / (number_of("end", p, s) - number_of("late_start", p, s)) / speed)**2 : NaN
    }
    do for [c = 1:3] {
        @print_curve
        if (ordered > 0) { outcome = outcome.(c > 1 ? ";" : "")." ".names[c] }
        do for [i = 1:ordered] { s = order_of[ordered + 1 - i]; outcome = outcome.sprintf("%s %s", i > 1 ? "," : "", number("%.3f", bounce_[s])) }
    }
}
unset print
outcome = outcome."."
if (papers) { outcome = outcome." Larionov et al. (2023) has a picture: the pressurized ball bounces higher, and be and bdf2 bounce much lower than sdirk2 at all time steps." }
about = "A hollow ball of 33 mm hits a plane with 7.06 m/s, which a drop from 2.54 m has, after 5 ms in which backward Euler lets it take the shape of its pressure. Height: the square of the center of mass's speed after the bounce over that before. Damped: forces of 1e-4 s times the stiffness. Mesh of 480 tetrahedra, skin of 6.6 mm: ours. Contacts have a stiffness of 1e5 N/m from the start; where it grows at the impact, the ball gains energy."
brief = "Bounce over the drop, by time step, gauge pressure and damping (1e-4 s times stiffness).".(papers ? " Paper: a picture." : "")
entries = 0
do for [c = 1:3] { entries = entries + 1; entry[entries] = names[c]; entry_shown[entries] = 1; entry_kind[entries] = "lp"; entry_style[entries] = c }
panel_name(p) = panel_text(p)
tall = 105 * k; panel_title = 13; least_wide = 80
@begin
do for [p = 1:panels] {
    @place
    set logscale x; set xrange [0.00008:0.0006]; set xtics ("0.1" 0.0001, "0.2" 0.0002, "0.5" 0.0005); set yrange [0:1]
    x_name = "time step [ms]"; @x_label
    y_name = "bounce over drop"; @y_label
    plot for [c = 1:3] $points index (3 * (p - 1) + c - 1) using 1:2 with linespoints ls c notitle
}
