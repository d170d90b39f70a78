"""The measured tables of this folder, each from the runs that it names.

    python3 results/tables/tables.py [--program build/release/ncpbench] [--quick] [--amgcl FOLDER] NAME...
    python3 results/tables/tables.py --list

A page has a line `<!-- table NAME -->` and a line `<!-- end of table -->`. What stands between them is replaced by the table: its command, the runs
behind it, the processor, the date and the revision, then the rows. A function below is a table. It makes runs and yields its rows, the head
first. Runs are made once, one after another. Takes h5py.
"""
import argparse
import csv
import datetime
import glob
import itertools
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

import h5py
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "analysis", "python"))
from ncpbench import files  # noqa: E402
HOME = os.path.dirname(os.path.abspath(__file__))
MARKED = re.compile(r"(<!-- table (\S+) -->\n).*?(<!-- end of table -->\n)", re.S)
TABLES = {}  # name: (function, what the head says of the runs)


def table(name, runs):
    def add(function):
        TABLES[name] = function, runs
        return function
    return add


class Lab:
    """makes runs in a folder that goes with it"""

    def __init__(self, program, folder, quick=False, amgcl=None):
        self.program, self.folder, self.names = os.path.abspath(program), folder, itertools.count()
        self.quick, self.amgcl = ["--quick"] if quick else [], amgcl and os.path.abspath(amgcl)

    def printed(self, *command):
        """what a command prints; it may end with status 1, not converged, or 2, a check failed"""
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env={**os.environ, "NCPBENCH": self.program})
        if done.returncode not in (0, 1, 2):
            sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout + done.stderr

    def file(self, words):
        """what `ncpbench WORDS -o FILE` writes"""
        path = os.path.join(self.folder, f"{next(self.names)}.h5")
        self.printed(self.program, *words.split(), "-o", path)
        return h5py.File(path)

    def runs(self, words):
        """of `ncpbench run WORDS`, all runs of its lists"""
        runs = self.file(f"run {words} --repeat 0 --linear-history off")["runs"]
        return [runs[name] for name in sorted(runs)]

    def run(self, words):
        return self.runs(words)[0]

    def figure(self, name):
        """the runs of a figure"""
        self.printed(self.program, "reproduce", name, *self.quick, "--format", "svg", "-o", name)
        runs = h5py.File(os.path.join(self.folder, name, "reproduce.h5"))["runs"]
        return [runs[run] for run in sorted(runs)]


def steps(run, column):
    return run["steps"][column][:]


def reasons(run):
    """why each step ended, in words"""
    legend = run["steps/reason"].attrs["legend"]
    words = dict(entry.split("=") for entry in (legend.decode() if isinstance(legend, bytes) else str(legend)).split())
    return [words[str(int(reason))] for reason in steps(run, "reason")]


def failed(run):
    """number of steps that did not converge"""
    return sum(reason != "converged" for reason in reasons(run))


def total(run):
    return int(steps(run, "newton_iterations").sum())


def mean(run):
    return f"{steps(run, 'newton_iterations').mean():.1f}"


def power(value):
    """as 3.1e-4; 0 as it is"""
    return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e") if value else "0"


def plain(value):
    """of two digits, without a power of ten"""
    return numpy.format_float_positional(value, precision=2, fractional=False, trim="-")


def failed_and_mean(run):
    return f"{failed(run)}, {mean(run)}"


# ---- one step without a solution

