"""Every allocation and every write of every command fails in turn: one line, status 3, nothing lost and nothing left.

    NCPBENCH=build/ncpbench NB_TEST_FAULTS=build/tests/libfaults.so python3 tests/faults.py Memory|Disk
        [--trials N | --all] [--seed S] [--only WORD] [--fail COMMAND:MANNER:K] [--everywhere LIBRARY]

A library that is preloaded (faults.c) counts what a command asks for and makes the K-th fail: an allocation; or what is
asked of the disk, once (`once`), for good (`full`), or for good after half of a write (`short`). Trials are drawn at
random where there are more than N a command and manner. --fail shows one of them. --everywhere meets malloc as well,
called by the library of that name (libhdf5, libopenblas, libcholmod; target faults_everywhere), whose crashes are not ours.
"""
import argparse
import errno
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import h5py

from cli_case import PATIENCE, PROGRAM, write_fclib

LIBRARY = os.path.abspath(os.environ.get("NB_TEST_FAULTS", "build/tests/libfaults.so"))
LAYOUT = "=2q2q2qq64s"  # struct control of faults.c
MANNERS = {"once": 0, "full": 1, "short": 2}
QUICK = "--size 2 --steps 2 --newton-iterations 2 --linear-iterations 5"
EXPORT = "--size 2 --at 0:1"

# what may stand on standard error besides the line of the fault
TOLD = re.compile(
    r"\[\d+/\d+\] .*|no run was finished; .* is (?:left as it was|not written)|.* holds the \d+ of \d+ runs that were finished"
    r"|\d+ of \d+ runs leave the trajectory of .*|the earlier .* is kept as .*|nothing was recorded; .* is (?:left as it was|not written)|\d+ of \d+ runs were finished|\d+ of \d+ checks failed|\d+ of \d+ steps.* (?:not converged to|end with penetration of) .*|--\S+ has no effect with .*|warning: .*"
    r"|.* could not be written; an interrupted run would have restarted"
    r"|unknown: .*|\d+ of \d+ figures could not be drawn; the page says why|run \d+ \(.*\): (no reference values|\d+ failed;) .*")
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


class Command:
    """a command line with the files that it finds (by those of the template), the status it ends with (`failed`, where
    it goes on and records a run that failed), and what it may leave behind after a fault, besides the earlier files"""

    def __init__(self, name, arguments, finds=(), status=0, leaves=(), failed=None):
        self.name, self.arguments, self.finds = name, arguments.split(), dict(f.split("=") for f in finds)
        self.status, self.leaves, self.failed = status, leaves, failed


RUN = f"run heavy-stack {QUICK} --store-states 1 --store-systems"
COMMANDS = [
    Command("list", "list"),
    Command("info", "info"),
    Command("run", f"{RUN} --repeat 1 -o a.h5", ["a.h5=good.h5"], leaves=["a.h5.checkpoint"]),
    Command("runs", f"run heavy-stack {QUICK} --linear-solver cholesky,pcg --precision f64,f32 --repeat 0 -o a.h5",
            ["a.h5=good.h5"], leaves=["a.h5.checkpoint", "a.h5~"]),
    Command("append", f"{RUN} --repeat 0 --append -o a.h5", ["a.h5=good.h5"], leaves=["a.h5.checkpoint"]),
    Command("checkpoints", f"run heavy-stack {QUICK} --repeat 0 --checkpoint 0 -o a.h5", ["a.h5=good.h5"],
            leaves=["a.h5.checkpoint"]),
    Command("resume", "run --resume a.h5", ["a.h5.checkpoint=good.checkpoint"], leaves=["a.h5.checkpoint"]),
    Command("plugin", f"run heavy-stack {QUICK} --repeat 0 --plugin ./example.so --linear-solver example-richardson "
            "-o a.h5", ["example.so=example.so", "a.h5=good.h5"], leaves=["a.h5.checkpoint"]),
    Command("solve-fclib", "solve p.hdf5 -o a.h5", ["p.hdf5=problem.hdf5", "a.h5=good.h5"]),
    Command("solve-interior", "solve p.hdf5 --method interior-point -o a.h5", ["p.hdf5=problem.hdf5", "a.h5=good.h5"]),
    Command("suite", "suite d --linear-solver cholesky --tolerance 1e-6 --jobs 1 --repeat 1 -o a.h5",
            ["d=problems", "a.h5=good.h5"], leaves=["a.h5.checkpoint"], failed=1),
    Command("solve-mtx", "solve m/A.mtx --solution x.mtx -o a.h5", ["m=system", "a.h5=good.h5"],
            leaves=["x.mtx"]),
    Command("export-mtx", f"export heavy-stack {EXPORT} -o n"),
    Command("export-record", "export good.h5 --at 0:1 -o n", ["good.h5=good.h5"]),
    Command("export-fclib", f"export heavy-stack {EXPORT} -o p.hdf5 --force --format fclib", ["p.hdf5=problem.hdf5"]),
    Command("figure", "figure macklin-fig16 --from r.h5 -o a.svg", ["r.h5=figure.h5", "a.svg=good.svg"]),
    Command("check", "check a.h5", ["a.h5=good.h5"], status=2),
    Command("compare", "compare a.h5 b.h5", ["a.h5=good.h5", "b.h5=good.h5"]),
    Command("report", "report r.h5", ["r.h5=figure.h5", "r.html=good.html"]),
    Command("bench", "bench assembly --contacts 20 --precision f32"),
    Command("bench-record", "bench assembly --contacts 20 --precision f32 -o a.h5", ["a.h5=good.h5"]),
    Command("reproduce", "reproduce macklin-fig16 --quick -o .",
            ["reproduce.h5=good.h5", "macklin-fig16.svg=good.svg"], leaves=["reproduce.h5~", "reproduce.h5.checkpoint"]),
]


