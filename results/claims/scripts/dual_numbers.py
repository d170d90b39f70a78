"""larionov-29: products J p by forward-mode automatic differentiation, against an assembled J.

A neo-Hookean block of triangles slides on the ground: penalty and implicit smoothed friction, (2), (7), (13), backward Euler
(21). The residual is written once, for floats and for dual numbers; the assembled matrix has its derivatives by hand. Both are
arrays of numpy, and their times are those of the processor in this run. A step is solved by algorithm 2: BiCGSTAB to
sigma <= 0.01, halved steps.

dual_numbers.py KIND    dual, or differences: (r(v + e p) - r(v)) / e"""
import sys
import time

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import LinearOperator, bicgstab

from common import say

RHO, YOUNG, POISSON, EPS, DELTA, RUB, G = 1000.0, 1e5, 0.4, 1e-3, 1e-3, 0.3, 9.81
LAME, SHEAR = YOUNG * POISSON / (1 + POISSON) / (1 - 2 * POISSON), YOUNG / 2 / (1 + POISSON)


class Dual:
    """a + b e with e e = 0; a and b arrays"""
    __array_ufunc__ = None  # so that numpy leaves products to it

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, o):
        return Dual(self.a + o.a, self.b + o.b) if isinstance(o, Dual) else Dual(self.a + o, self.b)

    def __neg__(self):
        return Dual(-self.a, -self.b)

    def __mul__(self, o):
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a) if isinstance(o, Dual) else Dual(self.a * o, self.b * o)

    def __truediv__(self, o):
        return self * o.map(lambda a: 1 / a, lambda a: -1 / (a * a)) if isinstance(o, Dual) else self * (1 / o)

    def __sub__(self, o):
        return self + -o

    def __rsub__(self, o):
        return -self + o

    def __getitem__(self, k):
        return Dual(self.a[k], self.b[k])

    def map(self, f, slope):
        return Dual(f(self.a), slope(self.a) * self.b)

    __radd__, __rmul__ = __add__, __mul__


def both(x, f, slope):
    return x.map(f, slope) if isinstance(x, Dual) else f(x)


def linear(matrix, x):
    return Dual(matrix @ x.a, matrix @ x.b) if isinstance(x, Dual) else matrix @ x


