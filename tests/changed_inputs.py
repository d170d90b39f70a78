"""Inputs that change between an interruption and --resume, or while they are used: refused by name, never two problems in
one record.

    NCPBENCH=build/ncpbench python3 tests/changed_inputs.py [Class...]

Each class is a test of ctest (changed_inputs_Class).
"""
import hashlib
import json
import os
import shutil
import signal
import time
import unittest

import numpy

from cli_case import PATIENCE, Case, parameters_of, runs_of, start, write_fclib
from plugins import ROOT, SOURCES, compile_plugin, environment
from resume import numbers

STEPS = ["--steps", "300", "--method", "auto", "--checkpoint", "0", "--repeat", "0", "--linear-history", "off"]


def friction(scene):
    for body in scene["bodies"]:
        body["friction"] = 0.05


def mass(scene):
    for body in scene["bodies"]:
        if "mass_kg" in body:
            body["mass_kg"] *= 100
            body["inertia_kg_m2"] = [100 * x for x in body["inertia_kg_m2"]]


def gravity(scene):
    scene["gravity_m_s2"] = [0, 0, -3]


def step(scene):
    scene["time_step_s"] = 0.001


def shape(scene):
    scene["shapes"][-1] = {"kind": "sphere", "radius_m": 0.01}


def fewer(scene):
    scene["bodies"].pop()


def motion(scene):
    scene["bodies"][0]["kind"] = "kinematic"
    scene["motion"] = [{"bodies": [0], "times_s": [0, 1], "velocity_m_s": [[1, 0, 0], [1, 0, 0]]}]


class Interrupted(Case):
    def sha256(self, name):
        return hashlib.sha256(self.bytes_of(name)).hexdigest()

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def stop(self, arguments, **options):
        """killed after its first checkpoint"""
        process = start(arguments, cwd=self.folder.name, **options)
        while process.poll() is None and not os.path.exists(self.path("a.h5.checkpoint")):
            time.sleep(0.002)
        process.kill()
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, -signal.SIGKILL, err)

    def same(self, one, other):
        a, b = numbers(self.path(one)), numbers(self.path(other))
        self.assertEqual(sorted(a), sorted(b))
        for key in a:
            self.assertEqual(a[key], b[key], key)


class Runs(Interrupted):
    def test_a_scene_file(self):
        """each change of a scene is refused by the file's name; put back, it goes on to the very bits"""
        self.ncpbench("export", "heavy-stack", "--at", "0", "--format", "scene", "-o", "x.json")
        whole = self.bytes_of("x.json")
        self.ncpbench("run", "x.json", *STEPS, "-o", "whole.h5")
        self.stop(["run", "x.json", *STEPS, "-o", "a.h5"])
        for change in (friction, mass, gravity, step, shape, fewer, motion):
            scene = json.loads(whole)
            change(scene)
            self.write("x.json", json.dumps(scene).encode())
            self.refused("run", "--resume", "a.h5", status=3, says=["'x.json' has changed", self.sha256("x.json")[:32]])
        self.write("x.json", whole)
        self.ncpbench("run", "--resume", "a.h5")
        self.same("a.h5", "whole.h5")

    def test_kernels(self):
        if "kernels for baseline\n" in self.ncpbench("info")[0]:
            self.skipTest("one set of kernels only")
        self.stop(["run", "heavy-stack", *STEPS, "-o", "a.h5"], env={**os.environ, "NCPBENCH_KERNELS": "baseline"})
        self.refused("run", "--resume", "a.h5", status=3, says=["NCPBENCH_KERNELS", "then baseline"])
        self.ncpbench("run", "--resume", "a.h5", env={**os.environ, "NCPBENCH_KERNELS": "baseline"})

    def test_a_plugin(self):
        """its checksum is in the record, and it must be the same when a run goes on"""
        compile_plugin(os.path.join(SOURCES, "example.c"), self.path("p.so"), f"-I{ROOT}/core")
        arguments = ["run", "heavy-stack", "--plugin", "./p.so", "--linear-solver", "example-richardson", "--steps", "3000",
                     "--newton-iterations", "2", "--linear-iterations", "3", "--checkpoint", "0", "--repeat", "0"]
        self.stop([*arguments, "-o", "a.h5"], env=environment())
        whole = self.bytes_of("p.so")
        os.remove(self.path("p.so"))  # another file: what is mapped must not change
        self.write("p.so", whole + b" ")
        self.refused("run", "--resume", "a.h5", status=3, says=["'./p.so' has changed"], env=environment())
        os.remove(self.path("p.so"))
        self.write("p.so", whole)
        self.ncpbench("run", "--resume", "a.h5", env=environment())
        self.assertEqual(parameters_of(runs_of(self.path("a.h5"))[0])["linear-solver.plugin-sha256"], self.sha256("p.so"))

    def test_the_state_that_a_run_begins_with(self):
        self.ncpbench("run", "heavy-stack", "--steps", "1", "--repeat", "0", "-o", "from.h5")
        self.stop(["run", "heavy-stack", "--from", "from.h5", *STEPS, "-o", "a.h5"])
        self.ncpbench("run", "heavy-stack", "--steps", "2", "--repeat", "0", "-o", "from.h5", "--force")
        self.refused("run", "--resume", "a.h5", status=3, says=["'from.h5' has changed"])


