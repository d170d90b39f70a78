#!/usr/bin/env python3
"""The table of methods over the small standard set: shares solved to three tolerances by class, and failures by name.

    python3 results/tables/standard.py -o results/tables/standard.md [--limit S] [--plugin SICONOS.so] [--keep FILE.tsv] [--note TEXT]

Each method solves each problem to 1e-4, then to 1e-8, then to 1e-12 ||q||, S seconds of processor time each [4]; after a failure no finer tolerance is tried. What is
solved is said by the natural map that the harness measures. Of an infeasible problem a solver solves nothing: what it says is listed. --plugin is
tests/plugins/siconos.c, compiled: Siconos's solvers. --keep holds what was run: an interrupted table goes on. NCPBENCH names the program.
"""
import argparse
import datetime
import gzip
import hashlib
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile

import h5py

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "analysis", "python"))
from ncpbench import files  # noqa: E402
HOME = os.path.join(ROOT, "scenarios", "standard")
PROGRAM = os.path.abspath(os.environ.get("NCPBENCH", os.path.join(ROOT, "build", "release", "ncpbench")))
TOLERANCES = ["1e-4", "1e-8", "1e-12"]
CHOLESKY = ["--linear-solver", "cholesky", "--finish", "exact"]
METHODS = {"auto": [], "interior-point": [], "newton": CHOLESKY, "apgd": [], "apgd-followed": ["--coupling", "followed"], "psor": [], "pssor": [],
           "nsgs": [], "admm": [], **{f"admm-{preset}": ["--preset", preset] for preset in ("kamino", "pinocchio", "siconos-scaled")}, "fbf": []}
SICONOS = ["siconos-nsn-ac", "siconos-nsgs", "siconos-prox", "siconos-admm"]
PATIENCE = 20  # seconds that a second of processor time may take
QUIET = ["--newton-iterations", "1000000", "--repeat", "0", "--linear-history", "off", "--force", "-o"]


