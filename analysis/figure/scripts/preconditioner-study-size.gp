# title: Cost of preconditioners and of Cholesky's factor against the size of the system
# apart: the study in full takes long: docs/reproduce.md
# run: wall --set width=13 --set height=13 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: wall --set width=23 --set height=23 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: wall --set width=40 --set height=40 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: wall --set width=73 --set height=73 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 1 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral
# run: wall --set width=130 --set height=130 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 1 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=170,550,1700 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=5500,17000 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 1 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral
# run: balls-100-falling,balls-300-falling,balls-1000-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: balls-10000-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 1 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral
# run: soft-stack --set cells=4 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,chebyshev,fsai,schwarz
# run: soft-stack --set cells=5 --set stacks=1 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,chebyshev,fsai,schwarz
# run: soft-stack --set cells=7 --set stacks=2 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,chebyshev,fsai,schwarz
# run: soft-stack --set cells=9 --set stacks=3 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 1 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral
# run: soft-stack --set cells=12 --set stacks=5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 1 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral
# quick: wall --set width=8 --set height=8 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: wall --set width=13 --set height=13 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: wall --set width=23 --set height=23 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=60,170,550 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: balls-100-falling,balls-300-falling,balls-1000-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: soft-stack --set cells=3 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,chebyshev,fsai,schwarz
# quick: soft-stack --set cells=4 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,chebyshev,fsai,schwarz
# quick: soft-stack --set cells=5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,chebyshev,fsai,schwarz
# select: precision=f64 linear_solver=pcg|cholesky steps=1 newton_iterations=1 lead=6 lead_exact=1 form=stiffness linear_norm=true linear_tolerance=5e-09 linear_iterations=2000|600
# panel: scenario+bodies+tetrahedra
# series: linear_solver+preconditioner
# rows: run
# times: shown
# columns: unknowns=first(unknowns) setup_ms=median(setup_ms) coarse_ms=last(residual_ms@1e-3) fine_ms=last(residual_ms@1e-8) numbers=first(preconditioner_nonzeros) iterations=last(residual_iterations@1e-8) linear_iterations
kind_of(p) = (t_ = panel_name(p), strstrt(t_, "-falling") ? "grains" : t_[1:4] eq "wall" ? "wall" : t_[1:4] eq "soft" ? "soft blocks" : "pile of boxes")
named(s) = (t_ = spaced(label_of(1, s)), t_[1:8] eq "cholesky" ? "Cholesky" : t_[5:])
sizes_ = panels; curves_ = series_of(1)
array first_[sizes_]
scenes_ = 0
do for [p = 1:sizes_] { if (!(sum [c = 1:scenes_] (kind_of(first_[c]) eq kind_of(p)))) { scenes_ = scenes_ + 1; first_[scenes_] = p } }
array scene_[scenes_]
do for [c = 1:scenes_] { scene_[c] = kind_of(first_[c]) }
tried(p, s) = last_of(p, s, 7) == last_of(p, s, 7)
counted(p, s) = !tried(p, s) ? "-" : last_of(p, s, 6) == last_of(p, s, 6) ? sprintf("%.0f, %.2g of %.2g ms", last_of(p, s, 6), last_of(p, s, 2), last_of(p, s, 4)) : sprintf("over %.0f", last_of(p, s, 7))
least_ms(p, c) = (m_ = 1e300, b_ = 0, sum [s_ = 1:curves_] (last_of(p, s_, c) < m_ ? (m_ = last_of(p, s_, c), b_ = s_, 0) : 0), b_)
outcome = "Unknowns: iterations to a residual of 1e-8, set-up of set-up and solve:"
do for [c = 1:scenes_] { do for [s = 1:curves_] {
    line_ = ""
    do for [p = 1:sizes_] { if (kind_of(p) eq scene_[c] && tried(p, s)) { line_ = line_.sprintf("%s %.0f: ", line_ eq "" ? "" : ";", last_of(p, s, 1)).counted(p, s) } }
    if (line_ ne "") { outcome = outcome."\n".scene_[c]." ".named(s).":".line_ }
} }
about = "The seventh Newton system of a step in the stiffness formulation; iterations before are exact, so that all solve the same one. pcg, to a true residual over the first; times with the assembly of A, of one thread. Walls, piles of boxes that stand on four each, falling grains (states of the standard set), soft blocks. Bricks and boxes are off their places by up to 5e-5 of their size: contacts that touch exactly would be open or closed by round-off, and the system another on each processor. Numbers stored: those of the preconditioner or the factor, without indices. A curve has no point where the iterations that were allowed do not reach the residual."
brief = "Least time to 1e-8:"
do for [c = 1:scenes_] {
    largest_ = 0
    do for [p = 1:sizes_] { if (kind_of(p) eq scene_[c] && least_ms(p, 4) && (!largest_ || last_of(p, least_ms(p, 4), 1) > last_of(largest_, least_ms(largest_, 4), 1))) { largest_ = p } }
    if (largest_) { b = least_ms(largest_, 4); brief = brief.(c > 1 ? "," : "").sprintf(" %s of %.2g rows %s", scene_[c], last_of(largest_, b, 1), named(b)) }
}
brief = brief."."
entries = smaller(curves_, 16)
do for [s = 1:entries] { entry[s] = named(s); entry_shown[s] = 1 }
array quantity_[4] = [2, 3, 4, 5]
array quantity_name_[4] = ["set-up [ms]", "to 1e-3 [ms]", "to 1e-8 [ms]", "numbers stored"]
n_of = sizes_; point_of(p) = sprintf("%g\t%g\t%g\t%g\t%g", last_of(p, s, 1), last_of(p, s, 2), last_of(p, s, 3), last_of(p, s, 4), last_of(p, s, 5))
set print $points
do for [c = 1:scenes_] { do for [s = 1:entries] {
    key_of(p) = kind_of(p) eq scene_[c] && tried(p, s) ? 1.0 * last_of(p, s, 1) : NaN
    @print_curve
} }
set print
array low_[4]; array high_[4]
do for [r = 1:4] { low = 1e300; high = 0; do for [p = 1:sizes_] { i_ = widened(p, 0, quantity_[r]) }; low_[r] = 10**floor(log10(low)); high_[r] = 10**ceil(log10(high)) }
panels = scenes_
panel_name(p) = scene_[p]
rows = 4; tall = 78 * k; row_gap = 14; between = 22; least_wide = 78
@begin
set logscale xy; set format x "10^{%L}"; set xtics 10; set mxtics 10
do for [p = 1:panels] { do for [r = 1:4] {
    @place
    low = low_[r]; high = high_[r]
    @decade_ticks
    x_name = "unknowns"; @x_label
    y_name = quantity_name_[r]; @y_label
    plot for [s = 1:entries] $points index ((p - 1) * entries + s - 1) using 1:quantity_[r] with linespoints ls s notitle
} }
