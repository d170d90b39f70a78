# title: Iterations and operations of preconditioners to an energy error of 1e-6, by scene
# run: arch,beam --settle 10 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form stiffness --linear-solver pcg,cholesky --preconditioner all
# run: arch,beam --settle 10 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form compliance --linear-solver pcg --preconditioner jacobi
# run: wall --set width=8 --set height=6 --settle 10 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form stiffness --linear-solver pcg,cholesky --preconditioner all
# run: wall --set width=8 --set height=6 --settle 10 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form compliance --linear-solver pcg --preconditioner jacobi
# run: wall --set width=20 --set height=20 --settle 5 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form stiffness --linear-solver pcg,cholesky --preconditioner all
# run: wall --set width=20 --set height=20 --settle 5 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form compliance --linear-solver pcg --preconditioner jacobi
# run: piling --settle 25 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form stiffness --linear-solver pcg,cholesky --preconditioner all
# run: piling --settle 25 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form compliance --linear-solver pcg --preconditioner jacobi
# run: granular --method newton --set count=80 --settle 5 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form stiffness --linear-solver pcg,cholesky --preconditioner all
# run: granular --method newton --set count=80 --settle 5 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 4000 --form compliance --linear-solver pcg --preconditioner jacobi
# quick: arch --settle 5 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 500 --form stiffness --linear-solver pcg,cholesky --preconditioner all
# quick: arch --settle 5 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 500 --form compliance --linear-solver pcg --preconditioner jacobi
# quick: wall --set width=4 --set height=3 --settle 5 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 500 --form stiffness --linear-solver pcg,cholesky --preconditioner all
# quick: wall --set width=4 --set height=3 --settle 5 --warm-start off --steps 1 --lead 12 --lead-exact on --newton-iterations 1 --linear-tolerance 1e-12 --reference-linear on --linear-iterations 500 --form compliance --linear-solver pcg --preconditioner jacobi
# select: steps=1 newton_iterations=1 lead=12 lead_exact=1 reference_linear=1 linear_iterations=4000|500 linear_solver=pcg|cholesky
# panel: scenario+@width+@shape
# series: form+linear_solver+preconditioner
# gathered: series
# rows: run
# columns: iterations=last(energy_iterations@1e-6) flops=last(energy_flops@1e-6) coarse_iterations=last(energy_iterations@1e-2) coarse_flops=last(energy_flops@1e-2) linear_iterations bodies
scenes = panels; curves_ = series_of(1)
parts(s) = spaced(label_of(1, s))
is_exact(s) = strstrt(parts(s), "cholesky") > 0
is_dual(s) = strstrt(parts(s), "compliance") > 0
last_word(t) = word(t, words(t))
named(s) = is_exact(s) ? "Cholesky" : is_dual(s) ? "dual ".last_word(parts(s)) : last_word(parts(s))
exact = (i_ = 0, sum [s_ = 1:curves_] (is_exact(s_) ? (i_ = s_, 0) : 0), i_)
over(p, s, c) = exact ? 1.0 * last_of(p, s, c) / last_of(p, exact, c) : NaN
scene_of(p) = (t_ = spaced(panel_name(p)), i_ = strstrt(t_, " width=0"), i_ ? t_[1:i_ - 1] : t_)
counted(p, s, c) = last_of(p, s, 5) != last_of(p, s, 5) ? "-" : last_of(p, s, c) == last_of(p, s, c) ? sprintf("%.0f (%s)", last_of(p, s, c), number("%.2g", over(p, s, c + 1))) : sprintf("over %.0f", last_of(p, s, 5))
# the least operations of all but Cholesky
best(p) = (m_ = 1e300, b_ = 0, sum [s_ = 1:curves_] (s_ != exact && last_of(p, s_, 2) < m_ ? (m_ = last_of(p, s_, 2), b_ = s_, 0) : 0), b_)
outcome = "Iterations to an energy error of 1e-2; 1e-6 of the solution (operations over Cholesky's):"
do for [p = 1:scenes] { outcome = outcome."\n".scene_of(p).":"; do for [s = 1:curves_] { outcome = outcome.(s > 1 ? "," : "")." ".named(s)." ".counted(p, s, 3)."; ".counted(p, s, 1) } }
about = "The system of one Newton iteration, the thirteenth, of each scene; iterations before are exact, so that all solve the same one. The stiffness form with pcg, the dual form with jacobi, and a Cholesky solve of the stiffness form, whose operations are 1 below. Operations are counted: set-up, products, applications and 10 an unknown and iteration; no assembly, and nothing symbolic. The energy error is relative to the solution; a cross at the top: not converged."
brief = exact ? "Fewest operations over Cholesky's:" : ""
do for [p = 1:scenes] { if (exact && best(p)) { brief = brief.(p > 1 ? "," : "").sprintf(" %s %s %.2g", scene_of(p), named(best(p)), over(p, best(p), 2)) } }
brief = brief."."
entries = smaller(curves_, 16)
do for [s = 1:entries] { entry[s] = named(s); entry_style[s] = s; entry_kind[s] = "p"; entry_shown[s] = 1 }
failed(p, s) = last_of(p, s, 5) == last_of(p, s, 5) && last_of(p, s, 1) != last_of(p, s, 1)
crosses = sum [p_ = 1:scenes] (sum [s_ = 1:entries] failed(p_, s_))
if (crosses) { entries = entries + 1; entry[entries] = "not reached"; entry_style[entries] = 21; entry_kind[entries] = "p"; entry_shown[entries] = 1 }
curves_ = entries - (crosses > 0)
panels = 1; rows = 2; tall = 95 * k; panel_title = 3; row_gap = 25
@begin
set logscale y; set format y "10^{%L}"
set xrange [0.5:scenes + 0.5]
set xtics (scene_of(1) 1) scale 0
do for [p = 2:scenes] { set xtics add (scene_of(p) p) }
letters = sum [p = 1:scenes] text_wide(scene_of(p).".")
tick_font = sprintf(",%g", smaller(7 * k, 8 * k * wide / letters))
set xtics font tick_font
array high_[2]
do for [r = 1:2] {
    high_[r] = 1
    do for [p = 1:scenes] { do for [s = 1:curves_] { y = r == 1 ? last_of(p, s, 1) : over(p, s, 2); high_[r] = y > high_[r] ? y : high_[r] } }
    high_[r] = 10**ceil(log10(high_[r]) + 0.4)
    eval(spot(x_of(1), y_of(1, r), wide, tall)); eval(y_named(r == 1 ? "iterations to 1e-6" : "operations over Cholesky's"))
    if (r == 1) { set yrange [0.7:high_[r]] } else { set yrange [*:high_[r]] }
    set print $points
    do for [s = 1:curves_] {
        do for [p = 1:scenes] {
            y = r == 1 ? last_of(p, s, 1) : over(p, s, 2)
            print sprintf("%g\t%g\t%g", p + 0.8 * (s - 0.5 * (curves_ + 1)) / curves_, y, failed(p, s) ? high_[r] / 1.6 : NaN)
        }
        print ""; print ""
    }
    set print
    plot for [s = 1:curves_] $points index (s - 1) using 1:2 with points ls s notitle, for [s = 1:curves_] $points index (s - 1) using 1:3 with points ls s pt 2 notitle
}
