# title: Residual against iteration on one linear subproblem (Macklin et al. 2019, fig. 11)
# run: arch-20,wall-10x10,boxes-27-bond,bridge-7-soft --method newton --steps 1 --lead 3 --newton-iterations 1 --linear-iterations 100 --linear-solver jacobi,gauss-seidel,pcg,pcr --geometry updated
# quick: arch-20,boxes-27-bond --method newton --steps 1 --lead 3 --newton-iterations 1 --linear-iterations 60 --linear-solver jacobi,gauss-seidel,pcg,pcr --geometry updated
# select: steps=1 lead=3 newton_iterations=1 precision=f64
# also: any
# panel: scenario
# series: linear_solver+preconditioner?+scaling?+ncp?
# rows: linear
# at: last:0
# columns: iteration residual_l2_over_start=residual_l2/start preconditioned_residual_over_start=preconditioned_residual/start
# number: plain=first(residual_l2_over_start where iteration == 20)
# number: preconditioned=first(preconditioned_residual_over_start where iteration == 20)
# how far PCR is below PCG after 20 iterations, in the plain and in the preconditioned norm, by scene
ratio_of(p, norm) = number_of(norm, p, index_of(p, "pcg")) / number_of(norm, p, index_of(p, "pcr"))
ratios(norm) = (t_ = "", sum [p_ = 1:panels] (t_ = t_.(p_ > 1 ? ", " : "").panel_name(p_)." ".number("%.2g", ratio_of(p_, norm)), 0), t_)
outcome = "PCG over PCR after 20 iterations, plain norm: ".ratios("plain").";\nin the preconditioner's norm: ".ratios("preconditioned")."  (-: one had stopped, or is missing).\n".(papers ? "Macklin et al. (2019): PCR often has an order of magnitude lower residual than other methods at the same count, and is monotone in the preconditioned norm; PCG is not monotone.\n" : "")
about = "The same system for all solvers of a scene: the fourth Newton iteration of a step from a stored state. Top: 2-norm of the residual; bottom: in the norm of the preconditioner P; both over their values at the start. Scales differ between plots. Jacobi takes the l1 row sums as diagonal."
brief = index_of(1, "pcg") && index_of(1, "pcr") ? "PCG over PCR after 20 iterations".(papers ? " (paper: often 10)" : "").": ".ratios("plain")."." : "One Newton system of each scene. Top: 2-norm of the residual; bottom: in the norm of the preconditioner P."
shown_columns = "2 3"
extent_first = 2; extent_last = 3
@extent
least = 1e-9 # what is below is as good as exact, and would leave no room for the other curves
rows = 2; tall = 92 * k
array low_[2 * panels]; array high_[2 * panels]
# the end of a curve that has not converged: the axis ends three decades below the least of them
open_end(p, s, c) = last_of(p, s, c) > 1e-6 ? last_of(p, s, c) : 1e300
do for [p = 1:panels] { do for [r = 1:rows] {
    own_column = r + 1
    @own_extent
    end_ = 1e300
    do for [s = 1:series_of(p)] { end_ = smaller(end_, open_end(p, s, r + 1)) }
    low_[2 * (p - 1) + r] = larger(low, end_ < 1e300 ? 10**(floor(log10(end_)) - 3) : least); high_[2 * (p - 1) + r] = high
} }
@begin
@iteration_ticks
x_name = "iteration"
y_at(r) = column(r + 1) > 0 ? column(r + 1) : NaN
do for [p = 1:panels] { do for [r = 1:rows] {
    low = low_[2 * (p - 1) + r]; high = high_[2 * (p - 1) + r]
    @place; @x_label; @decade_ticks
    y_name = (r == 1 ? "||b - A x|| / ||b||" : "||b - A x||_P / ||b||_P"); @y_label
    plot @curves
} }
