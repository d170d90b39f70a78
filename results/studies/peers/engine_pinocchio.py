"""Pinocchio's ADMM solver on one contact problem: find r with K* in W r + q + De Saxce term, in duality with r in the cone K.

    engine_pinocchio.py PROBLEM.npz SETTING OUT.npz     W, q [3 n], mu [n], normals first -> r, seconds, iterations

Its constraint models are only asked for their cones here; the matrix is given. Measured is the call of solve()."""
import sys
import time

import numpy

try:
    import pinocchio
except ImportError:
    pinocchio = None

# Both are Pinocchio's own names (include/pinocchio/algorithm/solvers): the settings as they are made, and with tolerances and iterations
# that an accurate solution takes. solve_ncp, with the De Saxce term, is what it does by itself.
SETTINGS = {"admm": {}, "admm-tight": {"tolerance": 1e-11, "iterations": 100000}}
TOLERANCES = ["absolute_complementarity_tol", "absolute_feasibility_tol", "relative_complementarity_tol", "relative_feasibility_tol"]


def version():
    return pinocchio.__version__


def solve(w, q, mu, setting):
    count = len(mu)
    place = numpy.ravel([[3 * i + 1, 3 * i + 2, 3 * i] for i in range(count)])  # its normals are last
    delassus = pinocchio.DelassusOperatorDense(numpy.ascontiguousarray(w[numpy.ix_(place, place)]))
    model = pinocchio.Model()
    joint = model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "body")
    models, datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
    for friction in mu:
        contact = pinocchio.PointContactConstraintModel(model, joint)
        contact.setFriction(float(friction))
        models.append(pinocchio.ConstraintModel(contact))
        datas.append(models[len(models) - 1].createData())
    settings, result = pinocchio.ADMMSolverSettings(), pinocchio.ADMMSolverResult()
    if "tolerance" in setting:
        settings.max_iterations = setting["iterations"]
        for name in TOLERANCES:
            setattr(settings, name, setting["tolerance"])
    solver, x = pinocchio.ADMMConstraintSolver(3 * count), numpy.zeros(3 * count)
    begun = time.perf_counter()
    solver.solve(delassus, numpy.ascontiguousarray(q[place]), models, datas, settings, result)
    seconds = time.perf_counter() - begun
    result.retrievePrimalSolution(x)
    r = numpy.zeros(3 * count)
    r[place] = x
    return r, seconds, result.iterations


def main(arguments):
    problem, name, out = arguments
    with numpy.load(problem) as data:
        r, seconds, iterations = solve(data["W"], data["q"], data["mu"], SETTINGS[name])
    numpy.savez(out, r=r, seconds=seconds, iterations=iterations)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