@table("infeasible", "`run jammed-box --method METHOD --friction-law LAW --newton-tolerance 1e-8 --newton-iterations 3000`")
def infeasible(lab):
    laws = ["coulomb", "relaxed", "polyhedral", "polyhedral-relaxed"]
    takes = {"newton": 2, "interior-point": 2, "auto": 2, "psor": 4, "pssor": 4, "apgd": 4, "nsgs": 1, "admm": 4, "fbf": 4, "single-level": 1, "bilevel": 1} # the first so many laws
    yield "method", *laws
    for method in ["newton", "interior-point", "auto", "psor", "pssor", "nsgs", "admm", "fbf", "apgd", "lemke", "pgs", "single-level", "bilevel"]:
        cells = []
        for law in laws:
            if law not in (laws[:takes[method]] if method in takes else laws[2:]):
                cells.append("")
                continue
            limit = "" if method == "lemke" else " --newton-iterations 3000"
            run = lab.run(f"jammed-box --method {method} --friction-law {law} --newton-tolerance 1e-8{limit}")
            reason, left = reasons(run)[0], steps(run, "natural_map_error")[0]
            cells.append(f"{reason} ({total(run)}" + (")" if reason == "infeasible" else f", {left:.2g})"))
        yield method, *cells


# ---- memory

@table("memory", "`run granular --set count=COUNT --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 120 "
       "--newton-tolerance 0 --record-every 120 --warm-start on --steps STEPS --precision PRECISION`")
def memory(lab):
    yield "spheres", "steps", "contacts", "f64", "f32"
    for count, made in (1000, 12), (3000, 40), (9000, 40):
        runs = lab.runs(f"granular --set count={count} --time-stepping tasora --stabilization 1 --friction-law relaxed --method psor --newton-iterations 120 "
                        f"--newton-tolerance 0 --record-every 120 --warm-start on --steps {made} --precision f64,f32")
        contacts = [steps(run, "contacts").max() for run in runs]
        yield count, made, int(contacts[0]), *(f"{run.attrs['peak_bytes'] / most:.0f}" for run, most in zip(runs, contacts))


# ---- newton and interior-point

SCENES = ["arch", "heavy-stack", "beam", "wall", "incline, at rest", "incline, sliding", "piling, tables", "piling, boxes", "piling, spheres"]


@table("methods", "`reproduce methods`")
def methods(lab):
    runs = lab.figure("methods")
    kinds = list(dict.fromkeys((run.attrs["method"], run.attrs["linear_solver"]) for run in runs))
    of = {kind: [run for run in runs if (run.attrs["method"], run.attrs["linear_solver"]) == kind] for kind in kinds}
    assert all(len(found) == len(SCENES) for found in of.values())  # in the order of SCENES
    yield "scene (contacts)", *(f"{method}, `{solver}`" + (" + `lu`" if solver == "gmres" else "") for method, solver in kinds)
    for k, scene in enumerate(SCENES):
        cells = [f"{failed(run)} of {len(reasons(run))} not converged" if failed(run) else f"{steps(run, 'newton_iterations').mean():.0f}"
                 for run in (of[kind][k] for kind in kinds)]
        yield f"{scene} ({int(steps(of[kinds[0]][k], 'contacts')[-1])})", *cells


@table("contraction", "`tests/contraction.py`")
def contraction(lab):
    yield "μ, slip [m/s]", "W: predicted, seen", "De Saxcé's term", "normal force"
    text = lab.printed(sys.executable, os.path.join(ROOT, "tests/contraction.py"))
    for mu, slip, w, w_seen, shift, shift_seen, force, force_seen in re.findall(
            r"mu (\S+), slip (\S+) m/s: W (\S+) (\S+), shift (\S+) (\S+), normal force (\S+) (\S+)", text):
        yield f"{mu}, {slip}", f"{float(w):.4f}, {float(w_seen):.4f}", f"{float(shift):.3f}, {float(shift_seen):.3f}", f"{force}, {force_seen}"


