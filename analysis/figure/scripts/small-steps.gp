# title: Small steps: penetration or joint error, and motion left, against products with N at equal sweeps
# run: heavy-stack --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 1 --newton-iterations 16,32,64,128,256
# run: heavy-stack --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 8 --newton-iterations 2,4,8,16,32
# run: heavy-stack --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 8 --relax on --newton-iterations 1,2,4,8,16
# run: heavy-stack --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 8 --relax on --contact-model spring --newton-iterations 1,2,4,8,16
# run: wall --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 1 --newton-iterations 16,32,64,128,256
# run: wall --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 8 --newton-iterations 2,4,8,16,32
# run: wall --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 8 --relax on --newton-iterations 1,2,4,8,16
# run: wall --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 8 --relax on --contact-model spring --newton-iterations 1,2,4,8,16
# run: nunchaku --set held=1 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 1 --newton-iterations 16,32,64,128,256
# run: nunchaku --set held=1 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 8 --newton-iterations 2,4,8,16,32
# run: nunchaku --set held=1 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 100 --substeps 8 --relax on --newton-iterations 1,2,4,8,16
# quick: heavy-stack --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 20 --substeps 1 --newton-iterations 16,64
# quick: heavy-stack --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 20 --substeps 8 --newton-iterations 2,8
# quick: heavy-stack --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 20 --substeps 8 --relax on --newton-iterations 1,4
# quick: heavy-stack --set mass-ratio=2 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 20 --substeps 8 --relax on --contact-model spring --newton-iterations 1,4
# quick: nunchaku --set held=1 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 20 --substeps 1 --newton-iterations 16,64
# quick: nunchaku --set held=1 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 20 --substeps 8 --newton-iterations 2,8
# quick: nunchaku --set held=1 --time-step 0.01 --friction-law relaxed --method psor --warm-start on --linear-history off --repeat 0 --steps 20 --substeps 8 --relax on --newton-iterations 1,4
# select: scenario=heavy-stack|wall|nunchaku method=psor time_step=0.01 steps=100|20
# panel: scenario
# series: @contact-model+@relax+@substeps+newton_iterations
# gathered: series
# rows: step
# columns: step infeasibility kinetic_energy operator_applications
array names[4] = ["rigid_off_substeps=1", "rigid_off_substeps=8", "rigid_on_substeps=8", "spring_on_substeps=8"]
array said[4] = ["one step", "8 small steps", "8, relaxed", "8, springs of 30 Hz, relaxed"]
most_ = 0; do for [p = 1:panels] { most_ = larger(most_, series_of(p)) }
array work_[most_]; array deep_[most_]; array moving_[most_]; array name_[most_]
n_of = 0; key_of(s) = name_[s] eq names[c] ? work_[s] : NaN
shown_(x) = x == x ? smaller(larger(x, 1e-12), 1e6) : NaN
point_of(s) = sprintf("%.9g\t%.9g\t%.9g", work_[s], shown_(deep_[s]), shown_(moving_[s]))
outcome = "Products per step: largest error [m], kinetic energy at the end [J]:"
set print $points
do for [p = 1:panels] {
    n_of = series_of(p)
    do for [s = 1:n_of] {
        work_[s] = sum_of(p, s, 4) / rows_of(p, s); deep_[s] = most_of(p, s, 2); moving_[s] = last_of(p, s, 3); name_[s] = before_last(label_of(p, s))
    }
    outcome = outcome."\n".panel_name(p).":"
    do for [c = 1:4] {
        @print_curve
        if (ordered) { outcome = outcome.(c > 1 ? "; " : " ").said[c] }
        do for [i = 1:ordered] { outcome = outcome.sprintf("%s %.0f: %.2g, %.2g", i > 1 ? "," : "", work_[order_of[i]], deep_[order_of[i]], moving_[order_of[i]]) }
    }
}
unset print
about = "psor from the impulses before, steps of 10 ms, so many sweeps in all: 16 to 256 of one step, or an eighth in each of 8 small steps, of which relaxation takes half. The error is the larger one of penetration, by detection at the end of each step, and of joints. All three scenes are at rest where they are solved: a stack of 5 boxes, each twice as heavy as the one below, a wall, and a rod of 0.5 kg that hangs from balls of 0.01 kg. Expected from Box2D 3: small steps with relaxation have the smallest errors and no motion. That holds for the chain. On the stack and the wall rigid contacts with relaxation have larger errors with up to 64 products; springs leave the least motion, and their own penetration."
brief = "Scenes at rest: largest error of all steps, kinetic energy at the end."
entries = 0
do for [c = 1:4] { entries = entries + 1; entry[entries] = said[c]; entry_shown[entries] = 1; entry_kind[entries] = "lp"; entry_style[entries] = c }
rows = 2; tall = 105 * k; row_gap = 17; least_wide = 130
array quantity[2] = ["largest error [m]", "kinetic energy [J]"]
@begin
set logscale xy; set format y "10^{%L}"; set format x "%g"; set xrange [12:340]; set xtics (16, 64, 256); set ytics 1e2
do for [p = 1:panels] { do for [r = 1:rows] {
    @place
    eval(x_named(r == rows ? "products with N per step" : ""))
    y_name = quantity[r]; @y_label
    plot NaN notitle, for [c = 1:4] $points index (4 * (p - 1) + c - 1) using 1:(r == 1 ? $2 : $3) with linespoints ls c notitle
} }
