"""Contact points and normals of the collision problem of Le Cleac'h et al. 2023, (14), from its formulas alone: linear
programs by HiGHS, and numpy. Nothing of ncpbench is in it.

contact_normals.py cost         operations of a normal by the dual variables, (15), and by the implicit function theorem, (4)
contact_normals.py useful       boxes at corners, edges and faces: apart, touching, overlapping
contact_normals.py separating   random sets that touch: whether the normal is that of a plane between them
contact_normals.py corners      a normal where it jumps, and the smoothed one there
contact_normals.py measure      the sign of alpha - 1 beside an overlap found otherwise, and its triangle inequality
contact_normals.py places       whether the contact point is on, in or outside of both shapes

NB_TEST_SEED changes what is random."""
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is read; matrices are small
import numpy
import scipy.optimize
import scipy.spatial

from common import say

SEED = int(os.environ.get("NB_TEST_SEED", "1"))


class Polytope:
    """a (r - at) <= alpha b, and its corners at alpha 1"""

    def __init__(self, corners, centre):
        hull = scipy.spatial.ConvexHull(corners)
        rows = numpy.unique(hull.equations.round(12), axis=0)
        self.a, self.b = rows[:, :3], -rows[:, 3] - rows[:, :3] @ centre
        self.corners, self.at = corners[hull.vertices] - centre, numpy.array(centre, float)

    def placed(self, at, turn=numpy.eye(3), scale=1.0):
        other = object.__new__(Polytope)
        other.a, other.b, other.corners = self.a @ turn.T, scale * self.b, scale * self.corners @ turn.T
        other.at = numpy.array(at, float)
        return other

    def reach(self, n):
        return (n @ (self.corners + self.at).T).max()

    def outside(self, p):
        return (self.a @ (p - self.at) - self.b).max()


def box(half):
    corners = numpy.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    return Polytope(corners, numpy.zeros(3))


def rotation(axis, angle):
    axis = numpy.asarray(axis, float) / numpy.linalg.norm(axis)
    cross = numpy.cross(numpy.eye(3), axis)
    return numpy.eye(3) - numpy.sin(angle) * cross + (1 - numpy.cos(angle)) * cross @ cross


def turned_to(direction, to):
    """a rotation that brings one direction to another"""
    direction, to = (numpy.asarray(v, float) / numpy.linalg.norm(v) for v in (direction, to))
    axis = numpy.cross(direction, to)
    return rotation(axis, numpy.arctan2(numpy.linalg.norm(axis), direction @ to)) if numpy.linalg.norm(axis) > 1e-12 else numpy.eye(3)


def collide(first, second):
    """(14) of two polytopes: alpha, p, and the gradient of alpha by the place of either, -A^T lambda"""
    rows = numpy.vstack([numpy.column_stack([o.a, -o.b]) for o in (first, second)])
    right = numpy.concatenate([o.a @ o.at for o in (first, second)])
    found = scipy.optimize.linprog([0, 0, 0, 1], rows, right, bounds=[(None, None)] * 3 + [(0, None)], method="highs")
    assert found.status == 0, found.message
    duals, m = -found.ineqlin.marginals, len(first.b)
    return found.fun, found.x[:3], [-first.a.T @ duals[:m], -second.a.T @ duals[m:]], duals


# ---- what a normal costs ----

class Counted:
    """LU with pivots by rows of a dense matrix, and its operations"""

    def __init__(self, matrix):
        self.lu, self.order, n = matrix.copy(), numpy.arange(len(matrix)), len(matrix)
        self.factor = self.solve_count = 0
        for k in range(n):
            pivot = k + abs(self.lu[k:, k]).argmax()
            for array in (self.lu, self.order):
                array[[k, pivot]] = array[[pivot, k]]
            self.lu[k + 1:, k] /= self.lu[k, k]
            self.lu[k + 1:, k + 1:] -= numpy.outer(self.lu[k + 1:, k], self.lu[k, k + 1:])
            self.factor += (n - k - 1) + 2 * (n - k - 1) ** 2

    def solve(self, right):
        x, n = right[self.order].copy(), len(right)
        for k in range(n):
            x[k + 1:] -= self.lu[k + 1:, k] * x[k]
        for k in reversed(range(n)):
            x[k] /= self.lu[k, k]
            x[:k] -= self.lu[:k, k] * x[k]
        self.solve_count += 2 * n * n
        return x