@table("initial-guesses", "`run SCENE --linear-solver cholesky --newton-tolerance 1e-8 --newton-iterations 100 --steps 40 --warm-start off,unconstrained,on`")
def initial_guesses(lab):
    yield "scene", "`off`", "`unconstrained`", "`on`"
    for scene, words in (("arch", "arch"), ("beam", "beam"), ("heavy-stack", "heavy-stack"), ("incline", "incline"),
                         ("wall, 4 × 4", "wall --set width=4 --set height=4"), ("piling of 8", "piling --set count=8")):
        runs = lab.runs(f"{words} --linear-solver cholesky --newton-tolerance 1e-8 --newton-iterations 100 --steps 40 --warm-start off,unconstrained,on")
        yield scene, *(f"{total(run)}" + (f" ({failed(run)})" if failed(run) else "") for run in runs)


# ---- single-level and bilevel

@table("single-level-accuracy", "`run SCENE --seed 1 --method single-level --rho 1e-6,1e-9 --warm-start on`")
def single_level_accuracy(lab):
    yield "scene, steps", "1e-6: residual [m/s]", "penetration [m]", "1e-9: residual [m/s]", "penetration [m]"
    for name, words in (("granular, 100 spheres, 40", "granular --set count=100 --steps 40"), ("brazil-nut, 40 disks, 20", "brazil-nut --set count=40 --steps 20"),
                        ("piling, 10 tables, 60", "piling --set count=10 --steps 60")):
        cells = []
        for run in lab.runs(f"{words} --seed 1 --method single-level --rho 1e-6,1e-9 --warm-start on"):
            met = [reason == "converged" for reason in reasons(run)]
            cells += [power(max(steps(run, column)[met].max(), 0)) for column in ("natural_map_error", "max_penetration")]
        yield name, *cells


@table("single-level-first-step", "`run SCENE --steps 1 --method single-level --rho 1e-6,1e-9`, against `--method interior-point --newton-tolerance 1e-12`")
def single_level_first_step(lab):
    yield "scene", "pairs", "1e-6: iterations", "residual [m/s]", "velocities [m/s, rad/s]", "1e-9: iterations", "residual [m/s]", "velocities [m/s, rad/s]"
    for scene in "incline", "heavy-stack", "arch", "wall":
        hard = lab.run(f"{scene} --steps 1 --method interior-point --newton-tolerance 1e-12")["final/u"][:]
        runs = lab.runs(f"{scene} --steps 1 --method single-level --rho 1e-6,1e-9 --warm-start on")
        cells = [cell for run in runs for cell in (total(run), power(steps(run, "natural_map_error")[0]), power(abs(run["final/u"][:] - hard).max()))]
        yield scene, len({tuple(pair) for pair in runs[0]["final/contact_bodies"][:]}), *cells


@table("joints", "`run SCENE --steps N --method single-level --rho 1e-6 --warm-start on,off`")
def joints(lab):
    yield "scene", "steps", "not converged, iterations", "with `--warm-start off`"
    for scene, made in ("pendulum", 500), ("four-bar", 500), ("walker", 300), ("beam", 150), ("hand-object", 40), ("cabinets", 10), ("humanoids", 8):
        cells = [failed_and_mean(lab.run(f"{scene} --steps {made} --method single-level --rho 1e-6 --warm-start {start}")) for start in ("on", "off")]
        yield scene, made, *cells


@table("single-level-bilevel", "`run SCENE --steps N --method single-level,bilevel --rho 1e-6 --warm-start on,off`")
def single_level_bilevel(lab):
    yield "scene", "steps", "single-level", "`--warm-start off`", "bilevel", "`--warm-start off`"
    piling = "piling --set shape={} --set count={}"
    for name, words, made in (("drop", "drop", 150), ("blocks", "blocks", 50), ("stack-4", "stack-4", 50), ("peg", "peg", 50), ("bundles", "bundles", 50),
                              ("incline", "incline", 50), ("heavy-stack", "heavy-stack", 50), ("arch", "arch", 50), ("wall", "wall", 10),
                              ("piling, 20 boxes", piling.format("box", 20), 60), ("piling, 20 spheres", piling.format("sphere", 20), 60),
                              ("piling, 10 tables", piling.format("table", 10), 60)):
        yield name, made, *(failed_and_mean(lab.run(f"{words} --steps {made} --method {method} --rho 1e-6 --warm-start {start}"))
                            for method in ("single-level", "bilevel") for start in ("on", "off"))


