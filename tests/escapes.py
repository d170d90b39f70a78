"""Text that came from elsewhere (file names, records) as it leaves the program: every output is what it says it is, UTF-8 without control
characters, whatever the names hold.

    NCPBENCH=build/ncpbench python3 tests/escapes.py
"""
import csv
import html.parser
import io
import json
import os
import random
import re
import subprocess
import unittest
import urllib.parse
import xml.etree.ElementTree

import h5py
import numpy

from cli_case import PATIENCE, PROGRAM, QUICK, Case, write_fclib

# an escape sequence, no UTF-8, controls of one and two bytes, a letter, what has a meaning in HTML, TeX, JSON, CSV and gnuplot, and marks that
# turn the direction of writing
EVIL = b"a\x1b[31m\xff\t\n\r\x07\x7f\xc2\x9b\xc3\xa9<>&\"'\\%$_{}#~^`,;\xe2\x80\xae\xef\xbf\xbf"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")


class Escapes(Case):
    def clean(self, data, what, tabs=0):
        """text, without any control character but line ends; the tabs of a line are as many as in the first"""
        text = data.decode()  # which is strict
        self.assertIsNone(CONTROLS.search(text), f"{what}: {text!r}")
        if not tabs:
            self.assertNotIn("\t", text, what)
        return text

    def say(self, *arguments, status=0, tabs=0):
        """both outputs, clean"""
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder.name, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr!r}{done.stdout!r}")
        return self.clean(done.stdout, arguments, tabs), self.clean(done.stderr, arguments)

    def bytes_folder(self):
        return os.fsencode(self.folder.name)

    def record(self, name, *arguments):
        self.say("run", "incline,heavy-stack", "--linear-solver", "pcr,pcg", *QUICK, "--store-states", "1", "-o", name, *arguments)

    def spoil(self, path, word=EVIL):
        """texts of a record, as somebody else may have written them"""
        with h5py.File(os.path.join(self.bytes_folder(), os.fsencode(path)), "r+") as record:
            for name in record["runs"]:
                run = record["runs"][name]
                run.attrs["scenario"] = numpy.bytes_(word.replace(b"\0", b"")[:60])
                run.attrs["scene.a\x1b\t\xff=:"] = "b\x1b\n\t\u202e"
            for where, name in (("/", "title"), ("/", "command"), ("provenance", "cpu_model"), ("provenance", "git_commit"), ("provenance", "warnings")):
                if name in record[where].attrs:
                    record[where].attrs[name] = numpy.bytes_(word[:100])
            record.visititems(lambda name, item: item.attrs.__delitem__("texts_checksum") if "texts_checksum" in item.attrs else None)
            if "texts_checksum" in record.attrs:
                del record.attrs["texts_checksum"]



