"""File systems without locks, and files that other programs have open.

The system's flock is replaced by one that always fails (no_locks.c, loaded before the C library)."""
import errno
import fcntl
import os
import unittest

import h5py
import numpy

from cli_case import QUICK, Case, runs_of, write_fclib

RUN = ["run", "heavy-stack", *QUICK]
WARNING = "ncpbench: warning: the file system has no locks"


class Locks(Case):
    def setUp(self):
        super().setUp()
        write_fclib(self.path("p.hdf5"), numpy.diag([2, 1, 1]), [-1, 0.2, 0], [0.5])


class Absent(Locks):
    def without(self, *arguments, error=errno.ENOLCK, **variables):
        """the command must succeed, and say once on standard error that there are no locks"""
        environment = {**os.environ, "LD_PRELOAD": os.environ["NB_TEST_NO_LOCKS"], "NB_TEST_LOCK_ERROR": str(error), **variables}
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        out, err = self.ncpbench(*arguments, env=environment)
        self.assertEqual(err.count("no locks"), 1, f"{arguments}: {err}")
        self.assertIn(f"{WARNING} ({os.strerror(error)})", err)
        return out

    def test_commands_that_write(self):
        self.without(*RUN, "-o", "a.h5")
        self.without(*RUN, "-o", "a.h5", "--append")
        self.assertEqual(len(runs_of(self.path("a.h5"))), 2)
        self.without("solve", "p.hdf5", "-o", "s.h5")
        self.without("export", "heavy-stack", "--size", "2", "--at", "0", "--format", "fclib", "-o", "e.hdf5")
        self.ncpbench("solve", "e.hdf5", status=None)
        os.mkdir(self.path("d"))
        for name in "qr":
            write_fclib(self.path(f"d/{name}.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        self.without("suite", "d", "-o", "suite.h5")
        self.without("bench", "assembly", "--contacts", "20", "--precision", "f32", "-o", "b.h5")
        self.only("a.h5", "b.h5", "d", "e.hdf5", "p.hdf5", "s.h5", "suite.h5")  # nor are there files for locks

    def test_commands_that_read(self):
        self.ncpbench(*RUN, "-o", "a.h5")
        self.without("solve", "p.hdf5")
        self.without("compare", "a.h5", "a.h5")
        self.without("report", "a.h5", "-o", "a.html")
        self.without("figure", "convergence", "--from", "a.h5", "-o", "a.tex")

    def test_other_errors_and_no_locks_of_hdf5(self):
        for error in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL):
            self.without("solve", "p.hdf5", error=error)
        self.without(*RUN, "-o", "a.h5", HDF5_USE_FILE_LOCKING="FALSE")


class Elsewhere(Locks):
    def test_a_problem_that_is_being_written(self):
        for version in ("earliest", "latest"):
            with h5py.File(self.path("p.hdf5")) as old, h5py.File(self.path("q.hdf5"), "w", libver=version) as new:
                old.copy("fclib_local", new)
            with h5py.File(self.path("q.hdf5"), "r+", libver=version):
                err = self.refused("solve", "q.hdf5", status=3, says=["'q.hdf5'", "open elsewhere"])
                self.assertNotIn("damaged", err)
            self.ncpbench("solve", "q.hdf5")

    def test_a_record_that_is_being_written(self):
        self.ncpbench(*RUN, "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+"):
            for command in (["check", "a.h5"], ["report", "a.h5", "-o", "a.html"], [*RUN, "-o", "a.h5", "--append"]):
                self.assertNotIn("damaged", self.refused(*command, status=3, says=["'a.h5'", "open elsewhere"]))
        self.assertEqual(len(runs_of(self.path("a.h5"))), 1)

    def test_readers_do_not_mind_each_other(self):
        with h5py.File(self.path("p.hdf5")):
            self.assertNotIn("warning", self.ncpbench("solve", "p.hdf5")[1])

    def test_a_user_may_do_without_locks(self):
        """as HDF5's own variable has it"""
        with open(self.path("p.hdf5")) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.refused("solve", "p.hdf5", status=3, says=["open elsewhere"])
            self.ncpbench("solve", "p.hdf5", env={**os.environ, "HDF5_USE_FILE_LOCKING": "FALSE"})

    def test_a_program_that_died_while_it_wrote(self):
        """the newest format notes in its head that a program writes it; the byte is status_flags of the superblock"""
        with h5py.File(self.path("p.hdf5")) as old, h5py.File(self.path("q.hdf5"), "w", libver="latest") as new:
            old.copy("fclib_local", new)
        with h5py.File(self.path("q.hdf5"), "r+", libver="latest") as file:
            file.flush()
            contents = self.bytes_of("q.hdf5")
        with open(self.path("q.hdf5"), "wb") as file:
            file.write(contents)
        self.refused("solve", "q.hdf5", status=3, says=["'q.hdf5'", "died", "h5clear"])


if __name__ == "__main__":
    unittest.main()
