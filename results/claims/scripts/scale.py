"""macklin-51: does the scale read the weight of the soft ball that the robot sets on it?

Runs of the scene to its end; the spring's reading and the weight are those of the record's checks."""

from common import run, say

RUNS = {"full_steps": "--precision f32 --damping 1", "damped": "--precision f32",
        "solved": "--method auto --newton-tolerance 1e-6"}
for name, options in RUNS.items():
    with run(f"tomato {options} --linear-history off --repeat 0") as record:
        checks = record["runs/0000/checks"]
        for found, known, what in zip(checks["actual"][:], checks["expected"][:], checks["name"][:]):
            if what == b"weight that the scale shows":
                say(name, found / known)
                say(f"{name}_weight", known)  # N
