"""Records of ncpbench as tables: a row a run, an iteration or a contact (docs/python.md).

Takes h5py; pandas, xarray and SciPy only in the functions that return theirs."""
import glob
import importlib
import json
import os
import types

PACKAGES = {"h5py": "python3-h5py", "numpy": "python3-numpy", "pandas": "python3-pandas", "scipy.io": "python3-scipy", "scipy.sparse": "python3-scipy",
            "xarray": "python3-xarray"}
# attributes of a run that say what came of it, not what was asked for
OUTCOMES = {"batch", "bodies", "device_transfer_s", "device_work_s", "fault", "finished", "joints", "method_words", "peak_bytes", "peak_resident_bytes",
            "problem_words", "provenance", "record_s", "reference_error", "settle_error", "settle_unsolved", "start_joint_error", "start_joint_turn",
            "start_penetration", "start_words", "tetrahedra", "texts_checksum", "triangles", "wall_s"}
MODES = "open", "sticking", "sliding"  # of contacts
TOTALS = ("newton_iterations", "assembly_s", "setup_s", "solve_s", "step_s", "operator_applications")


def module(name):
    """a module that only some functions take; one line where it is missing"""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        short = name.partition(".")[0]
        raise ImportError(f"this takes {short} ({error}): pip install {short}, or Debian's {PACKAGES[name]}") from None


# ---- reading ----

def paths(files):
    """of a path, a pattern such as "*.h5", or several"""
    found = []
    for name in [files] if isinstance(files, (str, os.PathLike)) else files:
        name = os.fspath(name)
        matches = [name] if os.path.exists(name) else sorted(glob.glob(name))
        if not matches:
            raise FileNotFoundError(f"there is no record '{name}'")
        found += matches
    return found


def opened(path):
    record = module("h5py").File(path, "r")
    if plain(record.attrs.get("schema")) != "ncpbench-record":
        record.close()
        raise ValueError(f"'{path}' is no record of ncpbench")
    return record


def plain(value):
    """an attribute as Python has it"""
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def run_of(record, number):
    names = sorted(record["runs"])
    if not names:
        raise IndexError(f"'{record.filename}' has no runs")
    if not -len(names) <= number < len(names):
        raise IndexError(f"'{record.filename}' has runs 0 to {len(names) - 1}, and no run {number}")
    return record["runs"][names[number]]


def named(dataset, values):
    """its numbers as the names that its legend gives them; others as they are"""
    legend = plain(dataset.attrs.get("legend", ""))
    if not legend:
        return values
    names = {float(number): name for number, _, name in (item.partition("=") for item in legend.split())}
    return [names.get(float(value)) for value in values]


def settings(run):
    return {name: plain(value) for name, value in sorted(run.attrs.items())}


# ---- tables as columns ----

def all_runs(files):
    """(path, number, run) of each"""
    for path in paths(files):
        with opened(path) as record:
            for number, name in enumerate(sorted(record["runs"])):
                yield path, number, record["runs"][name]


def summary(run):
    """what came of its steps: of the last one, and in all"""
    steps = run["steps"]
    count = len(steps["reason"])
    found = {"step_count": count}
    for name in ("reason", "natural_map_error", "contacts"):
        values = named(steps[name], steps[name][:])
        found[f"last_{name}"] = values[-1] if count else None
    for name in TOTALS:
        if name in steps:
            found[f"total_{name}"] = float(steps[name][:].sum())
    return found


def run_rows(files):
    return [{"file": path, "run": number, **settings(run), **summary(run)} for path, number, run in all_runs(files)]


def varying(files):
    """the settings that differ between runs of these files, without what came of them"""
    found = [settings(run) for _, _, run in all_runs(files)]
    names = sorted({name for run in found for name in run} - OUTCOMES)
    return [name for name in names if len({repr(run.get(name)) for run in found}) > 1]


