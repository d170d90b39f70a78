"""The problems of the standard set: (name, set, class, recipe). A recipe is a scenario with its options, or a function of written.py with its
arguments, and the step whose start is stored. Nothing changes under a name: what would, gets a name of its own, in a set of the next number."""
CLASSES = {
    "single": "one body, one to four contacts",
    "stack": "boxes on each other, masses from 1 to 10^6 times the lowest",
    "arch": "voussoirs, 5 to 400",
    "wall": "bricks in running bond",
    "pile-falling": "bodies that fall onto each other",
    "pile-rest": "bodies that lie on each other",
    "frictionless": "mu = 0",
    "high-friction": "mu from 1 to 2",
    "redundant": "many coplanar contacts: rows over rank is large",
    "plane": "bodies that move in a plane",
    "loop": "closed loops of joints with contacts: V, R, s next to W, q, mu",
    "soft": "compliant joints or contacts (elements have no W, q, mu)",
    "shear": "balls in a box that is sheared",
    "infeasible": "no motion meets the normal rows: certificates.tsv has proofs",
    "wedged": "neither the relaxed nor Coulomb's law has a solution: interior-point proves it by cases",
    "failures": "hard steps of published scenes, a set of its own",
}


def run(scenario, at, **options):
    """the start of step `at` of a scenario. Options: its parameters; contact_compliance and newton_tolerance, options of run."""
    words = [scenario]
    for name, value in options.items():
        name = name.replace("_", "-")
        words += [f"--{name}", str(value)] if name in ("contact-compliance", "newton-tolerance") else ["--set", f"{name}={value}"]
    return {"words": words, "at": at}


def own(function, *arguments, at=0, **named):
    """a scene of written.py, and the start of its step `at`"""
    return {"function": function, "arguments": arguments, "named": named, "at": at}


def rounded(recipe):
    """its state to six decimals of meters and of rotations, four of velocities: a third of the bytes"""
    return {**recipe, "rounded": True}


def pile(count, shape, at, **options):
    return run("piling", at, count=count, shape=shape, **options)


def bond(count, at=1, **options):
    """boxes in running bond, at rest"""
    return pile(count, "box", at, spacing=0, tilt=0, yaw=0, stagger=0.5, **options)


