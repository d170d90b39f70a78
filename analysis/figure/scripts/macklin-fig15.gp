# title: Cabinets that are opened, and humanoids (Macklin et al. 2019, fig. 15)
# run: cabinets --set count=2 --precision f32 --store-states 43 --linear-history off --repeat 0 --geometry updated
# run: humanoids --set count=4 --precision f32 --store-states 20 --linear-history off --repeat 0 --geometry updated
# quick: humanoids --set count=4 --precision f32 --steps 24 --store-states 8 --linear-history off --repeat 0 --geometry updated
# select: scenario=cabinets|humanoids precision=f32 repeat=0
# panel: scenario
# series: method
# rows: moments
claim = "Macklin et al. (2019) shows robots that were trained to open a drawer (Yumi) and to run (Roboschool). Here boxes with as many bodies and joints, moved by motors; nothing is learned. Of the 200 of the table two and four."
in_short = "Paper: robots that learned to open a drawer, and to run. Here: motors, and humanoids that lie still while a cube falls on each."
@moments
