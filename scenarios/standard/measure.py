"""What the standard set says of a contact problem, from its FCLIB file by numpy and scipy alone: properties, natural map, certificates."""
import h5py
import numpy
import scipy.linalg
import scipy.optimize
import scipy.sparse

LARGEST = 2500  # rows of what is made dense
EPSILON = numpy.finfo(float).eps


def matrix_of(group):
    nz, shape = int(group["nz"][0]), (int(group["m"][0]), int(group["n"][0]))
    assert nz == -1, "compressed columns are what ncpbench writes"
    return scipy.sparse.csc_matrix((group["x"][:], group["i"][:], group["p"][:]), shape=shape)


class Problem:
    """u = W r + V l + q, V^T r + R l + s = 0; without joints V, R, s have no columns. In a contact's three rows the normal is the first."""

    def __init__(self, path):
        with h5py.File(path) as file:
            local = file["fclib_local"]
            self.w, self.q, self.mu = matrix_of(local["W"]), local["vectors/q"][:], local["vectors/mu"][:]
            joints = "V" in local
            self.v = matrix_of(local["V"]) if joints else scipy.sparse.csc_matrix((len(self.q), 0))
            self.r = matrix_of(local["R"]) if joints else scipy.sparse.csc_matrix((0, 0))
            self.s = local["vectors/s"][:] if joints else numpy.zeros(0)
        self.contacts, self.rows = len(self.mu), len(self.q)
        self.size = numpy.linalg.norm(numpy.concatenate([self.q, self.s]))
        self.own = self.w.diagonal().reshape(-1, 3).mean(axis=1)  # effective inverse masses
        self.dense = self.rows + len(self.s) <= LARGEST
        self.plain = len(self.s) == 0
        assert self.plain or self.dense, "joints are eliminated densely"
        if not self.plain:
            self.inverse = scipy.linalg.pinvh(self.r.toarray())
            self.v = self.v.toarray()

    def condensed(self):
        """W (dense) and q without the joints' multipliers: W - V R^+ V^T, q - V R^+ s"""
        w = self.w.toarray()
        if self.plain:
            return w, self.q
        return w - self.v @ self.inverse @ self.v.T, self.q - self.v @ (self.inverse @ self.s)

    def velocity(self, reaction):
        """u, and what the round-off of its terms leaves it unknown by"""
        u, terms = self.w @ reaction + self.q, abs(self.w) @ numpy.abs(reaction)
        if not self.plain:
            joints = self.inverse @ (self.v.T @ reaction + self.s)
            u, terms = u - self.v @ joints, terms + numpy.abs(self.v) @ numpy.abs(joints)
        return u, EPSILON * terms

    def natural_map(self, reaction):
        """|p - P(p - u - mu |u_T| n)| over |q|, p the impulses times the mean of their W_ii, P onto the cones |p_T| <= mu p_N;
        of each contact at least what round-off leaves u unknown by"""
        own, mu = self.own[:, None], self.mu
        u, noise = self.velocity(reaction)
        u, p = u.reshape(-1, 3), own * reaction.reshape(-1, 3)
        x = p - u
        x[:, 0] -= mu * numpy.linalg.norm(u[:, 1:], axis=1)
        across = numpy.linalg.norm(x[:, 1:], axis=1)
        inside, below = across <= mu * x[:, 0], mu * across <= -x[:, 0]
        along = (x[:, 0] + mu * across) / (1 + mu ** 2)
        onto = numpy.hstack([along[:, None], (mu * along / numpy.maximum(across, 1e-300))[:, None] * x[:, 1:]])
        projected = numpy.where(inside[:, None], x, numpy.where(below[:, None], 0, onto))
        off = numpy.maximum(numpy.linalg.norm(p - projected, axis=1), numpy.linalg.norm(noise.reshape(-1, 3), axis=1))
        return numpy.linalg.norm(off) / self.size

    def round_off(self, reaction):
        """the least that natural_map can be at such impulses"""
        return numpy.linalg.norm(self.velocity(reaction)[1]) / self.size

    def spectrum(self):
        """rows over rank and condition within it: of the singular values above n units of round-off of the largest; None where W is large"""
        if not self.dense:
            return None
        w = self.condensed()[0]
        values = numpy.abs(scipy.linalg.eigvalsh((w + w.T) / 2))
        values = values[values > len(w) * EPSILON * values.max()]
        return len(w) / len(values), values.max() / values.min()

    def balances(self, p, cones=False):
        """whether impulses p >= 0 along the normals (or within the cones) prove that there is no solution: W p is round-off, p.q < 0"""
        normal = p.reshape(-1, 3)
        allowed = numpy.linalg.norm(normal[:, 1:], axis=1) <= (self.mu * normal[:, 0] * (1 + 1e-12) if cones else 0)
        w, q = (self.w, self.q) if self.plain else self.condensed()
        rest, sizes = numpy.abs(w @ p), abs(w) @ numpy.abs(p)
        return bool((normal[:, 0] >= 0).all() and allowed.all() and (rest <= 256 * EPSILON * sizes.max()).all() and p @ q < -1e-9 * numpy.abs(p) @ numpy.abs(q))

    def certificate(self):
        """normal impulses in [0, 1] that balance and do the most negative work, or None"""
        w, q = (self.w, self.q) if self.plain else (scipy.sparse.csc_matrix(self.condensed()[0]), self.condensed()[1])
        normals = numpy.arange(0, self.rows, 3)
        columns = w[:, normals]
        found = scipy.optimize.linprog(q[normals], A_eq=columns / abs(columns).max(), b_eq=numpy.zeros(self.rows), bounds=(0, 1), method="highs")
        p = numpy.zeros(self.rows)
        if found.x is not None:
            kept = normals[found.x > 1e-7]
            part, columns = found.x[found.x > 1e-7], w[:, kept].toarray()
            for _ in range(3):  # onto the null space, which linprog meets to 1e-7 alone
                part = part - numpy.linalg.lstsq(columns, columns @ part, rcond=1e-12)[0]
            p[kept] = part
        return p if self.balances(p) else None
