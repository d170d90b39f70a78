"""macklin-18: the functions of figure 9, phi(c, r lambda) with c = lambda / 4 - 1 / 8. The largest second difference over 501
equal steps of lambda from -1 to 1.5 times that for a straight line of slope 1; and Newton iterations from each of them."""

import numpy as np

from common import say

grid = np.linspace(-1, 1.5, 501)


def minimum(x, r):
    c = x / 4 - 1 / 8
    return min(c, r * x), 0.25 if c <= r * x else r


def fischer_burmeister(x, r):
    c, b = x / 4 - 1 / 8, r * x
    root = np.hypot(c, b)
    return c + b - root, 0.25 + r - (c * 0.25 + b * r) / root


def iterations(function, x, r):
    for k in range(1, 51):
        value, slope = function(x, r)
        x -= value / slope
        if abs(function(x, r)[0]) <= 1e-12:
            return k
    return 50


for name, function in (("minimum", minimum), ("fischer_burmeister", fischer_burmeister)):
    for r, word in ((1, "1"), (0.25, "quarter")):
        values = np.array([function(x, r)[0] for x in grid])
        say(f"{name}_bend_{word}", np.abs(np.diff(values, 2)).max() / (grid[1] - grid[0]))
        say(f"{name}_steps_{word}", max(iterations(function, x, r) for x in grid if abs(function(x, r)[0]) > 1e-12))
