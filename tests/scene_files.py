"""Scenes from files: ncpbench run scene.json. What export writes is read again to the last bit, a run from it has the bits
of its scenario's, faults name the line and the place, and the published schema says the same as the reader.

NCPBENCH names the program."""
import gzip
import json
import os
import re
import unittest

import h5py
import numpy

from cli_case import Case, runs_of, text
from scene_schema import ROOT, read_schema, validate

QUICK = ["--repeat", "0"]
# scenarios that prescribe nothing (the others are in scene_motion.py), small: all kinds of shapes, joints, elements and settings that are read
READ = [["heavy-stack"], ["arch", "--set", "count=6"], ["incline"], ["ellipse"], ["pendulum"], ["four-bar"], ["three-disks"], ["drop"],
        ["piling", "--set", "count=4"], ["piling", "--set", "shape=sphere", "--set", "count=4"],
        ["bundles", "--set", "height=0.02"],
        ["soft-stack", "--set", "count=1", "--set", "cells=1"], ["sheet", "--set", "count=4"], ["fold", "--set", "cells=3"],
        ["incline", "--friction-ratio", "0.5", "--friction-direction", "0.7", "--contact-compliance", "1e-8"],
        ["incline", "--time-stepping", "tasora", "--stabilization", "0.25", "--recovery-speed", "0.125", "--method", "psor"],
        ["arch", "--set", "count=4", "--friction-law", "relaxed", "--method", "apgd", "--gyroscopic-torque", "explicit"]]
BALL = {"gravity_m_s2": [0, 0, -10], "time_step_s": 0.5, "shapes": [{"kind": "half-space"}, {"kind": "sphere", "radius_m": 0.5}],
        "bodies": [{"kind": "fixed", "shape": 0, "position_m": [0, 0, 0], "friction": 0.5},
                   {"shape": 1, "density_kg_m3": 6, "position_m": [0, 0, 100], "velocity_m_s": [1, 0, 0], "friction": 0.5}]}


