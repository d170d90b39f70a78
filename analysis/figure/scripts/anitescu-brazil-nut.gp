# title: A large disk among small ones in a box that is shaken (Anitescu, Hart, ICIAM 2003)
# run: brazil-nut --time-stepping anitescu-hart --restitution 0.5 --friction-law relaxed --method apgd --newton-iterations 300 --newton-tolerance 0 --record-every 300 --store-states 25 --linear-history off --seed 1,2,3
# quick: brazil-nut --set count=60 --set width=6 --time-stepping anitescu-hart --restitution 0.5 --friction-law relaxed --method apgd --newton-iterations 300 --newton-tolerance 0 --record-every 300 --steps 100 --store-states 25 --linear-history off --seed 1
# select: scenario=brazil-nut geometry=frozen
# panel: scenario
# series: seed
# rows: scene
# of each run when the large disk's centre is first above two thirds of the way to the highest one
array risen[series_of(1)]; array begun[series_of(1)]; array reached[series_of(1)]
do for [s = 1:series_of(1)] {
    first_ = NaN; up_ = NaN; last_ = NaN
    stats panel_file(1) index (s - 1) using (first_ = first_ == first_ ? first_ : $5, last_ = $5, up_ = up_ == up_ ? up_ : $5 > 0.67 * $2 ? $1 : NaN, 1) nooutput
    risen[s] = up_; begun[s] = first_; reached[s] = last_
}
shakes(t) = t / 1.25
outcome = "Height of the large disk's centre [m], first and last, and the shakes after which it was above two thirds of the highest disk:"
do for [s = 1:series_of(1)] { outcome = outcome.sprintf("%s seed %s: %.3g, %.3g, ", s > 1 ? ";" : "", label_of(1, s), begun[s], reached[s]).(risen[s] == risen[s] ? sprintf("%.0f", shakes(risen[s])) : "not") }
outcome = outcome.".\n".(papers ? "The paper: the large ball emerges after about 40 shakes; 270 bodies, h = 0.1 s, 50 s, friction and restitution 0.5. That it is three times as large, the box and the amplitude are our choice.\n" : "")
about = "The large disk is the first body with mass. A state every second shake, where the box is at its middle."
brief = "Height of the large disk over the shakes".(papers ? " (paper: it emerges after about 40)." : ".")
do for [s = 1:entries] { entry[s] = "seed ".label_of(1, s).", the large disk" }
entries = entries + 1
entry[entries] = "the highest disk"; entry_style[entries] = 17; entry_kind[entries] = "l"
picture_wide = 0.42 * sheet_width; picture_high = picture_wide * scene_height / scene_width
body = picture_high + 30 * k
@begin
unset border; unset tics; unset grid
set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]
eval(spot(4 * k, head + 8 * k, picture_wide, picture_high))
plot "panel_1_1.rgb" binary array=(scene_width,scene_height) flip=y format="%uchar%uchar%uchar" using 1:2:3 with rgbimage notitle
@frame
eval(spot(picture_wide + 50 * k, head + 8 * k, sheet_width - picture_wide - 62 * k, picture_high - 8 * k))
set xrange [0:*]; set yrange [0:*]; set xtics autofreq; set ytics autofreq
eval(x_named("shakes"))
name_902 = "height [m]"; set label 902 name_902 at screen from_left(picture_wide + 22 * k), graph 0.5 center rotate by 90 noenhanced font normal
plot for [s = 1:series_of(1)] panel_file(1) index (s - 1) using (shakes($1)):5 with linespoints ls s notitle, \
     for [s = 1:series_of(1)] panel_file(1) index (s - 1) using (shakes($1)):2 with lines ls 17 notitle
unset multiplot
