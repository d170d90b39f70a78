"""lecleach-22: each body's own normal, or the normal of one for both, while the single-level step is solved.

Two boxes in space meet, half of them by faces, and move on for six steps: Le Cleac'h et al. 2023, (20) with
polytopes (44), four directions of friction and no gravity, from the formulas of the text alone. A Mehrotra
predictor-corrector solves it to rho = 1e-6. Each step has a random start, and but for the first that of
section VII: the solution before and 0.01. All variants have the same starts. A step fails where it takes 30 iterations,
and counts as 30.

own_normals.py KIND KIND KIND    own (n1 and n2, (41)), first (n1 and -n1), second (-n2 and n2); `own` is the first of
the three variants, `one` the two others"""
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is read; matrices are small
import numpy

from common import say

RATES = (10, 16, 25, 40, 62.5, 100)  # [Hz], of the paper's drops
SEED, PAIRS, STEPS, FAILED, RHO, MU = int(os.environ.get("NB_TEST_SEED", "1")), 16, 6, 30, 1e-6, 0.5
N, P, ALPHA, A, B = 54, slice(12, 15), 15, slice(16, 35), slice(35, 54)  # A o B = rho
GAMMA, PSI, BETA = 16, 17, slice(18, 22)
LAMBDA, SLACK = (slice(22, 28), slice(28, 34)), (slice(41, 47), slice(47, 53))


def cross(a, b):
    return numpy.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def unit(a):
    return a / numpy.sqrt((a * a).sum(axis=0))


def turned(w, a, sign=1):
    """a, turned by Cayley's map of w, or back"""
    once = cross(sign * w, a)
    return a + 4 / (4 + (w * w).sum(axis=0)) * (once + cross(sign * w, once) / 2)


class Pair:
    """x, frame, v, omega, mass, half: lists of two"""

    def residual(self, v, rho):
        """v [54, columns]"""
        r, out, n, speed, arm = numpy.empty_like(v), [], [], [], []
        for i in range(2):
            x, w = v[6 * i:6 * i + 3], v[6 * i + 3:6 * i + 6]
            arm.append(v[P] - x)
            speed.append((x - self.x[i][:, None]) / self.h + cross(w / self.h, arm[i]))
            y, plus, half = self.frame[i].T @ turned(w, arm[i], -1), v[LAMBDA[i]], self.half[i][:, None]
            out.append(turned(w, self.frame[i] @ (plus[:3] - plus[3:])))
            r[16 + 6 * i:22 + 6 * i] = v[SLACK[i]] + numpy.concatenate([y, -y]) - v[ALPHA] * numpy.concatenate([half, half])
        n = [unit(out[0]), -unit(out[1])]  # both from the first to the second
        if self.kind != "own":
            n = [n[self.kind == "second"]] * 2
        slip = 0
        for i, sign in ((0, 1), (1, -1)):
            side = unit(cross(self.aside[:, None] + 0 * n[i], n[i]))
            ways = numpy.array([side, cross(n[i], side)])
            force = -v[GAMMA] * n[i] + ((v[BETA][:2] - v[BETA][2:])[:, None] * ways).sum(axis=0)
            slip = slip + sign * (ways * speed[i]).sum(axis=1)
            x, w = v[6 * i:6 * i + 3], v[6 * i + 3:6 * i + 6]
            r[6 * i:6 * i + 3] = self.mass[i] * ((x - self.x[i][:, None]) / self.h - self.v[i][:, None]) - sign * force
            r[6 * i + 3:6 * i + 6] = self.inertia[i] @ (w / self.h - self.omega[i][:, None]) - sign * cross(arm[i], force)
        r[12:15] = out[0] + out[1]
        r[15] = 1 - v[34] - sum(numpy.concatenate([self.half[i]] * 2) @ v[LAMBDA[i]] for i in range(2))
        r[28] = v[35] - (v[ALPHA] - 1)
        r[29] = v[36] - (MU * v[GAMMA] - v[BETA].sum(axis=0))
        r[30:34] = v[37:41] - v[PSI] - numpy.concatenate([slip, -slip])
        r[34] = v[53] - v[ALPHA]
        r[B] = v[A] * v[B] - rho
        return r

    def at(self, v, rho):
        return self.residual(v[:, None], rho)[:, 0]

    def solve(self, v):
        """the solution and iterations, FAILED where there is none"""
        def boundary(step):
            ends = -v[16:] / numpy.where(step[16:] < 0, step[16:], -1e-300)
            return min(1, 0.99 * ends.min())

        for k in range(FAILED):
            r = self.at(v, RHO)
            if not numpy.isfinite(r).all() or abs(r).max() <= RHO / 10:
                return v, k if numpy.isfinite(r).all() else FAILED
            j = self.residual(v[:, None] + 1e-40j * numpy.eye(N), 0).imag / 1e-40  # exact to round-off
            affine, mean = numpy.linalg.solve(j, -r), (v[A] @ v[B]) / 19
            ahead = v + boundary(affine) * affine
            target = max(RHO, ((ahead[A] @ ahead[B]) / 19 / mean) ** 3 * mean)
            right = self.at(v, target)
            before = abs(right[:35]).max(), abs(right[B]).max()
            right[B] += affine[A] * affine[B]
            step = numpy.linalg.solve(j, -right)
            t = boundary(step)
            for _ in range(25):
                after = self.at(v + t * step, target)
                if abs(after[:35]).max() <= before[0] or abs(after[B]).max() <= before[1]:
                    break
                t /= 2
            v = v + t * step
        return v, FAILED


