"""The box on the ground of Le Cleac'h et al. 2023 (V-B, V-C, appendix C), in the plane, from the formulas of the text
alone: (17)-(19), (58), and relaxed products (22). Nothing of ncpbench is in it.

box_on_ground.py collision     the rank of the collision's own Jacobian, (19)
box_on_ground.py whole         the rank of the whole one, (59)
box_on_ground.py equivalence   solutions of (58) beside those of both levels, one after the other
box_on_ground.py centre        where the contact point of a box at rest is, from starts all over its face
box_on_ground.py turn          how far the contact point goes where a box on its face turns by 2e-6
box_on_ground.py gradient      derivatives at a smoothing that is asked for, and the work that they take
box_on_ground.py inexact       derivatives at a solution that is not exact
box_on_ground.py work          operations of a step, single-level and bilevel, by how the latter is made

Unknowns are those of the text: x+ [2], theta+, gamma, s_gamma, p [2], alpha, gamma_p [4], gamma_n, gamma_alpha, s_p [4],
s_n, s_alpha. Numbers without a unit are in metres, kilograms and seconds. NB_TEST_SEED changes what is random."""
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is read; matrices are small
import numpy
import scipy.optimize

from common import say

SEED = int(os.environ.get("NB_TEST_SEED", "1"))
A = numpy.array([[0.0, -1], [1, 0], [0, 1], [-1, 0]])  # rows -e_z, e_y, e_z, -e_y
UP, G = numpy.array([0.0, 1]), 9.81
X, THETA, GAMMA, SLACK, COLLISION, N = slice(0, 2), 2, 3, 4, slice(5, 20), 20
P, ALPHA, LP, LN, LA, SP, SN, SA = slice(5, 7), 7, slice(8, 12), 12, 13, slice(14, 18), 18, 19
PAIRS = [(GAMMA, SLACK), *zip(range(8, 14), range(14, 20))]  # of what is complementary


class Box:
    """b: half the sizes, as (17) has them; past: x-, theta-, x, theta"""

    def __init__(self, past, mass=1.0, h=0.1, b=(1.0, 1, 1, 1)):
        self.past, self.mass, self.h, self.b = numpy.array(past, float), mass, h, numpy.asarray(b, float)
        self.inertia = mass / 3 * (self.b[0] ** 2 + self.b[1] ** 2)

    def residual(self, v, past=None, rho=0):
        """(58) with products of rho"""
        past = self.past if past is None else past
        c, s = numpy.cos(v[THETA]), numpy.sin(v[THETA])
        turn = numpy.array([[c, s], [-s, c]])  # from the world to the box
        y = v[P] - v[X]
        r = numpy.empty(N, numpy.result_type(v, past))
        r[0:2] = self.mass / self.h * (v[X] - 2 * past[3:5] + past[0:2]) + UP * (self.mass * G * self.h - v[GAMMA])
        r[2] = self.inertia / self.h * (v[THETA] - 2 * past[5] + past[2]) - v[GAMMA] * y[0]
        r[3] = v[SLACK] - (v[ALPHA] - 1)
        r[4:6] = turn.T @ A.T @ v[LP] + v[LN] * UP
        r[6] = 1 - v[LP] @ self.b - v[LA]
        r[7:11] = v[SP] + A @ turn @ y - self.b * v[ALPHA]
        r[11] = v[SN] + v[P] @ UP
        r[12] = v[SA] - v[ALPHA]
        r[13:20] = [v[i] * v[k] - rho for i, k in PAIRS]
        return r

    def jacobian(self, v, by_past=False):
        """by complex steps: exact to round-off"""
        at = self.past if by_past else v
        columns = []
        for k in range(len(at)):
            z = at.astype(complex)
            z[k] += 1e-40j
            r = self.residual(v, past=z) if by_past else self.residual(z)
            columns.append(r.imag / 1e-40)
        return numpy.array(columns).T

    def start(self, offset=0.0, rho=1e-2):
        """inside of all bounds; the contact point `offset` aside of the centre"""
        v = numpy.zeros(N)
        v[X], v[THETA] = self.past[3:5], self.past[5]
        v[P] = [v[0] + offset, v[1] - self.b[0]]
        v[ALPHA] = 1
        for i, k in PAIRS:
            v[i] = v[k] = numpy.sqrt(rho)
        return v

    def solve(self, v, rho, tolerance=1e-10, most=300, least=None):
        """primal-dual interior point; returns the point and how many systems were factorised. least: the smallest mean
        product that it is let come to at once"""
        factors = 0
        for _ in range(most):
            mean = numpy.mean([v[i] * v[k] for i, k in PAIRS])
            r = self.residual(v, rho=rho)
            if abs(r).max() <= tolerance:
                return v, factors
            aim = max(rho, 0.2 * mean) if mean > rho else rho
            jacobian, factors = self.jacobian(v), factors + 1
            for target in (aim, mean):
                step = numpy.linalg.solve(jacobian, -self.residual(v, rho=target))
                t = 1.0
                for i, k in PAIRS:
                    for j in (i, k):
                        if v[j] + t * step[j] <= 0.05 * v[j]:
                            t = min(t, -0.95 * v[j] / step[j])
                if t > 0.05:
                    break  # else it stands at a bound, and products are made equal first
            before = abs(self.residual(v, rho=target)).max()
            while t > 1e-6 and abs(self.residual(v + t * step, rho=target)).max() > (1 + 1e-9) * before:
                t /= 2
            v = v + t * step
        raise ArithmeticError(f"no solution to {tolerance}: {abs(self.residual(v, rho=rho)).max()}")


