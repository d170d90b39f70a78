"""The Python package in analysis/python: rotations and polyhedra of geometry.py, and, where MuJoCo's package is found,
scenes of MJCF and URDF against MuJoCo itself.

NCPBENCH names the program (of Converted)."""
import contextlib
import gzip
import importlib
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy

from scene_schema import read_schema, validate

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(ROOT, "analysis", "python")
sys.path.insert(0, PACKAGE)
geometry, scene, urdf = (importlib.import_module(f"ncpbench.{name}") for name in ("geometry", "scene", "urdf"))
mujoco = scene.mujoco  # None: it is not installed

ROUND_OFF = 1e-12  # numbers of the models are of order 1, and few products stand between them

# all joints, kinds of geoms and what is named: hinges of one body, a spring, a key frame with velocities, fused bodies
MODEL = """<mujoco><option timestep="0.005" gravity="0 0 -10"/>
<asset><mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1 .1 .1 .1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><geom type="box" size=".1 .2 .3" pos="5 0 0" euler="10 20 30"/>
 <body name="base" pos="0 0 3" euler="10 20 30"><freejoint/><geom type="ellipsoid" size=".3 .2 .1" pos=".1 0 0" euler="0 40 0" friction=".7"/>
  <body pos="0 0 .2"><geom type="box" size=".1 .1 .1" euler="5 6 7"/></body>
  <body name="arm" pos=".6 0 0" euler="0 0 20"><joint name="one" axis="0 1 0" pos="-.1 0 0"/><joint name="two" axis="1 0 1"/><joint name="three" type="slide" axis="0 0 1"/>
   <geom type="capsule" size=".05 .2" euler="20 0 0" pos="0 .1 0"/>
   <body name="hand" pos="0 0 .5"><joint type="ball"/><geom type="mesh" mesh="wedge" pos=".1 0 .3"/>
    <body name="tip" pos="0 0 1.6"><site name="end"/><joint axis="1 1 0" stiffness="2" damping=".5" range="-1 1" limited="true"/><geom type="cylinder" size=".1 .2"/></body></body></body>
  <body name="leg" pos="-.8 0 0"><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/><geom type="sphere" size=".1"/></body></body></worldbody>
<equality><connect body1="tip" body2="leg" anchor="0 0 .1" active="false"/><weld body1="tip" body2="leg"/></equality>
<actuator><motor site="end"/></actuator>
<keyframe><key name="turned" qpos="0 0 3 .5 .5 .5 .5 .3 .2 .1 .6 .8 0 0 .4 .1 .2 .3" qvel="1 2 3 .4 .5 .6 .7 .8 .9 .1 .2 .3 .4 .5 .6 .7"/></keyframe></mujoco>"""
ARM = """<robot name="arm"><link name="base"><collision><geometry><box size=".2 .2 .2"/></geometry></collision></link>
<link name="upper"><inertial><origin xyz="0 .1 .3" rpy=".1 .2 .3"/><mass value="2"/><inertia ixx=".2" iyy=".3" izz=".15" ixy=".01" ixz="0" iyz=".02"/></inertial>
 <collision><origin xyz="0 0 .3"/><geometry><cylinder radius=".05" length=".6"/></geometry></collision>
 <collision><geometry><mesh filename="package://arm/upper.dae"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 .5"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""

# what files of ROS have and MuJoCo does not take: a prefix that is not declared, commas, a mass without moments, a size of 0
ROS = """<?xml version="1.0"?><robot name="ros"><link name="base"/>
<link name="plate"><inertial><mass value="3"/></inertial><collision><geometry><box size=".2 .4 .6"/></geometry></collision>
 <collision><origin rpy="0, 0 1" xyz="0 0, 0"/><geometry><sphere radius="0"/></geometry></collision></link>
