# title: Blocks in a shaken bowl, with lagged and with implicit friction (Larionov et al. 2023, fig. 1)
# run: bowl --method smoothed --friction-coupling lagged,implicit --time-step 0.01 --steps 2000 --store-states 100 --linear-history off --repeat 0
# quick: bowl --method smoothed --friction-coupling lagged,implicit --time-step 0.01 --steps 1000 --store-states 100 --linear-history off --repeat 0
# select: scenario=bowl method=smoothed time_step=0.01 steps=1000|2000
# panel: @method.friction-coupling
# series: method
# rows: moments
claim = "Larionov et al. (2023) shows a bowl that three soft pads lift: with lagged friction and h = 5 ms it slips out at frame 35, with implicit friction it stays. Here three rigid blocks stand on the walls of a rigid bowl that is shaken, h = 10 ms."
in_short = "Paper: three pads lift a bowl, and drop it with lagged friction. Here: blocks in a shaken bowl, h = 10 ms."
@moments
