"""The standard set (scenarios/standard): its table and its files belong together, and the proofs of infeasibility hold.

NCPBENCH names the program.
"""
import collections
import gzip
import hashlib
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import unittest

import h5py
import numpy

from cli_case import Case

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOME = os.path.join(ROOT, "scenarios", "standard")
COLUMNS = "name set class contacts rows rank condition mu source sha256 best methods".split()
sys.path.insert(0, HOME)
sys.dont_write_bytecode = True
problems = importlib.import_module("problems")  # names and classes alone: no scipy
archive, written = importlib.import_module("archive"), importlib.import_module("written")
CLASSES, PROBLEMS = problems.CLASSES, problems.PROBLEMS
MOST_CONTACTS = 1000  # of problems whose numbers are computed here
# written.py has no sines for these, or rounds them: their numbers do not depend on the processor
EXACT = ("stack-20-ratio-1e4", "grid-10", "tiles-10", "bridge-40", "pressed-10", "arch-100-mu-2")


def scene_path(row):
    return os.path.join(HOME, row["set"], f"{row['name']}.json.gz")


def table(name, head):
    with open(os.path.join(HOME, name), encoding="utf-8") as file:
        lines = file.read().splitlines()
    lines = [line.split("\t") for line in lines if not line.startswith("#")]
    assert lines[0] == head, lines[0]
    return [dict(zip(head, line)) for line in lines[1:]]


def normals(path):
    """the columns of W that belong to normal impulses, and q of the normal rows"""
    with h5py.File(path) as file:
        local = file["fclib_local"]
        rows, w = len(local["vectors/q"]), local["W"]
        dense, starts = numpy.zeros((rows, rows)), w["p"][:]
        for column in range(rows):
            part = slice(starts[column], starts[column + 1])
            dense[w["i"][part], column] = w["x"][part]
        return dense[:, ::3], local["vectors/q"][::3]


