"""macklin-99: must an indefinite compliance be projected to the positive definite cone?

A bar of ten tetrahedra of the stable Neo-Hookean material of appendix B in principal stretches (E = 1e5 Pa, nu = 0.45, its
gradient with J - alpha): a step of the paper's method in compliance form from deformed starts. The stiffness of the material
is taken as it is (full); with eigenvalues of at least 1e-3 of the largest one (projected, as in Teran et al. 2005); or the
compliance has such eigenvalues (clamped). H has the positive part of the geometric stiffness. Systems are solved by 80
iterations of PCR with the absolute diagonal, or by LU. Six random starts each (seed 1) with stretches of 0.2, 0.5 and 0.8
to 1.2 along the axes, and vertices moved by up to a tenth of an edge. Solved: the residual is 1e-6 of gravity's force in 60
steps of 0.75. `indefinite` is the share of elements with a negative eigenvalue at the starts, `negative` that of starts
whose Newton matrix has one. The argument `small` has six starts of 0.95 to 1.05 and a hundredth of an edge."""

import sys

import numpy as np

from common import say

young, nu, density, h, size = 1e5, 0.45, 1000.0, 0.01, 0.05
shear, lame = young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))
c1, d1, alpha = shear / 2, lame / 2, 1 + shear / lame
number = lambda i, j, k: i + 3 * (j + 2 * k)
rest = size * np.array([[i, j, k] for k in (0, 1) for j in (0, 1) for i in (0, 1, 2)], float)
tets = []
for cell in (0, 1):  # five in a cube; the second is the mirror image of the first
    v = {(a, b, c): number(cell + (1 - a if cell else a), b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)}
    tets += [[v[x] for x in t] for t in (((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), ((1, 1, 0), (1, 0, 0), (0, 1, 0), (1, 1, 1)),
                                         ((1, 0, 1), (1, 0, 0), (0, 0, 1), (1, 1, 1)), ((0, 1, 1), (0, 1, 0), (0, 0, 1), (1, 1, 1)),
                                         ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)))]
tets = np.array(tets)
edges = (rest[tets[:, 1:]] - rest[tets[:, :1]]).transpose(0, 2, 1)
volume = abs(np.linalg.det(edges)) / 6
inverse = np.linalg.inv(edges)
gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)  # [tet, vertex, 3]
mass = np.repeat(np.bincount(tets.ravel(), np.repeat(density * volume / 4, 4)), 3)
places = (3 * tets[:, :, None] + np.arange(3)).reshape(len(tets), 12)


def stretches(x, g):
    """principal stretches of elements with corners x [.., 4, 3], and their derivative by these [.., 3, 12]"""
    u, s, v = np.linalg.svd(np.swapaxes(x, -1, -2) @ g)
    for m, side in ((u, (Ellipsis, slice(None), 2)), (v, (Ellipsis, 2, slice(None)))):
        flip = np.where(np.linalg.det(m) < 0, -1.0, 1.0)
        m[side] *= flip[..., None]
        s[..., 2] *= flip
    return s, np.einsum("...vk,...ik,...ci->...ivc", g, v, u).reshape(*s.shape[:-1], 3, 12)


def material(s):
    others = np.stack([s[:, 1] * s[:, 2], s[:, 0] * s[:, 2], s[:, 0] * s[:, 1]], axis=1)
    j = s.prod(axis=1)
    stress = 2 * c1 * s + 2 * d1 * (j - alpha)[:, None] * others
    n = 2 * d1 * others[:, :, None] * others[:, None, :]
    for a, b, c in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        n[:, a, b] = n[:, b, a] = 2 * d1 * s[:, c] * (2 * j - alpha)
    return volume[:, None] * stress, volume[:, None, None] * (n + 2 * c1 * np.eye(3))


