"""The command gradient: derivatives of motions against differences of `run`, forward against back, what is refused.

NCPBENCH names the program.
"""
import json
import os
import sys
import unittest

import h5py
import numpy

from cli_case import Case
from joint_coordinates import axle, chain, quadruped, random_arm, rotor

EXACT = ["--method", "interior-point", "--newton-tolerance", "1e-13"]
POINTS = ["--method", "single-level", "--rho", "1e-10"]
PLACE, VELOCITY, FORCE, MASS, INERTIA, SIZE, FRICTION, INPUTS = 0, 6, 12, 18, 19, 20, 21, 22
COMPONENTS = ["x", "y", "z", "rx", "ry", "rz", "vx", "vy", "vz", "wx", "wy", "wz"]


class Motions(Case):
    def gradient(self, *words, name="g.h5"):
        self.ncpbench("gradient", *words, "-o", name, "--force")
        with h5py.File(self.path(name)) as file:
            return {key: file[key][()] for key in file if key != "provenance"} | dict(file.attrs)

    def column(self, g, body, number):
        """d(state [body, 12])/d(this input)"""
        found = numpy.flatnonzero((g["column_body"] == body) & (g["column_input"] == number))
        return g["derivative"][:, :, found[0]]

    def state(self, *words, method=EXACT):
        """place and velocities of all bodies at the end of a run"""
        self.ncpbench("run", *words, *method, "--repeat", "0", "-o", "run.h5", "--force")
        with h5py.File(self.path("run.h5")) as file:
            final = file["runs/0000/final"]
            return numpy.hstack([final["q"][:, :3], final["u"][:]])

    def check_back(self, scene, method, body, smoothing, tolerance):
        words = [*scene, *method, *smoothing]
        g = self.gradient(*words)
        body = g["q"].shape[0] - 1 if body is None else body
        for component in (2, 4, 6):
            back = self.gradient(*words, "--objective", f"{body}:{COMPONENTS[component]}", name="b.h5")
            own = numpy.zeros_like(back["by_input"])
            own[g["column_body"], g["column_input"]] = g["derivative"][body, component]
            there = numpy.zeros(own.shape, bool)
            there[g["column_body"], g["column_input"]] = True
            scale = max(1, abs(own).max())
            self.assertLess(abs(own - back["by_input"])[there].max() / scale, tolerance, (scene, component))
            total = back["by_force"].sum(axis=0)
            self.assertLess(abs(total - back["by_input"][:, FORCE:FORCE + 6]).max(), 1e-12 * scale)


