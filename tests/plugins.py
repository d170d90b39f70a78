"""Plugins and the installation, as a user meets them: good plugins, and bad ones (tests/plugins/bad.c, told what to do
wrong by the variable BAD).

    NCPBENCH=build/ncpbench python3 tests/plugins.py [Class...]

Each class is a test of ctest (plugins_Class). Plugins are compiled here, with the compiler in CC.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy

import readme
from cli_case import PATIENCE, QUICK, Case, parameters_of, runs_of, start, text, write_fclib

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")
ROOT = os.path.dirname(os.path.dirname(SOURCES))
CC = os.environ.get("CC", "cc")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# the sanitizers' handlers would print a page where a process without them just dies
QUIET = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:" \
    "use_sigaltstack=0:allocator_may_return_null=1"


def compile_plugin(source, output, *flags, compiler=CC):
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", *flags, source, "-o", output, "-lm"], check=True, timeout=PATIENCE)


def environment(bad=None, **more):
    env = {k: v for k, v in os.environ.items() if k not in ("BAD", "NCPBENCH_PLUGINS")}
    env["ASAN_OPTIONS"] = QUIET
    if bad:
        env["BAD"] = bad
    return {**env, **more}


class PluginCase(Case):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.TemporaryDirectory(prefix="ncpbench-plugins-")
        cls.addClassCleanup(cls.built.cleanup)
        for name in ("example", "bad", "method"):
            compile_plugin(os.path.join(SOURCES, f"{name}.c"), cls.so(name), f"-I{ROOT}/core", *WARNINGS)

    @classmethod
    def so(cls, name):
        return os.path.join(cls.built.name, f"{name}.so")

    def names(self, kind, *arguments, **options):
        out, _ = self.ncpbench("list", kind, "--format", "json", *arguments, **options)
        return {entry["name"]: entry for entry in json.loads(out)[kind]}


class Loading(PluginCase):
    """--plugin, and what is refused when a plugin is loaded"""

    def test_listed(self):
        solvers = self.names("linear-solvers", "--plugin", self.so("example"))
        entry = solvers["example-richardson"]
        self.assertEqual(entry["plugin"], self.so("example"))
        self.assertEqual([o["name"] for o in entry["options"]], ["omega"])
        self.assertNotIn("plugin", solvers["pcr"])
        self.assertEqual(list(solvers)[-1], "example-richardson")
        weight, = self.names("preconditioners", "--plugin", self.so("example"))["example-diagonal"]["options"]
        self.assertEqual(weight["choices"], ["row-sum", "diagonal"])
        self.assertEqual(weight["default"], "row-sum")
        out, _ = self.ncpbench("list", "linear-solvers", "--plugin", self.so("example"))
        self.assertIn(f"from {self.so('example')}", out)
        self.assertNotIn("example-richardson", self.names("linear-solvers"))

    def test_several(self):
        solvers = self.names("linear-solvers", "--plugin", self.so("example"), "--plugin", self.so("bad"),
                             "--plugin", self.so("example"))  # the second time changes nothing
        self.assertEqual(list(solvers)[-2:], ["example-richardson", "bad-solver"])

    def test_environment(self):
        both = f"{self.so('example')}::{self.so('bad')}"
        solvers = self.names("linear-solvers", env=environment(NCPBENCH_PLUGINS=both))
        self.assertEqual(list(solvers)[-2:], ["example-richardson", "bad-solver"])
        self.ncpbench("run", "arch", "--linear-solver", "bad-solver", *QUICK, "-o", "a.h5",
                      env=environment(NCPBENCH_PLUGINS=both))

    def test_a_name_without_a_folder_is_a_file_here(self):
        shutil.copy(self.so("example"), self.path("libanl.so.1"))  # not the system's
        self.assertIn("example-richardson", self.names("linear-solvers", "--plugin", "libanl.so.1"))

    def test_a_name_of_another_plugin(self):
        shutil.copy(self.so("bad"), self.path("copy.so"))
        self.refused("list", "--plugin", self.so("bad"), "--plugin", "copy.so", status=3,
                     says=["'bad-solver' of plugin 'copy.so'", "taken by " + self.so("bad")])

    def test_no_plugin(self):
        self.refused("list", "--plugin", self.folder.name, status=3, says=["not a regular file"])
        with open(self.path("text.so"), "w") as file:
            file.write("hello, I am a shared object " * 1000)
        self.refused("list", "--plugin", "text.so", status=3, says=["text.so", "cannot be loaded", "ELF"])
        with open(self.so("example"), "rb") as file:
            whole = file.read()
        for length in (10, 100, 1000, 5000, len(whole) // 2):
            with open(self.path("cut.so"), "wb") as file:
                file.write(whole[:length])
            self.refused("list", "--plugin", "cut.so", status=3, says=["plugin 'cut.so'"])
        with open(self.path("other.c"), "w") as file:
            file.write("int something;\n")
        compile_plugin(self.path("other.c"), self.path("other.so"))
        self.refused("list", "--plugin", "other.so", status=3, says=["other.so", "ncpbench_plugin_entry"])
        with open(self.path("needy.c"), "w") as file:
            file.write("extern int missing_symbol(void);\nint f(void) { return missing_symbol(); }\n")
        compile_plugin(self.path("needy.c"), self.path("needy.so"))
        self.refused("list", "--plugin", "needy.so", status=3, says=["needy.so", "missing_symbol"])

    def test_lies(self):
        for bad, says in {
                "null": ["returns NULL"],
                "wild": ["crashes while it is loaded"],
                "abi": ["ABI 999", "this program has 1"],
                "plugin-size": ["8 bytes"],
                "no-list": ["list of classes"],
                "empty-list": ["list of classes"],
                "endless-list": ["list of classes"],
                "crowd": ["more than 16 preconditioners"],
                "class-size": ["class 0 has 4 bytes"],
                "class-huge": ["class 0 has 2147483647 bytes"],
                "no-name": ["class 0 has no proper name"],
                "name": ["class 0 has no proper name"],
                "name-wild": ["crashes while it is loaded"],
                "name-taken": ["linear solver 'pcr'", "taken by ncpbench itself"],
                "precond-taken": ["preconditioner 'jacobi'", "taken by ncpbench itself"],
                "name-twice": ["'bad-precond'", "taken by the plugin itself"],
                "summary": ["'bad-solver'", "summary"],
                "flags": ["'bad-solver'", "flags 0x100"],
                "no-functions": ["'bad-solver'", "neither"],
                "both-kinds": ["'bad-solver'", "both"],
                "no-solve": ["'bad-solver'", "solve of solver_f64 is missing"],
                "no-apply": ["'bad-precond'", "apply of precond_f64 is missing"],
                "functions-size": ["'bad-solver'", "solver_f64 has 12 bytes"],
                "method-taken": ["method 'newton'", "taken by ncpbench itself"],
                "method-and-solver": ["'bad-method'", "both"],
                "no-method-solve": ["'bad-method'", "solve of method_f64 is missing"],
                "method-size": ["'bad-method'", "method_f64 has 16 bytes"],
                "method-count": ["'bad-method'", "-1 iterations"],
                "option-name": ["option 0"],
                "option-reserved": ["option 0", "'plugin'"],
                "option-twice": ["two options", "'level'"],
                "option-summary": ["'level'", "summary"],
                "option-default": ["'level'", "default 3"],
                "option-nan": ["'level'", "default nan"],
                "option-choice": ["'kind'", "default 2"],
                "option-no-choices": ["'kind'", "list of choices"],
                "option-count": ["1000000 options"],
                "option-size": ["an option has 8 bytes"],
                "option-wild": ["crashes while it is loaded"],
                "constructor-segv": ["crashes while it is loaded"],
                "constructor-exit": ["ends the program while it is loaded"],
                "entry-abort": ["crashes while it is loaded"],
                "entry-forty": ["ends the program while it is loaded"],
                "entry-exit": ["ends the program while it is loaded"],
        }.items():
            with self.subTest(bad):
                self.refused("list", "--plugin", self.so("bad"), status=3, says=["bad.so", *says], env=environment(bad))
        self.refused("run", "arch", "--plugin", self.so("bad"), "-o", "a.h5", status=3, says=["bad.so", "ABI"],
                     env=environment("abi"))
        self.refused("solve", "x.hdf5", "--plugin", self.so("bad"), status=3, says=["bad.so", "ABI"],
                     env=environment("abi"))
        self.only()

    def test_loading_that_never_ends(self):
        begin = time.monotonic()
        self.refused("list", "--plugin", self.so("bad"), status=3, says=["bad.so", "more than"],
                     env=environment("constructor-hang"))
        self.assertLess(time.monotonic() - begin, 30)

    def test_structures_of_a_newer_header(self):
        solvers = self.names("linear-solvers", "--plugin", self.so("bad"), env=environment("newer"))
        self.assertEqual([o["name"] for o in solvers["bad-solver"]["options"]], ["level", "kind"])

    def test_a_plugin_of_before_methods(self):
        plugin = ["--plugin", self.so("bad")]
        self.assertIn("bad-solver", self.names("linear-solvers", *plugin, env=environment("older")))
        self.assertNotIn("bad-method", self.names("methods", *plugin, env=environment("older")))

    def test_methods_are_listed(self):
        method = self.names("methods", "--plugin", self.so("method"))["example-sweeps"]
        self.assertEqual(method["plugin"], self.so("method"))
        self.assertEqual([o["name"] for o in method["options"]], ["relaxation", "told"])
        self.assertNotIn("example-sweeps", self.names("methods"))

    def test_names_and_options(self):
        plugin = ["--plugin", self.so("bad"), "-o", "a.h5"]
        self.refused("run", "arch", "--linear-solver", "bad-solvr", *plugin, says=["did you mean 'bad-solver'"])
        solver = ["--linear-solver", "bad-solver", *plugin]
        self.refused("run", "arch", *solver, "--solver-option", "levle=1", says=["'levle'", "did you mean 'level'"])
        self.refused("run", "arch", *solver, "--solver-option", "level=3", says=["level = 3", "0 to 2"])
        self.refused("run", "arch", *solver, "--solver-option", "kind=c", says=["'c'", "known: a, b"])
        self.refused("run", "arch", *solver, "--precision", "f32", says=["'bad-solver'", "f64 only"])
        self.refused("run", "arch", "--preconditioner", "bad-precond", *plugin, "--precision", "f64,f32",
                     says=["'bad-precond'", "f64 only"])
        self.refused("run", "arch", *solver, "--plugin-limit", "0", says=["--plugin-limit", "out of range"])
        self.only()


class Running(PluginCase):
    """good plugins: their runs are like any other"""

    def record(self, name):
        return h5py.File(self.path(name), "r")

    def test_richardson_is_jacobi(self):
        """x + P (b - A x) with P the inverse row sums is what the solver jacobi does in its variant l1"""
        common = ["--newton-iterations", "4", "--linear-iterations", "15", "--steps", "2", "--repeat", "0"]
        for precision, most in (("f64", 1e-9), ("f32", 2e-2)):  # rounding: 1e-16 and 6e-8, grown by Newton's iteration
            self.ncpbench("run", "arch", "--plugin", self.so("example"), "--linear-solver", "example-richardson",
                          "--preconditioner", "example-diagonal", "--precision", precision, *common, "-o", "a.h5")
            self.ncpbench("run", "arch", "--linear-solver", "jacobi", "--solver-option", "variant=l1",
                          "--precision", precision, *common, "-o", "b.h5")
            with self.record("a.h5") as a, self.record("b.h5") as b:
                ours, theirs = (r["runs/0000/linear/residual_l2"][:] for r in (a, b))
                self.assertEqual(ours.shape, theirs.shape)
                self.assertGreater(numpy.count_nonzero(theirs > 0), 100)
                self.assertLess(numpy.nanmax(abs(ours - theirs) / theirs), most, precision)

    def test_everything_is_recorded(self):
        """the run of a plugin, which comes from another process, has all that a run has"""
        common = ["--steps", "3", "--newton-iterations", "3", "--linear-iterations", "5", "--repeat", "2", "--warmup", "1",
                  "--store-states", "1", "--store-systems", "--limits", "on", "--linear-solver", "pcr"]
        self.ncpbench("run", "arch", *common, "--preconditioner", "jacobi", "-o", "a.h5")
        self.ncpbench("run", "arch", *common, "--preconditioner", "example-diagonal", "--preconditioner-option",
                      "weight=diagonal", "--plugin", self.so("example"), "-o", "b.h5")

        def content(path):
            found = {}
            with self.record(path) as record:
                record["runs"].visititems(lambda name, item: found.update({name: getattr(item, "shape", None)}))
            return found
        self.assertEqual(content("a.h5"), content("b.h5"))
        self.assertEqual(content("b.h5")["0000/repeats/setup_s"], (2, 3))
        with self.record("a.h5") as a, self.record("b.h5") as b:
            for name in ("newton/natural_map_error", "linear/residual_l2", "states/q", "systems/0001_000/b"):
                x, y = (r["runs/0000"][name][:] for r in (a, b))  # the same but for a few roundings
                numpy.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-12, err_msg=name)
            parameters = parameters_of(b["runs/0000"].attrs)
            self.assertEqual(parameters["preconditioner.weight"], "diagonal")
            self.assertEqual(parameters["preconditioner.plugin"], self.so("example"))
            self.assertNotIn("linear-solver.plugin", parameters)
        self.assertEqual(self.ncpbench("check", "a.h5", status=2)[0].count("\n"),
                         self.ncpbench("check", "b.h5", status=2)[0].count("\n"))

    def test_problem_file(self):
        w = numpy.diag([2.0, 3.0, 3.0])
        write_fclib(self.path("p.hdf5"), w, [-1.0, 0.5, 0.0], [0.7])
        out, _ = self.ncpbench("solve", "p.hdf5", "--plugin", self.so("example"), "--linear-solver",
                               "example-richardson,cholesky", "--preconditioner", "example-diagonal", "--linear-iterations",
                               "200", "--relative-tolerance", "1e-8", "-o", "a.h5")
        with self.record("a.h5") as record:
            numpy.testing.assert_allclose(record["runs/0000/final/reaction"][:], record["runs/0001/final/reaction"][:],
                                          atol=1e-6)

    def test_export(self):
        """the system that a plugin's solver led to is the one that a record of its run holds"""
        common = ["--plugin", self.so("example"), "--linear-solver", "example-richardson", "--preconditioner",
                  "example-diagonal", "--newton-iterations", "3", "--linear-iterations", "5"]
        self.ncpbench("run", "arch", *common, "--steps", "3", "--repeat", "0", "--store-systems", "-o", "a.h5")
        self.ncpbench("export", "a.h5", "--at", "2:1", "-o", "stored")
        self.ncpbench("export", "arch", *common, "--at", "2:1", "-o", "made")
        for name in ("A.mtx", "b.mtx", "J.mtx", "g.mtx"):
            values = []
            for folder in ("stored", "made"):
                with open(self.path(f"{folder}/{name}")) as file:
                    values.append([line for line in file if not line.startswith("%")])
            self.assertEqual(*values, name)
        with open(self.path("made/system.json")) as file:
            self.assertIn(self.so("example"), file.read())
        self.ncpbench("export", "arch", *common, "--at", "2", "--format", "fclib", "-o", "p.hdf5")
        with self.record("p.hdf5") as problem:
            self.assertTrue(numpy.isfinite(problem["fclib_local/vectors/q"][:]).all())
        self.refused("export", "arch", *common[2:], "--at", "2:1", "-o", "none", says=["example-richardson"])

    def test_export_of_a_problem_is_that_of_the_program_alone(self):
        """which a loaded plugin that is not used must not change, though the run has a process of its own"""
        for name, plugin in (("a.hdf5", ["--plugin", self.so("example")]), ("b.hdf5", [])):
            self.ncpbench("export", "arch", *plugin, "--at", "2", "--format", "fclib", "-o", name)
        with self.record("a.hdf5") as a, self.record("b.hdf5") as b:
            for name in ("W/x", "W/i", "W/p", "vectors/q", "vectors/mu"):
                numpy.testing.assert_array_equal(a["fclib_local"][name][:], b["fclib_local"][name][:], name)

    def test_islands_and_long_runs(self):
        self.ncpbench("run", "wall", "--plugin", self.so("example"), "--linear-solver", "example-richardson",
                      "--preconditioner", "jacobi,example-diagonal", "--islands", "on", "--steps", "5", "--repeat", "0",
                      "--newton-iterations", "2", "--linear-iterations", "3", "-o", "a.h5")
        self.assertEqual(len(runs_of(self.path("a.h5"))), 2)

    def test_create_is_no_part_of_a_step(self):
        """a solver's create that takes 0.4 s is in no time of a step, which takes a fraction of a millisecond"""
        self.ncpbench("run", "incline", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", "--steps", "1", "--newton-iterations", "1",
                      "--repeat", "0", "-o", "a.h5", env=environment("create-slow"))
        with h5py.File(self.path("a.h5")) as record:
            self.assertLess(record["runs/0000/steps/step_s"][0], 0.2)

    def test_output_of_a_plugin(self):
        """standard output is for our data: what a plugin prints goes to standard error"""
        out, err = self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", *QUICK, "-o",
                                 "a.h5", env=environment("create-print"))
        self.assertNotIn("own words", out)
        self.assertIn("own words", err)