SMALL = [
    ("ball-slides", "single", own("ball", 0.4, 1.0, 5.0)),
    ("block-sticks", "single", run("incline", 1, angle=0.4, mu=0.6)),
    ("stack-7-ratio-1", "stack", own("tower", 7, 1.0, 0.5)),
    ("stack-7-ratio-1e3", "stack", own("tower", 7, 1e3, 0.5)),
    ("stack-7-ratio-1e6", "stack", own("tower", 7, 1e6, 0.5)),
    ("arch-5", "arch", run("arch", 1, count=5)),
    ("arch-20", "arch", run("arch", 10, count=20)),
    ("arch-100", "arch", run("arch", 1, count=100)),
    ("wall-4x4", "wall", run("wall", 1, width=4, height=4)),
    ("wall-10x10", "wall", run("wall", 10, width=10, height=10)),
    ("boxes-30-falling", "pile-falling", pile(30, "box", 45)),
    ("balls-100-falling", "pile-falling", pile(100, "sphere", 30, walls=1)),
    ("tables-8-falling", "pile-falling", pile(8, "table", 50)),
    ("boxes-27-bond", "pile-rest", bond(27)),
    ("balls-64-rest", "pile-rest", pile(64, "sphere", 200, walls=1)),
    ("boxes-20-rest", "pile-rest", pile(20, "box", 250)),
    ("boxes-30-frictionless", "frictionless", pile(30, "box", 40, mu=0, walls=1)),
    ("wall-6x6-frictionless", "frictionless", run("wall", 1, width=6, height=6, mu=0)),
    ("boxes-30-mu-2", "high-friction", pile(30, "box", 45, mu=2)),
    ("arch-20-mu-1.5", "high-friction", run("arch", 10, count=20, mu=1.5)),
    ("grid-5", "redundant", own("plate_on_grid", 5, 1, 0.5, tilt=0.1)),
    ("tiles-4", "redundant", own("tiles", 4, 0.5)),
    ("three-disks", "plane", run("three-disks", 1)),
    ("pyramid-8", "plane", own("plane_wall", 8, 8, 0.5, at=1)),
    ("ring-8", "loop", own("ring", 8, 0.5, at=1)),
    ("net-5", "loop", own("net", 5, 0.5, at=8)),
    ("bridge-7-soft", "soft", own("bridge", 7, 0.5, 1e-6, "fixed", at=1)),
    ("boxes-27-soft-contacts", "soft", bond(27, contact_compliance=1e-6)),
    ("sheared-4", "shear", own("sheared", 4, 0.5, 1, at=20)),
    ("vice-4", "infeasible", own("vice", 4, 0.5)),
    ("caged-2", "infeasible", own("caged", 2, 0.5)),
    ("jammed-box", "wedged", run("jammed-box", 0)),
]
FULL = [
    ("ball-rests", "single", own("ball", 0.4)),
    ("ball-spins-mu-2", "single", own("ball", 2.0, 0.0, 30.0)),
    ("block-slides", "single", run("incline", 1, angle=0.5, mu=0.3)),
    ("block-lands", "single", run("incline", 0, angle=0.5, mu=0.3, landing_speed=1)),
    ("block-mu-1.9", "single", run("incline", 1, angle=1.0, mu=1.9)),
    ("stack-2-ratio-1e6", "stack", own("tower", 2, 1e6, 0.5)),
    ("stack-20-ratio-1", "stack", own("tower", 20, 1.0, 0.5)),
    ("stack-20-ratio-1e2", "stack", own("tower", 20, 1e2, 0.5)),
    ("stack-20-ratio-1e4", "stack", own("tower", 20, 1e4, 0.5)),
    ("stack-20-ratio-1e6", "stack", own("tower", 20, 1e6, 0.5)),
    ("stack-20-ratio-1e-6", "stack", own("tower", 20, 1e-6, 0.5)),
    ("stack-100-ratio-1", "stack", own("tower", 100, 1.0, 0.5)),
    ("stack-100-ratio-1e6", "stack", own("tower", 100, 1e6, 0.5)),
    ("arch-10", "arch", run("arch", 5, count=10)),
    ("arch-50", "arch", run("arch", 5, count=50)),
    ("arch-200", "arch", own("voussoirs", 200, 0.6)),
    ("arch-400", "arch", own("voussoirs", 400, 0.6)),
    ("arch-20-falls", "arch", run("arch", 40, count=20, mu=0.2)),
    ("arch-100-falls", "arch", run("arch", 20, count=100, mu=0.2)),
    ("wall-5x20", "wall", run("wall", 5, width=5, height=20)),
    ("wall-20x20", "wall", rounded(run("wall", 5, width=20, height=20))),
    ("wall-30x30", "wall", run("wall", 0, width=30, height=30)),
    ("wall-60x60", "wall", rounded(run("wall", 0, width=60, height=60))),
    ("wall-100x100", "wall", rounded(run("wall", 0, width=100, height=100))),
    ("boxes-100-falling", "pile-falling", pile(100, "box", 60)),
    ("boxes-300-falling", "pile-falling", rounded(pile(300, "box", 60))),
    ("boxes-1000-falling", "pile-falling", rounded(pile(1000, "box", 30))),
    ("tables-27-falling", "pile-falling", pile(27, "table", 60)),
    ("tables-54-falling", "pile-falling", rounded(pile(54, "table", 60))),
    ("balls-300-falling", "pile-falling", pile(300, "sphere", 40, walls=1)),
    ("balls-1000-falling", "pile-falling", rounded(pile(1000, "sphere", 40, walls=1))),
    ("balls-10000-falling", "pile-falling", own("hail", (20, 20, 25), 0.5, 6)),
    ("boxes-100-bond", "pile-rest", bond(100)),
    ("boxes-300-bond", "pile-rest", bond(300)),
    ("boxes-1000-bond", "pile-rest", rounded(bond(1000, at=0))),
    ("boxes-3000-bond", "pile-rest", rounded(bond(3000, at=0))),
    ("boxes-100-rest", "pile-rest", rounded(pile(100, "box", 300))),
    ("tables-12-rest", "pile-rest", rounded(pile(12, "table", 250))),
    ("balls-300-rest", "pile-rest", rounded(pile(300, "sphere", 120, walls=1))),
    ("boxes-100-frictionless", "frictionless", pile(100, "box", 40, mu=0, walls=1)),
    ("balls-300-frictionless", "frictionless", pile(300, "sphere", 40, mu=0, walls=1)),
    ("wall-20x20-frictionless", "frictionless", run("wall", 0, width=20, height=20, mu=0)),
    ("stack-20-frictionless", "frictionless", own("tower", 20, 1e4, 0.0)),
    ("boxes-100-mu-1", "high-friction", rounded(pile(100, "box", 60, mu=1))),
    ("boxes-100-mu-2", "high-friction", pile(100, "box", 60, mu=2)),
    ("tables-27-mu-1.5", "high-friction", rounded(pile(27, "table", 60, mu=1.5))),
    ("balls-300-mu-2", "high-friction", pile(300, "sphere", 40, mu=2, walls=1)),
    ("arch-100-mu-2", "high-friction", own("voussoirs", 100, 2.0)),
    ("wall-10x10-mu-2", "high-friction", run("wall", 0, width=10, height=10, mu=2)),
    ("grid-10", "redundant", own("plate_on_grid", 10, 1, 0.5, tilt=0.1)),
    ("grid-30", "redundant", own("plate_on_grid", 30, 1, 0.5, tilt=0.4)),
    ("grid-6-plates-4", "redundant", own("plate_on_grid", 6, 4, 0.5, tilt=0.05)),
    ("tiles-10", "redundant", own("tiles", 10, 0.5)),
    ("tiles-20", "redundant", own("tiles", 20, 0.5)),
    ("blocks-4", "redundant", run("stack-4", 2)),
    ("pyramid-20", "plane", own("plane_wall", 20, 20, 0.5, at=1)),
    ("pyramid-40", "plane", own("plane_wall", 40, 40, 0.5)),
    ("disks-10", "plane", own("plane_disks", 10, 0.3, at=5)),
    ("disks-30", "plane", rounded(own("plane_disks", 30, 0.3, at=5))),
    ("ellipse", "plane", run("ellipse", 60)),
    ("ring-20", "loop", own("ring", 20, 0.5, at=5)),
    ("ring-60", "loop", own("ring", 60, 0.5)),
    ("bridge-13", "loop", own("bridge", 13, 0.5)),
    ("bridge-40", "loop", own("bridge", 40, 0.5)),
    ("net-12", "loop", own("net", 12, 0.5, at=8)),
    ("bridge-13-soft", "soft", own("bridge", 13, 0.5, 1e-7, "fixed", at=1)),
    ("bridge-40-soft", "soft", own("bridge", 40, 0.5, 1e-5, "fixed", at=1)),
    ("boxes-100-soft-contacts", "soft", rounded(pile(100, "box", 60, contact_compliance=1e-5))),
    ("wall-10x10-soft-contacts", "soft", rounded(run("wall", 2, width=10, height=10, contact_compliance=1e-7))),
    ("sheared-7", "shear", own("sheared", 7, 0.5, 2, at=30)),
    ("sheared-10", "shear", rounded(own("sheared", 10, 0.5, 3, at=30))),
    ("sheared-10-mu-1", "shear", rounded(own("sheared", 10, 1.0, 4, at=30))),
    ("sheared-12", "shear", rounded(own("sheared", 12, 0.5, 5, at=20))),
    ("vice-10-ratio-1e6", "infeasible", own("vice", 10, 0.5, 1e6)),
    ("vice-20x5", "infeasible", own("vice", 20, 0.5, layers=5)),
    ("vice-30-frictionless", "infeasible", own("vice", 30, 0.0)),
    ("pressed-1", "infeasible", own("pressed", 1, 0.5, 1.0)),
    ("pressed-10", "infeasible", own("pressed", 10, 0.5, 0.1)),
    ("caged-5", "infeasible", own("caged", 5, 0.5)),
    ("jammed-box-steep", "wedged", run("jammed-box", 0, lean=0.1, mu=1)),
    ("jammed-box-light", "wedged", run("jammed-box", 0, lean=0.3, mu=0.4, mass=1e-3)),
]
# Of each scene the steps that take `auto` the most iterations at 1e-8 m/s.
FAILURES = [
    ("house-26-at-236", run("card-house", 236, cubes=4, newton_tolerance="1e-8")),
    ("house-26-at-276", run("card-house", 276, cubes=4, newton_tolerance="1e-8")),
    ("house-77-at-274", run("card-house", 274, levels=7, cubes=4, newton_tolerance="1e-8")),
    ("house-77-at-288", run("card-house", 288, levels=7, cubes=4, newton_tolerance="1e-8")),
    ("house-77-at-289", run("card-house", 289, levels=7, cubes=4, newton_tolerance="1e-8")),
    ("house-77-at-340", run("card-house", 340, levels=7, cubes=4, newton_tolerance="1e-8")),
    ("arch-25", run("arch", 0, count=25)),
    ("arch-101", run("arch", 0, count=101)),
    ("kapla-200", run("kapla", 0, layers=100)),
    ("painleve-tips", run("painleve-box", 0, mu=0.55)),
    ("turntable-slides", run("turntable", 13, speed=2.3, newton_tolerance="1e-8")),
    ("backspin-slides", run("backspin", 0)),
    ("rolling-at-114", run("rolling", 114, newton_tolerance="1e-8")),
]
PROBLEMS = [(name, "small", kind, recipe) for name, kind, recipe in SMALL] + [(name, "full", kind, recipe) for name, kind, recipe in FULL]
PROBLEMS += [(name, "failures", "failures", recipe) for name, recipe in FAILURES]
