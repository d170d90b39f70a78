"""How wrong a motion is: one judge for every engine, from places and velocities, and from forces where they are reported.

What is exact comes from the scene: bodies at rest stay where they are, the block on the slope slides with
g (sin a - mu cos a). Of a falling pile nobody knows the motion; there the deepest overlap and the forces say something.

    drift    [m]    how far a body's centre is from its exact place, at most over bodies and frames
    sinking  [m]    the part of it into the ground, along the ground's normal
    creep    [m/s]  sideways speed that should not be: way along the ground in the second half of the run over its time
    overlap  [m]    how far two convex parts, or a part and the ground, must be moved apart, at most over pairs and frames
    support  [1]    at the end: force on the whole scene, computed from its change of momentum, less the exact one, over the weight
    reported [1]    at the end: reported force of the ground, less that computed from the change of momentum, over the weight
    balance  [1]    at the end: reported forces on a body, less those computed from its change of momentum, over the largest force
    cone     [1]    at the end: reported friction beyond mu times the normal force, or pull, over the largest force
"""

import numpy

from scene import rotation

FRAMES = 12  # that overlap looks at, and the last


# ---- overlap: the separating axes of convex polyhedra ----

def directions(vertices, faces):
    """outward normals of the faces, and directions of the edges; each but once up to its sign"""
    def distinct(vectors):
        found = []
        for v in vectors:
            v = v / numpy.linalg.norm(v)
            if all(numpy.linalg.norm(numpy.cross(v, w)) > 1e-9 for w in found):
                found.append(v)
        return numpy.array(found)
    normals, edges = [], []
    for face in faces:
        loop = vertices[face]
        normal = sum(numpy.cross(a, b) for a, b in zip(loop, numpy.roll(loop, -1, axis=0)))
        normals.append(normal)
        edges += list(numpy.roll(loop, -1, axis=0) - loop)
    return distinct(normals), distinct(edges)


def separation(first, second):
    """Of pairs of convex bodies, each (vertices [pairs, n, 3], normals [pairs, k, 3], edges [pairs, m, 3]) in the world: how
    far they must be moved apart [pairs], negative where they are apart. The way out of an overlap is along a face's normal or across two
    edges; further axes never make it shorter."""
    cross = numpy.cross(first[2][:, :, None], second[2][:, None]).reshape(len(first[0]), -1, 3)
    length = numpy.linalg.norm(cross, axis=-1, keepdims=True)
    cross = numpy.where(length > 1e-12, cross / numpy.maximum(length, 1e-300), first[1][:, :1])  # of parallel edges: any axis
    axes = numpy.concatenate([first[1], second[1], cross], axis=1)
    a, b = (numpy.einsum("pkx,pnx->pkn", axes, body[0]) for body in (first, second))
    return numpy.minimum(a.max(-1) - b.min(-1), b.max(-1) - a.min(-1)).min(-1)


class Overlaps:
    def __init__(self, scene):
        self.scene = scene
        self.parts = [[(v, *directions(v, faces)) for v, faces in shape.parts] for shape in scene.shapes]
        kinds = {scene.shapes[s].kind for s in scene.shape}
        if "sphere" in kinds and not kinds <= {"sphere", "half-space"}:
            raise ValueError("spheres beside polyhedra")

    def deepest(self, q):
        """over all pairs of bodies at q [bodies, 7]"""
        turn, kinds = rotation(q[:, 3:]), [self.scene.shapes[s].kind for s in self.scene.shape]
        deepest, pieces = 0.0, []  # pieces: (body, shape, part, vertices)
        for body, shape in enumerate(self.scene.shape):
            for part, (vertices, _, _) in enumerate(self.parts[shape]):
                pieces.append((body, shape, part, q[body, :3] + vertices @ turn[body].T))
        for ground in (body for body, kind in enumerate(kinds) if kind == "half-space"):
            normal = turn[ground][:, 2]
            for body, _, _, vertices in pieces:
                if self.scene.dynamic[body]:
                    deepest = max(deepest, -((vertices - q[ground, :3]) @ normal).min())
            for body, kind in enumerate(kinds):
                if kind == "sphere":
                    deepest = max(deepest, self.scene.shapes[self.scene.shape[body]].radius - (q[body, :3] - q[ground, :3]) @ normal)
        return max(deepest, self.of_spheres(q, kinds), self.of_polyhedra(pieces, turn))

    def of_spheres(self, q, kinds):
        bodies = [body for body, kind in enumerate(kinds) if kind == "sphere"]
        radius = numpy.array([self.scene.shapes[self.scene.shape[body]].radius for body in bodies])
        deepest = 0.0
        for i in range(1, len(bodies)):
            distance = numpy.linalg.norm(q[bodies[:i], :3] - q[bodies[i], :3], axis=1)
            deepest = max(deepest, (radius[:i] + radius[i] - distance).max())
        return deepest

    def of_polyhedra(self, pieces, turn):
        if not pieces:
            return 0.0
        low, high = (numpy.array([getattr(piece[3], which)(axis=0) for piece in pieces]) for which in ("min", "max"))
        body = numpy.array([piece[0] for piece in pieces])
        moves, groups = self.scene.dynamic[body], {}
        for i in range(len(pieces) - 1):
            near = (low[i + 1:] <= high[i]).all(1) & (high[i + 1:] >= low[i]).all(1) & (body[i + 1:] != body[i]) & (moves[i + 1:] | moves[i])
            for j in i + 1 + numpy.flatnonzero(near):
                groups.setdefault((*pieces[i][1:3], *pieces[j][1:3]), []).append((i, j))
        deepest = 0.0
        for (shape_a, part_a, shape_b, part_b), pairs in groups.items():
            sides = []
            for side, (shape, part) in enumerate(((shape_a, part_a), (shape_b, part_b))):
                index = [pair[side] for pair in pairs]
                turns = turn[body[index]]
                sides.append((numpy.array([pieces[i][3] for i in index]),
                              *(numpy.einsum("pij,kj->pki", turns, d) for d in self.parts[shape][part][1:])))
            deepest = max(deepest, separation(*sides).max())
        return deepest


