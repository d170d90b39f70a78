"""A run on two threads: the same bits every time, and those of one thread up to round-off.

NCPBENCH names the program; the scene is large enough that its loops are shared, with joints beside it in another run.
"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

PILE = ["piling", "--set", "shape=box", "--set", "spacing=0", "--set", "tilt=0", "--set", "yaw=0", "--set",
        "stagger=0.5", "--set", "count=400", "--steps", "1", "--newton-iterations", "5", "--linear-iterations", "15"]
# sums in another order: a rounding each, amplified by 15 iterations of PCR and 5 of Newton's method
TOLERANCE = {"f64": 1e-11, "f32": 1e-3}


def final_state(folder, threads, precision, solver):
    path = os.path.join(folder, "record.h5")
    command = [os.environ["NCPBENCH"], "run", *PILE, "--threads", str(threads), "--precision", precision,
               "--linear-solver", solver, "-o", path]
    subprocess.run(command, check=True, capture_output=True)
    with h5py.File(path) as file:
        final = file["runs/0000/final"]
        assert len(final["gap"]) > 4000, "the scene is too small to be shared"
        state = numpy.concatenate([final["u"][:].ravel(), final["lambda_normal"][:].ravel()])
    os.remove(path)
    return state


failures = 0
with tempfile.TemporaryDirectory() as folder:
    for precision in "f64", "f32":
        for solver in "pcr", "pcg":
            one = final_state(folder, 1, precision, solver)
            two = final_state(folder, 2, precision, solver)
            again = final_state(folder, 2, precision, solver)
            difference = numpy.abs(one - two).max() / numpy.abs(one).max()
            print(f"{precision} {solver}: {difference:.1e}, repeated {numpy.array_equal(two, again)}")
            failures += not (difference <= TOLERANCE[precision] and numpy.array_equal(two, again))
            failures += not numpy.isfinite(one).all()
sys.exit(failures)
