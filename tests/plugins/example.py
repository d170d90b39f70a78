"""Solvers of ncpbench in Python, to start from.

    ncpbench run arch --steps 1 --plugin example.py --linear-solver python-cr,scipy-cg,pcr --preconditioner python-diagonal -o mine.h5
"""
import inspect

import numpy
import scipy.sparse.linalg
from ncpbench import Option, linear_solver, preconditioner


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