class Gradient(Motions):
    def difference(self, scene, name, value, step):
        """d(place, velocities)/d(parameter), Richardson's extrapolation of central differences"""
        at = {k: self.state(*scene, "--set", f"{name}={value + k * step!r}") for k in (-1, -0.5, 0.5, 1)}
        return (4 * (at[0.5] - at[-0.5]) / step - (at[1] - at[-1]) / (2 * step)) / 3

    def check_incline(self, angle, mu, speed, tolerance, method=EXACT):
        """a block on a slope, whose parameters move several inputs at once; differences are of interior-point's motion"""
        scene = ["incline", "--set", f"angle={angle}", "--steps", "20"]
        fixed = {"mu": mu, "speed": speed, "mass": 1.5, "length": 0.8}
        g = self.gradient(*scene, *method, *[word for k, v in fixed.items() for word in ("--set", f"{k}={v}")], "--smoothing", "1e-9")
        down, up = numpy.array([numpy.cos(angle), 0, -numpy.sin(angle)]), numpy.array([numpy.sin(angle), 0, numpy.cos(angle)])
        own = {
            "mu": self.column(g, 0, FRICTION) + self.column(g, 1, FRICTION),
            "speed": sum(d * self.column(g, 1, VELOCITY + i) for i, d in enumerate(down)),
            "mass": self.column(g, 1, MASS),
            # lengths grow, the mass stays: moments grow like their squares, and the centre goes up by half the height
            "length": (self.column(g, 1, SIZE) + 2 * self.column(g, 1, INERTIA)) / fixed["length"]
                      + sum(d / 20 * self.column(g, 1, PLACE + i) for i, d in enumerate(up)),
        }
        for name, value in fixed.items():
            if value == 0:
                continue  # a speed up the slope is none of the scenario's
            others = [word for k, v in fixed.items() if k != name for word in ("--set", f"{k}={v}")]
            by_run = self.difference([*scene, *others], name, value, 1e-3 * max(value, 0.1))
            mine = numpy.delete(own[name], [3, 4, 5], axis=1)
            numpy.testing.assert_allclose(mine, by_run, atol=tolerance * max(1, abs(by_run).max()), err_msg=name)

    def test_sliding(self):
        self.check_incline(0.5, 0.3, 0.4, 2e-5)  # at 1e-9 J: rho over what friction dissipates in a step

    def test_sticking(self):
        self.check_incline(0.3, 0.6, 0, 2e-4)  # at rest everything is rho over the normal force's own energy

    def test_contact_points_as_unknowns(self):
        """another formulation of the same motion"""
        self.check_incline(0.5, 0.3, 0.4, 2e-5, POINTS)
        self.check_incline(0.3, 0.6, 0, 2e-4, POINTS)

    def test_a_motion_that_is_smoothed_itself(self):
        """derivatives of single-level are its motion's own, at any time step: of a block that slides they are the closed form's"""
        angle, time, scene = 0.4, 0.2, ["incline", "--set", "angle=0.4", "--set", "mu=0.3", "--set", "speed=1.5", "--method", "single-level", "--objective", "1:x"]
        for steps in 25, 100, 400, 1600:
            h = time / steps
            g = self.gradient(*scene, "--time-step", repr(h), "--steps", str(steps))
            exact = -9.81 * numpy.cos(angle) ** 2 * time * (time + h) / 2  # of the way along x by mu, all bodies' coefficients with it
            # rho = 1e-6 lets velocities of sqrt(rho g L) pass, of which friction takes its part
            self.assertAlmostEqual(g["by_input"][:, FRICTION].sum() / exact, 1, delta=3e-4, msg=steps)
            self.assertAlmostEqual(g["smoothing"] / (1e-6 * 9.81), 0.7089, delta=1e-3)  # J, the radius of the block in metres
            self.assertLess(g["distance"].max(), 1e-5)

    def test_springs(self):
        """of method smoothed: how fast a contact creeps, eps (1 - sqrt(1 - r)), by its load and by mu; columns against the adjoint"""
        angle, eps = numpy.radians(10), 1e-3
        down = numpy.array([numpy.cos(angle), 0, -numpy.sin(angle)])
        for mu, steps, tolerance in ((0.177, 40, 1e-6), (0.3, 20, 1e-8)):  # r = .996198: it takes longer to come there
            r, normal = numpy.tan(angle) / mu, 9.81 * numpy.cos(angle)
            g = self.gradient("incline", "--method", "smoothed", "--set", f"angle={angle!r}", "--set", f"mu={mu}", "--set", "mass=1", "--initial-contact", "loaded",
                              "--time-step", "0.01", "--steps", str(steps), "--inputs", "force,friction")
            self.assertAlmostEqual(g["u"][1, :3] @ down / (eps * (1 - numpy.sqrt(1 - r))), 1, delta=1e-6)
            by_load = sum(d * self.column(g, 1, FORCE + i) for i, d in enumerate(down))[1, 6:9] @ down
            by_mu = (self.column(g, 0, FRICTION) + self.column(g, 1, FRICTION))[1, 6:9] @ down
            slope = eps / (2 * mu * normal * numpy.sqrt(1 - r))
            self.assertAlmostEqual(by_load / slope, 1, delta=tolerance)
            self.assertAlmostEqual(by_mu / (-slope * normal * r), 1, delta=tolerance)
            self.assertTrue(numpy.isfinite(g["derivative"]).all())
            self.assertEqual(g["distance"].max(), 0)
        self.assertAlmostEqual(eps / (2 * 0.177 * 9.81 * numpy.cos(angle) * numpy.sqrt(1 - numpy.tan(angle) / 0.177)), 4.74187e-3, delta=1e-8)
        self.check_back(["heavy-stack", "--set", "count=3", "--set", "mass-ratio=2", "--steps", "4"], ["--method", "smoothed"], None, [], 1e-9)
        self.check_back(["piling", "--set", "shape=sphere", "--set", "count=4", "--set", "spacing=0.01", "--steps", "20"], ["--method", "smoothed"], None, [], 1e-9)

    def test_free_flight(self):
        g = self.gradient("piling", "--set", "count=1", "--set", "shape=box", "--set", "spacing=5", "--steps", "3", *EXACT)
        h, t = 0.0083, 3 * 0.0083
        body = g["q"].shape[0] - 1
        own = self.column(g, body, VELOCITY)[body]
        numpy.testing.assert_allclose(own[[0, 6]], [t, 1], atol=1e-14)
        own = self.column(g, body, FORCE + 1)[body]
        numpy.testing.assert_allclose(own[[1, 7]], [h * h * (1 + 2 + 3) / 4.7, t / 4.7], atol=1e-14)

    def test_joints(self):
        """a pendulum: its angle at the start puts its mass elsewhere on the circle; its mass does not matter"""
        scene, angle, length = ["pendulum", "--steps", "20", "--time-stepping", "implicit"], 1.2, 1
        by_run = self.difference(scene, "angle", angle, 1e-3)
        for method in (EXACT, POINTS):
            g = self.gradient(*scene, "--set", f"angle={angle}", *method)
            numpy.testing.assert_allclose(self.column(g, 0, MASS), 0, atol=1e-11)
            along = numpy.sign(g["q"][0, 0]) * length * numpy.cos(angle), length * numpy.sin(angle)
            mine = along[0] * self.column(g, 0, PLACE) + along[1] * self.column(g, 0, PLACE + 2)
            numpy.testing.assert_allclose(mine[:, [0, 1, 2, 6, 7, 8]], by_run[:, :6], atol=1e-8)

    def test_a_robot_on_its_feet(self):
        """motors, hinges and soles: single-level's derivatives come to interior-point's as rho falls"""
        off = []
        for smoothing in ("1e-7", "1e-9"):
            words = ["walker", "--steps", "3", "--time-stepping", "implicit", "--friction-law", "coulomb", "--bodies", "1,2", "--smoothing", smoothing]
            own, other = self.gradient(*words, *POINTS), self.gradient(*words, *EXACT)
            scale = abs(other["derivative"]).max(axis=(0, 1)) + 1
            off.append((abs(own["derivative"] - other["derivative"]).max(axis=(0, 1)) / scale).max())
        self.assertLess(off[1], 0.05 * off[0])
        self.assertLess(off[1], 1e-3)

    def test_back_is_forward(self):
        """the adjoint is the row of the forward derivative, over contacts that come and go"""
        more = ["--smoothing", "1e-6"]
        self.check_back(["heavy-stack", "--set", "count=3", "--set", "mass-ratio=2", "--steps", "4"], EXACT, None, more, 1e-9)
        self.check_back(["piling", "--set", "shape=sphere", "--set", "count=4", "--set", "spacing=0.01", "--steps", "20"], EXACT, None, more, 1e-9)
        self.check_back(["beam", "--set", "count=3", "--set", "slot=0", "--steps", "3"], EXACT, 2, more, 1e-9)
        for scene, body in ((["drop", "--steps", "60"], None), (["drop", "--set", "set=polytope", "--steps", "60"], None),
                            (["stack-4", "--steps", "10"], None), (["four-bar", "--steps", "5"], 1),
                            (["beam", "--set", "count=3", "--steps", "3"], 2)):
            self.check_back(scene, ["--method", "single-level"], body, [], 1e-10)
            self.check_back(scene, ["--method", "single-level", "--rho", "1e-9"], body, more, 1e-10)

    def test_a_path_that_is_far(self):
        """newton leaves these steps unsolved, whence Newton's method ends before the path; by larger products it comes there, and says how far"""
        g = self.gradient("piling", "--set", "count=4", "--steps", "20", "--method", "newton", "--smoothing", "1e-6", "--bodies", "1", "--inputs", "mass")
        self.assertLess(g["residual"].max(), 1e-7)
        self.assertGreater(g["iterations"].max(), 30)
        self.assertGreater(g["distance"].max(), 1e-3)

    def test_steps_without_derivatives(self):
        """a body that slides and turns on four corners: a warning, and which steps; on another method none is looked for"""
        scene = ["drop", "--set", "set=polytope", "--geometry", "frozen", "--settle", "40", "--steps", "10", "--objective", "1:z", "--force"]
        _, said = self.ncpbench("gradient", *scene, *EXACT, "-o", "g.h5")
        with h5py.File(self.path("g.h5")) as file:
            open_steps = file["open"][()]
        self.assertEqual(list(open_steps[-4:]), [1, 1, 1, 1])
        self.assertEqual(list(open_steps[:3]), [0, 0, 0])
        self.assertIn(f"no derivatives exist in {numpy.count_nonzero(open_steps)} of 10 steps, the first one {numpy.argmax(open_steps)}", said)
        _, said = self.ncpbench("gradient", "incline", "--steps", "5", *EXACT, "-o", "g.h5", "--force")
        self.assertNotIn("no derivatives", said)
        g = self.gradient("incline", "--steps", "2", *POINTS)
        self.assertEqual(list(g["open"]), [-1, -1])

    def test_columns_that_are_asked_for(self):
        g = self.gradient("heavy-stack", *EXACT, "--steps", "1", "--inputs", "mass,friction", "--bodies", "0,2")
        self.assertEqual(list(zip(g["column_body"], g["column_input"])), [(0, FRICTION), (2, MASS), (2, FRICTION)])
        self.assertEqual(g["schema"], "ncpbench-gradient")
        self.assertEqual(g["smoothing"], 1e-8)
        self.assertLess(g["residual"].max(), 1e-8)

    def test_grasp(self):
        """the height of a box in the grip of two fingers, by a force up: springs of the hands give 1/(2 k), and smoothed friction creeps besides
        by T eps/(4 mu N sqrt(1 - r)), 0.76 s from where the box leaves the ground; by its mass against differences of the hard motion"""
        stiffness, mass, mu, delta = 1000, 0.5, 1.2, 1e-5
        for grip in (12, 4):
            scene = ["grasp", "--set", "tilt=0", "--set", "to-x=0", "--set", f"grip={grip}"]
            def by_box(*method):
                g = self.gradient(*scene, *method, "--objective", "1:z")["by_input"][1]
                return g[FORCE + 2], g[MASS] + g[INERTIA] / mass
            hard_motion = ["--method", "interior-point", "--newton-tolerance", "1e-11"]
            heights = [self.state(*scene, "--set", f"mass={mass + step!r}", method=hard_motion)[1, 2] for step in (-1e-4, 1e-4)]
            hard = (heights[1] - heights[0]) / 2e-4
            for method in (hard_motion + ["--smoothing", "1e-10"], ["--method", "single-level", "--rho", "1e-8"]):
                by_force, by_mass = by_box(*method)
                self.assertAlmostEqual(by_force * 2 * stiffness, 1, delta=1e-6)
                self.assertAlmostEqual(by_mass / hard, 1, delta=2e-6)
            soft = ["--method", "smoothed", "--contact-tolerance", str(delta), "--friction-tolerance"]
            coarse, fine = by_box(*soft, "1e-3"), by_box(*soft, "1e-5")
            share = mass * 9.81 / (2 * mu * grip)
            creep = 0.76 / (4 * mu * grip * numpy.sqrt(1 - share))
            self.assertAlmostEqual((coarse[0] - fine[0]) / 9.9e-4 / creep, 1, delta=0.02)
            # what it rests on as it is gripped gives, too: four corners with springs of delta/4 beyond the surface
            self.assertAlmostEqual((fine[0] - 1e-5 * creep - 0.5 / stiffness) / (delta / (8 * mass * 9.81)), 1, delta=0.1)
            self.assertLess(abs(fine[1] / hard - 1), 2e-3)
            self.assertGreater(abs(coarse[1] / hard - 1), 0.02)

    def test_what_is_refused(self):
        with open(self.path("mine.h5"), "w") as file:
            file.write("mine")
        self.refused("gradient", "incline", "-o", "mine.h5", says=["no gradient of ncpbench"])


