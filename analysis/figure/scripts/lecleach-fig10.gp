# title: Momentum of two blocks at rest, at six rates and smoothings (Le Cleac'h et al. 2023, fig. 10)
# run: blocks --time-step 0.1 --steps 10 --set offset=0,0.08,0.16,0.24,0.32,0.4,0.48,0.56,0.64,0.72 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --linear-history off --repeat 0
# run: blocks --time-step 0.0625 --steps 16 --set offset=0,0.08,0.16,0.24,0.32,0.4,0.48,0.56,0.64,0.72 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --linear-history off --repeat 0
# run: blocks --time-step 0.04 --steps 25 --set offset=0,0.08,0.16,0.24,0.32,0.4,0.48,0.56,0.64,0.72 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --linear-history off --repeat 0
# run: blocks --time-step 0.025 --steps 40 --set offset=0,0.08,0.16,0.24,0.32,0.4,0.48,0.56,0.64,0.72 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --linear-history off --repeat 0
# run: blocks --time-step 0.016 --steps 62 --set offset=0,0.08,0.16,0.24,0.32,0.4,0.48,0.56,0.64,0.72 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --linear-history off --repeat 0
# run: blocks --time-step 0.01 --steps 100 --set offset=0,0.08,0.16,0.24,0.32,0.4,0.48,0.56,0.64,0.72 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --linear-history off --repeat 0
# quick: blocks --time-step 0.1 --steps 10 --set offset=0,0.48 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-6 --linear-history off --repeat 0
# quick: blocks --time-step 0.04 --steps 25 --set offset=0,0.48 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-6 --linear-history off --repeat 0
# select: scenario=blocks method=single-level|bilevel steps=10|16|25|40|62|100 time_step=0.1|0.0625|0.04|0.025|0.016|0.01
# panel: method+time_step
# series: @method.rho+@offset
# gathered: series
# rows: run
# columns: h=time_step steps made=count(reason) reason=most(reason) energy=mean(kinetic_energy)
method_of(p) = (t_ = spaced(panel_name(p)), i_ = strstrt(t_, " "), t_[1:i_ - 1])
methods = "single-level bilevel"
rho_in(t) = (t_ = spaced(t), i_ = strstrt(t_, "rho="), j_ = strstrt(t_[i_:]." ", " "), t_[i_ + 4:i_ + j_ - 2])
# the smoothings, in the order of the runs
rhos = ""; do for [s = 1:series_1] { r_ = rho_in(label_of(1, s)); if (!strstrt(" ".rhos." ", " ".r_." ")) { rhos = rhos.(rhos eq "" ? "" : " ").r_ } }
curves_ = words(rhos)
array failed[2]; array runs_[2]
do for [m = 1:2] { failed[m] = 0; runs_[m] = 0 }
# a line for each rate, in ascending order: rate, median over the offsets of the momentum, runs that fail [%]; and all momenta of a method
set print $all
do for [m = 1:2] {
    print "nan" # a block of its own, also where the record has no run of the method
    do for [p = 1:panels] { if (method_of(p) eq word(methods, m)) { do for [s = 1:series_of(p)] { e_ = last_of(p, s, 5); if (e_ == e_) { print sprintf("%.9g", sqrt(2 * e_)) } } } }
    print ""; print ""
}
unset print
$points << EOD
EOD
array line_[panels]; array rate_[panels]
n_of = panels; key_of(p) = rate_[p]; point_of(p) = line_[p]
do for [m = 1:2] { do for [c = 1:curves_] {
    do for [p = 1:panels] { rate_[p] = NaN; if (method_of(p) eq word(methods, m)) {
        n_ = 0; bad_ = 0; h_ = 0
        set print $momenta
        do for [s = 1:series_of(p)] { if (rho_in(label_of(p, s)) eq word(rhos, c) && last_of(p, s, 1) == last_of(p, s, 1)) {
            n_ = n_ + 1; h_ = last_of(p, s, 1)
            bad_ = bad_ + !(last_of(p, s, 3) == last_of(p, s, 2) && last_of(p, s, 4) == 1)
            print sprintf("%.9g", sqrt(2 * last_of(p, s, 5)))
        } }
        unset print
        if (n_ > 0) {
            stats $momenta using 1 nooutput
            rate_[p] = 1 / h_
            line_[p] = sprintf("%.9g\t%.9g\t%.9g", 1 / h_, STATS_median, 100.0 * bad_ / n_)
            failed[m] = failed[m] + bad_; runs_[m] = runs_[m] + n_
        }
    } }
    set print $points append
    @print_curve
} }
unset print
array middle[2]; array mean[2]
do for [m = 1:2] { middle[m] = NaN; mean[m] = NaN; if (runs_[m]) { stats $all index (m - 1) using 1 nooutput; middle[m] = STATS_median; mean[m] = STATS_mean } }
do for [m = 1:2] { if (runs_[m]) { outcome = outcome.sprintf("%s: %d of %d runs have a step that does not converge; momentum, median %.1e, mean %.1e kg m/s. ", word(methods, m), failed[m], runs_[m], middle[m], mean[m]) } }
both_ = runs_[1] && runs_[2]
if (both_) { outcome = outcome.sprintf("Ratio of the medians %.2g, of the means %.2g%s", middle[2] / middle[1], mean[2] / mean[1], papers ? "; the paper: single-level stable in all 360 runs, its momentum ten times smaller on average." : ".") }
about = "Two blocks of 1 kg on each other, the upper one aside by 0 to 0.18 m: the tower stands, so that all momentum is an error. Of a run sqrt(2 m E), E its mean kinetic energy over one second; drawn is the median over ten offsets, at each rate and smoothing rho (legend), and the runs with a step that does not converge in 30 iterations."
failures = ""
do for [m = 1:2] { if (runs_[m]) { failures = failures.(failures eq "" ? "" : ", ").sprintf("%s %d of %d runs", word(methods, m), failed[m], runs_[m]) } }
brief = "Two blocks at rest. Failed: ".failures.(both_ ? sprintf("; momenta, ratio of the medians %.2g%s.", middle[2] / middle[1], papers ? " (the paper: ten times on average)" : "") : ".")
entries = curves_
do for [i = 1:entries] { entry[i] = "rho ".word(rhos, i); entry_style[i] = i; entry_kind[i] = "lp"; entry_shown[i] = 1 }
panels = 2; panel_names = "momentum_[kg_m/s] runs_that_fail_[%]"
rows = 2; tall = 95 * k; row_gap = 22; least_wide = 150
@begin
set logscale x; set xtics (10, 16, 25, 40, 63, 100)
x_name = "steps per second [1/s]"
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = word(methods, r); @y_label
    if (p == 1) { set logscale y; set format y "10^{%L}"; set yrange [1e-12:1e1]; set ytics 1000 } else { unset logscale y; set format y "%g"; set ytics autofreq; set yrange [-3:103] }
    set xrange [9:110]
    plot for [s = 1:curves_] $points index (curves_ * (r - 1) + s - 1) using 1:(column(p + 1)) with linespoints ls s notitle
} }
