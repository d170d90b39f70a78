"""What scripts write (analysis/python/ncpbench/files.py): nothing of a user's is lost, and no file is cut.

    python3 tests/python_files.py
"""
import gzip
import hashlib
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "analysis", "python"))
from ncpbench import files  # noqa: E402

ARCHIVE = os.path.join(ROOT, "scenarios", "standard", "archive.py")
SITE = os.path.join(ROOT, "docs", "site.py")
# in the place of mkdocs: a page where the settings say, and with FAIL its status 1
MKDOCS = """#!/bin/sh
site=$(sed -n 's/^site_dir: //p' "$6")
mkdir -p "$site/headers" && echo page > "$site/index.html"
[ -z "$FAIL" ]
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ncpbench-files-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def keep(self, text, *names):
        with open(self.path(*names), "w", encoding="utf-8") as file:
            file.write(text)

    def text(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def only(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

    def script(self, *words, status=0, says="", **options):
        """a script's standard output; where it fails, one line on standard error"""
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=self.folder, timeout=300, check=False, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        if status:
            self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")
            self.assertIn(says, done.stderr)
        return done.stdout


class Files(Case):
    def test_what_is_there(self):
        """is refused, unless it is the same or begins as the script's own; --force replaces it"""
        self.keep("mine", "a.json")
        with self.assertRaisesRegex(files.Refused, "'.*a.json' is there; name another file .--force replaces it"):
            files.put(self.path("a.json"), "yours")
        self.assertEqual(self.text("a.json"), "mine")
        files.put(self.path("a.json"), b"mine")
        files.put(self.path("a.json"), "mine, too", own="mine")
        files.put(self.path("a.json"), "yours", force=True)
        self.assertEqual(self.text("a.json"), "yours")
        self.only("a.json")

    def test_a_fault_on_the_way(self):
        """a disk that is full, here a limit of 1000 bytes: the earlier file stays, and nothing beside it"""
        self.keep("mine", "a.json")
        self.addCleanup(signal.signal, signal.SIGXFSZ, signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, resource.getrlimit(resource.RLIMIT_FSIZE))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        with self.assertRaises(OSError) as caught:
            files.put(self.path("a.json"), "x" * 5000, force=True)
        self.assertIn(f"cannot write '{self.path('a.json')}'", files.line(caught.exception))
        self.assertEqual(self.text("a.json"), "mine")
        with self.assertRaises(OSError):
            files.put(self.path("new.json"), "x" * 5000)
        self.only("a.json")

    def test_places(self):
        """a pipe and a folder are refused at once, with force as well; a link to a file stays a link"""
        os.mkfifo(self.path("pipe"))
        os.mkdir(self.path("folder"))
        os.symlink("nowhere", self.path("lost"))
        for name, says in (("pipe", "it is not a regular file"), ("folder", "it is a folder"), ("lost", "it is a link to a file that is missing"),
                           ("missing/a", "No such file or directory"), ("/dev/full", "it is not a regular file")):
            for force in (False, True):
                with self.assertRaises(OSError) as caught:
                    files.put(self.path(name), "x", force)
                self.assertIn(says, files.line(caught.exception))
                self.assertEqual(files.status(caught.exception), 3)
        self.keep("mine", "a")
        os.symlink("a", self.path("link"))
        files.put(self.path("link"), "yours", force=True)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.text("a"), "yours")

    def test_scenes(self):
        try:
            from ncpbench import scene
        except ModuleNotFoundError as fault:
            self.skipTest(str(fault))
        for name, reader in (("a.json", open), ("a.json.gz", gzip.open)):
            self.keep("mine", name)
            with self.assertRaises(files.Refused):
                scene.write({"bodies": [{"a": 1}]}, self.path(name))
            self.assertEqual(self.text(name), "mine")
            scene.write({"bodies": [{"a": 1}]}, self.path(name), force=True)
            with reader(self.path(name), "rt", encoding="utf-8") as file:
                self.assertEqual(json.load(file), {"bodies": [{"a": 1}]})


class Scripts(Case):
    def test_the_archive(self):
        name = "ncpbench-standard-full-1.tar"
        os.mkdir(self.path("out"))
        self.keep("mine", "out", name)
        if "scene files are missing" in subprocess.run([sys.executable, ARCHIVE, "-o", "none"], cwd=self.folder, capture_output=True, text=True, check=False).stderr:
            self.skipTest("the standard set is not whole")
        self.script(ARCHIVE, "-o", "out", status=64, says="--force replaces it")
        self.assertEqual(self.text("out", name), "mine")
        self.script(ARCHIVE, "-o", "out", "--force")
        said = self.script(ARCHIVE, "-o", "out")  # the same bytes
        with open(self.path("out", name), "rb") as file:
            self.assertEqual(said, f"{hashlib.sha256(file.read()).hexdigest()} {name}\n")
        full = {"preexec_fn": lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))}
        self.keep("mine", "out", name)
        self.script(ARCHIVE, "-o", "out", "--force", status=3, says="File too large", **full)
        self.assertEqual((self.text("out", name), os.listdir(self.path("out"))), ("mine", [name]))

    def test_the_site(self):
        """a folder that it did not make, or that holds other files, stays as it is; its own is replaced when the new one is whole"""
        os.mkdir(self.path("bin"))
        for tool, text in (("mkdocs", MKDOCS), ("doxygen", "#!/bin/sh\n")):
            self.keep(text, "bin", tool)
            os.chmod(self.path("bin", tool), 0o755)
        env = {**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}"}
        for folder in ("mine", "mine.work"):
            os.mkdir(self.path(folder))
            self.keep("thesis", folder, "thesis.txt")
        self.script(SITE, "-o", "mine", status=64, says="'mine' is there, and was not made by this script", env=env)
        self.script(SITE, "-o", "site", env=env)
        self.keep("old", "site", "index.html")
        failed = subprocess.run([sys.executable, SITE, "-o", "site"], env={**env, "FAIL": "1"}, cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertEqual(self.text("site", "index.html"), "old")
        self.script(SITE, "-o", "site", env=env)
        self.assertEqual(self.text("site", "index.html"), "page\n")
        self.assertTrue(os.stat(self.path("site")).st_mode & stat.S_IXGRP or os.umask(os.umask(0)) & stat.S_IXGRP)
        self.keep("thesis", "site", "thesis.txt")
        self.script(SITE, "-o", "site", status=64, says="'site' holds 'thesis.txt'", env=env)
        self.assertEqual([self.text(folder, "thesis.txt") for folder in ("mine", "mine.work", "site")], 3 * ["thesis"])
        self.only("bin", "mine", "mine.work", "site")


if __name__ == "__main__":
    unittest.main()
