# title: Parameters and statistics of the scenes (Macklin et al. 2019, table 2)
# run: arch,piling,beam,heavy-stack --time-step 0.0083 --steps 60 --linear-history off
# quick: arch,heavy-stack --time-step 0.0083 --steps 20 --linear-history off
# select: linear_solver=pcr precision=f64 scaling=effective-mass-capped settle=0 newton_iterations=4|6|20 linear_iterations=20|40|50 steps=60|20
# panel: method
# series: scenario
# data: summary
axis_height = 20
plot_height = 80 + 30 * series_of(1)
caption = "Times in ms a step: medians and interquartile ranges (IQR), over steps and repetitions. Bodies count fixed ones; island: contacts of the largest. *: the paper's contacts, and its assembly + solve times on a GTX 1070.\n".caption
paper(s) = s eq "arch" ? "134 0.15+7.75" : s eq "piling" ? "936 0.1+3.7" : s eq "beam" ? "300 0.2+18.6" : "- -"
contacts_of(s) = real(word(paper(s), 1))
time_of(s) = (i_ = strstrt(word(paper(s), 2), "+"), real(word(paper(s), 2)[1:i_ - 1]) + real(word(paper(s), 2)[i_ + 1:]))
outcome = "Outcome, this machine over the paper's, contacts and assembly + solve time:"
do for [s = 1:series_of(1)] {
    name = label_of(1, s)
    if (word(paper(name), 1) ne "-") {
        outcome = outcome.sprintf(" %s %.2g and %s;", name, last_of(1, s, 5) / contacts_of(name), number("%.2g", (last_of(1, s, 9) + last_of(1, s, 11)) / time_of(name)))
    }
}
outcome = outcome[1:strlen(outcome) - 1]."."
@begin
unset border; unset tics; unset grid; unset key
set xrange [0:1]; set yrange [0:1]
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
heads = "scene bodies joints tetra. contacts island Newton linear assembly IQR solve IQR contacts* time*"
columns = "0.03 0.135 0.195 0.25 0.31 0.385 0.445 0.505 0.565 0.64 0.70 0.765 0.83 0.91"
place(c) = real(word(columns, c))
do for [c = 1:words(heads)] { set label 200 + c word(heads, c) at screen place(c), screen from_top(58) noenhanced font ",8.5" }
set arrow 1 from screen 0.02, screen from_top(70) to screen 0.98, screen from_top(70) nohead lc rgb "#444444"
line = 0
set datafile missing
do for [s = 1:series_of(1)] {
    y = from_top(94 + 30 * (s - 1))
    do for [c = 1:12] {
        cell = ""
        stats panel_file(1) index (s - 1) using (cell = c == 1 ? strcol(1) : sprintf("%.3g", column(c)), 0) nooutput
        set label 300 + 20 * s + c cell at screen place(c), screen y noenhanced font ",9"
    }
    do for [c = 1:2] { set label 313 + 20 * s + c - 1 word(paper(label_of(1, s)), c) at screen place(12 + c), screen y noenhanced font ",9" textcolor rgb "#0072B2" }
}
plot -1 notitle
unset multiplot
