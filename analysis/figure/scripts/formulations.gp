# title: Time of a step of soft bodies by formulation, stiffness and Poisson's ratio
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form compliance --linear-solver pcr,cholesky --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form stiffness --preconditioner block-jacobi --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form condensed --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form compliance --linear-solver pcr,cholesky --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form stiffness --preconditioner block-jacobi --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form condensed --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: soft-stack --set count=2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form compliance --linear-solver pcr,cholesky --settle 20 --steps 5 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off --repeat 2
# run: soft-stack --set count=2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form stiffness --preconditioner block-jacobi --settle 20 --steps 5 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off --repeat 2
# run: soft-stack --set count=2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form condensed --settle 20 --steps 5 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off --repeat 2
# run: soft-stack --set count=2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form compliance --linear-solver pcr,cholesky --settle 20 --steps 5 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off --repeat 2
# run: soft-stack --set count=2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form stiffness --preconditioner block-jacobi --settle 20 --steps 5 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off --repeat 2
# run: soft-stack --set count=2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form condensed --settle 20 --steps 5 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off --repeat 2
# quick: bar --set cells=4 --set duration=0.1 --set stretch=1.2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form compliance,condensed --steps 3 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off
# quick: bar --set cells=4 --set duration=0.1 --set stretch=1.2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form stiffness --preconditioner block-jacobi --steps 3 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off
# quick: bar --set cells=4 --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.3,0.49 --form compliance,condensed --steps 3 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off
# quick: bar --set cells=4 --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.3,0.49 --form stiffness --preconditioner block-jacobi --steps 3 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off
# quick: soft-stack --set count=2 --set cells=1 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form compliance,condensed --settle 20 --steps 3 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off
# quick: soft-stack --set count=2 --set cells=1 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form stiffness --preconditioner block-jacobi --settle 20 --steps 3 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off
# quick: soft-stack --set count=2 --set cells=1 --set young=1e6 --set poisson=0,0.3,0.49 --form compliance,condensed --settle 20 --steps 3 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off
# quick: soft-stack --set count=2 --set cells=1 --set young=1e6 --set poisson=0,0.3,0.49 --form stiffness --preconditioner block-jacobi --settle 20 --steps 3 --newton-tolerance 1e-7 --newton-iterations 100 --linear-iterations 3000 --linear-tolerance 1e-4 --linear-history off
# select: scenario=bar|soft-stack newton_tolerance=1e-07 newton_iterations=60|100 linear_iterations=3000 linear_tolerance=0.0001 precision=f64
# panel: scenario+@young+@poisson
# series: form+linear_solver
# rows: run
# columns: steps tetrahedra contacts=most(contacts) reached=count(newton_iterations@1e-6) newton=mean(newton_iterations@1e-6) linear=mean(linear_iterations@1e-6) ms=median(step_ms@1e-6)
# times: shown
number_in(t, name) = (i_ = strstrt(t, name."="), r_ = t[i_ + strlen(name) + 1:], e_ = strstrt(r_, "_"), real(e_ ? r_[1:e_ - 1] : r_))
young(q) = number_in(panel_name(q), "young"); poisson(q) = number_in(panel_name(q), "poisson")
scene(q) = (t_ = panel_name(q), t_[1:strstrt(t_, "_") - 1])
ran(q, s) = last_of(q, s, 1) == last_of(q, s, 1)
all(q, s) = last_of(q, s, 1) == last_of(q, s, 4)
ms(q, s) = all(q, s) ? last_of(q, s, 7) : NaN
linear_(q, s) = all(q, s) && last_of(q, s, 5) > 0 ? last_of(q, s, 6) / last_of(q, s, 5) : NaN
named(s) = (t_ = spaced(label_of(1, s)), t_ eq "condensed pcr" ? "condensed: factor of K, PCR" : t_ eq "stiffness pcr" ? "stiffness, PCR, 3 x 3 blocks" : t_ eq "compliance pcr" ? "compliance, PCR" : t_ eq "compliance cholesky" ? "compliance, Cholesky" : t_)
curves_ = series_of(1); settings_ = panels
# of each scene the first of its settings, and the values that come most often: held while the other goes
array first_[settings_]; array held_e[settings_]; array held_nu[settings_]
scenes_ = 0
held(f, q) = sum [r = 1:settings_] (scene(r) eq scene(q) && (f == 1 ? young(r) == young(q) : poisson(r) == poisson(q)))
do for [q = 1:settings_] {
    if (!(sum [c = 1:scenes_] (scene(first_[c]) eq scene(q)))) {
        scenes_ = scenes_ + 1; first_[scenes_] = q; most_e = q; most_nu = q
        do for [r = q:settings_] { if (scene(r) eq scene(q)) { if (held(1, r) > held(1, most_e)) { most_e = r }; if (held(2, r) > held(2, most_nu)) { most_nu = r } } }
        held_e[scenes_] = young(most_e); held_nu[scenes_] = poisson(most_nu)
    }
}
# whether setting q is drawn in panel p: of its scene, by Young's modulus on the left and by Poisson's ratio on the right
drawn_in(p, q) = (c_ = (p + 1) / 2, scene(q) eq scene(first_[c_]) && (p % 2 ? poisson(q) == held_nu[c_] : young(q) == held_e[c_]))
# how hard to compress: 1/(1 - 2 nu) is lambda over mu, and one
hard(q) = 1 / (1 - 2 * poisson(q))
power(e) = abs(log10(e) - floor(log10(e) + 0.5)) < 1e-9 ? sprintf("1e%.0f", log10(e)) : sprintf("%g", e)
outcome = "Median ms per step to a natural map of 1e-6 m/s (linear iterations per Newton iteration):"
do for [q = 1:settings_] {
    outcome = outcome.sprintf("\n%s, E = %s Pa, nu = %g: ", scene(q), power(young(q)), poisson(q))
    do for [s = 1:curves_] { outcome = outcome.(s > 1 ? "; " : "").named(s).(all(q, s) ? number(" %.3g", ms(q, s)).number(" (%.0f)", linear_(q, s)) : sprintf(" %.0f of %.0f steps", last_of(q, s, 4), last_of(q, s, 1))) }
}
# the least and the largest time of the first curve over that of `condensed`, where both got there
base_ = (b_ = 0, sum [s = 1:curves_] (strstrt(label_of(1, s), "condensed") ? (b_ = s, 0) : 0), b_)
ratio(q, s) = ms(q, s) / ms(q, base_)
least(c, s) = (m_ = 1e300, sum [q = 1:settings_] (scene(q) eq scene(first_[c]) && ratio(q, s) < m_ ? (m_ = ratio(q, s), 0) : 0), m_)
largest(c, s) = (m_ = 0, sum [q = 1:settings_] (scene(q) eq scene(first_[c]) && ratio(q, s) > m_ ? (m_ = ratio(q, s), 0) : 0), m_)
if (base_ && base_ != 1) {
    brief = named(1)." takes"
    do for [c = 1:scenes_] { if (largest(c, 1) > 0) { brief = brief.(c > 1 ? "," : "").sprintf(" %.2g to %.2g times (%s)", least(c, 1), largest(c, 1), scene(first_[c])) } }
    brief = brief." as long as condensed."
}
about = "Each scene with the same settings of Newton's method in all formulations."
do for [c = 1:scenes_] { q = first_[c]; about = about.sprintf(" %s: %.0f tetrahedra, at most %.0f contacts; left at nu = %g, right at E = %s Pa.", scene(q), last_of(q, 1, 2), last_of(q, 1, 3), held_nu[c], power(held_e[c])) }
about = about." The bar's ends are pulled apart, each step from the one before; without contacts the condensed form has no linear iterations: a solve with its factor is all. The stack lies on the ground after 20 steps by one and the same solver in all runs; each step is solved from zero. A cross at the top, where the line breaks: not all steps came to 1e-6 m/s; Newton's method lags friction behind."
entries = curves_ + 1
do for [s = 1:curves_] { entry[s] = named(s); entry_style[s] = s; entry_kind[s] = "lp"; entry_shown[s] = sum [q = 1:settings_] ran(q, s) }
set style line 19 lc rgb "#777777" pt 2 ps 0.7
entry[entries] = "not all steps converged"; entry_style[entries] = 19; entry_kind[entries] = "p"
entry_shown[entries] = sum [q = 1:settings_] sum [s = 1:curves_] (ran(q, s) && !all(q, s))
panels = 2 * scenes_; rows = 2; tall = 66 * k; least_wide = 150
# the decades of a scene's times
lowest(c) = (m_ = 1e300, sum [q = 1:settings_] (sum [t = 1:curves_] (scene(q) eq scene(first_[c]) && ms(q, t) < m_ ? (m_ = ms(q, t), 0) : 0)), 10**floor(log10(m_)))
highest(c) = (m_ = 0, sum [q = 1:settings_] (sum [t = 1:curves_] (scene(q) eq scene(first_[c]) && ms(q, t) > m_ ? (m_ = ms(q, t), 0) : 0)), 10**ceil(log10(m_)))
most_linear(c) = (m_ = 1, sum [q = 1:settings_] (sum [t = 1:curves_] (scene(q) eq scene(first_[c]) && linear_(q, t) > m_ ? (m_ = linear_(q, t), 0) : 0)), m_)
array low_[scenes_]; array high_[scenes_]; array many_[scenes_]
do for [c = 1:scenes_] { low_[c] = lowest(c) < 1e300 ? lowest(c) : 1; high_[c] = highest(c) > low_[c] ? highest(c) : 10 * low_[c]; many_[c] = 1.3 * most_linear(c) }
# Block (p - 1) curves_ + s - 1: abscissa, ms, linear iterations, and where crosses stand in both plots. From left to right, so
# that a line breaks where not all steps converged.
n_of = settings_
set print $points
do for [p = 1:panels] { low = low_[(p + 1) / 2]; high = high_[(p + 1) / 2]; do for [s = 1:curves_] {
    key_of(q) = drawn_in(p, q) && ran(q, s) ? (p % 2 ? young(q) : hard(q)) : NaN
    @ascending
    print "nan\tnan\tnan\tnan\tnan"
    do for [i = 1:ordered] { q = order_of[i]; print sprintf("%g\t%g\t%g\t%g\t%g", key_of(q), ms(q, s), linear_(q, s), all(q, s) ? NaN : high / (high / low)**(0.05 * s), all(q, s) ? NaN : many_[(p + 1) / 2] * (1 - 0.05 * s)) }
    print ""; print ""
} }
set print
of(p, s) = (p - 1) * curves_ + s - 1
@begin
set logscale x
do for [p = 1:panels] {
    low = low_[(p + 1) / 2]; high = high_[(p + 1) / 2]
    do for [r = 1:2] {
        @place
        eval(panel_named(r == 1 ? scene(first_[(p + 1) / 2]).(p % 2 ? sprintf(", nu = %g", held_nu[(p + 1) / 2]) : sprintf(", E = %s Pa", power(held_e[(p + 1) / 2]))) : ""))
        if (p % 2) { set format x "10^{%L}"; set xrange [*:*]; set xtics 10 } else { set xrange [0.8:*]; set xtics (); do for [q = 1:settings_] { if (drawn_in(p, q)) { set xtics add (sprintf("%g", poisson(q)) hard(q)) } } }
        if (r == 1) { @decade_ticks } else { unset logscale y; set format y "%g"; set yrange [0:many_[(p + 1) / 2]]; set ytics autofreq; unset mytics }
        eval(x_named(r == 2 ? (p % 2 ? "Young's modulus [Pa]" : "Poisson's ratio") : ""))
        eval(y_named(first_column(p) ? (r == 1 ? "ms to 1e-6 m/s" : "linear iterations") : ""))
        plot for [s = 1:curves_] $points index of(p, s) using 1:(column(r + 1)) with lines ls s notitle, for [s = 1:curves_] $points index of(p, s) using 1:(column(r + 1)) with points ls s notitle, for [s = 1:curves_] $points index of(p, s) using 1:(column(r + 3)) with points pt 2 ps 0.7 lc rgb color_of(s) notitle
    }
}
