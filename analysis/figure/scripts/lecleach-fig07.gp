# title: A peg falls into a hole (Le Cleac'h et al. 2023, fig. 7)
# run: peg --method single-level --steps 60 --store-states 12 --linear-history off --repeat 0
# select: scenario=peg method=single-level
# panel: scenario
# series: method
# rows: moments
claim = "Le Cleac'h et al. (2023) shows a peg in a hole without measures. Here 0.2 x 0.2 x 0.5 m, with 1 cm of clearance on each side; two walls of four are drawn as their edges."
in_short = "Paper: a peg without measures. Here: 0.2 x 0.2 x 0.5 m, 1 cm of clearance."
@moments
