"""Where the error is: contact_error and bilateral_error of `final`, and the columns of the largest error in each Newton iteration, against
what Python computes from the state: masses, arms, gaps, slips and impulses.

NCPBENCH names the program."""
import json
import re
import unittest

import h5py
import numpy

from cli_case import Case

QUICK = ["--repeat", "0", "--force"]
NORMAL, FRICTION, JOINT, MOMENTUM = 1, 2, 3, 5
OPEN, STICKING, SLIDING = range(3)
BY_KIND = {NORMAL: "complementarity_error", FRICTION: "friction_error", JOINT: "bilateral_error", MOMENTUM: "momentum_error"}
MODES = ("open_contacts", "sticking_contacts", "sliding_contacts")


def rotation(quaternion):
    w, x, y, z = quaternion
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class State:
    """the final state of a run, and the masses of its scene"""

    def __init__(self, record, bodies):
        with h5py.File(record, "r") as file:
            final = file["runs/0000/final"]
            self.final = {key: final[key][()] for key in final}
            self.h, self.error = final.attrs["time_step"], final.attrs["error"]
            newton, steps = file["runs/0000/newton"], file["runs/0000/steps"]
            self.count = int(newton["count"][-1])
            self.rows = {key: newton[key][-1, :self.count] for key in newton if newton[key].ndim == 2}
            self.contacts = int(steps["contacts"][-1])
        self.undecided = 0
        self.bodies = bodies

    def inverse_mass(self, body, direction, arm):
        """n . M^-1 n of a force along this direction at this arm"""
        if body < 0 or self.bodies[body]["kind"] != "dynamic":
            return 0
        turn = rotation(self.final["q_before"][body][3:])
        inverse = turn @ numpy.diag(1 / numpy.array(self.bodies[body]["inertia_kg_m2"])) @ turn.T
        moment = numpy.cross(arm, direction)
        return 1 / self.bodies[body]["mass_kg"] + moment @ inverse @ moment

    def arms(self, i):
        """from the bodies' centres to the contact's two points at the start"""
        f = self.final
        a, b = f["contact_bodies"][i]
        normal, point = f["contact_normal"][i], f["contact_point"][i]
        centre = [f["q_before"][k][:3] if k >= 0 else numpy.zeros(3) for k in (a, b)]
        arms = [point - centre[0], None]
        speed = normal @ (f["u"][a][:3] + numpy.cross(f["u"][a][3:], arms[0])) if a >= 0 else 0
        gap = f["gap"][i]  # of the start: that of the end less what the arms have closed, by a few rounds since the second arm has the gap in it
        for _ in range(30):
            arms[1] = point - gap * normal - centre[1]
            gap = f["gap"][i] - self.h * (speed - (normal @ (f["u"][b][:3] + numpy.cross(f["u"][b][3:], arms[1])) if b >= 0 else 0))
        return arms

    def weights(self, i):
        """w of the normal, and the mean of the tangents' """
        f = self.final
        along = [sum(self.inverse_mass(body, d, arm) for body, arm in zip(f["contact_bodies"][i], self.arms(i)))
                 for d in (f["contact_normal"][i], *f["contact_tangent"][i])]
        return along[0], (along[1] + along[2]) / 2

    def contact(self, i):
        """e_n, e_f and mode by core/formulation.md and core/errors.md"""
        f = self.final
        w, w_t = self.weights(i)
        a, z, z_t, v = f["gap"][i] / self.h, self.h * f["lambda_normal"][i], self.h * f["lambda_friction"][i], f["slip"][i]
        towards, limit = z_t - v / w_t, max(0, f["mu"][i] * z)
        length = numpy.linalg.norm(towards)
        projected = towards if length <= limit else towards * (limit / length)
        mode = OPEN if not w * z > a else STICKING if length < limit else SLIDING
        near = 1e-7  # of a border between modes: round-off decides on which side
        self.undecided += 0 < abs(w * z - a) <= near * (abs(w * z) + abs(a)) or (mode != OPEN and abs(length - limit) <= near * (length + limit))
        return abs(min(a, w * z)), w_t * numpy.linalg.norm(z_t - projected), mode

    def momentum(self):
        """e_m of each body: velocities, those of rotation times the radius of gyration, that forces and weight leave unexplained"""
        f, forces = self.final, numpy.zeros((len(self.bodies), 6))
        for i, pair in enumerate(f["contact_bodies"]):
            force = f["lambda_normal"][i] * f["contact_normal"][i] + f["lambda_friction"][i] @ f["contact_tangent"][i]
            for sign, body, arm in zip((1, -1), pair, self.arms(i)):
                if body >= 0:
                    forces[body] += [*(sign * force), *numpy.cross(arm, sign * force)]
        found = []
        for body, (scene, u, before) in enumerate(zip(self.bodies, f["u"], f["u_before"])):
            if scene["kind"] == "dynamic":
                turn, inertia = rotation(f["q_before"][body][3:]), numpy.array(scene["inertia_kg_m2"])
                explained = before + self.h * numpy.array([*(forces[body][:3] / scene["mass_kg"] + [0, 0, -9.81]), *(turn @ ((turn.T @ forces[body][3:]) / inertia))])
                radius = numpy.sqrt(3 / (scene["mass_kg"] * sum(1 / inertia)))
                found.append(abs((u - explained) * [1, 1, 1, radius, radius, radius]).max())
            else:
                found.append(0)
        return found

    def modes(self):
        return [self.contact(i)[2] for i in range(self.contacts)]