<link name="stick"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="one" type="revolute"><parent link="base"/><child link="plate"/><origin xyz="0 0, 1"/><axis xyz="0 1 0"/><limit drake:acceleration="2" lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="two" type="revolute"><parent link="plate"/><child link="stick"/><origin xyz="0 0 2"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<drake:joint/></robot>"""


class Geometry(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(36)

    def turn(self):
        q = self.random.normal(size=4)
        return q / numpy.linalg.norm(q)

    def test_quaternions_and_matrices(self):
        for _ in range(50):
            a, b, point = self.turn(), self.turn(), self.random.normal(size=3)
            numpy.testing.assert_allclose(geometry.matrix(geometry.product(a, b)), geometry.matrix(a) @ geometry.matrix(b), atol=ROUND_OFF)
            numpy.testing.assert_allclose(geometry.matrix(geometry.quaternion(geometry.matrix(a))), geometry.matrix(a), atol=ROUND_OFF)
            axis = self.random.normal(size=3)
            numpy.testing.assert_allclose(geometry.matrix(geometry.turning_x_to(axis))[:, 0], axis / numpy.linalg.norm(axis), atol=ROUND_OFF)
            frame, other = geometry.Frame(self.random.normal(size=3), a), geometry.Frame(self.random.normal(size=3), b)
            numpy.testing.assert_allclose(frame.seen(frame.at(point)), point, atol=ROUND_OFF)
            numpy.testing.assert_allclose(frame.at(frame.of(other).at(point)), other.at(point), atol=ROUND_OFF)
        for angle, axis in itertools.product((0, numpy.pi), numpy.eye(3)):  # where a sum of squares is 0
            q = numpy.array([numpy.cos(angle / 2), *(numpy.sin(angle / 2) * axis)])
            numpy.testing.assert_allclose(geometry.matrix(geometry.quaternion(geometry.matrix(q))), geometry.matrix(q), atol=ROUND_OFF)

    def test_bodies_that_are_one(self):
        """two halves of a rod are the rod"""
        half = 0.5, [0, 0.5 / 12, 0.5 / 12]
        identity = [1, 0, 0, 0]
        mass, frame, moments = geometry.principal([(half[0], geometry.Frame([x, 0, 0], identity), numpy.array(half[1])) for x in (-0.5, 0.5)])
        self.assertEqual(mass, 1)
        numpy.testing.assert_allclose(frame.position, 0, atol=ROUND_OFF)
        numpy.testing.assert_allclose(sorted(moments), [0, 4 / 12, 4 / 12], atol=ROUND_OFF)
        self.assertAlmostEqual(numpy.linalg.det(geometry.matrix(frame.turn)), 1, delta=ROUND_OFF)

    def test_polyhedra_are_closed_convex_and_inscribed(self):
        n, pi = geometry.AROUND, numpy.pi
        circle = n * numpy.sin(2 * pi / n) / 2  # area of the polygon in the unit circle
        for name, (vertices, faces), known in (("box", geometry.box((1, 2, 3)), 48), ("cylinder", geometry.cylinder(2, 3), circle * 4 * 6),
                                               ("capsule", geometry.capsule(1, 2), None), ("ellipsoid", geometry.ellipsoid((1, 2, 3)), None)):
            edges = [(face[i], face[(i + 1) % len(face)]) for face in faces for i in range(len(face))]
            self.assertEqual(len(edges), len(set(edges)), name)
            self.assertEqual(set(edges), {(b, a) for a, b in edges}, name)
            for face in faces:
                normal = numpy.cross(vertices[face[1]] - vertices[face[0]], vertices[face[2]] - vertices[face[0]])
                heights = (vertices - vertices[face[0]]) @ normal / numpy.linalg.norm(normal)
                self.assertLess(heights.max(), ROUND_OFF, name)
                self.assertLess(abs(heights[face]).max(), ROUND_OFF, name)
            if known:
                self.assertAlmostEqual(geometry.volume(vertices, faces), known, delta=ROUND_OFF * known)
        vertices, faces = geometry.ellipsoid((1, 2, 3))
        numpy.testing.assert_allclose(((vertices / [1, 2, 3])**2).sum(axis=1), 1, atol=ROUND_OFF)
        numpy.testing.assert_allclose([vertices.min(axis=0), vertices.max(axis=0)], [[-1, -2, -3], [1, 2, 3]], atol=ROUND_OFF)
        self.assertTrue(0.85 < geometry.volume(vertices, faces) / (8 * pi) < 1)

    def grid(self, turn):
        """25 points on each large face of a plate of sides 2, 2, 0.4, in single precision"""
        line = numpy.linspace(-1, 1, 5)
        return (numpy.array([[x, y, z] for x in line for y in line for z in (-0.2, 0.2)]) @ geometry.matrix(turn).T).astype(numpy.float32)

    def test_hulls(self):
        """of many points in one plane and on one line, which single precision moves out of them"""
        n, pi = 60, numpy.pi
        for seed in range(20):
            turn = self.turn()
            circle = numpy.array([[numpy.cos(2 * pi * k / n), numpy.sin(2 * pi * k / n), z] for z in (0, 1) for k in range(n)]) @ geometry.matrix(turn).T
            for points, known in ((self.grid(turn), 1.6), (circle.astype(numpy.float32), n * numpy.sin(2 * pi / n) / 2), (self.random.normal(size=(64, 3)), None)):
                vertices, faces = geometry.hull(points)
                size = numpy.ptp(points, axis=0).max()
                edges = [(face[i - 1], face[i]) for face in faces for i in range(3)]
                self.assertEqual(len(edges), len(set(edges)))
                self.assertEqual(set(edges), {(b, a) for a, b in edges})
                self.assertEqual(len(vertices) - len(edges) // 2 + len(faces), 2)
                for face in faces:
                    normal = numpy.cross(vertices[face[1]] - vertices[face[0]], vertices[face[2]] - vertices[face[0]])
                    normal /= numpy.linalg.norm(normal)
                    self.assertLess(((vertices - vertices[face[0]]) @ normal).max(), 1e-6 * size, seed)
                    self.assertLess(((points - vertices[face[0]]) @ normal).max(), 1e-5 * size, seed)
                if known:
                    self.assertAlmostEqual(geometry.volume(vertices, faces), known, delta=1e-4)
        self.assertIsNone(geometry.hull(self.random.normal(size=(20, 3)) * [1, 1, 0]))
        self.assertIsNone(geometry.hull(numpy.ones((5, 3))))

    def test_written_files_are_read_back(self):
        value = {"time_step_s": 0.1, "bodies": [{"position_m": [1 / 3, 0, 0]}, {}], "joints": []}
        with tempfile.TemporaryDirectory() as folder:
            for name, reader in (("a.json", open), ("a.json.gz", gzip.open)):
                path = os.path.join(folder, name)
                scene.write(value, path)
                with reader(path, "rt", encoding="utf-8") as file:
                    self.assertEqual(json.load(file), value)

    def test_one_version(self):
        """of the program and the package, in CMakeLists.txt"""
        with open(os.path.join(PACKAGE, "pyproject.toml"), encoding="utf-8") as file:
            self.assertIn('dynamic = ["version"]', file.read())
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            self.assertTrue(re.search(r"project\(ncpbench VERSION [0-9.]+", file.read()))

    def test_urdf_of_ros(self):
        notes = scene.Notes()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ros.urdf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(ROS)
            text, masses, bare = urdf.text(path, notes)
        self.assertEqual((masses, bare), ({"plate": 3}, {"base"}))
        for gone in ("drake", ",", "sphere"):
            self.assertNotIn(gone, text)
        self.assertEqual(text.count("<inertial>"), 1)
        self.assertEqual(notes.lines(), ["masses without moments of inertia, which are of the link's geoms, each an equal share", "left out: geoms of size 0"])

    def test_urdf_that_is_wrong(self):
        """says what is wrong with which link"""
        robot = '<?xml version="1.0" encoding="{}"?><robot name="r"><link name="\xe9"><inertial>{}</inertial><collision><geometry>{}</geometry></collision></link></robot>'
        box, good = '<box size="1 1 1"/>', '<mass value="1"/>'
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.urdf")
            os.mkfifo(os.path.join(folder, "pipe.stl"))
            for words, encoding, written, mass, shape in (
                    ("link '\xe9': its mass has no value", "utf-8", "utf-8", "<mass/>", box), ("link '\xe9': its mass must be a number", "utf-8", "utf-8", '<mass value="nan"/>', box),
                    ("(got '-1')", "utf-8", "utf-8", '<mass value="-1"/>', box), ("(got '1 kg')", "utf-8", "utf-8", '<mass value="1 kg"/>', box),
                    ("a mesh has no file name", "utf-8", "utf-8", good, "<mesh/>"), ("'pipe.stl' is not a regular file", "utf-8", "utf-8", good, '<mesh filename="pipe.stl"/>'),
                    ("is not in utf-8: byte ", "utf-8", "latin-1", good, box), ("encoding that is not known, 'none'", "none", "utf-8", good, box),
                    ("", "ISO-8859-1", "latin-1", good, box)):
                with open(path, "w", encoding=written) as file:
                    file.write(robot.format(encoding, mass, shape))
                if not words:
                    self.assertEqual(urdf.text(path, scene.Notes())[1], {"\xe9": 1})
                    continue
                with self.assertRaises(ValueError) as fault:
                    urdf.text(path, scene.Notes())
                self.assertIn(words, str(fault.exception))

    def test_pipes_in_models(self):
        """of which MuJoCo would wait for one"""
        with tempfile.TemporaryDirectory() as folder:
            model, part = os.path.join(folder, "model.xml"), os.path.join(folder, "part.xml")
            os.mkdir(os.path.join(folder, "m"))
            os.mkfifo(os.path.join(folder, "m", "a.stl"))
            with open(part, "w", encoding="utf-8") as file:
                file.write('<mujoco><include file="model.xml"/><compiler meshdir="m"/><asset><mesh file="a.stl"/></asset></mujoco>')
            with open(model, "w", encoding="utf-8") as file:
                file.write('<mujoco><include file="part.xml"/></mujoco>')
            with self.assertRaisesRegex(ValueError, "'a.stl' is not a regular file"):
                scene.check_files(model)

    def test_interrupts(self):
        """a line and 130, also within a library that never returns to Python"""
        code = "import ctypes, sys; from ncpbench import command; sys.exit(command.run('it', lambda: print('begun', flush=True) or ctypes.PyDLL(None).sleep(60)))"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": PACKAGE},
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as process:
            process.stdout.readline()
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.communicate()[1], "it: interrupted\n")
            self.assertEqual(process.returncode, 130)
            self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(subprocess.run([sys.executable, "-c", "import sys; from ncpbench import command; sys.exit(command.run('it', lambda: 7))"],
                                        env={**os.environ, "PYTHONPATH": PACKAGE}, check=False).returncode, 7)

    @unittest.skipIf(mujoco, "MuJoCo is here")
    def test_without_mujoco_it_says_so(self):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(scene.main(["model.xml", "-o", "scene.json"]), 1)
        self.assertEqual(err.getvalue(), "ncpbench.scene requires MuJoCo's Python package: pip install mujoco\n")


@unittest.skipUnless(mujoco, "requires MuJoCo's Python package")
class Converted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def convert(self, text, name, **options):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        converter, schema = scene.converted(self.path(name), **options), read_schema()
        scene.write(converter.scene, self.path("scene.json"), force=True)
        self.assertEqual(validate(converter.scene, schema, schema), [])
        return converter

    def run_scene(self, *words):
        """the scene as exported after these steps"""
        run = subprocess.run([os.environ["NCPBENCH"], "run", self.path("scene.json"), *words, "--repeat", "0", "--store-states", "1", "-o", self.path("a.h5"), "--force"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_what_mujoco_has(self):
        for options in ({}, {"key": "turned"}, {"exact": True}):
            converter = self.convert(MODEL, "model.xml", **options)
            for name, value in scene.errors(converter).items():
                self.assertLess(value, ROUND_OFF, (name, options))
            joints = [joint["kind"] for joint in converter.scene["joints"]]
            self.assertEqual(joints, ["revolute", "revolute", "prismatic", "spherical", "fixed", "spherical", "fixed"])
            self.assertNotIn("newton_iterations", converter.scene["run"])  # the method's own limit
            self.run_scene("--steps", "1", "--method", converter.scene["run"]["method"])

    def test_what_is_left_out_is_named(self):
        lines = self.convert(MODEL, "model.xml").notes.lines()
        for line in ("left out: actuators of tendons, sites, cranks or bodies", "left out: equality constraints that are not active", "bodies without a joint between them, made one",
                     "carriers between the joints of one body (2)", "three hinges about one point, made a spherical joint",
                     "capsule geoms, made polyhedra with their corners on them"):
            self.assertIn(line, lines)

    def test_velocities_are_mujocos(self):
        """momentum and its moment, of the key frame that moves all joints; carriers move with their joints"""
        converter = self.convert(MODEL, "model.xml", key="turned")
        model, data = converter.model, converter.data
        momentum, moment = numpy.zeros(3), numpy.zeros(3)
        carried = 0.0
        for body, frame in zip(converter.scene["bodies"], converter.frames):
            if body["kind"] == "dynamic":
                v, w, r = numpy.array(body["velocity_m_s"]), numpy.array(body["angular_velocity_rad_s"]), geometry.matrix(frame.turn)
                momentum += body["mass_kg"] * v
                moment += numpy.cross(frame.position, body["mass_kg"] * v) + r @ numpy.diag(body["inertia_kg_m2"]) @ r.T @ w
                carried += body["mass_kg"] if body["shape"] < 0 else 0
        mujoco.mj_subtreeVel(model, data)
        numpy.testing.assert_allclose(momentum / model.body_mass.sum(), data.subtree_linvel[0], atol=3 * carried / model.body_mass.sum())
        numpy.testing.assert_allclose(moment - numpy.cross(data.subtree_com[0], momentum), data.subtree_angmom[0], atol=10 * carried)

    def test_free_fall(self):
        """by backward Euler, of the centre of all mass: h^2 g n (n + 1)/2 below where it began, with joints kept"""
        converter = self.convert(MODEL, "model.xml")
        _, before, _ = scene.summed(self.masses(converter.scene))
        self.run_scene("--steps", "4")
        end = subprocess.run([os.environ["NCPBENCH"], "export", self.path("scene.json"), "--settle", "4", "--format", "scene", "--at", "0", "-o", self.path("b.json")], capture_output=True, text=True)
        self.assertEqual(end.returncode, 0, end.stderr)
        with open(self.path("b.json"), encoding="utf-8") as file:
            after = json.load(file)
        _, centre, _ = scene.summed(self.masses(after))
        numpy.testing.assert_allclose(centre - before, [0, 0, -10 * 0.005**2 * 4 * 5 / 2], atol=1e-9)  # of the steps' tolerance

    @staticmethod
    def masses(of):
        return [(body["mass_kg"], geometry.Frame(body["position_m"], body["orientation_wxyz"]), numpy.array(body["inertia_kg_m2"]))
                for body in of["bodies"] if body["kind"] == "dynamic"]

    def test_urdf_of_ros(self):
        """a box of mass m and sides a, b, c has m (b b + c c)/12; moments that no body can have become their mean"""
        converter = self.convert(ROS, "ros.urdf")
        plate, stick = (body for body in converter.scene["bodies"] if body["kind"] == "dynamic")
        self.assertAlmostEqual(plate["mass_kg"], 3, delta=ROUND_OFF)
        numpy.testing.assert_allclose(sorted(plate["inertia_kg_m2"]), [0.25 * x for x in (0.2, 0.4, 0.52)], atol=ROUND_OFF)
        numpy.testing.assert_allclose(stick["inertia_kg_m2"], 0.5 / 3, atol=ROUND_OFF)
        self.assertIn("moments of inertia that no body can have, made equal", converter.notes.lines())
        self.run_scene("--steps", "20")

    def test_hulls_are_convex(self):
        """a plate with 25 points on each side, turned: of MuJoCo's hull a triangle has next to no area, and points lie outside it"""
        random = numpy.random.default_rng(36)
        for _ in range(6):
            turn = random.normal(size=4)
            points = Geometry.grid(self, turn / numpy.linalg.norm(turn))
            plate = f'<mesh name="plate" vertex="{" ".join(map(str, points.ravel()))}"/>'
            converter = self.convert(f'<mujoco><asset>{plate}</asset><worldbody><body><freejoint/><geom type="mesh" mesh="plate"/></body></worldbody></mujoco>', "model.xml")
            part = converter.scene["shapes"][0]["parts"][0]
            self.assertAlmostEqual(geometry.volume(numpy.array(part["vertices_m"]), part["faces"]), 1.6, delta=1e-4)
            self.run_scene("--steps", "1")

    def refused(self, name, text=None, output="scene.json", status=1):
        """what a model is refused with, which is one line"""
        if text is not None:
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(scene.main([self.path(name), "-o", self.path(output)]), status)
        self.assertRegex(err.getvalue(), r"\A[^\n]+\n\Z")
        return err.getvalue()

    def test_refusals_are_one_line(self):
        body = "<mujoco><worldbody><body><freejoint/>{}</body></worldbody></mujoco>"
        self.assertIn("no such file", self.refused("missing.xml"))
        os.mkdir(self.path("folder.xml"))
        self.assertIn("is not a file", self.refused("folder.xml"))
        self.assertIn("mesh 'x' not found", self.refused("mesh.xml", body.format('<geom type="mesh" mesh="x"/>')))
        self.assertIn("mass and inertia of moving bodies", self.refused("mass.xml", body.format("")))
        self.assertIn("not finite", self.refused("nan.xml", body.format('<geom size="1" pos="nan 0 0"/>')))
        self.assertIn("geom '': its mass is not a number", self.refused("nan.xml", body.format('<geom size="1" mass="nan"/>')))
        with open(self.path("latin.xml"), "w", encoding="latin-1") as file:
            file.write('<mujoco><worldbody><body name="\xe9"><freejoint/><geom size="1"/></body></worldbody></mujoco>')
        self.assertIn("is not in UTF-8", self.refused("latin.xml"))
        self.assertIn("range[0] should be smaller", self.refused("range.xml", body.replace("<freejoint/>", '<joint range="2 1" limited="true"/>').format('<geom size="1"/>')))
        for word, line in (("damping", "stiffness and damping below 0"), ("stiffness", "stiffness and damping below 0"), ("frictionloss", "dry friction and armature below 0"), ("armature", "dry friction and armature below 0")):
            self.assertIn("left out: " + line, self.convert(body.replace("<freejoint/>", f'<joint {word}="-1"/>').format('<geom size="1"/>'), "negative.xml").notes.lines())
        for text in ("", "text", "<mujoco><thing/></mujoco>", '<mujoco><include file="none.xml"/></mujoco>'):
            self.refused("bad.xml", text)
        self.assertIn(os.path.join("none", "a.json") + "': No such file", self.refused("good.xml", body.format('<geom size="1"/>'), "none/a.json", status=3))
        for words in (["-o", "a.txt"], ["-o", "a.json", "--hull", "3"], ["-o", "a.json", "--hull", "1001"], []):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                scene.main([self.path("good.xml"), *words])

    def test_limits_crossed_at_the_start(self):
        """hold where the joint is, and say by how much"""
        model = '<mujoco><worldbody><body pos="0 0 1"><joint type="slide" axis="0 0 1" range=".1 1"/><geom size=".1"/></body></worldbody></mujoco>'
        converter = self.convert(model, "model.xml")
        self.assertEqual(converter.scene["joints"][0]["limits"], [0, 1])
        self.assertIn("left out: the way back of a joint 0.1 m beyond its limit at the start, which is there now", converter.notes.lines())
        self.run_scene("--steps", "3")
        with h5py.File(self.path("a.h5"), "r") as record:
            self.assertAlmostEqual(record["runs/0000/final/q"][0, 2], 1, delta=1e-8)

    def test_limits_of_a_turn(self):
        """and more are taken: joints count turns"""
        model = '<mujoco><worldbody><body pos="0 0 1"><joint axis="0 1 0" range="{} 180" {}/><geom size=".1" pos=".1 0 0"/></body></worldbody></mujoco>'
        for least, more, known in ((-179, "", [-179, 180]), (-720, "", [-720, 180]), (-360, 'limited="false"', None)):
            converter = self.convert(model.format(least, more), "model.xml")
            self.assertEqual([line for line in converter.notes.lines() if line.startswith("left out")], [])
            limits = converter.scene["joints"][0].get("limits")
            self.assertEqual(limits and [round(x, 9) for x in numpy.degrees(limits)], known)
            self.run_scene("--steps", "1")

    def test_contacts_that_no_joint_opens(self):
        """are left out: a ball that slides in the plane in which it sinks"""
        model = '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .09"><joint type="slide" axis="1 0 0"/>{}<geom size=".1"/></body></worldbody></mujoco>'
        for more, known in (("", ["left out: contacts with planes that no joint opens"]), ('<joint type="slide" axis="0 0 1"/>', [])):
            converter = self.convert(model.format(more), "model.xml")
            self.assertEqual([line for line in converter.notes.lines() if line.startswith("left out")], known)
            self.run_scene("--steps", "3")

    def test_penetration_of_a_plane_is_named(self):
        model = '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 {}"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
        self.assertTrue([line for line in self.convert(model.format(0.08), "model.xml").notes.lines() if "by up to 0.02 m" in line])
        self.assertFalse([line for line in self.convert(model.format(0.1), "model.xml").notes.lines() if "penetrate" in line])

    def test_what_hangs_on_the_world_has_its_weight(self):
        """of a planar robot that stands, in its contacts: carriers between its joints take none"""
        model = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
         <geom type="box" size=".2 .2 .1" mass="14"/></body></worldbody></mujoco>"""
        converter = self.convert(model, "model.xml")
        self.assertLess(scene.errors(converter)["mass"], ROUND_OFF)
        self.run_scene("--steps", "5")
        with h5py.File(self.path("a.h5"), "r") as record:
            self.assertAlmostEqual(record["runs/0000/final/lambda_normal"][()].sum() / (14 * 9.81), 1, delta=1e-6)

    def test_mocap_bodies(self):
        """are kinematic where they are; one with a joint is refused"""
        model = '<mujoco><worldbody><body mocap="true" pos="0 0 1"><geom type="box" size=".2 .2 .05"/>{}</body><body pos="0 0 1.1"><freejoint/><geom type="box" size=".05 .05 .05"/></body></worldbody></mujoco>'
        bodies = self.convert(model.format(""), "model.xml").scene["bodies"]
        self.assertEqual([body["kind"] for body in bodies], ["kinematic", "dynamic"])
        self.run_scene("--steps", "20")
        with h5py.File(self.path("a.h5"), "r") as record:
            numpy.testing.assert_allclose(record["runs/0000/final/q"][:, 2], [1, 1.1], atol=1e-8)
        self.assertIn("mocap", self.refused("joint.xml", model.format("<joint/>")))

    def test_models_without_bodies(self):
        with self.assertRaisesRegex(ValueError, "nothing in the model touches or moves$"):
            self.convert("<mujoco/>", "model.xml")
        plane = self.convert('<mujoco><worldbody><geom type="plane" size="1 1 1"/><body><geom size="1"/></body></worldbody></mujoco>', "model.xml")
        self.assertIn("no body moves; with --free those without a joint do", plane.notes.lines())
        self.assertEqual(max(scene.errors(plane).values()), 0)

    def test_urdf(self):
        converter = self.convert(ARM, "arm.urdf")
        for name, value in scene.errors(converter).items():
            self.assertLess(value, ROUND_OFF, name)
        self.assertIn("left out: meshes of kind .dae, which MuJoCo does not read", converter.notes.lines())
        self.assertEqual([joint["kind"] for joint in converter.scene["joints"]], ["revolute"])
        self.run_scene("--steps", "2")
        free = self.convert(ARM, "arm.urdf", free=True)
        self.assertIn("links without inertia, whose geoms give it at 1000 kg/m^3, 8 kg", free.notes.lines())  # a box of 0.2 m
        self.assertFalse([line for line in converter.notes.lines() if "without inertia" in line])
        self.assertEqual(len(self.convert(ARM.replace('<link name="base">', '<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'),
                                          "arm.urdf", free=True).scene["bodies"]), 2)


if __name__ == "__main__":
    if sys.argv[1:] == ["Converted"] and not mujoco:
        print("MuJoCo's Python package is not installed")
        sys.exit(77)
    unittest.main()
