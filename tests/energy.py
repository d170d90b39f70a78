"""Energy errors of linear iterates in records (run --reference-linear): against dense solutions of the stored systems.

    NCPBENCH=build/ncpbench python3 tests/energy.py
"""
import csv
import importlib.util
import os
import re
import types
import unittest

import h5py
import numpy

from cli_case import Case, text

RUN = ["run", "wall", "--set", "width=3", "--set", "height=2", "--settle", "2", "--steps", "1", "--lead", "3", "--lead-exact", "on",
       "--newton-iterations", "2", "--linear-iterations", "60", "--linear-tolerance", "1e-12"]

# as the runs of figures preconditioner-study-*
STUDY = ["--warm-start", "off", "--steps", "1", "--lead-exact", "on", "--newton-iterations", "1", "--form", "stiffness", "--method", "newton", "--linear-solver", "pcg",
         "--repeat", "0", "--linear-norm", "true", "--linear-tolerance", "5e-9"]


def dense(group):
    start, column, value = (group[name][()] for name in ("start", "column", "value"))
    matrix = numpy.zeros((group.attrs["rows"], group.attrs["columns"]))
    for row in range(len(start) - 1):
        matrix[row, column[start[row]:start[row + 1]]] = value[start[row]:start[row + 1]]
    return matrix


