# title: A walker with 37 parts and 12 motors, as it walks (Tasora, Anitescu 2009)
# run: walker --time-stepping tasora --stabilization 1 --friction-law relaxed --method interior-point --newton-tolerance 1e-6 --steps 320 --store-states 16 --linear-history off
# quick: walker --time-stepping tasora --stabilization 1 --friction-law relaxed --method interior-point --newton-tolerance 1e-6 --steps 48 --store-states 16 --linear-history off
# select: scenario=walker geometry=frozen method=interior-point
# panel: scenario
# series: method
# rows: moments
claim = "Tasora and Anitescu (2009) shows frames of a robot with six legs. Measures and gait here are ours: three legs at a time; h = 0.01 s, friction 0.6, K = 1. Steps are solved to 1e-6 m/s by interior-point: what 50 sweeps of psor make of them is in tasora-walker."
in_short = "Steps are solved to 1e-6 m/s. Measures and gait are ours: three of six legs at a time."
@moments
