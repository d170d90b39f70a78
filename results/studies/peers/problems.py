"""Contact problems alone: Pinocchio's ADMM beside ncpbench's methods and Siconos's solvers, in the columns of `ncpbench suite`.

    python3 results/studies/peers/problems.py FOLDER [--time-limit S] [--tolerance X]

Rows of ncpbench and Siconos (libsiconos-numerics-dev; tests/plugins/siconos.c, compiled here) come from `ncpbench suite`; Pinocchio gets the same
W, q, mu in dense form, and the natural map of what it returns is taken here, by the formula of core/errors.md. A solver counts as
converged by that alone. What is not there is named and left out.
"""
import argparse
import os
import subprocess
import sys
import tempfile

from needs import need

need("h5py", "numpy", "scipy", later=["ensurepip"])
import h5py
import numpy
import scipy.sparse
import scipy.sparse.linalg

import ncpbench
from compare import HERE, ROOT, alone, make_venv

SICONOS = ["siconos-nsgs", "siconos-nsn-ac", "siconos-prox", "siconos-admm"]
LARGEST = 3000  # rows that are made dense


def natural_map(w, q, mu, r):
    """|v - P(v - u - mu |u_T| n)| over |q|, v the impulses r times the mean of their W_ii, P onto the cones |v_T| <= mu v_N; normals first"""
    own = numpy.diag(w).reshape(-1, 3).mean(axis=1, keepdims=True)
    u, r = (w @ r + q).reshape(-1, 3), own * r.reshape(-1, 3)
    shifted = u.copy()
    shifted[:, 0] += mu * numpy.linalg.norm(u[:, 1:], axis=1)
    x = r - shifted
    across = numpy.linalg.norm(x[:, 1:], axis=1)
    inside, below = across <= mu * x[:, 0], mu * across <= -x[:, 0]
    along = (x[:, 0] + mu * across) / (1 + mu ** 2)
    onto = numpy.hstack([along[:, None], (mu * along / numpy.maximum(across, 1e-300))[:, None] * x[:, 1:]])
    projected = numpy.where(inside[:, None], x, numpy.where(below[:, None], 0, onto))
    return numpy.linalg.norm(r - projected) / numpy.linalg.norm(q)


def matrix_of(group):
    nz, shape = int(group["nz"][0]), (int(group["m"][0]), int(group["n"][0]))
    x, i, p = (group[name][:] for name in "xip")
    kinds = {-1: scipy.sparse.csc_matrix, -2: scipy.sparse.csr_matrix}
    return kinds[nz]((x, i, p), shape=shape) if nz < 0 else scipy.sparse.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape=shape).tocsc()


def read(path):
    """W (dense), q, mu of an FCLIB file, local or global, without joints; None where it is no such file"""
    with h5py.File(path) as file:
        if "fclib_local" in file:
            problem = file["fclib_local"]
            if "V" in problem or problem["spacedim"][0] != 3 or len(problem["vectors/q"]) > LARGEST:
                return None
            return matrix_of(problem["W"]).toarray(), problem["vectors/q"][:], problem["vectors/mu"][:]
        if "fclib_global" in file:
            problem = file["fclib_global"]
            if "G" in problem or problem["spacedim"][0] != 3 or len(problem["vectors/w"]) > LARGEST:
                return None
            h = matrix_of(problem["H"]).toarray()
            solved = scipy.sparse.linalg.splu(matrix_of(problem["M"]).tocsc()).solve(numpy.column_stack([h, problem["vectors/f"][:]]))
            return h.T @ solved[:, :-1], h.T @ solved[:, -1] + problem["vectors/w"][:], problem["vectors/mu"][:]
    return None


def siconos_plugin(folder):
    """the plugin's path, or None"""
    found = os.path.join(folder, "siconos.so")
    done = subprocess.run([os.environ.get("CC", "cc"), "-O2", "-fPIC", "-shared", os.path.join(ROOT, "tests/plugins/siconos.c"), "-o", found,
                           f"-I{ROOT}/core", "-I/usr/include/siconos", "-I/usr/include/siconos/numerics", "-lsiconos_numerics", "-lm"],
                          capture_output=True, text=True)
    if done.returncode:
        print("left out: siconos: libsiconos-numerics-dev is not there", file=sys.stderr)
        return None
    return found


def suite(options, folder):
    """the header and the rows of ncpbench's table"""
    plugin = siconos_plugin(folder)
    methods = ["interior-point", *(SICONOS if plugin else [])]
    command = [ncpbench.PROGRAM, "suite", options.folder, "--method", ",".join(methods), "--tolerance", repr(options.tolerance),
               "--time-limit", repr(options.time_limit), *(["--plugin", plugin] if plugin else []), "-o", os.path.join(folder, "suite.h5")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: not all were solved
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    lines = [line.split("\t") for line in done.stdout.split("\n\n")[0].splitlines()]
    return lines[0], [dict(zip(lines[0], line)) for line in lines[1:]]


def pinocchio_rows(options, python, folder):
    import engine_pinocchio
    for name in sorted(os.listdir(options.folder)):
        if not name.endswith((".hdf5", ".h5")):
            continue
        problem = read(os.path.join(options.folder, name))
        if problem is None:
            print(f"left out: {name}: not a problem of FCLIB in three dimensions, without joints, of at most {LARGEST} rows", file=sys.stderr)
            continue
        w, q, mu = problem
        numpy.savez(os.path.join(folder, "problem.npz"), W=w, q=q, mu=mu)
        for setting in engine_pinocchio.SETTINGS:
            row = {"problem": name, "method": f"pinocchio-{setting}", "linear-solver": "none", "contacts": str(len(mu))}
            command = [python, os.path.join(HERE, "engine_pinocchio.py"), os.path.join(folder, "problem.npz"), setting, os.path.join(folder, "out.npz")]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=options.time_limit + 5)  # it starts for a while
            except subprocess.TimeoutExpired:
                yield {**row, "flag": "time-limit"}
                continue
            if done.returncode:
                sys.exit((done.stderr.strip().splitlines() or ["Pinocchio failed"])[-1])
            with numpy.load(os.path.join(folder, "out.npz")) as out:
                error = natural_map(w, q, mu, out["r"])
                yield {**row, "flag": "converged" if error <= options.tolerance else "stopped", "/||q||": f"{error:.3g}",
                       "iterations": str(out["iterations"]), "seconds": f"{float(out['seconds']):.4g}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--time-limit", type=float, default=20)
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--no-install", action="store_true", help="take what is there")
    options = parser.parse_args()
    alone()
    python = make_venv(not options.no_install)
    with tempfile.TemporaryDirectory(prefix="problems-") as folder:
        header, rows = suite(options, folder)
        if python and not subprocess.run([python, "-c", "import pinocchio"], capture_output=True).returncode:
            rows += pinocchio_rows(options, python, folder)
        else:
            print("left out: pinocchio is not there", file=sys.stderr)
    print(*header, sep="\t")
    for row in sorted(rows, key=lambda row: row["problem"]):
        print(*(row.get(name, "-") for name in header), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
