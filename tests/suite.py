"""Suites of problem files: ncpbench suite, with files that cannot be read, limits of time, crashes and kills.

    NCPBENCH=build/ncpbench python3 tests/suite.py [Class...]

Each class is a test of ctest (suite_Class). Files are made here, with the seed printed.
"""
import csv
import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy

import fclib
from cli_case import PATIENCE, Case, runs_of, start, text, write_fclib
from plugins import ROOT, SOURCES, compile_plugin, environment
from resume import numbers

SEED = int(os.environ.get("NB_TEST_SEED", 1))
SOLVERS = ["--linear-solver", "cholesky,pcr", "--finish", "exact", "--repeat", "0"]


def stack_problem(path, contacts, seed, columns=None):
    """u = W r + q with W = J J^T, J of random rows; q is such that a force-free start is not the solution"""
    rng = numpy.random.default_rng(seed)
    rows = 3 * contacts
    j = rng.standard_normal((rows, columns or rows + 3)) / numpy.sqrt(rows)
    q = rng.standard_normal(rows)
    q[::3] = -numpy.abs(q[::3])
    write_fclib(path, j @ j.T, q, rng.uniform(0.1, 0.9, contacts))


def table_of(out):
    """the runs' lines and the failures' lines, as dictionaries"""
    parts = [part.splitlines() for part in out.split("\n\n")]
    return [[dict(zip(part[0].split("\t"), line.split("\t"))) for line in part[1:]] for part in parts]


class SuiteCase(Case):
    def setUp(self):
        super().setUp()
        print(f"NB_TEST_SEED={SEED}", flush=True)
        os.makedirs(self.path("p/deep/er"))

    def problem(self, name, contacts=3, **options):
        stack_problem(self.path(os.path.join("p", name)), contacts, [SEED, len(name), contacts], **options)

    def same(self, one, other):
        a, b = numbers(self.path(one)), numbers(self.path(other))
        self.assertEqual(sorted(a), sorted(b))
        self.assertGreater(len(a), 100)
        for key in a:
            self.assertEqual(a[key], b[key], key)


