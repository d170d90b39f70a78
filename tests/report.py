"""Reports: the page is whole, refers to nothing outside, shows the record's text as text and its numbers as they are.

    NCPBENCH=build/ncpbench python3 tests/report.py [Class...]

The class Browser looks with a headless browser, and ends with 77 where none is installed.
"""
import html.parser
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree

import h5py
import numpy

from cli_case import PATIENCE, PROGRAM, Case, runs_of, text

EMPTY = {"meta", "wbr", "br", "link", "img"}
HOSTILE = "</td><script>alert(1)</script><svg/onload=alert(2)>&\"'"


class Page(html.parser.HTMLParser):
    """checks that tags balance, and collects tables, attributes and the text of elements"""

    def __init__(self, source):
        super().__init__()
        self.open, self.tags, self.attributes, self.tables, self.texts = [], [], [], {}, {}
        self.ids = []
        self.feed(source)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "table":
            self.rows = self.tables.setdefault(values.get("id"), [])
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append(["", values.get("data-value")])
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1][0] += data
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data


def column(page, table, name):
    rows = page.tables[table]
    place = [cell[0] for cell in rows[0]].index(name)
    return [row[place] for row in rows[1:]]


class Report(Case):
    @classmethod
    def setUpClass(cls):
        """one record for all: two solvers with repetitions, as fig. 11 wants them, and one of another kind"""
        cls.shared = tempfile.TemporaryDirectory(prefix="ncpbench-report-")
        cls.addClassCleanup(cls.shared.cleanup)
        cls.record = os.path.join(cls.shared.name, "runs.h5")
        common = ["-o", cls.record]
        subprocess.run([PROGRAM, "run", "arch,heavy-stack", "--settle", "2", "--steps", "1", "--lead", "3",
                        "--newton-iterations", "1", "--linear-iterations", "20", "--linear-solver", "pcg,pcr", "--repeat",
                        "3", *common], check=True, capture_output=True, timeout=PATIENCE)
        subprocess.run([PROGRAM, "run", "arch", "--steps", "2", "--set", "mu=0.4,0.6", "--append", *common], check=True,
                       capture_output=True, timeout=PATIENCE)

    def setUp(self):
        super().setUp()
        shutil.copy(self.record, self.path("a.h5"))

    def page(self, *arguments, name="a.html", says=""):
        out, err = self.ncpbench("report", "a.h5", *arguments)
        self.assertEqual((out, err), (name + "\n", says))
        self.source = self.bytes_of(name).decode() # strictly UTF-8
        page = Page(self.source)
        for tag, attribute, value in page.attributes: # else a browser shows nothing
            if attribute == "src":
                xml.etree.ElementTree.fromstring(urllib.parse.unquote(value.split(",", 1)[1]))
        return page

    def spoil(self, path, name, value):
        with h5py.File(self.path("a.h5"), "r+") as record:
            record[path].attrs[name] = numpy.bytes_(value)
            for owner in (path, "provenance"):  # on purpose
                record[owner].attrs.pop("texts_checksum", None)


