"""The tables of results/reference/gpu.md, from results/reference/gpu.tsv alone.

    python3 results/tables/gpu.py [--check]

`--check` writes nothing; it ends with status 1 where the page has other tables than the rows. Rows of `bench` with its columns, and the commit and the card of each. Where one case was measured several times, the last row counts. What stands between a
line `<!-- table NAME -->` and a line `<!-- end of table -->` is replaced by the table.
"""
import argparse
import csv
import os
import re
import sys

REFERENCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "reference")
PAGE, ROWS = (os.path.join(REFERENCE, name) for name in ("gpu.md", "gpu.tsv"))
MARKED = re.compile(r"(<!-- table (\S+) -->\n).*?(<!-- end of table -->)", re.S)
PRECISIONS = "f32", "f64"


def rounded(time):
    """three digits, thousands apart, of (microseconds, mark) or None"""
    if time is None:
        return ""
    x, mark = time
    return (f"{x:,.0f}" if x >= 100 else f"{x:.3g}") + mark


def pair(f32, f64):
    return f"{rounded(f32)} / {rounded(f64)}" if f32 or f64 else ""


class Rows:
    """the measured rows of one card"""

    def __init__(self, rows, card):
        self.rows, self.commits = [row for row in rows if row["gpu"] == card], {}

    def last(self, kernel, precision, device="cuda", contacts=None, scenes=None, threads=None):
        found = [row for row in self.rows if row["kernel"] == kernel and row["precision"] == precision and row["device"] == device
                 and (not contacts or int(row["contacts"]) == contacts) and (not scenes or int(row["scenes"]) == scenes)
                 and (not threads or int(row["threads"]) == threads)]
        if found:
            self.commits[found[-1]["commit"]] = None
        return found[-1] if found else None

    def time(self, kernel, precision, unit=1000, **which):
        """of all contacts [unit ns]; marked where the slowest sample took more than twice as long as the fastest"""
        row = self.last(kernel, precision, **which)
        if not row:
            return None
        mark = "*" if float(row["most_ns"]) > 2 * float(row["least_ns"]) else ""
        return float(row["ns_per_contact"]) * int(row["contacts"]) / unit, mark

    def sizes(self, kernel, device="cuda"):
        return sorted({int(row["contacts"]) for row in self.rows if row["kernel"] == kernel and row["device"] == device})


def iterations(rows):
    """An iteration of PCR with the Jacobi preconditioner, µs: floor (bytes at the bandwidth of a copy), GPU, processor."""
    yield "contacts", "floor f32 / f64", "GPU", "processor, 1 thread", "16 threads"
    for contacts in rows.sizes("pcr"):
        floor = [(float(row["bytes_per_contact"]) * contacts / float(row["triad_gb_s"]) / 1000, "")
                 for row in (rows.last("pcr", precision, contacts=contacts) for precision in PRECISIONS)]
        yield (f"{contacts:,}", pair(*floor), pair(*(rows.time("pcr", p, contacts=contacts) for p in PRECISIONS)),
               *(pair(*(rows.time("pcr", p, device="cpu", contacts=contacts, threads=threads) for p in PRECISIONS)) for threads in (1, 16)))


def sweeps(rows):
    """A sweep of Gauss-Seidel in f32 / f64, µs."""
    yield "contacts", "GPU", "processor, 1 thread"
    for contacts in rows.sizes("gauss-seidel"):
        yield (f"{contacts:,}", *(pair(*(rows.time("gauss-seidel", p, device=device, contacts=contacts, threads=1) for p in PRECISIONS))
                                  for device in ("cuda", "cpu")))


def preconditioners(rows):
    """PCR until the true residual is 1e-4 of its start, copies included, f32 / f64, ms; the processor with 16 threads and `jacobi`."""
    names = "", ":block-jacobi", ":chebyshev", ":chebyshev=12"
    yield "contacts", "jacobi", "block-jacobi", "chebyshev, degree 4", "degree 12", "processor"
    for contacts in rows.sizes("accuracy:1e-04:chebyshev"):
        yield (f"{contacts:,}", *(pair(*(rows.time("accuracy:1e-04" + name, p, 1e6, contacts=contacts) for p in PRECISIONS)) for name in names),
               pair(*(rows.time("accuracy:1e-04", p, 1e6, device="cpu", contacts=contacts, threads=16) for p in PRECISIONS)))


def batches(rows):
    """Whole steps, a Newton iteration with 20 iterations of PCR, f32 / f64, µs. `wall` includes copies and the wait, with 16 threads."""
    yield "scenes", "contacts of each", "kernel", "wall"
    for scenes in sorted({int(row["scenes"]) for row in rows.rows if row["kernel"] == "batch:wall"}):
        contacts = int(rows.last("batch:wall", "f32", scenes=scenes)["contacts"])
        yield (f"{scenes:,}", contacts // scenes,
               *(pair(*(rows.time(kernel, p, scenes=scenes, threads=16) for p in PRECISIONS)) for kernel in ("batch", "batch:wall")))


TABLES = {"iterations": (iterations, "H200"), "sweeps": (sweeps, "H200"), "preconditioners": (preconditioners, "H100"), "batches": (batches, "H100")}


def row(cells):
    return "| " + " | ".join(cells) + " |"


def drawn(name, rows):
    """the lines of a table, with what it shows and where its rows come from"""
    table, card = TABLES[name]
    own = Rows(rows, card)
    head, *lines = ([str(cell) for cell in line] for line in table(own))
    assert lines and all(len(line) == len(head) for line in lines), name
    said = f"{table.__doc__} {card}, {', '.join(own.commits)}."
    return "\n".join([said, "", row(head), "|" + "---|" * len(head), *map(row, lines)])


def page(text):
    """gpu.md with its tables drawn anew"""
    with open(ROWS, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    names = [match[2] for match in MARKED.finditer(text)]
    assert sorted(names) == sorted(TABLES), f"gpu.md has the tables {names}"
    return MARKED.sub(lambda match: f"{match[1]}\n{drawn(match[2], rows)}\n\n{match[3]}", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where a table is not that of the rows")
    check = parser.parse_args().check
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    new = page(text)
    if check:
        return "results/reference/gpu.md is not what results/tables/gpu.py draws" if new != text else 0
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
