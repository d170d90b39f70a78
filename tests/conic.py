"""Relaxed friction (--friction-law relaxed and polyhedral-relaxed) against a conic solver of others: Clarabel, from PyPI
(tests/pypi.txt).

NCPBENCH names the program. Random problems W z + q = v with z in the friction cones and v in their duals are

    min z.W z/2 + q.z,   mu z_n >= |z_t|,   or for a polygon with corners at 2 pi k/l   mu z_n cos(pi/l) >= e_k.z_t,

e_k at pi (2 k + 1)/l (two corners: mu z_n >= |z_t1|, z_t2 = 0), whose velocities v are unique. Skipped (77) where Clarabel is not installed; NB_TEST_SEED changes the problems."""
import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile

import h5py
import numpy
import scipy.sparse

from cli_case import write_fclib

PROGRAM = os.environ.get("NCPBENCH", "build/release/ncpbench")
SEED = int(os.environ.get("NB_TEST_SEED", "5"))
METHODS = {0: ["interior-point", "newton", "psor", "pssor", "apgd"]}  # by facets; 0: a disc
FACETED = ["lemke", "pgs", "psor", "pssor", "apgd"]
SURE = ("interior-point", "apgd", "lemke")  # solve what Clarabel does
TOLERANCE = 1e-9  # of |q|


def draw(random, contacts):
    """W of some contacts between few bodies, singular where there are many, and a q that has a solution"""
    words = 6 * (1 + contacts // 3)
    h = numpy.zeros((3 * contacts, words))
    for i in range(contacts):
        for body in set(random.integers(words // 6, size=2)):
            h[3 * i:3 * i + 3, 6 * body:6 * body + 6] = random.uniform(-1, 1, (3, 6))
    mu = numpy.where(random.random(contacts) < 0.2, 0, random.uniform(0, 1.2, contacts))
    return h @ h.T, h @ random.uniform(-1, 1, words), mu


def cone(clarabel, mu, facets):
    """rows -A of A z + s = 0, and what s is in"""
    if mu == 0 or facets == 0:
        return numpy.diag([mu or 1, 1, 1]), [clarabel.SecondOrderConeT(3)] if mu > 0 else [clarabel.NonnegativeConeT(1), clarabel.ZeroConeT(2)]
    if facets == 2:
        return numpy.array([[mu, 1, 0], [mu, -1, 0], [0, 0, 1]]), [clarabel.NonnegativeConeT(2), clarabel.ZeroConeT(1)]
    middle = numpy.pi * (2 * numpy.arange(facets) + 1) / facets
    return numpy.stack([numpy.full(facets, mu * numpy.cos(numpy.pi / facets)), -numpy.cos(middle), -numpy.sin(middle)], 1), [clarabel.NonnegativeConeT(facets)]


def solve_by_clarabel(clarabel, w, q, mu, facets):
    """the velocities"""
    n, rows, cones = len(q), [], []
    for i, coefficient in enumerate(mu):
        block, kinds = cone(clarabel, coefficient, facets)
        row = scipy.sparse.lil_matrix((len(block), n))
        row[:, 3 * i:3 * i + 3] = -block
        rows.append(row)
        cones += kinds
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    settings.tol_ktratio = 1e-8
    a = scipy.sparse.vstack(rows).tocsc()
    solution = clarabel.DefaultSolver(scipy.sparse.csc_matrix(numpy.triu(w)), q, a, numpy.zeros(a.shape[0]), cones, settings).solve()
    return str(solution.status), w @ numpy.array(solution.x) + q


def solve_by_us(folder, problems, facets):
    """name -> method -> velocities, of those that were solved"""
    law = ["--friction-law", "polyhedral-relaxed", "--facets", str(facets)] if facets else ["--friction-law", "relaxed"]
    for name, (w, q, mu) in problems.items():
        write_fclib(os.path.join(folder, name + ".hdf5"), w, q, mu)
    record = os.path.join(folder, "a.h5")
    for method in METHODS.get(facets, FACETED):
        own = ["--newton-iterations", "20" if method == "lemke" else "20000"]
        own += ["--record-every", "10"] if method not in ("lemke", "newton", "interior-point") else []
        own += ["--append"] if os.path.exists(record) else []
        # 1: some were not solved, which is counted
        done = subprocess.run([PROGRAM, "suite", folder, *law, "--method", method, "--relative-tolerance", str(TOLERANCE), *own, "--linear-history", "off", "-o", record],
                              capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
    found = {}
    with h5py.File(record) as file:
        for run in file["runs"].values():
            if run["steps/natural_map_relative"][-1] <= TOLERANCE:
                name = os.path.splitext(os.path.basename(run.attrs["scenario"]))[0]
                found.setdefault(name, {})[run.attrs["method"]] = run["final/velocity"][...]
    return found


def compare(clarabel, facets):
    random = numpy.random.default_rng([SEED, facets])
    methods = METHODS.get(facets, FACETED)
    problems = {f"p{i:02}": draw(random, 1 + i % 12) for i in range(12 if facets else 40)}
    solved, held = dict.fromkeys(methods, 0), 0
    with tempfile.TemporaryDirectory() as folder:
        ours = solve_by_us(folder, problems, facets)
    for name, (w, q, mu) in problems.items():
        status, v = solve_by_clarabel(clarabel, w, q, mu, facets)
        if status != "Solved":
            continue
        held += 1
        for method, velocity in ours.get(name, {}).items():
            # errors of 1e-11 in the objective are some 1e-6 in velocities where it is flat
            difference = abs(velocity - v).max() / numpy.linalg.norm(q)
            assert difference <= 2e-5, f"{name}, {facets} facets: {method} differs by {difference} of |q|"
            solved[method] += 1
    print(f"{facets} facets: of {len(problems)} problems Clarabel solves {held}; held against it: {solved}")
    assert held >= 0.75 * len(problems) and all(solved[method] == held for method in methods if method in SURE), solved
    assert all(solved[method] >= 0.7 * held for method in methods), solved  # sweeps converge slowly where W is singular


def main():
    if importlib.util.find_spec("clarabel") is None:
        print("skipped: no module clarabel (pip install -r tests/pypi.txt)")
        return 77
    clarabel = importlib.import_module("clarabel")
    print(f"seed {SEED} (NB_TEST_SEED), Clarabel {clarabel.__version__}")
    for facets in (0, 2, 3, 8):
        compare(clarabel, facets)
    return 0


if __name__ == "__main__":
    sys.exit(main())