def joined(parts):
    """columns of several runs one after the other; those that a run lacks hold None there"""
    names = list(dict.fromkeys(name for part, _ in parts for name in part))
    return {name: [value for part, rows in parts for value in part.get(name, [None] * rows)] for name in names}


def newton_columns(run, each):
    """the iterations of a run one after the other; `seconds` until each begins"""
    numpy, newton = module("numpy"), run["newton"]
    counts = newton["count"][:].astype(int)
    place = [(step, k) for step, count in enumerate(counts) for k in range(count)]
    found = {"step": [step for step, _ in place], "iteration": [k for _, k in place]}
    spent = sum(numpy.nan_to_num(newton[name][:]) for name in ("assembly_s", "setup_s", "solve_s"))
    before = numpy.cumsum(spent, axis=1) - spent
    found["seconds"] = [float(before[at]) for at in place]
    for name, data in newton.items():
        if data.ndim == 2:
            values = data[:]
            found[name] = each(data, [values[at] for at in place])
    return found


def linear_columns(run, each):
    """the linear iterations of a run one after the other"""
    linear = run["linear"]
    counts = linear["count"][:]
    place = [(step, newton, k) for step, row in enumerate(counts) for newton, count in enumerate(row) if count == count for k in range(int(count))]
    found = {"step": [at[0] for at in place], "newton": [at[1] for at in place], "iteration": [at[2] for at in place]}
    for name, data in linear.items():
        if data.ndim == 3:
            values = data[:]
            found[name] = each(data, [values[at] for at in place])
    return found


def history_columns(files, linear=False):
    which, parts = varying(files), []
    several = len(paths(files)) > 1
    for path, number, run in all_runs(files):
        if linear and "linear" not in run:
            continue
        columns = (linear_columns if linear else newton_columns)(run, named)
        rows, own = len(columns["step"]), settings(run)
        head = {**({"file": path} if several else {}), "run": number, **{name: own.get(name) for name in which}}
        parts.append(({**{name: [value] * rows for name, value in head.items()}, **columns}, rows))
    return joined(parts)


# ---- contacts ----

def frame_of(run, step):
    """the frame of `states` that a step ended with; None: it was not stored"""
    if "states" not in run or "contact_count" not in run["states"]:
        return None
    close = abs(run["states/time"][:] - run["steps/time"][step]) <= 1e-9 * max(1, abs(run["steps/time"][step]))
    return int(close.nonzero()[0][0]) if close.any() else None


def stored_contacts(run, frame):
    numpy, states = module("numpy"), run["states"]
    count = int(states["contact_count"][frame])

    def column(name):
        return states[f"contact_{name}"][frame][:count]

    def vector(name):
        return numpy.array([column(f"{name}_{axis}") for axis in "xyz"]).T.reshape(count, 3)

    force, normal, slip, point = vector("force"), vector("normal"), vector("slip"), vector("point")
    pressing = (force * normal).sum(axis=1)
    return {"body_a": column("body_a").astype(int), "body_b": column("body_b").astype(int), "normal_error": column("normal_error"),
            "friction_error": column("friction_error"), "mode": [MODES[int(mode)] for mode in column("mode")], "normal_force": pressing,
            "friction_force": numpy.linalg.norm(force - pressing[:, None] * normal, axis=1), "slip": numpy.linalg.norm(slip, axis=1), "gap": column("gap"),
            "point": point, "normal": normal}


def final_contacts(run):
    numpy, final = module("numpy"), run["final"]
    bodies, errors = final["contact_bodies"][:], final["contact_error"][:]
    return {"body_a": bodies[:, 0].astype(int), "body_b": bodies[:, 1].astype(int), "normal_error": errors[:, 0], "friction_error": errors[:, 1],
            "mode": [MODES[mode] for mode in final["contact_mode"]], "normal_force": final["lambda_normal"][:], "friction_force": numpy.linalg.norm(final["lambda_friction"][:], axis=1),
            "slip": numpy.linalg.norm(final["slip"][:], axis=1), "gap": final["gap"][:], "mu": final["mu"][:], "point": final["contact_point"][:],
            "normal": final["contact_normal"][:]}