class Outputs(Escapes):
    def test_file_names(self):
        record = EVIL + b".h5"
        self.record(record)
        self.say("check", record, status=2)
        self.formats(record)
        self.page(record, EVIL + b".html")
        self.say("figure", "convergence", "--from", record, "-o", EVIL + b".svg", "--csv", EVIL + b".csv")
        self.drawing(EVIL + b".svg")
        self.say("run", "incline", *QUICK, "-o", record)  # keeps the earlier one, and says so
        self.say("export", "incline", "--at", "1", "-o", EVIL)
        with open(os.path.join(self.bytes_folder(), EVIL, b"system.json"), "rb") as file:
            self.assertEqual(json.loads(self.clean(file.read(), "system.json"))["scenario"], "incline")
        self.say("gradient", "incline", "--steps", "2", "--method", "interior-point", "-o", b"g" + record)
        self.say("list", "scenarios", "--format", "json")
        self.say("info")

    def test_problems(self):
        with open(os.path.join(self.bytes_folder(), EVIL + b".mtx"), "w", encoding="ascii") as file:
            file.write("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n")
        self.say("solve", EVIL + b".mtx", "-o", "a.h5")
        self.formats("a.h5")
        problem = EVIL + b".hdf5"
        write_fclib(os.path.join(self.folder.name, os.fsdecode(problem)), numpy.eye(3), [-1, 0, 0], [0.5])
        self.say("solve", problem, "--method", "interior-point", "-o", "b.h5")
        out, err = self.say("suite", ".", "-o", "c.h5", "--describe", status=1, tabs=1)  # a.h5 and b.h5 are no problems
        tables = out.split("\n\n")
        for table in tables:
            rows = list(csv.reader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, table)
        self.assertEqual(len(tables), 2)

    def test_records(self):
        self.record("a.h5")
        self.spoil("a.h5")
        self.formats("a.h5")
        self.say("check", "a.h5", status=2)
        self.page("a.h5", b"a.html")
        for ending in ("svg", "png", "pdf", "tex"):
            self.say("figure", "convergence", "--from", "a.h5", "-o", f"c.{ending}", "--csv", "c.csv")
            with open(self.path("c.csv"), newline="", encoding="utf-8") as file:
                rows = list(csv.reader(file))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            for cell in rows[1]:
                self.assertIsNone(re.search("[\x00-\x1f]", cell))
            self.clean(self.bytes_of("c.txt"), "c.txt")
        self.drawing(b"c.svg")
        self.latex(self.bytes_of("c.tex").decode())
        self.say("figure", "all", "--from", "a.h5", "-o", "all")
        for name in os.listdir(self.path("all")):
            if name.endswith(".svg"):
                self.drawing(os.path.join(b"all", os.fsencode(name)))
            else:
                self.clean(self.bytes_of("all/" + name), name)

    def test_a_table_in_latex(self):
        self.record("a.h5")
        self.spoil("a.h5")
        self.say("figure", "macklin-tab02", "--from", "a.h5", "-o", "t.tex")
        table = self.bytes_of("t.tex").decode()
        rows = [line for line in table.splitlines() if line.endswith("\\\\")]
        self.assertGreater(len(rows), 1)
        self.assertEqual(len({len(re.findall(r"(?<!\\)&", row)) for row in rows}), 1)
        for row in rows:
            bare = re.sub(r"\$[<>|]\$|\$\\\w+\$|\\textbackslash\{\}|\\[\^~]\{\}|\\[_%#&${}]|\\\\$", "", row)
            self.assertNotRegex(bare, r"[\\_%#$^~{}<>]", row)

    def test_rankings(self):
        """of scenes whose files have any name"""
        with open(self.path("scene.json"), "w", encoding="utf-8") as file:
            json.dump({"time_step_s": 0.01, "shapes": [{"kind": "half-space"}, {"kind": "sphere", "radius_m": 0.1}],
                       "bodies": [{"kind": "fixed", "shape": 0, "position_m": [0, 0, 0]}, {"shape": 1, "density_kg_m3": 1000, "position_m": [0, 0, 0.1]}]}, file)
        names = {r"\input{x} a^2~1 %&#$_.json": r"\textbackslash{}input\{x\} a\^{}2\~{}1 \%\&\#\$\_.json", "<b>|`[x](y).json": "$<$b$>$$|$`[x](y).json"}
        for name in names:
            os.link(self.path("scene.json"), self.path(name))
            self.say("run", name, "--steps", "2", "--repeat", "1", "-o", "r.h5", "--append")
        tex = self.say("compare", "r.h5", "--rank", "--by", "scenario", "--format", "latex")[0]
        for name in names.values():
            self.assertIn(f"{{l}}{{{name}}} ", tex)
        markdown = self.say("compare", "r.h5", "--rank", "--by", "scenario", "--format", "markdown")[0]
        self.assertIn(r"scenario: \<b\>\|\`\[x\](y).json", markdown)

    def test_refusals(self):
        """one line, whatever is named"""
        self.record("a.h5")
        for status, *arguments in ((64, EVIL), (64, "run", EVIL, "-o", "n.h5"), (64, "run", "incline", "--set", EVIL + b"=1", "-o", "n.h5"),
                                   (64, "run", "incline", "--method", EVIL, "-o", "n.h5"), (64, "run", "incline", b"--" + EVIL),
                                   (64, "run", "incline", "--linear-solver", b"pcr," + EVIL, "-o", "n.h5"), (64, "run", b"-\xff"),
                                   (3, "check", EVIL), (3, "compare", "a.h5", EVIL), (3, "report", EVIL), (3, "solve", EVIL + b".mtx"),
                                   (64, "figure", EVIL, "--from", "a.h5", "-o", "a.svg"), (64, "list", EVIL), (64, "reproduce", EVIL, "-o", "r"),
                                   (64, "figure", "convergence", "--from", "a.h5", "-o", "a.svg", "--y", EVIL),
                                   (64, "figure", "convergence", "--from", "a.h5", "-o", EVIL + b".tex"), (64, "bench", EVIL, "-o", "n.h5")):
            out, err = self.say(*arguments, status=status)
            self.assertEqual((out, err.count("\n")), ("", 1), arguments)
            self.assertTrue(err.startswith("ncpbench: "), err)

    def test_random_names(self):
        seed = int(os.environ.get("NB_TEST_SEED", 1))
        print("seed", seed, "(NB_TEST_SEED)")
        chance = random.Random(seed)
        for _ in range(4):
            word = bytes(chance.choice((1 + chance.randrange(255), 32 + chance.randrange(95), chance.choice(EVIL))) for _ in range(40))
            name = word.replace(b"/", b"|").replace(b"#", b"|").lstrip(b"-") or b"a"
            with self.subTest(seed=seed, name=name):
                self.record(name + b".h5", "--force")
                self.spoil(os.path.join(self.bytes_folder(), name + b".h5"), word)
                self.formats(name + b".h5")
                self.say("figure", "convergence", "--from", name + b".h5", "-o", "r.svg", "--csv", "r.csv")
                self.drawing(b"r.svg")
                self.clean(self.bytes_of("r.csv"), "r.csv")

    # ---- what is looked at ----

    def formats(self, record):
        self.say("compare", record, record)
        comparison = json.loads(self.say("compare", record, record, "--format", "json")[0])
        self.assertTrue(comparison["runs"])
        rows = [line.split("\t") for line in self.say("compare", record, record, "--format", "tsv", tabs=1)[0].splitlines()]
        self.assertGreater(len(rows), 1)
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})

    def drawing(self, name):
        with open(os.path.join(self.bytes_folder(), name), "rb") as file:
            text = file.read()
        self.clean(text, name, tabs=1)  # gnuplot indents with tabs
        xml.etree.ElementTree.fromstring(text)

    def page(self, record, name):
        self.say("report", record)
        with open(os.path.join(self.bytes_folder(), name), "rb") as file:
            text = self.clean(file.read(), name, tabs=1)
        html.parser.HTMLParser().feed(text)
        images = re.findall(r'src="data:image/svg\+xml,([^"]*)"', text)
        self.assertTrue(images)
        for image in images:
            xml.etree.ElementTree.fromstring(urllib.parse.unquote(image))

    def latex(self, tex):
        """no name ends its group, or begins a comment or mathematics"""
        self.clean(tex.encode(), "c.tex", tabs=1)
        labels = re.findall(r"\\strut\{\}(.*)\}\}%\n", tex)
        self.assertTrue(any("textbackslash" in label for label in labels), labels)
        for label in labels:
            bare = re.sub(r"\$[^$]*\$|\\textbackslash\{\}|\\[\^~]\{\}|\\[_%#&$]", "", label).strip("{}")
            self.assertNotRegex(bare, r"[\\_%#&^<>|~{}$]", label)


if __name__ == "__main__":
    unittest.main()
