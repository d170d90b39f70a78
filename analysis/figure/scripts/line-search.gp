# title: A line search on the Newton step, without and with friction
# run: piling,heavy-stack,arch,wall --set mu=0,0.7 --settle 30 --steps 1 --newton-iterations 60 --linear-iterations 160 --linear-history off --line-search none,backtracking,residual
# quick: piling,arch --set mu=0,0.7 --settle 10 --steps 1 --newton-iterations 30 --linear-iterations 160 --linear-history off --line-search none,backtracking,residual
# select: steps=1 linear_iterations=160 linear_solver=pcr precision=f64 line_search=none|backtracking|residual
# panel: scenario
# series: line_search+@mu
# rows: newton
# at: last
# columns: iteration all
# a row of plots without friction, one with it: the curves by their names, "none mu=0"
rows = 2; tall = 84 * k
without(s) = (i_ = strstrt(label_of(1, s), "_mu="), i_ > 0 && real(label_of(1, s)[i_ + 4:]) == 0)
kind_of(s) = (t_ = label_of(1, s)[1:4], t_ eq "back" ? 2 : t_ eq "resi" ? 3 : 1)
array kind[3] = ["fixed step", "search by natural map", "search by residual"]
row_of(s) = without(s) ? 1 : 2
error_of(p, s) = last_of(p, s, at_natural_map_error)
ended(p, s) = sprintf("%s %.0e after %g", kind[kind_of(s)], error_of(p, s), last_of(p, s, 1))
array stalled[4]; array counted[4] # of a merit: without friction, with it
do for [i = 1:4] { stalled[i] = 0; counted[i] = 0 }
array search[3]
do for [r = 1:2] {
    outcome = outcome.(r == 1 ? "Without friction, " : "With friction, ")."natural-map error [m/s] at the end and iterations: "
    do for [p = 1:panels] {
        outcome = outcome.(p > 1 ? "; " : "").panel_name(p).":"
        do for [i = 1:3] { search[i] = NaN }
        do for [s = 1:series_of(p)] { if (row_of(s) == r) { outcome = outcome." ".ended(p, s).","; search[kind_of(s)] = error_of(p, s) } }
        outcome = outcome[1:strlen(outcome) - 1]
        do for [i = 2:3] { if (search[i] == search[i] && search[1] == search[1]) {
            at_ = 2 * (i - 2) + r
            counted[at_] = counted[at_] + 1; stalled[at_] = stalled[at_] + (search[i] > 10 * larger(search[1], 1e-10))
        } }
    }
    outcome = outcome.".\n"
}
of_steps(i) = sprintf("%d of %d steps without friction, %d of %d with it", stalled[2 * i - 1], counted[2 * i - 1], stalled[2 * i], counted[2 * i])
found = counted[3] + counted[4] > 0 ? of_steps(2) : of_steps(1)
outcome = outcome."The line search stalls (ends at more than ten times the error of the fixed step, or of 1e-10 m/s where that is larger) by the residual in ".of_steps(2).", by the natural map in ".of_steps(1).".\nThe paper (8.1): without friction a line search worked well, with friction it would often cause the iteration to stall."
about = "Natural-map error of one step, newton with pcr. The fixed step is t = 0.75; a line search halves t from 1 until a merit falls, the 2-norm of the residual (the paper's) or the natural-map error, and ends where eight halvings do not help: there its curve ends."
brief = (papers ? "Paper: a line search works without friction, often stalls with it. Here it" : "The line search")." stalls in ".found."."
entries = 3
do for [i = 1:3] { entry[i] = kind[i]; entry_style[i] = i; entry_kind[i] = "lp"; entry_shown[i] = sum [s = 1:series_1] (kind_of(s) == i) }
extent_first = at_natural_map_error; extent_last = at_natural_map_error
@extent
@begin
@decade_ticks; @iteration_ticks
x_name = "Newton iteration"
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = (r == 1 ? "no friction [m/s]" : "with friction [m/s]"); @y_label
    plot NaN notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(row_of(s) == r ? larger(column(at_natural_map_error), 1e-16) : NaN) with lines ls (kind_of(s)) notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using 1:(row_of(s) == r ? larger(column(at_natural_map_error), 1e-16) : NaN) with points ls (kind_of(s)) notitle
} }
