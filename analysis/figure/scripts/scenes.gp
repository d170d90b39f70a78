# title: Scenes in the last state recorded, a picture each
# any: runs of scenarios; with --store-states the last state stored, else the last one
# select: precision=f32|f64|mixed
# panel: scenario
# series: method
# rows: scene
most_in_line = 3
@list_first; @lay_pictures
outcome = ""
do for [p = 1:panels] {
    outcome = outcome.spaced(panel_name(p)).sprintf(": at %.3g s", last_of(p, shown(p), 1)).(strain_limit(p, shown(p)) > 0 ? sprintf(", volumetric strain J - 1 from %.3g to %.3g", last_of(p, shown(p), 6), last_of(p, shown(p), 7)) : "")."\n"
}
about = "The last state recorded of each scene's first run, drawn from the record.".(coloured ? " Color: volumetric strain J − 1 of the tetrahedron behind each face." : "")
brief = about
name_of_picture(p, s) = spaced(panel_name(p)).sprintf(", %.3g s", last_of(p, s, 1))
@begin
@draw_pictures
