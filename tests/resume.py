"""Interrupted commands that are made whole: run --resume. Every record must be, times apart, bit for bit that of the
command that nobody interrupted."""
import json
import os
import random
import re
import signal
import subprocess
import time
import unittest

import h5py

from cli_case import PATIENCE, Case, start

SEED = int(os.environ.get("NB_TEST_SEED", 1))
# one short run and long ones in both precisions; the warm start and the beam's holder are state beside the bodies'
GRID = ["run", "heavy-stack,beam", "--precision", "f64,f32", "--steps", "3,60", "--warm-start", "on",
         "--newton-iterations", "3", "--linear-iterations", "8", "--store-states", "7", "--store-iterates", "--checkpoint", "0"]


def numbers(path):
    """every dataset and attribute of the runs, times, memory and provenance (whose clock and load are of the moment) left out, as bytes"""
    found = {}

    def visit(name, thing):
        if not name.endswith("_s") and "/repeats" not in name:
            if isinstance(thing, h5py.Dataset):
                found[name] = (thing.shape, thing[()].tobytes())
            for key, value in thing.attrs.items():
                if key not in ("REFERENCE_LIST", "DIMENSION_LIST") and not re.match(r"peak_|.*_s$|provenance$", key):
                    found[f"{name}@{key}"] = str(value)

    with h5py.File(path, "r") as record:
        record["runs"].visititems(visit)
    return found