def contact_columns(file, run=0, step=-1):
    numpy = module("numpy")
    with opened(paths(file)[0]) as record:
        r = run_of(record, run)
        steps = len(r["steps/reason"])
        if not -steps <= step < steps:
            raise IndexError(f"run {run} of '{record.filename}' has steps 0 to {steps - 1}, and no step {step}")
        at = step % steps
        frame = None if at == steps - 1 else frame_of(r, at)
        if "contact_error" not in r.get("final", ()):
            raise ValueError(f"run {run} of '{record.filename}' has no contacts of bodies: problem files have `final/reaction`")
        if at < steps - 1 and frame is None:
            raise ValueError(f"run {run} of '{record.filename}' has no contacts of step {at}: make it with --store-states 1")
        found = final_contacts(r) if frame is None else stored_contacts(r, frame)
        found["error"] = numpy.maximum(found["normal_error"], found["friction_error"])
        for name in "point", "normal":
            vectors = found.pop(name)
            found.update({f"{name}_{axis}": vectors[:, k] for k, axis in enumerate("xyz")})
        return {name: list(found[name]) for name in ("body_a", "body_b", "error", *(name for name in found if name not in ("body_a", "body_b", "error")))}


# ---- what users call ----

def runs(files):
    """A DataFrame of the runs of one or several records: settings, and what came of the steps (last_..., total_...)."""
    return module("pandas").DataFrame(run_rows(files))


def history(files, linear=False):
    """A DataFrame of all iterations: the run, the settings that differ between runs, and the columns of `newton`, or of `linear`.

    Row k of a step is the state before iteration k; `seconds` is the time until then. Numbers that stand for names are names."""
    return module("pandas").DataFrame(history_columns(files, linear))


def contacts(file, run=0, step=-1):
    """A DataFrame of the contacts of a step: bodies, error and its two parts [m/s], mode, forces [N], slip [m/s], gap [m], point and normal.

    Steps other than the last take a record made with --store-states."""
    table = module("pandas").DataFrame(contact_columns(file, run, step))
    table.index.name = "contact"
    return table


def dataset(file, run=0, group="newton"):
    """An xarray.Dataset of a group of a run ("steps", "newton", "states", ...), with units and the axes of the record."""
    xarray = module("xarray")
    with opened(paths(file)[0]) as record:
        r = run_of(record, run)
        if group not in r:
            raise KeyError(f"run {run} of '{record.filename}' has no group '{group}', but {', '.join(sorted(r))}")
        found, axes = {}, {}
        for name, data in r[group].items():
            if not isinstance(data, module("h5py").Dataset) or plain(data.attrs.get("CLASS", b"")) == "DIMENSION_SCALE":
                continue
            dims = []
            for k, dim in enumerate(data.dims):
                scale = next(iter(dim.values()), None)
                dims.append(os.path.basename(scale.name) if scale is not None else f"{name}_{k}")
                if scale is not None:
                    axes[dims[-1]] = scale[:]
            about = {key: plain(data.attrs[key]) for key in ("units", "long_name", "legend") if key in data.attrs}
            found[name] = dims, data.asstr()[()] if data.dtype.kind == "O" else data[()], about
        return xarray.Dataset(found, axes, settings(r))


def system(folder):
    """The system that `ncpbench export --at STEP:ITERATION -o FOLDER` wrote: A, H, J, ... as csr_array, b, S, ... as vectors, and `about`."""
    read, sparse = module("scipy.io").mmread, module("scipy.sparse")
    with open(os.path.join(folder, "system.json"), encoding="utf-8") as file:
        about = json.load(file)
    found = {name.partition(".")[0]: read(os.path.join(folder, name)) for name in about["files"]}
    return types.SimpleNamespace(about=about, **{name: sparse.csr_array(value) if sparse.issparse(value) else value.ravel() for name, value in found.items()})
