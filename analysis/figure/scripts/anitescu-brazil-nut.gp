# title: A large disk among small ones in a box that is shaken (Anitescu, Hart, ICIAM 2003)
# run: brazil-nut --set width=12,20,30 --set amplitude=1,2 --time-stepping anitescu-hart --restitution 0.5 --friction-law relaxed --method apgd --newton-iterations 300 --newton-tolerance 0 --record-every 300 --store-states 25 --linear-history off --seed 1,2,3
# quick: brazil-nut --set count=60 --set width=12 --set amplitude=1,2 --time-stepping anitescu-hart --restitution 0.5 --friction-law relaxed --method apgd --newton-iterations 300 --newton-tolerance 0 --record-every 300 --steps 100 --store-states 25 --linear-history off --seed 1
# select: scenario=brazil-nut geometry=frozen
# panel: @width+@amplitude
# series: seed
# rows: scene
shakes(t) = t / 1.25
array wide_of[panels]; array shaken[panels]
do for [p = 1:panels] { t_ = spaced(panel_name(p)); wide_of[p] = number_in(t_, "width"); shaken[p] = number_in(t_, "amplitude") }
setting(p) = sprintf("%g wide, shaken by ±%g", wide_of[p], shaken[p])
outcome = "Share of the other disks that are above the large one's center, first and last (and the least in between):\n"
do for [p = 1:panels] {
    outcome = outcome.setting(p).": "
    do for [s = 1:series_of(p)] {
        outcome = outcome.sprintf("%s%.2f, %.2f (%.2f)", s > 1 ? "; " : "", first_of_column(p, s, 9), last_of(p, s, 9), least_of(p, s, 9))
    }
    outcome = outcome.".\n"
}
outcome = outcome.(papers ? "Anitescu and Hart (2003): the large ball emerges after about 40 shakes; 270 bodies, h = 0.1 s, 50 s, friction and restitution 0.5. The slides have no size, amplitude and period: three times the radius, 1.25 s, the box and its amplitude are our choice.\n" : "")
about = "A box of so many diameters of the small disks, which have a radius of 1 m, and so many meters up and down. The large disk has three times the radius and begins on the floor. A state every second shake, where the box is at its middle; 300 iterations of apgd a step. Pictures: the first seed, in the end."
brief = papers ? "Widths in diameters, amplitudes in m: our choice, as the radius of 3 among 1 m. Paper: it emerges after about 40 shakes." : "Share of the other disks above the large one, over the shakes. Widths in diameters, amplitudes in m."
do for [s = 1:entries] { entry[s] = "seed ".label_of(1, s) }
rows = 2; row_gap = 24; axis_space = 6; tall = 84 * k; least_wide = 100
@begin
do for [p = 1:panels] {
    @place
    @frame
    set xrange [0:*]; set yrange [0:1]; set xtics autofreq; set ytics 0.25
    eval(x_named("shakes")); eval(panel_named(setting(p))); y_name = "share above"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (shakes($1)):9 with linespoints ls s notitle
    unset border; unset tics; unset grid; unset label
    picture_wide = smaller(wide, tall * scene_width / scene_height)
    eval(spot(x_of(p) + 0.5 * (wide - picture_wide), y_of(p, 2), picture_wide, picture_wide * scene_height / scene_width))
    set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]
    plot picture_of(p, 1) @shown_as
}
