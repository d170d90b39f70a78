"""Rotations, rigid frames and convex polyhedra, with numpy alone. Quaternions are w x y z."""
import numpy


def product(a, b):
    """the rotation by b, then by a"""
    w, v = a[0], numpy.asarray(a[1:])
    u = numpy.asarray(b[1:])
    return numpy.array([w * b[0] - v @ u, *(w * u + b[0] * v + numpy.cross(v, u))])


def conjugate(q):
    return numpy.array([q[0], -q[1], -q[2], -q[3]])


def matrix(q):
    w, x, y, z = q
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def quaternion(r):
    """of a rotation matrix, by the largest of its four squares (Shepperd 1978)"""
    r = numpy.asarray(r, float).reshape(3, 3)
    squares = numpy.array([r.trace(), r[0, 0], r[1, 1], r[2, 2]])
    k = int(squares.argmax())
    if k == 0:
        q = numpy.array([1 + r.trace(), r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    else:
        i, j, l = k - 1, k % 3, (k + 1) % 3
        q = numpy.zeros(4)
        q[0] = r[l, j] - r[j, l]
        q[1 + i] = 1 + r[i, i] - r[j, j] - r[l, l]
        q[1 + j] = r[i, j] + r[j, i]
        q[1 + l] = r[i, l] + r[l, i]
    return q / numpy.linalg.norm(q)


def turning_x_to(axis):
    """a rotation that takes the x axis to this direction"""
    x = numpy.asarray(axis, float) / numpy.linalg.norm(axis)
    y = numpy.cross([0, 0, 1] if abs(x[2]) < 0.9 else [0, 1, 0], x)
    y /= numpy.linalg.norm(y)
    return quaternion(numpy.column_stack([x, y, numpy.cross(x, y)]))


class Frame:
    """a rigid frame: a point p of it is at position + R p"""

    def __init__(self, position, turn):
        self.position, self.turn = numpy.asarray(position, float), numpy.asarray(turn, float)

    def at(self, points):
        return self.position + numpy.asarray(points, float) @ matrix(self.turn).T

    def seen(self, point):
        """a point of the world, seen from this frame"""
        return matrix(self.turn).T @ (numpy.asarray(point, float) - self.position)

    def of(self, other):
        """another frame of the world, seen from this one"""
        return Frame(self.seen(other.position), product(conjugate(self.turn), other.turn))


def summed(parts):
    """mass, center of mass and inertia tensor about it, in the world, of bodies that are one: (mass, frame, moments) each"""
    mass = sum(m for m, _, _ in parts)
    center = sum(m * frame.position for m, frame, _ in parts) / mass
    tensor = numpy.zeros((3, 3))
    for m, frame, moments in parts:
        r, d = matrix(frame.turn), frame.position - center
        tensor += r @ numpy.diag(moments) @ r.T + m * (d @ d * numpy.eye(3) - numpy.outer(d, d))
    return mass, center, tensor


def principal(parts):
    """mass, frame and principal moments of bodies that are one: (mass, frame, moments) each, in the world"""
    if len(parts) == 1:
        return parts[0]
    mass, center, tensor = summed(parts)
    moments, axes = numpy.linalg.eigh(tensor)
    if numpy.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    return mass, Frame(center, quaternion(axes)), moments


# ---- convex polyhedra: (vertices, faces), faces counter-clockwise seen from outside ----

AROUND = 12  # corners of a circle, which its points are; four of them lie on the axes


def revolved(profile, around=AROUND):
    """of a profile of (radius, z) about z, from its lowest point up; a radius of 0 is a tip"""
    vertices, rings = [], []
    for radius, z in profile:
        count = around if radius > 0 else 1
        rings.append(list(range(len(vertices), len(vertices) + count)))
        for k in range(count):
            angle = 2 * numpy.pi * k / around
            vertices.append([radius * numpy.cos(angle), radius * numpy.sin(angle), z])
    faces = []
    for low, high in zip(rings, rings[1:]):
        for k in range(around):
            n = (k + 1) % around
            corners = [low[k % len(low)], low[n % len(low)], high[n % len(high)], high[k % len(high)]]
            faces.append(list(dict.fromkeys(corners)))
    if len(rings[0]) > 1:
        faces.append(rings[0][::-1])
    if len(rings[-1]) > 1:
        faces.append(rings[-1])
    return numpy.array(vertices), faces


def arc(radius, z, first, last, steps):
    """points of a circle about (0, z), from angle to angle [rad]"""
    angles = numpy.linspace(first, last, steps + 1)
    on_axis = numpy.abs(numpy.abs(angles) - numpy.pi / 2) < 1e-12
    return [(0.0 if tip else radius * numpy.cos(a), z + radius * numpy.sin(a)) for a, tip in zip(angles, on_axis)]


def ellipsoid(half):
    vertices, faces = revolved(arc(1, 0, -numpy.pi / 2, numpy.pi / 2, AROUND // 2))
    return vertices * numpy.asarray(half), faces


def capsule(radius, half_length):
    quarter = AROUND // 4
    return revolved(arc(radius, -half_length, -numpy.pi / 2, 0, quarter) + arc(radius, half_length, 0, numpy.pi / 2, quarter))


def cylinder(radius, half_length):
    return revolved([(radius, -half_length), (radius, half_length)])


def box(half):
    x, y, z = half
    vertices = numpy.array([[sx * x, sy * y, sz * z] for sz in (-1, 1) for sy in (-1, 1) for sx in (-1, 1)])
    return vertices, [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]


def used(vertices, faces):
    """without vertices that no face has"""
    kept = sorted({corner for face in faces for corner in face})
    place = {old: new for new, old in enumerate(kept)}
    return numpy.asarray(vertices, float)[kept], [[place[corner] for corner in face] for face in faces]


FLAT = 1e-6  # of a polyhedron's size: ncpbench takes what is convex to so much
FINE = 1e-9  # heights that are told from 0


def first_corners(points, size):
    """of a tetrahedron of four points, turned outwards; None: they are flat"""
    a = int(points[:, 0].argmin())
    b = int(numpy.linalg.norm(points - points[a], axis=1).argmax())
    areas = numpy.linalg.norm(numpy.cross(points - points[a], points[b] - points[a]), axis=1)
    c = int(areas.argmax())
    normal = numpy.cross(points[b] - points[a], points[c] - points[a])
    heights = (points - points[a]) @ normal / max(numpy.linalg.norm(normal), 1e-300)
    d = int(numpy.abs(heights).argmax())
    if abs(heights[d]) <= 2 * FLAT * size:
        return None
    return (a, b, c, d) if heights[d] < 0 else (a, c, b, d)


def grown(points, size):
    """the faces of the hull, triangles; None: round-off leaves none"""
    first = first_corners(points, size)
    if first is None:
        return None
    a, b, c, d = first
    faces = numpy.array([[a, b, c], [a, d, b], [b, d, c], [c, d, a]])
    while True:
        corners = points[faces]
        normals = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = numpy.linalg.norm(normals, axis=1)
        if areas.min() <= FINE * FLAT * size * size:
            return None
        normals /= areas[:, None]
        heights = normals @ points.T - (normals * corners[:, 0]).sum(axis=1)[:, None]
        face, point = divmod(int(heights.argmax()), len(points))
        if heights[face, point] <= 0.9 * FLAT * size:
            return faces
        seen = heights[:, point] > 0
        edges = {(int(f[i - 1]), int(f[i])) for f in faces[seen] for i in range(3)}
        rim = sorted((u, v) for u, v in edges if (v, u) not in edges)
        if point in faces or len({u for u, _ in rim}) < len(rim):
            return None
        faces = numpy.concatenate((faces[~seen], [[u, v, point] for u, v in rim]))


def hull(points):
    """Convex hull of triangles, the farthest point first, of points that are moved by as little as leaves no triangle
    without a normal (Barber, Dobkin, Huhdanpaa 1996, joggled input). Those nearer to it than a millionth of its size
    are not of it. None: they are flat."""
    points = numpy.asarray(points, float)
    size = numpy.ptp(points, axis=0).max()
    random = numpy.random.default_rng(1)
    distances = numpy.linalg.norm(points[:, None] - points[None], axis=2)
    points = points[[not (distances[i, :i] <= 4 * FLAT * size).any() for i in range(len(points))]]
    if len(points) < 4 or first_corners(points, size) is None:
        return None
    for joggle in (0, *(FLAT * 2.0 ** k for k in range(-3, 9))):
        moved = points + joggle * size * random.uniform(-1, 1, points.shape)
        faces = grown(moved, size)
        if faces is not None:
            return used(moved, faces.tolist())
    return None


def volume(vertices, faces):
    total = 0.0
    for face in faces:
        for i in range(1, len(face) - 1):
            total += vertices[face[0]] @ numpy.cross(vertices[face[i]], vertices[face[i + 1]]) / 6
    return total
