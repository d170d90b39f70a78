# title: Integrators: error of the potential energy at the end, by time step and by time
# run: pendulum --time-stepping implicit --geometry joints --method newton --damping 1 --newton-iterations 30 --linear-solver cholesky --newton-tolerance 1e-11 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.04 --steps 25 --linear-history off --repeat 0
# run: pendulum --time-stepping implicit --geometry joints --method newton --damping 1 --newton-iterations 30 --linear-solver cholesky --newton-tolerance 1e-11 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.02 --steps 50 --linear-history off --repeat 0
# run: pendulum --time-stepping implicit --geometry joints --method newton --damping 1 --newton-iterations 30 --linear-solver cholesky --newton-tolerance 1e-11 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.01 --steps 100 --linear-history off --repeat 0
# run: pendulum --time-stepping implicit --geometry joints --method newton --damping 1 --newton-iterations 30 --linear-solver cholesky --newton-tolerance 1e-11 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.005 --steps 200 --linear-history off --repeat 0
# run: pendulum --time-stepping implicit --geometry joints --method newton --damping 1 --newton-iterations 30 --linear-solver cholesky --newton-tolerance 1e-11 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.0025 --steps 400 --linear-history off --repeat 0
# run: cantilever --set young=1e6 --method auto --newton-tolerance 1e-9 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.02 --steps 10 --linear-history off --repeat 0
# run: cantilever --set young=1e6 --method auto --newton-tolerance 1e-9 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.01 --steps 20 --linear-history off --repeat 0
# run: cantilever --set young=1e6 --method auto --newton-tolerance 1e-9 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.005 --steps 40 --linear-history off --repeat 0
# run: cantilever --set young=1e6 --method auto --newton-tolerance 1e-9 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.0025 --steps 80 --linear-history off --repeat 0
# quick: pendulum --time-stepping implicit --geometry joints --method newton --damping 1 --newton-iterations 30 --linear-solver cholesky --newton-tolerance 1e-11 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.04 --steps 25 --linear-history off --repeat 0
# quick: pendulum --time-stepping implicit --geometry joints --method newton --damping 1 --newton-iterations 30 --linear-solver cholesky --newton-tolerance 1e-11 --integrator be,tr,bdf2,tr-bdf2,sdirk2 --time-step 0.02 --steps 50 --linear-history off --repeat 0
# select: scenario=pendulum|cantilever steps=10|20|25|40|50|80|100|200|400
# panel: scenario
# series: @integrator+time_step
# gathered: series
# rows: step
# columns: step potential_energy step_ms
# times: shown
array names[5] = ["be", "tr", "bdf2", "tr-bdf2", "sdirk2"]
most_ = 0; do for [p = 1:panels] { most_ = larger(most_, series_of(p)) }
array h_[most_]; array energy_[most_]; array cost_[most_]; array name_[most_]
n_of = 0; key_of(s) = name_[s] eq names[c] ? h_[s] : NaN
point_of(s) = sprintf("%.9g\t%.9g\t%.9g", h_[s], abs(energy_[s] - limit_), cost_[s])
outcome = "Error [J] at the smallest time step, and order between the two smallest:"
set print $points
do for [p = 1:panels] {
    n_of = series_of(p)
    do for [s = 1:n_of] {
        h_[s] = real(last_part(label_of(p, s))); energy_[s] = last_of(p, s, 2); cost_[s] = sum_of(p, s, 3); name_[s] = first_part(label_of(p, s))
    }
    # the limit of tr-bdf2, of order 2 on both scenes, from its two smallest steps
    c = 4
    @ascending
    limit_ = ordered > 1 ? energy_[order_of[1]] + (energy_[order_of[1]] - energy_[order_of[2]]) / ((h_[order_of[2]] / h_[order_of[1]])**2 - 1) : NaN
    outcome = outcome."\n".panel_name(p).":"
    do for [c = 1:5] {
        @print_curve
        if (ordered > 1) { first_ = abs(energy_[order_of[1]] - limit_); second_ = abs(energy_[order_of[2]] - limit_); outcome = outcome.(c > 1 ? ";" : "").sprintf(" %s %.2g, %.2f", names[c], first_, log(second_ / first_) / log(h_[order_of[2]] / h_[order_of[1]])) }
    }
}
unset print
about = "A pendulum on a rigid rod, from the horizontal, after 1 s, and a cantilever of 10^6 Pa under its weight after 0.2 s. The error is of the potential energy, against the limit of tr-bdf2, extrapolated from its two smallest steps. Times are of all steps together. With a rigid rod sdirk2 has order 1: its first stage has, and the second one starts from it."
brief = "Error of the potential energy against the limit of tr-bdf2; a rigid rod (pendulum) leaves sdirk2 order 1."
entries = 0
do for [c = 1:5] { entries = entries + 1; entry[entries] = names[c]; entry_shown[entries] = 1; entry_kind[entries] = "lp"; entry_style[entries] = c }
rows = 2; tall = 105 * k; row_gap = 32; least_wide = 150
array quantity[2] = ["time step [s]", "time [ms]"]
@begin
set logscale xy; set format "10^{%L}"
do for [p = 1:panels] { do for [r = 1:rows] {
    @place
    eval(x_named(quantity[r]))
    y_name = "error of the energy [J]"; @y_label
    if (r == 1) { set xrange [0.0018:0.055]; set format x "%g"; set xtics ("0.0025" 0.0025, "0.005" 0.005, "0.01" 0.01, "0.02" 0.02, "0.04" 0.04) } else { set xrange [*:*]; set format x "10^{%L}"; set xtics autofreq }
    plot NaN notitle, for [c = 1:5] $points index (5 * (p - 1) + c - 1) using (r == 1 ? $1 : $3):2 with linespoints ls c notitle
} }
