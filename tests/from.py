"""Runs that begin with a record's state (run --from), and whether compare sees that two runs left one trajectory.

NCPBENCH names the program. A run from the state after k steps must have the bits of the run that it is of; every method
of a sweep must meet the same step."""
import unittest

import h5py

from cli_case import Case, runs_of

COLD = ["--newton-iterations", "4", "--linear-iterations", "10", "--warm-start", "off", "--repeat", "0"]
ARCH = ["arch", "--set", "count=7"]


class From(Case):
    def final(self, name, run="0000"):
        with h5py.File(self.path(name), "r") as record:
            return {key: record[f"runs/{run}/final/{key}"][()].tobytes() for key in ("q", "u", "q_before", "u_before", "lambda_normal")}

    def same_bits(self, *scene):
        self.ncpbench("run", *scene, *COLD, "--steps", "6", "--store-states", "2", "-o", "whole.h5")
        for start in ("whole.h5:0:2", "whole.h5:0:4"):
            self.ncpbench("run", *scene, *COLD, "--steps", str(6 - int(start[-1])), "--from", start, "-o", "part.h5")
            self.assertEqual(self.final("whole.h5"), self.final("part.h5"), start)
            with h5py.File(self.path("whole.h5"), "r") as whole, h5py.File(self.path("part.h5"), "r") as part:
                self.assertEqual(whole["runs/0000"].attrs["settle"], part["runs/0000"].attrs["settle"])
                self.assertEqual(whole["runs/0000/states/time"][-1], part["runs/0000/steps/time"][-1])

    def test_bits_of_the_run_itself(self):
        self.same_bits(*ARCH)

    def test_bits_of_prescribed_bodies_and_motors(self):
        self.same_bits("beam", "--set", "count=5")

    def test_bits_of_elements(self):
        self.same_bits("bar", "--set", "cells=4", "--set", "duration=0.05")

    def test_a_run_in_two_halves(self):
        """the state after the last step needs no --store-states"""
        self.ncpbench("run", *ARCH, *COLD, "--steps", "5", "-o", "whole.h5")
        self.ncpbench("run", *ARCH, *COLD, "--steps", "2", "-o", "first.h5")
        self.ncpbench("run", *ARCH, *COLD, "--steps", "3", "--from", "first.h5", "-o", "second.h5")
        self.assertEqual(self.final("whole.h5"), self.final("second.h5"))

    def test_all_methods_meet_one_step(self):
        self.ncpbench("run", *ARCH, "--steps", "3", "--method", "auto", "-o", "state.h5", "--repeat", "0")
        self.ncpbench("run", *ARCH, "--method", "newton,interior-point,auto,psor,apgd,single-level", "--from", "state.h5", "--steps", "1",
                      "--newton-iterations", "200", "--newton-tolerance", "1e-4", "--repeat", "0", "-o", "all.h5", status=None)
        state = self.final("state.h5")
        for number in range(6):
            run = self.final("all.h5", f"{number:04}")
            self.assertEqual((run["q_before"], run["u_before"]), (state["q"], state["u"]), number)
        said = {run["scene.from"] for run in runs_of(self.path("all.h5"))}
        self.assertEqual(len(said), 1)
        self.assertRegex(str(said), r"state\.h5:0:3#[0-9a-f]{16}")
        _, err = self.ncpbench("compare", "all.h5", "--by", "method")
        self.assertNotIn("trajectory", err)
        out, _ = self.ncpbench("check", "all.h5", status=None)
        self.assertIn("presupposes that the run begins as its scenario does", out)

    def test_several_states_are_a_sweep(self):
        self.ncpbench("run", *ARCH, *COLD, "--steps", "4", "--store-states", "2", "-o", "a.h5")
        self.ncpbench("run", *ARCH, *COLD, "--steps", "1", "--from", "a.h5:0:2,a.h5:0:4", "-o", "b.h5")
        self.assertEqual(len({run["scene.from"] for run in runs_of(self.path("b.h5"))}), 2)

    def test_other_commands_take_it(self):
        self.ncpbench("run", *ARCH, *COLD, "--steps", "2", "-o", "a.h5")
        self.ncpbench("export", *ARCH, *COLD, "--format", "scene", "--at", "2", "-o", "a.json")
        self.ncpbench("export", *ARCH, *COLD, "--format", "scene", "--at", "0", "--from", "a.h5", "-o", "b.json")
        lines = [[line for line in self.bytes_of(name).splitlines() if b'"command"' not in line] for name in ("a.json", "b.json")]
        self.assertEqual(*lines)

    def test_labels_name_states_without_checksums(self):
        self.ncpbench("run", *ARCH, "--steps", "3", "--store-states", "1", "-o", "states.h5", "--repeat", "0")
        self.ncpbench("run", *ARCH, "--from", "states.h5:0:1,states.h5:0:2", "--steps", "1", "--linear-solver", "pcr,pcg", "--repeat", "0", "-o", "a.h5", status=None)
        out, _ = self.ncpbench("compare", "a.h5", "--by", "linear-solver")
        self.assertIn("from states.h5:0:1: pcr -> pcg", out)
        self.ncpbench("figure", "convergence", "--from", "a.h5", "-o", "a.svg")
        drawn = self.bytes_of("a.svg").decode()
        self.assertIn("states.h5:0:2", drawn)
        self.assertNotIn("#", out)
        self.assertNotRegex(drawn, "states.h5:0:2#")

    def test_compare_says_when_runs_part(self):
        sweep = [*ARCH, "--method", "newton,interior-point", "--steps", "3", "--newton-iterations", "5", "--repeat", "0"]
        _, err = self.ncpbench("run", *sweep, "-o", "a.h5")
        self.assertIn("1 of 2 runs leave the trajectory of the first run of their scene, from step 1 on", err)
        _, err = self.ncpbench("compare", "a.h5", "--by", "method")
        self.assertIn("no longer on one trajectory, from step 1 on", err)
        out, _ = self.ncpbench("compare", "a.h5", "--by", "method", "--format", "json")
        self.assertIn('"parting_step": 1', out)
        self.ncpbench("run", *sweep, "-o", "b.h5")
        _, err = self.ncpbench("compare", "a.h5", "b.h5")
        self.assertNotIn("trajectory", err)

    def test_run_says_nothing_of_trajectories_that_are_one_or_of_several_scenes(self):
        for words in (["--method", "auto", "--seed", "1", "--threads", "1,2"], ["--method", "auto", "--set", "mu=0.5,0.8"], ["--method", "auto", "--time-step", "0.008,0.009"],
                      ["--method", "newton,interior-point", "--steps", "1"]):
            _, err = self.ncpbench("run", *ARCH, "--steps", "3", *words, "--repeat", "0", "-o", "a.h5", "--force", status=None)
            self.assertNotIn("trajectory", err, words)

    def test_compare_warns_of_preconditioners_in_another_form(self):
        """in comparisons and rankings, once a scene"""
        words = ["arch-20", "--method", "newton", "--steps", "1", "--newton-iterations", "2", "--linear-solver", "pcg", "--preconditioner", "jacobi,ict", "--repeat", "0"]
        self.ncpbench("run", *words, "-o", "a.h5")
        self.ncpbench("run", *words, "--form", "stiffness", "-o", "b.h5")
        for arguments in (["--by", "preconditioner"], ["--rank"]):
            _, err = self.ncpbench("compare", "a.h5", *arguments)
            self.assertEqual(err.count("warning: arch-20: preconditioner ict is for --form stiffness"), 1, err)
            self.assertNotIn("is for --form", self.ncpbench("compare", "b.h5", *arguments)[1])

    def test_what_cannot_be_begun_with(self):
        self.ncpbench("run", *ARCH, *COLD, "--steps", "4", "--store-states", "2", "-o", "a.h5")
        self.ncpbench("run", *ARCH, *COLD, "--steps", "1", "--seed", "1,2", "-o", "two.h5")
        with open(self.path("text.h5"), "w") as file:
            file.write("no record\n")
        for start, status, says in (("a.h5:0:5", 3, "step 5 is out of range; the run has the states after 1 to 4"),
                                    ("a.h5:0:0", 3, "step 0 is out of range"),
                                    ("a.h5:0:3", 3, "the run stored 2 states, none after step 3"),
                                    ("a.h5:1", 3, "run 1 is out of range; the record has 1"),
                                    ("two.h5", 64, "the record has 2 runs; write two.h5:RUN"),
                                    ("none.h5", 3, "none.h5"), ("text.h5", 3, "text.h5"),
                                    (":1", 64, "expected RECORD[:RUN[:STEP]]")):
            self.refused("run", *ARCH, "--from", start, "-o", "x.h5", status=status, says=(says,))
        self.refused("run", "wall", "--from", "a.h5", "-o", "x.h5", status=3, says=("of scenario 'arch', not 'wall'",))
        self.refused("run", *ARCH, "--batch", "2", "--from", "a.h5", "-o", "x.h5", says=("--batch 1 (got 2)",))
        self.refused("run", *ARCH, "--from", "a.h5", "-o", "a.h5", says=("is read by this command",))
        _, err = self.ncpbench("run", "arch", "--set", "count=8", "--from", "a.h5", "-o", "x.h5", status=3)
        self.assertIn("the state is of 8 bodies and 0 particles, and the scene has 9 and 0", err)


if __name__ == "__main__":
    unittest.main()
