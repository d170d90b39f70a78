"""Solvers in Python (--plugin FILE.py), as a user meets them: good ones, and what tests/plugins/bad.py does wrong.

    NCPBENCH=build/ncpbench python3 tests/python_solvers.py [Class...]

Each class is a test of ctest (python_solvers_Class). Skipped (77) where the program was built without Python."""
import json
import os
import re
import shutil
import signal
import sys
import time
import unittest

import h5py
import numpy

from cli_case import PROGRAM, QUICK, Case, parameters_of, runs_of, start, write_fclib
from plugins import ROOT, SOURCES, compile_plugin, environment

EXAMPLE, BAD, MULTIGRID = (os.path.join(SOURCES, name) for name in ("example.py", "bad.py", "multigrid.py"))
ONE = ["--steps", "1", "--newton-iterations", "1", "--repeat", "0", "--warmup", "0"]
# of a solver whose first lines are these
HEAD = "import ctypes, numpy\nfrom ncpbench import linear_solver, preconditioner, Option\n"


def at(text):
    """where bad.py has this text"""
    with open(BAD, encoding="utf-8") as file:
        number, = [number for number, line in enumerate(file, 1) if text in line]
    return f"bad.py, line {number}"


class PythonCase(Case):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def printed(self, text, *arguments, **options):
        """what a file's functions print in a run, line by line"""
        self.write("mine.py", HEAD + text)
        _, err = self.ncpbench("run", "arch", "--plugin", "mine.py", *ONE, *arguments, "-o", "a.h5", "--force", status=None, **options)
        self.assertNotIn("ncpbench: ", err)
        return err.splitlines()

    def listed(self, plugin, kind="linear-solvers", **options):
        out, _ = self.ncpbench("list", kind, "--format", "json", "--plugin", plugin, **options)
        return {entry["name"]: entry for entry in json.loads(out)[kind] if entry.get("plugin")}

    def fails(self, arguments, *says, **options):
        """one line, of the solver and what is wrong, and status 3 or 1"""
        process = start(arguments, cwd=self.folder.name, **options)
        _, err = process.communicate(timeout=60)
        lines = [line for line in err.splitlines() if not line.startswith(("no run was finished", "["))]
        self.assertIn(process.returncode, (1, 3), err)
        self.assertEqual(len(lines), 1, err)
        for word in says:
            self.assertIn(word, lines[0])

    def columns(self, name):
        """residuals of each run's first solve, by linear solver and preconditioner"""
        with h5py.File(self.path(name)) as record:
            return {(r.attrs["linear_solver"], r.attrs["preconditioner"]): r["linear/residual_l2"][0, 0]
                    for r in record["runs"].values()}


