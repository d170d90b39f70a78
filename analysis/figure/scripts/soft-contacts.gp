# title: Soft cubes on each other, and a folded sheet that falls on itself
# run: soft-stack --method interior-point --newton-tolerance 1e-6 --steps 30 --store-states 10 --linear-history off --repeat 0
# run: fold --method interior-point --linear-solver multifrontal --newton-tolerance 1e-6 --newton-iterations 100 --steps 40 --store-states 10 --linear-history off --repeat 0
# quick: soft-stack --set count=2 --method interior-point --newton-tolerance 1e-6 --steps 12 --store-states 6 --linear-history off --repeat 0
# quick: fold --set cells=3 --method interior-point --linear-solver multifrontal --newton-tolerance 1e-6 --newton-iterations 100 --steps 24 --store-states 8 --linear-history off --repeat 0
# select: scenario=soft-stack|fold method=interior-point steps=30|40|12|24
# panel: scenario
# series: method
# rows: moments
claim = "Their surfaces touch each other, and the sheet itself, by faces, edges and corners of other meshes; sheets from both sides, which have a color each."
in_short = "Surfaces touch each other and themselves; the sheet's two sides have a color each."
@moments
