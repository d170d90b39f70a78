"""macklin-90: do products without a matrix cost less than with an assembled one?

A wall's Newton system: scipy's product (compiled) with A as CSR, and with its factors in turn, J (H^-1 (J^T x)) + C x; the
program's matrix-free product on a pile of as many contacts. Nanoseconds a contact, the least of many, so that a busy
machine matters little. Bytes: what a product reads of CSR, and of the program's kernel."""

import time

import numpy as np
from scipy.io import mmread
from scipy.sparse.linalg import inv

from common import program, say, system


def least(product, x):
    best = np.inf
    for _ in range(60):
        start = time.perf_counter()
        product(x)
        best = min(best, time.perf_counter() - start)
    return best


a, b = system("wall --set width=20 --set height=12 --at 1:2")
j, h, c = (mmread(f"system/{name}.mtx").tocsr() for name in "JHC")
empty = np.diff(h.indptr) == 0
keep = np.flatnonzero(~empty)
inverse = inv(h[keep][:, keep].tocsc()).tocsr()
s = mmread("system/S.mtx").ravel()
rows = j.multiply(s[:, None]).tocsr()[:, keep]
turned = rows.T.tocsr()
contacts = a.shape[0] // 3


def factored(x):
    return rows @ (inverse @ (turned @ x)) + c @ x


say("apart", np.max(abs(factored(b) - a @ b)) / np.max(abs(a @ b)))
table = [line.split("\t") for line in program(f"bench operator --contacts {contacts} --precision f64").splitlines()]
head, row = next(line for line in table if line[0] == "kernel"), table[-1]
numbers = dict(zip(head, row))
say("assembled", 1e9 * least(lambda x: a @ x, b) / contacts)
say("factored", 1e9 * least(factored, b) / contacts)
say("matrix_free", float(numbers["least_ns"]))
say("assembled_bytes", 12 * a.nnz / contacts)
say("matrix_free_bytes", float(numbers["bytes_per_contact"]))
