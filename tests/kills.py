"""kill -9 at random times while records are written: what is left is readable, and no earlier good file is lost.

    NCPBENCH=build/ncpbench python3 tests/kills.py [--kills N] [--seed S]
"""
import argparse
import glob
import os
import random
import signal
import subprocess
import tempfile
import time

import h5py

PROGRAM = os.path.abspath(os.environ.get("NCPBENCH", "build/ncpbench"))
RUN = [PROGRAM, "run", "heavy-stack", "--steps", "3,4,5,6", "--precision", "f32,f64", "--linear-iterations", "5,10,15",
       "--repeat", "0", "-o", "a.h5", "--force"]
REPRODUCE = [PROGRAM, "reproduce", "macklin-fig06,macklin-fig16", "--quick", "-o", "."]


def whole_runs(path):
    """how many runs the record holds; each is read to the last number, and numbered without a gap"""
    with h5py.File(path, "r") as record:
        names = sorted(record["runs"])
        assert names == [f"{i:04d}" for i in range(len(names))], (path, names)
        for name in names:
            run = record["runs"][name]
            assert run.attrs["finished"] == 1 and "checks" in run, (path, name)
            run.visititems(lambda _, item: item[()] if isinstance(item, h5py.Dataset) else None)
        return len(names)


def spawn(arguments, folder):
    return subprocess.Popen(arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)


def duration(arguments, folder):
    begin = time.monotonic()
    process = spawn(arguments, folder)
    process.communicate(timeout=600)
    assert process.returncode == 0, arguments
    return time.monotonic() - begin


def kill_once(arguments, folder, record, delay, counts):
    """the partial file is whole up to the last finished run; the record is the earlier one or the new one"""
    process = spawn(arguments, folder)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    out = process.communicate()[0]
    told = max(0, out.count(b"\n") - 1) if process.returncode == -signal.SIGKILL else 0  # a line a run, below titles
    assert whole_runs(os.path.join(folder, record)) == counts["good"], (record, delay)
    for partial in glob.glob(os.path.join(folder, "*.partial-*")):
        if not os.path.basename(partial).startswith(record):  # a figure that was being drawn; it holds no runs
            os.remove(partial)
            continue
        try:
            found = whole_runs(partial)
            assert found >= told, f"{partial}: {found} runs where {told} were reported as finished"
            counts["left"] += 1
            counts["told"] += told
            counts["most"] = max(counts["most"], found)
        except (OSError, KeyError):  # killed before the head was on the disk whole: no run was finished
            assert told == 0, f"{partial}: lost {told} runs"
            counts["headless"] += 1
            assert subprocess.run([PROGRAM, "check", partial], capture_output=True).returncode == 3
        os.remove(partial)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("NB_TEST_SEED", 1)))
    options = parser.parse_args()
    random.seed(options.seed)
    print("seed", options.seed)
    for arguments, record in ((RUN, "a.h5"), (REPRODUCE, "reproduce.h5")):
        with tempfile.TemporaryDirectory(prefix="ncpbench-kills-") as folder:
            span = duration(arguments, folder)
            counts = {"good": whole_runs(os.path.join(folder, record)), "left": 0, "headless": 0, "most": 0, "told": 0}
            for _ in range(options.kills // 2):
                kill_once(arguments, folder, record, random.uniform(0, span), counts)
            print(f"{arguments[1]}: {options.kills // 2} kills in {span:.2f} s of a run: {counts['good']} runs kept each "
                  f"time, {counts['left']} partial records whole, with up to {counts['most']} runs, "
                  f"none of the {counts['told']} reported ones missing, "
                  f"{counts['headless']} without a head")
            duration(arguments, folder)  # what a killed writer left bars nobody
            assert not glob.glob(os.path.join(folder, "*.lock")), "a lock was left"


main()
