"""What the documents say is so: links lead somewhere, commands run as they stand and print the columns shown, and the solver
that is shown compiles. Takes NCPBENCH (the program), CC and, for what is drawn, gnuplot."""
import collections
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cli_case import PATIENCE
from prose import DOCUMENTS, PAPERS, long_sentences, old_words, other_headings, prose

for place in "docs", "results/tables":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), place))
import members  # noqa: E402
import options  # noqa: E402
import schema  # noqa: E402
import tables  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("NCPBENCH", os.path.join(ROOT, "build/release/ncpbench"))
TASKS = sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs", "*.md")))
MANUAL = ["core/formulation.md", *sorted(os.path.relpath(path, ROOT) for folder in ("solvers", "results/tables")
                                         for path in glob.glob(os.path.join(ROOT, folder, "**", "*.md"), recursive=True))]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """(language, lines) of each fenced block, in order"""
    return [(m.group(1), m.group(2)) for m in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]


def anchors(text):
    """the names that headings have, as GitHub makes them"""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower()).replace(" ", "-") for heading in headings}


def targets(text):
    """where the links of a document lead in the same tree"""
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", prose(text)) if not re.match(r"https?:", target)]


def dead_links(path, text):
    for target in targets(text):
        place, _, anchor = target.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
        if not os.path.exists(there):
            yield f"{os.path.relpath(path, ROOT)}: {target} is not there"
        elif anchor and anchor not in anchors(text if there == path else read(there)):
            yield f"{os.path.relpath(path, ROOT)}: {target}: no such heading"


def lost_references(path, text):
    """documents, and sections of them, that a source names (`page.md, "Section"`) and that are not there"""
    text = re.sub(r"\n[ \t]*(\*|//)?[ \t]*", " ", text) # comments go on in the next line
    known = [os.path.relpath(document, ROOT) for document in DOCUMENTS]
    for name, section in re.findall(r'([\w/.-]*\w\.md)\b(?:, "([^"]+)")?', text):
        named = [document for document in known if f"/{document}".endswith(f"/{name}")]
        if not named and not re.search(r"\b(FILE|PAPER)\.md$", name): # of help texts
            yield f"{path}: {name} is not there"
        elif named and section and not any(re.sub(r"[^\w\- ]", "", section.lower()).replace(" ", "-") in anchors(read(page)) for page in named):
            yield f'{path}: {name} has no section "{section}"'


