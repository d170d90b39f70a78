"""anitescu-15: where is the signed distance of a ball and a plate not smooth?

The distance comes from supports, the largest separation over all directions, and not from the formula of the paper, with
which it is compared. Its slope over the height of the ball jumps where it is not smooth. Plates are wide."""

import numpy as np

from common import say

angle = np.linspace(0, 2 * np.pi, 7201)
normals = np.column_stack([np.cos(angle), np.sin(angle)])
formula, jump, kink, at = 0, 0, np.inf, 0
for radius, thick in ((1, 0.2), (0.3, 2), (0.5, 0.5)):
    reach = radius + thick / 2
    half = np.array([20, thick / 2])
    heights = np.linspace(-1.5 * reach, 1.5 * reach, 3001)
    separation = heights[:, None] * normals[:, 1] - radius - abs(normals) @ half
    distance = separation.max(axis=1)
    formula = max(formula, np.max(abs(distance - (abs(heights) - reach))))
    slope = np.diff(distance) / np.diff(heights)
    jumps, overlap = abs(np.diff(slope)), -distance[1:-1]
    deep = overlap >= 0.999 * reach
    jump = max(jump, np.max(jumps[~deep]))
    kink = min(kink, np.max(jumps[deep]))
    at = max(at, abs(overlap[np.argmax(jumps)] / reach - 1))
say("formula", formula)
say("jump_before", jump)
say("jump_there", kink)
say("overlap_off", at)
