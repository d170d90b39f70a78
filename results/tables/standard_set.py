#!/usr/bin/env python3
"""The table of the standard set by class: how many problems, of which sizes, and of how many the solution is known.

    python3 results/tables/standard_set.py [-o results/tables/standard-set.md]

Draws from scenarios/standard alone: no solver runs, and Python suffices.
"""
import argparse
import importlib
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HOME = os.path.join(ROOT, "scenarios", "standard")
sys.path[:0] = [HOME, os.path.join(ROOT, "analysis", "python")]
from ncpbench import files  # noqa: E402
sys.dont_write_bytecode = True

CLASSES = importlib.import_module("problems").CLASSES

KNOWN = ["two", "one", "none", "proof"]


def table():
    with open(os.path.join(HOME, "standard.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def known(row):
    """what is known of its solution"""
    if row["best"] == "infeasible" or row["methods"] == "cases":
        return "proof"
    return "none" if row["best"] == "none known" else KNOWN[2 - row["methods"].count(":")]


def open_problem(row):
    """a line of those of which no solution is known"""
    method, value = row["methods"].split(":") if row["methods"] else ("-", "-")
    return f"| {row['name']} | {row['contacts']} | {value} | {method} |"


def line(kind, words, rows):
    contacts = [int(row["contacts"]) for row in rows]
    counts = [sum(known(row) == what for row in rows) for what in KNOWN]
    small = sum(row["set"] == "small" for row in rows)
    return f"| {kind} | {words} | {small} | {len(rows) - small} | {min(contacts)} to {max(contacts)} | " + " | ".join(map(str, counts)) + " |"


def page():
    every = table()
    rows = [row for row in every if row["set"] != "failures"]
    failures = [row for row in every if row["set"] == "failures"]
    return "\n".join([
        "# Classes of the standard set", "",
        "The columns count problems. *Contacts* are those of the smallest and of the largest problem of the class.",
        "*Two*, *one*, *none*: so many methods reached a natural map of 1e-8 ‖q‖, or its round-off, in 20 to 100 s each; on the largest problems in up to 900 s.",
        "*Proof*: a certificate, or a proof by cases of Coulomb's law, shows that there is no solution.",
        "`python3 results/tables/standard_set.py` draws this page.", "",
        "| class | | small | full | contacts | two | one | none | proof |", "|---" * 9 + "|",
        *(line(kind, words, [row for row in rows if row["class"] == kind]) for kind, words in CLASSES.items() if kind != "failures"),
        line("all", "", rows), "",
        *(f"At round-off: `{row['name']}`, {row['best']} ‖q‖, by {' and '.join(re.findall('(?:^| )([^ ]+):', row['methods']))}."
          for row in rows if row["methods"].endswith("round-off")), "",
        "Open: no method found a solution, and there is no proof that none exists. *Best* is the least natural map over ‖q‖ that is known.", "",
        "| open problem | contacts | best | by |", "|---" * 4 + "|",
        *(open_problem(row) for row in rows if known(row) == "none"), "",
        "The set `failures` stands apart. *Best* is the least natural map over ‖q‖ that is known.", "",
        "| problem | source | contacts | best | methods that reached 1e-8 |", "|---" * 5 + "|",
        *(f"| {row['name']} | `{row['source']}` | {row['contacts']} | {row['best']} | {re.sub(':[^ ]*', '', row['methods']) or 'none'} |" for row in failures), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "results", "tables", "standard-set.md"))
    text = page()
    try:
        files.put(parser.parse_args().output, text, own=text.splitlines()[0])
    except (OSError, files.Refused) as fault:
        print(f"standard_set.py: {files.line(fault)}", file=sys.stderr)
        return files.status(fault)
    return 0


if __name__ == "__main__":
    sys.exit(main())
