# title: Residual against time in double, single and mixed precision
# apart: the study in full takes long: docs/reproduce.md
# run: wall --set width=40 --set height=40 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1000 --repeat 3 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi --precision f64,f32,mixed
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=1700 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1000 --repeat 3 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi --precision f64,f32,mixed
# quick: wall --set width=13 --set height=13 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 1000 --repeat 3 --linear-solver pcg --preconditioner block-ic,ict,block-jacobi --precision f64,f32,mixed
# select: steps=1 newton_iterations=1 lead=6 lead_exact=1 form=stiffness linear_norm=true linear_tolerance=5e-09 linear_iterations=1000
# panel: scenario
# series: preconditioner+precision
# rows: linear
# times: shown
# columns: iteration time_ms=before(assembly_ms+setup_ms+solve_ms) residual=residual_l2/start
# number: least_residual=least(residual)
curves_ = series_of(1)
scene_of(p) = panel_name(p) eq "wall" ? "wall" : "pile of boxes"
outcome = "Least residual over the first; time of set-up and solve:"
do for [p = 1:panels] { outcome = outcome."\n".scene_of(p).":"; do for [s = 1:curves_] { outcome = outcome.(s > 1 ? "," : "").sprintf(" %s %.2g; %.3g ms", spaced(label_of(1, s)), number_of("least_residual", p, s), last_of(p, s, 2)) } }
about = "The seventh Newton system of a step in the stiffness formulation, of scenes of preconditioner-study-size; pcg to a true residual of 5e-9 of the first, or to round-off. mixed: f64, the linear solver stores its vectors in f32. With f32 Newton iterations before are in f32, too, so that the system differs a little."
brief = "A curve begins at the end of the set-up. mixed: the linear solver stores its vectors in f32."
tall = 130 * k; least_wide = 150
@begin
low = 1e-9; high = 10
do for [p = 1:panels] {
    @place; eval(panel_named(scene_of(p)))
    low = 1e-9; high = 10
    @decade_ticks
    low = 1e300; high = 0; i_ = widened(p, 0, 2)
    set logscale x; set format x "10^{%L}"; set xrange [10**floor(log10(low)):10**ceil(log10(high))]
    eval(x_named("time [ms]")); y_name = "residual over the first"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 2:3 with lines ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using 2:3 with points ls s notitle
}