class Standard(Case):
    def setUp(self):
        super().setUp()
        self.rows = table("standard.tsv", COLUMNS)
        self.small = [row for row in self.rows if row["set"] == "small"]

    def test_rows_and_files(self):
        with open(os.path.join(HOME, "standard.tsv"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "# ncpbench standard set 1\n")
        names = [row["name"] for row in self.rows]
        self.assertEqual([name for name, count in collections.Counter(names).items() if count > 1], [])
        for part in ("small", "full", "failures"):
            self.assertEqual(sorted(f"{row['name']}.json.gz" for row in self.rows if row["set"] == part), sorted(os.listdir(os.path.join(HOME, part))))
        told = {name: (part, kind) for name, part, kind, _ in PROBLEMS}
        self.assertEqual((len(told), set(told)), (len(PROBLEMS), set(names)))
        for row in self.rows:
            self.assertEqual((row["set"], row["class"]), told[row["name"]], row["name"])
            self.assertIn(row["class"], CLASSES)
            self.assertEqual(int(row["rows"]), 3 * int(row["contacts"]), row["name"])
            self.assertRegex(row["sha256"], r"\A[0-9a-f]{64}\Z", row["name"])
            self.assertRegex(row["best"], r"\A(none known|infeasible|[0-9.e+-]+)\Z", row["name"])
        self.assertEqual({row["class"] for row in self.small}, set(CLASSES) - {"failures"}, "each class has a small problem")
        self.assertEqual({row["name"] for row in self.rows if row["class"] == "failures"}, {row["name"] for row in self.rows if row["set"] == "failures"})

    def test_sizes(self):
        paths = [scene_path(row) for row in self.rows]
        for part in ("small", "full", "failures"):
            self.assertLessEqual(sum(os.path.getsize(scene_path(row)) for row in self.rows if row["set"] == part), 10 ** 6)
        for path in paths:
            with open(path, "rb") as file:
                head = file.read(10)
            self.assertEqual(head[4:8], bytes(4), f"{path} has a time stamp")
            with gzip.open(path) as file:
                scene = json.load(file)
            self.assertTrue(scene["bodies"], path)
            self.assertNotRegex(scene.get("command", ""), r"\s/", f"{path} has a path of some machine")

    def checksum(self, path):
        return self.ncpbench("export", path, "--format", "checksum")[0].split()[0]

    def test_checksums(self):
        for row in self.rows:
            if int(row["contacts"]) <= MOST_CONTACTS:
                self.assertEqual(self.checksum(scene_path(row)), row["sha256"], row["name"])

    def test_written_scenes(self):
        """are made anew with the numbers of the table: `full` does not hang on one machine"""
        rows = {row["name"]: row for row in self.rows}
        recipes = {name: recipe for name, _, _, recipe in PROBLEMS}
        for name in EXACT:
            recipe = recipes[name]
            self.assertEqual(recipe["at"], 0, name)
            with open(self.path("a.json"), "w", encoding="utf-8") as file:
                json.dump(getattr(written, recipe["function"])(*recipe["arguments"], **recipe["named"]), file)
            self.assertEqual(self.checksum("a.json"), rows[name]["sha256"], name)

    def test_problems_are_scenarios_by_their_names(self):
        """from any folder: the run has the bits of the file's, records the name, and its checks are made"""
        words = ["--method", "newton", "--steps", "2", "--newton-iterations", "30", "--repeat", "0"]
        paths = {row["name"]: scene_path(row) for row in self.small}
        self.ncpbench("run", "arch-5,arch-20-mu-1.5", *words, "-o", "names.h5")
        self.ncpbench("run", f"{paths['arch-5']},{paths['arch-20-mu-1.5']}", *words, "-o", "files.h5")
        with h5py.File(self.path("names.h5")) as names, h5py.File(self.path("files.h5")) as files:
            for run, name in (("0000", "arch-5"), ("0001", "arch-20-mu-1.5")):
                self.assertEqual(names[f"runs/{run}"].attrs["scenario"], name)
                self.assertNotIn("scene.scene-path", names[f"runs/{run}"].attrs)
                self.assertEqual(names[f"runs/{run}"].attrs["scene.scene-file"], files[f"runs/{run}"].attrs["scene.scene-file"])
                for data in ("final/q", "final/lambda_normal", "newton/natural_map_error"):
                    numpy.testing.assert_array_equal(names[f"runs/{run}/{data}"][:], files[f"runs/{run}/{data}"][:])
        out, _ = self.ncpbench("check", "names.h5", status=None)
        self.assertRegex(out, r"0000 +arch-5 .*momentum defect.* (passed|FAILED)")
        self.assertIn("--method auto", self.ncpbench("list", "scenarios", "arch-5")[0])
        self.ncpbench("run", "standard/ellipse,ellipse", *words[:2], "--steps", "1", "--newton-iterations", "1", "--repeat", "0", "-o", "both.h5")
        with h5py.File(self.path("both.h5")) as both:
            self.assertEqual([dict(run.attrs).get("scene.class") for run in both["runs"].values()], ["plane", None])
            self.assertEqual([run.attrs["scenario"] for run in both["runs"].values()], ["standard/ellipse", "ellipse"])
        self.refused("run", "standard/ellipses", "-o", "a.h5", says=["unknown scenario 'standard/ellipses'"])
        self.refused("run", "arch-6", "-o", "a.h5", says=["unknown scenario 'arch-6'"])
        self.refused("run", "../small/arch-5", "-o", "a.h5", says=["unknown scenario"])

    def test_archive(self):
        """is packed to the same bytes: those that the table names"""
        packed = archive.pack(HOME)
        with open(os.path.join(HOME, "standard.tsv"), encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines()[1], f"# full: {archive.NAME} sha256 {hashlib.sha256(packed).hexdigest()}")
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            self.assertEqual([os.path.basename(name) for name in tar.getnames()], [f"{name}.json.gz" for name, part, *_ in PROBLEMS if part != "failures"])
            for row in [row for row in self.rows if row["set"] != "failures"]:
                with open(scene_path(row), "rb") as file:
                    self.assertEqual(tar.extractfile(f"{archive.NAME[:-4]}/{row['name']}.json.gz").read(), file.read(), row["name"])
        self.assertIsNone(archive.pack(self.folder.name))

    def test_classes_page(self):
        """is what its script draws"""
        page = os.path.join("results", "tables", "standard-set.md")
        subprocess.run([sys.executable, os.path.join(ROOT, "results", "tables", "standard_set.py"), "-o", self.path("page.md")], check=True)
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            self.assertEqual(self.bytes_of("page.md").decode(), file.read(), f"{page} is not drawn from the present table")

    def test_rows_of_another_program_are_not_gone_on_with(self):
        script = [sys.executable, os.path.join(ROOT, "results", "tables", "standard.py"), "-o", self.path("page.md"), "--keep", self.path("kept.tsv")]
        with open(self.path("kept.tsv"), "w", encoding="utf-8") as file:
            file.write("# 0.9.0, 0123456789, 4 s\narch-1\tnewton\t2\t\n")
        done = subprocess.run(script, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertIn("is of another program, plugin or limit; name another file for --keep", done.stderr)
        with open(self.path("page.md"), "w", encoding="utf-8") as file:
            file.write("mine")
        done = subprocess.run(script, capture_output=True, text=True, check=False)
        self.assertIn("page.md' is there", done.stderr)

    def test_best_is_the_least_of_two_methods(self):
        for row in self.rows:
            values = [float(value) for _, value in re.findall(r"(\S+):(\S+)", row["methods"])]
            if row["best"] == "none known":
                self.assertTrue(all(value > 1e-8 for value in values), row["name"])
                self.assertEqual(row["methods"] == "cases", row["class"] == "wedged", row["name"])
            elif row["best"] != "infeasible":
                self.assertEqual(float(row["best"]), min(values), row["name"])
                self.assertLessEqual(max(values), 1e-6 if row["methods"].endswith(" round-off") else 1e-8, row["name"])

    def test_public_problems(self):
        """copies of what is the table's; one line for each that is not"""
        place = self.path("siconos/numerics/src/FrictionContact/test/data")
        os.makedirs(place)
        for name, scene in (("one.hdf5", "block-sticks"), ("other.hdf5", "ball-slides")):
            self.ncpbench("export", scene, "--format", "fclib", "--at", "0", "-o", os.path.join(place, name))
        with open(os.path.join(place, "broken.hdf5"), "w", encoding="utf-8") as file:
            file.write("nothing")
        one = self.checksum(os.path.join(place, "one.hdf5"))
        with open(self.path("public.tsv"), "w", encoding="utf-8") as file:
            file.write("".join(f"{name}\t{sha256}\n" for name, sha256 in
                               (("file", "sha256"), ("one.hdf5", one), ("other.hdf5", one), ("broken.hdf5", one), ("absent.hdf5", one))))
        script = [sys.executable, os.path.join(HOME, "public.py"), self.path("siconos"), "-o", self.path("copies")]
        done = subprocess.run([*script, "--table", self.path("public.tsv")], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, os.listdir(self.path("copies"))), (3, ["one.hdf5"]), done.stderr)
        self.assertEqual(done.stdout, f"1 of 4 problems are in {self.path('copies')}\n")
        lines = done.stderr.splitlines()
        self.assertEqual([line.split(":")[1].strip() for line in lines], ["other.hdf5", "broken.hdf5", "absent.hdf5"], done.stderr)
        self.assertIn("its W, q and mu differ from those of the table", lines[0])
        self.assertEqual(subprocess.run(script, capture_output=True, text=True, check=False).returncode, 3)
        with open(os.path.join(HOME, "public.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        self.assertEqual(rows[0], ["file", "contacts", "sha256", "methods"])
        for row in rows[1:]:
            self.assertRegex("\t".join(row), r"\A\S+\t\d+\t[0-9a-f]{64}\t\S")

    def test_certificates(self):
        """normal impulses p >= 0 with W p = 0 but p.q < 0, where every solution has p.(W r + q) >= 0"""
        proofs = collections.defaultdict(dict)
        for line in table("certificates.tsv", ["name", "contact", "normal impulse [N s]"]):
            proofs[line["name"]][int(line["contact"])] = float(line["normal impulse [N s]"])
        told = {row["name"] for row in self.rows if row["best"] == "infeasible"}
        self.assertEqual(told, set(proofs))
        for row in self.small:
            if row["best"] != "infeasible":
                continue
            with gzip.open(os.path.join(HOME, "small", f"{row['name']}.json.gz")) as packed, open(self.path("a.json"), "wb") as file:
                file.write(packed.read())
            self.ncpbench("export", "a.json", "--format", "fclib", "--at", "0", "--force", "-o", "a.hdf5")
            w, q = normals(self.path("a.hdf5"))
            p = numpy.zeros(len(q))
            for contact, impulse in proofs[row["name"]].items():
                p[contact] = impulse
            self.assertEqual(len(q), int(row["contacts"]))
            self.assertTrue((p >= 0).all())
            # each of the sums is round-off of its terms
            self.assertLessEqual(numpy.abs(w @ p).max(), 256 * numpy.finfo(float).eps * (numpy.abs(w) @ p).max(), row["name"])
            self.assertLess(p @ q, -0.01 * numpy.abs(p) @ numpy.abs(q), row["name"])


if __name__ == "__main__":
    unittest.main()
