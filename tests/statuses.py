"""The exit status of what goes wrong: 3 where a file cannot be read or written, is damaged, or lacks what is asked of it; 64 where the command line
is wrong. Every command, one line each.

    NCPBENCH=build/ncpbench python3 tests/statuses.py
"""
import os
import shutil
import subprocess
import sys
import unittest

import h5py
import numpy

from cli_case import QUICK, Case, write_fclib

BANNER = "%%MatrixMarket matrix "
MATRICES = {"empty": "", "text": "nonsense\n", "complex": BANNER + "coordinate complex general\n1 1 1\n1 1 1 0\n",
            "pattern": BANNER + "coordinate pattern general\n1 1 1\n1 1\n", "hermitian": BANNER + "coordinate real hermitian\n1 1 1\n1 1 1\n",
            "wide": BANNER + "coordinate real general\n3 4 1\n1 1 1\n", "nan": BANNER + "coordinate real general\n1 1 1\n1 1 nan\n",
            "outside": BANNER + "coordinate real general\n1 1 1\n5 5 1\n", "few": BANNER + "coordinate real general\n2 2 4\n1 1 1\n",
            "good": BANNER + "coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n",
            "unsymmetric": BANNER + "coordinate real general\n2 2 3\n1 1 1\n2 2 1\n1 2 5\n"}