def run(arguments, folder, **options):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE, env={**ENVIRONMENT, **options.pop("env", {})}, **options)


def prepare(template):
    """what the commands find: records, an interrupted command, a problem, a system, a plugin, pictures"""
    def made(*arguments, status=0):
        done = run(arguments, template)
        assert done.returncode == status, (arguments, done.stderr)

    made(*RUN.split(), "--repeat", "3", "-o", "good.h5")
    made("reproduce", "macklin-fig16", "--quick", "-o", "figure")
    shutil.move(os.path.join(template, "figure/reproduce.h5"), os.path.join(template, "figure.h5"))
    shutil.move(os.path.join(template, "figure/macklin-fig16.svg"), os.path.join(template, "good.svg"))
    made("report", "good.h5", "-o", "good.html")
    made("export", "good.h5", "--at", "0:1", "-o", "system")
    write_fclib(os.path.join(template, "problem.hdf5"), [[2, .1, 0], [.1, 3, 0], [0, 0, 4]], [-1, .5, .1], [.5])
    os.mkdir(os.path.join(template, "problems"))
    shutil.copy(os.path.join(template, "problem.hdf5"), os.path.join(template, "problems"))
    tests = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-fPIC", "-shared", f"-I{tests}/../core",
                    f"{tests}/plugins/example.c", "-o", os.path.join(template, "example.so"), "-lm"], check=True)
    # stopped by a size limit that the checkpoint keeps and the record does not
    limit = 20000
    interrupted = run(["run", "heavy-stack", *QUICK.split(), "--repeat", "0", "--checkpoint", "0", "-o", "r.h5"], template,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert interrupted.returncode == 3, interrupted.stderr
    shutil.move(os.path.join(template, "r.h5.checkpoint"), os.path.join(template, "good.checkpoint"))


def contents(folder):
    """the files by name, as bytes"""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


class Trial:
    """one command run once with one fault"""

    def __init__(self, command, template, fail_at=(0, 0), manner="once", error=errno.ENOSPC, library=LIBRARY, caller=""):
        self.command, self.fail_at, self.manner = command, fail_at, manner
        with tempfile.TemporaryDirectory(prefix="ncpbench-faults-") as top:
            control, folder = os.path.join(top, "control"), os.path.join(top, "here")
            os.mkdir(folder)
            for name, source in command.finds.items():
                source, target = os.path.join(template, source), os.path.join(folder, name)
                (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)
            self.earlier = contents(folder)
            with open(control, "wb") as file:
                file.write(struct.pack(LAYOUT, *fail_at, MANNERS[manner], error, 0, 0, 0, b""))
            with open(os.path.join(top, "lsan"), "w") as file:
                file.write("leak:libhdf5\n")  # what it loses when a write fails
            self.done = run(command.arguments, folder, env={
                "NB_FAULTS": control, "LD_PRELOAD": library, "NB_FAULTS_CALLER": caller, "TMPDIR": top,
                "LSAN_OPTIONS": f"print_suppressions=0:suppressions={top}/lsan"})
            with open(control, "rb") as file:
                *_, allocations, disk, self.hits, what = struct.unpack(LAYOUT, file.read())
            self.counts, self.what = (allocations, disk), what.split(b"\0")[0].decode()
            self.found = contents(folder)
            self.runs = {name: self.count_runs(os.path.join(folder, name)) for name in self.found
                         if re.search(r"\.h5(~|\.partial-\d+)?$", name)}

    @staticmethod
    def count_runs(path):
        try:
            with h5py.File(path, "r") as record:
                for run_group in record["runs"].values():
                    run_group.visititems(lambda _, item: item[()] if isinstance(item, h5py.Dataset) else None)
                return len(record["runs"])
        except (OSError, KeyError) as error:
            return f"unreadable: {error}"

    def breaches(self, good):
        """what is wrong with how the command took the fault; `good` is the trial without one"""
        lines = self.done.stderr.splitlines()
        faults = [line for line in lines if line.startswith("ncpbench: ")]
        strange = [line for line in lines if line not in faults and not TOLD.fullmatch(line)]
        found = [f"strange line: {line}" for line in strange[:5]]
        status = self.done.returncode
        if status not in (self.command.status, self.command.failed, 3):
            found.append(f"exit status {status}")
        if len(faults) != (1 if status == 3 else 0):
            found.append(f"{len(faults)} lines of faults: {faults}")
        return found + (self.after_fault(good) if status == 3 else self.after_success(good))

    def after_success(self, good):
        found = [] if set(self.found) == set(good.found) else [f"files {sorted(self.found)}, not {sorted(good.found)}"]
        if self.runs != good.runs:
            found.append(f"runs {self.runs}, not {good.runs}")
        return found

    def after_fault(self, good):
        found = []
        complete = {name for name in self.runs if self.runs[name] == good.runs.get(name)}  # the fault came later
        for name, before in self.earlier.items():
            if before not in (self.found.get(name), self.found.get(name + "~")) and name not in complete | self.leaves:
                found.append(f"{name} was lost or changed")
        for name in set(self.found) - set(self.earlier) - complete - self.leaves:
            found.append(f"{name} was left")
        return found + [f"{name}: {count}" for name, count in self.runs.items()
                        if not isinstance(count, int) and name not in self.torn]

    def partial_files(self, words):
        """what the line of the fault says is there"""
        told = re.findall(words + r" '(?:\./)?([^']+\.partial-\d+)'", self.done.stderr)
        return set(told) & set(self.found)

    @property
    def torn(self):
        """half of a write over what was there: no file outlives that, and it takes more than a full disk"""
        return self.partial_files("what was written cannot be read back:") if self.manner == "short" else set()

    @property
    def leaves(self):
        return set(self.command.leaves) | self.partial_files("what was finished is in") | self.torn

    def tell(self):
        return f"--fail {self.command.name}:{self.manner}:{max(self.fail_at)} ({self.what}): status " \
            f"{self.done.returncode}, {self.done.stderr!r}"


def draw(total, options):
    """the numbers of the events to fail"""
    if options.all or total <= options.trials:
        return range(1, total + 1)
    return sorted(random.sample(range(1, total + 1), options.trials))


def examine(command, kind, template, options):
    """how many trials were made, and the breaches"""
    library = {"library": LIBRARY.replace("libfaults", "libfaults_everywhere"), "caller": options.everywhere} if options.everywhere else {}
    good = Trial(command, template, **library)
    assert good.done.returncode == command.status and not good.breaches(good), good.tell()
    manners = ["once"] if kind == 0 else ["once", "full", "short"]
    made, breaches = 0, []
    for manner in manners:
        for k in draw(good.counts[kind], options):
            trial = Trial(command, template, (k, 0) if kind == 0 else (0, k), manner, **library)
            made += 1
            breaches += [f"{text}\n    {trial.tell()}" for text in trial.breaches(good)]
    return good.counts[kind], made, breaches


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["Memory", "Disk"])
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("NB_TEST_SEED", 1)))
    parser.add_argument("--only", default="")
    parser.add_argument("--fail")
    parser.add_argument("--everywhere", default="")
    options = parser.parse_args()
    random.seed(options.seed)
    kind = ["Memory", "Disk"].index(options.kind)
    print(f"--seed {options.seed}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="ncpbench-faults-") as template:
        prepare(template)
        if options.fail:
            name, manner, k = options.fail.split(":")
            command, = [c for c in COMMANDS if c.name == name]
            trial = Trial(command, template, (int(k), 0) if kind == 0 else (0, int(k)), manner)
            print(trial.tell(), trial.breaches(Trial(command, template)), sorted(trial.found), trial.runs, sep="\n")
            return
        for command in COMMANDS:
            if options.only not in command.name:
                continue
            begun = time.monotonic()
            total, made, breaches = examine(command, kind, template, options)
            print(f"{command.name}: {made} trials, of {total} places where it may fail, {len(breaches)} breaches, "
                  f"{time.monotonic() - begun:.1f} s", *breaches, sep="\n  ", flush=True)
            failed += len(breaches)
    sys.exit(failed > 0)


main()