class Contents(Report):
    def test_one_file_that_needs_nothing(self):
        page = self.page()
        self.only("a.h5", "a.html")
        self.assertTrue(self.source.startswith("<!DOCTYPE html>\n"))
        self.assertIsNone(re.search(r"https?:|//[a-z]|@import|url\(", re.sub(r"// [^\n]*|src=\"[^\"]*", "", self.source)))
        for tag, name, value in page.attributes:
            if name in ("href", "src"):
                self.assertRegex(value, r"\A(#|data:image/svg\+xml,)", (tag, name))
            self.assertFalse(name.startswith("on"), (tag, name))
        self.assertFalse({"link", "iframe", "object", "svg", "base", "form"} & set(page.tags))
        self.assertEqual(page.tags.count("script"), 1)

    def test_ids_are_unique_and_references_have_a_target(self):
        page = self.page()
        self.assertEqual(len(page.ids), len(set(page.ids)))
        used = {value[1:] for tag, name, value in page.attributes if name == "href"}
        self.assertGreater(len(used), 2)
        self.assertLessEqual(used, set(page.ids))

    def test_the_runs_have_the_records_numbers(self):
        page = self.page()
        with h5py.File(self.path("a.h5")) as record:
            runs = [record["runs"][name] for name in sorted(record["runs"])]
            self.assertEqual([cell[0] for cell in column(page, "table-of-runs", "run")], sorted(record["runs"]))
            for key in ("scenario", "linear_solver", "settle", "newton_iterations"):
                self.assertEqual([cell[0] for cell in column(page, "table-of-runs", key.replace("_", " "))],
                                 [text(run.attrs[key]) for run in runs], key)
            for title, of in (("steps", lambda run: len(run["steps/time"])),
                              ("contacts", lambda run: run["steps/contacts"][-1]),
                              ("Newton", lambda run: numpy.mean(run["steps/newton_iterations"])),
                              ("linear", lambda run: numpy.nanmean(run["newton/linear_iterations"])),
                              ("natural map [m/s]", lambda run: run["steps/natural_map_error"][-1]),
                              ("step [ms]", self.step_time), ("peak [MiB]", lambda run: run.attrs["peak_bytes"]),
                              ("recording [ms]", lambda run: run.attrs["record_s"])):
                shown = [float(cell[1]) for cell in column(page, "table-of-runs", title)]
                numpy.testing.assert_allclose(shown, [of(run) for run in runs], rtol=1e-14, err_msg=title)
            for run in runs:  # numbers that can be
                used = run.attrs
                self.assertGreater(used["peak_bytes"], 64 * used["bodies"])
                self.assertGreater(used["peak_resident_bytes"], used["peak_bytes"])
                self.assertGreater(used["wall_s"], run["steps/step_s"][()].sum())
                self.assertGreater(used["record_s"], 0)
            shown = column(page, "table-of-runs", "least – most [ms]")
            for cell, run in zip(shown, runs):
                if "repeats" not in run or run["repeats/step_s"].shape[0] < 2:
                    self.assertEqual(cell[0], "–")
                    continue
                medians = numpy.median(run["repeats/step_s"], axis=1)
                self.assertEqual(float(cell[1]), medians.min())
                self.assertEqual(cell[0], f"{1e3 * medians.min():.3g} – {1e3 * medians.max():.3g}")
        titles = [cell[0] for cell in page.tables["table-of-runs"][0]]
        self.assertIn("mu", titles) # differs
        self.assertNotIn("precision", titles) # does not

    @staticmethod
    def step_time(run):
        if "repeats" in run and run["repeats/step_s"].shape[0]:
            return numpy.median(numpy.median(run["repeats/step_s"], axis=1))
        return numpy.median(run["steps/step_s"])

    def test_the_checks_are_those_of_check(self):
        with h5py.File(self.path("a.h5"), "r+") as record:
            record["runs/0005/final/lambda_normal"][0] *= 1.5
        page = self.page()
        out, err = self.ncpbench("check", "a.h5", status=2)
        rows = [[cell[0] for cell in row] for row in page.tables["table-of-checks"]]
        lines = [re.split(r"  +", line) for line in out.splitlines()]
        lines[0] = [title.replace("_", " ") for title in lines[0]]
        unit = lines[0].index("unit")
        self.assertIn("1", [line[unit] for line in lines])  # which would seem to count the outcome
        self.assertEqual(rows, [[*line[:unit], "–" if line[unit] == "1" else line[unit], *line[unit + 1:]] for line in lines])
        failed = sum(line[-1] == "FAILED" for line in lines)
        self.assertIn(f"<b>{failed}</b> checks failed", self.source)

    def test_results_stand_before_settings(self):
        page = self.page()
        titles = [cell[0] for cell in page.tables["table-of-runs"][0]]
        self.assertEqual(titles[:6], ["run", "method", "scenario", "linear solver", "natural map [m/s]", "reason"])
        for setting in ("settle", "newton iterations", "mu"):
            self.assertGreater(titles.index(setting), titles.index("peak [MiB]"))
        sections = re.findall(r'<section id="([^"]*)">', self.source)
        self.assertEqual(sections, ["runs", "figures", "checks", "settings", "provenance"])
        self.assertLess(self.source.index('id="table-of-checks"'), self.source.index("Settings that all runs share"))
        # the outcome of a figure is beside it, its settings folded away
        figure = re.search(r'<figure id="profile">.*?</figure>', self.source, re.S).group(0)
        self.assertLess(figure.index("share solved in the end"), figure.index("<details>"))
        self.assertLess(figure.index("<details>"), figure.index("Problems: "))

    def test_a_failed_check_says_why(self):
        page = self.page()
        out, err = self.ncpbench("check", "a.h5", status=2)
        lines = re.findall(r"(?m)^run (\d+) \(([^,]*), ([^)]*)\): (\d+) failed; (.*)$", err)
        failed = {}
        for row in out.splitlines()[1:]:
            if row.endswith("FAILED"):
                failed[row.split()[0]] = failed.get(row.split()[0], 0) + 1
        self.assertEqual({line[0]: int(line[3]) for line in lines}, failed)
        for number, scenario, solver, _, reason in lines:
            head, rest = reason.split(":", 1)  # runs of one reason stand under it
            self.assertEqual(self.source.count(f">{head[0].upper()}{head[1:]}:<"), 1)
            self.assertIn(f"Run {number} ({scenario}, {solver}):{rest}.", page.texts["li"])
            with h5py.File(self.path("a.h5")) as record:
                limit = record[f"runs/{number}"].attrs["newton_iterations"]
            self.assertRegex(reason, rf"^probably too few iterations: \d of \d step\(s\) .* limit of {limit} Newton iterations")

    def test_a_repetition_that_was_not_made_is_told(self):
        with h5py.File(self.path("a.h5"), "r+") as record:
            del record["runs/0004/repeats"]
        page = self.page()
        self.assertEqual(column(page, "table-of-runs", "least – most [ms]")[4][0], "cold pass")

    def test_without_repetitions_there_is_no_spread(self):
        with h5py.File(self.path("a.h5"), "r+") as record:
            for run in record["runs"].values():
                run.pop("repeats", None)
        self.assertNotIn("least", " ".join(cell[0] for cell in self.page().tables["table-of-runs"][0]))

    def test_many_runs_take_little_more_than_reading_them(self):
        """three times at most of what `check` takes, which reads and checks them; figures read what they draw alone"""
        with h5py.File(self.path("a.h5"), "r+") as record:
            for i in range(6, 150):
                record.copy(f"runs/{i % 6:04d}", f"runs/{i:04d}")
        def seconds(command):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.ncpbench(command, "a.h5", status=None)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertLess(seconds("report"), 3 * seconds("check") + 1.5)  # and gnuplot, whose time runs do not change
        self.only("a.h5", "a.html")
    def test_the_texts_of_figures_are_on_the_page(self):
        os.mkdir(self.path("temporary"))
        self.ncpbench("report", "a.h5", env={**os.environ, "TMPDIR": self.path("temporary")})
        self.assertEqual(os.listdir(self.path("temporary")), [])
        self.ncpbench("figure", "convergence", "--from", "a.h5", "-o", "a.svg")
        text = self.bytes_of("a.txt").decode().split("\n", 4)
        source = html.unescape(self.bytes_of("a.html").decode())
        self.assertIn(f"<figcaption>{text[2]}</figcaption>", source)
        self.assertIn(text[4].replace("Record: a.h5\n", ""), source)

    def test_every_figure_that_can_be_drawn(self):
        page = self.page()
        self.only("a.h5", "a.html")
        drawn = set(re.findall(r'<figure id="([^"]*)"', self.source))
        listed = re.findall(r"^  ([a-z]\S*) ", self.ncpbench("list", "figures")[0], re.M)
        self.assertGreater(len(listed), 5)
        out, err = self.ncpbench("figure", "all", "--from", "a.h5", "-o", "all")
        of_all = re.findall(r"all/(\S+)\.svg", out)
        self.assertLessEqual({"convergence", "profile"}, drawn)
        for name in listed:
            of_no_record = self.draws(name) # shows formulas, and nothing of the record
            if name in drawn: # others draw what they find where they are asked for by name
                self.assertTrue(not of_no_record and self.draws(name, "--from", "a.h5", "--no-title"), name)
            else:
                self.assertTrue(of_no_record or name not in of_all, name)
            if name not in drawn:
                continue
            inside = re.search(rf'<figure id="{name}">.*? src="data:image/svg\+xml,([^"]*)"', self.source, re.S).group(1)
            inside, alone = urllib.parse.unquote(inside), self.bytes_of("a.svg").decode()
            self.assertEqual(self.words(inside), self.words(alone).replace(",a.h5", ""), name) # which names its record
            self.assertEqual(inside.count("<path"), alone.count("<path"), name)
        self.assertNotIn('class="failed">Not drawn', self.source)
        self.assertEqual(re.findall(r'<figure id="([^"]*)"', self.source)[0], "scenes")

    def words(self, svg):
        """all texts, wherever their lines end"""
        return re.sub(r"\s+", "", "".join(re.findall(r"<text>(.*?)</text>", svg, re.S)))

    def draws(self, name, *arguments):
        return subprocess.run([PROGRAM, "figure", name, *arguments, "-o", "a.svg"], cwd=self.folder.name,
                              capture_output=True, timeout=PATIENCE).returncode == 0

    def test_provenance_and_warnings(self):
        self.spoil("provenance", "warnings", "first thing; second <thing>")
        page = self.page()
        self.assertIn("first thing", page.texts["li"])
        self.assertIn("second <thing>", page.texts["li"])
        with h5py.File(self.path("a.h5")) as record:
            for name, value in record["provenance"].attrs.items():
                if name != "warnings" and text(value):
                    self.assertIn([name, text(value)], [[cell[0] for cell in row] for row in page.tables[None]])


