#!/usr/bin/env python3
"""Packs the standard set, small and full, into one archive, whose bytes are the same wherever it is packed.

    python3 scenarios/standard/archive.py -o FOLDER [--force]

FOLDER gets ncpbench-standard-full-1.tar: the scene files of all problems, without time and owner, in the order of problems.py. Its SHA-256 is
printed, and is that in the second line of standard.tsv. Requires Python alone.
"""
import argparse
import hashlib
import io
import os
import sys
import tarfile

from problems import PROBLEMS

HOME = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HOME, "..", "..", "analysis", "python"))
from ncpbench import files  # noqa: E402

NAME = "ncpbench-standard-full-1.tar"


def pack(home):
    """the bytes of the archive; None where a scene file is missing"""
    paths = [(name, os.path.join(home, part, f"{name}.json.gz")) for name, part, _, _ in PROBLEMS if part != "failures"]
    if not all(os.path.isfile(path) for _, path in paths):
        return None
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, path in paths:
            member = tarfile.TarInfo(f"{NAME[:-4]}/{name}.json.gz")  # time, owner and group are 0, the mode is 0644
            member.size = os.path.getsize(path)
            with open(path, "rb") as file:
                tar.addfile(member, file)
    return packed.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--force", action="store_true", help="replace an archive of other bytes that is there")
    words = parser.parse_args()
    packed = pack(HOME)
    if packed is None:
        sys.exit(f"scene files are missing in {HOME}")
    try:
        os.makedirs(words.output, exist_ok=True)
        files.put(os.path.join(words.output, NAME), packed, words.force)
    except (OSError, files.Refused) as fault:
        print(f"archive.py: {files.line(fault)}", file=sys.stderr)
        return files.status(fault)
    print(hashlib.sha256(packed).hexdigest(), NAME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