def central(rows, right, b, rho, start=None):
    """the point of (14)'s central path: p, alpha, lambda, s with rows' lambda = 0, b . lambda = 1,
    s + rows p - right - b alpha = 0, lambda s = rho; in the order p [3], alpha, lambda [m], s [m]"""
    m = len(b)
    if start is None:
        start = numpy.concatenate([[0, 0, 0], [(2 + abs(right).max()) / b[b > 0].min()], numpy.ones(m), numpy.ones(m)])
    v, l, s = start, slice(4, 4 + m), slice(4 + m, None)

    def residual(v, target):
        return numpy.concatenate([rows.T @ v[l], [b @ v[l] - 1], v[s] + rows @ v[:3] - right - b * v[3], v[l] * v[s] - target])

    for _ in range(200):
        if abs(residual(v, rho)).max() <= 1e-13 * max(1, abs(v).max()):
            return v
        mean = v[l] @ v[s] / m
        step = numpy.linalg.solve(path_matrix(rows, b, v), -residual(v, max(rho, 0.2 * mean) if mean > 1.001 * rho else rho))
        inside, change = v[4:], step[4:]
        t = min([1.0, *(-0.95 * inside[change < 0] / change[change < 0])])
        v = v + t * step
    if abs(residual(v, rho)).max() <= 1e-11 * max(1, abs(v).max()):
        return v
    raise ArithmeticError(f"no point of the path: {abs(residual(v, rho)).max()}")


def path_matrix(rows, b, v):
    m = len(b)
    zero, one = numpy.zeros, numpy.eye(m)
    return numpy.block([[zero((3, 4)), rows.T, zero((3, m))], [zero((1, 4)), b[None], zero((1, m))],
                        [rows, -b[:, None], zero((m, m)), one],
                        [zero((m, 4)), numpy.diag(v[4 + m:]), numpy.diag(v[4:4 + m])]])


def sphere_like(count, random):
    """a polytope of about so many faces round a ball"""
    normals = random.normal(size=(count, 3))
    return normals / numpy.linalg.norm(normals, axis=1)[:, None], numpy.ones(count)


def cost():
    """a polytope over the plane; n_g rows. Derivatives of alpha by the three components of its place"""
    random = numpy.random.default_rng(SEED)
    sizes, work, apart = (16, 32, 64, 128, 256), [], 0
    for count in sizes:
        a, b = sphere_like(count - 2, random)
        x = numpy.array([0, 0, 1.1])
        rows = numpy.vstack([a, [0, 0, 1], [0, 0, 0]])  # the polytope, the ground, and -alpha <= 0
        right, widths = numpy.concatenate([a @ x, [0, 0]]), numpy.concatenate([b, [0, 1]])
        v = central(rows, right, widths, 1e-9)
        m = len(widths)
        dual = -(a.T @ v[4:4 + m - 2])  # (15)
        by_place = numpy.zeros((4 + 2 * m, 3))
        by_place[4:4 + m - 2] = -a
        whole = Counted(path_matrix(rows, widths, v))
        by_theorem = numpy.array([-whole.solve(by_place[:, k])[3] for k in range(3)])
        # the same by hand: s and lambda row by row, and a matrix of four unknowns
        weight, full = v[4:4 + m] / v[4 + m:], numpy.column_stack([rows, -widths])
        inner = Counted(full.T @ (weight[:, None] * full))
        by_hand = numpy.array([inner.solve(full[:-2].T @ (weight[:-2] * a[:, k]))[3] for k in range(3)])
        apart = max(apart, abs(dual - by_theorem).max(), abs(dual - by_hand).max())
        ours = inner.factor + inner.solve_count + m * (1 + 4 + 2 * 10) + 3 * (m * 9)
        work.append([2 * 3 * (m - 2), whole.solve_count, whole.factor + whole.solve_count, ours])
    slope = numpy.polyfit(numpy.log(sizes), numpy.log(work), 1)[0]
    for name, value in zip(("dual", "substituted", "factorised", "by_hand"), slope):
        print(name, value)
    say("times_of_16", work[0][2] / work[0][0])
    say("by_hand_times_of_16", work[0][3] / work[0][0])
    say("differ", apart)


# ---- corners, edges and faces ----

def useful():
    random = numpy.random.default_rng(SEED)
    down = numpy.array([0.0, 0, -1])
    kinds = ["face on face", "edge on face", "edge on edge", "corner on face", "corner on edge", "corner on corner"]
    shown = {"face": [0, 0, -1], "edge": [0, -1, -1], "corner": [-1, -1, -1]}
    good = {g: [] for g in (0.1, 0.0, -0.1)}
    for kind in kinds:
        upper, lower = kind.split(" on ")
        for _ in range(20):
            halves = random.uniform(0.3, 1, (2, 3))
            turns = [rotation(down, random.uniform(0, 6)) @ turned_to(shown[part] * half, way)
                     for part, half, way in ((lower, halves[0], -down), (upper, halves[1], down))]
            first, second = (box(half).placed([0, 0, 0], turn) for half, turn in zip(halves, turns))
            aside = random.uniform(-0.1, 0.1, 3) * [1, 1, 0] * (kind in ("face on face", "edge on face", "corner on face"))
            for gap, found in good.items():
                lift = first.reach(-down) + second.reach(down) + gap
                found.append(is_useful(first, second.placed(aside + [0, 0, lift]), gap))
    for name, gap in (("apart", 0.1), ("touching", 0.0), ("overlapping", -0.1)):
        print(name, numpy.mean(good[gap]))
    say("kinds", len(kinds))


