"""MJCF and URDF to scene files of ncpbench, through MuJoCo's own Python package:

    python3 -m ncpbench.scene model.xml -o scene.json

Standard error names what the scene leaves out. Bodies without a joint between them become one body. Several hinges and
slides of one body follow each other through carriers: bodies that take a thousandth of its mass each. Bodies whose contacts differ from ncpbench's rule, by friction, filters or joints, are pairs of the scene."""
import argparse
import collections
import gzip
import json
import os
import sys
import warnings
from xml.etree import ElementTree

from . import command

if __name__ == "__main__":
    command.stop_in_a_line("ncpbench.scene")

import numpy  # noqa: E402

from . import files, geometry, laws, urdf
from .geometry import Frame, conjugate, matrix, product, summed
from .touching import Touching, disabled, enabled

try:
    import mujoco
except ImportError:
    mujoco = None

OLDEST = 3, 17  # of MuJoCo: with its flags and fields

CARRIER = 1e-3  # share of a body's mass that a carrier takes
TURNED = 0.1    # and of its inertia, where rotors are this many times as heavy; torques between rotors would take the digits of lighter ones
ROTORS = 1e3
OVERLAP = 1e-4  # of bodies at the start whose contacts are left out [m]
HULL = 64       # vertices of a mesh's convex hull, at most
EQUALITY = -1   # in the place of a model's joint
MOST_COUPLED = 4  # joints of a coupling
LEAST = 1e-15   # MuJoCo's own limit of mass and moments


class Notes:
    """what the scene leaves out or changes, each named once with a count"""

    def __init__(self):
        self.counts = collections.Counter()

    def add(self, text, count=1):
        if count > 0:
            self.counts[text] += count

    def lines(self):
        return [f"{text} ({count})" if count > 1 else text for text, count in self.counts.items()]


def one_line(text):
    return "; ".join(filter(None, (" ".join(line.split()) for line in str(text).splitlines()))).replace(":;", ":")


def compiled(spec, notes):
    """with moments of inertia that no body can have made equal, where a link has such"""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            model = spec.compile()
        except ValueError as fault:
            if "balanceinertia" not in str(fault):
                raise
            notes.add("moments of inertia that no body can have, made equal")
            spec.compiler.balanceinertia = True
            model = spec.compile()
    for warning in warned:
        notes.add("MuJoCo warns: " + one_line(warning.message))
    return model


def check_files(path, seen=()):
    """What MuJoCo does not refuse: it would wait for ever for a pipe, in the place of a mesh or of a part of the model, and
    takes a mass that is not a number for one that is not there."""
    folder = os.path.dirname(path)
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, ValueError):
        return  # as MuJoCo will say
    folders = {folder} | {os.path.join(folder, compiler.get(key)) for compiler in root.iter("compiler") for key in ("meshdir", "texturedir", "assetdir") if compiler.get(key)}
    for element in root.iter():
        for key in ("mass", "density", "diaginertia", "fullinertia"):
            if "nan" in element.get(key, "").lower():
                raise ValueError(f"{element.tag} '{element.get('name', '')}': its {key} is not a number")
        for name in filter(None, (element.get("file"), element.get("filename"))):
            for place in {os.path.join(of, name) for of in folders}:
                if os.path.exists(place) and not os.path.isfile(place):
                    raise ValueError(f"file '{name}' is not a regular file")
                if element.tag == "include" and os.path.isfile(place) and os.path.realpath(place) not in seen:
                    check_files(place, (*seen, os.path.realpath(path)))


def load(path, hull=HULL, free=False):
    """the compiled model, whose meshes have hulls of at most so many vertices, and what it is without already"""
    notes, masses, bare = Notes(), {}, set()
    if not os.path.isfile(path):
        raise ValueError("is not a file" if os.path.exists(path) else "no such file")
    check_files(path)
    mujoco.set_mju_user_warning(lambda text: notes.add("MuJoCo warns: " + one_line(text)))
    if path.lower().endswith(".urdf"):
        text, masses, bare = urdf.text(path, notes)
        spec = mujoco.MjSpec.from_string(text)
    else:
        spec = mujoco.MjSpec.from_file(path)
    if free:
        for body in spec.worldbody.bodies:
            if not body.joints:
                body.add_freejoint()
    for body in spec.bodies:
        for geom in body.geoms if body.name in masses else []:
            geom.mass = masses[body.name] / len(body.geoms)
    for mesh in spec.meshes:
        if mesh.maxhullvert < 0 or mesh.maxhullvert > hull:
            mesh.maxhullvert = hull
    model = compiled(spec, notes)
    given = [b for b in range(model.nbody) if model.body(b).name in bare and model.body_weldid[b] and model.body_mass[b] > LEAST]
    notes.add(f"links without inertia, whose geoms give it at 1000 kg/m^3, {sum(model.body_mass[given]):.3g} kg", len(given))
    return model, notes


def start(model, key=None):
    """the state of a key frame, or the model's own"""
    data = mujoco.MjData(model)
    if key is not None:
        found = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, key)
        if found < 0:
            raise ValueError(f"the model has no key frame '{key}'")
        mujoco.mj_resetDataKeyframe(model, data, found)
    mujoco.mj_forward(model, data)
    return data


