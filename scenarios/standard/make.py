#!/usr/bin/env python3
"""Makes the standard set of contact problems: scenes, and what is known of them.

    python3 scenarios/standard/make.py small|full|failures -o FOLDER [--only NAME,...] [--limit S] [--again] [--plugin SICONOS.so]

FOLDER gets NAME.json.gz in its folder small, full or failures, certificates.tsv and standard.tsv, whose head names the archive of all (archive.py).
A scene that is there is kept (states are stored, not seeds), and so is a row of the table unless --again measures it anew.
--limit ends each solve [20 s]. --plugin is tests/plugins/siconos.c, compiled: one more method for the references. NCPBENCH names the program [build/release/ncpbench]. Requires numpy, scipy and h5py.
"""
import argparse
import gzip
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

import archive
import measure
import written
from archive import files
from problems import PROBLEMS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("NCPBENCH", os.path.join(ROOT, "build", "release", "ncpbench")))
COLUMNS = ["name", "set", "class", "contacts", "rows", "rank", "condition", "mu", "source", "sha256", "best", "methods"]
SIMULATED = ["--method", "auto", "--newton-iterations", "500", "--newton-tolerance", "1e-6", "--friction-law", "coulomb", "--time-stepping", "implicit",
             "--geometry", "joints"]
# The references: methods that share no path to the solution; the next are tried where two do not reach it. The first take the scene, whose W has
# factors, the others W itself, and the tolerance that follows.
CHOLESKY = ["--linear-solver", "cholesky", "--finish", "exact"]
SCENE_METHODS = [("interior-point", []), ("interior-point", ["--newton-tolerance", "1e-9"]), ("newton", CHOLESKY), ("newton", [*CHOLESKY, "--form", "stiffness"]),
                 *(("admm", ["--newton-iterations", "1000000", "--newton-tolerance", tolerance]) for tolerance in ("1e-9", "1e-10"))]
FILE_METHODS = [
    ("interior-point", ["--newton-iterations", "1000"], "1e-14"),
    ("newton", [*CHOLESKY, "--row-scaling", "paper", "--newton-iterations", "20000"], "1e-9"),
    ("siconos-admm", ["--newton-iterations", "100000"], "1e-9"),  # where --plugin says where it is
    ("siconos-nsgs", ["--newton-iterations", "1000000"], "1e-9"),
    ("admm", ["--newton-iterations", "100000"], "1e-9"),
    ("apgd", ["--newton-iterations", "1000000", "--coupling", "followed"], "1e-9"),
    ("apgd", ["--newton-iterations", "1000000"], "1e-9"),
    ("psor", ["--newton-iterations", "1000000"], "1e-9"),
]
STEP = ["--steps", "1", "--geometry", "frozen", "--warm-start", "off", "--newton-iterations", "1000", "--newton-tolerance", "1e-13"]
LARGE = 2500  # rows of W beyond which one method alone is tried on W itself
REACHED = 1e-8  # of a natural map over |q|, what is called a solution
NEAR = 1e-6  # likewise, where it is round-off of the problem
QUIET = ["--repeat", "0", "--linear-history", "off", "--force", "-o"]


def ncpbench(folder, *words, limit=None, must=True):
    """what it prints; None where it takes longer than the limit, or fails and need not be right"""
    record = os.path.join(folder, "solved.h5")
    if os.path.exists(record):
        os.remove(record)  # a solver that refuses the problem would leave the last one's
    try:
        done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=limit,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    except subprocess.TimeoutExpired:
        return None
    if done.returncode in (0, 1) and (words[-1] != "solved.h5" or os.path.exists(record)):  # 1: a solve did not converge
        return done.stdout
    if must:
        sys.exit(f"ncpbench {' '.join(words)}: {done.stderr}")
    return None


def source_of(recipe):
    """the recipe in words"""
    end = f" --at {recipe['at']}" + (", rounded" if "rounded" in recipe else "")
    if "words" in recipe:
        return " ".join(recipe["words"]) + end
    given = [repr(a) for a in recipe["arguments"]] + [f"{name}={value!r}" for name, value in recipe["named"].items()]
    return f"{recipe['function']}({', '.join(given)}){end}"


def decimals(values, digits):
    """integers where they are: shorter"""
    values = [round(value, digits) for value in values]
    return [int(value) if value == int(value) else value for value in values]


def significant(value, digits=6):
    return float(f"{value:.{digits}g}")


def round_ball(body, radius):
    """with a density, which gives its mass; no number of the problem depends on its rotation"""
    density = significant(body["mass_kg"] / (4 / 3 * math.pi * radius ** 3), 4)
    del body["mass_kg"], body["inertia_kg_m2"]
    return {**body, "density_kg_m3": density, "orientation_wxyz": [1, 0, 0, 0]}


