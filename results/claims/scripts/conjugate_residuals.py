"""macklin-29, -94: does the norm of the iterate of conjugate residuals only grow? Is that of conjugate gradients nearer to
the solution while its residual is larger?

CR as in textbooks, on Newton systems of three scenes, whose rows and columns are scaled by their diagonal as the
preconditioner does. How often the 2-norm of the iterate falls in 100 iterations; and how far the first 20 iterates are
from those of scipy's MINRES."""

import numpy as np
from scipy.sparse import diags
from scipy.sparse.linalg import minres

from common import say, system


def conjugate_residuals(a, b, iterations):
    x, r = np.zeros_like(b), b.copy()
    p, ar = r.copy(), a @ r
    ap, rar = ar.copy(), r @ ar
    trail = [x.copy()]
    for _ in range(iterations):
        step = rar / (ap @ ap)
        x += step * p
        r -= step * ap
        trail.append(x.copy())
        if np.linalg.norm(r) <= 1e-12 * np.linalg.norm(b):
            break
        ar = a @ r
        old, rar = rar, r @ ar
        p = r + rar / old * p
        ap = ar + rar / old * ap
    return trail


def conjugate_gradients(a, b, iterations):
    x, r = np.zeros_like(b), b.copy()
    p, rr = r.copy(), r @ r
    trail = [x.copy()]
    for _ in range(iterations):
        ap = a @ p
        step = rr / (p @ ap)
        x = x + step * p
        r = r - step * ap
        trail.append(x)
        old, rr = rr, r @ r
        if rr <= 1e-24 * (b @ b):
            break
        p = r + rr / old * p
    return trail


apart, larger, both = 0, 0, 0
for name, line in (("arch", "arch"), ("beam", "beam"), ("pile", "piling")):
    a, b = system(f"{line} --settle 30 --at 1:3 --linear-iterations 100")
    scale = diags(1 / np.sqrt(a.diagonal()))
    a, b = scale @ a @ scale, scale @ b
    trail = conjugate_residuals(a, b, 100)
    norms = np.array([np.linalg.norm(x) for x in trail])
    say(name, np.sum(np.diff(norms) < -1e-12 * norms[1:]))
    for k in (5, 10, 20):
        other, _ = minres(a, b, maxiter=k, **{"tol" if "tol" in minres.__code__.co_varnames else "rtol": 1e-300})
        apart = max(apart, np.linalg.norm(other - trail[k]) / np.linalg.norm(trail[k]))
    gradients = conjugate_gradients(a, b, 100)
    exact = np.linalg.lstsq(a.toarray(), b, rcond=1e-13)[0]
    energy = [np.sqrt(max((x - exact) @ (a @ (x - exact)), 0)) for x in gradients]
    residual = [np.linalg.norm(b - a @ x) for x in gradients]
    steps = [(e1 < e0, r1 > r0) for e0, e1, r0, r1 in zip(energy, energy[1:], residual, residual[1:])]
    both += sum(e and r for e, r in steps)
    larger += sum(r for _, r in steps)
say("apart", apart)
say("larger", larger)
say("both", both)
