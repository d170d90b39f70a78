# title: True residuals beside the norms that PETSc's solvers judge by
# apart: requires PETSc; in full a minute
# run: wall,boxes-27-bond,soft-stack --warm-start off --steps 1 --lead 2 --lead-exact on --newton-iterations 1 --method newton --linear-norm true --linear-tolerance 1e-8 --linear-iterations 500 --form stiffness --linear-solver petsc --petsc '-ksp_type gmres -pc_type ilu -ksp_gmres_restart 200 -ksp_norm_type preconditioned,-ksp_type cr -pc_type sor -ksp_norm_type preconditioned,-ksp_type cr -pc_type jacobi -ksp_norm_type preconditioned,-ksp_type cg -pc_type icc -ksp_norm_type preconditioned'
# quick: wall,soft-stack --warm-start off --steps 1 --lead 2 --lead-exact on --newton-iterations 1 --method newton --linear-norm true --linear-tolerance 1e-8 --linear-iterations 300 --form stiffness --linear-solver petsc --petsc '-ksp_type gmres -pc_type ilu -ksp_gmres_restart 200 -ksp_norm_type preconditioned,-ksp_type cr -pc_type jacobi -ksp_norm_type preconditioned'
# select: precision=f64 steps=1 newton_iterations=1 lead=2 lead_exact=1 form=stiffness linear_solver=petsc linear_norm=true linear_tolerance=1e-08 linear_iterations=500|300
# panel: scenario
# series: @linear-solver.options
# rows: linear
# at: last:0
# columns: iteration residual_over_start=residual_l2/start own_norm_over_start=own_norm/start
# number: there=first(residual_over_start where own_norm_over_start <= 1e-8)
# "gmres ilu 200 preconditioned": gmres+ilu
name_of(t) = word(t, 1)."+".word(t, 2)
named(p, s) = name_of(spaced(label_of(p, s)))
outcome = "True residual over that of the start, where the solver's own norm first is 1e-8 of its start (-: the true one was first):"
do for [p = 1:panels] {
    outcome = outcome."\n".panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? ", " : "").named(p, s)." ".number("%.1e", number_of("there", p, s)) }
}
about = "The third Newton system of a step in the stiffness formulation. Solid: 2-norm of b - A x, as the harness computes it from each iterate. Dashed: the norm that PETSc stops by unless it is told otherwise, that of the preconditioned residual. Both over their values at the start. Solves end by the true residual."
brief = "Solid: true residual; dashed: PETSc's default norm, that of the preconditioned residual; both over their start."
entries = series_of(1)
do for [s = 1:entries] { entry[s] = named(1, s); entry_shown[s] = 1; set style line 18 + s lc rgb color_of(s) lw 1.1 dt 1 pt marker_of(s) ps 0.6; entry_style[s] = 18 + s }
shown_columns = "2 3"
extent_first = 2; extent_last = 3
@extent
low = larger(low, 1e-14)
tall = 110 * k
@begin
@iteration_ticks
@decade_ticks
x_name = "iteration"
y_name = "norm / norm at the start"
do for [p = 1:panels] {
    @place; @x_label; @y_label
    plot NaN notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(floored(column(2))) with lines ls 18 + s notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using 1:(floored(column(2))) with points ls 18 + s notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(floored(column(3))) with lines lc rgb color_of(s) lw 0.9 dt (5, 3) notitle
}
