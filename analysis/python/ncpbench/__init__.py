"""Python beside ncpbench: solvers for the program (solvers.py), records as tables (records.py), the program as a function (program.py), scene files
of MJCF and URDF (scene.py), and files that are not lost (files.py)."""
from .program import ProgramError, Record, run  # noqa: F401
from .records import contacts, dataset, history, runs, system  # noqa: F401
from .solvers import Option, linear_solver, method, preconditioner  # noqa: F401
