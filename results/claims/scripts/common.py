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
