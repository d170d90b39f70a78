#!/usr/bin/env python3
"""Costs of preconditioners against size, beside PETSc, CHOLMOD and MUMPS, on Newton systems of scenes in the stiffness form.

    python3 results/studies/preconditioner_costs.py NCPBENCH FOLDER [--rows 1000,10000] [--scenes wall,pile] [--tolerance 1e-8]
        [--solvers block-ic,cholesky] >table.md

FOLDER keeps the systems and a file of rows, so that an interrupted call goes on. Times are seconds of one thread, set-up + solve: of a preconditioner
with pcg to a true residual of --tolerance of the right-hand side. PETSc (petsc4py, real numbers) solves the stored system, without the pairs of bodies
that do not couple; its times are of as many iterations as the true residual asks for. What is not installed is skipped by its name.
Sizes up to 10000 take two minutes; at 100000 name the --solvers, or weak ones take an hour; 1000000 is a wall alone.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
import h5py
import numpy as np
import scipy.sparse as sp

OURS = ["block-jacobi", "chebyshev", "fsai", "tree", "ict", "block-ic", "schwarz", "spectral", "cholesky"]
PEERS = {
    "PETSc pbjacobi (BAIJ)": ("cg", "pbjacobi", None),
    "PETSc icc(1)": ("cg", "icc", None),
    "PETSc gamg (rigid modes)": ("cg", "gamg", None),
    "CHOLMOD (PETSc)": ("preonly", "cholesky", "cholmod"),
    "MUMPS (PETSc)": ("preonly", "cholesky", "mumps"),
}
LIMIT = 2000
PILE = "piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set count={}"
# scene: options by rows, and exact Newton iterations before the system; granular begins from a record of 40 steps
SCENES = {
    "wall": {1000: ("wall --set width=13 --set height=13", 6), 10000: ("wall --set width=40 --set height=40", 6),
             100000: ("wall --set width=130 --set height=130", 6), 1000000: ("wall --set width=410 --set height=410", 2)},
    "pile": {1000: (PILE.format(170), 6), 10000: (PILE.format(1700), 6), 100000: (PILE.format(17000), 3)},
    "granular": {1000: ("granular --set count=170 --from {}", 6), 10000: ("granular --set count=1700 --from {}", 6),
                 100000: ("granular --set count=17000 --from {}", 3)},
    "soft": {1000: ("soft-stack --set cells=4", 6), 10000: ("soft-stack --set cells=7 --set stacks=2", 6),
             100000: ("soft-stack --set cells=12 --set stacks=5", 3)},
}


def program(arguments, *options):
    done = subprocess.run([arguments.program, "run", *options], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"status {done.returncode}")


def options_of(arguments, scene, rows):
    """The options of `run` for the system, with the record that granular begins from."""
    options, lead = SCENES[scene][rows]
    if "{}" in options:
        start = os.path.join(arguments.folder, f"{scene}-{rows}-start.h5")
        if not os.path.exists(start):
            count = options.split("count=")[1].split()[0]
            program(arguments, "granular", "--set", f"count={count}", "--steps", "40", "--newton-iterations", "60", "--record-every", "60",
                    "--linear-history", "off", "--repeat", "0", "-o", start)
        options = options.format(start)
    exact = ["--lead", str(lead), *(["--lead-exact", "on"] if lead > 3 else [])]
    return [*options.split(), *exact, "--warm-start", "off", "--steps", "1", "--newton-iterations", "1", "--form", "stiffness", "--method", "newton",
            "--linear-history", "off", "--threads", "1"]


def ours(arguments, options, name, rows):
    """(iterations, set-up, solve, residual) of the program"""
    record = os.path.join(arguments.folder, "one.h5")
    krylov = ["pcg", "--preconditioner", name, "--linear-norm", "true", "--linear-tolerance", str(arguments.tolerance), "--linear-iterations", str(LIMIT)]
    program(arguments, *options, "--linear-solver", *(["cholesky"] if name == "cholesky" else krylov), "--repeat", "3" if rows < 100000 else "1",
            "-o", record, "--force")
    with h5py.File(record) as f:
        run = f["runs/0000"]
        newton, repeats = run["newton"], run["repeats"] if "repeats" in run else run["steps"]
        setup, solve = (float(np.median(repeats[key][:])) for key in ("setup_s", "solve_s"))
        residual = float(newton["linear_residual"][0, 0])
        return int(newton["linear_iterations"][0, 0]), setup, solve, residual


def stored(arguments, scene, rows, options):
    """(A without entries of zero, b, positions) of the system"""
    path = os.path.join(arguments.folder, f"{scene}-{rows}.h5")
    if not os.path.exists(path):
        program(arguments, *options, "--linear-iterations", "2", "--linear-solver", "pcg", "--preconditioner", "none", "--store-systems", "--repeat", "0",
                "-o", path)
    with h5py.File(path) as f:
        run = f["runs/0000"]
        system = run["systems"][list(run["systems"])[0]]
        a = sp.csr_matrix((system["A/value"][:], system["A/column"][:], system["A/start"][:]), shape=(len(system["b"]),) * 2)
        a.eliminate_zeros()
        a.sort_indices()
        return a, system["b"][:], run["final/q"][:]


def rigid_modes(n, q):
    """[n][6] motions of all bodies as one"""
    x, y, z = (q[-(n // 6):, :3] - q[-(n // 6):, :3].mean(axis=0)).T
    modes = np.zeros((n, 6))
    for axis in range(3):
        modes[axis::6, axis] = modes[3 + axis::6, 3 + axis] = 1
    for row, column, value in ((1, 3, -z), (2, 3, y), (0, 4, z), (2, 4, -x), (0, 5, -y), (1, 5, x)):
        modes[row::6, column] = value
    return np.linalg.qr(modes)[0]


def petsc(PETSc, name, a, b, q, wide, tolerance):
    """(iterations, set-up, solve, residual) of PETSc"""
    krylov, kind, library = PEERS[name]
    n = len(b)
    scale = 1 / np.sqrt(a.diagonal()) if kind == "icc" else np.ones(n)
    values = (sp.diags(scale) @ a @ sp.diags(scale)).tocsr()
    values.sort_indices()
    matrix = PETSc.Mat().createAIJ(size=a.shape, bsize=wide, csr=(a.indptr.astype("i4"), a.indices.astype("i4"), values.data), comm=PETSc.COMM_SELF)
    if kind == "pbjacobi":
        matrix = matrix.convert("baij")
    matrix.setOption(PETSc.Mat.Option.SPD, True)
    if kind == "gamg":
        if wide != 6:
            raise RuntimeError("bodies alone have rigid modes here")
        vectors = [PETSc.Vec().createWithArray(np.ascontiguousarray(v), comm=PETSc.COMM_SELF) for v in rigid_modes(n, q).T]
        matrix.setNearNullSpace(PETSc.NullSpace().create(vectors=vectors, comm=PETSc.COMM_SELF))
    options = PETSc.Options()
    for key, value in (("pc_factor_levels", 1), ("pc_factor_shift_type", "positive_definite"), ("mg_levels_pc_type", "pbjacobi")):
        options[key] = value
    ksp = PETSc.KSP().create(PETSc.COMM_SELF)
    ksp.setOperators(matrix)
    ksp.setType(krylov)
    ksp.getPC().setType(kind)
    if library:
        ksp.getPC().setFactorSolverType(library)
    ksp.setFromOptions()
    right, x = PETSc.Vec().createWithArray(b * scale, comm=PETSc.COMM_SELF), PETSc.Vec().createSeq(n)
    begin = time.perf_counter()
    ksp.setUp()
    ksp.getPC().setUp()
    setup = time.perf_counter() - begin
    iterations, size = 1, np.linalg.norm(b)
    if krylov == "cg":  # counted first, by true residuals, and timed after

        def test(solver, iteration, norm):
            if iteration and iteration % (1 if iteration < 50 or n < 20000 else 10) == 0:
                return np.linalg.norm(b - a @ (solver.buildSolution().getArray(readonly=True) * scale)) <= tolerance * size
            return False

        ksp.setTolerances(rtol=1e-30, atol=0, divtol=1e30, max_it=LIMIT)
        ksp.setConvergenceTest(test)
        ksp.solve(right, x)
        iterations, pc = ksp.getIterationNumber(), ksp.getPC()
        ksp = PETSc.KSP().create(PETSc.COMM_SELF)
        ksp.setOperators(matrix)
        ksp.setType(krylov)
        ksp.setPC(pc)
        ksp.setTolerances(rtol=1e-30, atol=0, divtol=1e30, max_it=iterations)
        x.set(0)
    begin = time.perf_counter()
    ksp.solve(right, x)
    solve = time.perf_counter() - begin
    return iterations, setup, solve, np.linalg.norm(b - a @ (x.getArray() * scale)) / size


def find_petsc():
    sys.path += glob.glob("/usr/lib/petscdir/*/*-real/lib/python3/dist-packages")  # where Debian has it
    try:
        import petsc4py
        petsc4py.init(["costs"])
        from petsc4py import PETSc
        return PETSc
    except ImportError:
        print("skipped: PETSc, and CHOLMOD and MUMPS by it (petsc4py is not installed)", file=sys.stderr)
        return None


def measure(arguments):
    """rows {(scene, rows, solver): (iterations, set-up, solve, residual) or words}, from and into FOLDER/costs.json"""
    path, library = os.path.join(arguments.folder, "costs.json"), find_petsc()
    known = json.load(open(path)) if os.path.exists(path) else {}
    for scene in arguments.scenes:
        for rows in arguments.rows:
            if rows not in SCENES[scene]:
                continue
            options, system = options_of(arguments, scene, rows), None
            for name in [*OURS, *(PEERS if library else [])]:
                key = f"{scene} {rows} {name} {arguments.tolerance:g}"
                if key in known or (arguments.solvers and name not in arguments.solvers):
                    continue
                try:
                    if name in OURS:
                        known[key] = ours(arguments, options, name, rows)
                    else:
                        system = system or stored(arguments, scene, rows, options)
                        known[key] = petsc(library, name, *system, 3 if scene == "soft" else 6, arguments.tolerance)
                except Exception as fault:  # a peer's faults are of its own kinds
                    known[key] = str(fault).splitlines()[0][:80]
                print(key, known[key], file=sys.stderr, flush=True)
                with open(path + ".new", "w") as out:
                    json.dump(known, out, indent=0)
                os.replace(path + ".new", path)
    return known


def cell(found, tolerance):
    if found is None or isinstance(found, str):
        return "-"
    iterations, setup, solve, residual = found
    if residual > 2 * tolerance:
        return f"over {iterations}"
    return f"{iterations}: {setup:.2g} + {solve:.2g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--rows", default="1000,10000,100000", type=lambda text: [int(x) for x in text.split(",")])
    parser.add_argument("--scenes", default=list(SCENES), type=lambda text: text.split(","))
    parser.add_argument("--tolerance", default=1e-8, type=float)
    parser.add_argument("--solvers", type=lambda text: text.split(","), help="rows of the table, by name; all where it is not given")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    known = measure(arguments)
    for scene in arguments.scenes:
        sizes = [rows for rows in arguments.rows if rows in SCENES[scene]]
        print(f"\n| {scene}, rows about | " + " | ".join(str(rows) for rows in sizes) + " |\n|---" + "|---" * len(sizes) + "|")
        for name in [*OURS, *PEERS]:
            found = [known.get(f"{scene} {rows} {name} {arguments.tolerance:g}") for rows in sizes]
            if any(found):
                print(f"| {'`' + name + '`' if name in OURS else name} | " + " | ".join(cell(x, arguments.tolerance) for x in found) + " |")


if __name__ == "__main__":
    main()
