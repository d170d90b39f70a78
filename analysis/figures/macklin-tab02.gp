# title: Parameters and statistics of the scenes (Macklin et al. 2019, table 2)
# run: arch,piling,beam,heavy-stack --time-step 0.0083 --steps 60 --linear-history off
# quick: arch,heavy-stack --time-step 0.0083 --steps 20 --linear-history off
# select: linear_solver=pcr precision=f64 scaling=effective-mass-capped settle=0 newton_iterations=4|6|20 linear_iterations=20|40|50 steps=60|20
# panel: method
# series: scenario
# data: summary
figure_height = 340
@begin
outcome = "Times in ms a step, mean and standard deviation. *: the paper's contacts, and its assembly + solve times on a GTX 1070. Island: contacts of the largest.\nOutcome: our scenes have fewer contacts than the paper's, which is part of why one CPU core takes less time here than its GPU did."
set multiplot
@frame
set label 101 caption at screen 0.02, screen 0.09
set label 102 outcome at screen 0.02, screen 0.18
unset border; unset tics; unset grid; unset key
set xrange [0:1]; set yrange [0:1]
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
heads = "scene bodies joints tetra. contacts island Newton linear assembly s.d. solve s.d. contacts* time*"
columns = "0.03 0.135 0.195 0.25 0.31 0.385 0.445 0.505 0.565 0.64 0.70 0.765 0.83 0.91"
place(c) = real(word(columns, c))
do for [c = 1:words(heads)] { set label 200 + c word(heads, c) at screen place(c), screen 0.82 noenhanced font ",8.5" }
set arrow 1 from screen 0.02, screen 0.785 to screen 0.98, screen 0.785 nohead lc rgb "#444444"
paper(s) = s eq "arch" ? "134 0.15+7.75" : s eq "piling" ? "936 0.1+3.7" : s eq "beam" ? "300 0.2+18.6" : "- -"
line = 0
set datafile missing
do for [s = 1:series_of(1)] {
    y = 0.71 - 0.095 * (s - 1)
    do for [c = 1:12] {
        cell = ""
        stats panel_file(1) index (s - 1) using (cell = c == 1 ? strcol(1) : sprintf("%.3g", column(c)), 0) nooutput
        set label 300 + 20 * s + c cell at screen place(c), screen y noenhanced font ",9"
    }
    do for [c = 1:2] { set label 313 + 20 * s + c - 1 word(paper(label_of(1, s)), c) at screen place(12 + c), screen y noenhanced font ",9" textcolor rgb "#0072B2" }
}
plot -1 notitle
unset multiplot
