"""Runs side by side and under a limit of time, in processes of their own: run and solve --jobs, --time-limit.

    NCPBENCH=build/ncpbench python3 tests/jobs.py
"""
import os
import re
import signal
import unittest

import h5py

from cli_case import PATIENCE, Case, runs_of, start, text, write_fclib
from resume import numbers

GRID = ["run", "heavy-stack", "--set", "count=3,4", "--linear-solver", "pcr,cholesky", "--precision", "f64,f32", "--steps", "4",
        "--newton-iterations", "3", "--linear-iterations", "8"]


class Jobs(Case):
    def same(self, one, other):
        a, b = numbers(self.path(one)), numbers(self.path(other))
        self.assertEqual(sorted(a), sorted(b))
        self.assertGreater(len(a), 100)
        for key in a:
            self.assertEqual(a[key], b[key], key)

    def test_the_record_is_that_of_one_job(self):
        """runs, order and table"""
        tables = []
        for jobs in "1", "2", "5":
            out, err = self.ncpbench(*GRID, "--jobs", jobs, "-o", f"{jobs}.h5")
            tables.append([line.split()[:3] for line in out.splitlines()])
            self.assertEqual(len(re.findall(r"^\[\d/8\] heavy-stack, linear-solver .*: [\d.]+ s", err, re.M)), 8, err)
        self.assertEqual(len(tables[0]), 9)
        for jobs, table in zip("25", tables[1:]):
            self.assertEqual(table, tables[0])
            self.same("1.h5", f"{jobs}.h5")
        self.only("1.h5", "2.h5", "5.h5")

    def test_repetitions(self):
        self.ncpbench(*GRID, "--jobs", "3", "--repeat", "2", "--warmup", "1", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            orders = [list(run["repeats/order"][...]) for run in record["runs"].values()]
        self.assertEqual([len(order) for order in orders], 8 * [2])
        self.assertEqual(sorted(sum(orders, [])), list(range(16)))

    def test_a_limit_of_time(self):
        """costs its own run, which the record has as a failed one"""
        out, err = self.ncpbench("run", "heavy-stack", "--steps", "1,10000000", "--repeat", "0", "--time-limit", "8", "-o", "a.h5", status=1)
        self.assertIn("the run takes more than 8 s (--time-limit)", err)
        self.assertIn("time-limit", out)
        good, late = runs_of(self.path("a.h5"))
        self.assertEqual((good["finished"], late["finished"]), (1, 0))
        self.assertIn("--time-limit", text(late["fault"]))
        self.assertEqual(late["time_limit"], 8)

    def test_solve(self):
        write_fclib(self.path("p.hdf5"), [[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]], [-1, 0.5, 0.1], [0.5])
        command = ["solve", "p.hdf5", "--method", "newton,interior-point", "--relative-tolerance", "1e-8"]
        lines = [self.ncpbench(*command, "--jobs", jobs, "-o", f"{jobs}.h5")[0].splitlines() for jobs in "12"]
        self.assertEqual(*[[line.split()[0] for line in table] for table in lines])
        self.same("1.h5", "2.h5")

    def test_interrupts(self):
        self.ncpbench(*GRID, "--repeat", "0", "-o", "whole.h5")
        for number in signal.SIGINT, signal.SIGKILL:
            process = start([*GRID, "--repeat", "0", "--jobs", "2", "-o", "a.h5"], cwd=self.folder.name)
            for _ in range(3):  # lines of progress
                process.stderr.readline()
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertIn(process.returncode, (0, 130, -number), err)
            if process.returncode != 0:
                self.ncpbench("run", "--resume", "a.h5")
            with h5py.File(self.path("a.h5")) as record:
                self.assertEqual(len(record["runs"]), 8)
            self.same("a.h5", "whole.h5")
            self.only("a.h5", "whole.h5")
            os.remove(self.path("a.h5"))

    def test_usage(self):
        for given in ["--jobs", "0"], ["--jobs", "257"], ["--time-limit", "-1"]:
            self.refused(*GRID, *given, "-o", "a.h5", says=given[:1])
        self.refused("run", "heavy-stack", "--device", "emulated", "--jobs", "2", "-o", "a.h5", says=["device emulated", "--jobs"])
        self.only()


if __name__ == "__main__":
    unittest.main()
