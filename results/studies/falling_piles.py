"""Contact problems of piles in motion, which are harder than any published: are all solved, and how fast?

    NCPBENCH=build/ncpbench python3 results/studies/falling_piles.py [--most-bodies N] [--seeds 1,2,3,4,5] [--keep FOLDER]

The problems are made by recipe: three shapes, 20 to 2000 bodies, steps 10 to 120, states that `newton` or
`interior-point` came to. Each is exported as it is linearised at the start of its step and solved to 1e-8 of |q|
(--tolerance). A line a group: problems, solved, said to be wedged, contacts, iterations (geometric mean, most: an
iteration is one of every island that is not solved yet), factorisations (the same, those of islands counted by their
rows), and milliseconds (median, most). The status is 1 where one was neither solved nor said to be wedged, or took more
than --most iterations. With --keep the problems stay in that folder, and those that are there are not made again.
Further options go to `ncpbench suite`.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

from robustness import PROGRAM, Parser, end, number, solve, whole, wholes

# shape, bodies, step: one of each seed
RECIPES = [("box", 20, 10), ("box", 54, 30), ("box", 54, 60), ("box", 54, 120), ("box", 150, 60), ("box", 500, 30),
           ("table", 20, 15), ("table", 54, 30), ("table", 54, 90), ("sphere", 54, 60), ("sphere", 150, 30)]
# and one of the first seed alone
LARGE = [("box", 500, 60), ("box", 500, 90), ("box", 2000, 20), ("table", 500, 40), ("sphere", 2000, 30)]


def export(folder, shape, bodies, step, seed):
    """every second state is that of the interior point, the large ones apart, which would take it minutes"""
    method = "interior-point" if bodies <= 200 and (seed + step // 5 + bodies) % 2 else "newton"
    path = os.path.join(folder, f"{shape}-{bodies}-{step}-{seed}-{method}.hdf5")
    if os.path.exists(path):
        return path
    command = [PROGRAM, "export", "piling", "--set", f"shape={shape}", "--set", f"count={bodies}", "--seed", str(seed),
               "--method", method, "--at", str(step), "--format", "fclib", "-o", path]
    if method == "interior-point":
        command += ["--geometry", "frozen", "--newton-iterations", "400"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        end(f"NCPBENCH is {PROGRAM}: {error.strerror}")
    if done.returncode or not os.path.exists(path):
        end(done.stderr.strip())
    return path


def contacts_of(path):
    with h5py.File(path) as file:
        return len(file["fclib_local/vectors/mu"])


def geometric_mean(values):
    return numpy.exp(numpy.mean(numpy.log(numpy.maximum(values, 1))))


def report(name, runs, contacts):
    """runs: (flag, iterations, seconds, factorisations); returns how many were neither, and the most
    iterations"""
    solved, wedged = (sum(run[0] == flag for run in runs) for flag in ("converged", "wedged"))
    iterations, seconds, factorisations = (numpy.array([float(run[i]) for run in runs]) for i in (1, 2, 3))
    cells = [name, f"{len(runs)}", f"{solved}", f"{wedged}", f"{numpy.median(contacts):.0f}",
             f"{geometric_mean(iterations):.1f}", f"{iterations.max():.0f}", f"{geometric_mean(factorisations):.1f}", f"{factorisations.max():.0f}",
             f"{1e3 * numpy.median(seconds):.4g}", f"{1e3 * seconds.max():.4g}"]
    print("\t".join(cells), flush=True)
    return len(runs) - solved - wedged, iterations.max()


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most-bodies", type=whole, default=2000)
    parser.add_argument("--seeds", type=wholes, default=[1, 2, 3, 4, 5])
    parser.add_argument("--most", type=number, default=numpy.inf)
    parser.add_argument("--keep")
    parser.add_argument("--method", default="interior-point")
    parser.add_argument("--tolerance", type=number, default=1e-8)
    parser.add_argument("--time-limit", type=number, default=120)
    parser.add_argument("--repeat", type=whole, default=0)
    options, rest = parser.parse_known_args()
    groups = [(recipe, options.seeds) for recipe in RECIPES] + [(recipe, options.seeds[:1]) for recipe in LARGE]
    groups = [(recipe, seeds) for recipe, seeds in groups if recipe[1] <= options.most_bodies]
    runs, contacts = [], []
    if not groups:
        parser.error(f"no problem has {options.most_bodies} bodies or fewer")
    print("shape\tbodies\tstep\tproblems\tsolved\twedged\tcontacts\titerations: mean\tmost\tfactorisations: mean\tmost"
          "\tms: median\tmost", flush=True)
    with tempfile.TemporaryDirectory(prefix="falling-piles-") as scratch:
        if options.keep:
            try:
                os.makedirs(options.keep, exist_ok=True)
            except OSError as error:
                end(f"--keep {options.keep}: {error.strerror}")
        for (shape, bodies, step), of in groups:
            with tempfile.TemporaryDirectory(dir=scratch) as group:
                paths = [export(options.keep or group, shape, bodies, step, seed) for seed in of]
                for path in paths if options.keep else []:
                    os.symlink(os.path.abspath(path), os.path.join(group, os.path.basename(path)))
                here, sizes = solve(group, options, rest), [contacts_of(path) for path in paths]
            report(f"{shape}\t{bodies}\t{step}", here, sizes)
            runs += here
            contacts += sizes
    failed, most = report("all\t\t", runs, contacts)
    return 1 if failed or most > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
