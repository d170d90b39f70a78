# title: Scenes in the last state recorded, a picture each
# any: runs of scenarios; with --store-states the last state stored, else the last one
# select: precision=f32|f64|mixed
# panel: scenario
# series: method
# rows: scene
# the first run of scene p: curves are those of all scenes
shown(p) = (i_ = 0, sum [s_ = 1:series_of(p)] (i_ = i_ || last_of(p, s_, 1) != last_of(p, s_, 1) ? i_ : s_, 0), i_)
strained(p) = last_of(p, shown(p), 8) > 0
outcome = ""; coloured = 0
do for [p = 1:panels] {
    coloured = coloured + strained(p)
    outcome = outcome.spaced(panel_name(p)).sprintf(": at %.3g s", last_of(p, shown(p), 1)).(strained(p) ? sprintf(", volumetric strain J - 1 from %.3g to %.3g", last_of(p, shown(p), 6), last_of(p, shown(p), 7)) : "")."\n"
}
about = "The last state recorded of each scene's first run, drawn from the record.".(coloured ? " Color: volumetric strain J − 1 of the tetrahedron behind each face." : "")
brief = about
in_line = smaller(3, panels)
picture_wide = in_line > 1 ? (page_width - 8 * k) / in_line : smaller(page_width - 8 * k, 300 * k)
picture_high = (picture_wide - 4 * k) * scene_height / scene_width
line_of_pictures = picture_high + (coloured ? 24 : 14) * k
entries = 0
body = line_of_pictures * ceil(1.0 * panels / in_line) + 4 * k
@begin
unset border; unset tics; unset grid
set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]
do for [p = 1:panels] {
    left_ = (in_line > 1 ? 6 * k : 0.5 * (page_width - picture_wide)) + picture_wide * ((p - 1) % in_line); top_ = head + 12 * k + line_of_pictures * ((p - 1) / in_line)
    eval(spot(left_, top_, picture_wide - 4 * k, picture_high))
    strain_x = left_ + 0.4 * picture_wide; strain_y = top_ + picture_high + 3 * k; strain_wide = 0.3 * picture_wide
    limit = last_of(p, shown(p), 8)
    @strain_key
    set label 10 spaced(panel_name(p)).sprintf(", %.3g s", last_of(p, shown(p), 1)) at graph 0.5, graph 1 center noenhanced font normal offset 0, 0.5 front
    plot picture_of(p, shown(p)) @shown_as
}