# ---- smoothed

@table("basis-derivatives", "`run SCENE --method smoothed --steps 40 --basis-derivatives on,off`")
def basis_derivatives(lab):
    yield "scene", "on", "off"
    for words in ("arch", "ellipse", "wall", "piling --set shape=sphere --set count=5 --set spacing=0.05 --set stagger=0.5", "disks", "bowl"):
        made = 30 if words.startswith("piling") else 40
        yield f"`{words}`" + (", 30 steps" if made == 30 else ""), *map(mean, lab.runs(f"{words} --method smoothed --steps {made} --basis-derivatives on,off"))


@table("grasp-derivative", "`gradient grasp --set tilt=0 --set to-x=0 --set grip=N --objective 1:z --method METHOD`; differences: masses 1e-4 kg apart")
def grasp_derivative(lab):
    mass, scene = 0.5, "grasp --set tilt=0 --set to-x=0 --set grip={}"
    hard_motion = "--method interior-point --newton-tolerance 1e-11"
    ways = [*(f"--method smoothed --contact-tolerance 1e-5 --friction-tolerance {eps}" for eps in ("1e-3", "1e-4", "1e-5")),
            f"{hard_motion} --smoothing 1e-8", "--method single-level --rho 1e-9"]
    yield ("grip [N]", "r", "smoothed, ε = 1e-3 m/s", "1e-4", "1e-5", "interior-point, ρ = 1e-8 J", "single-level, its ρ of 1e-9")
    for grip in 12, 4, 2.5, 2.2:
        heights = [lab.run(f"{scene.format(grip)} --set mass={mass + change!r} {hard_motion}")["final/q"][1, 2] for change in (-1e-4, 1e-4)]
        hard, cells = (heights[1] - heights[0]) / 2e-4, []
        for way in ways:
            by_input = lab.file(f"gradient {scene.format(grip)} {way} --objective 1:z")["by_input"][1]
            cells.append(power(abs((by_input[MASS] + by_input[INERTIA] / mass) / hard - 1)))
        yield f"{grip:g}", f"{mass * 9.81 / (2 * 1.2 * grip):.2f}", *cells


@table("friction-couplings", "`run SCENE --method smoothed --friction-coupling COUPLING`, values of `check`")
def friction_couplings(lab):
    couplings = "implicit", "lagged", "extrapolated"
    yield "scene", "value", *couplings
    for name, words, check, unit in (("`load-ramp`, h = 0.1 s", "load-ramp", b"speed along the pull", 1),
                                     *((f"`bowl`, h = {1e3 * h:g} ms", f"bowl --time-step {h} --steps {round(0.75 / h)}", b"way down the wall", 1e3)
                                       for h in (0.01, 0.005, 0.0025))):
        cells = []
        for coupling in couplings:
            checks = lab.run(f"{words} --method smoothed --friction-coupling {coupling}")["checks"]
            values = [value for label, value in zip(checks["name"], checks["actual"]) if label.startswith(check)]
            cells.append(f"{unit * values[0]:.2g}")
        yield name, "slip in 0.75 s [mm]" if unit > 1 else "final speed [m/s]", *cells


# ---- soft bodies

