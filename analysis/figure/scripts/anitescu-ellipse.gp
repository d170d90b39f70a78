# title: An ellipse that is dropped on a table (Anitescu, Hart, ICIAM 2003)
# run: ellipse --time-stepping anitescu-hart --friction-law coulomb --stabilization 1 --method interior-point --newton-tolerance 1e-9 --steps 200 --store-states 5 --linear-history off
# quick: ellipse --time-stepping anitescu-hart --friction-law coulomb --stabilization 1 --method interior-point --newton-tolerance 1e-9 --steps 64 --store-states 5 --linear-history off
# select: scenario=ellipse geometry=frozen time_step=0.05 newton_tolerance=1e-09 steps=200|64
# panel: scenario
# series: @stabilization
# rows: moments
claim = "Anitescu and Hart (2003) shows ten frames of an ellipse with axes of 4 and 8 that is dropped from a height of 8 with a spin of 3. A friction of 0.3 and h = 0.05 s are our choice; Coulomb's law, solved to 1e-9 m/s, K = 1."
in_short = "Paper: axes 4 and 8, dropped from 8 with a spin of 3. Friction 0.3 and h = 0.05 s are our choice."
@moments
