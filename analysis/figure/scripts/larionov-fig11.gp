# title: A tire on the ground whose rim begins to turn, by static friction (Larionov et al. 2023, fig. 11)
# run: tyre --set along=24 --set around=8 --method smoothed --static-mu 0.5,1.5 --time-step 0.00125 --steps 64 --store-states 1 --linear-history off --repeat 0
# quick: tyre --method smoothed --static-mu 0.5,1.5 --time-step 0.00125 --steps 40 --store-states 1 --linear-history off --repeat 0
# select: scenario=tyre method=smoothed steps=40|64
# panel: @method.static-mu
# series: method
# rows: moments
claim = "Larionov et al. (2023) shows a tire of 93000 triangles that wrinkles as its rim turns, mu 0.5 and 1.5 at rest. Here a ring of 1152 tetrahedra of one layer, which is too stiff to bend: it shears and does not wrinkle."
in_short = "Paper: a tire of 93000 triangles wrinkles. Here: 1152 tetrahedra, too stiff for wrinkles."
panel_name(p) = "static μ ".word(panel_names, p)[strstrt(word(panel_names, p), "=") + 1:]
@moments