@table("formulations", "`reproduce formulations`")
def formulations(lab):
    """linear iterations a Newton iteration: the least and the most over each range, of materials that every formulation solves"""
    forms = {"compliance": "`compliance`, `jacobi`", "stiffness": "`stiffness`, `block-jacobi`", "condensed": "`condensed`, `jacobi`"}
    runs = [run for run in lab.figure("formulations") if run.attrs["linear_solver"] == "pcr" and steps(run, "natural_map_error").max() <= 1e-6]
    yield "scene", "range", *forms.values()
    for scene, name in ("bar", "bar, 160 tetrahedra"), ("soft-stack", "`soft-stack`, 80 tetrahedra, 51 contacts"):
        for words, varied, fixed, value in ("E of {:.0e} to {:.0e} Pa", "young", "poisson", 0.45), ("ν of {:g} to {:g}", "poisson", "young", 1e6):
            means = {form: {float(run.attrs[f"scene.{varied}"]): numpy.nanmean(run["newton/linear_iterations"][:]) for run in runs
                            if (run.attrs["scenario"], run.attrs[f"scene.{fixed}"], run.attrs["method.form"]) == (scene, value, form)} for form in forms}
            solved = sorted(set.intersection(*map(set, means.values())))
            counts = [[means[form][value] for value in solved] for form in forms]
            yield name, words.format(solved[0], solved[-1]).replace("e+0", "e"), *(f"{min(of):.0f} to {max(of):.0f}" if max(of) else "0" for of in counts)


@table("soft-bodies", "`run SCENE --method METHOD --newton-tolerance 1e-6`")
def soft_bodies(lab):
    yield "scene, steps", "method", "iterations per step", "steps above 1e-6 m/s", "worst step [m/s]"
    for scene, made, method, words in (("hand-ball", 150, "interior-point", "--method interior-point"), ("gripper", 170, "interior-point", "--method interior-point"),
                                       ("gripper", 170, "newton, `condensed`, 20 iterations, `--warm-start on`",
                                        "--method newton --form condensed --newton-iterations 20 --warm-start on")):
        run = lab.run(f"{scene} --steps {made} {words} --newton-tolerance 1e-6")
        left = steps(run, "natural_map_error")
        yield f"{scene}, {made}", method, f"{steps(run, 'newton_iterations').mean():.0f}", int((left > 1e-6).sum()), power(left.max())


# ---- derivatives

MASS, INERTIA = 18, 19  # among the inputs of a body in `by_input` (results/schema.md)


@table("grasp-plans", "`optimize grasp --set plan=PLAN --smoothing 1e-4,1e-5,1e-6 --method METHOD`")
def grasp_plans(lab):
    yield "plan", "method", "evaluations", "cost", "distance", "angle"
    for plan, method in itertools.product(("still", "carry"), ("interior-point", "single-level")):
        text = lab.printed(lab.program, "optimize", "grasp", "--set", f"plan={plan}", "--smoothing", "1e-4,1e-5,1e-6", "--method", method,
                           "-o", f"{plan}-{method}.h5")
        rows = [line.split() for line in text.splitlines() if re.match(r"1e-06 ", line)]
        cost, distance, angle = map(float, rows[-1][5:8])
        yield plan, f"`{method}`", len(re.findall(r"(?m)^ +\d+  cost ", text)), f"{cost:.3g}", f"{plain(1e6 * distance)} µm", f"{plain(1e3 * angle)} mrad"


# ---- rolling friction

@table("rolling", "`results/studies/rolling_pyramids.py`, with `--siconos build/release/tests/siconos_rolling` up to a base of 3 × 3")
def rolling(lab):
    yield "base", "contacts", "tilt, μ, μ_r/R", "interior-point", "NSGS"
    siconos = os.path.join(os.path.dirname(lab.program), "tests/siconos_rolling")
    if not os.path.exists(siconos):
        sys.exit(f"{siconos} is not there: it takes libsiconos-numerics-dev")
    script = sys.executable, os.path.join(ROOT, "results/studies/rolling_pyramids.py")
    text = lab.printed(*script, "--sizes", "2,3", "--siconos", siconos) + lab.printed(*script, "--sizes", "4,6")
    for size, tilt, mu, mu_r, contacts, flag, iterations, _, *other in (line.split("\t") for line in text.splitlines() if line[0].isdigit()):
        nsgs = "" if not other else other[0] if float(other[2]) <= 1e-8 else f"{other[0]}, not converged"
        yield f"{size} × {size}", contacts, f"{tilt}, {mu}, {mu_r}", iterations if flag == "converged" else f"not converged: {flag}", nsgs


