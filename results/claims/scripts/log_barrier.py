"""larionov-56: implicit friction with a log barrier in the place of the penalty, and steps limited by collision times.

A node of 1 kg in the plane, backward Euler, friction (7), (13) with the normal force and the tangent of the step's end. The
barrier is that of Li et al. 2020, -kappa (d - delta)^2 ln(d / delta), its stiffness such that half of delta bears the weight. Newton's
method with halved steps on |r|; no iterate goes beyond 0.9 of the way to a collision along its straight line, which a
quadratic equation gives for a round bowl.

slides: down a slope, from equilibrium, to rest: where and when by Coulomb's law.
throws: into a round bowl at up to 100 m/s, steps of 1 to 100 ms; one that is not solved is made in two halves (IV-B:
"can be eliminated by decreasing the time step").

log_barrier.py LAW    barrier, or penalty: (Larionov's cubic one, without collision times)"""
import os
import sys

import numpy as np

from common import say

SEED, LAW = int(os.environ.get("NB_TEST_SEED", "1")), sys.argv[1]
G, DELTA, EPS = 9.81, 1e-3, 1e-3


def pressure(d, kappa):
    """of the gap d, 0 beyond DELTA"""
    if d.real >= DELTA:
        return 0 * d
    if LAW == "penalty":
        return 3 * kappa * (DELTA - d) ** 2 / DELTA
    return kappa * (2 * (d - DELTA) * np.log(d / DELTA) + (DELTA - d) ** 2 / d)


class Slope:
    """the half-plane above a line that falls to the right"""

    def __init__(self, angle):
        self.n, self.t = np.array([np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), -np.sin(angle)])

    def gap(self, q):
        return q @ self.n, self.n, self.t

    def collision(self, q, way):
        """the share of the way at which the node is on the line"""
        return -(q @ self.n) / (way @ self.n) if way @ self.n < 0 else np.inf


class Bowl:
    """the inside of the unit circle"""

    def gap(self, q):
        r = np.sqrt(q[0] * q[0] + q[1] * q[1])
        return 1 - r, -q / r, np.array([-q[1], q[0]]) / r

    def collision(self, q, way):
        a, b, c = way @ way, q @ way, q @ q - 1
        return (-b + np.sqrt(b * b - a * c)) / a if a > 0 else np.inf


def step(scene, q, v, h, mu, kappa):
    """velocity, whether it is solved, iterations, the least gap of all iterates"""
    def residual(w):
        d, n, t = scene.gap(q + h * w)
        slip = t @ w
        size = slip * np.sign(slip.real)
        rub = mu * (2 * size / EPS - (size / EPS) ** 2 if size.real < EPS else 1) * np.sign(slip.real)
        return w - v - h * (np.array([0, -G]) + pressure(d, kappa) * (n - rub * t))

    def limit(w, way):
        return 1 if LAW == "penalty" else min(1, 0.9 * scene.collision(q + h * w, h * way))

    w = limit(0 * v, v) * v  # the velocity before, as far as it is free
    least = scene.gap(q + h * w)[0]
    for k in range(100):
        r = residual(w)
        if abs(r).max() <= 1e-9 * max(1, abs(v).max()):
            return w, True, k, least
        j = np.array([residual(w + 1e-40j * e).imag / 1e-40 for e in np.eye(2)]).T
        way = np.linalg.lstsq(j, -r, rcond=None)[0]
        t = limit(w, way)
        while np.linalg.norm(residual(w + t * way)) > (1 - 1e-4 * t) * np.linalg.norm(r) and t > 1e-12:
            t /= 2
        w = w + t * way
        least = min(least, scene.gap(q + h * w)[0])
    return w, False, k, least


def halved(scene, q, v, h, mu, kappa, deep=0):
    """place and velocity, whether they are solved, iterations, the least gap, how many steps it took"""
    w, good, count, gap = step(scene, q, v, h, mu, kappa)
    if good or deep == 8:
        return q + h * w, w, good, count, gap, 1
    good = True
    for _ in range(2):
        q, v, done, more, least, _ = halved(scene, q, v, h / 2, mu, kappa, deep + 1)
        good, count, gap = good and done, count + more, min(gap, least)
        if not good:
            break
    return q, v, good, count, gap, 2


def stiffness(load):
    return load / pressure(np.float64(DELTA / 2), 1)


random = np.random.default_rng(SEED)
solved, iterations, least, distances, times, creep = [], [], [], [], [], []
for _ in range(20):  # ---- slides
    angle, speed, h = np.radians(random.uniform(5, 20)), random.uniform(0.5, 2), 1e-3
    mu = np.tan(angle) + random.uniform(0.1, 0.5)
    slope, kappa = Slope(angle), stiffness(G * np.cos(angle))
    q = DELTA / 2 * slope.n
    v, brake = speed * slope.t, G * (mu * np.cos(angle) - np.sin(angle))
    start, stop = q, None
    for k in range(round((speed / brake + 0.2) / h)):
        v, good, count, gap = step(slope, q, v, h, mu, kappa)
        q = q + h * v
        solved, iterations, least = [*solved, good], [*iterations, count], [*least, gap / DELTA]
        if stop is None and v @ slope.t <= EPS:
            stop = k + 1
            distances.append((q - start) @ slope.t / (speed ** 2 / 2 / brake) - 1)
            times.append(stop * h / (speed / brake) - 1)
    creep.append(abs(v @ slope.t) / EPS)
say("slides_solved", np.mean(solved))
say("slides_iterations", np.mean(iterations))
say("stopped", len(times) / 20)
say("distance_error", max(np.abs(distances), default=np.inf))
say("time_error", max(np.abs(times), default=np.inf))
say("creep", max(creep))
solved, iterations, parts = [], [], []
for _ in range(40):  # ---- throws
    h, speed, mu, way = 10.0 ** random.choice([-3, -2, -1]), 10 ** random.uniform(0, 2), random.uniform(0, 1), random.normal(size=2)
    q, v = random.uniform(-0.6, 0.6, 2), speed * way / np.linalg.norm(way)
    for _ in range(30):
        q, v, good, count, gap, steps = halved(Bowl(), q, v, h, mu, stiffness(G))
        solved, iterations, least, parts = [*solved, good], [*iterations, count], [*least, gap / DELTA], [*parts, steps > 1]
        if not good:
            break
say("throws_solved", np.mean(solved))
say("throws_halved", np.mean(parts))
say("throws_iterations", np.mean(iterations))
say("least_gap", min(least))
print(f"# seed {SEED}")
