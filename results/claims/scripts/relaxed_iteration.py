"""tasora-03 (`fixed-point`): is the iteration (18), under A1 to A3, a contraction that converges monotonically?
tasora-08 (`algorithm`): does the algorithm solve the problem, as it is printed, and with its slips mended?

Both are written anew here, of dense matrices, for the relaxed (convex) law on contact problems of ncpbench's scenes."""

import sys

import numpy as np

from common import problem, say


def project(x, mu):
    """onto the friction cones, (20): rows (n, u, v)"""
    normal, along = x[:, 0], np.hypot(x[:, 1], x[:, 2])
    surface = (along * mu + normal) / (mu**2 + 1)
    ratio = mu * surface / np.where(along > 0, along, 1)
    nearest = np.column_stack([surface, ratio * x[:, 1], ratio * x[:, 2]])
    return np.where((along <= mu * normal)[:, None], x, np.where((mu * along <= -normal)[:, None], 0, nearest))


def project_as_printed(x, mu):
    """(21), the first case that is met: zero within the cone; what no case has stays"""
    normal, along = x[:, 0], np.hypot(x[:, 1], x[:, 2])
    surface = (along * mu + normal) / (mu**2 + 1)
    ratio = mu * surface / np.where(along > 0, along, 1)
    nearest = np.column_stack([surface, ratio * x[:, 1], ratio * x[:, 2]])
    return np.where((along < mu * normal)[:, None], 0, np.where((along > -normal / mu)[:, None], nearest, x))


class Problem:
    def __init__(self, line):
        m, h, f, w, self.mu = problem(line)
        inverse = np.linalg.inv(m)
        self.s, self.e, self.free, self.gap = inverse @ h, h.T, inverse @ f, w
        self.n = h.T @ self.s
        self.r = h.T @ self.free + w
        trace = np.add.reduceat(np.diag(self.n), np.arange(0, len(w), 3))
        self.eta = 3 / trace

    def error(self, z):
        """the natural map, as a velocity, over the largest velocity without impulses"""
        step = np.repeat(self.eta, 3)
        moved = z - step * (self.n @ z + self.r)
        map_ = (z - project(moved.reshape(-1, 3), self.mu).ravel()) / step
        return np.max(abs(map_)) / np.max(abs(self.r))

    def objective(self, z):
        return z @ (0.5 * (self.n @ z) + self.r)

    def sweep(self, z, sign=1, onto=project):
        """forward and backward, omega = lambda = 1; sign -1: that of b_i by (11) to (13)"""
        u = self.free + self.s @ z
        count = len(self.mu)
        for i in (*range(count), *reversed(range(count))):
            at = slice(3 * i, 3 * i + 3)
            moved = z[at] - self.eta[i] * (self.e[at] @ u + sign * self.gap[at])
            new = onto(moved[None], self.mu[i : i + 1])[0]
            u += self.s[:, at] @ (new - z[at])
            z[at] = new
        return z


def fixed_point(p, share, iterations):
    """(18) with omega = share of the limit that A3 sets: rises of objective, distance and natural map; largest ratio of
    a step to the one before; last error"""
    step = np.repeat(p.eta, 3)
    scaled = np.sqrt(step)[:, None] * p.n * np.sqrt(step)
    omega = share * 2 / np.linalg.eigvalsh(scaled)[-1]
    trail, z = [], np.zeros(len(p.r))
    for _ in range(iterations):
        trail.append(z)
        z = project((z - omega * step * (p.n @ z + p.r)).reshape(-1, 3), p.mu).ravel()

    def norm(x):
        return np.sqrt(np.sum(x**2 / step))

    values = [p.objective(x) for x in trail]
    error = p.error(z)
    far = np.array([norm(x - z) for x in trail])
    moved = np.array([norm(b - a) for a, b in zip(trail, trail[1:])])
    errors = np.array([p.error(x) for x in trail[: min(iterations, 200)]])
    real = moved[:-1] > 1e-10 * moved[0]
    return (np.sum(np.diff(values) > 1e-12 * abs(values[-1])), np.sum(np.diff(far) > 1e-12 * far[0]),
            np.sum(np.diff(errors) > 1e-12), np.max(moved[1:][real] / moved[:-1][real]), error)


def worst_error(p, share, iterations):
    """1e300 for what diverges out of all numbers"""
    with np.errstate(all="ignore"):
        error = fixed_point(p, share, iterations)[4]
    return error if np.isfinite(error) else 1e300


SCENES = ("wall --set width=3 --set height=2 --at 1", "arch --settle 10 --at 1",
          "piling --set shape=box --set count=8 --at 40")
if sys.argv[1] == "fixed-point":
    rows = [fixed_point(Problem(scene), share, 6000) for scene in SCENES for share in (0.5, 0.9)]
    for name, column in zip(("objective_rises", "distance_rises", "map_rises"), zip(*rows)):
        say(name, sum(column))
    say("step_ratio", max(row[3] for row in rows))
    say("error", max(row[4] for row in rows))
    say("beyond", max(worst_error(Problem(scene), 1.5, 300) for scene in SCENES))
else:
    worst = {"printed": 0, "sign": 0, "projection": 0, "mended": 0}
    for scene in SCENES:
        p = Problem(scene)
        for name, sign, onto in (("printed", -1, project_as_printed), ("sign", -1, project),
                                 ("projection", 1, project_as_printed), ("mended", 1, project)):
            z = np.zeros(len(p.r))
            with np.errstate(over="ignore", invalid="ignore"):
                for _ in range(100):
                    z = p.sweep(z, sign, onto)
                error = p.error(z)
            worst[name] = max(worst[name], error if np.isfinite(error) else 1e300)
    for name, error in worst.items():
        say(name, error)
