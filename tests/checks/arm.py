"""Compiles the sources for 64-bit Arm, as a build for this machine compiles them but for -O0: arm.py BUILD_FOLDER

Nothing is linked or run: headers of libraries are those of this machine. Left out: tests, studies, and the kernels that are
compiled for instruction sets that Arm lacks (-mavx2 and the like)."""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("core", "solvers", "cuda", "scenarios", "results", "analysis")
HEADERS = ["-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu"]


def commands(folder):
    with open(os.path.join(folder, "compile_commands.json")) as file:
        for entry in json.load(file):
            source = os.path.relpath(entry["file"], ROOT)
            words = shlex.split(entry["command"])
            if source.split("/")[0] not in FOLDERS or source.startswith("results/studies/") or any(word.startswith("-m") for word in words):
                continue
            first = 1 + next(k for k, word in enumerate(words) if os.path.basename(word) in ("cc", "gcc"))
            output = words.index("-o")
            words = ["-DNB_INSTRUCTION_SETS=INSTRUCTION_SET(baseline, 1)" if word.startswith("-DNB_INSTRUCTION_SETS=") else word
                     for word in words]
            yield source, entry["directory"], ["aarch64-linux-gnu-gcc", *words[first:output], "-o", os.devnull,
                                               *words[output + 2:], "-O0", *HEADERS]


def compile(command):
    source, directory, words = command
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True)
    return (source, done.stderr) if done.returncode else None


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    found = list(commands(sys.argv[1]))
    failed = [failure for failure in pool.map(compile, found) if failure]
for source, words in failed:
    print(f"{source}:\n{words}")
print(f"{len(found)} compilations for aarch64, {len(failed)} failed")
sys.exit(bool(failed) or not found)
