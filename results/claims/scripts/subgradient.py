"""macklin-10: does it matter which element of the subgradient of Fischer-Burmeister is taken at (0, 0)?

The method of the paper written anew, on dense matrices: damped steps of 0.75 from zero, effective-mass scaling, lagged
friction. Scenes at rest whose contacts touch, so that every contact begins at (0, 0). (alpha, beta) there is (0, 1) as in
the paper, (1, 0), or both 1 - 1/sqrt(2). Iterations to a natural map of 1e-8 m/s, 300 at most; velocities at the end."""

import numpy as np

from common import problem, say

MOST = 300


def fischer_burmeister(a, b, tiny, element):
    s = np.hypot(a, b)
    zero = s <= tiny
    alpha, beta = 1 - a / np.where(zero, 1, s), 1 - b / np.where(zero, 1, s)
    return a + b - s, np.where(zero, element[0], alpha), np.where(zero, element[1], beta)


def solve(m, h, f, w, mu, element):
    inverse = np.linalg.inv(m)
    weight = np.einsum("ij,ij->j", h, inverse @ h).reshape(-1, 3)
    normal, tangent = weight[:, 0], weight[:, 1:].mean(axis=1)
    u, z = np.zeros(len(f)), np.zeros(len(w))
    for iteration in range(MOST + 1):
        v = (h.T @ u + w).reshape(-1, 3)
        x = z.reshape(-1, 3)
        momentum = m @ u - h @ z - f
        trial = x[:, 1:] - v[:, 1:] / tangent[:, None]
        size = np.linalg.norm(trial, axis=1)
        onto = np.minimum(1, mu * np.maximum(x[:, 0], 0) / np.where(size > 0, size, 1))[:, None] * trial
        error = max(np.max(abs(inverse @ momentum)), np.max(abs(np.minimum(v[:, 0], normal * x[:, 0]))),
                    np.max(abs(tangent[:, None] * (x[:, 1:] - onto))))
        if error <= 1e-8 or not np.isfinite(error):
            break
        phi, alpha, beta = fischer_burmeister(v[:, 0], normal * x[:, 0], 1e-9, element)
        slip, force, limit = np.linalg.norm(v[:, 1:], axis=1), np.linalg.norm(x[:, 1:], axis=1), mu * x[:, 0]
        psi, _, _ = fischer_burmeister(slip, tangent * (limit - force), 0, (1, 0))
        lagged = (slip - psi) / np.maximum(force + psi / tangent, 1e-12)
        active = limit > 0
        row = np.column_stack([alpha, active, active]).ravel().astype(float)
        lag = np.where(active, lagged, tangent)
        diagonal = np.column_stack([beta * normal, lag, lag]).ravel()
        residual = np.column_stack([phi, active * v[:, 1] + lag * x[:, 1], active * v[:, 2] + lag * x[:, 2]]).ravel()
        a = row[:, None] * (h.T @ inverse @ h) + np.diag(diagonal + 1e-9 * weight.ravel())
        dz = np.linalg.solve(a, row * (h.T @ inverse @ momentum) - residual)
        u += 0.75 * inverse @ (h @ dz - momentum)
        z += 0.75 * dz
    return iteration, u, error <= 1e-8, np.mean(np.hypot(w[::3], 0) <= 1e-9)


ELEMENTS = {"zero_one": (0, 1), "one_zero": (1, 0), "middle": (1 - 0.5**0.5, 1 - 0.5**0.5)}
counts, solved, first, apart, ratio, touching = {name: [] for name in ELEMENTS}, [], [], 0, 0, []
for scene in ("heavy-stack", "wall --set width=3 --set height=3", "incline --set angle=0", "heavy-stack --set mass-ratio=1"):
    data = problem(f"{scene} --at 1")
    ends = {name: solve(*data, element) for name, element in ELEMENTS.items()}
    for name, (iterations, _, done, zero) in ends.items():
        counts[name].append(iterations)
        solved.append(done)
        touching.append(zero)
    first.append(ends["zero_one"][2])
    apart = max([apart] + [np.max(abs(a[1] - b[1])) for a in ends.values() for b in ends.values() if a[2] and b[2]])
    ratio = max(ratio, max(e[0] for e in ends.values()) / min(e[0] for e in ends.values()))
for name, values in counts.items():
    say(name, *values)
say("touching", min(touching))
say("solved", np.mean(solved))
say("first", np.mean(first))
say("apart", apart)
say("ratio", ratio)
