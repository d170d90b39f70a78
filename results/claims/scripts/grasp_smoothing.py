"""lecleach-29: which smoothing lets our own planner come nearest to the goal of `grasp`, from both of its plans?

The planner is Gauss-Newton (run/optimize.h), and not the paper's trees of random places. Each smoothing by itself, and two
courses of smoothings that begin with much and with little. What is compared is the cost of the motion that is not smoothed,
with the controls of the end."""

import h5py
import numpy

from common import program, say

SMOOTHINGS = ["3e-2", "3e-3", "3e-4", "3e-5", "3e-6"]


def cost(plan, smoothing):
    program(f"optimize grasp --set plan={plan} --method single-level --smoothing {smoothing} -o plan.h5 --force", statuses=(0, 1))
    with h5py.File("plan.h5") as found:
        return found["exact_cost"][-1]


for plan in "still", "carry":
    costs = [cost(plan, smoothing) for smoothing in SMOOTHINGS]
    say(f"{plan}_best", float(SMOOTHINGS[int(numpy.argmin(costs))]))
    say(f"{plan}_least", min(costs))
    say(f"{plan}_much", costs[1])
    say(f"{plan}_from_much", cost(plan, "3e-3,3e-4,3e-5"))
    say(f"{plan}_from_little", cost(plan, "1e-4,1e-5,1e-6"))
