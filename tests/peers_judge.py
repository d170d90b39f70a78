"""The judge of the comparison against places, speeds and forces whose errors are known. No engine takes part;

NCPBENCH names the program, which exports the scenes."""
import itertools
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results/studies/peers"))
import compare
import h5py
import judge
import ncpbench
import problems
from scene import Scene, rotation

SEED = int(os.environ.get("NB_TEST_SEED", "7"))


def turn_about(axis, angle):
    axis = numpy.array(axis, dtype=float) / numpy.linalg.norm(axis)
    return numpy.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])


def result_of(scene, q, u=None, h=0.01, after=None, contacts=None):
    """a motion of these frames, 0.1 s apart"""
    q = numpy.array(q)
    u = numpy.zeros((len(q), len(scene.mass), 6)) if u is None else u
    found = {"time": 0.1 * numpy.arange(len(q)), "q": q, "u": u, "seconds": numpy.ones(1), "before": numpy.zeros((len(scene.mass), 6)),
             "after": numpy.zeros((len(scene.mass), 6)) if after is None else after}
    if contacts is not None:
        found["contacts"] = numpy.array(contacts, dtype=float)
    return found


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="peers-test-")
        cls.addClassCleanup(cls.folder.cleanup)

    def scene(self, *words):
        path = os.path.join(self.folder.name, "scene.json")
        ncpbench.export(words, path)
        return Scene(path)


class Overlap(Case):
    def test_two_boxes_pressed_together(self):
        scene = self.scene("heavy-stack", "--set", "count=2")
        for depth in (0, 1e-9, 1e-3, 0.3):
            q = scene.q.copy()
            q[2, 2] -= depth
            self.assertAlmostEqual(judge.Overlaps(scene).deepest(q), depth, delta=1e-15)

    def test_however_the_pair_is_turned_and_moved(self):
        print("NB_TEST_SEED", SEED)
        random = numpy.random.default_rng(SEED)
        scene = self.scene("heavy-stack", "--set", "count=2")
        scene.q[0, 2] = -100  # the ground is out of the way
        for yaw, depth in itertools.product((0, 0.3, math.pi / 4), (1e-6, 0.02)):
            q = scene.q.copy()
            q[1, :3], q[2, :3], q[2, 3:] = 0, [0.1, -0.05, 1 - depth], turn_about([0, 0, 1], yaw)
            turn = random.normal(size=4)
            turn /= numpy.linalg.norm(turn)
            for b in (1, 2):
                q[b, :3] = rotation(turn) @ q[b, :3] + [1, 2, 3]
                w, v, w2, v2 = turn[0], turn[1:], q[b, 3], q[b, 4:].copy()
                q[b, 3:] = [w * w2 - v @ v2, *(w * v2 + w2 * v + numpy.cross(v, v2))]
            self.assertAlmostEqual(judge.Overlaps(scene).deepest(q), depth, delta=1e-13)

    def test_a_corner_in_a_face_and_an_edge_across_an_edge(self):
        scene = self.scene("heavy-stack", "--set", "count=2")
        scene.q[0, 2] = -100
        q = scene.q.copy()
        q[1, :3] = 0
        diagonal = turn_about(numpy.cross([1, 1, 1], [0, 0, 1]), math.acos(1 / math.sqrt(3)))  # one corner points down
        q[2] = [0, 0, 0.5 + math.sqrt(3) / 2 - 0.01, *diagonal]
        self.assertAlmostEqual(judge.Overlaps(scene).deepest(q), 0.01, delta=1e-12)
        # edges: the lower box's upper edge along y at its top after a turn by 45 degrees, the upper one's along x
        q[1, 3:] = turn_about([0, 1, 0], math.pi / 4)
        q[2] = [0, 0, math.sqrt(2) - 0.01, *turn_about([1, 0, 0], math.pi / 4)]
        self.assertAlmostEqual(judge.Overlaps(scene).deepest(q), 0.01, delta=1e-12)

    def test_bodies_that_are_apart(self):
        scene = self.scene("piling", "--set", "shape=box", "--set", "count=30")
        self.assertEqual(judge.Overlaps(scene).deepest(scene.q), 0)

    def test_polyhedra_that_touch(self):
        scene = self.scene("arch")
        overlaps = judge.Overlaps(scene)
        self.assertLess(overlaps.deepest(scene.q), 1e-12)
        q = scene.q.copy()
        q[1, 2] -= 0.004  # a foot, into the ground
        self.assertAlmostEqual(overlaps.deepest(q), 0.004, delta=1e-12)

    def test_spheres_and_a_slope(self):
        scene = self.scene("piling", "--set", "shape=sphere", "--set", "count=2", "--set", "spacing=0", "--set", "jitter=0")
        q = scene.q.copy()
        radius = scene.shapes[scene.shape[1]].radius
        q[1, :3], q[2, :3] = [0, 0, 10], [0, 0, 10 + 2 * radius - 0.002]
        self.assertAlmostEqual(judge.Overlaps(scene).deepest(q), 0.002, delta=1e-13)
        slope = self.scene("incline")
        q = slope.q.copy()
        q[1, :3] -= 0.003 * slope.ground()
        self.assertAlmostEqual(judge.Overlaps(slope).deepest(q), 0.003, delta=1e-13)


