# title: A hand squeezes and lifts a soft ball (Macklin et al. 2019, fig. 3)
# run: hand-ball --form stiffness --linear-solver cholesky --newton-tolerance 1e-6 --warm-start on --newton-iterations 60 --store-states 37 --linear-history off --repeat 0 --geometry updated
# quick: hand-ball --steps 24 --form stiffness --linear-solver cholesky --newton-tolerance 1e-4 --warm-start on --newton-iterations 20 --store-states 8 --linear-history off --repeat 0 --geometry updated
# select: scenario=hand-ball form=stiffness
# panel: scenario
# series: method
# rows: moments
claim = "Macklin et al. (2019) shows the Allegro hand with a ball of 427 tetrahedra. Here as many bodies and joints (21), in boxes, and 432 tetrahedra."
in_short = "Paper: the Allegro hand, a ball of 427 tetrahedra. Here: as many bodies and joints, in boxes, and 432."
@moments