class JointRows(Motions):
    """limits, dry friction, rotors, motors of limited effort and couplings, of scene files"""
    METHODS = [EXACT, ["--method", "newton", "--newton-iterations", "200", "--newton-tolerance", "1e-13"], ["--method", "auto", "--newton-tolerance", "1e-13"]]

    def write(self, scene):
        with open(self.path("mine.json"), "w") as file:
            json.dump(scene, file)

    def turning(self, scene, steps, body, numbers, method):
        """d(angle, angular velocity about y of body 0)/d(these inputs of a body)"""
        self.write(scene)
        g = self.gradient("mine.json", "--steps", str(steps), "--smoothing", "1e-10", *method)
        return numpy.array([self.column(g, body, number)[0, [4, 10]] for number in numbers])

    def test_closed_forms(self):
        """a wheel on an axle, pushed by a torque for 0.2 s; in a step it turns by 2 atan(h speed/2), 1e-5 less than h speed"""
        inertia, time, h, torque = 0.1, 0.2, 0.01, 0.4
        path = (time + h) / 2  # of the angle over the angular velocity
        numbers = [FORCE + 4, VELOCITY + 4, INERTIA, PLACE + 4]
        pushed = rotor(inertia, torque_N_m=[0, torque, 0])

        def free(inertia, torque, turning):
            """of a wheel with this inertia, `turning` of it its own"""
            speed, by = time / inertia, -time * torque * turning / inertia**2
            return [[path * speed, speed], [time, 1], [path * by, by], [1, 0]]

        two = {**pushed, "bodies": [*pushed["bodies"], *rotor(inertia, x=3.)["bodies"]], "joints": [axle(), {**axle(), "bodies": [1, -1], "point_m": [3, 0, 0]}],
               "couplings": [{"joints": [0, 1], "factors": [1, -2]}]}  # the second wheel turns half as fast
        motor = {"joint": 0, "axis": "turns", "stiffness": 100, "damping": 1, "target": 3, "effort_N_m": 0.02}
        left = (1 + 0.5 * h / inertia) ** -numpy.arange(1, 21)  # of a speed, after each step, by a damper of 0.5 N m s
        slowed = [[h * h / inertia * left.cumsum().sum(), h / inertia * left.sum()], [h * left.sum(), left[-1]]]
        damper = {"joint": 0, "axis": "turns", "stiffness": 0, "damping": 0.5}
        for method in self.METHODS:
            for scene in ({**pushed, "joints": [axle("fixed")], "motors": [damper]}, {**pushed, "joints": [axle("fixed", damping=[0, 0, 0, 0.5, 0.5, 0.5])]}):
                numpy.testing.assert_allclose(self.turning(scene, 20, 0, numbers[:2], method), slowed, rtol=1e-4, err_msg=f"{scene} {method}")
            for scene, exact in (({**pushed, "joints": [axle(friction_N_m=0.3)]}, free(inertia, torque - 0.3, inertia)),
                                 ({**pushed, "joints": [axle(friction_N_m=0.5)]}, [[0, 0], [0, 0], [0, 0], [1, 0]]),
                                 ({**pushed, "joints": [axle(armature_kg_m2=0.4)]}, free(inertia + 0.4, torque, inertia)),
                                 ({**pushed, "joints": [axle()], "motors": [motor]}, free(inertia, torque + 0.02, inertia)),
                                 (two, free(1.25 * inertia, torque, inertia))):
                found = self.turning(scene, 20, 0, numbers, method)
                if scene is two:  # at its start the first wheel is put where the second one is not: the coupling takes that, by inertia
                    self.assertLess(abs(found[3, 0]), 1)
                    found, exact = found[:3], [exact[0], [0.8 * n for n in exact[1]], exact[2]]
                numpy.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-5, err_msg=f"{scene} {method}")
            found = self.turning(two, 20, 1, [FORCE + 4], method)
            numpy.testing.assert_allclose(found, [[0.5 * n for n in free(1.25 * inertia, torque, inertia)[0]]], rtol=1e-4)
            stopped = {**rotor(x=0.5, gravity=10.), "joints": [axle(limits=[-0.5, 0.6])]}
            numpy.testing.assert_allclose(self.turning(stopped, 100, 0, [*numbers, MASS], method), 0, atol=1e-6)

    def test_chains(self):
        """links on their stops, with friction, rotors and servos, some at their efforts: against differences of the motion, and back"""
        for stops, friction, armature, effort, masses in ((0.2, 0, 0, 0, (1,)), (0.2, 0.4, 0.05, 0, (1, 3)), (1, 0, 0.02, 5, (1,)), (0.3, 0.2, 0, 8, (2, 1, 0.5))):
            scene = {"time_step_s": 0.01, **chain(4, stops, masses)}
            for joint in scene["joints"]:
                joint |= {name: value for name, value in (("friction_N_m", friction), ("armature_kg_m2", armature)) if value}
            if effort:
                scene["motors"] = [{"joint": i, "axis": "turns", "stiffness": 60, "damping": 2, "target": 0.1, "effort_N_m": effort} for i in range(4)]
            self.write(scene)
            g = self.gradient("mine.json", "--steps", "40", "--smoothing", "1e-10", *EXACT)
            for body, name, axis, number in ((3, "force_N", 2, FORCE + 2), (1, "torque_N_m", 1, FORCE + 4), (2, "angular_velocity_rad_s", 1, VELOCITY + 4), (0, "mass_kg", None, MASS)):
                def end(t):
                    moved = json.loads(json.dumps(scene))
                    link = moved["bodies"][body]
                    if axis is None:  # its moments grow with the mass
                        link["inertia_kg_m2"] = [(1 + t / link[name]) * n for n in link["inertia_kg_m2"]]
                        link[name] += t
                    else:
                        link[name] = [t if k == axis else 0 for k in range(3)]
                    self.write(moved)
                    return self.state("mine.json", "--steps", "40")
                step = 1e-4
                at = {k: end(k * step) for k in (-1, -0.5, 0.5, 1)}
                by_run = (4 * (at[0.5] - at[-0.5]) / step - (at[1] - at[-1]) / (2 * step)) / 3
                mine = numpy.delete(self.column(g, body, number), [3, 4, 5], axis=1)
                numpy.testing.assert_allclose(mine, by_run, atol=1e-5 * max(1, abs(by_run).max()), err_msg=f"{stops} {friction} {armature} {effort} {name}")

    def test_methods_agree(self):
        """on arms on the ground; from interior-point's solution of the first one Newton's method stops at the kink of a slip of 0"""
        for seed in (45, 3, 11):
            self.write(random_arm(numpy.random.default_rng(seed)))
            words = ["mine.json", "--geometry", "frozen", "--steps", "3", "--smoothing", "1e-6", "--newton-tolerance", "1e-12"]
            own, other = (self.gradient(*words, "--method", method)["derivative"] for method in ("interior-point", "auto"))
            numpy.testing.assert_allclose(own, other, atol=0.1 * abs(other).max())

    def test_back_is_forward(self):
        self.write(quadruped(0.3))
        self.check_back(["mine.json", "--steps", "5"], EXACT, 1, ["--smoothing", "1e-7"], 1e-9)


if __name__ == "__main__":
    unittest.main()
