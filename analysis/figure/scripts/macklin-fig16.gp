# title: Convergence over the beam's insertion, identity against effective mass (Macklin et al. 2019, fig. 16)
# run: beam --steps 132 --newton-iterations 100 --linear-iterations 40 --linear-history off --scaling identity,effective-mass,effective-mass-capped --geometry updated
# quick: beam --steps 12 --newton-iterations 30 --linear-iterations 40 --linear-history off --scaling identity,effective-mass,effective-mass-capped --geometry updated
# select: scenario=beam linear_iterations=40 linear_solver=pcr precision=f64 scaling=identity|effective-mass|effective-mass-capped newton_iterations=100|30
# panel: scaling
# series: scenario
# rows: newton
# at: all
# columns: iteration natural_map_error_least=least(natural_map_error) natural_map_error_quarter=quarter(natural_map_error) natural_map_error_median=median(natural_map_error) natural_map_error_three_quarters=three_quarters(natural_map_error) natural_map_error_most=most(natural_map_error) complementarity_error_least=least(complementarity_error) complementarity_error_quarter=quarter(complementarity_error) complementarity_error_median=median(complementarity_error) complementarity_error_three_quarters=three_quarters(complementarity_error) complementarity_error_most=most(complementarity_error)
# number: second=first(natural_map_error_median where iteration == 1)
panel_of(name) = (i_ = 0, sum [k_ = 1:panels] (panel_name(k_) eq name ? k_ : 0))
median_of(p) = last_of(p, 1, 4)
outcome = "Median natural-map error after the last Newton iteration [m/s]: "
gains = ""
do for [p = 1:panels] {
    outcome = outcome.sprintf("%s%s %s", p > 1 ? "; " : "", panel_name(p), number("%.1e", median_of(p)))
    if (panel_name(p) ne "identity" && panel_of("identity")) { gains = gains.sprintf("%s%s %s", gains eq "" ? "" : ", ", panel_name(p), number("%.2g", median_of(panel_of("identity")) / median_of(p))) }
}
outcome = outcome.".\n".(gains eq "" ? "" : "That of identity over that of ".gains.".\n").(papers ? "Macklin et al. (2019): superlinear convergence in significantly more steps than with identity scaling, the median often an order of magnitude lower. With damping 0.75 an iteration cannot gain more than a factor of 4 in momentum.\n" : "")
about = "Minimum, quartiles, median and maximum over the steps of the natural-map error (the largest of momentum, joint, normal and friction errors)."
brief = gains eq "" ? "Over the steps: all, the middle half, and the median of the natural-map error." : "Last median of identity over ".gains.(papers ? " (paper: often 10, and superlinear)." : ".")
entries = 4
do for [i = 1:4] { entry_shown[i] = 1 }
entry[1] = "all steps"; entry_kind[1] = "f"; entry_style[1] = "#E0ECF4"
entry[2] = "middle half"; entry_kind[2] = "f"; entry_style[2] = "#A6CBE3"
entry[3] = "median"; entry_kind[3] = "l"; entry_style[3] = 1
entry[4] = "0.25 an iteration"; entry_kind[4] = "l"; entry_style[4] = 2
extent_first = 2; extent_last = 6
@extent
tall = 130 * k
@begin
@decade_ticks; @iteration_ticks
x_name = "Newton iteration"
do for [p = 1:panels] {
    @place; @x_label
    y_name = "natural-map error [m/s]"; @y_label
    set xrange [0:most]
    plot panel_file(p) index 0 using 1:2:6 with filledcurves fc rgb "#E0ECF4" fs solid noborder notitle, \
         '' index 0 using 1:3:5 with filledcurves fc rgb "#A6CBE3" fs solid noborder notitle, \
         '' index 0 using 1:4 with lines ls 1 notitle, number_of("second", p, 1) * 0.25**(x - 1) with lines ls 2 notitle
}
