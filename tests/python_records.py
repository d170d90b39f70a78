"""Records as tables of Python (analysis/python/ncpbench/records.py) and the program as a function (program.py), against h5dump, the program's own
tables and numbers that the record has elsewhere.

    NCPBENCH=build/ncpbench python3 tests/python_records.py [Class...]
"""
import importlib.util
import os
import re
import subprocess
import sys
import types
import unittest
import warnings

import h5py
import numpy

from cli_case import PROGRAM, Case, write_fclib
from plugins import ROOT

sys.path[:0] = [os.path.join(ROOT, "docs"), os.path.join(ROOT, "analysis", "python")]
import ncpbench  # noqa: E402
import notebooks  # noqa: E402
from ncpbench import program, records  # noqa: E402

os.environ["NCPBENCH"] = PROGRAM


def needs(name):
    return unittest.skipUnless(importlib.util.find_spec(name), f"{name} is not installed")


class RecordCase(Case):
    @classmethod
    def setUpClass(cls):
        """an arch by two solvers, two frictions and three steps, whose states are stored"""
        case = Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.record, cls.wall = case.path("arch.h5"), case.path("wall.h5")
        cls.out, _ = case.ncpbench("run", "arch", "--set", "mu=0.5,0.7", "--linear-solver", "pcr,cholesky", "--steps", "3", "--newton-iterations", "12",
                                   "--store-states", "1", "--repeat", "0", "-o", cls.record, status=None)
        case.ncpbench("run", "wall", "--steps", "2", "--newton-iterations", "5", "--repeat", "0", "-o", cls.wall, status=None)

    def dumped(self, dataset, *selection):
        """numbers of a dataset as h5dump prints them"""
        done = subprocess.run(["h5dump", "-m", "%.17g", "-y", "-w", "0", "-d", dataset, *selection, self.record], check=True, capture_output=True, text=True)
        return [float(word) for word in re.search(r"DATA \{([^}]*)\}", done.stdout)[1].replace(",", " ").split()]


