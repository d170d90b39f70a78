# title: A walker with 37 parts and 12 motors, frames (Tasora, Anitescu 2009)
# run: walker --time-stepping tasora --stabilization 1 --friction-law relaxed --method interior-point --newton-tolerance 1e-6 --steps 320 --store-states 16 --linear-history off
# quick: walker --time-stepping tasora --stabilization 1 --friction-law relaxed --method interior-point --newton-tolerance 1e-6 --steps 48 --store-states 16 --linear-history off
# select: scenario=walker geometry=frozen method=interior-point
# panel: scenario
# series: method
# rows: frames
about = "Six legs, of which three step at a time; h = 0.01 s, friction 0.6, K = 1; measures and gait are our own. Steps are solved to 1e-6 m/s by interior-point: what 50 sweeps of psor make of the same is in tasora-walker."
brief = "Solved steps; six legs, three of which step at a time; measures and gait are our own."
@frames
