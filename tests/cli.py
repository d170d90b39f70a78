"""The command line, as a user meets it: exit statuses, messages, records, signals.

    NCPBENCH=build/ncpbench python3 tests/cli.py [Class...]

Each class is a test of ctest (cli_Class). Records are read with h5py.
"""
import csv
import fcntl
import json
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import h5py
import numpy

from cli_case import PATIENCE, PROGRAM, QUICK, Case, parameters_of, runs_of, start, text, write_fclib, synthetic_timings


class Usage(Case):
    def test_help_and_version(self):
        out, err = self.ncpbench("--help")
        commands = re.findall(r"^  (\w+)  +\w", out, re.M)
        self.assertEqual(commands, ["list", "run", "solve", "suite", "merge", "bundle", "export", "gradient", "optimize", "figure", "reproduce", "report", "check", "compare", "bench", "info"])
        for command in commands:
            for words in (["--help"], ["--help=all"]):
                out, err = self.ncpbench(command, *words)
                self.assertTrue(out.startswith(f"Usage: ncpbench {command} "), out)
                self.assertLessEqual(max(map(len, out.splitlines())), 80)
                self.assertNotRegex(out, r"(?m) $", command)
                self.assertEqual(err, "")
            out, err = self.ncpbench(command, "--help")
            self.assertEqual(self.ncpbench(command, "-h")[0], out)
        self.assertRegex(self.ncpbench("--version")[0], r"\Ancpbench \d+\.\d+\.\d+\S*\n\Z")

    def test_help_says_the_defaults(self):
        out = re.sub(r"\s+", " ", self.ncpbench("run", "--help=all")[0])
        for piece in ("see ncpbench list methods; solves a step [the scenario's own]", "[pcr]", "[jacobi]", "[fischer-burmeister]", "[cpu]", "[f64]", "[0.75]", "[1e-06]"):
            self.assertIn(piece, out)
        self.assertIn("[newton]", self.ncpbench("solve", "--help=all")[0])
        for piece in ("--friction-tolerance=X slip from which friction is whole [m/s]; ", "--contact-tolerance=X gap below which contacts push (delta) [m] [0.001]",
                      "--friction-iterations=N ", "--record-every=N "):
            self.assertIn(piece, out)

    def test_help_has_options_of_methods_that_the_command_takes(self):
        """those of others stay, so that a method can refuse them"""
        for command, methods in (("run", ["newton", "sap", "psor", "nsgs", "admm", "fbf", "apgd", "lemke", "single-level", "bilevel", "smoothed"]),
                                 ("gradient", ["newton", "single-level", "smoothed"]), ("solve", ["newton", "psor", "nsgs", "admm", "fbf", "apgd", "lemke"])):
            for level in "--help", "--help=all":
                names = re.findall(r"(?m)^ +Method ([\w-]+):", self.ncpbench(command, level)[0])
                if command != "gradient" or level == "--help=all":  # whose short form names options alone
                    self.assertEqual(names, methods, (command, level))

    def test_help_fits_two_screens(self):
        """a line an option, or its name alone where --help=all tells the rest; none is left out"""
        for command in "run", "solve", "suite", "export", "gradient", "optimize":
            out = self.ncpbench(command, "--help")[0]
            self.assertLessEqual(len(out.splitlines()), 112, command)
            named = re.findall(r"--([a-z][\w-]*)", out.split("\nExamples:")[0])
            for option in re.findall(r"(?m)^ +(?:-\w, )?--([\w-]+)", self.ncpbench(command, "--help=all")[0]):
                self.assertIn(option, named, command)
            self.assertIn("\nExit status: 0 success", out)
        out = self.ncpbench("run", "--help")[0]
        for line in ("  --linear-solver=NAME      see ncpbench list linear-solvers [pcr]", "  --newton-tolerance=X      stop at this natural-map error [m/s] [0]",
                     "  --warm-start=NAME         off, on, unconstrained [the scenario's own]", "  Time stepping: --time-stepping, --integrator, --gyroscopic-torque, --impacts,",
                     "  Method psor: --omega, --lambda, --coupling, --acceleration, --joints,"):
            self.assertIn(f"\n{line}\n", out)
        self.assertNotIn("batch", self.ncpbench("gradient", "--help=all")[0])  # nor a heading without options
        self.assertNotIn("Copies", self.ncpbench("gradient", "--help=all")[0])

    def test_commands(self):
        self.refused("reproduc\nerror: all is lost", says=["unknown command"])

    def test_help_as_a_command(self):
        self.assertEqual(self.ncpbench("help"), self.ncpbench("--help"))
        for command in ("run", "list", "reproduce"):
            self.assertEqual(self.ncpbench("help", command), self.ncpbench(command, "--help"))

    def test_kernels_that_there_are_not(self):
        for name, says in (("sse9", ["NCPBENCH_KERNELS", "'sse9'", "avx2, baseline"]), ("avx", ["did you mean 'avx512' or 'avx2'?"])):
            self.refused("run", "arch", "-o", "a.h5", *QUICK, env={**os.environ, "NCPBENCH_KERNELS": name}, says=says)
        self.only()
        self.assertIn("kernels for baseline\n", self.ncpbench("info", env={**os.environ, "NCPBENCH_KERNELS": "baseline"})[0])
        self.assertIn("kernels for ", self.ncpbench("info", env={**os.environ, "NCPBENCH_KERNELS": ""})[0])

    def test_standard_output_that_cannot_be_written(self):
        for command in (["list"], ["--help"], ["info"], ["list", "--format", "json"], ["reproduce", "macklin-fig16", "--show-runs"],
                        ["reproduce", "all", "--show-runs"], ["reproduce", "--claims", "macklin", "--show-runs"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, r"\A(figure robots [^\n]*\n)?ncpbench: [^\n]*standard output[^\n]*\n\Z")


    def test_no_runs_to_show(self):
        self.assertEqual(self.ncpbench("reproduce", "macklin-fig06", "--show-runs"), ("", "the figures that were named are drawn without runs\n"))


class Lists(Case):
    kinds = ["scenarios", "methods", "linear-solvers", "preconditioners", "ncp-functions", "scalings", "figures", "columns", "datasets",
             "devices"]

    def test_json(self):
        everything = json.loads(self.ncpbench("list", "--format", "json")[0])
        self.assertEqual(list(everything), self.kinds)
        for kind in self.kinds:
            one = json.loads(self.ncpbench("list", kind, "--format=json")[0])
            self.assertEqual(one, {kind: everything[kind]})
            names = [entry["name"] for entry in one[kind]]
            self.assertTrue(names)
            self.assertEqual(len(names), len(set(names)))
            for entry in one[kind]:
                joined = "_" if kind in ("columns", "datasets") else "-"
                group = {"columns": "(linear/)?", "datasets": "((runs/NNNN|bench)/([a-zA-Z_]+/)*|gradient:|optimize:)"}.get(kind, "")
                self.assertRegex(entry["name"], rf"\A{group}[a-z0-9]+({joined}[a-z0-9]+)*\Z")
                self.assertTrue(entry["summary"])

    def test_parameters_have_defaults_in_their_range(self):
        everything = json.loads(self.ncpbench("list", "--format", "json")[0])
        seen = 0
        for kind, member in (("scenarios", "parameters"), ("linear-solvers", "options"), ("preconditioners", "options")):
            for entry in everything[kind]:
                for option in entry[member]:
                    seen += 1
                    if "choices" in option:
                        self.assertIn(option["default"], option["choices"])
                    else:
                        self.assertLessEqual(option["minimum"], option["default"], (entry["name"], option))
                        self.assertLessEqual(option["default"], option["maximum"], (entry["name"], option))
                        self.assertTrue(option["units"])
        self.assertGreater(seen, 10)

    def test_text_shows_the_same_names(self):
        everything = json.loads(self.ncpbench("list", "--format", "json")[0])
        screen = self.ncpbench("list")[0]
        self.assertLessEqual(len(screen.splitlines()), 40)
        self.assertLessEqual(max(len(line) for line in screen.splitlines() if line[0] == " "), 79)
        for kind in self.kinds:
            out = self.ncpbench("list", kind)[0]
            for entry in everything[kind]:
                self.assertRegex(out, rf"(?m)^  {re.escape(entry['name'])} ")
                self.assertTrue(f" {entry['name']}" in screen or f"ncpbench list {kind}" in screen)

    def test_what_was_promised_is_there(self):
        everything = json.loads(self.ncpbench("list", "--format", "json")[0])
        expected = {
            "scenarios": {"heavy-stack", "arch", "beam", "piling", "incline", "wall", "bar", "cantilever", "sheet",
                          "hand-ball", "gripper", "tomato"},
            "linear-solvers": {"jacobi", "gauss-seidel", "pcg", "pcr", "minres", "cholesky"},
            "preconditioners": {"none", "jacobi", "block-jacobi"},
            "ncp-functions": {"fischer-burmeister", "minimum-map"},
            "scalings": {"identity", "time-step", "effective-mass", "effective-mass-capped"},
            "devices": {"cpu", "cuda", "emulated"},
        }
        for kind, names in expected.items():
            self.assertLessEqual(names, {entry["name"] for entry in everything[kind]}, kind)

    def test_scenarios_have_their_papers_defaults(self):
        """what is listed is what a run records that is told nothing"""
        listed = {entry["name"]: entry for entry in json.loads(self.ncpbench("list", "scenarios", "--format", "json")[0])["scenarios"]}
        for name, entry in listed.items():
            self.assertIn(f": {entry['defaults']}\n", self.ncpbench("list", "scenarios", name)[0])
        self.assertIn(f"\ndefaults of Tasora, Anitescu 2009: {listed['granular']['defaults']}\n",
                      self.ncpbench("list", "scenarios", "granular")[0])
        self.assertNotIn("paper", listed["incline"])
        for name, small in ("granular", ["--set", "count=30"]), ("disks", ["--set", "rows=2"]), ("bundles", []), ("heavy-stack", []):
            words = listed[name]["defaults"].split()
            defaults = dict(zip(words[::2], words[1::2]))
            self.ncpbench("run", name, *small, "--steps", "1", "--repeat", "0", "-o", "a.h5", "--force")
            run, = runs_of(self.path("a.h5"))
            settings = parameters_of(run)
            self.assertEqual(text(run["method"]), defaults["--method"])
            self.assertEqual(text(run["geometry"]), defaults["--geometry"])
            self.assertEqual(run["newton_iterations"], int(defaults["--newton-iterations"]))
            self.assertEqual(run["time_step"], float(defaults["--time-step"]))
            self.assertEqual(run["warm_start"], int("--warm-start" in defaults))
            for setting in "time-stepping", "friction-law":
                self.assertEqual(settings[setting], defaults["--" + setting])

    def test_a_line_each_and_all_of_one(self):
        """what names a scenario fits a terminal; its parameters come with units, defaults and ranges by its name"""
        everything = json.loads(self.ncpbench("list", "--format", "json")[0])
        lines = self.ncpbench("list", "scenarios")[0].splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]], [entry["name"] for entry in everything["scenarios"]])
        self.assertLessEqual(max(map(len, lines)), 80)
        for kind in self.kinds:
            self.assertEqual(len(self.ncpbench("list", kind)[0].splitlines()), len(everything[kind]) + 1)
        for kind in self.kinds:
            for entry in everything[kind]:
                out = self.ncpbench("list", kind, entry["name"])[0]
                shape = f" ({entry['shape']})" if "shape" in entry else ""
                units = f" [{entry['units']}]" if entry.get("units", "1") != "1" else ""
                self.assertTrue(out.startswith(f"{entry['name']}: {entry['summary']}{shape}{units}\n"), out)
                for option in entry.get("parameters", entry.get("options", [])):
                    line, = re.findall(rf"(?m)^ +{option['name']}  .*", out)
                    default = option["default"] if "choices" in option else f"{option['default']:g}"
                    self.assertRegex(line, rf"{option['name']} +{re.escape(default)} .* {re.escape(option['summary'])}$")
                    if option.get("units", "1") != "1":
                        self.assertIn(f"  {option['units']}  ", line)
                one = json.loads(self.ncpbench("list", kind, entry["name"], "--format", "json")[0])
                self.assertEqual(one, {kind: [entry]})
                if kind in ("figures", "columns", "datasets"):
                    break  # none has options
        self.assertIn("\nno options\n", self.ncpbench("list", "linear-solvers", "minres")[0])


class Values(Case):
    """impossible names and numbers: refused before anything is written"""

    def bad(self, *arguments, says=(), status=64):
        self.refused("run", "heavy-stack", "-o", "a.h5", *arguments, says=says, status=status)
        self.only()

    def has_gpu(self):
        return re.search(r"(?m)^ +cuda: an NVIDIA", self.ncpbench("info")[0])

    def test_a_preconditioner_of_another_form_is_refused(self):
        _, err = self.ncpbench("run", "soft-stack", "--steps", "1", "--form", "stiffness", "--linear-solver", "pcg", "--preconditioner",
                               "tree", "-o", "a.h5", status=64)
        self.assertIn("'tree' does not support rows of more than two nodes", err)
        self.ncpbench("run", "heavy-stack", *QUICK, "--form", "stiffness", "--linear-solver", "pcr,gmres", "--preconditioner", "tree",
                      "-o", "a.h5")

    def test_names(self):
        if not self.has_gpu():
            self.bad("--device", "cuda", says=["device cuda: "])

    def test_options_of_the_other_method(self):
        out, _ = self.ncpbench("run", "heavy-stack", "--steps", "1", "--method", "newton,interior-point", "--damping",
                               "0.75,1", "-o", "a.h5")  # newton uses it, in two runs; the other is made once
        self.assertEqual(len(out.splitlines()), 1 + 3, out)
        # what is as usual anyway hurts nobody
        self.ncpbench("run", "incline", *QUICK[:4], "--repeat", "0", "--method", "newton,interior-point", "--linear-solver", "klu", "--damping", "0.75",
                      "-o", "a.h5")

    def test_numbers(self):
        for option in ("--steps", "--time-step", "--newton-iterations", "--linear-iterations", "--threads", "--store-states",
                       "--damping"):
            for value in ("0", "-1", "nan", "inf", "1e400", "", "x", "1x", "0x", "1,", ",1", "1,,2"):
                self.bad(option, value, says=[option])
        for option in ("--newton-tolerance", "--linear-tolerance", "--regularization", "--repeat", "--warmup", "--seed",
                       "--contact-margin", "--contact-compliance", "--contact-thickness", "--friction-ratio"):
            for value in ("-1", "nan", "-inf", "1e400", "", "x"):
                self.bad(option, value, says=[option])

    def test_parameters(self):
        for volume, pressure, why in (("none", 1, "volume=none has no pressure"), ("gas", -2, "law gas with .*must be above -1"),
                                      ("quadratic", 2, "law quadratic with .*must be below 1")):
            err = self.ncpbench("run", "ball-squish", "-o", "a.h5", "--set", f"volume={volume}", "--set", f"pressure={pressure}", status=64)[1]
            self.assertRegex(err, why)


