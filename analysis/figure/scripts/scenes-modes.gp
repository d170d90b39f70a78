# title: Contacts that are open, stick and slide
# any: runs of scenarios; --at STEP takes a state that --store-states stored, else the last one is shown
# select: precision=f32|f64|mixed
# panel: *
# series: *
# rows: scene-modes
@lay_marked
outcome = ""
do for [i = 1:pictures] { p = of_panel_[i]; s = of_series_[i]; outcome = outcome.sprintf("%s: %d open, %d sticking, %d sliding of %d contacts, %.3g s", run_name(p, s), last_of(p, s, 3), last_of(p, s, 4), last_of(p, s, 5), last_of(p, s, 2), last_of(p, s, 1))."\n" }
about = "A disc is a contact, with its mode by the projection of the natural map. Numbers: open/sticking/sliding."
brief = about
name_of_picture(p, s) = run_name(p, s).sprintf(": %d/%d/%d", last_of(p, s, 3), last_of(p, s, 4), last_of(p, s, 5))
array mode_name[3] = ["open", "sticking", "sliding"]; array mode_colour[3] = ["#F0F0F0", "#004488", "#EE9933"]
draw_mode_key = "do for [i_ = 1:3] { set object 600 + i_ circle at screen from_left(page_width * (0.15 + 0.2 * i_)), from_top(head + body - 6 * k) radius screen 0.006 fs solid border lc rgb '#4C4C4C' fc rgb mode_colour[i_]; set label 620 + i_ mode_name[i_] at screen from_left(page_width * (0.165 + 0.2 * i_)), from_top(head + body - 6 * k) left noenhanced font small }"
@begin
@draw_pictures
@draw_mode_key; @key_below
