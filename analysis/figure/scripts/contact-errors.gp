# title: Errors of contacts: how many are large, and at which height
# any: runs of scenarios; --at STEP takes a state that --store-states stored, else the last one is shown
# select: precision=f32|f64|mixed
# panel: *
# series: *
# rows: contacts
outcome = "Largest error:\n"
do for [p = 1:panels] { do for [s = 1:series_of(p)] { if (has(p, s, 2)) { outcome = outcome.sprintf("%s, %s: %.2e m/s\n", spaced(panel_name(p)), spaced(label_of(p, s)), first_of_column(p, s, 2)) } } }
about = "Natural map of each contact, the larger of normal and friction. Above: x percent of the contacts have at least the error y. Below: error against the contact's height."
brief = about
rows = 2; tall = 85 * k; row_gap = 30; shown_columns = "2"
high = 5e-9 # round-off is below the axis
do for [p = 1:panels] { t_ = most_of(p, 0, 2); high = t_ == t_ ? larger(high, t_) : high }
high = 10**ceil(log10(high) + 0.1); low = 1e-8 * high
# where iterates were kept a plot for each of these iterations and one of the state, -1
taken = sprintf("%d", iteration)
do for [p = 1:panels] { if (most_of(p, 0, 8) > iteration) { taken = "1 10 100 -1" } }
early = " What ends before an iteration is shown as it ends."; short = "Above: x percent of the contacts have at least the error y. Below: error against height."
if (taken ne "-1") { about = about.early; brief = short.early }
# of very many contacts some, by rank of their errors
thin(p, s) = int(ceil(rows_of(p, s) / words(taken) / 1000.0))
thinnest = 1
do for [p = 1:panels] { do for [s = 1:series_of(p)] { thinnest = larger(thinnest, thin(p, s)) } }
if (thinnest > 1) { t_ = sprintf(" Of many contacts one in %d is drawn.", thinnest); about = about.t_; brief = short.t_ }
of(p) = (p - 1) / words(taken) + 1
iteration_of(p) = int(word(taken, (p - 1) % words(taken) + 1))
panel_name(p) = word(panel_names, of(p)).(taken eq "-1" ? "" : iteration_of(p) < 0 ? ",_end" : sprintf(",_iteration_%d", iteration_of(p)))
panels = panels * words(taken)
@begin
do for [p = 1:panels] {
    i = iteration_of(p)
    do for [r = 1:2] {
        @place
        eval(y_named(first_column(p) ? "error of a contact [m/s]" : ""))
        eval(x_named(r == 1 ? "share of contacts [%]" : "height [m]"))
        @decade_ticks
        at(x) = $8 == i ? x : NaN
        if (r == 1) {
            set xrange [0:100]; set xtics 25
            plot NaN notitle, for [s = 1:series_of(of(p))] panel_file(of(p)) index (s - 1) every thin(of(p), s) using (at($1)):(larger($2, low)) with steps ls s notitle
        } else {
            set xrange [*:*]; set xtics larger(1e-9, nice((most_of(of(p), 0, 3) - least_of(of(p), 0, 3)) * 24 * k / wide))
            plot NaN notitle, for [s = 1:series_of(of(p))] panel_file(of(p)) index (s - 1) every thin(of(p), s) using (at($3)):(larger($2, low)) with points ls s ps 0.4 notitle
        }
    }
}