class Converter:
    def __init__(self, model, data, notes, exact=False):
        self.model, self.data, self.exact = model, data, exact
        self.notes = notes
        self.touching = Touching(model)
        gravity = numpy.zeros(3) if disabled(model, "GRAVITY") else model.opt.gravity
        self.scene = {"about": "Written by python3 -m ncpbench.scene.", "time_step_s": float(model.opt.timestep),
                      "gravity_m_s2": numbers(gravity),
                      "contact_margin_m": float(min(0.01, 0.1 * model.stat.meansize)), "run": {"method": "single-level" if exact else "auto", "steps": 100},
                      "shapes": [], "bodies": [], "joints": [], "motors": [], "couplings": [], "pairs": []}
        self.place = {}   # of a weld group among the bodies
        self.fixed = {}   # of a body of the model that does not move among the bodies
        self.solid = {}   # of a body the geoms that touch
        self.frames = []  # of the bodies
        self.tied = set()     # pairs of bodies with a joint between them
        self.held = []        # carriers without weight
        self.overlap = set()  # pairs whose contacts are left out
        self.of_joints = []  # of each joint the model's hinge or slide, EQUALITY, or None
        self.corners = []  # (geom, body, points in the geom's frame, points in the body's)

    def convert(self):
        model = self.model
        self.groups = {}
        for body in range(model.nbody):
            self.groups.setdefault(int(model.body_weldid[body]), []).append(body)
        self.add_world()
        for root, members in self.groups.items():
            if root != 0:
                self.add_group(root, members)
        self.add_equalities()
        self.part_those_that_overlap()
        self.add_pairs()
        name_what_is_left_out(model, self.touching, self.notes)
        if not self.scene["bodies"]:
            raise ValueError("nothing in the model touches or moves" + ("; --free lets bodies without a joint move" if self.model.nbody > 1 else ""))
        if all(body["kind"] == "fixed" for body in self.scene["bodies"]):
            self.notes.add("no body moves" + ("; with --free those without a joint do" if self.model.nbody > 1 else ""))
        for key in ("joints", "motors", "couplings", "pairs"):
            if not self.scene[key]:
                del self.scene[key]
        try:
            json.dumps(self.scene, allow_nan=False)
        except ValueError:
            raise ValueError("the model has numbers that are not finite, as nan") from None
        return self.scene

    # ---- bodies ----

    def own_frame(self, body):
        return Frame(self.data.xpos[body], self.data.xquat[body])

    def mass_frame(self, body):
        return Frame(self.data.xipos[body], geometry.quaternion(self.data.ximat[body]))

    def add_body(self, **body):
        frame = body.pop("frame")
        self.frames.append(frame)
        self.scene["bodies"].append({**body, "position_m": numbers(frame.position), "orientation_wxyz": numbers(frame.turn)})
        return len(self.frames) - 1

    def add_world(self):
        """of each body that does not move its planes, which are bodies of their own, and all else, which is one"""
        frame = Frame([0, 0, 0], [1, 0, 0, 0])
        for body in self.groups[0]:
            rest = []
            for geom in self.colliding([body]):
                if self.model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
                    plane = self.geom_frame(geom)
                    plane.position = plane.at([0, 0, self.touching.margin[geom]])
                    self.add_solid([geom], kind="fixed", shape=self.add_shape({"kind": "half-space"}), frame=plane)
                else:
                    rest.append(geom)
            shape = self.shape_of(rest, frame)
            if shape >= 0:
                self.fixed[body] = self.add_solid(rest, kind="fixed", shape=shape, frame=frame)

    def add_solid(self, geoms, **body):
        """a body with what touches of it"""
        self.solid[len(self.frames)] = geoms
        return self.add_body(**body, friction=self.friction(geoms))

    def above(self, root):
        """the body that the joints of a group begin at; -1: the world"""
        parent = int(self.model.body_parentid[root])
        group = int(self.model.body_weldid[parent])
        return self.place[group] if group else self.fixed.get(parent, -1)

    def add_group(self, root, members):
        model = self.model
        self.notes.add("bodies without a joint between them, made one", len(members) - 1)
        geoms = self.colliding(members)
        if model.body_mocapid[root] >= 0:
            frame = self.own_frame(root)
            self.place[root] = self.add_solid(geoms, kind="kinematic", shape=self.shape_of(geoms, frame), frame=frame)
            return
        parts = [(float(model.body_mass[b]), self.mass_frame(b), model.body_inertia[b]) for b in members if model.body_mass[b] > LEAST]
        if not parts:
            raise ValueError(f"body '{self.name(root)}' has no mass")
        mass, frame, moments = geometry.principal(parts)
        joints = [int(model.body_jntadr[root]) + k for k in range(model.body_jntnum[root])]
        for joint in joints:
            self.note_joint(joint)
        damped = [j for j in joints if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE and self.damping(j) > 0]
        joints = [j for j in joints if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE]
        ball = self.is_ball(joints)
        carriers = 0 if ball else sum(not self.is_held(root, joints[:k]) for k in range(1, len(joints)))
        share = TURNED if self.have_rotors(joints, moments) else CARRIER
        linear, angular = self.velocity(root, frame.position)
        force, torque = self.weightless(members, frame.position)
        more = {key: numbers(value) for key, value in (("force_N", force), ("torque_N_m", torque)) if numpy.any(value)}
        shape = self.shape_of(geoms, frame)
        self.place[root] = self.add_solid(geoms, kind="dynamic", shape=shape, mass_kg=(1 - CARRIER * carriers) * mass, inertia_kg_m2=numbers((1 - share * carriers) * moments),
                                         frame=frame, velocity_m_s=numbers(linear), angular_velocity_rad_s=numbers(angular), **more)
        if joints:
            self.add_joints(root, joints, ball, CARRIER * mass, share * moments)
        for joint in damped:
            own = self.own_frame(root)
            self.tie(self.place[root], -1, "fixed", own.position, own.turn, damping=[self.damping(joint)] * 6)

    def have_rotors(self, joints, moments):
        """whether all are hinges, with rotors that are much heavier than these moments of inertia"""
        return all(self.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE and laws.armature(self.model, j) >= ROTORS * max(moments) for j in joints)

    def is_held(self, root, joints):
        """whether slides that stand on the world keep a carrier from falling: it has no weight, as the body has all of it"""
        above, kinds = self.above(root), self.model.jnt_type[joints]
        if (kinds != mujoco.mjtJoint.mjJNT_SLIDE).any() or (above >= 0 and self.scene["bodies"][above]["kind"] == "dynamic"):
            return False
        down, axes = self.model.opt.gravity, self.data.xaxis[joints]
        free = axes.T @ numpy.linalg.lstsq(axes.T, down, rcond=None)[0]
        return bool(numpy.linalg.norm(down - free) > 1e-6 * numpy.linalg.norm(down))

    def weightless(self, members, point):
        """force and torque about the point of what compensates gravity"""
        model, gravity, force, torque = self.model, numpy.array(self.scene["gravity_m_s2"]), numpy.zeros(3), numpy.zeros(3)
        if disabled(model, "SPRING") and disabled(model, "DAMPER"):
            return force, torque
        for b in members:
            lift = -model.body_gravcomp[b] * model.body_mass[b] * gravity
            force, torque = force + lift, torque + numpy.cross(self.data.xipos[b] - point, lift)
        return force, torque

    def velocity(self, body, point):
        result = numpy.zeros(6)
        mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_BODY, body, result, 0)
        return result[3:] + numpy.cross(result[:3], point - self.data.xipos[body]), result[:3].copy()

    # ---- joints ----

    def is_ball(self, joints):
        """three hinges about one point leave what a ball leaves"""
        data, hinge = self.data, mujoco.mjtJoint.mjJNT_HINGE
        if len(joints) != 3 or any(self.model.jnt_type[j] != hinge or self.is_driven(j) for j in joints):
            return False
        apart = max(numpy.linalg.norm(data.xanchor[j] - data.xanchor[joints[0]]) for j in joints)
        return apart < 1e-9 and abs(numpy.linalg.det(data.xaxis[joints])) > 1e-3

    def add_joints(self, root, joints, ball, mass, moments):
        """from the parent on; the last one holds the body, the others carriers of this mass and inertia"""
        data, child = self.data, self.place[root]
        above = self.above(root)
        if ball:
            self.notes.add("three hinges about one point, made a spherical joint", 1)
            self.tie(child, above, "spherical", data.xanchor[joints[0]], [1, 0, 0, 0])
            return
        velocities = self.velocities_before(child, joints)
        for k, joint in enumerate(joints):
            below = child
            if k < len(joints) - 1:
                self.notes.add("carriers between the joints of one body", 1)
                held = {"force_N": numbers(-mass * numpy.array(self.scene["gravity_m_s2"]))} if self.is_held(root, joints[:k + 1]) else {}
                below = self.add_body(kind="dynamic", shape=-1, mass_kg=mass, inertia_kg_m2=numbers(moments), friction=0.0,
                                      frame=self.frames[child], velocity_m_s=numbers(velocities[k][0]), angular_velocity_rad_s=numbers(velocities[k][1]), **held)
                self.held += [below] if held else []
            self.add_joint(joint, below, above)
            above = below

    def velocities_before(self, child, joints):
        """of the carrier below each joint: the body's, less what the joints after it add"""
        body, centre, found = self.scene["bodies"][child], self.frames[child].position, []
        linear, angular = numpy.array(body["velocity_m_s"]), numpy.array(body["angular_velocity_rad_s"])
        for joint in reversed(joints):
            found.append((linear, angular))
            rate, axis = self.data.qvel[self.model.jnt_dofadr[joint]], self.data.xaxis[joint]
            if self.model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE:
                linear = linear - rate * axis
            elif self.model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE:
                linear, angular = linear - rate * numpy.cross(axis, centre - self.data.xanchor[joint]), angular - rate * axis
        return found[::-1]

    def add_joint(self, joint, below, above):
        model, data, kinds = self.model, self.data, mujoco.mjtJoint
        kind, anchor, axis = int(model.jnt_type[joint]), data.xanchor[joint], data.xaxis[joint]
        if kind == kinds.mjJNT_BALL:
            self.add_ball(joint, below, above)
            return
        slides = kind == kinds.mjJNT_SLIDE
        motors = laws.motors(*laws.laws(model, data, joint, self.note), slides, self.scene["time_step_s"])
        coordinate = self.coordinate(joint, slides)
        self.note_crossed(joint, coordinate)
        if self.exact:  # the methods for round shapes have no such rows
            own = [{key: value for key, value in motor.items() if not key.startswith("effort")} for motor in motors]
            self.note("left out with --exact: limits, dry friction, rotors and efforts of joints", own != motors or bool(coordinate))
            coordinate, motors = {}, own[:1] if motors and own[0] == motors[0] else []
        held = bool(motors) and not any(key.startswith("effort") for key in motors[0])
        self.tie(below, above, "fixed" if held else "prismatic" if slides else "revolute", anchor, geometry.turning_x_to(axis), joint=joint, **coordinate)
        for motor in motors:
            self.scene["motors"].append({"joint": len(self.scene["joints"]) - 1, "axis": "slides" if slides else "turns", **motor})

    def add_ball(self, joint, below, above):
        """a spring at rest where the spring's reference is, or a damper, turns as a fixed joint does that gives way"""
        model, anchor = self.model, self.data.xanchor[joint]
        turn = self.own_frame(model.jnt_bodyid[joint]).turn
        stiffness, damping = self.stiffness(joint), self.damping(joint)
        if damping > 0:
            self.tie(below, above, "fixed", anchor, turn, damping=3 * [0.0] + 3 * [damping])
        elif stiffness > 0:
            at = model.jnt_qposadr[joint]
            rest = product(turn, product(conjugate(self.data.qpos[at:at + 4]), model.qpos_spring[at:at + 4]))
            self.tie(below, above, "fixed", anchor, turn, (anchor, rest), joint=EQUALITY, compliance=3 * [0.0] + 3 * [1 / stiffness])
        else:
            self.tie(below, above, "spherical", anchor, [1, 0, 0, 0])

    def stiffness(self, joint):
        return 0.0 if disabled(self.model, "SPRING") else float(self.model.jnt_stiffness[joint])

    def damping(self, joint):
        return 0.0 if disabled(self.model, "DAMPER") else float(self.model.dof_damping[self.model.jnt_dofadr[joint]])

    def note(self, text, count):
        self.notes.add(text, int(count))

    def is_driven(self, joint):
        """by more than its own bodies"""
        model = self.model
        free, bounded = laws.laws(model, self.data, joint, lambda text, count: None)
        return bool(bounded or free.stiffness or free.damping or free.constant or self.coordinate(joint, False))

    def coordinate(self, joint, slides):
        """what a joint of the scene has of its free coordinate, which is 0 at the start"""
        model, found = self.model, {}
        inertia, friction = laws.armature(model, joint), float(model.dof_frictionloss[model.jnt_dofadr[joint]])
        if inertia > 0:
            found["armature_kg" if slides else "armature_kg_m2"] = inertia
        if disabled(model, "CONSTRAINT"):
            return found
        if friction > 0 and not disabled(model, "FRICTIONLOSS"):
            found["friction_N" if slides else "friction_N_m"] = friction
        if model.jnt_limited[joint] and not disabled(model, "LIMIT"):
            least, most = model.jnt_range[joint] + model.jnt_margin[joint] * numpy.array([1, -1]) - self.data.qpos[model.jnt_qposadr[joint]]
            found["limits"] = [float(min(least, 0)), float(max(most, 0))]
        return found

    def note_crossed(self, joint, found):
        """limits that a joint is beyond"""
        limits = self.model.jnt_range[joint] - self.data.qpos[self.model.jnt_qposadr[joint]]
        if "limits" in found and (limits[0] > 1e-9 or limits[1] < -1e-9):
            beyond = "m" if self.model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE else "rad"
            self.notes.add(f"left out: the way back of a joint {max(limits[0], -limits[1]):.3g} {beyond} beyond its limit at the start, which is there now")

    def note_joint(self, joint):
        """what is left out of free and ball joints"""
        model, kinds = self.model, mujoco.mjtJoint
        kind, dof = int(model.jnt_type[joint]), model.jnt_dofadr[joint]
        if kind not in (kinds.mjJNT_FREE, kinds.mjJNT_BALL):
            return
        free = kind == kinds.mjJNT_FREE
        for what, value in (("stiffness", self.stiffness(joint) > 0 and (free or self.damping(joint) > 0)), ("dry friction", model.dof_frictionloss[dof] > 0), ("armature", model.dof_armature[dof] > 0),
                            ("limits", model.jnt_limited[joint]), ("forces that are not linear", numpy.any(model.dof_dampingpoly[dof]) or numpy.any(model.jnt_stiffnesspoly[joint]))):
            self.note(f"left out: {what} of {'free' if free else 'ball'} joints", value)

    def tie(self, a, b, kind, anchor, frame, other=None, joint=None, **more):
        """a joint at this point of the world with this frame; `other`: the point and frame of b where they differ;
        `joint`: the model's, with an axis"""
        ends = []
        for body, (point, turn) in ((a, (anchor, frame)), (b, other or (anchor, frame))):
            ends.append((point, turn) if body < 0 else (self.frames[body].seen(point), product(conjugate(self.frames[body].turn), turn)))
        self.scene["joints"].append({"kind": kind, "bodies": [a, b], "anchors_m": [numbers(end[0]) for end in ends],
                                     "frames_wxyz": [numbers(end[1]) for end in ends], **more})
        self.of_joints.append(joint)
        self.tied.add((min(a, b), max(a, b)))

    def add_equalities(self):
        model, kinds = self.model, mujoco.mjtEq
        for e in range(0 if disabled(model, "CONSTRAINT", "EQUALITY") else model.neq):
            kind = kinds(int(model.eq_type[e]))
            if not self.data.eq_active[e]:
                self.notes.add("left out: equality constraints that are not active")
            elif kind == kinds.mjEQ_JOINT or (kind == kinds.mjEQ_TENDON and all(self.is_fixed(tendon) for tendon in self.coupled(e))):
                self.couple(e, kind == kinds.mjEQ_TENDON)
            elif kind not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
                self.notes.add(f"left out: equality constraints of kind {kind.name[5:].lower()}")
            else:
                bodies, one, two = self.ends_of_equality(e, kind == kinds.mjEQ_WELD)
                a, b = (self.place.get(int(model.body_weldid[x]), self.fixed.get(x, -1)) for x in bodies)
                if a == b or (a not in self.place.values() and b not in self.place.values()):
                    self.notes.add("left out: equality constraints within one body")
                else:
                    rigid = kind == kinds.mjEQ_WELD and model.eq_data[e, 10] > 0
                    self.close(a, b, "fixed" if rigid else "spherical", one, two)

    def coupled(self, e):
        """the one or two joints or tendons of a coupling"""
        return [int(x) for x in (self.model.eq_obj1id[e], self.model.eq_obj2id[e]) if x >= 0]

    def wraps(self, tendon):
        return range(self.model.tendon_adr[tendon], self.model.tendon_adr[tendon] + self.model.tendon_num[tendon])

    def is_fixed(self, tendon):
        return all(self.model.wrap_type[w] == mujoco.mjtWrap.mjWRAP_JOINT for w in self.wraps(tendon))

    def length(self, thing, tendon):
        """of a joint or fixed tendon less that of the model's own state, and the factors of its joints"""
        model, data = self.model, self.data
        if tendon:
            factors = {}
            for w in self.wraps(thing):
                factors[int(model.wrap_objid[w])] = factors.get(int(model.wrap_objid[w]), 0.0) + float(model.wrap_prm[w])
            return data.ten_length[thing] - model.tendon_length0[thing], factors
        at = model.jnt_qposadr[thing]
        return data.qpos[at] - model.qpos0[at], {thing: 1.0}

    def couple(self, e, tendon):
        """the first of two lengths is a polynomial of the second: its tangent, of coordinates that are 0 at the start"""
        (first, factors), (second, others) = [*(self.length(thing, tendon) for thing in self.coupled(e)), (0.0, {})][:2]
        polynomial = numpy.polynomial.Polynomial(self.model.eq_data[e, :5])
        slope = float(polynomial.deriv()(second))
        for joint, factor in others.items():
            factors[joint] = factors.get(joint, 0.0) - slope * factor
        factors = {joint: factor for joint, factor in factors.items() if factor}
        if self.exact or len(factors) > MOST_COUPLED or not set(factors) <= set(self.of_joints):
            self.notes.add("left out" + (" with --exact" if self.exact else "") + ": couplings of joints" + ("" if self.exact else f" that are spherical here, or more than {MOST_COUPLED}"))
            return
        self.note("couplings that are not linear: their tangent at the start", bool(others) and numpy.any(polynomial.coef[2:]))
        offset = float(polynomial(second) - first)
        self.note("equality constraints that do not hold at the start: the first step closes them", abs(offset) > 1e-6)
        if factors:
            self.scene["couplings"].append({"joints": [self.of_joints.index(joint) for joint in factors], "factors": numbers(factors.values()), "offset": offset})

    def ends_of_equality(self, e, weld):
        """the two bodies of a connect or weld, and where they are to meet"""
        model, data, x = self.model, self.data, self.model.eq_data[e]
        ends = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        if model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
            return [int(model.site_bodyid[site]) for site in ends], *(Frame(data.site_xpos[site], geometry.quaternion(data.site_xmat[site])) for site in ends)
        one, two = (self.own_frame(body) for body in ends)
        if weld:
            turn = product(one.turn, x[6:10])
            return ends, Frame(one.at(x[3:6] + matrix(x[6:10]) @ x[0:3]), turn), Frame(two.at(x[0:3]), two.turn)
        return ends, Frame(one.at(x[0:3]), one.turn), Frame(two.at(x[3:6]), one.turn)

    def close(self, a, b, kind, one, two):
        """a joint of an equality constraint, which may be open at the start"""
        self.tie(a, b, kind, one.position, one.turn, (two.position, two.turn), joint=EQUALITY)
        if numpy.linalg.norm(one.position - two.position) > 1e-6:
            self.notes.add("equality constraints that do not hold at the start: the first step closes them")

    # ---- what touches ----

    def colliding(self, members):
        """their geoms that touch another; where none does, those that might"""
        model, first, count = self.model, self.model.body_geomadr, self.model.body_geomnum
        geoms = [geom for body in members for geom in range(first[body], first[body] + count[body])]
        return [geom for geom in geoms if self.touching.touches(geom)] or [geom for geom in geoms if model.geom_contype[geom] or model.geom_conaffinity[geom]]

    def part_those_that_overlap(self):
        """at the start, as links of robots do; what lies on a plane stays on it, if joints let it"""
        body_of = {geom: body for body, geoms in self.solid.items() for geom in geoms}
        plane, deepest = mujoco.mjtGeom.mjGEOM_PLANE, -OVERLAP
        for contact in self.data.contact:
            pair = sorted(body_of.get(int(geom), -1) for geom in contact.geom)
            gap = contact.dist - sum(self.touching.margin[geom] for geom in contact.geom)
            if pair[0] < 0 or gap >= -OVERLAP:
                continue
            on_plane = any(self.model.geom_type[int(geom)] == plane for geom in contact.geom)
            if on_plane and self.can_open(contact):
                deepest = min(deepest, gap)
            elif tuple(pair) not in self.overlap:
                self.notes.add("left out: contacts with planes that no joint opens" if on_plane else "left out: contacts of bodies that overlap at the start")
                self.overlap.add(tuple(pair))
        if deepest < -OVERLAP:
            self.notes.add(f"bodies penetrate a plane at the start, by up to {-deepest:.2g} m: the first step takes them out, if joints let it")

    def meets_others(self, met, a, b):
        """whether geoms overlap at the start that touch nothing of each other in MuJoCo"""
        kinds = self.model.geom_type
        return any(mujoco.mj_geomDistance(self.model, self.data, self.solid[a][i], self.solid[b][j], 0.001, None) < -OVERLAP
                   for i, j in numpy.argwhere(~met) if max(kinds[self.solid[a][i]], kinds[self.solid[b][j]]) <= int(mujoco.mjtGeom.mjGEOM_MESH))

    def can_open(self, contact):
        """whether some motion of the joints moves its bodies apart"""
        model, rows = self.model, []
        for geom in contact.geom:
            row = numpy.zeros((3, model.nv))
            mujoco.mj_jac(model, self.data, row, None, contact.pos, int(model.geom_bodyid[geom]))
            rows.append(contact.frame[:3] @ row)
        return numpy.linalg.norm(rows[1] - rows[0]) > 1e-9

    def add_pairs(self):
        """of the bodies whose contacts are not as ncpbench has them: by geometric means, and not across joints"""
        solid = [body for body, geoms in self.solid.items() if geoms]
        bodies, touching = self.scene["bodies"], self.touching
        for i, b in enumerate(solid):
            for a in solid[:i]:
                if bodies[a]["kind"] != "dynamic" and bodies[b]["kind"] != "dynamic":
                    continue
                of = numpy.ix_(self.solid[a], self.solid[b])
                met, friction = touching.pairs[of], touching.friction[of]
                contact = bool(met.any()) and (a, b) not in self.overlap
                if contact and self.meets_others(met, a, b):
                    self.notes.add("left out: contacts of bodies that overlap at the start")
                    contact = False
                if contact:
                    self.note("geoms of a body that touch different geoms: all touch what one does", not met.all())
                    self.note("pairs of bodies whose geoms differ in friction: the largest is taken", numpy.ptp(friction[met]) > 0)
                    mu = float(friction[met].max())
                    mean = numpy.sqrt(bodies[a]["friction"] * bodies[b]["friction"])
                    own = {"friction": mu} if abs(mu - mean) > 1e-12 * mu else {}
                if contact and (own or (a, b) in self.tied):
                    self.scene["pairs"].append({"bodies": [a, b], **own})
                elif not contact and (a, b) not in self.tied:
                    self.scene["pairs"].append({"bodies": [a, b], "contact": 0})

    def geom_frame(self, geom):
        return Frame(self.data.geom_xpos[geom], geometry.quaternion(self.data.geom_xmat[geom]))

    def friction(self, geoms):
        return max((float(self.model.geom_friction[g, 0]) for g in geoms), default=0.0)

    def add_shape(self, shape):
        self.scene["shapes"].append(shape)
        return len(self.scene["shapes"]) - 1

    def shape_of(self, geoms, frame):
        """of all these geoms in a body's frame; -1: none"""
        placed = [(geom, frame.of(self.geom_frame(geom))) for geom in geoms]
        if len(placed) == 1 and not self.exact:
            geom, at = placed[0]
            if self.model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE and numpy.linalg.norm(at.position) < 1e-12:
                return self.add_shape({"kind": "sphere", "radius_m": self.size(geom)[0]})
        made = [part for part in ((self.exact_part if self.exact else self.polyhedron)(geom, at) for geom, at in placed) if part]
        if not made:
            return -1
        return self.add_shape({"kind": "bundle", "of": made} if self.exact else {"kind": "polyhedra", "parts": made})

    def size(self, geom):
        """with the margin that it keeps"""
        return [float(x) for x in self.model.geom_size[geom] + self.touching.margin[geom]]

    def surface(self, geom):
        """(vertices, faces) in the geom's frame; None: of no kind that has any"""
        kinds, (x, y, z) = mujoco.mjtGeom, self.size(geom)
        kind = kinds(int(self.model.geom_type[geom]))
        if kind == kinds.mjGEOM_BOX:
            return geometry.box((x, y, z))
        if kind == kinds.mjGEOM_MESH:
            self.note("left out: margin of meshes", self.touching.margin[geom] != 0)
            return self.hull(int(self.model.geom_dataid[geom]))
        name = kind.name[7:].lower()
        if kind in (kinds.mjGEOM_PLANE, kinds.mjGEOM_HFIELD, kinds.mjGEOM_SDF):
            self.notes.add(f"left out: geoms of kind {name}" + (" of bodies that move" if kind == kinds.mjGEOM_PLANE else ""))
            return None
        self.notes.add(f"{name} geoms, made polyhedra with their corners on them")
        return {kinds.mjGEOM_SPHERE: lambda: geometry.ellipsoid((x, x, x)), kinds.mjGEOM_ELLIPSOID: lambda: geometry.ellipsoid((x, y, z)),
                kinds.mjGEOM_CAPSULE: lambda: geometry.capsule(x, y), kinds.mjGEOM_CYLINDER: lambda: geometry.cylinder(x, y)}[kind]()

    def hull(self, mesh):
        """of the corners of MuJoCo's own convex hull, whose triangles are not convex where they are thin"""
        model, first = self.model, int(self.model.mesh_graphadr[mesh])
        vertices = model.mesh_vert[model.mesh_vertadr[mesh]:model.mesh_vertadr[mesh] + model.mesh_vertnum[mesh]]
        if first < 0:
            self.notes.add("left out: meshes without a convex hull")
            return None
        count = int(model.mesh_graph[first])
        found = geometry.hull(vertices[model.mesh_graph[first + 2 + count:first + 2 + 2 * count]])
        if found is None:
            self.notes.add("left out: meshes that are flat")
        else:
            self.notes.add(f"meshes, of which convex hulls are left, of {HULL} vertices at most")
        return found

    def polyhedron(self, geom, at):
        surface = self.surface(geom)
        if surface is None:
            return None
        vertices, faces = surface
        self.corners.append((geom, len(self.frames), vertices, at.at(vertices)))
        return {"vertices_m": [numbers(p) for p in at.at(vertices)], "faces": faces}

    def exact_part(self, geom, at):
        kinds, (x, y, z) = mujoco.mjtGeom, self.size(geom)
        shape = {kinds.mjGEOM_SPHERE: {"kind": "sphere", "radius_m": x}, kinds.mjGEOM_BOX: {"kind": "box", "half_sizes_m": [x, y, z]},
                 kinds.mjGEOM_ELLIPSOID: {"kind": "ellipsoid", "half_axes_m": [x, y, z]}, kinds.mjGEOM_CAPSULE: {"kind": "capsule", "radius_m": x, "length_m": 2 * y},
                 kinds.mjGEOM_CYLINDER: {"kind": "cylinder", "radius_m": x, "length_m": 2 * y}}.get(kinds(int(self.model.geom_type[geom])))
        if not shape:
            surface = self.surface(geom)
            if surface is None:
                return None
            shape = {"kind": "polyhedra", "parts": [{"vertices_m": [numbers(p) for p in surface[0]], "faces": surface[1]}]}
        self.corners.append((geom, len(self.frames), numpy.zeros((1, 3)), at.position[None]))
        return {**shape, "offset_m": numbers(at.position), "turn_wxyz": numbers(at.turn)}

    def name(self, body):
        return mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_BODY, body) or str(body)


