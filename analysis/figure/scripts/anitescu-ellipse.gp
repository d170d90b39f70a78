# title: An ellipse that is dropped on a table, ten frames (Anitescu, Hart, ICIAM 2003)
# run: ellipse --time-stepping anitescu-hart --stabilization 1 --method interior-point --newton-tolerance 1e-9 --steps 200 --store-states 5 --linear-history off
# quick: ellipse --time-stepping anitescu-hart --stabilization 1 --method interior-point --newton-tolerance 1e-9 --steps 60 --store-states 5 --linear-history off
# select: scenario=ellipse geometry=frozen
# panel: scenario
# series: @stabilization
# rows: frames
about = "An ellipse with axes of 4 and 8 that falls from a height of 8 with a spin of 3, h = 0.05 s, a friction of 0.3 (our choice), Coulomb's law, solved to a natural map of 1e-9 m/s, K = 1."
brief = papers ? "Axes 4 and 8, dropped from 8 with a spin of 3 (the paper's numbers); friction 0.3 and h = 0.05 s are our choice." : ""
@frames
