# title: A stretched sheet with and without geometric stiffness (Macklin et al. 2019, fig. 12)
# run: sheet --set stretch=1.25,1.5,2 --steps 1 --newton-iterations 40 --damping 1 --linear-solver cholesky --linear-history off --geometric-stiffness none,diagonal --geometry updated
# quick: sheet --set count=8 --set stretch=1.25,2 --steps 1 --newton-iterations 40 --damping 1 --linear-solver cholesky --linear-history off --geometric-stiffness none,diagonal --geometry updated
# select: scenario=sheet steps=1 damping=1 linear_solver=cholesky precision=f64
# panel: @stretch
# series: geometric-stiffness
# rows: newton
# at: last
# columns: iteration natural_map_error step_linf bilateral_error momentum_error
# number: arrived=first(iteration where natural_map_error <= 1e-11)
# number: after_5=first(natural_map_error where iteration == 5)
# number: after_10=first(natural_map_error where iteration == 10)
# number: after_20=first(natural_map_error where iteration == 20)
# number: after_40=first(natural_map_error where iteration == 40)
arrived(p, s) = number_of("arrived", p, s)
after(n, p, s) = number("%.1g", number_of(sprintf("after_%d", n), p, s))
stretched(p) = value_in(panel_name(p))
named(p, s) = label_of(p, s) eq "none" ? "without" : "with"
outcome = "Natural-map error [m/s] after 5 / 10 / 20 / 40 iterations: "
brief = ""
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "\n" : "")."stretch ".stretched(p).": "
    brief = brief.(p > 1 ? "; " : "")."stretch ".stretched(p).":"
    do for [s = 1:series_of(p)] {
        outcome = outcome.sprintf("%s%s %s / %s / %s / %s", s > 1 ? ", " : "", named(p, s), after(5, p, s), after(10, p, s), after(20, p, s), after(40, p, s))
        brief = brief.sprintf("%s %s %s", s > 1 ? "," : "", named(p, s), arrived(p, s) == arrived(p, s) ? sprintf("%.0f", arrived(p, s)) : "never")
    }
}
outcome = outcome.".\n".(papers ? "Macklin et al. (2019): with geometric stiffness disabled iterates overshoot and oscillate at large strains. Its own formula (73) has a plus where a minus belongs; with the plus the mass is about three times too large everywhere: stable, and slow.\n" : "")
about = "One step from rest of a sheet of springs (h^2 k/m = 0.3) between fixed edges, full Newton steps from zero: the natural-map error is the merit function, the largest of the springs' and the momentum error; the step is the largest change of an impulse, times its effective inverse mass w."
brief = "Iterations to 1e-11 m/s".(papers ? " (paper: oscillates without)" : "").": ".brief."."
do for [s = 1:entries] { entry[s] = (label_of(1, s) eq "none" ? "without" : "with")." geometric stiffness" }
shown_columns = "2 3"
extent_first = 2; extent_last = 3
@extent
low = larger(low, 1e-15)
rows = 2; tall = 84 * k
@begin
@decade_ticks; @iteration_ticks
x_name = "Newton iteration"
y_at(r) = drawn(column(r + 1))
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = (r == 1 ? "natural map [m/s]" : "step w |Δz| [m/s]"); @y_label
    plot @curves
} }