# ---- what is left out ----

def acting_tendons(m):
    """those that exert forces by themselves"""
    passive = sum(abs(x).reshape(m.ntendon, -1).sum(axis=1) for x in (
        m.tendon_stiffness, m.tendon_stiffnesspoly, m.tendon_damping, m.tendon_dampingpoly, m.tendon_frictionloss, m.tendon_armature)) if m.ntendon else numpy.zeros(0)
    return ((passive > 0) | (m.tendon_limited > 0)).sum() if m.ntendon else 0


def softness(m, touching):
    """geoms, joints and constraints that are softer or stiffer than MuJoCo's own"""
    touch = touching.pairs.any(axis=0)
    standard = numpy.array([0.9, 0.95, 0.001, 0.5, 2])
    count = int(enabled(m, "OVERRIDE") and (list(m.opt.o_solref) != [0.02, 1] or numpy.abs(m.opt.o_solimp - standard).max() > 1e-12))
    for chosen, references, shapes in ((touch, m.geom_solref, m.geom_solimp), (m.jnt_limited > 0, m.jnt_solref, m.jnt_solimp), (m.dof_frictionloss > 0, m.dof_solref, m.dof_solimp),
                                       (m.eq_active0 > 0, m.eq_solref, m.eq_solimp), (numpy.ones(m.npair, bool), m.pair_solref, m.pair_solimp)):
        different = (references != [0.02, 1]).any(axis=1) | (numpy.abs(shapes - standard) > 1e-12).any(axis=1)
        count += int((chosen & different).sum())
    return count + int(m.pair_solreffriction.any(axis=1).sum())


