"""Small changes of the sources that some test should notice: what no test notices is a place that nothing holds.

    python3 tests/mutants.py [--places N] [--seed N] [--only PATTERN] [--tests REGEX] [--build FOLDER]

Copies the checked-out tree into FOLDER [build/mutants], draws N places [12] of its C sources by the seed [the day of the
year], changes one at a time (a comparison's end, a sign, a condition, a factor), builds, and runs the tests until one fails.
--only takes paths that contain PATTERN, --tests only tests whose names match. Prints a line a place and, of each survivor,
the change; status 1 where one survived, 3 where the tree itself does not build or pass. With all tests a place takes
minutes. A survivor may be a change that means nothing: look at it, and write the test where it does mean something.
"""

import argparse
import datetime
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("core", "solvers", "cuda", "scenarios", "results", "analysis")

# what to look for, and what to put there
CHANGES = [
    (r"(?<=[\w)\]] )<(?= [\w(-])", "<="),
    (r"(?<=[\w)\]] )<=(?= [\w(-])", "<"),
    (r"(?<=[\w)\]] )>(?= [\w(-])", ">="),
    (r"(?<=[\w)\]] )>=(?= [\w(-])", ">"),
    (r"(?<=[\w)\]] )==(?= )", "!="),
    (r"(?<=[\w)\]] )!=(?= )", "=="),
    (r"(?<=[\w)\]] )&&(?= )", "||"),
    (r"(?<=[\w)\]] )\|\|(?= )", "&&"),
    (r"(?<=[\w)\]] )\+(?= [\w(])", "-"),
    (r"(?<=[\w)\]] )-(?= [\w(])", "+"),
    (r"(?<=[\w)\]] )\*(?= [\w(])", "/"),
    (r"(?<=[\w)\]] )\+=(?= )", "-="),
    (r"(?<=[\w)\]] )-=(?= )", "+="),
    (r"(?<=\()!(?=\w)", ""),
    (r"(?<=return )0(?=;)", "1"),
    (r"(?<=return )1(?=;)", "0"),
    (r"\b(\d+\.\d+|\d*\.?\d+e[+-]?\d+)\b", r"(2 * \1)"),
    (r"\bfmax\(", "fmin("),
    (r"\bfmin\(", "fmax("),
]


def code_of(line):
    """The line with comments and texts blanked out, so that columns stay; nothing of one without statements."""
    if re.match(r"\s*(#|\*|/\*|//|static const char|NB_TRY\(nb_fail)", line):
        return ""
    return re.sub(r'"(\\.|[^"\\])*"|/\*.*?(\*/|$)|//.*', lambda m: " " * len(m.group()), line)


def places(tree, only):
    """(file, line number, column, end, replacement) of every change that could be made"""
    found = []
    for folder in FOLDERS:
        for path in sorted((tree / folder).rglob("*.[ch]")):
            if only not in str(path.relative_to(tree)) or "studies" in path.parts:
                continue
            comment = False
            for number, line in enumerate(path.read_text().split("\n")):
                code = "" if comment else code_of(line)
                comment = "*/" not in line if comment else "/*" in line and "*/" not in line.split("/*")[-1]
                for pattern, new in CHANGES:
                    for m in re.finditer(pattern, code):
                        found.append((path, number, m.start(), m.end(), m.expand(new)))
    return found


def works(command, tree):
    return subprocess.run(command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--places", type=int, default=12)
    parser.add_argument("--seed", type=int, default=datetime.date.today().timetuple().tm_yday)
    parser.add_argument("--only", default="")
    parser.add_argument("--tests", default=".")
    parser.add_argument("--build", type=Path, default=ROOT / "build/mutants")
    options = parser.parse_args()
    print(f"seed {options.seed}")

    tree = options.build.resolve() / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in files.rstrip("\0").split("\0"):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    build = ["cmake", "--build", "--preset", "release"]
    test = ["ctest", "--preset", "release", "--no-tests=ignore", "--stop-on-failure", "--parallel", "2", "-R", options.tests, "-E"]

    def passes():
        """The tests in C first, as most changes fail one of them in seconds; that of the tree looks at the sources' form alone."""
        return works([*test, "^([^t]|t[^e])"], tree) and works([*test, "^test_|^tree$"], tree)

    if not works(["cmake", "--preset", "release"], tree) or not works(build, tree) or not passes():
        print(f"The tree itself does not build or pass its tests: {tree}")
        return 3

    survivors = 0
    for path, number, start, end, new in random.Random(options.seed).sample(places(tree, options.only), options.places):
        text = path.read_text()
        lines = text.split("\n")
        old = lines[number]
        lines[number] = old[:start] + new + old[end:]
        path.write_text("\n".join(lines))
        if not works(build, tree):
            outcome = "does not build"
        elif not passes():
            outcome = "noticed"
        else:
            outcome = "SURVIVED"
            survivors += 1
        print(f"{path.relative_to(tree)}:{number + 1}: {outcome}", flush=True)
        if outcome == "SURVIVED":
            print(f"  - {old.strip()}\n  + {lines[number].strip()}", flush=True)
        path.write_text(text)
    print(f"{survivors} of {options.places} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
