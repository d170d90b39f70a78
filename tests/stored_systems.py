"""Stored Newton systems: A = S J H^-1 J^T S + C + K and b = S J H^-1 g - h hold to round-off in what a record keeps.

NCPBENCH names the program; scenes with joints, contacts and bodies without mass, both precisions.
"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

TOLERANCE = {"f64": 1e-14, "f32": 2e-6}  # some tens of roundings, relative to the largest entry


def dense(group):
    matrix = numpy.zeros((group.attrs["rows"], group.attrs["columns"]))
    start, column, value = group["start"][:], group["column"][:], group["value"][:]
    for row in range(len(start) - 1):
        matrix[row, column[start[row]:start[row + 1]]] = value[start[row]:start[row + 1]]
    return matrix


def inverse_where_there_is_mass(mass):
    inverse = numpy.zeros_like(mass)
    heavy = numpy.abs(mass).sum(axis=1) > 0
    inverse[numpy.ix_(heavy, heavy)] = numpy.linalg.inv(mass[numpy.ix_(heavy, heavy)])
    return inverse


def check(system, precision, method):
    a, j, c, s = dense(system["A"]), dense(system["J"]), dense(system["C"]), numpy.diag(system["s"][:])
    assert ("K" in system) == (method == "interior-point")
    k = dense(system["K"]) if "K" in system else 0
    flow = s @ j @ inverse_where_there_is_mass(dense(system["H"]))
    for actual, expected in ((a, flow @ j.T @ s + c + k), (system["b"][:], flow @ system["g"][:] - system["h"][:])):
        error = numpy.abs(actual - expected).max() / numpy.abs(expected).max()
        assert error < TOLERANCE[precision], (system.name, error)


def check_method(method, folder):
    path = os.path.join(folder, method + ".h5")
    subprocess.run([os.environ["NCPBENCH"], "run", "beam,arch", "--settle", "5", "--steps", "2", "--newton-iterations", "3",
                    "--precision", "f64,f32", "--method", method, "--store-systems", "-o", path],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    checked = 0
    with h5py.File(path) as record:
        for run in record["runs"].values():
            for system in run["systems"].values():
                check(system, numpy.bytes_(run.attrs["precision"]).decode(), method)
                checked += 1
    assert checked >= 4 * 2 * 3, checked
    print(f"{method}: {checked} systems")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for method in ("newton", "interior-point"):
            check_method(method, folder)


if __name__ == "__main__":
    sys.exit(main())