def round_solid(body):
    """a body that is no ball; the quaternion keeps its length"""
    turn = decimals(body["orientation_wxyz"][1:], 6)
    real = math.copysign(math.sqrt(max(0, 1 - sum(x * x for x in turn))), body["orientation_wxyz"][0])
    return {**body, "mass_kg": significant(body["mass_kg"]), "inertia_kg_m2": [significant(x) for x in body["inertia_kg_m2"]],
            "orientation_wxyz": [int(real) if real == int(real) else real, *turn]}


def round_scene(text):
    """a scene whose bodies take few digits"""
    scene = json.loads(text)
    for shape in scene["shapes"]:
        if shape["kind"] == "sphere":
            shape["radius_m"] = significant(shape["radius_m"])
    for i, body in enumerate(scene["bodies"]):
        if body["kind"] != "dynamic":
            continue
        shape = scene["shapes"][body["shape"]]
        rounded = round_ball(body, shape["radius_m"]) if shape["kind"] == "sphere" else round_solid(body)
        scene["bodies"][i] = {**rounded, "position_m": decimals(body["position_m"], 6), "velocity_m_s": decimals(body["velocity_m_s"], 4),
                              "angular_velocity_rad_s": decimals(body["angular_velocity_rad_s"], 4)}
    return json.dumps(scene).encode()


def make_scene(folder, recipe):
    """scene.json, as export writes it"""
    words, options = recipe.get("words"), SIMULATED
    if words and "--newton-tolerance" in words:
        place = options.index("--newton-tolerance")
        options = options[:place] + options[place + 2:]
    if not words:
        with open(os.path.join(folder, "own.json"), "w", encoding="utf-8") as file:
            json.dump(getattr(written, recipe["function"])(*recipe["arguments"], **recipe["named"]), file)
        words, options = ["own.json"], SIMULATED[:6]
    if recipe["at"] == 0:
        options = [*options[2:], "--newton-iterations", "1"]  # export makes the step whose start it writes: by the standard method, in vain
    ncpbench(folder, "export", *words, *options, "--format", "scene", "--at", str(recipe["at"]), "--force", "-o", "scene.json")
    with open(os.path.join(folder, "scene.json"), "rb") as file:
        text = file.read()
    return round_scene(text) if "rounded" in recipe else text


def pack(text, path):
    """without time and name, so that equal scenes are equal files"""
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as file:
        file.write(text)


def unpack(path, folder):
    with gzip.open(path) as packed, open(os.path.join(folder, "scene.json"), "wb") as file:
        file.write(packed.read())


def of_scene(folder, method, words, options):
    """impulses that solve the scene's first step, in the order of the exported problem; None where there are none"""
    if ncpbench(folder, "run", "scene.json", "--method", method, *STEP, *words, *QUIET, "solved.h5", limit=options.limit, must=False) is None:
        return None
    with h5py.File(os.path.join(folder, "solved.h5")) as record:
        final = record["runs/0000/final"]
        return final.attrs["time_step"] * numpy.column_stack([final["lambda_normal"][:], final["lambda_friction"][:]]).ravel()


def of_file(folder, method, words, tolerance, options):
    """the same by W, q, mu alone"""
    plugin = ["--plugin", os.path.abspath(options.plugin)] if method.startswith("siconos") else []
    words = [*plugin, "--method", method, *words, "--relative-tolerance", tolerance]
    if ncpbench(folder, "solve", "problem.hdf5", *words, *QUIET, "solved.h5", limit=options.limit, must=False) is None:
        return None
    with h5py.File(os.path.join(folder, "solved.h5")) as record:
        return record["runs/0000/final/reaction"][:]


def references(folder, problem, options):
    """{method: natural map by numpy}, of those that end within the limit, more than two methods only where two do not reach it; those at round-off"""
    found, exact = {}, set()
    tries = [(name, lambda name=name, words=words: of_scene(folder, name, words, options)) for name, words in SCENE_METHODS]
    tries += [(name, lambda name=name, words=words, tolerance=tolerance: of_file(folder, name, words, tolerance, options))
              for name, words, tolerance in FILE_METHODS
              if (options.plugin or not name.startswith("siconos")) and (problem.rows <= LARGE or name in ("admm", "apgd"))]
    for name, attempt in tries:
        if sum(value <= REACHED or name in exact for name, value in found.items()) >= 2:
            break
        if found.get(name, 1) <= REACHED or name in exact:
            continue
        reaction = attempt()
        if reaction is not None and len(reaction) == problem.rows:
            value = problem.natural_map(reaction)
            if value <= 2 * problem.round_off(reaction) and value <= NEAR:
                exact.add(name)
            found[name] = min(value, found.get(name, numpy.inf))
    return found, exact


def known(found, exact):
    """the columns `best` and `methods`"""
    ranked = sorted((value, name) for name, value in found.items() if value <= REACHED or name in exact)[:2]
    methods = " ".join(f"{name}:{value:.2g}" for value, name in ranked or sorted((value, name) for name, value in found.items())[:1])
    if not ranked:
        return {"best": "none known", "methods": methods}
    return {"best": f"{ranked[0][0]:.2g}", "methods": methods + (" round-off" if ranked[0][0] > REACHED else "")}