class Runs(SuiteCase):
    """what is run, recorded and printed"""

    def test_how_singular_w_is(self):
        self.problem("full.hdf5", 4), self.problem("thin.hdf5", 4, columns=7)
        rng = numpy.random.default_rng([SEED, 5])
        write_fclib(self.path("p/large.hdf5"), numpy.diag(rng.uniform(1, 2, 2001)), rng.standard_normal(2001), numpy.full(667, 0.5))
        write_fclib(self.path("p/one.hdf5"), numpy.diag([0.5, 2, 2]), [-1, 0.1, 0], [0.5])
        with open(self.path("p/none.hdf5"), "w") as file:
            file.write("no problem")
        run = ["suite", "p", "--method", "interior-point", "--linear-solver", "multifrontal,klu", "--repeat", "0", "-o", "a.h5", "--force"]
        out, _ = self.ncpbench(*run, "--describe", status=1)
        rows = {row["problem"]: row for row in table_of(out)[0]}
        self.assertEqual(len(table_of(out)[0]), 10)
        for name in "full.hdf5", "thin.hdf5":
            with h5py.File(self.path(f"p/{name}")) as file:
                group = file["fclib_local/W"]
                w = numpy.zeros((group["m"][0], group["n"][0]))
                for column, (start, end) in enumerate(zip(group["p"][:-1], group["p"][1:])):
                    w[group["i"][start:end], column] = group["x"][start:end]
            values, rank = numpy.linalg.svd(w, compute_uv=False), numpy.linalg.matrix_rank(w)
            self.assertEqual((int(rows[name]["rank"]), rank), (rank, 12 if name == "full.hdf5" else 7))
            self.assertAlmostEqual(float(rows[name]["rows/rank"]), 12 / rank, delta=1e-3)
            self.assertAlmostEqual(float(rows[name]["condition"]) / (values[0] / values[rank - 1]), 1, delta=0.01)
        self.assertEqual([rows["one.hdf5"][name] for name in ("rank", "rows/rank", "condition")], ["3", "1", "4"])
        for name in "large.hdf5", "none.hdf5":
            self.assertEqual([rows[name][column] for column in ("rank", "rows/rank", "condition")], ["-", "-", "-"])
        plain, _ = self.ncpbench(*run, status=1)
        self.assertNotIn("rank", plain)
        for described, undescribed in zip(table_of(out)[0], table_of(plain)[0]):
            self.assertEqual({key: described[key] for key in undescribed if key != "seconds"},
                             {key: undescribed[key] for key in undescribed if key != "seconds"})

    def test_a_folder(self):
        self.problem("b.hdf5"), self.problem("a.HDF5", 2), self.problem("deep/er/b.hdf5", 4), self.problem("deep/c.h5")
        for name in ("readme.txt", "hdf5", ".hdf5"):
            with open(self.path(f"p/{name}"), "w") as file:
                file.write("no problem")
        os.symlink("..", self.path("p/deep/loop"))
        out, err = self.ncpbench("suite", "p", *SOLVERS, "-o", "p/a.h5")
        (runs,) = table_of(out)
        names = ["a.HDF5", "b.hdf5", "deep/c.h5", "deep/er/b.hdf5"]
        self.assertEqual([run["problem"] for run in runs], [name for name in names for _ in range(2)])
        self.assertEqual({run["method"] for run in runs}, {"newton"})
        self.assertEqual([run["linear-solver"] for run in runs], ["cholesky", "pcr"] * 4)
        self.assertEqual({run["flag"] for run in runs}, {"converged"})
        self.assertIn("[4/4] deep/er/b.hdf5: 2 solved, 0 failed", err)
        with h5py.File(self.path("p/a.h5")) as record:
            for row, run in zip(runs, record["runs"].values()):
                self.assertEqual(text(run.attrs["scenario"]), row["problem"])
                self.assertNotIn("fault", run.attrs)
                self.assertEqual(run.attrs["relative_tolerance"], 1e-8)
                steps = run["steps"]
                for column, name in (("/||q||", "relative"), ("/(1+sqrt||q||)", "fclib"),
                                     ("/max(||q||,||r||,||u||)", "siconos")):
                    self.assertEqual(row[column], f"{steps['natural_map_' + name][0]:.3g}")
                self.assertLessEqual(steps["natural_map_relative"][0], 1e-8)
                self.assertEqual(row["iterations"], f"{steps['newton_iterations'][0]:.0f}")
                if row["linear-solver"] == "cholesky":  # with pcr the finish alone factorises
                    self.assertGreater(float(row["factorisations"]), 0)
                self.assertEqual(row["seconds"], f"{steps['step_s'][0]:.4g}")
        # once more, into the folder that now holds a record: that is not taken for a problem
        self.ncpbench("suite", "p", *SOLVERS, "-o", "p/a.h5")
        self.assertEqual(len(runs_of(self.path("p/a.h5"))), 8)

    def test_scenes(self):
        """a scene file is the problem of its first step: the numbers, the checksum and the solution of what export writes"""
        self.ncpbench("export", "wall", "--size", "2", "--at", "4", "--format", "scene", "-o", "p/a.json")
        self.ncpbench("export", "p/a.json", "--at", "0", "--format", "fclib", "-o", "p/b.hdf5")
        with open(self.path("p/deep/a.json.gz"), "wb") as file:
            file.write(gzip.compress(self.bytes_of("p/a.json"), mtime=0))
        names = ["a.json", "b.hdf5", "deep/a.json.gz"]
        sums = {self.ncpbench("export", f"p/{name}", "--format", "checksum")[0].split()[0] for name in names}
        self.assertEqual(sums, {fclib.checksum(self.path("p/b.hdf5"))})
        out, _ = self.ncpbench("suite", "p", *SOLVERS, "-o", "a.h5")
        (runs,) = table_of(out)
        self.assertEqual([run["problem"] for run in runs], [name for name in names for _ in range(2)])
        with h5py.File(self.path("a.h5")) as record:
            for i in range(2):
                solutions = {record[f"runs/000{i + k}/final/reaction"][...].tobytes() for k in (0, 2, 4)}
                self.assertEqual(len(solutions), 1)
        self.ncpbench("solve", "p/deep/a.json.gz", "--finish", "exact", "--relative-tolerance", "1e-8")
        self.refused("export", "p/a.json", "--format", "checksum", "--at", "0", says=("takes no other option",))

    def test_text_of_siconos(self):
        """the same problem in FCLIB's format and in Siconos's text: the same solution, bit for bit"""
        self.problem("a.hdf5", 4)
        with h5py.File(self.path("p/a.hdf5")) as file:
            local = file["fclib_local"]
            q, mu = local["vectors/q"][...], local["vectors/mu"][...]
            w = numpy.zeros((len(q), len(q)))
            for j in range(len(q)):
                entries = slice(*local["W/p"][j:j + 2])
                w[local["W/i"][entries], j] = local["W/x"][entries]
        with open(self.path("p/b.dat"), "w", encoding="ascii") as file:
            file.write(f"3\n4\n0\n12\n12\n12\t12\n")
            for numbers_of_a_line in (*w.T, q, mu):
                file.write(" ".join(f"{x:.24e}" for x in numbers_of_a_line) + "\n")
        self.ncpbench("suite", "p", *SOLVERS, "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            for i in range(2):
                a, b = record[f"runs/000{i}"], record[f"runs/000{i + 2}"]
                self.assertEqual(text(b.attrs["scenario"]), "b.dat")
                self.assertEqual(a["final/reaction"][...].tobytes(), b["final/reaction"][...].tobytes())
        self.ncpbench("solve", "p/b.dat", "--finish", "exact", "--relative-tolerance", "1e-8")

    def test_six_digits_are_told(self):
        """a global problem, one disc on the ground, in storages of which Siconos prints six digits: solve, suite and the record say so"""
        version = "CSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016"
        mass = "".join(f"    {k} {k} : {m}\n" for k, m in enumerate((2, 2, 0.25)))
        os.makedirs(self.path("p"), exist_ok=True)
        with open(self.path("p/g.dat"), "w", encoding="ascii") as file:
            file.write(f"2\n1\n2\n3\n3\n1\n{version}\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n{mass}"
                       f"2\n3\n2\n2\n{version}\n3-by-2, nzmax: 3 nnz: 3, 1-norm: 1.5\n    col 0 : locations 0 to 0\n      1 : 1\n"
                       "    col 1 : locations 1 to 2\n      0 : 1\n      2 : 0.5\n 1 -4 0\n 0 0\n 0.5\n")
        _, err = self.ncpbench("suite", "p", "--method", "interior-point", "-o", "a.h5")
        self.assertIn("g.dat: 1 solved, 0 failed", err)
        self.assertIn("matrices of 6 digits", err)
        run, = runs_of(self.path("a.h5"))
        self.assertIn("matrices of 6 digits", text(run["problem_words"]))
        with h5py.File(self.path("a.h5")) as record:  # it sticks: u_T = 1/2 + (1/2 + 0.25/0.25) r_T = 0
            numpy.testing.assert_allclose(record["runs/0000/final/reaction"][...], [4, -1 / 3], atol=1e-7)
        _, err = self.ncpbench("solve", "p/g.dat", "--method", "interior-point", "--relative-tolerance", "1e-8")
        self.assertIn("matrices of 6 digits", err)

    def test_combinations_and_tolerances(self):
        self.problem("a.hdf5")
        out, _ = self.ncpbench("suite", "p", *SOLVERS, "--tolerance", "1e-2,1e-10", "-o", "a.h5")
        (runs,) = table_of(out)
        self.assertEqual([run["relative-tolerance"] for run in runs], ["0.01", "1e-10"] * 2)
        loose, tight = (int(run["iterations"]) for run in runs[:2])
        self.assertLess(loose, tight)
        for run in runs:
            self.assertLessEqual(float(run["/||q||"]), float(run["relative-tolerance"]))

    def test_tolerance_not_met(self):
        self.problem("a.hdf5")
        few = ["--linear-solver", "cholesky,pcr", "--newton-iterations", "2", "--repeat", "0"]
        out, _ = self.ncpbench("suite", "p", *few, "-o", "a.h5", status=1)
        runs, failures = table_of(out)
        self.assertEqual({run["flag"] for run in runs + [{"flag": f["failed"]} for f in failures]}, {"iterations"})
        self.assertEqual(len(failures), 2)
        self.assertRegex(failures[0]["because"], r"natural map \S+ \|\|q\|\|")
        # nothing asked for, nothing missed
        self.ncpbench("suite", "p", *few, "--tolerance", "0", "-o", "a.h5")

    def test_mixed_is_another_precision(self):
        """of the interior point's linear solver too: vectors in f32 are seen in the errors"""
        self.problem("a.hdf5", 6)
        out, _ = self.ncpbench("suite", "p", "--method", "interior-point", "--linear-solver", "gmres", "--precision",
                               "f64,mixed", "--tolerance", "1e-5", "-o", "a.h5")
        (runs,) = table_of(out)
        self.assertEqual({run["flag"] for run in runs}, {"converged"})
        self.assertEqual(len({run["/||q||"] for run in runs}), 2)

    def test_repetitions(self):
        self.problem("a.hdf5"), self.problem("b.hdf5")
        out, _ = self.ncpbench("suite", "p", *SOLVERS[:-2], "--repeat", "3", "--warmup", "1", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            orders = []
            for row, run in zip(table_of(out)[0], record["runs"].values()):
                seconds = run["repeats/step_s"][:, 0]
                self.assertEqual(seconds.shape, (3,))
                self.assertEqual(row["seconds"], f"{numpy.median(seconds):.4g}")
                orders.append(list(run["repeats/order"][...]))
        for first in (0, 2):  # those of a problem together
            self.assertEqual(sorted(orders[first] + orders[first + 1]), list(range(6)))

    def test_names_too_long_for_a_record(self):
        long = "x" * 70
        for end in "ab":
            os.makedirs(self.path(f"p/{end}{long}"))
            self.problem(f"{end}{long}/{long}.hdf5")
        out, _ = self.ncpbench("suite", "p", "--finish", "exact", "-o", "a.h5")
        names = [row["problem"] for row in table_of(out)[0]]
        self.assertEqual(len(set(names)), 2)
        for name in names:
            self.assertEqual(len(name), 63)
            self.assertTrue(name.endswith("xx.hdf5"), name)

    def test_jobs_change_nothing(self):
        for i in range(7):
            self.problem(f"{i}.hdf5", 1 + 5 * (i % 3))
        with open(self.path("p/4.hdf5"), "w") as file:
            file.write("damaged")
        outputs = []
        for jobs in ("1", "2", "5"):
            out, _ = self.ncpbench("suite", "p", *SOLVERS, "--jobs", jobs, "-o", f"{jobs}.h5", status=1)
            outputs.append([[(row["problem"], row["linear-solver"], row.get("/||q||")) for row in part]
                            for part in table_of(out)])
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])
        self.same("1.h5", "2.h5")
        self.same("1.h5", "5.h5")

    def test_profile(self):
        for i in range(4):
            self.problem(f"{i}.hdf5", 2 + i)
        with open(self.path("p/bad.hdf5"), "w") as file:
            file.write("damaged")
        self.ncpbench("suite", "p", *SOLVERS, "-o", "a.h5", status=1)
        self.ncpbench("figure", "profile", "--from", "a.h5", "-o", "p.svg")
        self.ncpbench("report", "a.h5")
        self.ncpbench("check", "a.h5")
        self.ncpbench("compare", "a.h5", "a.h5")
        with open(self.path("p.txt"), encoding="utf-8") as file:
            picture = re.sub(r"\s+", " ", file.read())
        self.assertIn("Problems: 5, to a natural-map error of 1e-08 ||q||; no solver reached it in 1.", picture)
        self.assertIn("cholesky 0.80", picture)  # four of five
        with open(self.path("a.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("<td>refused</td>", page)
        self.assertNotIn("interrupted</td>", page)

    def test_ranking(self):
        """the same numbers in every format, and status 2 above a threshold"""
        for i in range(5):
            self.problem(f"{i}.hdf5", 2 + i)
        self.ncpbench("suite", "p", "--method", "psor,interior-point", "--newton-iterations", "2,5000", "--repeat", "0", "-o", "a.h5", status=None)
        table = list(csv.DictReader(self.ncpbench("compare", "a.h5", "--rank", "--to", "1e-8", "--format", "csv")[0].splitlines()))
        document = json.loads(self.ncpbench("compare", "a.h5", "--rank", "--to", "1e-8", "--format", "json")[0])
        self.assertEqual([(row["solver"], int(row["solved"]), int(row["tried"])) for row in table],
                         [(row["solver"], row["solved"], row["tried"]) for row in document["solvers"]])
        self.assertEqual(len(table), 4)
        for row, other in zip(table, document["solvers"]):
            self.assertAlmostEqual(float(row["time_s"]) / other["seconds"]["value"], 1, places=7)
            self.assertLessEqual(float(row["time_low_s"]), float(row["time_s"]))
        few = [row for row in table if "2" in row["solver"].split()]
        self.assertEqual([int(row["solved"]) for row in few], [0, 0], table)
        tabs = list(csv.DictReader(self.ncpbench("compare", "a.h5", "--rank", "--to", "1e-8", "--format", "tsv")[0].splitlines(), delimiter="\t"))
        self.assertEqual(tabs, table)
        for form in ("text", "latex", "markdown"):
            lines = self.ncpbench("compare", "a.h5", "--rank", "--format", form)[0].splitlines()
            for row in table:
                self.assertTrue(any(row["solver"] in line.replace("\\_", "_") for line in lines), (form, row, lines))
        _, err = self.ncpbench("compare", "a.h5", "--rank", "--baseline", "psor,newton_iterations=5000", "--fail-above", "1.1", status=2)
        self.assertIn("fails: ", err)
        self.ncpbench("compare", "a.h5", "a.h5", "--fail-above", "1.1")
        self.ncpbench("run", "drop,incline", "--steps", "1", "--method", "psor,interior-point", "-o", "d.h5", status=None)
        out, err = self.ncpbench("compare", "d.h5", "--rank", "--to", "1e-3")
        self.assertIn("left out, as no contact has a force: 1 of 2 problems", err)
        self.assertEqual([line.split()[2] for line in out.splitlines()[1:]], ["1/1", "1/1"], out)
        self.refused("compare", "a.h5", "--rank", "--by", "method", says=["--rank --by requires a setting of problems"])

    def test_what_a_solver_does_not_use_makes_no_other_run(self):
        self.problem("a.hdf5")
        self.ncpbench("suite", "p", "--linear-solver", "cholesky,pcr", "--preconditioner", "none,jacobi", "--linear-iterations",
                      "50,60", "--repeat", "0", "-o", "a.h5", status=None)
        self.assertEqual([(text(run["linear_solver"]), text(run["preconditioner"])) for run in runs_of(self.path("a.h5"))],
                         [("cholesky", "none")] + 2 * [("pcr", "none")] + 2 * [("pcr", "jacobi")])

    def test_usage(self):
        self.problem("a.hdf5")
        self.refused("suite", "p", "--linear-solver", "cholesky", "--preconditioner", "ssor", "-o", "a.h5", says=["--preconditioner has no effect with cholesky"])
        self.refused("suite", "p", "-o", "a.h5", "--linear-solver", "chol", says=["chol"])
        self.refused("suite", "p/deep", "-o", "a.h5", status=3, says=["no problem files"])
        self.only("p")


# a ball of radius 1/2 between two planes 0.9 m apart: it cannot leave both
SQUEEZED = {"time_step_s": 0.01, "shapes": [{"kind": "half-space"}, {"kind": "sphere", "radius_m": 0.5}],
            "bodies": [{"kind": "fixed", "shape": 0, "position_m": [0, 0, 0]},
                       {"kind": "fixed", "shape": 0, "position_m": [0, 0, 0.9], "orientation_wxyz": [0, 1, 0, 0]},
                       {"shape": 1, "density_kg_m3": 1000, "position_m": [0, 0, 0.45]}]}
COLUMNS = ["name", "set", "class", "contacts", "rows", "rank", "condition", "mu", "source", "sha256", "best", "methods"]


class Standard(SuiteCase):
    """a standard set of three problems: names, classes, checksums, and a problem that has no solution"""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("toy/small"))
        self.problems = {}
        for name, kind, scene in (("arch-6", "arch", ["arch", "--set", "count=6"]), ("wall-3", "wall", ["wall", "--size", "3"]), ("squeezed", "infeasible", None)):
            if scene:
                self.ncpbench("export", *scene, "--at", "3", "--format", "scene", "-o", f"{name}.json")
            else:
                with open(self.path(f"{name}.json"), "w") as file:
                    json.dump(SQUEEZED, file)
            self.pack(name)
            self.problems[name] = {"class": kind, "set": "small", "sha256": self.ncpbench("export", f"{name}.json", "--format", "checksum")[0].split()[0],
                                   "best": "infeasible" if kind == "infeasible" else "1e-12"}
        self.write_table()

    def pack(self, name, where="toy/small"):
        with open(self.path(f"{where}/{name}.json.gz"), "wb") as file:
            file.write(gzip.compress(self.bytes_of(f"{name}.json"), mtime=0))

    def write_table(self, columns=COLUMNS, **changes):
        with open(self.path("toy/standard.tsv"), "w") as file:
            file.write("# ncpbench standard set 1\n# full: not made\n" + "\t".join(columns) + "\n")
            for name, row in {**self.problems, **changes}.items():
                file.write("\t".join({"name": name, **row}.get(column, "-") for column in columns) + "\n")

    def test_names_classes_and_certificates(self):
        """the natural map that is recorded is numpy's of the exported file; who proves that there is no solution has solved it"""
        out, _ = self.ncpbench("suite", "--standard", "toy", "--method", "interior-point,newton", "--tolerance", "1e-6", "--repeat", "0", "-o", "a.h5", status=1)
        rows, failures = table_of(out)
        self.assertEqual([(row["problem"], row["class"]) for row in rows[::2]], [(name, row["class"]) for name, row in self.problems.items()])
        self.assertEqual([row["flag"] for row in rows if row["problem"] == "squeezed"][0], "infeasible")
        self.assertIn(("squeezed", "newton"), [(row["problem"], row["method"]) for row in failures])
        self.assertNotIn("interior-point", [row["method"] for row in failures])
        self.ncpbench("export", "--standard", "toy", "--format", "fclib", "-o", "files")
        self.assertEqual(sorted(os.listdir(self.path("files"))), sorted(f"{name}.hdf5" for name in self.problems))
        with h5py.File(self.path("a.h5")) as record:
            for k, (name, row) in enumerate(self.problems.items()):
                path = self.path(f"files/{name}.hdf5")
                self.assertEqual(fclib.checksum(path), row["sha256"])
                for run in (record[f"runs/{2 * k + i:04d}"] for i in range(2)):
                    attributes = {key: text(run.attrs[f"scene.{key}"]) for key in ("class", "sha256", "best")}
                    self.assertEqual(text(run.attrs["scenario"]), name)
                    self.assertEqual(attributes, {key: row[key] for key in attributes})
                    if row["best"] != "infeasible":
                        error, noise = fclib.natural_map(path, run["final/reaction"][...])
                        self.assertAlmostEqual(run["steps/natural_map_relative"][0], error, delta=2 * noise + 1e-9 * error)
        ranking, _ = self.ncpbench("compare", "a.h5", "--rank", "--by", "class", "--to", "1e-6", "--format", "csv")
        lines = list(csv.DictReader(ranking.splitlines()))
        self.assertEqual([line["class"] for line in lines[::2]], ["arch", "wall", "infeasible"])
        self.assertEqual({line["solver"]: line["solved"] for line in lines if line["class"] == "infeasible"}, {"interior-point": "1", "newton": "0"})
        document = json.loads(self.ncpbench("compare", "a.h5", "--rank", "--by", "class", "--format", "json")[0])
        self.assertEqual([(r["value"], r["problems"]) for r in document["rankings"]], [("arch", 1), ("wall", 1), ("infeasible", 1)])
        for form, words in (("text", "class: wall"), ("markdown", "class: wall"), ("latex", "{l}{wall}"), ("tsv", "wall\t")):
            self.assertIn(words, self.ncpbench("compare", "a.h5", "--rank", "--by", "class", "--format", form)[0])

    def test_one_bit_changed(self):
        """is refused by name, whoever asks for it; the others go on"""
        run = ["suite", "--standard", "toy", "--method", "interior-point", "--repeat", "0", "-o", "a.h5"]
        scene = json.loads(self.bytes_of("wall-3.json"))
        moved = next(body for body in scene["bodies"] if body["kind"] == "dynamic")
        moved["position_m"][2] = numpy.nextafter(moved["position_m"][2], 1)
        with open(self.path("wall-3.json"), "w") as file:
            json.dump(scene, file)
        self.pack("wall-3")
        out, _ = self.ncpbench(*run, status=3)
        rows, failures = table_of(out)
        self.assertEqual([row["flag"] for row in rows], ["converged", "refused", "infeasible"])
        self.assertIn("'wall-3' is not the problem of this name in the standard set", failures[0]["because"])
        self.refused("export", "--standard", "toy", "--format", "fclib", "-o", "files", status=3, says=("'wall-3' is not the problem of this name",))
        self.problems["wall-3"]["sha256"] = "-"  # not known: not checked
        self.write_table()
        self.ncpbench(*run)

    def test_tables_and_places(self):
        run = ["suite", "--standard", "toy", "--method", "interior-point", "--repeat", "0", "-o", "a.h5"]
        for columns, changes, says in (([c for c in COLUMNS if c != "class"], {}, "line 3: the table lacks the column 'class'"),
                                       (COLUMNS, {"../arch-6": self.problems["arch-6"]}, "line 7: no name of a problem is '../arch-6'"),
                                       (COLUMNS, {"arch-6": {**self.problems["arch-6"], "set": "large"}}, "line 4: the set is small, full or failures, not 'large'"),
                                       (COLUMNS, {"arch-6": {**self.problems["arch-6"], "sha256": "12"}}, "line 4: no SHA-256 in lower case is '12'")):
            self.write_table(columns, **changes)
            self.refused(*run, status=3, says=(says,))
        self.write_table()
        os.makedirs(self.path("elsewhere"))
        os.rename(self.path("toy/small/wall-3.json.gz"), self.path("elsewhere/wall-3.json.gz"))
        self.refused(*run, status=3, says=("'wall-3.json.gz' is not in 'toy', nor in its folders small, full and failures",))
        for place in ("toy", "toy/full"):
            os.makedirs(self.path(place), exist_ok=True)
            shutil.move(self.path("elsewhere/wall-3.json.gz"), self.path(f"{place}/wall-3.json.gz"))
            self.ncpbench(*run, "--force")
            shutil.move(self.path(f"{place}/wall-3.json.gz"), self.path("elsewhere/wall-3.json.gz"))


class Faults(SuiteCase):
    """what goes wrong costs its own run"""

    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.TemporaryDirectory(prefix="ncpbench-suite-")
        cls.addClassCleanup(cls.built.cleanup)
        cls.bad = os.path.join(cls.built.name, "bad.so")
        compile_plugin(os.path.join(SOURCES, "bad.c"), cls.bad, f"-I{ROOT}/core")

    def check_record(self, path, expected):
        """expected: (scenario, solver) -> what the fault holds, or None"""
        runs = runs_of(self.path(path))
        self.assertEqual([(text(r["scenario"]), text(r["linear_solver"])) for r in runs], list(expected))
        for run, words in zip(runs, expected.values()):
            self.assertEqual(run["finished"], 0 if words else 1)
            self.assertIn(words or "", text(run.get("fault", "")))
            self.assertEqual("fault" in run, words is not None)

    def test_files_that_cannot_be_read(self):
        self.problem("a.hdf5"), self.problem("z.hdf5")
        shutil.copy(self.path("p/a.hdf5"), self.path("p/cut.hdf5"))
        os.truncate(self.path("p/cut.hdf5"), 900)
        with open(self.path("p/text.dat"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n")
        os.symlink("nowhere", self.path("p/link.hdf5"))
        os.mkfifo(self.path("p/pipe.json"))
        out, _ = self.ncpbench("suite", "p", "--finish", "exact", "-o", "a.h5", status=1)
        runs, failures = table_of(out)
        self.assertEqual([run["flag"] for run in runs], ["converged", "refused", "refused", "refused", "refused", "converged"])
        for failure, words in zip(failures, ("cut.hdf5", "'p/link.hdf5': No such file", "'p/pipe.json': it is not a regular file", "text.dat"), strict=True):
            self.assertIn(words, failure["because"])
        self.check_record("a.h5", {("a.hdf5", "pcr"): None, ("cut.hdf5", "pcr"): "cut.hdf5",
                                   ("link.hdf5", "pcr"): "No such file", ("pipe.json", "pcr"): "not a regular file",
                                   ("text.dat", "pcr"): "text.dat", ("z.hdf5", "pcr"): None})
        with h5py.File(self.path("a.h5")) as record:
            steps = record["runs/0001/steps"]
            legend = dict(item.split("=")[::-1] for item in text(steps["reason"].attrs["legend"]).split())
            self.assertEqual(steps["reason"][0], float(legend["refused"]))
            self.assertTrue(numpy.isnan(steps["natural_map_error"][0]))

    def test_time_limit(self):
        self.problem("a.hdf5", 2), self.problem("b.hdf5", 2)
        env = environment("solve-hang")
        start_s = time.monotonic()
        out, _ = self.ncpbench("suite", "p", "--plugin", self.bad, "--linear-solver", "bad-solver,cholesky", "--finish",
                               "exact", "--time-limit", "0.5", "-o", "a.h5", status=1, env=env)
        self.assertLess(time.monotonic() - start_s, 20)
        runs, failures = table_of(out)
        self.assertEqual([run["flag"] for run in runs], ["time-limit", "converged"] * 2)
        self.check_record("a.h5", {(name, solver): "more than 0.5 s (--time-limit)" if solver == "bad-solver" else None
                                   for name in ("a.hdf5", "b.hdf5") for solver in ("bad-solver", "cholesky")})

    def test_a_limit_of_time_keeps_the_history(self):
        """of methods that tell of their iterations; figure field-profile counts the accuracies that it passes"""
        shutil.copy(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scenarios", "standard", "small", "arch-20.json.gz"), self.path("p"))
        words = ["--repeat", "0", "--linear-history", "off", "--title", "mine"]
        self.ncpbench("suite", "p", "--method", "psor", "--newton-iterations", "1000000", "--relative-tolerance", "1e-300", "--time-limit", "0.2", *words,
                      "-o", "a.h5", status=1)
        self.ncpbench("suite", "p", "--method", "interior-point", "--relative-tolerance", "1e-8", *words, "-o", "b.h5")
        with h5py.File(self.path("a.h5")) as record:
            run = record["runs/0000"]
            legend = dict(item.split("=")[::-1] for item in text(run["steps/reason"].attrs["legend"]).split())
            self.assertEqual(run["steps/reason"][0], float(legend["time-limit"]))
            self.assertIn("more than 0.2 s (--time-limit)", text(run.attrs["fault"]))
            errors, count = run["newton/natural_map_relative"][0], run["newton/count"][0]
            products = run["newton/operator_applications"][0]
        self.assertGreater(count, 10)
        self.ncpbench("figure", "field-profile", "--from", "a.h5,b.h5", "--csv", "a.csv", "-o", "a.svg")
        with open(self.path("a.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for accuracy, name in (1e-4, "0.0001"), (1e-6, "1e-06"), (1e-8, "1e-08"):
            of = [row for row in rows if row["panel"] == f"products to {name}" and row["curve"] == "psor"]
            reached = [float(row["cost"]) for row in of if float(row["share"]) == 1]
            passed = numpy.flatnonzero(errors[:count] <= accuracy)
            self.assertEqual(bool(reached), bool(len(passed)), accuracy)
            if reached:
                spent = numpy.nansum(products[:passed[0]])
                below = [float(row["cost"]) for row in of if float(row["share"]) == 0]
                self.assertTrue(max(below, default=0) <= spent <= reached[0] * (1 + 1e-8), (accuracy, spent, reached[0]))
        pairs = {row["curve"]: [row["cost"], row["share"]] for row in rows if row["panel"] == "mine" and row["cost"] != "0"}
        self.assertEqual({name: int(float(count)) for name, (count, _) in pairs.items()}, {"psor": 1, "interior-point": 1})
        self.assertEqual(sum(float(share) for _, share in pairs.values()), 1)

    def test_crashes(self):
        self.problem("a.hdf5", 2), self.problem("b.hdf5", 2)
        for bad, words in (("solve-segv", "Segmentation fault"), ("solve-abort", "Aborted"), ("solve-exit", "exit status"),
                           ("values-stack", "crashes"), ("destroy-forty", "no result")):
            out, _ = self.ncpbench("suite", "p", "--plugin", self.bad, "--linear-solver", "bad-solver,cholesky",
                                   "--finish", "exact", "--jobs", "2", "-o", "a.h5", status=1, env=environment(bad))
            runs, failures = table_of(out)
            self.assertEqual([run["flag"] == "converged" for run in runs], [False, True] * 2, bad)
            self.assertIn(words, failures[0]["because"], bad)
            self.assertIn("bad-solver", failures[0]["because"])
            self.check_record("a.h5", {(name, solver): "bad-solver" if solver == "bad-solver" else None
                                       for name in ("a.hdf5", "b.hdf5") for solver in ("bad-solver", "cholesky")})

    def test_a_killed_pass(self):
        """the process of a pass, killed from outside: its run is a failed one, and the suite goes on"""
        self.problem("a.hdf5", 2), self.problem("b.hdf5", 2)
        process = start(["suite", "p", "--plugin", self.bad, "--linear-solver", "bad-solver", "--time-limit", "3", "-o",
                         "a.h5"], cwd=self.folder.name, env=environment("solve-hang"))
        while not os.path.exists(self.path("a.h5.checkpoint")) and process.poll() is None:  # plugins are loaded by then
            time.sleep(0.02)
        os.kill(self.child_of(process.pid), signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, err)
        self.assertEqual([run["flag"] for run in table_of(out)[0]], ["crashed", "time-limit"])

    def child_of(self, pid):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                children = file.read().split()
            if children:
                return int(children[0])
            time.sleep(0.02)
        self.fail("no process of a pass was seen")


class Siconos(SuiteCase):
    """Siconos's solvers (tests/plugins/siconos.c) beside a method of our own, where its library is installed"""

    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.TemporaryDirectory(prefix="ncpbench-siconos-")
        cls.addClassCleanup(cls.built.cleanup)
        cls.plugin = os.path.join(cls.built.name, "siconos.so")
        include = os.environ.get("SICONOS_INCLUDE", "")
        if not include:
            print("Siconos (libsiconos-numerics-dev) is not installed")
            sys.exit(77)
        compile_plugin(os.path.join(SOURCES, "siconos.c"), cls.plugin, f"-I{ROOT}/core", "-isystem", include, "-isystem",
                       os.path.dirname(include), "-Wall", "-Wextra", "-Werror", "-Wl,--no-as-needed", "-lsiconos_numerics")

    def test_all_methods_in_one_suite(self):
        methods = ["siconos-nsgs", "siconos-nsn-ac", "siconos-prox", "siconos-admm", "newton"]
        for i, contacts in enumerate((1, 4, 10)):
            self.problem(f"{i}.hdf5", contacts)
        write_fclib(self.path("p/plane.hdf5"), [[2, 0.5], [0.5, 1]], [-1, 0.3], [0.2], dimension=2)
        out, _ = self.ncpbench("suite", "p", "--plugin", self.plugin, "--method", ",".join(methods), "--finish", "exact",
                               "--linear-solver", "cholesky", "--tolerance", "1e-8", "--time-limit", "20", "--repeat", "1",
                               "-o", "a.h5")
        (runs,) = table_of(out)
        self.assertEqual([run["method"] for run in runs], methods * 4)
        with h5py.File(self.path("a.h5")) as record:
            for row, run in zip(runs, record["runs"].values()):
                self.assertEqual(row["flag"], "converged", row)
                self.assertLessEqual(run["steps/natural_map_relative"][0], 1e-8)
                self.assertGreater(float(row["seconds"]), 0)
                foreign = row["method"] != "newton"
                self.assertEqual("method_words" in run.attrs, foreign)
                if foreign:
                    self.assertIn("info 0", text(run.attrs["method_words"]))
                    self.assertGreater(float(row["iterations"]), 0)
            # the velocities of a problem are unique where W is positive definite, as these are
            for first in range(0, len(runs), len(methods)):
                found = [record[f"runs/{first + i:04d}/final/velocity"][...] for i in range(len(methods))]
                for u in found[1:]:
                    numpy.testing.assert_allclose(u, found[0], atol=1e-5)  # 1e-8 times the condition of W, up to 1e3

    def test_joints_are_refused(self):
        out, err = self.ncpbench("run", "beam", "--steps", "1", "--plugin", self.plugin, "--method", "siconos-nsgs",
                                 "-o", "a.h5", status=1)
        self.assertIn("takes contacts alone", err)


class Interrupts(SuiteCase):
    """kills and Ctrl-C, and going on afterwards"""

    def setUp(self):
        super().setUp()
        for i in range(6):
            self.problem(f"{i}.hdf5", 12)
        with open(self.path("p/3.hdf5"), "w") as file:
            file.write("damaged")
        self.arguments = ["suite", "p", *SOLVERS, "--jobs", "2", "-o", "a.h5"]
        self.ncpbench(*self.arguments[:-1], "whole.h5", status=1)

    def stop(self, number, after):
        process = start(self.arguments, cwd=self.folder.name)
        for _ in range(after):  # so many lines of progress
            process.stderr.readline()
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertIn(process.returncode, (1, 130, -number), err)
        return process.returncode, err

    def test_kill_and_resume(self):
        for number, code in ((signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 130)):
            for after in (0, 1, 2, 4):
                returned, _ = self.stop(number, after)
                if returned == 1:  # it was through before the signal came
                    self.assertFalse(os.path.exists(self.path("a.h5.checkpoint")))
                elif os.path.exists(self.path("a.h5.checkpoint")):
                    self.assertEqual(returned, code)
                    out, err = self.ncpbench("suite", "--resume", "a.h5", status=1)
                    self.assertIn("runs were finished", err)
                    rows, failures = table_of(out)
                    self.assertEqual(len(rows), 12)  # the whole table
                    self.assertEqual(len(failures), 2)
                else:  # killed before it had begun
                    continue
                self.same("a.h5", "whole.h5")
                self.only("p", "a.h5", "whole.h5")
                os.remove(self.path("a.h5"))

    def test_a_folder_that_has_changed(self):
        returned, _ = self.stop(signal.SIGINT, 2)
        if returned != 130 or not os.path.exists(self.path("a.h5.checkpoint")):
            return
        os.rename(self.path("p/0.hdf5"), self.path("p/9.hdf5"))
        self.refused("suite", "--resume", "a.h5", status=3, says=["changed", "'0.hdf5' is missing"])
        os.rename(self.path("p/9.hdf5"), self.path("p/0.hdf5"))
        self.ncpbench("suite", "--resume", "a.h5", status=1)
        self.same("a.h5", "whole.h5")

    def test_no_process_is_left(self):
        process = start(self.arguments, cwd=self.folder.name)
        time.sleep(0.1)
        process.kill()
        process.communicate(timeout=PATIENCE)  # ends when all who hold its standard error are gone
        time.sleep(0.2)
        seen = subprocess.run(["pgrep", "-f", self.folder.name], capture_output=True, text=True, check=False).stdout
        self.assertEqual(seen, "")

    def test_another_commands_checkpoint(self):
        returned, _ = self.stop(signal.SIGINT, 1)
        if returned == 130 and os.path.exists(self.path("a.h5.checkpoint")):
            self.refused("run", "--resume", "a.h5", status=3, says=["ncpbench run"])


if __name__ == "__main__":
    unittest.main()
