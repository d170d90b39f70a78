# title: Parameters and statistics of the scenes (Macklin et al. 2019, table 2)
# run: arch,piling,beam,heavy-stack --time-step 0.0083 --steps 60 --linear-history off
# quick: arch,heavy-stack --time-step 0.0083 --steps 20 --linear-history off
# select: linear_solver=pcr precision=f64 scaling=effective-mass-capped settle=0 newton_iterations=4|6|20 linear_iterations=20|40|50 steps=60|20
# also: any
# panel: method
# series: scenario
# data: summary
about = "Times in ms a step: medians and interquartile ranges (IQR) over steps and repetitions. Bodies count fixed ones; island: contacts of the largest. Paper: its contacts, and its assembly + solve times on a GTX 1070."
brief = "Medians and interquartile ranges (IQR) over steps and repetitions. Island: contacts of the largest. Paper: on a GTX 1070."
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
columns = 14; lines = series_of(1)
array head_1[14] = ["scene", "bodies", "joints", "tetra.", "contacts", "island", "Newton", "linear", "assembly", "IQR", "solve", "IQR", "paper:", "paper:"]
array head_2[14] = ["", "", "", "", "", "", "iterations", "iterations", "[ms]", "[ms]", "[ms]", "[ms]", "contacts", "time [ms]"]
array ends[14] = [9, 17, 25, 32, 42, 50, 62, 74, 84, 91, 99, 106, 116, 128]
array cells[14 * lines]
do for [s = 1:lines] {
    cells[14 * (s - 1) + 1] = spaced(label_of(1, s))
    do for [c = 2:12] { cells[14 * (s - 1) + c] = number(c < 9 ? "%.0f" : "%.3f", last_of(1, s, c)) }
    do for [c = 1:2] { cells[14 * (s - 1) + 12 + c] = word(paper(label_of(1, s)), c) }
}
@begin_table
@table
unset multiplot