def at_rest(mass=1.0, h=0.1):
    """the solution that appendix C has"""
    box = Box([0, 1, 0, 0, 1, 0], mass, h)
    v = numpy.zeros(N)
    v[X], v[ALPHA], v[GAMMA] = [0, 1], 1, mass * G * h
    v[LP], v[LN], v[SP], v[SA] = [1, 0, 0, 0], 1, [0, 1, 2, 1], 1
    assert abs(box.residual(v)).max() < 1e-15
    return box, v


def collision():
    box, v = at_rest()
    matrix = box.jacobian(v)[[*range(4, 13), *range(14, 20)], COLLISION]  # of the rows that are (18): (19)
    three, rest = matrix[:, [0, 10, 12]], numpy.delete(matrix, 0, axis=1)
    say("size", matrix.shape[1])
    say("rank", numpy.linalg.matrix_rank(matrix))
    say("rank_of_three", numpy.linalg.matrix_rank(three))
    say("rank_without_first", numpy.linalg.matrix_rank(rest))


def whole():
    ranks, least = [], []
    for mass in (0.1, 1, 10):
        for h in (0.001, 0.01, 0.1):
            box, v = at_rest(mass, h)
            values = numpy.linalg.svd(box.jacobian(v), compute_uv=False)
            ranks.append(numpy.linalg.matrix_rank(box.jacobian(v)))
            least.append(values[-1] / values[0])
    v[GAMMA] = 0
    say("size", N)
    say("least_rank", min(ranks))
    say("least_singular_value", min(least))
    say("rank_without_force", numpy.linalg.matrix_rank(box.jacobian(v)))


def linear_program(box, x, theta):
    """(17) by HiGHS: alpha, p, and the multipliers of its rows (gamma_p, gamma_n, gamma_alpha)"""
    c, s = numpy.cos(theta), numpy.sin(theta)
    rows = A @ numpy.array([[c, s], [-s, c]])
    bounds = numpy.vstack([numpy.column_stack([rows, -box.b]), [0, 1, 0], [0, 0, -1]])
    found = scipy.optimize.linprog([0, 0, 1], bounds, [*(rows @ x), 0, 0], bounds=[(None, None)] * 3, method="highs")
    assert found.status == 0, found.message
    return found.fun, found.x[:2], -found.ineqlin.marginals


def of_both_levels(box, state, gamma, p):
    """the unknowns of (58) that belong to a collision solved by itself and the impulse gamma at p"""
    alpha, _, multipliers = linear_program(box, state[:2], state[2])
    v = numpy.zeros(N)
    v[X], v[THETA], v[GAMMA], v[SLACK], v[P], v[ALPHA] = state[:2], state[2], gamma, alpha - 1, p, alpha
    v[LP], v[LN], v[LA] = multipliers[:4], multipliers[4], multipliers[5]
    c, s = numpy.cos(state[2]), numpy.sin(state[2])
    v[SP] = box.b * alpha - A @ numpy.array([[c, s], [-s, c]]) @ (p - state[:2])
    v[SN], v[SA] = -p[1], alpha
    return v


