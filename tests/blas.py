"""The guard against OpenBLAS taking the processor for an old one: the program restarts itself once with the core type
that suits, says so in the record, never goes round in circles, and leaves a user's own setting alone.

Little address space: OpenBLAS's threads then wait for memory for ever, and neither fork nor the end waits for them.

OpenBLAS's detection is replaced by one that is always wrong (blas_detection.c, loaded before the library)."""
import os
import re
import resource
import unittest

import h5py

from cli_case import PROGRAM, QUICK, Case, start, text

FLAGS = next((line for line in open("/proc/cpuinfo") if line.startswith("flags")), "")
SUITABLE = "SkylakeX" if all(f" {f}" in FLAGS for f in ("avx512f", "avx512bw", "avx512dq", "avx512vl")) else "Haswell"


@unittest.skipUnless(" avx2" in FLAGS and " fma" in FLAGS, "this processor is one of the old ones")
class Blas(Case):
    def made(self, **variables):
        """the core types that the program was started with, and the provenance of the record that it wrote"""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "NCPBENCH_BLAS"))}
        environment = {**clean, "LD_PRELOAD": os.environ["NB_TEST_BLAS_DETECTION"],
                       "NB_TEST_BLAS_STARTS": self.path("starts"), **variables}
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.ncpbench("run", "heavy-stack", "-o", "a.h5", *QUICK, env=environment)
        with open(self.path("starts")) as file:
            starts = file.read().split()
        with h5py.File(self.path("a.h5"), "r") as record:
            provenance = {key: text(value) for key, value in record["provenance"].attrs.items()}
        return starts, provenance

    def test_a_wrong_core_type_makes_one_restart(self):
        starts, provenance = self.made()
        self.assertEqual(starts, ["-", SUITABLE])
        self.assertEqual(provenance["blas_core"], f"{SUITABLE} (set by ncpbench)")
        self.assertIn(f"restarted itself with core type {SUITABLE}", provenance["warnings"])

    def test_a_detection_that_stays_wrong_makes_no_circle(self):
        starts, provenance = self.made(NB_TEST_BLAS_STUBBORN="1")
        self.assertEqual(starts, ["-", SUITABLE])
        self.assertIn("Prescott", provenance["blas_core"])
        self.assertIn("takes this processor for a Prescott", provenance["warnings"])

    def test_the_users_own_setting_stays_and_is_warned_of(self):
        starts, provenance = self.made(OPENBLAS_CORETYPE="Prescott")
        self.assertEqual(starts, ["Prescott"])
        self.assertEqual(provenance["blas_core"], "Prescott")
        self.assertIn(f"takes this processor for a Prescott and is far too slow (OPENBLAS_CORETYPE={SUITABLE}",
                      provenance["warnings"])

    def test_a_good_setting_is_nothing_to_speak_of(self):
        starts, provenance = self.made(OPENBLAS_CORETYPE="Haswell")
        self.assertEqual(starts, ["Haswell"])
        self.assertNotIn("OpenBLAS", provenance["warnings"])


class Waiting(Case):
    """threads of OpenMP sleep soon, where nobody said how they wait"""

    def waits(self, *words, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("GOMP_", "OMP_"))}
        _, err = self.ncpbench("run", "heavy-stack", "-o", "a.h5", "--force", *QUICK, *words, env={**clean, "OMP_DISPLAY_ENV": "verbose", **variables})
        return re.findall(r"GOMP_SPINCOUNT = '(\w+)'", err)

    def test_bound(self):
        alone = self.waits()
        self.assertEqual(len(alone), 1)
        self.assertNotEqual(alone, ["100"])
        for words in ("--threads=2",), ("--threads", "2"), ("--threads", "1,2"):
            self.assertEqual(self.waits(*words), [*alone, "100"])
        self.assertEqual(self.waits("--threads", "1"), alone)
        self.assertEqual(self.waits("--threads", "2", GOMP_SPINCOUNT="7"), ["7"])
        self.assertEqual(len(self.waits("--threads", "2", OMP_WAIT_POLICY="active")), 1)


def sanitized():
    with open(PROGRAM, "rb") as file:
        content = file.read()
    return b"__asan_" in content or b"__tsan_" in content


def confine(megabytes=150):
    """two processors, so that OpenBLAS starts one thread, and room for the program but not for that thread's buffer"""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


@unittest.skipIf(sanitized(), "sanitizers take terabytes of address space")
class LittleSpace(Case):
    def ends(self, *arguments, status=0, megabytes=150, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "NCPBENCH_BLAS"))}
        process = start(arguments, cwd=self.folder.name, env={**clean, **variables},
                        preexec_fn=lambda: confine(megabytes))
        self.addCleanup(process.kill)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, err)
        return out + err

    def test_every_command_ends(self):
        for threads in ({}, {"OPENBLAS_NUM_THREADS": "2"}):
            self.assertIn("ncpbench", self.ends("--version", **threads))
            self.assertIn("OpenBLAS", self.ends("info", **threads))
            self.assertIn("interior-point", self.ends("list", **threads))

    def test_a_process_that_forks_ends(self):
        """where the record is there already, a child reads it"""
        for _ in range(2):
            self.ends("run", "heavy-stack", "-o", "a.h5", "--force", *QUICK)

    def test_dense_algebra_ends(self):
        """refused where there is no room for OpenBLAS's buffer, whatever threads are asked for; made where there is for one"""
        dense = (["arch", "--linear-solver", "dense-cholesky"], ["arch", "--linear-solver", "umfpack"],
                 ["arch", "--method", "lemke", "--friction-law", "polyhedral"], ["heavy-stack", "--limits", "on"])
        for arguments in dense:
            quick = [*QUICK[:2 if "lemke" in arguments else 4], "--repeat", "0"] # direct solvers have no linear iterations
            for threads in ({}, {"OPENBLAS_NUM_THREADS": "2"}):
                words = ["run", *arguments, "--threads", "2", "--force", "-o", "a.h5", *quick]
                self.assertIn("out of memory for dense algebra", self.ends(*words, status=3, **threads))
                self.ends(*words, megabytes=400, **threads)


if __name__ == "__main__":
    unittest.main()
