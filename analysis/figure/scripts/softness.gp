# title: Soft friction and hard laws: work of a step by method, at equal creep and equal displacement
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --time-step 0.05 --steps 380 --linear-history off --repeat 0 --method smoothed --friction-coupling implicit,lagged,extrapolated
# run: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --time-step 0.05 --steps 380 --linear-history off --repeat 0 --method newton,interior-point,single-level,psor --newton-iterations 200 --newton-tolerance 1e-3,1e-6
# run: bowl --time-step 0.01 --steps 90 --linear-history off --repeat 0 --method smoothed --friction-coupling implicit,lagged,extrapolated
# run: bowl --time-step 0.01 --steps 90 --linear-history off --repeat 0 --method newton,interior-point,single-level,psor --newton-iterations 200 --newton-tolerance 1e-3,1e-6
# run: wedge --time-step 0.4 --steps 1 --linear-history off --repeat 0 --method smoothed --friction-coupling implicit,lagged,extrapolated
# run: wedge --time-step 0.4 --steps 1 --linear-history off --repeat 0 --method newton,interior-point,single-level,psor --newton-iterations 200 --newton-tolerance 1e-3,1e-6
# run: soft-stack --steps 21 --linear-history off --repeat 0 --method smoothed --friction-coupling implicit,lagged,extrapolated
# run: soft-stack --steps 21 --linear-history off --repeat 0 --method newton,interior-point,psor --newton-iterations 200 --newton-tolerance 1e-3,1e-6
# run: wall --set width=4,8 --set height=4 --initial-contact loaded --time-step 0.0083 --steps 6 --linear-history off --repeat 0 --method smoothed --friction-coupling implicit,lagged,extrapolated
# run: wall --set width=4,8 --set height=4 --time-step 0.0083 --steps 6 --linear-history off --repeat 0 --method newton,interior-point,single-level,psor --newton-iterations 200 --newton-tolerance 1e-3,1e-6
# quick: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --time-step 0.05 --steps 380 --linear-history off --repeat 0 --method smoothed --friction-coupling implicit,lagged
# quick: incline --set angle=0.17453292519943295 --set mu=0.177 --set speed=0.1 --set gap=0.001 --time-step 0.05 --steps 380 --linear-history off --repeat 0 --method interior-point,psor --newton-iterations 200 --newton-tolerance 1e-3,1e-6
# quick: bowl --time-step 0.01 --steps 90 --linear-history off --repeat 0 --method smoothed --friction-coupling implicit,lagged
# quick: bowl --time-step 0.01 --steps 90 --linear-history off --repeat 0 --method interior-point,psor --newton-iterations 200 --newton-tolerance 1e-3,1e-6
# select: precision=f64 newton_iterations=20000|200 scenario=incline|bowl|wedge|soft-stack|wall steps=380|90|1|21|6 time_step=0.05|0.01|0.4|0.02|0.0083 newton_tolerance=0|0.001|1e-06 method=smoothed|newton|interior-point|single-level|psor
# panel: scenario+@width
# series: method+@method.friction-coupling+newton_tolerance
# rows: run
# columns: steps contacts=most(contacts) newton=mean(newton_iterations) ms=mean(step_ms):3 energy=last(kinetic_energy)
# times: shown
soft(t) = first_part(t) eq "smoothed"
second_part(t) = first_part(t[strlen(first_part(t)) + 2:])
named(t) = soft(t) ? "smoothed, ".second_part(t) : first_part(t)." to ".last_part(t)
# iterations and ms per step, and in brackets how many steps are unsolved
cell(p, s) = last_of(p, s, 3) != last_of(p, s, 3) ? "-" : number("%.1f", last_of(p, s, 3))." / ".number(last_of(p, s, 4) < 100 ? "%.2g" : "%.0f", last_of(p, s, 4)).(open_steps(p, s) > 0 ? sprintf(" (%d)", open_steps(p, s)) : "")
most_contacts(p) = (m_ = 0, sum [s_ = 1:series_of(p)] (m_ = last_of(p, s_, 2) > m_ ? last_of(p, s_, 2) : m_, 0), m_)
outcome = "Newton iterations / ms per step (steps not converged):"
about = "Smoothed friction has eps = delta = 1e-3; the other methods solve Coulomb's law to a natural map of 1e-3 m/s, as large as the creep eps, and of 1e-6 m/s. A step of smoothed is solved in its own residual, one of the others in the natural map. incline: the slide of 10 degrees, h = 0.05 s, 19 s; its speed at the end is 0 by Coulomb's law, and 9.4e-4 m/s with implicit smoothed friction. An error of 1e-3 m/s in each step adds up, where creep of eps does not. wall: walls of four courses, 4 and 8 bricks wide, from loaded springs with smoothed, else touching; contacts are the most of all methods."
brief = "Newton iterations / ms per step (steps not converged); a number behind a hard method is its natural map [m/s]."
columns = panels + 2; lines = series_1
array head_1[columns]; array head_2[columns]; array ends[columns]; array cells[columns * lines]
head_1[1] = "it. / ms (not converged)"; head_2[1] = "most contacts"; ends[1] = 26
do for [p = 1:panels] { head_1[p + 1] = first_part(panel_name(p)); head_2[p + 1] = number("%.0f", most_contacts(p)); ends[p + 1] = 26 + 17 * p }
head_1[columns] = "incline: speed"; head_2[columns] = "at the end [m/s]"; ends[columns] = 26 + 17 * panels + 16
slide = 0
do for [p = 1:panels] { if (first_part(panel_name(p)) eq "incline") { slide = p } }
do for [s = 1:lines] {
    row = columns * (s - 1)
    cells[row + 1] = named(label_of(1, s)); outcome = outcome."\n".cells[row + 1].":"
    do for [p = 1:panels] { cells[row + 1 + p] = cell(p, s); outcome = outcome.sprintf("%s %s %s", p > 1 ? ";" : "", spaced(panel_name(p)), cells[row + 1 + p]) }
    cells[row + columns] = slide ? number("%.1e", sqrt(2 * last_of(slide, s, 5))) : "-"
    outcome = outcome."; speed at the end of the incline ".cells[row + columns]." m/s"
}
@begin_table
@table
