"""ncpbench beside the engines that people use, on the same scenes: a table of error against time.

    python3 results/studies/peers/compare.py -o results/reference/peers.tsv [--scenes stack,arch] [--engines ncpbench,mujoco] [--limit S]

Engines come from PyPI (requirements.txt) into build/peers/venv, which is made where it is missing; Siconos from Debian. Those that are not
there are named and left out. Every row has a process of its own on one processor with one thread; rows take turns, and the first turn is
judged (judge.py). A run ends after --limit seconds of steps: `seconds` says how far it came. README.md beside this file has the columns.
"""
import argparse
import math
import os
import platform
import subprocess
import sys
import tempfile
import time

from needs import need, stop

need("numpy", "h5py", later=["ensurepip"])
import numpy

import ncpbench
from engine import LARGE
from judge import judge
from scene import Scene

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
VENV = os.path.join(ROOT, "build", "peers", "venv")
THRESHOLD = 1.001 * math.tan(0.5)
BOXES = ["piling", "--set", "shape=box", "--set", "count=500"]
# scene: what it does, its seconds, and how ncpbench makes it
SCENES = {
    "stack": ("rest", 2, ["heavy-stack", "--set", "count=6"]),
    "arch": ("rest", 2, ["arch"]),
    "wall": ("rest", 1, ["wall", "--set", "width=12", "--set", "height=8"]),
    "boxes": ("rest", 1, [*BOXES, "--set", "spacing=0", "--set", "tilt=0"]),
    "falling": ("unknown", 0.5, BOXES),
    "incline": ("rest", 2, ["incline", "--set", "mu=0.8"]),
    "threshold": ("rest", 2, ["incline", "--set", f"mu={THRESHOLD!r}"]),
    "sliding": ("slide", 2, ["incline"]),
}
# Siconos's solver did not converge in these, and whether that is its fault or our driver's is not known
LEFT_OUT = {("siconos", scene) for scene in ("stack", "threshold", "sliding")}
PATIENCE = {("falling", 0.0083): 8}  # times --limit: of a pile that has not fallen nothing can be said
TIME_STEPS = [0.0083, 0.001]
MEASURES = ["drift", "sinking", "creep", "overlap", "support", "reported", "balance", "cone"]
COLUMNS = ["scene", "h", "engine", "setting", "start", "steps", "seconds", "turns", "ms", "least", "most", "unconverged", "contacts", *MEASURES]
FRAMES = 24
WARMING = 5  # steps whose times do not count
AGAIN = 1.0  # rows of fewer seconds take further turns


# ---- engines ----

def make_venv(install):
    """its Python, or None where there is none and none is to be made; ends with a line where none can be made"""
    python = os.path.join(VENV, "bin", "python")
    with open(os.path.join(HERE, "requirements.txt"), encoding="utf-8") as file:
        wanted = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    stamp = os.path.join(VENV, "installed")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read().split() == wanted:
                return python
    if not install:
        return None
    need("ensurepip")
    print(f"making {os.path.relpath(VENV)}: {', '.join(wanted)}", file=sys.stderr)
    if subprocess.run(["/usr/bin/python3", "-m", "venv", VENV], capture_output=True).returncode:
        stop(f"no virtual environment can be made in {VENV}; --no-install does without engines of PyPI")
    for package in wanted:  # one by one: one that has no wheel here costs the others nothing
        done = subprocess.run([python, "-m", "pip", "install", "-q", package], capture_output=True, text=True)
        if done.returncode:
            print(f"left out: {package}: {(done.stderr.strip().splitlines() or ['pip failed'])[-1]}", file=sys.stderr)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write("\n".join(wanted))
    return python


def find_engines(wanted, install):
    """name -> (version, settings, python)"""
    engines = {"ncpbench": (ncpbench.version(), list(ncpbench.SETTINGS), None)}
    for python in ([make_venv(install)] if set(wanted) & {"mujoco", "bullet", "drake", "dart"} else []) + ["/usr/bin/python3"]:
        if python:
            listed = subprocess.run([python, os.path.join(HERE, "engine.py"), "versions"], capture_output=True, text=True, check=True).stdout
            for line in listed.splitlines():
                name, *words = line.split("\t")
                if words:
                    engines.setdefault(name, (words[0], words[1:], python))
    for name in wanted:
        if name not in engines:
            print(f"left out: {name} is not there", file=sys.stderr)
    return {name: engines[name] for name in wanted if name in engines}


# ---- a run ----

def alone():
    """one processor and one thread, for whatever a library would like to take"""
    processor = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {processor})
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"


