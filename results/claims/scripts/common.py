"""What the scripts of claims share: calls of the program, and a line for a number."""

import os
import subprocess


def say(name, *values):
    """One number of the rule, or several that stand for their median."""
    print(name, *(repr(float(value)) for value in values), flush=True)


def program(line, statuses=(0,)):
    """`ncpbench LINE` in the script's own folder: its standard output. Another exit status ends the script."""
    done = subprocess.run([os.environ["NCPBENCH"], *line.split()], text=True, capture_output=True)
    if done.returncode not in statuses:
        said = done.stderr.strip().splitlines()
        raise SystemExit(f"ncpbench {line}: {said[-1] if said else done.returncode}")
    return done.stdout


def run(line, record="run.h5"):
    """The record of `ncpbench run LINE`, open for reading. Steps that are not solved are a result, too."""
    import h5py

    if os.path.exists(record):
        os.remove(record)
    program(f"run {line} -o {record}", statuses=(0, 1))
    return h5py.File(record, "r")


def system(line, folder="system"):
    """A (sparse) and b of `ncpbench export LINE`: a Newton system."""
    from scipy.io import mmread

    program(f"export {line} -o {folder} --force")
    return mmread(f"{folder}/A.mtx").tocsr(), mmread(f"{folder}/b.mtx").ravel()


def problem(line, path="problem.hdf5"):
    """The contact problem M u = H z + f, v = H^T u + w of `ncpbench export LINE` (frozen geometry): M, H, f, w, mu.
    Rows of w, z and v are normal and two tangents a contact; w has the gaps over the step; impulses."""
    import h5py
    from scipy.sparse import csc_matrix

    program(f"export {line} --geometry frozen --format fclib-global -o {path} --force")
    with h5py.File(path, "r") as file:
        group = file["fclib_global"]
        dense = [csc_matrix((m["x"][:], m["i"][:], m["p"][:]), shape=(m["m"][0], m["n"][0])).toarray()
                 for m in (group["M"], group["H"])]
        return (*dense, *(group["vectors"][name][:] for name in ("f", "w", "mu")))
