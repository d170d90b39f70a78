"""Models of robots, converted by analysis/python and run, beside MuJoCo: first accelerations, and residuals of 20 steps.

    python3 results/studies/robots.py [-o robots.tsv] [--page analysis/python/README.md] NAME=FOLDER_OR_FILE...

A NAME stands for all models below its folder that MuJoCo reads. Accelerations are those of all bodies in one step, at rest and in a random pose and
velocity: without contacts in a step of 1e-5 s, and with contacts at rest in a step of 1e-4 s. MuJoCo's constraints are made rigid for this. With --page the
table of the page is renewed. NCPBENCH names the program [build/release/ncpbench]."""
import argparse
import collections
import contextlib
import copy
import io
import json
import os
import re
import subprocess
import sys
import tempfile

import h5py
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "analysis", "python"))
from ncpbench import geometry, scene  # noqa: E402

mujoco = scene.mujoco
PROGRAM = os.environ.get("NCPBENCH", os.path.join(ROOT, "build", "release", "ncpbench"))
TOUCH = 1e-13              # [m]
AGREED = 0.02              # of the largest acceleration
SOLVED = 1e-8              # [m/s]
FLOORS = 1.0, 5.0          # accelerations below which they are told from 0 [m/s^2, rad/s^2]
TESTS = {"rest": (1e-5, False, False), "random": (1e-5, True, False), "contact": (1e-4, False, True)}  # time step, random state, contacts
MARKED = re.compile(r"(<!-- models -->\n).*?(<!-- end of models -->\n)", re.S)


def rigid(model, h):
    """the same model with constraints that hold at the end of a step"""
    model = copy.copy(model)
    for name in ("geom_sol", "pair_sol", "jnt_sol", "eq_sol", "dof_sol"):
        getattr(model, name + "ref")[:] = -1 / h**2, -1 / h
        getattr(model, name + "imp")[:, :2] = 0.9999
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.solver, model.opt.cone, model.opt.iterations, model.opt.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtCone.mjCONE_ELLIPTIC, 1000, 0
    model.opt.noslip_iterations = 0
    model.geom_margin += TOUCH / 2  # in MuJoCo a gap of 0 is no contact
    model.jnt_margin += TOUCH
    model.pair_margin += TOUCH
    model.opt.o_margin += TOUCH
    model.opt.o_solref, model.opt.o_solimp[:2] = [-1 / h**2, -1 / h], 0.9999
    return model


def disable(model, *flags):
    for flag in flags:
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, "mjDSBL_" + flag))


def place_at_random(model, data, seed):
    random = numpy.random.default_rng(seed)
    way, pose = random.normal(size=model.nv) * 0.3, data.qpos.copy()
    mujoco.mj_integratePos(model, pose, way, 1)
    data.qpos[:], data.qvel[:] = pose, random.normal(size=model.nv)
    mujoco.mj_forward(model, data)


def run(made, folder, *words):
    """natural maps of the steps, and velocities [states, bodies, 6] of what is stored and of the end"""
    file, record = os.path.join(folder, "scene.json"), os.path.join(folder, "run.h5")
    scene.write(made, file, force=True)
    end = subprocess.run([PROGRAM, "run", file, "--repeat", "0", "-o", record, "--force", "--linear-history", "off", *words], capture_output=True, text=True, timeout=600, check=False)
    if end.returncode not in (0, 1):
        raise ValueError(f"run: {end.stderr.strip().splitlines()[-1:]}")
    with h5py.File(record) as read:
        own = read["runs/0000"]
        return own["steps/natural_map_error"][()], own["states/u"][()] if "states" in own else own["final/u"][()][None]


def ways(converter, data, h, steps):
    """of each group of bodies that moves: velocities [steps, 6] that take its center of mass and its turn through MuJoCo's steps"""
    model, places = converter.model, []
    converter.data = data
    roots = [root for root, place in converter.place.items() if converter.scene["bodies"][place]["kind"] == "dynamic"]
    other = rigid(model, h)
    for _ in range(steps + 1):
        mujoco.mj_forward(other, data)
        places.append([(geometry.principal([(float(model.body_mass[b]), converter.mass_frame(b), model.body_inertia[b]) for b in converter.groups[root] if model.body_mass[b] > scene.LEAST])[1].position.copy(),
                        data.xquat[root].copy()) for root in roots])
        mujoco.mj_step(other, data)
    found = numpy.zeros((len(roots), steps, 6))
    for g, step in numpy.ndindex(len(roots), steps):
        (x, q), (y, r) = places[step][g], places[step + 1][g]
        found[g, step, :3] = (y - x) / h
        mujoco.mju_quat2Vel(found[g, step, 3:], geometry.product(r, geometry.conjugate(q)), h)
    return roots, found


def widen(model, data):
    """limits, so that joints are within them: one step would take them back"""
    for j in range(model.njnt):
        if model.jnt_limited[j] and model.jnt_type[j] != mujoco.mjtJoint.mjJNT_BALL:
            q, margin = data.qpos[model.jnt_qposadr[j]], model.jnt_margin[j]
            model.jnt_range[j] = min(model.jnt_range[j, 0], q - margin), max(model.jnt_range[j, 1], q + margin)


