# title: Cost of a time step by its contacts, at fixed iterations
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.5 --set count=32,128,512,2048,8192 --steps 1 --newton-iterations 10 --linear-iterations 20 --linear-history off --precision f32,f64 --repeat 5
# quick: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.5 --set count=32,128,512 --steps 1 --newton-iterations 10 --linear-iterations 20 --linear-history off --precision f32,f64 --repeat 5
# select: scenario=piling steps=1 newton_iterations=10 linear_iterations=20 linear_solver=pcr
# panel: precision
# series: bodies
# timings: newton
# rows: run
# columns: scenario bodies joints tetrahedra contacts=last(contacts) largest_island=last(largest_island) newton_iterations linear_iterations assembly_ms=median(assembly_ms):4 assembly_iqr_ms=spread(assembly_ms):3 solve_ms=median(setup_ms+solve_ms):4 solve_iqr_ms=spread(setup_ms+solve_ms):3 assembly_quarter_ms=quarter(assembly_ms) assembly_three_quarters_ms=three_quarters(assembly_ms) solve_quarter_ms=quarter(setup_ms+solve_ms) solve_three_quarters_ms=three_quarters(setup_ms+solve_ms) both_ms=median(assembly_ms+setup_ms+solve_ms) both_quarter_ms=quarter(assembly_ms+setup_ms+solve_ms) both_three_quarters_ms=three_quarters(assembly_ms+setup_ms+solve_ms) repetitions
# times: shown
per_contact(ms) = 1e6 * ms
outcome = "Outcome, ns per contact and Newton iteration, the smallest and the largest scene: "
cost_of(p, s) = per_contact(last_of(p, s, 17)) / last_of(p, s, 5) / last_of(p, s, 7)
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "; " : "").panel_name(p).sprintf(" %.0f and %.0f", cost_of(p, 1), cost_of(p, series_of(p)))
}
about = (timed ? "Each point is a pile of boxes, timed by 'ncpbench bench newton': medians of single Newton iterations of 20 iterations of PCR in its first step." : "Each point is the first step of a pile of boxes: 10 Newton iterations of 20 iterations of PCR. Medians over the repetitions, with bars from the first to the third quartile.")." A horizontal line is a cost linear in contacts."
brief = "Piles of boxes, Newton iterations of 20 iterations of PCR; medians".(timed ? "" : " and quartiles").". A horizontal line is a cost linear in contacts."
array part[3] = ["assembly", "linear solves", "both"]
array part_marker[3] = [4, 8, 7]
array part_dash[3] = [2, 4, 1]
shades = panels
entries = 0
do for [p = 1:panels] { do for [c = 1:3] {
    entries = entries + 1; entry[entries] = panel_name(p)." ".part[c]; entry_kind[entries] = "lp"; entry_shown[entries] = 1; entry_style[entries] = 18 + entries
    set style line 18 + entries lc rgb color_of(p) lw 1.1 dt int(part_dash[c]) pt int(part_marker[c]) ps 0.65
} }
panels = 1; tall = 150 * k; panel_title = 3
@begin
set logscale x; set format x "10^{%L}"
set yrange [0:*]
set print $points
do for [p = 1:shades] {
    do for [s = 1:series_of(p)] {
        each = per_contact(1.0) / last_of(p, s, 5) / last_of(p, s, 7)
        print sprintf("%g\t%g\t%g\t%g\t%g\t%g", last_of(p, s, 5), each * last_of(p, s, 9), each * last_of(p, s, 11), each * last_of(p, s, 17), each * last_of(p, s, 18), each * last_of(p, s, 19))
    }
    print ""; print ""
}
set print
p = 1
@place
eval(x_named("contacts")); eval(y_named("ns per contact and Newton iteration"))
plot for [p = 1:shades] $points index (p - 1) using 1:5:(0):($6 - $5) with vectors nohead lc rgb color_of(p) lw 3 notitle, \
     for [p = 1:shades] for [c = 1:3] $points index (p - 1) using 1:(column(c + 1)) with linespoints ls (15 + 3 * p + c) notitle
