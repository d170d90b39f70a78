# title: Friction compliance W and error function against the friction force (Macklin et al. 2019, fig. 6)
# data: friction
figure_height = 480
@begin
caption = "One particle on a plane: sliding speed 0.5 m/s, normal force 10 N, mu = 0.5, r = 1. Computed by the functions that the solver uses."
outcome = "Outcome: as printed. W grows from the sliding line where the force is below the limit of 5 N; both functions agree at the limit, W = v/(mu lambda_n) = 0.1."
set multiplot
@frame
set lmargin at screen 0.09; set rmargin at screen 0.48; set bmargin at screen 0.27; set tmargin at screen 0.9
set xlabel "friction force λ_f [N]"; set xrange [0:7]
set arrow 1 from 5, graph 0 to 5, graph 1 nohead dt (4,4) lc rgb "#777777"
set label 1 "cone limit" at 5.08, graph 0.08 textcolor rgb "#777777" font ",10"
set ylabel "W [m/(s N)]"; set yrange [0:0.8]; set key top left
plot panel_file(1) index 1 using 1:2 with lines ls 2 title "minimum-map", '' index 0 using 1:2 with lines ls 1 title "Fischer-Burmeister"
@unframe
set lmargin at screen 0.58; set rmargin at screen 0.97
set ylabel "W λ_f [m/s]"; set yrange [0:2]
plot panel_file(1) index 1 using 1:3 with lines ls 2 title "minimum-map", '' index 0 using 1:3 with lines ls 1 title "Fischer-Burmeister", 0.5 with lines ls 8 title "sliding speed"
unset multiplot
