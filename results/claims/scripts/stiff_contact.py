"""tasora-26: which steps does a stiff spring of contact allow?

A ball rests on a spring that gives way by 1 micrometer under its weight, and is pushed by as much. The semi-implicit Euler
method is stable for h below 2 sqrt(m/k); backward Euler for every h. Energies of the oscillation after ten steps over
that at the start."""

import numpy as np

from common import say

stiffness = 9.81 / 1e-6  # over the mass [1/s^2]
limit = 2 / np.sqrt(stiffness)


def gain(h, implicit):
    x, v = 1e-6, 0.0  # from the place of rest
    for _ in range(10):
        v = (v - h * stiffness * x) / (1 + h * h * stiffness) if implicit else v - h * stiffness * x
        x += h * v
    return (v * v + stiffness * x * x) / (stiffness * 1e-12)


say("gain_large", gain(0.01, False))
say("gain_small", max(gain(0.5 * limit * f, False) for f in np.linspace(0.1, 1, 10)))
say("implicit", gain(0.01, True))
say("ratio", limit / 0.01)
