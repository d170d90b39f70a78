"""tasora-07: is the projection (20), with its three cases, the nearest point of the friction cone, and nonexpansive?

Random points and coefficients of friction. Nearest, by Moreau: the projection P of x is in the cone, x - P is in the polar
cone, and both are orthogonal. Nonexpansive: the largest |P(a) - P(b)| / |a - b| of pairs far apart and close together.
As printed in (21), a point within the cone goes to zero: what that does to the distance is measured, too."""

import numpy as np
from scipy.optimize import minimize

from common import say

random = np.random.default_rng(1)
count = 20000


def project(x, mu):
    """(20): rows (n, u, v)"""
    normal, along = x[:, 0], np.hypot(x[:, 1], x[:, 2])
    inside, polar = along <= mu * normal, mu * along <= -normal
    surface = (along * mu + normal) / (mu**2 + 1)
    ratio = mu * surface / np.where(along > 0, along, 1)
    nearest = np.column_stack([surface, ratio * x[:, 1], ratio * x[:, 2]])
    return np.where(inside[:, None], x, np.where(polar[:, None], 0, nearest))


mu = random.uniform(0, 2, count)
a = random.normal(size=(count, 3))
p = project(a, mu)
rest = a - p
along, rest_along = np.hypot(p[:, 1], p[:, 2]), np.hypot(rest[:, 1], rest[:, 2])
breach = [along - mu * p[:, 0], mu * rest_along + rest[:, 0], abs(np.sum(p * rest, axis=1))]
say("breach", max(np.max(b) for b in breach))

apart = 0
for i in range(20):  # the same by a general solver
    cone = {"type": "ineq", "fun": lambda z, m=mu[i]: m * z[0] - np.hypot(z[1], z[2])}
    found = minimize(lambda z, x=a[i]: np.sum((z - x) ** 2), [1, 0.1, 0.1], constraints=[cone], method="SLSQP",
                     options={"ftol": 1e-14, "maxiter": 500})
    apart = max(apart, np.linalg.norm(a[i] - p[i]) - np.linalg.norm(a[i] - found.x))
say("farther_than_solver", apart)

largest = 0
for size in (1, 1e-3, 1e-6):
    b = a + size * random.normal(size=a.shape)
    moved = np.linalg.norm(project(b, mu) - p, axis=1) / np.linalg.norm(b - a, axis=1)
    largest = max(largest, np.max(moved))
say("expansion", largest)

inside = np.hypot(a[:, 1], a[:, 2]) < mu * a[:, 0]
say("printed_misses", np.max(np.linalg.norm(a[inside], axis=1)))  # |x - 0|, where the nearest point is x