# ---- preconditioners

SYSTEMS = {
    "arch": "arch --settle 10",
    "wall, 8 x 6": "wall --set width=8 --set height=6 --settle 10",
    "wall, 20 x 20": "wall --set width=20 --set height=20 --settle 5",
    "500 boxes falling": "piling --set shape=box --set count=500 --settle 60",
}


@table("preconditioners", "`run SCENE --steps 1 --warm-start off --lead 1,12 --lead-exact on --form stiffness --newton-iterations 1 --linear-solver pcg "
       "--linear-tolerance 1e-6 --linear-iterations 3000 --preconditioner NAME`")
def preconditioners(lab):
    """some ten minutes on one core, most of them geneo's on the largest wall"""
    names = [*("none jacobi block-jacobi ssor ic0 ict tree chebyshev fsai schwarz".split()), "schwarz coarse=rigid", "schwarz coarse=geneo", "factor"]
    yield "", *SYSTEMS, "set-up, wall 8 x 6"
    for name, *options in map(str.split, names):
        cells, setup = [], ""
        for scene, words in SYSTEMS.items():
            runs = lab.runs(f"{words} --steps 1 --warm-start off --lead 1,12 --lead-exact on --form stiffness --newton-iterations 1 --linear-solver pcg "
                            f"--linear-tolerance 1e-6 --linear-iterations 3000 --preconditioner {name}"
                            + "".join(f" --preconditioner-option {option}" for option in options))
            counts = [int(run["newton/linear_iterations"][0, 0]) for run in runs]
            cells.append(", ".join("-" if count >= 3000 else str(count) for count in counts))
            if scene == "wall, 8 x 6":
                setup = f"{runs[0]['newton/setup_flops'][0, 0] / runs[0]['newton/product_flops'][0, 0]:.2g}"
        yield ", ".join([f"`{name}`", *(option.partition("=")[2] for option in options)]), *cells, setup


SEQUENCES = {
    "arch": "arch --settle 10",
    "wall, 8 x 6": "wall --set width=8 --set height=6 --settle 10",
    "100 boxes falling": "piling --set shape=box --set count=100 --settle 60",
    "100 spheres falling": "granular --set count=100 --settle 20",
}


@table("preconditioner-sequences", "`run SCENE --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-solver pcg --linear-norm true --linear-tolerance 1e-8 "
       "--linear-iterations 5000 --preconditioner NAME`")
def preconditioner_sequences(lab):
    """iterations of all solves: mean, 90 % of them, largest; operations of all steps, with 10 per unknown and iteration for the vectors of pcg, and
    4 K for K that are recycled"""
    kinds = ["factor", "factor refresh=auto", "factor refresh=step", "factor update=4", "block-jacobi", "block-jacobi --recycle 20"]
    yield "", *SEQUENCES
    for kind in kinds:
        name, *rest = kind.split()
        words = " ".join(rest) if rest and rest[0].startswith("--") else "".join(f"--preconditioner-option {option}" for option in rest)
        cells = []
        for scene, made in SEQUENCES.items():
            run = lab.run(f"{made} --steps 20 --method newton --newton-iterations 10 --form stiffness --linear-solver pcg --linear-norm true "
                          f"--linear-tolerance 1e-8 --linear-iterations 5000 --preconditioner {name} {words}")
            c = {column: run["newton"][column][...][numpy.isfinite(run["newton/linear_iterations"][...])] for column in
                 ("linear_iterations", "assembly_flops", "setup_flops", "operator_applications", "product_flops", "preconditioner_applications",
                  "apply_flops", "unknowns")}
            counts = c["linear_iterations"]
            vectors = 10 + (80 if "recycle" in kind else 0)
            flops = (c["assembly_flops"] + c["setup_flops"] + c["operator_applications"] * c["product_flops"]
                     + c["preconditioner_applications"] * c["apply_flops"] + vectors * counts * c["unknowns"]).sum()
            cells.append(f"{counts.mean():.0f}, {numpy.quantile(counts, .9):.0f}, {counts.max():.0f}; {flops:.2g}")
        yield f"`{kind}`", *cells


