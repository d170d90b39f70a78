# title: Incomplete factors and ssor under orders of elimination
# apart: the study in full takes long: docs/reproduce.md
# run: wall --set width=40 --set height=40 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 3 --linear-solver pcg --preconditioner block-ic,ict --preconditioner-option order=natural,rcm,amd,nested
# run: wall --set width=40 --set height=40 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 3 --linear-solver pcg --preconditioner ssor --preconditioner-option order=natural,colour
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=1700 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 3 --linear-solver pcg --preconditioner block-ic,ict --preconditioner-option order=natural,rcm,amd,nested
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=1700 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 3 --linear-solver pcg --preconditioner ssor --preconditioner-option order=natural,colour
# run: balls-1000-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 3 --linear-solver pcg --preconditioner block-ic,ict --preconditioner-option order=natural,rcm,amd,nested
# run: balls-1000-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 3 --linear-solver pcg --preconditioner ssor --preconditioner-option order=natural,colour
# run: soft-stack --set cells=7 --set stacks=2 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 3 --linear-solver pcg --preconditioner block-ic,ict --preconditioner-option order=natural,rcm,amd,nested
# run: soft-stack --set cells=7 --set stacks=2 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 3 --linear-solver pcg --preconditioner ssor --preconditioner-option order=natural,colour
# quick: wall --set width=13 --set height=13 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 2 --linear-solver pcg --preconditioner block-ic,ict --preconditioner-option order=natural,rcm,amd,nested
# quick: wall --set width=13 --set height=13 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 2 --linear-solver pcg --preconditioner ssor --preconditioner-option order=natural,colour
# quick: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=170 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 2 --linear-solver pcg --preconditioner block-ic,ict --preconditioner-option order=natural,rcm,amd,nested
# quick: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=170 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 2 --linear-solver pcg --preconditioner ssor --preconditioner-option order=natural,colour
# quick: balls-300-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 2 --linear-solver pcg --preconditioner block-ic,ict --preconditioner-option order=natural,rcm,amd,nested
# quick: balls-300-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 2 --linear-solver pcg --preconditioner ssor --preconditioner-option order=natural,colour
# quick: soft-stack --set cells=4 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 2 --linear-solver pcg --preconditioner block-ic,ict --preconditioner-option order=natural,rcm,amd,nested
# quick: soft-stack --set cells=4 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1500 --repeat 2 --linear-solver pcg --preconditioner ssor --preconditioner-option order=natural,colour
# select: steps=1 newton_iterations=1 lead=6 lead_exact=1 form=stiffness linear_norm=true linear_tolerance=5e-09 linear_iterations=1500 linear_solver=pcg preconditioner=block-ic|ict|ssor
# panel: scenario
# series: preconditioner+order
# rows: run
# times: shown
# columns: setup_ms=median(setup_ms) fine_ms=last(residual_ms@1e-8) iterations=last(residual_iterations@1e-8) linear_iterations
kind_of(p) = (t_ = panel_name(p), strstrt(t_, "-falling") ? "grains" : t_[1:4] eq "wall" ? "wall" : t_[1:4] eq "soft" ? "soft blocks" : "pile of boxes")
array order_[5] = ["natural", "rcm", "amd", "nested", "colour"]
array factor_[3] = ["block-ic", "ict", "ssor"]
systems_ = panels; curves_ = series_of(1)
array factor_of[curves_]; array place_of[curves_]
do for [s = 1:curves_] { t_ = spaced(label_of(1, s)); factor_of[s] = word(t_, 1); place_of[s] = sum [o_ = 1:5] (order_[o_] eq word(t_, 2) ? o_ : 0) }
counted(p, s) = last_of(p, s, 3) == last_of(p, s, 3) ? sprintf("%.0f, %.2g of %.2g ms", last_of(p, s, 3), last_of(p, s, 1), last_of(p, s, 2)) : sprintf("over %.0f", last_of(p, s, 4))
outcome = "Iterations to a residual of 1e-8, set-up of set-up and solve:"
do for [p = 1:systems_] { outcome = outcome."\n".kind_of(p).":"; do for [s = 1:curves_] { outcome = outcome.(s > 1 ? ";" : "")." ".spaced(label_of(1, s))." ".counted(p, s) } }
about = "The seventh Newton system of a step in the stiffness formulation, of scenes of preconditioner-study-size; pcg, to a true residual over the first; times with the assembly of A and the ordering, of one thread. Blocks are eliminated as the system has them (natural), by reverse Cuthill-McKee (rcm), approximate minimum degree (amd), nested dissection (nested), or swept by colors of independent blocks (colour). No point: the iterations that were allowed do not reach the residual."
brief = "natural: as the system has its blocks; rcm: reverse Cuthill-McKee; amd: approximate minimum degree; nested: nested dissection; colour: independent blocks."
entries = 3
do for [f = 1:3] { entry[f] = factor_[f]; entry_style[f] = f; entry_kind[f] = "p"; entry_shown[f] = 1 }
n_of = curves_
set print $points
do for [p = 1:systems_] { do for [s = 1:entries] {
    key_of(c) = factor_of[c] eq factor_[s] ? 1.0 * place_of[c] : NaN
    point_of(c) = sprintf("%g\t%g\t%g\t%g", place_of[c], last_of(p, c, 3), last_of(p, c, 1), last_of(p, c, 2))
    @print_curve
} }
unset print
array quantity_name_[3] = ["iterations", "set-up [ms]", "to 1e-8 [ms]"]
array column_[3] = [3, 1, 2]
array low_[3]; array high_[3]
do for [r = 1:3] { low = 1e300; high = 0; do for [p = 1:systems_] { i_ = widened(p, 0, column_[r]) }; low_[r] = 10**floor(log10(low)); high_[r] = 10**ceil(log10(high)) }
rows = 3; tall = 70 * k; row_gap = 30; between = 22; least_wide = 78
@begin
set logscale y; set format y "10^{%L}"; set mytics 10
do for [p = 1:panels] { do for [r = 1:3] {
    @place
    if (r == 1) { eval(panel_named(kind_of(p))) }
    low = low_[r]; high = high_[r]
    @decade_ticks
    unset logscale x; set xrange [0.5:5.5]
    set xtics ("natural" 1, "rcm" 2, "amd" 3, "nested" 4, "colour" 5) rotate by 45 right nomirror font small
    y_name = quantity_name_[r]; @y_label
    plot for [s = 1:entries] $points index ((p - 1) * entries + s - 1) using 1:(column(r + 1)) with points ls s notitle
} }
