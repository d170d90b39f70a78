"""The command optimize: what its file holds, that the motion comes to its goal, what is refused.

NCPBENCH names the program.
"""
import os
import sys
import unittest

import h5py
import numpy

from cli_case import Case

SHORT = ["--method", "auto", "--knots", "5", "--iterations", "6"]


class Optimize(Case):
    def optimize(self, *words, name="o.h5"):
        out, err = self.ncpbench("optimize", "grasp", *words, "-o", name, "--force")
        with h5py.File(self.path(name)) as file:
            return out, {key: file[key][()] for key in file if key != "provenance"} | dict(file.attrs)

    def test_what_the_file_holds(self):
        out, o = self.optimize(*SHORT, "--smoothing", "1e-3,1e-4", "--iterations", "4")
        self.assertEqual((o["schema"], o["scenario"], o["method"]), ("ncpbench-optimization", "grasp", "auto"))
        self.assertIn("optimize grasp", o["command"])
        rows, states = len(o["cost"]), 51
        self.assertEqual(o["best"].shape, (5, 6))
        self.assertEqual(o["q_best"].shape, (states, 6, 7))
        self.assertEqual(list(o["knot_step"]), [10, 20, 30, 40, 50])
        self.assertEqual([(int(b), int(i)) for b, i in zip(o["control_body"], o["control_input"])], [(b, i) for b in (3, 5) for i in range(3)])
        stages = o["smoothing"]
        self.assertEqual(sorted(set(stages)), [1e-4, 1e-3])
        for rho in set(stages):
            cost = o["cost"][stages == rho]
            self.assertTrue((numpy.diff(cost) <= 0).all(), cost)
            self.assertTrue(((numpy.diff(cost) < 0) == (o["taken"][stages == rho][1:] == 1)).all())
        # costs as they are defined: of goals and of changes from knot to knot
        changes = numpy.diff(numpy.vstack([o["start"], o["best"]]), axis=0) / o["control_unit"]
        self.assertAlmostEqual(o["cost"][-1] - o["goal_cost"][-1], 0.5 * (changes ** 2).sum(), delta=1e-9 * o["cost"][-1])
        # the hands go along their trajectories, and the box ends where the last row says
        for body in (3, 5):
            knots = o["best"][:, :3] if body == 3 else o["best"][:, 3:]
            numpy.testing.assert_allclose(o["q_best"][o["knot_step"], body, :3], knots, atol=1e-12)
            numpy.testing.assert_allclose(o["q_best"][5, body, :3], (o["q_best"][0, body, :3] + knots[0]) / 2, atol=1e-12)
        for motion, distance in (("best", o["distance"][-1]), ("exact", o["exact_distance"][-1])):
            self.assertAlmostEqual(numpy.linalg.norm(o[f"q_{motion}"][-1, 1, :3] - [0.1, 0, 0.15]), distance, delta=1e-12)
        self.assertLess(o["exact_distance"][-1], 0.6 * o["exact_distance"][0])
        self.assertEqual(len(out.splitlines()), 2 + 3)
        self.assertGreater(rows, 5)

    def test_the_first_motion_is_that_of_run(self):
        """with the scenario's own plan, and hardly any smoothing; a knot a step"""
        _, o = self.optimize("--method", "auto", "--knots", "50", "--iterations", "0", "--smoothing", "1e-8")
        self.ncpbench("run", "grasp", "--method", "auto", "--repeat", "0", "-o", "run.h5")
        with h5py.File(self.path("run.h5")) as file:
            final = file["runs/0000/final/q"][:]
        numpy.testing.assert_allclose(o["q_exact"][-1][:, :3], final[:, :3], atol=1e-9)
        numpy.testing.assert_allclose(o["q_first"][-1][:, :3], final[:, :3], atol=1e-4)
        self.assertEqual(len(o["cost"]), 1)

    def test_what_is_not_touched_is_felt_by_smoothing_alone(self):
        """hands that do not move: without a force at a distance there is no derivative to begin with"""
        still = ["--method", "auto", "--set", "plan=still", "--knots", "5", "--iterations", "9"]
        _, far = self.optimize(*still, "--smoothing", "3e-3")
        _, near = self.optimize(*still, "--smoothing", "1e-8")
        self.assertLess(far["cost"][-1], 0.99 * far["cost"][0])
        self.assertGreater(near["cost"][-1], 0.9999 * near["cost"][0])

    def test_small_smoothings_from_the_first_on(self):
        """auto leaves forces that redundant contacts share by chance: the central path is found by larger products first"""
        _, o = self.optimize("--method", "auto", "--newton-tolerance", "1e-8", "--set", "plan=still", "--smoothing", "1e-4,1e-5,1e-6")
        self.assertEqual(sorted(set(o["smoothing"])), [1e-6, 1e-5, 1e-4])
        self.assertLess(o["cost"][-1], 3)  # 1.2 as seen; 11250 at the start
        self.assertLess(o["exact_distance"][-1], 2e-3)

    def test_what_is_refused(self):
        with open(self.path("mine.h5"), "w") as file:
            file.write("mine")
        self.refused("optimize", "grasp", "-o", "mine.h5", says=["no optimization of ncpbench"])
        self.assertFalse(os.path.exists(self.path("o.h5")))


if __name__ == "__main__":
    unittest.main()
