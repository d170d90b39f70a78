#!/usr/bin/env python3
"""The tables of preconditioners on recorded Newton systems.

    python3 results/preconditioner_study.py NCPBENCH FOLDER [SCENE...] > results/reference/preconditioners.md

Each system is that of one Newton iteration; iterations before are exact, so that all preconditioners solve the same one.
FOLDER keeps a record a scene and kind of run; those that are there and of this commit are not made again. The whole takes
some twenty minutes on one core.
"""
import os
import re
import subprocess
import sys

import h5py
import numpy as np

LIMIT = 3000
COLUMNS = ["block-jacobi", "ic0", "ict", "fsai", "tree", "schwarz", "schwarz geneo", "dual jacobi"]
# scene, options of `run`, Newton iteration
SYSTEMS = [
    ("arch", "arch --settle 10", 12),
    ("beam", "beam --settle 10", 12),
    ("wall 8x6", "wall --settle 10", 6),
    ("wall 20x20", "wall --settle 5 --set width=20 --set height=20", 6),
    ("wall 40x40", "wall --settle 2 --set width=40 --set height=40 --warm-start on", 6),
    ("54 tables", "piling --settle 150", 12),
    ("500 boxes", "piling --settle 150 --set count=500 --set shape=box", 12),
    ("heap", "piling --settle 200 --set count=216 --set shape=sphere --set walls=1 --set stagger=0.5", 6),
    ("granular 1000", "granular --settle 15 --set count=1000 --warm-start on", 10),
    ("walker", "walker --settle 20", 12),
    ("8 humanoids", "humanoids --settle 30 --set count=8", 10),
    ("soft-stack", "soft-stack --settle 20", 12),
]


def is_of(program, path):
    """Whether the program made the record, by its commit."""
    info = subprocess.run([program, "info"], capture_output=True, text=True, check=True).stdout
    with h5py.File(path) as record:
        commit = record["provenance"].attrs["git_commit"]
    return re.search(rf"(?m)^commit +{re.escape(commit.decode() if isinstance(commit, bytes) else commit)}\b", info) is not None


def run(program, folder, name, options):
    """The record's runs, made where they are not there, or are another program's."""
    path = os.path.join(folder, name + ".h5")
    if not os.path.exists(path) or not is_of(program, path):
        done = subprocess.run([program, "run", *options.split(), "--repeat", "0", "-o", path + ".new", "--force"], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{options}: {done.stderr}")
        os.rename(path + ".new", path)
    return h5py.File(path)["runs"]


def settled(program, folder, scene, options):
    """The options of `run`, whose many steps of settling are made once: then the scene begins from their state."""
    words = options.split()
    steps = int(words[words.index("--settle") + 1])
    if steps < 50 and scene != "granular 1000":
        return options
    start = options.replace(f"--settle {steps}", f"--settle {steps - 1}") + " --steps 1 --method auto --newton-tolerance 1e-10"
    name = "start-" + scene.replace(" ", "-")
    run(program, folder, name, start + " --linear-history off")
    return options.replace(f"--settle {steps}", "--from " + os.path.join(folder, name + ".h5"))


def of_run(group):
    """Iterations to 1e-8 of the right-hand side, their operations, and the unknowns."""
    newton, linear = group["newton"], group["linear"]
    count = int(linear["count"][0, 0])
    residual = linear["residual_l2"][0, 0, :count]
    below = np.flatnonzero(residual <= 1e-8 * residual[0])
    its = int(below[0]) if len(below) and below[0] <= LIMIT else None
    unknowns = newton["unknowns"][0, 0]
    each = newton["product_flops"][0, 0] + newton["apply_flops"][0, 0] + 10 * unknowns
    flops = None if its is None else newton["setup_flops"][0, 0] + its * each
    return its, flops, int(unknowns)


def systems(program, folder, scene, options, iteration):
    """Of each column (iterations, operations, unknowns), with Cholesky's operations and the sizes."""
    nodes = {"arch": 20, "beam": 16, "wall 8x6": 51, "54 tables": 54, "soft-stack": 81, "walker": 37}.get(scene, 1000)
    warm = "" if "--warm-start" in options else "--warm-start off"
    common = (f"{settled(program, folder, scene, options)} {warm} --method newton --steps 1 --lead {iteration} --lead-exact on --newton-iterations 1 --linear-norm true "
              f"--linear-tolerance 1e-12 --linear-iterations {LIMIT}")
    name = f"{scene.replace(' ', '-')}-{iteration}"
    pcg = common + " --form stiffness --linear-solver pcg --preconditioner "
    elements = scene == "soft-stack"
    found = {}
    kinds = [("block-jacobi", pcg + "block-jacobi"), ("ic0", pcg + "ic0"), ("ict", pcg + "ict"), ("fsai", pcg + "fsai"), ("tree", pcg + "tree")]
    size = f"schwarz --preconditioner-option size={max(5, min(20, nodes // 4))}"
    kinds += [("schwarz", pcg + size), ("schwarz geneo", pcg + size + " --preconditioner-option coarse=geneo"),
              ("dual jacobi", common + " --form compliance --linear-solver pcg --preconditioner jacobi")]
    for column, line in kinds:
        if elements and column in ("tree", "schwarz geneo"):
            found[column] = "refused"
            continue
        group = run(program, folder, f"{name}-{column.replace(' ', '-')}", line)["0000"]
        found[column] = of_run(group)
        if column == "dual jacobi":
            found["rows"] = found[column][2]
        elif column == "block-jacobi":
            found["unknowns"] = found[column][2]
    direct = common.replace(f" --linear-norm true --linear-tolerance 1e-12 --linear-iterations {LIMIT}", "")
    exact = run(program, folder, f"{name}-cholesky", direct + " --form stiffness --linear-solver cholesky")["0000/newton"]
    found["cholesky"] = exact["setup_flops"][0, 0] + exact["apply_flops"][0, 0] + exact["product_flops"][0, 0]
    return found


def text(count):
    return f">{LIMIT}" if count is None else str(count)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, folder, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    drawn = [name for name, *_ in SYSTEMS if not wanted or name in wanted]
    print("# Preconditioners on Newton systems\n")
    print("`python3 results/preconditioner_study.py NCPBENCH FOLDER` draws this page. Cells are iterations of CG on the stiffness form to a true "
          "residual of 1e-8; `dual jacobi` is on the compliance form. The last column has the fewest operations over Cholesky's. `tree` and a "
          "coarse space do not support elements.\n")
    print("| scene, Newton iteration: rows, unknowns | " + " | ".join(COLUMNS) + " | fewest operations |")
    print("|---" * (len(COLUMNS) + 2) + "|")
    for scene, options, iteration in SYSTEMS:
        if scene not in drawn:
            continue
        found = systems(program, folder, scene, options, iteration)
        cells = [found[column] if isinstance(found[column], str) else text(found[column][0]) for column in COLUMNS]
        flops = {c: found[c][1] / found["cholesky"] for c in COLUMNS if not isinstance(found[c], str) and found[c][1] is not None}
        best = min(flops, key=flops.get) if flops else None
        cells.append(f"{flops[best]:.2g} {best}" if best else "-")
        print(f"| {scene}, {iteration}: {found['rows']}, {found['unknowns']} | " + " | ".join(cells) + " |", flush=True)
    print("\nFigures `preconditioners` and `preconditioner-sequence` show energy errors, and the systems along the steps of a scene.")


main()