class Motion(Case):
    def judged(self, scene, kind, *frames, **more):
        return judge.judge(scene, kind, 0.01, result_of(scene, frames, **more))

    def test_rest(self):
        scene = self.scene("heavy-stack", "--set", "count=3")
        still = self.judged(scene, "rest", scene.q, scene.q, scene.q)
        self.assertEqual((still["drift"], still["sinking"], still["creep"]), (0, 0, 0))
        self.assertAlmostEqual(still["support"], 0, delta=1e-15)
        moved = scene.q.copy()
        moved[3, :3] += [0.03, 0.04, -0.12]
        found = self.judged(scene, "rest", scene.q, scene.q, moved)
        self.assertAlmostEqual(found["drift"], 0.13)
        self.assertAlmostEqual(found["sinking"], 0.12)
        self.assertAlmostEqual(found["creep"], 0.05 / 0.1)  # in the second half: from 0.1 s on

    def test_sliding_as_it_should(self):
        scene, g = self.scene("incline"), 9.81
        acceleration = g * (math.sin(0.5) - 0.3 * math.cos(0.5))
        down, frames = numpy.array([math.cos(0.5), 0, -math.sin(0.5)]), []
        for t in (0, 0.1, 0.2):
            frames.append(scene.q.copy())
            frames[-1][1, :3] += 0.5 * acceleration * t * (t + 0.01) * down
        after = numpy.zeros((2, 6))
        after[1, :3] = 0.01 * acceleration * down
        normal = numpy.array([math.sin(0.5), 0, math.cos(0.5)])
        force = scene.mass[1] * g * math.cos(0.5) * (normal - 0.3 * down)
        found = self.judged(scene, "slide", *frames, after=after, contacts=[[1, 0, *force, *normal]])
        for name in compare.MEASURES:
            self.assertAlmostEqual(found[name], 0, delta=1e-12, msg=name)
        # at rest it is not
        self.assertGreater(self.judged(scene, "rest", *frames)["drift"], 0.03)
        self.assertAlmostEqual(self.judged(scene, "slide", *frames)["support"], acceleration / g, delta=1e-12)

    def test_forces(self):
        scene = self.scene("heavy-stack", "--set", "count=1")
        weight, up = scene.weight, [0, 0, 1]
        whole = self.judged(scene, "rest", scene.q, scene.q, scene.q, contacts=[[1, 0, 0, 0, weight, *up]])
        self.assertEqual([round(whole[name], 12) for name in ("reported", "balance", "cone")], [0, 0, 0])
        # the other way round, as an engine may list the pair
        other = self.judged(scene, "rest", scene.q, scene.q, scene.q, contacts=[[0, 1, 0, 0, -weight, 0, 0, -1]])
        self.assertEqual([round(other[name], 12) for name in ("reported", "balance", "cone")], [0, 0, 0])
        short = self.judged(scene, "rest", scene.q, scene.q, scene.q, contacts=[[1, 0, 0, 0, 0.9 * weight, *up]])
        self.assertAlmostEqual(short["reported"], 0.1)
        self.assertAlmostEqual(short["balance"], 0.1)
        # mu is 0.5
        skew = self.judged(scene, "rest", scene.q, scene.q, scene.q, contacts=[[1, 0, 0.7 * weight, 0, weight, *up]])
        self.assertAlmostEqual(skew["cone"], 0.2 / math.hypot(0.7, 1))
        pull = self.judged(scene, "rest", scene.q, scene.q, scene.q, contacts=[[1, 0, 0, 0, -weight, *up]])
        self.assertAlmostEqual(pull["cone"], 1)

    def test_what_is_not_finite_has_no_small_error(self):
        scene = self.scene("heavy-stack", "--set", "count=1")
        found = self.judged(scene, "rest", scene.q, numpy.full_like(scene.q, numpy.nan), scene.q)
        self.assertEqual(found["drift"], numpy.inf)


