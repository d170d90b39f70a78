"""Sweeps that are made in shards (run --shard), and merge.

    NCPBENCH=build/ncpbench python3 tests/sweeps.py
"""
import hashlib
import json
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import tarfile
import time
import unittest

import h5py
import numpy

from cli_case import PATIENCE, PROGRAM, Case, runs_of, start, text

SWEEP = ["run", "arch,heavy-stack", "--seed", "1,2,3", "--linear-solver", "pcr,cholesky", "--steps", "2", "--newton-iterations", "3", "--repeat", "0"]
RUNS = 12


def results(path):
    """of each run every dataset that is not in seconds, and the groups' names"""
    found = []
    with h5py.File(path, "r") as record:
        for run in record["runs"].values():
            own = {}
            run.visititems(lambda name, item: own.update({name: item[()]}) if isinstance(item, h5py.Dataset) and text(item.attrs.get("units", "")) != "s"
                           else None)
            found.append(own)
    return found


def assert_same(case, name, other):
    ours, theirs = results(case.path(name)), results(case.path(other))
    case.assertEqual(len(ours), len(theirs))
    for a, b in zip(ours, theirs):
        case.assertEqual(list(a), list(b))
        for key in a:
            if key != "repeats/order":
                case.assertEqual(numpy.asarray(a[key]).tobytes(), numpy.asarray(b[key]).tobytes(), key)


