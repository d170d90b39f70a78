# title: Iterations of two forms of one Newton system against the energy error that is asked for
# run: wall --set width=20 --set height=20 --settle 5 --warm-start off --steps 1 --lead 4,12 --lead-exact on --newton-iterations 1 --linear-solver pcg --linear-iterations 8000 --linear-tolerance 1e-12 --reference-linear on --form compliance --preconditioner jacobi
# run: wall --set width=20 --set height=20 --settle 5 --warm-start off --steps 1 --lead 4,12 --lead-exact on --newton-iterations 1 --linear-solver pcg --linear-iterations 8000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --preconditioner block-jacobi
# quick: wall --set width=8 --set height=6 --settle 5 --warm-start off --steps 1 --lead 4,12 --lead-exact on --newton-iterations 1 --linear-solver pcg --linear-iterations 2000 --linear-tolerance 1e-12 --reference-linear on --form compliance --preconditioner jacobi
# quick: wall --set width=8 --set height=6 --settle 5 --warm-start off --steps 1 --lead 4,12 --lead-exact on --newton-iterations 1 --linear-solver pcg --linear-iterations 2000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --preconditioner block-jacobi
# select: scenario=wall steps=1 newton_iterations=1 lead_exact=1 reference_linear=1 linear_solver=pcg linear_iterations=8000|2000
# panel: lead
# series: form+preconditioner
# rows: run
# columns: e1=last(energy_iterations@1e-1) e2=last(energy_iterations@3.1623e-2) e3=last(energy_iterations@1e-2) e4=last(energy_iterations@3.1623e-3) e5=last(energy_iterations@1e-3) e6=last(energy_iterations@3.1623e-4) e7=last(energy_iterations@1e-4) e8=last(energy_iterations@3.1623e-5) e9=last(energy_iterations@1e-5) e10=last(energy_iterations@3.1623e-6) e11=last(energy_iterations@1e-6) bodies linear_iterations
levels = 11
error_of(c) = 10**(-0.5 * (c + 1))
form_named(t) = (f_ = spaced(t), f_[1:10] eq "compliance" ? "dual".f_[11:] : f_)
do for [s = 1:entries] { entry[s] = form_named(label_of(1, s)) }
counted(p, s, c) = last_of(p, s, c) == last_of(p, s, c) ? sprintf("%.0f", last_of(p, s, c)) : sprintf("over %.0f", last_of(p, s, 13))
early_or_late(p) = sprintf("Newton iteration %d", int(real(panel_name(p))) + 1)
outcome = "Iterations to an energy error of 1e-2 / 1e-4 / 1e-6 of the solution:"
do for [p = 1:panels] { outcome = outcome."\n".early_or_late(p).": "; do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? "; " : "").entry[s]." ".counted(p, s, 3)." / ".counted(p, s, 7)." / ".counted(p, s, 11) } }
about = sprintf("A wall of %.0f bodies with the ground. Newton's iterations before are exact, so that both forms solve one system. The energy error sqrt(|e_u|_H^2 + |e_y|_C^2) of velocities and impulses is the norm that both forms share, here relative to the solution's own. A curve ends where %.0f iterations do not reach it.", last_of(1, 1, 12), last_of(1, 1, 13))
each(p, c) = (t_ = "", sum [s_ = 1:series_of(p)] (t_ = t_.(s_ > 1 ? ", " : "").counted(p, s_, c), 0), t_)
brief = "To 1e-2 / 1e-6:"
do for [p = 1:panels] { brief = brief.(p > 1 ? "; " : " ").early_or_late(p).": ".each(p, 3)." / ".each(p, 11) }
brief = brief." (dual, stiffness)."
tall = 110 * k; least_wide = 140
@begin
set logscale xy; set format x "10^{%L}"; set format y "10^{%L}"
set xrange [2e-1:5e-7]; set yrange [1:*]
do for [p = 1:panels] {
    @place
    eval(panel_named(early_or_late(p)))
    eval(x_named("energy error, relative"))
    y_name = "iterations"; @y_label
    set print $points
    do for [s = 1:series_of(p)] {
        do for [c = 1:levels] { print sprintf("%g\t%g", error_of(c), last_of(p, s, c) == 0 ? 1 : last_of(p, s, c)) }
        print ""; print ""
    }
    set print
    plot for [s = 1:series_of(p)] $points index (s - 1) using 1:2 with linespoints ls s notitle
}
