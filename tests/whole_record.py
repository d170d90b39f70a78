"""Every HDF5 file that a command leaves with status 0 can be read to its end, object by object; one that cannot is not left.

`Large` makes records of 100 to 500 MB, which takes a minute and a gigabyte: daily.sh.

HDF5 forgets that a group without a name is in use when its header leaves the metadata cache, and lost what was written
in it. Where that happens once more, or in another way, lost_objects.c stands for it: a library that spoils what it wrote."""
import os
import unittest

import h5py
import numpy

from cli_case import Case, write_fclib

STORED = ["--store-systems", "--repeat", "0"]
SHORT = ["--steps", "2", "--newton-iterations", "2", "--linear-iterations", "5", "--repeat", "1"]
OPTIMIZE = ["optimize", "grasp", "--knots", "3", "--iterations", "1", "--smoothing", "1e-3"]
GRADIENT = ["gradient", "incline", "--steps", "2"]
BENCH = ["bench", "assembly", "--contacts", "20", "--precision", "f32"]
EXPORT = ["export", "heavy-stack", "--size", "2", "--at", "0", "--format", "fclib"]


def read(path):
    """how many objects the file has; each is opened, and each attribute and dataset read"""
    count = 0

    def walk(group):
        nonlocal count
        for name in group:
            item = group[name]
            count += 1
            for attribute in item.attrs:
                _ = item.attrs[attribute]
            if isinstance(item, h5py.Group):
                walk(item)
            else:
                _ = item[()]

    with h5py.File(path) as file:
        walk(file)
    return count


class Whole(Case):
    def whole(self, *arguments, name="a.h5", least=0):
        self.ncpbench(*arguments, "-o", name)
        objects, size = read(self.path(name)), os.path.getsize(self.path(name))
        self.assertGreaterEqual(size, least)
        print(" ".join(arguments), f"{objects} objects, {size / 1e6:.1f} MB")
        return objects

    def problems(self):
        os.mkdir(self.path("d"))
        for name in "pq":
            write_fclib(self.path(f"d/{name}.hdf5"), numpy.diag([2, 1, 1]), [-1, 0.2, 0], [0.5])


class Kinds(Whole):
    def test_stored_systems(self):
        """those of which HDF5 lost the last, or all of the run"""
        piling = ["run", "piling", "--set", "count=6", "--steps", "12", "--method", "auto", *STORED]
        first = self.whole(*piling, least=15e6)
        both = self.whole(*piling, "--append", least=30e6)
        self.assertGreaterEqual(both, 2 * first - 2)
        self.ncpbench("check", "a.h5")
        self.whole("run", "arch", "--steps", "20", *STORED, name="b.h5", least=50e6)

    def test_runs(self):
        self.whole("run", "heavy-stack,incline", *SHORT, "--store-states", "1", "--reference", "on")
        self.whole("run", "heavy-stack", *SHORT, "--batch", "2", name="b.h5")

    def test_others(self):
        self.problems()
        self.whole(*BENCH, name="b.h5")
        self.whole("suite", "d", name="s.h5")
        self.whole("solve", "d/p.hdf5", name="p.h5")
        self.whole(*EXPORT, name="e.hdf5")
        self.whole(*GRADIENT, name="g.h5")
        self.whole(*OPTIMIZE, name="o.h5")

    def test_a_damaged_record(self):
        """as earlier versions left them: the line names what is lost"""
        self.ncpbench("run", "heavy-stack", *SHORT, *STORED[:1], "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            place = h5py.h5o.get_info(record["runs/0000/systems/0001_001/A"].id).addr
        content = bytearray(self.bytes_of("a.h5"))
        content[place:place + 64] = bytes(64)
        with open(self.path("a.h5"), "wb") as file:
            file.write(content)
        for command in (["check", "a.h5"], ["run", "heavy-stack", *SHORT, "--append", "-o", "a.h5"]):
            self.refused(*command, status=3, says=["'a.h5': '/runs/0000/systems/0001_001/A' cannot be read: the file is damaged"])
        self.assertEqual(self.bytes_of("a.h5"), bytes(content))


class Lost(Whole):
    def lost(self, *arguments, name):
        """what the command wrote is spoilt: it says so, and leaves the earlier file"""
        with open(self.path(name), "wb") as file:
            file.write(self.earlier)
        environment = {**os.environ, "LD_PRELOAD": os.environ["NB_TEST_LOST_OBJECTS"]}
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        err = self.ncpbench(*arguments, "-o", name, "--force", status=3, env=environment)[1]
        lines = [line for line in err.splitlines() if line.startswith("ncpbench: ")]
        self.assertEqual(len(lines), 1, err)
        self.assertRegex(lines[0], f"^ncpbench: cannot write '[^']*{name}': what was written cannot be read back: ")
        self.assertEqual(self.bytes_of(name), self.earlier)

    def test_every_command_that_writes(self):
        self.problems()
        for arguments in (["run", "heavy-stack", *SHORT], BENCH, ["suite", "d"], ["solve", "d/p.hdf5"], EXPORT, GRADIENT, OPTIMIZE):
            self.ncpbench(*arguments, "-o", "x.h5", "--force")
            self.earlier = self.bytes_of("x.h5")
            with self.subTest(arguments[0]):
                self.lost(*arguments, name="x.h5")


class Large(Whole):
    def test_records_of_500_megabytes(self):
        self.whole("run", "incline", "--steps", "60", *STORED, least=30e6)
        self.whole("run", "heavy-stack", "--steps", "30", *STORED, name="h.h5", least=30e6)
        self.whole("run", "wall", "--steps", "5", *STORED, name="w.h5", least=100e6)
        self.whole("run", "bar", "--set", "cells=6", "--steps", "55", *STORED, name="b.h5", least=500e6)
        self.ncpbench("check", "b.h5", status=None)


if __name__ == "__main__":
    unittest.main()
