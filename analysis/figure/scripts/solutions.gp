# title: Which of a step's several solutions a method takes
# run: drop --set set=polytope --geometry frozen --settle 49,54,59 --steps 1 --reference on --method interior-point,newton,auto,psor,apgd --newton-iterations 1000 --linear-iterations 200 --newton-tolerance 1e-11 --linear-history off
# quick: drop --set set=polytope --geometry frozen --settle 49 --steps 1 --reference on --method interior-point,newton,auto,psor --newton-iterations 1000 --linear-iterations 200 --newton-tolerance 1e-11 --linear-history off
# select: reference=1 steps=1 precision=f64
# panel: scenario+settle
# series: method+linear_solver+preconditioner?+warm_start?
# rows: newton
# at: last
# columns: iteration natural_map_error first_distance second_distance
apart_at(p, s) = s > series_of(p) ? NaN : exists(sprintf("apart_%d_%d", p, s)) ? value(sprintf("apart_%d_%d", p, s)) : apart_at(p, s + 1)
apart_of(p) = apart_at(p, 1)
taken_of(p, s) = exists(sprintf("solution_%d_%d", p, s)) ? word("none first second another", 1 + value(sprintf("solution_%d_%d", p, s))) : "no two known"
several = 0
do for [p = 1:panels] { several = several + (apart_of(p) == apart_of(p)) }
outcome = "Outcome, the solution that each method ended at:"
do for [p = 1:panels] {
    outcome = outcome."\n".panel_name(p).": ".(apart_of(p) == apart_of(p) ? sprintf("two, %.1e m/s apart: ", apart_of(p)) : "")
    do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? ", " : "").spaced(label_of(p, s))." ".taken_of(p, s) }
}
about = "Velocities against the step's first solution (of interior-point) and its second one (of newton), both found at a natural map of 1e-8 m/s or less, in the mass norm over the total mass. Dashed: the distance of the two. A method at neither, with a natural map of 1e-8 m/s or less, has a third solution (core/errors.md)."
brief = several > 0 ? "A body slides and spins on four corners: its normal forces are not unique, and by friction its velocity is not. Dashed: distance of two exact solutions." : "No step here has two known solutions."
entries = entries + 1; entry[entries] = "distance of the two solutions"; entry_style[entries] = 17; entry_kind[entries] = "l"
entry_shown[entries] = several > 0
shown_columns = sprintf("%d %d %d", at_natural_map_error, at_first_distance, at_second_distance)
extent_first = at_natural_map_error; extent_last = at_second_distance
@extent
rows = 3; tall = 84 * k; row_gap = 26
@begin
@decade_ticks
@iteration_ticks
names = "natural_map_error first_distance second_distance"
titles = "natural_map_[m/s] from_first_[m/s] from_second_[m/s]"
longest(p) = (n_ = 0, sum [s_ = 1:series_of(p)] (n_ = larger(n_, rows_of(p, s_) - 1), 0), n_)
do for [p = 1:panels] { do for [r = 1:rows] {
    @place
    set logscale x; set xrange [1:larger(10, longest(p) + 1)]; set format x "%g"; set xtics autofreq; unset mxtics
    eval(x_named(r < 3 ? "" : "iteration + 1"))
    y_name = spaced(word(titles, r)); @y_label
    y = value("at_".word(names, r))
    own = r > 1 ? apart_of(p) : NaN
    if (r > 1 && own != own) { set label 90 "no two solutions\nare known" at graph 0.5, graph 0.6 center } else { unset label 90 }
    marked(s) = $1 == $1 && int($1) % every_of(p, s) == first_of(p, s) ? floored(column(y)) : NaN
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using ($1 + 1):(floored(column(y))) with lines ls s notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using ($1 + 1):(marked(s)) with points ls s notitle, own with lines ls 17 notitle
} }
unset label 90
