"""Reports: the page is whole, refers to nothing outside, shows the record's text as text and its numbers as they are.

    NCPBENCH=build/ncpbench python3 tests/report.py [Class...]

The classes Browser, BrowserReplay and FirefoxReplay look with a browser, and end with 77 where it is not installed.
"""
import base64
import html.parser
import json
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

import firefox
from cli_case import PATIENCE, PROGRAM, Case, runs_of, text

EMPTY = {"meta", "wbr", "br", "link", "img", "input"}
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
    all_drawn = True
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
        self.assertEqual((out, err if self.all_drawn else says), (name + "\n", says))
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


class Stored(Report):
    """a record of runs with stored states, some of whose solves are too fast for the axes of field-profile"""
    all_drawn = False

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="ncpbench-replay-")
        cls.addClassCleanup(cls.shared.cleanup)
        cls.record = os.path.join(cls.shared.name, "runs.h5")
        for scene in (["wall", "--set", "width=3", "--set", "height=2", "--newton-iterations", "4", "--linear-solver",
                       "jacobi,pcr", "--store-iterates"], ["pendulum", "--method", "newton", "--append"]):
            subprocess.run([PROGRAM, "run", *scene, "--steps", "4", "--store-states", "1", "-o", cls.record], check=True,
                           capture_output=True, timeout=PATIENCE)


def words_of(text, columns):
    return numpy.frombuffer(base64.b64decode(text), "<u2").reshape(-1, columns).astype(float)


def errors_of(code):
    return numpy.where(code > 0, 10 ** ((code - 1) / 819 - 16), numpy.nan)


