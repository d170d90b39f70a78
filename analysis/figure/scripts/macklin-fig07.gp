# title: An arm pushes a flexible beam into a slot (Macklin et al. 2019, fig. 7)
# run: beam --set arm=1 --method auto --newton-tolerance 1e-6 --steps 132 --store-states 33 --linear-history off --repeat 0 --geometry updated
# quick: beam --set arm=1 --method auto --newton-tolerance 1e-4 --steps 24 --store-states 8 --linear-history off --repeat 0 --geometry updated
# select: scenario=beam method=auto
# panel: scenario
# series: method
# rows: moments
claim = "Macklin et al. (2019) shows the Fetch robot with 16 bodies and joints of 250 N m. Here the same beam, and an arm and a gripper of boxes: 42 bodies and 42 joints, as in its table 2."
in_short = "Paper: the Fetch robot. Here: the same beam, an arm of boxes with as many bodies and joints (42, 42)."
@moments
