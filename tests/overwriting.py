"""Nothing that a user has is overwritten by accident: inputs, other programs' files, write-protected ones, interrupted
commands and finished records, by every command that writes. And what --force does.

    NCPBENCH=build/ncpbench python3 tests/overwriting.py [Class...]
"""
import os
import re
import shutil
import signal
import stat
import subprocess
import time
import unittest

import h5py
import numpy

from cli_case import PATIENCE, QUICK, Case, runs_of, start, text, write_fclib
from resume import numbers, wait_for_state

RUN = ["run", "heavy-stack", *QUICK]
TIMINGS = ["bench", "assembly", "--contacts", "20", "--precision", "f32"]
EXPORT = ["export", "heavy-stack", "--size", "2"]


class Outputs(Case):
    """every command that writes, with the endings that its output may have"""

    def setUp(self):
        super().setUp()
        self.ncpbench(*RUN, "-o", "good.h5")
        write_fclib(self.path("p.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        os.mkdir(self.path("d"))
        write_fclib(self.path("d/p.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        self.ncpbench(*EXPORT, "--at", "0:0", "-o", "m")
        self.outputs = [
            ([*RUN], "-o", ".h5"),
            (["solve", "p.hdf5"], "-o", ".h5"),
            (["solve", "m/A.mtx"], "-o", ".h5"),
            (["solve", "m/A.mtx"], "--solution", ".mtx"),
            (["suite", "d"], "-o", ".h5"),
            ([*EXPORT, "--at", "0", "--format", "fclib"], "-o", ".hdf5"),
            (["report", "good.h5"], "-o", ".html"),
            ([*TIMINGS], "-o", ".h5"),
            *((["figure", "macklin-fig06"], "-o", ending) for ending in (".svg", ".pdf", ".png", ".tex")),
            (["figure", "convergence", "--from", "good.h5", "-o", "c.svg"], "--csv", ".csv"),
        ]


class Writes(Outputs):
    """files that are there already"""

    def keep(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents)

    def same(self, name, contents):
        self.assertEqual(self.bytes_of(name), contents, name)

    def test_a_file_that_is_not_ours(self):
        thesis = b"\\documentclass{thesis}\n"
        for command, option, ending in self.outputs:
            name = "thesis" + (ending if ending in (".svg", ".pdf", ".png") else ".tex")
            self.keep(name, thesis)
            self.refused(*command, option, name, says=[f"'{name}'", "--force", "no "])
            self.same(name, thesis)
            self.ncpbench(*command, option, name, "--force", status=None)
            self.assertNotEqual(self.bytes_of(name), thesis, (command, name))
            self.ncpbench(*command, option, name, status=None)  # by now it is one of ours
        self.assertEqual([name for name in os.listdir(self.folder.name) if "partial" in name or "~" in name], [])

    def test_a_file_of_the_same_kind_that_is_not_ours(self):
        others = {".h5": self.bytes_of("p.hdf5"), ".hdf5": self.bytes_of("p.hdf5"), ".html": b"<!DOCTYPE html>\n<p>mine\n",
                  ".mtx": self.bytes_of("m/b.mtx"), ".svg": b"<?xml version='1.0'?><svg/>",
                  ".pdf": b"%PDF-1.5\n/Producer (pdfTeX-1.40)\n", ".png": b"\x89PNG\r\n\x1a\n a photograph",
                  ".tex": b"% my own\n", ".csv": b"figure,price\n"}
        for command, option, ending in self.outputs:
            self.keep("mine" + ending, others[ending])
            self.refused(*command, option, "mine" + ending, says=["mine" + ending, "--force"])
            self.same("mine" + ending, others[ending])

    def test_a_write_protected_file(self):
        for command, option, ending in self.outputs:
            name = "p" + ending if ending != ".hdf5" else "q.hdf5"
            self.ncpbench(*command, option, name, status=None)
            os.chmod(self.path(name), 0o444)
            before = self.bytes_of(name)
            self.refused(*command, option, name, says=[name, "write-protected", "--force"])
            self.same(name, before)
            self.ncpbench(*command, option, name, "--force", status=None)
        self.ncpbench(*RUN, "-o", "added.h5")
        os.chmod(self.path("added.h5"), 0o444)
        self.refused(*RUN, "--append", "-o", "added.h5", says=["write-protected"])
        self.assertEqual(len(runs_of(self.path("added.h5"))), 1)

    def test_inputs_by_any_name(self):
        """the file itself, a hard link and a symbolic one"""
        for command, source, option in ((["solve", "p.hdf5"], "p.hdf5", "-o"), (["solve", "m/A.mtx"], "m/A.mtx", "-o"),
                                        (["solve", "m/A.mtx"], "m/A.mtx", "--solution"),
                                        (["solve", "m/A.mtx", "--rhs", "m/b.mtx"], "m/b.mtx", "--solution"),
                                        (["report", "good.h5"], "good.h5", "-o")):
            os.link(self.path(source), self.path("hard"))
            os.symlink(self.path(source), self.path("soft"))
            before = self.bytes_of(source)
            for name in (source, "hard", "soft"):
                self.refused(*command, option, name, says=[f"'{name}' is read by this command", "--force"])
                self.same(source, before)
            os.remove(self.path("hard"))
            os.remove(self.path("soft"))

    def test_other_inputs(self):
        problem, record = self.bytes_of("d/p.hdf5"), self.bytes_of("good.h5")
        self.refused("suite", "d", "-o", "d/p.hdf5", says=["d/p.hdf5", "--force"])
        self.same("d/p.hdf5", problem)
        os.link(self.path("good.h5"), self.path("a.svg"))
        os.symlink("good.h5", self.path("b.svg"))
        for name in ("a.svg", "b.svg"):
            self.refused("figure", "macklin-fig18", "--from", "good.h5", "-o", name, says=[name, "--force"])
            self.same("good.h5", record)

    def test_a_paper_beside_a_figure_for_latex(self):
        self.keep("paper.pdf", b"%PDF-1.5\n/Producer (pdfTeX-1.40)\n")
        self.refused("figure", "macklin-fig06", "-o", "paper.tex", says=["paper.pdf", "--force"])

    def test_no_figure_is_drawn_where_one_is_refused(self):
        os.mkdir(self.path("out"))
        self.keep("out/macklin-fig09.svg", b"mine")
        self.refused("figure", "macklin-fig06,macklin-fig09", "-o", "out", says=["macklin-fig09.svg"])
        self.refused("reproduce", "macklin-fig06,macklin-fig09", "-o", "out", says=["macklin-fig09.svg"])
        self.assertEqual(os.listdir(self.path("out")), ["macklin-fig09.svg"])

    def test_folders_of_systems(self):
        before = sorted(os.listdir(self.path("m")))
        self.refused(*EXPORT, "--at", "0:1", "-o", "m", says=["not empty", "--force"])
        self.ncpbench(*EXPORT, "--at", "0:1", "-o", "m", "--force")
        self.assertEqual(sorted(os.listdir(self.path("m"))), before)
        self.keep("m/mine.txt", b"mine")
        self.refused(*EXPORT, "--at", "0:0", "-o", "m", "--force", says=["other files"])
        self.same("m/mine.txt", b"mine")


class Places(Outputs):
    """what is no regular file stays as it is, also with --force, and nothing waits for it"""

    def refused_soon(self, *arguments, says):
        """in a minute at most; a FIFO that nobody serves would be waited for for ever"""
        process = start(arguments, cwd=self.folder.name)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"{arguments} waits")
        self.assertEqual((process.returncode, out), (3, ""), (arguments, err))
        self.assertRegex(err, r"\Ancpbench: [^\n]+\n\Z", arguments)
        for word in says:
            self.assertIn(word, err, arguments)

    def test_pipes_devices_and_links_to_nothing(self):
        for command, option, ending in self.outputs:
            for number, name in enumerate(("pipe", "device", "nothing", "folder")):
                place = self.path(name + ending)
                if os.path.lexists(place):
                    continue
                if number == 0:
                    os.mkfifo(place)
                elif number == 1:
                    os.symlink("/dev/full", place)
                elif number == 2:
                    os.symlink("missing", place)
                else:
                    os.mkdir(place)
            for name, why in (("pipe", "not a regular file"), ("device", "not a regular file"),
                              ("nothing", "a link to a file that is missing"), ("folder", "folder"), ("no/a", "folder 'no'")):
                if name == "folder" and command[0] == "figure" and option == "-o":
                    continue  # which takes drawings
                for force in ((), ("--force",)) if ending in (".svg", ".csv") else ((),):
                    self.refused_soon(*command, option, name + ending, *force, says=[f"'{name}{ending}'", why])
                mode = os.lstat(self.path(name + ending)).st_mode if name != "no/a" else 0
                check = {"pipe": stat.S_ISFIFO, "device": stat.S_ISLNK, "nothing": stat.S_ISLNK, "folder": stat.S_ISDIR}
                self.assertTrue(name == "no/a" or check[name](mode), (command, name))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_pipes_beside_an_output(self):
        for name in ("t.txt", "t.pdf", "c.h5.checkpoint", "l.h5.lock"):
            os.mkfifo(self.path(name))
        self.refused_soon("figure", "macklin-fig06", "-o", "t.svg", says=["'t.txt'", "not a regular file"])
        self.refused_soon("figure", "macklin-fig06", "-o", "t.tex", says=["'t.pdf'", "not a regular file"])
        self.refused_soon("run", "--resume", "c.h5", says=["'c.h5.checkpoint'", "not a regular file"])
        self.refused_soon(*RUN, "-o", "l.h5", says=["'l.h5'", ".lock", "not a regular file"])
        self.refused(*RUN, "-o", "c.h5", says=["'c.h5.checkpoint'", "not a regular file"])
        for name in ("w.svg.partial", "w.svg.earlier", "w.h5.checkpoint-new"):  # are of no concern
            os.mkfifo(self.path(name))
        self.ncpbench("figure", "macklin-fig06", "-o", "w.svg")
        self.ncpbench(*RUN, "-o", "w.h5", "--checkpoint", "0")
        for name in ("t.txt", "t.pdf", "c.h5.checkpoint", "l.h5.lock", "w.svg.partial", "w.svg.earlier", "w.h5.checkpoint-new"):
            self.assertTrue(stat.S_ISFIFO(os.lstat(self.path(name)).st_mode), name)

    def test_a_link_to_a_file_stays_one(self):
        os.mkdir(self.path("there"))
        for command, option, ending in self.outputs:
            file, link = self.path("there/a" + ending), self.path("link" + ending)
            self.ncpbench(*command, option, "there/a" + ending, status=None)
            if not os.path.lexists(link):
                os.symlink("there/a" + ending, link)
            before = os.stat(file).st_ino
            self.ncpbench(*command, option, "link" + ending, status=None)
            self.assertTrue(os.path.islink(link), command)
            self.assertNotEqual(os.stat(file).st_ino, before, command)
        self.assertEqual([name for name in os.listdir(self.path("there")) if "partial" in name or "earlier" in name], [])

    def test_a_missing_folder_is_found_before_the_work(self):
        """which would take hours"""
        work = ["--steps", "1000000"]
        self.refused_soon("gradient", "heavy-stack", *work, "-o", "no/a.h5", says=["'no/a.h5'", "folder 'no'"])
        self.refused_soon("optimize", "grasp", *work, "-o", "no/a.h5", says=["'no/a.h5'", "folder 'no'"])


class Records(Case):
    """finished records"""

    def test_another_commands_record_is_kept(self):
        self.ncpbench(*RUN, "-o", "a.h5")
        first = self.bytes_of("a.h5")
        out, err = self.ncpbench(*RUN, "--precision", "f32", "-o", "a.h5")
        self.assertIn("the earlier a.h5 is kept as a.h5~\n", err)
        self.assertEqual(self.bytes_of("a.h5~"), first)
        self.assertEqual(text(runs_of(self.path("a.h5"))[0]["precision"]), "f32")
        out, err = self.ncpbench(*RUN, "-o", "a.h5")  # and what is kept is never overwritten either
        self.assertIn("the earlier a.h5 is kept as a.h5~2\n", err)
        self.assertEqual(self.bytes_of("a.h5~"), first)
        self.ncpbench(*RUN, "-o", "a.h5")  # the same command
        self.ncpbench(*RUN, "--precision", "f32", "-o", "a.h5", "--force")
        self.only("a.h5", "a.h5~", "a.h5~2")

    def test_runs_that_were_added_are_kept(self):
        self.ncpbench(*RUN, "--append", "-o", "a.h5")  # makes the record where there is none
        self.ncpbench(*RUN, "--append", "-o", "a.h5")
        self.ncpbench(*RUN, "-o", "b.h5")
        self.ncpbench(*RUN, "--append", "-o", "b.h5")
        self.ncpbench(*RUN, "-o", "b.h5")
        self.assertEqual([len(runs_of(self.path(name))) for name in ("a.h5", "b.h5", "b.h5~")], [2, 1, 2])

    def test_through_a_link(self):
        self.ncpbench(*RUN, "-o", "a.h5")
        os.symlink("a.h5", self.path("link.h5"))
        self.ncpbench(*RUN, "--precision", "f32", "-o", "link.h5")
        self.only("a.h5", "a.h5~", "link.h5")
        self.assertTrue(os.path.islink(self.path("link.h5")))
        self.assertEqual([text(runs_of(self.path(name))[0]["precision"]) for name in ("a.h5", "a.h5~")], ["f32", "f64"])

    def test_timings(self):
        self.ncpbench(*TIMINGS, "-o", "t.h5")
        before = self.bytes_of("t.h5")
        self.ncpbench(*TIMINGS, "--contacts", "30", "-o", "t.h5")
        self.assertEqual(self.bytes_of("t.h5~"), before)
        self.ncpbench(*TIMINGS, "--contacts", "30", "-o", "t.h5")
        self.only("t.h5", "t.h5~")

    def of_version(self, version):
        """a record of another version of ncpbench, and its bytes"""
        self.ncpbench(*RUN, "-o", "a.h5", "--force")
        with h5py.File(self.path("a.h5"), "r+") as record:
            record.attrs["schema_version"] = numpy.int32(version)
            del record["runs/0000"].attrs["scenario"]
        return self.bytes_of("a.h5")

    def test_a_record_of_another_version(self):
        """is ours: no command stops at it, and each keeps it, with --force as well"""
        write_fclib(self.path("p.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        os.mkdir(self.path("d"))
        write_fclib(self.path("d/p.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        for command in (RUN, ["solve", "p.hdf5"], ["suite", "d"], TIMINGS, [*RUN, "--force"], [*TIMINGS, "--force"]):
            before = self.of_version(2 if command[-1] != "--force" else 1000)
            out, err = self.ncpbench(*command, "-o", "a.h5", status=None)
            self.assertIn("the earlier a.h5 is kept as a.h5~\n", err)
            self.assertEqual(self.bytes_of("a.h5~"), before, command)
            self.only("a.h5", "a.h5~", "d", "p.hdf5")
            os.remove(self.path("a.h5~"))
        before = self.of_version(2)
        self.refused(*RUN, "--append", "-o", "a.h5", status=3, says=["schema version 2, of an older ncpbench"])
        self.assertEqual(self.bytes_of("a.h5"), before)


class Interrupted(Case):
    """what an interrupted command left is not lost to another one"""

    LONG = ["run", "heavy-stack", "--steps", "20,100000", "--repeat", "0", "--checkpoint", "0", "-o", "a.h5"]

    def setUp(self):
        super().setUp()
        self.ncpbench(*RUN, "-o", "a.h5")
        process = start(self.LONG, cwd=self.folder.name)
        wait_for_state(self.path("a.h5.checkpoint"), process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        self.left = {name: self.bytes_of(name) for name in os.listdir(self.folder.name) if not name.endswith(".lock")}
        self.assertIn("a.h5.checkpoint", self.left)

    def test_every_command_that_writes_a_record(self):
        write_fclib(self.path("p.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        os.mkdir(self.path("d"))
        write_fclib(self.path("d/p.hdf5"), numpy.eye(3), [-1, 0.2, 0], [0.5])
        os.symlink("a.h5", self.path("link.h5"))
        commands = (RUN, [*RUN, "--append"], ["solve", "p.hdf5"], ["suite", "d"], TIMINGS)
        for command in commands:
            for name in ("a.h5", "link.h5"):
                self.refused(*command, "-o", name, says=["a.h5.checkpoint", "ncpbench run --resume ", "--force"])
        for name, contents in self.left.items():
            self.assertEqual(self.bytes_of(name), contents, name)
        for command in commands:
            for name, contents in self.left.items():
                with open(self.path(name), "wb") as file:
                    file.write(contents)
            self.ncpbench(*command, "-o", "a.h5", "--force", status=None)
            if os.path.exists(self.path("a.h5~")):
                os.remove(self.path("a.h5~"))
            self.only("a.h5", "d", "link.h5", "p.hdf5")  # nothing of the interrupted command is left
            with h5py.File(self.path("a.h5")) as record:
                self.assertEqual(text(record.attrs["schema"]), "ncpbench-record")
            os.remove(self.path("a.h5"))


class Reproduce(Case):
    """figures in full, smaller ones, and those of an interrupted command"""

    def drawn(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_quick_ones_have_a_folder_of_their_own(self):
        out, err = self.ncpbench("reproduce", "macklin-fig16", "--quick")
        self.assertTrue(out.endswith("figures-quick/macklin-fig16.svg\n"), out)
        self.only("figures-quick")
        self.assertIn("smaller runs (--quick)", self.drawn("figures-quick/macklin-fig16.svg"))
        self.ncpbench("figure", "macklin-fig16", "--from", "figures-quick/reproduce.h5", "-o", "a.svg")
        self.assertIn("smaller runs (--quick)", self.drawn("a.svg"))

    def test_quick_ones_do_not_replace_full_ones(self):
        self.ncpbench("reproduce", "macklin-fig16", "--quick", "-o", "out")
        before = {name: self.bytes_of(f"out/{name}") for name in os.listdir(self.path("out"))}
        self.ncpbench("reproduce", "macklin-fig16", "--quick", "-o", "out")  # as often as one likes
        with h5py.File(self.path("out/reproduce.h5"), "r+") as record:  # as if made in full
            record.attrs["title"] = numpy.bytes_("figures of the papers")
            del record["provenance"].attrs["texts_checksum"]
            record.attrs["schema_version"] = numpy.int32(2)  # by an older ncpbench
        self.refused("reproduce", "macklin-fig16", "--quick", "-o", "out", says=["out/reproduce.h5", "-o", "--force"])
        self.ncpbench("reproduce", "macklin-fig16", "--quick", "-o", "out", "--force")
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted([*before, "reproduce.h5~"]))

    def interrupt(self, command, lines, number=signal.SIGINT):
        """stopped after so many lines of progress, or (None) as soon as all runs are in the record"""
        process = start(command, cwd=self.folder.name)
        for _ in range(lines or 0):
            process.stderr.readline()
        while lines is None and process.poll() is None and not os.path.exists(self.path("out/reproduce.h5")):
            time.sleep(0.001)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertIn(process.returncode, (130, -number), err)
        return err

    def test_an_interrupted_one_goes_on(self):
        """after Ctrl-C and kill -9, among the runs and while the figures are drawn: no run is made twice"""
        command = ["reproduce", "macklin-fig11,macklin-fig16", "--quick", "-o", "out"]
        self.ncpbench(*command[:-1], "whole")
        count = len(runs_of(self.path("whole/reproduce.h5")))
        for number in (signal.SIGINT, signal.SIGKILL):
            err = self.interrupt(command, 2, number)
            if number == signal.SIGINT:
                self.assertIn("resume with: the same command\n", err)
            self.refused("run", "--resume", "out/reproduce.h5", status=3, says=["ncpbench reproduce"])
            self.refused("reproduce", "macklin-fig16", "--quick", "-o", "out", says=["ncpbench reproduce macklin-fig11", "--force"])
            out, err = self.ncpbench(*command)
            found = re.search(rf"(\d+) of {count} runs were finished", err)
            self.assertGreaterEqual(int(found[1]), 1)  # the second one was perhaps not recorded yet
            self.assertEqual(len(re.findall(rf"\[\d+/{count}\] ", err)), count - int(found[1]))
            self.assertEqual(sorted(os.listdir(self.path("out"))), ["index.html", "macklin-fig11.svg", "macklin-fig11.txt", "macklin-fig16.svg", "macklin-fig16.txt", "reproduce.h5"])
            self.assertEqual(numbers(self.path("out/reproduce.h5")), numbers(self.path("whole/reproduce.h5")))
            shutil.rmtree(self.path("out"))
        self.interrupt(command, None)
        out, err = self.ncpbench(*command)
        found = re.match(rf"(\d+) of {count} runs were finished\n", err)
        self.assertGreaterEqual(int(found[1]), count - 1)  # the last one's repetition was perhaps interrupted
        self.assertEqual(len(re.findall(rf"\[\d+/{count}\] ", err)), count - int(found[1]))
        self.assertGreater(len(out.split("\n")), 2)
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["index.html", "macklin-fig11.svg", "macklin-fig11.txt", "macklin-fig16.svg", "macklin-fig16.txt", "reproduce.h5"])
        self.interrupt(command, 1)
        out, err = self.ncpbench(*command, "--force")
        self.assertNotIn("were finished", err)


if __name__ == "__main__":
    unittest.main()