def random_box(random, tilted):
    """a box that lands in the step, on a corner or with its face; by the numbers that (17) has"""
    b = numpy.repeat(random.uniform(0.3, 1, 2), 2)[[0, 2, 1, 3]]
    theta = random.uniform(0.1, 0.6) * random.choice([-1, 1]) if tilted else 0
    h, mass = random.uniform(0.01, 0.05), random.uniform(0.2, 5)
    height = b[0] * abs(numpy.cos(theta)) + b[1] * abs(numpy.sin(theta))
    velocity, spin = random.normal(0, 0.3, 2), random.normal(0, 0.3) * tilted
    velocity[1] = -abs(velocity[1])
    x = numpy.array([random.normal(), height + random.uniform(0, 0.001)])
    return Box([*(x - h * velocity), theta - h * spin, *x, theta], mass, h, b)


def equivalence():
    random = numpy.random.default_rng(SEED)
    count, optimal, corners, faces = 100, 0, 0, 0
    for i in range(count):  # what solves (58) solves the collision of where it goes to, by itself
        box = random_box(random, i % 2)
        v, _ = box.solve(box.start(), 1e-12, 1e-11)
        alpha, _, _ = linear_program(box, v[X], v[THETA])
        optimal += abs(alpha - v[ALPHA]) < 1e-8
    for i in range(count):  # and what solves both levels, the contact point any that the lower one has, solves (58)
        box = random_box(random, i % 2)
        state = box.past[3:6].copy()
        b, theta, gamma = box.b, state[2], random.uniform(0.1, 1)
        state[1] = b[0] * abs(numpy.cos(theta)) + b[1] * abs(numpy.sin(theta))  # it touches the ground
        _, p, _ = linear_program(box, state[:2], theta)
        if not i % 2:
            p = numpy.array([state[0] + random.uniform(-1, 1) * b[1], 0])
        past = box.past.copy()  # from which it comes there
        past[:3] = 2 * past[3:6] - state
        past[1] -= box.h * (G * box.h - gamma / box.mass)
        past[2] += box.h / box.inertia * gamma * (p[0] - state[0])
        box.past = past
        solved = abs(box.residual(of_both_levels(box, state, gamma, p))).max() < 1e-9
        corners, faces = corners + solved * (i % 2), faces + solved * (1 - i % 2)
    say("optimal", optimal / count)
    say("corners", corners / (count / 2))
    say("faces", faces / (count / 2))


def centre():
    random = numpy.random.default_rng(SEED)
    off, wide = [], []
    for _ in range(20):
        b = random.uniform(0.3, 1, 4)  # the centre of mass is not amid the face, where the smoothing alone would put p
        x = [random.normal(), b[0], 0]
        box = Box([*x, *x], random.uniform(0.2, 5), random.uniform(0.01, 0.1), b)
        for offset in (-0.9 * b[3], -0.5 * b[3], 0.1 * b[1], 0.9 * b[1]):
            v, _ = box.solve(box.start(offset), 1e-9)
            off.append(abs(v[5] - v[0]) / min(b[1], b[3]))
        for offset in (-b[3], b[1]):  # the collision by itself takes any point of the face
            c = numpy.array([x[0] + offset, 0])
            u = of_both_levels(box, numpy.array(x), box.mass * G * box.h, c)
            r = box.residual(u)
            wide.append(abs(numpy.delete(r, [0, 1, 2])).max())
    say("off", max(off))
    say("anywhere", max(wide))


def turn():
    random = numpy.random.default_rng(SEED)
    alone, whole = [], []
    for _ in range(20):
        b = numpy.repeat(random.uniform(0.3, 1, 2), 2)[[0, 2, 1, 3]]
        mass, h, x = random.uniform(0.2, 5), random.uniform(0.01, 0.1), random.normal()
        places = []
        for angle in (-1e-6, 1e-6):
            box = Box([x, b[0], angle, x, b[0], angle], mass, h, b)
            v, _ = box.solve(box.start(), 1e-6)
            places.append((linear_program(box, box.past[3:5], angle)[1][0], v[5]))
        moved = abs(numpy.diff(places, axis=0)[0]) / b[1]
        alone.append(moved[0])
        whole.append(moved[1])
    say("alone", min(alone))
    say("whole", max(whole))


