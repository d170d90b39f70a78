# title: A hand grasps an irregular object (Macklin et al. 2019, fig. 10)
# run: hand-object --method auto --newton-tolerance 1e-6 --store-states 37 --linear-history off --repeat 0 --geometry updated
# quick: hand-object --method auto --newton-tolerance 1e-4 --steps 24 --store-states 8 --linear-history off --repeat 0 --geometry updated
# select: scenario=hand-object method=auto
# panel: scenario
# series: method
# rows: moments
claim = "Macklin et al. (2019) shows the Allegro hand with scanned objects of the DexNet collection. Here a hand of as many boxes (21 bodies and joints), and one object that is not convex."
in_short = "Paper: the Allegro hand, scanned objects. Here: as many bodies and joints, in boxes, one non-convex object."
@moments