# ---- motion ----

class Exact:
    """what the bodies do: rest, slide (the one body of an incline) or unknown"""

    def __init__(self, scene, kind):
        self.scene, self.kind, self.normal = scene, kind, scene.ground()
        g = scene.gravity
        self.down = g - (g @ self.normal) * self.normal
        pull, self.acceleration = numpy.linalg.norm(self.down), 0.0
        if kind == "slide":
            self.acceleration = pull - scene.mu * abs(g @ self.normal)
            self.down = self.down / pull

    def way(self, t, h):
        """by the rule that all of these engines step with, v += h a, x += h v"""
        return 0.5 * self.acceleration * t * (t + h) * self.down if self.kind == "slide" else numpy.zeros(3)

    def force(self):
        """of the ground [N]"""
        mass = self.scene.mass[self.scene.dynamic].sum()
        return mass * ((self.acceleration * self.down if self.kind == "slide" else 0) - self.scene.gravity)


def motion(scene, exact, h, result):
    moving = scene.dynamic
    off = numpy.array([q[moving, :3] - scene.q[moving, :3] - exact.way(t, h) for t, q in zip(result["time"], result["q"])])
    into = numpy.einsum("fbx,x->fb", off, -exact.normal)
    sideways = off + into[..., None] * exact.normal
    half = numpy.searchsorted(result["time"], result["time"][-1] / 2)
    half = min(half, len(off) - 2)
    creep = numpy.linalg.norm(sideways[-1] - sideways[half], axis=-1) / (result["time"][-1] - result["time"][half])
    return {"drift": numpy.linalg.norm(off, axis=-1).max(), "sinking": max(into.max(), 0.0), "creep": creep.max()}


def forces(scene, exact, h, result):
    found = {}
    change = scene.mass[:, None] * (result["after"] - result["before"])[:, :3] / h
    needed = numpy.where(scene.dynamic[:, None], change - scene.mass[:, None] * scene.gravity, 0)  # of contacts, on each body
    if exact.kind != "unknown":
        found["support"] = numpy.linalg.norm(needed.sum(axis=0) - exact.force()) / scene.weight
    rows = result.get("contacts")
    if rows is None:
        return found
    first, second, force, normal = rows[:, 0].astype(int), rows[:, 1].astype(int), rows[:, 2:5], rows[:, 5:8]
    on = numpy.zeros((len(scene.mass), 3))
    numpy.add.at(on, first, force)
    numpy.add.at(on, second, -force)
    largest = max(numpy.linalg.norm(needed, axis=1).max(), numpy.linalg.norm(force, axis=1).max(initial=0), 1e-300)
    along = numpy.einsum("cx,cx->c", force, normal)
    across = numpy.linalg.norm(force - along[:, None] * normal, axis=1)
    found["reported"] = numpy.linalg.norm(on[~scene.dynamic].sum(axis=0) + needed.sum(axis=0)) / scene.weight
    found["balance"] = numpy.linalg.norm((on - needed)[scene.dynamic], axis=1).max() / largest
    found["cone"] = max(0.0, (across - scene.mu * along).max(initial=0), (-along).max(initial=0)) / largest
    return found


def judge(scene, kind, h, result):
    """kind: rest, slide or unknown"""
    exact = Exact(scene, kind)
    found = motion(scene, exact, h, result) if kind != "unknown" else {}
    if not numpy.isfinite(result["q"]).all():
        return {name: numpy.inf for name in ("drift", "sinking", "creep", "overlap")}
    overlaps, frames = Overlaps(scene), len(result["q"])
    chosen = sorted({*range(0, frames, max(1, frames // FRAMES)), frames - 1})
    found["overlap"] = max(overlaps.deepest(result["q"][i]) for i in chosen)
    found.update(forces(scene, exact, h, result))
    return found
