"""macklin-42: is a diagonal approximation of the material compliance often sufficient?

One tetrahedron of the stable Neo-Hookean material of appendix B in principal stretches (E = 1e5 Pa, nu = 0.3 and 0.45, its
gradient with J - alpha), a step of the paper's method in compliance form from many deformed starts. The compliance is the
whole inverse of the Hessian; its diagonal; the Hessian's diagonal inverted; and the whole one with absolute eigenvalues.
H has the positive part of the geometric stiffness: without it no start is solved, with whatever compliance.
Solved: the residual falls to 1e-6 of gravity's impulse within 60 damped steps. Starts: linear maps of the rest shape of
random entries within 0.8 of the identity, of which some are inverted."""

import numpy as np

from common import say

young, density, h, size = 1e5, 1000.0, 0.01, 0.05
c1 = d1 = alpha = 0.0
rest = size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
edges = np.linalg.inv((rest[1:] - rest[0]).T)
volume = abs(np.linalg.det(rest[1:] - rest[0])) / 6
mass = density * volume / 4
gradients = np.vstack([-edges.sum(axis=0), edges])  # F = sum of x (x) gradient


def stretches(x):
    u, s, v = np.linalg.svd(x.T @ gradients)
    if np.linalg.det(u) < 0:
        u[:, 2] *= -1
        s = s * np.array([1, 1, -1])
    if np.linalg.det(v) < 0:
        v[2] *= -1
        s = s * np.array([1, 1, -1])
    rows = np.array([np.outer(gradients @ v[i], u[:, i]).ravel() for i in range(3)])
    return s, rows


def stress(s):
    others = np.array([s[1] * s[2], s[0] * s[2], s[0] * s[1]])
    return volume * (2 * c1 * s + 2 * d1 * (np.prod(s) - alpha) * others)


def hessian(s):
    k0 = 2 * np.prod(s) - alpha
    k = d1 * k0 * s[::-1]
    a = d1 * np.array([s[1] * s[2], s[0] * s[2], s[0] * s[1]]) ** 2 + c1
    return 2 * volume * np.array([[a[0], k[0], k[1]], [k[0], a[1], k[2]], [k[1], k[2], a[2]]])


def compliance(s, kind):
    full = hessian(s)
    if kind == "diagonal_hessian":
        return np.diag(1 / np.diag(full))
    if kind == "absolute":
        values, vectors = np.linalg.eigh(full)
        return vectors @ np.diag(1 / np.maximum(abs(values), 1e-3 * np.max(abs(values)))) @ vectors.T
    inverse = np.linalg.inv(full)
    return inverse if kind == "full" else np.diag(np.diag(inverse))


def geometric(x, force):
    """the positive part of -d(J^T force)/dx, by differences"""
    d = 1e-6 * size
    moved = [(stretches((x + e).reshape(4, 3))[1] - stretches((x - e).reshape(4, 3))[1]).T @ force for e in d * np.eye(12)]
    k = -np.array(moved) / (2 * d)
    values, vectors = np.linalg.eigh((k + k.T) / 2)
    return vectors @ np.diag(np.maximum(values, 0)) @ vectors.T


def solve(start, kind):
    free = start + np.tile([0, 0, -9.81 * h * h], 4)
    x, force = start.copy(), np.zeros(3)
    small = 1e-6 * mass * 9.81
    for _ in range(61):
        s, rows = stretches(x.reshape(4, 3))
        g = mass * (x - free) / h**2 - rows.T @ force
        c = stress(s)
        e = compliance(s, kind)
        if np.max(abs(g)) <= small and np.max(abs(c + force)) * np.max(abs(rows)) <= small:
            return True
        if not np.max(abs(x)) < 1e3:
            return False
        inverse = np.linalg.inv(mass / h**2 * np.eye(12) + geometric(x, force))
        change = np.linalg.solve(rows @ inverse @ rows.T + e, -e @ (c + force) + rows @ inverse @ g)
        x = x + 0.75 * inverse @ (rows.T @ change - g)
        force = force + 0.75 * change
    return False


random = np.random.default_rng(1)
starts = [(rest @ (np.eye(3) + random.uniform(-0.8, 0.8, (3, 3))).T).ravel() for _ in range(25)]
inverted = np.array([np.linalg.det(x.reshape(4, 3)[1:] - x.reshape(4, 3)[0]) < 0 for x in starts])
for nu in (0.3, 0.45):
    shear, lame = young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))
    c1, d1, alpha = shear / 2, lame / 2, 1 + shear / lame
    for kind in ("full", "absolute", "diagonal", "diagonal_hessian"):
        with np.errstate(all="ignore"):
            say(f"{kind}_{100 * nu:.0f}", np.mean([solve(x, kind) for x in starts]))
say("inverted", np.mean(inverted))