class Sweeps(Case):
    def shard(self, i, count, *more):
        return self.ncpbench(*SWEEP, *more, "--shard", f"{i}/{count}", "-o", f"s-{i}.h5")

    def shards(self, count):
        for i in range(1, count + 1):
            self.shard(i, count)
        return [f"s-{i}.h5" for i in range(1, count + 1)]

    def test_merged_shards_are_the_sweep(self):
        self.ncpbench(*SWEEP, "-o", "whole.h5")
        names = self.shards(3)
        _, err = self.ncpbench("merge", *names, "-o", "m.h5")
        self.assertIn(f"{RUNS} of {RUNS} runs", err)
        assert_same(self, "m.h5", "whole.h5")
        self.assertLess(os.path.getsize(self.path("m.h5")), 1.1 * sum(os.path.getsize(self.path(name)) for name in names))  # room is given back
        settings = ("scenario", "linear_solver", "seed")
        self.assertEqual([[run[key] for key in settings] for run in runs_of(self.path("m.h5"))],
                         [[run[key] for key in settings] for run in runs_of(self.path("whole.h5"))])
        with h5py.File(self.path("m.h5")) as record:
            self.assertEqual(text(record["sweep"].attrs["command"]), shlex.join(["ncpbench", *SWEEP]))
            self.assertEqual(text(record.attrs["command"]), shlex.join(["ncpbench", *SWEEP]))
            for i, run in enumerate(record["runs"].values()):
                source = record["provenance"][f"{run.attrs['provenance']:04d}"]
                self.assertIn(f"--shard {i % 3 + 1}/3", text(source.attrs["command"]))
                error = run["newton/natural_map_error"]
                self.assertEqual([axis[0].name for axis in error.dims], [f"{run.name}/newton/step", f"{run.name}/newton/newton"])
        self.ncpbench("check", "m.h5", status=None)
        self.ncpbench("compare", "whole.h5", "m.h5")

    def test_any_order_gives_the_same(self):
        a, b, c = self.shards(3)
        self.ncpbench("merge", a, b, c, "-o", "m.h5")
        self.ncpbench("merge", c, a, "-o", "two.h5")
        self.ncpbench("merge", "two.h5", b, "-o", "again.h5")
        self.ncpbench("merge", b, "two.h5", a, "-o", "twice.h5")
        for other in ("again.h5", "twice.h5"):
            assert_same(self, "m.h5", other)
            with h5py.File(self.path("m.h5")) as ours, h5py.File(self.path(other)) as theirs:
                self.assertEqual([text(p.attrs["command"]) for p in ours["provenance"].values()],
                                 [text(p.attrs["command"]) for p in theirs["provenance"].values()])

    def test_the_same_command_goes_on(self):
        """killed at random moments; a run in progress at most is lost, and a whole shard does nothing"""
        seed = int(os.environ.get("NB_TEST_SEED", random.randrange(10**6)))
        chance, command = random.Random(seed), [*SWEEP, "--shard", "1/2", "-o", "s-1.h5"]
        for _ in range(6):
            process = start(command, cwd=self.folder.name)
            time.sleep(chance.uniform(0, 0.6))
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
        _, err = self.ncpbench(*command, status=None)
        self.assertEqual(len(runs_of(self.path("s-1.h5"))), RUNS // 2, f"seed {seed}: {err}")
        _, err = self.ncpbench(*command)
        self.assertIn("complete", err)
        self.shard(2, 2)
        self.ncpbench(*SWEEP, "-o", "whole.h5")
        self.ncpbench("merge", "s-1.h5", "s-2.h5", "-o", "m.h5")
        assert_same(self, "m.h5", "whole.h5")

    def test_a_suite(self):
        """three shards of 13 problems and two methods, one of them killed and started again"""
        command = ["suite", "--standard", "failures", "--method", "psor,apgd", "--newton-iterations", "20"]
        self.ncpbench(*command, "-o", "whole.h5", status=1)
        process = start([*command, "--shard", "2/3", "-o", "s-2.h5"], cwd=self.folder.name)
        time.sleep(0.8)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        for i in (1, 2, 3):
            self.ncpbench(*command, "--shard", f"{i}/3", "-o", f"s-{i}.h5", status=None)
        self.ncpbench("merge", "s-3.h5", "s-2.h5", "s-1.h5", "-o", "m.h5")
        assert_same(self, "m.h5", "whole.h5")
        self.assertEqual([run["sweep_run"] for run in runs_of(self.path("m.h5"))], list(range(1, 27)))

    def test_figures(self):
        """drawn from shards that were merged: the same to the byte"""
        command = ["reproduce", "macklin-fig06,macklin-fig16", "--quick"]
        for i in (1, 3, 1):
            _, err = self.ncpbench(*command, "--shard", f"{i}/3", "-o", "parts")
        self.assertIn("complete", err)
        out, _ = self.ncpbench("merge", "parts/reproduce-1.h5", "parts/reproduce-3.h5", "-o", "parts/reproduce.h5", "--missing")
        self.refused(*command, "-o", "parts", status=3, says=["2 of 3 runs", "--missing"])
        self.assertEqual(out, shlex.join(["ncpbench", *command]) + " --shard 2/3 -o parts  # 1 run\n")
        self.ncpbench(*shlex.split(out, comments=True)[1:])
        self.ncpbench("merge", *(f"parts/reproduce-{i}.h5" for i in (3, 1, 2)), "-o", "parts/reproduce.h5", "--force")
        _, err = self.ncpbench(*command, "-o", "parts")
        self.assertNotIn("[1/3]", err)
        self.ncpbench(*command, "-o", "whole")
        for name in ("macklin-fig06.svg", "macklin-fig16.svg"):
            self.assertEqual(self.bytes_of(f"parts/{name}"), self.bytes_of(f"whole/{name}"))

    def test_several_processors(self):
        """a ranking of shards from two machines says so"""
        names = self.shards(2)
        self.ncpbench("merge", *names, "-o", "m.h5")
        self.assertNotIn("several processors", self.ncpbench("compare", "m.h5", "--rank")[1])
        with h5py.File(self.path("m.h5"), "r+") as record:
            own = record["provenance"][f"{record['runs/0001'].attrs['provenance']:04d}"].attrs
            own.modify("cpu_model", b"another")
            del own["texts_checksum"]
        _, err = self.ncpbench("compare", "m.h5", "--rank", status=None)
        self.assertIn("only work, iterations and errors compare", err)

    def test_what_is_missing(self):
        self.shards(3)
        os.remove(self.path("s-2.h5"))
        out, err = self.ncpbench("merge", "s-1.h5", "s-3.h5", "--missing")
        self.assertIn(f"8 of {RUNS} runs", err)
        line, = out.splitlines()
        self.ncpbench("merge", "s-1.h5", "s-3.h5", "-o", "two.h5")
        self.assertEqual(self.ncpbench("merge", "two.h5", "--missing")[0], out)
        words = shlex.split(line, comments=True)
        self.assertEqual(words[0], "ncpbench")
        subprocess.run([PROGRAM, *words[1:]], cwd=self.folder.name, capture_output=True, timeout=PATIENCE)
        _, err = self.ncpbench("merge", "s-1.h5", "shard-2.h5", "s-3.h5", "-o", "m.h5")
        self.assertIn(f"{RUNS} of {RUNS} runs", err)
        out, _ = self.ncpbench("merge", "m.h5", "--missing")
        self.assertEqual(out, "")

    def test_missing_goes_on_with_an_interrupted_shard(self):
        process = start(["run", "heavy-stack", "--steps", "1,1000000", "--repeat", "0", "--shard", "1/1", "-o", "s 1.h5"], cwd=self.folder.name)
        for line in process.stderr:
            if "[1/2]" in line:
                break
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        out, err = self.ncpbench("merge", "s 1.h5", "--missing")
        self.assertEqual(out, "ncpbench run --resume 's 1.h5'  # 1 run\n", err)

    def test_a_lost_checkpoint(self):
        """a shard that lacks runs is made anew"""
        self.shard(1, 3)
        with h5py.File(self.path("s-1.h5"), "r+") as record:
            del record["runs/0003"]
        _, err = self.shard(1, 3)
        self.assertNotIn("complete", err)
        self.assertEqual(len(runs_of(self.path("s-1.h5"))), 4)

    def test_full_disk(self):
        names = self.shards(2)
        self.ncpbench("merge", *names, "-o", "m.h5")
        before, files = self.bytes_of("m.h5"), os.listdir(self.folder.name)
        for part in (0.001, 0.01, 0.5, 0.9, 0.99, 0.9999):
            limit = int(part * len(before))
            for name in ("m.h5", "n.h5"):
                self.refused("merge", *names, "-o", name, status=3, says=[f"cannot write '{name}'"], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(self.bytes_of("m.h5"), before)
        self.only(*files)

    def test_a_run_of_two_shards(self):
        self.shards(2)
        self.ncpbench(*SWEEP, "--shard", "1/3", "-o", "other.h5")
        self.ncpbench("merge", "s-1.h5", "s-2.h5", "other.h5", "-o", "m.h5")  # the same results
        with h5py.File(self.path("other.h5"), "r+") as record:
            record["runs/0001/newton/natural_map_error"][0, 0] *= 2
        self.refused("merge", "s-1.h5", "s-2.h5", "other.h5", "-o", "n.h5", status=3, says=["run 4 of the sweep", "--prefer first|last"])
        for which, factor in (("first", 1), ("last", 2)):
            self.ncpbench("merge", "s-1.h5", "s-2.h5", "other.h5", "--prefer", which, "-o", f"{which}.h5")
            with h5py.File(self.path(f"{which}.h5")) as merged, h5py.File(self.path("m.h5")) as record:
                name = "runs/0003/newton/natural_map_error"
                self.assertEqual(merged[name][0, 0], factor * record[name][0, 0])

    def test_refused(self):
        self.shards(2)
        self.ncpbench(*SWEEP[:1], "arch", *SWEEP[2:], "--shard", "1/2", "-o", "arch.h5")
        self.ncpbench(*SWEEP, "-o", "whole.h5")
        self.refused("merge", "s-1.h5", "arch.h5", "-o", "m.h5", status=3, says=["another sweep", "arch.h5"])
        self.refused("merge", "s-1.h5", "whole.h5", "-o", "m.h5", status=3, says=["'whole.h5' is no shard"])
        self.refused("merge", "s-1.h5", "s-2.h5", "-o", "s-2.h5", says=["'s-2.h5'"])
        self.refused("merge", "s-1.h5", "nothing.h5", "-o", "m.h5", status=3, says=["nothing.h5"])
        self.refused("merge", "-o", "m.h5", says=["shards are missing"])
        self.refused("merge", "s-1.h5", says=["-o FILE.h5"])
        with open(self.path("s-2.h5"), "r+b") as file:
            file.truncate(5000)
        self.refused("merge", "s-1.h5", "s-2.h5", "-o", "m.h5", status=3, says=["s-2.h5"])
        for bad in ("0/2", "3/2", "1", "1/2/3", "a/b", "-1/2"):
            self.refused("run", "arch", "--shard", bad, "-o", "m.h5", says=["--shard takes I/N"])
        self.refused("reproduce", "--claims", "--shard", "1/2", says=["--claims does not support --shard"])
        self.refused("run", "arch", "--shard", "1/2", "--append", "-o", "s-1.h5", says=["--append"])
        self.assertNotIn("m.h5", os.listdir(self.folder.name))

    def test_a_sweep_larger_than_a_record(self):
        """the limit of 4096 runs is of a shard; alike runs are left out before the sweep is cut"""
        many = ",".join(map(str, range(1, 101)))
        mus = ",".join(f"0.{i:03d}" for i in range(101, 201))
        command = ["run", "drop", "--seed", many, "--set", f"mu={mus}", "--steps", "1", "--newton-iterations", "1", "--repeat", "0"]
        self.refused(*command, "-o", "a.h5", says=["more than 4096 runs"])
        self.ncpbench(*command, "--shard", "5000/5000", "-o", "a.h5", status=None)
        self.assertEqual([run["sweep_run"] for run in runs_of(self.path("a.h5"))], [5000, 10000])
        _, err = self.ncpbench("run", "arch", "--shard", "3/4", "-o", "b.h5")
        self.assertIn("--shard 3/4 has no run: the sweep has 1", err)


class Bundles(Case):
    def bundled(self, name):
        """the bytes of an archive's record, which stands first, and its texts by their names"""
        with tarfile.open(self.path(name)) as archive:
            members = archive.getmembers()
            files = [archive.extractfile(member).read() for member in members]
        self.assertEqual({os.path.dirname(member.name) for member in members}, {os.path.basename(name)[:-4]})
        names = [os.path.basename(member.name) for member in members[1:]]
        self.assertEqual(names, ["commands.txt", "inputs.tsv", "versions.tsv", "CITATION.cff"])
        return files[0], {key: value.decode() for key, value in zip(names, files[1:])}

    def elsewhere(self, name, other):
        """the record as if another processor had made it"""
        shutil.copy(self.path(name), self.path(other))
        with h5py.File(self.path(other), "r+") as record:
            attributes = record["provenance"].attrs
            attributes.modify("cpu_model", b"another")
            del attributes["texts_checksum"]

    def test_merged_shards(self):
        for i in (1, 2):
            self.ncpbench(*SWEEP, "--shard", f"{i}/2", "-o", f"s-{i}.h5")
        self.ncpbench("merge", "s-1.h5", "s-2.h5", "-o", "m.h5")
        os.mkdir(self.path("again"))
        for name in ("m.tar", "again/m.tar"):
            self.ncpbench("bundle", "m.h5", "-o", name)
        self.assertEqual(self.bytes_of("m.tar"), self.bytes_of("again/m.tar"))
        record, texts = self.bundled("m.tar")
        self.assertEqual(record, self.bytes_of("m.h5"))
        lines = texts["commands.txt"].splitlines()
        self.assertEqual(lines[:2], [f"# sweep in 2 shards: {RUNS} of its {RUNS} runs are here", shlex.join(["ncpbench", *SWEEP])])
        for i in (1, 2):
            self.assertRegex(lines[2 * i], r"\A# 20\S+Z, 6 runs\Z")
            self.assertEqual(lines[2 * i + 1], shlex.join(["ncpbench", *SWEEP, "--shard", f"{i}/2", "-o", f"s-{i}.h5"]))
        with h5py.File(self.path("m.h5")) as merged:
            versions = {line.split("\t")[0]: line.split("\t")[1:] for line in texts["versions.tsv"].splitlines()}
            self.assertEqual(versions["runs"], ["0", "6", "6"])
            for key in ("git_commit", "cpu_model", "compiler", "hdf5"):
                self.assertEqual(versions[key][1], text(merged["provenance/0001"].attrs[key]))
        with open(os.path.join(os.path.dirname(__file__), "..", "CITATION.cff"), encoding="utf-8") as file:
            self.assertEqual(texts["CITATION.cff"], file.read())
        with h5py.File(self.path("m.tar")) as inside:
            self.assertEqual(len(inside["runs"]), RUNS)
        for command in (["compare", "RECORD", "--rank", "--to", "1"], ["check", "RECORD"]):
            outputs = [self.ncpbench(*(word.replace("RECORD", name) for word in command), status=None)[0] for name in ("m.h5", "m.tar")]
            self.assertEqual(*outputs)
        self.ncpbench("merge", "m.tar", "-o", "n.h5")
        assert_same(self, "n.h5", "m.h5")

    def test_interrupted(self):
        process = start(["run", "heavy-stack", "--steps", "1,1000000", "--repeat", "0", "-o", "a.h5"], cwd=self.folder.name)
        for line in process.stderr:
            if "[1/2]" in line:
                break
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.ncpbench("bundle", "a.h5", "-o", "a.tar")
        record, texts = self.bundled("a.tar")
        self.assertEqual(record, self.bytes_of("a.h5"))
        self.assertIn("# interrupted: not all runs", texts["commands.txt"])
        self.assertIn("run heavy-stack --steps 1,1000000", texts["commands.txt"])

    def test_changed_input(self):
        """a scene and a folder of problems: each with its checksum, and said where it is another one by now"""
        self.ncpbench("export", "arch", "--at", "0", "--format", "scene", "-o", "x.json")
        os.mkdir(self.path("p"))
        for i in (0, 1):
            self.ncpbench("export", "arch", "--at", f"{i}:0", "--format", "fclib", "--steps", "2", "-o", f"p/{i}.hdf5")
        sums = [hashlib.sha256(self.bytes_of(f"p/{i}.hdf5")).hexdigest() for i in (0, 1)]
        self.ncpbench("run", "x.json", "--steps", "1", "--linear-solver", "pcr,cholesky", "-o", "a.h5", status=None)
        self.ncpbench("suite", "p", "--method", "apgd", "-o", "b.h5", status=None)
        for name, changed, inputs in (("a", "x.json", [["scene", "FNV-1a", fnv(self.bytes_of("x.json")), "2", "x.json"]]),
                                      ("b", "p/1.hdf5", [["problem", "SHA-256", sums[i], "1", f"{i}.hdf5"] for i in (0, 1)])):
            _, err = self.ncpbench("bundle", f"{name}.h5", "-o", f"{name}.tar")
            self.assertEqual(err, "")
            self.assertEqual([line.split("\t") for line in self.bundled(f"{name}.tar")[1]["inputs.tsv"].splitlines()[1:]], inputs)
            with open(self.path(changed), "ab") as file:
                file.write(b"\n")
            _, err = self.ncpbench("bundle", f"{name}.h5", "-o", "again.tar", "--force")
            self.assertRegex(err, rf"\Awarning: '{changed}' has changed since [12] runs? read it [^\n]*\n\Z")
            self.assertEqual(self.bundled("again.tar")[1]["inputs.tsv"], self.bundled(f"{name}.tar")[1]["inputs.tsv"])
            os.remove(self.path(changed))
            _, err = self.ncpbench("bundle", f"{name}.h5", "-o", "again.tar", "--force")
            self.assertEqual(err, "1 input file is not here, and not checked\n")

    def test_refused(self):
        self.ncpbench("run", "arch", "--steps", "1", "--repeat", "0", "-o", "a.h5")
        self.ncpbench("bundle", "a.h5", "-o", "a.tar")
        shutil.copy(self.path("a.h5"), self.path("plain.tar"))
        before = self.bytes_of("a.tar")
        self.refused("bundle", "plain.tar", "-o", "plain.tar", "--force", says=["'plain.tar' is read by this command"])
        self.refused("bundle", "a.h5", "-o", "a.tar", says=["'a.tar' is there", "--force"])
        self.refused("bundle", "a.tar", "-o", "b.tar", says=["'a.tar' is a bundle already"])
        self.refused("bundle", "a.h5", "-o", "b.tgz", says=[".tar"])
        self.refused("bundle", "a.h5", "-o", "no/b.tar", status=3, says=["'no/b.tar'"])
        self.refused("bundle", "a.h5", says=["-o FILE.tar"])
        self.refused("bundle", "-o", "b.tar", says=["record is missing"])
        self.refused("bundle", "none.h5", "-o", "b.tar", status=3, says=["none.h5"])
        self.refused("bundle", "a.h5", "-o", 200 * "b" + ".tar", says=["name of a bundle"])
        self.refused("run", "arch", "--steps", "1", "--append", "-o", "a.tar", status=3, says=["'a.tar' is a bundle", "tar -xf"])
        self.assertEqual(self.bytes_of("a.tar"), before)
        for part in (0.9, 0.5, 0.01):
            with open(self.path("cut.tar"), "wb") as file:
                file.write(before[:int(part * len(self.bytes_of("a.h5")))])
            self.refused("compare", "a.h5", "cut.tar", status=3, says=["cut.tar"])
            self.refused("bundle", "cut.tar", "-o", "b.tar", status=3, says=["cut.tar"])
        limit = len(before) // 2
        self.refused("bundle", "a.h5", "-o", "b.tar", status=3, says=["cannot write 'b.tar'"],
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.only("a.h5", "a.tar", "plain.tar", "cut.tar")

    def test_two_processors_in_one_table(self):
        self.ncpbench("run", "arch,wall", "--steps", "1", "--linear-solver", "pcr,cholesky", "--repeat", "5", "-o", "a.h5")
        self.elsewhere("a.h5", "b.h5")
        for name in ("a", "b"):
            self.ncpbench("bundle", f"{name}.h5", "-o", f"{name}.tar")
        said = "times are of several processors"
        out, err = self.ncpbench("compare", "a.tar", "b.tar", "--format", "json")
        self.assertIn(said, err + out)
        pairs = json.loads(out)["runs"]
        self.assertEqual([pair["time"] for pair in pairs], 4 * ["two processors"])
        self.assertEqual([pair["time_ratio"]["value"] for pair in pairs], 4 * [None])
        self.assertEqual([pair["operations_ratio"] for pair in pairs], 4 * [1])
        self.assertFalse(any(pair["error_differs"] or pair["work_differs"] for pair in pairs))
        self.refused("compare", "a.tar", "b.tar", "--fail-above", "2", status=3, says=["--fail-above requires times of one processor"])
        out, err = self.ncpbench("compare", "a.tar", "a.h5", "--format", "json")
        self.assertNotIn(said, err + out)
        self.assertNotIn("two processors", out)
        rank = ["--rank", "--to", "1", "--format", "json"]
        one = json.loads(self.ncpbench("compare", "a.tar", "a.h5", *rank)[0])["solvers"]
        self.assertTrue(all(solver["seconds"]["value"] > 0 for solver in one))
        ranked = json.loads(self.ncpbench("compare", "a.tar", "b.tar", "a.h5", *rank)[0])
        self.assertIn(said, ranked["warnings"][0])
        works = [solver["work"] for solver in ranked["solvers"]]
        self.assertEqual(works, sorted(works))
        self.assertEqual([solver["seconds"]["value"] for solver in ranked["solvers"]], 2 * [None])
        self.assertAlmostEqual(ranked["solvers"][1]["ratio"]["value"], works[1] / works[0], delta=1e-9)
        self.assertEqual({solver["solver"]: solver["work"] for solver in one}, {solver["solver"]: solver["work"] for solver in ranked["solvers"]})
        self.refused("compare", "a.tar", "b.tar", "a.h5", says=["more than two records require --rank"])


def fnv(data):
    """FNV-1a of 64 bits"""
    checksum = 0xcbf29ce484222325
    for byte in data:
        checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
    return f"{checksum:016x}"


if __name__ == "__main__":
    unittest.main()
