# title: PETSc's solvers, CHOLMOD and MUMPS beside the built-in solvers, on systems of growing size
# apart: requires PETSc, and takes long: docs/reproduce.md
# run: wall --set width=13 --set height=13 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# run: wall --set width=40 --set height=40 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# run: wall --set width=130 --set height=130 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 1 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# run: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=170,1700 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# run: balls-100-falling,balls-1000-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# run: soft-stack --set cells=4 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# run: soft-stack --set cells=7 --set stacks=2 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 3 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# run: soft-stack --set cells=12 --set stacks=5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 2000 --repeat 1 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# quick: wall --set width=8 --set height=8 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# quick: wall --set width=13 --set height=13 --set offset=5e-5 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# quick: piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set offset=5e-5 --set count=60,170 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# quick: balls-100-falling,balls-300-falling --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# quick: soft-stack --set cells=3 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# quick: soft-stack --set cells=4 --warm-start off --steps 1 --lead 6 --lead-exact on --newton-iterations 1 --form stiffness --method newton --linear-norm true --linear-tolerance 5e-9 --linear-iterations 600 --repeat 2 --linear-solver pcg,cholesky,petsc --preconditioner block-ic,ict,block-jacobi,spectral --petsc '-ksp_type cg -pc_type pbjacobi,-ksp_type cg -pc_type icc,-ksp_type cg -pc_type gamg,-ksp_type cg -pc_type ml,-ksp_type cg -pc_type hypre,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod,-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'
# select: precision=f64 steps=1 newton_iterations=1 lead=6 lead_exact=1 form=stiffness linear_norm=true linear_tolerance=5e-09 linear_iterations=2000|600 preconditioner=block-ic|ict|block-jacobi|spectral|amgcl|none
# panel: scenario+bodies+tetrahedra
# series: linear_solver+preconditioner+@linear-solver.options+@preconditioner.kind
# rows: run
# times: shown
# columns: unknowns=first(unknowns) setup_ms=median(setup_ms) fine_ms=last(residual_ms@1e-8) iterations=last(residual_iterations@1e-8) linear_iterations
# "petsc none cg asm icc": PETSc cg+asm icc; "petsc none preonly cholesky mumps": PETSc mumps
set_of(t) = word(t, 1) eq "preonly" ? word(t, words(t)) : word(t, 1)."+".t[strlen(word(t, 1)) + 2:]
name_of(t) = strstrt(t, "petsc") == 1 ? "PETSc ".set_of(t[strlen(word(t, 1)." ".word(t, 2)) + 2:]).(strstrt(t, "petsc-shell") == 1 ? ", shell" : "") : word(t, 1) eq "cholesky" ? "Cholesky" : word(t, 2) eq "amgcl" ? "AMGCL ".word(t, 3) : word(t, 1)."+".word(t, 2)
named(s) = name_of(spaced(label_of(1, s)))
kind_of(p) = (t_ = panel_name(p), strstrt(t_, "-falling") ? "grains" : t_[1:4] eq "wall" ? "wall" : t_[1:4] eq "soft" ? "soft blocks" : "pile of boxes")
sizes_ = panels; curves_ = series_of(1)
array first_[sizes_]
scenes_ = 0
do for [p = 1:sizes_] { if (!(sum [c = 1:scenes_] (kind_of(first_[c]) eq kind_of(p)))) { scenes_ = scenes_ + 1; first_[scenes_] = p } }
array scene_[scenes_]
do for [c = 1:scenes_] { scene_[c] = kind_of(first_[c]) }
tried(p, s) = last_of(p, s, 5) == last_of(p, s, 5)
counted(p, s) = last_of(p, s, 4) == last_of(p, s, 4) ? sprintf("%.0f, %.2g of %.2g ms", last_of(p, s, 4), last_of(p, s, 2), last_of(p, s, 3)) : "not reached"
outcome = "Unknowns: iterations to a residual of 1e-8, set-up of set-up and solve:"
do for [c = 1:scenes_] { do for [s = 1:curves_] {
    line_ = ""
    do for [p = 1:sizes_] { if (kind_of(p) eq scene_[c] && tried(p, s)) { line_ = line_.sprintf("%s %.0f: ", line_ eq "" ? "" : ";", last_of(p, s, 1)).counted(p, s) } }
    if (line_ ne "") { outcome = outcome."\n".scene_[c].", ".named(s).":".line_ }
} }
about = "The seventh Newton system of a step in the stiffness formulation, of scenes of preconditioner-study-size: rows of bodies (blocks of 6) and particles (3); iterations before are exact, so that all solve the same one. All stop by the true residual over the first, PETSc's as well. Times of one thread, with the assembly of A. A curve has no point where the iterations that were allowed do not reach the residual, or a factorisation breaks down."
is_theirs(s) = strstrt(named(s), "PETSc") == 1
least_ms(p, theirs) = (m_ = 1e300, b_ = 0, sum [s_ = 1:curves_] (is_theirs(s_) == theirs && last_of(p, s_, 3) < m_ ? (m_ = last_of(p, s_, 3), b_ = s_, 0) : 0), b_)
best_of(p, theirs) = (l_ = least_ms(p, theirs), l_ ? sprintf("%s %.3g ms", named(l_), m_) : "none")
brief = "Least time to 1e-8:"
do for [c = 1:scenes_] {
    largest_ = 0
    do for [p = 1:sizes_] { if (kind_of(p) eq scene_[c] && (!largest_ || last_of(p, 1, 1) > last_of(largest_, 1, 1))) { largest_ = p } }
    brief = brief.(c > 1 ? ";" : "").sprintf(" %s of %.2g rows: ", scene_[c], last_of(largest_, 1, 1)).best_of(largest_, 0).", ".best_of(largest_, 1)
}
brief = brief."."
entries = smaller(curves_, 16)
do for [s = 1:entries] { entry[s] = named(s); entry_shown[s] = 1 }
array quantity_name_[3] = ["set-up [ms]", "to 1e-8 [ms]", "iterations to 1e-8"]
n_of = sizes_; point_of(p) = sprintf("%g\t%g\t%g\t%g\tnan", last_of(p, s, 1), last_of(p, s, 2), last_of(p, s, 3), last_of(p, s, 4))
set print $points
do for [c = 1:scenes_] { do for [s = 1:entries] {
    key_of(p) = kind_of(p) eq scene_[c] && tried(p, s) ? 1.0 * last_of(p, s, 1) : NaN
    @print_curve
} }
unset print
array low_[3]; array high_[3]
do for [r = 1:3] { low = 1e300; high = 0; do for [p = 1:sizes_] { i_ = widened(p, 0, r + 1) }; low_[r] = 10**floor(log10(low)); high_[r] = 10**ceil(log10(high)) }
panels = scenes_
panel_name(p) = scene_[p]
rows = 3; tall = 90 * k; row_gap = 14; between = 22; least_wide = 78
@begin
set logscale xy; set format x "10^{%L}"; set xtics 10; set mxtics 10
do for [p = 1:panels] { do for [r = 1:3] {
    @place
    low = low_[r]; high = high_[r]
    @decade_ticks
    x_name = "unknowns"; @x_label
    y_name = quantity_name_[r]; @y_label
    plot for [s = 1:entries] $points index ((p - 1) * entries + s - 1) using 1:(column(r + 1)) with linespoints ls s notitle
} }
