"""Writes a compilation database that has each source once, and prints the sources: once.py FROM_FOLDER TO_FOLDER [REVISION]

A source compiled for several precisions or instruction sets keeps its first command in double precision, for what a tool finds
in one of them it finds in all but rarely, at its price for each. Tests and studies are left out. With a REVISION it prints those alone that changed
since, or that include a header that did, as FROM_FOLDER's build has it; all, where git does not know the revision or .clang-tidy changed."""
import json
import os
import subprocess
import sys

FOLDERS = ("core/", "solvers/", "cuda/", "scenarios/", "results/", "analysis/")


def changed_since(revision):
    """Paths, from the root, or None where git cannot say."""
    done = subprocess.run(["git", "diff", "--name-only", revision], capture_output=True, text=True)
    return None if done.returncode else set(done.stdout.split())


def headers_of(folder, root):
    """The headers that each source was compiled with."""
    listed = subprocess.run(["ninja", "-C", folder, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found = {}
    for block in listed.split("\n\n"):
        paths = [os.path.relpath(os.path.join(folder, line.strip()), root) for line in block.splitlines()[1:] if line.startswith(" ")]
        if paths:
            found.setdefault(paths[0], set()).update(paths[1:])
    return found


def main(folder, into, revision=None):
    root = os.getcwd()
    with open(os.path.join(folder, "compile_commands.json")) as file:
        entries = json.load(file)
    kept = {}
    for entry in sorted(entries, key=lambda entry: "NB_REAL_BITS=64" not in entry["command"]):  # stable
        if os.path.relpath(entry["file"], root).startswith(FOLDERS) and "/studies/" not in entry["file"] and entry["file"].endswith(".c"):
            kept.setdefault(entry["file"], entry)
    os.makedirs(into, exist_ok=True)
    with open(os.path.join(into, "compile_commands.json"), "w") as file:
        json.dump(list(kept.values()), file, indent=1)
    sources = sorted(os.path.relpath(file, root) for file in kept)
    changed = changed_since(revision) if revision else None
    if changed is not None and ".clang-tidy" not in changed:
        headers = headers_of(folder, root)
        sources = [file for file in sources if file in changed or headers.get(file, changed) & changed]
    print(f"{len(sources)} of {len(kept)} sources", file=sys.stderr)
    print("\n".join(sources))


if __name__ == "__main__":
    main(*sys.argv[1:])
