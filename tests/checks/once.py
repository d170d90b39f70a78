"""Writes a compilation database that has each source once: once.py FROM_FOLDER TO_FOLDER

A source compiled for several precisions or instruction sets keeps its first command in double precision, for what clang-tidy finds
in one of them it finds in all but rarely, at its price for each."""
import json
import os
import sys

with open(os.path.join(sys.argv[1], "compile_commands.json")) as file:
    entries = json.load(file)
kept = {}
for entry in sorted(entries, key=lambda entry: "NB_REAL_BITS=64" not in entry["command"]):  # stable
    kept.setdefault(entry["file"], entry)
os.makedirs(sys.argv[2], exist_ok=True)
with open(os.path.join(sys.argv[2], "compile_commands.json"), "w") as file:
    json.dump(list(kept.values()), file, indent=1)
print(f"{len(kept)} of {len(entries)} commands")
