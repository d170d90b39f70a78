# title: Time of linear solves over twenty steps, with kept factors, recycled vectors, and without
# apart: the study in full takes long: docs/reproduce.md
# run: wall-10x10,tables-27-falling,boxes-100-falling,balls-100-falling --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-norm true --linear-tolerance 1e-8 --linear-iterations 5000 --linear-history off --repeat 1 --linear-solver pcg,cholesky --preconditioner block-ic,block-jacobi
# run: wall-10x10,tables-27-falling,boxes-100-falling,balls-100-falling --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-norm true --linear-tolerance 1e-8 --linear-iterations 5000 --linear-history off --repeat 1 --linear-solver pcg --preconditioner factor --preconditioner-option refresh=each,auto,step
# run: wall-10x10,tables-27-falling,boxes-100-falling,balls-100-falling --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-norm true --linear-tolerance 1e-8 --linear-iterations 5000 --linear-history off --repeat 1 --linear-solver pcg --preconditioner factor --preconditioner-option update=4
# run: wall-10x10,tables-27-falling,boxes-100-falling,balls-100-falling --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-norm true --linear-tolerance 1e-8 --linear-iterations 5000 --linear-history off --repeat 1 --linear-solver pcg --preconditioner block-jacobi --recycle 20
# quick: boxes-30-falling,balls-100-falling --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-norm true --linear-tolerance 1e-8 --linear-iterations 1000 --linear-history off --repeat 1 --linear-solver pcg,cholesky --preconditioner block-ic,block-jacobi
# quick: boxes-30-falling,balls-100-falling --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-norm true --linear-tolerance 1e-8 --linear-iterations 1000 --linear-history off --repeat 1 --linear-solver pcg --preconditioner factor --preconditioner-option refresh=each,auto,step
# quick: boxes-30-falling,balls-100-falling --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-norm true --linear-tolerance 1e-8 --linear-iterations 1000 --linear-history off --repeat 1 --linear-solver pcg --preconditioner factor --preconditioner-option update=4
# quick: boxes-30-falling,balls-100-falling --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-norm true --linear-tolerance 1e-8 --linear-iterations 1000 --linear-history off --repeat 1 --linear-solver pcg --preconditioner block-jacobi --recycle 20
# select: steps=20 newton_iterations=10 form=stiffness linear_norm=true linear_tolerance=1e-08 linear_iterations=5000|1000
# panel: scenario
# series: linear_solver+preconditioner+refresh+update+recycle?
# rows: step
# times: shown
# columns: step total_ms=before(setup_ms+solve_ms) setup_ms=before(setup_ms)
about = "Each solver makes its own steps from a stored state of the standard set, ten Newton systems of the stiffness formulation each, to a true residual of 1e-8. Time: set-up with the assembly of A, and solves. A factor is kept until iterations have doubled (refresh=auto), or that of the first system of each step is (refresh=step); or rows whose weight changed by more than four times are updated in it (update=4). Recycled: pcg is deflated by 20 vectors of the systems before (--recycle 20)."
brief = "Set-up with the assembly of A, and solves, ten Newton systems per step, to a residual of 1e-8."
kept_as(t) = t eq "factor each 0" ? "factor" : t eq "factor auto 0" ? "factor, until iterations double" : t eq "factor step 0" ? "factor, one per step" : t eq "factor each 4" ? "factor, updated" : t eq "block-jacobi 0" ? "block-jacobi" : t eq "block-jacobi 20" ? "block-jacobi, recycled vectors" : t
named(s) = (t_ = spaced(label_of(1, s)), t_[1:8] eq "cholesky" ? "Cholesky" : kept_as(t_[5:]))
outcome = "Time of 20 steps over that of Cholesky's solves:"
exact = (i_ = 0, sum [s_ = 1:series_of(1)] (named(s_) eq "Cholesky" ? (i_ = s_, 0) : 0), i_)
do for [p = 1:panels] { outcome = outcome."\n".spaced(panel_name(p)).":"; do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? "," : "").sprintf(" %s %s", named(s), number("%.2g", last_of(p, s, 2) / last_of(p, exact, 2))) } }
do for [s = 1:entries] { entry[s] = named(s) }
tall = 120 * k; least_wide = 78
shown_columns = "2"
extent_first = 2; extent_last = 2
@begin
do for [p = 1:panels] {
    @place
    own_column = 2
    @own_extent
    @decade_ticks
    set xrange [0:20]; set xtics 5
    eval(x_named("step")); y_name = "time of linear solves [ms]"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using ($1 + 1):2 with lines ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using ($1 + 1):2 with points ls s notitle
}