SCENES_OF_STUDY = {"wall": "wall", "piling": "pile of boxes", "balls": "falling grains", "soft-stack": "soft blocks"}


def run_amgcl(lab, name):
    """adds AMGCL's preconditioners to the record of the figure, on the systems that PETSc's iterative solvers had"""
    if not lab.amgcl:
        print("AMGCL is left out: --amgcl FOLDER names a checkout of it", file=sys.stderr)
        return
    plugin = os.path.join(lab.folder, "amgcl.so")
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O3", "-march=native", "-fPIC", "-shared", "-I", os.path.join(ROOT, "core"), "-isystem", lab.amgcl,
                    os.path.join(ROOT, "tests", "plugins", "amgcl.cpp"), "-o", plugin], check=True)
    for line in lab.printed(lab.program, "reproduce", name, *lab.quick, "--show-runs").splitlines():
        words = shlex.split(line)
        if "pbjacobi" in line:
            lab.printed(lab.program, "run", *words[2:words.index("--linear-solver")], "--linear-solver", "pcg", "--plugin", plugin, "--preconditioner", "amgcl",
                        "--preconditioner-option", "kind=sa,sa-motions,ilu0", "-o", f"{name}/reproduce.h5", "--append")


def study(lab, name, columns):
    """(scene, power of ten of the unknowns, solver, its columns) of each run of a figure of the study, of one system per scene and power: the one
    nearest to it, of `columns` a decade. A record of the whole study has several."""
    lab.figure(name)
    if name.endswith("-peers"):
        run_amgcl(lab, name)
    lab.printed(lab.program, "figure", name, "--from", f"{name}/reproduce.h5", "--csv", "study.csv", "-o", "study.svg")
    with open(os.path.join(lab.folder, "study.csv"), encoding="utf-8") as rows:
        rows = [(next(words for key, words in SCENES_OF_STUDY.items() if row["panel"].startswith(key)), float(row["unknowns"]), row) for row in csv.DictReader(rows)]
    nearest = {}  # (scene, power): its unknowns
    for scene, unknowns, _ in rows:
        power = round(columns * math.log10(unknowns)) / columns
        nearest[scene, power] = min(nearest.get((scene, power), unknowns), unknowns, key=lambda size, power=power: abs(math.log10(size) - power))
    powers = {(scene, unknowns): power for (scene, power), unknowns in nearest.items()}
    for scene, unknowns, row in rows:
        if (scene, unknowns) in powers:
            yield scene, powers[scene, unknowns], row["curve"].removeprefix("pcg ").removesuffix(" none"), row


@table("which-preconditioner", "`ncpbench reproduce preconditioner-study-size`")
def which_preconditioner(lab):
    """half an hour on one core: who took the least time, and who at most 1.25 times as much"""
    times = {}  # (scene, power of ten, residual): [(ms, solver)]
    for scene, size, solver, row in study(lab, "preconditioner-study-size", 2):
        for residual, column in ("1e-3", "coarse_ms"), ("1e-8", "fine_ms"):
            if row[column] and size >= 3:
                times.setdefault((scene, size, residual), []).append((float(row[column]), solver))
    sizes = sorted({size for _, size, _ in times})
    yield "system, residual", *(f"{10 ** size:.1g}".replace("e+0", "e") for size in sizes)
    for scene in SCENES_OF_STUDY.values():
        for residual in "1e-3", "1e-8":
            found = [sorted(times.get((scene, size, residual), [])) for size in sizes]
            yield f"{scene}, {residual}", *(", ".join(f"`{solver}`" for ms, solver in best if ms <= 1.25 * best[0][0]) for best in found)


