# title: Infeasibility with constraint stabilization and without: ellipse, 21 disks (Anitescu, Hart, ICIAM 2003)
# run: ellipse,disks --time-stepping anitescu-hart --friction-law coulomb --stabilization 1 --method interior-point --newton-tolerance 1e-9 --steps 400 --linear-history off
# run: ellipse,disks --time-stepping anitescu-hart --friction-law coulomb --stabilization 0 --active-set 0.01 --method interior-point --newton-tolerance 1e-9 --steps 400 --linear-history off
# quick: ellipse,disks --time-stepping anitescu-hart --friction-law coulomb --stabilization 1 --method interior-point --newton-tolerance 1e-9 --steps 60 --linear-history off
# quick: ellipse,disks --time-stepping anitescu-hart --friction-law coulomb --stabilization 0 --active-set 0.01 --method interior-point --newton-tolerance 1e-9 --steps 60 --linear-history off
# select: scenario=ellipse|disks geometry=frozen time_step=0.05 steps=400|60
# panel: scenario
# series: @stabilization
# rows: step
# columns: step time infeasibility step_ms reason
# times: shown
outcome = ""; slowest = 0
do for [p = 1:panels] {
    outcome = outcome.panel_name(p).": largest I(q) "
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%sK = %s %.2g m (a step %.3g ms at most)", s > 1 ? ", " : "", value_in(label_of(p, s)), most_of(p, s, 3), most_of(p, s, 4)) }
    outcome = outcome.".\n"
    if (panel_name(p) eq "disks") { do for [s = 1:series_of(p)] { slowest = larger(slowest, most_of(p, s, 4)) } }
}
outcome = outcome.(papers ? "Anitescu and Hart (2003): drift becomes catastrophic for the unstabilized method and stays in a narrow range for the stabilized one; for the disks the stabilized one has a much lower infeasibility; a step of 50 ms is solved in at most 30 ms (by Lemke's method, in 2003).\n" : "")."With an active set as large as a step's way disks do not sink into each other at all, whatever K is: the distance of two centers is a convex function of them; and without stabilization bodies then stop short of each other.\n"
about = "I(q), the largest penetration at the end of each step, detected there. The steps are solved to a natural map of 1e-9 m/s, with Coulomb's law and a friction of 0.3. With K = 1 the active set has what a step may reach, with K = 0 gaps up to 1 cm."
brief = sprintf("I(q): largest penetration; K = 1 stabilized, K = 0 not. Disks: a step takes %.2g ms at most", slowest).(papers ? " (paper: 30)." : ".")
do for [s = 1:entries] { entry[s] = "K = ".value_in(label_of(1, s)); entry_kind[s] = "l" }
tall = 120 * k
@begin
set logscale y; set format y "10^{%L}"; set yrange [1e-16:10]; set ytics 1e3
x_name = "time [s]"; r = 1
do for [p = 1:panels] {
    @place; @x_label
    y_name = "I(q) [m]"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 2:(larger($3, 1e-16)) with lines ls s notitle
}
