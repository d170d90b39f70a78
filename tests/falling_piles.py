"""Contact problems of piles in motion, which are harder than any published: are all solved, and how fast?

    NCPBENCH=build/ncpbench python3 tests/falling_piles.py [--most-bodies N] [--seeds 1,2,3,4,5] [--keep FOLDER]

The problems are made by recipe: three shapes, 20 to 2000 bodies, steps 10 to 120, states that `newton` or
`interior-point` came to. Each is exported as it is linearised at the start of its step and solved to 1e-8 of |q|
(--tolerance). A line a group: problems, solved, contacts, factorisations (geometric mean, most), and milliseconds
(median, most). The status is 1 where one was not solved, or took more than --most factorisations. With --keep the
problems stay in that folder, and those that are there are not made again. Further options go to `ncpbench suite`.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

from robustness import PROGRAM, numbers, solve

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
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or not os.path.exists(path):
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return path


def contacts_of(path):
    with h5py.File(path) as file:
        return len(file["fclib_local/vectors/mu"])


def geometric_mean(values):
    return numpy.exp(numpy.mean(numpy.log(numpy.maximum(values, 1))))


def report(name, runs, contacts):
    """runs: (flag, iterations, seconds); returns how many were not solved, and the most factorisations"""
    solved = sum(flag == "converged" for flag, _, _ in runs)
    iterations, seconds = (numpy.array([float(run[i]) for run in runs]) for i in (1, 2))
    cells = [name, f"{len(runs)}", f"{solved}", f"{numpy.median(contacts):.0f}", f"{geometric_mean(iterations):.1f}",
             f"{iterations.max():.0f}", f"{1e3 * numpy.median(seconds):.4g}", f"{1e3 * seconds.max():.4g}"]
    print("\t".join(cells), flush=True)
    return len(runs) - solved, iterations.max()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most-bodies", type=int, default=2000)
    parser.add_argument("--seeds", type=numbers, default=[1, 2, 3, 4, 5])
    parser.add_argument("--most", type=float, default=numpy.inf)
    parser.add_argument("--keep")
    parser.add_argument("--method", default="interior-point")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--time-limit", type=float, default=120)
    parser.add_argument("--repeat", type=int, default=0)
    options, rest = parser.parse_known_args()
    seeds = [int(seed) for seed in options.seeds]
    groups = [(recipe, seeds) for recipe in RECIPES] + [(recipe, seeds[:1]) for recipe in LARGE]
    runs, contacts = [], []
    print("shape\tbodies\tstep\tproblems\tsolved\tcontacts\tfactorisations: mean\tmost\tms: median\tmost")
    with tempfile.TemporaryDirectory(prefix="falling-piles-") as scratch:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        for (shape, bodies, step), of in groups:
            if bodies > options.most_bodies:
                continue
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
