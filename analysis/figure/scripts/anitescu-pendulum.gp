# title: Length of a rod, with constraint stabilization and without (Anitescu, Hart, ICIAM 2003)
# run: pendulum --time-stepping anitescu-hart --friction-law coulomb --stabilization 0,1 --method psor --newton-iterations 5 --newton-tolerance 0 --record-every 5 --linear-history off
# quick: pendulum --time-stepping anitescu-hart --friction-law coulomb --stabilization 0,1 --method psor --steps 500 --newton-iterations 5 --newton-tolerance 0 --record-every 5 --linear-history off
# select: scenario=pendulum geometry=frozen
# panel: scenario
# series: @stabilization
# rows: step
# columns: step time infeasibility
# of the length's error e the constraint (|q|^2 - L^2)/2, L = 1 m
drift(e) = e * (1 + 0.5 * e)
array most[series_of(1)]
do for [s = 1:series_of(1)] { most[s] = drift(most_of(1, s, 3)) }
kept = index_of(1, "stabilization=1"); lost = index_of(1, "stabilization=0")
steps = rows_of(1, 1)
ratio = kept && lost ? most[lost] / most[kept] : NaN
outcome = "Largest (|q|^2 - L^2)/2:"
do for [s = 1:series_of(1)] { outcome = outcome.sprintf("%s K = %s %.3g m^2", s > 1 ? "," : "", value_in(label_of(1, s)), most[s]) }
outcome = outcome.sprintf(" in %d steps.\n", steps).(ratio == ratio ? sprintf("Ratio %.3g", ratio).(papers ? " (the paper: about 10^3)" : "").": with K = 1 the error is what the final step left, h^2 |v|^2/2, and with K = 0 all steps' add up, so that the ratio grows with their number.\n" : "")
about = "A point mass on a rod of 1 m, released at the horizontal. The steps are solved to round-off: what is drawn is the error of linearized constraints alone."
brief = ratio == ratio ? sprintf("Ratio of the largest errors %.3g after %d steps", ratio, steps).(papers ? " (paper: about 1000)" : "").": unstabilized, each step's h²|v|²/2 adds up." : outcome
do for [s = 1:entries] { entry[s] = "K = ".value_in(label_of(1, s)); entry_kind[s] = "l" }
tall = 120 * k; panel_title = 3
@begin
set logscale y; set format y "10^{%L}"; set yrange [1e-7:10]
p = 1
@place
eval(x_named("time [s]")); eval(y_named("(|q|² − L²)/2 [m²]"))
plot for [s = 1:series_of(1)] panel_file(1) index (s - 1) using 2:(larger(drift($3), 1e-9)) with lines ls s notitle
