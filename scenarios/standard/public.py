#!/usr/bin/env python3
"""Copies the public problems of public.tsv from a checkout of Siconos, and verifies the numbers of each.

    git clone --depth 1 https://github.com/siconos/siconos
    python3 scenarios/standard/public.py siconos -o FOLDER

FOLDER is then one for `ncpbench suite`. A file that is missing, or whose W, q and mu differ from the table's checksum, gets a line; the others are
copied, and the exit status is 3. NCPBENCH names the program [build/release/ncpbench].
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HOME = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(os.environ.get("NCPBENCH", os.path.join(HOME, "..", "..", "build", "release", "ncpbench")))
PLACE = os.path.join("numerics", "src", "FrictionContact", "test", "data")


def table(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def fault_of(row, checkout):
    """why a row's file is of no use; None where it is the table's"""
    path = os.path.join(checkout, PLACE, row["file"])
    if not os.path.isfile(path):
        return f"not in {os.path.join(checkout, PLACE)}"
    done = subprocess.run([PROGRAM, "export", path, "--format", "checksum"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr.strip().removeprefix("ncpbench: ")
    numbers = re.match(r"[0-9a-f]{64}", done.stdout)
    return None if numbers and numbers[0] == row["sha256"] else "its W, q and mu differ from those of the table: not copied"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", help="folder of a checkout of Siconos")
    parser.add_argument("-o", "--output", required=True, help="folder of the copies")
    parser.add_argument("--table", default=os.path.join(HOME, "public.tsv"), help="another table")
    options = parser.parse_args()
    rows, faults = table(options.table), 0
    os.makedirs(options.output, exist_ok=True)
    for row in rows:
        fault = fault_of(row, options.checkout)
        if fault:
            faults += 1
            print(f"public.py: {row['file']}: {fault}", file=sys.stderr)
        else:
            shutil.copy(os.path.join(options.checkout, PLACE, row["file"]), options.output)
    print(f"{len(rows) - faults} of {len(rows)} problems are in {options.output}")
    return 3 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
