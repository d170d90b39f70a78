"""What the documents say is so: links lead somewhere, commands run as they stand and print the columns shown, and the solver
that is shown compiles. Takes NCPBENCH (the program), CC and, for what is drawn, gnuplot."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cli_case import PATIENCE

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("NCPBENCH", os.path.join(ROOT, "build/release/ncpbench"))
DOCUMENTS = sorted(path for folder in [".", "core", "solvers", "cuda", "scenarios", "analysis", "results", "tests"]
                   for path in glob.glob(os.path.join(ROOT, folder, "**" if folder != "." else "", "*.md"), recursive=True))
# whose commands are run, in one folder a document: each makes the files that later ones take
RUN = ["README.md", "analysis/README.md", "results/README.md"]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """(language, lines) of each fenced block, in order"""
    return [(m.group(1), m.group(2)) for m in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]


def prose(text):
    return re.sub(r"^```.*?^```$|^    .*?$", "", text, flags=re.M | re.S)


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


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        self.assertGreater(len(DOCUMENTS), 5)
        self.assertEqual([link for path in DOCUMENTS for link in dead_links(path, read(path))], [])
        here = os.path.join(ROOT, "README.md")
        self.assertEqual(len(list(dead_links(here, "# A b\n[a](#a-b) [c](#c) [d](none.md) [e](README.md#nowhere)"))), 3)

    def test_the_first_page_is_a_page(self):
        self.assertLessEqual(len(read("README.md").splitlines()), 210)

    def test_every_claim_has_a_verdict_and_every_paper_a_citation(self):
        claims = [line.split("\t") for line in read("results/claims/claims.tsv").splitlines()[1:]]
        rows = [line.split(" | ") for line in read("results/claims/README.md").splitlines() if re.match(r"\| [a-z]+-\d\d \|", line)]
        self.assertEqual([claim[0] for claim in claims], [row[0][2:] for row in rows])
        self.assertLessEqual({row[4] for row in rows}, {"holds", "in part", "does not hold", "not testable", "open"})
        for paper in {claim[1] for claim in claims}:
            self.assertIn(re.match(r"(.*?)(,| et al)", paper)[1], read("CITATION.cff"))

    def test_the_solver_shown_compiles(self):
        shown = [text for language, text in blocks(read("solvers/README.md")) if language == "c"]
        self.assertEqual(len(shown), 1)
        precisions, = re.findall(r"(?m)^NB_PRECISIONS\((.*)\);$", shown[0]) # as CMake reads it
        self.assertEqual(precisions, "f32, f64")
        for bits in 32, 64:
            command = [os.environ.get("CC", "cc"), "-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                       "-Wshadow", "-Werror", f"-DNB_REAL_BITS={bits}", "-DNB_PRECISIONS_READ=3", f"-I{ROOT}/core", "-x", "c", "-"]
            run = subprocess.run(command, input=shown[0], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""))


@unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
class Commands(unittest.TestCase):
    """what stands in blocks of language sh, run in a folder that has the sources and the program where they are in the project; a
    block of language text that follows holds what is printed: its first line, the names of columns, is compared"""

    def run_document(self, document):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "build"))
            os.symlink(os.path.dirname(os.path.abspath(PROGRAM)), os.path.join(folder, "build/release"))
            for name in "core", "tests", "solvers":
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
            os.makedirs(os.path.join(folder, "results/figures"))
            self.prepare(document, folder)
            for language, text in blocks(read(document)):
                if language == "sh":
                    # the script without installing and building
                    text = re.sub(r"^bash results/reproduce.sh (\S+)", r"build/release/ncpbench reproduce --quick \1 -o results/figures/\1",
                                  text, flags=re.M)
                    printed = []
                    for command in re.sub(r"\\\n", "", text).splitlines():
                        run = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
                        # 1 and 2: not converged, a check failed; results like others
                        self.assertIn(run.returncode, (0, 1, 2), f"{document}: {command}\n{run.stderr}")
                        printed += run.stdout.splitlines()
                elif language == "text":
                    columns = text.splitlines()[0].split()
                    self.assertTrue(any(line.split() == columns for line in printed), f"{document}: {columns} not in {printed}")

    def prepare(self, document, folder):
        if document == "results/README.md": # a folder of problems
            os.makedirs(os.path.join(folder, "problems"))
            subprocess.run([PROGRAM, "export", "incline", "--at", "2", "--format", "fclib", "-o", os.path.join(folder, "problems/incline.hdf5")],
                           check=True, capture_output=True)

    def test_readme(self):
        self.run_document("README.md")

    def test_analysis(self):
        self.run_document("analysis/README.md")

    def test_results(self):
        self.run_document("results/README.md")


if __name__ == "__main__":
    unittest.main()
