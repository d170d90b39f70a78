# title: Spheres that fall into a box and flow out of it at one side (Tasora, Anitescu 2009)
# run: granular --set count=9000 --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 120 --newton-tolerance 0 --record-every 120 --warm-start on --steps 90 --store-states 10 --linear-history off
# quick: granular --set count=1000 --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 120 --newton-tolerance 0 --record-every 120 --warm-start on --steps 45 --store-states 5 --linear-history off
# select: scenario=granular geometry=frozen steps=90|45
# panel: scenario
# series: @count
# rows: moments
claim = "Tasora and Anitescu (2009) shows 9000 spheres that fall into a shaker and flow out of it at one side. Their radius of 5 mm, h = 0.01 s and a friction of 0.4 are our choice; 120 sweeps of psor a step from the impulses of the step before, K = 1."
in_short = "Paper: 9000 spheres. Their radius of 5 mm, h = 0.01 s and friction 0.4 are our choice; 120 sweeps per step."
@moments
