# title: A block that lands at 3 m/s along and 2 m/s into the ground, by law of friction
# run: incline --set angle=0 --set speed=3 --set landing-speed=1.918577 --set mu=0.2,0.5,1 --friction-law coulomb,relaxed --method interior-point --newton-tolerance 1e-10 --steps 60 --linear-history off
# run: incline --set angle=0 --set speed=3 --set landing-speed=1.918577 --set mu=0.2,0.5,1 --friction-law polyhedral,polyhedral-relaxed --facets 3,8 --method lemke --newton-tolerance 1e-10 --steps 60 --linear-history off
# quick: incline --set angle=0 --set speed=3 --set landing-speed=1.918577 --set mu=0.5 --friction-law coulomb,relaxed --method interior-point --newton-tolerance 1e-10 --steps 60 --linear-history off
# quick: incline --set angle=0 --set speed=3 --set landing-speed=1.918577 --set mu=0.5 --friction-law polyhedral,polyhedral-relaxed --facets 3,8 --method lemke --newton-tolerance 1e-10 --steps 60 --linear-history off
# select: scenario=incline time_step=0.0083 newton_tolerance=1e-10
# panel: @mu
# series: method+@friction-law+@facets
# rows: step
# columns: step time kinetic_energy potential_energy natural_map_error
g = 9.81; h = 0.0083; along = 3.0; into = 1.918577 + h * g # a step's gravity belongs to what the law sees
# "lemke polyhedral facets=3": the law without the method, the facets of polygons alone
law_of(t) = (i_ = strstrt(t, "_"), t_ = i_ ? spaced(t[i_ + 1:]) : "Coulomb", j_ = strstrt(t_, " facets="), !j_ ? t_ : strstrt(t_, "polyhedral") ? t_[1:j_].t_[j_ + 8:]." facets" : t_[1:j_ - 1])
mu_of(p) = (t_ = panel_name(p), i_ = strstrt(t_, "="), real(i_ ? t_[i_ + 1:] : t_))
# of a step, by its energies and the height before it: a block of 1 kg, which does not turn
lift_of(ep, before) = (ep - before) / (g * h)
along_of(ek, v) = (s_ = 2 * ek - v * v, s_ > 0 ? sqrt(s_) : 0)
rest = 0.05 * g # potential energy on the ground
clean(x) = abs(x) < 1e-12 ? 0 : x
array landed[panels * 16]; array lifted[panels * 16]
do for [p = 1:panels] { do for [s = 1:series_of(p)] {
    v_ = lift_of(first_of_column(p, s, 4), rest); lifted[16 * (p - 1) + s] = clean(v_); landed[16 * (p - 1) + s] = along_of(first_of_column(p, s, 3), v_)
} }
outcome = "Speeds along and out of the ground after landing [m/s], by law:\n"
do for [p = 1:panels] {
    outcome = outcome.sprintf("mu = %g: ", mu_of(p))
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s (%.4g, %.4g)", s > 1 ? ", " : "", law_of(label_of(p, s)), landed[16 * (p - 1) + s], lifted[16 * (p - 1) + s]) }
    m_ = mu_of(p); t_ = (along - m_ * into) / (1 + m_ * m_)
    outcome = outcome.sprintf("; in closed form Coulomb (%.4g, 0), relaxed (%.4g, %.4g).\n", along - m_ * into, t_, m_ * t_)
}
about = "A block of 1 kg, 1 m long and 0.1 m high, lands flat; h = 8.3 ms, implicit steps, solved to 1e-10 m/s: by interior-point, with facets by lemke. Of the polygon's corners none need be in the direction of the slip. Gravity's speed of a step is part of the 2 m/s."
brief = "A block of 1 kg lands flat, with 2 m/s down (gravity of the step included); solved to 1e-10 m/s."
do for [s = 1:entries] { entry[s] = law_of(label_of(1, s)) }
rows = 2; tall = 80 * k; row_gap = 19
@begin
set xtics 0.1; set yrange [0:*]
x_name = "time [s]"
do for [p = 1:panels] {
    @place; @x_label
    y_name = "height [mm]"; @y_label; set yrange [-1:*]
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 2:(1e3 * ($4 / g - 0.05)) with lines ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using 2:(1e3 * ($4 / g - 0.05)) with points ls s notitle
    r = 2
    @place; @x_label
    y_name = "speed along [m/s]"; @y_label; set yrange [0:*]
    plot for [s = 1:series_of(p)] before_ = rest panel_file(p) index (s - 1) using 2:(v_ = lift_of($4, before_), before_ = $4, along_of($3, v_)) with lines ls s notitle
}
