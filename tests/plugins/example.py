"""Solvers of ncpbench in Python, to start from.

    ncpbench run arch --steps 1 --plugin example.py --linear-solver python-cr,scipy-cg,pcr --preconditioner python-diagonal -o mine.h5
"""
import inspect

import numpy
import scipy.sparse.linalg
from ncpbench import Option, linear_solver, method, preconditioner


@linear_solver("python-cr")
def conjugate_residuals(A, b, x, request):
    """conjugate residuals (example in Python)"""
    r, p, q, s = b.copy(), b.copy(), A @ b, A @ b
    for _ in range(request.iterations):
        rs = r @ s
        x += rs / (q @ q) * p
        r -= rs / (q @ q) * q
        request.monitor(x)
        if numpy.linalg.norm(r) <= request.tolerance * numpy.linalg.norm(b):
            return
        A.apply(r, s)
        p, q = r + r @ s / rs * p, s + r @ s / rs * q


RELATIVE = "rtol" if "rtol" in inspect.signature(scipy.sparse.linalg.cg).parameters else "tol"  # from SciPy 1.12 on, and before


@linear_solver("scipy-cg", preconditioned=True)
def scipy_cg(A, b, x, request):
    """conjugate gradients of SciPy (example in Python)"""
    x[:], _ = scipy.sparse.linalg.cg(A, b, maxiter=request.iterations, M=request.preconditioner, callback=request.monitor, **{RELATIVE: request.tolerance})


def factorise(A):
    return scipy.sparse.linalg.splu(A.entries.tocsc())


@linear_solver("scipy-lu", entries=True, direct=True, precisions=["f64"], set_up=factorise)
def scipy_lu(A, b, x, request):
    """SuperLU of SciPy (example in Python)"""
    x[:] = request.set_up.solve(b)


@preconditioner("python-diagonal", power=Option(1.0, "of the inverse diagonal", 0, 1))
def diagonal(A, power):
    """inverse diagonal (example in Python)"""
    inverse = A.diagonal() ** -power

    def apply(r, z):
        numpy.multiply(inverse, r, out=z)
    return apply


@method("python-nsgs", iterations=200, start=Option("previous", "impulses to start from", choices=("previous", "zero")))
def nsgs(problem, r, request, start):
    """nonsmooth Gauss-Seidel over contacts (example in Python)"""
    W, q, mu, joints = problem.W, problem.q, problem.mu, problem.joints
    if start == "previous" and "r" in problem.memory:
        known = problem.previous >= 0
        r[joints:].reshape(-1, 3)[known] = problem.memory["r"][problem.previous[known]]
    diagonal, scale, end = W.entries.diagonal(), numpy.linalg.norm(W.blocks, axis=(1, 2)), request.tolerance * numpy.linalg.norm(q)
    rows = [(W.entries.indices[i:k], W.entries.data[i:k]) for i, k in zip(W.entries.indptr, W.entries.indptr[1:])]

    def velocity(row):
        return q[row] + rows[row][1] @ r[rows[row][0]]

    for _ in range(request.iterations):
        error = 0  # the natural map, of the iterates in the sweep
        for row in range(joints):
            error += velocity(row) ** 2
            r[row] -= velocity(row) / diagonal[row]
        for c, row in enumerate(range(joints, len(q), 3)):
            u, z = numpy.array([velocity(row), velocity(row + 1), velocity(row + 2)]), r[row:row + 3]
            u[0] += mu[c] * numpy.hypot(u[1], u[2])
            error += numpy.sum((z - project(mu[c], z - u)) ** 2)
            z[:] = project(mu[c], z - u / scale[c])
        request.monitor(r)
        if error <= end ** 2:
            break
    problem.memory["r"] = r[joints:].reshape(-1, 3).copy()


def project(mu, v):
    """the nearest impulse in the friction cone"""
    tangent = numpy.hypot(v[1], v[2])
    if tangent <= mu * v[0]:
        return v
    normal = max(0, (v[0] + mu * tangent) / (1 + mu * mu)) if mu * tangent > -v[0] else 0
    return numpy.array([normal, *(mu * normal / tangent * v[1:] if tangent > 0 else v[1:] * 0)])
