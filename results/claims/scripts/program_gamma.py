"""anitescu-23: does Coulomb's own problem solve the quadratic program for some Gamma >= 0?

Random problems of two to four contacts in a plane (seed 1), with Coulomb's law, are solved by going through all modes
(open, stick, slip either way). The program is min v.M v / 2 + k.v subject to n.v + mu d.v >= -Gamma - phi/h for both
directions d of each contact, with Gamma = mu |t.v| of Coulomb's solution; an interior method of another library
(scipy's trust-constr) solves it. `apart` is the largest difference of the velocities over their size; `naive` the same
with Gamma = 0, the relaxed law."""

import itertools

import numpy as np
from scipy.optimize import LinearConstraint, minimize

from common import say

random = np.random.default_rng(1)


def coulomb(W, q, mu):
    """impulses (n, t) of each contact, or None where no mode fits"""
    count = len(mu)
    for modes in itertools.product(("open", "stick", "left", "right"), repeat=count):
        A, b = np.zeros((2 * count, 2 * count)), np.zeros(2 * count)
        for i, mode in enumerate(modes):
            n, t = 2 * i, 2 * i + 1
            A[n, n] = A[t, t] = 1
            if mode != "open":
                A[n], b[n] = W[n], -q[n]
            if mode == "stick":
                A[t], b[t] = W[t], -q[t]
            if mode in ("left", "right"):
                A[t, n] = mu[i] if mode == "right" else -mu[i]
        try:
            z = np.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            continue
        u, eps = W @ z + q, 1e-10
        fits = all(z[2 * i] >= -eps and u[2 * i] >= -eps and abs(z[2 * i + 1]) <= mu[i] * z[2 * i] + eps
                   and (modes[i] != "right" or u[2 * i + 1] >= -eps) and (modes[i] != "left" or u[2 * i + 1] <= eps)
                   for i in range(count))
        if fits:
            return z
    return None


apart, naive = [], []
while len(apart) < 20:
    count, size = int(random.integers(2, 5)), 8
    root = random.standard_normal((size, size))
    M = root @ root.T + size * np.eye(size)
    J = random.standard_normal((2 * count, size))
    mu, phi = random.uniform(0.1, 0.6, count), random.uniform(0, 0.2, count)
    k = -M @ random.standard_normal(size)
    inverse = np.linalg.inv(M)
    q = -J @ inverse @ k
    q[::2] += phi
    z = coulomb(J @ inverse @ J.T, q, mu)
    if z is None or not np.any(abs(J @ inverse @ (J.T @ z - k))[1::2][z[::2] > 0] > 0.1):
        continue
    v = inverse @ (J.T @ z - k)
    normal, tangent = J[::2], J[1::2]
    rows = np.vstack([normal + mu[:, None] * tangent, normal - mu[:, None] * tangent])
    for gammas, errors in ((mu * abs(tangent @ v), apart), (0 * mu, naive)):
        least = np.tile(-gammas - phi, 2)
        solved = minimize(lambda x: x @ M @ x / 2 + k @ x, -inverse @ k, jac=lambda x: M @ x + k, hess=lambda x: M,
                          method="trust-constr", constraints=LinearConstraint(rows, least, np.inf),
                          options={"gtol": 1e-11, "xtol": 1e-14, "barrier_tol": 1e-12, "maxiter": 3000})
        errors.append(np.max(abs(solved.x - v)) / np.max(abs(v)))
say("apart", max(apart))
say("naive", max(naive))
