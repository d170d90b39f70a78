"""Two processes write one record: the second is refused with a line, the first one's record is whole. And what every
record has: units and long names.

    NCPBENCH=build/ncpbench python3 tests/writers.py [Class...]
"""
import os
import shutil
import signal
import time
import unittest

import h5py

from cli_case import PATIENCE, QUICK, Case, start, text

RECORD = "reproduce.h5"  # the name that `reproduce` gives its record
TINY = ["heavy-stack", "--size", "2", "--newton-iterations", "2", "--linear-iterations", "4", "--repeat", "0"]
LONG = [*TINY, "--steps", "300", "--checkpoint", "0"]
SECONDS = {
    "run": ["run", *TINY, "--steps", "1", "-o", RECORD],
    "append": ["run", *TINY, "--steps", "1", "--append", "-o", RECORD],
    "through a link": ["run", *TINY, "--steps", "1", "-o", "link.h5"],
    "reproduce": ["reproduce", "macklin-fig16", "--quick", "-o", "."],
    "resume": ["run", "--resume", RECORD],
}
FIRSTS = {
    "run": ["run", *LONG, "-o", RECORD],
    "append": ["run", *LONG, "--append", "-o", RECORD],
    "reproduce": ["reproduce", "macklin-fig16", "--quick", "-o", "."],
    "resume": ["run", "--resume", RECORD],
}


class Writers(Case):
    def hold(self, arguments):
        """The process, stopped while it has the record; it is begun again where it got through before that."""
        for _ in range(20):
            shutil.rmtree(self.folder.name)
            shutil.copytree(self.template, self.folder.name, symlinks=True)
            process = start(arguments, cwd=self.folder.name)
            partial = self.path(f"{RECORD}.partial-{process.pid}")
            give_up = time.monotonic() + PATIENCE
            while not os.path.exists(partial) and process.poll() is None and time.monotonic() < give_up:
                time.sleep(0.001)
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)  # until then it goes on writing
            if os.path.exists(partial):
                self.addCleanup(lambda: process.poll() is None and process.kill())
                return process
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=PATIENCE)
        self.fail(f"{arguments} was never seen writing")

    def setUp(self):
        super().setUp()
        self.template = self.folder.name + "-template"
        os.mkdir(self.template)
        self.addCleanup(shutil.rmtree, self.template)
        self.ncpbench("run", *TINY, "--steps", "1", "-o", RECORD)
        shutil.copy(self.path(RECORD), self.template)
        os.symlink(RECORD, os.path.join(self.template, "link.h5"))

    def leave_interrupted(self):
        """a checkpoint, by a command that was stopped"""
        process = self.hold(FIRSTS["run"])
        give_up = time.monotonic() + PATIENCE
        process.send_signal(signal.SIGCONT)
        while not os.path.exists(self.path(RECORD + ".checkpoint")) and time.monotonic() < give_up:
            time.sleep(0.001)
        process.kill()
        process.communicate(timeout=PATIENCE)
        shutil.rmtree(self.template)
        shutil.copytree(self.folder.name, self.template, symlinks=True)

    def runs(self):
        with h5py.File(self.path(RECORD), "r") as record:
            record["runs"].visititems(lambda _, item: item[()] if isinstance(item, h5py.Dataset) else None)
            return len(record["runs"])

    def second_is_refused(self, first):
        process = self.hold(FIRSTS[first])
        checkpoint = os.path.exists(self.path(RECORD + ".checkpoint"))
        for name, arguments in SECONDS.items():
            before = {n: self.bytes_of(n) for n in os.listdir(self.folder.name)}
            if name == "resume" and not checkpoint:
                self.assertIn("is complete (1 run)", self.ncpbench(*arguments)[1])
                continue
            out, err = self.ncpbench(*arguments, status=3)
            lines = [line for line in err.splitlines() if line.startswith("ncpbench: ")]
            self.assertEqual(len(lines), 1, err)
            if name == "resume" and first == "reproduce":  # it is not asked who writes a record that is not this command's
                self.assertIn("the checkpoint is of no 'ncpbench run'", lines[0])
            else:
                self.assertRegex(lines[0], f"^ncpbench: cannot write '([^']*/)?{RECORD}': another process is writing it$")
            self.assertLessEqual(len(err.splitlines()), 2, (first, name))  # and what a resumed command found
            self.assertEqual({n: self.bytes_of(n) for n in os.listdir(self.folder.name)}, before, (first, name))
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.runs(), {"run": 1, "append": 2, "reproduce": 3, "resume": 1}[first])
        self.only(RECORD, "link.h5", *([RECORD + "~"] if first != "append" else []), *(["macklin-fig16.svg", "macklin-fig16.txt"] if first == "reproduce" else []))

    def test_run(self):
        self.second_is_refused("run")

    def test_append(self):
        self.second_is_refused("append")

    def test_reproduce(self):
        self.second_is_refused("reproduce")

    def test_resume(self):
        self.leave_interrupted()
        self.second_is_refused("resume")


class Meanings(Case):
    """units and long names, of every kind of run"""

    def look(self, name):
        count, empty = 0, []

        def visit(path, item):
            nonlocal count
            if isinstance(item, h5py.Dataset):
                count += 1
                for key in ("units", "long_name"):
                    self.assertTrue(text(item.attrs.get(key, "")).strip(), f"{path} has no {key}")
            elif len(item) == 0 and len(item.attrs) == 0:
                empty.append(path)

        with h5py.File(self.path(name), "r") as record:
            record.visititems(visit)
        self.assertEqual(empty, [])
        self.assertGreater(count, 40)

    def test_everything_stored(self):
        self.ncpbench("run", "heavy-stack,beam", *QUICK[:-2], "--repeat", "2", "--warmup", "1", "--store-states", "1",
                      "--store-systems", "--limits", "on", "--linear-solver", "pcr,cholesky", "-o", "a.h5")
        self.look("a.h5")

    def test_without_histories(self):
        self.ncpbench("run", "heavy-stack", *QUICK, "--linear-history", "off", "-o", "a.h5")
        self.look("a.h5")

    def test_problems(self):
        self.ncpbench("export", "heavy-stack", "--size", "2", "--at", "0:0", "-o", "m")
        self.ncpbench("export", "heavy-stack", "--size", "2", "--at", "0", "--format", "fclib", "-o", "p.hdf5")
        for problem in ("p.hdf5", "m/A.mtx"):
            self.ncpbench("solve", problem, "-o", "a.h5")
            self.look("a.h5")


if __name__ == "__main__":
    unittest.main()
