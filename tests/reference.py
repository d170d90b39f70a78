"""Converged solutions in records (run --reference): what h5py recomputes from them, resumed and appended records, damage.

    NCPBENCH=build/ncpbench python3 tests/reference.py
"""
import os
import shutil
import signal
import time
import unittest

import h5py
import numpy

from cli_case import Case, start

RUN = ["--settle", "3", "--steps", "2", "--repeat", "0", "--newton-iterations", "8", "--reference", "on"]


def distance(reference, a, b):
    """in the mass norm, by hand"""
    d = a - b
    mass, inertia = reference["mass"][()], reference["inertia"][()]
    energy = numpy.sum(mass[:, None] * d[:, :3] ** 2) + numpy.einsum("bi,bij,bj->", d[:, 3:], inertia, d[:, 3:])
    return numpy.sqrt(energy / reference.attrs["total_mass"])


class Reference(Case):
    def make(self, *arguments, name="a.h5", status=0):
        return self.ncpbench("run", *RUN, *arguments, "-o", name, status=status)[0]

    def test_what_is_recorded(self):
        self.make("heavy-stack,beam", "--linear-solver", "pcr,cholesky", "--precision", "f64,f32", "--geometry", "updated,frozen")
        with h5py.File(self.path("a.h5")) as record:
            self.assertEqual(len(record["runs"]), 16)
            for run in record["runs"].values():
                group, count = run["reference"], run["newton/count"][()]
                self.assertEqual(run.attrs["reference"], 1)
                self.assertEqual(group.attrs["step"], 1)
                self.assertLessEqual(group.attrs["natural_map_error"], 1e-11)
                self.assertLess(group.attrs["velocity_difference"], 1e-9)
                velocity, force = run["newton/velocity_error"][()], run["newton/force_error"][()]
                self.assertTrue(numpy.isnan(velocity[0]).all())
                self.assertTrue(numpy.isfinite(velocity[1, :count[1]]).all())
                self.assertTrue((velocity[1, :count[1]] > 0).all())
                # the last row is the state that `final` holds; in f32 too, whose numbers are written as they are
                self.assertAlmostEqual(distance(group, run["final/u"][()], group["u"][()]) / velocity[1, count[1] - 1], 1, 9)
                # the forces of a converged step make its velocities
                self.assertLess(distance(group, group["u_of_forces"][()], group["u"][()]), 1e-10)
                self.assertEqual(group["contact_bodies"][()].tolist(), run["final/contact_bodies"][()].tolist())
                # momentum is what parts the two errors
                momentum = run["newton/momentum_error"][1, count[1] - 1]
                size = numpy.sqrt(6 * len(group["mass"]))
                self.assertLessEqual(abs(force[1, count[1] - 1] - velocity[1, count[1] - 1]), size * momentum + 1e-9)
                names = [name.decode() for name in run["checks/name"][()]]
                self.assertIn("reference: natural map", names)
                for name, passed in zip(names, run["checks/passed"][()]):
                    self.assertTrue(passed or not name.startswith("reference: "), name)

    def test_the_run_is_the_same_without(self):
        self.make("beam", "--reference", "on,off")
        with h5py.File(self.path("a.h5")) as record:
            on, off = record["runs/0000"], record["runs/0001"]
            self.assertNotIn("reference", off)
            self.assertTrue(numpy.isnan(off["newton/velocity_error"][()]).all())
            for name in ("newton/natural_map_error", "newton/step_linf", "final/u", "final/lambda_normal", "steps/reason"):
                numpy.testing.assert_array_equal(on[name][()], off[name][()])

    def test_a_converged_run_has_no_error(self):
        out = self.make("incline,heavy-stack", "--method", "interior-point", "--newton-iterations", "100", "--newton-tolerance", "1e-11")
        self.assertIn("true error [m/s]", out)
        with h5py.File(self.path("a.h5")) as record:
            for run in record["runs"].values():
                self.assertLess(run["newton/velocity_error"][1, run["newton/count"][1] - 1], 1e-10)
        self.ncpbench("check", "a.h5")

    def test_no_solution_no_reference(self):
        """a jammed box has no solution: the record says so, and has no true errors; its neighbour has"""
        _, said = self.ncpbench("run", "jammed-box,incline", "--newton-iterations", "5", "--repeat", "0", "--steps", "1", "--reference", "on", "-o", "a.h5")
        lines = [line for line in said.splitlines() if "no reference" in line]
        with h5py.File(self.path("a.h5")) as record:
            jammed, incline = record["runs/0000"], record["runs/0001"]
            self.assertGreater(jammed.attrs["reference_error"], 1e-8)
            self.assertNotIn("reference", jammed)
            self.assertTrue(numpy.isnan(jammed["newton/velocity_error"][()]).all())
            self.assertEqual(incline.attrs["reference_error"], incline["reference"].attrs["natural_map_error"])
            self.assertTrue(numpy.isfinite(incline["newton/velocity_error"][-1, 0]))
            self.assertEqual(len(lines), 1)
            for word in ("jammed-box", "--settle", f"{jammed.attrs['reference_error']:.2g}"):
                self.assertIn(word, lines[0])
        out, _ = self.ncpbench("check", "a.h5", status=2)
        verdicts = [line.split()[-1] for line in out.splitlines() if "reference: natural map" in line]
        self.assertEqual(verdicts, ["FAILED", "passed"])

    def test_the_figure_says_where_there_is_none(self):
        self.make("heavy-stack", "--steps", "1")
        with h5py.File(self.path("a.h5"), "r+") as record:
            run = record["runs/0000"]
            del run["reference"]
            run.attrs["reference_error"] = 3e-4
        self.ncpbench("figure", "true-error", "--from", "a.h5", "-o", "a.svg")
        self.assertIn("no reference (solved to 3e-04)", self.bytes_of("a.txt").decode())
        self.assertIn("to 3e-04 m/s only", self.bytes_of("a.svg").decode())

    def test_several_solutions(self):
        """a body that slides and spins on four corners: no errors against either solution, but distances, and which one a run came to"""
        _, said = self.ncpbench("run", "drop", "--set", "set=polytope", "--geometry", "frozen", "--settle", "49", "--steps", "1", "--method", "interior-point,newton,psor", "--newton-iterations", "1000", "--linear-iterations", "200",
                                "--newton-tolerance", "1e-11", "--repeat", "0", "--linear-history", "off", "--reference", "on", "-o", "a.h5")
        self.assertEqual(said.count("several solutions"), 3)
        taken = []
        with h5py.File(self.path("a.h5")) as record:
            for run in record["runs"].values():
                group, last = run["reference"], run["newton/count"][0] - 1
                self.assertTrue(numpy.isnan(run["newton/velocity_error"][()]).all() and numpy.isnan(run["newton/force_error"][()]).all())
                self.assertLess(run["newton/natural_map_error"][0, last], 1e-11)
                # the distances of the final state from both, by hand, and of the two from each other
                first, second = (run[f"newton/{name}_distance"][0, last] for name in ("first", "second"))
                self.assertAlmostEqual(first, distance(group, run["final/u"][()], group["u"][()]), 12)
                self.assertAlmostEqual(second, distance(group, run["final/u"][()], group["second/u"][()]), 12)
                self.assertAlmostEqual(group.attrs["velocity_difference"], distance(group, group["u"][()], group["second/u"][()]), 12)
                self.assertGreater(group.attrs["velocity_difference"], 1e-4)
                taken.append([first < 1e-6, second < 1e-6])
                for solution in (group, group["second"]):  # Coulomb's law by hand: at the bound, against the slip
                    force, slip, normal = solution["lambda_friction"][()], solution["slip"][()], solution["lambda_normal"][()]
                    bound = (solution["mu"][()] * normal / numpy.linalg.norm(slip, axis=1))[:, None]
                    self.assertLess(numpy.abs(force + bound * slip).max(), 1e-6)
                    self.assertGreater(normal.min(), -1e-8)  # 1e-11 m/s over h, times the mass of 1 kg
        self.assertEqual(taken, [[True, False], [False, True], [False, False]])
        out, _ = self.ncpbench("compare", "a.h5", "--by", "method")
        self.assertEqual(out.count("solutions differ"), 2)
        out, _ = self.ncpbench("compare", "a.h5", "a.h5")
        self.assertNotIn("solutions differ", out)
        self.ncpbench("figure", "true-error", "--from", "a.h5", "-o", "a.svg")
        self.assertEqual(self.bytes_of("a.txt").decode().count("two solutions"), 3)
        self.ncpbench("figure", "solutions", "--from", "a.h5", "-o", "b.svg")
        self.assertRegex(self.bytes_of("b.txt").decode(), "interior-point gmres first, newton pcr second, psor none another")

    def test_interior_point_is_not_its_own_reference(self):
        self.make("incline,heavy-stack", "--method", "interior-point,newton", "--linear-solver", "klu", "--newton-iterations", "100", "--newton-tolerance", "1e-11", status=None)
        # where newton stops short from nothing, and confirms the other's: at least one of two, as piles differ by round-off, and so by processor
        for settle in "28", "36":
            self.ncpbench("run", "piling", "--settle", settle, "--steps", "1", "--method", "interior-point", "--newton-tolerance", "1e-11", "--repeat", "0", "--reference", "on", "--append", "-o", "a.h5", status=None)  # 1 where a step of settling is not solved
        with h5py.File(self.path("a.h5")) as record:
            runs = list(record["runs"].values())
            self.assertEqual(len(runs), 6)
            self.assertTrue(all("reference" in run for run in runs[:4]))
            self.assertTrue(any("reference" in run for run in runs[4:]))
            for run in runs:
                if "reference" in run and "second" not in run["reference"]:  # of several none is its own
                    self.assertNotEqual(run["reference"].attrs["method"], run.attrs["method"])
                    self.assertGreater(run["newton/velocity_error"][-1, run["newton/count"][-1] - 1], 0)

    def test_resumed(self):
        """stopped in a long run, whose last step alone has a reference"""
        command = ["run", "wall", "--steps", "120", "--set", "width=4", "--set", "height=3", "--repeat", "0", "--newton-iterations", "20", "--reference", "on", "--checkpoint", "0"]
        self.ncpbench(*command, "-o", "whole.h5")
        for _ in range(20):
            process = start([*command, "-o", "a.h5"], cwd=self.folder.name)
            while not os.path.exists(self.path("a.h5.checkpoint")) and process.poll() is None:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if os.path.exists(self.path("a.h5.checkpoint")):
                break
        self.ncpbench("run", "--resume", "a.h5")
        with h5py.File(self.path("whole.h5")) as whole, h5py.File(self.path("a.h5")) as resumed:
            for name in ("reference/u", "reference/lambda_normal", "reference/u_of_forces", "newton/velocity_error", "newton/force_error"):
                numpy.testing.assert_array_equal(whole["runs/0000"][name][()], resumed["runs/0000"][name][()])
            self.assertEqual(whole["runs/0000/reference"].attrs["step"], 119)

    def test_appended(self):
        self.make("incline")
        self.make("heavy-stack", "--append")
        with h5py.File(self.path("a.h5")) as record:
            self.assertEqual([len(run["reference/mass"]) for run in record["runs"].values()], [2, 6])
        out, _ = self.ncpbench("check", "a.h5", status=2)  # few iterations: the runs fail, their references do not
        for line in out.splitlines():
            if "reference: " in line:
                self.assertNotIn("FAIL", line.upper())

    def test_the_figure_shows_the_errors_of_the_record(self):
        runs = ["heavy-stack,incline", "--steps", "1", "--newton-iterations", "30", "--linear-history", "off"]
        self.make(*runs, "--linear-solver", "pcr,cholesky")
        self.make(*runs, "--method", "interior-point", "--linear-solver", "gmres", "--preconditioner", "lu", "--append")
        self.ncpbench("figure", "true-error", "--from", "a.h5", "-o", "a.svg")
        picture = self.bytes_of("a.txt").decode()
        with h5py.File(self.path("a.h5")) as record:
            for run in record["runs"].values():
                last = run["newton/count"][0] - 1
                errors = [run[f"newton/{name}"][0, last] for name in ("velocity_error", "force_error", "natural_map_error")]
                shown = f"{run.attrs['method']} {run.attrs['linear_solver']} " + "/".join(f"{x:.0e}" for x in errors)
                self.assertTrue(shown in picture, shown)

    def test_the_figure_of_methods_counts_to_the_accuracy(self):
        runs = ["--steps", "2", "--newton-iterations", "17", "--newton-tolerance", "1e-8", "--repeat", "0"]
        self.ncpbench("run", "heavy-stack,beam", *runs, "--linear-iterations", "100", "--linear-solver", "pcr,cholesky", "-o", "a.h5", status=None)
        self.ncpbench("run", "heavy-stack,beam", *runs, "--method", "interior-point", "--linear-solver", "klu,gmres", "--preconditioner", "lu", "--linear-iterations", "100",
                      "--append", "-o", "a.h5", status=None)
        self.ncpbench("figure", "methods", "--from", "a.h5", "-o", "a.svg")
        picture, failed = self.bytes_of("a.txt").decode(), 0
        with h5py.File(self.path("a.h5")) as record:
            for run in record["runs"].values():
                newton, counts = run["newton"], []
                for step, count in enumerate(newton["count"]):
                    reached = numpy.nonzero(newton["natural_map_error"][step, :count] <= 1e-8)[0]
                    if len(reached):
                        k = reached[0]
                        own = newton["factorisations"][step, :k] if "factorisations" in newton else numpy.full(k, numpy.nan)
                        direct = numpy.nan_to_num(newton["factor_nonzeros"][step, :k]) > 0
                        counts.append([k, numpy.where(numpy.isfinite(own), own, direct).sum(), newton["linear_iterations"][step, :k].sum()])
                if len(counts) == 2:
                    shown = " / ".join(f"{x:.0f}" for x in numpy.mean(counts, axis=0)) + " / "
                else:
                    failed += 1
                    shown = f"{len(counts)} of 2, {max(run['steps/natural_map_error']):.0e}"
                self.assertTrue(shown in picture, shown)
        self.assertIn(failed, range(1, 6))  # few iterations: some get there, some do not

    def damaged(self, name, change, says):
        shutil.copy(self.path("a.h5"), self.path("b.h5"))
        with h5py.File(self.path("b.h5"), "r+") as record:
            change(record[f"runs/0000/{name}"] if name else record["runs/0000"])
        self.refused("check", "b.h5", status=3, says=["b.h5", *says])

    def test_damage(self):
        self.make("incline")

        def replace(shape, value=0.0):
            def change(data):
                group, name = data.parent, data.name.split("/")[-1]
                del group[name]
                group[name] = numpy.full(shape, value)
            return change

        def drop(data):
            del data.parent[data.name.split("/")[-1]]

        def attribute(name, value):
            return lambda group: group.attrs.modify(name, value)

        self.damaged("reference/u", replace((2, 5)), ["u"])
        self.damaged("reference/u", drop, ["u"])
        self.damaged("reference/mass", drop, ["mass"])
        self.damaged("reference/mass", replace((3,)), ["mass"])
        self.damaged("reference/mass", replace((2,), -1.0), ["reference/mass", "-1"])
        self.damaged("reference/mass", replace((2,), numpy.nan), ["reference/mass", "nan"])
        self.damaged("reference/inertia", replace((2, 3)), ["inertia"])
        self.damaged("reference/u_of_forces", replace((1, 6)), ["u_of_forces"])
        self.damaged("reference/lambda_normal", replace((9,)), ["lambda_"])
        self.damaged("reference/contact_bodies", replace((4, 2), 77), ["contact_bodies", "77"])
        self.damaged("reference", attribute("step", 2), ["step 2"])
        self.damaged("reference", attribute("step", -1), ["step -1"])
        self.damaged("reference", attribute("total_mass", 7.0), ["total_mass"])
        self.damaged("reference", attribute("method", "guess"), ["damaged"])
        self.damaged("reference", lambda group: group.attrs.__delitem__("tolerance"), ["tolerance"])


if __name__ == "__main__":
    unittest.main()