class Energy(Case):
    def make(self, *arguments, name="a.h5", append=()):
        self.ncpbench(*RUN, *arguments, "-o", name, *append)

    def test_against_dense_solutions(self):
        """the error of x = 0, and the solution's norm, which both forms and the saddle form agree on"""
        self.make("--form", "compliance,stiffness", "--linear-solver", "pcg,pcr", "--reference-linear", "on", "--store-systems")
        self.make("--form", "saddle", "--linear-solver", "gmres", "--reference-linear", "on", append=["--append"])
        with h5py.File(self.path("a.h5")) as record:
            runs = list(record["runs"].values())
            for run in runs[:4]:
                system, count = run["systems/0000_000"], run["linear/count"][0, 0]
                a, b = dense(system["A"]), system["b"][()]
                error, bound = (run["linear/" + name][0, 0, :count] for name in ("energy_error", "energy_bound"))
                # conditions are of 1e6
                self.assertAlmostEqual(error[0] / numpy.sqrt(b @ numpy.linalg.solve(a, b)), 1, 7)
                self.assertLess(error[-1], 0.1 * error[0])
                self.assertTrue((numpy.diff(error) <= 1e-9 * error[0]).all())  # both lower it in every step
                self.assertTrue((bound[:-1] <= error[:-1] * (1 + 1e-6) + 1e-7 * error[0]).all())
                ahead = error[:-11] ** 2 - error[10:-1] ** 2  # what ten iterations lower its square by
                numpy.testing.assert_allclose(bound[:-11] ** 2, ahead, rtol=1e-5, atol=1e-12 * error[0] ** 2)
            system = runs[0]["systems/0000_000"]  # of the dual form, with its factors
            h, j, c, s, g = dense(system["H"]), dense(system["J"]), dense(system["C"]), system["s"][()], system["g"][()]
            y = numpy.linalg.solve(dense(system["A"]), system["b"][()])
            moves = numpy.diag(h) > 0
            du = numpy.zeros(len(h))
            du[moves] = numpy.linalg.solve(h[numpy.ix_(moves, moves)], (j.T @ (s * y) - g)[moves])
            expected = numpy.sqrt(du @ h @ du + y @ c @ y)
            for run in runs:
                self.assertAlmostEqual(run["newton/solution_energy"][0, 0] / expected, 1, 6)

    def test_the_run_is_the_same_without(self):
        self.make("--reference-linear", "on,off", "--linear-solver", "pcg,pcr,minres")
        with h5py.File(self.path("a.h5")) as record:
            runs = list(record["runs"].values())
            for on, off in zip(runs[:3], runs[3:]):
                self.assertEqual((on.attrs["reference_linear"], off.attrs["reference_linear"]), (1, 0))
                self.assertNotIn("energy_error", off["linear"])
                self.assertEqual("energy_bound" in off["linear"], off.attrs["linear_solver"] != "minres")
                for name in "residual_l2", "preconditioned_residual":
                    self.assertEqual(on["linear"][name][()].tobytes(), off["linear"][name][()].tobytes())
                self.assertEqual(on["newton/operator_applications"][()].tobytes(), off["newton/operator_applications"][()].tobytes())
                self.assertEqual(on["final/u"][()].tobytes(), off["final/u"][()].tobytes())

    def compare_to(self, of):
        out, _ = self.ncpbench("compare", "a.h5", "--by", "preconditioner", "--to", f"{of}:1e-3", "--format", "tsv")
        with h5py.File(self.path("a.h5")) as record:
            expected, operations = [], []
            for run in record["runs"].values():
                counts = run["linear/count"][0]
                error = run["linear/energy_error" if of == "energy" else "linear/residual_l2"][0]
                own = run["newton/solution_energy"][0] if of == "energy" else error[:, 0]
                needed = [int(numpy.argmax(error[k, :counts[k]] <= 1e-3 * own[k])) for k in range(2)]
                expected.append(sum(needed))
                c = {name: run["newton/" + name][0] for name in run["newton"]}
                products = c["operator_applications"] / c["linear_iterations"]  # of chebyshev, whose are in P, four more
                self.assertEqual(products[0] > 4, run.attrs["preconditioner"] == b"chebyshev" or run.attrs["preconditioner"] == "chebyshev")
                each = products * c["product_flops"] + c["preconditioner_applications"] / c["linear_iterations"] * c["apply_flops"]
                operations.append(sum(c["assembly_flops"][k] + c["setup_flops"][k] + needed[k] * (each[k] + 10 * c["unknowns"][k]) for k in range(2)))
        line = dict(zip(*[row.split("\t") for row in out.splitlines() if row and not row.startswith("#")][:2]))
        self.assertEqual([float(line[name]) for name in ("linear_a", "linear_b")], expected)
        numpy.testing.assert_allclose([float(line[name]) for name in ("operations_a", "operations_b")], operations, rtol=1e-8)

    def test_comparisons_and_figures_take_it(self):
        self.make("--form", "stiffness", "--linear-solver", "pcg", "--preconditioner", "ic0,chebyshev", "--reference-linear", "on")
        for of in "energy", "residual":
            self.compare_to(of)
        self.ncpbench("figure", "profile", "--from", "a.h5", "--to", "energy:1e-3", "-o", "a.svg")
        self.assertIn("0.001 of the energy norm", self.bytes_of("a.txt").decode())
        self.ncpbench("figure", "convergence", "--from", "a.h5", "--y", "linear/energy_error", "-o", "b.svg")

    def test_spectra_are_those_of_dense_matrices(self):
        self.ncpbench("run", "wall", "--set", "width=3", "--set", "height=2", "--settle", "2", "--steps", "1", "--lead", "9", "--lead-exact", "on",
                      "--newton-iterations", "1", "--linear-iterations", "5000", "--linear-tolerance", "1e-12", "--reference-linear", "on", "--store-systems",
                      "--form", "stiffness", "--linear-solver", "pcg", "--preconditioner", "none,jacobi,lu", "-o", "a.h5")
        self.ncpbench("figure", "preconditioner-study-condition", "--from", "a.h5", "--csv", "a.csv", "-o", "a.svg")
        found, conditions, counts = {}, {}, {}
        for line in self.bytes_of("a.csv").decode().splitlines()[1:]:
            _, _, curve, _, value, condition, count = line.split(",")
            found.setdefault(curve, []).append(float(value))
            conditions[curve], counts[curve] = float(condition), float(count)
        with h5py.File(self.path("a.h5")) as record:
            a = dense(next(iter(record["runs"].values()))["systems/0000_000/A"])
        scale = 1 / numpy.sqrt(numpy.diag(a))
        for curve, matrix in ("none", a), ("jacobi", scale[:, None] * a * scale), ("lu", numpy.eye(len(a))):
            expected = numpy.linalg.eigvalsh(matrix)
            # the shift of lu is 1e-10 of the diagonal; conditions are of 1e5
            numpy.testing.assert_allclose(found[curve], expected, rtol=1e-5, atol=1e-12 * expected[-1])
            numpy.testing.assert_allclose(conditions[curve], expected[-1] / expected[0], rtol=1e-4)
            self.assertTrue(1 <= counts[curve] <= numpy.sqrt(conditions[curve]) / 2 * numpy.log(2e6) + 1)  # the bound of CG

    def figure(self, name, record="a.h5"):
        """the rows of the figure's table, by curve"""
        self.ncpbench("figure", name, "--from", record, "--csv", "a.csv", "-o", "a.svg")
        found = {}
        with open(self.path("a.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found.setdefault(row["curve"], []).append(row)
        return found

    def test_figures_of_preconditioners(self):
        """against h5py: columns of newton in rows of a run, operations until an iterate, sums over steps, classes"""
        self.ncpbench("run", "soft-stack", "--set", "cells=5", *STUDY, "--lead", "6", "--linear-iterations", "600", "--preconditioner", "block-ic", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            run = record["runs/0000"]
            c = {name: run["newton/" + name][0, 0] for name in run["newton"] if run["newton/" + name].ndim == 2}
            residual = run["linear/residual_l2"][0, 0, :run["linear/count"][0, 0]]
            (row,) = self.figure("preconditioner-study-size")["pcg block-ic"]
            self.assertEqual([float(row[name]) for name in ("unknowns", "numbers", "iterations")],
                             [c["unknowns"], c["preconditioner_nonzeros"], numpy.argmax(residual <= 1e-8 * residual[0])])
            share = numpy.argmax(residual <= 1e-3 * residual[0]) / c["linear_iterations"]
            numpy.testing.assert_allclose(float(row["coarse_ms"]), 1e3 * (c["assembly_s"] + c["setup_s"] + share * c["solve_s"]), rtol=1e-6)
            rows = self.figure("preconditioner-study-work")["pcg block-ic"]
            k = numpy.arange(len(residual))
            numpy.testing.assert_allclose([float(row["residual"]) for row in rows], residual / residual[0], rtol=1e-8)
            each = c["operator_applications"] * c["product_flops"] + c["preconditioner_applications"] * c["apply_flops"]
            numpy.testing.assert_allclose([float(row["flops"]) for row in rows],
                                          c["assembly_flops"] + c["setup_flops"] + k * (each / c["linear_iterations"] + 10 * c["unknowns"]), rtol=1e-8)
        self.ncpbench("run", "wall", "--set", "width=3", "--set", "height=2", *STUDY, "--lead", "2", "--linear-iterations", "5000", "--preconditioner", "ict", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            (row,) = self.figure("preconditioner-study-contrast")["ict"]
            counts = [record[f"runs/0000/newton/{name}_contacts"][0, 0] for name in ("open", "sticking", "sliding")]
            self.assertEqual((float(row["open"]), float(row["contacts"])), (counts[0], sum(counts)))
            self.assertGreater(sum(counts), counts[0])
        self.ncpbench("run", "arch", "--steps", "20", "--newton-iterations", "10", "--form", "stiffness", "--linear-solver", "pcg", "--preconditioner", "block-ic",
                      "--linear-norm", "true", "--linear-tolerance", "1e-8", "--linear-iterations", "1000", "--linear-history", "off", "--repeat", "1", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            rows = self.figure("preconditioner-study-sequence")["pcg block-ic"]
            steps, repeats = record["runs/0000/steps"], record["runs/0000/repeats"]
            # as shares of the repeated step's work, as curves over time are
            recorded, repeated = (sum(group[name][()].reshape(20) for name in ("assembly_s", "setup_s", "solve_s")) for group in (steps, repeats))
            expected = numpy.cumsum((steps["setup_s"][()] + steps["solve_s"][()]) * repeated / recorded)
            numpy.testing.assert_allclose([float(row["total_ms"]) for row in rows], 1e3 * expected, rtol=1e-6)

    def test_figures_of_orders_and_peers(self):
        """iterations of each order; the figure of peers draws runs without them, and is left out where there is no PETSc"""
        self.ncpbench("run", "wall", "--set", "width=6", "--set", "height=6", *STUDY, "--lead", "6", "--linear-iterations", "1500", "--preconditioner", "ict",
                      "--preconditioner-option", "order=natural,amd", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            counts = [int(numpy.argmax(r <= 1e-8 * r[0])) for r in (run["linear/residual_l2"][0, 0, :run["linear/count"][0, 0]] for run in record["runs"].values())]
        found = self.figure("preconditioner-study-orderings")
        self.assertEqual([float(found[f"ict {order}"][0]["iterations"]) for order in ("natural", "amd")], counts)
        self.assertGreater(min(counts), 1)
        shown, said = self.ncpbench("reproduce", "preconditioner-study-peers", "--quick", "--show-runs")
        self.assertEqual("figure preconditioner-study-peers is left out: " in said, not shown)

    def contacts_of_study(self, record, **environment):
        """of each system of the study's smaller runs: scene, unknowns, its open, sticking and sliding contacts, its first residual"""
        shown, _ = self.ncpbench("reproduce", "preconditioner-study-size,preconditioner-study-contrast,preconditioner-study-condition", "--quick", "--show-runs")
        for line in shown.splitlines():
            scenes, lead = re.match(r"ncpbench run (\S+(?: --set \S+)*) .*?(--lead \S+)", line).groups()
            self.ncpbench("run", *scenes.split(), *STUDY, *lead.split(), "--preconditioner", "none", "--linear-iterations", "1", "-o", record, "--append", status=None,
                          env={**os.environ, **environment})
        with h5py.File(self.path(record)) as file:
            return [(text(run.attrs["scenario"]), int(run["newton/unknowns"][0, 0]),
                     tuple(int(run[f"newton/{state}_contacts"][0, 0]) for state in ("open", "sticking", "sliding")), run["linear/residual_l2"][0, 0, 0])
                    for _, run in sorted(file["runs"].items())]

    def test_systems_of_the_study_do_not_hang_on_round_off(self):
        """other kernels and another BLAS give the same states of contacts and the same right-hand side, after up to nine Newton iterations"""
        own = self.contacts_of_study("own.h5")
        other = self.contacts_of_study("other.h5", NCPBENCH_KERNELS="baseline", OPENBLAS_CORETYPE="Prescott")
        self.assertEqual([row[:3] for row in own], [row[:3] for row in other])
        for a, b in zip(own, other):
            if not a[0].startswith("stack"): # masses of 1 to 10^6: the residual has fewer digits
                numpy.testing.assert_allclose(a[3], b[3], rtol=1e-6, err_msg=str(a))
        self.assertIn(("wall", 1050, (858, 810, 280)), [row[:3] for row in own]) # that of the tables
        self.assertGreater(len(own), 20)

    def test_tables_take_one_system_for_each_size(self):
        """the record of the whole study has several of a power of ten: the nearest one's cells are printed"""
        spec = importlib.util.spec_from_file_location("tables", os.path.join(os.path.dirname(__file__), "..", "results", "tables", "tables.py"))
        tables = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tables)
        lab = types.SimpleNamespace(folder=self.folder.name, program="", amgcl=None, figure=lambda name: None, printed=lambda *command: "")
        with open(self.path("study.csv"), "w", encoding="utf-8") as file:
            file.write("panel,curve,unknowns,setup_ms,coarse_ms,fine_ms,iterations\n")
            for unknowns in 3222, 9720, 32190, 1050, 2460, 101790:  # walls of 23, 40, 73, 13, 20 and 130 bricks
                file.write(f"wall {unknowns},pcg ict,{unknowns},2,{unknowns},{2 * unknowns},{unknowns // 10}\n")
                file.write(f"wall {unknowns},petsc none -pc_type icc,{unknowns},2,,,\n")
        self.assertEqual(list(tables.preconditioner_peers(lab)), [("system, solver", "1e3", "1e4", "1e5"), ("wall, `ict`", "105; 2; 2100", "972; 2; 19000", "10179; 2; 200000"),
                                                                  ("wall, PETSc icc", "-", "-", "-")])
        head, *rows = tables.which_preconditioner(lab)
        self.assertEqual(head, ("system, residual", "1e3", "3e3", "1e4", "3e4", "1e5"))
        self.assertEqual(rows[0], ("wall, 1e-3", *["`ict`"] * 5))

    def test_classes_of_problems(self):
        self.ncpbench("run", "arch-5,arch-100,wall-4x4,heavy-stack", "--steps", "1", "--form", "stiffness", "--method", "newton", "--linear-solver", "pcg",
                      "--linear-norm", "true", "--linear-tolerance", "5e-7", "--newton-iterations", "5", "--linear-iterations", "500", "--preconditioner", "ict,jacobi", "-o", "a.h5")
        solved = {}
        with h5py.File(self.path("a.h5")) as record:
            for run in record["runs"].values():
                name, scene = (text(run.attrs[key]) for key in ("preconditioner", "scenario"))
                rows = [run["linear/residual_l2"][0, k, :count] for k, count in enumerate(run["linear/count"][0]) if count]
                done = all((row <= 1e-6 * row[0]).any() for row in rows)
                solved.setdefault(name, {}).setdefault(scene if scene == "heavy-stack" else scene.split("-")[0], []).append(done)
        found = self.figure("preconditioner-study-classes")
        self.assertEqual({name: {row["class"]: float(row["solved"]) for row in rows} for name, rows in found.items()},
                         {name: {key: numpy.mean(done) for key, done in rows.items()} for name, rows in solved.items()})
        self.assertIn(0.5, [float(row["solved"]) for row in found["jacobi"]])
        self.assertEqual(max(float(row["near"]) for rows in found.values() for row in rows), 1)
        self.assertRegex(self.bytes_of("a.txt").decode(), r"jacobi: \d of 4 not solved: .*arch-100")

    def test_solves_of_islands_count_at_their_end(self):
        """which have no history: newton/linear_residual"""
        self.ncpbench("run", "boxes-30-falling", "--steps", "1", "--method", "interior-point", "--linear-solver", "gmres", "--preconditioner", "jacobi,lu",
                      "--linear-norm", "true", "--linear-tolerance", "5e-7", "--newton-iterations", "5", "--linear-iterations", "500", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            self.assertFalse(any("linear/count" in run for run in record["runs"].values()))
            residual = {text(run.attrs["preconditioner"]): numpy.nanmax(run["newton/linear_residual"]) for run in record["runs"].values()}
        solved = {name: float(row["solved"]) for name, (row,) in self.figure("preconditioner-study-classes").items()}
        self.assertEqual(solved, {name: float(largest <= 1e-6) for name, largest in residual.items()})
        self.assertEqual(solved["lu"], 1)

    def test_bad_input(self):
        for options, word in (["--precision", "f32"], "--precision f64 or mixed"), (["--linear-history", "off"], "--linear-history on"), (["--method", "psor"], "psor"):
            _, said = self.ncpbench("run", "wall", "--reference-linear", "on", *options, "-o", "a.h5", status=64)
            self.assertIn(word, said)
            self.assertEqual(said.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
