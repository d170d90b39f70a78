"""Progress as a terminal shows it: one line, no wider than the terminal, with the time left.

    NCPBENCH=build/ncpbench python3 tests/progress.py
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from cli_case import PATIENCE, PROGRAM, Case


class Progress(Case):
    def on_terminal(self, width, *arguments):
        """what the command writes to standard error where that is a terminal of so many columns"""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder.name, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        written = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            written += piece
        os.close(master)
        self.assertEqual(process.wait(timeout=PATIENCE), 0, written)
        return written.decode()

    def test_no_line_is_wider_than_the_terminal(self):
        for width in (15, 60, 200):
            written = self.on_terminal(width, "run", "heavy-stack", "--set", "count=6,7", "--linear-solver", "pcr,pcg",
                                       "--preconditioner", "none,block-jacobi", "--steps", "150", "--repeat", "0",
                                       "--force", "-o", "a.h5")
            lines = re.findall("\033\\[K([^\r\n]+)(?=\r\033)", written)  # the bar's, each of which is wiped; words that stay are not
            self.assertGreater(len(lines), 2)
            self.assertLess(max(map(len, lines)), width)
            if width == 200:
                shown = [line for line in lines if "heavy-stack, linear-solver" in line]
                self.assertTrue(shown)
                for line in shown:
                    self.assertRegex(line, r"^\[[#.]{16}\] [ \d]{3}%(; \d+:\d\d so far(, \d+:\d\d left)?)?, run \d/8, step \d+/150: ")
                self.assertTrue(any(" so far, run" in line for line in shown))  # of another scene nothing is known

    def test_the_time_left_is_told_by_runs_alike(self):
        written = self.on_terminal(200, "run", "wall", "--steps", "20", "--seed", "1,2", "--repeat", "0", "-o", "a.h5")
        lines = re.findall(r"\[[#.]{16}\][^\r\n]*", written)
        second = [line for line in lines if "run 2/2" in line]
        self.assertTrue(second)
        self.assertFalse([line for line in second if "so far, run" in line])  # the first differs in its seed alone
        written = self.on_terminal(200, "run", "wall", "--steps", "20,21", "--repeat", "0", "-o", "b.h5")
        first = [line for line in re.findall(r"\[[#.]{16}\][^\r\n]*", written) if "run 1/2" in line]
        self.assertTrue(first)
        self.assertFalse([line for line in first if re.search(r"\d left", line)])  # of the second nothing is known


if __name__ == "__main__":
    unittest.main()
