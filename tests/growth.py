"""Growth distances of polytopes (core/convex/growth.h) beside scipy's linear programs (HiGHS), which know nothing of ours.

growth_pairs prints random pairs with what it found; each is min alpha over alpha b - A p + h >= 0. NB_TEST_SEED changes them."""
import os
import subprocess
import sys

import numpy
import scipy.optimize

SEED = os.environ.get("NB_TEST_SEED", "1")
PAIRS = 60
TOLERANCE = 1e-7  # HiGHS's own on constraints, of numbers of order one

printed = subprocess.run([sys.argv[1], str(PAIRS), SEED], check=True, capture_output=True, text=True).stdout.splitlines()
assert len(printed) == PAIRS, printed
worst = apart = 0
for line in printed:
    words = line.split()
    alpha, rows = float(words[0]), numpy.array(words[2:], float).reshape(int(words[1]), 5)
    # unknowns p, alpha: A p - alpha b <= h
    bound = scipy.optimize.linprog([0, 0, 0, 1], numpy.column_stack([rows[:, :3], -rows[:, 3]]), rows[:, 4],
                                   bounds=[(None, None)] * 3 + [(0, None)], method="highs")
    assert bound.status == 0, bound.message
    error = abs(alpha - bound.fun) / (1 + alpha)
    assert error < TOLERANCE, f"alpha = {alpha}, by HiGHS {bound.fun}"
    worst, apart = max(worst, error), apart + (alpha > 1)
assert 0.1 * PAIRS < apart < PAIRS, f"{apart} of {PAIRS} pairs are apart"
print(f"seed {SEED} (NB_TEST_SEED): {PAIRS} pairs, {apart} apart, largest difference {worst:.1e}")
