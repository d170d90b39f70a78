"""The table of preconditioners on systems of scenes (preconditioners.md): linear iterations and set-up, as rows of Markdown.

    python3 results/tables/preconditioners.py [--program build/release/ncpbench] [--scenes arch,wall-8x6] [--iterations 3000]

Takes h5py. All scenes take some ten minutes on one core; schwarz with geneo on the largest wall takes most of it."""
import argparse
import os
import subprocess
import sys
import tempfile

import h5py

SCENES = {
    "arch": ["arch", "--settle", "10"],
    "wall-8x6": ["wall", "--set", "width=8", "--set", "height=6", "--settle", "10"],
    "wall-20x20": ["wall", "--set", "width=20", "--set", "height=20", "--settle", "5"],
    "boxes-falling": ["piling", "--set", "shape=box", "--set", "count=500", "--settle", "60"],
}
ROWS = [(name, []) for name in ("none", "jacobi", "block-jacobi", "ssor", "ic0", "ict", "tree", "chebyshev", "fsai", "schwarz")] + \
    [("schwarz", ["coarse=rigid"]), ("schwarz", ["coarse=geneo"]), ("factor", [])]
SETUP = "wall-8x6"  # the scene of the last column
LEADS = (1, 12)  # Newton iterations before the one that is measured


def solve(program, scene, lead, iterations, name, options):
    """(linear iterations, set-up in operator applications) of one system; None instead of iterations where it did not converge"""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "a.h5")
        command = [program, "run", *SCENES[scene], "--steps", "1", "--warm-start", "off", "--lead", str(lead), "--lead-exact", "on", "--method", "newton",
                   "--form", "stiffness", "--newton-iterations", "1", "--linear-solver", "pcg", "--preconditioner", name, "--linear-tolerance", "1e-6",
                   "--linear-iterations", str(iterations), "--linear-history", "off", "--repeat", "0", "-o", record]
        done = subprocess.run(command + [word for option in options for word in ("--preconditioner-option", option)], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
        with h5py.File(record) as file:
            newton = file["runs/0000/newton"]
            count, setup, product = (newton[column][0][0] for column in ("linear_iterations", "setup_flops", "product_flops"))
    return None if count >= iterations else int(count), setup / product


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/ncpbench")
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--iterations", type=int, default=3000)
    asked = parser.parse_args()
    scenes = asked.scenes.split(",")
    print("| | " + " | ".join(scenes) + f" | set-up, {SETUP} |\n|" + "---|" * (len(scenes) + 2))
    for name, options in ROWS:
        cells, setup = [], ""
        for scene in scenes:
            solved = [solve(asked.program, scene, lead, asked.iterations, name, options) for lead in LEADS]
            cells.append(", ".join("-" if count is None else str(count) for count, _ in solved))
            setup = f"{solved[0][1]:.2g}" if scene == SETUP else setup
        print("| " + ", ".join([f"`{name}`", *(option.partition("=")[2] for option in options)]) + f" | {' | '.join(cells)} | {setup} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
