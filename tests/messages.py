"""Commands that are refused, whatever the folder holds: the rows of messages.tsv, each in an empty folder. The exit status is the row's,
standard output is empty, standard error is one line that holds the row's words, and the folder stays empty.

    NCPBENCH=build/ncpbench python3 tests/messages.py

A row: exit status, command without `ncpbench` as a shell takes it, words; separated by tabs. What needs files or an order of
commands is in the tests that the comments of the table name.
"""
import concurrent.futures
import os
import re
import shlex
import tempfile
import unittest

from cli_case import PATIENCE, start

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.tsv")


def rows():
    with open(TABLE, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    return lines, [(int(status), shlex.split(command), words) for status, command, *words in (line.split("\t") for line in lines)]


def faults(row):
    """what is wrong with a refusal; empty where nothing is"""
    status, command, words = row
    with tempfile.TemporaryDirectory(prefix="ncpbench-messages-") as folder:
        process = start(command, cwd=folder)
        out, err = process.communicate(timeout=PATIENCE)
        found = [f"status {process.returncode}"] * (process.returncode != status) + [f"says {out!r}"] * (out != "")
        found += ["not one line"] * (not re.fullmatch(r"ncpbench: [^\n]+\n", err)) + [f"lacks {word!r}" for word in words if word not in err]
        found += [f"leaves {name}" for name in os.listdir(folder)]
    return f"{shlex.join(command)}: {', '.join(found)}: {err}" if found else ""


class Messages(unittest.TestCase):
    def test_all_rows(self):
        lines, table = rows()
        self.assertGreater(len(table), 300)
        self.assertEqual(len(set(lines)), len(lines))
        self.assertTrue(all(words and all(words) for _, _, words in table))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.assertEqual([fault for fault in pool.map(faults, table) if fault], [])

    def test_a_wrong_row_is_noticed(self):
        self.assertIn("status 64", faults((3, ["rnu"], ["unknown command"])))
        self.assertIn("lacks 'known as'", faults((64, ["rnu"], ["known as"])))
        self.assertIn("says", faults((0, ["--version"], [])))


if __name__ == "__main__":
    unittest.main()
