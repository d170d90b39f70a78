"""What runs' states say: stops, times, finest (of a block that slides and stops), repeats (steps made again with stiffer contacts, and
where these leave the deepest one), bounce (the speed of a ball's centre of mass)."""
import itertools
import sys

import numpy as np

from common import run, say

SLOPE, WAY, TIME = 0.17453292519943295, 0.768992, 15.37985
SLIDE = f"incline --set angle={SLOPE!r} --set mu=0.177 --set speed=0.1 --method smoothed --linear-history off --repeat 0"
STARTS = {"gap": "--set gap=0.001", "loaded": "--initial-contact loaded"}


# ---- stops ----

def stop(integrator, coupling, start, h, time=50):
    """How far the block has come, and the time after which it is no faster than 1e-3 m/s along the slope."""
    record = run(f"{SLIDE} {STARTS[start]} --integrator {integrator} --friction-coupling {coupling} --time-step {h} "
                 f"--steps {round(time / h)} --store-states 1")
    q = record["runs/0000/states/q"][:, 1]
    way = (q[:, 0] - q[0, 0]) * np.cos(SLOPE) - (q[:, 2] - q[0, 2]) * np.sin(SLOPE)
    speed = np.abs(np.diff(way)) / h
    fast = np.nonzero(speed > 1.02e-3)[0]
    last = fast[-1] + 1 if len(fast) else 0
    return way[last], h * last


def word_of(name):
    return name.replace("/", "_").replace("-", "_")


def stops_of(name, steps):
    """INTEGRATOR/COUPLING/START"""
    return [stop(*name.split("/"), h) for h in steps]


def ways():
    """errors of the way to the stop, with four time steps"""
    for name in sys.argv[2:]:
        say("way_" + word_of(name), *(abs(way - WAY) for way, _ in stops_of(name, (0.1, 0.05, 0.02, 0.01))))


def times():
    """errors of its time"""
    for name in sys.argv[2:]:
        say(word_of(name), *(abs(time - TIME) for _, time in stops_of(name, (0.1, 0.05, 0.02, 0.01))))


def finest():
    """the larger error of the time with the two finest steps"""
    for name in sys.argv[2:]:
        say(word_of(name), max(abs(time - TIME) for _, time in stops_of(name, (0.02, 0.01))))


# ---- repeats ----

LAND = "incline --set angle=0 --set speed=0 --set mu=0.5 --method smoothed --linear-history off --repeat 0"


def ends(line):
    """Of each step that was repeated: how often, and the least gap over the tolerance in the end."""
    newton = run(line)["runs/0000/newton"]
    count, repeats, gaps = newton["count"][:], newton["repeats"][:], newton["least_gap"][:]
    last = np.cumsum(count) - 1
    if repeats.ndim == 2:
        repeats, gaps = (np.array([x[k, n - 1] for k, n in enumerate(count)]) for x in (repeats, gaps))
    else:
        repeats, gaps = repeats[last], gaps[last]
    return repeats[repeats > 0], gaps[repeats > 0]


def repeats():
    """Loads at rest, first stiffnesses of 1 to 1000 N/m for a weight that needs 3270; and falls from 2 to 800 mm, first
    stiffnesses from the weight's to 1000 times that, with steps of 10 and 1 ms."""
    still = [ends(f"{LAND} --set gap=0.00075 --time-step 1 --steps 1 --contact-stiffness {kappa}")
             for kappa in (1, 10, 100, 1000)]
    falls = [ends(f"{LAND} --set gap={gap} --time-step {h} --steps {int((2 * gap / 9.81) ** 0.5 / h) + 10} "
                  f"--contact-stiffness {kappa}")
             for gap in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8) for h in (0.01, 0.005, 0.002, 0.001)
             for kappa in (3270, 32700, 327000)]
    for name, group in (("still", still), ("falls", falls)):
        times, gaps = (np.concatenate(x) for x in zip(*group))
        say("steps_" + name, len(times))
        say("once_" + name, np.mean(times == 1))
        say("repeats_" + name, *times[:64])
        say("gap_" + name, *gaps[:64])
        say("half_" + name, np.mean(np.abs(gaps - 0.5) <= 0.1))


# ---- bounce ----

def height(settings):
    """The square of the centre of mass's speed after the wall over that before."""
    h = settings["time_step"]
    record = run(f"tennis-ball --set frequency=2 --set speed=7.06 --set way=0.06 --set pressure={settings['pressure']} "
                 f"--settle {round(0.005 / h)} --settle-tolerance 1e-4 --method smoothed "
                 f"--integrator {settings['integrator']} --contact-stiffness 1e5 "
                 f"--rayleigh-stiffness {settings['damping']} --time-step {h} --steps {round(0.015 / h)} "
                 f"--store-states 5 --linear-history off --repeat 0")
    states = record["runs/0000/states"]
    at = states["particle_x"][0]
    away = np.linalg.norm(at - at.mean(axis=0), axis=1)
    rubber = away < 0.95 * away.max()  # the felt outside weighs nothing beside it
    after, before = (states["particle_v"][k, rubber, 0].mean() for k in (-1, 0))
    return (after / before) ** 2


def bounce():
    names = ("integrator", "time_step", "damping")
    ways = list(itertools.product(("be", "bdf2", "sdirk2"), (0.0005,), (0, 1e-4)))
    ratios = []
    for way in ways:
        settings = dict(zip(names, way))
        ratios.append(height({**settings, "pressure": 1}) / height({**settings, "pressure": 0}))
    higher = np.array(ratios) > 1
    say("ratio", *ratios)
    say("higher", higher.mean())
    still = np.array([way[2] == 0 for way in ways])
    say("undamped", higher[still].mean())
    say("damped", higher[~still].mean())


{"stops": ways, "times": times, "finest": finest, "repeats": repeats, "bounce": bounce}[sys.argv[1]]()
