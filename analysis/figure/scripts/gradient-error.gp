# title: Error of the gradient against its smoothing
# rows: gradient-error
# number: best=least(error)
# number: best_rho=first(rho_j where error == best)
names(m) = m == 1 ? "sliding down a slope" : m == 2 ? "sticking to it" : m == 3 ? "a box at rest" : m == 4 ? "a sphere that rolls" : m == 5 ? "a box that lands" : m == 6 ? "a sphere falls off others" : names(alike(m)).", single-level"
alike(m) = m == 7 ? 1 : m == 8 ? 4 : m == 9 ? 5 : m # the curve of the same motion
curves_ = 9
about = "d(velocities of all bodies at the end)/d(velocities of the last one at the start), over 20 steps (sticking and at rest: one; landing: ten, three of them in contact; falling off: 25), with method interior-point unless it says otherwise: the largest difference from central differences of the motion itself (Richardson's extrapolation, of three widths the one at which it changes least), against the smoothing ρ of the derivatives; the motion is not smoothed. Curves of single-level are against differences of its motion, which its rho of 1e-10 (without a unit) smooths, and which is another one where spheres roll; a ρ below that of the motion is refused, and at small ρ its products are within round-off of its equations, or did not converge (no point). Open circles: what the differences are off by, their own change and the tolerance of the steps over their width."
low = 1e300; high = 0
do for [m = 1:curves_] {
    high = larger(high, most_of(1, m, 2)); low = smaller(low, smaller(least_of(1, m, 2), most_of(1, m, 3)))
}
outcome = "Outcome, least error and where (what the differences are off by):"
do for [m = 1:curves_] { outcome = outcome.sprintf("%s %s %.1e at %.0e J (%.0e)", m > 1 ? ";" : "", names(m), least_of(1, m, 2), number_of("best_rho", 1, m), most_of(1, m, 3)) }
brief = "The largest difference from central differences of the motion; open circles: what these are off by."
entries = curves_
do for [m = 1:curves_] { entry[m] = names(m); entry_style[m] = m; entry_kind[m] = "lp" }
low = low > 1e-12 ? 10**floor(log10(low)) : 1e-12; high = 10**ceil(log10(high))
panels = 1; panel_names = "_"; tall = 150 * k; least_wide = 200
@begin
p = 1
@place
set logscale x; set format x "10^{%L}"; set xtics 100
@decade_ticks
set xrange [5e-13:2e-2]; x_name = "smoothing ρ [J]"; @x_label
y_name = "error of the gradient"; @y_label
plot for [m = 1:curves_] panel_file(1) index (m - 1) using 1:($2 > low ? $2 : low) with linespoints ls m notitle, \
     for [m = 1:curves_] panel_file(1) index (m - 1) using (2e-12):($3 > low ? $3 : low) every ::0::0 with points pt 6 lc rgb color_of(m) notitle
