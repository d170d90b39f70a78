# title: Two blocks that stand on each other: where the methods have the contact forces, and where they are
# run: blocks --set offset=0.2,0.4,0.8 --steps 45 --method newton,interior-point,psor --newton-tolerance 1e-10 --newton-iterations 1000 --linear-history off
# run: blocks --set offset=0.2,0.4,0.8 --steps 45 --method single-level --method-option rho=1e-8 --linear-history off
# quick: blocks --set offset=0.4 --steps 12 --method newton,interior-point,psor --newton-tolerance 1e-10 --newton-iterations 1000 --linear-history off
# quick: blocks --set offset=0.4 --steps 12 --method single-level --method-option rho=1e-8 --linear-history off
# select: scenario=blocks method=newton|interior-point|psor|single-level steps=45|12
# panel: @offset
# series: method
# rows: forces
# number: points=count(force_n where low_body == 1 and high_body == 2)
# number: total=sum(force_n where low_body == 1 and high_body == 2)
# number: moment=sum(x_m * force_n where low_body == 1 and high_body == 2)
half = 0.25; weight = 9.81
offset_of(p) = (t_ = panel_name(p), i_ = strstrt(t_, "="), real(i_ ? t_[i_ + 1:] : t_))
exact(p) = offset_of(p) * half # under the upper block's centre of mass
points(p, s) = number_of("points", p, s); total(p, s) = number_of("total", p, s)
middle(p, s) = number_of("moment", p, s) / total(p, s)
outcome = "Forces between the two blocks: points, sum over the weight less one, center of pressure off the exact one [m]:\n"
do for [p = 1:panels] {
    outcome = outcome.panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s %d, %.0e, %.0e", s > 1 ? "; " : "", label_of(p, s), points(p, s), total(p, s) / weight - 1, middle(p, s) - exact(p)) }
    outcome = outcome.(p < panels ? ".\n" : ".")
}
wide_of(s) = s == 1 ? 4 : s == 2 ? 2.5 : 1.2 # circles that lie on each other are seen
do for [s = 1:entries] {
    entry_shown[s] = sum [p = 1:panels] points(p, s); entry_kind[s] = "p"; entry_style[s] = 18 + s
    set style line 18 + s lc rgb color_of(s) lw (s < 3 ? 3 - s : 1) pt 6 ps 0.8
}
about = "Cubes of 0.5 m and 1 kg at rest, the final step; seen from above: the lower block's face (gray) and the upper one's. Areas of the circles are normal forces, the cross is under the upper block's center of mass. Four corners can carry a face contact in many ways: methods choose by themselves. single-level (rho = 1e-8) has one point for each pair, which is an unknown."
brief = "Cubes of 0.5 m at rest, seen from above; areas of circles are forces, the cross is where the exact one is."
rows = 1; tall = 110 * k; row_gap = 22
@begin
x_name = "x [m]"
do for [p = 1:panels] {
    @place; @x_label
    y_name = "y [m]"; @y_label
    set size ratio -1; set xrange [-0.35:0.55]; set yrange [-0.35:0.35]; set xtics 0.25; set ytics 0.25; set format x "%g"; set format y "%g"
    set object 1 rectangle from -half, -half to half, half fc rgb "#eeeeee" fs solid noborder behind
    set object 2 rectangle from exact(p) - half, -half to exact(p) + half, half fs empty border rgb "#999999" behind
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (($1 == 1 && $2 == 2) ? $3 : NaN):4:(0.06 * sqrt($6 / weight)) with circles ls s lw wide_of(s) fs empty border notitle, "+" using (exact(p)):(0) every ::0::0 with points pt 1 ps 1.5 lc rgb "#000000" notitle
}
