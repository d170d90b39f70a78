"""macklin-56: is the method robust to contact sets of fine, non-manifold meshes?

The method of the paper in 32 bits with the counts of its grasps (8 Newton and 20 linear iterations, h = 8.3 ms, mu = 0.8):
Fischer-Burmeister, effective-mass scaling, lagged friction, steps of 0.75 from zero, a shift of 1e-6, and PCR or the relaxation
that the argument names. Two scenes of 60 steps, whose motion is known: two fingers hold a box by 3 N each, and carry it; a
slab slides until friction stops it. Contacts are the corners of the faces (minimal), or the vertices of each triangle of
1, 4, 16 and 64 squares per face, with all triangles twice: up to 12 contacts in one point. `same`: points and normals
coincide. `near`: points are moved by 3 % of half a face, and the normals of the grasp by 0.01 rad, at random (seed 1). Errors
are the largest difference of the velocity of the body's center and corners from the known one in any step [m/s]; `drift` is how
far the box's corners move in the fingers [m]."""

import sys

import numpy as np

from common import say

H, MU, G, NEWTON, LINEAR, F = 0.0083, 0.8, 9.81, 8, 20, np.float32
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def solve(product, diagonal, b):
    """conjugate residuals with the diagonal as preconditioner, or Jacobi"""
    x, r = np.zeros_like(b), b / diagonal
    if sys.argv[1] == "jacobi":
        for _ in range(LINEAR):
            x = x + (b - product(x)) / diagonal
        return x
    p, ap = r.copy(), product(r)
    rar = r @ ap
    for _ in range(LINEAR):
        scaled = ap / diagonal
        if not (ap @ scaled > 0 and rar > 0):
            break
        step = rar / (ap @ scaled)
        x, r = x + step * p, r - step * scaled
        ar = product(r)
        old, rar = rar, r @ ar
        p, ap = r + rar / old * p, ar + rar / old * ap
    return x


def step(mass, free, j, gap):
    """velocities at the end; rows of j: normals, then first and second tangents of the contacts"""
    mass, free, j, gap = (np.asarray(x, F) for x in (mass, free, j, gap))
    n, u, z = len(gap), np.zeros(len(free), F), np.zeros(len(j), F)
    weight = (j * j / mass).sum(axis=1)
    normal, tangent = weight[:n], (weight[n:2 * n] + weight[2 * n:]) / 2
    for _ in range(NEWTON):
        v, momentum, zn, zt = gap / F(H) + j[:n] @ u, mass * (u - free) - j.T @ z, z[:n], z[n:].reshape(2, n)
        slip = (j[n:] @ u).reshape(2, n)
        s, f, size = np.linalg.norm(slip, axis=0), np.linalg.norm(zt, axis=0), np.hypot(v, normal * zn)
        safe = np.where(size > 0, size, 1)
        alpha = np.maximum(np.where(size > 0, 1 - v / safe, 0), F(1e-4))  # rows are divided by it: symmetric
        beta = np.where(size > 0, 1 - normal * zn / safe, 1)
        room = tangent * (F(MU) * zn - f)
        psi, active = s + room - np.hypot(s, room), zn > 0
        lag = np.where(active, np.maximum(s - psi, 0) / np.maximum(f + psi / tangent, F(1e-12)), tangent)
        on = np.concatenate([np.ones(n, F), active, active]).astype(F)
        c = np.concatenate([beta * normal / alpha, lag, lag]).astype(F) + F(1e-6) * weight
        residual = np.concatenate([(v + normal * zn - size) / alpha, *(active * slip + lag * zt)]).astype(F)
        dz = solve(lambda x: on * (j @ (j.T @ (on * x) / mass)) + c * x, on * weight + c, on * (j @ (momentum / mass)) - residual)
        z, u = z + F(0.75) * dz, u + F(0.75) * ((j.T @ (on * dz) - momentum) / mass)
    return u.astype(float)


