"""The tables of datasets in results/schema.md, from the tables of the program that write the record.

    python3 docs/schema.py [--program build/release/ncpbench] [--check]

What stands between a line `<!-- datasets PREFIX -->` and a line `<!-- end of datasets -->` is replaced by a table of the datasets whose path begins with
PREFIX (`ncpbench list datasets`); what follows PREFIX names them. `<!-- datasets PREFIX but OTHER -->` leaves out those whose path begins with OTHER, or
whose last name is also there (reference/ but final/). The columns of `newton` are `ncpbench list columns`, with their methods. Dimension scales have no row. A shape
that most datasets of a group have stands before the table.
With --check nothing is written, and the exit status is 1 where the page is out of date.
"""
import collections
import re
import sys

from options import command, entries, head, read, row

PAGE = "results/schema.md"
MARKED = re.compile(r"(<!-- datasets (\S+)(?: but (\S+))? -->\n).*?(<!-- end of datasets -->\n)", re.S)
NEWTON = "runs/NNNN/newton/"
FAMILIES = {"systems": ["newton", "interior-point", "auto", "single-level", "bilevel", "smoothed"],  # named in the page
            "projected": ["psor", "pssor", "nsgs", "admm", "fbf", "apgd", "lemke", "pgs"]}


def datasets(program):
    """{path: (shape, units, meaning, methods)}, without dimension scales"""
    found = {e["name"]: (e["shape"], e["units"], e["summary"], "") for e in entries(program, "datasets") if e.get("note") != "dimension scale"}
    for e in entries(program, "columns"):
        if not e["name"].startswith("linear/"):
            found[NEWTON + e["name"]] = ("step, newton", e["units"], e["summary"], e.get("note", "").removeprefix("of "))
    return found


def families(methods):
    """a list of methods, in which names of FAMILIES stand for their members"""
    left, text = methods.split(", "), []
    for name, members in FAMILIES.items():
        if set(members) <= set(left):
            left = [method for method in left if method not in members]
            text.append(f"*{name}*")
    return ", ".join(text + left)


def shown(found, prefix, other):
    """the lines that belong between the marks"""
    known = {path.removeprefix(other) for path in found if other and path.startswith(other)}
    rows = []
    for path, (shape, units, meaning, methods) in found.items():
        name = path.removeprefix(prefix)
        if path.startswith(prefix) and name.split("/")[-1] not in known and not (other and path.startswith(other)):
            rows.append([f"`{name}`", f"[{shape}]", units, meaning] + ([families(methods)] if prefix == NEWTON else []))
    if not rows:
        sys.exit(f"docs/schema.py: no dataset begins with {prefix}")
    titles = ["dataset", "shape", "unit", "meaning", *(["methods"] if prefix == NEWTON else [])]
    usual, count = collections.Counter(cells[1] for cells in rows).most_common(1)[0]
    if count < .8 * len(rows):
        return [*head(*titles), *(row(*cells) for cells in rows)]
    for cells in rows:  # most have one shape: it stands before the table, another one before the meaning
        shape = cells.pop(1)
        cells[2] = cells[2] if shape == usual else f"{shape} {cells[2]}"
    titles.remove("shape")
    return [f"Shape {usual}" + (", or as stated:" if count < len(rows) else ":"), "", *head(*titles), *(row(*cells) for cells in rows)]


def renewed(program, text):
    """the page with the present tables"""
    found = datasets(program)
    return MARKED.sub(lambda m: m[1] + "\n" + "\n".join(shown(found, m[2], m[3] or "")) + "\n\n" + m[4], text)


def stale(program):
    """{path: text} of the page, where it is out of date"""
    text = renewed(program, read(PAGE))
    return {PAGE: text} if text != read(PAGE) else {}


if __name__ == "__main__":
    sys.exit(command(__doc__, stale))
