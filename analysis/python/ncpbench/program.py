"""Calls the program from Python: run("arch", linear_solver=["pcr", "cholesky"]) makes a record and gives it back (docs/python.md)."""
import atexit
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from . import records

HERE = os.path.dirname(os.path.abspath(__file__))
# in a wheel, as installed by CMake, and in the sources
PLACES = [os.path.join(HERE, place, "ncpbench") for place in ("installed/bin", "../../../../bin", "../../../build/release")]
RESULTS = 0, 1, 2  # statuses: of a record all whose steps converged, or not, or checks of which fail


class ProgramError(RuntimeError):
    """The program refused or failed: its line, and its exit status."""

    def __init__(self, status, line):
        super().__init__(line)
        self.status = status


class Record:
    """A record on disk, with the functions of records.py as methods."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"Record({self.path!r})"

    def runs(self):
        return records.runs(self)

    def history(self, linear=False):
        return records.history(self, linear)

    def contacts(self, run=0, step=-1):
        return records.contacts(self, run, step)

    def dataset(self, run=0, group="newton"):
        return records.dataset(self, run, group)


def own_program():
    """the program that this package came with, or None"""
    return next((path for path in PLACES if os.access(path, os.X_OK)), None)


def main():
    """The command of a wheel: the program itself, whose solvers in Python find the packages of this environment."""
    if sys.prefix != sys.base_prefix:
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    os.execv(own_program(), ["ncpbench", *sys.argv[1:]])


def program():
    """NCPBENCH of the environment, the program that this package came with, or the one of PATH"""
    found = os.environ.get("NCPBENCH") or own_program() or shutil.which("ncpbench")
    if not found:
        raise FileNotFoundError("there is no program ncpbench: build it, or set NCPBENCH to its path")
    return os.path.abspath(found)


def words(value):
    """a value as the command line has it"""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ",".join(map(words, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def arguments(options):
    """--name value of each; of a dict --name key=value of each; of True, where the option takes no value, --name alone"""
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if isinstance(value, dict):
            for key, item in value.items():
                yield from (option, f"{key.replace('_', '-')}={words(item)}")
        elif name == "plugin" and isinstance(value, (list, tuple)):
            for item in value:
                yield from (option, words(item))
        elif value is True and name in FLAGS:
            yield option
        elif value is not None and not (value is False and name in FLAGS):
            yield from (option, words(value))


FLAGS = {"append", "force", "resume", "store_systems", "store_iterates"}


def bar(total):
    """IPython's progress bar in a notebook; None elsewhere"""
    if "ipykernel" not in sys.modules:
        return None
    try:
        from IPython.display import ProgressBar
    except ImportError:
        return None
    made = ProgressBar(total)
    made.display()
    return made


def follow(stream):
    """Shows the program's messages as they come: lines of progress as a bar in a notebook. Returns its last line."""
    shown, last = None, ""
    for line in stream:
        progress = re.match(r"\[(\d+)/(\d+)\]", line)
        if progress and (shown or (shown := bar(int(progress[2])))):
            shown.progress = int(progress[1])
            continue
        last = line.strip() or last
        if not line.startswith("ncpbench: "):
            sys.stderr.write(line)
    return last


def place_for(output):
    if output is not None:
        return os.fspath(output)
    folder = tempfile.mkdtemp(prefix="ncpbench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return os.path.join(folder, "record.h5")


def run(scenario, output=None, command="run", **options):
    """Runs `ncpbench run SCENARIO --NAME VALUE ... -o OUTPUT` and returns the Record; without output a temporary file.

    Options are those of the command line with underscores; lists are swept; set={"mu": 0.3} and its like take dicts. ProgramError
    holds the program's line where it refuses. Steps that do not converge are no error: see runs()."""
    path = place_for(output)
    line = [program(), command, words(scenario), *arguments(options), "-o", path]
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        last = follow(process.stderr)
        status = process.wait()
    except BaseException:
        process.send_signal(signal.SIGINT)
        process.wait()
        raise
    finally:
        process.stderr.close()
    if status not in RESULTS or not os.path.exists(path):
        raise ProgramError(status, last or f"ncpbench ended with status {status}")
    return Record(path)