class Hostile(Report):
    def test_text_stays_text(self):
        plain = self.page().tags
        for run in ("0000", "0001", "0004"):
            self.spoil(f"runs/{run}", "scenario", HOSTILE)
        self.spoil("runs/0002", "scene.</th><script>", "<img src=x>")
        self.spoil("/", "title", "</title><script>alert(3)</script>")
        self.spoil("/", "command", HOSTILE)
        self.spoil("provenance", "cpu_model", HOSTILE)
        page = self.page()
        self.assertEqual(page.tags.count("script"), plain.count("script"))
        self.assertEqual(page.tags.count("img"), plain.count("img") - 1)  # that of the scenes, which are unknown now
        self.assertFalse([name for tag, name, value in page.attributes if name.startswith("on")])
        self.assertEqual(column(page, "table-of-runs", "scenario")[0][0], HOSTILE)
        self.assertEqual(page.texts["h1"], "</title><script>alert(3)</script>")

    def test_bytes_that_are_no_text(self):
        self.spoil("runs/0000", "scenario", b"a\xffb\xc3\x01\xed\xa0\x80")
        page = self.page()
        self.assertEqual(column(page, "table-of-runs", "scenario")[0][0], "a\ufffdb" + 5 * "\ufffd")


class Files(Report):
    def test_output(self):
        self.page("-o", "other.html", name="other.html")
        self.only("a.h5", "other.html")
        self.refused("report", "a.h5", "-o", "a.h5", says=["is read by this command"])
        os.rename(self.path("a.h5"), self.path("a.record"))
        out, err = self.ncpbench("report", "a.record")
        self.assertEqual(out, "a.record.html\n")
        self.only("a.record", "a.record.html", "other.html")

    def test_what_is_no_record(self):
        with open(self.path("b.h5"), "w") as file:
            file.write("nonsense")
        self.refused("report", "b.h5", status=3, says=["b.h5"])
        with h5py.File(self.path("a.h5"), "r+") as record:
            for name in list(record["runs"]):
                del record["runs"][name]
        self.refused("report", "a.h5", status=3, says=["no runs"])
        self.only("a.h5", "b.h5")

    def test_without_gnuplot_the_page_says_so(self):
        out, err = self.ncpbench("report", "a.h5", env={**os.environ, "PATH": "/nonexistent"})
        self.assertRegex(err, r"\A\d of \d figures could not be drawn; the page says why\n\Z")
        source = self.bytes_of("a.html").decode()
        Page(source)
        self.assertIn("Not drawn: gnuplot is not installed", source)


