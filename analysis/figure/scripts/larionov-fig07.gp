# title: A tube of cloth on a soft rod that is bent, by friction (Larionov et al. 2023, fig. 7)
# run: tube-cloth --set mu=0.2,0.8 --set compression=1e9 --method smoothed --linear-solver multifrontal --time-step 0.005 --steps 44 --store-states 1 --linear-history off --repeat 0
# quick: tube-cloth --set around=4 --set sections=4 --set mu=0.2,0.8 --set compression=1e9 --method smoothed --linear-solver multifrontal --time-step 0.005 --steps 22 --store-states 1 --linear-history off --repeat 0
# select: scenario=tube-cloth method=smoothed linear_solver=multifrontal steps=22|44
# panel: @mu
# series: method
# rows: moments
claim = "Larionov et al. (2023) shows a garment of 3000 and of 8000 triangles on a capsule of 5000 and of 30000 tetrahedra. Here 216 triangles, held by springs, and 108 tetrahedra, straight at first."
in_short = "Paper: 3000 triangles, 5000 tetrahedra. Here: 216, held by springs, and 108."
panel_name(p) = "μ ".word(panel_names, p)[strstrt(word(panel_names, p), "=") + 1:]
@moments
