# title: Linear iterations along Newton's iterations, by preconditioner
# run: arch --settle 10 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner all --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# run: arch --settle 10 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner block-jacobi --recycle 20 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# run: arch --settle 10 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner factor --preconditioner-option update=4 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# run: wall --set width=8 --set height=6 --settle 10 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner all --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# run: wall --set width=8 --set height=6 --settle 10 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner block-jacobi --recycle 20 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# run: wall --set width=8 --set height=6 --settle 10 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner factor --preconditioner-option update=4 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# run: piling --settle 40 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner all --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# run: piling --settle 40 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner block-jacobi --recycle 20 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# run: piling --settle 40 --warm-start off --steps 3 --newton-iterations 12 --form stiffness --linear-solver pcg --preconditioner factor --preconditioner-option update=4 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 2500 --linear-history off
# quick: arch --settle 5 --warm-start off --steps 2 --newton-iterations 8 --form stiffness --linear-solver pcg --preconditioner all --linear-norm true --linear-tolerance 1e-8 --linear-iterations 600 --linear-history off
# quick: arch --settle 5 --warm-start off --steps 2 --newton-iterations 8 --form stiffness --linear-solver pcg --preconditioner block-jacobi --recycle 20 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 600 --linear-history off
# quick: arch --settle 5 --warm-start off --steps 2 --newton-iterations 8 --form stiffness --linear-solver pcg --preconditioner factor --preconditioner-option update=4 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 600 --linear-history off
# quick: wall --set width=4 --set height=3 --settle 5 --warm-start off --steps 2 --newton-iterations 8 --form stiffness --linear-solver pcg --preconditioner all --linear-norm true --linear-tolerance 1e-8 --linear-iterations 600 --linear-history off
# quick: wall --set width=4 --set height=3 --settle 5 --warm-start off --steps 2 --newton-iterations 8 --form stiffness --linear-solver pcg --preconditioner block-jacobi --recycle 20 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 600 --linear-history off
# quick: wall --set width=4 --set height=3 --settle 5 --warm-start off --steps 2 --newton-iterations 8 --form stiffness --linear-solver pcg --preconditioner factor --preconditioner-option update=4 --linear-norm true --linear-tolerance 1e-8 --linear-iterations 600 --linear-history off
# with: preconditioners
# select: form=stiffness linear_solver=pcg linear_norm=true linear_tolerance=1e-08 linear_iterations=2500|600 steps=3|2 newton_iterations=12|8
# panel: scenario
# series: preconditioner+recycle?+update?
# rows: newton
# at: all
# columns: iteration mean=mean(linear_iterations) least=least(linear_iterations) most=most(linear_iterations)
about = "Each preconditioner makes its own steps, each Newton system of the stiffness form solved by pcg to a true residual of 1e-8 of its right-hand side. Steps start from zero. Lines: means over the steps. States differ a little, for solutions of the stiffness form to that residual leave impulses off. A line at the top: the iterations that were allowed. A number behind block-jacobi: vectors of the systems before that pcg was deflated by (--recycle). Behind factor: rows whose weight changed by more than this were updated in it (update); 0: a factor for each system."
brief = "Stiffness form, each system to a true residual of 1e-8; means over the steps."
shown_columns = "2"
extent_first = 2; extent_last = 2
@extent
tall = 120 * k; least_wide = 120
@begin
@iteration_ticks
low = 0.7; high = larger(10, high)
@decade_ticks
x_name = "Newton iteration"; r = 1
do for [p = 1:panels] {
    @place; @x_label
    y_name = "linear iterations"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:2 with linespoints ls s notitle
}
