"""macklin-92: does the method work in reduced coordinates as well as in maximal ones?

An arm of three links, hinged at its base, falls on the ground in a plane; the ends of its last two links touch with
friction. The method of the paper on dense matrices (Fischer-Burmeister, effective-mass scaling, lagged friction, steps of
0.75 from zero, no geometric stiffness) in three parameterizations: places and angles of the links, with joints as rows; joint
angles (G = 1); tangents of half joint angles (G = (1 + q^2) / 2). Joints and contacts are nonlinear over the step.
`apart`, `impulses` and `reference` are for rows linearized at the start of the step, where both coordinates have one
problem: largest difference of the links' speeds, of the impulses of single contacts, and of speeds to the nearest solution
found by trying open, stick and both slips of each contact. `coarse` and `fine` are the mean distance of the links after
0.33 s from those in maximal coordinates, with steps of 8.3 and 2.1 ms, and `own` is how far maximal coordinates change between
these steps. Three random starts (seed 1). The argument `diagonal` has a wrong mass matrix for the angles."""

import itertools
import sys

import numpy as np

from common import say

LINKS, LENGTH, HEIGHT, MU, MASS, KINDS = 3, 0.5, 0.9, 0.5, np.tile([1.0, 1.0, 0.25 / 12], 3), ("links", "angles", "tangents")
GRAVITY, SUM, N = np.tile([0, -9.81, 0], LINKS), np.tril(np.ones((LINKS, LINKS))), LINKS - 1
ARM = LENGTH * (SUM - 0.5 * np.eye(LINKS))


def angles(t):
    """places and angles of the links, and their derivative T, by the joint angles t from the vertical"""
    phi = SUM @ t
    q = np.column_stack([ARM @ np.sin(phi), HEIGHT - ARM @ np.cos(phi), phi]).ravel()
    return q, np.stack([ARM * np.cos(phi) @ SUM, ARM * np.sin(phi) @ SUM, SUM], axis=1).reshape(3 * LINKS, LINKS)


def ends(q, sign):
    """upper (-1) or lower (1) ends of the links, and their derivative by q"""
    x, y, phi = q.reshape(LINKS, 3).T
    d, one = np.zeros((LINKS, 2, LINKS, 3)), range(LINKS)
    d[one, 0, one, 0] = d[one, 1, one, 1] = 1
    d[one, 0, one, 2], d[one, 1, one, 2] = sign * LENGTH / 2 * np.array([np.cos(phi), np.sin(phi)])
    return np.column_stack([x, y]) + d[one, :, one, 2] @ [[0, -1], [1, 0]], d.reshape(LINKS, 2, 3 * LINKS)


def rows(q, joints):
    """errors of the joints, heights of the lower ends, and derivatives: joints, normals, tangents"""
    (up, du), (low, dl) = ends(q, -1), ends(q, 1)
    error, d = up - np.vstack([[0, HEIGHT], low[:-1]]), du - np.concatenate([np.zeros_like(dl[:1]), dl[:-1]])
    many = 2 * LINKS if joints else 0
    return np.append(error.ravel()[:many], low[1:, 1]), np.vstack([d.reshape(-1, 3 * LINKS)[:many], dl[1:, 1], dl[1:, 0]])


def at(kind, q):
    """rows, their derivatives by u, and G"""
    place, d = (q, np.eye(len(q))) if kind == "links" else angles(q if kind == "angles" else 2 * np.arctan(q))
    c, j = rows(place, kind == "links")
    return c, j @ d, (1 + q * q) / 2 if kind == "tangents" else 1.0


def step(kind, q0, free, mass, h, frozen=False):
    """u, impulses, q, iterations, solved"""
    inverse, u, q, (c, j, g) = np.linalg.inv(mass), np.zeros(len(free)), q0, at(kind, q0)
    c0, z, b = c, np.zeros(len(j)), len(c) - N
    for k in range(101):
        c, j, g = (c0 + h * j[:b + N] @ u, j, g) if frozen else at(kind, q)
        weight = np.einsum("ij,jk,ik->i", j, inverse, j)
        normal, tangent, zn, zt = weight[b:b + N], weight[b + N:], z[b:b + N], z[b + N:]
        momentum, v, slip = mass @ (u - free) - j.T @ z, c[b:] / h, j[b + N:] @ u
        onto = np.clip(zt - slip / tangent, -MU * np.maximum(zn, 0), MU * np.maximum(zn, 0))
        error = max(abs(x).max() for x in (inverse @ momentum, np.append(c[:b], 0) / h, np.minimum(v, normal * zn),
                                           tangent * (zt - onto), np.zeros(1) if frozen else (q - q0 - h * g * u) / h))
        if error <= 1e-8 or not error < 1e6:
            break
        size = np.hypot(v, normal * zn)
        alpha, beta = (np.where(size > 0, 1 - x / np.where(size > 0, size, 1), e) for x, e in ((v, 0), (normal * zn, 1)))
        room, active = tangent * (MU * zn - abs(zt)), zn > 0
        psi = abs(slip) + room - np.hypot(slip, room)
        lag = np.where(active, (abs(slip) - psi) / np.maximum(abs(zt) + psi / tangent, 1e-12), tangent)
        row = np.concatenate([np.ones(b), alpha, active])
        residual = np.concatenate([c[:b] / h, v + normal * zn - size, active * slip + lag * zt])
        a = row[:, None] * (j @ inverse @ j.T) + np.diag(np.concatenate([np.zeros(b), beta * normal, lag]) + 1e-9 * weight)
        dz = np.linalg.solve(a, row * (j @ inverse @ momentum) - residual)
        z, u = z + 0.75 * dz, u + 0.75 * inverse @ (j.T @ dz - momentum)
        q = q0 + h * g * u
    return u, z, q, k, error <= 1e-8


