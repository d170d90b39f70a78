"""Limits, dry friction, rotors and motors of limited effort of scene files: motion in closed form, what files may say, and the same bits after export.

Results are taken from the bodies' states, never from the rows that were solved. NCPBENCH names the program."""
import json
import os
import unittest

import h5py
import numpy

from cli_case import text
from scene_files import QUICK, Scene
from scene_schema import validate

TIGHT = [*QUICK, "--newton-tolerance", "1e-11"]
SWEEPS = ["--newton-iterations", "20000", "--record-every", "10"]
METHODS = {"auto": [], "interior-point": [], "newton": ["--newton-iterations", "100"],  # those with these rows, and others' options
           **{f"{name} {' '.join(more)}": [*SWEEPS, *more] for name, *more in
              (("psor",), ("pssor",), ("nsgs",), ("nsgs", "--order", "coloured"), ("nsgs", "--acceleration", "nncg", "--joints", "direct"), ("psor", "--joints", "direct"),
               ("apgd",), ("apgd", "--joints", "direct", "--coupling", "followed"), ("admm",), ("fbf",), ("fbf", "--fbf-inner", "interior-point"), ("psor", "--coupling", "tresca"), ("pgs", "--friction-law", "polyhedral"))}}


def axle(kind="revolute", **members):
    """a joint of body 0 with the world at the origin, about or along y"""
    return {"kind": kind, "bodies": [0, -1], "point_m": [0, 0, 0], "axis": [0, 1, 0], **members}


def rotor(inertia=0.01, x=0., gravity=0., **body):
    """a body of 1 kg that is x off an axle"""
    return {"gravity_m_s2": [0, 0, -gravity], "time_step_s": 0.01, "bodies": [{"mass_kg": 1, "inertia_kg_m2": 3 * [inertia], "position_m": [x, 0, 0], **body}]}


def by_methods():
    """words that choose each of METHODS"""
    return [["--method", name.split()[0], *words] for name, words in METHODS.items()]


def random_arm(draw, count=3):
    """A tree of balls on hinges and slides, which meets the ground; joints have what is drawn. Relaxed friction makes velocities unique."""
    def vector(size):
        return draw.uniform(-size, size, 3).tolist()

    bodies, joints, motors = [], [], []
    for i in range(count):
        bodies.append({"shape": 1, "mass_kg": draw.uniform(0.3, 3), "inertia_kg_m2": 3 * [draw.uniform(0.01, 0.1)], "position_m": [0.7 * i, draw.uniform(-0.2, 0.2), 0.2 + draw.uniform(0, 0.001)],
                       "friction": 0.4, "velocity_m_s": vector(1)})
        slides, on = draw.random() < 0.3, int(draw.integers(-1, i))
        unit, joint = ("N", "kg") if slides else ("N_m", "kg_m2"), {"kind": "prismatic" if slides else "revolute", "bodies": [i, on], "point_m": [0.7 * i - 0.35, 0, 0.3], "axis": vector(1)}
        if draw.random() < 0.6:
            joint["limits"] = [-draw.uniform(0, 0.003), draw.uniform(0, 0.003)]
        if draw.random() < 0.6:
            joint[f"friction_{unit[0]}"] = draw.uniform(0, 20)
        if draw.random() < 0.5:
            joint[f"armature_{unit[1]}"] = draw.uniform(0.01, 1)
        if draw.random() < 0.5:
            motors.append({"joint": i, "axis": "slides" if slides else "turns", "stiffness": draw.uniform(0, 300), "damping": draw.uniform(1, 30), "target": draw.uniform(-0.1, 0.1), f"effort_{unit[0]}": draw.uniform(0.1, 20)})
        joints.append(joint)
    ground = {"kind": "fixed", "shape": 0, "position_m": [0, 0, 0], "friction": 0.4}
    return {"time_step_s": 0.01, "shapes": [{"kind": "half-space"}, {"kind": "sphere", "radius_m": 0.2}], "bodies": [*bodies, ground], "joints": joints, "motors": motors}


def turns(q):
    """angles about y of bodies in the plane"""
    return 2 * numpy.arctan2(q[:, 5], q[:, 3])