class Browser(Report):
    """what a browser makes of the page: a click sorts"""

    def test_a_click_sorts(self):
        self.page()
        with open(self.path("click.html"), "w") as file: # as a user does: click the heading, look at the order
            file.write(self.source.replace("</body>", """<script>
                const table = document.getElementById("table-of-runs"), heads = [...table.tHead.rows[0].cells];
                const at = heads.findIndex((head) => head.textContent.startsWith("natural map"));
                const order = () => [...table.tBodies[0].rows].map((row) => row.cells[at].dataset.value).join(" ");
                heads[at].querySelector("button").click();
                document.body.dataset.up = order();
                heads[at].querySelector("button").click();
                document.body.dataset.down = order();
            </script></body>"""))
        done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                               f"--user-data-dir={self.path('profile')}", f"file://{self.path('click.html')}"],
                              capture_output=True, text=True, timeout=PATIENCE)
        up = [float(x) for x in re.search(r'data-up="([^"]*)"', done.stdout).group(1).split()]
        down = [float(x) for x in re.search(r'data-down="([^"]*)"', done.stdout).group(1).split()]
        self.assertEqual(len(up), len(runs_of(self.path("a.h5"))))
        self.assertGreater(len(set(up)), 2)
        self.assertEqual(up, sorted(up))
        self.assertEqual(down, up[::-1])


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

if __name__ == "__main__":
    if "Browser" in sys.argv[1:] and not BROWSER:
        print("no browser (chromium) is installed")
        sys.exit(77)
    unittest.main(argv=sys.argv if sys.argv[1:] else [sys.argv[0], "Contents", "Hostile", "Files"])
