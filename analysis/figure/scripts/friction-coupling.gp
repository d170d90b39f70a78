# title: A block that friction holds: slip by time step, with friction of the step's start and of its end
# run: load-ramp --method smoothed --friction-coupling implicit,lagged,extrapolated --time-step 0.02634,0.03688,0.05005,0.05163,0.05373,0.06322,0.07902,0.10536,0.15804 --steps 20 --linear-history off --repeat 0
# run: load-ramp --method newton,psor,interior-point,single-level --time-step 0.02634,0.03688,0.05005,0.05163,0.05373,0.06322,0.07902,0.10536,0.15804 --steps 20 --linear-history off --repeat 0
# quick: load-ramp --method smoothed --friction-coupling implicit,lagged --time-step 0.03688,0.05163,0.05373,0.10536 --steps 20 --linear-history off --repeat 0
# select: scenario=load-ramp steps=20
# panel: scenario
# series: method+@method.friction-coupling+time_step
# gathered: series
# rows: step
# columns: step kinetic_energy newton_iterations
growth_time = 0.5; share = 0.9; eps = 1e-3; least = 1e-3
bound = growth_time * log(1 / share)
# the speed after the last step, and Newton iterations per step
array h_[series_1]; array speed_[series_1]; array work_[series_1]; array name_[series_1]; array curve[16]
curves_ = 0
do for [s = 1:series_1] {
    h_[s] = real(last_part(label_of(1, s))); speed_[s] = sqrt(2 * last_of(1, s, 2)); work_[s] = sum_of(1, s, 3) / rows_of(1, s); name_[s] = before_last(label_of(1, s))
    known_ = 0
    do for [c = 1:curves_] { if (curve[c] eq name_[s]) { known_ = 1 } }
    if (!known_) { curves_ = curves_ + 1; curve[curves_] = name_[s] }
}
n_of = series_1; key_of(s) = name_[s] eq curve[c] ? h_[s] : NaN
point_of(s) = sprintf("%.9g\t%.9g", h_[s] / bound, speed_[s] / eps)
outcome = sprintf("The largest time step with no more than 2 eps after 20 steps, over tau ln(1/r) = %.5f s, and the least with more; Newton iterations per step at these:", bound)
set print $points
do for [c = 1:curves_] {
    @print_curve
    holds_ = 0; slips_ = 0
    do for [i = 1:ordered] {
        s = order_of[i]
        if (!slips_ && speed_[s] <= 2 * eps) { holds_ = s }
        if (!slips_ && speed_[s] > 2 * eps) { slips_ = s }
    }
    outcome = outcome.(c > 1 ? ";" : "").sprintf(" %s %s, %s; %s, %s", spaced(curve[c]), holds_ ? sprintf("%.2f", h_[holds_] / bound) : "-", slips_ ? sprintf("%.2f", h_[slips_] / bound) : "-", holds_ ? sprintf("%.3g", work_[holds_]) : "-", slips_ ? sprintf("%.3g", work_[slips_]) : "-")
}
unset print
outcome = outcome."."
about = "A block under a load that grows as e^(t/tau), tau = 0.5 s, and a pull of 0.9 of what friction holds. The speed is from the kinetic energy after 20 steps, over the friction tolerance eps = 1e-3 m/s, and at least 1e-3. Friction of the normal force at the step's start (lagged) holds up to h = tau ln(1/r), the gray line. Methods have the iterations that they have by default, which do not solve all steps of newton to 1e-6 m/s."
brief = sprintf("The load of a block grows, and 0.9 of its friction pulls it. Gray: bound of lagged friction, h = %.4f s.", bound)
entries = 0
do for [c = 1:curves_] { entries = entries + 1; entry[entries] = spaced(curve[c]); entry_shown[entries] = 1; entry_kind[entries] = "lp"; entry_style[entries] = c }
tall = 150 * k; panel_title = 3
@begin
p = 1
@place
set logscale xy; set xrange [0.4:4]; set yrange [0.5 * least:1e6]; set format y "10^{%L}"; set ytics 100; set xtics ("0.5" 0.5, "1" 1, "2" 2, "3" 3)
eval(x_named("time step over the bound of lagged friction")); eval(y_named("speed over the friction tolerance"))
set arrow 1 from 1, graph 0 to 1, graph 1 nohead ls 17
plot for [c = 1:curves_] $points index (c - 1) using 1:($2 > least ? $2 : least) with linespoints ls c notitle