def random_pair(random, face):
    """boxes whose surfaces meet halfway through the step, or thereabouts"""
    pair = Pair()
    pair.h, pair.mass, pair.half = 1 / random.choice(RATES), random.uniform(0.2, 5, 2), random.uniform(0.3, 1, (2, 3))
    pair.frame = [numpy.linalg.qr(random.normal(size=(3, 3)))[0] for _ in range(2)]
    pair.frame = [f * numpy.sign(numpy.linalg.det(f)) for f in pair.frame]
    way = unit(random.normal(size=3))
    if face:
        pair.frame[1], way = pair.frame[0].copy(), pair.frame[0][:, 2]
    reach = sum(pair.half[i] @ abs(pair.frame[i].T @ way) for i in range(2))
    across = random.uniform(-0.3, 0.3, 3)
    v = random.normal(0, 0.5, (2, 3)) + numpy.outer([1, -1], way) * random.uniform(0.1, 1.5)
    gap = max(0, (v[0] - v[1]) @ way) * pair.h / 2
    pair.x = [numpy.zeros(3), way * (reach + gap) + across - way * (across @ way)]
    pair.v, pair.omega = list(v), list(random.normal(0, 1, (2, 3)))
    pair.aside = numpy.eye(3)[abs(way).argmin()]
    return pair


random = numpy.random.default_rng(SEED)
kinds, found, left = sys.argv[1:4], {}, 0
for number in range(PAIRS):
    pair, known = random_pair(random, number % 2), None
    for _ in range(STEPS):
        pair.inertia = [f @ numpy.diag(m / 3 * ((s @ s) - s * s)) @ f.T for f, m, s in zip(pair.frame, pair.mass, pair.half)]
        cold, ends = numpy.zeros(N), []
        cold[:12] = numpy.concatenate([pair.x[0], numpy.zeros(3), pair.x[1], numpy.zeros(3)])
        cold[P], cold[ALPHA], cold[16:] = (pair.x[0] + pair.x[1]) / 2, 1, random.uniform(0.5, 1.5, 38)
        starts = {"cold": cold}
        if known is not None:
            starts["warm"] = numpy.concatenate([cold[:12], known[12:16], known[16:] + 0.01])
        for start, v in starts.items():
            for place, pair.kind in enumerate(kinds):
                end, iterations = pair.solve(v)
                found.setdefault(("own" if place == 0 else "one") + "_" + start, []).append(iterations)
                ends += [end] if iterations < FAILED else []
        if not ends:
            left += 1
            break
        known = ends[0]
        for i in range(2):
            x, w = known[6 * i:6 * i + 3], known[6 * i + 3:6 * i + 6]
            pair.v[i], pair.omega[i], pair.x[i] = (x - pair.x[i]) / pair.h, w / pair.h, x
            pair.frame[i] = turned(w[:, None], pair.frame[i])
print(f"# seed {SEED}, {PAIRS} pairs, {left} left where no variant solved a step")
for name, iterations in found.items():
    say(name, numpy.mean(iterations))
    say(name + "_failed", numpy.mean(numpy.array(iterations) >= FAILED))
    print(f"# {name}: {len(iterations)} solves")