def chain(count, limit, masses=(1,)):
    """links of 1 m, each hinged to the one before, the first to the world; they begin in a line, level"""
    links = [{"mass_kg": masses[i % len(masses)], "inertia_kg_m2": 3 * [masses[i % len(masses)] / 12], "position_m": [i + 0.5, 0, 0]} for i in range(count)]
    hinges = [{"kind": "revolute", "bodies": [i, i - 1], "point_m": [i, 0, 0], "axis": [0, 1, 0], "limits": [-limit, limit]} for i in range(count)]
    return {"bodies": links, "joints": hinges}


def quadruped(friction):
    """a box on legs of three hinges with dry friction, which servos hold; its feet touch the ground"""
    bodies = [{"kind": "fixed", "shape": 0, "position_m": [0, 0, 0], "friction": 0.8}, {"mass_kg": 7, "inertia_kg_m2": [0.02, 0.1, 0.1], "position_m": [0, 0, 0.3]}]
    joints = []
    for x, y in ((x, y) for x in (0.19, -0.19) for y in (1, -1)):
        k = len(bodies)
        bodies += [{"mass_kg": 0.7, "inertia_kg_m2": 3 * [0.0008], "position_m": [x, 0.09 * y, 0.3]},
                   {"mass_kg": 1.1, "inertia_kg_m2": [0.006, 0.006, 0.001], "position_m": [x - 0.05, 0.14 * y, 0.22]},
                   {"mass_kg": 0.25, "inertia_kg_m2": [0.0015, 0.0015, 0.0002], "position_m": [x, 0.14 * y, 0.02], "shape": 1, "friction": 0.8}]
        for i, (on, point, axis, limit, share) in enumerate(((1, [x, 0.05 * y, 0.3], [1, 0, 0], 1, 0.5), (k, [x, 0.14 * y, 0.3], [0, 1, 0], 2, 1), (k + 1, [x - 0.1, 0.14 * y, 0.15], [0, 1, 0], 1, 1))):
            joints.append({"kind": "revolute", "bodies": [k + i, on], "point_m": point, "axis": axis, "friction_N_m": share * friction, "armature_kg_m2": 0.01, "limits": [-limit, limit]})
    motors = [{"joint": i, "axis": "turns", "stiffness": 120, "damping": 6, "target": 0, "effort_N_m": 25} for i in range(len(joints))]
    return {"time_step_s": 0.002, "shapes": [{"kind": "half-space"}, {"kind": "box", "half_sizes_m": 3 * [0.02]}], "bodies": bodies, "joints": joints, "motors": motors}


class Coordinates(Scene):
    def end(self, scene, steps, *words):
        """the final state after steps that all converged"""
        self.write(scene)
        self.ncpbench("run", "mine.json", *TIGHT, "--steps", str(steps), *words, "-o", "a.h5", "--force")
        return self.final("a.h5")


