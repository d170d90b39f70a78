# title: Parameters and statistics of the scenes (Macklin et al. 2019, table 2)
# run: arch,heavy-stack --precision f32 --time-step 0.0083 --steps 60 --linear-history off --warmup 1 --repeat 5 --geometry updated
# run: beam --precision f32 --time-step 0.0083 --steps 132 --linear-history off --warmup 1 --repeat 5 --geometry updated
# run: beam --set arm=1 --form stiffness --preconditioner ic0 --precision f32 --time-step 0.0083 --steps 132 --linear-history off --warmup 1 --repeat 5 --geometry updated
# run: piling --set stagger=0.1,0.5 --precision f32 --time-step 0.0083 --steps 240 --linear-history off --warmup 1 --repeat 5 --geometry updated
# run: hand-object --precision f32 --time-step 0.0083 --steps 150 --linear-history off --warmup 1 --repeat 5 --geometry updated
# run: humanoids --precision f32 --time-step 0.0083 --steps 60 --linear-history off --repeat 3 --geometry updated
# run: cabinets --precision f32 --time-step 0.0083 --steps 130 --linear-history off --repeat 3 --geometry updated
# run: hand-ball --precision f32 --time-step 0.0083 --steps 150 --linear-history off --warmup 1 --repeat 5 --geometry updated
# run: gripper --precision f32 --time-step 0.0083 --steps 170 --linear-history off --repeat 3 --geometry updated
# run: tomato --precision f32 --time-step 0.0083 --steps 650 --linear-history off --repeat 3 --geometry updated
# quick: arch,heavy-stack --precision f32 --time-step 0.0083 --steps 20 --linear-history off --warmup 1 --repeat 2 --geometry updated
# select: linear_solver=pcr precision=f32 scaling=effective-mass-capped settle=0 newton_iterations=4|5|6|8|20 linear_iterations=10|20|25|40|50|80 steps=60|130|132|150|170|240|650|20
# also: any
# panel: method
# series: scenario+@stagger+@arm
# rows: run
# columns: scenario bodies joints tetrahedra contacts=most(contacts) largest_island=most(largest_island) newton_iterations linear_iterations assembly_ms=median(assembly_ms):4 assembly_iqr_ms=spread(assembly_ms):3 solve_ms=median(setup_ms+solve_ms):4 solve_iqr_ms=spread(setup_ms+solve_ms):3 assembly_quarter_ms=quarter(assembly_ms) assembly_three_quarters_ms=three_quarters(assembly_ms) solve_quarter_ms=quarter(setup_ms+solve_ms) solve_three_quarters_ms=three_quarters(setup_ms+solve_ms) both_ms=median(assembly_ms+setup_ms+solve_ms) both_quarter_ms=quarter(assembly_ms+setup_ms+solve_ms) both_three_quarters_ms=three_quarters(assembly_ms+setup_ms+solve_ms) repetitions
# times: shown
about = "Contacts: of the step that has most; in parentheses the largest island of any step. Bodies count fixed ones. Times in ms per step: medians and interquartile ranges over all steps and timed repetitions, set-up counted with the solve.".(papers ? " Macklin et al.'s (2019) times: averages over a run on a GTX 1070; its contacts: of a representative step. Its beam has an arm and a gripper, as with arm=1: with PCR and Jacobi, 50 iterations leave the arm's joints far from converged, and the scene diverges; with --form stiffness --preconditioner ic0, as here, it does not. Hands, humanoids, cabinets and the tomato's arm have as many bodies and joints as its robots, in boxes, which have fewer features than meshes of triangles, and so fewer contacts (four times the margin makes at most three times as many). hand-object: three boxes between boxes of fingers, where the paper has dense meshes that make redundant contacts. Macklin et al.'s (2019) contacts are of features of triangle meshes: with links of 1280 triangles hand-ball has 271, and gripper, whose ball is a sphere here, 516 with one of 1280 triangles, three of four between edges. hand-ball and tomato: 56 and 42 particles on the ball's surface, of which few are near a finger at once. humanoids and cabinets: boxes on boxes. arch: six corners at each of 21 joints, at any margin. Most, not the last: the last step of gripper and tomato has let go. Tetrahedra, here and in the paper: hand-ball 432 and 427, gripper 2250 and 2241, tomato 320 and 319." : "")
# the paper's contacts, largest island, assembly and solve times
scene_of(s) = (i_ = strstrt(label_of(1, s), "_"), i_ ? label_of(1, s)[1:i_ - 1] : label_of(1, s))
paper(s) = !papers ? "- - - -" : scene_of(s) eq "arch" ? "134 134 0.15 7.75" : scene_of(s) eq "piling" ? "936 736 0.1 3.7" : scene_of(s) eq "beam" && last_of(1, s, 3) > 40 ? "300 300 0.2 18.6" : scene_of(s) eq "hand-object" ? "104 104 0.4 10.0" : scene_of(s) eq "humanoids" ? "10893 33 0.8 8.9" : scene_of(s) eq "cabinets" ? "4082 55 1.8 56.0" : scene_of(s) eq "hand-ball" ? "409 409 0.35 11.4" : scene_of(s) eq "gripper" ? "532 532 0.3 22.25" : scene_of(s) eq "tomato" ? "371 371 0.45 12.2" : "- - - -"
known(s) = word(paper(s), 1) ne "-"
paper_number(s, c) = real(word(paper(s), c))
ratios(s) = sprintf(" %s %.2f, %.2f, %s;", spaced(label_of(1, s)), last_of(1, s, 5) / paper_number(s, 1), last_of(1, s, 6) / paper_number(s, 2), number("%.2f", last_of(1, s, 17) / (paper_number(s, 3) + paper_number(s, 4))))
compared = 0
outcome = "This machine over the paper's, contacts, largest island, and assembly + solve time:"
do for [s = 1:series_of(1)] { if (known(s)) { outcome = outcome.ratios(s); compared = compared + 1 } }
outcome = compared ? outcome[1:strlen(outcome) - 1]."." : ""
brief = "Medians and interquartile ranges (IQR) over steps and repetitions".(papers ? "; the paper's: averages on a GTX 1070 (a GPU of 2016)." : ".")
columns = papers ? 15 : 11; lines = series_of(1)
array head_1[15] = ["scene", "bodies", "joints", "tetra", "contacts", "Newton", "linear", "assembly", "IQR", "solve", "IQR", "paper:", "contacts", "assembly", "solve"]
array head_2[15] = ["", "", "", "", "(island)", "iterations", "iterations", "[ms]", "[ms]", "[ms]", "[ms]", "", "(island)", "[ms]", "[ms]"]
array ends[15] = [18, 25, 31, 37, 49, 60, 71, 81, 88, 96, 103, 110, 122, 132, 138]
array cells[columns * lines]
in_cell(s, c) = number(c < 9 || last_of(1, s, c) >= 100 ? "%.0f" : "%.3f", last_of(1, s, c))
do for [s = 1:lines] {
    row = columns * (s - 1)
    cells[row + 1] = spaced(label_of(1, s))
    do for [c = 2:4] { cells[row + c] = in_cell(s, c) }
    cells[row + 5] = in_cell(s, 5)." (".in_cell(s, 6).")"
    do for [c = 7:12] { cells[row + c - 1] = in_cell(s, c) }
    if (papers) {
        cells[row + 12] = ""; cells[row + 13] = known(s) ? word(paper(s), 1)." (".word(paper(s), 2).")" : "-"
        cells[row + 14] = word(paper(s), 3); cells[row + 15] = word(paper(s), 4)
    }
}
@begin_table
@table