class Loading(PythonCase):
    def test_listed(self):
        self.assertEqual(list(self.listed(EXAMPLE)), ["python-cr", "scipy-cg", "scipy-lu"])
        power, = self.listed(EXAMPLE, "preconditioners")["python-diagonal"]["options"]
        self.assertEqual((power["name"], power["default"], power["minimum"], power["maximum"]), ("power", 1, 0, 1))
        self.assertEqual(self.listed(EXAMPLE)["python-cr"]["summary"], "conjugate residuals (example in Python)")

    def test_options(self):
        self.write("mine.py", HEAD + """
@linear_solver("mine", my_level=Option(2, "a level", 0, 5), kind=Option("b", choices=("a", "b")), share=0.5)
def solve(A, b, x, request, my_level, kind, share):
    print(repr((my_level, kind, share)))
""")
        for options, expected in ([], "(2, 'b', 0.5)"), (["my-level=4", "kind=a", "share=2"], "(4, 'a', 2.0)"):
            arguments = [word for option in options for word in ("--solver-option", option)]
            _, err = self.ncpbench("run", "arch", "--plugin", "mine.py", "--linear-solver", "mine", *arguments, *ONE, "-o", "a.h5", "--force")
            self.assertIn(expected, err.splitlines())
        self.assertEqual(parameters_of(runs_of(self.path("a.h5"))[0])["linear-solver.kind"], "a")
        self.refused("run", "arch", "--plugin", "mine.py", "--linear-solver", "mine", "--solver-option", "my-level=1.5", "-o", "b.h5", says=["my-level"])

    def test_two_files_and_modules_beside_them(self):
        self.write("beside.py", "NAME = 'first'\n")
        self.write("one.py", HEAD + "import beside\n@linear_solver(beside.NAME)\ndef f(A, b, x, request):\n    print(beside.NAME)\n")
        self.write("two.py", HEAD + "@linear_solver('second')\ndef f(A, b, x, request):\n    print('second')\n")
        _, err = self.ncpbench("run", "arch", "--plugin", "one.py", "--plugin", "two.py", "--linear-solver", "second,first", *ONE, "-o", "a.h5")
        self.assertEqual([line for line in err.splitlines() if line in ("first", "second")], ["second", "first"])
        self.only("a.h5", "beside.py", "one.py", "two.py")  # no __pycache__

    def test_faults(self):
        for bad, says in {
                "exit": [at('sys.exit("enough")') + ": calls sys.exit('enough')"],
                "raise": [at('raise ValueError("two') + ": ValueError: two lines"],
                "syntax": ["other.py, line 1: SyntaxError"],
                "thread": ["leaves a thread running"],
                "import": [at('import_module(') + ": ModuleNotFoundError: No module named 'no_such_module'"],
                "default": [at('linear_solver("bad", kind') + ": TypeError: the default 'a' of an option is no number"],
                "arguments": [at('linear_solver("bad")(') + ": TypeError: 'bad' must take (A, b, x, request)"],
                "no-name": [at('linear_solver(len)') + ": TypeError: the decorator takes a name"],
        }.items():
            with self.subTest(bad):
                self.refused("list", "--plugin", BAD, status=3, says=["bad.py", *says], env=environment(bad))
        self.write("empty.py", "")
        self.refused("list", "--plugin", "empty.py", status=3, says=["'empty.py'", "marks no function"])
        self.write("syntax.py", "def f(:\n")
        self.refused("list", "--plugin", "syntax.py", status=3, says=["syntax.py, line 1: SyntaxError"])
        self.write("taken.py", HEAD + "@linear_solver('pcr')\ndef f(A, b, x, request): pass\n")
        self.refused("list", "--plugin", "taken.py", status=3, says=["'pcr'", "taken by ncpbench itself"])
        self.refused("list", "--plugin", "missing.py", status=3, says=["missing.py", "No such file"])

    def test_no_numpy(self):
        os.mkdir(self.path("numpy"))
        self.write("numpy/__init__.py", "raise ImportError('hidden')\n")
        self.refused("list", "--plugin", EXAMPLE, status=3, says=["need NumPy", "hidden"], env=environment(PYTHONPATH=self.folder.name))

    def test_no_scipy(self):
        os.mkdir(self.path("scipy"))
        self.write("scipy/__init__.py", "raise ImportError('hidden')\n")
        self.write("mine.py", HEAD + "@linear_solver('mine', entries=True)\ndef f(A, b, x, request): pass\n")
        self.refused("list", "--plugin", "mine.py", status=3, says=["entries=True need SciPy"], env=environment(PYTHONPATH=self.folder.name))

    def test_another_python(self):
        self.write("pyvenv.cfg", "home = /usr/bin\nversion = 3.8.1\n")
        self.refused("list", "--plugin", EXAMPLE, status=3, says=["has Python 3.8", "built for 3."], env=environment(VIRTUAL_ENV=self.folder.name))

    def test_the_trial_ends_with_the_program(self):
        """a file is first loaded in a process of its own, which does not outlive the program"""
        self.write("hang.py", "import os, time\nopen('started', 'w').write(str(os.getpid()))\nos.rename('started', 'trial')\ntime.sleep(1000)\n")
        process = start(["list", "--plugin", "hang.py"], cwd=self.folder.name)
        while not os.path.exists(self.path("trial")):
            self.assertIsNone(process.poll())
        with open(self.path("trial"), encoding="ascii") as file:
            trial = int(file.read())
        self.assertNotEqual(trial, process.pid)
        process.kill()
        process.communicate(timeout=60)
        end = time.monotonic() + 30
        while os.path.exists(f"/proc/{trial}/cmdline") and open(f"/proc/{trial}/cmdline", "rb").read() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertFalse(os.path.exists(f"/proc/{trial}/cmdline") and open(f"/proc/{trial}/cmdline", "rb").read())

    def test_a_python_that_is_not_there(self):
        """the shared object names the library of the Python that it was built for"""
        shutil.copy(PROGRAM, self.path("ncpbench"))
        with open(os.path.join(os.path.dirname(PROGRAM), "ncpbench-python.so"), "rb") as file:
            built = file.read()
        with open(self.path("ncpbench-python.so"), "wb") as file:
            file.write(re.sub(rb"libpython3\.\d", b"libpython3.x", built))
        process = start(["list", "--plugin", EXAMPLE], executable=self.path("ncpbench"))
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, err)
        self.assertRegex(err, r"\Ancpbench: plugin '.*example\.py' cannot be loaded: libpython3\.x.*\n\Z")

    def test_a_program_without_python(self):
        shutil.copy(PROGRAM, self.path("ncpbench"))
        for arguments, status, says in ((["list", "--plugin", EXAMPLE], 64, "built without Python"), (["list", "methods"], 0, "")):
            process = start(arguments, executable=self.path("ncpbench"))
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, status, err)
            self.assertIn(says, err)
            self.assertLessEqual(err.count("\n"), 1)