def face(squares, kind, random):
    """points of a face in [-1, 1]^2"""
    if squares == 0:
        return np.array([[-1, -1], [1, -1], [-1, 1], [1, 1.0]])
    grid = np.linspace(-1, 1, squares + 1)
    points = np.array([[grid[i + a], grid[k + b]] for i in range(squares) for k in range(squares)
                       for a, b in ((0, 0), (1, 0), (0, 1), (1, 0), (1, 1), (0, 1))] * 2)
    return points if kind == "same" else np.clip(points + random.normal(0, 0.03, points.shape), -1, 1)


def rows(points, normals):
    first = np.cross(normals, [0.36, 0.48, 0.8])
    first /= np.linalg.norm(first, axis=1)[:, None]
    return np.vstack([np.hstack([d, np.cross(points, d)]) for d in (normals, first, np.cross(normals, first))])


def error(u, known, half):
    at = np.vstack([np.zeros(3), CORNERS * half])
    return np.linalg.norm(u[:3] + np.cross(u[3:6], at) - known, axis=1).max()


def grasp(squares, kind, random):
    points = np.vstack([np.insert(face(squares, kind, random), 0, side, axis=1) for side in (-1, 1)]) * 0.03
    left = points[:, 0] < 0
    normals = np.where(left, 1, -1)[:, None] * [1, 0, 0] + (kind == "near") * random.normal(0, 0.01, points.shape) * [0, 1, 1]
    j = np.hstack([rows(points, normals / np.linalg.norm(normals, axis=1)[:, None]), np.zeros((3 * len(points), 2))])
    j[:, 6], j[:, 7] = -j[:, 0] * np.tile(left, 3), -j[:, 0] * np.tile(~left, 3)  # of the fingers, along x
    mass, u, q, worst = np.array([*[0.15] * 3, *[0.15 * 4 * 0.03**2 / 6] * 3, 0.1, 0.1]), np.zeros(8), np.zeros(8), 0
    for t in H * np.arange(1, 61):
        hand = np.array([0, 0.2 * np.sin(12 * t), 0.3 * np.sin(6 * t) ** 2, *[0] * 5])  # velocities are in its frame
        x = q[0] + np.cross(q[3:6], points)[:, 0]
        u = step(mass, u + H * np.array([0, 0, -G, 0, 0, 0, 30, -30]) - hand, j, np.where(left, x - q[6], q[7] - x))
        worst, q, u = max(worst, error(u, 0, 0.03)), q + H * u, u + hand
    return worst, error(q, 0, 0.03), len(points)


def slide(squares, kind, random):
    half, along, height, worst = np.array([0.05, 0.05, 0.01]), np.array([0.6, 0.8, 0]), 0, 0
    points = np.insert(face(squares, kind, random), 2, -1, axis=1) * half
    mass, j = np.array([1, 1, 1, *(half @ half - half**2) / 3]), rows(points, np.tile([0, 0, 1.0], (len(points), 1)))
    u = np.append(2 * along, [0, 0, 0])
    for t in H * np.arange(1, 61):
        u = step(mass, u + H * np.array([0, 0, -G, 0, 0, 0]), j, np.full(len(points), height))
        worst, height = max(worst, error(u, max(0, 2 - MU * G * t) * along, half)), height + H * u[2]
    return worst, 0, len(points)


np.seterr(all="ignore")
random = np.random.default_rng(1)
for name, scene in (("grasp", grasp), ("slide", slide)):
    for kind in ("minimal", "same", "near"):
        ends = np.nan_to_num([scene(n, kind, random) for n in ((0,) if kind == "minimal" else (1, 2, 4, 8))], nan=1e9, posinf=1e9)
        for column, word in enumerate((name, "drift")[:1 + (scene is grasp)]):
            say(f"{word}_{kind}", min(ends[:, column].max(), 1e9))
    say(f"{name}_contacts", ends[-1, 2])
