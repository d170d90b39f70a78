# title: A residual or an error against iteration, work or time, in one step of any runs
# all: runs of any record
# panel: *
# series: *
# rows: newton
# at: last:0
# y: natural_map_error
# columns: iteration operator_applications=before(operator_applications) time_ms=before(assembly_ms+setup_ms+solve_ms) y
# number: alone=count(y where not (at(y, -1) == at(y, -1)) and not (at(y, 1) == at(y, 1)))
y_column = 4; x_column = axis == 0 ? 1 : axis == 1 ? 2 : 3
axes = (linear ? "linear_iteration" : "iteration")." products_with_the_operator time_[ms]"
shown_columns = sprintf("%d", y_column)
last_y(p, s) = last_of(p, s, y_column)
outcome = "At the end, ".y_name.":"
do for [p = 1:panels] {
    outcome = outcome."\n".spaced(panel_name(p)).": "
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", spaced(label_of(p, s)), number("%.3g", last_y(p, s))) }
}
about = y_about
brief = y_about
# a quantity that is positive and changes by more than a factor of thirty has a logarithmic axis
least = 1e300; largest = -1e300; smallest = 1e300; most = 1; first_x = 1e300; widest_number = 0
do for [p = 1:panels] {
    if (has(p, 0, y_column)) {
        low_ = least_of(p, 0, y_column); high_ = most_of(p, 0, y_column)
        least = smaller(low_, least); largest = larger(high_, largest); smallest = smaller(told("low", p, 0, y_column), smallest)
        widest_number = larger(widest_number, numbers_wide(low_, high_) / k)
    }
    most = larger(most_of(p, 0, x_column), most); first_x = smaller(told("low", p, 0, x_column), first_x)
}
logarithmic = least >= 0 && largest > 30 * smallest
low = logarithmic ? 10**floor(log10(smallest) - 0.05) : 0; high = logarithmic ? 10**ceil(log10(largest) + 0.05) : 0
high = logarithmic && high <= low ? 10 * low : high
# what are kinds, "0=none 1=exact ...", has their names along its axis, which takes room
kinds = words(y_legend)
kind_number(i) = (t_ = word(y_legend, i), real(t_[1:strstrt(t_, '=') - 1]))
kind_name(i) = (t_ = word(y_legend, i), t_[strstrt(t_, '=') + 1:])
kind_shown(i) = kind_number(i) >= least && kind_number(i) <= largest
widest = 0
do for [i = 1:kinds] { if (kind_shown(i)) { widest = larger(widest, text_wide(kind_name(i)) / k) } }
left_space = larger(left_space, kinds ? 22 + widest : logarithmic ? 0 : 16 + widest_number)
between = larger(between, left_space - 11)
kind_ticks = "set ytics (); do for [i = 1:kinds] { if (kind_shown(i)) { set ytics add (kind_name(i) kind_number(i)) } }; set yrange [least - 0.5:largest + 0.5]"
logarithmic = logarithmic && !kinds
if (logarithmic && least <= 1e-16) { outcome = outcome."\nAt the lower edge: values up to 1e-16" }
tall = (panels <= 2 ? 140 : 100) * k
@begin
if (logarithmic) { @decade_ticks }
if (kinds) { @kind_ticks }
if (axis == 0) { @iteration_ticks } else { if (most > 100 * first_x) { set logscale x; set format x "10^{%L}"; set xrange [10**floor(log10(first_x)):10**ceil(log10(most))] } else { set xrange [0:(most > 0 ? most : 1)] } }
x_name = spaced(word(axes, axis + 1))
# what is below all decades, a residual of exactly 0 for one, is at the lower edge
drawn_y(y) = !logarithmic ? y : y >= 0 && y <= 1e-16 ? low : drawn(y)
# A point without neighbours has no line: curves that have such a one have all markers.
alone(p, s) = number_of("alone", p, s) > 0
marked_every(p, s) = alone(p, s) ? 1 : every_of(p, s)
marked_from(p, s) = alone(p, s) ? 0 : first_of(p, s)
do for [p = 1:panels] {
    @place; @x_label; @y_label
    plot NaN notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using (column(x_column)):(drawn_y(column(y_column))) with lines ls s notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) every marked_every(p, s)::marked_from(p, s) using (column(x_column)):(drawn_y(column(y_column))) with points ls s notitle
}