def accelerations(path, test, seed=1, key=None, exact=False):
    """(bodies, [ours, MuJoCo's], 6), and what the converter names. From rest it is that of the first step; else that between the first two, as velocities
    of backward Euler are those of the way through a step."""
    h, at_random, contacts = TESTS[test]
    model, notes = scene.load(path)
    if not contacts:
        disable(model, "CONTACT")
    if at_random:
        disable(model, "EQUALITY", "LIMIT")
    model.opt.timestep = h
    data = scene.start(model, key)
    widen(model, data)
    if at_random:
        place_at_random(model, data, seed)
    converter = scene.Converter(model, data, notes, exact)
    made, steps = converter.convert(), 2 if data.qvel.any() else 1
    made["settings"] = {"friction-law": "relaxed"}  # as MuJoCo's
    with tempfile.TemporaryDirectory() as folder:
        _, u = run(made, folder, "--steps", str(steps), "--store-states", "1", *(() if exact else ("--method", "auto", "--newton-tolerance", "1e-11")))
    other = mujoco.MjData(model)
    for name in ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "eq_active"):
        getattr(other, name)[:] = getattr(data, name)
    roots, known = ways(converter, other, h, steps)
    ours = u[-steps:, [converter.place[root] for root in roots]].swapaxes(0, 1)
    found = numpy.stack([ours, known], axis=1)
    return (found[:, :, 1] - found[:, :, 0] if steps == 2 else found[:, :, 0]) / h, notes.lines()


def error(found):
    """the largest difference of linear and of angular accelerations over the largest ones"""
    ours, known = found[:, 0].reshape(-1, 2, 3), found[:, 1].reshape(-1, 2, 3)
    of = numpy.linalg.norm(ours - known, axis=2).max(axis=0, initial=0)
    return float((of / numpy.maximum(numpy.linalg.norm(known, axis=2).max(axis=0, initial=0), FLOORS)).max())


def measure(path, steps=20):
    """one row of the table"""
    row = {"refused": "", "named": []}
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            converter = scene.converted(path)
    except (OSError, ValueError) as fault:
        return {**row, "refused": scene.one_line(fault)}
    row["named"] = [line for line in converter.notes.lines() if line.startswith("left out")]
    with tempfile.TemporaryDirectory() as folder:
        try:
            residuals, _ = run(converter.scene, folder, "--steps", str(steps), "--method", "auto", "--newton-tolerance", str(SOLVED))
            row["residual"] = float(residuals.max(initial=0))
        except (ValueError, subprocess.TimeoutExpired) as fault:
            row["residual"], row["fault"] = numpy.inf, str(fault)
    row["joints"] = scene.errors(converter)["ends of joints [m]"]
    for test in TESTS:
        try:
            found, _ = accelerations(path, test)
            row[test] = error(found)
        except (ValueError, subprocess.TimeoutExpired) as fault:
            row[test], row["fault"] = numpy.inf, str(fault)
    return row


def models_of(place):
    """files below a folder that are whole models of MuJoCo's; parts that others include are not"""
    if os.path.isfile(place):
        return [place]
    found = []
    for folder, _, names in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".urdf"):
                found.append(path)
            elif name.endswith(".xml"):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
                if "<mujoco" in text and "<worldbody" in text:
                    found.append(path)
    return sorted(found)


def summary(name, rows):
    """a line of the page"""
    taken = [row for row in rows if not row["refused"]]
    def agreed(test):
        return sum(row[test] <= AGREED for row in taken), sum(row[test] > AGREED and bool(row["named"]) for row in taken)
    cells = [" + ".join(map(str, agreed(test))) for test in TESTS]
    return f"| {name} | {len(rows)} | {len(rows) - len(taken)} | {' | '.join(cells)} | {sum(row['residual'] <= SOLVED for row in taken)} | {max((row['joints'] for row in taken), default=0):.1e} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="NAME=PLACE")
    parser.add_argument("-o", "--output", help="a table with a line for each model")
    parser.add_argument("--page", help="the page whose table is renewed")
    words = parser.parse_args()
    groups, lines = collections.OrderedDict(), []
    for word in words.models:
        name, place = word.split("=", 1)
        for path in models_of(place):
            row = measure(path)
            groups.setdefault(name, []).append(row)
            lines.append("\t".join([name, os.path.relpath(path, place if os.path.isdir(place) else os.path.dirname(place)), *(f"{row.get(test, numpy.nan):.2g}" for test in ("residual", "joints", *TESTS)),
                                    row["refused"] or row.get("fault", ""), "; ".join(row["named"])]))
            print(lines[-1], flush=True)
    table = [summary(name, rows) for name, rows in groups.items()]
    if words.output:
        with open(words.output, "w", encoding="utf-8") as file:
            file.write("\n".join(["\t".join(["package", "model", "residual", "joints", *TESTS, "refused", "left out"]), *lines]) + "\n")
    if words.page:
        with open(words.page, encoding="utf-8") as file:
            text = file.read()
        head = "| package | models | refused | at rest | random | contacts | converged | joint error, m |\n|---|---|---|---|---|---|---|---|\n"
        with open(words.page, "w", encoding="utf-8") as file:
            file.write(MARKED.sub(lambda found: found[1] + head + "\n".join(table) + "\n" + found[2], text))
    print("\n".join(table))


if __name__ == "__main__":
    main()
