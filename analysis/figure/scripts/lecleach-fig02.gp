# title: Minkowski sums and unions of convex shapes fall on the ground (Le Cleac'h et al. 2023, fig. 2)
# run: bundles --method single-level --steps 100 --store-states 20 --linear-history off --repeat 0
# quick: bundles --method single-level --steps 60 --store-states 20 --linear-history off --repeat 0
# select: scenario=bundles method=single-level
# panel: scenario
# series: method
# rows: moments
claim = "Le Cleac'h et al. (2023) shows two such bodies, whose measures it does not give. Here: a box with an ellipsoid, three capsules, a cylinder with a cone and a padded box, and a cone with a cylinder."
in_short = "Paper: two bodies without measures. Here: two Minkowski sums, two unions."
@moments
