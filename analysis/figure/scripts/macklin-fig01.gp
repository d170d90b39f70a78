# title: A robot arm sets a soft ball on a scale (Macklin et al. 2019, fig. 1)
# run: tomato --form stiffness --linear-solver cholesky --newton-tolerance 1e-6 --newton-iterations 20 --store-states 130 --linear-history off --repeat 0 --geometry updated
# quick: tomato --steps 60 --form stiffness --linear-solver cholesky --newton-tolerance 1e-4 --newton-iterations 20 --store-states 20 --linear-history off --repeat 0 --geometry updated
# select: scenario=tomato form=stiffness
# panel: scenario
# series: method
# rows: moments
claim = "Macklin et al. (2019) shows the Fetch robot with a tomato (319 tetrahedra), led by a person. Here as many bodies and joints in boxes, a ball of 320 tetrahedra, and motors."
in_short = "Paper: a Fetch robot, led by a person, and a tomato of 319 tetrahedra. Here: boxes, motors, a ball of 320."
@moments