class Tables(RecordCase):
    def test_runs(self):
        rows = records.run_rows([self.record, self.wall])
        self.assertEqual([(row["run"], row["scenario"], row["linear_solver"]) for row in rows],
                         [(0, "arch", "pcr"), (1, "arch", "cholesky"), (2, "arch", "pcr"), (3, "arch", "cholesky"), (0, "wall", "pcr")])
        self.assertEqual([row.get("scene.mu") for row in rows[:4]], [0.5, 0.5, 0.7, 0.7])
        self.assertEqual(rows[0]["last_natural_map_error"], self.dumped("/runs/0000/steps/natural_map_error")[-1])
        self.assertAlmostEqual(rows[1]["total_solve_s"], sum(self.dumped("/runs/0001/steps/solve_s")), 12)
        shown = [line.split() for line in self.out.splitlines()[1:5]]  # the table that the run printed: means of iterations, at the end the reason
        self.assertEqual([f"{row['total_newton_iterations'] / 3:.1f}" for row in rows[:4]], [next(w for w in line if re.fullmatch(r"\d+\.\d", w)) for line in shown])
        self.assertTrue(all(row["last_reason"] in line[-1] for row, line in zip(rows, shown)), shown)
        self.assertEqual(repr(records.run_rows(os.path.join(os.path.dirname(self.record), "ar*.h5"))), repr(rows[:4]))

    def test_history(self):
        table = records.history_columns(self.record)
        self.assertEqual(list(table)[0], "run")
        self.assertLessEqual({"linear_solver", "scene.mu"}, set(table))
        self.assertNotIn("wall_s", table)
        self.assertNotIn("precision", table)  # the same in all
        counts = [self.dumped(f"/runs/000{run}/newton/count") for run in range(4)]
        self.assertEqual([len(column) for column in table.values()], [int(sum(map(sum, counts)))] * len(table))
        errors = self.dumped("/runs/0002/newton/natural_map_error", "-s", "1,0", "-c", f"1,{int(counts[2][1])}")
        mine = [value for value, run, step in zip(table["natural_map_error"], table["run"], table["step"]) if (run, step) == (2, 1)]
        self.assertEqual(mine, errors)
        self.assertLessEqual(set(table["largest_kind"]), {"none", "normal", "friction", "joint", "element", "momentum"})
        self.assertIn("exact", table["linear_reason"])
        with h5py.File(self.record) as record:
            newton, count = record["runs/0001/newton"], int(counts[1][0])
            spent = sum(newton[name][0, :count - 1].sum() for name in ("assembly_s", "setup_s", "solve_s"))
        ends = [seconds for seconds, run, step in zip(table["seconds"], table["run"], table["step"]) if (run, step) == (1, 0)]
        self.assertEqual(ends[0], 0)
        self.assertAlmostEqual(ends[-1], spent, 12)

    def test_history_of_linear_iterations(self):
        table = records.history_columns(self.record, linear=True)
        counts = self.dumped("/runs/0000/linear/count")
        mine = [row for row, run in enumerate(table["run"]) if run == 0]
        self.assertEqual(len(mine), int(numpy.nansum(counts)))
        residuals = self.dumped("/runs/0000/linear/residual_l2", "-s", "1,2,0", "-c", "1,1,5")
        self.assertEqual([table["residual_l2"][row] for row in mine if (table["step"][row], table["newton"][row]) == (1, 2)][:5], residuals)

    def test_history_of_several_records(self):
        table = records.history_columns([self.record, self.wall])
        self.assertEqual(set(table["file"]), {self.record, self.wall})
        self.assertEqual(set(table["scenario"]), {"arch", "wall"})
        self.assertIn(None, table["scene.crown-mass"])

    def test_contacts(self):
        """of the final step, and by stored states the same"""
        table = records.contact_columns(self.record, 2)
        self.assertEqual(table["error"], [max(pair) for pair in zip(table["normal_error"], table["friction_error"])])
        errors = numpy.array(self.dumped("/runs/0002/final/contact_error")).reshape(-1, 2)
        self.assertEqual(table["normal_error"], errors[:, 0].tolist())
        self.assertEqual(numpy.array([table["body_a"], table["body_b"]]).T.ravel().tolist(), self.dumped("/runs/0002/final/contact_bodies"))
        self.assertEqual(table["normal_force"], self.dumped("/runs/0002/final/lambda_normal"))
        history = records.history_columns(self.record)  # the largest error is that of the history's last row, where it is a contact's
        last = [row for row, run in enumerate(history["run"]) if run == 2][-1]
        if history["largest_kind"][last] in ("normal", "friction"):
            self.assertAlmostEqual(max(table["error"]), history["natural_map_error"][last], 14)
        with h5py.File(self.record) as record:
            stored = records.stored_contacts(record["runs/0002"], 2)
            final = records.final_contacts(record["runs/0002"])
        self.assertEqual(stored["mode"], final["mode"])
        for name in ("body_a", "body_b", "normal_error", "friction_error", "normal_force", "friction_force", "slip", "gap", "point", "normal"):
            numpy.testing.assert_allclose(stored[name], final[name], rtol=1e-5, atol=1e-9, err_msg=name)  # states may be in single precision

    def test_contacts_of_an_earlier_step(self):
        table = records.contact_columns(self.record, 0, 1)
        count = int(self.dumped("/runs/0000/states/contact_count")[1])
        self.assertEqual(table["friction_error"], self.dumped("/runs/0000/states/contact_friction_error", "-s", "1,0", "-c", f"1,{count}"))
        self.assertEqual(records.contact_columns(self.record, 0, -2), table)

    def test_faults(self):
        with open(os.path.join(self.folder.name, "text.h5"), "w") as file:
            file.write("no record")
        h5py.File(self.path("other.h5"), "w").close()
        write_fclib(self.path("p.hdf5"), numpy.diag([2.0, 3.0, 3.0]), [-1.0, 0.5, 0.0], [0.7])
        self.ncpbench("solve", "p.hdf5", "-o", "solved.h5")
        self.ncpbench("bench", "operator", "--contacts", "100", "-o", "bench.h5")
        for error, says, call in ((FileNotFoundError, "no record 'none", lambda: records.run_rows("none*.h5")),
                                  (OSError, "", lambda: records.run_rows(self.path("text.h5"))),
                                  (ValueError, "is no record of ncpbench", lambda: records.run_rows(self.path("other.h5"))),
                                  (IndexError, "runs 0 to 3, and no run 4", lambda: records.contact_columns(self.record, 4)),
                                  (IndexError, "steps 0 to 2, and no step 3", lambda: records.contact_columns(self.record, 0, 3)),
                                  (IndexError, "has no runs", lambda: records.contact_columns(self.path("bench.h5"))),
                                  (ValueError, "problem files have", lambda: records.contact_columns(self.path("solved.h5"))),
                                  (ValueError, "--store-states 1", lambda: records.contact_columns(self.wall, 0, 0))):
            with self.assertRaisesRegex(error, says):
                call()

    def test_missing_modules(self):
        """one line, in the functions that take them"""
        hidden = "import sys\nsys.modules[%r] = None\nimport ncpbench\ntry:\n    %s\nexcept ImportError as error:\n    print(error)"
        for name, call in ("h5py", "ncpbench.runs(sys.argv[1])"), ("pandas", "ncpbench.history(sys.argv[1])"), ("xarray", "ncpbench.dataset(sys.argv[1])"):
            done = subprocess.run([sys.executable, "-c", hidden % (name, call), self.record], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "analysis", "python"), "PYTHONDONTWRITEBYTECODE": "1"})
            taken = "pandas" if name == "h5py" and not importlib.util.find_spec("pandas") else name
            self.assertRegex(done.stdout, rf"\Athis takes {'(h5py|pandas)' if name == 'h5py' else taken} \(.*\): pip install \w+, or Debian's python3-\w+\n\Z", done.stderr)

    @needs("pandas")
    def test_frames(self):
        warnings.simplefilter("ignore", DeprecationWarning)  # of what pandas will take one day
        self.assertEqual(ncpbench.runs(self.record)["linear_solver"].tolist(), ["pcr", "cholesky", "pcr", "cholesky"])
        history = ncpbench.history(self.record)
        self.assertEqual(len(history), len(records.history_columns(self.record)["step"]))
        contacts = ncpbench.contacts(self.record)
        self.assertEqual(contacts.index.name, "contact")
        self.assertEqual(contacts["error"].max(), max(records.contact_columns(self.record)["error"]))

    @needs("xarray")
    def test_datasets(self):
        newton = ncpbench.dataset(self.record, 2, "newton")
        self.assertEqual(newton["natural_map_error"].dims, ("step", "newton"))
        self.assertEqual(newton["natural_map_error"].attrs["units"], "m/s")
        self.assertEqual(newton.attrs["scene.mu"], 0.7)
        self.assertEqual(newton["natural_map_error"].sel(step=1, newton=3).item(),
                         self.dumped("/runs/0002/newton/natural_map_error", "-s", "1,3", "-c", "1,1")[0])
        for group in "steps", "linear", "final", "states", "columns", "checks":
            self.assertGreater(len(ncpbench.dataset(self.record, 0, group)), 1, group)
        with self.assertRaisesRegex(KeyError, "no group 'none'"):
            ncpbench.dataset(self.record, 0, "none")


