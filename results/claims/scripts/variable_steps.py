"""anitescu-25: does I(q') <= C |h v'|^2 hold with variable steps, h_l / h_(l-1) >= 1/2?

The stabilized scheme on a pendulum of length 1 (a joint, |q| = 1), with steps drawn between half and twice the one
before (ten seeds), from averages of 0.01 and 0.1 s. `c_most` and `c_least` are the extremes, over seeds and averages, of
the least C of a run. `without`: the largest of the same without stabilization."""

import numpy as np

from common import say


def least_c(seed, mean, stabilization):
    random = np.random.default_rng(seed)
    q, v, h, worst = np.array([1.0, 0.0]), np.zeros(2), mean, 0.0
    for _ in range(400):
        h = np.clip(h * random.uniform(0.5, 2), mean / 4, 4 * mean)
        normal, error = q / np.linalg.norm(q), np.linalg.norm(q) - 1
        free = v + h * np.array([0, -9.81])
        v = free - (normal @ free + stabilization * error / h) * normal
        q = q + h * v
        moved = h * h * (v @ v)
        if moved > 1e-10:
            worst = max(worst, abs(np.linalg.norm(q) - 1) / moved)
    return worst


found = [least_c(seed, mean, 1) for seed in range(1, 11) for mean in (0.01, 0.1)]
say("c_most", max(found))
say("c_least", min(found))
say("without", max(least_c(seed, 0.01, 0) for seed in range(1, 11)))