def compliance(n, kind):
    values, vectors = np.linalg.eigh(n)
    if kind == "projected":
        values = np.maximum(values, 1e-3 * values.max(axis=1, keepdims=True))
    values = 1 / values
    if kind == "clamped":
        values = np.maximum(values, 1e-3 * values.max(axis=1, keepdims=True))
    return vectors * values[:, None, :] @ vectors.transpose(0, 2, 1)


def whole(blocks):
    out = np.zeros((3 * len(blocks), 3 * len(blocks)))
    for e, block in enumerate(blocks):
        out[3 * e:3 * e + 3, 3 * e:3 * e + 3] = block
    return out


def system(x, force, kind):
    """J, E, the inverse of H and the stress"""
    corners, d = x[places].reshape(-1, 4, 3), 1e-6 * size
    s, rows = stretches(corners, gradients)
    moves = d * np.eye(12).reshape(12, 1, 4, 3)
    change = (stretches(corners + moves, gradients)[1] - stretches(corners - moves, gradients)[1]) / (2 * d)
    k = -np.einsum("deic,ei->edc", change, force)
    values, vectors = np.linalg.eigh((k + k.transpose(0, 2, 1)) / 2)
    k = vectors * np.maximum(values, 0)[:, None, :] @ vectors.transpose(0, 2, 1)
    j, hessian = np.zeros((3 * len(tets), len(x))), np.diag(mass / h**2)
    for e, p in enumerate(places):
        j[3 * e:3 * e + 3, p] = rows[e]
        hessian[np.ix_(p, p)] += k[e]
    stress, n = material(s)
    return j, whole(compliance(n, kind)), np.linalg.inv(hessian), stress.ravel(), n


def pcr(a, b):
    d = abs(a.diagonal())
    x, r = np.zeros_like(b), b / d
    p, ap = r.copy(), a @ r
    rar, first = r @ ap, np.linalg.norm(b)
    for _ in range(80):
        step = rar / (ap @ (ap / d))
        x, r = x + step * p, r - step * ap / d
        if np.linalg.norm(d * r) <= 1e-12 * first:
            break
        ar = a @ r
        old, rar = rar, r @ ar
        p, ap = r + rar / old * p, ar + rar / old * ap
    return x


def solve(start, kind, linear):
    free, x, force = start + np.tile([0, 0, -9.81 * h * h], len(rest)), start.copy(), np.zeros((len(tets), 3))
    small = 1e-6 * mass.min() * 9.81
    for _ in range(61):
        j, e, inverse, stress, _ = system(x, force, kind)
        g = mass * (x - free) / h**2 - j.T @ force.ravel()
        if max(abs(g).max(), abs(j.T @ (stress + force.ravel())).max()) <= small:
            return True
        change = linear(j @ inverse @ j.T + e, -e @ (stress + force.ravel()) + j @ inverse @ g)
        x = x + 0.75 * inverse @ (j.T @ change - g)
        force = force + 0.75 * change.reshape(-1, 3)
        if not abs(x).max() < 1e2 or not np.isfinite(force).all():
            return False
    return False


random = np.random.default_rng(1)
np.seterr(all="ignore")
lows, high, noise = ((0.2, 0.5, 0.8), 1.2, 0.1) if sys.argv[1] == "deformed" else ((0.95,), 1.05, 0.01)
starts = [(rest * random.uniform(low, high, 3) + noise * size * random.uniform(-1, 1, rest.shape)).ravel()
          for low in lows for _ in range(6)]
at = [system(x, np.zeros((len(tets), 3)), "full") for x in starts]
say("indefinite", np.mean([np.linalg.eigvalsh(a[4])[:, 0] < 0 for a in at]))
say("negative", np.mean([np.linalg.eigvalsh(a[0] @ a[2] @ a[0].T + a[1])[0] < 0 for a in at]))
for kind in ("full", "projected", "clamped"):
    for name, linear in (("", pcr), ("_lu", np.linalg.solve)):
        if not name or kind != "clamped":
            say(f"{kind}{name}", np.mean([solve(x, kind, linear) for x in starts]))
