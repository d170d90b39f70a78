# title: Growth of linear iterations with the size of walls and piles, by preconditioner
# run: wall --set width=6 --set height=6 --settle 5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --linear-iterations 6000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# run: wall --set width=10 --set height=10 --settle 5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --linear-iterations 6000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# run: wall --set width=16 --set height=16 --settle 5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --linear-iterations 6000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# run: wall --set width=26 --set height=26 --settle 5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --linear-iterations 6000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# run: granular --method newton --set count=50,150,450 --settle 5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --linear-iterations 6000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set count=100,300,1000 --settle 2 --settle-tolerance 1e-4 --warm-start on --steps 1 --newton-iterations 1 --linear-iterations 6000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set count=3000 --settle 2 --settle-tolerance 1e-4 --warm-start on --steps 1 --newton-iterations 1 --linear-iterations 6000 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner jacobi,block-jacobi,ic0,ict,tree,chebyshev,fsai,schwarz,factor
# quick: wall --set width=3 --set height=3 --settle 2 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --linear-iterations 600 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# quick: wall --set width=6 --set height=6 --settle 2 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --linear-iterations 600 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# quick: granular --method newton --set count=20,60 --settle 2 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --linear-iterations 600 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# quick: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set count=20,60 --settle 2 --settle-tolerance 1e-4 --warm-start on --steps 1 --newton-iterations 1 --linear-iterations 600 --linear-tolerance 1e-12 --reference-linear on --form stiffness --linear-solver pcg --preconditioner all
# with: preconditioners
# select: scenario=wall|granular|piling steps=1 newton_iterations=1 lead=0|6 reference_linear=1 linear_iterations=6000|600 linear_solver=pcg form=stiffness
# panel: scenario+bodies
# series: preconditioner
# rows: run
# columns: bodies iterations=last(energy_iterations@1e-6) linear_iterations
scene_of(p) = (t_ = panel_name(p), t_[1:strstrt(t_, "_") - 1])
sizes_ = panels; curves_ = series_of(1)
array first_[sizes_]
scenes_ = 0
do for [p = 1:sizes_] { if (!(sum [c = 1:scenes_] (scene_of(first_[c]) eq scene_of(p)))) { scenes_ = scenes_ + 1; first_[scenes_] = p } }
array scene_[scenes_]
do for [c = 1:scenes_] { scene_[c] = scene_of(first_[c]) }
# iterations of curve s grow as bodies to the power of this, by the smallest and the largest scene that it solves
least_at(c, s) = (m_ = 0, sum [p_ = 1:sizes_] (scene_of(p_) eq scene_[c] && last_of(p_, s, 2) > 0 && (!m_ || last_of(p_, s, 1) < last_of(m_, s, 1)) ? (m_ = p_, 0) : 0), m_)
most_at(c, s) = (m_ = 0, sum [p_ = 1:sizes_] (scene_of(p_) eq scene_[c] && last_of(p_, s, 2) > 0 && (!m_ || last_of(p_, s, 1) > last_of(m_, s, 1)) ? (m_ = p_, 0) : 0), m_)
slope(c, s) = (a_ = least_at(c, s), b_ = most_at(c, s), a_ != b_ ? log(1.0 * last_of(b_, s, 2) / last_of(a_, s, 2)) / log(1.0 * last_of(b_, s, 1) / last_of(a_, s, 1)) : NaN)
counted(p, s) = last_of(p, s, 3) != last_of(p, s, 3) ? "-" : last_of(p, s, 2) == last_of(p, s, 2) ? sprintf("%.0f", last_of(p, s, 2)) : sprintf("over %.0f", last_of(p, s, 3))
outcome = "Iterations to an energy error of 1e-6, by bodies; and the power of the bodies that they grow with:"
do for [c = 1:scenes_] { do for [s = 1:curves_] {
    outcome = outcome."\n".scene_[c]." ".label_of(1, s).":"
    do for [p = 1:sizes_] { if (scene_of(p) eq scene_[c] && last_of(p, s, 3) == last_of(p, s, 3)) { outcome = outcome.sprintf(" %g: %s,", last_of(p, s, 1), counted(p, s)) } }
    outcome = outcome." power ".number("%.2f", slope(c, s))
} }
about = "Walls and spheres: the seventh Newton system of a step in the stiffness form; iterations before are exact, so that all preconditioners solve the same one. Piles: boxes that stand on four each, solved to a natural map of 1e-4 m/s; the first system of the next step, from the impulses of the last. The energy error is relative to the solution. Bodies: with those that stand still. A curve breaks where the iterations that were allowed do not reach it."
brief_of = "block-jacobi ict schwarz"
curve_of(name) = (i_ = 0, sum [s_ = 1:curves_] (label_of(1, s_) eq name ? (i_ = s_, 0) : 0), i_)
brief = "Powers of bodies ("
do for [b = 1:words(brief_of)] { brief = brief.(b > 1 ? ", " : "").word(brief_of, b) }
brief = brief."):"
do for [c = 1:scenes_] {
    brief = brief.(c > 1 ? "; " : " ").scene_[c]
    do for [b = 1:words(brief_of)] { s = curve_of(word(brief_of, b)); brief = brief.(b > 1 ? ", " : " ").(s ? number("%.2f", slope(c, s)) : "-") }
}
brief = brief."."
entries = smaller(curves_, 16)
do for [s = 1:entries] { entry_shown[s] = 1 }
n_of = sizes_; point_of(p) = sprintf("%g\t%g", last_of(p, s, 1), last_of(p, s, 2))
set print $points
do for [c = 1:scenes_] { do for [s = 1:entries] {
    key_of(p) = scene_of(p) eq scene_[c] && last_of(p, s, 3) == last_of(p, s, 3) ? 1.0 * last_of(p, s, 1) : NaN
    @print_curve
} }
set print
panels = scenes_
panel_name(p) = scene_[p]
tall = 120 * k; least_wide = 140
@begin
set logscale xy; set format x "%g"; set format y "10^{%L}"
set yrange [0.7:*]
do for [p = 1:panels] {
    @place
    eval(x_named("bodies"))
    y_name = "iterations to 1e-6"; @y_label
    plot for [s = 1:entries] $points index ((p - 1) * entries + s - 1) using 1:2 with linespoints ls s notitle
}
