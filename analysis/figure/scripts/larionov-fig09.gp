# title: A hollow ball hits a wall at 44.7 m/s, without and with a gauge pressure (Larionov et al. 2023, fig. 9)
# run: tennis-ball --set frequency=2 --set way=0.23 --set pressure=0,1 --settle 50 --settle-tolerance 1e-4 --method smoothed --integrator sdirk2 --contact-stiffness 1e6 --time-step 0.0001 --steps 25 --store-states 1 --linear-history off --repeat 0
# quick: tennis-ball --set frequency=1 --set way=0.23 --set pressure=0,1 --settle 50 --settle-tolerance 1e-4 --method smoothed --integrator sdirk2 --contact-stiffness 1e6 --time-step 0.0001 --steps 25 --store-states 1 --linear-history off --repeat 0
# select: scenario=tennis-ball method=smoothed steps=25
# panel: @pressure
# series: method
# rows: moments
name_of(t) = t[strstrt(t, "=") + 1:]." atm"
panel_name(p) = name_of(word(panel_names, p))
claim = "Larionov et al. (2023) shows a ball of 100000 tetrahedra, unpressurized and with 1 atm, next to high-speed film."
in_short = "Paper: 100000 tetrahedra, next to high-speed film. Here: 480, and a skin of 6.6 mm."
@read_moments
do for [p = 1:panels] {
    outcome = sprintf("%s: %.1f mm at least from the wall to the far side in these pictures, of 66 mm. ", panel_name(p), 1000 * least_of(p, 1, 9)).outcome
}
@begin
@draw_moments
