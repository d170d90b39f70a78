"""Prescribed motion in scene files: what a scenario prescribes is exported as tables, and a run from them has its bits;
files written by hand are held to closed forms, in steps of several lengths; faults name the line and the place.

NCPBENCH names the program."""
import glob
import json
import os
import re
import unittest

import numpy

from scene_files import QUICK, ROOT, Scene, validate

# all scenarios that prescribe something, small, and the step to export at; those that start from the step before have
# impulses that are in no file, so they are exported where they begin
PRESCRIBE = [(["ball-squish", "--set", "frequency=2"], 0), (["bar", "--set", "cells=4"], 2), (["beam", "--set", "count=3"], 0), (["beam", "--set", "count=3", "--set", "arm=1"], 2),
             (["bowl"], 0), (["delta"], 2), (["loop-biped"], 2), (["brazil-nut", "--set", "count=20"], 2), (["cabinets", "--set", "count=1"], 2), (["grasp"], 0), (["gripper"], 0), (["hand-ball"], 0), (["hand-object"], 2),
             (["humanoids", "--set", "count=1"], 2), (["load-ramp"], 2), (["stick-slip"], 0), (["tomato"], 0), (["tube-cloth"], 0), (["tyre"], 0), (["walker"], 0)]
HALF = {"kind": "half-space"}
BOX = {"kind": "box", "half_sizes_m": [0.5, 0.5, 0.5]}


class Prescribed(Scene):
    def round(self, words, at):
        first = self.export("a.json", *words, at=at)
        cut = [re.sub(r'"command": "[^\n]*', "", text) for text in (first, self.export("b.json", "a.json"))]
        self.assertEqual(*cut, words)
        self.assertEqual(validate(json.loads(first), self.schema, self.schema), [], words)
        self.ncpbench("run", *words, *QUICK, "--steps", str(at + 2), "-o", "a.h5", "--force", status=None)
        self.ncpbench("run", "a.json", *QUICK, "--steps", "2", "-o", "b.h5", "--force", status=None)
        whole, part = self.final("a.h5"), self.final("b.h5")
        self.assertEqual(sorted(whole), sorted(part), words)
        for key in whole:
            self.assertEqual(whole[key].tobytes(), part[key].tobytes(), (words, key))

    def test_bytes_and_bits(self):
        for words, at in PRESCRIBE:
            with self.subTest(words=words):
                self.round(words, at)

    def test_all_scenarios_that_prescribe_are_here(self):
        known = {words[0] for words, _ in PRESCRIBE} | {"hand"}  # hand.c is of hand-ball and hand-object
        for path in glob.glob(os.path.join(ROOT, "scenarios", "*.c")):
            with open(path, encoding="utf-8") as file:
                if "prescribe = " in file.read():
                    self.assertIn(os.path.basename(path)[:-2].replace("_", "-"), known)


def slid(times, x):
    """what stands at these times, linear between them and constant outside"""
    return lambda t: numpy.array([numpy.interp(t, times, column) for column in numpy.transpose(x)])


def integral(times, v):
    """the integral from time 0 of velocities that are constant from their time to the next"""
    ends = [*times[1:], numpy.inf]
    return lambda t: sum(max(0, min(t, end) - max(0, start)) * numpy.array(x) for start, end, x in zip(times, ends, v))


