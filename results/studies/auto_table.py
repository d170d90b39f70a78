"""The method auto beside each single method, on every scene at rest, at the slip threshold and in motion: the table of results/tables/auto.md.

    NCPBENCH=build/release/ncpbench python3 results/studies/auto_table.py [--rounds N] [--scenes arch,wall] [--steps N]

Each scene settles for 30 steps (300 between walls) and goes on for --steps steps to 1e-8 m/s, by newton and interior-point from zero and from the
step before, and by auto. The methods take turns in each of the rounds. A cell has the steps that came there (none: all), iterations
a step, and milliseconds a step, detection left out: the least of the rounds, which other work on the machine touches least. The best
single method is the fastest of those with most steps solved; the last column is auto's time over its."""
import argparse
import math
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

PROGRAM = os.path.abspath(os.environ.get("NCPBENCH", "build/ncpbench"))
TOLERANCE = 1e-8
THRESHOLD = 1.001 * math.tan(0.5)
# scene: how it is made, and whether it falls
SCENES = {
    "arch": (["arch"], False),
    "heavy-stack": (["heavy-stack"], False),
    "beam": (["beam"], False),
    "wall": (["wall"], False),
    "wall, 12 x 8": (["wall", "--set", "width=12", "--set", "height=8"], False),
    "incline, at rest": (["incline", "--set", "angle=0.25"], False),
    "incline, at the threshold": (["incline", "--set", f"mu={THRESHOLD!r}"], False),
    "incline, sliding": (["incline"], False),
    "boxes, 500, at rest": (["piling", "--set", "shape=box", "--set", "count=500", "--set", "spacing=0", "--set", "tilt=0"], False),
    "boxes between walls": (["piling", "--set", "shape=box", "--set", "walls=1", "--settle", "300"], False),
    "tables between walls": (["piling", "--set", "shape=table", "--set", "walls=1", "--settle", "300"], False),
    "spheres between walls": (["piling", "--set", "shape=sphere", "--set", "walls=1", "--settle", "300"], False),
    "tables, falling": (["piling", "--set", "shape=table"], True),
    "boxes, falling": (["piling", "--set", "shape=box"], True),
    "spheres, falling": (["piling", "--set", "shape=sphere"], True),
}
NEWTON = ["--method", "newton", "--newton-iterations", "100", "--linear-iterations", "100"]
SINGLE = {
    "newton": [*NEWTON, "--warm-start", "off"],
    "newton, warm": [*NEWTON, "--warm-start", "on"],
    "interior-point": ["--method", "interior-point", "--warm-start", "off"],
    "interior-point, warm": ["--method", "interior-point", "--warm-start", "on"],
}
METHODS = {**SINGLE, "auto": ["--method", "auto"]}
LIMIT = 300  # seconds of a run


def run(scene, steps, h, way, folder):
    """(steps solved, iterations a step, ms a step); None where it took too long"""
    arguments, falls = SCENES[scene]
    settle = [] if "--settle" in arguments else ["--settle", "30"]
    path = os.path.join(folder, "a.h5")
    command = [PROGRAM, "run", *arguments, *settle, *way, "--steps", str(max(1, steps // 6) if falls else steps), "--newton-tolerance",
               str(TOLERANCE), "--linear-history", "off", "--repeat", "0", "-o", path]
    if h:
        command += ["--time-step", str(h)]
    if os.path.exists(path):
        os.remove(path)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    with h5py.File(path, "r") as record:
        made = record["runs"][sorted(record["runs"])[0]]["steps"]
        seconds = sum(numpy.array(made[name]) for name in ("assembly_s", "setup_s", "solve_s"))
        solved = (numpy.array(made["natural_map_error"]) <= TOLERANCE).sum()
        return int(solved), len(seconds), float(numpy.mean(made["newton_iterations"])), 1e3 * float(seconds.mean())


def compare(scene, h, options, folder):
    rounds = [{name: run(scene, options.steps, h, way, folder) for name, way in METHODS.items()} for _ in range(options.rounds)]
    rounds = [one for one in rounds if one["auto"]]
    cells, best = [], None
    for name in METHODS:
        found = [one[name] for one in rounds if one[name]]
        if not found:
            cells.append("–")
            continue
        solved, steps, iterations, _ = found[0]
        ms = min(one[3] for one in found)
        cells.append((f"{solved}/{steps}: " if solved < steps else "") + f"{iterations:.3g}, {ms:.2g}")
        if name != "auto" and (best is None or (-solved, ms) < best):
            best = (-solved, ms)
    if best is None or not rounds:
        return cells, math.nan
    return cells, min(one["auto"][3] for one in rounds) / best[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--scenes", default=",".join(name.replace(",", "") for name in SCENES))
    options = parser.parse_args()
    wanted = options.scenes.split(",")
    print("| scene, h [ms] | " + " | ".join(METHODS) + " | auto over the best |")
    print("|" + "---|" * (len(METHODS) + 2))
    with tempfile.TemporaryDirectory(prefix="auto-table-") as folder:
        for h in (None, 1e-3):
            for scene in SCENES:
                if scene.replace(",", "") not in wanted:
                    continue
                cells, ratio = compare(scene, h, options, folder)
                print(f"| {scene}, {1e3 * h if h else 8.3:g} | " + " | ".join(cells) + f" | {ratio:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