class Statuses(Case):
    def each(self, status, *lines):
        """each command is refused with this status; a line is split at its spaces"""
        for line in lines:
            with self.subTest(line):
                self.refused(*line.split(), status=status)

    def test_records(self):
        self.ncpbench("run", "incline", *QUICK, "-o", "good.h5")
        with open(self.path("text.h5"), "w", encoding="ascii") as file:
            file.write("nonsense")
        with open(self.path("cut.h5"), "wb") as file:
            file.write(self.bytes_of("good.h5")[:5000])
        os.mkdir(self.path("folder"))
        for name in ("empty.h5", "wild.h5"):
            shutil.copy(self.path("good.h5"), self.path(name))
        with h5py.File(self.path("empty.h5"), "r+") as record:
            del record["runs/0000"]
        with h5py.File(self.path("wild.h5"), "r+") as record:
            del record["runs/0000"].attrs["texts_checksum"]
            record["runs/0000"].attrs["scene.angle"] = -1e9
        for name in ("missing.h5", "folder", "text.h5", "cut.h5", "empty.h5"):
            self.each(3, f"check {name}", f"compare {name} good.h5", f"compare good.h5 {name}", f"report {name}",
                      f"figure convergence --from {name} -o a.svg", f"figure profile --from {name} -o a.svg")
        self.each(3, "check wild.h5", "figure scenes --from wild.h5 -o a.svg", "run --resume missing.h5", "suite --resume text.h5",
                  "run incline --append -o text.h5", "export missing.h5 --at 0 -o a", "export cut.h5 --at 0 -o a", "export good.h5#9 --at 0 -o a",
                  "export good.h5 --at 0 -o a")
        # what the record has not
        self.each(3, "figure cost --from good.h5 -o a.svg", "figure convergence --from good.h5 -o a.svg --at 99",
                  "figure convergence --from good.h5 -o a.svg --where scenario=arch", "compare good.h5 --by precision")

    def test_problems(self):
        for name, text in MATRICES.items():
            with open(self.path(name + ".mtx"), "w", encoding="ascii") as file:
                file.write(text)
        for name, mass, q, mu, dimension in (("good", 1, [-1, 0, 0], [0.5], 3), ("nan", numpy.nan, [-1, 0, 0], [0.5], 3), ("mu", 1, [-1, 0, 0], [-0.5], 3),
                                             ("five", 1, [-1, 0, 0], [0.5], 5)):
            write_fclib(self.path(name + ".hdf5"), mass * numpy.eye(3), q, mu, dimension)
        os.mkdir(self.path("folder"))
        for name in set(MATRICES) - {"good", "unsymmetric"}:
            self.each(3, f"solve {name}.mtx", f"solve good.mtx --rhs {name}.mtx")
        self.each(3, "solve missing.mtx", "solve folder", "solve nan.hdf5", "solve mu.hdf5", "solve five.hdf5", "export nan.hdf5 --format fclib -o a.hdf5",
                  "suite missing -o a.h5", "suite folder -o a.h5", "suite good.hdf5 -o a.h5")
        self.each(64, "solve unsymmetric.mtx", "solve good.mtx --newton-tolerance 1", "solve good.hdf5 --rhs good.mtx", "solve good.hdf5 good.mtx",
                  "solve good.hdf5 --form condensed", "solve good.hdf5 --method single-level", "solve good.hdf5 --method smoothed",
                  "solve good.hdf5 --device emulated")

    def test_outputs(self):
        with open(self.path("file"), "w", encoding="ascii") as file:
            file.write("mine")
        os.mkdir(self.path("folder"))
        quick = " ".join(QUICK)
        long = "x" * 300
        self.ncpbench("run", "incline", *QUICK, "-o", "good.h5")
        self.each(3, *(f"{command} -o {place}" for place in ("missing/a.h5", "folder", f"{long}.h5", "/dev/full")
                       for command in (f"run incline {quick}", "gradient incline", "optimize grasp")), "bench pcr --contacts 10 -o missing/a.h5",
                  "export incline --at 1 -o missing/a", "figure macklin-fig06 -o missing/a.svg", f"figure macklin-fig06 -o {long}.svg",
                  "report good.h5 -o missing/a.html", "report good.h5 -o folder", "reproduce macklin-fig06 -o file")
        # nobody's file is lost by a slip
        self.each(64, f"run incline {quick} -o file", "gradient incline -o file", "report good.h5 -o file", "export incline --at 1 -o file",
                  "figure convergence --from good.h5 -o a.svg --csv file", "figure macklin-fig06 -o file")
        os.rename(self.path("file"), self.path("a.txt"))
        self.each(64, "figure macklin-fig06 -o a.svg")

    def test_passes_that_end_too_early(self):
        line = ("run", "wall", "--steps", "2", "--method", "smoothed", "--friction-coupling", "lagged", "-o", "a.h5")
        self.assertNotIn("friction-lag", self.ncpbench(*line)[0])
        out, err = self.ncpbench(*line, "--friction-iterations", "2", "--lag-tolerance", "1e-12", status=1)
        self.assertIn("friction-lag", out)
        self.assertRegex(err, r"not converged [^\n]*; friction passes not converged: use more --friction-iterations")

    def test_python_without_modules(self):
        """one line that says what to install, and no verdict"""
        os.mkdir(self.path("without"))
        environment = {**os.environ, "PYTHONPATH": self.path("without")}
        site = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "site.py")
        for module in ("numpy", "h5py"):
            with open(self.path(f"without/{module}.py"), "w", encoding="ascii") as file:
                file.write(f"raise ModuleNotFoundError(\"No module named '{module}'\", name='{module}')")
            done = subprocess.run([sys.executable, site, "-o", self.path("site")], capture_output=True, text=True, env=environment, check=False)
            self.assertEqual((done.returncode, done.stdout), (77, ""))
            self.assertRegex(done.stderr, rf"\A[^\n]*module '{module}': apt-get install python3-{module}\n\Z")
            if module == "numpy":
                out, err = self.ncpbench("reproduce", "--claims", "larionov-20", "-o", "f", status=3, env=environment)
                self.assertEqual(out, "")
                self.assertRegex(err, r"(?m)^ncpbench: script [a-z_]+\.py requires Python's module 'numpy': apt-get install python3-numpy$")
            os.remove(self.path(f"without/{module}.py"))

    def test_command_lines(self):
        self.each(64, "nothing", "--nothing", "help nothing", "list nothing", "list --format yaml", "info more", "check", "check a b", "compare", "compare a",
                  "compare a b c", "compare a b --to x", "report", "report a b", "figure", "figure nothing -o a.svg", "figure macklin-fig06",
                  "figure macklin-fig06 -o a.bmp", "figure macklin-fig06 -o a.svg --width 3", "figure convergence -o a.svg", "reproduce nothing",
                  "reproduce macklin-fig06 --format bmp", "bench nothing", "bench pcr --contacts 0", "bench pcr --device toaster",
                  "suite -o a.h5", "suite folder", "solve", "export incline", "export incline --at x -o a",
                  "export incline --at 1:99999 -o a", "gradient incline", "gradient -o a.h5", "gradient incline -o a.h5 --objective 99:x",
                  "gradient incline -o a.h5 --smoothing -1", "optimize grasp", "optimize incline -o a.h5", "optimize grasp -o a.h5 --knots 9999")
        self.each(64, *(f"run incline -o a.h5 {options}" for options in (
            "--nothing", "more", "--steps", "--steps x", "--steps 0", "--steps 1e99", "--steps ,", "--steps 1,1", "--time-step nan", "--set mu", "--set mu=x",
            "--set mu=-1", "--set nothing=1", "--size 5", "--method x", "--linear-solver x", "--preconditioner x", "--precision f16", "--device toaster",
            "--precision mixed --linear-solver cholesky", "--friction-law polyhedral", "--whole-steps on", "--checkpoint x", "--resume b.h5")),
                  "run incline", "run nothing -o a.h5", "run incline, -o a.h5")
        # not offered, which shows in the second step
        self.each(64, "export tomato --at 0 --format fclib-global -o a.hdf5", "export tomato --at 1 --format fclib-global -o a.hdf5")
        self.ncpbench("run", "arch", "--set", "span=1000", "-o", "a.h5", status=64)
        self.only()


if __name__ == "__main__":
    unittest.main()
