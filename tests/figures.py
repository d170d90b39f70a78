"""Figures from the command line: what is drawn of any record, how it is set on paper, and what is refused."""
import csv
import os
import re
import resource
import signal
import struct
import unittest

import h5py
import numpy

from cli_case import Case

FAST = ["--repeat", "0"]


class Figure(Case):
    def setUp(self):
        super().setUp()
        self.ncpbench("run", "heavy-stack,incline", "--steps", "3", "--newton-iterations", "4", "--linear-iterations", "12", *FAST,
                      "--linear-solver", "pcr,pcg", "--preconditioner", "none,jacobi", "-o", "a.h5")

    def draw(self, name, *options, path="a.svg", record="a.h5"):
        self.ncpbench("figure", name, "--from", record, "-o", path, *options)
        return self.bytes_of(path).decode(errors="replace")

    def texts(self, svg):
        return [re.sub(r"<[^>]*>", "", text).strip() for text in re.findall(r"<text>(.*?)</text>", svg, re.S)]


class Convergence(Figure):
    def table(self, *options):
        self.draw("convergence", "--csv", "a.csv", *options)
        with open(self.path("a.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def column(self, rows, panel, curve, name):
        return [float(row[name]) for row in rows if row["panel"] == panel and row["curve"] == curve]

    def test_a_default_run_is_drawn(self):
        self.ncpbench("run", "incline", "--steps", "2", "-o", "d.h5")
        out, err = self.ncpbench("figure", "all", "--from", "d.h5", "-o", "out")
        self.assertIn("out/convergence.svg", out.split())

    def test_panels_are_scenes_and_curves_what_differs(self):
        shown = self.texts(self.draw("convergence"))
        for name in ("heavy-stack", "incline", "pcr none", "pcr jacobi", "pcg none", "pcg jacobi", "natural map error [m/s]"):
            self.assertIn(name, shown)
        self.assertIn("pcg", self.texts(self.draw("convergence", "--where", "preconditioner=none")))

    def test_the_numbers_are_the_records(self):
        rows = self.table()
        with h5py.File(self.path("a.h5")) as record:
            for run in record["runs"].values():
                newton, last = run["newton"], run["newton/count"][-1]
                name = f"{run.attrs['linear_solver']} {run.attrs['preconditioner']}"
                drawn = self.column(rows, run.attrs["scenario"], name, "natural_map_error")
                numpy.testing.assert_allclose(drawn, newton["natural_map_error"][-1, :last], rtol=1e-8)
                work = numpy.concatenate([[0], numpy.cumsum(newton["operator_applications"][-1, :last - 1])])
                numpy.testing.assert_allclose(self.column(rows, run.attrs["scenario"], name, "operator_applications"), work)

    def test_any_column_of_any_step(self):
        rows = self.table("--y", "residual-l2", "--x", "work", "--at", "1")
        linear = self.table("--y", "linear/residual_l2", "--at", "1:2")
        with h5py.File(self.path("a.h5")) as record:
            for run in record["runs"].values():
                name = f"{run.attrs['linear_solver']} {run.attrs['preconditioner']}"
                count = run["newton/count"][1]
                numpy.testing.assert_allclose(self.column(rows, run.attrs["scenario"], name, "residual_l2"),
                                              run["newton/residual_l2"][1, :count], rtol=1e-8)
                residual = run["linear/residual_l2"][1, 2]
                numpy.testing.assert_allclose(self.column(linear, run.attrs["scenario"], name, "residual_l2"),
                                              residual[numpy.isfinite(residual)], rtol=1e-8)

    def test_options_of_solvers_and_sizes_of_scenes(self):
        self.ncpbench("run", "piling", "--set", "count=4,6", "--steps", "1", *FAST, "--linear-solver", "gauss-seidel",
                      "--solver-option", "omega=1,1.5", "-o", "a.h5")
        shown = self.texts(self.draw("convergence"))
        for name in ("piling count=4", "piling count=6", "gauss-seidel omega=1", "gauss-seidel omega=1.5"):
            self.assertIn(name, shown)
        shown = self.texts(self.draw("convergence", "--where", "omega=1.5", "--where", "count=6"))
        self.assertIn("gauss-seidel", shown)
        self.assertIn("piling", shown)

    def test_methods_are_named(self):
        """in the text of the settings, and as curves where they take no linear solver"""
        self.ncpbench("run", "incline", "--steps", "1", *FAST, "--method", "psor", "--newton-iterations", "20", "-o", "a.h5")
        self.assertIn("psor", self.texts(self.draw("convergence")))
        self.assertIn("\nMethod psor, preconditioner none\n", self.bytes_of("a.txt").decode())
        self.ncpbench("run", "incline", "--steps", "1", *FAST, "--method", "apgd,newton", "--newton-iterations", "20", "--append", "-o", "a.h5")
        self.assertLess({"psor", "apgd", "newton pcr"}, set(self.texts(self.draw("convergence"))))
        self.assertIn("\nMethod psor, apgd, newton, preconditioner none, jacobi, scaling ", self.bytes_of("a.txt").decode())

    def test_more_curves_than_there_are_colours(self):
        """a scene keeps a curve where there are too many, and what is not drawn is counted"""
        tolerances = ",".join(f"1e-{k}" for k in range(3, 21))
        self.ncpbench("run", "incline", "--steps", "1", *FAST, "--newton-tolerance", tolerances, "-o", "a.h5", status=None)
        self.ncpbench("run", "heavy-stack", "--steps", "1", *FAST, "--newton-tolerance", "1e-2,1e-1", "--append", "-o", "a.h5", status=None)
        svg = self.draw("convergence")
        for text in ("heavy-stack", "incline", "pcr newton tolerance=0.01"):
            self.assertIn(text, self.texts(svg))
        self.assertIn("4 more runs not drawn", svg)

    def test_profiles_are_of_the_runs_that_were_chosen(self):
        shown = self.texts(self.draw("profile", "--where", "solver=pcg", "--where", "preconditioner=none,jacobi"))
        self.assertTrue(any("jacobi" in text for text in shown), shown)
        self.assertFalse(any("pcr" in text for text in shown), shown)
        self.assertIn("Problems: 2", self.bytes_of("a.txt").decode()) # two scenes, whatever their steps

    def test_a_pareto_front_without_a_point_is_drawn(self):
        self.ncpbench("run", "heavy-stack", "--steps", "1", "--time-step", "0.5", "--newton-iterations", "1", "--linear-iterations", "1",
                      "--linear-solver", "jacobi", *FAST, "-o", "n.h5")
        self.assertIn("Pareto front", self.texts(self.draw("pareto", record="n.h5")))

    def test_an_exact_name_beats_a_group(self):
        shown = self.ncpbench("reproduce", "tasora-walker", "--show-runs")[0]
        self.assertIn("-o tasora-walker.h5", shown)

    def test_the_pareto_front_has_the_fastest_run_to_each_accuracy(self):
        """beside the record's own rows: a step counts to the row that first has the accuracy, and all steps must reach it"""
        self.ncpbench("run", "incline", "--set", "angle=0.5", "--steps", "3", "--warm-start", "off", "--newton-iterations", "30", *FAST,
                      "--newton-tolerance", "1e-6", "--linear-history", "off", "--method", "newton,psor,apgd", "-o", "p.h5", status=None)
        self.draw("pareto", "--csv", "p.csv", record="p.h5")
        with open(self.path("p.csv"), newline="") as file:
            drawn = {row["curve"].split()[0]: row for row in csv.DictReader(file)}
        reached = {}
        with h5py.File(self.path("p.h5")) as record:
            for run in record["runs"].values():
                errors = run["newton/natural_map_error"][...]
                for accuracy in range(1, 7):
                    name = run.attrs["method"]
                    steps = int((numpy.nanmin(errors, axis=1) <= 10.0 ** -accuracy).sum())
                    self.assertEqual(int(drawn[name][f"steps_to_1e-{accuracy}"]), steps, (name, accuracy))
                    if steps == 3:
                        reached.setdefault(accuracy, {})[name] = float(drawn[name][f"ms_to_1e-{accuracy}"])
        text = self.bytes_of("a.txt").decode()
        self.assertIn(f"1e-1 {min(reached[1], key=reached[1].get)} ", text)
        self.assertIn("Pareto front", self.texts(self.draw("pareto", record="p.h5")))

    def test_kinds_have_names_and_runs_without_numbers_are_left_out(self):
        self.ncpbench("run", "incline", "--steps", "1", "--method", "newton,interior-point", "-o", "m.h5")
        shown = self.texts(self.draw("convergence", "--y", "phase", record="m.h5"))
        for text in ("phase", "interior-point", "interior-point gmres"):
            self.assertIn(text, shown)
        self.assertFalse(any("pcr" in text for text in shown), shown)
        self.assertTrue(any("1 more run not drawn" in text for text in shown), shown)

    def test_scenes_are_drawn(self):
        self.assertIn("incline, 0.0249 s", self.texts(self.draw("scenes")))
        self.ncpbench("run", "drop", "--steps", "2", "--append", "-o", "a.h5")  # of another method than the others
        self.assertIn("drop, 0.02 s", self.texts(self.draw("scenes", path="b.svg")))

    def test_contacts_are_shown_on_scenes(self):
        """largest errors and forces of pairs beside the same from `final`; a state before the last; what is not there is said"""
        self.ncpbench("run", "wall", "--set", "width=3", "--set", "height=3", "--steps", "3", "--store-states", "2", "--method", "newton,psor",
                      "--newton-iterations", "4", "-o", "w.h5", status=None)
        self.texts(self.draw("scenes", "--show", "errors", "--csv", "e.csv", record="w.h5", path="e.svg"))
        self.texts(self.draw("scenes-forces", "--csv", "f.csv", record="w.h5", path="f.svg"))
        self.texts(self.draw("contact-errors", "--csv", "c.csv", record="w.h5", path="c.svg"))
        modes = self.texts(self.draw("scenes", "--show", "modes", "--at", "1", "--csv", "m.csv", record="w.h5", path="m.svg"))
        self.assertTrue({"open", "sticking", "sliding"} <= set(modes), modes)
        rows = {}
        for name in "efcm":
            with open(self.path(f"{name}.csv"), newline="") as file:
                rows[name] = list(csv.DictReader(file))
        curves = list(dict.fromkeys(row["curve"] for row in rows["c"]))
        with h5py.File(self.path("w.h5")) as record:
            for i, (errors, forces, states) in enumerate(zip(rows["e"], rows["f"], rows["m"])):
                final, frame = record[f"runs/{i:04d}/final"], record[f"runs/{i:04d}/states"]
                each = final["contact_error"][...].max(axis=1)
                self.assertEqual(float(errors["largest"]), float(f"{each.max():.9g}"))
                self.assertEqual({float(errors["body_a"]), float(errors["body_b"])}, set(final["contact_bodies"][each.argmax()]))
                self.assertEqual(states["contacts"], f"{int(frame['contact_count'][0])}")
                counted = [int((frame["contact_mode"][0] == mode).sum()) for mode in range(3)]
                self.assertEqual([int(states[name]) for name in ("open", "sticking", "sliding")], counted)
                force = final["lambda_normal"][...][:, None] * final["contact_normal"][...]
                force += numpy.einsum("ij,ijk->ik", final["lambda_friction"][...], final["contact_tangent"][...])
                pairs = {}
                for (a, b), f in zip(final["contact_bodies"][...], force):
                    pairs[max(a, b), min(a, b)] = pairs.get((max(a, b), min(a, b)), 0) + (f if a > b else -f)
                largest = max(pairs, key=lambda pair: numpy.linalg.norm(pairs[pair]))
                self.assertAlmostEqual(float(forces["largest"]), numpy.linalg.norm(pairs[largest]), delta=1e-6)
                self.assertEqual((float(forces["body_a"]), float(forces["body_b"])), largest)
                shown = sorted(float(row["error_m_s"]) for row in rows["c"] if row["curve"] == curves[i])
                numpy.testing.assert_allclose(shown, numpy.sort(each), rtol=1e-8)
        self.ncpbench("export", "wall", "--set", "width=3", "--set", "height=3", "--at", "0", "--format", "fclib", "-o", "p.hdf5")
        self.ncpbench("solve", "p.hdf5", "--method", "psor", "-o", "p.h5", status=None)
        self.refused("figure", "contact-errors", "--from", "p.h5", "-o", "x.svg", status=3, says=["has no bodies whose contacts could be shown"])
        for status, says, words in ((64, "--show 'nix': it takes forces, errors or modes", ("scenes", "--show", "nix")),
                                    (64, "--show is of figure scenes", ("cost", "--show", "errors")),
                                    (3, "--store-states 1 stores all", ("scenes-modes", "--at", "0")),
                                    (3, "has the steps 0 to 2", ("scenes-modes", "--at", "9"))):
            self.refused("figure", *words, "--from", "w.h5", "-o", "x.svg", status=status, says=[says])

    def test_errors_at_iterations(self):
        """shares and heights at iterations 1, 10, 100 and the end, as the record has them; a run that ends before is shown as it ends"""
        self.ncpbench("run", "wall", "--set", "width=3", "--set", "height=3", "--steps", "1", "--store-states", "1", "--store-iterates", "--method",
                      "psor,newton", "--newton-iterations", "120,6", "--newton-tolerance", "0", "-o", "w.h5", status=None)
        shown = self.texts(self.draw("contact-errors", "--csv", "c.csv", record="w.h5", path="c.svg"))
        for plot in ("iteration 1", "iteration 10", "iteration 100", "end"):
            self.assertTrue(any(text.endswith(", " + plot) for text in shown), shown)
        self.texts(self.draw("contact-errors", "--at", "0:7", "--csv", "7.csv", record="w.h5", path="7.svg"))
        self.texts(self.draw("scenes", "--show", "errors", "--at", "0:7", "--csv", "s.csv", record="w.h5", path="s.svg"))
        rows = {}
        for name in "c7s":
            with open(self.path(f"{name}.csv"), newline="") as file:
                rows[name] = list(csv.DictReader(file))
        curves = list(dict.fromkeys(row["curve"] for row in rows["c"]))
        self.assertEqual(len(curves), 4)
        with h5py.File(self.path("w.h5")) as record:
            for i, curve in enumerate(curves):
                states = record[f"runs/{i:04d}/states"]
                counts = list(states["iteration"][0, :states["iterate_count"][0]])
                errors = states["iterate_error"][:].reshape(len(counts), -1)
                final = record[f"runs/{i:04d}/final"]
                for at_most in (1, 10, 100, -1, 7):
                    own = [row for row in rows["7" if at_most == 7 else "c"] if (row["curve"], row["at_most"]) == (curve, f"{at_most}")]
                    right = errors[max(k for k, count in enumerate(counts) if count <= at_most)] if at_most > 0 else final["contact_error"][...].max(axis=1)
                    order = numpy.argsort(-right, kind="stable")
                    numpy.testing.assert_allclose([float(row["error_m_s"]) for row in own], right[order], rtol=1e-8)
                    pairs = sorted(zip(right, final["contact_point"][:, 2]))
                    numpy.testing.assert_allclose(sorted((float(row["error_m_s"]), float(row["height_m"])) for row in own), pairs, rtol=1e-8, atol=1e-12)
                    if at_most == 7:
                        self.assertAlmostEqual(float(rows["s"][i]["largest"]), right.max(), delta=1e-8 * right.max())
        self.ncpbench("run", "wall", "--set", "width=30", "--set", "height=25", "--steps", "1", "--method", "psor", "--newton-iterations", "2",
                      "-o", "n.h5", status=None)
        self.draw("contact-errors", record="n.h5", path="n.svg")  # of many contacts some
        self.assertLess(len(self.bytes_of("n.svg")), 400000)
        self.assertRegex(self.bytes_of("n.txt").decode(), r"one in [5-9] is drawn")
        self.ncpbench("run", "arch", "--steps", "1", "--store-states", "1", "-o", "n.h5", "--force", status=None)
        self.refused("figure", "scenes-errors", "--at", "0:1", "--from", "n.h5", "-o", "x.svg", status=3, says=["--store-iterates"])
        self.refused("figure", "scenes-modes", "--at", "0:1", "--from", "w.h5", "-o", "x.svg", says=["is for errors"])

    def strain(self, path):
        """least and most J - 1 of the bar in the last state of a record: cells of five tetrahedra between its particles"""
        with h5py.File(self.path(path)) as record:
            run = record["runs/0000"]
            points, corners = run["states/Points"][...], run["states/Connectivity"][...]
            count = len(points) // len(run["states/time"])
            first, last = points[:count][corners.reshape(-1, 4)], points[-count:][corners.reshape(-1, 4)]
            volume = [numpy.linalg.det(x[:, 1:] - x[:, :1]) for x in (first, last)]
            return volume[1] / volume[0] - 1

    def test_the_colours_of_a_soft_body_state_their_range(self):
        """beside the same from the meshes that the record has for other programs, in f32; the first state has hardly moved"""
        self.ncpbench("run", "bar", "--steps", "9", "--set", "cells=4", *FAST, "--form", "stiffness", "--linear-solver", "cholesky",
                      "--set", "stretch=1.05", "--set", "duration=0.09", "--store-states", "1", "-o", "b.h5")
        shown = self.texts(self.draw("scenes", "--csv", "b.csv", record="b.h5"))
        with open(self.path("b.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        strain = self.strain("b.h5")
        self.assertEqual(len(rows), 9)
        low, high, limit = (float(rows[-1][name]) for name in ("least_strain", "most_strain", "strain_limit"))
        first = float(rows[0]["most_strain"])
        self.assertAlmostEqual(low, numpy.min(strain), delta=2 * first)
        self.assertAlmostEqual(high, numpy.max(strain), delta=2 * first)
        self.assertTrue(max(-low, high) <= limit < 10 * max(-low, high))
        self.assertTrue(any(text.endswith(f"−{limit:g}") for text in shown), shown)
        self.assertIn(f"{limit:g}", shown)
        self.assertIn(f"from {low:.3g} to {high:.3g}", self.bytes_of("a.txt").decode())

    def test_moments_of_a_run(self):
        """four states of one run are four pictures at their times"""
        self.ncpbench("run", "hand-ball", "--steps", "9", *FAST, "--form", "stiffness", "--linear-solver", "cholesky", "--newton-iterations", "2",
                      "--store-states", "2", "-o", "b.h5")
        shown = self.texts(self.draw("macklin-fig03", record="b.h5"))
        for text in ("hand-ball, 0.02 s", "0.03 s", "0.05 s", "0.07 s"):
            self.assertIn(text, shown)

    def test_unsolved_steps_are_counted(self):
        """of smoothed, in the text beside a figure, as the run itself says; of other methods nothing is said"""
        for method, iterations in (("smoothed", "3"), ("smoothed", "100"), ("interior-point", "3")):
            _, err = self.ncpbench("run", "load-ramp", "--method", method, "--newton-iterations", iterations, "--steps", "20", "--time-step", "0.1",
                                   "--linear-history", "off", "--repeat", "0", "-o", "a.h5", "--force")
            told = re.search(r"(\d+) of 20 steps not converged", err)
            self.draw("friction-coupling", record="a.h5")
            text = self.bytes_of("a.txt").decode()
            self.assertEqual(told is not None, iterations == "3", err)
            counted = f"smoothed: {told[1] if told else 0} of 20 steps not converged"
            self.assertEqual(counted in text, method == "smoothed", text)

    def test_failed_runs_are_counted(self):
        """they are not drawn"""
        self.ncpbench("run", "load-ramp", "--friction-coupling", "implicit,lagged", "--steps", "20", "--linear-history", "off", "--repeat", "0", "-o", "a.h5")
        for failed in (0, 1):
            with h5py.File(self.path("a.h5"), "r+") as file:
                if failed:
                    kind = file["runs/0001"].attrs.get_id("finished").dtype
                    file["runs/0001"].attrs.modify("finished", numpy.array(0, kind))
            self.draw("friction-coupling", record="a.h5")
            self.assertEqual("Not drawn: 1 run(s) that failed" in self.bytes_of("a.txt").decode(), failed == 1)

    def test_moments_have_the_centre_and_the_widths(self):
        """of blocks alike the centre is the mean of theirs, and of a free ball it falls; the ball is as wide as its particles lie"""
        self.ncpbench("run", "bowl", "--steps", "1000", "--store-states", "200", *FAST, "--linear-history", "off", "-o", "b.h5")
        self.ncpbench("run", "tennis-ball", "--set", "frequency=1", "--method", "smoothed", "--steps", "25", "--store-states", "5", *FAST, "-o", "c.h5")
        for figure, record in (("larionov-fig01", "b.h5"), ("larionov-fig09", "c.h5")):
            self.draw(figure, "--csv", "a.csv", record=record)
            with open(self.path("a.csv"), newline="") as file:
                rows = list(csv.DictReader(file))
            with h5py.File(self.path(record)) as file:
                states = file["runs/0000/states"]
                for row in rows:
                    at = int(numpy.argmin(abs(states["time"][:] - float(row["time_s"]))))
                    if record == "b.h5":
                        numpy.testing.assert_allclose([float(row[f"middle_{axis}_m"]) for axis in "xyz"], states["q"][at, 3:, :3].mean(axis=0), atol=1e-8)
                        self.assertEqual(row["wide_x_m"], "")  # no particles
                    else:
                        x = states["particle_x"][at]
                        numpy.testing.assert_allclose([float(row[f"wide_{axis}_m"]) for axis in "xyz"], numpy.ptp(x, axis=0), rtol=1e-8)
                        t, h = float(row["time_s"]), 1e-4
                        self.assertAlmostEqual(float(row["middle_z_m"]), -9.81 * t * (t + h) / 2, delta=1e-8)
            self.assertEqual(len(rows), 4)

    def test_linear_solves_against_time_and_work(self):
        """shares of the solve behind assembly and set-up, of a scene's Newton iteration and of a matrix system"""
        with open(self.path("m.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix array real general\n3 3\n4\n1\n0\n1\n3\n1\n0\n1\n2\n")
        self.ncpbench("solve", "m.mtx", "--linear-solver", "pcg,cholesky", "--linear-history", "on", "--repeat", "0", "-o", "m.h5")
        self.ncpbench("run", "heavy-stack", *FAST, "--steps", "1", "--newton-iterations", "2", "--linear-iterations", "9", "--linear-history",
                      "on", "-o", "s.h5")
        for record, quantity in (("m.h5", []), ("s.h5", ["--y", "relative_residual"])):
            for axis in ("time", "work"):
                self.draw("convergence", "--x", axis, *quantity, "--csv", "l.csv", record=record)
                with open(self.path("l.csv"), newline="") as file:
                    rows = list(csv.DictReader(file))
                with h5py.File(self.path(record)) as file:
                    run = file["runs/0000"]
                    newton, linear = run["newton"], run["linear/residual_l2"][0, 0]
                    count = int(newton["linear_iterations"][0, 0])
                    drawn = [row for row in rows if row["curve"] == rows[0]["curve"]]
                    self.assertEqual(len(drawn), count + 1)
                    share = numpy.arange(count + 1) / count
                    before = newton["assembly_s"][0, 0] + newton["setup_s"][0, 0]
                    expected = {"relative_residual": linear[:count + 1] / linear[0],
                                "operator_applications": share * newton["operator_applications"][0, 0],
                                "time_ms": 1e3 * (before + share * newton["solve_s"][0, 0])}
                    for name, values in expected.items():
                        numpy.testing.assert_allclose([float(row[name]) for row in drawn], values, rtol=1e-8)
            self.assertFalse(any("[m/s]" in text for text in self.texts(self.bytes_of("a.svg").decode())))

    def test_what_is_refused(self):
        common = ["figure", "convergence", "--from", "a.h5", "-o", "b.svg"]
        self.refused(*common, "--where", "solver=cholesky", status=3, says=["solver=cholesky", "pcr, pcg"])
        self.refused(*common, "--where", "sover=pcr", says=["'sover'"])
        self.refused(*common, "--y", "natural_map", says=["'natural_map'", "did you mean 'natural_map_error'"])
        self.refused(*common, "--at", "7", status=3, says=["step 7"])
        self.assertFalse(os.path.exists(self.path("b.svg")))


class Legends(Figure):
    """what is drawn, by the lines and markers of the SVG"""

    def parts(self, svg):
        """the legend with its title, and the plots"""
        head, _, plots = svg.partition('id="gnuplot_plot_1a"')
        return head.split("</defs>")[-1], plots

    def lines(self, part):
        """(colour, dashes) and the path of each line"""
        pattern = r"<path stroke='([^']*)'(?: stroke-dasharray='([^']*)')? *d='([^']*)'"
        return [((colour, dashes), path) for colour, dashes, path in re.findall(pattern, part) if "L" in path]

    def looks(self, part):
        marks = re.findall(r"<use xlink:href='#(gpPt\d+)'[^>]*color='([^']*)'", part)
        return {look for look, _ in self.lines(part)} | {(colour, mark) for mark, colour in marks}

    def test_every_entry_looks_like_a_curve(self):
        for name in ("convergence", "macklin-fig11", "macklin-fig17", "macklin-fig18", "profile"):
            legend, plots = self.parts(self.draw(name))
            self.assertGreater(len(self.looks(legend)), 3, name)
            self.assertLessEqual(self.looks(legend), self.looks(plots), name)

    def test_ten_curves_have_ten_looks(self):
        self.ncpbench("run", "arch", *FAST, "--steps", "1", "--geometry", "frozen", "--friction-law", "coulomb,relaxed", "--method",
                      "newton,psor,apgd", "--newton-iterations", "9", "--newton-tolerance", "1e-9", "-o", "m.h5", status=None)
        self.ncpbench("run", "arch", *FAST, "--steps", "1", "--geometry", "frozen", "--friction-law", "polyhedral,polyhedral-relaxed", "--facets",
                      "8", "--method", "pgs,lemke", "--newton-iterations", "9", "--newton-tolerance", "1e-9", "--append", "-o", "m.h5", status=None)
        svg = self.draw("model-error", record="m.h5")
        legend, plots = self.parts(svg)
        names = [text for text in self.texts(legend) if text in ("newton", "psor", "apgd") or "polygon" in text]
        lines = [look for look, _ in self.lines(legend)]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(lines), len(set(lines)))
        self.assertEqual(len(names), len(lines))
        self.assertLessEqual({"newton", "psor", "apgd", "pgs, polygon", "pgs, relaxed polygon"}, set(names))
        self.assertLessEqual(self.looks(legend), self.looks(plots))

    def test_lines_break_where_there_is_no_number(self):
        self.ncpbench("run", "incline", *FAST, "--steps", "1", "--newton-iterations", "9", "--newton-tolerance", "0", "-o", "n.h5", status=None)
        whole = self.curve("n.h5")
        self.assertEqual(whole.count("M"), 1)
        with h5py.File(self.path("n.h5"), "r+") as record:
            record["runs/0000/newton/natural_map_error"][0, 2] = numpy.nan
        broken = self.curve("n.h5")
        self.assertEqual(broken.count("M"), 2)
        self.assertEqual(len(broken.split()), len(whole.split()) - 1)

    def give_errors(self, values):
        """Gives all runs these errors, by iteration, in all their steps."""
        with h5py.File(self.path("a.h5"), "r+") as record:
            for run in record["runs"].values():
                errors = run["newton/natural_map_error"]
                errors[...] = numpy.resize(values, errors.shape[1])

    def test_a_point_without_neighbours_has_a_marker(self):
        self.give_errors([numpy.nan, 0.1, numpy.nan, numpy.nan, numpy.nan])
        _, plots = self.parts(self.draw("convergence"))
        self.assertEqual(len(re.findall("<use xlink:href='#gpPt", plots)), 8)  # two scenes, four curves each

    def test_long_numbers_along_an_axis_leave_room_for_its_name(self):
        self.give_errors(0.111745 + 1e-6 * numpy.arange(5))
        svg = self.draw("convergence")
        place = re.search(r'translate\(([0-9.]+),[0-9.]+\) rotate\(-90\)"[^>]*>\s*<text>natural map', svg)
        numbers = re.findall(r'translate\(([0-9.]+),[0-9.]+\)"[^>]*text-anchor="end">\s*<text><tspan[^>]*>(0\.1117[0-9]+)<', svg)
        self.assertGreater(len(numbers), 3)
        below = 0.24 * 8  # of the name's letters, whose height is 8
        for right, number in numbers:  # a digit of DejaVu Sans is 0.636 of the height 7, a point half of that
            self.assertGreater(float(right) - 7 * 0.636 * (len(number) - 0.5), float(place[1]) + below, number)

    def curve(self, record):
        """the longest line of the plot, which has but one curve"""
        _, plots = self.parts(self.draw("convergence", record=record))
        paths = [path for (colour, _), path in self.lines(plots) if colour == "rgb(  0, 114, 178)"]
        return max(paths, key=len)

    def test_lines_break_at_failures(self):
        """of three stiffnesses the middle one fails: no line, and a cross with an entry of its own"""
        self.ncpbench("run", "bar", "--set", "cells=4", "--set", "duration=0.1", "--set", "stretch=1.2", "--set", "young=1e4,1e5,1e6", "--set",
                      "poisson=0.45", "--form", "condensed", "--steps", "1", "--newton-tolerance", "1e-7", "--newton-iterations", "60",
                      "--linear-iterations", "3000", "--linear-tolerance", "1e-4", "--geometric-stiffness", "diagonal", *FAST, "-o", "f.h5")
        legend, plots = self.parts(self.draw("formulations", record="f.h5"))
        blue = [path for (colour, _), path in self.lines(plots) if colour == "rgb(  0, 114, 178)"]
        self.assertEqual(len(blue), 2)  # time and iterations
        self.assertNotIn("not all steps converged", self.texts(legend))
        with h5py.File(self.path("f.h5"), "r+") as record:
            record["runs/0001/newton/natural_map_error"][...] = 1
        legend, plots = self.parts(self.draw("formulations", record="f.h5"))
        self.assertFalse([path for (colour, _), path in self.lines(plots) if colour == "rgb(  0, 114, 178)"])
        self.assertIn("not all steps converged", self.texts(legend))
        crosses = re.findall(r"<use xlink:href='#gpPt1'[^>]*color='rgb\(  0, 114, 178\)'", plots)
        self.assertEqual(len(crosses), 2)

    def test_panels_have_scales_of_their_own(self):
        """a solve that ends at once leaves the other panel's decades as they are"""
        self.ncpbench("run", "arch,heavy-stack", "--settle", "2", "--steps", "1", "--lead", "3", "--newton-iterations", "1", "--linear-iterations",
                      "30", "--linear-solver", "jacobi,pcr", *FAST, "--geometry", "updated", "-o", "s.h5", status=None)
        shown = self.texts(self.draw("macklin-fig11", record="s.h5"))
        self.assertEqual(shown.count("10-4"), 2)  # of the stack, in both norms: three decades below what has not converged
        self.assertNotIn("10-9", shown)
        self.assertGreaterEqual(shown.count("100"), 4)


class Page(Figure):
    def test_the_width_is_that_on_paper(self):
        for option, mm in (((), 178), (("--width", "85mm"), 85), (("--width", "8.5cm"), 85), (("--width", "4in"), 101.6)):
            svg = self.draw("macklin-fig18", *option)
            width, points = re.search(r'width="([\d.]+)mm"[^>]*viewBox="0 0 (\d+)', svg).groups()
            self.assertAlmostEqual(float(width), mm, places=6)
            self.assertLess(abs(int(points) - mm / 25.4 * 72), 1)
            sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)}
            self.assertIn(8, sizes)
            self.assertGreater(min(sizes), 5) # exponents of ticks of 7
        self.draw("macklin-fig18", "--width", "85mm", path="a.png")
        picture = self.bytes_of("a.png")
        self.assertLess(abs(struct.unpack(">I", picture[16:20])[0] - 85 / 25.4 * 300), 5)
        at = picture.index(b"pHYs")
        self.assertEqual(struct.unpack(">IIB", picture[at + 4:at + 13]), (11811, 11811, 1))
        self.draw("macklin-fig18", "--width", "85mm", path="a.pdf")
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+)", self.bytes_of("a.pdf")).group(1)
        self.assertLess(abs(float(box) - 85 / 25.4 * 72), 1)

    def test_nothing_leaves_the_page(self):
        letter = 0.6 # of a letter's height, on average at least
        for name in ("macklin-fig18", "convergence", "macklin-tab02", "macklin-fig06"):
            for width in ("85mm", "178mm"):
                svg = self.draw(name, "--width", width)
                seen = 0
                right = float(re.search(r'viewBox="0 0 (\d+)', svg).group(1))
                for x, attributes, text in re.findall(r'<g transform="translate\(([\d.]+),[\d.]+\)"([^>]*>\s*<text>.*?)</text>()', svg, re.S):
                    shown = re.sub(r"<[^>]*>", "", attributes.split("<text>")[1])
                    size = float(re.search(r'font-size="([\d.]+)"', attributes).group(1))
                    if 'text-anchor="start"' in attributes:
                        seen += 1
                        self.assertLess(float(x) + 0.8 * letter * size * len(shown), right, shown)
                self.assertGreater(seen, 0)

    def test_captions(self):
        svg = self.draw("macklin-fig18")
        self.assertIn("a.h5", svg)
        text = self.bytes_of("a.txt").decode()
        for piece in ("Natural-map error at the end", "damping 0.75", "Record: a.h5", "Made by: ncpbench run heavy-stack,incline"):
            self.assertIn(piece, text)
        self.assertNotIn("damping", svg)
        os.unlink(self.path("a.txt"))
        self.assertNotIn("a.h5", self.draw("macklin-fig18", "--caption", "off"))
        self.only("a.h5", "a.svg")
        self.assertNotIn("a.h5", self.draw("macklin-fig18", "--caption", "file"))
        self.only("a.h5", "a.svg", "a.txt")
        self.assertIn("Constraint error and step size", svg)
        self.assertNotIn("Constraint error and step size", self.draw("macklin-fig18", "--no-title"))

    def test_someone_elses_text_stays(self):
        with open(self.path("b.txt"), "w") as file:
            file.write("my notes\n")
        self.refused("figure", "convergence", "--from", "a.h5", "-o", "b.svg", says=["b.txt", "--caption off"])
        self.assertEqual(self.bytes_of("b.txt"), b"my notes\n")
        self.assertFalse(os.path.exists(self.path("b.svg")))
        self.draw("convergence", "--caption", "off", path="b.svg")

    def test_fonts(self):
        svg = self.draw("convergence", "--font", "Nimbus Sans,10")
        self.assertIn('font-family="Nimbus Sans, sans-serif"', svg)
        self.assertIn('font-size="10.00"', svg)

    def test_latex(self):
        tex = self.draw("macklin-fig18", path="f_18.tex")
        self.assertIn("{f_18}", tex)
        self.assertTrue(tex.rstrip().endswith(r"\endgroup"))
        self.assertEqual(self.bytes_of("f_18.pdf")[:4], b"%PDF")
        labels = re.findall(r"\\strut\{\}(.*?)\}\}%", tex)
        self.assertIn("$10^{0}$", labels)
        self.assertTrue(any(r"$|$$\Delta$z$|$ [m/s]" in label for label in labels), labels)
        for label in labels:
            self.assertNotRegex(re.sub(r"\$[^$]*\$|\\[_%#&]", "", label), r"[_%#&^<>|λμφΔ]", label)
        table = self.draw("macklin-tab02", path="t.tex")
        lines = [line for line in table.splitlines() if line.endswith(r"\\")]
        self.assertEqual(len({line.count("&") for line in lines}), 1)
        self.assertGreater(lines[0].count("&"), 8)
        self.assertEqual(len(lines), 4) # two of the head, two scenes
        self.assertFalse(os.path.exists(self.path("t.pdf")))
        self.ncpbench("figure", "convergence", "--from", "a.h5", "-o", "tex", "--latex")
        self.assertEqual(sorted(os.listdir(self.path("tex"))), ["convergence.pdf", "convergence.tex", "convergence.txt"])

    def test_every_figure_has_a_table(self):
        self.ncpbench("figure", "macklin-fig06", "-o", "b.svg", "--csv", "b.csv")
        with open(self.path("b.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        limit = [row for row in rows if float(row["force_n"]) == 5]
        self.assertEqual([row["curve"] for row in limit], ["fischer-burmeister", "minimum-map"])
        numpy.testing.assert_allclose([float(row["compliance"]) for row in limit], 0.1)


class Papers(Figure):
    def test_a_plot_of_ones_own_does_not_claim_to_be_the_papers(self):
        own = self.draw("macklin-fig18")
        self.assertNotIn("Macklin", own)
        self.assertNotIn("Macklin", self.bytes_of("a.txt").decode())
        self.ncpbench("reproduce", "macklin-fig18", "--quick", "-o", "r")
        quick = self.bytes_of("r/macklin-fig18.svg").decode()
        self.assertIn("smaller runs (--quick)", quick)
        self.assertNotIn("Macklin", quick)
        runs = [line for line in self.ncpbench("reproduce", "macklin-fig16", "--show-runs")[0].splitlines() if line]
        self.assertIn("--newton-iterations 100", runs[0])
        one = "incline --precision f32 --steps 1".split()
        self.ncpbench("run", *one, *FAST, "-o", "b.h5")
        self.ncpbench("figure", "macklin-fig18", "--from", "b.h5", "-o", "b.svg")
        self.assertNotIn("Macklin", self.bytes_of("b.svg").decode())
        self.ncpbench("figure", "macklin-fig06", "-o", "c.svg")
        self.assertIn("Macklin", self.bytes_of("c.svg").decode())
        self.assertNotIn("of Macklin et al. 2019 hold", self.bytes_of("c.txt").decode())
        self.ncpbench("reproduce", "macklin-fig06", "-o", "r") # its claims need no runs
        for name in "r/macklin-fig06.txt", "r/macklin-fig06.svg":
            self.assertIn("Claims 8 and 9 of Macklin et al. 2019 hold.", self.bytes_of(name).decode())

    def test_the_papers_own_runs_are_the_papers(self):
        line = self.ncpbench("reproduce", "macklin-fig18", "--show-runs")[0].split()
        line[2] = "heavy-stack" # of its scenes, the fastest
        self.ncpbench(*line[1:-2], *FAST, "--threads", "2", "-o", "p.h5", status=None)
        self.ncpbench("figure", "macklin-fig18", "--from", "p.h5", "-o", "p.svg")
        self.assertIn("(Macklin et al. 2019, fig. 18)", self.bytes_of("p.svg").decode())
        self.ncpbench(*line[1:-2], *FAST, "--set", "mu=0.4", "-o", "m.h5", status=None)
        self.ncpbench("figure", "macklin-fig18", "--from", "m.h5", "-o", "m.svg")
        self.assertNotIn("Macklin", self.bytes_of("m.svg").decode())

    def test_missing_runs_are_named_as_commands(self):
        line = self.ncpbench("reproduce", "macklin-fig14", "--show-runs")[0].splitlines()[0]
        err = self.refused("figure", "macklin-fig14", "--from", "a.h5", "-o", "b.svg", status=3, says=["'ncpbench reproduce macklin-fig14' makes them"])
        self.assertIn(line.split(" -o ")[0], err)


class FullDisk(Figure):
    def limited(self, size):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN) # writes beyond fail, as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return limit

    def test_a_figure_that_does_not_fit_leaves_nothing(self):
        os.mkdir(self.path("temporary"))
        environment = {**os.environ, "TMPDIR": self.path("temporary")}
        for ending in ("svg", "pdf", "png", "tex"):
            whole = self.draw("convergence", path=f"a.{ending}")
            before = self.bytes_of(f"a.{ending}")
            for size in (3000, len(before) - 40):
                self.refused("figure", "convergence", "--from", "a.h5", "-o", f"a.{ending}", status=3, says=["cannot write"],
                             preexec_fn=self.limited(size), env=environment)
                self.assertEqual(self.bytes_of(f"a.{ending}"), before, "the older figure stays")
                self.refused("figure", "convergence", "--from", "a.h5", "-o", f"b.{ending}", status=3, says=["cannot write"],
                             preexec_fn=self.limited(size), env=environment)
            self.assertEqual(os.listdir(self.path("temporary")), [])
            self.assertEqual([name for name in os.listdir(self.folder.name) if name.startswith("b.") or "partial" in name], [])


if __name__ == "__main__":
    unittest.main()
