"""macklin-38: does the diagonal geometric stiffness help chains of particles more than mechanisms of rigid bodies?

The method of the paper on dense matrices (steps of 0.75 from zero, Fischer-Burmeister for limits) without and with (71)-(74),
the sign of (73) corrected. h = 8.3 ms, 20 steps; up to 60 iterations to 1e-6 m/s; random velocities (seed 1).
Particles: six of 0.1 kg on springs of 1e4 N/m between two walls, stretched to 1.25, 1.6 and 2 times their length, pushed
aside. Chain: particles with rigid distances of 0.1 m and ends of 0.1, 1.1 and 10.1 kg swing down from the horizontal with
5 rad/s. Links: so do rigid boxes with hinges, whose axes are crossed in turn, with limits of 0.5 rad beyond the first.
`gain` is the number of iterations without over that with the update, both over all steps. `jitter` is the root mean square
of the second difference of joint speeds from step to step [rad/s], with 6 iterations per step, over the last 40 of 120 steps,
for hinges with parallel level axes and no heavy end, which come to rest on their limits."""

import numpy as np
from scipy.spatial.transform import Rotation

from common import say

H, PARTS, LENGTH, MASS, LIMIT, SPIN = 0.0083, 6, 0.1, 0.1, 0.5, 5.0
CROSSED, LEVEL = [1, 2] * (PARTS // 2), [1] * PARTS


def cross(a):
    """matrices of the cross products with rows of a"""
    return np.swapaxes(np.cross(a[:, None], np.eye(3)), 1, 2)


class Particles:
    def __init__(self, end, axes, random):
        self.equal, self.x = PARTS, LENGTH * np.arange(1, PARTS + 1)[:, None] * [1.0, 0, 0]
        self.mass = np.repeat(np.append(np.full(PARTS - 1, MASS), MASS + end), 3)
        self.u = (np.cross([0, SPIN, 0], self.x) + random.normal(0, 0.1, self.x.shape)).ravel()
        self.free, self.wall, self.rest, self.soft = np.tile([0, 0, -9.81 * H], PARTS), np.zeros((0, 3)), LENGTH, 0

    def rows(self, u):
        x = np.vstack([np.zeros(3), self.x + H * u.reshape(-1, 3), self.wall])
        d = np.diff(x, axis=0)
        size = np.linalg.norm(d, axis=1)
        j = np.zeros((len(d), len(x), 3))
        for i in range(len(d)):
            j[i, i + 1], j[i, i] = d[i] / size[i], -d[i] / size[i]
        return size - self.rest, j[:, 1:PARTS + 1].reshape(len(d), -1)

    def move(self, u):
        self.x, self.u = self.x + H * u.reshape(-1, 3), u


class Springs(Particles):
    def __init__(self, stretch, axes, random):
        super().__init__(0, axes, random)
        self.equal, self.wall, self.rest = PARTS + 1, np.array([[(PARTS + 1) * LENGTH, 0, 0]]), LENGTH / stretch
        self.soft, self.u = 1 / (1e4 * H * H), random.normal(0, 1, 3 * PARTS)


class Links:
    def __init__(self, end, axes, random):
        self.axes, side = axes, np.array([LENGTH, LENGTH / 3, LENGTH / 3])
        inertia = (side @ side - side**2) / 12
        scale = np.append(np.full(PARTS - 1, MASS), MASS + end)
        self.mass = (scale[:, None] * np.append(np.ones(3), inertia)).ravel()  # that of boxes about fixed axes
        self.x = LENGTH * (np.arange(PARTS)[:, None] + 0.5) * [1.0, 0, 0]
        self.turn = np.tile(np.eye(3), (PARTS, 1, 1))
        spin = np.array([0, 0 if axes == LEVEL else SPIN, 0])
        self.u = np.hstack([np.cross(spin, self.x), np.tile(spin, (PARTS, 1)) + random.normal(0, 0.1, (PARTS, 3))]).ravel()
        self.free = np.tile([0, 0, -9.81 * H, 0, 0, 0], PARTS)
        self.limit = np.append(LIMIT if axes == LEVEL else 3, np.full(PARTS - 1, LIMIT))
        self.equal, self.soft = 5 * PARTS, 0

    def turned(self, u):
        return Rotation.from_rotvec(H * u.reshape(PARTS, 6)[:, 3:]).as_matrix() @ self.turn

    def rows(self, u):
        one, k = np.arange(PARTS), np.array(self.axes)
        x = np.vstack([[-LENGTH / 2, 0, 0], self.x + H * u.reshape(PARTS, 6)[:, :3]])
        low = self.turned(u)
        up = np.concatenate([[np.eye(3)], low[:-1]])
        a, b, hinge = up[:, :, 0] * LENGTH / 2, -low[:, :, 0] * LENGTH / 2, low[one, :, k]
        p, q, other = up[one, :, (k + 1) % 3], up[one, :, (k + 2) % 3], low[one, :, (k + 1) % 3]
        angle = np.arctan2((other * q).sum(axis=1), (other * p).sum(axis=1))
        c = np.column_stack([x[1:] + b - x[:-1] - a, LENGTH * (p * hinge).sum(axis=1), LENGTH * (q * hinge).sum(axis=1)])
        child, parent, j = np.zeros((PARTS, 7, 6)), np.zeros((PARTS, 7, 6)), np.zeros((PARTS, 7, PARTS + 1, 6))
        child[:, :3, :3], child[:, :3, 3:], parent[:, :3, :3], parent[:, :3, 3:] = np.eye(3), -cross(b), -np.eye(3), cross(a)
        child[:, 3:, 3:] = LENGTH * np.stack([np.cross(hinge, p), np.cross(hinge, q), hinge, -hinge], axis=1)
        parent[:, 3:, 3:] = -child[:, 3:, 3:]
        j[one, :, one + 1], j[one, :, one] = child, parent
        low = LENGTH * np.column_stack([self.limit + angle, self.limit - angle])
        return np.append(c, low), np.vstack([r.reshape(-1, 6 * PARTS) for r in (j[:, :5, 1:], j[:, 5:, 1:])])

    def move(self, u):
        self.x, self.turn, self.u = self.x + H * u.reshape(PARTS, 6)[:, :3], self.turned(u), u


def step(chain, update, most, tolerance):
    free, mass, e = chain.u + chain.free, chain.mass, chain.equal
    u, h = np.zeros(len(free)), mass
    c, j = chain.rows(u)
    z = np.zeros(len(c))
    for k in range(most + 1):
        weight = (j * j / mass).sum(axis=1)
        momentum, v, b = mass * (u - free) - j.T @ z, c / H + chain.soft * z, (weight * z)[e:]
        error = max(abs(momentum / mass).max(), abs(v[:e]).max(), abs(np.append(np.minimum(v[e:], b), 0)).max())
        if error <= tolerance or k == most or not error < 1e6:
            break
        size = np.hypot(v[e:], b)
        safe = np.where(size > 0, size, 1)
        row = np.append(np.ones(e), np.where(size > 0, 1 - v[e:] / safe, 0))
        diagonal = np.append(np.full(e, chain.soft), np.where(size > 0, 1 - b / safe, 1) * weight[e:]) + 1e-9 * weight
        residual = np.append(v[:e], v[e:] + b - size)
        dz = np.linalg.solve(row[:, None] * (j / h @ j.T) + np.diag(diagonal), row * (j @ (momentum / h)) - residual)
        du = 0.75 * (j.T @ dz - momentum) / h
        z, u, old = z + 0.75 * dz, u + du, j
        c, j = chain.rows(u)
        if update:
            change = (j - old).T @ z
            counts = (abs(du) > 1e-8 * abs(du).max()) & (abs(change) > 1e-14 * abs(j.T @ z))
            h = mass - np.where(counts, np.minimum(0, change / np.where(counts, du, 1)), 0)
    return u, k, error <= tolerance


for name, make, ends_of in (("particles", Springs, (1.25, 1.6, 2)), ("chain", Particles, (0, 1, 10)), ("links", Links, (0, 1, 10))):
    ends = {}
    for update in (False, True):
        random, count, solved = np.random.default_rng(1), [], []
        for end in ends_of:
            chain = make(end, CROSSED, random)
            for _ in range(20):
                u, k, done = step(chain, update, 60, 1e-6)
                count.append(k)
                solved.append(done)
                if not done:  # both go on from what is solved, or as far as it came
                    u = u if np.isfinite(u).all() and abs(u).max() < 1e3 else 0 * u
                chain.move(u)
        ends[update] = np.mean(count)
        say(f"{name}_{'with' if update else 'without'}", np.mean(count))
        if name != "chain":
            say(f"solved_{name}_{'with' if update else 'without'}", np.mean(solved))
    if name != "chain":
        say(f"gain_{name}", ends[False] / ends[True])
for update in (False, True):
    chain, speeds = Links(0, LEVEL, np.random.default_rng(1)), []
    for _ in range(120):
        chain.move(step(chain, update, 6, 0)[0])
        w = chain.u[4::6]
        speeds.append(np.diff(np.append(0, w)))
    say(f"jitter_{'with' if update else 'without'}", np.sqrt(np.mean(np.diff(speeds[-42:], 2, axis=0) ** 2)))