def tried(c, j, free, mass, h):
    """all solutions of the linearized problem in angles, state by state"""
    a, b, one, found = j @ np.linalg.inv(mass) @ j.T, j @ free + np.append(c / h, 0 * c), np.eye(2 * N), []
    for state in itertools.product("osrl", repeat=N):  # open, stick, slip to the right and to the left
        system, right = one.copy(), np.zeros(2 * N)
        for i, s in enumerate(state):
            if s != "o":
                system[i], right[i] = a[i], -b[i]
                system[N + i], right[N + i] = (a[N + i], -b[N + i]) if s == "s" else (one[N + i], 0)
                system[N + i, i] += {"s": 0, "r": MU, "l": -MU}[s]
        z = np.linalg.lstsq(system, right, rcond=None)[0]
        v, sign = a @ z + b, np.array(["l r".find(s) - 1 if s in "lr" else 0 for s in state])
        if abs(system @ z - right).max() < 1e-9 and min(*z[:N], *v[:N], *(MU * z[:N] - abs(z[N:])), *(sign * v[N:])) > -1e-9:
            found.append(free + np.linalg.solve(mass, j.T @ z))
    return found


random, touching, apart, impulses, reference = np.random.default_rng(1), 0, [], [], []
count, ending = {kind: [] for kind in KINDS}, {}
for start in range(3):
    t0 = None
    while t0 is None or ends(angles(t0)[0], 1)[0][:, 1].min() <= 0.05:
        t0, w0 = random.uniform(-1.2, 1.2, LINKS), random.uniform(-2, 2, LINKS)
    for parts, kind in itertools.product((1, 4), KINDS):
        h, q = 0.0083 / parts, {"links": angles(t0)[0], "angles": t0, "tangents": np.tan(t0 / 2)}[kind]
        u, mass = angles(t0)[1] @ w0 if kind == "links" else w0, np.diag(MASS)
        for _ in range(40 * parts):
            if kind == "links":
                free = u + h * GRAVITY
            else:
                t = q if kind == "angles" else 2 * np.arctan(q)
                turn, d = (angles(t + 1e-6 * u)[1] - angles(t - 1e-6 * u)[1]) @ u / 2e-6, angles(t)[1]  # turn: T' u
                mass = d.T @ (MASS[:, None] * d) * (np.eye(LINKS) if sys.argv[1] == "diagonal" else 1)
                free = u + h * np.linalg.solve(mass, d.T @ (MASS * (GRAVITY - turn)))
            if kind == "angles" and parts == 1:
                c, j = rows(angles(q)[0], False)
                flat = np.linalg.solve(mass, d.T @ (MASS * (d @ u + h * GRAVITY)))  # without the turning of T
                one = step("angles", q, flat, mass, h, True)
                two = step("links", angles(q)[0], d @ u + h * GRAVITY, np.diag(MASS), h, True)
                touching += one[1][:N].max() > 1e-9
                if one[4] and two[4]:
                    apart.append(abs(d @ one[0] - two[0]).max())
                    reference.append(min([abs(d @ (one[0] - x)).max() for x in tried(c, j @ d, flat, mass, h)], default=1e9))
                    impulses += [abs(one[1] - two[1][2 * LINKS:]).max()] if np.sum(one[1][:N] > 1e-9) == 1 else []
            u, _, q, *result = step(kind, q, free, mass, h)
            count[kind].append(result)
        place = q if kind == "links" else angles(q if kind == "angles" else 2 * np.arctan(q))[0]
        ending[start, parts, kind] = place.reshape(-1, 3)[:, :2]
distance = lambda a, b: np.mean([np.linalg.norm(ending[(i, *a)] - ending[(i, *b)], axis=1).max() for i in range(3)])
say("steps", len(apart))
say("touching", touching)
for kind in KINDS:
    say(f"solved_{kind}", np.mean([done for _, done in count[kind]]))
    say(f"iterations_{kind}", np.mean([k for k, _ in count[kind]]))
for name, values in (("apart", apart), ("impulses", impulses), ("reference", reference)):
    say(name, max(values, default=1e9))
for name, parts in (("coarse", 1), ("fine", 4)):
    say(name, np.mean([distance((parts, "links"), (parts, kind)) for kind in KINDS[1:]]))
say("own", distance((1, "links"), (4, "links")))
