"""macklin-15: does a step with impulses have a solution where rigid-body dynamics with Coulomb friction has none?

A thin rod that leans, and slides on its lower end (Painleve). With the normal acceleration a = p f + b of the end, where
friction mu f opposes the slip, there is no force f >= 0 with a >= 0 and a f = 0 where p < 0 and b < 0. Such a state is
written as a scene, and solved by three methods with steps of 1e-2 to 1e-4 s. The rod does not turn at first, and b is
gravity's alone."""

import json

import numpy as np

from common import program, run, say

length, thick, mass, mu, angle, slide, gravity = 2.0, 0.02, 1.0, 2.5, 1.0, 5.0, 9.81
half = length / 2
inertia = mass * (length**2 + thick**2) / 12
axis = np.array([np.cos(angle), 0, np.sin(angle)])  # from the middle to the upper end
across = np.array([-axis[2], 0, axis[0]])
corner = -half * axis - thick / 2 * across
if -half * axis[2] + thick / 2 * across[2] < corner[2]:
    corner = -half * axis + thick / 2 * across

arm = np.array([corner[0], corner[2]])


def acceleration(force):
    """upwards, of the corner, by a force on it (x, z)"""
    torque = arm[1] * force[0] - arm[0] * force[1]  # about y
    return force[1] / mass - arm[0] * torque / inertia


best, direction = np.inf, 1
for sign in (1, -1):
    p = acceleration(np.array([-sign * mu, 1]))
    if p < best:
        best, direction = p, sign
b = -gravity
say("p", best)
say("b", b)

program("export incline --set angle=0 --at 1 --format scene -o scene.json --force")
with open("scene.json", encoding="utf-8") as file:
    scene = json.load(file)
body = next(x for x in scene["bodies"] if x["mass_kg"] > 0)
width = 0.2
scene["shapes"][body["shape"]] = {"kind": "box", "half_sizes_m": [half, width / 2, thick / 2]}
body.update({"mass_kg": mass, "position_m": [0, 0, -corner[2]], "velocity_m_s": [direction * slide, 0, 0],
             "inertia_kg_m2": [mass * (width**2 + thick**2) / 12, inertia, mass * (length**2 + width**2) / 12],
             "orientation_wxyz": [np.cos(angle / 2), 0, -np.sin(angle / 2), 0], "angular_velocity_rad_s": [0, 0, 0]})
for x in scene["bodies"]:
    x["friction"] = mu
scene["time_s"] = 0

start = 0.5 * mass * slide**2 + mass * gravity * -corner[2]
solved, gains, depths, contacts = [], [], [], []
for h in (1e-2, 1e-3, 1e-4):
    scene["time_step_s"] = h
    with open("rod.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    with run(f"rod.json --time-step {h} --steps 5 --method newton,interior-point,auto --newton-iterations 300"
             " --linear-iterations 100 --newton-tolerance 1e-8 --linear-history off --repeat 0") as record:
        for one in record["runs"].values():
            steps = one["steps"]
            solved.extend(steps["natural_map_error"][:] <= 1e-8)
            energy = steps["kinetic_energy"][:] + steps["potential_energy"][:]
            gains.append((np.max(energy) - start) / start)
            depths.append(np.max(steps["max_penetration"][:]))
            contacts.append(np.max(steps["contacts"][:]))
say("solved", np.mean(solved))
say("energy_gain", max(gains))
say("penetration", max(depths))
say("contacts", min(contacts))
