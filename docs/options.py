"""The options of methods, linear solvers and preconditioners in their pages, from the tables of the program.

    python3 docs/options.py [--program build/release/ncpbench] [--check]

A page has a line `<!-- options KIND NAME... -->`, for example `<!-- options methods psor pssor -->`, and a line `<!-- end of options -->`. What stands
between them is replaced by a table of the options, and is read from `ncpbench list --format json KIND`. Without a NAME there are two tables, of all
entries of the kind and of all their options. With --check nothing is written, and the exit status is 1 where a page is out of date.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "analysis", "python"))
from ncpbench import files  # noqa: E402
MARKED = re.compile(r"(<!-- options (\S+)((?: \S+)*) -->\n).*?(<!-- end of options -->\n)", re.S)


def pages():
    """the documents that have the marks, from the root"""
    found = sorted(glob.glob(os.path.join(ROOT, "solvers", "**", "*.md"), recursive=True))
    return [os.path.relpath(path, ROOT) for path in found if MARKED.search(read(path))]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def entries(program, kind):
    done = subprocess.run([program, "list", "--format", "json", kind], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)[kind]


def number(value):
    return value if isinstance(value, str) else format(value, ".6g")


def value(option):
    """the default, with its unit, and the other choices; `list` has the range of a number"""
    if "choices" in option:
        return ", ".join(f"`{choice}`" for choice in [option["default"], *(other for other in option["choices"] if other != option["default"])])
    return number(option["default"]) + ("" if option.get("units", "1") == "1" else " " + option["units"])


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def head(*cells):
    return [row(*cells), "|" + "---|" * len(cells)]


def option_rows(entry, first):
    """the options' rows; with `first`, behind a cell that names the entry"""
    return [row(*first, f"`{o['name']}`", value(o), o["summary"]) for o in entry["options"]]


def shown(program, kind, names):
    """the lines that belong between the marks"""
    columns = ["option", "default, choices", "meaning"]
    found = {entry["name"]: entry for entry in entries(program, kind)}
    if names:
        options = {tuple(option_rows(found[name], [])) for name in names}
        if len(options) != 1:
            sys.exit(f"docs/options.py: {', '.join(names)} have different options: they need tables of their own")
        rows = list(options.pop())
        return [*head(*columns), *rows] if rows else ["It has no options."]
    rows = [row(f"`{e['name']}`", e["summary"], e.get("note", "").replace("; ", ", ")) for e in found.values()]
    options = [line for e in found.values() for line in option_rows(e, [f"`{e['name']}`"])]
    return [*head("name", "what it is", "notes"), *rows, "", *head("of", *columns), *options]


def renewed(program, text):
    """the page with the present tables"""
    return MARKED.sub(lambda m: m[1] + "\n" + "\n".join(shown(program, m[2], m[3].split())) + "\n\n" + m[4], text)


def stale(program):
    """{path: text} of the pages that are out of date"""
    return {page: text for page in pages() if (text := renewed(program, read(page))) != read(page)}


def command(doc, stale_of):
    """the command of a script in this folder that renews files: its exit status"""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "ncpbench"))
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    found = stale_of(asked.program)
    for path, text in found.items():
        print(f"{path}: {'is out of date' if asked.check else 'written'}")
        if not asked.check:
            files.put(os.path.join(ROOT, path), text, force=True)
    return 1 if asked.check and found else 0


if __name__ == "__main__":
    sys.exit(command(__doc__, stale))