class Replay(Stored):
    """the player's data (report/replay.h)"""

    def blocks(self, *arguments, **options):
        self.page("--replay", *arguments, **options)
        found = re.findall(r'<script type="application/json" class="replay-run" ([^>]*)>(.*?)</script>', self.source, re.S)
        return [(attributes, json.loads(data)) for attributes, data in found]

    def test_the_page_fetches_nothing(self):
        self.page()
        for word in ("replay-run", "webgl"):  # unless asked for
            self.assertTrue(word not in self.source, word)
        page = self.page("--replay")
        self.assertEqual(page.tags.count("script"), 4)  # a player, and data of three runs
        self.assertEqual(len(page.ids), len(set(page.ids)))
        without_data = re.sub(r"// [^\n]*|src=\"[^\"]*|replay-run\" [^<]*", "", self.source)
        self.assertEqual(re.findall(r"https?:|//[a-z]|@import|url\(|fetch\(|import\(|XMLHttp", without_data), [])
        # each part of the player is there that its script asks for
        asked = set(re.findall(r'\$\("([a-z]+)"\)', self.source))
        self.assertGreater(len(asked), 8)
        self.assertLessEqual({"replay-" + name for name in asked}, set(page.ids))

    def test_the_data_are_the_records(self):
        blocks = self.blocks()
        self.assertEqual([re.search(r'data-title="([^"]*)"', b[0]).group(1) for b in blocks],
                         ["run 0000: newton, jacobi", "run 0001: newton, pcr", "run 0002: newton, pcr"])
        self.assertEqual([re.search(r'data-scene="([^"]*)"', b[0]).group(1) for b in blocks], ["0", "0", "2"])
        with h5py.File(self.path("a.h5")) as record:
            for number, (_, data) in enumerate(blocks):
                states = record[f"runs/{number:04d}/states"]
                q = states["q"][()]
                frames, bodies = q.shape[:2]
                self.assertGreater(frames, 3)
                numpy.testing.assert_allclose(data["times"], states["time"][()], rtol=1e-8)
                low, step = numpy.array(data["low"]), numpy.array(data["step"])
                poses = words_of(data["poses"], 7).reshape(frames, bodies, 7)
                self.assertTrue((abs(low + step * poses[..., :3] - q[..., :3]) <= .51 * step + 1e-9).all())
                self.assertLess(abs(poses[..., 3:] / 32767.5 - 1 - q[..., 3:]).max(), .51 / 32767.5)
                if "momentum_error" in states:
                    numpy.testing.assert_allclose(errors_of(words_of(data["momentum"], bodies)),
                                                  numpy.maximum(states["momentum_error"][()], 1e-16), rtol=2e-3)
                self.compare_contacts(data, states, low, step)
        self.assertEqual(["iterations" in data for _, data in blocks], [True, True, False])
        self.assertGreater(blocks[0][1]["contact_start"][-1], 20)
        self.assertEqual(blocks[2][1]["rods"][0::4], [0, -1, 0, 0])  # to the world, and to its own joint

    def compare_contacts(self, data, states, low, step):
        self.assertEqual(data["contact_every"], 1)
        contacts, start = words_of(data["contacts"], 9), data["contact_start"]
        counts = states["contact_count"][()] if "contact_count" in states else numpy.zeros(len(data["times"]))
        self.assertEqual(list(numpy.diff(start)), list(counts))
        for frame, count in enumerate(counts):
            own = contacts[start[frame]:start[frame + 1]]
            if not count:
                continue
            row = lambda name: states["contact_" + name][frame, :int(count)]
            of = lambda name: numpy.stack([row(f"{name}_{axis}") for axis in "xyz"], axis=1)
            error = numpy.fmax(row("normal_error"), row("friction_error"))
            left, order = set(range(int(count))), []
            for c in own:
                apart = abs(low + step * c[:3] - of("point")) / numpy.maximum(step, 1e-300)
                wrong = abs(data["force_step"] * (c[3:6] - 32768) - of("force")).max(axis=1) / data["force_step"]
                off = abs(errors_of(c[6] // 4) / numpy.maximum(error, 1e-16) - 1)
                same = [i for i in left if apart[i].max() < .6 and wrong[i] < .51 and off[i] < 2e-3 and
                        (row("body_a")[i], row("body_b")[i], row("mode")[i] + 1) == (c[7], c[8], c[6] % 4)]
                self.assertTrue(same, c)
                left.discard(same[0])
                order.append(same[0])
            if "iterations" in data:  # those of the series 1, 2, 5; the last is the state
                self.assertEqual(data["iterations"], [[0, 1, 2, 4]] * len(counts))
                shown = errors_of(words_of(data["iterate_errors"], 1))[3 * start[frame]:3 * start[frame + 1]].reshape(3, -1)
                right = numpy.maximum(states["iterate_error"][5 * start[frame]:5 * start[frame + 1]].reshape(5, -1)[:3], 1e-16)
                numpy.testing.assert_allclose(shown, right[:, order], rtol=2e-3)

    def test_long_runs_are_thinned(self):
        """a page of 500 bodies has 5 MB at most, and says what was left out"""
        for scene in (["wall", "--set", "width=25", "--set", "height=20", "--steps", "60", "--method", "psor",
                       "--newton-iterations", "30", "--newton-tolerance", "0", "--store-iterates"], ["piling", "--set", "shape=sphere", "--set", "count=1100",
                       "--steps", "100", "--method", "psor", "--newton-iterations", "1"]):
            subprocess.run([PROGRAM, "run", *scene, "--store-states", "1", "-o", self.path("a.h5"), "--force"],
                           check=True, capture_output=True, timeout=PATIENCE)
            (_, data), = self.blocks()
            self.assertLess(len(self.source), 5e6)
            with h5py.File(self.path("a.h5")) as record:
                states = record["runs/0000/states"]
                every, contact_every, count = data["every"], data["contact_every"], states["contact_count"][()]
                self.assertGreater(every * contact_every, 1)
                numpy.testing.assert_allclose(data["times"], states["time"][()][::-1][::every][::-1], rtol=1e-8)
                self.assertEqual(list(numpy.diff(data["contact_start"])), list(count[::-1][::every * contact_every][::-1]))
            kept = [len(own) for own in data.get("iterations", [])]
            self.assertEqual(kept[-1:], [7] if scene[0] == "wall" else [])  # 0, 1, 2, 5, 10, 20 and the last, 30
            self.assertTrue(not kept or 0 in kept, kept)

    def test_text_stays_text(self):
        self.spoil("runs/0000", "linear_solver", HOSTILE)
        self.spoil("runs/0001", "scenario", HOSTILE)
        page = self.page("--replay")
        self.assertEqual(page.tags.count("script"), 3)
        self.assertIn(("script", "data-title", "run 0000: newton, " + HOSTILE), page.attributes)
        self.assertFalse([name for tag, name, value in page.attributes if name.startswith("on")])
        self.assertIn("Not shown: run 0001: ", self.source)

    def test_poses_that_diverged(self):
        with h5py.File(self.path("a.h5"), "r+") as record:
            record["runs/0000/states/q"][2, 3] = numpy.nan
            record["runs/0000/states/q"][3, 4, 0] = 1e7
        data = self.blocks()[0][1]
        poses = words_of(data["poses"], 7).reshape(len(data["times"]), data["bodies"], 7)
        self.assertEqual([tuple(x) for x in numpy.argwhere(~poses[..., 3:].any(axis=-1))], [(2, 3), (3, 4)])
        self.assertLess(max(data["step"]), 1e-3)

    def test_without_states(self):
        with h5py.File(self.path("a.h5"), "r+") as record:
            for run in record["runs"].values():
                del run["states"]
        self.refused("report", "a.h5", "--replay", status=3, says=["a.h5", "--store-states"])
        self.only("a.h5")


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


# without frames of a display, a picture is drawn when it is asked for
PROBE = """<script>window.requestAnimationFrame = (draw) => { draw(0); return 0; };
    addEventListener("error", (fault) => { document.documentElement.dataset.fault = fault.message; });</script>"""
LOOK = """<script>
    const part = (name) => document.getElementById("replay-" + name), canvas = part("canvas"), said = document.body.dataset;
    const gl = canvas.getContext("webgl2"), set = (name, value, event) => {
        part(name).value = value;
        part(name).dispatchEvent(new Event(event));
    };
    const share = (red, green, blue) => {
        const pixels = new Uint8Array(4 * canvas.width * canvas.height);
        gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        let count = 0;
        for (let i = 0; i < pixels.length; i += 4)
            count += Math.hypot(pixels[i] - red, pixels[i + 1] - green, pixels[i + 2] - blue) < 12;
        return count / canvas.width / canvas.height;
    };
    set("color", "error", "change");
    said.white = share(255, 255, 255);
    part("next").click();
    said.numbers = part("numbers").textContent;
    said.picked = share(77, 217, 242);
    set("iteration", 0, "input");
    said.iterate = part("iterate").textContent + ": " + part("view").textContent + part("legend").textContent;
    set("iteration", 99, "input");
    said.end = part("iterate").textContent;
    set("color", "mode", "change");
    said.sticking = share(0, 69, 135);
    set("color", "body", "change");
    said.none = share(0, 69, 135);
    part("arrows").click();
    said.arrows = share(0, 69, 135);
    set("time", 0, "input");
    said.first = share(255, 255, 255);
    said.clock = part("clock").textContent;
    const box = canvas.getBoundingClientRect(), at = {clientX: box.left + box.width / 4, clientY: box.top + box.height / 2, pointerId: 1};
    canvas.setPointerCapture = () => {};
    for (const kind of ["pointerdown", "pointerup"]) canvas.dispatchEvent(new PointerEvent(kind, at));
    said.body = part("numbers").textContent;
    said.labels = part("view").textContent;
    set("scene", "2", "change");
    said.pendulum = share(255, 255, 255);
</script></body>"""


class BrowserReplay(Stored):
    """what a browser makes of the player, drawn by software"""

    def render(self, width, webgl):
        """what becomes of look.html, and what the console has"""
        options = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] if webgl else ["--disable-3d-apis"]
        done = subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--dump-dom", "--enable-logging=stderr",
                               f"--window-size={width},900", f"--user-data-dir={self.path('profile')}", *options,
                               f"file://{self.path('look.html')}"], capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def look(self, width, webgl=True):
        self.page("--replay", "--force")
        with open(self.path("look.html"), "w") as file:
            file.write(self.source.replace("<main>", PROBE + "<main>").replace("</body>", LOOK))
        source, console = self.render(width, webgl)
        page = Page(source)
        return {name[5:]: value for tag, name, value in page.attributes if tag == "body"}, page, console

    def test_it_plays(self):
        with h5py.File(self.path("a.h5")) as record:
            largest = max(float(numpy.fmax(run["states/contact_normal_error"][-1], run["states/contact_friction_error"][-1])[
                :int(run["states/contact_count"][-1])].max()) for run in (record["runs/0000"], record["runs/0001"]))
            first = record["runs/0000/states/time"][0]
            kept = [record[f"runs/{run:04d}/states"] for run in (0, 1)]
            first_errors = [states["iterate_error"][-5 * states["contact_count"][-1]:][:states["contact_count"][-1]].max() for states in kept]
        for width in (1300, 420):
            said, page, console = self.look(width)
            self.assertEqual(console, [])
            number = float(re.search(r"error (\S+) m/s", said["numbers"]).group(1))
            self.assertAlmostEqual(number / largest, 1, delta=1e-2)
            self.assertEqual((said["end"], said["iterate"][:2]), ("end", "0:"))
            begun = [float(text) for text in re.findall(r"largest error (\S+) m/s after 0 iterations", said["iterate"])]
            numpy.testing.assert_allclose(begun, first_errors, rtol=1e-2)
            self.assertNotIn("momentum", said["iterate"])
            self.assertTrue(.1 < float(said["white"]) < .9 and .1 < float(said["first"]) < .9, said)
            self.assertGreater(float(said["picked"]), 1e-5)
            self.assertGreater(float(said["sticking"]), 1e-4)
            self.assertEqual(float(said["none"]), 0)
            self.assertGreater(float(said["arrows"]), 1e-5)
            self.assertAlmostEqual(float(said["clock"].split()[0]), first, delta=1e-3 * first)
            self.assertIn("run 0001: newton, pcr", said["labels"])
            self.assertLess(float(said["pendulum"]), 1)
            if width > 1000:  # two runs side by side: the middle of the first
                self.assertRegex(said["body"], r"\Arun 0000: newton, jacobi: body \d+ at \(")
            hidden = [tag for tag, name, value in page.attributes if name == "hidden"]
            self.assertEqual(hidden, ["p", "p"])  # what stands where it does not play, and iterations, which the pendulum has none of

    def test_without_webgl_the_picture_stands(self):
        said, page, console = self.look(1300, webgl=False)
        self.assertIn(("div", "hidden", ""), page.attributes)
        self.assertNotIn(("p", "hidden", ""), page.attributes)
        self.assertIn(("figure", "id", "scenes"), page.attributes)


class FirefoxReplay(BrowserReplay):
    """the same in Firefox, which draws by software on a display of its own"""

    def render(self, width, webgl):
        return firefox.render(self.path("look.html"), width, {"webgl.force-enabled": webgl, "webgl.disabled": not webgl})


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

if __name__ == "__main__":
    if "Browser" in sys.argv[1:] and not BROWSER:
        print("no browser (chromium) is installed")
        sys.exit(77)
    if "FirefoxReplay" in sys.argv[1:] and not firefox.is_installed():
        print("Firefox (firefox-esr) or its display (xvfb) is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv if sys.argv[1:] else [sys.argv[0], "Contents", "Hostile", "Replay", "Files"])