def table():
    with open(os.path.join(HOME, "standard.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    return [row for row in rows if row["set"] == "small"]


def solve(folder, problem, method, tolerance, options):
    """(whether it is solved, why not)"""
    words = METHODS.get(method, [])
    if method.startswith("siconos"):
        words = ["--plugin", os.path.abspath(options.plugin)]
    record = os.path.join(folder, "solved.h5")
    if os.path.exists(record):
        os.remove(record)  # a solver that refuses the problem leaves the last one's
    def limit_time():
        seconds = math.ceil(options.limit)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

    name = method.split("-")[0] if method.startswith(("apgd-", "admm-")) else method
    command = [PROGRAM, "solve", problem, "--method", name, *words, "--relative-tolerance", tolerance, *QUIET, "solved.h5"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE * options.limit, preexec_fn=limit_time,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    except subprocess.TimeoutExpired:
        return False, "time"
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) or "solve crashes (CPU time" in done.stderr:  # plugins solve in a process of their own
        return False, "time"
    if done.returncode < 0:
        return False, "crash"
    if done.returncode not in (0, 1) or not os.path.exists(record):
        return False, "refused" if "joint" in done.stderr or "bilateral" in done.stderr else "failed"
    with h5py.File(record) as file:
        steps = file["runs/0000/steps"]
        legend = steps["reason"].attrs["legend"]
        reasons = dict(part.split("=") for part in (legend.decode() if isinstance(legend, bytes) else str(legend)).split())
        reason = reasons.get(str(int(steps["reason"][-1])), "stopped")
        return bool(steps["natural_map_relative"][-1] <= float(tolerance)), reason


def made_by(options):
    """the line that a file of --keep begins with: by which program, limit and plugin its rows were found"""
    info = subprocess.run([PROGRAM, "info"], capture_output=True, text=True, check=True).stdout.splitlines()
    words = [line.split(maxsplit=1)[1] for line in info if line.startswith(("ncpbench ", "commit "))]
    if options.plugin:
        with open(options.plugin, "rb") as file:
            words.append("plugin " + hashlib.sha256(file.read()).hexdigest())
    return f"# {', '.join(words)}, {options.limit:g} s"


def kept(options):
    """the rows of the file of --keep, which is begun where it is not there"""
    if not os.path.exists(options.keep):
        files.put(options.keep, made_by(options) + "\n")
    with open(options.keep, encoding="utf-8") as file:
        head, *lines = file.read().splitlines() or [""]
    if head != made_by(options):
        raise files.Refused(f"'{options.keep}' is of another program, plugin or limit; name another file for --keep")
    return {tuple(line[:2]): (int(line[2]), line[3]) for line in (text.split("\t") for text in lines)}


def measured(rows, methods, options):
    """{(problem, method): (tolerances met, why no more)}"""
    found = kept(options) if options.keep else {}
    with tempfile.TemporaryDirectory(prefix="standard-") as folder:
        for row in rows:
            with gzip.open(os.path.join(HOME, "small", f"{row['name']}.json.gz")) as packed, open(os.path.join(folder, "scene.json"), "wb") as file:
                file.write(packed.read())
            subprocess.run([PROGRAM, "export", "scene.json", "--format", "fclib", "--at", "0", "--force", "-o", "problem.hdf5"], cwd=folder, check=True)
            for method in methods:
                if (row["name"], method) in found:
                    continue
                met, why = 0, ""
                for tolerance in TOLERANCES:
                    solved, why = solve(folder, "problem.hdf5", method, tolerance, options)
                    if not solved:
                        break
                    met += 1
                found[row["name"], method] = (met, why)
                if options.keep:
                    with open(options.keep, "a", encoding="utf-8") as file:
                        print(row["name"], method, met, why, sep="\t", file=file)
                print(row["name"], method, met, why, sep="\t", file=sys.stderr, flush=True)
    return found


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else "unknown"


def shares(rows, methods, found):
    """methods x classes: solved to each tolerance"""
    classes = list(dict.fromkeys(row["class"] for row in rows if row["class"] != "infeasible"))
    yield "| class | problems | " + " | ".join(methods) + " |"
    yield "|---" * (2 + len(methods)) + "|"
    for kind in [*classes, "all"]:
        names = [row["name"] for row in rows if row["class"] == kind or kind == "all" and row["class"] in classes]
        cells = ["/".join(str(sum(found[name, method][0] > k for name in names)) for k in range(len(TOLERANCES))) for method in methods]
        yield f"| {kind} | {len(names)} | " + " | ".join(cells) + " |"


def failures(rows, methods, found):
    """of each method how many problems it does not solve to 1e-8, by what ended it, and which, where they are few"""
    yield "| method | not solved to 1e-8 |"
    yield "|---|---|"
    for method in methods:
        ends = {}
        for row in rows:
            met, why = found[row["name"], method]
            if row["class"] != "infeasible" and met < 2:
                ends.setdefault(why, []).append(row["name"])
        yield f"| {method} | " + ("; ".join(f"{why}: {', '.join(names) if len(names) <= 6 else len(names)}" for why, names in ends.items()) or "none") + " |"


def infeasible(rows, methods, found):
    names = [row["name"] for row in rows if row["class"] == "infeasible"]
    yield "| infeasible problem | " + " | ".join(methods) + " |"
    yield "|---" * (1 + len(methods)) + "|"
    for name in names:
        yield f"| {name} | " + " | ".join(("met, " if found[name, method][0] else "") + found[name, method][1] for method in methods) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--limit", type=float, default=4, help="seconds of processor time per solve")
    parser.add_argument("--plugin", help="tests/plugins/siconos.c, compiled")
    parser.add_argument("--keep", help="what was run, to go on with")
    parser.add_argument("--note", help="a line of the table's head: what else ran on the machine")
    options = parser.parse_args()
    title = "# Methods on the small standard set"
    files.check(options.output, own=title)
    rows, methods = table(), [*METHODS, *(SICONOS if options.plugin else [])]
    found = measured(rows, methods, options)
    plugin = " --plugin siconos.so" if options.plugin else ""
    command = f"python3 results/tables/standard.py -o results/tables/standard.md --limit {options.limit:g}{plugin}"
    lines = [title, "", "A cell has the problems solved to " + ", ".join(TOLERANCES) + " ‖q‖, by the harness's natural map.",
             "Each method solves the exported problem, W, q and μ. After a failure no finer tolerance is tried.",
             "The options of `newton` are `" + " ".join(CHOLESKY) + "`, of `apgd-followed` `--coupling followed`, of `admm-NAME` `--preset NAME`; all others are defaults.", "", f"| command | `{command}` |", "|---|---|",
             f"| processor | {processor()}; {options.limit:g} s of processor time a solve, one thread |", f"| date | {datetime.date.today().isoformat()} |",
             *([f"| note | {options.note} |"] if options.note else []), "",
             *shares(rows, methods, found), "", "## Failures", "",
             "Problems that are not solved to 1e-8, by what ended the solve: names, or the count of more than six. *Refused*: no joints.", "",
             *failures(rows, methods, found), "", "## Infeasible problems", "", *infeasible(rows, methods, found)]
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    files.put(options.output, "\n".join(lines) + "\n", own=title)


if __name__ == "__main__":
    try:
        main()
    except (OSError, files.Refused) as fault:
        print(f"standard.py: {files.line(fault)}", file=sys.stderr)
        sys.exit(files.status(fault))
