# title: Blocks that stand on each other, four and two (Le Cleac'h et al. 2023, fig. 8)
# run: stack-4,blocks --method single-level --steps 110 --store-states 55 --linear-history off --repeat 0
# quick: stack-4,blocks --method single-level --steps 20 --store-states 10 --linear-history off --repeat 0
# select: scenario=stack-4|blocks method=single-level steps=110|20
# panel: scenario
# series: method
# rows: moments
claim = "Le Cleac'h et al. (2023) shows towers of blocks that stay up. Here four to and fro by 10 cm, and two with the upper one 10 cm aside, of half-size 25 cm, for a second."
in_short = "Paper: towers that stay up. Here for a second: offsets of 10 cm, half-size 25 cm."
@moments
