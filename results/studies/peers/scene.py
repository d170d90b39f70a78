"""A scene as `ncpbench export SCENARIO --at 0 --format scene` writes it, and what the engines share.

Every engine gets the same bodies, shapes, masses, moments, places, velocities and friction; none gets a gap or a margin
that it does not bring by itself.
"""
import itertools
import json
import time

import numpy


def rotation(q):
    """[..., 4] unit quaternions w x y z -> [..., 3, 3]"""
    w, x, y, z = numpy.moveaxis(numpy.asarray(q, dtype=float), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return numpy.moveaxis(numpy.array(rows), (0, 1), (-2, -1))


BOX_FACES = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]


class Shape:
    """kind: box, sphere, half-space, polyhedra; parts: (vertices [n, 3], faces) of each convex part"""

    def __init__(self, data):
        self.kind, self.parts, self.radius, self.half = data["kind"], [], None, None
        if self.kind == "box":
            self.half = numpy.array(data["half_sizes_m"], dtype=float)
            signs = numpy.array([[s[2], s[1], s[0]] for s in itertools.product((-1, 1), repeat=3)])
            self.parts = [(signs * self.half, BOX_FACES)]
        elif self.kind == "sphere":
            self.radius = data["radius_m"]
        elif self.kind == "polyhedra":
            self.parts = [(numpy.array(part["vertices_m"], dtype=float), part["faces"]) for part in data["parts"]]
        elif self.kind != "half-space":
            raise ValueError(f"a shape of kind {self.kind}")


class Scene:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        self.name, self.gravity = data["scenario"], numpy.array(data["gravity_m_s2"], dtype=float)
        self.shapes = [Shape(shape) for shape in data["shapes"]]
        bodies = data["bodies"]
        self.shape = [body["shape"] for body in bodies]
        self.dynamic = numpy.array([body["kind"] == "dynamic" for body in bodies])
        self.mass = numpy.array([body["mass_kg"] for body in bodies], dtype=float)
        self.inertia = numpy.array([body["inertia_kg_m2"] for body in bodies], dtype=float)
        self.q = numpy.array([body["position_m"] + body["orientation_wxyz"] for body in bodies], dtype=float)
        self.u = numpy.array([body["velocity_m_s"] + body["angular_velocity_rad_s"] for body in bodies], dtype=float)
        frictions = {body["friction"] for body in bodies}
        if len(frictions) != 1:  # engines combine two coefficients each in its own way
            raise ValueError("bodies of several frictions")
        if data["joints"] or any(body["kind"] == "kinematic" for body in bodies):
            raise ValueError("joints or prescribed bodies")
        self.mu = float(frictions.pop())
        self.weight = self.mass[self.dynamic].sum() * numpy.linalg.norm(self.gravity)

    def ground(self):
        """the normal of the one half-space"""
        normals = [rotation(self.q[b, 3:])[:, 2] for b, s in enumerate(self.shape) if self.shapes[s].kind == "half-space"]
        assert len(normals) == 1
        return normals[0]


def march(h, steps, every, limit, step, state, contacts):
    """Calls step() so many times, or until the calls took `limit` seconds, and state() (q, u of all bodies) every so
    many; then once more for the forces. Times are those of step() alone.

    contacts(): of the last step a row each: the two bodies, the force on the first [N], the normal, towards the first;
    None where the engine does not say."""
    q, u = state()
    frames, seconds = [(0.0, q, u)], []
    while len(seconds) < steps:
        begun = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - begun)
        limit -= seconds[-1]
        if len(seconds) % every == 0 or len(seconds) == steps or limit < 0:
            frames.append((len(seconds) * h, *state()))
        if limit < 0 or not numpy.isfinite(frames[-1][2]).all():
            break
    before = state()[1]
    step()
    after = state()[1]
    rows = contacts()
    return {"time": numpy.array([f[0] for f in frames]), "q": numpy.array([f[1] for f in frames]),
            "u": numpy.array([f[2] for f in frames]), "seconds": numpy.array(seconds), "before": before, "after": after,
            "contacts": None if rows is None else numpy.array(rows, dtype=float).reshape(-1, 8)}


def quantities(result):
    """for numpy.savez, which knows no None"""
    return {name: value for name, value in result.items() if value is not None}
