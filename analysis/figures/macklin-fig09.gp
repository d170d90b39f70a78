# title: What the complementarity preconditioner does to one constraint (Macklin et al. 2019, fig. 9)
# data: scaling
figure_height = 480
@begin
caption = "c = lambda/4 - 1/8 >= 0, solution lambda = 1/2: error function phi(c, r lambda) with r = 1 and with r = 1/4, the slope of c. Computed by the functions that the solver uses."
outcome = "Outcome: as printed. With r = 1/4 the minimum-map becomes one straight line through the solution, and the curvature of Fischer-Burmeister shrinks."
set multiplot
@frame
set xlabel "λ"; set xrange [-1:2]; set yrange [-1.2:0.6]; set key bottom right
set xzeroaxis lc rgb "#777777"
do for [k = 0:1] {
    set lmargin at screen 0.09 + 0.5 * k; set rmargin at screen 0.48 + 0.5 * k; set bmargin at screen 0.27; set tmargin at screen 0.86
    set title (k == 0 ? "r = 1" : "r = 1/4") font ",12" offset 0, -0.6
    if (k == 0) { set ylabel "error function φ" } else { unset ylabel; @unframe }
    plot panel_file(1) index (2 + k) using 1:2 with lines ls 2 title "minimum-map", '' index k using 1:2 with lines ls 1 title "Fischer-Burmeister", "<printf '0.5\\t0\\n'" using 1:2 with points ls 7 title "solution"
}
unset multiplot
