"""Debian's packages that the scripts of this folder take. What is missing ends them with a line that says what to install."""
import importlib.util
import os
import sys

PACKAGES = {"numpy": "python3-numpy", "h5py": "python3-h5py", "scipy": "python3-scipy", "ensurepip": "python3-venv"}


def stop(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def need(*modules, later=()):
    """ends the script where one of the modules is missing; the line then names those, too, that are wanted `later`"""
    missing = [name for name in (*modules, *later) if importlib.util.find_spec(name) is None]
    if set(missing) & set(modules):
        stop("this takes packages that are missing: apt-get install " + " ".join(PACKAGES[name] for name in missing))
