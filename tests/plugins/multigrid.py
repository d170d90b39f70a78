"""Algebraic multigrid of PyAMG as a preconditioner of ncpbench (example in Python).

    ncpbench run wall --form stiffness --plugin multigrid.py --linear-solver pcg --preconditioner pyamg -o mine.h5
"""
import scipy.sparse
from ncpbench import Option, preconditioner

try:
    import pyamg
except ImportError as error:
    raise SystemExit(f"PyAMG is not installed ({error})") from None


@preconditioner("pyamg", entries=True, precisions=["f64"], cycle=Option("v", "of levels", choices=("v", "w")))
def set_up(A, cycle):
    """smoothed aggregation of PyAMG (example in Python)"""
    levels = pyamg.smoothed_aggregation_solver(scipy.sparse.csr_matrix(A.entries))
    precondition = levels.aspreconditioner(cycle=cycle.upper())

    def apply(r, z):
        z[:] = precondition @ r
    return apply
