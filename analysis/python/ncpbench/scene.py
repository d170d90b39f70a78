"""MJCF and URDF to scene files of ncpbench, through MuJoCo's own Python package:

    python3 -m ncpbench.scene model.xml -o scene.json

Standard error names what the scene leaves out. Bodies without a joint between them become one body. Several hinges and
slides of one body follow each other through carriers: bodies that take a thousandth of its mass each. Bodies that
MuJoCo never lets touch are tied by a distance joint of 1e6 m/N, which exerts next to nothing: ncpbench detects no
contacts between bodies with a joint. Contacts take the geometric mean of two bodies' friction, MuJoCo's the larger."""
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

from . import files, geometry, urdf
from .geometry import Frame, conjugate, matrix, product, summed

try:
    import mujoco
except ImportError:
    mujoco = None

CARRIER = 1e-3  # share of a body's mass that a carrier takes
LOOSE = 1e6     # compliance of joints that keep bodies from touching [m/N]
OVERLAP = 1e-4  # of bodies at the start that are not to touch [m]
HULL = 64       # vertices of a mesh's convex hull, at most
EQUALITY = -1   # in the place of a model's joint
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
    notes, masses = Notes(), {}
    if not os.path.isfile(path):
        raise ValueError("is not a file" if os.path.exists(path) else "no such file")
    check_files(path)
    mujoco.set_mju_user_warning(lambda text: notes.add("MuJoCo warns: " + one_line(text)))
    if path.lower().endswith(".urdf"):
        text, masses = urdf.text(path, notes)
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
    return compiled(spec, notes), notes


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
        self.scene = {"about": "Written by python3 -m ncpbench.scene.", "time_step_s": float(model.opt.timestep),
                      "gravity_m_s2": [float(x) for x in model.opt.gravity],
                      "contact_margin_m": float(min(0.01, 0.1 * model.stat.meansize)), "run": {"method": "single-level" if exact else "auto", "steps": 100},
                      "shapes": [], "bodies": [], "joints": [], "motors": []}
        self.place = {}   # of a weld group among the bodies
        self.fixed = {}   # of a body of the model that does not move among the bodies
        self.solid = {}   # of a body the geoms that touch
        self.frames = []  # of the bodies
        self.tied = set()
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
        self.tie_those_that_never_touch()
        self.name_what_is_left_out()
        if not self.scene["bodies"]:
            raise ValueError("nothing in the model touches or moves" + ("; --free lets bodies without a joint move" if self.model.nbody > 1 else ""))
        if all(body["kind"] == "fixed" for body in self.scene["bodies"]):
            self.notes.add("no body moves" + ("; with --free those without a joint do" if self.model.nbody > 1 else ""))
        for key in ("joints", "motors"):
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
                    self.add_solid([geom], kind="fixed", shape=self.add_shape({"kind": "half-space"}), frame=self.geom_frame(geom))
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
        parts = [(float(model.body_mass[b]), self.mass_frame(b), model.body_inertia[b]) for b in members if model.body_mass[b] > LEAST]
        if not parts:
            raise ValueError(f"body '{self.name(root)}' has no mass")
        mass, frame, moments = geometry.principal(parts)
        self.notes.add("bodies without a joint between them, made one", len(members) - 1)
        joints = [int(model.body_jntadr[root]) + k for k in range(model.body_jntnum[root])]
        joints = [j for j in joints if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE]
        ball = self.is_ball(joints)
        share = 1 - CARRIER * (0 if ball else max(0, len(joints) - 1))
        geoms = self.colliding(members)
        linear, angular = self.velocity(root, frame.position)
        shape = self.shape_of(geoms, frame)
        self.place[root] = self.add_solid(geoms, kind="dynamic", shape=shape, mass_kg=share * mass, inertia_kg_m2=numbers(share * moments),
                                         frame=frame, velocity_m_s=numbers(linear), angular_velocity_rad_s=numbers(angular))
        if joints:
            self.add_joints(root, joints, ball, mass, moments)

    def velocity(self, body, point):
        result = numpy.zeros(6)
        mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_BODY, body, result, 0)
        return result[3:] + numpy.cross(result[:3], point - self.data.xipos[body]), result[:3].copy()

    # ---- joints ----

    def is_ball(self, joints):
        """three hinges about one point leave what a ball leaves"""
        data, hinge = self.data, mujoco.mjtJoint.mjJNT_HINGE
        if len(joints) != 3 or any(self.model.jnt_type[j] != hinge for j in joints):
            return False
        apart = max(numpy.linalg.norm(data.xanchor[j] - data.xanchor[joints[0]]) for j in joints)
        return apart < 1e-9 and abs(numpy.linalg.det(data.xaxis[joints])) > 1e-3

    def add_joints(self, root, joints, ball, mass, moments):
        """from the parent on; the last one holds the body"""
        data, child = self.data, self.place[root]
        above = parent = self.above(root)
        if ball:
            self.notes.add("three hinges about one point, made a spherical joint", 1)
            self.note_forces(joints)
            self.tie(child, above, "spherical", data.xanchor[joints[0]], [1, 0, 0, 0])
            return
        velocities = self.velocities_before(child, joints)
        for k, joint in enumerate(joints):
            below = child
            if k < len(joints) - 1:
                self.notes.add("carriers between the joints of one body", 1)
                below = self.add_body(kind="dynamic", shape=-1, mass_kg=CARRIER * mass, inertia_kg_m2=numbers(CARRIER * moments), friction=0.0,
                                      frame=self.frames[child], velocity_m_s=numbers(velocities[k][0]), angular_velocity_rad_s=numbers(velocities[k][1]))
            self.add_joint(joint, below, above)
            above = below
        if len(joints) > 1 and parent >= 0:
            self.keep_apart(child, parent)

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
            self.note_forces([joint])
            self.tie(below, above, "spherical", anchor, [1, 0, 0, 0])
            return
        stiffness, damping = float(model.jnt_stiffness[joint]), float(model.dof_damping[model.jnt_dofadr[joint]])
        driven = stiffness > 0 or damping > 0
        slides = kind == kinds.mjJNT_SLIDE
        self.tie(below, above, "fixed" if driven else "prismatic" if slides else "revolute", anchor, geometry.turning_x_to(axis), joint=joint)
        if driven:
            address = model.jnt_qposadr[joint]
            self.scene["motors"].append({"joint": len(self.scene["joints"]) - 1, "axis": "slides" if slides else "turns", "stiffness": stiffness,
                                         "damping": damping, "target": float(model.qpos_spring[address] - data.qpos[address])})

    def note_forces(self, joints):
        for joint in joints:
            if self.model.jnt_stiffness[joint] > 0:
                self.notes.add("left out: stiffness of spherical joints")
            if self.model.dof_damping[self.model.jnt_dofadr[joint]] > 0:
                self.notes.add("left out: damping of spherical joints")

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

    def keep_apart(self, a, b):
        if (min(a, b), max(a, b)) in self.tied:
            return
        one, two = self.frames[a].position, self.frames[b].position
        if numpy.linalg.norm(one - two) < 1e-3:
            two = one + [1, 0, 0]
        none = [1, 0, 0, 0]
        self.tie(a, b, "distance", one, none, (two, none), length_m=float(numpy.linalg.norm(one - two)), compliance=[LOOSE] * 6)

    def add_equalities(self):
        model, kinds = self.model, mujoco.mjtEq
        for e in range(model.neq):
            kind, data = kinds(int(model.eq_type[e])), model.eq_data[e]
            of_bodies = model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_BODY
            if not self.data.eq_active[e]:
                self.notes.add("left out: equality constraints that are not active")
            elif kind not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) or not of_bodies:
                self.notes.add(f"left out: equality constraints of kind {kind.name[5:].lower()}" + ("" if of_bodies else " between joints, sites or tendons"))
            else:
                bodies = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
                a, b = (self.place.get(int(model.body_weldid[x]), self.fixed.get(x, -1)) for x in bodies)
                one, two = (self.own_frame(x) for x in bodies)
                if a == b:
                    self.notes.add("left out: equality constraints within one body")
                elif kind == kinds.mjEQ_CONNECT:
                    self.close(a, b, "spherical", Frame(one.at(data[0:3]), [1, 0, 0, 0]), Frame(two.at(data[3:6]), [1, 0, 0, 0]))
                else:
                    turn = product(one.turn, data[6:10])
                    self.close(a, b, "fixed", Frame(one.at(data[3:6] + matrix(data[6:10]) @ data[0:3]), turn), Frame(two.at(data[0:3]), two.turn))

    def close(self, a, b, kind, one, two):
        """a joint of an equality constraint, which may be open at the start"""
        self.tie(a, b, kind, one.position, one.turn, (two.position, two.turn), joint=EQUALITY)
        if numpy.linalg.norm(one.position - two.position) > 1e-6:
            self.notes.add("equality constraints that do not hold at the start: the first step closes them")

    # ---- what touches ----

    def colliding(self, members):
        model, found = self.model, []
        for body in members:
            first = model.body_geomadr[body]
            for geom in range(first, first + model.body_geomnum[body]):
                if model.geom_contype[geom] or model.geom_conaffinity[geom]:
                    found.append(geom)
                else:
                    self.notes.add("left out: geoms that touch nothing (contype and conaffinity 0)")
        return found

    def may_touch(self, a, b):
        model = self.model
        return any((model.geom_contype[x] & model.geom_conaffinity[y]) or (model.geom_contype[y] & model.geom_conaffinity[x])
                   for x in self.solid[a] for y in self.solid[b])

    def part_those_that_overlap(self):
        """at the start, as links of robots do; what lies on a plane stays on it"""
        body_of = {geom: body for body, geoms in self.solid.items() for geom in geoms}
        plane, deepest = mujoco.mjtGeom.mjGEOM_PLANE, -OVERLAP
        for contact in self.data.contact:
            a, b = (body_of.get(int(geom), -1) for geom in contact.geom)
            if min(a, b) < 0 or contact.dist >= -OVERLAP:
                continue
            if any(self.model.geom_type[int(geom)] == plane for geom in contact.geom):
                deepest = min(deepest, contact.dist)
                continue
            if (min(a, b), max(a, b)) not in self.tied:
                self.notes.add("pairs of bodies that overlap at the start, which never touch now")
            self.keep_apart(a, b)
        if deepest < -OVERLAP:
            self.notes.add(f"bodies penetrate a plane at the start, by up to {-deepest:.2g} m: the first step takes them out, if joints let it")

    def tie_those_that_never_touch(self):
        model = self.model
        excluded = {tuple(sorted(int(model.body_weldid[body]) for body in (signature >> 16, signature & 0xffff))) for signature in map(int, model.exclude_signature)}
        group = {place: root for root, place in self.place.items()}
        solid = [place for place, geoms in self.solid.items() if geoms]
        for i, a in enumerate(solid):
            for b in solid[:i]:
                if a not in group and b not in group:
                    continue
                if tuple(sorted((group.get(a, 0), group.get(b, 0)))) in excluded or not self.may_touch(a, b):
                    self.keep_apart(a, b)

    def geom_frame(self, geom):
        return Frame(self.data.geom_xpos[geom], geometry.quaternion(self.data.geom_xmat[geom]))

    def friction(self, geoms):
        values = {float(self.model.geom_friction[g, 0]) for g in geoms}
        if len(values) > 1:
            self.notes.add("bodies whose geoms differ in friction: the largest is taken")
        return max(values, default=0.0)

    def add_shape(self, shape):
        self.scene["shapes"].append(shape)
        return len(self.scene["shapes"]) - 1

    def shape_of(self, geoms, frame):
        """of all these geoms in a body's frame; -1: none"""
        placed = [(geom, frame.of(self.geom_frame(geom))) for geom in geoms]
        if len(placed) == 1 and not self.exact:
            geom, at = placed[0]
            if self.model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE and numpy.linalg.norm(at.position) < 1e-12:
                return self.add_shape({"kind": "sphere", "radius_m": float(self.model.geom_size[geom, 0])})
        made = [part for part in ((self.exact_part if self.exact else self.polyhedron)(geom, at) for geom, at in placed) if part]
        if not made:
            return -1
        return self.add_shape({"kind": "bundle", "of": made} if self.exact else {"kind": "polyhedra", "parts": made})

    def surface(self, geom):
        """(vertices, faces) in the geom's frame; None: of no kind that has any"""
        kinds, (x, y, z) = mujoco.mjtGeom, (float(s) for s in self.model.geom_size[geom])
        kind = kinds(int(self.model.geom_type[geom]))
        if kind == kinds.mjGEOM_BOX:
            return geometry.box((x, y, z))
        if kind == kinds.mjGEOM_MESH:
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
        kinds, (x, y, z) = mujoco.mjtGeom, (float(s) for s in self.model.geom_size[geom])
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

    # ---- what is left out ----

    def name(self, body):
        return mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_BODY, body) or str(body)

    def name_what_is_left_out(self):
        model, note = self.model, lambda text, count: self.notes.add("left out: " + text, int(count))
        note("actuators", model.nu)
        note("tendons", model.ntendon)
        note("sensors", model.nsensor)
        note("sites", model.nsite)
        note("limits of joints", model.jnt_limited.sum())
        note("armature of joints, an inertia of their rotors", (model.dof_armature > 0).sum())
        note("dry friction of joints", (model.dof_frictionloss > 0).sum())
        note("deformable bodies (flex)", model.nflex)
        note("skins", model.nskin)
        note("pairs of geoms with contact parameters of their own", model.npair)
        note("compensation of gravity", (model.body_gravcomp != 0).sum())
        note("bodies moved by the user (mocap), which are fixed", model.nmocap)
        note("torsional and rolling friction", ((model.geom_condim > 3) & ((model.geom_contype | model.geom_conaffinity) != 0)).sum())
        note("fluid forces", model.opt.density > 0 or model.opt.viscosity > 0)
        if (model.geom_solref[:, 0] != 0.02).any() or (model.geom_solref[:, 1] != 1).any():
            note("softness of contacts (solref)", 1)


def numbers(x):
    return [float(value) for value in x]


def errors(converter):
    """What the scene and MuJoCo's model differ by: mass over mass, the centre of all mass, inertia about it over its size,
    corners of geoms in the world (exact: their origins), ends of joints, and axes of hinges and slides."""
    model, data, scene = converter.model, converter.data, converter.scene
    parts = [(float(model.body_mass[b]), Frame(data.xipos[b], geometry.quaternion(data.ximat[b])), model.body_inertia[b])
             for b in range(model.nbody) if model.body_weldid[b] != 0]
    ours = [(body["mass_kg"], Frame(body["position_m"], body["orientation_wxyz"]), numpy.array(body["inertia_kg_m2"]))
            for body in scene["bodies"] if body["kind"] == "dynamic"]
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
    if words.hull < 4:
        parser.error(f"--hull must be at least 4 (got {words.hull})")
    if not mujoco:
        print("ncpbench.scene requires MuJoCo's Python package: pip install mujoco", file=sys.stderr)
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
