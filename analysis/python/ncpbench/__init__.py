"""Python beside ncpbench: solvers for the program (solvers.py), scene files of MJCF and URDF (scene.py), and files that are not lost (files.py)."""
from .solvers import Option, linear_solver, method, preconditioner  # noqa: F401