class Scene(Case):
    def setUp(self):
        super().setUp()
        self.schema = read_schema()

    def export(self, name, *words, at=0):
        self.ncpbench("export", *words, "--format", "scene", "--at", str(at), "-o", name, "--force")
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write(self, scene, name="mine.json"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(scene if isinstance(scene, str) else json.dumps(scene, indent=1))

    def final(self, name):
        with h5py.File(self.path(name), "r") as record:
            final = record["runs/0000/final"]
            return {key: final[key][()] for key in final if isinstance(final[key], h5py.Dataset)}


class Rounds(Scene):
    def round(self, words):
        first = self.export("a.json", *words, at=2)
        again = self.export("b.json", "a.json")
        cut = [re.sub(r'"command": "[^\n]*', "", text) for text in (first, again)]
        self.assertEqual(*cut, words)
        self.assertEqual(validate(json.loads(first), self.schema, self.schema), [], words)
        more = 10 if words[0] == "bundles" else 2  # to where its bodies touch
        self.ncpbench("run", *words, *QUICK, "--steps", str(2 + more), "-o", "a.h5", status=None)
        self.ncpbench("run", "a.json", *QUICK, "--steps", str(more), "-o", "b.h5", status=None)
        whole, part = self.final("a.h5"), self.final("b.h5")
        self.assertEqual(sorted(whole), sorted(part), words)
        for key in whole:
            self.assertEqual(whole[key].tobytes(), part[key].tobytes(), (words, key))

    def test_bytes_and_bits(self):
        for words in READ:
            with self.subTest(words=words):
                self.round(words)

    def test_states_of_stages_are_refused(self):
        """what a record keeps of a step with stages is the start of the last one"""
        words = "sheet", "--set", "count=4", "--integrator", "sdirk2"
        self.export("a.json", *words)
        self.ncpbench("run", *words, *QUICK, "--steps", "2", "-o", "a.h5")
        self.ncpbench("run", "a.json", *QUICK, "--steps", "2", "-o", "b.h5")
        for key, value in self.final("a.h5").items():
            self.assertEqual(value.tobytes(), self.final("b.h5")[key].tobytes(), key)


class Own(Scene):
    def test_a_ball_falls_by_backward_euler(self):
        """from h = 1/2 and g = 10, all exact: v = v0 - n h g, z = z0 - h^2 g n (n + 1)/2"""
        self.write(BALL)
        self.ncpbench("run", "mine.json", *QUICK, "--steps", "4", "--method", "auto", "-o", "a.h5")
        final = self.final("a.h5")
        numpy.testing.assert_array_equal(final["q"][1][:3], [2, 0, 100 - 2.5 * 10])
        numpy.testing.assert_array_equal(final["u"][1][:3], [1, 0, -20])
        out, _ = self.ncpbench("check", "a.h5")
        self.assertIn("momentum defect", out)
        scene = json.loads(self.export("b.json", "mine.json"))
        self.assertAlmostEqual(scene["bodies"][1]["mass_kg"], 6 * numpy.pi / 6, delta=1e-14)  # a density over a ball of radius 1/2
        numpy.testing.assert_allclose(scene["bodies"][1]["inertia_kg_m2"], 0.4 * numpy.pi * 0.25, rtol=1e-14)

    def test_a_start_with_errors_is_said(self):
        """a ball 0.2 m in the ground, whose joint has its ends 1 m apart: by name on standard error, in the record, and as failed checks"""
        scene = json.loads(json.dumps(BALL))
        scene["contact_margin_m"] = 0.01
        scene["bodies"][1]["position_m"] = [0, 0, 0.3]
        scene["bodies"].append({"shape": 1, "density_kg_m3": 6, "position_m": [0, 0, 5], "friction": 0.5})
        scene["joints"] = [{"kind": "spherical", "bodies": [-1, 2], "anchors_m": [[0, 0, 7], [0, 0, 1]]}]
        self.write(scene)
        _, said = self.ncpbench("run", "mine.json", "--method", "auto", "--steps", "1", *QUICK, "-o", "deep.h5")
        self.assertIn("at the start body 1 (sphere) is 0.2 m deep in body 0 (half-space); joint 0 of the world and body 2 is 1 m apart", said)
        run = runs_of(self.path("deep.h5"))[0]
        self.assertIn("0.2 m deep", text(run["start_words"]))
        self.assertEqual(run["scene.contact-margin"], 0.01)
        numpy.testing.assert_allclose([run["start_penetration"], run["start_joint_error"], run["start_joint_turn"]], [0.2, 1, 0], atol=1e-12)
        checked, _ = self.ncpbench("check", "deep.h5", status=2)
        self.assertRegex(checked, "penetration at the start.*FAILED")
        self.assertRegex(checked, "joint error at the start.*FAILED")

    def test_pairs(self):
        """a block that slides along the ground for two steps slows by mu g h: mu of the pair, the geometric mean, or none; with a joint between two
        blocks one stays on the other where the pair has contacts; the file is read back, and no derivative by a body's friction is left"""
        g, h, out = 10, 0.01, {}
        block = {"shape": 1, "density_kg_m3": 1000, "position_m": [0, 0, 0.1], "velocity_m_s": [1, 0, 0], "friction": 0.9}
        scene = {"gravity_m_s2": [0, 0, -g], "time_step_s": h, "shapes": [{"kind": "half-space"}, {"kind": "box", "half_sizes_m": [0.1, 0.1, 0.1]}],
                 "bodies": [{"kind": "fixed", "shape": 0, "position_m": [0, 0, 0], "friction": 0.4}, block]}
        for method in ("auto", "single-level"):
            for name, pair, known in (("none", None, [1 - 2 * 0.6 * g * h, 0]), ("own", {"friction": 0.3}, [1 - 2 * 0.3 * g * h, 0]), ("smooth", {"friction": 0}, [1, 0]),
                                      ("mean", {"contact": 1}, [1 - 2 * 0.6 * g * h, 0]), ("apart", {"contact": 0}, [1, -2 * g * h])):
                self.write({**scene, "pairs": [{"bodies": [1, 0], **pair}] if pair else []})
                self.ncpbench("run", "mine.json", *QUICK, "--steps", "2", "--method", method, "-o", "a.h5", "--force")
                numpy.testing.assert_allclose(self.final("a.h5")["u"][1][[0, 2]], known, atol=1e-6, err_msg=f"{method} {name}")
                out[name] = self.bytes_of("mine.json")
            joined = {**scene, "bodies": [{**block, "kind": "fixed"}, {**block, "position_m": [0, 0, 0.3], "velocity_m_s": [0, 0, 0]}],
                      "joints": [{"kind": "prismatic", "bodies": [0, 1], "point_m": [0, 0, 0.2], "axis": [0, 0, 1]}]}
            for pairs, known in (([], -2 * g * h), ([{"bodies": [0, 1]}], 0)):
                self.write({**joined, "pairs": pairs})
                self.ncpbench("run", "mine.json", *QUICK, "--steps", "2", "--method", method, "-o", "a.h5", "--force")
                self.assertAlmostEqual(self.final("a.h5")["u"][1][2], known, delta=1e-6)
        self.write({**scene, "pairs": [{"bodies": [1, 0], "friction": 1 / 3}]})
        first = json.loads(self.export("a.json", "mine.json"))
        self.assertEqual(first["pairs"], [{"bodies": [1, 0], "contact": 1, "friction": 1 / 3}])
        self.assertEqual(json.loads(self.export("b.json", "a.json"))["pairs"], first["pairs"])
        self.ncpbench("run", "mine.json", *QUICK, "--set", "mu=0.2", "--steps", "2", "-o", "a.h5", "--force")
        self.assertAlmostEqual(self.final("a.h5")["u"][1][0], 1 - 2 * 0.2 * g * h, delta=1e-6)
        for method in (["single-level", "--rho", "1e-8"], ["interior-point"], ["smoothed"]):
            for name, least in (("own", 0), ("mean", 1e-3)):
                self.write(out[name].decode())
                self.ncpbench("gradient", "mine.json", "--method", *method, "--steps", "2", "--inputs", "friction", "--bodies", "1", "-o", "g.h5", "--force")
                with h5py.File(self.path("g.h5"), "r") as file:
                    largest = numpy.abs(file["derivative"][()]).max()
                self.assertTrue(largest == 0 if least == 0 else largest > least, (method, name, largest))

    def test_dampers(self):
        """of a body in the world, by backward Euler: v = -g m/d (1 - (1 + h d/m)^-n), and a spin that loses I/(I + h d) a step, turned by 2 atan(h w/2)/h"""
        h, n, g, m, d, inertia, k = 0.01, 60, 10, 2, 20, 0.3, 0.5
        damping = [d, d, d, k, k, k]
        joint = {"kind": "fixed", "bodies": [0, -1], "point_m": [0, 0, 5], "damping": damping}
        scene = {"time_step_s": h, "gravity_m_s2": [0, 0, -g], "joints": [joint],
                 "bodies": [{"mass_kg": m, "inertia_kg_m2": [0.1, 0.2, inertia], "position_m": [0, 0, 5], "angular_velocity_rad_s": [0, 0, 0.1]}]}
        self.write(scene)
        self.ncpbench("run", "mine.json", *QUICK, "--steps", str(n), "-o", "a.h5", "--force")
        final = self.final("a.h5")
        self.assertAlmostEqual(final["u"][0][2], -g * m / d * (1 - (1 + h * d / m)**-n), delta=1e-9)
        self.assertAlmostEqual(final["u"][0][5], 0.1 * (1 + h * k / inertia)**-n, delta=1e-6)
        out, _ = self.ncpbench("check", "a.h5")
        self.assertNotIn("FAILED", out)
        self.refused("gradient", "mine.json", "--method", "single-level", "-o", "g.h5", status=64, says=("a gradient of method single-level does not support damping of joints (joint 0)",))
        first = json.loads(self.export("a.json", "mine.json", at=2))
        self.assertEqual(first["joints"][0]["damping"], damping)
        cut = [re.sub(r'"command": "[^\n]*', "", text) for text in (self.export("a.json", "mine.json", at=2), self.export("b.json", "a.json"))]
        self.assertEqual(*cut)

    def test_solids_by_their_measures(self):
        """volumes of the kinds from capsule on, as in a sum and in a bundle; their export has the bytes of its own export"""
        r, length, pad, pi = 0.1, 0.3, 0.02, numpy.pi
        cube = {"kind": "box", "half_sizes_m": [r, r, r]}
        ball = {"kind": "sphere", "radius_m": pad}
        core = {"vertices_m": [[x, y, z] for z in (-r, r) for y in (-r, r) for x in (-r, r)],
                "faces": [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]}
        padded = 8 * r**3 + 24 * r**2 * pad + 6 * r * pi * pad**2 + 4 / 3 * pi * pad**3  # Steiner's formula
        turned = {"kind": "capsule", "radius_m": r, "length_m": length, "turn_wxyz": [0.5, 0.5, 0.5, 0.5]}
        shapes = (({"kind": "capsule", "radius_m": r, "length_m": length}, pi * r**2 * length + 4 / 3 * pi * r**3),
                  ({"kind": "cylinder", "radius_m": r, "length_m": length}, pi * r**2 * length), ({"kind": "cone", "radius_m": r, "height_m": length}, pi * r**2 * length / 3),
                  ({"kind": "padded polytope", "parts": [core], "radius_m": pad}, padded), ({"kind": "Minkowski sum", "of": [cube, ball]}, padded),
                  ({"kind": "bundle", "of": [turned, {**cube, "offset_m": [0, 0, 0]}]}, pi * r**2 * length + 4 / 3 * pi * r**3 + 8 * r**3))
        self.write({"shapes": [shape for shape, _ in shapes],
                    "bodies": [{"shape": i, "density_kg_m3": 1000, "position_m": [i, 0, 0]} for i in range(len(shapes))]})
        first = self.export("a.json", "mine.json")
        scene = json.loads(first)
        numpy.testing.assert_allclose([body["mass_kg"] for body in scene["bodies"]], [1000 * volume for _, volume in shapes], rtol=1e-12)
        self.assertEqual([shape for shape, _ in shapes[:3]], scene["shapes"][:3])
        self.assertEqual(validate(scene, self.schema, self.schema), [])
        cut = [re.sub(r'"command": "[^\n]*', "", text) for text in (first, self.export("b.json", "a.json"))]
        self.assertEqual(*cut)

    def test_compressed(self):
        """a run from the compressed file has the bits of one from the plain file; damage is refused, and what grows beyond bounds"""
        self.write(BALL)
        text = self.bytes_of("mine.json")
        whole = gzip.compress(text, mtime=0)
        files = {"mine.json.gz": whole, "other.json": whole}  # by its beginning, not its name
        for name, content in files.items():
            with open(self.path(name), "wb") as file:
                file.write(content)
        for name in "mine.json", *files:
            self.ncpbench("run", name, *QUICK, "--steps", "3", "--method", "auto", "-o", f"{name}.h5")
        for name in files:
            for key, value in self.final("mine.json.h5").items():
                self.assertEqual(value.tobytes(), self.final(f"{name}.h5")[key].tobytes(), key)
        self.ncpbench("check", "mine.json.gz.h5")
        flipped = bytearray(whole)
        flipped[-6] ^= 1  # of the checksum
        for content, says in ((whole[:-9], "cut short"), (whole[:10], "cut short"), (bytes(flipped), "is damaged: incorrect data check"), (whole + b"x", "bytes behind the end"),
                              (gzip.compress(b" " * ((256 << 20) + 1), 1), "more than 268435456 bytes")):
            with open(self.path("bad.json.gz"), "wb") as file:
                file.write(content)
            self.refused("run", "bad.json.gz", "-o", "x.h5", status=3, says=("'bad.json.gz'", says))

    def test_mu_is_of_all_bodies(self):
        scene = json.loads(json.dumps(BALL))
        scene["bodies"][1].update(position_m=[0, 0, 0.5], velocity_m_s=[0, 0, 0])
        self.write(scene)
        for mu, known in (([], 0.5), (["--set", "mu=0.25"], 0.25)):
            self.ncpbench("run", "mine.json", *mu, *QUICK, "--steps", "1", "-o", "a.h5", "--force", status=None)
            numpy.testing.assert_array_equal(self.final("a.h5")["mu"], [known])
            self.assertEqual(text(runs_of(self.path("a.h5"))[0]["scenario"]), "mine.json")
        self.ncpbench("run", "mine.json", "--set", "mu=-0.5", "-o", "x.h5", status=64)

    def test_a_motor_turns_to_its_target(self):
        """without giving way: the body's turn about x is the target after one step"""
        axle = {"kind": "fixed", "bodies": [0, -1], "anchors_m": [[0, 0, 0], [0, 0, 1]]}
        self.write({"gravity_m_s2": [0, 0, 0], "shapes": [{"kind": "box", "half_sizes_m": [1, 2, 3]}],
                    "bodies": [{"shape": 0, "density_kg_m3": 1, "position_m": [0, 0, 1]}], "joints": [axle],
                    "motors": [{"joint": 0, "axis": "turns", "target": 0.01}]})
        self.ncpbench("run", "mine.json", *QUICK, "--steps", "1", "--method", "auto", "-o", "a.h5")
        q = self.final("a.h5")["q"][0]
        numpy.testing.assert_allclose(q, [0, 0, 1, numpy.cos(0.005), numpy.sin(0.005), 0, 0], atol=1e-9)  # of the step's tolerance

    def test_polyhedra_in_any_frame(self):
        """vertices of a brick in a frame of their own: it moves as the brick does, on the floor and on a hinge"""
        half, turn, center = numpy.array([0.1, 0.2, 0.35]), numpy.array([0.8, 0.2, -0.4, 0.4]), numpy.array([0.3, -0.5, 0.2])
        w, v = turn[0], turn[1:]

        def rotate(x):
            return x + 2 * numpy.cross(v, numpy.cross(v, x) + w * x)

        corners = [rotate(half * numpy.array([1 if i & 1 << k else -1 for k in range(3)])) + center for i in range(8)]
        faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
        own = {"kind": "polyhedra", "parts": [{"vertices_m": [list(x) for x in corners], "faces": faces}]}
        place, moving = numpy.array([0., 0., 0.6]), {"density_kg_m3": 800, "velocity_m_s": [0.1, 0, -1], "angular_velocity_rad_s": [1, 2, 3], "friction": 0.3}
        hinge = {"kind": "revolute", "bodies": [1, -1], "anchors_m": [[0.1, -0.5, 0.2], [0, 0, 0]], "frames_wxyz": [[1, 0, 0, 0], [1, 0, 0, 0]]}
        for joined in (0, 1):
            ends = []
            for shape, at, orientation, arm in ((own, place, [1, 0, 0, 0], center), ({"kind": "box", "half_sizes_m": list(half)}, place + center, list(turn), numpy.zeros(3))):
                joint = json.loads(json.dumps(hinge))
                joint["anchors_m"][1] = list(place + numpy.array(hinge["anchors_m"][0]))
                if shape is not own:  # its own frame is that of the brick
                    back = numpy.array([w, *-v])
                    x = numpy.array(hinge["anchors_m"][0]) - center
                    joint["anchors_m"][0] = list(x + 2 * numpy.cross(-v, numpy.cross(-v, x) + w * x))
                    joint["frames_wxyz"][0] = list(back)
                self.write({"shapes": [{"kind": "half-space"}, shape],
                            "bodies": [{"kind": "fixed", "shape": 0, "position_m": [0, 0, 0], "friction": 0.3}, {"shape": 1, "position_m": list(at), "orientation_wxyz": orientation, **moving}],
                            "joints": [joint] * joined})
                self.ncpbench("run", "mine.json", *QUICK, "--steps", "40", "--newton-tolerance", "1e-10", "-o", "a.h5", "--force")
                final = self.final("a.h5")
                ends.append(numpy.concatenate([final["q"][1, :3], final["u"][1]]))
                self.ncpbench("check", "a.h5")
            numpy.testing.assert_allclose(*ends, atol=1e-7)
        first = self.export("a.json", "mine.json", at=2)
        self.assertEqual(json.loads(first)["bodies"], json.loads(self.export("b.json", "a.json"))["bodies"])

    def test_limits_of_iterations(self):
        """what the file says, or the method's own; of newton a scene's. A file without a method has auto, but newton for options of it"""
        for run, words, method, limit in (({"method": "auto"}, [], "auto", 5000), ({"method": "auto", "newton_iterations": 7}, [], "auto", 7),
                                          ({"method": "newton"}, [], "newton", 6), ({}, [], "auto", 5000), ({"newton_iterations": 9}, [], "auto", 9),
                                          ({}, ["--linear-solver", "pcg", "--preconditioner", "jacobi"], "newton", 6), ({}, ["--form", "stiffness"], "newton", 6),
                                          ({"newton_iterations": 9}, ["--linear-iterations", "3"], "newton", 9), ({}, ["--method", "psor"], "psor", None)):
            self.write({**BALL, "run": run})
            self.ncpbench("run", "mine.json", *words, *QUICK, "--steps", "1", "-o", "a.h5")
            with h5py.File(self.path("a.h5"), "r") as record:
                self.assertEqual(text(record["runs/0000"].attrs["method"]), method, (run, words))
                self.assertIn(record["runs/0000"].attrs["newton_iterations"], (limit, limit or record["runs/0000"].attrs["newton_iterations"]), (run, words))
        self.ncpbench("run", "mine.json", "--preconditioner", "jacobi,block-jacobi", "--linear-solver", "pcg,pcr", *QUICK, "--steps", "1", "-o", "a.h5")
        self.assertEqual({text(run["method"]) for run in runs_of(self.path("a.h5"))}, {"newton"})

    def test_friction_left_out_is_said_once(self):
        """where it makes mu 0: not where it is given as 0, where --set mu is of all bodies, or where nothing has friction"""
        said = "mine.json: bodies[0]: no friction given, so mu is 0 against bodies[1], which has 0.5: mu is the geometric mean; add friction, or use --set mu=X\n"
        for ground, ball, words, count in ((None, 0.5, [], 1), (None, 0.5, ["--threads", "1,2"], 1), (0, 0.5, [], 0), (None, 0.5, ["--set", "mu=0.3"], 0), (None, None, [], 0),
                                           (None, 0.5, ["--set", "mu=0.3,-1"], 1)):
            scene = json.loads(json.dumps(BALL))
            for body, friction in zip(scene["bodies"], (ground, ball)):
                body["friction"] = friction
            self.write(scene)
            self.assertEqual(self.ncpbench("run", "mine.json", *words, *QUICK, "--steps", "1", "-o", "a.h5")[1].count(said), count, (ground, ball, words))

    def test_joints_by_a_point_and_an_axis(self):
        """those of anchors and frames that were found by hand; turns of a revolute joint are about its axis, slides of a prismatic one along it"""
        tilt = [0.5, 0.5, -0.5, 0.5]
        body = {"shape": 0, "density_kg_m3": 1, "position_m": [1, 2, 3], "orientation_wxyz": tilt, "angular_velocity_rad_s": [0.1, 0.2, 0.3], "velocity_m_s": [0.3, 0.2, 0.1]}
        scene = {"shapes": [{"kind": "box", "half_sizes_m": [1, 2, 3]}], "bodies": [body, {**body, "position_m": [0, 0, 9]}]}
        for kind, axis in (("revolute", [0, 3, 4]), ("prismatic", [0, 3, 4]), ("revolute", [-1, 0, 0]), ("revolute", [2, 0, 0])):
            for ends in ([-1, 0], [0, 1]):
                self.write({**scene, "joints": [{"kind": kind, "bodies": ends, "point_m": [1, 1, 1], "axis": axis}]})
                self.assertEqual(validate({**scene, "joints": [{"kind": kind, "bodies": ends, "point_m": [1, 1, 1], "axis": axis}]}, self.schema, self.schema), [])
                _, said = self.ncpbench("run", "mine.json", *QUICK, "--steps", "3", "-o", "a.h5")
                self.assertNotIn("at the start", said)
                run = runs_of(self.path("a.h5"))[0]
                numpy.testing.assert_allclose([run["start_joint_error"], run["start_joint_turn"]], [0, 0], atol=1e-14)
                u = self.final("a.h5")["u"]
                spin, slide = u[0][3:] - (u[1][3:] if ends[0] == 0 else 0), u[0][:3] - (u[1][:3] if ends[0] == 0 else 0)
                if ends[0] < 0:  # the world's axis stays
                    moved = spin if kind == "revolute" else slide
                    self.assertGreater(numpy.linalg.norm(moved), 1e-3)
                    numpy.testing.assert_allclose(numpy.cross(moved, axis), 0, atol=1e-7)
                if kind == "prismatic":
                    numpy.testing.assert_allclose(spin, 0, atol=1e-7)
        joint = {"kind": "spherical", "bodies": [-1, 0]}
        states = []
        for members in ({"point_m": [1, 1, 1]}, {"anchors_m": [[1, 1, 1], [-2, 0, 1]]}):  # R^T (0, -1, -2): columns of R are (0, 0, 1), (-1, 0, 0), (0, -1, 0)
            self.write({**scene, "joints": [{**joint, **members}]})
            self.ncpbench("run", "mine.json", *QUICK, "--steps", "3", "-o", "a.h5")
            states.append(self.final("a.h5")["q"])
        numpy.testing.assert_allclose(*states, atol=1e-12)

    def test_joints_that_do_not_fit_are_said_to_be_wrong(self):
        """a bar of 1 m between hinges 2 m apart: neither wedged nor to be regularized"""
        ends = [{"kind": "revolute", "bodies": [-1, 0], "anchors_m": [[2 * x, 0, 0.6], [x, 0, 0]]} for x in (-0.5, 0.5)]
        self.write({"shapes": [{"kind": "box", "half_sizes_m": [0.5, 0.1, 0.1]}], "bodies": [{"shape": 0, "density_kg_m3": 1000, "position_m": [0, 0, 0.6]}], "joints": ends})
        _, said = self.ncpbench("run", "mine.json", *QUICK, "--steps", "2", "-o", "a.h5", status=None)
        self.assertIn("at the start joint 0 of the world and body 0 is 0.5 m apart; the first step corrects this at once\n", said)
        self.assertIn("; joints have the largest error: correct anchors and frames that do not fit together, give them compliance", said)
        said += self.ncpbench("run", "mine.json", *QUICK, "--method", "newton", "--steps", "50", "-o", "b.h5", status=None)[1]
        self.assertNotRegex(said, "wedged|regularization")

    def test_paths_of_any_length(self):
        """of a long one records have the last components that 63 characters hold, or the end of the file's own name"""
        for path, name in (("d" * 60 + "/" + "e" * 40 + "/mine.json", "e" * 40 + "/mine.json"), ("d" * 80 + "/" + "f" * 80 + ".json", "f" * 58 + ".json"),
                           ("g" * 10 + "/" + "h" * 47 + ".json", "g" * 10 + "/" + "h" * 47 + ".json"), ("g" * 10 + "/" + "h" * 48 + ".json", "h" * 48 + ".json")):
            os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
            self.write({**BALL, "expect": [{"quantity": "velocity_m_s", "body": 1, "axis": "z", "value": -20, "tolerance": 0}]}, path)
            self.ncpbench("run", path, *QUICK, "--steps", "4", "--method", "auto", "-o", "a.h5", "--force")
            run = runs_of(self.path("a.h5"))[0]
            self.assertEqual(text(run["scenario"]), name)
            self.assertIn("velocity_m_s z", self.ncpbench("check", "a.h5")[0])
            self.ncpbench("export", path, "--format", "scene", "--at", "0", "-o", "b.json", "--force")
            self.assertIn(name, self.ncpbench("list", "scenarios", path)[0])
        other = "k" * 60 + "/" + "e" * 40 + "/mine.json"
        os.makedirs(os.path.dirname(self.path(other)))
        self.write(BALL, other)
        self.refused("run", "d" * 60 + "/" + "e" * 40 + "/mine.json," + other, "-o", "x.h5", says=("have one name in records, 'eee",))

    def test_what_a_file_expects(self):
        """after four steps of h = 1/2 and g = 10: v = -20, z = 75, energy m (1 + 400)/2; judged by check"""
        ball = numpy.pi
        known = [{"quantity": "position_m", "body": 1, "axis": "z", "value": 75, "tolerance": 0}, {"quantity": "position_m", "body": 1, "axis": "x", "value": 2, "tolerance": 0},
                 {"quantity": "velocity_m_s", "body": 1, "axis": "z", "value": -20, "tolerance": 0}, {"quantity": "angular_velocity_rad_s", "body": 1, "axis": "y", "value": 0, "tolerance": 0},
                 {"quantity": "force_of_fixed_N", "axis": "z", "value": 0, "tolerance": 0}, {"quantity": "contacts", "value": 0, "tolerance": 0},
                 {"quantity": "kinetic_energy_J", "value": ball * 401 / 2, "tolerance": 1e-11}, {"quantity": "drift_m", "value": float(numpy.hypot(2, 25)), "tolerance": 1e-14},
                 {"quantity": "joint_error", "value": 0, "tolerance": 0}, {"quantity": "contacts", "value": 7, "tolerance": 0, "after_steps": 3}]
        for wrong in (None, 0, 6):
            scene = {**BALL, "expect": json.loads(json.dumps(known))}
            if wrong is not None:
                scene["expect"][wrong]["value"] += 1
            self.write(scene)
            self.assertEqual(validate(scene, self.schema, self.schema), [])
            self.ncpbench("run", "mine.json", *QUICK, "--steps", "4", "--method", "auto", "-o", "a.h5", "--force")
            out, err = self.ncpbench("check", "a.h5", status=0 if wrong is None else 2)
            self.assertEqual(out.count("FAILED"), 0 if wrong is None else 1)
            self.assertIn("does not apply: presupposes that the run has 3 steps", out)
            self.assertEqual(len(re.findall(r"body 1: |force_of_fixed|kinetic|drift_m|joint_error", out)), 8)
        self.ncpbench("run", "mine.json", "--set", "mu=0.5", *QUICK, "--steps", "4", "--method", "auto", "-o", "a.h5", "--force")
        self.assertEqual(self.ncpbench("check", "a.h5")[0].count("presupposes that friction is the file's own"), 9)

    def test_a_changed_file_is_noticed(self):
        """checks of a record are then those that were recorded"""
        self.write(BALL)
        self.ncpbench("run", "mine.json", *QUICK, "--steps", "2", "--method", "auto", "-o", "a.h5")
        fewer = json.loads(json.dumps(BALL))
        del fewer["bodies"][0]
        self.write(fewer)
        self.ncpbench("check", "a.h5")
        os.remove(self.path("mine.json"))
        self.ncpbench("check", "a.h5")


class Faults(Scene):
    def test_faults_have_line_and_place(self):
        def with_body(**changes):
            scene = json.loads(json.dumps(BALL))
            scene["bodies"][1].update(changes)
            scene["bodies"][1] = {key: value for key, value in scene["bodies"][1].items() if value is not None}
            return scene

        def with_scene(**changes):
            return {**json.loads(json.dumps(BALL)), **changes}

        def solid(sum_of=({"kind": "segment", "half_m": [0, 0, 1]},), cones=(), rows=((1, 0, 0, 1),)):
            of_set = {"centre_m": [0, 0, 0], "radius_m": 1, "cones": list(cones), "rows": list(rows)}
            return {"kind": "Minkowski sum", "solids": [{"sum_of": list(sum_of), "set": of_set}]}

        deep = {"kind": "sphere", "radius_m": 1}
        for _ in range(9):
            deep = {"kind": "bundle", "of": [deep]}
        part = {"vertices_m": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "faces": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4]]}
        for scene, says in (("{\n\n  \"bodies\": [1,]\n}", "line 3, column 16: unexpected token near ']'"), ("[1]", "expected an object, not an array"), ("{}", "there are neither bodies nor particles"),
                            ("{\"time_s\": 0,\n\"time_s\": 0}", "line 2, column 8: duplicate"), ("{\"time_s\": 1e999}", "line 1, column 16: "), ("", "line 1, column 0: "),
                            ("[" * 5000, "line 1, column "), (with_scene(shape=[]), "shape: there is no such member; did you mean 'shapes'?"),
                            (with_scene(shapes=[{"kind": "cone ice"}]), "shapes[0].kind: no such shape 'cone ice'; none, sphere, half-space, box"),
                            (with_scene(shapes=[{"kind": "sphere", "radius_m": -1}]), "shapes[0]: the radius of a sphere is -1 m"),
                            (with_scene(shapes=[{"kind": "box", "radius_m": 1}]), "shapes[0].radius_m: there is no such member (known: kind, half_sizes_m)"), (with_scene(shapes=[{"kind": "box", "size": 1}]), "shapes[0].size: there is no such member; did you mean 'half_sizes_m'?"),
                            (with_scene(shapes=[{"kind": "polyhedra", "parts": [part]}]), "shapes[0].parts[0].faces[3][2]: 4 is out of range"),
                            (with_scene(shapes=[{"kind": "polyhedra", "parts": [{**part, "vertices_m": 1001 * [[0, 0, 0]]}]}]), "shapes[0].parts[0]: the polyhedron has 1001 points; at most 1000 are supported"),
                            (with_scene(shapes=[{"kind": "polyhedra", "parts": [{**part, "vertices_m": 1000 * [[0, 0, 0]]}]}]), "shapes[0].parts[0]: face 0 of the polyhedron has no area"),
                            (with_scene(shapes=[{"kind": "capsule", "radius_m": 0.1}]), "shapes[0].length_m: is missing"),
                            (with_scene(shapes=[{"kind": "cone", "radius_m": 0.1, "height_m": -1}]), "shapes[0]: a cone has the radius 0.1 m and the length -1 m"),
                            (with_scene(shapes=[{"kind": "cylinder", "radius_m": 0.1, "height_m": 1}]), "shapes[0].height_m: there is no such member; did you mean 'length_m'?"),
                            (with_scene(shapes=[{"kind": "Minkowski sum", "of": [{"kind": "sphere", "radius_m": 1}]}]), "shapes[0].of: expected two shapes"),
                            (with_scene(shapes=[{"kind": "bundle", "of": []}]), "shapes[0]: a bundle has no shapes"),
                            (with_scene(shapes=[{"kind": "bundle", "of": [{"kind": "sphere", "radius_m": 1, "turn_wxyz": [1, 1, 0, 0]}]}]), "shapes[0].of[0].turn_wxyz: is of length"),
                            (with_scene(shapes=[{"kind": "Minkowski sum", "of": [{"kind": "sphere", "radius_m": 1}, {"kind": "half-space"}]}]), "shapes[0]: a half-space cannot be part"),
                            (with_scene(shapes=[{"kind": "padded polytope", "parts": [], "radius_m": 1}]), "shapes[0].parts: expected one polyhedron"),
                            (with_scene(shapes=[deep]), "sums and bundles can be 8 deep"),
                            (with_scene(shapes=[solid(rows=[[1, 0, 0]])]), "shapes[0].solids[0].set.rows[0]: expected 4 to"),
                            (with_scene(shapes=[solid(rows=[[1, 0, 0, 1], [1, 0]])]), "shapes[0].solids[0].set.rows[1]: expected 4 numbers, not 2"),
                            (with_scene(shapes=[solid(rows=[[1, 0, 0, -1]])]), "positive heights of half-lines"),
                            (with_scene(shapes=[solid(cones=[4])]), "shapes[0].solids[0].set.cones: have more rows than the 1 of the set"),
                            (with_scene(shapes=[solid(cones=[5])]), "set.cones[0]: 5 is out of range"), (with_scene(shapes=[solid(sum_of=[])]), "sum_of: is empty"),
                            (with_scene(shapes=[solid(sum_of=[{"kind": "cone", "half_m": [1, 0, 1]}])]), "sum_of[0].half_m: (1, 0, 1) m must be positive"),
                            (with_body(shape=2), "bodies[1].shape: 2 is out of range (whole numbers from -1 to 1)"),
                            (with_body(shape=0.5), "bodies[1].shape: 0.5 is out of range"), (with_body(shape=0), "a half-space is of fixed"),
                            (with_body(mass_kg=1), "bodies[1].mass_kg: and density_kg_m3"), (with_body(density_kg_m3=None), "bodies[1]: has no mass; expected density_kg_m3, or mass_kg and inertia_kg_m2"), (with_body(density_kg_m3=None, shape=None), "expected density_kg_m3 and a shape, or"),
                            (with_body(density_kg_m3=None, mass_kg=1), "bodies[1].inertia_kg_m2: is missing"), (with_body(mass=1), "bodies[1].mass: there is no such member; did you mean 'mass_kg'?"), (with_body(colour=1), "bodies[1].colour: there is no such member (known: kind, shape, mass_kg,"),
                            (with_body(position_m=[0, 0]), "bodies[1].position_m: expected 3 numbers, not 2"),
                            (with_body(position_m=[0, 0, "1"]), "bodies[1].position_m[2]: expected a number, not a text"),
                            (with_body(orientation_wxyz=[1, 1, 0, 0]), "bodies[1]: body 1: orientation"), (with_body(friction=-1), "friction -1"),
                            (with_body(kind="soft"), "bodies[1].kind: no such kind 'soft'; dynamic, fixed, kinematic"),
                            (with_scene(settings={"friction-law": "dry"}), "settings.friction-law: "), (with_scene(settings={"integrater": "be"}), "settings.integrater: there is no such member; did you mean 'integrator'?"),
                            (with_scene(time_step_s=0), "time_step_s: 0 s is out of range"), (with_scene(contact_margin_m=0), "contact_margin_m: 0 m must be positive"),
                            (with_scene(run={"steps": 0}), "run.steps: 0 is out of range"),
                            (with_scene(joints=[{"kind": "revolute", "bodies": [1, 1], "anchors_m": [[0, 0, 0], [0, 0, 0]]}]), "joints[0]: joint 0 joins body 1 to itself"),
                            *((with_scene(joints=[{"kind": kind, "bodies": [-1, 1], **members}]), says) for kind, members, says in (
                                ("spherical", {"point_m": [0, 0, 0], "damping": [1, 1, 1, 0, 0, 0]}, "joints[0]: joint 0: damping is of joints of kind fixed"),
                                ("fixed", {"point_m": [0, 0, 0], "damping": [1, 0, 0, 0, 0, 0]}, "joints[0]: joint 0: the three numbers of damping"), ("fixed", {"point_m": [0, 0, 0], "damping": [-1, 0, 0, 0, 0, 0]}, "damping -1 must be"),
                                ("spherical", {}, "joints[0].anchors_m: is missing; expected an array, or point_m in its place"), ("spherical", {"axis": [1, 0, 0]}, "joints[0].axis: requires point_m"),
                                ("revolute", {"point_m": [0, 0, 0]}, "joints[0].axis: is missing; expected an array"), ("prismatic", {"point_m": [0, 0, 0], "axis": [0, 0, 0]}, "joints[0].axis: (0, 0, 0) must have a direction"),
                                ("distance", {"point_m": [0, 0, 0]}, "joints[0].point_m: a distance joint requires anchors_m"),
                                ("spherical", {"point_m": [0, 0, 0], "anchors_m": [[0, 0, 0], [0, 0, 0]]}, "joints[0].anchors_m: and point_m: give one of the two"))),
                            (with_scene(motors=[{"joint": 0, "axis": "turns"}]), "motors[0].joint: 0 is out of range"),
                            (with_scene(joints=[{"kind": "fixed", "bodies": [-1, 1], "point_m": [0, 0, 0], "damping": [1, 1, 1, 0, 0, 0]}], motors=[{"joint": 0, "axis": "turns"}]), "motors[0].joint: joint 0 has damping"),
                            (with_scene(pairs=[{"bodies": [0, 2]}]), "pairs[0].bodies[1]: 2 is out of range"), (with_scene(pairs=[{"bodies": [1, 1]}]), "pairs[0]: pair 0 is of body 1 and itself"),
                            (with_scene(pairs=[{"bodies": [0, 1]}, {"bodies": [1, 0]}]), "pairs[1]: pair 1: bodies 1 and 0 have one already"),
                            (with_scene(pairs=[{"bodies": [0, 1], "friction": -1}]), "pairs[0]: pair 0: friction -1 must be"),
                            (with_scene(expect=[{"quantity": "colour", "value": 0, "tolerance": 0}]), "expect[0].quantity: no such quantity 'colour'; position_m,"),
                            (with_scene(expect=[{"quantity": "drift_m", "value": 0}]), "expect[0].tolerance: is missing"),
                            (with_scene(expect=[{"quantity": "drift_m", "body": 1, "value": 0, "tolerance": 0}]), "expect[0].body: drift_m is of the scene"),
                            (with_scene(expect=[{"quantity": "position_m", "body": 2, "axis": "x", "value": 0, "tolerance": 0}]), "expect[0].body: 2 is out of range"),
                            (with_scene(expect=[{"quantity": "position_m", "body": 1, "value": 0, "tolerance": 0}]), "expect[0].axis: is missing"),
                            (with_scene(expect=[{"quantity": "contacts", "axis": "x", "value": 0, "tolerance": -1}]), "expect[0].axis: contacts has none"),
                            (with_scene(expect=[{"quantity": "contacts", "value": 0, "tolerance": -1}]), "expect[0].tolerance: -1 must not be negative"),
                            (with_scene(springs=[{"particles": [0, 1], "length_m": 1}]), "springs[0].particles[0]: 0 is out of range")):
            self.write(scene)
            err = self.refused("run", "mine.json", "-o", "x.h5", status=3, says=("'mine.json', line ", says))
            place = re.search(r"line (\d+): bodies\[1\]\.(\w+)", err)
            if place and place[2] in scene["bodies"][1]:  # json.dumps writes a member a line, and a list's items below it
                self.assertIn(f'"{place[2]}"', "".join(self.bytes_of("mine.json").decode().splitlines()[max(0, int(place[1]) - 4):int(place[1])]))

    def test_members_are_described(self):
        """each number has a unit, each vector its axes, each member that is not required a default or the kinds it is of"""
        for name, described in {"scene": self.schema, **self.schema["$defs"]}.items():
            for member, of in described.get("properties", {}).items():
                item, depth = of, 0
                while item.get("type") == "array":
                    item, depth = item["items"], item.get("maxItems", 0)
                with self.subTest(member=f"{name}.{member}"):
                    self.assertTrue(of["description"])
                    if item.get("type") == "number":
                        self.assertTrue(of["x-unit"])
                        self.assertTrue("x-frame" in of or depth != 3 or name == "set")
                    self.assertTrue(member in described["required"] or "x-default" in of or "enum" in of or re.search(
                        "\\b(of|in|with|required|for|from|version|command|gives|options|what|place)\\b", of["description"]))

    def test_schema_and_reader_refuse_alike(self):
        """of exported scenes, without each member that is required, and with one that is unknown, in each kind of object"""
        scene = json.loads(self.export("a.json", "soft-stack", "--set", "count=1", "--set", "cells=1"))
        scene.update({key: value for key, value in json.loads(self.export("b.json", "four-bar")).items() if key in ("shapes", "bodies", "joints")})
        scene["motors"] = [{"joint": 0, "axis": "turns"}]
        scene["joints"][0]["kind"] = "fixed"
        scene["pairs"], scene["couplings"] = [{"bodies": [0, 1]}], [{"joints": [0], "factors": [1]}]
        scene["planar"] = 0
        self.write(scene)
        self.ncpbench("list", "scenarios", "mine.json")
        lists = {"bodies": "body", "joints": "joint", "motors": "motor", "couplings": "coupling", "pairs": "pair", "particles": "particle", "materials": "material", "tetrahedra": "tetrahedron"}
        for key, kind in lists.items():
            for gone in self.schema["$defs"][kind]["required"]:
                changed = json.loads(json.dumps(scene))
                del changed[key][0][gone]
                self.write(changed)
                self.assertTrue(validate(changed, self.schema, self.schema), (key, gone))
                self.refused("list", "scenarios", "mine.json", status=3, says=(f"{key}[0].{gone}: is missing",))
            changed = json.loads(json.dumps(scene))
            changed[key][0]["colour"] = 1
            self.write(changed)
            self.assertTrue(validate(changed, self.schema, self.schema), key)
            self.refused("list", "scenarios", "mine.json", status=3, says=(f"{key}[0].colour: there is no such member",))
            everything = json.loads(json.dumps(scene))  # every member that the schema knows, the reader knows
            for name in self.schema["$defs"][kind]["properties"]:
                everything[key][0].setdefault(name, None)  # null: as if it were not there
            self.write(everything)
            self.ncpbench("list", "scenarios", "mine.json")


if __name__ == "__main__":
    unittest.main()