# what, and of how many
LEFT_OUT = (
    ("tendons", lambda m, t: acting_tendons(m)),
    ("deformable bodies (flex)", lambda m, t: m.nflex),
    ("plugins", lambda m, t: m.nplugin),
    ("torsional and rolling friction", lambda m, t: numpy.triu(t.turning).sum()),
    ("friction of pairs that differs in two directions", lambda m, t: (m.pair_friction[:t.given, 0] != m.pair_friction[:t.given, 1]).sum()),
    ("margins of pairs that differ from those of their geoms", lambda m, t: sum(
        abs(m.pair_margin[p] - t.margin[m.pair_geom1[p]] - t.margin[m.pair_geom2[p]]) > 1e-12 for p in range(t.given))),
    ("compensation of gravity by actuators within their limits", lambda m, t: ((m.jnt_actgravcomp > 0) & (m.jnt_actfrclimited > 0)).sum()),
    ("adhesion", lambda m, t: (m.geom_adhesion > 0).sum() + (m.pair_adhesion > 0).sum()),
    ("velocities of surfaces", lambda m, t: m.geom_surfacevel.any(axis=1).sum()),
    ("fluid forces", lambda m, t: m.opt.density > 0 or m.opt.viscosity > 0),
    ("bodies that sleep", lambda m, t: enabled(m, "SLEEP")),
    ("contacts before bodies touch (speculative)", lambda m, t: enabled(m, "SPECULATIVE")),
    ("softness of contacts, limits and equality constraints (solref, solimp, solmix)", softness),
)


