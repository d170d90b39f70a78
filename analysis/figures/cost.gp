# title: Cost of a time step by its contacts, at fixed iterations
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.5 --set count=32,128,512,2048,8192 --steps 1 --newton-iterations 10 --linear-iterations 20 --linear-history off --precision f32,f64 --repeat 5
# quick: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.5 --set count=32,128,512 --steps 1 --newton-iterations 10 --linear-iterations 20 --linear-history off --precision f32,f64 --repeat 5
# select: scenario=piling steps=1 newton_iterations=10 linear_iterations=20 linear_solver=pcr
# panel: precision
# series: bodies
# data: cost
down = 0 # the legend stands in the plot
plot_height = rows_height(1, 300)
per_contact(ms) = 1e6 * ms
outcome = "Outcome, ns a contact and Newton iteration, the smallest and the largest scene: "
cost_of(p, s) = per_contact(last_of(p, s, 17)) / last_of(p, s, 5) / last_of(p, s, 7)
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "; " : "").panel_name(p).sprintf(" %.0f and %.0f", cost_of(p, 1), cost_of(p, series_of(p)))
}
caption = (timed ? "Each point is a pile of boxes, timed by 'ncpbench bench newton': medians of single Newton iterations of 20 iterations of PCR in its first step." : "Each point is the first step of a pile of boxes: 10 Newton iterations of 20 iterations of PCR. Medians over the repetitions, with bars from the first to the third quartile.")." A horizontal line is a cost linear in contacts.\n".caption
@begin
set logscale x; set format x "10^{%L}"
set xlabel "contacts" offset 0, 0.5; set ylabel "ns a contact and Newton iteration"
set yrange [0:*]; set offsets 0, 0, graph 0.25, 0 # room for the key
set key top left reverse Left
set lmargin at screen 0.09; set rmargin at screen 0.96
set tmargin at screen from_top(60); set bmargin at screen row_bottom(1, 300)
array part[3] = ["assembly", "linear solves", "both"]
set print $points
do for [p = 1:panels] {
    do for [s = 1:series_of(p)] {
        each = per_contact(1.0) / last_of(p, s, 5) / last_of(p, s, 7)
        print sprintf("%g\t%g\t%g\t%g", last_of(p, s, 5), each * last_of(p, s, 9), each * last_of(p, s, 11), each * last_of(p, s, 17))
    }
    print ""; print ""
}
set print
plot for [p = 1:panels] for [c = 1:3] $points index (p - 1) using 1:(column(c + 1)) with linespoints ls p dt int(c == 1 ? 2 : c == 2 ? 4 : 1) pt int(c == 1 ? 4 : c == 2 ? 8 : 7) title panel_name(p)." ".part[c], \
     for [p = 1:panels] $points index (p - 1) using 1:4:5:6 with yerrorbars ls p dt 1 ps 0 notitle
unset multiplot
