"""The guard against OpenBLAS taking the processor for an old one: the program restarts itself once with the core type
that suits, says so in the record, never goes round in circles, and leaves a user's own setting alone.

OpenBLAS's detection is replaced by one that is always wrong (blas_detection.c, loaded before the library)."""
import os
import unittest

import h5py

from cli_case import QUICK, Case, text

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


if __name__ == "__main__":
    unittest.main()