def name_what_is_left_out(model, touching, notes):
    for text, count in LEFT_OUT:
        notes.add("left out: " + text, int(count(model, touching)))
    if not disabled(model, "ACTUATION"):
        for actuator in range(model.nactuator):
            reason = laws.works(model, actuator) and laws.why_not(model, actuator)
            notes.add(f"left out: {reason}", int(bool(reason)))


def numbers(x):
    return [float(value) for value in x]


def errors(converter):
    """What the scene and MuJoCo's model differ by: mass over mass, the centre of all mass, inertia about it over its size,
    corners of geoms in the world (exact: their origins), ends of joints, and axes of hinges and slides."""
    model, data, scene = converter.model, converter.data, converter.scene
    parts = [(float(model.body_mass[b]), Frame(data.xipos[b], geometry.quaternion(data.ximat[b])), model.body_inertia[b])
             for b in range(model.nbody) if model.body_weldid[b] != 0]
    ours = [(body["mass_kg"], Frame(body["position_m"], body["orientation_wxyz"]), numpy.array(body["inertia_kg_m2"]))
            for i, body in enumerate(scene["bodies"]) if body["kind"] == "dynamic" and i not in converter.held]
    nothing = [(1.0, Frame([0, 0, 0], [1, 0, 0, 0]), numpy.ones(3))]  # moves: in the place of no bodies, with a unit to divide by
    known, found = summed(parts or nothing), summed(ours or nothing)
    corners = [numpy.abs(converter.geom_frame(geom).at(own) - converter.frames[body].at(seen)).max() for geom, body, own, seen in converter.corners]
    ends, axes = [], []
    for joint, mine in zip(scene.get("joints", []), converter.of_joints):
        places = [Frame([0, 0, 0], [1, 0, 0, 0]) if b < 0 else converter.frames[b] for b in joint["bodies"]]
        points = [place.at(anchor) for place, anchor in zip(places, joint["anchors_m"])]
        if mine == EQUALITY:
            continue
        if joint["kind"] != "distance":
            ends.append(numpy.abs(points[0] - points[1]).max())
        if mine is not None:
            ends.append(numpy.abs(points[0] - data.xanchor[mine]).max())
            axes += [numpy.abs(matrix(product(place.turn, turn))[:, 0] - data.xaxis[mine]).max() for place, turn in zip(places, joint["frames_wxyz"])]
    return {"mass": abs(found[0] / known[0] - 1), "centre [m]": numpy.abs(found[1] - known[1]).max(),
            "inertia": numpy.abs(found[2] - known[2]).max() / numpy.abs(known[2]).max(), "corners of geoms [m]": max(corners, default=0.0),
            "ends of joints [m]": max(ends, default=0.0), "axes of joints": max(axes, default=0.0)}


