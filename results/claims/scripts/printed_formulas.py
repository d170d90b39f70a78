"""macklin-37: do the formulas as they are printed give the method? Each against what it is derived from, by differences.

The printed form's error over what is right, of (63), (73) with (74), (104), and of appendix B's gradient and Hessian."""

import numpy as np

from common import say

random = np.random.default_rng(1)

# (63): q advances by h u of every iterate, and not by that of the last one, as an implicit step has it
h, t, q, u, goal, before = 0.01, 0.75, 0.0, 0.0, 2.0, 0.0
for _ in range(40):
    u += t * (goal - u)  # Newton's steps towards the velocity that solves the step
    q += h * u
say("position_63", abs(q - (before + h * u)) / abs(h * u))

# (73), (74): g(u) = M u - K u with a diagonal stiffness K <= 0: H must be M - K
mass, stiffness = random.uniform(1, 2, 20), -random.uniform(1, 2, 20)
a, b = random.normal(size=20), random.normal(size=20)
change = (mass - stiffness) * (b - a)
printed = -(change + mass * (b - a)) / (b - a)
hessian = mass - np.minimum(0, printed)
say("stiffness_73", np.max(abs(hessian / (mass - stiffness) - 1)))

# (104) against (103), the quotient of what (99) and (101) define
v, f, m, r = random.uniform(0.1, 2, (4, 1000))
root = np.sqrt(v**2 + r**2 * (m - f) ** 2)
psi = v + r * (m - f) - root
right = (v - psi) / (f + psi / r)
printed = r * (root - r * (m - f)) / (v**2 + r * m - root)
say("compliance_104", np.median(abs(printed / right - 1)))

# appendix B: Psi = C1 (I - 3) + D1 (J - alpha)^2 of principal stretches
c1, d1, alpha = 1.0, 3.0, 1.2


def energy(s):
    return c1 * (s @ s - 3) + d1 * (np.prod(s) - alpha) ** 2


def others(s):
    return np.array([s[1] * s[2], s[0] * s[2], s[0] * s[1]])


def difference(function, s, size=1e-5):
    return np.array([(function(s + d) - function(s - d)) / (2 * size) for d in size * np.eye(3)])


gradient_error, hessian_error = 0, 0
for s in random.uniform(0.6, 1.6, (20, 3)):
    right = difference(energy, s)
    printed = 2 * c1 * s + 2 * d1 * (np.prod(s) - 1) * others(s)
    gradient_error = max(gradient_error, np.linalg.norm(printed - right) / np.linalg.norm(right))
    right = difference(lambda x: 2 * c1 * x + 2 * d1 * (np.prod(x) - alpha) * others(x), s)
    k0 = 2 * np.prod(s) - alpha
    k1, k2, k3 = d1 * s[2] * k0, d1 * s[1] * k0, d1 * s[0] * k0
    diagonal = d1 * others(s) ** 2 + c1
    printed = 2 * np.array([[diagonal[0], k1, k2], [k1, diagonal[1], k3], [k2, k3, diagonal[2]]])
    hessian_error = max(hessian_error, np.linalg.norm(printed - right) / np.linalg.norm(right))
say("gradient_B", gradient_error)
say("hessian_B", hessian_error)
