# title: Contacts that give way: error of the model and of the solver against beta
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-3 --sap-beta 1 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-4 --sap-beta 0.3162 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-5 --sap-beta 0.1 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-6 --sap-beta 0.03162 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-7 --sap-beta 0.01 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-8 --sap-beta 0.003162 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-9 --sap-beta 0.001 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-10 --sap-beta 0.0003162 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# run: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-11 --sap-beta 0.0001 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# quick: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-3 --sap-beta 1 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# quick: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-5 --sap-beta 0.1 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# quick: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-7 --sap-beta 0.01 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# quick: incline --set angle=0.2 --set mu=0.5 --set gap=0 --set mass=1 --set speed=0,1 --time-step 0.01 --steps 20 --contact-model sap --sap-sigma 1e-9 --sap-beta 0.001 --method sap,interior-point --precision f64,f32 --newton-iterations 60 --newton-tolerance 1e-15 --linear-history off --repeat 0
# select: scenario=incline scene.contact-model=sap time_step=0.01 steps=20
# panel: scenario+@speed
# series: precision+method+@sap-beta
# gathered: series
# rows: step
# columns: step natural_map_error max_penetration kinetic_energy
curves_ = 4
array names[curves_] = ["f64_sap", "f64_interior-point", "f32_sap", "f32_interior-point"]
# the standard value is in no label
beta_of(t) = (b_ = real(value_in(last_part(t))), b_ > 0 ? b_ : 1.0)
of_curve(p, s, c) = (t_ = label_of(p, s), t_ eq names[c] || before_last(t_) eq names[c])
rests(p) = number_in(panel_name(p), "speed") == 0
at_rest = rests(1) ? 1 : 2; slides = 3 - at_rest
seconds = 0.01
# NaN where the block at rest was not solved
held(s) = most_of(at_rest, s, 2) < 1e-3 ? 1 : NaN
sunk(s) = held(s) * last_of(at_rest, s, 3) / seconds
creep(s) = held(s) * sqrt(2 * last_of(at_rest, s, 4))
left(s) = most_of(slides, s, 2)
total(s) = (i_ = index_of(slides, label_of(at_rest, s)), sunk(s) + creep(s) + (i_ ? left(i_) : NaN))
n_of = series_of(at_rest)
outcome = "Penetration at rest over h + creep at rest + natural map of the block that slides, the least [m/s] and at which beta:"
array turn_[curves_]
do for [c = 1:curves_] {
    least_ = 1e300; turn_[c] = NaN
    do for [s = 1:n_of] { if (of_curve(at_rest, s, c) && total(s) < least_) { least_ = total(s); turn_[c] = beta_of(label_of(at_rest, s)) } }
    outcome = outcome.sprintf("%s %s %.1e at %g", c > 1 ? "," : "", spaced(names[c]), least_, turn_[c])
}
about = "A block on a slope of 0.2 rad that friction holds, and one that slides on it at 1 m/s and stops; h = 0.01 s, 20 steps. sigma = 1e-3 beta^2, so that penetration and creep of the model fall alike. The natural map is that of the model, the largest of all steps. A block at rest that was not solved to 1e-3 m/s has no point. Each method goes on until round-off, or 60 iterations per step."
brief = sprintf("The error grows again below beta = %g (f64) and %g (f32) of sap; interior-point does not divide by R.", turn_[1], turn_[3])
set print $points
do for [c = 1:curves_] {
    n_of = series_of(at_rest); key_of(s) = of_curve(at_rest, s, c) ? beta_of(label_of(at_rest, s)) : NaN
    point_of(s) = sprintf("%.9g\t%.9g\t%.9g", beta_of(label_of(at_rest, s)), sunk(s), creep(s))
    @print_curve
    n_of = series_of(slides); key_of(s) = of_curve(slides, s, c) ? beta_of(label_of(slides, s)) : NaN
    point_of(s) = sprintf("%.9g\t%.9g", beta_of(label_of(slides, s)), larger(left(s), 1e-17))
    @print_curve
}
unset print
entries = curves_
do for [c = 1:curves_] { entry[c] = spaced(names[c]); entry_style[c] = c; entry_kind[c] = "lp"; entry_shown[c] = 1 }
panels = 3; panel_names = "penetration/h,_at_rest creep,_at_rest natural_map,_sliding"; rows = 1; tall = 120 * k; least_wide = 100; row_gap = 22
@begin
do for [p = 1:panels] {
    @place
    low = 1e-16; high = 10
    @decade_ticks
    set logscale x; set format x "10^{%L}"; set xtics 10; set xrange [5e-5:2]
    eval(x_named("beta")); y_name = "error [m/s]"; @y_label
    plot for [c = 1:curves_] $points index (2 * (c - 1) + (p == 3)) using 1:(floored(column(p == 2 ? 3 : 2))) with linespoints ls c notitle
}
