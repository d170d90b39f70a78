"""Properties of integrators that are mathematics: newmark (is the trapezoidal rule Newmark's?), stability (is it
L-stable?)."""
import sys

import numpy as np

from common import say
from scipy.optimize import fsolve

GAMMA = 2 - np.sqrt(2)  # of tr-bdf2
DIAGONAL = 1 - 1 / np.sqrt(2)  # of sdirk2


def force(q, v, k, c):
    return -k @ q - 0.3 * q ** 3 - c @ v


def trapezoidal(q, v, h, k, c):
    """Eq. (23) of the paper, with unit masses."""
    def residual(w):
        return w - v - h / 2 * (force(q, v, k, c) + force(q + h / 2 * (v + w), w, k, c))
    w = fsolve(residual, v, xtol=1e-12)
    return q + h / 2 * (v + w), w


def newmark(q, v, h, k, c, beta=0.25, gamma=0.5):
    """Newmark 1959: the acceleration at the step's end is the unknown."""
    a = force(q, v, k, c)

    def ends(b):
        return q + h * v + h * h * ((0.5 - beta) * a + beta * b), v + h * ((1 - gamma) * a + gamma * b)

    b = fsolve(lambda b: b - force(*ends(b), k, c), a, xtol=1e-12)
    return ends(b)


def compare():
    random = np.random.default_rng(25)
    same, others = [], []
    for _ in range(20):
        n, h = 3, random.uniform(0.01, 0.3)
        g, d = random.normal(size=(2, n, n))
        k, c = g @ g.T, d @ d.T
        q = p = x = random.normal(size=n)
        v = w = u = random.normal(size=n)
        for _ in range(50):
            q, v = trapezoidal(q, v, h, k, c)
            p, w = newmark(p, w, h, k, c)
            x, u = newmark(x, u, h, k, c, beta=1 / 6)
        same.append(np.abs(q - p).max() + np.abs(v - w).max())
        others.append(np.abs(q - x).max() + np.abs(v - u).max())
    say("same", max(same))
    say("other_beta", min(others))


def growth(name, z):
    """The largest factor by which a step multiplies y of y' = (z/h) y."""
    if name == "be":
        return abs(1 / (1 - z))
    if name == "tr":
        return abs((1 + z / 2) / (1 - z / 2))
    if name == "bdf2":
        return np.abs(np.roots([1 - 2 * z / 3, -4 / 3, 1 / 3])).max()
    if name == "sdirk2":
        return abs((1 + (1 - 2 * DIAGONAL) * z) / (1 - DIAGONAL * z) ** 2)
    middle = (1 + GAMMA * z / 2) / (1 - GAMMA * z / 2)
    a = (1 - GAMMA) / (2 - GAMMA)
    return abs((middle - (1 - GAMMA) ** 2) / (GAMMA * (2 - GAMMA)) / (1 - a * z))


def stability():
    """Over the imaginary axis and the left half plane, and far out in it."""
    for name in ("be", "tr", "bdf2", "tr-bdf2", "sdirk2"):
        most = max(growth(name, -10.0 ** x + 1j * y) for x in range(-6, 7) for y in np.linspace(-50, 50, 201))
        axis = max(growth(name, 1j * y) for y in np.linspace(-1000, 1000, 4001))
        say(name.replace("-", "_") + "_most", max(most, axis))
        say(name.replace("-", "_") + "_far", growth(name, -1e9))


{"newmark": compare, "stability": stability}[sys.argv[1]]()
