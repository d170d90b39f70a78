"""lecleach-33: does a block that spins on the ground slow down where a pair of bodies has one contact point?

The block of `incline` lies flat, and spins about its vertical axis. Of four corners at the distance r of the axis, friction
takes mu g r / (k^2) h off its rate in each step, k^2 = L^2/6 of a square block. One point under the centre of mass has no
arm. What is left of the rate after half the time in which corners stop it, and at the end of twice that time."""

import json
import math

from common import program, run, say

MU, LENGTH, RATE, H, G = 0.3, 1.0, 4.0, 0.0083, 9.81
slowing = MU * G * LENGTH / math.sqrt(2) / (LENGTH**2 / 6)  # [rad/s^2]
steps = round(RATE / slowing / 2 / H)

program(f"export incline --set angle=0 --set mu={MU} --set length={LENGTH} --format scene --at 0 -o flat.json")
with open("flat.json") as file:
    scene = json.load(file)
scene["bodies"][1]["angular_velocity_rad_s"] = [0, 0, RATE]
with open("spin.json", "w") as file:
    json.dump(scene, file)


def left(method, steps):
    with run(f"spin.json --time-step {H} --steps {steps} --method {method} --linear-history off --repeat 0") as record:
        return record["runs/0000/final/u"][1, 5] / RATE


for name, method in ("one_point", "single-level"), ("corners", "interior-point --newton-tolerance 1e-8"):
    say(f"{name}_half", left(method, steps))
    say(name, left(method, 4 * steps))
say("by_formula_half", 1 - slowing * steps * H / RATE)