def is_useful(first, second, gap):
    tolerance = 1e-7  # HiGHS's own
    alpha, p, gradients, _ = collide(first, second)
    steep = numpy.linalg.norm(gradients[1])
    n = gradients[1] / steep
    good = abs(gradients[0] + gradients[1]).max() <= tolerance * steep
    if gap >= 0:  # a plane between the two
        good &= first.reach(n) <= n @ p + tolerance and second.reach(-n) <= -(n @ p) + tolerance
    if gap == 0:  # a point of both surfaces
        good &= abs(alpha - 1) <= tolerance and max(abs(first.outside(p)), abs(second.outside(p))) <= tolerance
    if gap < 0:  # a point inside of both, and a way apart
        further = second.placed(second.at + (1 - alpha) / steep * n)
        good &= max(first.outside(p), second.outside(p)) <= tolerance and collide(first, further)[0] >= 1 - tolerance
    return good


# ---- planes between sets ----

def separating():
    random = numpy.random.default_rng(SEED)
    count, worst, unequal = 200, [[], []], 0
    for _ in range(count):
        pair = []
        for _ in range(2):
            corners = random.normal(size=(random.integers(6, 20), 3)) * random.uniform(0.3, 1, 3)
            pair.append(Polytope(corners, corners.mean(axis=0)).placed(random.normal(size=3)))
        alpha, p, gradients, _ = collide(*pair)
        pair = [o.placed(o.at, scale=alpha) for o in pair]  # so that they touch
        size, steep = alpha, numpy.linalg.norm(gradients[1])
        n = gradients[1] / steep
        unequal = max(unequal, abs(gradients[0] + gradients[1]).max() / steep)
        worst[0].append(max(pair[0].reach(n) - n @ p, n @ p + pair[1].reach(-n)) / size)
    for _ in range(count):
        worst[1].append(beyond_of_ellipsoids(random))
    say("polytopes", numpy.mean(numpy.array(worst[0]) <= 1e-7))
    say("ellipsoids", numpy.mean(numpy.array(worst[1]) <= 1e-7))
    say("beyond", max(max(worst[0]), max(worst[1])))
    say("unequal", unequal)


def beyond_of_ellipsoids(random):
    """(48) twice: the multiplier t of one in [0, 1], 1 - t of the other, is the only unknown"""
    q = [(lambda r: r @ r.T + 0.1 * numpy.eye(3))(random.normal(size=(3, 3))) for _ in range(2)]  # E^T E
    x = random.normal(size=(2, 3))

    def point(t):
        return numpy.linalg.solve(t * q[0] + (1 - t) * q[1], t * q[0] @ x[0] + (1 - t) * q[1] @ x[1])

    def difference(t):
        p = point(t)
        return (p - x[0]) @ q[0] @ (p - x[0]) - (p - x[1]) @ q[1] @ (p - x[1])

    t = scipy.optimize.brentq(difference, 0, 1, xtol=1e-15, rtol=1e-15)
    p = point(t)
    alpha = numpy.sqrt((p - x[0]) @ q[0] @ (p - x[0]))
    n = -(1 - t) * q[1] @ (p - x[1])  # (49), of the second
    n /= numpy.linalg.norm(n)
    reach = [alpha * numpy.sqrt(n @ numpy.linalg.solve(m, n)) for m in q]  # how far each goes along n
    return max(n @ x[0] + reach[0] - n @ p, n @ p - (n @ x[1] - reach[1])) / alpha


# ---- where normals jump ----