class Notebooks(unittest.TestCase):
    def test_cells(self):
        names = {}
        self.assertEqual(notebooks.execute("a = 2\nprint('x')\na + 1", names), "x\n3")
        self.assertEqual(notebooks.execute("b = a + 1", names), "")
        self.assertEqual(notebooks.execute("b;", names), "")
        self.assertEqual(names["b"], 3)
        with self.assertRaises(ZeroDivisionError):
            notebooks.execute("1 / 0", names)

    def test_pages(self):
        self.assertEqual(len(notebooks.notebooks()), 2)
        for path in notebooks.notebooks():
            page = notebooks.page(path, run=False)
            self.assertRegex(page, r"\A# \w")
            self.assertIn("```python\n", page)
            self.assertNotIn("```text\n", page)

    @needs("pandas")
    @unittest.skipUnless(os.path.exists(os.path.join(os.path.dirname(PROGRAM), "ncpbench-python.so")), "built without Python")
    def test_they_run(self):
        solver, step = (notebooks.page(path) for path in notebooks.notebooks())
        counts = dict(re.findall(r"(?m)^(exact|none) +([\d ]+)$", step))
        exact, plain = ([int(word) for word in counts[name].split()] for name in ("exact", "none"))
        self.assertLess(2 * max(exact), max(plain))  # what the page says of the polish
        self.assertRegex(solver, r"(?m)^100 +0\.0\d+ ")
        self.assertIn("linear-solver.momentum\n0.00 ", solver)


