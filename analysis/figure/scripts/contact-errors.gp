# title: Errors of contacts: how many are large, and at which height
# any: runs of scenarios; --at STEP takes a state that --store-states stored, else the last one is shown
# select: precision=f32|f64|mixed
# panel: *
# series: *
# rows: contacts
outcome = "Largest error:\n"
do for [p = 1:panels] { do for [s = 1:series_of(p)] { if (has(p, s, 2)) { outcome = outcome.sprintf("%s, %s: %.2e m/s\n", spaced(panel_name(p)), spaced(label_of(p, s)), most_of(p, s, 2)) } } }
about = "Natural map of each contact, the larger of normal and friction. Above: x percent of the contacts have at least the error y. Below: error against the contact's height."
brief = about
rows = 2; tall = 85 * k; row_gap = 30; shown_columns = "2"
high = 5e-9 # round-off is below the axis
do for [p = 1:panels] { t_ = most_of(p, 0, 2); high = t_ == t_ ? larger(high, t_) : high }
high = 10**ceil(log10(high) + 0.1); low = 1e-8 * high
@begin
do for [p = 1:panels] {
    do for [r = 1:2] {
        @place
        eval(y_named(first_column(p) ? "error of a contact [m/s]" : ""))
        eval(x_named(r == 1 ? "share of contacts [%]" : "height [m]"))
        @decade_ticks
        if (r == 1) {
            set xrange [0:100]; set xtics 25
            plot NaN notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(larger($2, low)) with steps ls s notitle
        } else {
            set xrange [*:*]; set xtics auto
            plot NaN notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 3:(larger($2, low)) with points ls s ps 0.4 notitle
        }
    }
}
