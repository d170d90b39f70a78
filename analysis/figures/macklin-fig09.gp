# title: What the complementarity preconditioner does to one constraint (Macklin et al. 2019, fig. 9)
# data: scaling
plot_height = 360
caption = "c = λ/4 - 1/8 >= 0, solution λ = 1/2: error function φ(c, r λ) with r = 1 and with r = 1/4, the slope of c. Computed by the functions that the solvers use."
# the change of slope per unit of λ at each row of a table in steps of 0.0075
bend(y) = (change = abs(y - 2 * y1 + y2) / 0.0075**2, y2 = y1, y1 = y, change)
array most[4]
do for [k = 0:3] {
    y1 = NaN; y2 = NaN
    stats panel_file(1) index k using (bend($2)) nooutput name "bend"
    most[k + 1] = bend_max > 1e-4 ? bend_max : 0
}
outcome = sprintf("Outcome, largest curvature of φ with r = 1 and with r = 1/4 (the paper: a straight line; less curvature): minimum-map %s and %.2g, Fischer-Burmeister %.2g and %.2g.", most[3] > 10 ? "a kink" : sprintf("%.2g", most[3]), most[4], most[1], most[2])
@begin
set xlabel "λ" offset 0, 0.5; set xrange [-1:2]; set yrange [-1.2:0.6]; set key bottom right
set xzeroaxis lc rgb "#777777"
do for [k = 0:1] {
    set lmargin at screen 0.09 + 0.5 * k; set rmargin at screen 0.48 + 0.5 * k
    set tmargin at screen from_top(64); set bmargin at screen from_top(plot_height)
    set title (k == 0 ? "r = 1" : "r = 1/4") font ",12" offset 0, -0.6
    if (k == 0) { set ylabel "error function φ" } else { unset ylabel; @unframe }
    plot panel_file(1) index (2 + k) using 1:2 with lines ls 2 title "minimum-map", '' index k using 1:2 with lines ls 1 title "Fischer-Burmeister", "<printf '0.5\\t0\\n'" using 1:2 with points ls 7 title "solution"
}
unset multiplot
