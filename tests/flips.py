"""Single bits of a finished record are flipped: what reads it refuses it with one line, or says what it said before.

    NCPBENCH=build/ncpbench python3 tests/flips.py [--flips N] [--seed S] [--show]

Texts that only other programs read (units, long names) carry no checksum; the commands here do not show them.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

from cli_case import PATIENCE, PROGRAM

RUNS = ["run heavy-stack --size 2 --newton-iterations 2 --linear-iterations 9 --repeat 0 --store-systems --steps 2 -o good.h5",
        "run heavy-stack --size 2 --newton-iterations 4 --linear-iterations 9 --linear-solver jacobi,pcr --repeat 2 "
        "--steps 30 --store-states 1 --append -o good.h5"]  # small data and large ones
COMMANDS = {  # what each prints or writes is compared with what it makes of the good record
    "check": ["check", "a.h5"],
    "compare": ["compare", "good.h5", "a.h5", "--format", "tsv"],
    "report": ["report", "a.h5", "-o", "out"],
    "figure": ["figure", "profile", "--from", "a.h5", "-o", "out.svg"],
    "export": ["export", "a.h5#0", "--at", "1:1", "-o", "out"],
}


# under the address sanitizer: what HDF5 loses on damaged files is its own
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def read(path):
    if os.path.isdir(path):
        return {name: read(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    with open(path, "rb") as file:
        return file.read()


def outcome(name, folder):
    """(status, what came out, standard error)"""
    done = subprocess.run([PROGRAM, *COMMANDS[name]], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=PATIENCE, env=ENVIRONMENT)
    made = {}
    for output in ("out", "out.svg"):
        path = os.path.join(folder, output)
        if os.path.exists(path):
            made[output] = read(path)
            subprocess.run(["rm", "-r", path], check=True)
    return done.returncode, (done.stdout, made), done.stderr.decode()


def examine(name, folder, expected):
    """'same', 'refused', or what is wrong"""
    status, made, errors = outcome(name, folder)
    if status == expected[0] and made == expected[1]:
        return "same"
    if status != 3:
        return f"status {status}: {errors!r}" if status not in (0, 1, 2) else "other numbers"
    lines = [line for line in errors.splitlines() if not line.startswith("run ")]
    one = len(lines) == 1 and re.match(r"ncpbench: .*a\.h5", lines[0]) and not made[1]
    return "refused" if one else f"not one line that names the file: {errors!r}"


def flip(good, place):
    data = bytearray(good)
    data[place // 8] ^= 1 << place % 8
    return bytes(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--flips", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("NB_TEST_SEED", 1)))
    parser.add_argument("--at", type=int, action="append", help="this bit of the file instead of random ones")
    options = parser.parse_args()
    random.seed(options.seed)
    counts, wrong = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="ncpbench-flips-") as folder:
        for run in RUNS:
            subprocess.run([PROGRAM, *run.split()], cwd=folder, capture_output=True, timeout=PATIENCE, check=True)
        good, path = read(os.path.join(folder, "good.h5")), os.path.join(folder, "a.h5")
        with open(path, "wb") as file:
            file.write(good)
        expected = {name: outcome(name, folder) for name in COMMANDS}
        print(f"--seed {options.seed}, {len(good)} bytes", {name: e[0] for name, e in expected.items()}, flush=True)
        names = list(COMMANDS)
        for i, place in enumerate(options.at or [random.randrange(8 * len(good)) for _ in range(options.flips)]):
            with open(path, "wb") as file:
                file.write(flip(good, place))
            name = names[i % len(names)]
            found = examine(name, folder, expected[name])
            counts[name, found if found in ("same", "refused") else "wrong"] += 1
            if found not in ("same", "refused"):
                wrong.append(f"bit {place}, {name}: {found}; there: {good[place // 8 - 40:place // 8 + 40]!r}")
    print(dict(counts), *wrong, sep="\n")
    sys.exit(len(wrong) > 0)


main()
