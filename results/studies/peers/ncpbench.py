"""ncpbench itself, as an engine among the others: what its record says of a run."""
import os
import subprocess

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("NCPBENCH", os.path.join(HERE, "../../../build/release/ncpbench"))

# to 1e-8 m/s; but for the first row, what the program does by itself (the scenario's iterations, no tolerance, cold), and for the last two
TOLERANCE = ["--newton-tolerance", "1e-8"]
NEWTON = [*TOLERANCE, "--newton-iterations", "200", "--linear-iterations", "200"]
SETTINGS = {
    "default, cold": [],
    "newton": [*NEWTON, "--warm-start", "on"],
    "newton, cold": NEWTON,
    "interior-point": ["--method", "interior-point", *TOLERANCE, "--warm-start", "on"],
    "interior-point, cold": ["--method", "interior-point", *TOLERANCE],
    "auto": ["--method", "auto", *TOLERANCE],
    "auto to 1e-4 m/s, not verified": ["--method", "auto", "--newton-tolerance", "1e-4"],
    "auto to 1e-4 m/s": ["--method", "auto", "--newton-tolerance", "1e-4", "--verify-contacts", "1e-4"],
}


def version():
    words = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return words[1] if len(words) > 1 else words[0]


def export(scene, path):
    subprocess.run([PROGRAM, "export", *scene, "--at", "0", "--format", "scene", "-o", path, "--force"], check=True)


def run(scene, h, steps, every, limit, setting, folder):
    """As many of the steps as take about `limit` seconds, found by doubling. The last step is that of the forces."""
    path, result, count = os.path.join(folder, "ncpbench.h5"), None, max(4, steps // 32)
    while True:
        command = [PROGRAM, "run", *scene, *setting, "--time-step", repr(h), "--steps", str(count + 1), "--store-states", str(min(every, max(1, count // 4))),
                   "--repeat", "0", "--linear-history", "off", "--threads", "1", "-o", path, "--force"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60 if result is None else 8 * limit + 1)
        except subprocess.TimeoutExpired:
            if result is None:
                raise
            return result  # its steps became far slower than they were
        if done.returncode not in (0, 1, 2):  # 1 and 2: a step did not converge, a check of the scene failed
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
        with h5py.File(path) as record:
            result = read(record["runs/0000"], h)
        if count == steps or result["seconds"].sum() > limit:
            return result
        count = min(steps, 2 * count)


def read(run, h):
    states, final, step = run["states"], run["final"], run["steps"]
    n = final["lambda_normal"][:]
    normal, tangent, pull = final["contact_normal"][:], final["contact_tangent"][:], final["lambda_friction"][:]
    force = n[:, None] * normal + pull[:, :1] * tangent[:, 0] + pull[:, 1:] * tangent[:, 1]
    last = numpy.array([[len(step["step_s"]) * h]])
    legend = dict(pair.split("=") for pair in text(step["reason"].attrs["legend"]).split() if "=" in pair)
    reasons = [legend.get(str(int(r)), str(r)) for r in step["reason"][:-1]]
    return {"time": numpy.append(states["time"][:], last), "q": numpy.concatenate([states["q"][:], final["q"][:][None]]),
            "u": numpy.concatenate([states["u"][:], final["u"][:][None]]), "seconds": step["step_s"][:-1],
            "before": final["u_before"][:], "after": final["u"][:],
            "contacts": numpy.hstack([final["contact_bodies"][:], force, normal]),
            "unconverged": sum(reason != "converged" for reason in reasons)}


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)
