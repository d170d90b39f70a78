# title: Error of each contact, on the scene
# any: runs of scenarios; --at STEP takes a state that --store-states stored, else the last one is shown
# select: precision=f32|f64|mixed
# panel: *
# series: *
# rows: scene-errors
@lay_marked
outcome = ""
do for [i = 1:pictures] { p = of_panel_[i]; s = of_series_[i]; outcome = outcome.sprintf("%s: largest error %.2e m/s, %s, %.3g s", run_name(p, s), last_of(p, s, 6), largest_at(p, s), last_of(p, s, 1))."\n" }
about = "A disc is a contact. Its color is the natural map of the contact, the larger of normal and friction; that of a body is its momentum error. Larger errors are in front; the largest has a ring."
brief = "Discs: natural map of each contact, the largest with a ring. Bodies: momentum error."
if (iteration >= 0) { about = brief = sprintf("Discs: natural map of each contact after at most %d iterations, the largest with a ring.", iteration) }
name_of_picture(p, s) = run_name(p, s).sprintf(": %.1e m/s", last_of(p, s, 6))
@begin
@draw_pictures
@draw_error_key; @key_below
