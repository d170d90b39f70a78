"""A file of solvers that does wrong what the variable BAD says (tests/python_solvers.py)."""
import ctypes
import importlib
import os
import sys
import threading
import time

import numpy
from ncpbench import linear_solver, preconditioner

BAD = os.environ.get("BAD", "")
kept = []

if BAD == "exit":
    sys.exit("enough")
elif BAD == "raise":
    raise ValueError("two\nlines")
elif BAD == "syntax":
    exec(compile("a = = 3", "other.py", "exec"))
elif BAD == "thread":
    threading.Thread(target=time.sleep, args=(1000,)).start()
elif BAD == "import":
    importlib.import_module("no_such_module")
elif BAD == "default":
    linear_solver("bad", kind="a")(lambda A, b, x, request, kind: None)
elif BAD == "arguments":
    linear_solver("bad")(lambda A, b: None)
elif BAD == "no-name":
    linear_solver(len)


def spin():
    print("spinning", flush=True)
    while True:
        pass


WRONG = {
    "exit": lambda A, b, x: sys.exit(3),
    "raise": lambda A, b, x: numpy.linalg.cholesky(-numpy.eye(3)),
    "nan": lambda A, b, x: x.put(3, numpy.nan),
    "shape": lambda A, b, x: numpy.copyto(x, numpy.zeros(5)),
    "type": lambda A, b, x: A.apply(numpy.zeros(len(b), int), x),
    "precision": lambda A, b, x: A.apply(b.astype("f4"), x),
    "short": lambda A, b, x: A.apply(b[1:], x),
    "strided": lambda A, b, x: A.apply(numpy.zeros(2 * len(b))[::2], x),
    "list": lambda A, b, x: A.apply([1.0], x),
    "overlap": lambda A, b, x: A.apply(x, x),
    "write": lambda A, b, x: b.fill(1),
    "write-by-apply": lambda A, b, x: A.apply(x, b),
    "returns": lambda A, b, x: b.copy(),
    "reason": lambda A, b, x: "fine",
    "late": lambda A, b, x: kept.append(A),
    "hang": lambda A, b, x: spin(),
    "sleep": lambda A, b, x: time.sleep(1000),
    "leave": lambda A, b, x: os._exit(0),
    "crash": lambda A, b, x: ctypes.string_at(0),
    "thread": lambda A, b, x: threading.Thread(target=time.sleep, args=(1000,)).start(),
    "print": lambda A, b, x: print("a line"),
}


def build(A):
    if kept:
        kept[0].apply(numpy.zeros(A.shape[0]), numpy.zeros(A.shape[0]))


@linear_solver("bad", set_up=build)
def solve(A, b, x, request):
    return WRONG.get(BAD.removeprefix("in-"), lambda A, b, x: None)(A, b, x) if BAD.startswith("in-") else None


@preconditioner("bad-precond")
def set_up(A):
    if BAD == "p-none":
        return None
    if BAD == "p-raise":
        raise KeyError("mine")
    count = 0

    def apply(r, z):
        nonlocal count
        count += 1
        if BAD == "p-apply" or BAD == "p-late" and count > 4:
            raise ValueError("of an application")
        z[:] = r
        return r if BAD == "p-returns" else None
    return apply
