"""The table of problem files: iterations and seconds to a natural map of 1e-8 relative to ||q||, for each option set.

    NCPBENCH=build/ncpbench python3 results/studies/fclib_table.py FOLDER_OR_FILES...

Seconds are the median of nine timed repetitions after the recorded run, with the smallest and the largest; one BLAS thread. The
three normalisations of the natural map and the harness's own error (m/s in the file's units) are those of the recorded run.
"""
import glob
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

PROGRAM = os.environ.get("NCPBENCH", "build/ncpbench")
COMMON = ["--relative-tolerance", "1e-8", "--newton-iterations", "500", "--linear-history", "off", "--repeat", "9"]
OPTION_SETS = [
    ["--linear-solver", "cholesky"],
    ["--linear-solver", "cholesky", "--finish", "exact"],
    ["--linear-solver", "cholesky", "--finish", "exact", "--row-scaling", "paper"],
    ["--linear-solver", "cholesky", "--scaling", "effective-mass"],
    ["--linear-solver", "pcr", "--linear-iterations", "100", "--finish", "exact"],
    ["--linear-solver", "pcr", "--preconditioner", "ic0", "--linear-iterations", "100", "--finish", "exact"],
]
TITLES = ["problem", "contacts", "options", "Newton", "seconds (least to most)", "/||q||", "/(1+sqrt||q||)",
          "/max(||q||,||r||,||u||)", "own error", "reached"]


def files_of(arguments):
    for argument in arguments:
        yield from sorted(glob.glob(os.path.join(argument, "*.hdf5"))) if os.path.isdir(argument) else [argument]


def row_of(path, options, record):
    command = [PROGRAM, "solve", path, *options, *COMMON, "-o", record]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    if done.returncode not in (0, 1):  # 1: the tolerance was not met
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    with h5py.File(record) as file:
        steps, seconds = file["runs/0000/steps"], file["runs/0000/repeats/step_s"][...]
        values = {name: steps[name][0] for name in steps if steps[name].shape == (1,)}
    short = " ".join(option.lstrip("-") for option in options if option != "--linear-solver")
    maps = [f"{values['natural_map_' + name]:.1e}" for name in ("relative", "fclib", "siconos", "error")]
    return [os.path.basename(path), f"{values['contacts']:.0f}", short, f"{values['newton_iterations']:.0f}",
            f"{numpy.median(seconds):.2g} ({seconds.min():.2g} to {seconds.max():.2g})", *maps,
            "yes" if done.returncode == 0 else "no"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("| " + " | ".join(TITLES) + " |\n|" + "---|" * len(TITLES))
    with tempfile.TemporaryDirectory(prefix="fclib-table-") as folder:
        for path in files_of(sys.argv[1:]):
            for options in OPTION_SETS:
                print("| " + " | ".join(row_of(path, options, os.path.join(folder, "table.h5"))) + " |", flush=True)


main()
