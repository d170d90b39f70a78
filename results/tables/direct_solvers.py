#!/usr/bin/env python3
"""Direct solvers beside their libraries called alone, on Matrix Market files: direct-solvers.md.

    python3 results/tables/direct_solvers.py PROGRAM FILE.mtx... >table.md

The libraries are called by ctypes with their own defaults, on the columns of the file as SciPy reads it, without the harness's ordering of large systems,
its refinement, or its reading by rows. Each line has nonzeros of L and U, milliseconds of analysis and factorization (the least of ROUNDS), and
|b - A x| / |b| for b = A (1, .., 1).
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

import h5py
import numpy
import scipy.io

ROUNDS = 5
LIMIT_S = 60
I64 = ctypes.POINTER(ctypes.c_int64)
F64 = ctypes.POINTER(ctypes.c_double)


def pointers(a):
    a = a.tocsc()
    a.sum_duplicates()
    a.sort_indices()
    start, index, value = a.indptr.astype("i8"), a.indices.astype("i8"), a.data.astype("f8")
    return (start, index, value), (start.ctypes.data_as(I64), index.ctypes.data_as(I64), value.ctypes.data_as(F64))


def klu(a, b):
    """(nonzeros, seconds, x); struct klu_l_numeric begins with n, nblocks, lnz, unz"""
    library = ctypes.CDLL("libklu.so")
    common = ctypes.create_string_buffer(4096)
    kept, (start, index, value) = pointers(a)
    library.klu_l_defaults(common)
    for name in ("klu_l_analyze", "klu_l_factor"):
        getattr(library, name).restype = ctypes.c_void_p
    begin = time.perf_counter()
    symbolic = ctypes.c_void_p(library.klu_l_analyze(ctypes.c_int64(a.shape[0]), start, index, common))
    numeric = ctypes.c_void_p(library.klu_l_factor(start, index, value, symbolic, common))
    seconds = time.perf_counter() - begin
    if not symbolic or not numeric:
        return numpy.nan, seconds, 0 * b
    counts = ctypes.cast(numeric, I64)
    nonzeros, x = counts[2] + counts[3], b.copy()
    library.klu_l_solve(symbolic, numeric, ctypes.c_int64(len(b)), ctypes.c_int64(1), x.ctypes.data_as(F64), common)
    library.klu_l_free_numeric(ctypes.byref(numeric), common)
    library.klu_l_free_symbolic(ctypes.byref(symbolic), common)
    return nonzeros, seconds, x


def umfpack(a, b):
    """(nonzeros, seconds, x); UMFPACK_LNZ and UMFPACK_UNZ are 43 and 44 of its information"""
    library = ctypes.CDLL("libumfpack.so")
    kept, (start, index, value) = pointers(a)
    control, info = (ctypes.c_double * 20)(), (ctypes.c_double * 90)()
    symbolic, numeric = ctypes.c_void_p(), ctypes.c_void_p()
    n = ctypes.c_int64(a.shape[0])
    library.umfpack_dl_defaults(control)
    begin = time.perf_counter()
    library.umfpack_dl_symbolic(n, n, start, index, value, ctypes.byref(symbolic), control, info)
    status = library.umfpack_dl_numeric(start, index, value, symbolic, ctypes.byref(numeric), control, info)
    seconds = time.perf_counter() - begin
    nonzeros, x = info[43] + info[44], 0 * b
    if status == 0:
        library.umfpack_dl_solve(ctypes.c_int64(0), start, index, value, x.ctypes.data_as(F64), b.ctypes.data_as(F64), numeric, control, info)
    library.umfpack_dl_free_numeric(ctypes.byref(numeric))
    library.umfpack_dl_free_symbolic(ctypes.byref(symbolic))
    return nonzeros, seconds, x


def harness(program, file, solver, a, b):
    """(nonzeros, seconds, x) of the program's least of ROUNDS, or None beyond the limit"""
    least, nonzeros, x = numpy.inf, numpy.nan, 0 * b
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "a.h5")
        for _ in range(ROUNDS):
            try:
                out = subprocess.run([program, "solve", file, "--rhs", "ones", "--linear-solver", solver, "--repeat", "0", "-o", record, "--force"],
                                     capture_output=True, text=True, timeout=LIMIT_S, check=False)
            except subprocess.TimeoutExpired:
                return None
            if out.returncode not in (0, 1):
                sys.exit(out.stderr)
            with h5py.File(record) as file_of_run:
                run = file_of_run["runs/0000"]
                nonzeros, x = run["newton/factor_nonzeros"][0, 0], run["final/reaction"][:]
                least = min(least, run["steps/setup_s"][0])
    return nonzeros, least, x


def cell(result, a, b):
    if result is None:
        return f"over {LIMIT_S} s"
    nonzeros, seconds, x = result
    residual = numpy.linalg.norm(b - a @ x) / numpy.linalg.norm(b)
    if not residual < 1e-6:
        return "not solved"
    return f"{nonzeros:.0f}, {1e3 * seconds:.3g}, {residual:.0e}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print("| matrix | rows | nonzeros | `klu` | KLU alone | `umfpack` | UMFPACK alone | `multifrontal` |\n|---|---|---|---|---|---|---|---|")
    for file in sys.argv[2:]:
        a = scipy.io.mmread(file).tocsc().astype(float)
        b = a @ numpy.ones(a.shape[0])
        alone = {f: min((f(a, b) for _ in range(ROUNDS)), key=lambda result: result[1]) for f in (klu, umfpack)}
        results = [harness(sys.argv[1], file, "klu", a, b), alone[klu], harness(sys.argv[1], file, "umfpack", a, b), alone[umfpack],
                   harness(sys.argv[1], file, "multifrontal", a, b)]
        name = os.path.splitext(os.path.basename(file))[0]
        print(f"| {name} | {a.shape[0]} | {a.nnz} | " + " | ".join(cell(result, a, b) for result in results) + " |", flush=True)


if __name__ == "__main__":
    main()
