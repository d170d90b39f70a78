# title: Spheres that fall into a box and flow out of it at one side, frames (Tasora, Anitescu 2009)
# run: granular --set count=9000 --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 120 --newton-tolerance 0 --record-every 120 --warm-start on --steps 90 --store-states 10 --linear-history off
# quick: granular --set count=1000 --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 120 --newton-tolerance 0 --record-every 120 --warm-start on --steps 45 --store-states 5 --linear-history off
# select: scenario=granular geometry=frozen
# panel: scenario
# series: @count
# rows: frames
about = "Spheres of 5 mm that fall into a box and flow out of it at one side, h = 0.01 s, friction 0.4, 120 sweeps of psor a step from the impulses of the step before; K = 1. Radius, step and friction are our choice."
brief = "120 sweeps of psor a step; radius, step and friction are our choice. Walls between spheres and eye are edges alone."
@frames