class Motion(Coordinates):
    def test_a_pendulum_comes_to_rest_at_its_stop(self):
        for words in by_methods():
            for x, limits, stop in ((0.5, [-0.5, 0.6], 0.6), (-0.5, [-0.7, 1], -0.7)):
                final = self.end({**rotor(x=x, gravity=10.), "joints": [axle(limits=limits)]}, 120, *words)
                self.assertAlmostEqual(turns(final["q"])[0], stop, delta=1e-9)
                numpy.testing.assert_allclose(final["u"], 0, atol=1e-8)

    def test_a_joint_sticks_below_its_friction_and_turns_above(self):
        for torque, rate, words in ((*case, words) for words in by_methods() for case in ((0.29, 0), (-0.4, -(0.4 - 0.3) / 0.01))):
            final = self.end({**rotor(torque_N_m=[0, torque, 0]), "joints": [axle(friction_N_m=0.3)]}, 50, *words)
            numpy.testing.assert_allclose(final["u"][0, 3:], [0, 0.5 * rate, 0], atol=1e-8)
            final = self.end({**rotor(force_N=[0, torque, 0]), "joints": [axle("prismatic", friction_N=0.3)]}, 50, *words)
            numpy.testing.assert_allclose(final["u"][0, :3], [0, 0.5 * rate * 0.01, 0], atol=1e-8)

    def test_all_methods_move_random_arms_alike(self):
        """where they end in time: sweeps go slowly through arms that lie on the ground"""
        seed = int(os.environ.get("NB_TEST_SEED", "1"))
        print("seed", seed)
        words, ended, count = ["--friction-law", "relaxed", "--geometry", "frozen", "--warm-start", "on", "--newton-tolerance", "1e-9", "--steps", "2", "-o", "a.h5", "--force"], 0, 0
        for trial in range(4):
            self.write(random_arm(numpy.random.default_rng((seed, trial))))
            self.ncpbench("run", "mine.json", *QUICK, *words)
            right = self.final("a.h5")["u"]
            for own in by_methods():
                if "--coupling" in own or own[1] in ("auto", "newton", "nsgs", "pgs", "fbf"):  # of other laws, or not sure to converge
                    continue
                _, said = self.ncpbench("run", "mine.json", *QUICK, *words, *own, status=None)
                ends = "not converged" not in said
                count, ended = count + 1, ended + ends
                self.assertTrue(ends or own[1] != "admm", own)
                if ends:
                    numpy.testing.assert_allclose(self.final("a.h5")["u"], right, atol=1e-6, err_msg=f"{trial} {own}")
        self.assertGreater(ended, 0.6 * count)

    def test_an_actuator_saturates(self):
        far = {"joint": 0, "stiffness": 100, "damping": 1, "target": 3}
        final = self.end({**rotor(), "joints": [axle()], "motors": [{**far, "axis": "turns", "effort_N_m": 0.02}]}, 50)
        numpy.testing.assert_allclose(final["u"][0, 3:], [0, 0.5 * 0.02 / 0.01, 0], atol=1e-9)
        final = self.end({**rotor(), "joints": [axle("prismatic")], "motors": [{**far, "axis": "slides", "effort_N": 0.5}]}, 50)
        numpy.testing.assert_allclose(final["u"][0, :3], [0, 0.5 * 0.5, 0], atol=1e-9)

    def test_below_its_effort_a_motor_is_what_it_is_without_one(self):
        motor = {"joint": 0, "axis": "turns", "stiffness": 3, "damping": 0.2, "target": 0.7, "rate": 0.1}
        states = [self.end({**rotor(x=0.3, gravity=10.), "joints": [axle(kind)], "motors": [{**motor, **effort}]}, 40)
                  for kind, effort in (("fixed", {}), ("revolute", {"effort_N_m": 1e3}))]
        for key in ("q", "u"):
            numpy.testing.assert_allclose(states[0][key], states[1][key], atol=1e-8)

    def test_a_rotor_is_inertia_about_the_axle(self):
        """to the tolerance of the solves: implicit Euler of (I + I_a) dv/dt"""
        states = [self.end({**rotor(inertia, x=0.5, gravity=10.), "joints": [axle(**members)]}, 60) for inertia, members in ((0.01, {"armature_kg_m2": 0.3}), (0.31, {}))]
        for key in ("q", "u"):
            numpy.testing.assert_allclose(states[0][key], states[1][key], atol=1e-8)
        states = [self.end({**rotor(force_N=[0, 3, 0]), "joints": [axle("prismatic", **members)]}, 10) for members in ({"armature_kg": 2},)]
        self.assertAlmostEqual(states[0]["u"][0, 1], 0.1 * 3 / (1 + 2), delta=1e-9)

    def test_a_chain_of_ten_links_hangs_on_its_stops(self):
        final = self.end(chain(10, 0.01), 200)
        numpy.testing.assert_allclose(numpy.diff(turns(final["q"]), prepend=0), 10 * [0.01], atol=1e-9)
        numpy.testing.assert_allclose(final["u"], 0, atol=1e-7)

    def test_legs_stand_that_friction_holds(self):
        """Feet and joints stick, and gaps of feet differ by round-off of positions: each step is solved, and soon."""
        self.write(quadruped(3))
        self.ncpbench("run", "mine.json", *QUICK, "--method", "auto", "--steps", "150", "-o", "a.h5", "--force")
        with h5py.File(self.path("a.h5")) as record:
            steps, q = record["runs/0000/steps"], record["runs/0000/final/q"][1]
            self.assertLess(steps["natural_map_error"][()].max(), 1e-8)
            self.assertLess(steps["newton_iterations"][()].max(), 200)
        numpy.testing.assert_allclose(q[:3], [0, 0, 0.3], atol=1e-9)

    def test_heavy_links_on_light_ones_do_not_sag(self):
        """50 links of 1 kg and 1 t by turns"""
        final = self.end(chain(50, 0.01, masses=(1, 1000)), 100, "--newton-tolerance", "1e-8")
        self.assertLessEqual(numpy.abs(numpy.diff(turns(final["q"]), prepend=0)).max(), 0.01 + 1e-8)

    def test_a_four_bar_locks_at_the_stop_of_its_crank(self):
        bars = [{"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": x} for x in ([0, 0, 0.5], [1, 0, 1], [2, 0, 0.5])]
        points = [([0, -1], [0, 0, 0]), ([1, 0], [0, 0, 1]), ([2, 1], [2, 0, 1]), ([2, -1], [2, 0, 0])]
        kinds = ["revolute", "revolute", "revolute", "revolute"]
        joints = [{"kind": kind, "bodies": bodies, "point_m": point, "axis": [0, 1, 0]} for kind, (bodies, point) in zip(kinds, points)]
        joints[3] = {"kind": "spherical", "bodies": [2, -1], "point_m": [2, 0, 0]}
        joints[0]["limits"] = [-0.2, 0.3]
        bars[0]["velocity_m_s"] = [0.1, 0, 0]
        final = self.end({"bodies": bars, "joints": joints}, 200)
        numpy.testing.assert_allclose(turns(final["q"]), [0.3, 0, 0.3], atol=1e-8)  # a parallelogram
        numpy.testing.assert_allclose(final["u"], 0, atol=1e-8)

    def test_friction_takes_the_energy_that_is_lost(self):
        """and implicit Euler m dv^2/2 a step"""
        force, speed, h, steps = 0.3, 2., 0.01, 300
        final = self.end({**rotor(velocity_m_s=[0, speed, 0]), "joints": [axle("prismatic", friction_N=force)]}, steps)
        lost = (speed ** 2 - final["u"][0, 1] ** 2) / 2
        self.assertAlmostEqual(lost, force * final["q"][0, 1] + steps * (force * h) ** 2 / 2, delta=1e-8)


    def test_no_integrator_gains_energy(self):
        """a slider that falls 0.2 m onto its stop, and a rotor that turns freely between two bodies"""
        pair = [{"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, y, 0], "angular_velocity_rad_s": [0.3, s, 0.2]} for y, s in ((-1, 5), (1, -3))]
        scenes = [({**rotor(gravity=10.), "joints": [{"kind": "prismatic", "bodies": [0, -1], "point_m": [0, 0, 0], "axis": [0, 0, 1], "limits": [-0.2, 1]}]}, 60),
                  ({"gravity_m_s2": [0, 0, 0], "time_step_s": 0.001, "bodies": pair, "joints": [{"kind": "revolute", "bodies": [0, 1], "point_m": [0, 0, 0], "axis": [0, 1, 0], "armature_kg_m2": 0.3}]}, 400)]
        for integrator in ("be", "tr", "decoupled-tr", "bdf2", "tr-bdf2", "sdirk2"):
            for scene, steps in scenes:
                self.write(scene)
                self.ncpbench("run", "mine.json", *QUICK, "--newton-tolerance", "1e-10", "--steps", str(steps), "--integrator", integrator, "-o", "a.h5", "--force")
                with h5py.File(self.path("a.h5")) as record:
                    kinetic, potential = (record[f"runs/0000/steps/{name}_energy"][()] for name in ("kinetic", "potential"))
                energy = kinetic + potential
                self.assertLess(energy.max() - energy[0], 1e-2 * max(1, abs(energy[0])), (integrator, steps, energy[[0, -1]]))

    def test_a_rotor_on_a_kinematic_body(self):
        """a base that turns at 1 rad/s takes a body along by its rotor alone: 0.3/(0.3 + 0.5) of the rate"""
        base = {"kind": "kinematic", "position_m": [0, 0, 0]}
        scene = {"gravity_m_s2": [0, 0, 0], "time_step_s": 0.01, "bodies": [base, {"mass_kg": 1, "inertia_kg_m2": 3 * [0.5], "position_m": [0, 0, 0]}],
                 "joints": [{"kind": "revolute", "bodies": [1, 0], "point_m": [0, 0, 0], "axis": [0, 1, 0], "armature_kg_m2": 0.3}],
                 "motion": [{"bodies": [0], "times_s": [0, 0.1], "angular_velocity_rad_s": [[0, 0, 0], [0, 1, 0]]}]}
        self.assertAlmostEqual(self.end(scene, 20)["u"][1, 4], 0.3 / 0.8, delta=1e-5)

    def test_geared_wheels_are_one_inertia(self):
        """1 to 2: (I_0 + I_1/4) dw_0/dt = torque; energy is kept without one; angles of many turns stay geared"""
        wheels = [{"mass_kg": 1, "inertia_kg_m2": 3 * [inertia], "position_m": [2 * i, 0, 0]} for i, inertia in enumerate((0.1, 0.3))]
        joints = [{"kind": "revolute", "bodies": [i, -1], "point_m": [2 * i, 0, 0], "axis": [0, 1, 0]} for i in range(2)]
        scene = {"gravity_m_s2": [0, 0, 0], "time_step_s": 0.001, "bodies": wheels, "joints": joints, "couplings": [{"joints": [0, 1], "factors": [1, -2]}]}
        wheels[0]["torque_N_m"] = [0, 2, 0]
        for words in by_methods():
            final = self.end(scene, 10, *words)
            rate = 0.01 * 2 / (0.1 + 0.3 / 4)
            numpy.testing.assert_allclose(final["u"][:, 4], [rate, rate / 2], rtol=1e-5, err_msg=str(words))
            numpy.testing.assert_allclose(final["lambda_coordinate"], [-0.3 / 4 * 2 / (0.1 + 0.3 / 4)], rtol=1e-5)
        del wheels[0]["torque_N_m"]
        wheels[0]["angular_velocity_rad_s"], wheels[1]["angular_velocity_rad_s"] = [0, 40, 0], [0, 20, 0]
        final = self.end(scene, 1000)
        s = final["joint_coordinate"]
        self.assertAlmostEqual(s[0], 2 * s[1], delta=1e-9)
        self.assertAlmostEqual(s[0], 40, delta=0.01)
        energy = (numpy.array([0.1, 0.3]) * final["u"][:, 4] ** 2).sum() / 2
        self.assertAlmostEqual(energy, (0.1 * 40 ** 2 + 0.3 * 20 ** 2) / 2, delta=1e-6 * energy)

    def test_fast_gears_have_room_for_what_their_first_step_adds(self):
        """angles turn by 2 atan(h w / 2), so that rates leave their ratio: of the work of that impulse the room is 10/3 where one wheel turns twice as fast"""
        bodies = [{"mass_kg": 1, "inertia_kg_m2": 3 * [1], "position_m": [x, 0, 0], "angular_velocity_rad_s": [0, w, 0]} for x, w in ((0, 10), (2, 5))]
        joints = [axle(), {**axle(), "bodies": [1, -1], "point_m": [2, 0, 0]}]
        self.write({"gravity_m_s2": [0, 0, 0], "time_step_s": 0.01, "bodies": bodies, "joints": joints, "couplings": [{"joints": [0, 1], "factors": [1, -2]}]})
        self.ncpbench("run", "mine.json", "--steps", "1", *TIGHT, "-o", "a.h5", "--force")
        with h5py.File(self.path("a.h5")) as record:
            gained, room = (record[f"runs/0000/steps/{name}"][0] for name in ("kinetic_energy", "energy_room"))
        self.assertGreater(gained, 62.5)
        self.assertAlmostEqual(room / (gained - 62.5), 10 / 3, delta=0.02)

    def test_a_rack_on_a_pinion(self):
        """x = r s and an arm between, three joints in one row: virtual work"""
        bodies = [{"mass_kg": 2, "inertia_kg_m2": 3 * [0.1], "position_m": [i, 0, 0]} for i in range(3)]
        bodies[0]["torque_N_m"] = [0, 1, 0]
        joints = [{"kind": kind, "bodies": [i, -1], "point_m": [i, 0, 0], "axis": [0, 1, 0]} for i, kind in enumerate(("revolute", "prismatic", "revolute"))]
        scene = {"gravity_m_s2": [0, 0, 0], "time_step_s": 0.001, "bodies": bodies, "joints": joints, "couplings": [{"joints": [0, 1, 2], "factors": [0.5, -1, 0.25], "offset": 0}]}
        final = self.end(scene, 1)
        # M a = f + J^T z, J a = 0
        mass, j, f = numpy.array([0.1, 2, 0.1]), numpy.array([0.5, -1, 0.25]), numpy.array([1., 0, 0])
        a = (f - j * (j @ (f / mass)) / (j @ (j / mass))) / mass
        numpy.testing.assert_allclose([final["u"][0, 4], final["u"][1, 1], final["u"][2, 4]], 0.001 * a, rtol=1e-5)
        self.ncpbench("check", "a.h5")

    def test_a_motor_winds_three_turns_to_a_stop(self):
        """limits of more than a turn count turns, also in a run that goes on from another; limits next to a turn hold, too"""
        stop = 6 * numpy.pi + 0.5
        scene = {**rotor(), "joints": [axle(limits=[-0.1, stop])], "motors": [{"joint": 0, "axis": "turns", "stiffness": 2, "damping": 0.2, "target": 40, "effort_N_m": 0.1}]}
        final = self.end(scene, 300)
        self.assertAlmostEqual(final["joint_coordinate"][0], stop, delta=1e-8)
        numpy.testing.assert_allclose(final["u"], 0, atol=1e-8)
        self.end(scene, 150)
        half = self.final("a.h5")["joint_coordinate"][0]
        self.assertTrue(2 * numpy.pi < half < stop)
        self.ncpbench("run", "mine.json", *TIGHT, "--steps", "150", "--from", "a.h5", "-o", "b.h5", "--force")
        numpy.testing.assert_allclose(self.final("b.h5")["q"], final["q"], atol=1e-9)
        self.assertAlmostEqual(self.final("b.h5")["joint_coordinate"][0], stop, delta=1e-8)
        turned = json.loads(self.export("a.json", "mine.json", at=149))["joints"][0]["turned_rad"]
        self.assertAlmostEqual(turned, half, delta=0.2)
        scene["joints"][0]["limits"] = [0, 2 * numpy.pi - 0.01]
        scene["bodies"][0]["angular_velocity_rad_s"] = [0, 20, 0]
        self.assertAlmostEqual(self.end(scene, 200)["joint_coordinate"][0], 2 * numpy.pi - 0.01, delta=1e-8)
        self.ncpbench("check", "a.h5")

    def test_limits_against_a_rigid_motor_are_infeasible(self):
        self.write({**rotor(x=0.5), "joints": [axle("fixed", limits=[-0.5, 0.5])], "motors": [{"joint": 0, "axis": "turns", "target": 0.6}]})
        for words in (["--friction-law", "coulomb"], ["--friction-law", "relaxed"], ["--method", "psor"], ["--method", "admm"], ["--method", "apgd"]):
            _, said = self.ncpbench("run", "mine.json", *TIGHT, "--steps", "1", *words, "-o", "a.h5", "--force", status=1)
            self.assertIn("; infeasible: joints, their limits, rigid motors and contacts contradict each other; correct limits and targets, or give motors an effort\n", said)
            with h5py.File(self.path("a.h5")) as record:
                reasons = dict(word.split("=")[::-1] for word in text(record["runs/0000/steps/reason"].attrs["legend"]).split())
                self.assertEqual(record["runs/0000/steps/reason"][0], int(reasons["infeasible"]))

    def test_boxes_beside_an_arm_go_through_the_island_loop(self):
        """with the same motion as without the loop, which a solver by its name turns off"""
        boxes = [{"shape": 1, "density_kg_m3": 1000, "position_m": [5 + 0.1 * i, 0, 0.1 + 0.2 * i], "friction": 0.5} for i in range(3)]
        scene = chain(3, 0.3)
        for joint in scene["joints"]:
            joint["friction_N_m"] = 2
        for body in scene["bodies"]:
            body["position_m"][2] = 3
        for joint in scene["joints"]:
            joint["point_m"][2] = 3
        scene.update(shapes=[{"kind": "half-space"}, {"kind": "box", "half_sizes_m": [0.1, 0.1, 0.1]}],
                     bodies=[*scene["bodies"], {"kind": "fixed", "shape": 0, "position_m": [0, 0, 0], "friction": 0.5}, *boxes])
        tight, phases, ends = [*QUICK, "--newton-tolerance", "1e-9", "--steps", "30", "--method", "interior-point"], [], []
        self.write(scene)
        for words in ([], ["--linear-solver", "multifrontal"]):
            self.ncpbench("run", "mine.json", *tight, *words, "-o", "a.h5", "--force")
            ends.append(self.final("a.h5")["q"])
            with h5py.File(self.path("a.h5")) as record:
                phases.append(5 in record["runs/0000/newton/phase"][()])
            self.ncpbench("check", "a.h5")
        numpy.testing.assert_allclose(*ends, atol=1e-6)
        self.assertEqual(phases, [True, False])


class Files(Coordinates):
    def scene(self):
        bodies = [{"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [i + 0.5, 0, 0]} for i in range(3)]
        joints = [{"kind": "revolute", "bodies": [0, -1], "point_m": [0, 0, 0], "axis": [0, 1, 0], "limits": [-0.1, 0.2], "friction_N_m": 0.5, "armature_kg_m2": 0.1},
                  {"kind": "prismatic", "bodies": [1, 0], "point_m": [1, 0, 0], "axis": [1, 0, 0], "limits": [-0.1, 0.1], "friction_N": 0.25, "armature_kg": 0.125},
                  {"kind": "fixed", "bodies": [2, 1], "point_m": [2, 0, 0], "limits": [-0.3, 0.3]}]
        motors = [{"joint": 1, "axis": "slides", "stiffness": 10, "damping": 1, "target": 0.3, "effort_N": 3},
                  {"joint": 2, "axis": "turns", "stiffness": 1, "damping": 0.1}, {"joint": 2, "axis": "turns", "stiffness": 5, "target": 1, "effort_N_m": 0.5}]
        couplings = [{"joints": [2, 0], "factors": [0.1, 1 / 3], "offset": 0.01}]
        return {"bodies": bodies, "joints": joints, "motors": motors, "couplings": couplings}

    def test_export_and_import_keep_bits(self):
        self.write(self.scene())
        self.ncpbench("run", "mine.json", *TIGHT, "--steps", "6", "-o", "a.h5")
        first = self.export("a.json", "mine.json", at=2)
        again = json.loads(self.export("b.json", "a.json"))
        parsed = json.loads(first)
        self.assertEqual(validate(parsed, self.schema, self.schema), [])
        for key in ("joints", "motors", "bodies", "couplings"):
            self.assertEqual(parsed[key], again[key])
        self.assertEqual(parsed["couplings"], self.scene()["couplings"])
        for given, written in zip(self.scene()["joints"], parsed["joints"]):
            for key in ("limits", "friction_N_m", "friction_N", "armature_kg_m2", "armature_kg"):
                self.assertEqual(given.get(key), written.get(key), key)
        self.ncpbench("run", "a.json", *TIGHT, "--steps", "4", "-o", "b.h5")
        for key in ("q", "u"):
            numpy.testing.assert_allclose(self.final("a.h5")[key], self.final("b.h5")[key], atol=1e-9)
        self.assertEqual(self.final("a.h5")["lambda_coordinate"].shape, (4 + 5 + 3 + 1,))

    def test_checks_know_the_rows(self):
        self.write(self.scene())
        self.ncpbench("run", "mine.json", *TIGHT, "--steps", "20", "-o", "a.h5")
        self.ncpbench("check", "a.h5")

    def test_methods_without_the_rows_say_so(self):
        self.write(self.scene())
        for words in (["single-level"], ["bilevel"], ["smoothed"], ["lemke", "--friction-law", "polyhedral"]):
            _, said = self.ncpbench("run", "mine.json", "--method", *words, "--steps", "1", "-o", "x.h5", status=64)
            self.assertRegex(said, "\\nncpbench: method [a-z-]+ does not support limits, friction, armature, efforts and couplings of joints\\n\\Z")

    def test_faults(self):
        def joint(kind="revolute", **members):
            return {**rotor(), "joints": [axle(kind, **members)]}

        def coupled(joints, factors):
            return {**joint(), "couplings": [{"joints": joints, "factors": factors}]}

        def motor(kind="revolute", **members):
            return {**joint(kind), "motors": [{"joint": 0, "axis": "turns", **members}]}

        for scene, says in ((joint(limits=[1, -1]), "joints[0]: joint 0: its lower limit 1 must be below its upper limit -1"), (joint(limits=[1]), "joints[0].limits: expected 2 numbers, not 1"),
                            (joint("prismatic", turned_rad=7), "joints[0].turned_rad: is of a joint that turns"),
                            (coupled([0], [0]), "couplings[0]: coupling 0: factor 0 must be a number other than 0"), (coupled([0, 0], [1, 1]), "couplings[0]: coupling 0 names joint 0 twice"),
                            (coupled([1], [1]), "couplings[0].joints[0]: 1 is out of range"), (coupled([0], [1, 2]), "couplings[0].factors: expected 1 numbers, not 2"), (coupled([], []), "couplings[0].joints: expected"),
                            ({**joint("spherical"), "couplings": [{"joints": [0], "factors": [1]}]}, "coupling 0: joint 0 has no free coordinate: it must be revolute, prismatic, or driven by a motor"),
                            (joint(friction_N_m=-1), "joint 0: friction -1 and armature 0 must be numbers from 0 on"), (joint(armature_kg_m2=-2), "joint 0: friction 0 and armature -2 must"),
                            (joint(friction_N=1), "joints[0].friction_N: is of a joint that slides; expected friction_N_m"), (joint("prismatic", armature_kg_m2=1), "joints[0].armature_kg_m2: is of a joint that turns; expected armature_kg"),
                            (joint("fixed", limits=[0, 1]), "joint 0 has limits and no free coordinate: it must be revolute, prismatic, or driven by a motor"),
                            (joint("spherical", friction_N_m=1), "joint 0 has friction and no free coordinate"),
                            ({**joint(limits=[-1, 1]), "bodies": [{"kind": "fixed", "position_m": [0, 0, 0]}]}, "joints[0]: joint 0 joins no body that has mass"),
                            (joint(effort_N_m=1), "joints[0].effort_N_m: there is no such member"), (motor(effort_N_m=0), "motors[0].effort_N_m: 0 must be positive"),
                            (motor(effort_N=1), "motors[0].effort_N: is of a joint that slides; expected effort_N_m"),
                            (motor("fixed", effort_N_m=1), "motors[0].joint: joint 0 must be revolute, or driven along this axis by a motor before: this one has a limit of effort"),
                            (motor(), "motors[0].joint: joint 0 must be of kind fixed: a motor without effort frees its axis")):
            if "axis" in scene["joints"][0] and scene["joints"][0]["kind"] in ("fixed", "spherical"):
                del scene["joints"][0]["axis"]
            self.write(scene)
            self.refused("run", "mine.json", "-o", "x.h5", status=3, says=("'mine.json', line ", says))

    def test_limits_crossed_at_the_start_are_said(self):
        self.write({**rotor(x=0.5), "joints": [axle(limits=[0.25, 1])]})
        _, said = self.ncpbench("run", "mine.json", *TIGHT, "--steps", "1", "-o", "a.h5")
        self.assertIn("at the start joint 0 of body 0 and the world is 0.25 rad beyond its limits", said)
        self.write({**rotor(), "joints": [axle("prismatic", limits=[-1, -0.5])]})
        _, said = self.ncpbench("run", "mine.json", *TIGHT, "--steps", "1", "-o", "a.h5", "--force")
        self.assertIn("at the start joint 0 of body 0 and the world is 0.5 m beyond its limits", said)


if __name__ == "__main__":
    unittest.main()
