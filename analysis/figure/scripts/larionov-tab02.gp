# title: Time, memory and volume of a hollow ball that is squeezed, by solver (Larionov et al. 2023, table II)
# run: ball-squish --set frequency=4 --set volume=quadratic --set compression=1,0.01 --method smoothed --linear-solver multifrontal,bicgstab --time-step 0.002 --steps 150 --linear-history off --repeat 0
# run: ball-squish --set frequency=4 --set volume=quadratic --set compression=1e6 --set young=1e6 --method smoothed --linear-solver multifrontal,bicgstab --time-step 0.002 --steps 150 --linear-history off --repeat 0
# quick: ball-squish --set frequency=1 --set volume=quadratic --set compression=1,0.01 --method smoothed --linear-solver multifrontal,bicgstab --time-step 0.01 --steps 30 --linear-history off --repeat 0
# quick: ball-squish --set frequency=1 --set volume=quadratic --set compression=1e6 --set young=1e6 --method smoothed --linear-solver multifrontal,bicgstab --time-step 0.01 --steps 30 --linear-history off --repeat 0
# select: scenario=ball-squish method=smoothed steps=30|150
# panel: scenario
# series: linear_solver+@young+@compression
# rows: run
# columns: tetrahedra steps step_s=mean(step_s):3 peak_bytes volume=last(cavity_volume) first=most(cavity_volume) newton=mean(newton_iterations)
# times: shown
before_(t, n) = (i_ = strstrt(t, n), i_ ? t[i_ + strlen(n):] : "")
until_(t) = (i_ = strstrt(t, "_"), i_ ? t[1:i_ - 1] : t)
solver_of(t) = until_(t)
hard(t) = real(until_(before_(t, "young="))) > 5e5
k_of(t) = real(until_(before_(t, "compression=")))
way_of(t) = solver_of(t) eq "bicgstab" ? "iterative" : "direct"
# the paper's at 1000 elements: s a frame, GB, volume lost
published(t) = !papers ? "- - -" : hard(t) ? (way_of(t) eq "direct" ? "0.312 0.388 74.3" : "0.593 0.097 74.3") : k_of(t) == 1 ? (way_of(t) eq "direct" ? "0.354 0.228 33.6" : "0.391 0.081 33.6") : k_of(t) == 0.01 ? (way_of(t) eq "direct" ? "1.08 0.478 0.49" : "0.463 0.214 0.49") : "- - -"
lost(s) = 100 * (1 - last_of(1, s, 5) / last_of(1, s, 6))
outcome = "Seconds per step, and volume lost:"
about = "A hollow ball between planes that come together by 74 % of its diameter in 0.3 s, with the quadratic law of what it holds, and its compression k in 1/atm; none: 1e6. Direct: multifrontal LU; iterative: BiCGSTAB. Times: averages over all steps; memory: of the program without libraries, at most. Larionov et al.'s (2023) are of 1000 elements, h = 1 ms, 804 frames, 24 threads, and memory is that of the whole run; meshes, thickness and motion are ours.".(papers ? " Larionov et al. (2023): small k favors the iterative solver, stiff balls the direct one." : "")
brief = "Hollow ball between planes; k: compression of what it holds.".(papers ? " Paper: 1000 elements, 12 cores; here one." : "")
columns = papers ? 12 : 9; lines = series_of(1)
array head_1[12] = ["solver", "E", "k", "tetra", "step", "memory", "volume", "Newton", "steps not", "paper:", "memory", "volume"]
array head_2[12] = ["", "[kPa]", "[1/atm]", "", "[s]", "[MB]", "lost [%]", "iterations", "solved", "[s]", "[MB]", "lost [%]"]
array ends[12] = [11, 17, 26, 33, 41, 49, 59, 71, 83, 91, 99, 109]
array cells[columns * lines]
do for [s = 1:lines] {
    t_ = label_of(1, s); row = columns * (s - 1)
    cells[row + 1] = way_of(t_)
    cells[row + 2] = hard(t_) ? "1000" : "100"
    cells[row + 3] = k_of(t_) > 1e3 ? "none" : sprintf("%g", k_of(t_))
    cells[row + 4] = number("%.0f", last_of(1, s, 1))
    cells[row + 5] = number("%.3f", last_of(1, s, 3))
    cells[row + 6] = number("%.0f", last_of(1, s, 4) / 1e6)
    cells[row + 7] = number("%.3g", lost(s))
    cells[row + 8] = number("%.1f", last_of(1, s, 7))
    cells[row + 9] = number("%.0f", open_steps(1, s))." of ".number("%.0f", last_of(1, s, 2))
    outcome = outcome.sprintf("%s %s, E %s kPa, k %s: %s s, %s %%, %s steps not converged", s > 1 ? ";" : "", cells[row + 1], cells[row + 2], cells[row + 3], cells[row + 5], cells[row + 7], cells[row + 9])
    if (papers) {
        cells[row + 10] = word(published(t_), 1)
        cells[row + 11] = word(published(t_), 2) eq "-" ? "-" : sprintf("%.0f", 1000 * real(word(published(t_), 2)))
        cells[row + 12] = word(published(t_), 3)
    }
}
outcome = outcome."."
@begin_table
@table
