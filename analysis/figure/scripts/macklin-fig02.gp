# title: Soft fingers that are inflated lift a ball (Macklin et al. 2019, fig. 2)
# run: gripper --warm-start on --form condensed --newton-iterations 20 --store-states 34 --linear-history off --repeat 0 --geometry updated
# quick: gripper --steps 24 --warm-start on --form condensed --newton-iterations 4 --store-states 8 --linear-history off --repeat 0 --geometry updated
# select: scenario=gripper form=condensed
# panel: scenario
# series: method
# rows: moments
claim = "Macklin et al. (2019) shows a PneuNet gripper, whose pressurized chambers curve the fingers. Here three bars, 2250 tetrahedra (2241), whose outer half wants to be longer."
in_short = "Paper: a PneuNet gripper. Here: three bars, 2250 tetrahedra (2241), whose outer half wants to be longer."
@moments