class Block:
    def __init__(self, across, high, h):
        self.h, side = h, 0.4 / across
        node = np.arange((across + 1) * (high + 1)).reshape(high + 1, across + 1)
        a, b, c, d = (node[:-1, :-1], node[:-1, 1:], node[1:, :-1], node[1:, 1:])
        self.t = np.concatenate([np.stack(k, -1).reshape(-1, 3) for k in ((a, b, c), (d, c, b))])
        self.n, m = node.size, len(self.t)
        y, x = np.divmod(np.arange(self.n), across + 1)
        self.q = np.concatenate([x * side, y * side + DELTA / 2])
        edges = self.q.reshape(2, -1)[:, self.t]  # [2, m, 3]
        shape = np.linalg.inv(np.stack([edges[..., 1] - edges[..., 0], edges[..., 2] - edges[..., 0]], -1).transpose(1, 0, 2))
        self.grad = np.concatenate([-shape.sum(axis=1, keepdims=True), shape], axis=1)  # [m, 3, 2]
        self.area = side * side / 2
        rows, cols, e = self.t.ravel(), np.arange(3 * m), np.repeat(np.arange(m), 3)
        self.gather = [csr_matrix((self.grad[..., j].ravel(), (e, rows)), (m, self.n)) for j in range(2)]  # du/dX_j
        self.spread = [g.T.tocsr() * self.area for g in self.gather]
        self.mass = np.tile(np.bincount(rows, minlength=self.n) * RHO * self.area / 3, 2)
        self.low = node[0]
        self.touch = csr_matrix((np.ones(across + 1), (node[0], np.arange(across + 1))), (self.n, across + 1))
        self.kappa = 4 * G * self.mass.sum() / 2 / (across + 1) / (3 * DELTA)  # half the tolerance under the weight
        index = np.stack([self.t, self.t + self.n], -1).reshape(m, 6)
        low = np.concatenate([node[0], node[0] + self.n])
        i = np.concatenate([np.repeat(index, 6, axis=1).ravel(), np.arange(2 * self.n), low, node[0]])
        j = np.concatenate([np.tile(index, (1, 6)).ravel(), np.arange(2 * self.n), low, node[0] + self.n])
        key, self.where = np.unique(i * 2 * self.n + j, return_inverse=True)
        rows, self.cols = np.divmod(key, 2 * self.n)
        self.starts = np.searchsorted(rows, np.arange(2 * self.n + 1))
        self.v = np.concatenate([np.full(self.n, 0.5), np.zeros(self.n)])

    def residual(self, v):
        """the two halves of r; v an array or dual numbers"""
        x, y, vx, vy = (v[:self.n] * self.h + self.q[:self.n], v[self.n:] * self.h + self.q[self.n:], v[:self.n], v[self.n:])
        f00, f01, f10, f11 = (linear(g, u) for u in (x, y) for g in self.gather)
        det = f00 * f11 - f01 * f10
        k = (both(det, np.log, lambda a: 1 / a) * LAME - SHEAR) / det
        fx = linear(self.spread[0], f00 * SHEAR + k * f11) + linear(self.spread[1], f01 * SHEAR - k * f10)
        fy = linear(self.spread[0], f10 * SHEAR - k * f01) + linear(self.spread[1], f11 * SHEAR + k * f00)
        load = both(y[self.low], lambda d: 3 * self.kappa / DELTA * np.maximum(DELTA - d, 0) ** 2,
                    lambda d: -6 * self.kappa / DELTA * np.maximum(DELTA - d, 0))
        rub = load * both(vx[self.low], lambda s: RUB * np.sign(s) * np.where(abs(s) < EPS, 2 * abs(s) / EPS - (s / EPS) ** 2, 1),
                          lambda s: RUB * np.where(abs(s) < EPS, 2 / EPS - 2 * abs(s) / EPS ** 2, 0))
        mx, my = self.mass[:self.n], self.mass[self.n:]
        return ((vx - self.v[:self.n]) * mx + (fx + linear(self.touch, rub)) * self.h,
                (vy - self.v[self.n:] + self.h * G) * my + (fy - linear(self.touch, load)) * self.h)

    def product(self, v, p):
        if sys.argv[1] == "differences":
            e = 1e-7
            return (np.concatenate(self.residual(v + e * p)) - np.concatenate(self.residual(v))) / e
        return np.concatenate([r.b for r in self.residual(Dual(v, p))])

    def matrix(self, v):
        q = (self.q + self.h * v).reshape(2, -1)
        f = np.stack([np.stack([g @ u for g in self.gather], -1) for u in q], 1)  # [m, 2, 2]
        det = f[:, 0, 0] * f[:, 1, 1] - f[:, 0, 1] * f[:, 1, 0]
        g = np.stack([f[:, 1, 1], -f[:, 1, 0], -f[:, 0, 1], f[:, 0, 0]], -1).reshape(-1, 2, 2) / det[:, None, None]
        k = LAME * np.log(det) - SHEAR
        d = LAME * g[:, :, :, None, None] * g[:, None, None] - k[:, None, None, None, None] * np.einsum("eil,ekj->eijkl", g, g)
        d[:, [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1]] += SHEAR
        wide = np.einsum("eaj,ejik->eaik", self.grad, d.transpose(0, 2, 1, 3, 4).reshape(len(d), 2, 2, 4))
        wide = wide.reshape(len(d), 3, 2, 2, 2) @ self.grad.transpose(0, 2, 1)[:, None, None]  # [m, 3, 2, 2, 3]
        element = self.h ** 2 * self.area * wide.transpose(0, 1, 2, 4, 3)
        depth, slip = np.maximum(DELTA - q[1, self.low], 0), v[self.low]
        load, stiff = 3 * self.kappa / DELTA * depth ** 2, 6 * self.kappa / DELTA * depth
        small = abs(slip) < EPS
        s = np.sign(slip) * np.where(small, 2 * abs(slip) / EPS - (slip / EPS) ** 2, 1)
        slope = np.where(small, 2 / EPS - 2 * abs(slip) / EPS ** 2, 0)
        h = self.h
        data = [element.ravel(), self.mass, h * RUB * load * slope, h * h * stiff, -h * h * RUB * s * stiff]
        return csr_matrix((np.bincount(self.where, np.concatenate(data)), self.cols, self.starts), (2 * self.n,) * 2)

    def step(self, dual):
        """algorithm 2; returns iterations and products"""
        v, before, products = self.v.copy(), None, [0]
        r = np.concatenate(self.residual(v))
        for k in range(50):
            size = np.linalg.norm(r)
            if size <= 1e-6 * np.linalg.norm(self.mass * self.h * G):
                break
            sigma = min(0.01, (size / before) ** 1.618) if before else 0.01
            a = None if dual else self.matrix(v)

            def times(p):
                products[0] += 1
                return self.product(v, p) if dual else a @ p

            p, _ = bicgstab(LinearOperator((2 * self.n,) * 2, times), -r, tol=sigma, atol=0, maxiter=400)
            before, t = size, 1.0
            while True:
                with np.errstate(invalid="ignore"):
                    r = np.concatenate(self.residual(v + t * p))
                if np.linalg.norm(r) <= (1 - 1e-4 * t) * size or t < 1e-6:
                    break
                t /= 2
            v = v + t * p
        self.q, self.v = self.q + self.h * v, v
        return k, products[0]


def least(f, times=15):
    best = np.inf
    for _ in range(times):
        start = time.process_time()
        f()
        best = min(best, time.process_time() - start)
    return best


random = np.random.default_rng(1)
apart = []
for across, high in ((16, 4), (32, 8)):
    block = Block(across, high, 0.01)
    v = block.v + random.normal(0, 0.01, 2 * block.n)
    a = block.matrix(v)
    for _ in range(10):
        p = random.normal(size=2 * block.n)
        apart.append(abs(block.product(v, p) - a @ p).max() / abs(a @ p).max())
say("apart", max(apart))
costs = {"residual": lambda: block.residual(v), "dual": lambda: block.product(v, p), "assembly": lambda: block.matrix(v), "assembled": lambda: a @ p}
cost = {name: least(f) for name, f in costs.items()}
say("residuals", cost["dual"] / cost["residual"])
say("break_even", cost["assembly"] / (cost["dual"] - cost["assembled"]))
for h, name in ((0.01, "10_ms"), (0.001, "1_ms"), (0.0001, "100_us")):
    seconds, ends, counts = {}, {}, {}
    for dual in (True, False):
        block = Block(32, 8, h)
        block.step(dual)
        start = time.process_time()
        counts[dual] = [block.step(dual) for _ in range(2)]
        seconds[dual], ends[dual] = time.process_time() - start, block.v
    say("gain_" + name, seconds[False] / seconds[True])
    say("products_" + name, np.sum(counts[True], axis=0)[1] / max(1, np.sum(counts[True], axis=0)[0]))
    print(f"# h {h}: Newton iterations and products, dual {counts[True]}, assembled {counts[False]}, velocities apart by {abs(ends[True] - ends[False]).max()}")
print("# seed 1")
