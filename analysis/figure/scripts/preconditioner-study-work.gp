# title: Residual against the operations of set-up and solve, by preconditioner
# apart: the study in full takes long: docs/reproduce.md
# run: wall --set width=40 --set height=40 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=170,550,1700 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: balls-100-falling,balls-300-falling,balls-1000-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# run: soft-stack --set cells=7 --set stacks=2 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,chebyshev,fsai,schwarz
# quick: wall --set width=23 --set height=23 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=60,170,550 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: balls-100-falling,balls-300-falling,balls-1000-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz
# quick: soft-stack --set cells=5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,chebyshev,fsai,schwarz
# select: precision=f64 linear_solver=pcg|cholesky steps=1 newton_iterations=1 lead=6 lead_exact=1 form=stiffness linear_norm=true linear_tolerance=5e-09 linear_iterations=2000|600 bodies=1|541|551|1005|1621|1701 tetrahedra=0|1875|10290
# panel: scenario
# series: linear_solver+preconditioner
# rows: linear
# columns: iteration flops=before(flops) residual=residual_l2/start
named(s) = (t_ = spaced(label_of(1, s)), t_[1:8] eq "cholesky" ? "Cholesky" : t_[5:])
kind_of(p) = (t_ = panel_name(p), strstrt(t_, "-falling") ? "grains" : t_ eq "wall" ? "wall" : t_[1:4] eq "soft" ? "soft blocks" : "pile of boxes")
curves_ = series_of(1)
outcome = "Operations of set-up; until the last residual:"
do for [p = 1:panels] { outcome = outcome."\n".kind_of(p).":"; do for [s = 1:curves_] { if (has(p, s, 2)) { outcome = outcome.sprintf("%s %s %.2g; %.2g (%.1g)", s > 1 ? "," : "", named(s), first_of_column(p, s, 2), last_of(p, s, 2), last_of(p, s, 3)) } } }
about = "The systems of figure preconditioner-study-size of one size. A curve begins at the end of the set-up, with the assembly of A; operations are counted, those of the vectors of pcg included. Cholesky's factor has one residual, its last one."
brief = "A curve begins (marker) at the end of the set-up, with the assembly of A. Operations are counted and do not depend on the machine."
do for [s = 1:entries] { entry[s] = named(s) }
panel_title_ = 13; tall = 120 * k; least_wide = 150; row_gap = 22
@begin
set logscale x; set format x "10^{%L}"
low = 1e-9; high = 10
@decade_ticks
array from_[panels]; array to_[panels]
do for [p = 1:panels] {
    @place; eval(panel_named(kind_of(p)))
    low = 1e300; high = 0; i_ = widened(p, 0, 2)
    set xrange [10**floor(log10(low)):10**ceil(log10(high))]
    eval(x_named("operations")); y_name = "residual over the first"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 2:3 with lines ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every ::0::0 using 2:3 with points ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every ::1 using 2:($3 < 1e-9 ? 1.2e-9 : NaN) with points ls s notitle
}
