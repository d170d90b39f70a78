"""Every problem of a folder with other coefficients of friction and other round-off: is it always solved, and as fast?

    NCPBENCH=build/ncpbench python3 results/studies/robustness.py [FOLDER]

Each FCLIB file is solved to 1e-8 of |q| (--tolerance) with mu of all contacts set to each of ten values from 0.05 to 1
(--mu), and with q moved by 1e-12 of its largest entry, at random, twenty times for each (--perturbations; --seed). A
line a problem and mu: how many were solved, iterations and seconds of the fastest, the median and the slowest solve, and
the slowest over the fastest. The status is 1 where one was not solved. Further options go to `ncpbench suite`. Without
a folder problems are made up: bodies at random between which contacts pull.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import h5py
import numpy
import scipy.sparse
import scipy.sparse.linalg

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tests"))
from cli_case import write_fclib  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("NCPBENCH", "build/ncpbench"))
FRICTION = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0]


class Parser(argparse.ArgumentParser):
    """says what is wrong with the command line in one line"""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def end(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def whole(text):
    """a whole number that is not negative"""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0 on")
    return int(text)


def number(text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < numpy.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 0 on")
    return value


def numbers(text):
    return [number(word) for word in text.split(",")]


def wholes(text):
    return [whole(word) for word in text.split(",")]


def matrix(group):
    """a matrix of an FCLIB file, by columns (nz -1), by rows (nz -2) or triplets"""
    form, shape = int(group["nz"][0]), (int(group["m"][0]), int(group["n"][0]))
    values, index, other = group["x"][...], group["i"][...], group["p"][...]
    if form >= 0:
        return scipy.sparse.coo_matrix((values[:form], (index[:form], other[:form])), shape).tocsc()
    kind = scipy.sparse.csc_matrix if form == -1 else scipy.sparse.csr_matrix
    return kind((values[:other[-1]], index[:other[-1]], other), shape).tocsc()


def what_to_move(file):
    """the vector that enters q as it is, and the largest entry of q; of a global problem q = w + H^T M^-1 f"""
    if "fclib_local" in file:
        q = file["fclib_local/vectors/q"]
        return q, numpy.abs(q[...]).max()
    group = file["fclib_global"]
    w, f = group["vectors/w"], group["vectors/f"][...]
    return w, numpy.abs(w[...] + matrix(group["H"]).T @ scipy.sparse.linalg.spsolve(matrix(group["M"]), f)).max()


def write_variants(path, folder, mu, count, random):
    """copies of a problem with that mu, the first with its own q"""
    with open(path, "rb") as source:
        content = source.read()
    for i in range(count + 1):
        target = os.path.join(folder, f"{i:04}.hdf5")
        with open(target, "wb") as copy:
            copy.write(content)
        try:
            with h5py.File(target, "r+") as file:
                file[("fclib_local" if "fclib_local" in file else "fclib_global") + "/vectors/mu"][...] = mu
                moved, size = what_to_move(file)
                if i > 0:
                    moved[...] += 1e-12 * size * random.uniform(-1, 1, moved.shape)
        except (OSError, KeyError, ValueError) as error:
            end(f"{path} is no FCLIB problem: {str(error).splitlines()[0]}")


def solve(folder, options, rest):
    """(flag, iterations, seconds, factorisations) of every problem of a folder"""
    command = [PROGRAM, "suite", folder, "--method", options.method, "--tolerance", repr(options.tolerance), "--time-limit",
               repr(options.time_limit), "--repeat", str(options.repeat), *rest, "-o", os.path.join(folder, "suite.h5")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    except OSError as error:
        end(f"NCPBENCH is {PROGRAM}: {error.strerror}")
    if done.returncode not in (0, 1):  # 1: not all were solved
        end(done.stderr.strip())
    lines = [line.split("\t") for line in done.stdout.split("\n\n")[0].splitlines()]
    return [tuple(dict(zip(lines[0], line))[key] for key in ("flag", "iterations", "seconds", "factorisations")) for line in lines[1:]]


def report(name, mu, runs):
    """a line; returns how many were not solved"""
    solved = sum(run[0] == "converged" for run in runs)
    iterations, seconds = (numpy.array([float(run[i]) for run in runs]) for i in (1, 2))
    cells = [name, f"{mu:g}", f"{solved}/{len(runs)}"]
    for values in (iterations, 1e3 * seconds):
        cells += [f"{value:.4g}" for value in (values.min(), numpy.median(values), values.max())]
    print("\t".join([*cells, f"{seconds.max() / seconds.min():.3g}"]), flush=True)
    return len(runs) - solved


def make_problems(folder, random):
    """W = J J^T between bodies of six unknowns, with fewer of these than rows, q from their velocities"""
    for bodies, contacts in ((3, 8), (6, 14)):
        jacobian = numpy.zeros((3 * contacts, 6 * bodies))
        for i in range(contacts):
            for body in random.choice(bodies, 2, replace=False):
                jacobian[3 * i:3 * i + 3, 6 * body:6 * body + 6] = random.standard_normal((3, 6))
        write_fclib(os.path.join(folder, f"bodies-{bodies}.hdf5"), jacobian @ jacobian.T,
                    jacobian @ random.standard_normal(6 * bodies), numpy.full(contacts, 0.5))


def problems_of(folder):
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith((".hdf5", ".h5")))
    except OSError as error:
        end(f"{folder}: {error.strerror}")
    if not names:
        end(f"{folder} holds no FCLIB files: none that end in .hdf5 or .h5")
    return names


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--mu", type=numbers, default=FRICTION)
    parser.add_argument("--perturbations", type=whole, default=20)
    parser.add_argument("--seed", type=whole, default=1)
    parser.add_argument("--method", default="interior-point")
    parser.add_argument("--tolerance", type=number, default=1e-8)
    parser.add_argument("--time-limit", type=number, default=60)
    parser.add_argument("--repeat", type=whole, default=0)
    options, rest = parser.parse_known_args()
    failed = 0
    print(f"seed {options.seed}\nproblem\tmu\tsolved\titerations: least\tmedian\tmost\tms: least\tmedian\tmost\tspread")
    with tempfile.TemporaryDirectory(prefix="robustness-") as scratch:
        if options.folder is None:
            options.folder = os.path.join(scratch, "made")
            os.mkdir(options.folder)
            make_problems(options.folder, numpy.random.default_rng(options.seed))
        for name in problems_of(options.folder):
            for mu in options.mu:
                random = numpy.random.default_rng([options.seed, int(1000 * mu)])
                with tempfile.TemporaryDirectory(dir=scratch) as variants:
                    write_variants(os.path.join(options.folder, name), variants, mu, options.perturbations, random)
                    failed += report(name, mu, solve(variants, options, rest))
    if failed:
        print(f"{failed} not solved")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