class Solvers(PythonCase):
    def test_iterates_of_pcr(self):
        """conjugate residuals in Python go through the iterates of pcr; SciPy's through those of pcg"""
        for precision, most, count in ("f64", 1e-8, 20), ("f32", 1e-2, 10):  # rounding grows with iterations
            self.ncpbench("run", "arch", "--plugin", EXAMPLE, "--linear-solver", "python-cr,pcr,scipy-cg,pcg", "--preconditioner", "none",
                          "--linear-iterations", "20", "--precision", precision, *ONE, "-o", "a.h5", "--force")
            found = self.columns("a.h5")
            for mine, built_in in ("python-cr", "pcr"), ("scipy-cg", "pcg"):
                ours, theirs = found[mine, "none"], found[built_in, "none"]
                self.assertEqual((len(ours), numpy.count_nonzero(theirs > 0)), (21, 21))
                self.assertLess(numpy.max(abs(ours / theirs - 1)[:count + 1]), most, (mine, precision))

    def test_preconditioners(self):
        """the inverse diagonal is `jacobi`, in a solver of the program's and in SciPy's"""
        self.ncpbench("run", "arch", "--plugin", EXAMPLE, "--linear-solver", "scipy-cg,pcr", "--preconditioner", "python-diagonal,jacobi",
                      "--linear-iterations", "20", *ONE, "-o", "a.h5")
        found = self.columns("a.h5")
        for solver in "scipy-cg", "pcr":
            numpy.testing.assert_allclose(found[solver, "python-diagonal"][:10], found[solver, "jacobi"][:10], rtol=1e-8, err_msg=solver)

    def test_entries(self):
        """a direct solver on them reaches round-off"""
        self.ncpbench("run", "arch", "--form", "stiffness", "--plugin", EXAMPLE, "--linear-solver", "scipy-lu", *ONE, "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            newton = record["runs/0000/newton"]
            legend = dict(item.split("=") for item in newton["linear_reason"].attrs["legend"].split())
            self.assertEqual(legend[str(int(newton["linear_reason"][0, 0]))], "exact")
            self.assertLess(newton["linear_residual"][0, 0], 1e-8)  # of a condition of 1e6

    def test_nothing_is_copied(self):
        """by addresses: entries are the same two arrays for two classes, which know nothing of each other, and x is where the program reads"""
        lines = self.printed("""
@preconditioner("second", entries=True)
def set_up(A):
    print("entries", A.entries.data.ctypes.data, A.entries.indices.ctypes.data, A.entries.data.flags.owndata, A.entries.data.flags.writeable)
    return lambda r, z: z.__setitem__(slice(None), r)


@linear_solver("first", entries=True, preconditioned=True)
def solve(A, b, x, request):
    print("entries", A.entries.data.ctypes.data, A.entries.indices.ctypes.data, A.entries.data.flags.owndata, A.entries.data.flags.writeable)
    print("b", b.flags.writeable, b.flags.owndata, x.flags.writeable, x.flags.owndata)
    ctypes.c_double.from_address(x.ctypes.data + 8).value = 0.25
    print("residual", numpy.linalg.norm(b - A @ x) / numpy.linalg.norm(b))
    print("x", x[1], float(abs(A.entries @ x - A @ x).max()) < 1e-14 * abs(A.entries).max())
""", "--linear-solver", "first", "--preconditioner", "second")
        entries = [line for line in lines if line.startswith("entries")]
        self.assertEqual(len(entries), 2)
        self.assertEqual(entries[0], entries[1])
        self.assertTrue(entries[0].endswith("False False"), entries[0])
        self.assertIn("b False False True False", lines)
        self.assertIn("x 0.25 True", lines)
        residual, = [float(line.split()[1]) for line in lines if line.startswith("residual")]
        with h5py.File(self.path("a.h5")) as record:  # of what the program found in x
            self.assertAlmostEqual(record["runs/0000/newton/linear_residual"][0, 0] / residual, 1, 12)
        self.assertGreater(abs(residual - 1), 1e-4)  # that of x = 0

    def test_products(self):
        """of contiguous arrays of any origin, whole rows of matrices and arrays of one column among them"""
        for precision in "f64", "f32":
            lines = self.printed("""
@linear_solver("mine", entries=True)
def solve(A, b, x, request):
    a, n, most = A.entries.toarray(), len(b), 1e-12 if b.dtype == "f8" else 1e-4
    y = numpy.zeros((3, n), b.dtype)
    A.apply(b, y[1])
    A.apply(b.reshape(n, 1), x)
    print("products", (y[[0, 2]] == 0).all(), (y[1] == x).all(), abs(a @ b - x).max() < most * abs(a).max(), abs(A.matvec(b[::-1]) - a @ b[::-1]).max() < most * abs(a).max())
    print("diagonal", (a.diagonal() == A.diagonal()).all() or abs(a.diagonal() - A.diagonal()).max() < most * abs(a).max(), A.shape == a.shape, A.dtype == b.dtype)
    print("blocks", A.block_start[0], A.block_start[-1] == n, A.group_start[-1] == len(A.block_start) - 1)
""", "--linear-solver", "mine", "--precision", precision)
            self.assertIn("products True True True True", lines)
            self.assertIn("diagonal True True True", lines)
            self.assertIn("blocks 0 True True", lines)

    def test_set_up_is_apart(self):
        """what set_up takes is set-up, and neither the interpreter nor the file are; a preconditioner may take products with A"""
        self.write("mine.py", HEAD + """
import time
time.sleep(1)
def timed(what, seconds):
    start = time.perf_counter()
    time.sleep(seconds)
    with open("own.txt", "a") as own:
        print(what, time.perf_counter() - start, file=own)
def build(A):
    timed("setup_s", 0.05)
    return 7
@linear_solver("mine", set_up=build)
def solve(A, b, x, request):
    assert request.set_up == 7
    timed("solve_s", 0.1)
@preconditioner("square")
def square(A):
    y = numpy.empty(A.shape[0], A.dtype)
    def apply(r, z):
        A.apply(r, y)
        z[:] = r + y
    return apply
""")
        self.ncpbench("run", "arch", "--plugin", "mine.py", "--linear-solver", "mine,pcr", "--preconditioner", "square", *ONE, "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            with open(self.path("own.txt")) as own: # a busy machine wakes late from a sleep; trials come before the run
                for what, seconds in dict(map(str.split, own)).items():
                    apart = record["runs/0000/newton"][what][0, 0] - float(seconds)
                    self.assertTrue(0 <= apart < 1, f"{what}: {apart} s beside its own {seconds} s")
            self.assertGreater(numpy.count_nonzero(record["runs/0001/linear/residual_l2"][0, 0] > 0), 2)

    def test_own_norm(self):
        """only where a solver tells it; the start is before any"""
        self.write("mine.py", HEAD + "@linear_solver('mine')\ndef f(A, b, x, request):\n    request.monitor(x, 3.0)\n    request.monitor(x)\n    return 'iterations'\n")
        self.ncpbench("run", "arch", "--plugin", "mine.py", "--linear-solver", "mine,pcr", *ONE, "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            numpy.testing.assert_array_equal(record["runs/0000/linear/own_norm"][0, 0, :3], [numpy.nan, 3, numpy.nan])
            self.assertNotIn("own_norm", record["runs/0001/linear"])

    def test_reasons_and_iterations(self):
        for returned, reason, count in ("None", "stagnated", 1), ("'breakdown'", "breakdown", 1), ("('iterations', 3)", "iterations", 3), ("5", "stagnated", 5):
            self.write("mine.py", HEAD + f"@linear_solver('mine')\ndef f(A, b, x, request):\n    x[:] = b\n    return {returned}\n")
            self.ncpbench("run", "arch", "--plugin", "mine.py", "--linear-solver", "mine", *ONE, "-o", "a.h5", "--force")
            with h5py.File(self.path("a.h5")) as record:
                newton = record["runs/0000/newton"]
                legend = dict(item.split("=") for item in newton["linear_reason"].attrs["legend"].split())
                self.assertEqual((legend[str(int(newton["linear_reason"][0, 0]))], newton["linear_iterations"][0, 0]), (reason, count), returned)

    def test_time_of_products(self):
        """A.apply of 72 rows takes at most 1 us longer than the product in C: the least of many"""
        if "sanitize" in PROGRAM or os.path.basename(os.path.dirname(PROGRAM)) != "release":
            self.skipTest("no release build")
        self.write("c.c", """
#include <ncpbench/plugin.h>
#include <stdio.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static const char *solve(void *s, const ncpbench_system_f64 *a, const ncpbench_request_f64 *r, double *x, ncpbench_outcome *o) {
    double y[72], least = 1;
    (void)s, (void)r, (void)x;
    for (int k = 0; k < 200; k++) {
        double start = now();
        for (int i = 0; i < 1000; i++) a->apply(a->host, a->b, y);
        if (now() - start < 1000 * least) least = (now() - start) / 1000;
    }
    fprintf(stderr, "C: %.17g\\n", least);
    o->reason = NCPBENCH_ITERATIONS;
    return 0;
}
static const ncpbench_solver_f64 f64 = {.size = sizeof f64, .solve = solve};
static const ncpbench_class timed = {.size = sizeof timed, .name = "in-c", .summary = "times products", .solver_f64 = &f64};
static const ncpbench_class *const classes[] = {&timed, 0};
NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(uint32_t abi) {
    static const ncpbench_plugin plugin = {NCPBENCH_PLUGIN_ABI, sizeof plugin, classes};
    (void)abi;
    return &plugin;
}
""")
        compile_plugin(self.path("c.c"), self.path("c.so"), f"-I{ROOT}/core")
        self.write("mine.py", HEAD + """
import time
@linear_solver("in-python")
def solve(A, b, x, request):
    y, least, times = numpy.empty_like(b), 1, range(1000)
    for k in range(200):
        start = time.perf_counter()
        for i in times:
            A.apply(b, y)
        least = min(least, (time.perf_counter() - start) / 1000)
    print("Python:", least)
    return "iterations"
""")
        _, err = self.ncpbench("run", "wall", "--set", "width=1", "--set", "height=3", "--plugin", "./c.so", "--plugin", "mine.py",
                               "--linear-solver", "in-c,in-python", *ONE, "-o", "a.h5", status=None)
        times = {line.split()[0]: float(line.split()[1]) for line in err.splitlines() if line.startswith(("C: ", "Python: "))}
        self.assertTrue(0 < times["Python:"] - times["C:"] < 1e-6, times)

    def test_multigrid(self):
        _, err = self.ncpbench("run", "wall", "--form", "stiffness", "--plugin", MULTIGRID, "--linear-solver", "pcg", "--preconditioner", "pyamg,none",
                               "--linear-iterations", "50", *ONE, "-o", "a.h5", status=None)
        if "PyAMG is not installed" in err:
            self.skipTest("PyAMG is not installed")
        found = self.columns("a.h5")
        self.assertLess(found["pcg", "pyamg"][-1], found["pcg", "none"][-1] / 10)


class Methods(PythonCase):
    def test_solution(self):
        """of a step whose solution is one: forces and velocities of method interior-point"""
        common = ["--steps", "3", "--newton-tolerance", "1e-10", "--newton-iterations", "2000", "--repeat", "0"]
        self.ncpbench("run", "incline", "--plugin", EXAMPLE, "--method", "python-nsgs", *common, "-o", "a.h5")
        self.ncpbench("run", "incline", "--method", "interior-point", *common, "-o", "b.h5")
        with h5py.File(self.path("a.h5")) as ours, h5py.File(self.path("b.h5")) as theirs:
            self.assertGreater(numpy.linalg.norm(theirs["runs/0000/final/u"]), 1e-3)
            numpy.testing.assert_allclose(ours["runs/0000/final/u"][:], theirs["runs/0000/final/u"][:], atol=1e-9)

    def test_warm_start(self):
        """from the impulses of the same contacts in the step before, later steps take fewer sweeps"""
        sweeps = {}
        for start_from in "previous", "zero":
            self.ncpbench("run", "incline", "--plugin", EXAMPLE, "--method", "python-nsgs", "--method-option", f"start={start_from}", "--steps", "3",
                          "--warm-start", "off", "--newton-tolerance", "1e-6", "--newton-iterations", "400", "--repeat", "0", "-o", "a.h5", "--force", status=None)
            with h5py.File(self.path("a.h5")) as record:
                sweeps[start_from] = [int(count) - 1 for count in record["runs/0000/newton/count"]]
        self.assertEqual(sweeps["previous"][0], sweeps["zero"][0])
        self.assertLess(sum(sweeps["previous"][1:]), 0.5 * sum(sweeps["zero"][1:]), sweeps)

    def test_what_it_is_given(self):
        """identity of contacts from step to step, frames, and W as operator, entries and blocks"""
        self.write("mine.py", HEAD.replace("linear_solver", "method") + """
@method("mine", iterations=7)
def solve(problem, r, request):
    p, W, contacts = problem, problem.W, range(problem.contacts)
    names = [(*p.pairs[c], p.features[c]) for c in contacts]
    before = p.memory.get("names", [])
    expected = [before.index(name) if name in before else -1 for name in names]
    print("previous", len(set(names)) == len(names), list(p.previous) == expected, "new", expected.count(-1), "of", len(expected))
    p.memory["names"] = names
    print("frames", float(abs(p.frames @ p.frames.transpose(0, 2, 1) - numpy.eye(3)).max()) < 1e-12, float(abs(numpy.linalg.det(p.frames) - 1).max()) < 1e-12)
    w, x, y = W.entries.toarray(), numpy.sin(numpy.arange(len(r))), numpy.empty(len(r))
    W.apply(x, y)
    print("W", float(abs(w @ x - y).max()) < 1e-12 * abs(w).max(), p.q.shape == r.shape, p.mu.shape == (p.contacts,), len(r) == p.joints + 3 * p.contacts)
    blocks = [w[row:row + 3, row:row + 3] for row in range(p.joints, len(r), 3)]
    print("blocks", W.blocks.shape == (p.contacts, 3, 3), numpy.array_equal(W.blocks, blocks), W.entries.data.flags.owndata, W.entries.data.flags.writeable)
    print("limit", request.iterations)
    request.remark, request.factorizations = "a remark", 3
    request.monitor(r)
    return "stagnated", 5
""")
        _, err = self.ncpbench("run", "piling", "--plugin", "mine.py", "--method", "mine", "--steps", "3", "--settle", "60", "--repeat", "0", "--warmup", "0", "-o", "a.h5", status=None)
        lines = err.splitlines()
        for line in ("frames True True", "W True True True True", "blocks True True False False", "limit 7"):
            self.assertEqual(lines.count(line), 3, f"{line}: {err}")
        found = [line.split() for line in lines if line.startswith("previous")]
        self.assertEqual([words[1:3] for words in found], 3 * [["True", "True"]], err)
        self.assertEqual(found[0][4], found[0][6])
        self.assertTrue(all(0 <= int(words[4]) < int(words[6]) for words in found[1:]), err)
        with h5py.File(self.path("a.h5")) as record:
            newton = record["runs/0000/newton"]
            self.assertEqual(record["runs/0000"].attrs["method_words"], "a remark")
            self.assertEqual(newton["factorisations"][0, :2].sum(), 3)

    def test_problem_file(self):
        """contacts of a file have no bodies"""
        write_fclib(self.path("p.hdf5"), numpy.diag([2.0, 3.0, 3.0]), [-1.0, 0.5, 0.0], [0.7])
        self.write("mine.py", HEAD.replace("linear_solver", "method") + """
@method("mine")
def solve(problem, r, request):
    print("file", problem.pairs is None, problem.joints, problem.W.blocks.tolist())
    r[:] = 0.5, -1 / 6, 0
""")
        out, err = self.ncpbench("solve", "p.hdf5", "--plugin", "mine.py", "--method", "mine", "--relative-tolerance", "1e-8", "-o", "a.h5")
        self.assertIn("file True 0 [[[2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]]", err.splitlines())
        self.assertIn("converged", out)

    def test_graph(self):
        """the nodes of each group, for preconditioners and solvers: bodies of an arch, two a joint between voussoirs"""
        lines = self.printed("""
@preconditioner("mine")
def set_up(A):
    count = numpy.diff(A.node_start)
    print("graph", len(A.node_start) == len(A.group_start), A.node_start[-1] == len(A.nodes), set(count.tolist()) <= {1, 2}, len({tuple(A.nodes[i:k]) for i, k in zip(A.node_start, A.node_start[1:])}) == len(count))
    return lambda r, z: z.__setitem__(slice(None), r)
""", "--preconditioner", "mine")
        self.assertIn("graph True True True True", lines)

    def test_positions(self):
        """of the blocks' bodies and particles in the form `stiffness`: of the second step, where the first one left them"""
        self.write("mine.py", HEAD + """
@preconditioner("mine")
def set_up(A):
    numpy.save("positions.npy", A.positions)
    return lambda r, z: z.__setitem__(slice(None), r)
""")
        for scene, table in ("arch", "q"), ("soft-stack", "particle_x"):
            self.ncpbench("run", scene, "--steps", "2", *ONE[2:], "--plugin", "mine.py", "--preconditioner", "mine", "--form", "stiffness", "--store-states", "1", "-o", "a.h5",
                          "--force", status=None)
            found = numpy.load(self.path("positions.npy"))
            with h5py.File(self.path("a.h5")) as record:
                stored = {tuple(row) for row in record["runs/0000/states/" + table][0, :, :3].tolist()}
            self.assertGreater(len(found), 5)
            self.assertTrue({tuple(row) for row in found.tolist()} <= stored, scene)

    def test_faults(self):
        for body, says in {
                "raise ValueError('mine')": ["method 'mine'", "solve: mine.py, line 5: ValueError: mine"],
                "r[2] = float('nan')": ["method 'mine'", "solve: entry 2 of", "is nan"],
                "return r": ["mine.py, line 3: returns an array of shape", "r[:] = ..."],
                "problem.q[0] = 1": ["line 5: ValueError: assignment destination is read-only"],
                "problem.W.apply(r, r)": ["line 5: ValueError: W.apply: the two vectors overlap"],
        }.items():
            self.write("mine.py", HEAD.replace("linear_solver", "method") + f"@method('mine')\ndef solve(problem, r, request):\n    {body}\n")
            self.fails(["run", "arch", "--plugin", "mine.py", "--method", "mine", *ONE, "-o", "a.h5"], *says)


class Faults(PythonCase):
    def run_bad(self, bad, *arguments, solver="--linear-solver bad"):
        return "run", "arch", "--plugin", BAD, *solver.split(), *QUICK, *arguments, "-o", "a.h5", "--force"

    def ends(self, bad, *says, arguments=(), **options):
        self.fails(self.run_bad(bad, *arguments, **options), " 'bad", "bad.py': ", *says, env=environment(bad))

    def test_functions(self):
        for bad, says in {
                "exit": ["solve: " + at('"exit": lambda') + ": calls sys.exit(3)"],
                "raise": ["solve: " + at('"raise": lambda') + ": LinAlgError: Matrix is not positive definite"],
                "nan": ["solve: entry 3 of", "is nan"],
                "shape": ["solve: " + at('"shape": lambda') + ": ValueError", "(5,)"],
                "type": [at('"type": lambda') + ": TypeError: A.apply: the first vector must be a contiguous array of", "float64", "of type 'l'"],
                "precision": [at('"precision": lambda'), "float64", "of type 'f'"],
                "short": [at('"short": lambda'), "numbers (got"],
                "strided": [at('"strided": lambda'), "not contiguous"],
                "list": [at('"list": lambda'), "got list"],
                "overlap": [at('"overlap": lambda') + ": ValueError: A.apply: the two vectors overlap"],
                "write": [at('"write": lambda') + ": ValueError", "read-only"],
                "write-by-apply": [at('"write-by-apply"') + ": TypeError: A.apply: the second vector", "read-only"],
                "returns": [at('@linear_solver("bad", set_up') + ": returns an array of shape", "x[:] = ..."],
                "reason": [at('@linear_solver("bad", set_up') + ": returns 'fine'; reasons are converged"],
                "late": ["set_up_values: " + at('kept[0].apply') + ": RuntimeError: it is used outside the call"],
                "leave": ["ends the program (exit status 0)"],
                "crash": ["solve crashes (Segmentation fault)"],
        }.items():
            with self.subTest(bad):
                self.ends("in-" + bad, *says)
        self.ends("in-short", "float32", arguments=["--precision", "f32"])

    def test_preconditioners(self):
        for bad, says in {
                "p-none": ["set_up_values: " + at('@preconditioner("bad-precond")') + ": returns None and no function apply(r, z)"],
                "p-raise": ["set_up_values: " + at('raise KeyError') + ": KeyError: 'mine'"],
                "p-apply": ["set_up_values: " + at('raise ValueError("of an') + ": ValueError: of an application"],
                "p-late": ["set_up_values: " + at('raise ValueError("of an') + ": ValueError: of an application"],
                "p-returns": ["set_up_values: " + at('def apply(r, z)') + ": returns a value", "z[:] = ..."],
        }.items():
            with self.subTest(bad):
                self.ends(bad, *says, solver="--linear-solver pcr --preconditioner bad-precond")

    def test_a_last_application(self):
        """nobody asks for its fault: a line on standard error tells it, and the run is there"""
        _, err = self.ncpbench("run", "arch", "--plugin", BAD, "--preconditioner", "bad-precond", *ONE, "-o", "a.h5", env=environment("p-late"), status=None)
        self.assertEqual(err.count("ncpbench: " + at('raise ValueError("of an') + ": ValueError: of an application\n"), 1, err)
        self.only("a.h5")

    def test_hangs(self):
        for bad in "in-hang", "in-sleep":
            begin = time.monotonic()
            process = start(self.run_bad(bad, "--plugin-limit", "1"), cwd=self.folder.name, env=environment(bad))
            _, err = process.communicate(timeout=60)
            self.assertIn("the run takes more than 1 s (--plugin-limit) and is in solve", err)
            self.assertEqual(process.returncode, 3)
            self.assertLess(time.monotonic() - begin, 30)

    def test_interrupt(self):
        process = start(self.run_bad("in-hang"), cwd=self.folder.name, env=environment("in-hang"))
        while process.stderr.readline().strip() != "spinning":
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def test_a_thread_left_behind(self):
        """it ends with its run, and the run is there"""
        out, _ = self.ncpbench(*self.run_bad("in-thread"), env=environment("in-thread"))
        self.assertRegex(out, r"(?m)^arch +bad ")

    def test_prints_are_messages(self):
        out, err = self.ncpbench(*self.run_bad("in-print"), env=environment("in-print"))
        self.assertNotIn("a line", out)
        self.assertIn("a line", err.splitlines())

    def test_other_solvers_go_on(self):
        out, err = self.ncpbench(*self.run_bad("in-raise", solver="--linear-solver bad,pcr"), env=environment("in-raise"), status=None)
        self.assertRegex(out, r"(?m)^arch +pcr ")
        self.assertEqual(len(re.findall("LinAlgError", err)), 1)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(os.path.dirname(PROGRAM), "ncpbench-python.so")):
        print("SKIPPED: ncpbench was built without Python (python3-dev)")
        sys.exit(77)
    unittest.main()