class Program(Case):
    def test_run(self):
        record = ncpbench.run(["arch", "wall"], self.path("a.h5"), linear_solver=["pcr", "cholesky"], steps=1, newton_iterations=3, repeat=0,
                              reference_linear=True, set={"mu": [0.5, 0.6]}, solver_option={"recycle": 0}, store_systems=True)
        rows = records.run_rows(record)
        self.assertEqual(len(rows), 8)
        self.assertEqual({(row["scenario"], row["linear_solver"], row["scene.mu"]) for row in rows},
                         {(scene, solver, mu) for scene in ("arch", "wall") for solver in ("pcr", "cholesky") for mu in (0.5, 0.6)})
        self.assertEqual(rows[0]["reference_linear"], 1)
        with h5py.File(self.path("a.h5")) as file:
            self.assertIn("systems", file["runs/0000"])
        self.assertEqual(os.fspath(record), self.path("a.h5"))

    def test_a_temporary_record(self):
        code = "import ncpbench\nr = ncpbench.run('incline', steps=1)\nprint(r.path, len(ncpbench.records.run_rows(r)))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "analysis", "python"), "PYTHONDONTWRITEBYTECODE": "1"})
        path, count = done.stdout.split()
        self.assertEqual(count, "1", done.stderr)
        self.assertFalse(os.path.exists(path))

    def test_refusals(self):
        for options, status, says in ({"linear_solver": "pcrr"}, 64, "did you mean 'pcr'"), ({"set": {"muu": 1}}, 64, "muu"), ({"plugin": ["a.so"]}, 3, "a.so"):
            with self.assertRaisesRegex(ncpbench.ProgramError, says) as caught:
                ncpbench.run("arch", self.path("a.h5"), **options)
            self.assertEqual(caught.exception.status, status)
        self.only()

    def test_an_interrupt(self):
        """ends the program, too, and leaves no record"""
        code = f"import ncpbench\nncpbench.run('arch', {self.path('a.h5')!r}, steps=1000000)"
        process = subprocess.Popen([sys.executable, "-c", "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + code],
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "analysis", "python")})
        while not any(name.startswith("a.h5") for name in os.listdir(self.folder.name)):
            self.assertIsNone(process.poll())
        process.send_signal(2)
        _, err = process.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", err)
        self.assertFalse([name for name in os.listdir(self.folder.name) if "partial" in name])

    def test_progress(self):
        """lines of progress go to a bar where there is one, all else to standard error"""
        made = []

        def bar(total):
            made.append(types.SimpleNamespace(total=total, progress=0))
            return made[0]
        kept, program.bar = program.bar, bar
        self.addCleanup(setattr, program, "bar", kept)
        last = program.follow(["[1/2] arch: 0.01 s\n", "a message\n", "[2/2] arch: 0.02 s\n", "ncpbench: a fault\n"])
        self.assertEqual((len(made), made[0].total, made[0].progress, last), (1, 2, 2, "ncpbench: a fault"))

    @unittest.skipUnless(os.path.exists(os.path.join(os.path.dirname(PROGRAM), "ncpbench-python.so")), "built without Python")
    def test_own_solvers(self):
        record = ncpbench.run("arch", self.path("a.h5"), plugin=os.path.join(ROOT, "tests/plugins/example.py"), linear_solver="python-cr", steps=1)
        self.assertEqual(records.run_rows(record)[0]["linear_solver"], "python-cr")

    def test_system(self):
        self.ncpbench("export", "arch", "--steps", "1", "--at", "0:2", "-o", "s")
        s = ncpbench.system(self.path("s"))
        self.assertEqual((s.A.shape, s.b.shape, s.about["newton"]), ((378, 378), (378,), 2))
        inverse = numpy.linalg.inv(s.H.toarray()[6:, 6:])  # the first body is fixed
        free = s.J.toarray()[:, 6:] if not s.H.toarray()[:6, :6].any() else None
        self.assertIsNotNone(free)
        made = numpy.diag(s.S) @ free @ inverse @ free.T @ numpy.diag(s.S) + s.C.toarray()
        numpy.testing.assert_allclose(s.A.toarray(), made, atol=1e-12 * abs(made).max())


if __name__ == "__main__":
    unittest.main()