def corners():
    """a box on a circle round another: its normal jumps where another face, edge or corner is met"""
    first, second = box([1, 1, 1]), box([0.4, 0.3, 0.2]).placed([0, 0, 0], rotation([1, 2, 3], 0.7))
    rows, b = numpy.vstack([first.a, second.a]), numpy.concatenate([first.b, second.b])
    m = len(first.b)

    def place(angle):
        return 1.9 * numpy.array([numpy.cos(angle), numpy.sin(angle), 0.2])

    def unit(v):
        return v / numpy.linalg.norm(v)

    def exact(angle):
        return unit(collide(first, second.placed(place(angle)))[2][1])

    def smooth(angle, rho):
        right = numpy.concatenate([numpy.zeros(m), second.a @ place(angle)])
        v = central(rows, right, b, rho)
        return v, unit(-second.a.T @ v[4 + m:4 + 2 * m])

    low, high = 0.2, 1.4  # bisection for the largest jump
    while high - low > 1e-6:
        grid = numpy.linspace(low, high, 9)
        jumps = [numpy.linalg.norm(exact(t) - exact(s)) for s, t in zip(grid, grid[1:])]
        k = int(numpy.argmax(jumps))
        low, high = grid[k], grid[k + 1]
    at, jump = (low + high) / 2, max(jumps)
    errors, coarse, fine = [], [], []
    for rho in (1e-4, 1e-3, 3e-3, 1e-2):
        for angle in (at, *numpy.linspace(0.2, 1.4, 13)):
            v, n = smooth(angle, rho)
            turn = numpy.zeros((len(v), 1))  # of s + rows p - right - b alpha by the angle
            turn[4 + m:4 + 2 * m, 0] = -second.a @ (1.9 * numpy.array([-numpy.sin(angle), numpy.cos(angle), 0]))
            own = numpy.linalg.solve(path_matrix(rows, b, v), -turn[:, 0])
            d = 0.02 * rho
            around = {k: smooth(angle + k * d, rho) for k in (-1, -0.5, 0.5, 1)}
            difference = (4 * (around[0.5][0] - around[-0.5][0]) / d - (around[1][0] - around[-1][0]) / (2 * d)) / 3
            errors.append(abs(own - difference)[:4 + 2 * m].max() / max(1, abs(own).max()))
            long = -second.a.T @ v[4 + m:4 + 2 * m]
            by_n = -second.a.T @ own[4 + m:4 + 2 * m] / numpy.linalg.norm(long)
            by_n -= n * (n @ by_n)
            n_difference = (4 * (around[0.5][1] - around[-0.5][1]) / d - (around[1][1] - around[-1][1]) / (2 * d)) / 3
            errors.append(abs(by_n - n_difference).max() / max(1, abs(by_n).max()))
        for width, steps in ((0.1 * rho, coarse), (0.01 * rho, fine)):
            steps.append(numpy.linalg.norm(smooth(at + width, rho)[1] - smooth(at, rho)[1]))
    say("jump", jump)
    say("error", max(errors))
    say("coarse", max(coarse))
    say("fine", max(fine))


# ---- what alpha and p say of a pair ----

def random_polytope(random, at):
    corners = random.normal(size=(random.integers(6, 20), 3)) * random.uniform(0.3, 1, 3)
    return Polytope(corners, corners.mean(axis=0)).placed(at)


def depth(first, second):
    """the radius of the largest ball inside of both, below 0 where they are apart, by a linear program without alpha"""
    rows = numpy.vstack([numpy.column_stack([o.a, numpy.linalg.norm(o.a, axis=1)]) for o in (first, second)])
    right = numpy.concatenate([o.a @ o.at + o.b for o in (first, second)])
    found = scipy.optimize.linprog([0, 0, 0, -1], rows, right, bounds=[(None, None)] * 4, method="highs")
    assert found.status == 0, found.message
    return -found.fun


def measure():
    random = numpy.random.default_rng(SEED)
    wrong, overlaps, count, longer = 0, 0, 300, 0
    for _ in range(count):
        three = [random_polytope(random, random.normal(size=3)) for _ in range(3)]
        phi = [collide(three[i], three[k])[0] - 1 for i, k in ((0, 1), (1, 2), (0, 2))]
        inside = depth(three[0], three[1])
        overlaps += inside > 0
        wrong += (phi[0] < 0) != (inside > 0)
        longer += min(phi) > 0 and phi[2] > phi[0] + phi[1] + 1e-7
    say("wrong", wrong / count)
    say("overlaps", overlaps / count)
    say("longer", longer / count)


def places():
    random = numpy.random.default_rng(SEED)
    count, found = 200, {"apart": 0, "touching": 0, "overlapping": 0}
    for _ in range(count):
        pair = [random_polytope(random, random.normal(size=3)) for _ in range(2)]
        size = collide(*pair)[0]
        for name, scale in (("apart", 0.8), ("touching", 1), ("overlapping", 1.25)):
            alpha, p, _, _ = collide(*(o.placed(o.at, scale=size * scale) for o in pair))
            off = numpy.array([o.placed(o.at, scale=size * scale).outside(p) for o in pair]) / size
            found[name] += {"apart": off.min() > 1e-7, "touching": abs(off).max() <= 1e-7, "overlapping": off.max() < -1e-7}[name]
    for name, number in found.items():
        say(name, number / count)


{f.__name__: f for f in (cost, useful, separating, corners, measure, places)}[sys.argv[1]]()
