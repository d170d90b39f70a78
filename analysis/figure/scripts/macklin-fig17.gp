# title: Complementarity error and step size by scaling of the complementarity function (Macklin et al. 2019, fig. 17)
# run: arch,piling,heavy-stack --settle 60 --steps 1 --newton-iterations 60 --linear-solver pcr --linear-iterations 80 --linear-history off --scaling identity,time-step,effective-mass,effective-mass-capped --geometry updated
# quick: arch,heavy-stack --settle 10 --steps 1 --newton-iterations 40 --linear-solver pcr --linear-iterations 80 --linear-history off --scaling identity,time-step,effective-mass,effective-mass-capped --geometry updated
# select: steps=1 linear_iterations=80 linear_solver=pcr precision=f64 warm_start=0 scaling=identity|time-step|effective-mass|effective-mass-capped
# also: method=newton
# panel: scenario
# series: scaling+preconditioner?+ncp?
# rows: newton
# at: last
# columns: iteration all
# number: arrived=first(iteration where natural_map_error <= 1e-6)
# Complementarity alone can be tiny far from the solution (2e-20 at zero forces): what came out is judged with momentum.
end_of(p, s) = last_of(p, s, at_natural_map_error)
outcome = "Natural-map error at the end [m/s]: "; counts = ""; names = ""
do for [s = 1:series_of(1)] { names = names.(s > 1 ? " / " : "").spaced(label_of(1, s)) }
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "\n" : "").panel_name(p).": "
    counts = counts.(p > 1 ? ", " : "").panel_name(p)
    do for [s = 1:series_of(p)] {
        outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", spaced(label_of(p, s)), number("%.0e", end_of(p, s)))
        counts = counts.(s > 1 ? " / " : " ").number("%.0f", number_of("arrived", p, s))
    }
}
outcome = outcome.".\nIterations to 1e-06 m/s, ".names.": ".counts." (-: never).\n".(papers ? "Macklin et al. (2019): identity scaling often fails to converge; the time step does well where mass ratios are small (arch, pile); time step and effective mass together are the most reliable.\n" : "")
about = "Natural-map error: the largest of complementarity (normal and friction), joint and momentum errors. Complementarity error: the larger of the normal and the friction error, the paper's quantity; it is trivially small at the start from zero, and where forces are lost. Step: the largest change of an impulse, times its effective inverse mass w."
brief = "Iterations to 1e-6 m/s in the legend's order".(papers ? " (paper: identity often fails)" : "").": ".counts."."
shown_columns = sprintf("%d %d %d", at_natural_map_error, at_complementarity_error, at_step_linf)
extent_first = at_complementarity_error; extent_last = at_step_linf
@extent
rows = 3; tall = 74 * k
@begin
@decade_ticks; @iteration_ticks
x_name = "Newton iteration"
array named[3] = ["natural map [m/s]", "complementarity [m/s]", "step w |Δz| [m/s]"]
complementarity(x) = larger(column(at_complementarity_error), column(at_friction_error))
y_at(r) = r == 1 ? column(at_natural_map_error) : r == 2 ? complementarity(0) : column(at_step_linf)
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = named[r]; @y_label
    plot @curves
} }
