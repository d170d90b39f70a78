"""Scenes of the standard set that no scenario makes: each function returns what a scene file holds (../scene.schema.json)."""
import math
import random

GROUND = {"kind": "half-space"}


def scene(shapes, bodies, **members):
    return {"time_step_s": 1 / 120, "shapes": shapes, "bodies": bodies, **members}


def fixed(shape, position, friction, turn=None, **members):
    """turn: (axis, angle), of the half-space's z axis for instance"""
    body = {"kind": "fixed", "shape": shape, "position_m": position, "friction": friction, **members}
    if turn:
        axis, angle = turn
        body["orientation_wxyz"] = [math.cos(angle / 2), *(math.sin(angle / 2) * a for a in axis)]
    return body


def solid(shape, position, friction, density=1000.0, **members):
    return {"shape": shape, "density_kg_m3": density, "position_m": position, "friction": friction, **members}


def ball(mu, speed=0.0, spin=0.0):
    """one contact: a ball on the ground, which slides or turns"""
    return scene([GROUND, {"kind": "sphere", "radius_m": 0.1}],
                 [fixed(0, [0, 0, 0], mu), solid(1, [0, 0, 0.1], mu, velocity_m_s=[speed, 0, 0], angular_velocity_rad_s=[0, spin, spin / 3])])


def tower(count, ratio, mu, size=0.2):
    """boxes on each other, the uppermost `ratio` times as heavy as the lowest"""
    density = [1000.0 * ratio ** (i / max(count - 1, 1)) for i in range(count)]
    return scene([GROUND, {"kind": "box", "half_sizes_m": [size / 2] * 3}],
                 [fixed(0, [0, 0, 0], mu), *(solid(1, [0, 0, size * (i + 0.5)], mu, density[i]) for i in range(count))])


def voussoirs(count, mu, inner=4.5, outer=5.5, depth=0.5):
    """a half circle of equal wedges on the ground, all joints radial; to nine decimals, whatever the processor's sine is"""
    half = math.pi / count / 2
    low, high = inner * math.cos(half), outer * math.cos(half)
    middle = low + (high - low) / 3 * (inner + 2 * outer) / (inner + outer)
    corners = [[round(x, 9) for x in (side * radius * math.sin(half), y, radius * math.cos(half) - middle)]
               for radius in (inner, outer) for y in (-depth / 2, depth / 2) for side in (-1, 1)]
    faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    bodies = [fixed(0, [0, 0, 0], mu)]
    for i in range(count):
        angle = half * (2 * i + 1) - math.pi / 2  # of the wedge's radius from z
        turn = round(math.sin(angle / 2), 9)
        place = [round(middle * math.sin(angle), 9), 0, round(middle * math.cos(angle), 9)]
        bodies.append(solid(1, place, mu, 2000.0, orientation_wxyz=[math.sqrt(1 - turn * turn), 0, turn, 0]))
    return scene([GROUND, {"kind": "polyhedra", "parts": [{"vertices_m": corners, "faces": faces}]}], bodies, contact_margin_m=0.002)