class Itself(Case):
    def test_the_program_stands_still(self):
        """to the end of the chain: the program's record, judged as any engine's"""
        scene = self.scene("heavy-stack", "--set", "count=6")
        words = compare.SCENES["stack"][2]
        result = ncpbench.run(words, 0.0083, 24, 4, 60, ncpbench.SETTINGS["interior-point, cold"], self.folder.name)
        self.assertEqual((len(result["seconds"]), result["unconverged"]), (24, 0))
        found = judge.judge(scene, "rest", 0.0083, result)
        self.assertEqual(sorted(found), sorted(compare.MEASURES))
        for name in compare.MEASURES:
            self.assertLess(found[name], 1e-7, name)


class Problems(Case):
    """problem files alone"""

    def problem(self, *words):
        path = os.path.join(self.folder.name, "problem.hdf5")
        subprocess.run([ncpbench.PROGRAM, "export", *words, "-o", path, "--force"], check=True)
        return path

    def solved(self, path, *options):
        """the solution and its natural map over |q|, as the program has it"""
        record = os.path.join(self.folder.name, "solved.h5")
        subprocess.run([ncpbench.PROGRAM, "solve", path, *options, "--repeat", "0", "-o", record, "--force"], capture_output=True)
        with h5py.File(record) as file:
            run = file["runs/0000"]
            return run["final/reaction"][:], run["steps/natural_map_relative"][-1]

    def test_the_natural_map_is_the_program_s(self):
        for kind in "fclib", "fclib-global":
            path = self.problem("arch", "--at", "1", "--format", kind)
            w, q, mu = problems.read(path)
            for iterations in 1, 3:  # far from a solution
                r, error = self.solved(path, "--newton-iterations", str(iterations))
                self.assertGreater(error, 1e-6)
                self.assertAlmostEqual(problems.natural_map(w, q, mu, r) / error, 1, delta=1e-6)
            r, error = self.solved(path, "--method", "interior-point", "--relative-tolerance", "1e-9")
            self.assertLess(problems.natural_map(w, q, mu, r), 1e-9)

    def test_pinocchio_solves_what_it_is_given(self):
        python = compare.make_venv(install=False)
        if not python or subprocess.run([python, "-c", "import pinocchio"], capture_output=True).returncode:
            self.skipTest("pinocchio is not there")
        w, q, mu = problems.read(self.problem("incline", "--at", "1", "--set", "mu=0.8", "--format", "fclib"))
        given, out = (os.path.join(self.folder.name, name) for name in ("given.npz", "out.npz"))
        numpy.savez(given, W=w, q=q, mu=mu)
        subprocess.run([python, os.path.join(compare.HERE, "engine_pinocchio.py"), given, "admm-tight", out], check=True)
        with numpy.load(out) as found:
            self.assertLess(problems.natural_map(w, q, mu, found["r"]), 1e-8)


class Bare(unittest.TestCase):
    """a machine without what the scripts take: a line says what to install"""

    def says(self, *command, **variables):
        with tempfile.TemporaryDirectory(prefix="peers-test-") as folder:
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=folder, env={**os.environ, **variables}, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n"), os.listdir(folder)), (1, "", 1, []), done.stderr)
        return done.stderr

    def test_packages(self):
        # -S: without Debian's modules
        self.assertRegex(self.says("-S", compare.__file__, "-o", "peers.tsv"),
                         r"\Acompare.py: .*: apt-get install python3-numpy python3-h5py( python3-venv)?\n\Z")
        self.assertIn("python3-h5py python3-numpy python3-scipy", self.says("-S", problems.__file__, "."))

    def test_program(self):
        self.assertIn("/nowhere/ncpbench is not built", self.says(compare.__file__, "-o", "peers.tsv", NCPBENCH="/nowhere/ncpbench"))


class Engines(Case):
    def test_forces_explain_the_motion(self):
        path = os.path.join(self.folder.name, "scene.json")
        ncpbench.export(compare.SCENES["incline"][2], path)
        for name, (version, settings, python) in engines.items():
            for setting in settings:
                with self.subTest(engine=name, setting=setting):
                    result = compare.simulate(name, python, setting, "incline", path, 0.0083, 0.05, self.folder.name)
                    found = judge.judge(Scene(path), "rest", 0.0083, result)
                    self.assertLess(found["drift"], 1)  # an engine's own error
                    if "balance" in found:
                        self.assertLess(found["balance"], 1e-5)  # no matter how good the forces are: these are they


if __name__ == "__main__":
    chosen = sys.argv[1:2] or ["Overlap", "Motion", "Problems", "Itself", "Bare"]
    engines = compare.find_engines(["mujoco", "bullet", "drake", "dart", "siconos"], install=False) if "Engines" in chosen else {}
    if "Engines" in chosen and not engines:
        print("no engine is there: python3 results/studies/peers/compare.py gets them")
        sys.exit(77)  # not in a test, where unittest takes it for an error
    unittest.main(defaultTest=chosen, argv=sys.argv[:1])
