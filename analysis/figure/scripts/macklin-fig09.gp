# title: What the complementarity preconditioner does to one constraint (Macklin et al. 2019, fig. 9)
# rows: scaling
# number: bend=most(abs(error - 2 * at(error, -1) + at(error, -2)) / 0.0075^2)
about = "c = λ/4 - 1/8 >= 0, solution λ = 1/2: error function φ(c, r λ) with r = 1 and with r = 1/4, the slope of c. Computed by the functions that the solvers use."
brief = "c = λ/4 - 1/8 >= 0, with the solution λ = 1/2; r = 1/4 is the slope of c."
# the largest change of slope per unit of λ, of a table in steps of 0.0075
bend(i) = number_of("bend", 1, i) > 1e-4 ? number_of("bend", 1, i) : 0
outcome = sprintf("Outcome, largest curvature of φ with r = 1 and with r = 1/4 (the paper: a straight line; less curvature): minimum-map %s and %.2g, Fischer-Burmeister %.2g and %.2g.", bend(3) > 10 ? "a kink" : sprintf("%.2g", bend(3)), bend(4), bend(1), bend(2))
entries = 3
entry[1] = "minimum-map"; entry_kind[1] = "l"; entry_style[1] = 2
entry[2] = "Fischer-Burmeister"; entry_kind[2] = "l"; entry_style[2] = 1
entry[3] = "solution"; entry_kind[3] = "p"; entry_style[3] = 7
panels = 2; panel_names = "r_=_1 r_=_1/4"; tall = 120 * k; least_wide = 150
@begin
x_name = "λ"; set xrange [-1:2]; set yrange [-1.2:0.6]; set xzeroaxis ls 18
do for [p = 1:2] {
    @place; @x_label
    y_name = "error function φ"; @y_label
    plot panel_file(1) index (1 + p) using 1:2 with lines ls 2 notitle, '' index (p - 1) using 1:2 with lines ls 1 notitle, "<printf '0.5\\t0\\n'" using 1:2 with points ls 7 notitle
}
