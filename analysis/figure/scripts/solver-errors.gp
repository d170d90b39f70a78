# title: Errors of contacts after five Newton iterations, by linear solver
# run: arch-20,wall-10x10,heavy-stack --steps 1 --method newton --newton-iterations 5 --linear-iterations 40 --linear-solver jacobi,gauss-seidel,pcg,pcr,cholesky --linear-history off
# quick: arch-20,heavy-stack --steps 1 --method newton --newton-iterations 5 --linear-iterations 40 --linear-solver jacobi,pcr --linear-history off
# select: scenario=arch-20|wall-10x10|heavy-stack method=newton steps=1 newton_iterations=5 linear_iterations=40
# panel: scenario
# series: linear_solver
# rows: scene-errors
@lay_marked
outcome = ""
do for [i = 1:pictures] { p = of_panel_[i]; s = of_series_[i]; outcome = outcome.sprintf("%s: largest error %.2e m/s, %s\n", run_name(p, s), last_of(p, s, 6), largest_at(p, s)) }
about = "Five Newton iterations with at most 40 linear iterations each, from the same state. A disc is a contact. Its color is the natural map of the contact, the larger of normal and friction; that of a body is its momentum error. The largest has a ring."
if (papers) { outcome = outcome."On the arch every solver leaves errors in all joints but those of the crown. On the wall errors of jacobi grow towards the foot, gauss-seidel leaves the largest at the ends, and pcg, pcr and cholesky leave less than 3e-3 m/s. On the stack jacobi and gauss-seidel leave errors that grow towards the foot." }
scenes_ = spaced(panel_name(1)); do for [p = 2:panels] { scenes_ = scenes_.", ".spaced(panel_name(p)) }
brief = scenes_.". Discs: natural map of each contact, the largest with a ring. Bodies: momentum error."
name_of_picture(p, s) = spaced(label_of(p, s)).sprintf(": %.0e m/s", last_of(p, s, 6))
@begin
@draw_pictures
@draw_error_key; @key_below
