"""macklin-40, -41: the volume of a bar that is pulled apart, over that at rest, as its material and Poisson's ratio have it.

The particles' places are the record's, the elements those of the exported scene; the volume is a sum of determinants."""

import json
import sys

import numpy as np

from common import program, run, say


def elements(line):
    program(f"export {line} --at 1 --format scene -o bar.json --force")
    with open("bar.json", encoding="utf-8") as file:
        scene = json.load(file)
    corners = np.array([t["particles"] for t in scene["tetrahedra"]])
    start = np.array([p["position_m"] for p in scene["particles"]])  # no more at rest
    return corners, np.sign(determinants(start, corners)), sum(t["volume_m3"] for t in scene["tetrahedra"])


def determinants(x, corners):
    return np.linalg.det(x[corners[:, 1:]] - x[corners[:, :1]])


def ratio(line):
    corners, signs, rest = elements(line)  # elements are of either orientation
    with run(f"{line} --steps 60 --newton-tolerance 1e-8 --form stiffness --linear-solver cholesky --geometric-stiffness"
             " diagonal --warm-start on --geometry updated --linear-history off --repeat 0") as record:
        x = record["runs/0000/final/particle_x"][:]
        solved = np.max(record["runs/0000/steps/natural_map_error"][-1:])
    return np.sum(signs * determinants(x, corners)) / 6 / rest, solved


material, stretches = sys.argv[1], (1.5, 2, 2.5, 3)
for nu in (0.45, 0.49):
    bar = f"bar --set duration=0.25 --set material={material} --set poisson={nu}"
    rows = [ratio(f"{bar} --set stretch={s}") for s in stretches]
    for s, row in zip(stretches, rows):
        say(f"at_{s * 10:.0f}_nu_{nu * 100:.0f}", row[0])
    if nu == 0.45:
        say("error_20_nu_45", max(row[1] for row in rows[:2]))
        say("error_nu_45", max(row[1] for row in rows))
