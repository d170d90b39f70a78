# title: Time of a step of a soft bar by formulation, stiffness and Poisson's ratio
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form compliance --linear-solver pcr,cholesky --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form stiffness --preconditioner block-jacobi --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e4,1e5,1e6,1e7,1e8,1e9 --set poisson=0.45 --form condensed --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form compliance --linear-solver pcr,cholesky --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form stiffness --preconditioner block-jacobi --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# run: bar --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.3,0.49,0.499 --form condensed --steps 5 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off --repeat 2
# quick: bar --set cells=4 --set duration=0.1 --set stretch=1.2 --set young=1e4,1e6,1e8 --set poisson=0.45 --form compliance,condensed --steps 3 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off
# quick: bar --set cells=4 --set duration=0.1 --set stretch=1.2 --set young=1e4,1e6,1e8 --set poisson=0.45 --form stiffness --preconditioner block-jacobi --steps 3 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off
# quick: bar --set cells=4 --set duration=0.1 --set stretch=1.2 --set young=1e6 --set poisson=0,0.49 --form compliance,condensed --steps 3 --newton-tolerance 1e-7 --newton-iterations 60 --linear-iterations 3000 --linear-tolerance 1e-4 --geometric-stiffness diagonal --warm-start on --linear-history off
# select: scenario=bar newton_tolerance=1e-07 newton_iterations=60 linear_iterations=3000 linear_tolerance=0.0001 precision=f64
# panel: @young+@poisson
# series: form+linear_solver
# rows: run
# columns: steps tetrahedra reached=count(newton_iterations@1e-6) newton=mean(newton_iterations@1e-6) linear=mean(linear_iterations@1e-6) ms=median(step_ms@1e-6)
# times: shown
number_in(t, name) = (i_ = strstrt(t, name."="), r_ = t[i_ + strlen(name) + 1:], e_ = strstrt(r_, "_"), real(e_ ? r_[1:e_ - 1] : r_))
young(p) = number_in(panel_name(p), "young"); poisson(p) = number_in(panel_name(p), "poisson")
all(p, s) = last_of(p, s, 1) == last_of(p, s, 1) && last_of(p, s, 3) == last_of(p, s, 1)
ms(p, s) = all(p, s) ? last_of(p, s, 6) : NaN
linear_(p, s) = all(p, s) && last_of(p, s, 4) > 0 ? last_of(p, s, 5) / last_of(p, s, 4) : NaN
named(s) = (t_ = spaced(label_of(1, s)), t_ eq "condensed pcr" ? "condensed: factor of K" : strstrt(t_, "stiffness pcr") ? "stiffness, PCR, 3 x 3 blocks" : strstrt(t_, "compliance pcr") ? "compliance, PCR" : strstrt(t_, "compliance cholesky") ? "compliance, Cholesky" : t_)
curves_ = series_of(1); scenes_ = panels
# which values there are, and the one that is held while the other goes
array of_e[scenes_]; array of_nu[scenes_]
outcome = "Median ms a step to a natural map of 1e-6 m/s (linear iterations a Newton iteration):"
do for [q = 1:scenes_] {
    outcome = outcome.sprintf("\nE = %g Pa, nu = %g: ", young(q), poisson(q))
    do for [s = 1:curves_] { outcome = outcome.(s > 1 ? "; " : "").named(s).number(" %.3g", ms(q, s)).number(" (%.0f)", linear_(q, s)) }
}
# the value that comes most often is held
held(f, q) = sum [r = 1:scenes_] (f == 1 ? young(r) == young(q) : poisson(r) == poisson(q))
most_e = 1; most_nu = 1
do for [q = 1:scenes_] { if (held(1, q) > held(1, most_e)) { most_e = q }; if (held(2, q) > held(2, most_nu)) { most_nu = q } }
held_e = young(most_e); held_nu = poisson(most_nu)
on_e(q) = poisson(q) == held_nu
on_nu(q) = young(q) == held_e
# how hard to compress: 1/(1 - 2 nu) is lambda over mu, and one
hard(q) = 1 / (1 - 2 * poisson(q))
tets = last_of(1, 1, 2)
lowest(s, f) = (m_ = 1e300, sum [q = 1:scenes_] ((f == 1 ? on_e(q) : on_nu(q)) && ms(q, s) < m_ ? (m_ = ms(q, s), 0) : 0), m_)
highest(s, f) = (m_ = 0, sum [q = 1:scenes_] ((f == 1 ? on_e(q) : on_nu(q)) && ms(q, s) > m_ ? (m_ = ms(q, s), 0) : 0), m_)
brief = "ms over all moduli: "
do for [s = 1:curves_] { brief = brief.(s > 1 ? ", " : "").spaced(label_of(1, s)).sprintf(" %.2g to %.2g", lowest(s, 1), highest(s, 1)) }
brief = brief."."
about = "Five steps of a bar of tetrahedra whose ends are pulled apart; the same Newton iterations in all formulations. Left: by Young's modulus at nu = ".sprintf("%g", held_nu).". Right: by Poisson's ratio at E = ".sprintf("%g", held_e)." Pa. A missing point: not all steps came to 1e-6 m/s. Without contacts the condensed form has no linear iterations: a solve with its factor is all."
entries = curves_
do for [s = 1:curves_] { entry[s] = named(s); entry_style[s] = s; entry_kind[s] = "lp" }
low = 1e300; high = 0
set print $by_e
do for [s = 1:curves_] { do for [q = 1:scenes_] { if (on_e(q)) { print sprintf("%g\t%g\t%g", young(q), ms(q, s), linear_(q, s)); if (ms(q, s) > 0) { low = smaller(low, ms(q, s)); high = larger(high, ms(q, s)) } } }; print ""; print "" }
set print $by_nu
do for [s = 1:curves_] { do for [q = 1:scenes_] { if (on_nu(q)) { print sprintf("%g\t%g\t%g", hard(q), ms(q, s), linear_(q, s)); if (ms(q, s) > 0) { low = smaller(low, ms(q, s)); high = larger(high, ms(q, s)) } } }; print ""; print "" }
set print
low = 10**floor(log10(low)); high = 10**ceil(log10(high))
panels = 2; rows = 2; tall = 88 * k; panel_title = 3
@begin
set logscale x
do for [p = 1:2] {
    do for [r = 1:2] {
        @place
        if (p == 1) { set format x "10^{%L}"; set xrange [*:*]; set xtics 10 } else { set xrange [0.8:*]; set xtics (); do for [q = 1:scenes_] { if (on_nu(q)) { set xtics add (sprintf("%g", poisson(q)) hard(q)) } } }
        if (r == 1) { @decade_ticks } else { unset logscale y; set format y "%g"; set yrange [0:*]; set ytics autofreq; unset mytics }
        eval(x_named(r == 2 ? (p == 1 ? "Young's modulus [Pa]" : "Poisson's ratio") : ""))
        eval(y_named(p == 1 ? (r == 1 ? "ms a step to 1e-6 m/s" : "linear iterations") : ""))
        if (p == 1) {
            plot for [s = 1:curves_] $by_e index (s - 1) using 1:(column(r + 1)) smooth unique with lines ls s notitle, for [s = 1:curves_] $by_e index (s - 1) using 1:(column(r + 1)) with points ls s notitle
        } else {
            plot for [s = 1:curves_] $by_nu index (s - 1) using 1:(column(r + 1)) smooth unique with lines ls s notitle, for [s = 1:curves_] $by_nu index (s - 1) using 1:(column(r + 1)) with points ls s notitle
        }
    }
}
unset multiplot