def hail(counts, mu, seed, radius=0.05):
    """balls on a cubic lattice in a box, all of which touch their neighbors, with random speeds: all collide at once"""
    draw, half = random.Random(seed), math.pi / 2
    size = [2 * radius * count for count in counts]
    bodies = [fixed(0, [0, 0, 0], mu)]
    for place, turn in (([0, 0, 0], ((0, 1, 0), half)), ([size[0], 0, 0], ((0, 1, 0), -half)), ([0, 0, 0], ((1, 0, 0), -half)),
                        ([0, size[1], 0], ((1, 0, 0), half))):
        bodies.append(fixed(0, place, mu, turn))
    for i in range(math.prod(counts)):
        place = [round(radius * (2 * k + 1), 3) for k in (i % counts[0], i // counts[0] % counts[1], i // counts[0] // counts[1])]
        bodies.append(solid(1, place, mu, velocity_m_s=[0.1, 0, round(draw.uniform(-2, 0), 1)]))
    return scene([GROUND, {"kind": "sphere", "radius_m": radius}], bodies)


def plate_on_grid(side, plates, mu, tilt=0.0):
    """plates on side x side equal fixed balls, and further plates with as many loose balls between: coplanar contacts"""
    pitch, radius, thick = 0.1, 0.02, 0.02
    shapes = [{"kind": "sphere", "radius_m": radius}, {"kind": "box", "half_sizes_m": [pitch * side / 2, pitch * side / 2, thick / 2]}]
    bodies, level = [], 0.0
    for layer in range(plates):
        for i in range(side * side):
            place = [pitch * (i % side - (side - 1) / 2), pitch * (i // side - (side - 1) / 2), level + radius]
            bodies.append(solid(0, place, mu) if layer else fixed(0, place, mu))
        bodies.append(solid(1, [0, 0, level + 2 * radius + thick / 2], mu))
        level += 2 * radius + thick
    g = 9.81
    return scene(shapes, bodies, gravity_m_s2=[g * math.sin(tilt), 0, -g * math.cos(tilt)])


def tiles(side, mu):
    """a floor of side x side boxes that touch their neighbours, under a plate that rests on all of them"""
    size, shapes = 0.2, [GROUND]
    shapes += [{"kind": "box", "half_sizes_m": [size / 2] * 3}, {"kind": "box", "half_sizes_m": [size * side / 2, size * side / 2, size / 4]}]
    bodies = [fixed(0, [0, 0, 0], mu)]
    bodies += [solid(1, [size * (i % side), size * (i // side), size / 2], mu) for i in range(side * side)]
    middle = size * (side - 1) / 2
    return scene(shapes, [*bodies, solid(2, [middle, middle, size * 1.25], mu)])


def plane_wall(width, height, mu, planar=1):
    """a pyramid of boxes in running bond, which move in y = 0 alone"""
    size, bodies = 0.2, [fixed(0, [0, 0, 0], mu)]
    for row in range(height):
        for i in range(width - row):
            bodies.append(solid(1, [size * 1.01 * (i + row / 2), 0, size * (row + 0.5)], mu))
    return scene([GROUND, {"kind": "box", "half_sizes_m": [size / 2] * 3}], bodies, planar=planar)


def plane_disks(rows, mu):
    """balls as cannon balls lie, in y = 0, between two walls"""
    radius, bodies = 0.1, []
    for row in range(rows):
        for i in range(rows - row % 2):
            bodies.append(solid(1, [radius * (2 * i + 1 + row % 2), 0, radius * (1 + row * math.sqrt(3))], mu))
    walls = [fixed(0, [0, 0, 0], mu), fixed(0, [0, 0, 0], mu, ((0, 1, 0), math.pi / 2)),
             fixed(0, [2 * radius * rows, 0, 0], mu, ((0, 1, 0), -math.pi / 2))]
    return scene([GROUND, {"kind": "sphere", "radius_m": radius}], walls + bodies, planar=1)


def joint(a, b, on_a, on_b, kind="spherical", compliance=0.0):
    return {"kind": kind, "bodies": [a, b], "anchors_m": [on_a, on_b], "compliance": [compliance] * 3 + [compliance * 10] * 3}


def ring(links, mu):
    """a closed ring of boxes with ball joints that lies on a slab, under a box of its own on every second link"""
    length, half = 0.2, 0.03
    radius = length / (2 * math.tan(math.pi / links))
    shapes = [GROUND, {"kind": "box", "half_sizes_m": [length / 2, half, half]}, {"kind": "box", "half_sizes_m": [half] * 3}]
    bodies, joints = [fixed(0, [0, 0, 0], mu)], []
    for i in range(links):
        angle = 2 * math.pi * i / links
        place = [radius * math.sin(angle), -radius * math.cos(angle), half]
        bodies.append(solid(1, place, mu, orientation_wxyz=[math.cos(angle / 2), 0, 0, math.sin(angle / 2)], velocity_m_s=[0.1, 0, 0]))
        joints.append(joint(1 + i, 1 + (i + 1) % links, [length / 2, 0, 0], [-length / 2, 0, 0]))
    for i in range(0, links, 2):
        place = bodies[1 + i]["position_m"]
        bodies.append(solid(2, [place[0], place[1], 3 * half], mu))
    return scene(shapes, bodies, joints=joints)


def bridge(links, mu, compliance=0.0, kind="spherical"):
    """a chain of boxes between two joints of the world (a loop), which rests on blocks and bears a box on every link"""
    length, half = 0.2, 0.04
    shapes = [{"kind": "box", "half_sizes_m": [length / 2, half, half]}, {"kind": "box", "half_sizes_m": [half] * 3}]
    bodies, joints = [], [joint(0, -1, [-length / 2, 0, 0], [-length / 2, 0, 0], kind, compliance)]
    for i in range(links):
        bodies.append(solid(0, [length * i, 0, 0], mu))
        joints.append(joint(i, i + 1 if i + 1 < links else -1, [length / 2, 0, 0],
                            [-length / 2, 0, 0] if i + 1 < links else [length * (i + 0.5), 0, 0], kind, compliance))
    for i in range(links):
        bodies.append(solid(1, [length * i, 0, 2 * half], mu, 3000.0))
        if i % 3 == 1:
            bodies.append(fixed(1, [length * i, 0, -2 * half], mu))
    return scene(shapes, bodies, joints=joints)


def net(side, mu):
    """side x side balls joined to their neighbours by rods of given length, which fall over a large ball"""
    pitch, radius, large = 0.12, 0.04, 0.3
    middle = pitch * (side - 1) / 2
    bodies = [fixed(0, [0, 0, 0], mu), fixed(1, [middle, middle, large], mu)]
    bodies += [solid(2, [pitch * (i % side), pitch * (i // side), 2 * large + radius + 0.002], mu, velocity_m_s=[0, 0, -0.5]) for i in range(side * side)]
    joints = []
    for i in range(side * side):
        for step, there in ((1, i % side + 1 < side), (side, i // side + 1 < side)):
            if there:
                joints.append({"kind": "distance", "bodies": [2 + i, 2 + i + step], "anchors_m": [[0, 0, 0]] * 2, "length_m": pitch})
    return scene([GROUND, {"kind": "sphere", "radius_m": large}, {"kind": "sphere", "radius_m": radius}], bodies, joints=joints)


def sheared(side, mu, seed, rate=1.5):
    """side^3 balls of unequal sizes in a box whose walls shear it at a rate [1/s], under a heavy lid"""
    draw = random.Random(seed)
    pitch = 0.1
    width, height = pitch * side, pitch * side
    radii = [pitch / 2 * draw.uniform(0.75, 0.94) for _ in range(side ** 3)]
    shapes = [GROUND, {"kind": "box", "half_sizes_m": [width * 0.42, width * 0.42, pitch / 4]}] + [{"kind": "sphere", "radius_m": r} for r in radii]
    bodies = [fixed(0, [0, 0, 0], mu)]
    for side_of, place in ((1, 0), (-1, width)):
        bodies.append(fixed(0, [place, 0, 0], mu, ((0, 1, 0), side_of * math.pi / 2), angular_velocity_rad_s=[0, rate, 0]) | {"kind": "kinematic"})
        bodies.append(fixed(0, [0, place, 0], 0.0, ((1, 0, 0), -side_of * math.pi / 2)))
    for i, radius in enumerate(radii):
        free = pitch / 2 - radius
        place = [pitch * (0.5 + k) + draw.uniform(-free, free) for k in (i % side, i // side % side, i // side ** 2)]
        bodies.append(solid(2 + i, place, mu, 2500.0, velocity_m_s=[rate * place[2], 0, -0.3]))
    lid = [width / 2, width / 2, height + pitch / 4]
    bodies.append(solid(1, lid, mu, 2e4, velocity_m_s=[rate * height, 0, -0.3]))
    return scene(shapes, bodies, time_step_s=0.005)


def vice(count, mu, ratio=1.0, squeeze=0.002, layers=1):
    """rows of boxes between fixed walls that are nearer to each other than the row is long: no motion parts them all"""
    size, bodies = 0.1, [fixed(0, [0, 0, 0], mu)]
    length = size * count * (1 - squeeze)
    bodies += [fixed(0, [0, 0, 0], mu, ((0, 1, 0), math.pi / 2)), fixed(0, [length, 0, 0], mu, ((0, 1, 0), -math.pi / 2))]
    for layer in range(layers):
        for i in range(count):
            place = [size * (i + 0.5) * (1 - squeeze), 0, size * (layer + 0.5)]
            bodies.append(solid(1, place, mu, 1000.0 * ratio ** (i / max(count - 1, 1))))
    return scene([GROUND, {"kind": "box", "half_sizes_m": [size / 2] * 3}], bodies)


def pressed(count, mu, speed):
    """a tower between the ground and a plate that comes down"""
    told = tower(count, 1.0, mu)
    told["shapes"].append({"kind": "box", "half_sizes_m": [0.3, 0.3, 0.05]})
    told["bodies"].append({"kind": "kinematic", "shape": 2, "position_m": [0, 0, 0.2 * count + 0.05], "friction": mu, "velocity_m_s": [0, 0, -speed]})
    return told


def caged(side, mu, squeeze=0.002):
    """side^3 balls on a cubic lattice in a box with a lid that is too small for them"""
    pitch, bodies = 0.1, []
    width = pitch * side * (1 - squeeze)
    half = math.pi / 2
    for place, turn in (([0, 0, 0], None), ([0, 0, width], ((1, 0, 0), math.pi)), ([0, 0, 0], ((0, 1, 0), half)), ([width, 0, 0], ((0, 1, 0), -half)),
                        ([0, 0, 0], ((1, 0, 0), -half)), ([0, width, 0], ((1, 0, 0), half))):
        bodies.append(fixed(0, place, mu, turn))
    for i in range(side ** 3):
        place = [pitch * (0.5 + k) * (1 - squeeze) for k in (i % side, i // side % side, i // side ** 2)]
        bodies.append(solid(1, place, mu))
    return scene([GROUND, {"kind": "sphere", "radius_m": pitch / 2}], bodies)
