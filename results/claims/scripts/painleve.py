"""macklin-15: does a step with impulses have a solution where rigid-body dynamics with Coulomb friction has none?

A thin rod that leans, and slides on its lower end (Painleve). With the normal acceleration a = p f + b of the end, where
friction mu f opposes the slip, there is no force f >= 0 with a >= 0 and a f = 0 where p < 0 and b < 0. Such a state is
written as a scene, and solved by three methods with steps of 1e-2 to 1e-4 s. b is g of gravity less w^2 l sin(angle)."""

import json

import numpy as np

from common import run, say

length, thick, mass, mu, angle, slide, gravity = 2.0, 0.02, 1.0, 2.5, 1.0, 5.0, 9.81
half = length / 2
inertia = mass * (length**2 + thick**2) / 12
axis = np.array([np.cos(angle), 0, np.sin(angle)])  # from the middle to the upper end
across = np.array([-axis[2], 0, axis[0]])
corner = -half * axis - thick / 2 * across
if -half * axis[2] + thick / 2 * across[2] < corner[2]:
    corner = -half * axis + thick / 2 * across

# acceleration of the corner by a force (-mu, 1) f, and by gravity; the rod does not turn at first
arm = np.array([corner[0], corner[2]])


def acceleration(force):
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

turn = [np.cos(-angle / 2), 0, np.sin(-angle / 2), 0]
scene = None
errors, gains, depths, slips, solved = [], [], [], [], []
for h in (1e-2, 1e-3, 1e-4):
    from common import program

    program("export incline --set angle=0 --at 1 --format scene -o scene.json --force")
    with open("scene.json", encoding="utf-8") as file:
        scene = json.load(file)
    body = next(x for x in scene["bodies"] if x["mass_kg"] > 0)
    shape = scene["shapes"][body["shape"]]
    ground = next(x for x in scene["bodies"] if x["mass_kg"] == 0)
    shape.clear()
    shape.update({"kind": "box", "half_sizes_m": [half, 0.1, thick / 2]})
    body.update({"mass_kg": mass, "inertia_kg_m2": [mass * (0.2**2 + thick**2) / 12, inertia, mass * (length**2 + 0.2**2) / 12],
                 "position_m": [0, 0, -corner[2]], "orientation_wxyz": turn, "velocity_m_s": [direction * slide, 0, 0],
                 "angular_velocity_rad_s": [0, 0, 0], "friction": mu, "force_N": [0, 0, 0], "torque_N_m": [0, 0, 0]})
    ground["friction"] = mu
    scene["time_s"], scene["time_step_s"] = 0, h
    with open("rod.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    start = 0.5 * mass * slide**2 + mass * gravity * -corner[2]
    with run(f"rod.json --time-step {h} --steps 5 --method newton,interior-point,auto --newton-iterations 300"
             " --linear-iterations 100 --newton-tolerance 1e-8 --linear-history off --repeat 0") as record:
        for one in record["runs"].values():
            steps = one["steps"]
            solved.extend(steps["natural_map_error"][:] <= 1e-8)
            energy = steps["kinetic_energy"][:] + steps["potential_energy"][:]
            gains.append((np.max(energy) - start) / start)
            depths.append(np.max(steps["max_penetration"][:]))
            say_contacts = np.max(steps["contacts"][:])
            slips.append(say_contacts)
say("solved", np.mean(solved))
say("energy_gain", max(gains))
say("penetration", max(depths))
say("contacts", min(slips))
