# title: Friction compliance W and error function against the friction force (Macklin et al. 2019, fig. 6)
# data: friction
plot_height = 360
caption = "One particle on a plane: sliding speed v = 0.5 m/s, λ_n = 10 N, μ = 0.5, r = 1; the force opposes the slip. Computed by the functions that the solvers use."
stats panel_file(1) index 0 every ::350::350 using 2:3 nooutput name "fb"
stats panel_file(1) index 1 every ::350::350 using 2:3 nooutput name "mm"
# what fused products leave of zero is zero
zero(y) = abs(y) < 1e-15 ? 0 : y
outcome = sprintf("Outcome at the cone limit of 5 N (the paper: both error functions are zero there): W = %.3g and φ_f = %.1g m/s (minimum-map), W = %.3g and φ_f = %.1g m/s (Fischer-Burmeister).", mm_min_x, zero(mm_min_y), fb_min_x, zero(fb_min_y))
@begin
set bmargin at screen from_top(plot_height); set tmargin at screen from_top(56)
set lmargin at screen 0.09; set rmargin at screen 0.48
set xlabel "friction force |λ_f| [N]" offset 0, 0.5; set xrange [0:7]
set arrow 1 from 5, graph 0 to 5, graph 1 nohead dt (4,4) lc rgb "#777777"
set label 1 "cone limit" at 5.08, graph 0.96 textcolor rgb "#777777" font ",10"
set ylabel "W [m/(s N)]"; set yrange [0:0.8]; set key top left Left reverse
plot panel_file(1) index 1 using 1:2 with lines ls 2 title "minimum-map", '' index 0 using 1:2 with lines ls 1 title "Fischer-Burmeister"
@unframe
set lmargin at screen 0.58; set rmargin at screen 0.97
set xzeroaxis lc rgb "#777777"
set ylabel "φ_f = v - W |λ_f| [m/s]"; set yrange [-1.5:0.75]; set key bottom left Left reverse
plot panel_file(1) index 1 using 1:3 with lines ls 2 title "minimum-map", '' index 0 using 1:3 with lines ls 1 title "Fischer-Burmeister"
unset multiplot