class Documents(unittest.TestCase):
    def test_sources_name_what_is_there(self):
        sources = sorted(path for folder in ("core", "solvers", "cuda", "scenarios", "analysis", "results", "tests") for ending in ("[ch]", "cu", "cuh", "gp")
                         for path in glob.glob(os.path.join(ROOT, folder, "**", f"*.{ending}"), recursive=True))
        self.assertGreater(len(sources), 500)
        self.assertEqual([lost for path in sources for lost in lost_references(os.path.relpath(path, ROOT), read(path))], [])
        self.assertEqual(len(list(lost_references("a", 'core/errors.md,\n * "The true error" errors.md, "No" none.md'))), 2)

    def test_reasons_and_places_of_errors_are_explained(self):
        """docs/diagnose.md has a row for every reason, and names the columns that tell where the error is"""
        page = read("docs/diagnose.md")
        names = re.findall(r'\[NB_REASON_\w+\] = "([\w-]+)"', read("core/reason.c"))
        self.assertGreater(len(names), 20)
        self.assertEqual([name for name in names if name != "none" and f"| `{name}` |" not in page], [])
        columns = re.findall(r'\[NB_PLACE_\w+\] = \{"(\w+)"', read("results/record/columns.c"))
        self.assertEqual(len(columns), 9)
        self.assertEqual([name for name in columns if f"{name}`" not in page], [])

    def test_links_lead_somewhere(self):
        self.assertGreater(len(DOCUMENTS), 5)
        self.assertEqual([link for path in DOCUMENTS for link in dead_links(path, read(path))], [])
        here = os.path.join(ROOT, "README.md")
        self.assertEqual(len(list(dead_links(here, "# A b\n[a](#a-b) [c](#c) [d](none.md) [e](README.md#nowhere)"))), 3)

    def test_the_first_page_is_a_page(self):
        shown = re.sub(r"^```.*?^```$", "", read("README.md"), flags=re.M | re.S)
        self.assertLessEqual(len(shown.split()), 900)

    def test_the_version_is_one(self):
        version, = re.findall(r"(?m)^project\(ncpbench VERSION (\S+)", read("CMakeLists.txt"))
        self.assertIn(f"\nversion: {version}\n", read("CITATION.cff"))
        self.assertIn(f"version = {{{version}}}", read("docs/cite.md"))
        self.assertIn(f"\n## {version} - ", read("CHANGELOG.md"))

    def test_the_list_of_prose_finds_what_it_is_for(self):  # tests/prose.py: a list, no failure
        self.assertEqual(len(list(long_sentences("A b. " + "c " * 25 + "d.\n\n| " + "e " * 25 + "|\n\nF g.\n"))), 1)
        self.assertEqual(len(list(old_words("`colour` colour anew\n```\nbeside\n```\nraised, revised, optimised"))), 3)
        self.assertEqual(len(list(other_headings("<!-- options methods lemke -->\n<!-- end of options -->\n## Problem\n## Cost\n"))), 1)

    def test_every_method_has_a_page_with_its_options(self):
        marks = {page: options.MARKED.findall(read(page)) for page in options.pages()}
        named = [(kind, name) for page in marks for _, kind, names, _ in marks[page] for name in names.split() or ["all"]]
        methods = [("methods", entry["name"]) for entry in options.entries(PROGRAM, "methods")]
        self.assertEqual(sorted(named), sorted([*methods, ("linear-solvers", "all"), ("preconditioners", "all")]))
        for page in marks: # python3 docs/options.py renews them
            self.assertEqual(options.renewed(PROGRAM, read(page)), read(page))
            if any(kind == "methods" for _, kind, _, _ in marks[page]):
                words = len(options.MARKED.sub("", read(page)).split())
                self.assertTrue(200 <= words <= 500, f"{page}: {words} words")
        old = "<!-- options methods lemke -->\nold\n<!-- end of options -->\n"
        self.assertIn("| `lemke-shift` | 0 |", options.renewed(PROGRAM, old))

    def test_tables_say_how_they_were_made(self):
        self.assertEqual(sorted(tables.pages()), sorted(tables.TABLES))
        measured = set(glob.glob(os.path.join(tables.HOME, "[!R]*.md"))) - {os.path.join(tables.HOME, "standard-set.md")}  # it counts
        for page in measured:
            self.assertTrue(all(f"| {what} |" in read(page) for what in ("command", "processor", "date")), page)
        name = "friction-couplings"
        with tempfile.TemporaryDirectory() as folder:
            made = tables.drawn(name, tables.Lab(PROGRAM, folder))
        kept, = (kept for kept in tables.MARKED.finditer(read(tables.pages()[name])) if kept[2] == name)
        labels = [[line.split("|")[1:3] for line in lines if line.startswith("|")] for lines in (made, kept[0].splitlines())]
        self.assertEqual([cells[0] for cells in labels[0]], [cells[0] for cells in labels[1]])
        self.assertRegex(made[-1], r"\| 0\.65 \| 1\.4 \| 0\.65 \|$")  # the slip in millimeters, which converges with the step

    def test_the_preconditioners_that_readme_names_are_the_measured_ones(self):
        """the two that most cells of docs/compare.md have, to a residual of 1e-8"""
        table, = (kept[0] for kept in tables.MARKED.finditer(read("docs/compare.md")) if kept[2] == "which-preconditioner")
        rows = [line.split("|")[2:-1] for line in table.splitlines() if ", 1e-8 |" in line]
        self.assertEqual(len(rows), len(tables.SCENES_OF_STUDY))
        cells = [re.findall(r"`([\w-]+)`", cell) for row in rows for cell in row if cell.strip()]
        (first, many), (second, some), *_ = collections.Counter(name for names in cells for name in names).most_common()
        self.assertIn(f"`{first}` takes the least time, or at most 1.25 times as much, on {many} of {len(cells)} systems, `{second}` on {some}.",
                      " ".join(read("README.md").split()))

    def test_the_schema_has_the_programs_tables(self):
        page = read(schema.PAGE)
        self.assertEqual(schema.renewed(PROGRAM, page), page)  # python3 docs/schema.py renews them
        prefixes = [prefix for _, prefix, _, _ in schema.MARKED.findall(page)]
        groups = {re.match(r"runs/NNNN/(systems/SSSS_KKK/|\w+/)|bench/|\w+:", path)[0] for path in schema.datasets(PROGRAM)}
        self.assertEqual(sorted(prefixes), sorted(groups))

    def test_members_of_scenes_are_the_programs(self):
        self.assertEqual(list(members.stale(PROGRAM)), [])  # python3 docs/members.py renews them
        old = "<!-- members -->\nold\n<!-- end of members -->\n"
        self.assertIn("| `mass_kg` | number | kg |", members.renewed(PROGRAM, old))

    def test_every_claim_has_a_verdict_and_every_paper_a_citation(self):
        claims = [line.split("\t") for line in read("results/claims/claims.tsv").splitlines()[1:]]
        verdicts = ["holds", "in part", "does not hold", "set-up missing", "not testable", "misprint", "open"]
        for paper in PAPERS:
            text = read(f"results/claims/{paper}.md") # ncpbench reproduce --claims PAPER --write results/claims/PAPER.md
            rows = re.findall(r'(?m)^\| <a id="([^"]+)"></a>.*? \| \*\*([a-z -]+)\*\*<details>', text)
            self.assertEqual([claim[0] for claim in claims if claim[0].startswith(paper + "-")], [name for name, _ in rows])
            counts = [str(sum(found == verdict for _, found in rows)) for verdict in verdicts]
            self.assertEqual(sum(map(int, counts)), len(rows))
            self.assertIn(f"]({paper}.md) | {' | '.join(counts)} |", read("results/claims/README.md"))
            page = re.sub(r"\\(.)", r"\1", text)
            notes = re.findall(r"(?m)^note: (.*)$", read(f"results/claims/{paper}.claims"))
            self.assertEqual([note for note in notes if re.sub(r"\\(.)", r"\1", note) not in page], [])
        for paper in {claim[1] for claim in claims}:
            self.assertIn(re.match(r"(.*?)(,| et al)", paper)[1], read("CITATION.cff"))

    def test_the_solver_shown_compiles(self):
        shown = read("tests/developing/steepest_descent.c")
        precisions, = re.findall(r"(?m)^NB_PRECISIONS\((.*)\);$", shown) # as CMake reads it
        self.assertEqual(precisions, "f32, f64")
        for bits in 32, 64:
            command = [os.environ.get("CC", "cc"), "-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                       "-Wshadow", "-Werror", f"-DNB_REAL_BITS={bits}", "-DNB_PRECISIONS_READ=3", f"-I{ROOT}/core", "-x", "c", "-"]
            run = subprocess.run(command, input=shown, capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""))


@unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
class Commands(unittest.TestCase):
    """what stands in blocks of language sh, run in a folder that has the sources and the program where they are in the project; a
    block of language text that follows holds what is printed: its first line, the names of columns, is compared. Blocks of python
    are run as well. A block that stands in several documents is run once."""

    def run_documents(self, *documents):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "build"))
            os.symlink(os.path.dirname(os.path.abspath(PROGRAM)), os.path.join(folder, "build/release"))
            for name in "core", "tests", "solvers", "scenarios":
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
            os.makedirs(os.path.join(folder, "results/figures"))
            os.makedirs(os.path.join(folder, "problems")) # a folder of problems, for suite
            subprocess.run([PROGRAM, "export", "incline", "--at", "2", "--format", "fclib", "-o", os.path.join(folder, "problems/stored.hdf5")],
                           check=True, capture_output=True)
            printed = {} # by block
            for document in documents:
                for language, text in blocks(read(document)):
                    if language == "sh":
                        last = printed[text] = printed.get(text) or self.run_commands(document, folder, text)
                    elif language == "python" and "from ncpbench import run" in text and not importlib.util.find_spec("pandas"):
                        continue
                    elif language == "python":
                        subprocess.run([sys.executable, "-c", text], cwd=folder, check=True, capture_output=True, timeout=PATIENCE,
                                       env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "analysis", "python"), "PYTHONDONTWRITEBYTECODE": "1"})
                    elif language == "text":
                        columns = text.splitlines()[0].split()
                        self.assertTrue(any(line.split() == columns for line in last), f"{document}: {columns} not in {last}")

    def run_commands(self, document, folder, text):
        # the script without installing and building
        text = re.sub(r"^bash results/reproduce.sh (\S+)", r"build/release/ncpbench reproduce --quick \1 -o results/figures/\1", text, flags=re.M)
        printed, variables = [], "".join(re.findall(r"^[A-Z]+=\S+\n", text, flags=re.M))
        without_python = not os.path.exists(os.path.join(folder, "build/release/ncpbench-python.so"))
        for command in re.findall(r"(?:.*<<'END'\n(?:.*\n)*?END|.+)\n", re.sub(r"\\\n", "", text)):
            if without_python and re.search(r"--plugin \S+\.py\b", command):
                continue
            run = subprocess.run(["bash", "-c", variables + command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
            # 1 and 2: not converged, a check failed; results like others
            self.assertIn(run.returncode, (0, 1, 2), f"{document}: {command}\n{run.stderr}")
            printed += run.stdout.splitlines()
        return printed

    def test_readme_and_tasks(self):
        self.assertGreater(len(TASKS), 7)
        self.run_documents("README.md", *TASKS)

    def test_methods(self):
        self.run_documents(*[page for page in MANUAL if page.startswith("solvers/") and page != "solvers/README.md"])

    def test_analysis(self):
        self.run_documents("analysis/README.md")

    def test_results(self):
        self.run_documents("results/README.md")


if __name__ == "__main__":
    unittest.main()