def converted(path, key=None, exact=False, hull=HULL, free=False):
    """the converter of a model file, which has its scene and notes"""
    model, notes = load(path, hull, free)
    converter = Converter(model, start(model, key), notes, exact)
    converter.convert()
    return converter


def write(scene, path, force=False):
    """one element of an array a line; compressed where the name ends in .gz"""
    lines = []
    for key, value in scene.items():
        listed = isinstance(value, list) and value and isinstance(value[0], dict)
        lines.append(f'  "{key}": ' + ("[\n" + ",\n".join("    " + json.dumps(item) for item in value) + "\n  ]" if listed else json.dumps(value)))
    text = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    files.put(path, gzip.compress(text, mtime=0) if path.endswith(".gz") else text, force)


def main(words=None):
    parser = argparse.ArgumentParser(prog="python3 -m ncpbench.scene", description="Converts MJCF or URDF to a scene file of ncpbench.")
    parser.add_argument("model", help="a file that MuJoCo reads: MJCF or URDF")
    parser.add_argument("-o", "--output", required=True, help="the scene file, NAME.json or NAME.json.gz")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    parser.add_argument("--key", help="begin with this key frame of the model")
    parser.add_argument("--exact", action="store_true", help="keep round geoms round, for --method single-level and bilevel alone")
    parser.add_argument("--hull", type=int, default=HULL, help="vertices of a mesh's convex hull, at most [%(default)s]")
    parser.add_argument("--free", action="store_true", help="let bodies without a joint to the world move, as the base of a URDF")
    parser.add_argument("--check", action="store_true", help="print what the scene and MuJoCo's model differ by")
    words = parser.parse_args(words)
    if not words.output.endswith((".json", ".json.gz")):
        parser.error(f"--output must end in .json or .json.gz (got '{words.output}')")
    if not 4 <= words.hull <= 1000:
        parser.error(f"--hull must be 4 to 1000 (got {words.hull})")
    if not mujoco or tuple(int(part) for part in mujoco.__version__.split(".")[:2]) < OLDEST:
        found = f"{OLDEST[0]}.{OLDEST[1]} or later, found {mujoco.__version__}" if mujoco else ""
        print(f"ncpbench.scene requires MuJoCo's Python package{' ' * bool(found)}{found}: pip install {'-U ' * bool(found)}mujoco", file=sys.stderr)
        return 1
    try:
        converter = converted(words.model, words.key, words.exact, words.hull, words.free)
    except (OSError, ValueError, ElementTree.ParseError) as fault:
        unknown = isinstance(fault, UnicodeDecodeError)
        print(f"{words.model}: {'is not in UTF-8; MuJoCo takes no other encoding' if unknown else one_line(fault)}", file=sys.stderr)
        return 1
    try:
        write(converter.scene, words.output, words.force)
    except (OSError, files.Refused) as fault:
        print(f"ncpbench.scene: {files.line(fault)}", file=sys.stderr)
        return files.status(fault)
    for line in converter.notes.lines():
        print(f"{words.model}: {line}", file=sys.stderr)
    if words.check:
        for name, value in errors(converter).items():
            print(f"{name}\t{value:.3g}")
    return 0


if __name__ == "__main__":
    sys.exit(command.run("ncpbench.scene", main))