class Methods(PluginCase):
    """a plugin's method, on problem files and on the steps of scenarios"""

    def problem(self, name, contacts=4, seed=3):
        rng = numpy.random.default_rng(seed)
        j = rng.standard_normal((3 * contacts, 3 * contacts + 6)) / numpy.sqrt(3 * contacts)
        w, q, mu = j @ j.T, rng.standard_normal(3 * contacts), rng.uniform(0.1, 0.9, contacts)
        q[::3] = -numpy.abs(q[::3])
        write_fclib(self.path(name), w, q, mu)
        return w, q, mu

    def sweeps(self, *arguments, **options):
        return self.ncpbench(*arguments, "--plugin", self.so("method"), "--method", "example-sweeps", **options)

    def test_contacts_that_give_way(self):
        """W has their compliance: a block sinks by e times a quarter of its weight; what W cannot say is refused"""
        block = ["run", "incline", "--set", "angle=0", "--steps", "100", "--newton-iterations", "500"]
        self.sweeps(*block, "--contact-compliance", "1e-4", "--newton-tolerance", "1e-9", "--repeat", "0", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            numpy.testing.assert_allclose(record["runs/0000/final/gap"][:], -1e-4 * 9.81 / 4, atol=1e-9)
        self.refused(*block, "--friction-ratio", "2", "--plugin", self.so("method"), "--method", "example-sweeps", "-o", "b.h5",
                     says=["--friction-ratio", "example-sweeps"])

    def test_its_reactions_solve_the_problem(self):
        """the conditions of Coulomb's law, held here against the file's own numbers"""
        w, q, mu = self.problem("a.hdf5")
        self.sweeps("solve", "a.hdf5", "--relative-tolerance", "1e-10", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            run = record["runs/0000"]
            r, u = run["final/reaction"][...], run["final/velocity"][...]
            self.assertEqual(text(run.attrs["method"]), "example-sweeps")
            self.assertEqual(text(run.attrs["linear_solver"]), "none")
            self.assertEqual(text(run.attrs["preconditioner"]), "none")
            iterations = run["steps/newton_iterations"][0]
            self.assertEqual(text(run.attrs["method_words"]), f"{iterations:.0f} sweeps")
            parameters = parameters_of(run.attrs)
            self.assertEqual(parameters["method.plugin"], self.so("method"))
            self.assertEqual(parameters["method.relaxation"], 1)
            self.assertGreater(run["steps/solve_s"][0], 0)
            self.assertEqual(run["steps/setup_s"][0], 0)
            self.assertEqual(list(run["newton/phase"][0]), [5, 5])
        scale = numpy.linalg.norm(q)
        numpy.testing.assert_allclose(u, w @ r + q, atol=1e-14 * scale)  # a few roundings of sums of 12 terms
        for c, m in enumerate(mu):
            rc, uc = r[3 * c:3 * c + 3], u[3 * c:3 * c + 3]
            slip = numpy.linalg.norm(uc[1:])
            self.assertGreaterEqual(m * rc[0] - numpy.linalg.norm(rc[1:]), -1e-12)
            # |natural map| <= 1e-10 ||q|| bounds these up to |r|, |u| of order 1
            self.assertGreaterEqual(uc[0], -1e-8 * scale)
            self.assertLess(abs(rc @ (uc + [m * slip, 0, 0])), 1e-8 * scale)

    def test_the_same_solution_as_newton(self):
        self.problem("a.hdf5")
        self.ncpbench("solve", "a.hdf5", "--plugin", self.so("method"), "--method", "newton,example-sweeps",
                      "--finish", "exact", "--relative-tolerance", "1e-11", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            a, b = (record[f"runs/000{i}/final/velocity"][...] for i in range(2))
            numpy.testing.assert_allclose(a, b, atol=1e-8)  # 1e-11 times the condition of W

    def test_a_plane_problem(self):
        """2D is handed over with a second tangent that is coupled with nothing"""
        write_fclib(self.path("a.hdf5"), [[2, 0.5], [0.5, 1]], [-1, 0.3], [0.2], dimension=2)
        self.sweeps("solve", "a.hdf5", "--relative-tolerance", "1e-10", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            self.assertEqual(record["runs/0000/final/reaction"].shape, (2,))

    def test_told_iterates(self):
        self.problem("a.hdf5")
        self.sweeps("solve", "a.hdf5", "--relative-tolerance", "1e-10", "--method-option", "told=1", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            run = record["runs/0000"]
            iterations = int(run["steps/newton_iterations"][0])
            error = run["newton/natural_map_relative"][0]
            self.assertEqual(len(error), iterations + 2)  # the start, each iterate, and the solution once more
            self.assertEqual(error[-1], run["steps/natural_map_relative"][0])
            self.assertEqual(error[-1], error[-2])
            self.assertTrue(all(error[1:-2] > 1e-10))
            seconds = run["newton/solve_s"][0][:-1]
            self.assertAlmostEqual(seconds.sum(), run["steps/solve_s"][0], delta=1e-12)

    def test_steps_of_a_scenario(self):
        """four contacts of one body: sweeps converge linearly, to round-off of velocities of 1e-2 m/s"""
        self.sweeps("run", "incline", "--geometry", "frozen", "--steps", "3", "--newton-iterations", "2000", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            self.assertTrue((record["runs/0000/steps/natural_map_error"][...] <= 1e-12).all())

    def test_joints_and_updated_geometry(self):
        """rows of joints come first; a geometry that moves is linearised once, and the error says so"""
        self.sweeps("run", "beam", "--steps", "1", "--newton-iterations", "3000", "--repeat", "0", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            self.assertTrue(numpy.isfinite(record["runs/0000/steps/natural_map_error"][0]))

    def test_names_and_options(self):
        self.problem("a.hdf5")
        plugin = ["--plugin", self.so("method"), "--method", "example-sweeps"]
        self.refused("solve", "a.hdf5", *plugin[:2], "--method", "example-sweep", says=["did you mean 'example-sweeps'"])
        self.refused("solve", "a.hdf5", *plugin, "--method-option", "relaxation=2", says=["relaxation = 2", "0.01 to 1"])
        self.refused("solve", "a.hdf5", "--method-option", "relaxation=1", says=["method 'newton'", "relaxation"])
        self.refused("solve", "a.hdf5", *plugin, "--precision", "f32", status=64, says=["example-sweeps", "f64 only"])
        self.refused("solve", "a.hdf5", *plugin, "--precision", "mixed", says=["example-sweeps", "mixed"])

    def test_faults(self):
        self.problem("a.hdf5")
        for bad, words in (("convert-segv", "convert crashes"), ("convert-fault", "convert: no room for W"),
                           ("method-segv", "solve crashes"), ("method-exit", "solve ends the program"),
                           ("method-fault", "solve: lost its way"), ("method-nan", "nan"),
                           ("method-reason", "reason 77"), ("method-silent", "reason 0"),
                           ("method-iterations", "-3 iterations"), ("method-factorisations", "-1 factorizations"),
                           ("method-heap", "bad-method")):
            with self.subTest(bad):
                _, err = self.ncpbench("solve", "a.hdf5", "--plugin", self.so("bad"), "--method", "bad-method,newton",
                                       "-o", "a.h5", status=1 if "crash" not in words and "ends" not in words and
                                       bad != "method-heap" else 3, env=environment(bad))
                (line,) = [line for line in err.splitlines() if line.startswith("ncpbench: ")]
                self.assertIn(words, line)
                self.assertIn("'bad-method'", line)
                self.assertEqual([text(run["method"]) for run in runs_of(self.path("a.h5"))], ["newton"])

    def test_claims_are_not_believed(self):
        """r = 0, said to be converged"""
        self.problem("a.hdf5")
        arguments = ["suite", ".", "--plugin", self.so("bad"), "--method", "bad-method", "-o", "s/a.h5"]
        os.mkdir(self.path("s"))
        out, _ = self.ncpbench(*arguments, status=1, env=environment())
        self.assertIn("bad-method\tnone\tstagnated", out)
        out, _ = self.ncpbench(*arguments, "--relative-tolerance", "0", env=environment())
        self.assertIn("bad-method\tnone\tstagnated", out)
        out, _ = self.ncpbench(*arguments, status=1, env=environment("method-diverged"))
        self.assertIn("bad-method\tnone\tdiverged", out)
        out, _ = self.ncpbench(*arguments, status=1, env=environment("method-words"))
        self.assertEqual(len(out.splitlines()), 5)  # its line feeds are none of the table's


class Faults(PluginCase):
    """plugins that fail while they run"""
    common = ["--steps", "1", "--newton-iterations", "2", "--linear-iterations", "3", "--repeat", "0"]

    def run_bad(self, bad, status, says, *more, victim="bad-solver"):
        """Three runs of which the victim fails: one line says so, and the record holds the others."""
        path = self.path("a.h5")
        if os.path.exists(path):
            os.remove(path)
        _, err = self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "pcr,bad-solver,jacobi",
                               "--preconditioner", "bad-precond", *self.common, *more, "-o", "a.h5", status=status,
                               env=environment(bad))
        lines = [line for line in err.splitlines() if line.startswith("ncpbench: ")]
        self.assertEqual(len(lines), 1, err)
        for word in ["bad.so", *says]:
            self.assertIn(word, lines[0])
        finished = [text(run["linear_solver"]) for run in runs_of(path)]
        self.assertEqual(finished, [name for name in ("pcr", "bad-solver", "jacobi") if name != victim])
        return err

    def test_faults(self):
        for bad, status, says in [
                ("create-fault", 1, ["'bad-solver'", "create: no licence"]),
                ("create-segv", 3, ["'bad-solver'", "create crashes", "Segmentation"]),
                ("pattern-segv", 3, ["'bad-solver'", "set_up_pattern crashes"]),
                ("values-segv", 3, ["'bad-solver'", "set_up_values crashes"]),
                ("values-wild-text", 3, ["'bad-solver'", "set_up_values crashes"]),
                ("values-reason", 1, ["'bad-solver'", "reason -1"]),
                ("matrix-unasked", 1, ["'bad-solver'", "NCPBENCH_NEEDS_ENTRIES"]),
                ("solve-segv", 3, ["'bad-solver'", "solve crashes", "Segmentation"]),
                ("solve-abort", 3, ["'bad-solver'", "solve crashes", "Aborted"]),
                ("solve-fpe", 3, ["'bad-solver'", "solve crashes", "Floating point"]),
                ("solve-stack", 3, ["'bad-solver'", "solve crashes"]),
                ("solve-exit", 3, ["'bad-solver'", "solve ends the program"]),
                ("solve-forty", 3, ["'bad-solver'", "no result"]),
                ("solve-nan", 1, ["'bad-solver'", "nan"]),
                ("solve-infinity", 1, ["'bad-solver'", "inf"]),
                ("solve-reason", 1, ["'bad-solver'", "reason 77"]),
                ("solve-silent", 1, ["'bad-solver'", "reason 0"]),
                ("solve-iterations", 1, ["'bad-solver'", "-3 iterations"]),
                ("solve-fault", 1, ["'bad-solver'", "solve: the pivots ran out"]),
                ("destroy-segv", 3, ["'bad-solver'", "destroy crashes"]),
        ]:
            with self.subTest(bad):
                self.run_bad(bad, status, says)

    def test_faults_of_a_preconditioner(self):
        self.run_bad("apply-segv", 3, ["'bad-precond'", "apply crashes"], victim="pcr")
        self.run_bad("apply-nan", 1, ["'bad-precond'", "apply", "nan"], victim="pcr")
        self.run_bad("apply-hang", 3, ["'bad-precond'", "apply", "--plugin-limit"], "--plugin-limit", "1", victim="pcr")

    def test_overwritten_memory(self):
        self.run_bad("solve-heap", 3, ["'bad-solver'"])

    def test_never_returns(self):
        begin = time.monotonic()
        self.run_bad("solve-hang", 3, ["'bad-solver'", "solve", "more than 1 s"], "--plugin-limit", "1")
        self.assertLess(time.monotonic() - begin, 30)

    def test_interrupt_of_one_that_never_returns(self):
        process = start(["run", "arch", "--plugin", self.so("bad"), "--linear-solver", "pcr,bad-solver,jacobi",
                         *self.common, "-o", "a.h5"], cwd=self.folder.name, env=environment("solve-hang"))
        self.assertTrue(process.stderr.readline().startswith("[1/3]"))  # the first run is finished
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual([text(run["linear_solver"]) for run in runs_of(self.path("a.h5"))], ["pcr"])
        self.only("a.h5", "a.h5.checkpoint")

    def test_killed(self):
        """nothing goes on behind the back of a program that was killed"""
        process = start(["run", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", *self.common, "-o",
                         "a.h5"], cwd=self.folder.name, env=environment("solve-hang"))
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        child, begin = "", time.monotonic()
        while not child and time.monotonic() - begin < PATIENCE:
            with open(children) as file:
                child = file.read().split()[-1:]
            time.sleep(0.05)
        self.assertTrue(child)
        time.sleep(0.5)
        with open(children) as file:  # the one that runs, not the one that tried the plugin
            child, = file.read().split()
        process.kill()
        process.communicate(timeout=PATIENCE)
        begin = time.monotonic()
        while os.path.exists(f"/proc/{child}") and time.monotonic() - begin < PATIENCE:
            with open(f"/proc/{child}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    break
            time.sleep(0.05)
        self.assertLess(time.monotonic() - begin, PATIENCE)

    def test_one_run_alone(self):
        self.ncpbench("run", "arch", *self.common, "-o", "a.h5")
        before = self.bytes_of("a.h5")
        for append in ([], ["--append"]):
            _, err = self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver",
                                   *self.common, "-o", "a.h5", *append, status=3, env=environment("solve-segv"))
            self.assertEqual(len(re.findall(r"(?m)^ncpbench: .*'bad-solver'.*solve crashes", err)), 1, err)
            self.assertEqual(self.bytes_of("a.h5"), before)
            self.only("a.h5")

    def test_export(self):
        for form, name in (("matrix-market", "folder"), ("fclib", "p.hdf5")):
            for bad, says in (("solve-segv", "solve crashes"), ("solve-exit", "solve ends the program")):
                self.refused("export", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", "--at", "1",
                             "--format", form, "-o", name, status=3, says=["bad.so", says], env=environment(bad))
        self.refused("export", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", "--at", "1", "--plugin-limit",
                     "0.5", "-o", "folder", status=3, says=["bad.so", "--plugin-limit"], env=environment("solve-hang"))
        self.only()

    def test_append(self):
        self.ncpbench("run", "arch", *self.common, "-o", "a.h5")
        self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver,pcg", *self.common, "-o",
                      "a.h5", "--append", status=3, env=environment("solve-segv"))
        self.assertEqual([text(run["linear_solver"]) for run in runs_of(self.path("a.h5"))], ["pcr", "pcg"])

    def test_surroundings_stay_ours(self):
        """a working folder, a mask for new files and a locale that a plugin sets are not those of the record"""
        arguments = ["--plugin", "./bad.so", "--linear-solver", "bad-solver,pcr", *self.common]
        shutil.copy(self.so("bad"), self.path("bad.so"))
        self.addCleanup(os.umask, os.umask(0o022))
        for place in ("constructor", "create", "solve", "destroy"):
            self.ncpbench("run", "arch", *arguments, "-o", "a.h5", env=environment(f"{place}-surroundings"))
            self.assertEqual(os.stat(self.path("a.h5")).st_mode & 0o777, 0o644, place)
            self.assertEqual([text(run["linear_solver"]) for run in runs_of(self.path("a.h5"))], ["bad-solver", "pcr"])
            self.ncpbench("export", "arch", *arguments[:2], "--linear-solver", "bad-solver", "--at", "1", "--format", "fclib",
                          "-o", "p.hdf5", env=environment(f"{place}-surroundings"))
            self.only("a.h5", "bad.so", "p.hdf5")
            os.remove(self.path("a.h5"))
            os.remove(self.path("p.hdf5"))

    def test_exit_leaves_the_record_alone(self):
        """a child that runs exit handlers, among them the HDF5 library's, does not close its parent's record"""
        self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "pcr,bad-solver,pcg,minres,jacobi",
                      *self.common, "-o", "a.h5", status=3, env=environment("solve-exit"))
        self.ncpbench("run", "arch", "--linear-solver", "pcr,pcg,minres,jacobi", *self.common, "-o", "b.h5")
        with h5py.File(self.path("a.h5"), "r") as a, h5py.File(self.path("b.h5"), "r") as b:
            for name in b["runs"]:
                x, y = (r["runs"][name]["linear/residual_l2"][:] for r in (a, b))
                numpy.testing.assert_array_equal(x, y)

    def test_descriptors_of_the_record(self):
        """what the program has open is out of a plugin's reach: it writes into all descriptors that it finds, or closes them"""
        for more in ([], ["--repeat", "2"]):
            self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "pcr,bad-solver,jacobi", *self.common, *more,
                          "-o", "a.h5", "--force", env=environment("solve-descriptors"))
            self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "pcr,bad-solver,jacobi", *self.common, *more,
                          "-o", "b.h5", "--force", env=environment())
            with h5py.File(self.path("a.h5"), "r") as a, h5py.File(self.path("b.h5"), "r") as b:
                self.assertEqual(list(a["runs"]), ["0000", "0001", "0002"])
                for name in b["runs"]:
                    numpy.testing.assert_array_equal(*(r["runs"][name]["linear/residual_l2"][:] for r in (a, b)))
        self.run_bad("solve-close", 3, ["bad.so"])
        self.only("a.h5", "b.h5")

    def test_a_record_that_it_damages(self):
        """by its name on the disk: the command fails, and the earlier record stays"""
        self.ncpbench("run", "arch", *self.common, "-o", "a.h5")
        before = self.bytes_of("a.h5")
        _, err = self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "pcr,bad-solver,jacobi", *self.common, "-o", "a.h5",
                               "--force", status=3, # where HDF5 loses memory of its own
                               env=environment("solve-record", ASAN_OPTIONS=f"{QUIET}:detect_leaks=0"))
        self.assertRegex(err, r"(?m)^ncpbench: .*'a\.h5'")
        self.assertEqual(self.bytes_of("a.h5"), before)

    def test_a_process_that_it_leaves_behind(self):
        """costs no time, and does not hold the lock of the record"""
        arguments = ["run", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", *self.common, "-o", "a.h5"]
        begin = time.monotonic()
        self.ncpbench(*arguments, env=environment("solve-daemon"))
        self.ncpbench(*arguments, env=environment())
        self.assertLess(time.monotonic() - begin, 50)
        self.only("a.h5")

    def test_repetition_that_fails(self):
        """every pass calls into the plugin anew; the others' repetitions are whole"""
        self.run_bad("solve-abort", 3, ["'bad-solver'"], "--repeat", "3", "--warmup", "1")
        with h5py.File(self.path("a.h5"), "r") as record:
            for run in record["runs"].values():
                self.assertEqual(run["repeats/solve_s"].shape, (3, 1))

    def test_claims_are_not_believed(self):
        """b - A x is the harness's own, whatever a plugin says it reached, and whatever it does to b"""
        for bad in ("solve-claims", "solve-forges"):
            self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", *self.common, "-o",
                          "a.h5", env=environment(bad))
            with h5py.File(self.path("a.h5"), "r") as record:
                residual = record["runs/0000/newton/linear_residual"][0]
                numpy.testing.assert_allclose(residual[:2], 1, rtol=1e-12)

    def test_divergence_is_a_result(self):
        self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", *self.common, "-o", "a.h5",
                      env=environment("solve-diverged"))
        self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "bad-solver", *self.common, "-o", "b.h5",
                      env=environment("values-singular"))
        reasons = []
        for name in ("a.h5", "b.h5"):
            with h5py.File(self.path(name), "r") as record:
                column = record["runs/0000/newton/linear_reason"]
                reasons.append((int(column[0][0]), {k: text(v) for k, v in column.attrs.items()}))
        self.assertNotEqual(reasons[0][0], reasons[1][0])
        self.assertIn("diverged", str(reasons[0][1]))

    def test_arithmetic_stays_ours(self):
        """a rounding mode that a plugin leaves behind changes no result: not of our solvers, not of its own"""
        def errors(bad):
            self.ncpbench("run", "arch", "--plugin", self.so("bad"), "--linear-solver", "pcr,bad-solver", *self.common,
                          "-o", "a.h5", env=environment(bad))
            with h5py.File(self.path("a.h5"), "r") as record:
                return [run["newton/natural_map_error"][:].tobytes() for run in record["runs"].values()]
        plain = errors(None)
        for bad in ("constructor-round", "entry-round", "create-round", "solve-round"):
            self.assertEqual(errors(bad), plain, bad)