class Errors(Case):
    def state(self, *words, name="a"):
        self.ncpbench("export", *words[:1], "--format", "scene", "--at", "0", "-o", "scene.json", "--force")
        self.ncpbench("run", *words, *QUICK, "-o", f"{name}.h5", status=None)
        with open(self.path("scene.json"), encoding="utf-8") as file:
            return State(self.path(f"{name}.h5"), json.load(file)["bodies"])

    def test_each_contact_is_what_python_finds(self):
        """of states far from a solution and near it; the largest is the recorded residual, but for momentum"""
        for words in (["arch", "--steps", "3", "--newton-iterations", "1"], ["arch", "--steps", "3", "--newton-iterations", "8"],
                      ["heavy-stack", "--steps", "2", "--newton-iterations", "3"], ["wall", "--steps", "2", "--newton-iterations", "5"]):
            state = self.state(*words)
            by_hand = [state.contact(i) for i in range(state.contacts)]
            found = state.final["contact_error"]
            size = max(1e-12, found.max())
            numpy.testing.assert_allclose(found, [errors[:2] for errors in by_hand], rtol=1e-6, atol=1e-9 * size, err_msg=str(words))
            kind = state.rows["largest_kind"][-1]
            if kind != MOMENTUM:
                self.assertEqual(found.max(), state.error, words)
            for mode, column in enumerate(MODES):
                self.assertLessEqual(abs([errors[2] for errors in by_hand].count(mode) - state.rows[column][-1]), state.undecided, (words, column))
                self.assertEqual((state.final["contact_mode"] == mode).sum(), state.rows[column][-1], (words, column))
            self.assertLessEqual(state.final["momentum_error"].max(), state.error, words)
            if kind == MOMENTUM:
                self.assertEqual(state.final["momentum_error"].argmax(), state.rows["largest_node_a"][-1], words)
            self.assertLess(state.undecided, 0.05 * state.contacts + 1, words)

    def test_stored_states_have_the_errors_of_each_contact(self):
        """a frame has what `final` has of a run that ends there"""
        seen = []
        for every, words in ((1, ["arch", "--newton-iterations", "3"]), (1, ["four-bar", "--newton-iterations", "2"]), (4, ["gripper"]), (14, ["drop"]),
                             (2, ["walker", "--newton-iterations", "2"])):
            self.ncpbench("run", *words, "--steps", f"{2 * every}", "--store-states", f"{every}", *QUICK, "-o", "all.h5", status=None)
            with h5py.File(self.path("all.h5")) as record:
                states = {key: data[()] for key, data in record["runs/0000/states"].items() if isinstance(data, h5py.Dataset)}
            for frame in range(2):
                self.ncpbench("run", *words, "--steps", f"{(frame + 1) * every}", *QUICK, "-o", "one.h5", status=None)
                with h5py.File(self.path("one.h5")) as record:
                    final = {key: data[()] for key, data in record["runs/0000/final"].items() if isinstance(data, h5py.Dataset)}
                count = len(final["contact_bodies"])
                seen.append((count, len(final.get("bilateral_error", ()))))
                self.assertEqual("bilateral_error" in states, "bilateral_error" in final)
                if "bilateral_error" in final:
                    numpy.testing.assert_array_equal(states["bilateral_error"][frame], final["bilateral_error"])
                if "contact_count" not in states:
                    self.assertEqual(count, 0)
                    continue
                self.assertEqual(states["contact_count"][frame], count, words)
                self.assertTrue(numpy.isnan(states["contact_normal_error"][frame, count:]).all())
                both = numpy.stack([states["contact_normal_error"][frame, :count], states["contact_friction_error"][frame, :count]], axis=1)
                bodies = numpy.stack([states["contact_body_a"][frame, :count], states["contact_body_b"][frame, :count]], axis=1)
                numpy.testing.assert_array_equal(both, final["contact_error"] if count else numpy.empty((0, 2)), err_msg=str(words))
                numpy.testing.assert_array_equal(bodies, final["contact_bodies"], err_msg=str(words))
                numpy.testing.assert_array_equal(states["momentum_error"][frame], final["momentum_error"], err_msg=str(words))
                self.check_frame(states, frame, final, words)
        self.assertGreater(len(set(seen)), 5, "too few counts to tell frames apart")

    def iterates(self, name="all.h5"):
        """of each stored state {iterations before: the errors of its contacts}"""
        with h5py.File(self.path(name)) as record:
            states = record["runs/0000/states"]
            self.assertEqual(states["iterate_error"].dtype, numpy.float32)
            sizes = states["iterate_count"][:] * states["contact_count"][:]
            each = numpy.split(states["iterate_error"][:], numpy.cumsum(sizes)[:-1])
            self.assertEqual(states["iterate_error"].shape, (sizes.sum(),))
            return [{int(i): row for i, row in zip(states["iteration"][frame], errors.reshape(count, -1))}
                    for frame, (count, errors) in enumerate(zip(states["iterate_count"], each))]

    def test_iterates_have_the_errors_of_each_contact(self):
        """iterate k has what `final` has of a run that ends after k iterations, which Python computes above"""
        for words in (["arch", "--method", "newton"], ["arch", "--method", "newton", "--line-search", "backtracking"], ["wall", "--method", "nsgs"],
                      ["heavy-stack", "--method", "newton", "--linear-solver", "jacobi", "--precision", "f32"]):
            run = ["run", *words, "--steps", "1", *QUICK]
            self.ncpbench(*run, "--store-states", "1", "--store-iterates", "--newton-iterations", "5", "-o", "all.h5", status=None)
            kept, = self.iterates()
            self.assertEqual(list(kept), list(range(6)), words)
            for k in range(1, 6):
                self.ncpbench(*run, "--newton-iterations", f"{k}", "-o", "one.h5", status=None)
                with h5py.File(self.path("one.h5")) as record:
                    right = record["runs/0000/final/contact_error"][()].max(axis=1)
                self.assertGreater(right.max(), 0, words)
                numpy.testing.assert_array_equal(kept[k], right.astype(numpy.float32), err_msg=f"{words}: {k}")

    def test_iterates_of_a_long_solve_are_thinned(self):
        """two significant digits, and the last; those of stored states alone, and none where nobody asks"""
        run = ["run", "arch", "--method", "psor", "--newton-tolerance", "0", "--newton-iterations", "1234", "--steps", "3", *QUICK]
        self.ncpbench(*run, "--store-states", "2", "--store-iterates", "-o", "all.h5", status=None)
        kept, = self.iterates()
        self.assertEqual(list(kept), [*range(100), *range(100, 1000, 10), *range(1000, 1234, 100), 1234])
        self.ncpbench(*run, "--record-every", "50", "--store-states", "2", "--store-iterates", "-o", "some.h5", status=None)
        some, = self.iterates("some.h5")
        self.assertEqual(list(some), [0, 50, *range(100, 1000, 50), *range(1000, 1234, 100), 1234])
        for i in set(some) & set(kept):
            numpy.testing.assert_array_equal(some[i], kept[i])
        self.ncpbench(*run, "--store-states", "2", "-o", "none.h5", status=None)
        with h5py.File(self.path("none.h5")) as record:
            self.assertEqual([key for key in record["runs/0000/states"] if "iterat" in key], [])

    def test_iterates_are_refused_where_contacts_change(self):
        for needs, words in (("--store-states", []), ("--integrator be", ["--store-states", "1", "--integrator", "tr"]),
                             ("--substeps 1", ["--store-states", "1", "--substeps", "2"]), ("--relax off", ["--store-states", "1", "--relax", "on"]),
                             ("--verify-contacts off", ["--store-states", "1", "--verify-contacts", "1e-4"])):
            self.refused("run", "arch", "--steps", "1", "--store-iterates", *words, "-o", "a.h5", says=["--store-iterates", needs])
        for method in ("single-level", "bilevel", "smoothed"):
            self.refused("run", "arch", "--steps", "1", "--store-states", "1", "--store-iterates", "--method", method, "-o", "a.h5",
                         says=["--store-iterates", method])

    def check_frame(self, states, frame, final, words):
        count = len(final["contact_bodies"])
        stored = {name: numpy.stack([states[f"contact_{name}_{axis}"][frame, :count] for axis in "xyz"], axis=1) for name in ("point", "normal", "force", "slip")}
        tangents = final["contact_tangent"]
        friction = numpy.einsum("ij,ijk->ik", final["lambda_friction"], tangents)
        force = final["lambda_normal"][:, None] * final["contact_normal"] + friction
        self.assertTrue(numpy.isnan(states["contact_force_z"][frame, count:]).all())
        for name, right in (("point", final["contact_point"]), ("normal", final["contact_normal"]), ("force", force),
                            ("slip", numpy.einsum("ij,ijk->ik", final["slip"], tangents))):
            numpy.testing.assert_allclose(stored[name], right, rtol=1e-13, atol=1e-13 * abs(right).max(initial=0), err_msg=f"{words}: {name}")
        numpy.testing.assert_array_equal(states["contact_gap"][frame, :count], final["gap"], err_msg=str(words))
        modes = final.get("contact_mode", numpy.empty(0))
        numpy.testing.assert_array_equal(states["contact_mode"][frame, :count], modes, err_msg=str(words))

    def test_contacts_that_change_between_iterations(self):
        """runs of one step that end after k iterations have the states between them"""
        words = "piling", "--set", "count=4", "--settle", "60", "--steps", "1", "--newton-iterations"
        whole, before, undecided = self.state(*words, "8"), None, 0
        self.assertTrue(numpy.isnan(whole.rows["changed_contacts"][0]))
        for k in range(1, 9):
            state = self.state(*words, str(k), name="b")
            modes = state.modes()
            for mode, column in enumerate(MODES):
                self.assertLessEqual(abs(modes.count(mode) - whole.rows[column][k]), state.undecided, (k, column))
            if before is not None:
                changed = sum(x != y for x, y in zip(before, modes))
                self.assertLessEqual(abs(changed - whole.rows["changed_contacts"][k]), undecided + state.undecided, k)
            before, undecided = modes, state.undecided
            self.assertLess(undecided, 0.5 * state.contacts)
        self.assertGreater(numpy.nansum(whole.rows["changed_contacts"]), 0)

    def test_largest_error_of_each_iteration(self):
        """its kind's error is the natural map, contacts add up, and its bodies are those of the contact or joint that it names"""
        for words, kinds in ((["arch", "--steps", "2"], {NORMAL, FRICTION, MOMENTUM}), (["wall", "--steps", "2", "--method", "auto"], {NORMAL, FRICTION, MOMENTUM, 0}), (["arch", "--steps", "2", "--method", "psor", "--newton-iterations", "30"], {NORMAL, FRICTION}),
                             (["arch", "--steps", "2", "--method", "interior-point"], {NORMAL, FRICTION, MOMENTUM}), (["arch", "--precision", "f32", "--steps", "2"], {NORMAL, FRICTION, MOMENTUM})):
            state = self.state(*words)
            rows = state.rows
            self.assertLessEqual(set(rows["largest_kind"]), kinds | {0}, words)
            for k in range(state.count):
                kind = int(rows["largest_kind"][k])
                if kind:
                    self.assertEqual(rows[BY_KIND[kind]][k], rows["natural_map_error"][k], (words, k))
                else:
                    self.assertEqual(rows["natural_map_error"][k], 0, (words, k))
                self.assertEqual(sum(rows[column][k] for column in MODES), state.contacts, (words, k))
                self.assertTrue(numpy.isnan(rows["changed_contacts"][k]) or rows["changed_contacts"][k] <= state.contacts)
                index, nodes = int(rows["largest_index"][k]), [rows["largest_node_a"][k], rows["largest_node_b"][k]]
                if kind in (NORMAL, FRICTION):
                    self.assertEqual(list(state.final["contact_bodies"][index]), nodes, (words, k))

    def test_joints_are_what_python_finds(self):
        """a chain of two balls after one iteration: the rows of a spherical joint are the distance of its ends at the end of the step, over h"""
        ball = {"shape": 0, "density_kg_m3": 1000, "velocity_m_s": [3, -2, 1], "angular_velocity_rad_s": [5, 7, -9]}
        scene = {"shapes": [{"kind": "sphere", "radius_m": 0.1}], "bodies": [{**ball, "position_m": [0, 0, 1]}, {**ball, "position_m": [0, 0, 2]}],
                 "joints": [{"kind": "spherical", "bodies": [-1, 0], "point_m": [0, 0.2, 1]}, {"kind": "spherical", "bodies": [0, 1], "point_m": [0, 0, 1.5]}]}
        with open(self.path("chain.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        named = 0
        for method, iterations in (("newton", "1"), ("newton", "2"), ("psor", "1"), ("psor", "5")):
            state = self.state("chain.json", "--method", method, "--newton-iterations", iterations, "--steps", "1")
            q = state.final["q"]
            ends = [q[body][:3] + rotation(q[body][3:]) @ arm for body, arm in ((0, [0, 0.2, 0]), (0, [0, 0, 0.5]), (1, [0, 0, -0.5]))]
            apart = numpy.array([numpy.linalg.norm(ends[0] - [0, 0.2, 1]), numpy.linalg.norm(ends[1] - ends[2])]) / state.h
            rows = state.final["bilateral_error"].reshape(2, 3)
            numpy.testing.assert_allclose(numpy.linalg.norm(rows, axis=1), apart, rtol=1e-9, atol=1e-12)
            for k in range(state.count):
                if state.rows["largest_kind"][k] == JOINT:
                    self.assertEqual(scene["joints"][int(state.rows["largest_index"][k])]["bodies"], [state.rows["largest_node_a"][k], state.rows["largest_node_b"][k]])
            if state.rows["largest_kind"][-1] == JOINT:
                named += 1
                self.assertEqual(rows.max(), state.error)
                self.assertEqual(rows.max(axis=1).argmax(), state.rows["largest_index"][-1])
                pair = [f"body {body}" if body >= 0 else "the world" for body in scene["joints"][rows.max(axis=1).argmax()]["bodies"]]
                table, _ = self.ncpbench("figure", "convergence", "--from", "a.h5", "--at", "0", "-o", "a.svg", "--force")
                self.assertIn(f"  joint {rows.max(axis=1).argmax()} of {' and '.join(pair)}  ", table.splitlines()[-2])
        self.assertGreater(named, 0)

    def said(self, words, name="a"):
        """what `check` and the report say of the largest error of a run of one step, which is alike"""
        pattern = r"the largest error, of step 0, is (.*?); (\d+) open, (\d+) sticking, (\d+) sliding contacts"
        said = re.search(pattern, self.ncpbench("check", f"{name}.h5", status=2)[1])
        self.assertTrue(said, words)
        self.ncpbench("report", f"{name}.h5", "-o", "report.html", "--force")
        with open(self.path("report.html"), encoding="utf-8") as file:
            self.assertIn(said.group(0), file.read(), words)
        return said.group(1), [int(count) for count in said.groups()[1:]]

    def test_words_of_check_and_report(self):
        """name the contact, joint or body that has the largest error by Python, and count contacts as Python does"""
        kinds, places = set(), set()
        for words in (["arch", "--newton-iterations", "1"], ["arch", "--newton-iterations", "3"], ["wall", "--newton-iterations", "2"],
                      ["heavy-stack", "--newton-iterations", "4"], ["arch", "--method", "psor", "--newton-iterations", "20"], ["arch", "--method", "interior-point", "--newton-iterations", "3"]):
            state = self.state(*words, "--steps", "1")
            by_hand, momentum = [state.contact(i) for i in range(state.contacts)], state.momentum()
            place, counts = self.said(words)
            kind, _, index = re.match(r"(\w+) of (contact|body) (\d+)", place).groups()
            kinds.add(kind)
            error = momentum[int(index)] if kind == "momentum" else by_hand[int(index)][{"normal": 0, "friction": 1}[kind]]
            largest = max(max(momentum), *(max(errors[:2]) for errors in by_hand))
            self.assertLess(abs(error - largest), 1e-6 * largest, (words, place))
            self.assertLess(abs(error - state.error), 1e-6 * largest, (words, place))
            if kind != "momentum":
                a, b = (f"body {body}" if body >= 0 else "the world" for body in state.final["contact_bodies"][int(index)])
                x, y, z = state.final["contact_point"][int(index)]
                self.assertEqual(place, f"{kind} of contact {index} between {a} and {b} at ({x:.3g}, {y:.3g}, {z:.3g}) m", words)
                places.add((x, y, z))
            for mode, count in enumerate(counts):
                self.assertLessEqual(abs([errors[2] for errors in by_hand].count(mode) - count), state.undecided, (words, mode))
        self.assertEqual(kinds, {"normal", "friction", "momentum"})
        self.assertGreater(len(places), 1)

    def test_check_names_the_point_in_a_stored_state(self):
        """of the step with the largest error, which is not the last; none where that was not stored"""
        run = ["run", "arch", "--newton-iterations", "1", "--steps", "3", *QUICK]
        for every, named in ("1", True), ("3", False):
            self.ncpbench(*run, "--store-states", every, "-o", "a.h5", status=None)
            step, contact, a, b, at = re.search(r"of step (\d+), is \w+ of contact (\d+) between body (\d+) and body (\d+)(.*?);",
                                                self.ncpbench("check", "a.h5", status=2)[1]).groups()
            self.assertEqual(step, "1")
            with h5py.File(self.path("a.h5")) as record:
                states = record["runs/0000/states"]
                x = [states[f"contact_point_{axis}"][1, int(contact)] for axis in "xyz"] if named else None
                if named:
                    self.assertEqual([int(a), int(b)], [states[f"contact_body_{side}"][1, int(contact)] for side in "ab"])
            self.assertEqual(at, " at ({:.3g}, {:.3g}, {:.3g}) m".format(*x) if named else "")

    def test_figure_prints_the_iterations_of_a_step(self):
        """a line an iteration: as the record has it, in the words of `check`"""
        names = "normal", "friction", "joint", "element", "momentum"
        self.ncpbench("run", "arch", "--steps", "3", "--newton-iterations", "4", "--linear-solver", "pcr,cholesky", *QUICK, "-o", "two.h5", status=None)
        out, _ = self.ncpbench("figure", "convergence", "--from", "two.h5", "--at", "1", "-o", "two.svg")
        head, *lines = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()[:-1]]
        self.assertEqual(head, ["scenario", "curve", "iteration", "natural map [m/s]", "largest error", "open", "sticking", "sliding", "changed"])
        self.assertEqual(out.splitlines()[-1], "two.svg")
        with h5py.File(self.path("two.h5")) as record:
            for run, curve in (("0000", "pcr"), ("0001", "cholesky")):
                newton = {key: data[1] for key, data in record[f"runs/{run}/newton"].items() if data.ndim == 2}
                for k in range(5):
                    kind, index = names[int(newton["largest_kind"][k]) - 1], newton["largest_index"][k]
                    a, b = newton["largest_node_a"][k], newton["largest_node_b"][k]
                    place = f"momentum of body {a:.0f}" if kind == "momentum" else f"{kind} of contact {index:.0f} between body {a:.0f} and body {b:.0f}"
                    counts = [f"{newton[column][k]:.0f}" for column in (*MODES, "changed_contacts")]
                    self.assertEqual(lines.pop(0), ["arch", curve, str(k), f"{newton['natural_map_error'][k]:.3g}", place, *[c.replace("nan", "-") for c in counts]])
        self.assertEqual(lines, [])
        out, _ = self.ncpbench("figure", "convergence", "--from", "two.h5", "-o", "two.svg", "--force")
        self.assertEqual(out, "two.svg\n")
        with h5py.File(self.path("two.h5"), "r+") as record:  # as where a device makes the iterations
            for run in ("0000", "0001"):
                record[f"runs/{run}/newton/largest_kind"][...] = numpy.nan
        out, _ = self.ncpbench("figure", "convergence", "--from", "two.h5", "--at", "1", "-o", "two.svg", "--force")
        self.assertEqual(out, "two.svg\n")


if __name__ == "__main__":
    unittest.main()
