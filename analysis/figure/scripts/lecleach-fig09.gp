# title: Drops at six rates and smoothings: failures, iterations, violation (Le Cleac'h et al. 2023, fig. 9)
# run: drop --time-step 0.1 --steps 15 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --batch 100 --batch-seeds on --linear-history off --repeat 0
# run: drop --time-step 0.0625 --steps 24 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --batch 100 --batch-seeds on --linear-history off --repeat 0
# run: drop --time-step 0.04 --steps 38 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --batch 100 --batch-seeds on --linear-history off --repeat 0
# run: drop --time-step 0.025 --steps 60 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --batch 100 --batch-seeds on --linear-history off --repeat 0
# run: drop --time-step 0.016 --steps 94 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --batch 100 --batch-seeds on --linear-history off --repeat 0
# run: drop --time-step 0.01 --steps 150 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-4,1e-5,1e-6,1e-8,1e-10 --batch 100 --batch-seeds on --linear-history off --repeat 0
# quick: drop --time-step 0.1 --steps 15 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-6 --batch 5 --batch-seeds on --linear-history off --repeat 0
# quick: drop --time-step 0.04 --steps 38 --method single-level,bilevel --method-option rho-unit=product --method-option rho=1e-3,1e-6 --batch 5 --batch-seeds on --linear-history off --repeat 0
# select: scenario=drop method=single-level|bilevel batch_seeds=1
# panel: method+time_step
# series: @method.rho
# rows: batch
# columns: h=time_step steps made=count(reason) reason=most(reason) iterations=mean(newton_iterations) violation=most(max_penetration)
# number: drops=count(row)
# number: failed=count(row where not (made >= steps and reason == 1))
# number: passes=sum(iterations)
# number: sunk=sum(violation where made >= steps and reason == 1)
# number: deepest=most(violation where made >= steps and reason == 1)
method_of(p) = (t_ = spaced(panel_name(p)), i_ = strstrt(t_, " "), t_[1:i_ - 1])
methods = "single-level bilevel"
# a line for each rate, in ascending order: rate, runs that fail [%], iterations, and the mean over the others of their deepest
# penetration, which breaks a line where all fail
array failed[2]; array drops[2]; array passes[2]; array deepest[2]; array line_[panels]; array rate_[panels]
do for [m = 1:2] { failed[m] = 0; drops[m] = 0; passes[m] = 0; deepest[m] = 0 }
curves_ = series_1; n_of = panels; key_of(p) = rate_[p]; point_of(p) = line_[p]
set print $points
do for [m = 1:2] { do for [s = 1:series_1] {
    do for [p = 1:panels] { rate_[p] = NaN; if (method_of(p) eq word(methods, m)) {
        h_ = last_of(p, s, 1)
        if (h_ > 0) {
            n_ = number_of("drops", p, s); bad_ = number_of("failed", p, s); i_sum = number_of("passes", p, s)
            rate_[p] = 1 / h_
            line_[p] = sprintf("%.9g\t%.9g\t%.9g\t%.9g\t%d", 1 / h_, 100.0 * bad_ / n_, i_sum / n_, bad_ < n_ ? number_of("sunk", p, s) / (n_ - bad_) : NaN, bad_ == n_)
            failed[m] = failed[m] + bad_; drops[m] = drops[m] + n_; passes[m] = passes[m] + i_sum
            deepest[m] = bad_ < n_ ? larger(number_of("deepest", p, s), deepest[m]) : deepest[m]
        }
    } }
    @print_curve
} }
unset print
do for [m = 1:2] { if (drops[m]) { outcome = outcome.sprintf("%s: %d of %d drops have a step that does not converge; %.1f iterations per step; deepest penetration of those that do, %.1e m. ", word(methods, m), failed[m], drops[m], passes[m] / drops[m], deepest[m]) } }
if (papers) { outcome = outcome."Le Cleac'h et al. (2023): 4 of 3600, and 55 to 95 %; penetrations more than 100 times smaller on average." }
about = "A pentagon falls on the ground for 1.5 s from as many random places at each rate and smoothing rho (legend): drops with a step that does not converge in 30 iterations; the mean iterations of a step; and of drops that converge the deepest penetration, its mean (none where bodies stay apart). What single-level keeps of gaps is rho over the normal impulse; with bilevel, whose collisions are solved by themselves to 1e-4, it is what that leaves."
failures = ""
do for [m = 1:2] { if (drops[m]) { failures = failures.(failures eq "" ? "" : ", ").sprintf("%s fails in %d of %d", word(methods, m), failed[m], drops[m]) } }
brief = "Falls of a pentagon: ".failures.(papers ? " (the paper: 4 of 3600, and 55 to 95 %)." : ".")
do for [i = 1:entries] { entry[i] = "rho ".value_in(label_of(1, i)) }
if (failed[1] + failed[2] > 0) { entries = entries + 1; entry[entries] = "all fail"; entry_style[entries] = 21; entry_kind[entries] = "p"; entry_shown[entries] = 1 }
panels = 3; panel_names = "drops_that_fail_[%] iterations_per_step penetration_[m]"
rows = 2; tall = 95 * k; row_gap = 22; least_wide = 100
@begin
set logscale x; set xtics (10, 16, 25, 40, 63, 100)
x_name = "steps per second [1/s]"
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = word(methods, r); @y_label
    if (p == 3) { set logscale y; set format y "10^{%L}"; set yrange [1e-11:1e-1]; set ytics 100 } else { unset logscale y; set format y "%g"; set ytics autofreq; set yrange [0:*]; if (p == 1) { set yrange [-3:103] } else { set yrange [0:30] } }
    set xrange [9:110]
    plot for [s = 1:curves_] $points index (curves_ * (r - 1) + s - 1) using 1:(column(p + 1)) with linespoints ls s notitle, for [s = 1:(p == 3 ? curves_ : 0)] $points index (curves_ * (r - 1) + s - 1) using ($5 > 0 ? $1 * 1.04**(s - 0.5 * curves_ - 0.5) : NaN):(3e-2) with points ls s pt 2 notitle
} }
