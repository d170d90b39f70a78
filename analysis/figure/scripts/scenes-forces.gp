# title: Contact forces between bodies
# any: runs of scenarios; --at STEP takes a state that --store-states stored, else the last one is shown
# select: precision=f32|f64|mixed
# panel: *
# series: *
# rows: scene-forces
@lay_marked
outcome = ""
do for [i = 1:pictures] { p = of_panel_[i]; s = of_series_[i]; outcome = outcome.sprintf("%s: largest force %.3g N, %s, %.3g s", run_name(p, s), last_of(p, s, 6), largest_at(p, s), last_of(p, s, 1))."\n" }
about = "An arrow is the resultant of all contacts of two bodies, on the body with the higher number. Arrows of one scene have one scale. Its split between contacts need not be unique."
brief = about
name_of_picture(p, s) = run_name(p, s).sprintf(": longest %.3g N", last_of(p, s, 6))
@begin
@draw_pictures