def gradient():
    """from the step's solution at 1e-6 to that at each smoothing; then a derivative by the step's past is a substitution"""
    random = numpy.random.default_rng(SEED)
    inputs, boxes = 6, 20
    steps, further, errors = [], [], []
    for i in range(boxes):
        box = random_box(random, i % 2)
        v, factors = box.solve(box.start(), 1e-6)
        steps.append(factors)
        for rho in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2):
            smooth, more = box.solve(v, rho)
            further.append(more)
            own = -numpy.linalg.solve(box.jacobian(smooth), box.jacobian(smooth, by_past=True))[:3]
            for k in range(inputs):
                def moved(d):
                    other = Box(box.past, box.mass, box.h, box.b)
                    other.past[k] += d
                    return other.solve(smooth, rho, 1e-11)[0][:3]
                d = 1e-2 * rho
                by_difference = (4 * (moved(d / 2) - moved(-d / 2)) / d - (moved(d) - moved(-d)) / (2 * d)) / 3
                errors.append(abs(own[:, k] - by_difference).max() / max(1, abs(own).max()))
    factor, column = 2 / 3 * N ** 3, 2 * N ** 2  # operations: of an LU factor, and of a pair of substitutions
    say("error", max(errors))
    say("cold", numpy.mean(steps))
    say("further", numpy.mean(further))
    say("columns", inputs * column / (factor + column))  # of all derivatives, in Newton iterations


def inexact():
    """(4) at points that stop short of the solution at a smoothing of 1e-4; how far off the derivatives are, relative"""
    random = numpy.random.default_rng(SEED)
    found = {}
    for i in range(20):
        box = random_box(random, i % 2)
        exact, _ = box.solve(box.start(), 1e-4, 1e-12)

        def derivatives(v):
            return -numpy.linalg.solve(box.jacobian(v), box.jacobian(v, by_past=True))[:3]

        for digits in (2, 3, 4, 6):
            v, _ = box.solve(box.start(), 1e-4, 10.0 ** -digits)
            off = abs(derivatives(v) - derivatives(exact)).max() / abs(derivatives(exact)).max()
            found.setdefault(digits, []).append(off)
    for digits, errors in found.items():
        say(f"error_{digits}", *errors)


# ---- what a step takes ----

RHO, INNER, FAILED = 1e-6, 1e-4, 30  # products of the step, and of a collision by itself; iterations of a step that fails
ROWS = [*range(4, 13), *range(14, 20)]  # of the collision among those of (58)


class Work:
    """numbers of LU factors, pairs of substitutions, by the side of the matrix"""

    def __init__(self):
        self.factors, self.columns = {}, {}

    def add(self, kind, side, count=1):
        kind[side] = kind.get(side, 0) + count

    def dense(self):
        return sum(k * 2 / 3 * n ** 3 for n, k in self.factors.items()) + sum(k * 2 * n ** 2 for n, k in self.columns.items())

    def by_hand(self):
        """six inequalities row by row; what is left over (p, alpha) of the collision, (x, theta) of motion"""
        rows, left = 6, {15: 3, 20: 6, 5: 3}
        each = {n: 2 / 3 * m ** 3 + (rows * (1 + m + m * (m + 1)) if n > 5 else 4 * m) for n, m in left.items()}
        column = {n: 2 * m ** 2 + (rows * 4 * m if n > 5 else 4 * m) for n, m in left.items()}
        return sum(k * each[n] for n, k in self.factors.items()) + sum(k * column[n] for n, k in self.columns.items())


def interior_point(residual, jacobian, v, pairs, rho, work, most):
    """to a tenth of rho, as ncpbench; residual(v, rho) and jacobian(v) belong to it. Returns the point, and iterations"""
    for k in range(most + 1):
        if abs(residual(v, rho)).max() <= rho / 10 or k == most:
            return v, k
        mean = numpy.mean([v[i] * v[j] for i, j in pairs])
        matrix = jacobian(v)
        work.add(work.factors, len(v))
        for target in (max(rho, 0.1 * mean), mean):
            r = residual(v, target)
            step = numpy.linalg.solve(matrix, -r)
            work.add(work.columns, len(v))
            t = min([1.0] + [-0.95 * v[j] / step[j] for pair in pairs for j in pair if v[j] + step[j] <= 0.05 * v[j]])
            if t > 0.05:
                break
        for _ in range(25):
            if abs(residual(v + t * step, target)).max() <= abs(r).max():
                break
            t /= 2
        v = v + t * step


