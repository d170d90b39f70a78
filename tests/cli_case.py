"""What the tests of the command line share (cli.py)."""
import os
import signal
import subprocess
import tempfile
import unittest

import h5py
import numpy

PROGRAM = os.path.abspath(os.environ.get("NCPBENCH", "build/ncpbench"))
QUICK = ["--steps", "2", "--newton-iterations", "2", "--linear-iterations", "5", "--repeat", "0"]
PATIENCE = 600  # seconds that a command may take before it counts as hanging: far more than any takes with sanitizers on a slow machine


def start(arguments, **options):
    """the program, with SIGINT as a terminal gives it: what runs in a shell's background inherits it ignored"""
    options.setdefault("preexec_fn", lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    return subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **options)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ncpbench-cli-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def ncpbench(self, *arguments, status=0, **options):
        """Runs the program and returns (stdout, stderr); it must end with this status (None: with any)."""
        process = start(arguments, cwd=self.folder.name, **options)
        out, err = process.communicate(timeout=PATIENCE)
        if status is not None:
            self.assertEqual(process.returncode, status, f"{arguments}: {err}{out}")
        return out, err

    def refused(self, *arguments, status=64, says=(), **options):
        """The program must refuse: the status, nothing on stdout, one line on stderr that holds each of `says`."""
        out, err = self.ncpbench(*arguments, status=status, **options)
        self.assertEqual(out, "", arguments)
        self.assertRegex(err, r"\Ancpbench: [^\n]+\n\Z", f"{arguments}: {err!r} is not one line")
        for word in says:
            self.assertIn(word, err, arguments)
        return err

    def only(self, *names):
        """the folder holds these files and no leftovers"""
        self.assertEqual(sorted(os.listdir(self.folder.name)), sorted(names))


def runs_of(path):
    with h5py.File(path, "r") as record:
        return [dict(record["runs"][name].attrs) for name in sorted(record["runs"])]


def parameters_of(attributes):
    """what a run was asked for by name: the attributes whose names have a dot, without the prefix of the scene's"""
    return {name.removeprefix("scene."): value if isinstance(value, float) else text(value) for name, value in attributes.items() if "." in name}


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def write_fclib(path, w, q, mu, dimension=3):
    """a local problem u = W r + q in FCLIB's format, W in compressed columns"""
    w = numpy.atleast_2d(numpy.asarray(w, dtype=float)).reshape(len(q), len(q))
    with h5py.File(path, "w") as file:
        local = file.create_group("fclib_local")
        local["spacedim"] = numpy.array([dimension], dtype="i4")
        group = local.create_group("W")
        rows, columns = numpy.nonzero(w.T)[::-1]
        starts = numpy.concatenate([[0], numpy.cumsum(numpy.count_nonzero(w, axis=0))]) if len(q) else [0]
        for name, value in (("nzmax", len(rows)), ("m", len(q)), ("n", len(q)), ("nz", -1)):
            group[name] = numpy.array([value], dtype="i4")
        group["p"] = numpy.asarray(starts, dtype="i4")
        group["i"] = rows.astype("i4")
        group["x"] = w[rows, columns]
        vectors = local.create_group("vectors")
        vectors["q"] = numpy.asarray(q, dtype=float)
        vectors["mu"] = numpy.asarray(mu, dtype=float)


def synthetic_timings(path, devices, kernels=("pcr", "accuracy:1e-04")):
    """Puts timings that nobody measured, by a formula, into the place of those of the record, so that a figure has something to draw."""
    samples, rows = 15, []
    for device, overhead, bandwidth in devices:
        for precision, size in (("f32", 324), ("f64", 632)):
            for exponent in range(2, 8):
                contacts = 10 ** exponent
                for kernel in kernels:
                    median = (1 if kernel == "pcr" else 40 + 10 * exponent) * (overhead / contacts + size / (0.8 * bandwidth))
                    rows.append({"kernel": kernel, "device": device, "precision": precision, "order": "built", "contacts": contacts, "scenes": 1,
                                 "threads": 1, "count": samples, "median": median, "least": 0.9 * median, "most": 1.3 * median, "triad": bandwidth,
                                 "bytes": size if kernel == "pcr" else numpy.nan, "fraction": numpy.nan, "samples": samples * [median]})
    with h5py.File(path, "r+") as record:
        record.attrs["title"] = numpy.bytes_("SYNTHETIC: made up for a test, measured by nobody")
        record["provenance"].attrs["gpu"] = numpy.bytes_("no GPU: a test's numbers")
        record["provenance"].attrs.pop("texts_checksum", None)
        for name in rows[0]:
            kind = record["bench"][name].dtype
            del record["bench"][name]
            record["bench"][name] = numpy.array([row[name] for row in rows], dtype=kind)
