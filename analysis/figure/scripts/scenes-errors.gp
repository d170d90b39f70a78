# title: Error of each contact, on the scene
# any: runs of scenarios; --at STEP takes a state that --store-states stored, else the last one is shown
# select: precision=f32|f64|mixed
# panel: *
# series: *
# rows: scene-errors
most_in_line = 3; strain_limit(p, s) = 0
@list_all; @lay_pictures
body = body + 18 * k
outcome = ""
do for [i = 1:pictures] { p = of_panel_[i]; s = of_series_[i]; outcome = outcome.sprintf("%s: largest error %.2e m/s, %s, %.3g s", run_name(p, s), last_of(p, s, 6), largest_at(p, s), last_of(p, s, 1))."\n" }
about = "A disc is a contact. Its color is the natural map of the contact, the larger of normal and friction; that of a body is its momentum error. Larger errors are in front; the largest has a ring."
brief = "Discs: natural map of each contact, the largest with a ring. Bodies: momentum error."
name_of_picture(p, s) = run_name(p, s).sprintf(": %.1e m/s", last_of(p, s, 6))
low_ = last_of(of_panel_[1], of_series_[1], 7); high_ = last_of(of_panel_[1], of_series_[1], 8)
draw_key = "do for [i_ = 0:30] { set object 600 + i_ rectangle from screen from_left(page_width * (0.35 + 0.01 * i_)), from_top(head + body - 3 * k) to screen from_left(page_width * (0.36 + 0.01 * i_)), from_top(head + body - 9 * k) fs solid noborder fc rgb error_colour(i_ / 30.0) }; set label 621 sprintf('error [m/s]  %.0e', low_) at screen from_left(page_width * 0.345), from_top(head + body - 6 * k) right noenhanced font small; set label 622 sprintf('%.0e', high_) at screen from_left(page_width * 0.665), from_top(head + body - 6 * k) left noenhanced font small"
@begin
@draw_pictures
@key_below