class Bilevel:
    """the motion over x, theta, gamma and s_gamma alone, the collision solved at each evaluation"""

    def __init__(self, box, work, warm):
        self.box, self.work, self.warm, self.inner, self.known = box, work, warm, None, {}

    def collide(self, q, work):
        box, k = self.box, COLLISION
        whole = box.start(rho=1e-2)
        whole[X], whole[THETA] = q[:2], q[2]
        whole[P] = [q[0], q[1] - box.b[0]]
        start = whole[k].copy()
        if self.warm and self.inner is not None:
            start = self.inner.copy()
            start[3:] += 1e-2
        pairs = [(i - 5, j - 5) for i, j in PAIRS[1:]]

        def at(c):
            whole[k] = c
            return whole

        found, _ = interior_point(lambda c, rho: box.residual(at(c), rho=rho)[ROWS], lambda c: box.jacobian(at(c))[ROWS, k], start, pairs, INNER, work, 50)
        self.inner = found
        return found

    def residual(self, u, rho):
        key = tuple(u[:3])
        if key not in self.known:  # an evaluation costs one collision
            self.known = {key: self.collide(u[:3], self.work["inner"])}
            self.work["evaluations"] += 1
        c = self.known[key]
        whole = numpy.concatenate([u[:5], c])
        return self.box.residual(whole, rho=rho)[[0, 1, 2, 3, 13]]

    def jacobian(self, u):
        """of the collision's solution by the implicit function theorem"""
        self.residual(u, 0)
        whole = numpy.concatenate([u[:5], self.known[tuple(u[:3])]])
        full = self.box.jacobian(whole)
        c_by_q = -numpy.linalg.solve(full[ROWS, COLLISION], full[ROWS, :3])
        self.work["gradients"].add(self.work["gradients"].factors, 15)
        self.work["gradients"].add(self.work["gradients"].columns, 15, 3)
        own = full[[0, 1, 2, 3, 13]]
        matrix = own[:, :5].copy()
        matrix[:, :3] += own[:, COLLISION] @ c_by_q
        return matrix


def fall(box, steps, solve):
    """calls solve(box, start) for so many steps, from one to the next; start: x, theta, gamma and s_gamma before, or None"""
    start = None
    for _ in range(steps):
        v = solve(box, start)
        start = v
        box.past = numpy.array([*box.past[3:6], *v[:3]])


def of_fall(first, steps):
    """numbers of one fall, by name"""
    single, both, iterations = Work(), {}, [0, 0]
    added = 1e-2 * numpy.isin(numpy.arange(N), PAIRS)  # the paper's warm start

    def single_level(box, start):
        v = box.start() if start is None else start + added
        found, k = interior_point(lambda v, rho: box.residual(v, rho=rho), box.jacobian, v, PAIRS, RHO, single, FAILED)
        iterations[0] += k
        return found

    fall(Box(first.past, first.mass, first.h, first.b), steps, single_level)
    for warm in (True, False):
        w = both[warm] = {"outer": Work(), "inner": Work(), "gradients": Work(), "evaluations": 0}

        def bilevel(box, start):
            level = Bilevel(box, w, warm)
            u = box.start()[:5] if start is None else start + added[:5]
            found, k = interior_point(level.residual, level.jacobian, u, [(3, 4)], RHO, w["outer"], FAILED)
            iterations[1] += k * (not warm)
            return found

        fall(Box(first.past, first.mass, first.h, first.b), steps, bilevel)

    def ratio(w, measure, differences=0):
        """differences: how many more collisions an iteration takes in the place of the theorem"""
        gradients = measure(w["gradients"])
        if differences:
            gradients = differences * measure(w["inner"]) / w["evaluations"] * w["gradients"].factors[15]
        return (measure(w["outer"]) + measure(w["inner"]) + gradients) / measure(single)

    cold = both[False]
    excess = sum(cold[part].dense() for part in ("outer", "inner", "gradients")) - single.dense()
    return {"iterations": iterations[0] / steps, "bilevel_iterations": iterations[1] / steps, "evaluations": cold["evaluations"] / steps,
            "by_hand_warm": ratio(both[True], Work.by_hand), "by_hand": ratio(cold, Work.by_hand), "dense": ratio(cold, Work.dense),
            "differences": ratio(cold, Work.dense, 3), "differences_in_space": ratio(cold, Work.dense, 6),
            "inner": cold["inner"].dense() / excess, "gradients": cold["gradients"].dense() / excess}


def work():
    random = numpy.random.default_rng(SEED)
    found = []
    for _ in range(6):
        first = random_box(random, True)
        first.h = 0.01
        first.past[[1, 4]] += 0.1
        first.past[:3] = first.past[3:6] - first.h * random.normal(0, 0.5, 3)
        found.append(of_fall(first, 30))
    for name in found[0]:
        say(name, *(numbers[name] for numbers in found))


{f.__name__: f for f in (collision, whole, equivalence, centre, turn, gradient, inexact, work)}[sys.argv[1]]()
