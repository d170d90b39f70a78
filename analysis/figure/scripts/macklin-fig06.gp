# title: Friction compliance W and error function against the friction force (Macklin et al. 2019, fig. 6)
# rows: friction
# number: limit_compliance=first(compliance where row == 350)
# number: limit_error=first(error where row == 350)
about = "One particle on a plane: sliding speed v = 0.5 m/s, λ_n = 10 N, μ = 0.5, r = 1; the force opposes the slip. Computed by the functions that the solvers use."
brief = "One particle on a plane, sliding at 0.5 m/s: λ_n = 10 N, μ = 0.5, r = 1."
# what fused products leave of zero is zero
zero(y) = abs(y) < 1e-15 ? 0 : y
outcome = sprintf("Outcome at the cone limit of 5 N (the paper: both error functions are zero there): W = %.3g and φ_f = %.1g m/s (minimum-map), W = %.3g and φ_f = %.1g m/s (Fischer-Burmeister).", number_of("limit_compliance", 1, 2), zero(number_of("limit_error", 1, 2)), number_of("limit_compliance", 1, 1), zero(number_of("limit_error", 1, 1)))
entries = 3
entry[1] = "minimum-map"; entry_kind[1] = "l"; entry_style[1] = 2
entry[2] = "Fischer-Burmeister"; entry_kind[2] = "l"; entry_style[2] = 1
entry[3] = "cone limit"; entry_kind[3] = "l"; entry_style[3] = 17
panels = 2; panel_names = ". ."; tall = 120 * k; panel_title = 3; between = left_space + 4; least_wide = 150
@begin
x_name = "friction force |λ_f| [N]"; set xrange [0:7]
set arrow 1 from 5, graph 0 to 5, graph 1 nohead ls 17 back
do for [p = 1:2] {
    @place; @x_label
    if (p == 1) { eval(y_named("W [m/(s N)]")); set yrange [0:0.8] } else { eval(y_named("φ_f = v - W |λ_f| [m/s]")); set yrange [-1.5:0.75]; set xzeroaxis ls 18 }
    plot panel_file(1) index 1 using 1:(column(p + 1)) with lines ls 2 notitle, '' index 0 using 1:(column(p + 1)) with lines ls 1 notitle
}
