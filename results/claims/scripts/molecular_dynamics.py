"""anitescu-21: a shaken box of disks by molecular dynamics, and by the scheme with steps of 0.1 s.

The program's scene brazil-nut, small: 13 disks of 1 m and one of twice that in a box, friction and restitution 0.5, four
shakes. Molecular dynamics is a spring and a dashpot per contact, friction that is viscous up to Coulomb's limit, and the
leapfrog method. The spring is such that a disk at twice the speed of the box (10 m/s) overlaps by a hundredth of its
radius. Its step is that largest of T/10, T/5, T/2.5 ... (T: the time of a contact) at which heights and kinetic energies
over the last two shakes are within 25 % of those at T/10, and overlaps below three times those planned. Then

step       that step [s], at a hundredth; it falls with the overlap, as the root of stiffness
height_md, height_scheme     of the center of mass over the floor's mean [m]
energy_md, energy_scheme     kinetic [J]
sunk       the scheme's deepest penetration, the mean over the steps [m]"""
import sys

import numpy as np

from common import run, say

STEP, SHAKES, PERIOD, AMPLITUDE, HALF, RATIO, COUNT, G = float(sys.argv[1]), 4, 1.25, 1.0, 4.0, 2.0, 14, 9.81
MU, ZETA = 0.5, np.log(2) / np.hypot(np.pi, np.log(2))  # of restitution 0.5
OVERLAP, SPEED = 0.01, 4 * np.pi * AMPLITUDE / PERIOD
STIFF = 0.5 * (SPEED / OVERLAP) ** 2  # two disks of 1 kg
CONTACT = np.pi / np.sqrt(STIFF / 0.5 * (1 - ZETA ** 2))


def placed(random):
    """as scenarios/brazil_nut.c has them: x, z, radius"""
    room, found, row = 1.02, [(0, RATIO, RATIO)], 0
    across = int(HALF / room - 0.5)
    while True:
        for i in range(across):
            x, z = room * (2 * i - across + 1 + (0.5 if row % 2 else -0.5)), room * (1 + np.sqrt(3) * row)
            if np.hypot(x, z - RATIO) >= RATIO + room:
                found.append((x, z, 1 - random.uniform(0, 0.05)))
                if len(found) == COUNT:
                    return found
        row += 1


def dynamics(h, copies=4):
    """mean height and kinetic energy of the last two shakes, and the largest overlap of disks"""
    random = np.random.default_rng(1)
    x, z, r = np.array([placed(random) for _ in range(copies)]).transpose(2, 0, 1)
    m, (i, j) = r * r, np.triu_indices(COUNT, 1)
    q, v, spin = np.stack([x, z]), np.zeros((2, copies, COUNT)), np.zeros((copies, COUNT))
    sides = np.zeros((len(i), COUNT))
    sides[np.arange(len(i)), i], sides[np.arange(len(i)), j] = -1, 1
    arms, both = -abs(sides), m[:, i] * m[:, j] / (m[:, i] + m[:, j])
    damp, damp_wall = 2 * ZETA * np.sqrt(STIFF * both), 2 * ZETA * np.sqrt(STIFF * m)
    normals = ((0, 1), (1, 0), (-1, 0))
    heights, energies, deepest, steps = [], [], 0, round(SHAKES * PERIOD / h)

    def forces(depth, speed, slip, damp):
        n = np.maximum(STIFF * depth - damp * speed, 0) * (depth > 0)
        return n, np.clip(-damp * slip, -MU * n, MU * n)

    for k in range(steps):
        t = k * h
        f, turn = np.zeros_like(v), 0
        f[1] -= m * G
        d = q[:, :, j] - q[:, :, i]
        length = np.sqrt((d * d).sum(axis=0))
        depth = r[:, i] + r[:, j] - length
        n = d / length
        w = v[:, :, j] - v[:, :, i]
        slip = n[0] * w[1] - n[1] * w[0] - spin[:, i] * r[:, i] - spin[:, j] * r[:, j]  # along (-n1, n0)
        push, rub = forces(depth, (w * n).sum(axis=0), slip, damp)
        f += np.stack([n[0] * push - n[1] * rub, n[1] * push + n[0] * rub]) @ sides
        turn = (rub * r[:, i]) @ (sides < 0) * -1 + (rub * r[:, j]) @ (sides > 0) * -1
        floor, up = AMPLITUDE * np.sin(2 * np.pi * t / PERIOD), 2 * np.pi * AMPLITUDE / PERIOD * np.cos(2 * np.pi * t / PERIOD)
        for nx, nz in normals:
            depth_wall = r - ((q[1] - floor) if nz else HALF + nx * q[0])
            wx, wz = v[0], v[1] - up
            slip = nx * wz - nz * wx - spin * r
            push, rub = forces(depth_wall, nx * wx + nz * wz, slip, damp_wall)
            f[0] += nx * push - nz * rub
            f[1] += nz * push + nx * rub
            turn = turn - rub * r
        v = v + h * f / m
        spin = spin + h * turn / (m * r * r / 2)
        q = q + h * v
        if 2 * k >= steps:
            deepest = max(deepest, depth.max())
            if k % 10 == 0:
                heights.append((m * q[1]).sum(axis=1) / m.sum(axis=1))
                energies.append((m * (v * v).sum(axis=0) / 2 + m * r * r * spin ** 2 / 4).sum(axis=1))
        if not np.isfinite(q).all() or abs(q).max() > 1e3:
            return np.array([np.inf] * 3)
    return np.array([np.mean(heights), np.mean(energies), deepest])


shares, step, first = (10, 5, 2.5, 1.25), 0, None
for share in shares:
    found = dynamics(CONTACT / share)
    print(f"# T/{share}: height, energy, overlap {found}")
    first = found if first is None else first
    if not (abs(found[:2] / first[:2] - 1) <= 0.25).all() or found[2] > 3 * OVERLAP:
        break
    step = CONTACT / share
scheme = []
for seed in (1, 2, 3):
    record = run(f"brazil-nut --set count={COUNT} --set ratio={RATIO} --set width={HALF} --set amplitude={AMPLITUDE} --time-step {STEP} --steps "
                 f"{round(SHAKES * PERIOD / STEP)} --time-stepping anitescu-hart --restitution 0.5 --friction-law relaxed --method interior-point "
                 f"--newton-tolerance 1e-6 --linear-history off --seed {seed} --repeat 0")
    steps = record["runs/0000/steps"]
    late = slice(len(steps["time"]) // 2, None)
    mass = sum(r * r for _, _, r in placed(np.random.default_rng(seed)))
    scheme.append([steps["potential_energy"][late].mean() / mass / G, steps["kinetic_energy"][late].mean(), steps["max_penetration"][late].mean()])
    record.close()
for name, md, own in zip(("height", "energy"), first, np.mean(scheme, axis=0)):
    say(name + "_md", md)
    say(name + "_scheme", own)
say("step", step)
say("overlap", first[2])
say("sunk", np.mean(scheme, axis=0)[2])
print("# seeds 1, 2 and 3")
