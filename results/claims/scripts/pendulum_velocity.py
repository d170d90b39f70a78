"""anitescu-13: is there one c for |v'|_M^2 <= |v|_M^2 + h^2 |k|_(M^-1)^2 + 2 h v.k + c I^2 / h^2 in all steps?

The steps of a pendulum with stabilisation 1, of four step sizes; the least c that serves a step, over the mass. k is
gravity, and the rotation of the mass has the same inertia about every axis of its plane of motion. The body's velocity
is split by the moment from the record: twice the kinetic energy is v.M.v, and v.k is m g.v of the centre of mass."""

import json

import numpy as np

from common import program, run, say

worst = []
for h in (0.01, 0.1, 0.3, 1):
    line = f"pendulum --time-step {h} --time-stepping anitescu-hart --stabilization 1"
    program(f"export {line} --at 1 --format scene -o scene.json --force")
    with open("scene.json", encoding="utf-8") as file:
        scene = json.load(file)
    moving = [i for i, body in enumerate(scene["bodies"]) if body["mass_kg"] > 0]
    mass = np.array([scene["bodies"][i]["mass_kg"] for i in moving])
    gravity = np.array(scene["gravity_m_s2"])
    with run(f"{line} --steps 500 --method psor --newton-iterations 100 --newton-tolerance 0 --store-states 1"
             " --linear-history off --repeat 0") as record:
        steps = record["runs/0000/steps"]
        energy, wrong = 2 * steps["kinetic_energy"][:], steps["infeasibility"][:]
        velocity = record["runs/0000/states/u"][:][:, moving, :3]
    velocity = velocity[len(velocity) - len(energy):]
    power = np.einsum("sbi,i,b->s", velocity, gravity, mass)
    force = np.sum(mass) * gravity @ gravity
    excess = energy[1:] - energy[:-1] - h**2 * force - 2 * h * power[:-1]
    room = (wrong[:-1] / h) ** 2
    needed = excess > 1e-9 * np.max(energy)
    worst.append(max(0, np.max(excess[needed] / room[needed], initial=0)) / np.sum(mass))
for name, c in zip(("c_10", "c_100", "c_300", "c_1000"), worst):
    say(name, c)
