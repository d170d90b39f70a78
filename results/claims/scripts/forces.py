"""macklin-72 (`noise`): do redundant contacts' forces jump with the minimum map, and not with Fischer-Burmeister?
macklin-73 (`compliance`): are redundant forces well posed where contacts give way a little?

noise: resting scenes, solved to 1e-8 m/s; the change of all normal forces from one step to the next over their sum, the
mean over five steps, and how uneven those of a pair of bodies are. compliance: the forces of one step by several methods, the largest difference over their mean."""

import sys

import numpy as np

from common import run, say

RUN = "--linear-history off --repeat 0 --newton-tolerance"


def forces(record, index=0):
    one = record[f"runs/{index:04d}"]
    final = one["final"]
    place = np.column_stack([1e3 * final["contact_bodies"][:], final["contact_point"][:]])
    return final["lambda_normal"][:], place, one["steps/natural_map_error"][-1]


def change(before, after):
    """contact by contact: those of the same bodies that lie nearest"""
    near = np.argmin(np.linalg.norm(after[1][:, None] - before[1][None], axis=2), axis=1)
    return np.sum(abs(after[0] - before[0][near])) / np.sum(after[0])


def uneven(row):
    """the largest less the least force of a pair of bodies over their mean force, the mean over pairs"""
    pairs = np.unique(row[1][:, :2], axis=0)
    of = [row[0][np.all(row[1][:, :2] == pair, axis=1)] for pair in pairs]
    return np.mean([np.ptp(f) / np.mean(f) for f in of if len(f) > 1 and np.mean(f) > 1e-3 * np.mean(row[0])])


def noise(line, ncp):
    rows, errors = [], []
    for steps in range(1, 7):
        with run(f"{line} --settle 20 --steps {steps} --ncp {ncp} {RUN} 1e-8 --newton-iterations 300 --linear-iterations 300") as record:
            *row, error = forces(record)
        rows.append(row)
        errors.append(error)
    return np.mean([change(a, b) for a, b in zip(rows, rows[1:])]), np.mean([uneven(row) for row in rows]), np.max(errors)


if sys.argv[1] == "noise":
    worst = 0
    for name, line in (("wall", "wall"), ("arch", "arch"), ("stack", "heavy-stack --set mass-ratio=1")):
        for short, ncp in (("min", "minimum-map"), ("fb", "fischer-burmeister")):
            jump, spread, error = noise(line, ncp)
            say(f"{name}_{short}", jump)
            say(f"{name}_{short}_uneven", spread)
            worst = max(worst, error)
    say("error", worst)
else:
    for name, line in (("arch", "arch --settle 20"), ("wall", "wall --set width=4 --set height=3 --settle 20")):
        for short, compliance in (("rigid", "0"), ("soft", "1e-7")):
            rows, worst = [], 0
            for method in ("auto", "interior-point", "newton --ncp minimum-map", "newton --ncp fischer-burmeister"):
                with run(f"{line} --steps 1 --method {method} --geometry frozen --contact-compliance {compliance} {RUN} 1e-9"
                         " --newton-iterations 1000 --linear-iterations 300") as record:
                    row, _, error = forces(record)
                if error <= 1e-7:
                    rows.append(row)
                worst += error <= 1e-7
            apart = max(np.max(abs(a - b)) for a in rows for b in rows) / np.mean(rows[0])
            say(f"{name}_{short}", apart)
            say(f"{name}_{short}_solved", worst)
