# title: Scenes in the last state recorded, a picture each
# any: runs of scenarios; with --store-states the last state stored, else the last one
# select: precision=f32|f64|mixed
# panel: scenario
# series: method
# rows: scene
outcome = ""
do for [p = 1:panels] { outcome = outcome.spaced(panel_name(p)).sprintf(": at %.3g s", last_of(p, 1, 1))."\n" }
about = "The last state recorded of each scene's first run, drawn from the record."
brief = about
in_line = smaller(3, panels)
picture_wide = (sheet_width - 8 * k) / larger(2, in_line)
picture_high = (picture_wide - 4 * k) * scene_height / scene_width
entries = 0
body = (picture_high + 14 * k) * ceil(1.0 * panels / in_line) + 4 * k
@begin
unset border; unset tics; unset grid
set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]
do for [p = 1:panels] {
    eval(spot(6 * k + picture_wide * ((p - 1) % in_line), head + 12 * k + (picture_high + 14 * k) * ((p - 1) / in_line), picture_wide - 4 * k, picture_high))
    set label 10 spaced(panel_name(p)).sprintf(", %.3g s", last_of(p, 1, 1)) at graph 0.5, graph 1 center noenhanced font normal offset 0, 0.5 front
    plot sprintf("panel_%d_1.rgb", p) binary array=(scene_width,scene_height) flip=y format="%uchar%uchar%uchar" using 1:2:3 with rgbimage notitle
}
unset multiplot