class Suites(Interrupted):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("p"))
        rng = numpy.random.default_rng(1)
        for i in range(4):
            rows = 30 + 3 * i
            j = rng.standard_normal((rows, rows + 3)) / numpy.sqrt(rows)
            write_fclib(self.path(f"p/{i}.hdf5"), j @ j.T, rng.standard_normal(rows), rng.uniform(0.1, 0.9, rows // 3))
        self.arguments = ["suite", "p", "--repeat", "0", "--newton-iterations", "3", "-o", "a.h5"]

    def stop_suite(self):
        process = start(self.arguments, cwd=self.folder.name)
        process.stderr.readline()
        process.kill()
        process.communicate(timeout=PATIENCE)

    def test_files_that_change(self):
        self.stop_suite()
        if not os.path.exists(self.path("a.h5.checkpoint")):
            self.skipTest("the suite was through before it was killed")
        whole = self.bytes_of("p/3.hdf5")
        for name in ("0", "3"):  # solved before; not yet
            shutil.copy(self.path(f"p/{name}.hdf5"), self.path("kept"))
            shutil.copy(self.path("p/1.hdf5"), self.path(f"p/{name}.hdf5"))
            self.refused("suite", "--resume", "a.h5", status=3, says=[f"'{name}.hdf5' has changed"])
            shutil.copy(self.path("kept"), self.path(f"p/{name}.hdf5"))
        os.remove(self.path("p/3.hdf5"))
        self.refused("suite", "--resume", "a.h5", status=3, says=["'3.hdf5' is missing"])
        self.write("p/3.hdf5", whole)
        shutil.copy(self.path("p/1.hdf5"), self.path("p/4.hdf5"))
        self.refused("suite", "--resume", "a.h5", status=3, says=["'4.hdf5' is new"])
        os.remove(self.path("p/4.hdf5"))
        self.ncpbench("suite", "--resume", "a.h5", status=None)
        self.assertEqual([parameters_of(run)["problem-sha256"] for run in runs_of(self.path("a.h5"))],
                         [self.sha256(f"p/{i}.hdf5") for i in range(4)])

    def test_a_file_that_changes_while_the_suite_runs(self):
        """its runs are failed ones: what was solved is not what the record would name"""
        process = start(self.arguments, cwd=self.folder.name)
        process.stderr.readline()
        shutil.copy(self.path("p/0.hdf5"), self.path("new"))
        os.rename(self.path("new"), self.path("p/3.hdf5"))
        process.communicate(timeout=PATIENCE)
        last = runs_of(self.path("a.h5"))[-1]
        if parameters_of(last)["problem-sha256"] != self.sha256("p/3.hdf5") and last["finished"]:
            self.skipTest("the suite was through before the file changed")
        self.assertIn("was changed while the suite ran", str(last["fault"]))

    def test_solve(self):
        """a problem file, and a right-hand side, by their checksums"""
        self.ncpbench("solve", "p/0.hdf5", "-o", "b.h5", status=None)
        self.assertEqual(parameters_of(runs_of(self.path("b.h5"))[0])["problem-sha256"], self.sha256("p/0.hdf5"))
        self.write("A.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n")
        self.write("b.mtx", b"%%MatrixMarket matrix array real general\n2 1\n1\n2\n")
        self.ncpbench("solve", "A.mtx", "--rhs", "b.mtx", "--linear-solver", "klu", "-o", "c.h5")
        parameters = parameters_of(runs_of(self.path("c.h5"))[0])
        self.assertEqual((parameters["problem-sha256"], parameters["rhs-sha256"]), (self.sha256("A.mtx"), self.sha256("b.mtx")))


if __name__ == "__main__":
    unittest.main()
