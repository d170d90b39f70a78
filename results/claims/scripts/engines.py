"""macklin-48: do Jacobi and Gauss-Seidel behave here as in Bullet and XPBD?

What these engines do to a stack of boxes, written anew for its heights alone, which are all that its contacts see:
Bullet's sequential impulses (projected Gauss-Seidel over velocities, warm start, 0.2 of a penetration taken back in a
step, 10 iterations) and XPBD (positions, no compliance, 40 iterations of Gauss-Seidel, or of Jacobi with averages).
Beside them ncpbench's linear solvers of 6 x 40 iterations. Deepest penetration in fifty steps of 8.3 ms; five boxes of
1 m, each as heavy as the one below, or eight times."""

import numpy as np

from common import run, say

H, G, COUNT, STEPS = 0.0083, 9.81, 5, 50


def bullet(mass):
    z, v, warm, deepest = np.arange(COUNT) + 0.5, np.zeros(COUNT), np.zeros(COUNT), 0
    for _ in range(STEPS):
        v = v - G * H
        gap = np.diff(z, prepend=-0.5) - 1
        impulse = warm.copy()
        v += impulse / mass
        v[:-1] -= impulse[1:] / mass[:-1]
        for _ in range(10):
            for i in range(COUNT):
                closing = v[i] - (v[i - 1] if i else 0)
                wanted = -gap[i] / H if gap[i] > 0 else -0.2 * gap[i] / H
                weight = 1 / mass[i] + (1 / mass[i - 1] if i else 0)
                new = max(0, impulse[i] + (wanted - closing) / weight)
                v[i] += (new - impulse[i]) / mass[i]
                if i:
                    v[i - 1] -= (new - impulse[i]) / mass[i - 1]
                impulse[i] = new
        warm = impulse
        z = z + H * v
        deepest = max(deepest, -np.min(np.diff(z, prepend=-0.5) - 1))
    return deepest


def xpbd(mass, jacobi):
    z, v, deepest = np.arange(COUNT) + 0.5, np.zeros(COUNT), 0
    weight = 1 / mass
    for _ in range(STEPS):
        old = z
        v = v - G * H
        z = z + H * v
        force = np.zeros(COUNT)
        for _ in range(40):
            moved = np.zeros(COUNT)
            for i in range(COUNT):
                gap = z[i] - (z[i - 1] if i else -0.5) - 1
                total = weight[i] + (weight[i - 1] if i else 0)
                new = max(0, force[i] - gap / total)
                step = (new - force[i]) * (0.5 if jacobi else 1)
                force[i] += step
                at = moved if jacobi else z
                at[i] += weight[i] * step
                if i:
                    at[i - 1] -= weight[i - 1] * step
            z = z + moved if jacobi else z
        v = (z - old) / H
        deepest = max(deepest, -np.min(np.diff(z, prepend=-0.5) - 1))
    return deepest


for ratio in (1, 8):
    mass = 8.0 * float(ratio) ** np.arange(COUNT)
    say(f"bullet_{ratio}", bullet(mass))
    say(f"xpbd_{ratio}", xpbd(mass, False))
    say(f"xpbd_jacobi_{ratio}", xpbd(mass, True))
    with run(f"heavy-stack --set mass-ratio={ratio} --steps {STEPS} --newton-iterations 6 --linear-iterations 40"
             " --linear-solver gauss-seidel,jacobi --linear-history off --repeat 0") as record:
        for one in record["runs"].values():
            say(f"{one.attrs['linear_solver'].replace('-', '_')}_{ratio}", np.max(one["steps/max_penetration"][:]))
