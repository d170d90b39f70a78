# title: A polytope falls on the ground, in the plane and in space (Le Cleac'h et al. 2023, fig. 6)
# run: drop --set set=pentagon,polytope --method single-level --steps 120 --store-states 24 --linear-history off --repeat 0
# quick: drop --set set=pentagon,polytope --method single-level --steps 60 --store-states 20 --linear-history off --repeat 0
# select: scenario=drop method=single-level steps=120|60
# panel: @set
# series: method
# rows: moments
claim = "Le Cleac'h et al. (2023) shows an object that falls on flat ground. Here its pentagon, a prism that stays in its plane, and a polytope in space, from random places (seed 1)."
in_short = "Paper: an object that falls. Here: its pentagon, as a prism, and a polytope."
@moments