class Installed(Case):
    """cmake --install into a folder, and everything from there"""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="ncpbench-installed-")
        cls.addClassCleanup(cls.place.cleanup)
        cls.prefix = os.path.join(cls.place.name, "a prefix")
        build = os.environ.get("BUILD", os.path.join(ROOT, "build"))
        subprocess.run([os.environ.get("CMAKE", "cmake"), "--install", build, "--prefix", cls.prefix], check=True,
                       stdout=subprocess.DEVNULL, timeout=PATIENCE)

    def file(self, *parts):
        return os.path.join(self.prefix, *parts)

    def read(self, *parts):
        with open(self.file(*parts)) as file:
            return file.read()

    def program(self, *arguments, status=0):
        done = subprocess.run([self.file("bin", "ncpbench"), *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              cwd=self.folder.name, env=environment())
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def pkg_config(self, *arguments):
        done = subprocess.run(["pkg-config", *arguments, "ncpbench"], capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "PKG_CONFIG_PATH": self.file("share", "pkgconfig")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def flags(self):
        if not shutil.which("pkg-config"):
            return [f"-I{self.file('include')}"]
        return [flag.replace("\\ ", " ") for flag in re.split(r"(?<!\\) ", self.pkg_config("--cflags"))]

    def test_what_is_there(self):
        found = sorted(os.path.relpath(path, self.prefix) for path in glob.glob(self.prefix + "/**", recursive=True)
                       if os.path.isfile(path))
        for name in ("bin/ncpbench", "include/ncpbench/plugin.h", "share/pkgconfig/ncpbench.pc",
                     "share/bash-completion/completions/ncpbench", "share/zsh/site-functions/_ncpbench",
                     "share/doc/ncpbench/LICENSE", "share/doc/ncpbench/results/schema.md",
                     "share/doc/ncpbench/examples/example.c"):
            self.assertIn(name, found)
        self.assertEqual(self.program("--version"), self.ncpbench("--version")[0])

    def test_standard_set(self):
        """what the sources have of it is there, and the program takes the one beside itself"""
        places = os.path.join(ROOT, "scenarios/standard"), self.file("share/ncpbench/standard")
        files = [sorted(os.path.relpath(path, place) for kind in ("*.tsv", "small/*.json.gz", "full/*.json.gz") for path in glob.glob(os.path.join(place, kind)))
                 for place in places]
        self.assertEqual(*files)
        os.makedirs(places[1], exist_ok=True)
        table = os.path.join(places[1], "standard.tsv")
        before = self.read(table) if os.path.exists(table) else ""
        with open(table, "w") as file:
            file.write("name\tset\tclass\tsha256\tbest\nnowhere\tsmall\tarch\t-\t-\n")
        done = subprocess.run([self.file("bin", "ncpbench"), "suite", "--standard", "small", "-o", "x.h5"], capture_output=True, text=True,
                              timeout=PATIENCE, cwd=self.folder.name, env=environment())
        with open(table, "w") as file:
            file.write(before)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("'nowhere.json.gz' is not in", done.stderr)

    def test_documents_have_no_dead_links(self):
        folder = self.file("share", "doc", "ncpbench")
        documents = glob.glob(folder + "/**/*.md", recursive=True)
        for name in ("README.md", "CHANGELOG.md", "core/formulation.md", "results/schema.md", "results/studies/peers/README.md"):
            self.assertIn(os.path.join(folder, name), documents)
        for path in documents:
            with open(path, encoding="utf-8") as file:
                content = file.read()
            self.assertEqual(list(readme.dead_links(path, content)), [])
            for target in readme.targets(content): # nor do they lead out of the folder
                self.assertTrue(os.path.realpath(os.path.join(os.path.dirname(path), target)).startswith(os.path.realpath(folder) + "/"), target)

    def test_plugin(self):
        """the example of the documentation, built as its first lines say"""
        example = self.file("share", "doc", "ncpbench", "examples", "example.c")
        output = self.path("example.so")
        compile_plugin(example, output, *self.flags(), *WARNINGS)
        self.assertIn("example-richardson", self.program("list", "--plugin", output))
        self.program("run", "arch", "--plugin", output, "--linear-solver", "example-richardson,pcr", "--preconditioner",
                     "example-diagonal", "--precision", "f32,f64", *QUICK, "-o", "a.h5")
        solvers = [text(run["linear_solver"]) for run in runs_of(self.path("a.h5"))]
        self.assertEqual(solvers, ["example-richardson"] * 2 + ["pcr"] * 2)

    def test_solvers_in_python(self):
        """with the installed package; where the program was built without Python, there is none"""
        if not os.path.exists(self.file("lib", "ncpbench", "ncpbench-python.so")):
            self.skipTest("built without Python")
        with open(self.path("mine.py"), "w") as file:
            file.write("import ncpbench\nprint(ncpbench.__file__)\n@ncpbench.linear_solver('mine')\ndef solve(A, b, x, request): pass\n")
        done = subprocess.run([self.file("bin", "ncpbench"), "list", "linear-solvers", "--plugin", "mine.py"], capture_output=True, text=True,
                              timeout=PATIENCE, cwd=self.folder.name, env=environment())
        self.assertEqual((done.returncode, done.stderr), (0, self.file("share", "ncpbench", "python", "ncpbench", "__init__.py") + "\n"))

    def test_header_stands_alone(self):
        header = "#include <ncpbench/plugin.h>\n"
        for standard in ("c99", "c11", "c17"):
            subprocess.run([CC, f"-std={standard}", "-fsyntax-only", *WARNINGS, *self.flags(), "-x", "c", "-"], input=header,
                           text=True, check=True, timeout=PATIENCE)

    def test_plugin_in_cplusplus(self):
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        if not compiler:
            self.skipTest("no C++ compiler")
        compile_plugin(os.path.join(SOURCES, "gradient.cpp"), self.path("gradient.so"), "-std=c++11", *self.flags(),
                       *WARNINGS, compiler=compiler)
        self.program("run", "arch", "--plugin", "./gradient.so", "--linear-solver", "gradient", *QUICK, "-o", "a.h5")

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_pkg_config(self):
        version = self.program("--version").split()[1]
        self.assertEqual(self.pkg_config("--modversion"), version)
        abi, = re.findall(r"(?m)^#define NCPBENCH_PLUGIN_ABI (\d+)$", self.read("include", "ncpbench", "plugin.h"))
        self.assertEqual(self.pkg_config("--variable=plugin_abi"), abi)
        self.assertTrue(os.path.samefile(self.pkg_config("--variable=includedir").replace("\\ ", " "), self.file("include")))

    def commands(self):
        return re.findall(r"(?m)^  (\w+)  +\w", self.program("--help"))

    @staticmethod
    def options(help_text):
        return set(re.findall(r"(?m)^ +(?:-\w, )?--([\w-]+)", help_text))

    @staticmethod
    def shown(page):
        """the text of a page, as a reader sees it"""
        page = re.sub(r"\\f[BIR]|\\[,/&]", "", page)
        return page.replace("\\-", "-").replace("\\e", "\\")

    @unittest.skipUnless(shutil.which("help2man"), "no help2man")
    def test_manual_page_after_a_build_of_the_program_alone(self):
        """by the build's script, in a folder without a page: made where there is none or an old one, left out where it cannot be"""
        build, copy, broken = os.environ.get("BUILD", os.path.join(ROOT, "build")), self.path("a build"), self.path("broken")
        page, installed = os.path.join(copy, "ncpbench.1"), self.path("prefix/share/man/man1/ncpbench.1")
        os.mkdir(copy), os.mkdir(broken)
        with open(os.path.join(build, "cmake_install.cmake")) as file:
            script = file.read().replace(os.path.join(build, "ncpbench.1"), page)
        with open(os.path.join(copy, "cmake_install.cmake"), "w") as file:
            file.write(script)
        with open(os.path.join(broken, "help2man"), "w") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(os.path.join(broken, "help2man"), 0o755)

        def install(path):
            subprocess.run([os.environ.get("CMAKE", "cmake"), "--install", copy, "--prefix", self.path("prefix")], check=True,
                           capture_output=True, timeout=PATIENCE, env={**os.environ, "PATH": path})

        install(broken + ":" + os.environ["PATH"])
        self.assertEqual([os.path.exists(path) for path in (page, installed)], [False, False])
        with open(page, "w") as file:
            file.write("an old page")
        os.utime(page, (0, 0))
        install(os.environ["PATH"])
        with open(installed) as file:
            self.assertEqual(file.read(), self.read("share", "man", "man1", "ncpbench.1"))

    @unittest.skipUnless(shutil.which("help2man"), "no help2man")
    def test_manual_page_has_every_option(self):
        page = self.shown(self.read("share", "man", "man1", "ncpbench.1"))
        sections = dict(re.findall(r'(?ms)^\.SS "ncpbench (\w+)"(.*?)(?=^\.S[SH])', page))
        self.assertEqual(list(sections), self.commands())
        shown = {}  # in which sections an option is explained
        for command, section in sections.items():
            others = r"The\s+options of (\w+) are taken, too(?:, but\s+for ([^.]+))?\."
            own = set(re.findall(r"(?m)^(?:-\w, )?--([\w-]+)", re.sub(others, "", section)))
            self.assertEqual(own, self.options(self.program(command, "--help=manual")), command)
            for option in own:
                shown.setdefault(option, []).append(command)
            # the others are those of one command, as a sentence says, with its exceptions
            known = self.options(self.program(command, "--help=all")) - {"help"}
            other = re.search(others, section)
            if other:
                theirs = self.options(self.program(other[1], "--help=all")) - {"help"}
                self.assertEqual(own | (theirs - set(re.findall(r"--([\w-]+)", other[2] or ""))), known, command)
            else:
                self.assertEqual(own, known, command)
        for option in self.options(self.program("run", "--help=all")) - {"help"}:
            again = [command for command in shown[option] if command in ("solve", "suite", "export", "gradient", "optimize")]
            self.assertIn("run", shown[option])
            self.assertLessEqual(len(again), 3 if option == "output" else 1, (option, again))  # what each writes is another
        for kind, entries in json.loads(self.program("list", "--format", "json")).items():
            for entry in entries if kind != "devices" else []:
                self.assertRegex(page, rf"(?m)^  {entry['name']} ")
        self.assertRegex(page, r"(?m)^\.TH NCPBENCH \"1\" \"\" \"ncpbench [\d.]+\"")
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "NAMES", "EXAMPLES", "ENVIRONMENT", "FILES"):
            self.assertEqual(page.count(f"\n.SH {heading}\n"), 1, heading)

    def run_examples(self, lines):
        commands = [line.strip() for line in lines if re.match(r" *ncpbench ", line)]
        for command in commands:
            if command.startswith("ncpbench figure") and not shutil.which("gnuplot"):
                continue
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE, cwd=self.folder.name,
                                  env={**environment(), "PATH": self.file("bin") + ":" + os.environ["PATH"]})
            # not converged, a check that failed: results like others
            self.assertIn(done.returncode, (0, 1, 2), f"{command}\n{done.stderr}")
        return commands

    def test_examples_run(self):
        """those of --help, in its order, in one folder; the manual page has the same"""
        lines = [line for command in self.commands() for line in self.program(command, "--help").partition("\nExamples:\n")[2].splitlines()]
        commands = self.run_examples(lines)
        self.assertGreater(len(commands), 10)
        if shutil.which("help2man"):
            page = self.shown(self.read("share", "man", "man1", "ncpbench.1"))
            shown = page.split(".SH EXAMPLES\n")[1].split(".SH ")[0]
            self.assertEqual(re.findall(r"(?m)^ncpbench .*", shown), commands)

    @unittest.skipUnless(all(map(shutil.which, ("help2man", "man", "groff"))), "no man")
    def test_manual_page_is_well_formed(self):
        done = subprocess.run(["man", "--warnings", "-l", self.file("share", "man", "man1", "ncpbench.1")],
                              capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, "MANWIDTH": "100"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue("--linear-solver=NAME" in re.sub(r".\x08", "", done.stdout))

    @unittest.skipUnless(shutil.which("help2man") and shutil.which("mandoc"), "no mandoc")
    def test_manual_page_passes_lint(self):
        done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", self.file("share", "man", "man1", "ncpbench.1")],
                              capture_output=True, text=True, timeout=PATIENCE)
        # the version stands in place of a date, which would make every build another
        findings = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
        self.assertEqual(findings, [])

    def complete(self, line):
        """what bash offers for the last word of the line; it splits words at '=' as readline does"""
        words = [word for part in line.split(" ") for word in (re.findall(r"=|[^=]+", part) or [""])]
        script = f"""
            source '{self.file("share", "bash-completion", "completions", "ncpbench")}'
            complete -p ncpbench >/dev/null || exit 9
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _ncpbench 2>&1
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "-c", script, "-", *words], capture_output=True, text=True, timeout=PATIENCE,
                              cwd=self.folder.name, env={**os.environ, "PATH": self.file("bin") + ":" + os.environ["PATH"]})
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return [word for word in done.stdout.split("\n") if word]

    def test_completion_of_commands_and_options(self):
        self.assertEqual(self.complete("ncpbench "), self.commands() + ["--help", "--version"])
        self.assertEqual(self.complete("ncpbench rep"), ["reproduce", "report"])
        for command in self.commands():
            offered = {word.lstrip("-").rstrip("=") for word in self.complete(f"ncpbench {command} --")}
            self.assertEqual(offered, self.options(self.program(command, "--help=all")), command)
        self.assertEqual(self.complete("ncpbench run arch --linear-s"), ["--linear-solver="])

    def test_completion_of_names(self):
        everything = json.loads(self.program("list", "--format", "json"))
        names = {kind: [entry["name"] for entry in entries] for kind, entries in everything.items()}
        self.assertEqual(self.complete("ncpbench run "), names["scenarios"])
        self.assertEqual(self.complete("ncpbench list "), list(names))
        self.assertEqual(self.complete("ncpbench bench op"), ["operator"])
        self.assertEqual(self.complete("ncpbench bench operator --precision f32,"), ["f32,f32", "f32,mixed", "f32,f64"])
        self.assertEqual(self.complete("ncpbench figure "), names["figures"] + ["all"])
        self.assertEqual(self.complete("ncpbench reproduce --quick macklin-fig1"),
                         [name for name in names["figures"] if name.startswith("macklin-fig1")])
        for flag, kind in (("method", "methods"), ("linear-solver", "linear-solvers"), ("scaling", "scalings"),
                           ("preconditioner", "preconditioners"), ("ncp", "ncp-functions"), ("device", "devices")):
            for command in ("run", "solve"):
                self.assertEqual(self.complete(f"ncpbench {command} --{flag} "), names[kind])
                self.assertEqual(self.complete(f"ncpbench {command} --{flag}="), names[kind])
        self.assertEqual(self.complete("ncpbench run --linear-solver=gau"), ["gauss-seidel"])
        self.assertEqual(self.complete("ncpbench run arch --linear-solver pcr,gau"), ["pcr,gauss-seidel"])
        self.assertEqual(self.complete("ncpbench run arch,inc"), ["arch,incline"])
        self.assertEqual(self.complete("ncpbench run arch --precision="), ["f32", "f64", "mixed"])
        self.assertEqual(self.complete("ncpbench run arch --steps "), [])
        self.assertIn("width=", self.complete("ncpbench run wall --set "))
        self.assertEqual(self.complete("ncpbench run wall --set width="), []) # any number
        for line in ("run wall,piling --set shape=", "run piling --set=shape=", "figure profile --where shape="):
            self.assertEqual(self.complete("ncpbench " + line), ["table", "box", "sphere"], line)
        self.assertEqual(self.complete("ncpbench run piling --set shape=box,sp"), ["box,sphere"])
        self.assertEqual(self.complete("ncpbench figure profile --where method="), names["methods"])
        self.assertIn("linear-solver=", self.complete("ncpbench figure profile --where "))
        self.assertEqual(self.complete("ncpbench compare --by linear"), ["linear-solver", "linear-tolerance", "linear-iterations", "linear-norm"])
        for name in "mu", "friction-law", "damping":
            self.assertIn(name, self.complete("ncpbench compare --by "))
        self.assertEqual(self.complete("ncpbench export --format "), ["matrix-market", "ginkgo", "petsc", "fclib", "fclib-global", "scene", "gltf", "checksum"])
        options = {o["name"] + "=" for entry in everything["linear-solvers"] for o in entry["options"]}
        self.assertEqual(set(self.complete("ncpbench run wall --solver-option ")), options)

    def test_completion_of_options_of_what_is_named(self):
        """the scenario's parameters, and the options of the solver that the command line names; all where it names none"""
        everything = json.loads(self.program("list", "--format", "json"))
        def options(kind, *names):
            found = [o["name"] + "=" for entry in everything[kind] if entry["name"] in names for o in entry.get("parameters", entry.get("options"))]
            return list(dict.fromkeys(found))
        self.assertEqual(self.complete("ncpbench run arch --set m"), ["mu="])
        self.assertEqual(self.complete("ncpbench run incline --steps 2 --set m"), ["mu=", "mass="])
        self.assertEqual(self.complete("ncpbench run arch --set mu=0.3 --set "), options("scenarios", "arch"))
        self.assertEqual(self.complete("ncpbench gradient wall --set="), options("scenarios", "wall"))
        self.assertEqual(self.complete("ncpbench run arch,wall --set "), options("scenarios", "arch", "wall"))
        self.assertEqual(len(self.complete("ncpbench run --set ")), len(options("scenarios", *[entry["name"] for entry in everything["scenarios"]])))
        self.assertEqual(self.complete("ncpbench run arch --linear-solver gauss-seidel --solver-option "), options("linear-solvers", "gauss-seidel"))
        self.assertEqual(self.complete("ncpbench run arch --linear-solver=pcr,gauss-seidel --solver-option="), options("linear-solvers", "pcr", "gauss-seidel"))
        self.assertEqual(self.complete("ncpbench run arch --preconditioner ssor --preconditioner-option o"), ["omega=", "order="])
        self.assertEqual(self.complete("ncpbench run arch --method psor --method-option "), options("methods", "psor"))

    def test_completion_of_files(self):
        for name in ("mine.h5", "mine too.h5"):
            open(self.path(name), "w").close()
        for line in ("check m", "solve m", "run arch -o m", "run arch --output=m", "figure macklin-fig06 --from m"):
            self.assertEqual(sorted(self.complete("ncpbench " + line)), ["mine too.h5", "mine.h5"], line)


if __name__ == "__main__":
    unittest.main()