class Own(Scene):
    def at_end(self, scene, h, steps, *words):
        self.write({**scene, "time_step_s": h})
        self.ncpbench("run", "mine.json", *QUICK, "--method", "auto", "--steps", str(steps), *words, "-o", "a.h5", "--force")
        return self.final("a.h5")

    def test_kinematic_bodies_go_as_tables_say(self):
        """in steps that end between samples, span several and go beyond the last: displacement is that of the table"""
        times, v, w = [0, 0.1, 0.25, 0.3], [[1, 0, 0], [0, -2, 0], [0, 0, 4], [0.5, 0, 0]], [0.1, 0.2, 0.25, 0.9]
        x = [[0, 0, 3], [1, 0, 3], [1, 2, 3], [0, 0, 0]]
        turn = [[1, 0, 0, 0], [0.6, 0.8, 0, 0], [0.6, 0, 0.8, 0], [0.6, 0, -0.8, 0]]
        scene = {"gravity_m_s2": [0, 0, 0], "shapes": [BOX], "bodies": [{"kind": "kinematic", "position_m": p} for p in ([0, 0, 0], [0, 0, 3])] +
                 [{"shape": 0, "density_kg_m3": 1, "position_m": [0, 0, 9]}],
                 "particles": [{"kind": "kinematic", "position_m": [5, 5, 5]}, {"kind": "kinematic", "position_m": [0, 0, 3]}],
                 "motion": [{"bodies": [0], "times_s": times, "velocity_m_s": v}, {"particles": [0], "times_s": times, "velocity_m_s": v},
                            {"bodies": [1], "times_s": w, "position_m": x, "orientation_wxyz": turn}, {"particles": [1], "times_s": w, "position_m": x}]}
        self.assertEqual(validate(scene, self.schema, self.schema), [])
        for h, steps in ((0.01, 37), (0.03, 9), (0.07, 3), (0.2, 2), (0.4, 3)):
            end = h * steps
            final = self.at_end(scene, h, steps)
            numpy.testing.assert_allclose(final["q"][0][:3], integral(times, v)(end), atol=1e-14)
            numpy.testing.assert_allclose(final["particle_x"][0] - 5, integral(times, v)(end), atol=1e-14)
            numpy.testing.assert_allclose(final["q"][1][:3], slid(w, x)(end), atol=1e-14)
            numpy.testing.assert_allclose(final["particle_x"][1], slid(w, x)(end), atol=1e-14)
        # halfway between samples 0 and 1: half the angle, 2 acos(.6) about x; then from there to the last one
        q = self.at_end(scene, 0.05, 3)["q"][1][3:]
        numpy.testing.assert_allclose(q, [numpy.cos(numpy.arccos(0.6) / 2), numpy.sin(numpy.arccos(0.6) / 2), 0, 0], atol=1e-14)
        q = self.at_end(scene, 0.05, 20)["q"][1][3:]
        numpy.testing.assert_allclose(q * numpy.sign(q[0]), turn[3], atol=1e-13)

    def test_a_block_on_a_conveyor(self):
        """The belt's velocity rises by less than mu g h in each step, so that the block sticks; displacement of the block is the belt's."""
        times = [0.1 * k for k in range(6)]
        v = [[0.04 * k, 0, 0] for k in range(6)]
        scene = {"gravity_m_s2": [0, 0, -10], "shapes": [HALF, BOX],
                 "bodies": [{"kind": "kinematic", "shape": 0, "position_m": [0, 0, 0], "friction": 1},
                            {"shape": 1, "density_kg_m3": 1, "position_m": [0, 0, 0.5], "friction": 1}],
                 "motion": [{"bodies": [0], "times_s": times, "velocity_m_s": v}]}
        for h, steps in ((0.01, 80), (0.025, 32)):
            final = self.at_end(scene, h, steps, "--newton-tolerance", "1e-9")
            numpy.testing.assert_allclose(final["q"][1][:3], integral(times, v)(0.8) + [0, 0, 0.5], atol=1e-7)
            numpy.testing.assert_allclose(final["u"][1], [0.2, 0, 0, 0, 0, 0], atol=1e-8)
        # against the conveyor, friction that gives way: mu g is .1 m/s^2, and the belt at .2 m/s at once slips for two seconds
        slow = json.loads(json.dumps(scene))
        slow["bodies"][0]["friction"] = slow["bodies"][1]["friction"] = 0.01
        slow["motion"][0].update(times_s=[0], velocity_m_s=[[0.2, 0, 0]])
        final = self.at_end(slow, 0.05, 20, "--newton-tolerance", "1e-9")
        numpy.testing.assert_allclose(final["u"][1][0], 0.1, atol=1e-7)  # mu g t after one second

    def test_forces_and_torques(self):
        """by backward Euler m v = h sum of F at the ends of steps, F linear between samples"""
        times, force, torque = [0, 0.5, 0.75], [[0, 0, 0], [4, 0, -2], [4, 8, 0]], [[0, 0, 0], [0, 0, 2], [0, 0, 0]]
        scene = {"gravity_m_s2": [0, 0, 0], "shapes": [{"kind": "sphere", "radius_m": 0.5}],
                 "bodies": [{"shape": 0, "mass_kg": 2, "inertia_kg_m2": [0.25, 0.25, 0.25], "position_m": [0, 0, 0]}],
                 "particles": [{"mass_kg": 4, "position_m": [3, 0, 0]}],
                 "motion": [{"bodies": [0], "times_s": times, "force_N": force, "torque_N_m": torque}, {"particles": [0], "times_s": times, "force_N": force}]}
        for h, steps in ((0.01, 100), (0.07, 13)):
            final = self.at_end(scene, h, steps, "--newton-tolerance", "1e-10")
            ends = h * numpy.arange(1, steps + 1)
            pushed, turned = (h * sum(map(slid(times, x), ends)) for x in (force, torque))
            numpy.testing.assert_allclose(final["u"][0], [*pushed / 2, *turned / 0.25], atol=1e-9)
            numpy.testing.assert_allclose(final["particle_v"][0], pushed / 4, atol=1e-9)

    def test_motors_follow_their_targets(self):
        """one that does not give way is at its target; one with k and d obeys m (v - v0)/h = -k (s - T) - d (v - rate), s = s0 + h v"""
        slide = {"kind": "fixed", "bodies": [0, -1], "anchors_m": [[0, 0, 0], [0, 0, 0]]}
        times, target = [0, 0.2, 0.3], [0, 0.1, -0.1]
        scene = {"gravity_m_s2": [0, 0, 0], "shapes": [BOX], "bodies": [{"shape": 0, "mass_kg": 2, "inertia_kg_m2": [1, 1, 1], "position_m": [0, 0, 0]}], "joints": [slide],
                 "motors": [{"joint": 0, "axis": "slides"}], "motion": [{"motors": [0], "times_s": times, "target": target}]}
        for h, steps in ((0.01, 24), (0.07, 3)):
            final = self.at_end(scene, h, steps, "--newton-tolerance", "1e-10")
            numpy.testing.assert_allclose(final["q"][0][0], numpy.interp(h * steps, times, target), atol=1e-9)
        k, d, m, h = 50, 3, 2, 0.02
        scene["motors"][0].update(stiffness=k, damping=d)
        for rate in (None, [1, 2, -3]):
            s = v = 0
            if rate:
                scene["motion"][0]["rate"] = rate
            for step in range(1, 13):
                aim, before = (numpy.interp(t, times, target) for t in (h * step, h * (step - 1)))
                given = numpy.interp(h * step, times, rate) if rate else (aim - before) / h
                v = (m * v / h - k * (s - aim) + d * given) / (m / h + k * h + d)
                s += h * v
            final = self.at_end(scene, h, 12, "--newton-tolerance", "1e-11")
            numpy.testing.assert_allclose([final["q"][0][0], final["u"][0][0]], [s, v], atol=1e-8)

    def test_a_file_in_the_middle_of_its_motion(self):
        """exported after three steps, and run on: the bytes of its own export, and the bits of the whole run"""
        times, x = [0, 0.1, 0.3], [[0, 0, 0], [0, 0, 0.1], [0.2, 0, 0.1]]
        self.write({"time_step_s": 0.02, "run": {"method": "auto", "steps": 8}, "shapes": [BOX], "bodies": [{"kind": "kinematic", "shape": 0, "position_m": x[0], "friction": 0.8},
                                                                            {"shape": 0, "density_kg_m3": 1, "position_m": [0, 0, 1], "friction": 0.8}],
                    "motion": [{"bodies": [0], "times_s": times, "position_m": x}]}, "whole.json")
        first = self.export("a.json", "whole.json", at=3)
        cut = [re.sub(r'"command": "[^\n]*', "", text) for text in (first, self.export("b.json", "a.json"))]
        self.assertEqual(*cut)
        self.assertEqual(json.loads(first)["motion"], [{"bodies": [0], "times_s": times, "position_m": x}])
        self.ncpbench("run", "whole.json", *QUICK, "-o", "a.h5")
        self.ncpbench("run", "a.json", *QUICK, "--steps", "5", "-o", "b.h5")
        for key, value in self.final("a.h5").items():
            self.assertEqual(value.tobytes(), self.final("b.h5")[key].tobytes(), key)