class Devices(Case):
    """runs on the emulated device: the same Newton iterations as on the processor"""

    def test_runs_agree(self):
        # no wall: where normal forces begin as round-off, the order of sums decides which of its contacts bear friction
        for scenario, solver, precision, tolerance in (("beam", "pcr", "f64", 1e-8), ("heavy-stack", "pcr", "f32", 1e-3),
                                                       ("incline", "pcr", "mixed", 1e-3), ("arch", "cholesky", "f64", 1e-6),
                                                       ("bar", "jacobi", "f64", 1e-12), ("sheet", "pcg", "mixed", 1e-5),
                                                       ("tomato", "pcr", "f64", 1e-9), ("gripper", "minres", "f32", 1e-4)):
            arguments = [scenario, "--linear-solver", solver, "--precision", precision, "--newton-iterations", "3", "--steps", "1", "--repeat", "0",
                         *(["--linear-iterations", "12"] if solver != "cholesky" else [])]
            self.ncpbench("run", *arguments, "--device", "cpu,emulated", "-o", f"{scenario}.h5")
            with h5py.File(self.path(f"{scenario}.h5")) as record:
                runs = [record["runs"][name] for name in sorted(record["runs"])]
                self.assertEqual([run.attrs["device"] for run in runs], ["cpu", "emulated"])
                mine, theirs = (run["newton/residual_l2"][:] for run in runs)
                # round-off, grown over 36 linear iterations, against the first residual
                numpy.testing.assert_allclose(theirs, mine, rtol=0, atol=tolerance * mine.max())

    def test_norms_agree(self):
        """a tolerance is met after as many iterations in every norm; whole steps know that of the recurrences alone"""
        arguments = ["incline", "--steps", "1", "--settle", "2", "--repeat", "0", "--newton-iterations", "2", "--linear-iterations", "500",
                     "--linear-tolerance", "1e-3"]
        self.ncpbench("run", *arguments, "--linear-solver", "pcg,pcr,minres,jacobi,gauss-seidel", "--preconditioner", "jacobi",
                      "--linear-norm", "true,preconditioned,natural", "--device", "cpu,emulated", "-o", "norms.h5")
        with h5py.File(self.path("norms.h5")) as record:
            iterations = {}
            for run in record["runs"].values():
                name = run.attrs["linear_solver"], run.attrs["linear_norm"]
                iterations.setdefault(name, []).append(run["newton/linear_iterations"][0, :2])
                if name[1] == "true":
                    self.assertLessEqual(run["newton/linear_residual"][0, :2].max(), 1e-3 * (1 + 1e-6))
            self.assertEqual(len(iterations), 15)
            for (mine, theirs) in iterations.values():
                numpy.testing.assert_allclose(theirs, mine, rtol=0, atol=1)  # sums in another order, at the tolerance
        self.assertIn("--linear-norm natural", self.refused("run", *arguments, "--device", "emulated", "--whole-steps", "on", "-o", "a.h5"))
        self.ncpbench("run", *arguments, "--device", "emulated", "--whole-steps", "on", "--linear-norm", "natural", "-o", "a.h5")

    def test_sweeps_go_in_colours(self):
        options = ["--linear-iterations", "12", "--newton-iterations", "3", "--steps", "1", "--repeat", "0"]
        for choice, order in ((["--linear-solver", "gauss-seidel"], "--solver-option"),
                              (["--linear-solver", "pcr", "--preconditioner", "ssor"], "--preconditioner-option")):
            for name, rest in (("natural", []), ("colour", [order, "order=colour"]), ("device", ["--device", "emulated"])):
                self.ncpbench("run", "beam", *choice, *options, *rest, "-o", f"{name}.h5")
            records = {}
            for name in ("natural", "colour", "device"):
                with h5py.File(self.path(f"{name}.h5")) as record:
                    run = record["runs/0000"]
                    solved = numpy.isfinite(run["newton/colours"][...])
                    self.assertTrue(solved.any())
                    records[name] = run["newton/residual_l2"][...], run["newton/colours"][...][solved]
            self.assertTrue((records["natural"][1] == 0).all())
            self.assertTrue((records["colour"][1] > 1).all())
            numpy.testing.assert_array_equal(records["device"][1], records["colour"][1])
            colour, device = records["colour"][0], records["device"][0]
            numpy.testing.assert_allclose(device, colour, rtol=0, atol=1e-8 * numpy.nanmax(colour))
            out, err = self.ncpbench("run", "beam", *choice, *options, order, "order=natural", "--device", "emulated", "-o", "a.h5",
                                     status=64)
            self.assertIn("order=colour", err)

    def test_whole_steps_agree(self):
        sweeps = ["--linear-solver", "gauss-seidel", "--solver-option", "order=colour"]
        for scenario, options, precision, tolerance in (("heavy-stack", ["--set", "count=3"], "f64", 1e-8),
                                                        ("heavy-stack", ["--set", "count=4", *sweeps], "f64", 1e-8),
                                                        ("beam", ["--set", "count=5"], "f64", 1e-8),
                                                        ("piling", ["--size", "4", "--islands", "on"], "f32", 1e-3)):
            arguments = [scenario, *options, "--precision", precision, "--linear-iterations", "8", "--newton-iterations", "3",
                         "--steps", "2", "--repeat", "0"]
            self.ncpbench("run", *arguments, "-o", "cpu.h5")
            self.ncpbench("run", *arguments, "--device", "emulated", "--whole-steps", "on", "-o", "whole.h5")
            with h5py.File(self.path("cpu.h5")) as mine, h5py.File(self.path("whole.h5")) as whole:
                self.assertEqual([run["runs/0000"].attrs["whole_steps"] for run in (mine, whole)], [0, 1])
                for name in ("newton/natural_map_error", "newton/residual_l2", "newton/step_linf", "steps/natural_map_error"):
                    a, b = mine[f"runs/0000/{name}"][...], whole[f"runs/0000/{name}"][...]
                    self.assertEqual(a.shape, b.shape)
                    numpy.testing.assert_allclose(b, a, rtol=0, atol=tolerance * numpy.nanmax(a), err_msg=name)
                for name in ("newton/linear_iterations", "steps/newton_iterations", "newton/count"):
                    numpy.testing.assert_array_equal(whole[f"runs/0000/{name}"][...], mine[f"runs/0000/{name}"][...])

    def test_whole_steps_that_are_not_offered(self):
        whole = ["run", "arch", "--whole-steps", "on", "-o", "a.h5"]
        out, err = self.ncpbench("run", "tomato", *whole[2:], "--device", "emulated", status=64)
        self.assertRegex(err, r"ncpbench: --whole-steps does not support particles\n\Z")
        out, err = self.ncpbench("run", "wall", "--size", "9", "--whole-steps", "on", "--device", "emulated", "-o", "a.h5", status=64)
        self.assertIn("one block", err) # known as the step begins
        self.only()

    def test_islands_agree(self):
        self.ncpbench("run", "piling", "--islands", "on", "--linear-iterations", "8", "--newton-iterations", "2", "--steps", "2",
                      "--repeat", "0", "--device", "cpu,emulated", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            mine, theirs = (record["runs"][name]["newton/residual_l2"][:] for name in sorted(record["runs"]))
        numpy.testing.assert_allclose(theirs, mine, rtol=1e-6)

    def test_islands_beside_elements(self):
        # islands without elements have a K that is zero
        self.ncpbench("run", "tomato", "--islands", "on", "--linear-iterations", "8", "--newton-iterations", "2", "--steps", "1",
                      "--repeat", "0", "--device", "cpu,emulated", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            mine, theirs = (record["runs"][name]["newton/residual_l2"][:] for name in sorted(record["runs"]))
        numpy.testing.assert_allclose(theirs, mine, rtol=0, atol=1e-9 * mine.max())

    def test_problem_files_are_refused(self):
        with open(self.path("a.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n")
        self.refused("solve", "a.mtx", "--device", "emulated", "-o", "a.h5", says=["device emulated", "does not support problem files"])


class DeviceFaults(Case):
    """bad luck on a device: one line, the right status, and what was finished is kept"""
    LOST = r"\Ancpbench: [^\n]*device emulated: it was lost\n(\d+ of \d+ steps[^\n]* end with penetration [^\n]*\n)?\Z"

    def fails(self, wish, *arguments, status=3):
        program = os.environ.get("NB_TEST_DEVICE_FAULTS")
        if not program:
            self.skipTest("NB_TEST_DEVICE_FAULTS names no program")
        done = subprocess.run([program, *arguments], cwd=self.folder.name, capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "NB_TEST_DEVICE_FAULT": wish})
        self.assertEqual(done.returncode, status, done.stderr)
        # progress and what became of the record have lines of their own
        told = [line for line in done.stderr.splitlines(True)
                if not re.match(r"\[\d+/\d+\] |no run was finished; |.* holds the |nothing was recorded; |the earlier ", line)]
        return done.stdout, "".join(told)

    def finished(self, name):
        with h5py.File(self.path(name)) as record:
            self.assertTrue(all(run.attrs["finished"] == 1 for run in record["runs"].values()))
            return [text(run.attrs["scenario"]) for run in record["runs"].values()]

    SCENES = ["run", "heavy-stack,incline", "--steps", "2", "--newton-iterations", "2", "--linear-iterations", "4", "--repeat", "0",
              "--device", "emulated"]

    def test_a_lost_device_keeps_the_runs_before(self):
        # the first run takes two launches of whole steps, the second is lost in its second step
        out, err = self.fails("lost:3", *self.SCENES, "--whole-steps", "on", "-o", "a.h5")
        self.assertRegex(err, self.LOST)
        self.assertIn("incline", err)
        self.assertEqual(self.finished("a.h5"), ["heavy-stack"])
        before = self.bytes_of("a.h5")
        out, err = self.fails("lost:0", *self.SCENES[:1], "arch", *self.SCENES[2:], "-o", "a.h5") # passes: the first launch
        self.assertRegex(err, self.LOST)
        self.assertEqual(self.bytes_of("a.h5"), before)
        self.only("a.h5")

    def test_a_device_lost_in_a_batch(self):
        out, err = self.fails("lost:7", *self.SCENES, "--whole-steps", "on", "--batch", "3", "-o", "a.h5") # 4 a run
        self.assertRegex(err, self.LOST)
        self.assertEqual(self.finished("a.h5"), ["heavy-stack"])

    def test_a_device_without_memory(self):
        out, err = self.fails("memory:2", *self.SCENES, "--whole-steps", "on", "-o", "a.h5")
        self.assertRegex(err, r"\Ancpbench: [^\n]*device emulated: not enough memory for \d+ bytes\n\Z")
        self.assertEqual(self.finished("a.h5"), ["heavy-stack"])
        self.fails("memory:0", *self.SCENES, "-o", "b.h5")
        # as after any lack of memory, a checkpoint waits for --resume
        self.only("a.h5", "a.h5.checkpoint", "b.h5.checkpoint")

    def test_an_architecture_that_is_too_old(self):
        out, err = self.fails("architecture", *self.SCENES, "-o", "a.h5", status=64)
        self.assertRegex(err, r"\Ancpbench: [^\n]*device emulated: its architecture is 70[^\n]*\n\Z")
        self.only()

    def test_timings_are_kept(self):
        arguments = ["bench", "island,pcr", "--precision", "f64", "--contacts", "100", "--device", "emulated"]
        out, err = self.fails("lost:20", *arguments, "-o", "a.h5") # 16 launches of the island kernel
        self.assertRegex(err, r"device emulated: it was lost\n\Z")
        self.assertEqual([line.split("\t")[0] for line in out.splitlines()], ["kernel", "island", "island:wall"])
        with h5py.File(self.path("a.h5")) as record:
            self.assertEqual([text(kernel) for kernel in record["bench/kernel"]], ["island", "island:wall"])


class ParameterGrid(Case):
    def test_settled_once(self):
        """runs that begin alike are settled once in a process, to the same bits as each by itself"""
        options = ["--set", "count=60", "--settle", "45", "--steps", "1", "--newton-iterations", "2", "--linear-iterations", "5", "--method", "newton"]
        solvers, seconds, alone = ["pcr", "gauss-seidel", "pcg", "jacobi"], [], {}
        for words in [*solvers, ",".join(solvers)]:
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.ncpbench("run", "piling", *options, "--linear-solver", words, "--repeat", "1", "-o", "a.h5", "--force")
            seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
            with h5py.File(self.path("a.h5")) as record:
                made = {text(run.attrs["linear_solver"]): (run["final/q"][...].tobytes(), run["final/u"][...].tobytes(), run.attrs["settle_error"])
                        for run in record["runs"].values()}
            if words in solvers:
                alone.update(made)
            else:
                self.assertEqual(made, alone)
        self.assertEqual(len(set(made.values())), 4)
        self.assertLess(seconds[4], 0.6 * sum(seconds[:4]))

    def test_cross_product(self):
        out, err = self.ncpbench("run", "heavy-stack,incline", "--linear-solver", "pcr,pcg", "--precision", "f32,f64",
                                 "--set", "mu=0.4,0.5", "-o", "a.h5", "--title", "a 'title'", *QUICK)
        runs = runs_of(self.path("a.h5"))
        self.assertEqual(len(runs), 16)
        seen = {(text(r["scenario"]), text(r["linear_solver"]), text(r["precision"]), r["scene.mu"])
                for r in runs}
        self.assertEqual(seen, {(s, l, p, m) for s in ("heavy-stack", "incline") for l in ("pcr", "pcg")
                                for p in ("f32", "f64") for m in (0.4, 0.5)})
        self.assertEqual(len(out.splitlines()), 1 + 16)
        self.assertEqual(len({len(line.rstrip()[:40]) for line in out.splitlines()}), 1)
        self.assertIn("[16/16]", err)
        with h5py.File(self.path("a.h5")) as record:
            self.assertEqual(text(record.attrs["title"]), "a 'title'")
            command = text(record.attrs["command"])
        self.assertTrue(command.startswith("ncpbench run heavy-stack,incline --linear-solver pcr,pcg"), command)
        self.assertIn("'a '\\''title'\\'''", command)
        self.only("a.h5")

    def test_every_option_is_taken_and_recorded(self):
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", "--steps", "3", "--time-step", "0.005", "--newton-iterations", "4",
                      "--linear-iterations", "7", "--ncp", "minimum-map", "--scaling", "effective-mass", "--damping", "0.5",
                      "--warm-start", "on", "--regularization", "1e-5", "--seed", "7", "--row-scaling", "symmetric",
                      "--geometry", "frozen", "--preconditioner", "none", "--linear-solver", "jacobi",
                      "--solver-option", "variant=l1", "--linear-history", "off", "--store-states", "1", "--size", "3")
        run, = runs_of(self.path("a.h5"))
        expected = {"scenario": "heavy-stack", "time_step": 0.005, "newton_iterations": 4, "linear_iterations": 7,
                    "method.ncp": "minimum-map", "method.scaling": "effective-mass", "method.damping": 0.5, "method.regularization": 1e-5, "seed": 7,
                    "geometry": "frozen", "linear_solver": "jacobi", "warm_start": 1}
        for name, value in expected.items():
            actual = text(run[name]) if isinstance(value, str) else run[name]
            self.assertEqual(actual, value, name)
        self.assertEqual(text(run["linear-solver.variant"]), "l1")
        with h5py.File(self.path("a.h5")) as record:
            self.assertEqual(len(record["runs/0000/steps/contacts"]), 3)

    def test_what_a_run_does_not_use_makes_no_other_run(self):
        """made once, and named as what ran"""
        out, err = self.ncpbench("run", "heavy-stack", "--linear-solver", "jacobi,cholesky,pcr", "--preconditioner",
                                 "none,jacobi,ssor", "--linear-iterations", "5,6", "--steps", "1", "--repeat", "0", "-o", "a.h5")
        runs = runs_of(self.path("a.h5"))
        self.assertEqual([(text(r["linear_solver"]), text(r["preconditioner"])) for r in runs],
                         2 * [("jacobi", "none")] + [("cholesky", "none")] +
                         [("pcr", p) for p in ("none", "jacobi", "ssor") for _ in range(2)])
        self.assertEqual([r["linear_iterations"] for r in runs if text(r["linear_solver"]) == "jacobi"], [5, 6])
        self.assertFalse([name for r in runs[:3] for name in r if name.startswith("preconditioner.")])
        self.assertTrue(err.startswith("18 combinations are 9 runs: preconditioner means nothing to jacobi, cholesky; "
                                       "linear-iterations means nothing to cholesky\n"), err)
        self.assertIn("heavy-stack, linear-solver cholesky: ", err)
        for options, count in ((["--damping", "0.5,1", "--line-search", "none,backtracking"], 3),
                               (["--regularization", "0,1e-6", "--regularization-kind", "relative,absolute"], 3),
                               (["--batch", "1,2", "--batch-perturbation", "0.1,0.2"], 3),
                               (["--friction-ratio", "0.5,1", "--friction-direction", "0.2,0.3"], 3),
                               (["--method", "newton,interior-point", "--scaling", "identity,time-step"], 3),
                               (["--linear-solver", "jacobi,pcr", "--preconditioner", "none,ssor"], 3),
                               (["--damping", "0.1234567,0.1234568"], 2)): # numbers count to the last digit
            _, err = self.ncpbench("run", "heavy-stack", *options, *QUICK, "-o", "b.h5")
            self.assertEqual(len(runs_of(self.path("b.h5"))), count, options)
            self.assertEqual("combinations are" in err, count == 3, err)

    def test_an_option_without_effect_is_refused(self):
        """what another setting, the method or the solver leaves so; in a sweep where it acts in some runs it is named; what asks for
        nothing is taken"""
        quick = [*QUICK[:4], "--repeat", "0"]
        for options in ([], ["--friction-ratio", "0.5", "--friction-direction", "0.3"], ["--friction-law", "polyhedral", "--method", "pgs", "--facets", "4"],
                        ["--method", "smoothed", "--static-mu", "0.6", "--stribeck-velocity", "0.1"], ["--lead-exact", "off", "--friction-direction", "0"],
                        ["--method", "psor", "--linear-history", "off", "--time-stepping", "tasora", "--geometry", "frozen"]):
            self.assertNotIn("no effect", self.ncpbench("run", "incline", *options, *quick, "-o", "a.h5", "--force")[1], options)
        for options, says in ((["--method", "smoothed,newton", "--damping", "0.5"], "--damping has no effect with smoothed"),
                              (["--method", "psor,newton", "--linear-iterations", "5"], "--linear-iterations has no effect with psor"),
                              (["--linear-solver", "cholesky,pcr", "--linear-iterations", "5"], "--linear-iterations has no effect with cholesky")):
            _, err = self.ncpbench("run", "incline", *options, *quick, "-o", "a.h5", "--force")
            self.assertTrue(err.startswith(says + "\n"), err)

    def test_words_of_records_are_taken(self):
        """what stands for no number in a record is a value of the option"""
        words = {"contact-margin": "scenario", "verify-contacts": "off", "recovery-speed": "any", "active-set": "all"}
        self.ncpbench("run", "incline", "--time-stepping", "tasora", *QUICK, "-o", "a.h5")
        self.ncpbench("run", "incline", "--time-stepping", "tasora", *[word for name, value in words.items() for word in ("--" + name, value)],
                      *QUICK, "-o", "b.h5")
        runs = [parameters_of(runs_of(self.path(name))[0]) for name in ("a.h5", "b.h5")]
        self.assertEqual(runs[0], runs[1])
        for name, word in words.items():
            self.assertEqual(runs[0][name], word)

    def test_options_apply_to_those_in_a_list_that_have_them(self):
        """of scenarios, solvers, preconditioners and methods; what none has is refused"""
        def parameters(*arguments):
            self.out, self.err = self.ncpbench("run", *arguments, *QUICK, "-o", "a.h5", "--force")
            return [(text(r["scenario"]), text(r["linear_solver"]), text(r["preconditioner"]), parameters_of(r)) for r in runs_of(self.path("a.h5"))]
        found = parameters("incline", "--linear-solver", "pcr,jacobi,gauss-seidel", "--solver-option", "variant=l1,plain")
        self.assertEqual([(solver, p.get("linear-solver.variant")) for _, solver, _, p in found],
                         [("pcr", None), ("jacobi", "l1"), ("jacobi", "plain"), ("gauss-seidel", None)])
        self.assertTrue(self.err.startswith("6 combinations are 4 runs: solver-option variant means nothing to pcr, gauss-seidel\n"), self.err)
        self.assertRegex(self.out, r"(?m)^incline +pcr +jacobi +-  ")
        self.assertIn("incline, linear-solver pcr, preconditioner jacobi: ", self.err)
        found = parameters("incline", "--linear-solver", "pcg,cholesky", "--preconditioner", "jacobi,ssor", "--preconditioner-option", "omega=1.2")
        self.assertEqual([(solver, name, p.get("preconditioner.omega")) for _, solver, name, p in found],
                         [("pcg", "jacobi", None), ("pcg", "ssor", 1.2), ("cholesky", "none", None)])
        found = parameters("incline,arch,heavy-stack", "--set", "angle=0.1", "--set", "mu=0.3", "--size", "4")
        self.assertEqual([(p.get("angle"), p["mu"], p.get("count")) for _, _, _, p in found], [(0.1, 0.3, None), (None, 0.3, 4), (None, 0.3, 4)])
        # what a method takes where nothing is named counts, too
        found = parameters("incline", "--method", "newton,interior-point", "--preconditioner-option", "shift=1e-9")
        self.assertEqual(sum(p.get("preconditioner.shift") == 1e-9 for *_, p in found), 1, found)
        # and so does the method of a scenario's paper: psor, which takes no solver, and has omega
        found = parameters("granular,arch", "--set", "count=20", "--omega", "1.2", "--linear-solver", "pcg", "--preconditioner", "ssor", "--limits", "on")
        self.assertEqual([(scene, solver, p.get("method.omega")) for scene, solver, _, p in found], [("granular", "none", 1.2), ("arch", "pcg", None)])

    def test_repeats_and_warm_up(self):
        self.ncpbench("run", "heavy-stack", "--precision", "f64,f32", "-o", "a.h5", *QUICK,
                      "--repeat", "3", "--warmup", "1")
        with h5py.File(self.path("a.h5")) as record:
            for name in ("0000", "0001"):
                times = record[f"runs/{name}/repeats/solve_s"][...]
                self.assertEqual(times.shape, (3, 2))
                self.assertTrue((times >= 0).all())

    def test_repetitions_are_interleaved_in_a_recorded_random_order(self):
        orders = []
        for seed in ("1", "1", "2"):
            self.ncpbench("run", "heavy-stack", "--precision", "f64,f32", "--damping", "0.5,0.6,0.75", "--seed", seed,
                          "-o", "a.h5", *QUICK, "--repeat", "4")
            with h5py.File(self.path("a.h5")) as record:
                orders.append(numpy.array([run["repeats/order"][...] for run in record["runs"].values()]))
        for order in orders:
            self.assertEqual(order.shape, (6, 4))
            for r in range(4):  # round r is made of the places 6 r ... 6 r + 5
                self.assertEqual(sorted(order[:, r]), list(range(6 * r, 6 * r + 6)))
        self.assertTrue((orders[0] == orders[1]).all())
        self.assertFalse((orders[0] == orders[2]).all())
        self.assertFalse((orders[0][:, 0] == orders[0][:, 1] - 6).all())

    def test_added_runs_have_their_own_provenance(self):
        """runs of another processor and another command in one record: each says its own, and a comparison warns"""
        self.ncpbench("run", "heavy-stack", "--linear-solver", "pcr", *QUICK, "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+") as record:
            record["provenance"].attrs["cpu_model"] = numpy.bytes_("an abacus")
            del record["provenance"].attrs["texts_checksum"]
        self.ncpbench("run", "heavy-stack", "--linear-solver", "pcg", *QUICK, "--append", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            self.assertEqual([run.attrs["provenance"] for run in record["runs"].values()], [0, 1])
            self.assertEqual(text(record["provenance"].attrs["cpu_model"]), "an abacus")
            own = dict(record["provenance/0001"].attrs)
            self.assertNotEqual(text(own["cpu_model"]), "an abacus")
            self.assertIn("--linear-solver pcg", text(own["command"]))
        _, err = self.ncpbench("compare", "a.h5", "--by", "linear-solver")
        self.assertIn("warning: cpu_model differs: an abacus; ", err)
        _, err = self.ncpbench("compare", "a.h5", "a.h5")
        self.assertNotIn("differs", err)
        self.ncpbench("report", "a.h5", "-o", "a.html")
        page = self.bytes_of("a.html").decode()
        self.assertIn("<h3>Runs 0</h3>", page)
        self.assertIn("<h3>Runs 1</h3>", page)
        with h5py.File(self.path("a.h5"), "r+") as record:
            record["runs/0001"].attrs["provenance"] = numpy.int32(2)
        self.refused("check", "a.h5", status=3, says=["run 1", "provenance 2"])

    def test_append_and_replace(self):
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", *QUICK)
        self.ncpbench("run", "heavy-stack", "--precision", "f64,f32", "--damping", "0.5", "-o", "a.h5", "--append", *QUICK)
        self.assertEqual([(text(r["precision"]), r["method.damping"]) for r in runs_of(self.path("a.h5"))],
                         [("f64", 0.75), ("f64", 0.5), ("f32", 0.5)])
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", "--force", *QUICK)
        self.assertEqual(len(runs_of(self.path("a.h5"))), 1)
        self.only("a.h5")

    def test_tolerance_that_is_not_met_is_status_1(self):
        out, err = self.ncpbench("run", "heavy-stack", "-o", "a.h5", "--newton-tolerance", "1e-300", *QUICK, status=1)
        self.assertIn("not converged", out)
        self.assertEqual(len(runs_of(self.path("a.h5"))), 1)
        self.ncpbench("run", "heavy-stack", "-o", "b.h5", "--newton-tolerance", "1e6", *QUICK)

    def test_smoothed_follows_the_potential_where_residuals_lead_nowhere(self):
        # cloth that folds: the residual has least points that are no solutions, with lagged friction, too
        err = self.ncpbench("run", "tube-cloth", "--set", "around=4", "--set", "sections=4", "--set", "compression=1e-6", "--friction-coupling", "lagged",
                            "--linear-solver", "multifrontal", "--time-step", "0.03", "--steps", "5", "--linear-history", "off", "--repeat", "0", "-o", "a.h5")[1]
        self.assertNotIn("not converged", err)

    def test_the_last_line_counts_unsolved_steps(self):
        words = ["run", "-o", "a.h5", "--force", "--repeat", "0"]
        out, err = self.ncpbench("run", "incline", "--method", "smoothed", "--steps", "2", "--newton-iterations", "2", "-o", "s.h5")
        self.assertRegex(err, r"\n2 of 2 steps not converged to --residual-tolerance 1e-09 m/s \(.*\); use more --newton-iterations\n\Z")
        # one that ends by residuals of its own is held against these, whatever the natural map is
        own = ["run", "heavy-stack", "--method", "admm", "--preset", "siconos", "--stop", "own", "--steps", "2", "--repeat", "0", "-o", "o.h5", "--force"]
        err = self.ncpbench(*own, "--own-tolerance", "1e-12", "--newton-iterations", "5")[1]
        self.assertRegex(err, r"\n2 of 2 steps not converged to --own-tolerance 1e-12 \(natural map up to \S+ m/s\); use more --newton-iterations\n\Z")
        err = self.ncpbench(*own, "--own-tolerance", "1e-2")[1]
        self.assertNotIn("not converged", err)
        told = r"\A(\d+) of (\d+) steps(?: in (\d+) of (\d+) runs)? not converged to (\S+) m/s \(natural map up to (\S+) m/s\); (.*)\Z"
        out, err = self.ncpbench(*words, "arch", "--steps", "3", "--newton-iterations", "2")
        found = re.match(told, err.splitlines()[-1])
        self.assertEqual(found.groups()[:5], ("3", "3", None, None, "1e-06"))
        self.assertIn("--finish exact", found[7])
        err = self.ncpbench("run", "arch", "--steps", "1", "--newton-iterations", "1", "--finish", "exact", "-o", "f.h5", "--repeat", "0")[1]
        self.assertRegex(re.match(told, err.splitlines()[-1])[7], r"\Ause --method auto", "what the run had is no advice")
        # blocks near the threshold of friction, whose limits do not settle from iteration to iteration
        self.assertNotIn("not converged", self.ncpbench("run", "bowl", "--method", "newton", "--finish", "exact", "--steps", "5", "-o", "b.h5")[1])
        with h5py.File(self.path("a.h5")) as record:
            self.assertAlmostEqual(float(found[6]) / record["runs/0000/steps/natural_map_error"][...].max(), 1, 1)
        self.assertRegex(found[7], "--method auto")
        # what it names does; a tolerance is that of the line
        out, err = self.ncpbench(*words, "arch", "--steps", "3", "--method", "auto")
        self.assertNotIn("not converged", err)
        out, err = self.ncpbench(*words, "arch", "--steps", "3", "--newton-iterations", "2", "--newton-tolerance", "1e3")
        self.assertNotIn("not converged", err)
        out, err = self.ncpbench(*words, "arch,incline", "--steps", "3", "--newton-tolerance", "1e-4", "--newton-iterations", "2,60",
                                 "--linear-solver", "cholesky", status=1)
        found = re.match(told, err.splitlines()[-1])
        self.assertEqual(found.groups()[1:5], ("12", found[3], "4", "0.0001"))
        self.assertIn(found[3], ("1", "2"))
        # a method without its law is not named
        out, err = self.ncpbench(*words, "disks", "--steps", "5", "--method", "pgs", "--newton-iterations", "2")
        self.assertRegex(re.match(told, err.splitlines()[-1])[7], "more --newton-iterations")

    def test_more_iterations_are_not_advised_where_they_are_of_no_use(self):
        words = ["run", "jammed-box", "--method", "auto", "--repeat", "0", "-o", "a.h5", "--force"]
        self.assertRegex(self.ncpbench(*words)[1], "; infeasible: .* keep bodies in penetration; separate them at the start\n\\Z")
        smoothed = self.ncpbench("run", "drop", "--newton-tolerance", "1e-12", "--repeat", "0", "-o", "b.h5", status=1)[1]
        self.assertRegex(smoothed, r"; iterations stagnated at the smoothing: use a smaller --rho\n\Z")
        err = self.ncpbench(*words, "--friction-law", "relaxed", "--newton-tolerance", "1e-8", status=1)[1]
        self.assertRegex(err, "; infeasible: .* keep bodies in penetration; separate them at the start\n\\Z")

    def test_a_wedged_body_is_said_to_be(self):
        """a jammed box near its friction angle is wedged; so is a sphere between two walls that lean by 0.3 rad and overlap it by 10 um, which
        sticks to both (atan 0.7 is 0.61 rad) and is proved to: another falls beside"""
        box, ball = {"kind": "fixed", "shape": 1, "friction": 0.7}, {"shape": 0, "mass_kg": 1, "inertia_kg_m2": [0.004] * 3, "friction": 0.7}
        far = 0.1 + 0.5 - 1e-5
        walls = [{**box, "position_m": [side * far * math.cos(0.3), 0, 1 - far * math.sin(0.3)],
                  "orientation_wxyz": [math.cos(side * 0.15), 0, math.sin(side * 0.15), 0]} for side in (-1, 1)]
        scene = {"time_step_s": 0.01, "shapes": [{"kind": "sphere", "radius_m": 0.1}, {"kind": "box", "half_sizes_m": [0.5] * 3}],
                 "bodies": [*walls, {**ball, "position_m": [0, 0, 1]}, {**box, "position_m": [5, 0, 0]},
                            {**ball, "position_m": [5, 0, 0.6], "velocity_m_s": [0.3, 0.1, -1]}]}
        with open(self.path("pinched.json"), "w") as file:
            json.dump(scene, file)
        out, err = self.ncpbench("run", "pinched.json", "--method", "auto", "--steps", "1", "--newton-tolerance", "1e-8", "--repeat", "0", "-o", "a.h5", status=1)
        self.assertRegex(out, "infeasible, not converged")
        out, err = self.ncpbench("run", "jammed-box", "--set", "mu=0.31", "--method", "auto", "--steps", "1", "--newton-tolerance", "1e-8", "--repeat", "0",
                                 "-o", "a.h5", "--force", status=1)
        self.assertRegex(out, "wedged, not converged")
        self.assertRegex(err, "; bodies are wedged between contacts that stick, and may have no solution; use a smaller --time-step\n\\Z")

    def test_wall_time_is_that_of_the_recorded_steps(self):
        """one recorded step after 300 that settle the scene: a small part of what the command takes"""
        begin = time.monotonic()
        self.ncpbench("run", "arch", "--settle", "300", "--steps", "1", "--newton-iterations", "2", "--repeat", "0", "-o", "a.h5")
        elapsed = time.monotonic() - begin
        with h5py.File(self.path("a.h5")) as record:
            run = record["runs/0000"]
            self.assertGreater(run.attrs["wall_s"], run["steps/step_s"][0])
            self.assertLess(run.attrs["wall_s"], 0.3 * elapsed)


class Batches(Case):
    """copies of a scene, made at once"""

    def test_a_batch(self):
        out, err = self.ncpbench("run", "arch", "--steps", "3", "--batch", "1,5", "--threads", "2", "--repeat", "2", "-o", "b.h5")
        self.assertRegex(out.splitlines()[0], r"batch .* copies +worst map \[m/s\] +to 1e-4 \[%\] +to 1e-6 \[%\] +steps/s$")
        with h5py.File(self.path("b.h5")) as record:
            alone, batch = (record["runs"][name] for name in sorted(record["runs"]))
            self.assertNotIn("batch", alone)
            copies = batch["batch"]
            self.assertEqual(copies["natural_map_error"].shape, (5, 3))
            self.assertEqual(copies["natural_map_error"].dims[0][0].name, "/runs/0001/batch/scene")
            for name in ("natural_map_error", "contacts", "operator_applications", "kinetic_energy"):
                numpy.testing.assert_array_equal(copies[name][0], alone["steps"][name][...])
                self.assertTrue(copies[name].attrs["long_name"])
            self.assertEqual(len(numpy.unique(copies["potential_energy"][:, 2])), 5)
            self.assertEqual(copies["pass_s"].shape, (3,))
            self.assertEqual(batch.attrs["batch"], 5)
            rate = f"{15 / numpy.median(copies['pass_s'][1:]):.4g}"
            self.assertEqual(out.splitlines()[2].split()[-1], rate)
            failed = copies["failed_checks"][...]
            self.assertEqual(failed.sum(), copies["failed_scenes"][...].sum())
        out, err = self.ncpbench("check", "b.h5", status=2)
        self.assertRegex(out, r"FAILED in \d of 5 copies, worst in copy \d")

    def test_threads_do_not_change_orderings(self):
        # 400 bodies: ordered by METIS, whose random numbers are the process's
        arguments = ["run", "wall", "--set", "width=20", "--set", "height=20", "--steps", "1", "--method", "interior-point",
                     "--newton-iterations", "2", "--batch", "4", "--batch-perturbation", "1e-4", "--repeat", "0", "--linear-history", "off"]
        errors = []
        for threads in "1", "4":
            self.ncpbench(*arguments, "--threads", threads, "-o", "b.h5")
            with h5py.File(self.path("b.h5")) as record:
                errors.append(record["runs/0000/batch/natural_map_error"][...])
        numpy.testing.assert_array_equal(*errors)

    def test_a_batch_of_whole_steps(self):
        arguments = ["run", "heavy-stack", "--steps", "2", "--newton-iterations", "3", "--linear-iterations", "8", "--batch", "4"]
        self.ncpbench(*arguments, "-o", "cpu.h5")
        self.ncpbench(*arguments, "--threads", "2", "--device", "emulated", "--whole-steps", "on", "-o", "device.h5")
        with h5py.File(self.path("cpu.h5")) as mine, h5py.File(self.path("device.h5")) as theirs:
            a, b = (record["runs/0000/batch"] for record in (mine, theirs))
            self.assertEqual(set(a), set(b))
            for name in ("contacts", "reason", "newton_iterations", "failed_checks", "failed_scenes"):
                numpy.testing.assert_array_equal(a[name][...], b[name][...], err_msg=name)
            for name in ("natural_map_error", "kinetic_energy", "potential_energy"):
                # round-off, grown over six iterations
                numpy.testing.assert_allclose(b[name][...], a[name][...], rtol=0, atol=1e-10 * a[name][...].max(), err_msg=name)
            self.assertTrue(numpy.isnan(a["device_work_s"][...]).all() and (b["device_work_s"][...] > 0).all())

    def test_copies_that_fail_are_named_and_the_others_kept(self):
        # as many contacts as a block takes, or some more, as the copies are shaken
        out, err = self.ncpbench("run", "piling", "--set", "shape=box", "--set", "spacing=0", "--set", "tilt=0", "--set", "yaw=0",
                                 "--set", "stagger=0.5", "--set", "count=28", "--steps", "2", "--batch", "8", "--batch-perturbation",
                                 "0.02", "--device", "emulated", "--whole-steps", "on", "--newton-iterations", "2",
                                 "--linear-iterations", "4", "--repeat", "0", "-o", "b.h5", status=1)
        with h5py.File(self.path("b.h5")) as record:
            batch = record["runs/0000/batch"]
            failed = dict(zip(batch["fault_scene"][...].tolist(), batch["fault_step"][...].tolist()))
            self.assertTrue(0 < len(failed) < 8 and 0 not in failed)
            for copy in range(8):
                made = numpy.isfinite(batch["kinetic_energy"][copy]).tolist()
                self.assertEqual(made, [step < failed.get(copy, 2) for step in range(2)])
                self.assertEqual(numpy.isfinite(batch["max_penetration"][copy]).tolist(), made)
            for fault in batch["fault"]:
                self.assertIn("one block of threads takes 256", text(fault))
        lines = [line for line in err.splitlines() if line.startswith("ncpbench: ")]
        self.assertEqual([re.search(r"copy (\d+) of the batch, step (\d+): ", line).groups() for line in lines],
                         [(str(copy), str(step)) for copy, step in sorted(failed.items())])
        self.assertIn(f"{len(failed)} copies failed", out)


class Compare(Case):
    GRID = ["run", "heavy-stack", "--linear-solver", "pcr,gauss-seidel", *QUICK[:-2], "--repeat", "5"]

    def test_a_record_with_itself(self):
        self.ncpbench(*self.GRID, "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+") as record:  # what the machine is like just now
            record["provenance"].attrs["warnings"] = numpy.bytes_("the moon was full")
            del record["provenance"].attrs["texts_checksum"]
        out, err = self.ncpbench("compare", "a.h5", "a.h5", "--format", "json")
        self.assertEqual(err, "warning: timings of both records: the moon was full\n")
        runs = json.loads(out)["runs"]
        self.assertEqual([run["run"] for run in runs],
                         ["heavy-stack, linear_solver pcr", "heavy-stack, linear_solver gauss-seidel"])
        with h5py.File(self.path("a.h5")) as record:
            seconds = record["runs/0000/repeats/step_s"][...].sum(axis=1)
            run = record["runs/0000"]
            iterations = numpy.nansum(run["newton/linear_iterations"][...])
            solves = numpy.sum(numpy.isfinite(run["newton/linear_iterations"][...]))
            axes = ["step", "newton", "iteration"]
            for kind in ("steps", "newton", "linear"):
                for name, data in run[kind].items():
                    if name not in axes:
                        self.assertEqual([scale.name.split("/")[-1] for axis in data.dims for scale in axis.values()],
                                         axes[:data.ndim], f"{kind}/{name}")
            work = run["newton/operator_applications"][...]
            self.assertEqual(numpy.nansum(work), iterations + solves)  # PCR makes one product at its start
            numpy.testing.assert_array_equal(numpy.nansum(work, axis=1), run["steps/operator_applications"][...])
        self.assertAlmostEqual(runs[0]["a"]["seconds"]["value"], numpy.median(seconds), delta=1e-12)
        self.assertEqual(runs[0]["a"]["linear_iterations"], iterations)
        self.assertEqual(runs[0]["a"]["operator_applications"], iterations + solves)
        for run in runs:
            self.assertEqual((run["in"], run["time_ratio"]["value"]), ("both", 1))
            self.assertLessEqual(run["time_ratio"]["low"], 1)
            self.assertGreaterEqual(run["time_ratio"]["high"], 1)
            self.assertEqual((run["time"], run["work_differs"], run["error_differs"]), ("alike", False, False))

    def test_what_cannot_be_told(self):
        self.ncpbench(*self.GRID[:-1], "1", "-o", "a.h5")
        out, err = self.ncpbench("compare", "a.h5", "a.h5")
        self.assertEqual([line.split()[-1] for line in out.splitlines()[1:]], ["unknown", "unknown"])
        self.assertIn("--repeat", err)
        out, err = self.ncpbench("compare", "a.h5", "a.h5", "--to", "1e-12")
        self.assertEqual(out.count("neither converged"), 2, out)
        self.assertNotIn("--repeat", err)
        self.ncpbench(*self.GRID[:-1], "0", "-o", "b.h5")
        out, err = self.ncpbench("compare", "b.h5", "b.h5")
        self.assertIn("times in 2 pair(s) are of a recorded pass, cold and once", err)

    def test_times_that_differ_and_runs_that_one_lacks(self):
        self.ncpbench(*self.GRID, "-o", "a.h5")
        self.ncpbench(*self.GRID, "--linear-solver", "jacobi,pcr", "--seed", "2", "-o", "b.h5")
        for name, factor in (("a.h5", 1), ("b.h5", 3)):
            with h5py.File(self.path(name), "r+") as record:
                for run in record["runs"].values():
                    run["repeats/step_s"][...] = factor * numpy.array([[1, 1], [1.1, 1.1], [0.9, 0.9], [1.05, 1.05], [0.95, 0.95]])
        out, err = self.ncpbench("compare", "a.h5", "b.h5", "--format", "tsv")
        self.assertIn("seed differs in 1 pair", err)
        head, *rows = [line.split("\t") for line in out.splitlines()]
        rows = [dict(zip(head, row, strict=True)) for row in rows]
        self.assertEqual([(row["run"].split()[-1], row["in"], row["time"]) for row in rows],
                         [("pcr", "both", "B slower"), ("gauss-seidel", "only in A", "unknown"),
                          ("jacobi", "only in B", "unknown")])
        self.assertAlmostEqual(float(rows[0]["ratio"]), 3)
        out, err = self.ncpbench("compare", "a.h5", "b.h5")
        self.assertRegex(out, r"(?m)^heavy-stack, linear_solver pcr .* 3\.000 .*B slower")
        self.assertIn("only in B: heavy-stack, linear_solver jacobi", out)

    def test_to_an_accuracy(self):
        self.ncpbench("run", "heavy-stack", "--steps", "3", "--newton-iterations", "4", "--repeat", "0", "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+") as record:
            newton = record["runs/0000/newton"]
            newton["natural_map_error"][...] = [[1, .1, .01, .001, .0001], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]]
            newton["linear_iterations"][:, :4] = 7
            for name in ("assembly_s", "setup_s", "solve_s"):
                newton[name][:, :4] = 1
        out, err = self.ncpbench("compare", "a.h5", "a.h5", "--to", "0.01", "--format", "json")
        side = json.loads(out)["runs"][0]["a"]
        self.assertEqual((side["newton_iterations"], side["linear_iterations"], side["steps_reached"]), (6, 42, 2))
        self.assertEqual(side["seconds"]["value"], 6)  # of 6, never, 0

    def test_times_to_an_accuracy_are_of_the_repetitions(self):
        """the share of the iterations in the recorded pass, of the median repetition"""
        self.ncpbench("run", "heavy-stack", "--steps", "1", "--newton-iterations", "4", "--repeat", "3", "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+") as record:
            run = record["runs/0000"]
            run["newton/natural_map_error"][...] = [[1, .1, .01, .001, .0001]]
            for name in ("assembly_s", "setup_s", "solve_s"):
                run["newton"][name][:, :4] = 10
                run["steps"][name][...] = 40
                run["repeats"][name][...] = [[4], [2], [3]]
        out, err = self.ncpbench("compare", "a.h5", "a.h5", "--to", "0.01", "--format", "json")
        side = json.loads(out)["runs"][0]["a"]
        self.assertEqual(side["newton_iterations"], 2)
        self.assertAlmostEqual(side["seconds"]["value"], 3 * 20 * 3 / 40, delta=1e-12)

    def test_one_step_to_an_accuracy_has_the_interval_of_its_repetitions(self):
        self.ncpbench("run", "heavy-stack", "--steps", "1", "--newton-iterations", "4", "--repeat", "5", "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+") as record:
            run = record["runs/0000"]
            run["repeats/step_s"][...] = [[4], [2], [3], [3], [6]]
            run["newton/natural_map_error"][...] = [[1, .1, .01, .001, .0001]]
        out, err = self.ncpbench("compare", "a.h5", "a.h5", "--to", "2", "--format", "json")
        at_start = json.loads(out)["runs"][0]["a"]["seconds"]["value"]
        self.assertGreater(at_start, 0)  # it starts there: the assembly that is done once
        out, err = self.ncpbench("compare", "a.h5", "a.h5", "--to", "0.01", "--format", "json")
        seconds = json.loads(out)["runs"][0]["a"]["seconds"]
        self.assertGreater(seconds["value"], at_start)
        self.assertAlmostEqual(seconds["low"] / seconds["value"], 2 / 3, delta=1e-12)
        self.assertAlmostEqual(seconds["high"] / seconds["value"], 2, delta=1e-12)

    def test_a_step_that_still_holds_takes_time(self):
        """auto looks whether the step before is a solution, and that is its work; what is done once a step counts for every method"""
        self.ncpbench("run", "heavy-stack", "--settle", "5", "--steps", "2", "--method", "newton,auto", "--newton-tolerance", "1e-6",
                      "--newton-iterations", "60", "--repeat", "1", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            steps = record["runs/0001/steps"]
            self.assertEqual(list(steps["newton_iterations"]), [0, 0])
            self.assertTrue((steps["assembly_s"][...] > 0).all())
        run, = json.loads(self.ncpbench("compare", "a.h5", "--by", "method", "--to", "1e-5", "--format", "json")[0])["runs"]
        self.assertGreater(run["b"]["seconds"]["value"], 0)
        self.assertGreater(run["time_ratio"]["value"], 0)
        with h5py.File(self.path("a.h5"), "r+") as record:  # of newton: the rows' times, and the rest of the step's
            newton, steps = record["runs/0000/newton"], record["runs/0000/steps"]
            for name, once in (("assembly_s", 0.25), ("setup_s", 0.5), ("solve_s", 0)):
                steps[name][...] = numpy.nansum(newton[name][...], axis=1) + once
            del record["runs/0000/repeats"]
            first = [numpy.nansum([newton[name][step][:int(numpy.argmax(newton["natural_map_error"][step] <= 1e-5))]
                                   for name in ("assembly_s", "setup_s", "solve_s")]) for step in range(2)]
        run, = json.loads(self.ncpbench("compare", "a.h5", "--by", "method", "--to", "1e-5", "--format", "json")[0])["runs"]
        self.assertAlmostEqual(run["a"]["seconds"]["value"], 0.75 + numpy.median(first), delta=1e-9)

    def test_the_cause_of_an_unknown_outcome(self):
        """steps that did not reach the accuracy are told as such, with five repetitions or without"""
        self.ncpbench("run", "heavy-stack", "--linear-solver", "pcr,pcg", "--steps", "5", "--newton-iterations", "4", "--repeat", "5", "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+") as record:
            for run in record["runs"].values():
                run["newton/natural_map_error"][...] = 3 * [[1, .1, .01, .001, .0001]] + 2 * [[1, 1, 1, 1, 1]]
        _, err = self.ncpbench("compare", "a.h5", "--by", "linear-solver", "--to", "0.01")
        self.assertRegex(err, r"unknown: 3 of 5 steps of A and 3 of 5 of B reached 0\.01 m/s")
        self.assertNotIn("--repeat", err)
        self.ncpbench("run", "heavy-stack", "--linear-solver", "pcr,pcg", "--steps", "3", "--newton-iterations", "4", "--repeat", "2", "-o", "b.h5")
        self.assertIn("unknown: there are too few repetitions", self.ncpbench("compare", "b.h5", "--by", "linear-solver")[1])
        self.assertIn("unknown: 3 steps are too few", self.ncpbench("compare", "b.h5", "--by", "linear-solver", "--to", "10")[1])

    def test_solved_runs_that_differ_have_several_solutions(self):
        """another velocity is put into the final state of one of two runs that solved its step"""
        self.ncpbench("run", "heavy-stack", "--method", "interior-point,auto", "--steps", "2", "--repeat", "0", "-o", "s.h5")
        compare = ["compare", "s.h5", "--by", "method"]
        self.assertNotIn("several solutions", self.ncpbench(*compare)[1])
        with h5py.File(self.path("s.h5"), "r+") as record:
            final = record["runs/0001/final"]
            u = final["u"][:]
            u[-1, 0] += 1e-3
            final["u"][...] = u
        self.assertRegex(self.ncpbench(*compare)[1], r"differ by up to 0\.001 m/s .*several solutions")
        with h5py.File(self.path("s.h5"), "r+") as record:
            before = record["runs/0001/final/u_before"]
            before[...] = before[:] + 1e-3
        self.assertNotIn("several solutions", self.ncpbench(*compare)[1])

    def test_matrix_systems_are_judged_by_their_residual(self):
        """a chain of 40: pcg takes some iterations to 1e-3, fewer than to 1e-10; a factorisation takes its one"""
        with open(self.path("a.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real symmetric\n40 40 79\n")
            file.writelines(f"{i} {i} {2 + i / 10}\n" for i in range(1, 41))
            file.writelines(f"{i + 1} {i} -1\n" for i in range(1, 40))
        solve = ["solve", "a.mtx", "--linear-solver", "pcg,cholesky", "--repeat", "5"]
        self.ncpbench(*solve, "--linear-tolerance", "1e-10", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            residual = record["runs/0000/linear/residual_l2"][0, 0]
        out, err = self.ncpbench("compare", "a.h5", "--by", "linear-solver", "--format", "json")
        whole = json.loads(out)["runs"][0]
        self.assertLessEqual(whole["a"]["relative_residual"], 1e-10)
        self.assertNotIn("tolerance", whole["outcome"])
        out, err = self.ncpbench("compare", "a.h5", "--by", "linear-solver", "--to", "1e-3", "--format", "json")
        run = json.loads(out)["runs"][0]
        self.assertEqual((run["a"]["steps_reached"], run["b"]["steps_reached"]), (1, 1))
        self.assertEqual(run["a"]["linear_iterations"], numpy.argmax(residual <= 1e-3 * residual[0]))
        self.assertLess(run["a"]["seconds"]["value"], whole["a"]["seconds"]["value"])
        self.assertGreater(run["a"]["seconds"]["value"], 0)
        self.assertIn("||b - A x||/||b||", self.ncpbench("compare", "a.h5", "--by", "linear-solver")[0])
        self.ncpbench("figure", "profile", "--from", "a.h5", "-o", "a.svg")
        with open(self.path("a.txt")) as file:
            text = file.read()
        self.assertIn("pcg 1.00; cholesky 1.00", text)
        self.assertIn("||b - A x|| of 1e-10 ||b||", text)
        self.ncpbench(*solve[:3], "pcg,pcr", "--linear-iterations", "2", "--linear-tolerance", "1e-10", "-o", "b.h5", status=1)
        self.assertIn("neither converged", self.ncpbench("compare", "b.h5", "--by", "linear-solver")[0])
        self.assertIn("neither converged", self.ncpbench("compare", "b.h5", "--by", "linear-solver", "--to", "1e-10")[0])

    def test_a_record_that_lacks_something(self):
        """every column and attribute belongs there; what is missing is named with its place; but for what came later"""
        self.ncpbench(*self.GRID, "--repeat", "2", "--store-states", "1", "--batch", "2", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            first = next(iter(record["runs"]))
            names = [f"/runs/{first}/{group}/{name}" for group in ("steps", "columns", "newton", "linear", "repeats", "states", "batch")
                     for name in record["runs"][first][group] if isinstance(record["runs"][first][group][name], h5py.Dataset)]
            attributes = [(f"/runs/{first}", name) for name in record["runs"][first].attrs if name != "texts_checksum"]
            attributes += [("/provenance", name) for name in record["provenance"].attrs if name != "texts_checksum"]
        axes = {"step", "newton", "iteration", "scene", "pass", "repeat", "Types", "Offsets", "Connectivity", "Points",
                "NumberOfCells", "NumberOfPoints", "NumberOfConnectivityIds", "contact"}  # for others, who draw and plot
        later = [name for name in names if name.endswith("/batch/max_penetration")]
        optional = [name for name in names if name.endswith(("/steps/infeasibility", "/steps/law_penetration", "/steps/penetration_allowed", "/steps/energy_room", "/linear/energy_bound", "/states/contact_count", "/states/momentum_error"))
                    or re.search("/states/contact_((point|normal|force|slip)_[xyz]|gap|mode)$", name)]
        names = [name for name in names if name.rsplit("/", 1)[1] not in axes and name not in later + optional]
        added = ["batch_seeds", "linear_norm", "triangles", "lead_exact", "reference_linear", "settle_tolerance", "settle_unsolved", "settle_error", "start_penetration", "start_joint_error", "start_joint_turn", "provenance", "sweep_run", "batch_contacts"]
        attributes = [(owner, name) for owner, name in attributes if name not in added]
        self.assertGreater(len(names), 70)
        self.assertGreater(len(attributes), 60)
        for name in names:
            shutil.copy(self.path("a.h5"), self.path("b.h5"))
            with h5py.File(self.path("b.h5"), "r+") as record:
                del record[name]
            self.refused("check", "b.h5", status=3, says=["b.h5", f"'{name}' is missing"])
        for owner, name in attributes:
            shutil.copy(self.path("a.h5"), self.path("b.h5"))
            with h5py.File(self.path("b.h5"), "r+") as record:
                del record[owner].attrs[name]
            self.refused("check", "b.h5", status=3, says=["b.h5", "with a dot in its name" if "." in name else f"'{owner}/{name}' is missing"])
        with h5py.File(self.path("a.h5"), "r+") as record:  # as records had it before
            for name in added:
                del record[f"/runs/{first}"].attrs[name]
            del record[f"/runs/{first}"].attrs["texts_checksum"]  # linear_norm's share is in it
            self.assertEqual(len(later), 1)
            last = record[later[0]][:, -1]
            del record[later[0]]
            record[later[0]] = last
            self.assertEqual(len(optional), 21)
            for name in optional:
                del record[name]
        self.ncpbench("check", "a.h5", status=2)

    def test_bad_input(self):
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", *QUICK)
        self.refused("compare", "a.h5", "none.h5", status=3, says=["none.h5"])
        with open(self.path("text.h5"), "w") as file:
            file.write("no record")
        self.refused("compare", "text.h5", "a.h5", status=3, says=["text.h5"])
        self.refused("compare", "a.h5", "a.h5", "--by", "scaling", says=["--by", "one record"])
        self.refused("compare", "a.h5", "--by", "colour", says=["has a setting", "colour"])
        self.refused("compare", "a.h5", "--by", "scaling", status=3, says=["scaling", "effective-mass-capped"])
        for run in "1", "99999999999999999999", "psor", "mu=9", "", "pcr,", "mu", "none.h5/0":
            self.refused("compare", "a.h5", "--baseline", run, says=["--baseline", "no such run in 'a.h5', which has 0000 (heavy-stack)"])
        self.refused("compare", "a.h5", "--baseline", "text.h5/0", status=3, says=["text.h5"])

    def test_within_one_record(self):
        self.ncpbench("run", "heavy-stack,arch", "--linear-solver", "gauss-seidel,pcr,pcg", "--preconditioner", "none,jacobi,ssor",
                      *QUICK[:-2], "--repeat", "5", "-o", "a.h5")
        def pairs(by, *more):
            out, err = self.ncpbench("compare", "a.h5", "--by", by, "--format", "json", *more)
            table = json.loads(out)
            self.assertEqual(table["by"], by.replace("-", "_"))
            return table["runs"]
        found = pairs("preconditioner")
        self.assertEqual([(run["run"], run["a"]["preconditioner"], run["b"]["preconditioner"]) for run in found],
                         [(f"{scene}, linear_solver {solver}: none -> {other}", "none", other)
                          for scene in ("heavy-stack", "arch") for solver in ("pcr", "pcg") for other in ("jacobi", "ssor")])
        with h5py.File(self.path("a.h5")) as record:
            seconds = [record[f"runs/000{i}/repeats/step_s"][...].sum(axis=1) for i in (1, 2)]
        self.assertAlmostEqual(found[0]["time_ratio"]["value"], numpy.median(seconds[1]) / numpy.median(seconds[0]), delta=1e-9)
        self.assertIsNotNone(found[0]["time_ratio"]["low"])  # five repetitions
        # gauss-seidel takes no preconditioner: it is beside all of theirs
        self.assertEqual([(run["run"].split(", ", 1)[1]) for run in pairs("linear-solver")][:3],
                         [f"preconditioner {p}: gauss-seidel -> pcr" for p in ("none", "jacobi", "ssor")])
        self.assertEqual(len(pairs("linear-solver")), 2 * (3 + 3))
        self.assertEqual(pairs("scenario"), [])  # they differ in parameters too
        # auto starts from the step before, as it does unless told otherwise
        self.ncpbench("run", "incline", "--method", "newton,interior-point,auto", "--steps", "1", "--repeat", "0", "-o", "m.h5")
        by_method = self.ncpbench("compare", "m.h5", "--by", "method")[0]
        self.assertIn("\nincline: newton pcr jacobi -> interior-point gmres lu  ", by_method)
        self.assertIn("\nincline: newton pcr jacobi -> auto, warm  ", by_method)
        self.assertEqual(by_method.count("\n"), 3)
        self.ncpbench("run", "granular", "--set", "count=5", "--method", "newton,psor", "--steps", "1", "--repeat", "0", "-o", "p.h5")
        self.assertIn("\ngranular: newton pcr jacobi -> psor, warm  ", self.ncpbench("compare", "p.h5", "--by", "method")[0])  # as its paper has it
        self.ncpbench("run", "incline", "--method", "newton,auto", "--warm-start", "off,on", "--steps", "1", "--repeat", "0", "-o", "w.h5")
        self.assertEqual([line.split("  ")[0] for line in self.ncpbench("compare", "w.h5", "--by", "method")[0].splitlines()[1:]],
                         [f"incline{case}" for case in (", warm_start 0: newton pcr jacobi -> auto", ": newton pcr jacobi -> auto, warm",
                                                        ", warm_start 1: newton pcr jacobi -> auto")])

    def test_beside_a_baseline(self):
        """all runs of a record, each beside one of its scenario; ratios are those of the record's own numbers"""
        self.ncpbench("run", "heavy-stack,arch", "--linear-solver", "pcr,gauss-seidel", "--set", "mu=0.4,0.6", *QUICK[:-2], "--repeat", "5", "-o", "a.h5")
        def beside(baseline, *more):
            return json.loads(self.ncpbench("compare", "a.h5", "--baseline", baseline, "--format", "json", *more)[0])["runs"]
        runs = beside("2")
        names = [f"{scene}, linear_solver {solver}, mu {mu}" for scene in ("heavy-stack", "arch") for solver in ("pcr", "gauss-seidel") for mu in (0.4, 0.6)]
        order = [2, 0, 1, 3, 6, 4, 5, 7]  # each baseline first, which on the arch is the first of the same solver
        self.assertEqual([(run["run"], run["in"]) for run in runs], [(names[i], "baseline" if i in (2, 6) else "both") for i in order])
        with h5py.File(self.path("a.h5")) as record:
            def total(i, name):
                return numpy.nansum(record[f"runs/{i:04d}/{name}"][...])
            def time(i):
                return numpy.median(record[f"runs/{i:04d}/repeats/step_s"][...].sum(axis=1))
            for run, i in zip(runs, order):
                base = 2 if i < 4 else 6
                if i == base:
                    self.assertNotIn("time_ratio", run)
                    continue
                self.assertAlmostEqual(run["time_ratio"]["value"], time(i) / time(base), delta=1e-9)
                for ratio, column in (("linear_ratio", "newton/linear_iterations"), ("operator_ratio", "steps/operator_applications")):
                    self.assertAlmostEqual(run[ratio], total(i, column) / total(base, column), delta=1e-12)
                self.assertEqual(run["newton_ratio"], 1)
        for baseline in "0002", "gauss-seidel,heavy-stack,mu=0.4", "linear-solver=gauss-seidel,scenario=heavy-stack,mu=0.4", "a.h5/2", "./a.h5/0002":
            self.assertEqual(beside(baseline), runs, baseline)
        self.refused("compare", "a.h5", "--baseline", "arch,pcr", says=["names several runs: 0004 (arch, linear_solver pcr, mu 0.4), 0005", "more settings"])
        self.refused("compare", "a.h5", "--baseline", "mu=0.4", says=["names several runs"])
        # the table: the baseline's own ratios are 1
        head, *rows = [re.split("  +", line.strip()) for line in self.ncpbench("compare", "a.h5", "--baseline", "2")[0].splitlines()]
        self.assertEqual(head, ["run", "time [s]", "/baseline", "95 % interval", "Newton it.", "/baseline", "linear it.", "/baseline", "operations", "/baseline",
                                "error [m/s]", "outcome"])
        self.assertEqual([row[0] for row in rows], [names[i] for i in order])
        for row in rows:
            ones = [row[2], row[5], row[7], row[9]] == ["1"] * 4 and row[3] == "-"
            self.assertEqual(ones, row[-1] == "baseline", row)
        # of another record, here with the times of this one doubled; what it has no scenario for stands without
        shutil.copy(self.path("a.h5"), self.path("b.h5"))
        with h5py.File(self.path("b.h5"), "r+") as record:
            record["runs/0000/repeats/step_s"][...] *= 2
        self.ncpbench("run", "incline", *QUICK, "--append", "-o", "a.h5")
        runs = beside("b.h5/0000")
        self.assertEqual([run["in"] for run in runs], ["baseline"] + 4 * ["both"] + ["baseline"] + 4 * ["both"] + ["only in B"])
        self.assertAlmostEqual(runs[1]["time_ratio"]["value"], 0.5, delta=1e-12)
        self.assertTrue(self.ncpbench("compare", "a.h5", "--baseline", "b.h5/0000")[0].endswith("\nwithout a baseline: incline\n"))

    def labels(self, *arguments):
        return [run["run"] for run in json.loads(self.ncpbench("compare", *arguments, "--format", "json")[0])["runs"]]

    def test_labels_name_what_differs_alone(self):
        """parameters too, each among the runs of its scenario or solver; what the other record has counts"""
        self.ncpbench("run", "heavy-stack,wall", "--preconditioner", "jacobi,ssor", "--size", "3", *QUICK, "-o", "a.h5")
        self.assertEqual(self.labels("a.h5", "--by", "preconditioner"), [f"{scene}: jacobi -> ssor" for scene in ("heavy-stack", "wall")])
        self.ncpbench("run", "heavy-stack", "--set", "mu=0.4,0.6", "--size", "3", "--preconditioner", "ssor", "--preconditioner-option",
                      "omega=1,1.2", *QUICK, "-o", "b.h5")
        settings = [f"mu {mu}, preconditioner.omega {omega}" for mu in (0.4, 0.6) for omega in (1, 1.2)]
        self.assertEqual(self.labels("b.h5", "b.h5"), [f"heavy-stack, {one}" for one in settings])
        self.assertEqual(self.labels("b.h5", "--by", "mu"), [f"heavy-stack, preconditioner.omega {omega}: 0.4 -> 0.6" for omega in (1, 1.2)])
        self.ncpbench("run", "wall", "--set", "width=3", "--set", "mu=0.2", "--seed", "1,2", *QUICK, "-o", "c.h5")
        self.ncpbench("run", "wall", "--set", "width=3", "--set", "mu=0.3", *QUICK, "-o", "d.h5")
        out, err = self.ncpbench("compare", "c.h5", "d.h5")
        self.assertEqual(out, "no run is in both records\n" + 2 * "only in A: wall, mu 0.2\n" + "only in B: wall, mu 0.3\n")
        self.ncpbench("run", "wall", "--set", "width=3", "--set", "mu=0.3", "--seed", "1,2", *QUICK, "--append", "-o", "c.h5")
        self.ncpbench("run", "heavy-stack,granular", "--set", "count=5", *QUICK, "-o", "e.h5")  # what scenarios bring follows from their names
        self.assertEqual(self.labels("e.h5", "e.h5"), ["heavy-stack", "granular"])
        self.assertEqual(self.labels("c.h5", "--by", "mu"), [f"wall, seed {seed}: 0.2 -> 0.3" for seed in (1, 2)])

    def test_options_of_a_method_go_by_their_names(self):
        """with the prefix that the record has, or as the command line has them"""
        self.ncpbench("run", "heavy-stack", "--damping", "0.5,1", "--row-scaling", "symmetric,paper", *QUICK, "-o", "a.h5")
        self.assertEqual([text(run["method.row-scaling"]) for run in runs_of(self.path("a.h5"))], ["symmetric", "paper"] * 2)
        for name in "row-scaling", "row_scaling", "method.row-scaling":
            self.assertEqual(self.labels("a.h5", "--by", name), [f"heavy-stack, method.damping {damping}: symmetric -> paper" for damping in (0.5, 1)])
        for run in "paper,damping=1", "method.row-scaling=paper,method.damping=1":
            self.assertEqual(len(json.loads(self.ncpbench("compare", "a.h5", "--baseline", run, "--format", "json")[0])["runs"]), 4, run)

    def test_names_of_settings_are_those_of_figures(self):
        """with what a record puts before them or without, with - or _, in both commands"""
        self.ncpbench("run", "heavy-stack", "--linear-solver", "gauss-seidel", "--solver-option", "omega=1,1.2", "--set", "mu=0.3,0.4", *QUICK, "-o", "a.h5")
        for value, names in (("0.3", ["mu", "scene.mu"]), ("1", ["linear-solver.omega", "linear_solver.omega", "omega"])):
            for name in names:
                out, _ = self.ncpbench("compare", "a.h5", "--by", name, "--format", "json")
                self.assertEqual(len(json.loads(out)["runs"]), 2, name)
                self.ncpbench("figure", "convergence", "--from", "a.h5", "--where", f"{name}={value}", "-o", "a.svg")
        for name in ("linear_solver", "linear-solver", "solver"):
            self.refused("compare", "a.h5", "--by", name, status=3, says=["all runs of 'a.h5' have linear_solver gauss-seidel"])
        self.refused("compare", "a.h5", "--by", "scene.omega", says=["no run of 'a.h5' has a setting 'scene.omega'"])
        self.refused("figure", "convergence", "--from", "a.h5", "--where", "scene.omega=1", "-o", "b.svg", says=["scene.omega"])
        self.ncpbench("run", "heavy-stack", "--preconditioner", "ssor", "--preconditioner-option", "omega=1.3", *QUICK, "--append", "-o", "a.h5")
        self.refused("compare", "a.h5", "--by", "omega", says=["--by omega: write linear-solver.omega or preconditioner.omega"])

    def test_settings_that_are_standard_are_recorded(self):
        """runs that differ in the friction law alone, or in how steps are made, are paired, also where a record lacks what is standard"""
        self.ncpbench("run", "arch", "--friction-law", "coulomb,relaxed,polyhedral", "--method", "psor", *QUICK[:4], *QUICK[6:], "-o", "a.h5")
        self.ncpbench("run", "incline", "--time-stepping", "implicit,tasora", *QUICK, "--append", "-o", "a.h5")
        self.ncpbench("run", "wall", "--contact-margin", "0.01,0.02", "--set", "width=2", *QUICK, "--append", "-o", "a.h5")
        def pairs(by):
            return [run["run"].rsplit(": ", 1)[1] for run in json.loads(self.ncpbench("compare", "a.h5", "--by", by, "--format", "json")[0])["runs"]]
        expected = {"friction-law": ["coulomb -> relaxed", "coulomb -> polyhedral"], "time-stepping": ["implicit -> tasora"], "contact-margin": ["0.01 -> 0.02"]}
        self.assertEqual({by: pairs(by) for by in expected}, expected)
        for name in ("friction_law", "scene.friction-law", "scene.friction_law"):  # as a record or an attribute may have it, too
            self.assertEqual(pairs(name), expected["friction-law"], name)
        with h5py.File(self.path("a.h5"), "r+") as record:
            for run in record["runs"].values():
                for name, value in (("friction-law", "coulomb"), ("time-stepping", "implicit"), ("facets", 8), ("restitution", 0), ("friction-direction", 0)):
                    if run.attrs["scene." + name] == value:
                        del run.attrs["scene." + name]
                del run.attrs["texts_checksum"]
        self.assertEqual({by: pairs(by) for by in expected}, expected)

    def test_integrators(self):
        """steps of several stages: their iterations are counted together, and the record passes its checks; where it is asked for, steps are implicit"""
        self.ncpbench("run", "arch", "--integrator", "be,tr,bdf2,tr-bdf2,sdirk2,decoupled-tr", "--method", "auto", "--newton-tolerance", "1e-9", "--newton-iterations", "200",
                      "--steps", "5", "--repeat", "0", "-o", "a.h5")
        self.ncpbench("check", "a.h5")
        names = [parameters_of(run)["integrator"] for run in runs_of(self.path("a.h5"))]
        self.assertEqual(names, ["be", "tr", "bdf2", "tr-bdf2", "sdirk2", "decoupled-tr"])
        with h5py.File(self.path("a.h5")) as record:
            for run in record["runs"].values():
                numpy.testing.assert_array_equal(run["newton/count"][:], run["steps/newton_iterations"][:] + 1)
                numpy.testing.assert_allclose(run["steps/time"][:], run.attrs["time_step"] * numpy.arange(1, 6), rtol=1e-14)
        self.ncpbench("run", "pendulum", "--integrator", "bdf2", "--method", "newton", *QUICK, "-o", "b.h5")
        run, = runs_of(self.path("b.h5"))
        self.assertEqual(parameters_of(run)["time-stepping"], "implicit")

    def test_impacts(self):
        """be makes the steps of other integrators that open or close contacts, or these make them and energy comes from nothing: then check fails"""
        drop = ["run", "drop", "--set", "height=0.3", "--method", "auto", "--newton-tolerance", "1e-10", "--steps", "40", "--repeat", "0", "--force"]
        for integrator in ("tr", "bdf2", "tr-bdf2", "sdirk2", "decoupled-tr"):
            self.ncpbench(*drop, "--integrator", integrator, "-o", "a.h5")
            self.ncpbench("check", "a.h5")
            with h5py.File(self.path("a.h5")) as record:
                by_be = record["runs/0000/steps/by_be"][:]
            self.assertTrue(set(by_be) == {0, 1}, (integrator, by_be))
        self.ncpbench(*drop, "--integrator", "tr", "--impacts", "integrator", "-o", "a.h5")
        self.assertIn("energy from nothing", self.ncpbench("check", "a.h5", status=2)[0])

    def test_iterations_that_nobody_asked_for(self):
        """each scenario has its own; they keep apart neither the scenes of a profile nor the runs of two records"""
        self.ncpbench("run", "heavy-stack,arch", "--steps", "1", "--linear-solver", "pcr,pcg", "-o", "a.h5")
        runs = runs_of(self.path("a.h5"))
        self.assertEqual(len({run["newton_iterations"] for run in runs}), 2)
        profile = self.profile("a.h5")
        self.assertIn("Outcome, share solved in the end: pcr 0.50; pcg 0.50", profile)
        self.assertNotIn("never tried", profile)
        self.assertIn("No bands: they take 5 problems, and there are 2.", profile)
        self.ncpbench("run", "heavy-stack", "--steps", "1", "--newton-iterations", "30", "-o", "b.h5")
        out, err = self.ncpbench("compare", "a.h5", "b.h5")
        self.assertRegex(out, r"(?m)^heavy-stack, linear_solver pcr  ")
        self.assertIn("newton_iterations or linear_iterations, at most, differ in 1 pair", err)
        # asked for: two solvers each, of which the scenarios' own stay one where they are not everywhere
        self.ncpbench("run", "heavy-stack,arch", "--steps", "1", "--newton-iterations", "2,30", "-o", "c.h5")
        self.assertIn("newton iterations 2 0.00; newton iterations 30 1.00", self.profile("c.h5"))
        self.ncpbench("run", "heavy-stack,arch", "--steps", "1", "--linear-solver", "pcr", "--newton-iterations", "30", "--append", "-o", "a.h5")
        profile = self.profile("a.h5")
        self.assertIn("newton iterations of the scenario 0.50", profile)
        self.assertIn("newton iterations 30 1.00", profile)
        self.assertNotIn("never tried", profile)

    def profile(self, record):
        """what it says, in the text beside it and on itself"""
        self.ncpbench("figure", "profile", "--from", record, "--to", "1e-6", "-o", "p.svg")
        beside = self.bytes_of("p.txt").decode()
        itself = re.sub("<[^>]*>", " ", self.bytes_of("p.svg").decode())
        return re.sub(r"\s+", " ", (beside + itself).replace("\u00a0", " ")).replace("_", " ")

    def test_a_profile_of_many_solvers_and_of_holes(self):
        self.ncpbench("run", "heavy-stack", "--damping", ",".join(f"{0.5 + 0.02 * i:.2f}" for i in range(20)), "--steps", "1",
                      "--newton-iterations", "30", "--linear-history", "off", "--repeat", "0", "-o", "a.h5")
        profile = self.profile("a.h5")
        self.assertIn("The 16 of 20 solvers that solved most", profile)
        self.assertIn("Times of all 20 run(s) are of the recorded pass, cold and made once", profile)
        self.ncpbench("run", "arch", "--damping", "0.5", *QUICK, "--append", "-o", "a.h5")
        self.assertIn("19 of 40 pairs of problem and solver were never tried", self.profile("a.h5"))


class Outputs(Case):
    """where the record cannot go: one line, status 3, and nothing is lost or left behind"""

    def test_impossible_places(self):
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("fifo"))
        for place, word in (("missing/a.h5", "missing"), ("folder", "folder"), ("folder/", "folder"), ("/dev/full", "/dev/full"),
                            ("fifo", "fifo"), ("x" * 300 + ".h5", "x")):
            self.refused("run", "heavy-stack", "-o", place, *QUICK, status=3, says=[word])
        self.only("folder", "fifo")
        self.assertTrue(os.path.exists("/dev/full") and not os.path.isfile("/dev/full"))

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_unwritable_folder(self):
        os.mkdir(self.path("folder"), 0o555)
        self.refused("run", "heavy-stack", "-o", "folder/a.h5", *QUICK, status=3, says=["folder"])

    def test_full_disk_keeps_the_earlier_record(self):
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", *QUICK)
        before = self.bytes_of("a.h5")
        limit = 24 * 1024  # less than one run takes
        out, err = self.ncpbench("run", "heavy-stack", "--steps", "40", "--store-states", "1", "-o", "a.h5", status=3,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        lines = [line for line in err.splitlines() if line.startswith("ncpbench: ")]
        self.assertEqual(len(lines), 1, err)
        self.assertIn("a.h5", lines[0])
        self.assertNotIn("HDF5-DIAG", err)
        self.assertEqual(self.bytes_of("a.h5"), before)
        self.only("a.h5", "a.h5.checkpoint")
        self.ncpbench("run", "--resume", "a.h5")  # there is room by now
        self.only("a.h5", "a.h5~")

    def test_full_disk_keeps_the_runs_before(self):
        limit = 1 << 20  # room for the first run, not for the second
        out, err = self.ncpbench("run", "heavy-stack", "--steps", "2,300", "--repeat", "0", "-o", "a.h5", status=3,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertRegex(err, r"(?m)^ncpbench: cannot write 'a.h5'")
        self.assertEqual(len(runs_of(self.path("a.h5"))), 1)
        self.only("a.h5", "a.h5.checkpoint")
        self.ncpbench("run", "heavy-stack", "--steps", "300", "--repeat", "0", "-o", "a.h5", "--append", "--force", status=3,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(len(runs_of(self.path("a.h5"))), 1)
        self.only("a.h5", "a.h5.checkpoint")

    def test_append_to_what_is_no_record(self):
        with open(self.path("text.h5"), "w") as file:
            file.write("no record\n")
        self.refused("run", "heavy-stack", "-o", "text.h5", "--append", *QUICK, status=3, says=["text.h5"])
        self.assertEqual(self.bytes_of("text.h5"), b"no record\n")
        self.only("text.h5")


class Inputs(Case):
    """files that are not what they should be: one line and status 3"""

    def record(self):
        self.ncpbench("run", "heavy-stack", "-o", "good.h5", *QUICK)
        return self.path("good.h5")

    def bad_files(self):
        good = self.bytes_of(self.record())
        with open(self.path("empty.h5"), "w"):
            pass
        with open(self.path("text.h5"), "w") as file:
            file.write("this is no HDF5 file\n" * 100)
        with open(self.path("truncated.h5"), "wb") as file:
            file.write(good[:len(good) // 2])
        with h5py.File(self.path("other.h5"), "w") as file:
            file["x"] = [1, 2, 3]
        write_fclib(self.path("fclib.h5"), numpy.eye(3), [-1, 0, 0], [0.5])
        os.mkdir(self.path("folder.h5"))
        os.mkfifo(self.path("fifo.h5"))
        return ["fifo.h5", "missing.h5", "empty.h5", "text.h5", "truncated.h5", "other.h5", "fclib.h5", "folder.h5"]

    def test_bad_records(self):
        for name in self.bad_files():
            self.refused("check", name, status=3, says=[name])
            self.refused("figure", "macklin-fig11", "--from", name, "-o", "a.svg", status=3, says=[name])
            self.assertFalse(os.path.exists(self.path("a.svg")))
        self.refused("check", "truncated.h5", status=3, says=["'truncated.h5': truncated file"])

    def test_bad_problems(self):
        for name in self.bad_files():
            if name != "fclib.h5":
                self.refused("solve", name, status=3, says=[name])
        self.refused("solve", "good.h5", status=3, says=["good.h5"])

    def damaged(self, name, trials, *command):
        """copies of the file with some bytes changed: an outcome or one line, and never a crash or a hang"""
        good = self.bytes_of(name)
        random = numpy.random.default_rng(1)
        for trial in range(trials):
            bad = bytearray(good)
            for place in random.integers(0, len(bad), 1 + trial):
                bad[place] = random.integers(0, 256)
            with open(self.path("bad.h5"), "wb") as file:
                file.write(bad)
            done = subprocess.run([PROGRAM, *command, "bad.h5"], capture_output=True, timeout=PATIENCE, cwd=self.folder.name,
                                  env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # the library's own, on bad files
            self.assertIn(done.returncode, (0, 1, 2, 3), f"seed 1, trial {trial}: {done.stderr}")
            if done.returncode == 3:
                self.assertRegex(done.stderr, rb"\Ancpbench: [^\n]*bad.h5[^\n]*\n\Z")

    def test_damaged_files_are_never_a_crash(self):
        self.record()
        self.damaged("good.h5", 50, "check")
        write_fclib(self.path("one.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        self.damaged("one.hdf5", 50, "solve", "--newton-iterations", "2", "--repeat", "0")

    def test_a_record_of_another_scene_is_refused(self):
        with h5py.File(self.record(), "r+") as record:
            record["runs/0000"].attrs["scene.count"] = 7.0
        self.refused("check", "good.h5", status=3, says=["texts_checksum"])
        with h5py.File(self.path("good.h5"), "r+") as record:
            del record["runs/0000"].attrs["texts_checksum"]
        self.refused("check", "good.h5", status=3, says=["heavy-stack", "bodies"])
        with h5py.File(self.path("good.h5"), "r+") as record:
            record["runs/0000"].attrs["scene.count"] = "seven"
        self.refused("check", "good.h5", status=3, says=["recorded scenario 'heavy-stack'", "seven"])
        with h5py.File(self.path("good.h5"), "r+") as record:
            record["runs/0000"].attrs["scene.count"] = [7.0, 8.0]
        self.refused("check", "good.h5", status=3, says=["scene.count"])

    def test_a_record_of_an_older_schema_is_refused_by_name(self):
        """whose runs had one text in place of attributes"""
        with h5py.File(self.record(), "r+") as record:
            record.attrs["schema_version"] = numpy.int32(2)
        for command, *options in ("check",), ("compare", "--by", "mu"), ("report",):
            self.refused(command, "good.h5", *options, status=3, says=["schema version 2", "reads version 3"])


class Problems(Case):
    def test_one_contact(self):
        """W = 1, q = (-1, 0.2, 0), mu = 0.5: the reaction is (1, -0.2, 0), it sticks"""
        write_fclib(self.path("one.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        out, err = self.ncpbench("solve", "one.hdf5", "--relative-tolerance", "1e-8", "-o", "a.h5")
        self.assertIn("one.hdf5", out)
        with h5py.File(self.path("a.h5")) as record:
            reaction = record["runs/0000/final/reaction"][...]
        # the tolerance on the natural map bounds the error of this well conditioned problem
        numpy.testing.assert_allclose(reaction, [1, -0.2, 0], atol=1e-6)

    def variant(self, change, **options):
        """p.hdf5 anew, each dataset as `change` has it"""
        with h5py.File(self.path("p.hdf5")) as old, h5py.File(self.path("v.hdf5"), "w") as new:
            def copy(name, item):
                if isinstance(item, h5py.Dataset):
                    new.create_dataset(name, data=change(name, item[()]), **(options if item.size > 1 else {}))
            old.visititems(copy)

    def test_as_numpy_and_matlab_write_them(self):
        """other types, shapes, links and compression: the same reaction, or the line says which dataset it is"""
        def reaction(name):
            self.ncpbench("solve", name, "--method", "interior-point", "-o", "a.h5", "--force")
            with h5py.File(self.path("a.h5")) as record:
                return record["runs/0000/final/reaction"][...]
        write_fclib(self.path("p.hdf5"), numpy.diag([2, 1, 1]), [-1, 0, 0], [1])
        expected = reaction("p.hdf5")
        numpy.testing.assert_allclose(expected, [0.5, 0, 0], atol=1e-6)
        whole = lambda v: v.dtype.kind == "i"
        for change, options in ((lambda n, v: v.astype("i8") if whole(v) else v, {}), (lambda n, v: v.astype("u2") if whole(v) and v.min() >= 0 else v, {}),
                                (lambda n, v: v.astype("f8"), {}),  # MATLAB's numbers
                                (lambda n, v: v.astype("i8"), {}),  # all of this problem are whole
                                (lambda n, v: v.astype(">i4" if whole(v) else ">f8"), {}), (lambda n, v: v.astype("f4") if not whole(v) else v, {}),
                                (lambda n, v: v.reshape(-1, 1), {}), (lambda n, v: v.reshape(1, -1), {}),
                                (lambda n, v: v[0] if v.size == 1 else v, {}), (lambda n, v: v, {"chunks": True, "compression": "gzip", "shuffle": True})):
            self.variant(change, **options)
            self.assertEqual(list(reaction("v.hdf5")), list(expected))
        with h5py.File(self.path("p.hdf5")) as old, h5py.File(self.path("links.hdf5"), "w") as new:
            old.copy("fclib_local", new, "real")
            new["real/vectors/other"] = new["real/vectors/q"]
            del new["real/vectors/q"]
            new["real/vectors/q"] = h5py.SoftLink("other")
            new["fclib_local"] = h5py.SoftLink("/real")
        self.assertEqual(list(reaction("links.hdf5")), list(expected))
        self.variant(lambda n, v: v, chunks=True, compression="lzf")
        self.refused("solve", "v.hdf5", status=3, says=["/fclib_local/", "(lzf)", "gzip"])
        self.variant(lambda n, v: v.astype("i8") + 2**40 if n.endswith("W/i") else v)
        self.refused("solve", "v.hdf5", status=3, says=["W/i holds 1.09951e+12 at index 0"])
        with h5py.File(self.path("v.hdf5"), "w") as new:
            new["fclib_local"] = h5py.ExternalLink("p.hdf5", "/fclib_local")
        self.refused("solve", "v.hdf5", status=3, says=["/fclib_local is a link into another file"])

    def test_several_problems_and_solvers(self):
        write_fclib(self.path("a.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        write_fclib(self.path("b,c.hdf5"), 2 * numpy.eye(2), [-1, 0.1], [0.5], dimension=2)
        out, err = self.ncpbench("solve", "a.hdf5", "b,c.hdf5", "--precision", "f64,f32")
        self.assertEqual(len(out.splitlines()), 1 + 4)
        self.only("a.hdf5", "b,c.hdf5")

    def test_not_converged_is_status_1(self):
        write_fclib(self.path("a.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        for option in ("--relative-tolerance", "--newton-tolerance"):
            out, err = self.ncpbench("solve", "a.hdf5", "--newton-iterations", "1", option, "1e-12", status=1)
            self.assertIn("not converged", out)
        self.ncpbench("solve", "a.hdf5", "--newton-iterations", "1")

    def test_zero_contacts(self):
        write_fclib(self.path("zero.hdf5"), numpy.zeros((0, 0)), [], [])
        self.refused("solve", "zero.hdf5", status=3, says=["zero.hdf5"])

    def test_poisoned_problems(self):
        write_fclib(self.path("nan.hdf5"), numpy.eye(3), [numpy.nan, 0, 0], [0.5])
        write_fclib(self.path("mu.hdf5"), numpy.eye(3), [-1, 0, 0], [-0.5])
        write_fclib(self.path("inf.hdf5"), numpy.diag([numpy.inf, 1, 1]), [-1, 0, 0], [0.5])
        write_fclib(self.path("size.hdf5"), numpy.eye(4), [-1, 0, 0, 0], [0.5])
        for name in ("nan.hdf5", "mu.hdf5", "inf.hdf5", "size.hdf5"):
            self.refused("solve", name, status=3, says=[name])

    def test_options_that_a_problem_cannot_have(self):
        write_fclib(self.path("a.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        self.refused("solve", "a.hdf5", "--form", "stiffness", says=["--form"])
        self.refused("solve", "a.hdf5", "a.hdf5", says=["a.hdf5", "twice"])


class Interrupts(Case):
    """Ctrl-C and the like: status 130, the finished runs are kept"""

    LONG = ["run", "heavy-stack", "--repeat", "0", "--precision", "f64,f32", "--steps", "20,100000", "-o", "a.h5"]

    def interrupt_after_first_run(self, number):
        process = start(self.LONG, cwd=self.folder.name)
        line = process.stderr.readline()  # of the first run, 20 steps
        self.assertIn("[1/4]", line)
        time.sleep(0.3)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(len(out.splitlines()), 2)  # titles and one run
        return err

    def test_finished_runs_are_kept(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            err = self.interrupt_after_first_run(number)
            self.assertIn("1 of 4 runs", err)
            run, = runs_of(self.path("a.h5"))
            self.assertEqual(text(run["precision"]), "f64")
            self.only("a.h5", "a.h5.checkpoint")
            self.ncpbench("check", "a.h5")
            os.remove(self.path("a.h5"))
            os.remove(self.path("a.h5.checkpoint"))

    def test_between_repetitions(self):
        process = start(["run", "heavy-stack", "--precision", "f64,f32", "--steps", "5", "--repeat", "100000", "-o", "a.h5"],
                        cwd=self.folder.name)
        while not process.stderr.readline().startswith("[2/2]"):  # both runs are made; what follows is repeated
            self.assertIsNone(process.poll())
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        with h5py.File(self.path("a.h5")) as record:
            orders = [run["repeats/order"][...] for run in record["runs"].values()]
            for run, order in zip(record["runs"].values(), orders, strict=True):
                self.assertEqual(run["repeats/step_s"].shape, (len(order), 5))
        self.assertLessEqual(abs(len(orders[0]) - len(orders[1])), 1)  # a round that was cut short at most
        self.assertEqual(sorted(numpy.concatenate(orders)), list(range(sum(map(len, orders)))))

    def test_an_earlier_record_is_kept_beside(self):
        self.ncpbench("run", "heavy-stack", "--precision", "f32", "-o", "a.h5", *QUICK)
        self.assertIn("a.h5~", self.interrupt_after_first_run(signal.SIGINT))
        self.assertEqual(text(runs_of(self.path("a.h5"))[0]["precision"]), "f64")
        self.assertEqual(text(runs_of(self.path("a.h5~"))[0]["precision"]), "f32")
        self.only("a.h5", "a.h5~", "a.h5.checkpoint")

    def test_nothing_finished_leaves_nothing(self):
        for earlier in (False, True):
            if earlier:
                self.ncpbench("run", "heavy-stack", "--precision", "f32", "-o", "a.h5", "--force", *QUICK)
            process = start(["run", "heavy-stack", "--steps", "100000", "-o", "a.h5"], cwd=self.folder.name)
            while process.poll() is None and not any("partial" in name for name in os.listdir(self.folder.name)):
                time.sleep(0.01)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 130, err)
            self.assertEqual(out, "")
            self.only(*(["a.h5"] if earlier else []), "a.h5.checkpoint")
        self.assertEqual(text(runs_of(self.path("a.h5"))[0]["precision"]), "f32")

    def test_before_a_late_refusal(self):
        """what would be refused at its first step, were it not stopped while the scene settles, is not to be gone on with"""
        refused = ["run", "granular", "--set", "count=600", "--method", "lemke", "--friction-law", "polyhedral",
                   "--settle", "100000", "-o", "a.h5"]
        process = start(refused, cwd=self.folder.name)
        while process.poll() is None and "a.h5.checkpoint" not in os.listdir(self.folder.name):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertNotIn("--resume", err)
        self.only()

    def test_append_keeps_all(self):
        self.ncpbench("run", "heavy-stack", "--precision", "f32", "-o", "a.h5", *QUICK)
        self.LONG = [*self.LONG, "--append"]
        self.interrupt_after_first_run(signal.SIGTERM)
        self.assertEqual([text(r["precision"]) for r in runs_of(self.path("a.h5"))], ["f32", "f64"])
        self.only("a.h5", "a.h5.checkpoint")

    def test_a_closed_pipe_does_not_cost_the_record(self):
        process = start(["run", "heavy-stack", "--precision", "f64,f32", "-o", "a.h5", *QUICK], cwd=self.folder.name)
        process.stdout.close()
        process.stderr.read()
        process.wait(timeout=PATIENCE)
        self.assertEqual(len(runs_of(self.path("a.h5"))), 2)


class Failures(Case):
    def test_a_run_that_diverges_is_recorded_up_to_there(self):
        """Newton steps of fixed length with the minimum map and many redundant contacts; one with a line search goes on."""
        out, err = self.ncpbench("run", "wall", "--ncp", "minimum-map", "--linear-solver", "cholesky", "--steps", "4",
                                 "--newton-iterations", "60", "--line-search", "none,backtracking", "--damping", "1",
                                 "--geometry", "updated", "--linear-history", "off", "-o", "a.h5", "--repeat", "0", status=1)
        self.assertIn("diverged", out)
        self.assertRegex(err, r"ncpbench: wall, line-search none: step \d of 4 diverged \(natural-map error \S+ m/s\) .*"
                              r"--line-search backtracking")
        failed, other = runs_of(self.path("a.h5"))
        self.assertIn("diverged", text(failed["fault"]))
        self.assertEqual((failed["finished"], other["finished"]), (0, 1))
        self.assertNotIn("fault", other)
        with h5py.File(self.path("a.h5")) as record:
            steps, newton = record["runs/0000/steps"], record["runs/0000/newton"]
            error = steps["natural_map_error"][...]
            self.assertLess(len(error), 4)
            self.assertLess(max(error[:-1]), 1e-6)
            self.assertGreater(error[-1], 1e6)
            self.assertEqual(list(newton["count"][...] > 1), [True] * len(error))  # with the iterations that led there
            self.assertEqual(len(record["runs/0001/steps/natural_map_error"]), 4)
        self.ncpbench("check", "a.h5", status=2)
        out, err = self.ncpbench("report", "a.h5", "-o", "a.html")
        self.only("a.h5", "a.html")


    def test_settling_that_is_not_solved_is_told(self):
        """a jammed box has no solution in any step: what settles it says so, and what cannot record it refuses"""
        jammed = ["jammed-box", "--settle", "3"]
        _, err = self.ncpbench("run", "jammed-box,incline", "--settle", "3", *QUICK, "-o", "a.h5", status=1)
        self.assertRegex(err, r"ncpbench: jammed-box: --settle: 3 of 3 steps not converged to --settle-tolerance 1e-10 m/s")
        self.assertEqual(err.count("--settle:"), 1)
        box, block = runs_of(self.path("a.h5"))
        self.assertEqual((box["settle_unsolved"], block["settle_unsolved"], box["settle_tolerance"]), (3, 0, 1e-10))
        self.assertGreater(box["settle_error"], 1e-3)
        self.assertLess(block["settle_error"], 1e-10)
        self.ncpbench("run", *jammed, "--settle-tolerance", "1", *QUICK, "-o", "b.h5")
        self.ncpbench("run", "jammed-box", *QUICK, "-o", "c.h5")
        self.assertTrue(numpy.isnan(runs_of(self.path("c.h5"))[0]["settle_unsolved"]))
        self.only("a.h5", "b.h5", "c.h5")

    def test_a_start_without_constraints_comes_to_the_same(self):
        """momentum is balanced at the first iterate then, and only then; the solution is the same"""
        self.ncpbench("run", "heavy-stack", "--warm-start", "off,unconstrained", "--steps", "2", "--newton-tolerance", "1e-10",
                      "--newton-iterations", "60", "--linear-solver", "cholesky", "--repeat", "0", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            runs = [record["runs"][name] for name in sorted(record["runs"])]
            self.assertEqual([run.attrs["warm_start"] for run in runs], [0, 2])
            momentum = [run["newton/momentum_error"][0, 0] for run in runs]
            self.assertGreater(momentum[0], 0.05)  # g h = 0.08 m/s
            self.assertLess(momentum[1], 1e-14)
            numpy.testing.assert_allclose(runs[1]["final/u"][...], runs[0]["final/u"][...], atol=1e-9)

    def test_limits_say_what_they_do_not_mean(self):
        """Tisseur's bounds are of a dense inverse, which a large system has none of, and of a solution's neighbourhood"""
        limits = ["--limits", "on", "--steps", "1", "--repeat", "0", "--linear-history", "off"]
        out, err = self.ncpbench("run", "wall", "--set", "width=16", "--set", "height=9", *limits, "--newton-iterations", "1", "-o", "a.h5")
        self.assertRegex(err, r"wall: no accuracy limits \(NaN\): the last system has \d+ rows, more than the 4096")
        with h5py.File(self.path("a.h5")) as record:
            self.assertTrue(numpy.isnan(record["runs/0000/steps/limit_norm_a"][-1]))
        out, err = self.ncpbench("run", "heavy-stack", "--newton-iterations", "2,60", *limits, "-o", "a.h5")
        self.assertEqual(len(re.findall("accuracy limits are taken at an error of", err)), 1, err)


class Checks(Case):
    def test_a_record_that_holds(self):
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", "--steps", "5", "--newton-iterations", "40", "--linear-iterations",
                      "200")
        out, err = self.ncpbench("check", "a.h5")
        self.assertIn("passed", out)
        self.assertNotIn("FAILED", out)

    def test_a_force_that_is_wrong_fails(self):
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", "--steps", "5", "--newton-iterations", "40", "--linear-iterations",
                      "200")
        with h5py.File(self.path("a.h5"), "r+") as record:
            record["runs/0000/final/lambda_normal"][0] *= 1.5
        out, err = self.ncpbench("check", "a.h5", status=2)
        self.assertIn("FAILED", out)
        self.assertRegex(err, r"\Arun 0000 \(heavy-stack, pcr\): \d failed; every step converged, .* such as at rest\n\d+ of ")
        for change, says in ((("finished", 0), "the run was interrupted after 5 of 5 steps"),
                             (("fault", numpy.bytes_("step 5 of 6 diverged")), "failed; step 5 of 6 diverged"),
                             (("precision", numpy.bytes_("f32")), "precision f32 left a natural map of 0.0005 m/s")):
            with h5py.File(self.path("a.h5"), "r+") as record:
                record["runs/0000"].attrs.pop("texts_checksum", None)
                record["runs/0000"].attrs[change[0]] = change[1]
                record["runs/0000/steps/natural_map_error"][2] = 5e-4
            self.assertIn(says, self.ncpbench("check", "a.h5", status=2)[1])
            with h5py.File(self.path("a.h5"), "r+") as record:
                record["runs/0000"].attrs["finished"] = 1
                record["runs/0000"].attrs.pop("fault", None)

    def test_contacts_that_meet_at_the_end(self):
        """single-level finds points that are opposite each other at the end of a step, not at its start; what is left goes with rho"""
        defects = []
        for rho in "1e-5", "1e-7":
            self.ncpbench("run", "piling", "--set", "shape=box", "--set", "count=10", "--method", "single-level", "--rho", rho, "--steps", "20",
                          "-o", "a.h5", "--force")
            out, err = self.ncpbench("check", "a.h5", status=None)
            defects.append(float(re.search(r"angular momentum defect over weight times radius +(\S+)", out)[1]))
        self.assertLess(defects[1], 1e-5)
        self.assertLess(20 * defects[1], defects[0])
        self.assertLess(defects[0], 500 * defects[1])

    def test_every_scenario_without_detection(self):
        """single-level solves the first steps of every scenario of rigid bodies that has a solution, and names what it refuses"""
        smaller = {"humanoids": "count=1", "cabinets": "count=1", "granular": "count=8", "brazil-nut": "count=6", "piling": "count=4"}
        solved, unsolved, refused = 0, [], []
        for scene in re.findall(r"^  (\S+)", self.ncpbench("list", "scenarios")[0], re.M):
            words = ["run", scene, "--method", "single-level", "--steps", "2", "-o", "a.h5", "--force", "--linear-history", "off"]
            if scene in smaller:
                words += ["--set", smaller[scene]]
            out, err = self.ncpbench(*words, status=None)
            if "particles" in err:
                self.assertRegex(err.splitlines()[-1], r"^ncpbench: method single-level does not support particles \(scene has \d+\)$")
                refused.append(scene)
                continue
            with h5py.File(self.path("a.h5")) as record:
                reasons = record["runs/0000/steps/reason"]
                converged = int(re.search(r"(\d+)=converged", text(reasons.attrs["legend"]))[1])
                self.assertEqual(len(reasons), 2, scene)
                unsolved += [scene] if (reasons[:] != converged).any() else []
                solved += 1
        self.assertEqual(unsolved, ["jammed-box"])
        self.assertEqual(sorted(refused), ["ball-in-box", "ball-squish", "bar", "cantilever", "fold", "gripper", "hand-ball", "sheet", "soft-stack", "tennis-ball", "tomato", "tube-cloth", "tyre"])
        self.assertGreater(solved, 20)

    def test_columns_are_the_settings_that_differ(self):
        def columns(record):
            head, *rows = [re.split("  +", line.strip()) for line in self.ncpbench("check", record, status=None)[0].splitlines()]
            self.assertEqual(len(head), len(rows[0]))
            shown = head.index("check")
            return head[3:shown], list(dict.fromkeys(tuple(row[3:shown]) for row in rows))
        self.ncpbench("run", "heavy-stack,incline", *QUICK, "-o", "a.h5")  # which have other parameters, steps and iterations
        self.assertEqual(columns("a.h5"), ([], [()]))
        self.ncpbench("run", "heavy-stack", *QUICK, "--linear-solver", "pcr,gauss-seidel", "--preconditioner", "jacobi,ssor", "--set",
                      "mu=0.4,0.5", "-o", "b.h5")
        self.assertEqual(columns("b.h5"), (["preconditioner", "mu"], [(p, mu) for p in ("jacobi", "ssor", "none") for mu in ("0.4", "0.5")]))
        self.ncpbench("run", "heavy-stack,granular", "--set", "count=5", *QUICK, "-o", "a.h5", "--force")  # of other papers, with other methods and laws
        self.assertEqual(columns("a.h5"), ([], [()]))
        self.ncpbench("run", "heavy-stack", *QUICK, "--method", "newton,auto", "--damping", "0.5,1", "-o", "c.h5")
        names, rows = columns("c.h5")
        shown = [names.index(name) for name in ("method", "method.damping")]
        self.assertEqual([tuple(row[i] for i in shown) for row in rows], [("newton", "0.5"), ("newton", "1"), ("auto", "-")])

    def test_too_few_iterations_are_told(self):
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", *QUICK, "--linear-iterations", "3")
        self.assertRegex(self.ncpbench("check", "a.h5", status=2)[1],
                         r"\d failed; probably too few iterations: 2 of 2 step\(s\) not converged \(natural map up to .* m/s\), "
                         r"2 at the limit of 2 Newton iterations \(--newton-iterations\); linear solves at theirs of 3 ")

    def test_steps_that_met_their_tolerance_are_not_called_unsolved(self):
        _, errors = self.ncpbench("run", "blocks", "--steps", "2", "-o", "a.h5")
        self.assertNotIn("not converged", errors)
        self.assertRegex(self.ncpbench("check", "a.h5", status=2)[1],
                         r"2 of 2 step\(s\) met their tolerance and left a natural map of .* m/s at most, which a check may find too much")

    def test_a_lack_of_geometric_stiffness_is_told(self):
        for stiffness, told in ("none", True), ("diagonal", False):
            self.ncpbench("run", "sheet", "--set", "count=5", "--geometric-stiffness", stiffness, "--steps", "2", "--newton-iterations", "3", "-o",
                          f"{stiffness}.h5")
            self.assertEqual("use --geometric-stiffness diagonal" in self.ncpbench("check", f"{stiffness}.h5", status=2)[1], told)


class Figures(Case):
    def test_bad_requests(self):
        with open(self.path("file"), "w"):
            pass
        self.refused("reproduce", "macklin-fig06", "-o", "file", status=3, says=["file"])
        self.only("file")

    def test_a_figure_that_needs_no_record(self):
        for ending in ("svg", "pdf", "png"):
            out, err = self.ncpbench("figure", "macklin-fig06", "-o", f"a.{ending}")
            self.assertGreater(os.path.getsize(self.path(f"a.{ending}")), 1000)
        os.mkdir(self.path("folder"))
        self.ncpbench("figure", "macklin-fig06,macklin-fig09", "-o", "folder")
        self.assertEqual(sorted(os.listdir(self.path("folder"))), ["macklin-fig06.svg", "macklin-fig06.txt", "macklin-fig09.svg", "macklin-fig09.txt"])
        self.ncpbench("figure", "macklin-fig06,macklin-fig09", "-o", "made", "--format", "pdf,png")
        self.assertEqual(sorted(os.listdir(self.path("made"))), ["macklin-fig06.pdf", "macklin-fig06.png", "macklin-fig06.txt", "macklin-fig09.pdf", "macklin-fig09.png", "macklin-fig09.txt"])

    def test_nobodys_settings_of_gnuplot(self):
        with open(self.path(".gnuplot"), "w") as file:
            file.write("no command of gnuplot's\n")
        self.ncpbench("figure", "macklin-fig06", "-o", "a.svg", env={**os.environ, "HOME": self.folder.name})

    def test_all_that_a_record_has(self):
        self.ncpbench("run", "incline", "--precision", "f32", "--steps", "1", "--newton-iterations", "2", "--linear-iterations", "40", "-o", "a.h5")
        out, err = self.ncpbench("figure", "all", "--from", "a.h5", "-o", "out")
        self.assertEqual(out.split(), ["out/convergence.svg", "out/gradient-error.svg", "out/gradient-friction.svg", *(f"out/macklin-fig{number}.svg" for number in ("06", "09", "18")), "out/pareto.svg"])
        self.assertRegex(err, "left out, .*: .*cost, .*line-search, .*macklin-fig11, .*singular, .*true-error.*\n")
        self.refused("figure", "macklin-fig16", "--from", "a.h5", "-o", "a.svg", status=3, says=["scenario=beam", "'ncpbench reproduce macklin-fig16' makes them", "ncpbench run beam --steps 132"])

    def test_gradients_of_a_stopping_way(self):
        """smooth friction: off by T eps/(2 mu N sqrt(1 - r)), of the whole time, and a bit for the step in which it stops; hard contacts: by less, that grows as (1 - r)^-2"""
        self.ncpbench("figure", "gradient-friction", "-o", "a.svg", "--csv", "a.csv")
        with open(self.path("a.csv")) as file:
            rows = list(csv.DictReader(file))
        off, creep = ({curve: [float(r[key]) for r in rows if r["curve"] == curve] for curve in ("smoothed 1e-4", "interior-point 1e-10")} for key in ("error", "creep"))
        self.assertLess(max(float(r["hard_error"]) for r in rows), 1e-9)
        for own, known in zip(off["smoothed 1e-4"], creep["smoothed 1e-4"]):
            self.assertAlmostEqual(own / known, 1.03, delta=0.03)
        for own, known in zip(off["interior-point 1e-10"], creep["interior-point 1e-10"]):
            self.assertAlmostEqual(own / known, 0.69, delta=0.05)

    def test_an_arch_that_falls_and_a_stack_that_stands(self):
        settings = ["--precision", "f32", "--newton-iterations", "6", "--linear-iterations", "20", "--linear-history", "off"]
        self.ncpbench("run", "arch", "--set", "mu=0", "--steps", "300", "--store-states", "10", *settings, "-o", "a.h5")
        self.ncpbench("run", "heavy-stack", "--steps", "50", *settings, "--append", "-o", "a.h5")
        self.ncpbench("figure", "macklin-fig14", "--from", "a.h5", "-o", "a.svg")
        with open(self.path("a.txt")) as file, h5py.File(self.path("a.h5")) as record:
            said = file.read()
            height, time = (record["runs/0000/states/" + name][()] for name in ("q", "time"))
            height = height[:, :, 2].max(axis=1)
            sunk = record["runs/0001/steps/max_penetration"][()].max()
        fell = time[height < 0.5 * height[0]][0]
        self.assertIn(f"The crown of the arch: pcr falls at {fell:.1f} s, {height[-1]:.2f} m at the end of {height[0]:.2f} m.", said)
        self.assertIn(f"Deepest penetration, heavy-stack: pcr {sunk:.1g} m.", said)

    def test_the_papers_claims_stand_beside_the_papers_runs(self):
        self.ncpbench("reproduce", "macklin-fig17,macklin-fig18,macklin-tab02", "--quick", "-o", "made")
        for name, claim in (("fig17", "Macklin et al. (2019): identity scaling often fails"), ("fig18", "Macklin et al. (2019): Jacobi and Gauss-Seidel stagnate"),
                            ("tab02", "This machine over the paper's")):
            with open(self.path(f"made/macklin-{name}.txt")) as file:
                self.assertIn(claim, file.read())
        self.ncpbench("run", "heavy-stack", "--steps", "1", "--linear-history", "off", "-o", "a.h5")
        self.ncpbench("figure", "macklin-fig17,macklin-fig18,macklin-tab02", "--from", "a.h5", "-o", "own")
        for name in ("fig17", "fig18", "tab02"):
            with open(self.path(f"own/macklin-{name}.txt")) as file:
                self.assertNotIn("paper:", file.read().replace("paper's:", "paper:"))

    def test_what_is_missing_is_said_before_anything_runs(self):
        self.refused("reproduce", "macklin-fig18", "--quick", "-o", "out", status=3, says=["gnuplot is not installed"],
                     env={**os.environ, "PATH": "/nowhere"})
        self.only()
        self.refused("figure", "macklin-fig06", "-o", "a.svg", status=3, says=["/nowhere/ncpbench-", "TMPDIR"],
                     env={**os.environ, "TMPDIR": "/nowhere"})

    def test_an_interrupt_leaves_nothing_behind(self):
        self.ncpbench("reproduce", "macklin-fig18", "--quick", "-o", "made")
        os.mkdir(self.path("temporary"))
        for command in (["figure", "macklin-fig18", "-o", "a.svg", "--from"], ["report", "-o", "a.html"]):
            process = start([*command, "made/reproduce.h5"], cwd=self.folder.name, start_new_session=True,
                            env={**os.environ, "TMPDIR": self.path("temporary")})
            while process.poll() is None and not os.listdir(self.path("temporary")):
                time.sleep(0.001)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: gnuplot, too
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 130, err)
            self.assertEqual(err, "")
            self.assertEqual(os.listdir(self.path("temporary")), [])
            self.assertNotIn("a.html", os.listdir(self.folder.name))
            self.assertEqual([name for name in os.listdir(self.folder.name) if "partial" in name], [])

    def test_commands_that_are_shown_add_to_one_record(self):
        out, err = self.ncpbench("reproduce", "methods", "--show-runs")
        self.assertEqual([line.endswith(" --append") for line in out.splitlines()], [False] + [True] * (len(out.splitlines()) - 1))

    def test_captions_speak_of_all_runs(self):
        common = ["--steps", "1", "--lead", "3", "--newton-iterations", "1", "--linear-iterations", "5", "--repeat", "0", "-o", "a.h5"]
        self.ncpbench("run", "heavy-stack", *common, "--damping", "0.5", "--regularization", "0.001")
        self.ncpbench("run", "arch", *common, "--warm-start", "on", "--threads", "2", "--regularization-kind", "absolute", "--append")
        self.ncpbench("figure", "macklin-fig11", "--from", "a.h5", "-o", "a.svg")
        with open(self.path("a.txt"), encoding="utf-8") as file:
            drawn = file.read()
        for piece in ("damping 0.5, 0.75, regularization 0.001, 1e-06 (relative, absolute), zero, warm start",
                      "cores, 1, 2 thread(s)"):
            self.assertIn(piece, drawn)

    def test_what_reproduce_would_run_is_taken_by_run(self):
        for quick in ([], ["--quick"]):
            out, err = self.ncpbench("reproduce", "all", "--show-runs", *quick)
            self.assertGreater(len(out.splitlines()), 5)
            self.only()

    def test_reproduce_a_paper(self):
        """its name alone stands for its figures, and beside others it is no figure"""
        figures = [line.split()[0] for line in self.ncpbench("list", "figures")[0].splitlines() if line.startswith("  larionov-")]
        self.assertEqual(self.ncpbench("reproduce", "larionov", "--show-runs")[0], self.ncpbench("reproduce", ",".join(figures), "--show-runs")[0])

    def test_claims_are_judged(self):
        out, err = self.ncpbench("reproduce", "--claims", "macklin-68", "--write", "page.md")
        head, line = (text.split("\t") for text in out.splitlines())
        self.assertEqual(head, ["claim", "published", "measured", "verdict", "reason"])
        self.assertEqual(line, ["macklin-68", "-", "Identity solves a share of 1 of the steps of blocks of 1 g and 1 kg, 0 of those of 1 t and 1000 t; "
                                "effective mass solves 1.", "holds", "heavy < 0.5 and light == 1 and effective_mass == 1"])
        self.assertIn("[12/12]", err)
        with open(self.path("page.md"), encoding="utf-8") as page:
            text = page.read()
        self.assertIn("`ncpbench reproduce --claims macklin-68`", text)
        self.assertIn("| Macklin et al. 2019 | 1 | 0 |", text)
        self.assertIn(", 12 runs;", text)
        again, err = self.ncpbench("reproduce", "--claims", "macklin-68", "--write", "page.md") # the runs stand
        self.assertEqual((again, err), (out, "macklin: 1 holds\n"))
        for name, other in (("git_commit", "0123456789abcdef"), ("ncpbench_version", "0.0.1")): # runs of another program are no evidence
            with h5py.File(self.path("figures/macklin-68.h5"), "r+") as record:
                for where in [record["provenance"], *record["provenance"].values()]:
                    where.attrs[name] = numpy.bytes_(other)
                    where.attrs.pop("texts_checksum", None)
            again, err = self.ncpbench("reproduce", "--claims", "macklin-68")
            self.assertEqual(again, out)
            self.assertIn("macklin-68: its runs are of ncpbench ", err)
            self.assertIn("are made again\n", err)
            self.assertIn(other[:12], err)
            self.assertIn("[12/12]", err)
            self.assertEqual(self.ncpbench("reproduce", "--claims", "macklin-68"), (out, "macklin: 1 holds\n"))
        page = self.bytes_of("page.md")
        small = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))} # a disk that is full leaves the earlier page
        _, err = self.ncpbench("reproduce", "--claims", "macklin-68", "--write", "page.md", status=3, **small)
        self.assertIn("cannot write 'page.md'", err)
        self.assertEqual(self.bytes_of("page.md"), page)
        self.assertEqual([name for name in os.listdir(self.folder.name) if "partial" in name], [])
        runs = self.ncpbench("reproduce", "--claims", "macklin-68", "--show-runs")[0].splitlines()
        self.assertTrue(runs and all(run.startswith("ncpbench run incline ") for run in runs), runs)
        quick = self.ncpbench("reproduce", "--claims", "--quick", "--show-runs")[0]
        self.assertIn("-o macklin-68.h5", quick)
        self.assertNotIn("-o lecleach-01.h5", quick) # its runs take minutes
        self.assertIn("\nNCPBENCH=ncpbench python3 results/claims/scripts/cone_projection.py\n", quick)
        with open(self.path("mine.md"), "w", encoding="utf-8") as page:
            page.write("mine")
        self.refused("reproduce", "--claims", "macklin-68", "--write", "mine.md", says=["mine.md", "no page of claims", "--force"])

    def test_claims_take_runs_that_have_what_they_ask_for(self):
        """a record of the same runs without linear iterations does not do for a claim about these"""
        runs = self.ncpbench("reproduce", "--claims", "macklin-32", "--show-runs")[0].splitlines()
        os.mkdir(self.path("figures"))
        run = runs[0].replace("arch,beam,piling", "arch").split()[1:-2]
        self.ncpbench(*run, "--linear-history", "off", "-o", "figures/reproduce.h5")
        out, _ = self.ncpbench("reproduce", "--claims", "macklin-32")
        self.assertIn("\tholds\tapart <= 1e-6", out)
        self.assertEqual(self.ncpbench("reproduce", "--claims", "macklin-32"), (out, "macklin: 1 holds\n"))

    def test_claims_are_judged_by_scripts(self):
        """what one prints is kept, until the script is another"""
        line = ("reproduce", "--claims", "tasora-07", "-o", "out", "--write", "page.md")
        out, err = self.ncpbench(*line)
        self.assertIn("\tholds\tbreach <= 1e-12", out)
        self.assertEqual(err, "tasora-07\ntasora: 1 holds\n")
        with open(self.path("page.md"), encoding="utf-8") as page:
            self.assertIn("; [cone_projection.py](scripts/cone_projection.py)", page.read())
        self.assertEqual(self.ncpbench(*line), (out, "tasora: 1 holds\n"))
        kept = self.path("out/tasora-07.txt")
        with open(kept, encoding="utf-8") as file:
            text = file.read()
        with open(kept, "w", encoding="utf-8") as file:
            file.write(text.replace("cone_projection.py (", "cone_projection.py (0"))
        self.assertEqual(self.ncpbench(*line), (out, err))
        for length in (9, len(text) - 30): # cut short, it is no answer
            with open(kept, "w", encoding="utf-8") as file:
                file.write(text[:length])
            self.assertEqual(self.ncpbench(*line), (out, err), length)
        with open(kept, "w", encoding="utf-8") as file: # nor where a digit is another
            file.write(re.sub(r"(?m)^breach .*$", "breach 0", text))
        self.assertEqual(self.ncpbench(*line), (out, err))
        with open(kept, "w", encoding="utf-8") as file:
            file.write("mine")
        self.assertIn("is there and is no text of a claim's script of ncpbench", self.ncpbench(*line)[0])
        self.assertEqual(self.ncpbench(*line, "--force"), (out, err))

    def test_figures_without_their_files_are_left_out(self):
        self.assertEqual(self.ncpbench("reproduce", "robots", "-o", "out"),
                         ("", "figure robots is left out: there is no 'robots/a2.json'; python3 results/studies/standing_robots.py PACKAGES --scenes robots makes it\n"))
        self.only()

    def test_reproduce_one(self):
        self.ncpbench("reproduce", "macklin-fig06", "-o", "out", "--format", "svg,png")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["macklin-fig06.png", "macklin-fig06.svg", "macklin-fig06.txt"])

    def test_a_tolerance_not_met_is_a_result(self):
        out, err = self.ncpbench("reproduce", "jammed", "--quick", "-o", "out") # status 0
        self.assertIn("not converged", out)


class Bench(Case):
    QUICK = ["--contacts", "100"]

    def test_a_record_of_timings(self):
        out, err = self.ncpbench("bench", "operator,newton", "--threads", "1,2", *self.QUICK, "-o", "b.h5", "--title", "a title")
        printed = [line.split("\t") for line in out.splitlines()[1:]]
        with h5py.File(self.path("b.h5")) as record:
            self.assertEqual(text(record.attrs["title"]), "a title")
            self.assertTrue(text(record.attrs["command"]).startswith("ncpbench bench operator,newton --threads 1,2"))
            self.assertIn("cpu_model", record["provenance"].attrs)
            self.assertEqual(len(record["runs"]), 0)
            bench = {name: data[...] for name, data in record["bench"].items()}
            for name, data in record["bench"].items():
                self.assertTrue(text(data.attrs["units"]) and text(data.attrs["long_name"]), name)
            self.assertEqual(record["bench/samples"].dims[0][0].name, "/bench/row")
        self.assertEqual(len(bench["row"]), len(printed))
        for i, row in enumerate(printed):
            self.assertEqual([text(bench["kernel"][i]), str(bench["contacts"][i]), text(bench["precision"][i]),
                              str(bench["threads"][i])], row[:4])
            samples = bench["samples"][i]
            count = bench["count"][i]
            self.assertTrue(numpy.isfinite(samples[:count]).all() and numpy.isnan(samples[count:]).all())
            for name, column, value in (("median", 4, numpy.median(samples[:count])), ("least", 7, samples[:count].min()),
                                        ("most", 8, samples[:count].max())):
                self.assertAlmostEqual(bench[name][i] / value, 1, delta=1e-12)  # round-off of a mean of two
                self.assertEqual(row[column], f"{bench[name][i]:.4g}")
        self.assertEqual({text(order) for order in bench["order"]}, {"built"})
        fraction = bench["bytes"] / bench["median"] / bench["triad"]
        numpy.testing.assert_allclose(bench["fraction"], fraction, rtol=1e-12)
        self.only("b.h5")

    def test_the_shares_of_a_newton_iteration_make_it_up(self):
        self.ncpbench("bench", "newton", "--precision", "f64", "--contacts", "500", "-o", "b.h5")
        with h5py.File(self.path("b.h5")) as record:
            bench = {text(k): s[:n] for k, s, n in
                     zip(record["bench/kernel"], record["bench/samples"][...], record["bench/count"])}
        shares = [f"newton:{name}" for name in ("assemble", "set-up", "solve", "update", "record")]
        self.assertEqual(list(bench), ["newton", "newton:detect", "newton:begin", *shares])
        for name in bench:
            self.assertTrue((bench[name] > 0).all(), name)
        numpy.testing.assert_allclose(sum(bench[name] for name in shares), bench["newton"], rtol=1e-9)  # round-off

    def test_derivatives_of_a_step(self):
        out, _ = self.ncpbench("bench", "gradient", "--contacts", "1,4", "--precision", "f64")
        rows = [line.split("\t") for line in out.splitlines()[1:]]
        self.assertEqual([(row[0], row[1]) for row in rows],
                         [(f"gradient:{method}:{part}", pairs) for pairs in "14" for method in ("newton", "interior-point", "single-level")
                          for part in ("step", "forward", "adjoint")])
        self.assertTrue(all(float(row[4]) > 0 for row in rows), out)
        self.assertRegex(self.ncpbench("bench", "gradient", "--contacts", "4", "--precision", "f32", status=64)[1], "precision f64 only")

    def test_smoothed_friction(self):
        out, _ = self.ncpbench("bench", "friction", "--contacts", "1,300")
        rows = [line.split("\t") for line in out.splitlines()[1:]]
        self.assertEqual([row[:3] for row in rows], [[f"friction:{part}", contacts, precision] for contacts in ("1", "300")
                                                     for precision in ("f32", "f64") for part in ("law", "force", "block")])
        self.assertTrue(all(float(row[4]) > 0 for row in rows), out)
        self.assertRegex(self.ncpbench("bench", "friction", "--precision", "mixed", status=64)[1], "not support precision mixed")
        out, _ = self.ncpbench("bench", "smoothed", "--contacts", "300", "--precision", "f64")
        self.assertRegex(out.splitlines()[1], r"\Asmoothed\t\d+\tf64\t1\t")
        # a matrix that is singular to f32 takes more mass
        self.ncpbench("run", "wall", "--precision", "f32", "--method", "smoothed", "--initial-contact", "loaded", "--steps", "1", "-o", "w.h5")

    def test_preconditioners_are_timed_by_number(self):
        out, _ = self.ncpbench("bench", "preconditioners", "--contacts", "60", "--precision", "f64", "-o", "b.h5")
        rows = [line.split("\t") for line in out.splitlines()[1:]]
        names = {entry["name"] for entry in json.loads(self.ncpbench("list", "preconditioners", "--format", "json")[0])["preconditioners"]} - {"none", "schur", "ilut"}
        self.assertEqual({tuple(row[0].split(":")) for row in rows}, {("precond", name, part) for name in names for part in ("set-up", "apply")} | {("precond", "product", "apply")})
        for row in rows:
            self.assertGreater(int(row[1]), 0)
            self.assertGreaterEqual(float(row[4]), 0)
        self.ncpbench("figure", "preconditioner-study-bandwidth", "--from", "b.h5", "--csv", "b.csv", "-o", "b.svg")
        with open(self.path("b.csv"), encoding="utf-8") as file, h5py.File(self.path("b.h5")) as record:
            bench = record["bench"]
            expected = {text(kernel).split(":")[1]: (contacts * bytes_, bytes_ / median) for kernel, contacts, bytes_, median in
                        zip(bench["kernel"], bench["contacts"], bench["bytes"], bench["median"]) if text(kernel).endswith(":apply")}
            drawn = {row["curve"]: (float(row["bytes"]), float(row["gb_s"])) for row in csv.DictReader(file)}
        self.assertEqual(set(drawn), names | {"product"})
        for name, values in drawn.items():
            numpy.testing.assert_allclose(values, expected[name], rtol=1e-8)
        self.assertRegex(self.ncpbench("bench", "preconditioners", "--precision", "mixed", status=64)[1], "not support precision mixed")

    def test_devices(self):
        kernels = ["operator", "pcr", "gauss-seidel", "accuracy", "assembly", "island", "batch"]
        out, err = self.ncpbench("bench", ",".join(kernels), "--device", "cpu,emulated", "--precision", "f32", *self.QUICK, "-o", "b.h5")
        self.assertRegex(err, r"\Ancpbench: bench: device emulated [^\n]*nothing of a GPU\n(ncpbench: bench: accuracy, [^\n]* does not reach\n)*\Z")
        rows = [dict(zip(out.splitlines()[0].split("\t"), line.split("\t"))) for line in out.splitlines()[1:]]
        found = {device: [row["kernel"] for row in rows if row["device"] == device] for device in ("cpu", "emulated")}
        self.assertEqual(found["cpu"][:3], ["operator", "pcr", "gauss-seidel"])
        self.assertEqual(found["cpu"][-1], "assembly")
        self.assertEqual(found["emulated"][-4:], ["island", "island:wall", "batch", "batch:wall"])
        for device in found:
            self.assertIn("accuracy:1e-02", found[device])
            self.assertIn("pcr", found[device])
        with h5py.File(self.path("b.h5")) as record:
            self.assertEqual([text(device) for device in record["bench/device"]], [row["device"] for row in rows])
            self.assertEqual([str(n) for n in record["bench/scenes"]], [row["scenes"] for row in rows])
            self.assertFalse((record["bench/triad"][...] <= 0).any())  # NaN on a busy machine

    def test_accuracies_that_are_not_reached(self):
        out, err = self.ncpbench("bench", "accuracy", "--contacts", "672", "--precision", "f32")
        self.assertEqual([line.split("\t")[0] for line in out.splitlines()[1:]], ["accuracy:1e-02", "accuracy:1e-04"])
        self.assertRegex(err, r"\Ancpbench: bench: accuracy, 672 contacts, f32, cpu left out: solves to 1e-06 [^\n]*\n\Z")

    def test_the_help_names_all_kernels(self):
        names = re.search(r"known: ([^)]*)", self.ncpbench("bench", "friktion", status=64)[1])[1].split(", ")
        text_ = re.sub(r"\s+", " ", self.ncpbench("bench", "--help")[0])
        for name in names:
            self.assertRegex(text_, rf"[ (]{name} \(|[ (]{name},", name)

    def test_what_devices_do_not_take(self):
        out, err = self.ncpbench("bench", "island", "--device", "emulated", "--precision", "f64", "--contacts", "100,5000", "-o", "b.h5")
        self.assertEqual(len(out.splitlines()), 3)
        self.assertRegex(err, r"\nncpbench: bench: island, 5000 contacts, f64, emulated left out: [^\n]*one block of threads takes 256[^\n]*\n\Z")

    def test_commands_that_want_runs_say_so_in_one_line(self):
        self.ncpbench("bench", "operator", "--precision", "f64", *self.QUICK, "-o", "b.h5")
        for command in (["check", "b.h5"], ["report", "b.h5"], ["compare", "b.h5", "b.h5"]):
            self.refused(*command, status=3, says=["b.h5", "timings"])

    def test_the_figure_of_costs_is_drawn_from_timings(self):
        self.ncpbench("bench", "newton", "--contacts", "100,300", "--threads", "1,2", "-o", "b.h5")
        self.ncpbench("figure", "cost", "--from", "b.h5", "-o", "c.svg")
        drawing = "".join(pathlib.Path(self.path(name)).read_text(encoding="utf-8") for name in ("c.svg", "c.txt"))
        for word in ("f32 both", "f64-2-threads both", "ncpbench bench newton"):
            self.assertIn(word, drawing)
        self.ncpbench("bench", "operator", *self.QUICK, "-o", "o.h5")
        self.refused("figure", "cost", "--from", "o.h5", "-o", "c.svg", status=3, says=["cost", "timings of newton"])
        self.refused("figure", "profile", "--from", "b.h5", "-o", "c.svg", status=3, says=["no runs"])

    def test_the_figure_of_devices_is_drawn_from_timings(self):
        devices = {"cpu": ("cpu", 200, 30), "cuda": ("cuda", 4500, 4000), "emulated": ("emulated", 1e5, 3)} # by a formula
        for name, chosen, says in (("all", devices, None), ("one", ["cuda", "emulated"], "of device cpu"),
                                   ("none", ["cpu", "emulated"], "of a GPU (rows of device emulated say nothing of a GPU)"), ("only", ["emulated"], "no timings of pcr (rows")):
            self.ncpbench("bench", "pcr", "--precision", "f64", *self.QUICK, "-o", f"{name}.h5")
            synthetic_timings(self.path(f"{name}.h5"), [devices[device] for device in chosen])
            if says:
                self.refused("figure", "devices", "--from", f"{name}.h5", "-o", "d.svg", status=3, says=["devices", says, "--device cpu,cuda"])
        self.ncpbench("figure", "devices", "--from", "all.h5", "-o", "d.svg")
        drawing = "".join(pathlib.Path(self.path(name)).read_text(encoding="utf-8") for name in ("d.svg", "d.txt"))
        for word in ("SYNTHETIC", "cpu-f32", "cuda-f64", "bandwidth", "Rows of device emulated are left out"):
            self.assertIn(word, drawing)
        self.assertIn("cores; no GPU: a test", drawing) # the name of the GPU in the line of the source
        self.assertNotIn("emulated-f", drawing)
        # 324 B a contact at 4000 GB/s, 1.25 times as long and 4.5 us
        self.assertIn("cuda-f32 1.02e+03 µs an iteration of 1e+07 contacts (limit 810)", drawing)
        self.refused("figure", "devices", "--from", "all.h5", "--to", "1e-6", "-o", "e.svg", status=3, says=["no solves to 1e-06"])
        self.assertIn("a solve to 1e-04 of its start", pathlib.Path(self.path("d.svg")).read_text(encoding="utf-8"))
        synthetic_timings(self.path("all.h5"), [devices["cpu"], devices["cuda"]], ["pcr"])
        self.ncpbench("figure", "devices", "--from", "all.h5", "-o", "d.svg")
        drawing = "".join(pathlib.Path(self.path(name)).read_text(encoding="utf-8") for name in ("d.svg", "d.txt"))
        self.assertNotIn("accuracy", drawing.lower()) # of iterations alone
        synthetic_timings(self.path("all.h5"), [devices["cpu"], devices["cuda"]], ["accuracy:1e-04"])
        self.refused("figure", "devices", "--from", "all.h5", "-o", "d.svg", status=3, says=["no timings of pcr, which", "several records"])
        # processor and GPU in a record each
        self.ncpbench("bench", "pcr", "--precision", "f64", *self.QUICK, "-o", "here.h5")
        synthetic_timings(self.path("here.h5"), [devices["cpu"]])
        self.ncpbench("figure", "devices", "--from", "one.h5,here.h5", "-o", "two.svg")
        two = pathlib.Path(self.path("two.txt")).read_text(encoding="utf-8")
        self.assertIn("(first record)", two)
        self.assertIn("cuda-f32 1.02e+03 µs an iteration of 1e+07 contacts (limit 810)", two)
        self.assertIn("cpu-f32", two)
        # a curve has the same colour in both panels, whatever the order of the rows of the second
        shutil.copy(self.path("here.h5"), self.path("accuracy.h5"))
        synthetic_timings(self.path("here.h5"), [devices["cuda"], devices["cpu"]], ["pcr"])
        drawings = []
        for order in (("cuda", "cpu"), ("cpu", "cuda")):
            synthetic_timings(self.path("accuracy.h5"), [devices[device] for device in order], ["accuracy:1e-04"])
            self.ncpbench("figure", "devices", "--from", "here.h5,accuracy.h5", "-o", "order.svg")
            drawings.append(pathlib.Path(self.path("order.svg")).read_bytes())
        self.assertEqual(drawings[0], drawings[1])
        # curves without an iteration timed are drawn in the second panel alone
        synthetic_timings(self.path("accuracy.h5"), [("cuda", 4500, 4000), ("cuda2", 4500, 2000)], ["accuracy:1e-04"])
        self.ncpbench("figure", "devices", "--from", "here.h5,accuracy.h5", "-o", "more.svg")
        more = pathlib.Path(self.path("more.txt")).read_text(encoding="utf-8")
        self.assertNotIn("nan", more)
        self.assertIn("cuda2-f32", pathlib.Path(self.path("more.svg")).read_text(encoding="utf-8"))

    def test_a_place_that_cannot_be_written_is_refused_before_anything_is_timed(self):
        os.mkdir(self.path("folder"))
        self.refused("bench", "-o", "folder", status=3, says=["folder"])
        with open(self.path("b.h5.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refused("bench", "-o", "b.h5", status=3, says=["another process"])

    def test_an_interrupt_keeps_what_was_finished_and_the_earlier_record(self):
        self.ncpbench("bench", "operator", "--precision", "f64", *self.QUICK, "-o", "b.h5")
        before = self.bytes_of("b.h5")
        process = start(["bench", "operator", "--contacts", ",".join(["100"] * 16), "--threads", ",".join(["1"] * 16),
                         "-o", "b.h5"], cwd=self.folder.name)
        process.stdout.readline()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        with h5py.File(self.path("b.h5")) as record:
            self.assertIn(len(record["bench/row"]), range(1, 512))
        self.assertEqual(self.bytes_of("b.h5~"), before)
        self.only("b.h5", "b.h5~")


class Environment(Case):
    def test_info(self):
        out, err = self.ncpbench("info")
        for word in ("ncpbench", "commit", "compiler", "processor", "BLAS", "CHOLMOD", "HDF5", "devices"):
            self.assertRegex(out, rf"(?m)^{word} ")

    def has_avx2(self):
        with open("/proc/cpuinfo") as file:
            return " avx2 " in file.read()

    def test_blas_knows_the_processor(self):
        """with AVX2 about, OpenBLAS must not be left on kernels without it"""
        if not self.has_avx2():
            self.skipTest("a processor without AVX2")
        core = re.search(r"core type (\S+)", self.ncpbench("info")[0]).group(1)
        self.assertNotIn(core, ("Prescott", "Core2", "Penryn", "Nehalem"))

    def test_the_users_core_type_stands_with_a_warning(self):
        environment = {**os.environ, "OPENBLAS_CORETYPE": "Prescott"}
        out, err = self.ncpbench("info", env=environment)
        if "core type Prescott" not in out:
            self.skipTest("this OpenBLAS has no Prescott kernels")
        if self.has_avx2():
            self.assertRegex(out, r"(?m)^  - OpenBLAS takes this processor for a Prescott")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *(sys.argv[1:] or [])])