class Resume(Case):
    def setUp(self):
        super().setUp()
        print(f"NB_TEST_SEED={SEED}", flush=True)
        self.random = random.Random(SEED)

    def same(self, name, other):
        a, b = numbers(self.path(name)), numbers(self.path(other))
        self.assertEqual(sorted(a), sorted(b))
        self.assertGreater(len(a), 100)
        for key in a:
            self.assertEqual(a[key], b[key], key)

    def stop(self, arguments, number, after):
        """0 where the command was done before the signal came"""
        process = start(arguments, cwd=self.folder.name)
        try:
            out, err = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
        self.assertIn(process.returncode, (0, 130, -number), err)
        return process.returncode

    def stop_on_the_way(self, arguments, number):
        """stopped after its first checkpoint of a state; begun again, as it was, where it got through before"""
        earlier = self.bytes_of("a.h5") if os.path.exists(self.path("a.h5")) else None
        for _ in range(20):
            process = start(arguments, cwd=self.folder.name)
            wait_for_state(self.path("a.h5.checkpoint"), process)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertIn(process.returncode, (0, 130, -number), err)
            if os.path.exists(self.path("a.h5.checkpoint")):
                return
            os.remove(self.path("a.h5"))
            if earlier is not None:
                with open(self.path("a.h5"), "wb") as file:
                    file.write(earlier)
        self.fail(f"{arguments} was never stopped")

    def interrupt_and_resume(self, arguments, number):
        """stopped at random times until it gets through"""
        begun = time.time()
        self.ncpbench(*arguments, "-o", "whole.h5")
        most = 0.7 * (time.time() - begun)
        command, stops = [*arguments, "-o", "a.h5"], 0
        for _ in range(40):
            code = self.stop(command, number, self.random.uniform(0, most) if stops < 6 else PATIENCE)
            done = os.path.exists(self.path("a.h5")) and not os.path.exists(self.path("a.h5.checkpoint"))
            stops += code != 0
            if done and stops == 0:  # the machine was quicker than before: again, stopped sooner
                os.remove(self.path("a.h5"))
                most /= 2
            elif done:
                self.same("a.h5", "whole.h5")
                return
            elif os.path.exists(self.path("a.h5.checkpoint")):
                command = ["run", "--resume", "a.h5"]
        self.fail("never stopped")

    def goes_on(self, arguments):
        """killed on the way, and made whole from there"""
        self.ncpbench(*arguments, "-o", "whole.h5")
        self.stop_on_the_way([*arguments, "-o", "a.h5"], signal.SIGKILL)
        self.ncpbench("run", "--resume", "a.h5")
        self.same("a.h5", "whole.h5")
        os.remove(self.path("a.h5"))

    def test_stopped_at_random_times(self):
        for number in (signal.SIGKILL, signal.SIGINT):
            self.interrupt_and_resume(GRID, number)
            left = set(os.listdir(self.folder.name)) - {"a.h5.lock", "a.h5.checkpoint-new"}  # of a killed one
            self.assertEqual(left, {"a.h5", "whole.h5"})
            os.remove(self.path("a.h5"))

    def test_every_solver_goes_on_bit_by_bit(self):
        """from the middle of a run, with each linear solver, preconditioner and the stiffness form"""
        solvers, _ = self.ncpbench("list", "linear-solvers")
        preconditioners, _ = self.ncpbench("list", "preconditioners")
        common = ["run", "heavy-stack", "--steps", "20", "--warm-start", "on", "--repeat", "0", "--checkpoint", "0",
                  "--newton-iterations", "2"]
        few = ["--linear-iterations", "5"]
        direct = {"cholesky", "dense-cholesky", "ldl", "klu", "umfpack", "multifrontal", "overhead"}
        cases = [["--linear-solver", name, *([] if name in direct else few)] for name in names(solvers)]
        cases += [["--preconditioner", name, "--form", "stiffness", *few] for name in names(preconditioners) if name not in ("schur", "ilut")]
        cases += [["--preconditioner", "schur", "--form", "saddle", "--linear-solver", "minres", *few], ["--recycle", "4", *few]]
        cases += [["--form", "stiffness", "--linear-solver", "cholesky"], ["--islands", "on", *few], ["--settle", "3", *few]]
        self.assertGreater(len(cases), 8)
        for case in cases:
            self.goes_on([*common, *case])

    def test_amid_a_step_and_amid_the_repetition(self):
        """the step at hand is dropped, and what was made before stays, all of the run where its repetition was at hand"""
        arguments = ["run", "heavy-stack", "--set", "count=40", "--set", "mass-ratio=1", "--steps", "3", "--method", "psor", "--newton-iterations", "10000",
                     "--record-every", "10000", "--checkpoint", "0"]
        self.ncpbench(*arguments, "-o", "whole.h5")
        for repetition in (False, True):
            for _ in range(20):  # until it has not got through before
                process = start([*arguments, "-o", "a.h5", "--force"], cwd=self.folder.name)
                if repetition:
                    self.assertIn("[1/1]", process.stderr.readline())  # made, and to be made again for its times
                else:
                    wait_for_state(self.path("a.h5.checkpoint"), process)  # after one of its steps
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate(timeout=PATIENCE)
                if process.returncode != 0:
                    break
                os.remove(self.path("a.h5"))
            self.assertEqual((process.returncode, out), (130, ""), err)
            self.only("a.h5.checkpoint", "whole.h5")
            self.ncpbench("run", "--resume", "a.h5")
            self.same("a.h5", "whole.h5")
            os.remove(self.path("a.h5"))

    def test_linearised_steps_go_on_bit_by_bit(self):
        """other laws and methods of sweeps, whose impulses go on; bodies and motors that are led by the time"""
        common = ["--repeat", "0", "--checkpoint", "0", "--linear-history", "off", "--newton-iterations", "20"]
        sweeps = ["--friction-law", "relaxed", "--method", "psor", "--warm-start", "on", "--record-every", "5"]
        cases = [["disks", "--steps", "60", "--time-stepping", "anitescu-hart", "--restitution", "0.5", *sweeps],
                 ["walker", "--steps", "60", "--time-stepping", "tasora", "--recovery-speed", "0.2", *sweeps],
                 ["walker", "--steps", "60", "--time-stepping", "implicit", "--substeps", "3", "--relax", "on", *sweeps],
                 ["brazil-nut", "--set", "count=60", "--steps", "60", "--time-stepping", "tasora", "--friction-law", "relaxed", "--method", "apgd"],
                 ["four-bar", "--steps", "200", "--time-stepping", "anitescu-hart", "--stabilization", "0"],
                 ["stack-4", "--steps", "20", "--method", "single-level"],
                 ["brazil-nut", "--set", "count=20", "--set", "mu=1", "--steps", "8", "--method", "single-level"],  # which start solved a step goes on, too
                 ["disks", "--steps", "40", "--time-stepping", "anitescu-hart", "--friction-law", "polyhedral", "--method", "pgs", "--facets", "5"]]
        for case in cases:
            self.goes_on(["run", *case, *common])

    def test_deformable_bodies_go_on_bit_by_bit(self):
        """particles, the impulses of elements and of soft contacts; fingers that are inflated by the time; contacts that are kept"""
        common = ["--repeat", "0", "--checkpoint", "0", "--warm-start", "on", "--store-states", "7"]
        cases = [["sheet", "--set", "count=6", "--steps", "80", "--geometric-stiffness", "diagonal", "--newton-iterations", "5"],
                 ["gripper", "--steps", "12", "--newton-iterations", "2", "--linear-iterations", "5"],
                 ["hand-ball", "--steps", "30", "--form", "condensed", "--newton-iterations", "4", "--linear-iterations", "5"],
                 ["fold", "--set", "cells=3", "--steps", "40", "--newton-iterations", "4", "--linear-iterations", "20"],
                 ["soft-stack", "--set", "count=2", "--set", "cells=1", "--steps", "30", "--method", "auto", "--newton-tolerance", "1e-6"]]
        for case in cases:
            self.goes_on(["run", *case, *common])

    def test_integrators_go_on_bit_by_bit(self):
        """the step before, and the forces at a step's start; hands that are led by the time, motors, and settled scenes"""
        common = ["--repeat", "0", "--checkpoint", "0", "--warm-start", "on", "--newton-iterations", "4", "--linear-iterations", "10"]
        cases = [["bdf2", "humanoids", "--set", "count=1", "--set", "amplitude=0.3", "--steps", "40"], ["tr-bdf2", "brazil-nut", "--set", "count=20", "--steps", "30"],
                 ["tr", "bar", "--set", "cells=4", "--steps", "30"], ["sdirk2", "heavy-stack", "--steps", "40", "--settle", "3"]]
        for integrator, *case in cases:
            self.goes_on(["run", *case, "--integrator", integrator, "--method", "newton", *common])

    def test_turns_of_joints_go_on(self):
        """of a body that turns by some 50 degrees in a step"""
        scene = {"time_step_s": 0.01, "bodies": [{"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0], "angular_velocity_rad_s": [0, 100, 0]}],
                 "joints": [{"kind": "revolute", "bodies": [0, -1], "point_m": [0, 0, 0], "axis": [0, 1, 0], "limits": [-0.1, 1e6]}]}
        with open(self.path("wound.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        self.goes_on(["run", "wound.json", "--steps", "400", "--repeat", "0", "--checkpoint", "0"])

    def test_a_record_that_is_added_to(self):
        self.ncpbench("run", "arch", "--steps", "2", "-o", "a.h5")
        self.ncpbench("run", "arch", "--steps", "2", "-o", "whole.h5")
        arguments = [*GRID[:-1], "0", "--append"]
        self.ncpbench(*arguments, "-o", "whole.h5")
        self.stop_on_the_way([*arguments, "-o", "a.h5"], signal.SIGINT)
        self.ncpbench("run", "--resume", "a.h5")
        self.same("a.h5", "whole.h5")

    def test_an_earlier_record_stays_until_the_new_one_is_whole(self):
        self.ncpbench("run", "arch", "--steps", "2", "-o", "a.h5")
        earlier = self.bytes_of("a.h5")
        self.stop_on_the_way([*GRID, "-o", "a.h5"], signal.SIGKILL)
        self.assertEqual(self.bytes_of("a.h5"), earlier)
        self.ncpbench("run", "--resume", "a.h5")
        self.assertEqual(self.bytes_of("a.h5~"), earlier)  # of another command: never lost
        self.ncpbench(*GRID, "-o", "whole.h5")
        self.same("a.h5", "whole.h5")

    def test_a_record_that_is_whole(self):
        self.ncpbench("run", "arch", "--precision", "f32,f64", "--steps", "2", "--repeat", "0", "-o", "a.h5")
        before = self.bytes_of("a.h5")
        out, err = self.ncpbench("run", "--resume", "a.h5")
        self.assertEqual((out, err), ("", "nothing to resume: a.h5 is complete (2 runs)\n"))
        self.assertEqual(self.bytes_of("a.h5"), before)

    def test_what_cannot_be_resumed_is_one_line(self):
        self.ncpbench("bench", "operator", "--contacts", "100", "--precision", "f32", "-o", "b.h5")
        self.refused("run", "--resume", "b.h5", status=3, says=["nothing to resume", "ncpbench bench"])
        self.stop_on_the_way([*GRID, "-o", "a.h5"], signal.SIGKILL)
        good = self.bytes_of("a.h5.checkpoint")
        for place in (0, 9, len(good) // 2, len(good) - 1):
            with open(self.path("a.h5.checkpoint"), "wb") as file:
                file.write(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:])
            self.refused("run", "--resume", "a.h5", status=3, says=["damaged"])
        for length in (0, 7, len(good) - 1):
            with open(self.path("a.h5.checkpoint"), "wb") as file:
                file.write(good[:length])
            self.refused("run", "--resume", "a.h5", status=3, says=["damaged"])


def names(listing):
    """the first words of the indented lines"""
    return [line.split()[0] for line in listing.splitlines() if line[:2] == "  " and line[2:3].isalnum()]


def wait_for_state(path, process):
    """until a checkpoint with a state is there: larger than its head"""
    until = time.time() + PATIENCE
    while time.time() < until and process.poll() is None:
        try:
            if os.path.getsize(path) > 5000:
                return
        except OSError:
            pass
        time.sleep(0.002)


if __name__ == "__main__":
    unittest.main()