def is_refuted(folder, options):
    """whether interior-point proves by cases that there is no solution"""
    told = ncpbench(folder, "solve", "problem.hdf5", "--method", "interior-point", "--relative-tolerance", "1e-8", *QUIET, "solved.h5", limit=options.limit, must=False)
    return told is not None and "infeasible" in told


def digest(folder, name):
    """of the numbers W, q, mu"""
    return re.findall(r"\b[0-9a-f]{64}\b", ncpbench(folder, "export", name, "--format", "checksum"))[0]


def row_of(folder, name, part, kind, recipe, options):
    """a line of the table, and of an infeasible problem the certificate"""
    ncpbench(folder, "export", "scene.json", "--newton-iterations", "1", "--format", "fclib", "--at", "0", "--force", "-o", "problem.hdf5")
    numbers = digest(folder, "scene.json")
    if digest(folder, "problem.hdf5") != numbers:
        sys.exit(f"{name}: the exported problem is not the scene's")
    problem = measure.Problem(os.path.join(folder, "problem.hdf5"))
    low, high, spectrum = problem.mu.min(), problem.mu.max(), problem.spectrum()
    row = {"name": name, "set": part, "class": kind, "contacts": problem.contacts, "rows": problem.rows, "source": source_of(recipe),
           "mu": f"{low:.4g}" if high - low < 1e-12 else f"{low:.4g}..{high:.4g}", "sha256": numbers,
           "rank": f"{spectrum[0]:.4g}" if spectrum else "-", "condition": f"{spectrum[1]:.3g}" if spectrum else "-"}
    if kind == "infeasible":
        proof = problem.certificate()
        if proof is None:
            sys.exit(f"{name}: no certificate was found")
        q = problem.q if problem.plain else problem.condensed()[1]
        return {**row, "best": "infeasible", "methods": f"certificate:{proof @ q:.3g}"}, proof[::3]
    if kind == "wedged" and is_refuted(folder, options):
        return {**row, "best": "none known", "methods": "cases"}, None
    return {**row, **known(*references(folder, problem, options))}, None


def read_table(path):
    """{name: row}"""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return {line[0]: dict(zip(lines[0], line)) for line in lines[1:]}


def write_table(path, rows, packed):
    order = {problem[0]: i for i, problem in enumerate(PROBLEMS)}
    lines = ["# ncpbench standard set 1", f"# full: {archive.NAME} {packed}", "\t".join(COLUMNS),
             *("\t".join(str(rows[name][column]) for column in COLUMNS) for name in sorted(rows, key=order.get))]
    files.put(path, "\n".join(lines) + "\n", force=True)


def write_certificates(path, proofs):
    """name, contact, normal impulse: lines of other problems are kept"""
    kept = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = [line for line in file.read().splitlines()[1:] if line.split("\t")[0] not in proofs]
    kept += [f"{name}\t{i}\t{float(p)!r}" for name, proof in proofs.items() for i, p in enumerate(proof) if p > 0]
    files.put(path, "\n".join(["name\tcontact\tnormal impulse [N s]", *kept]) + "\n", force=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=["small", "full", "failures"])
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--limit", type=float, default=20, help="seconds per solve")
    parser.add_argument("--plugin", help="tests/plugins/siconos.c, compiled")
    parser.add_argument("--again", action="store_true", help="measure what is measured")
    options = parser.parse_args()
    table = os.path.join(options.output, "standard.tsv")
    os.makedirs(os.path.join(options.output, options.set), exist_ok=True)
    only = [name for name in options.only.split(",") if name]
    for name, part, kind, recipe in PROBLEMS:
        if part != options.set or only and name not in only:
            continue
        path = os.path.join(options.output, part, f"{name}.json.gz")
        if os.path.exists(path) and name in read_table(table) and not options.again:
            continue
        with tempfile.TemporaryDirectory(prefix="standard-") as folder:
            text = None if os.path.exists(path) else make_scene(folder, recipe)
            if text:
                pack(text, os.path.join(folder, "scene.json.gz"))
            unpack(os.path.join(folder, "scene.json.gz") if text else path, folder)
            row = read_table(table).get(name)
            if text and row and digest(folder, "scene.json") != row["sha256"]:
                sys.exit(f"{name}: its numbers are not those of the table when it is made by this program on this processor")
            if text:
                shutil.move(os.path.join(folder, "scene.json.gz"), path)
            if row and not options.again:
                continue
            row, proof = row_of(folder, name, part, kind, recipe, options)
        print(*(row[column] for column in COLUMNS if column != "source"), sep="\t", flush=True)
        if proof is not None:
            write_certificates(os.path.join(options.output, "certificates.tsv"), {name: proof})
        write_table(table, {**read_table(table), name: row}, "not made")
    bytes_of_all = archive.pack(options.output)
    write_table(table, read_table(table), f"sha256 {hashlib.sha256(bytes_of_all).hexdigest()}" if bytes_of_all else "not made")


if __name__ == "__main__":
    main()
