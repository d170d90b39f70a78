# title: Volume of a bar that is pulled apart, co-rotational and stable Neo-Hookean (Macklin et al. 2019, fig. 13)
# run: bar --set duration=0.25 --steps 60 --set material=linear,neo-hookean --set stretch=1.25,1.5,1.75,2,2.25,2.5,2.75,3 --newton-tolerance 1e-8 --form stiffness --linear-solver cholesky --geometric-stiffness diagonal --warm-start on --linear-history off --geometry updated
# quick: bar --set duration=0.25 --steps 60 --set cells=4 --set material=linear,neo-hookean --set stretch=1.5,2,3 --newton-tolerance 1e-8 --form stiffness --linear-solver cholesky --geometric-stiffness diagonal --warm-start on --linear-history off --geometry updated
# select: scenario=bar steps=60
# panel: @stretch
# series: material
# rows: extension
stretched(p) = value_in(panel_name(p))
materials = series_of(1)
volume(p, s) = last_of(p, s, 2)
ran(p, s) = volume(p, s) == volume(p, s)
inverted(p, s) = last_of(p, s, 3) <= 0
named(s) = spaced(label_of(1, s))
# the states that are drawn: at twofold stretch, or the nearest to it
shown = 1
do for [p = 1:panels] { if (abs(last_of(p, 1, 1) - 2) < abs(last_of(shown, 1, 1) - 2)) { shown = p } }
outcome = "Volume over that at rest, by stretch: "
brief = ""
turned = 0
do for [s = 1:materials] {
    outcome = outcome.(s > 1 ? "\n" : "").named(s).":"
    do for [p = 1:panels] { if (ran(p, s)) {
        if (inverted(p, s)) { turned = 1 }
        outcome = outcome.sprintf("%s %s %.4f%s", p > 1 ? "," : "", stretched(p), volume(p, s), inverted(p, s) ? " (with inverted elements)" : "")
    } }
    brief = brief.(s > 1 ? ", " : "").named(s).number(" %.3f", volume(shown, s))
}
outcome = outcome.".\n".(papers ? "Macklin et al. (2019): the hyperelastic material strongly resists volume changes, linear models show characteristic volume loss at large strains (pictures, no numbers). Here the stable Neo-Hookean bar gains volume in tension: at rest its energy has no stress, but beyond it alpha = 1.1 lets J grow. What holds inverted elements is no state to quote.\n" : "")
about = "A bar of 0.4 x 0.1 x 0.1 m with clamped ends that are pulled apart in 0.25 s and held as long, E = 1e5 Pa, nu = 0.45 unless set: the state at the end. Lines are edges of the surface; their color is the volume of the element behind them over that at rest. Open markers: elements are inverted."
brief = "V/V₀ at stretch ".stretched(shown).": ".brief.(papers ? " (paper: linear loses volume, hyperelastic resists)" : "").(turned ? "; open: inverted elements." : ".")
entries = materials
do for [s = 1:materials] { entry[s] = named(s); entry_style[s] = s; entry_kind[s] = "lp"; entry_shown[s] = sum [p = 1:panels] ran(p, s) }
# pictures at the left, one below the other; the course at the right
left_space = 34
pictures_wide = 0.6 * page_width
course_left = pictures_wide + (left_space + 8) * k
course_wide = page_width - course_left - 9 * k
far = 0.4 * last_of(shown, 1, 1)
view_wide = far + 0.06; view_high = 0.16
picture_wide = pictures_wide - 12 * k
picture_high = picture_wide * view_high / view_wide
line_of_pictures = picture_high + 12 * k
scale_high = 36 * k
course_high = larger(110 * k, materials * line_of_pictures)
body = 11 * k + larger(course_high + axis_space * k, materials * line_of_pictures + scale_high)
@begin
unset border; unset tics; unset grid
set palette defined (0.5 "#0072B2", 0.75 "#79B4D8", 1 "#BBBBBB", 1.25 "#EBA06A", 1.5 "#D55E00")
set cbrange [0.5:1.5]
unset colorbox
set xrange [-0.04:far + 0.02]; set yrange [-0.5 * view_high:0.5 * view_high]
do for [s = 1:materials] {
    if (s == materials) {
        set colorbox horizontal user origin from_left(14 * k), from_top(head + 14 * k + materials * line_of_pictures + 10 * k) size 0.6 * picture_wide / page_width, 5 * k / figure_height
        set cbtics 0.25 scale 0.5 font small offset 0, 0.5
        set cblabel ""
        set label 12 "V/V_0" at screen from_left(20 * k + 0.6 * picture_wide), from_top(head + 14 * k + materials * line_of_pictures + 7 * k) left font small
    }
    eval(spot(8 * k, head + 20 * k + line_of_pictures * (s - 1), picture_wide, picture_high))
    set label 11 named(s) at graph 0.5, graph 1 center noenhanced font normal offset 0, 0.5 front
    if (ran(shown, s)) { plot sprintf("panel_%d_%d_surface.tsv", shown, s) using 1:2:3 with lines lw 0.7 lc palette notitle } else { plot -1 notitle }
    unset label 12
}
unset label 11; unset colorbox
@frame
n_of = panels
set print $points
do for [s = 1:materials] {
    key_of(p) = ran(p, s) ? last_of(p, s, 1) : NaN
    @ascending
    do for [i = 1:ordered] { p = order_of[i]; print sprintf("%g\t%g\t%d", last_of(p, s, 1), volume(p, s), inverted(p, s)) }
    print ""; print ""
}
set print
eval(spot(course_left, head + 11 * k, course_wide, course_high))
set xrange [1:*]; set yrange [0:*]
set xtics 0.5; set ytics 0.2
eval(x_named("stretch")); eval(y_named("V/V₀"))
plot 1 with lines ls 18 notitle, \
     for [s = 1:materials] $points index (s - 1) using 1:2 with lines ls s notitle, \
     for [s = 1:materials] $points index (s - 1) using 1:($3 > 0 ? NaN : $2) with points ls s notitle, \
     for [s = 1:materials] $points index (s - 1) using 1:($3 > 0 ? $2 : NaN) with points ls s pt 6 notitle
