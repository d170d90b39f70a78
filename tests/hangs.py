"""Nothing waits for what never comes: pipes in every place of a file, small files that stand for much memory, Ctrl-C.

    NCPBENCH=build/ncpbench python3 tests/hangs.py [Class...]
"""
import gzip
import os
import resource
import signal
import subprocess
import time
import unittest

import numpy

from cli_case import QUICK, Case, start

SOON = 60  # seconds that a refusal may take, on a machine that does much else


class Pipes(Case):
    """a pipe that nobody serves, where a file to read is expected: one line, status 3, and nobody opens it"""

    def setUp(self):
        super().setUp()
        self.ncpbench("export", "heavy-stack", "--size", "2", "--at", "0:0", "-o", "m")
        os.mkdir(self.path("table"))
        os.mkdir(self.path("n"))
        os.mkfifo(self.path("table/standard.tsv"))
        os.rename(self.path("m/b.mtx"), self.path("b.mtx"))
        for name in ("p.json", "p.json.gz", "p.h5", "p.hdf5", "p.dat", "p.mtx", "p.so", "p.py", "m/b.mtx", "n/A.mtx"):
            os.mkfifo(self.path(name))

    def test_pipes(self):
        for name, *arguments in (
                ["p.json", "run", "p.json", "-o", "a.h5"], ["p.json.gz", "run", "p.json.gz", "-o", "a.h5"], ["p.json", "run", "arch,p.json", "-o", "a.h5"],
                ["p.json", "gradient", "p.json", "-o", "a.h5"], ["p.json", "optimize", "p.json", "-o", "a.h5"],
                ["p.json", "export", "p.json", "--at", "0", "-o", "a"], ["p.json", "list", "scenarios", "p.json"],
                ["p.h5", "export", "p.h5", "--at", "0", "-o", "a"], ["p.h5", "run", "arch", "--from", "p.h5", "-o", "a.h5"],
                ["p.h5", "run", "--resume", "p.h5"], ["p.h5", "check", "p.h5"], ["p.h5", "compare", "p.h5", "p.h5"], ["p.h5", "report", "p.h5"],
                ["p.h5", "figure", "macklin-fig06", "--from", "p.h5", "-o", "a.svg"],
                *([name, "solve", name] for name in ("p.json", "p.json.gz", "p.hdf5", "p.dat", "p.mtx", "n/A.mtx")),
                ["m/b.mtx", "solve", "m/A.mtx"], ["p.mtx", "solve", "m/A.mtx", "--rhs", "p.mtx"],
                ["table/standard.tsv", "suite", "--standard", "table", "-o", "a.h5"],
                ["p.so", "list", "--plugin", "p.so"], ["p.py", "list", "--plugin", "p.py"]):
            with self.subTest(arguments=arguments):
                process = start(arguments, cwd=self.folder.name)
                try:
                    out, err = process.communicate(timeout=SOON)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    self.fail(f"{arguments} waits")
                self.assertEqual((process.returncode, out), (3, ""), err)
                self.assertRegex(err, r"\Ancpbench: [^\n]+ is not a regular file\n\Z")
                self.assertIn(f"'{name}'", err)


class Bombs(Case):
    """a small compressed file that stands for much memory"""

    def compress(self, text):
        with gzip.open(self.path("a.json.gz"), "wb") as file:
            file.write(text)

    def refused_within(self, megabytes, *arguments, says):
        def bound():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        self.refused(*arguments, status=3, says=says, preexec_fn=bound)

    def test_many_values(self):
        """of 240 MB of text: numbers in 24 bytes and more each, objects in 400"""
        for value, command in ((b"0,", ["run", "a.json.gz", "-o", "a.h5"]), (b"{},", ["solve", "a.json.gz"])):
            self.compress(b"[" + value * ((240 << 20) // len(value)) + b"0]")
            self.assertLess(os.path.getsize(self.path("a.json.gz")), 400000)
            self.refused_within(2500, *command, says=["'a.json.gz'", "out of memory for its values", "at most 1.07e+03 MB"])

    def test_many_bytes(self):
        self.compress(b" " * (257 << 20))
        self.refused_within(2500, "run", "a.json.gz", "-o", "a.h5", says=["'a.json.gz' holds more than 268435456 bytes"])

    def test_memory_runs_out(self):
        """says so and does not call the file wrong"""
        with open(self.path("a.json"), "w") as file:
            file.write("[" + "[0.5]," * 1000000 + "0]")
        self.refused_within(160, "run", "a.json", *QUICK, "-o", "a.h5", says=["'a.json'", "out of memory for its values"])


class Interrupts(Case):
    """Ctrl-C in one long factorization: the command ends with status 130, after no more than two seconds of processor time"""

    def interrupted(self, *arguments, after):
        process = start(arguments, cwd=self.folder.name)

        def used():
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
                user, system = file.read().rsplit(")", 1)[1].split()[11:13]
            return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

        while process.poll() is None and used() < after:
            time.sleep(0.01)
        self.assertIsNone(process.poll(), f"{arguments}: ended by itself with {process.returncode}")
        before = used()
        process.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        _, err = process.communicate()
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted", err)
        # OpenBLAS's threads wait busily
        self.assertLess(usage.ru_utime + usage.ru_stime - before, 2 * len(os.sched_getaffinity(0)), arguments)

    def test_in_libraries(self):
        """a matrix of random entries, whose factors are full"""
        random, rows, entries = numpy.random.default_rng(1), 12000, []
        for i in range(rows):
            entries += [f"{i + 1} {i + 1} 5"] + [f"{i + 1} {j + 1} {x:g}" for j, x in zip(sorted(set(random.integers(0, rows, 6)) - {i}), random.standard_normal(6))]
        with open(self.path("a.mtx"), "w", encoding="ascii") as file:
            file.write("\n".join(["%%MatrixMarket matrix coordinate real general", f"{rows} {rows} {len(entries)}", *entries, ""]))
        for solver in ("klu", "umfpack", "multifrontal"):
            self.interrupted("solve", "a.mtx", "--rhs", "ones", "--linear-solver", solver, "--repeat", "0", after=3)

    def test_in_coarse_spaces(self):
        """many dense eigenproblems, and one of 1,200 rows and more"""
        for size in ("30", "600"):
            self.interrupted("run", "wall", "--set", "width=40", "--set", "height=30", "--form", "stiffness", "--preconditioner", "schwarz", "--preconditioner-option",
                             "coarse=geneo", "--preconditioner-option", f"size={size}", "--steps", "1", "-o", "a.h5", after=5)

    def test_in_assembly(self):
        """of a matrix that couples everything"""
        for solver in ("cholesky", "umfpack"):
            self.interrupted("run", "bar", "--set", "cells=30", "--linear-solver", solver, "--steps", "3", "-o", "a.h5", after=5)


if __name__ == "__main__":
    unittest.main()