def simulate(name, python, setting, scene, path, h, limit, folder):
    steps = round(SCENES[scene][1] / h)
    every = max(1, steps // FRAMES)
    if name == "ncpbench":
        return ncpbench.run(SCENES[scene][2], h, steps, every, limit, ncpbench.SETTINGS[setting], folder)
    out = os.path.join(folder, "out.npz")
    done = subprocess.run([python, os.path.join(HERE, "engine.py"), name, setting, path, repr(h), str(steps), str(every), repr(limit), out],
                          capture_output=True, text=True, timeout=30 + 10 * limit)
    if done.returncode == LARGE:
        return None
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
    with numpy.load(out) as found:
        return dict(found)


def mean_ms(result):
    times = result["seconds"]
    return 1e3 * times[min(WARMING, len(times) - 1):].mean()


def compare(scene, h, engines, limit, rounds, folder):
    path, limit = os.path.join(folder, f"{scene}.json"), limit * PATIENCE.get((scene, h), 1)
    ncpbench.export(SCENES[scene][2], path)
    loaded, rows, runs = Scene(path), {}, [
        (n, s) for n, (_, settings, _) in engines.items() for s in settings if (n, scene) not in LEFT_OUT]
    for turn in range(rounds):
        for name, setting in runs:
            row = rows.get((name, setting))
            if turn and (row is None or row["took"] > AGAIN):
                continue
            try:
                result = simulate(name, engines[name][2], setting, scene, path, h, limit, folder)
            except (RuntimeError, subprocess.TimeoutExpired) as fault:
                print(f"{scene}, h = {h:g}: {name}, {setting}: {fault}", file=sys.stderr)
                continue
            if result is None:
                continue
            if turn == 0:
                row = rows[name, setting] = {
                    "scene": scene, "h": h, "engine": name, "setting": setting.removesuffix(", cold"),
                    "start": "cold" if setting.endswith(", cold") else "warm", "steps": len(result["seconds"]),
                    "seconds": len(result["seconds"]) * h, "times": [], "took": float(result["seconds"].sum()),
                    "unconverged": result.get("unconverged"), "contacts": len(result["contacts"]) if "contacts" in result else None,
                    **judge(loaded, SCENES[scene][0], h, result)}
            row["times"].append(mean_ms(result))
    for row in rows.values():
        row.update(turns=len(row["times"]), ms=numpy.median(row["times"]), least=min(row["times"]), most=max(row["times"]))
    return list(rows.values())


# ---- the table ----

def cell(value):
    if value is None or value == "":
        return "-"
    return value if isinstance(value, str) else f"{float(value):.4g}"


def provenance(engines, options):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    yield f"# processor\t{model}, {os.cpu_count()} of them; one thread"
    yield f"# made\t{time.strftime('%Y-%m-%d')}, ncpbench {commit or 'of no repository'}, at most {options.limit:g} s of steps a row, {options.rounds} turns"
    for name, (version, _, _) in engines.items():
        yield f"# engine\t{name} {version}"
    if options.remark:
        yield f"# remark\t{options.remark}"


def write(path, engines, options, rows):
    with open(path, "w", encoding="utf-8") as file:
        for line in provenance(engines, options):
            print(line, file=file)
        print(*COLUMNS, sep="\t", file=file)
        for row in rows:
            print(*(cell(row.get(name)) for name in COLUMNS), sep="\t", file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--engines", default="ncpbench,mujoco,bullet,drake,dart,siconos")
    parser.add_argument("--settings", metavar="A;B", help="take these settings alone, of whatever engine")
    parser.add_argument("--time-steps", default=",".join(map(repr, TIME_STEPS)))
    parser.add_argument("--limit", type=float, default=1, help="seconds of steps a row [1]")
    parser.add_argument("--rounds", type=int, default=2, help="turns of a row that is quick [2]")
    parser.add_argument("--no-install", action="store_true", help="take the engines that are there")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--remark", help="a line for the head of the table")
    options = parser.parse_args()
    unknown = [name for name in options.scenes.split(",") if name not in SCENES]
    if unknown:
        parser.error(f"no scene {unknown[0]} (known: {', '.join(SCENES)})")
    if not os.access(ncpbench.PROGRAM, os.X_OK):
        stop(f"{os.path.normpath(ncpbench.PROGRAM)} is not built: bash results/reproduce.sh --quick")
    alone()
    engines, rows = find_engines(options.engines.split(","), not options.no_install), []
    if options.settings:
        wanted = options.settings.split(";")
        engines = {name: (version, [s for s in settings if s in wanted], python) for name, (version, settings, python) in engines.items()}
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        for scene in options.scenes.split(","):
            for h in map(float, options.time_steps.split(",")):
                begun = time.time()
                rows += compare(scene, h, engines, options.limit, options.rounds, folder)
                write(options.output, engines, options, rows)
                print(f"{scene}, h = {h:g} s: {len(engines)} engines, {time.time() - begun:.0f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
