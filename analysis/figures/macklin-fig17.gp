# title: Complementarity error and step size by scaling of the complementarity function (Macklin et al. 2019, fig. 17)
# run: arch,piling,heavy-stack --settle 60 --steps 1 --newton-iterations 60 --linear-solver pcr --linear-iterations 80 --linear-history off --scaling identity,time-step,effective-mass,effective-mass-capped
# quick: arch,heavy-stack --settle 10 --steps 1 --newton-iterations 40 --linear-solver pcr --linear-iterations 80 --linear-history off --scaling identity,time-step,effective-mass,effective-mass-capped
# select: steps=1 linear_iterations=80 linear_solver=pcr precision=f64 warm_start=0 scaling=identity|time-step|effective-mass|effective-mass-capped
# also: method=newton
# panel: scenario
# series: scaling+preconditioner?+ncp?
# data: newton
outcome = "Outcome, largest complementarity error (normal, friction) at the end [m/s]: "
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "\n" : "").panel_name(p).": "
    do for [s = 1:series_of(p)] {
        outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", spaced(label_of(p, s)), number("%.0e", larger(last_of(p, s, 5), last_of(p, s, 6))))
    }
}
about = "Complementarity error: the larger of the normal and the friction error. Step: the largest change of an impulse, times its effective inverse mass w."
brief = "Top: the larger of normal and friction error; bottom: the largest change of an impulse, times its effective inverse mass."
extent_first = 5; extent_last = 10
@extent
rows = 2; tall = 92 * k
@begin
@decade_ticks; @iteration_ticks
x_name = "Newton iteration"
y_at(r) = larger(column(r == 1 ? 5 : 10), column(r == 1 ? 6 : 10))
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = (r == 1 ? "complementarity error [m/s]" : "step w |Δz| [m/s]"); @y_label
    plot @curves
} }
unset multiplot
