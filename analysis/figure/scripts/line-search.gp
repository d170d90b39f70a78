# title: A line search on the Newton step, without and with friction
# run: piling,heavy-stack,arch,wall --set mu=0,0.7 --settle 30 --steps 1 --newton-iterations 60 --linear-iterations 160 --linear-history off --line-search none,backtracking
# quick: piling,arch --set mu=0,0.7 --settle 10 --steps 1 --newton-iterations 30 --linear-iterations 160 --linear-history off --line-search none,backtracking
# select: steps=1 linear_iterations=160 linear_solver=pcr precision=f64 line_search=none|backtracking
# panel: scenario
# series: line_search+@mu
# rows: newton
# at: last
# columns: iteration all
# a row of plots without friction, one with it: the curves by their names, "none mu=0"
rows = 2; tall = 84 * k
without(s) = (i_ = strstrt(label_of(1, s), "_mu="), i_ > 0 && real(label_of(1, s)[i_ + 4:]) == 0)
searches(s) = label_of(1, s)[1:4] eq "back"
row_of(s) = without(s) ? 1 : 2
error_of(p, s) = last_of(p, s, at_natural_map_error)
ended(p, s) = sprintf("%s %.0e after %g", searches(s) ? "line search" : "fixed step", error_of(p, s), last_of(p, s, 1))
array stalled[2]; array counted[2]
do for [r = 1:2] { stalled[r] = 0; counted[r] = 0 }
outcome = ""
do for [r = 1:2] {
    outcome = outcome.(r == 1 ? "Without friction, " : "With friction, ")."natural-map error [m/s] at the end and iterations: "
    do for [p = 1:panels] {
        outcome = outcome.(p > 1 ? "; " : "").panel_name(p).":"
        least = 1e300; search = NaN
        do for [s = 1:series_of(p)] { if (row_of(s) == r) {
            outcome = outcome." ".ended(p, s).","
            if (searches(s)) { search = error_of(p, s) } else { least = error_of(p, s) }
        } }
        outcome = outcome[1:strlen(outcome) - 1]
        if (search == search && least < 1e300) { counted[r] = counted[r] + 1; stalled[r] = stalled[r] + (search > 10 * larger(least, 1e-10)) }
    }
    outcome = outcome.".\n"
}
found = sprintf("%d of %d steps without friction, %d of %d with it", stalled[1], counted[1], stalled[2], counted[2])
outcome = outcome."The line search stalls (ends at more than ten times the error of the fixed step, or of 1e-10 m/s where that is larger) in ".found.".\nThe paper (8.1): without friction a line search worked well, with friction it would often cause the iteration to stall."
about = "Natural-map error of one step, newton with pcr. The fixed step is t = 0.75; the line search halves t from 1 until the natural-map error falls (the paper's merit function is the 2-norm of the residual), and ends where eight halvings do not help: there its curve ends."
brief = (papers ? "Paper: a line search works without friction, often stalls with it. Here it" : "The line search")." stalls in ".found."."
entries = 2
entry[1] = "fixed step"; entry[2] = "line search"
do for [i = 1:2] { entry_style[i] = i; entry_kind[i] = "lp"; entry_shown[i] = sum [s = 1:series_1] ((searches(s) ? 2 : 1) == i) }
extent_first = at_natural_map_error; extent_last = at_natural_map_error
@extent
@begin
@decade_ticks; @iteration_ticks
x_name = "Newton iteration"
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = (r == 1 ? "no friction [m/s]" : "with friction [m/s]"); @y_label
    plot NaN notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(row_of(s) == r ? larger(column(at_natural_map_error), 1e-16) : NaN) with lines ls (searches(s) ? 2 : 1) notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using 1:(row_of(s) == r ? larger(column(at_natural_map_error), 1e-16) : NaN) with points ls (searches(s) ? 2 : 1) notitle
} }
unset multiplot