class Faults(Scene):
    def test_faults_have_line_and_place(self):
        def scene(track=None, **changes):
            track = {"bodies": [0], "times_s": [0, 1], "velocity_m_s": [[1, 0, 0], [0, 0, 0]], **(track or {})}
            return {"shapes": [BOX], "bodies": [{"kind": "kinematic", "position_m": [0, 0, 0]}, {"shape": 0, "density_kg_m3": 1, "position_m": [0, 0, 3]}, {"kind": "fixed", "position_m": [0, 0, 0]}],
                    "joints": [{"kind": "fixed", "bodies": [1, -1], "anchors_m": [[0, 0, 0], [0, 0, 3]]}], "motors": [{"joint": 0, "axis": "turns"}],
                    "motion": [{key: value for key, value in track.items() if value is not None}], **changes}

        two = [{"bodies": [0], "times_s": [0], "velocity_m_s": [[0, 0, 0]]}, {"bodies": [0], "times_s": [0], "position_m": [[0, 0, 0]]}]
        still = {"velocity_m_s": None}
        for changed, says in ((scene({"times_s": [0, 0]}), "motion[0].times_s[1]: 0 s must be after 0 s"), (scene({"times_s": [1, 0.5]}), "motion[0].times_s[1]: 0.5 s must be after 1 s"),
                              (scene({"times_s": []}), "motion[0].times_s: has 0 times; expected 1 to 1000000"), (scene({"times_s": list(range(1000001))}), "motion[0].times_s: has 1000001 times"),
                              (scene({"times_s": [0]}), "motion[0].velocity_m_s: has 2 samples, and times_s 1"), (scene({"times_s": None}), "motion[0].times_s: is missing"),
                              (scene({"times_s": [0, "1"]}), "motion[0].times_s[1]: expected a number, not a text"), (scene({"velocity_m_s": [[0, 0, 0], [0, 0]]}), "motion[0].velocity_m_s[1]: expected 3 numbers, not 2"),
                              (scene({"velocity_m_s": [[0, 0, 0], 0]}), "motion[0].velocity_m_s[1]: expected an array"), (scene(still), "motion[0]: prescribes nothing"),
                              (scene({"bodies": None}), "motion[0]: expected one of the members bodies, particles, motors, tetrahedra, not 0"), (scene({"motors": [0]}), "tetrahedra, not 2"),
                              (scene({"bodies": []}), "motion[0].bodies: is empty"), (scene({"bodies": [3]}), "motion[0].bodies[0]: 3 is out of range"), (scene({"bodies": [0, 0, 0, 0]}), "motion[0].bodies: has 4 items, and the scene 3"),
                              (scene({"bodies": [0, 0]}), "motion[0].velocity_m_s: is prescribed twice of bodies[0]"), (scene(motion=two), "motion[1].position_m: is prescribed twice of bodies[0]"),
                              (scene({"bodies": [1]}), "motion[0].velocity_m_s: bodies[1] must be kinematic"), (scene({"bodies": [2]}), "bodies[2] must be kinematic"),
                              (scene({**still, "force_N": [[0, 0, 0]] * 2}), "motion[0].force_N: bodies[0] must be dynamic"), (scene({"target": [0, 0]}), "motion[0].target: bodies have none"),
                              (scene({**still, "bodies": None, "motors": [0], "rate": [0]}), "motion[0].rate: has 1 samples"), (scene({"bodies": None, "motors": [0]}), "motion[0].velocity_m_s: motors have none"),
                              (scene({**still, "position_m": [[0, 1, 0]] * 2}), "motion[0].position_m: at 0 s, where the scene begins, it is 1 m from that of bodies[0]"),
                              (scene({**still, "orientation_wxyz": [[0.6, 0.8, 0, 0]] * 2}), "motion[0].orientation_wxyz: at 0 s, where the scene begins, it is"),
                              (scene({**still, "orientation_wxyz": [[1, 0, 0, 0], [1, 1, 0, 0]]}), "motion[0].orientation_wxyz[1]: is of length 1.41421; expected 1"),
                              (scene({"colour": 1}), "motion[0].colour: there is no such member"), (scene(motion={}), "motion: expected an array"), (scene(prescribed_by="bar"), "prescribed_by: there is no such member"),
                              ({**scene({**still, "bodies": [1], "force_N": [[0, 0, 0], [0, 1, 0]]}), "planar": 1, "bodies": [{"kind": "fixed", "position_m": [0, 0, 0]}, {"shape": 0, "density_kg_m3": 1, "position_m": [0, 0, 3]}]},
                               "motion[0].force_N: bodies[1] must be pushed in the plane y = 0")):
            with self.subTest(says=says):
                self.write(changed)
                self.refused("run", "mine.json", "-o", "x.h5", status=3, says=("'mine.json', line ", says))

    def test_activation_is_of_linear_materials(self):
        scene = json.loads(self.export("a.json", "soft-stack", "--set", "count=1", "--set", "cells=1", "--set", "material=neo-hookean"))
        scene["motion"] = [{"tetrahedra": [0], "times_s": [0], "activation": [[0.1] * 6]}]
        self.write(scene)
        self.refused("run", "mine.json", "-o", "x.h5", status=3, says=("motion[0].activation: tetrahedra[0] must be of a linear material",))

    def test_options_of_the_method(self):
        for options, status, says in (({"record-every": []}, 3, "run.options.record-every: expected a number, not an array"), ({"a" * 64: 1}, 3, "is longer than an option's name"),
                                      ({"a": "b" * 64}, 3, "run.options.a: is longer than 63 characters"), ({f"a{i}": 1 for i in range(65)}, 3, "run.options: has more than 64 members"),
                                      ({"colour": 1}, 64, "colour")):
            self.write({"bodies": [{"mass_kg": 1, "inertia_kg_m2": [1, 1, 1], "position_m": [0, 0, 0]}], "run": {"method": "apgd", "options": options}})
            self.refused("run", "mine.json", "-o", "x.h5", status=status, says=(says,))


if __name__ == "__main__":
    unittest.main()
