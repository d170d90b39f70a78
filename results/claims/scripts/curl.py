"""macklin-54: does a uniform activation of the outer half of a soft finger curl it?

One of the gripper's fingers, whose activation grows in stages, and the ball out of its way: the angle by which its last
seventh has turned against the first one, by the best rotation of either end."""

import json

import numpy as np

from common import program, run, say


def turn(before, after):
    """the rotation between two sets of points"""
    u, _, v = np.linalg.svd((before - before.mean(0)).T @ (after - after.mean(0)))
    return (u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v).T


def curl(before, after):
    axis = np.linalg.svd(before - before.mean(0))[2][0]
    along = (before - before.mean(0)) @ axis
    ends = [along <= np.quantile(along, 0.15), along >= np.quantile(along, 0.85)]
    first, last = (turn(before[end], after[end]) for end in ends)
    return np.degrees(np.arccos(np.clip((np.trace(last @ first.T) - 1) / 2, -1, 1)))


program("export gripper --set radius=0.05 --at 1 --format scene -o gripper.json --force")
with open("gripper.json", encoding="utf-8") as file:
    scene = json.load(file)
scene.pop("motion")
before = np.array([p["position_m"] for p in scene["particles"]])
graph = np.arange(len(before))
for t in scene["tetrahedra"]:  # fingers are the connected parts
    corners = t["particles"]
    low = graph[corners].min()
    for c in corners:
        graph[graph == graph[c]] = low
for body in scene["bodies"]:
    if body["kind"] == "dynamic":
        body["position_m"][0] += 1
finger = graph == np.unique(graph)[0]  # one alone, since three meet
for step in range(1, 17):  # the strain grows in sixteen stages
    strain = 0.5 * step / 16
    for t in scene["tetrahedra"]:
        t["activation"] = [strain * bool(t["material"] == 1 and finger[t["particles"][0]])] * 3 + [0, 0, 0]
    with open("curl.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    with run("curl.json --method newton --form stiffness --linear-solver cholesky --geometric-stiffness diagonal"
             " --damping 1 --newton-tolerance 1e-5 --newton-iterations 120 --steps 6 --time-step 0.05"
             " --linear-history off --repeat 0") as record:
        after = record["runs/0000/final/particle_x"][:]
        error = record["runs/0000/steps/natural_map_error"][-1]
    for particle, x in zip(scene["particles"], after):
        particle.update({"position_m": x.tolist(), "velocity_m_s": [0, 0, 0]})
    if step in (4, 8, 16):
        name = {4: "quarter", 8: "half", 16: "whole"}[step]
        say(name, curl(before[finger], after[finger]))
        say(name + "_error", error)