@table("preconditioner-peers", "`ncpbench reproduce preconditioner-study-peers`")
def preconditioner_peers(lab):
    """a quarter of an hour on one core"""
    cells = {}  # scene, solver: {power of ten: cell}
    for scene, size, solver, row in study(lab, "preconditioner-study-peers", 1):
        label = {"petsc": "PETSc ", "amgcl": "AMGCL "}.get(solver.split()[0], "") + solver.split()[-1]
        label = label if " " in label else f"`{label}`"
        reached = f"{float(row['iterations']):.0f}; {plain(float(row['setup_ms']))}; {plain(float(row['fine_ms']))}" if row["iterations"] else "-"
        cells.setdefault((scene, label), {})[size] = reached
    sizes = sorted({size for of in cells.values() for size in of})
    yield "system, solver", *(f"1e{size:.0f}" for size in sizes)
    for (scene, label), of in sorted(cells.items(), key=lambda item: list(SCENES_OF_STUDY.values()).index(item[0][0])):
        yield f"{scene}, {label}", *(of.get(size, "") for size in sizes)


# ---- pages

def head(name, lab):
    _, runs = TABLES[name]
    info = dict(line.split(None, 1) for line in lab.printed(lab.program, "info").splitlines() if re.match(r"(ncpbench|commit|processor) ", line))
    options = "--amgcl FOLDER " if lab.amgcl and name.endswith("-peers") else ""
    return [("command", f"`python3 results/tables/tables.py {options}{name}`"), ("", "---"), ("runs", runs), ("processor", info["processor"]),
            ("date", f"{datetime.date.today().isoformat()}, version {info['ncpbench']}, {info['commit'][:8]}")]


def row(*cells):
    return "|" + "".join(" |" if cell == "" else f" {cell} |" for cell in cells)


def drawn(name, lab):
    """the lines of a table"""
    first, *rest = TABLES[name][0](lab)
    assert rest and all(len(cells) == len(first) for cells in rest), f"{name}: rows of unequal length"
    lines = [row(*cells) if cells[1] != "---" else "|---|---|" for cells in head(name, lab)]
    return [*lines, "", row(*first), "|" + "---|" * len(first), *(row(*cells) for cells in rest)]


def pages():
    """{name: page} of the tables that pages have"""
    found = {}
    for path in [*sorted(glob.glob(os.path.join(HOME, "*.md"))), os.path.join(ROOT, "docs", "compare.md")]:
        with open(path, encoding="utf-8") as file:
            found.update({name: path for _, name, _ in MARKED.findall(file.read())})
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "ncpbench"))
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--quick", action="store_true", help="print tables of figures from smaller runs; no page changes")
    parser.add_argument("--amgcl", metavar="FOLDER", help="a checkout of AMGCL, for the table preconditioner-peers")
    asked = parser.parse_args()
    if asked.list:
        print("\n".join(TABLES))
        return 0
    unknown = [name for name in asked.names if name not in TABLES]
    if unknown or not asked.names:
        parser.error(f"no table '{unknown[0]}': --list has the names" if unknown else "no table was named: --list has the names")
    for name in asked.names:
        with tempfile.TemporaryDirectory(prefix="tables-") as folder:
            lines = drawn(name, Lab(asked.program, folder, asked.quick, asked.amgcl))
        if asked.quick:
            print("\n".join(lines), flush=True)
            continue
        with open(pages()[name], encoding="utf-8") as file:
            text = file.read()
        text = MARKED.sub(lambda m: m[1] + "\n" + "\n".join(lines) + "\n\n" + m[3] if m[2] == name else m[0], text)
        files.put(pages()[name], text, force=True)
        print(f"{name}: {os.path.relpath(pages()[name], ROOT)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
