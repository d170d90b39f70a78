"""Pyramids of spheres with rolling friction, one time step each: are all solved, and how fast beside Siconos?

    NCPBENCH=build/ncpbench python3 results/studies/rolling_pyramids.py [--sizes 2,3,4,6] [--siconos build/tests/siconos_rolling]

A pyramid of spheres of 50 mm, SIZE x SIZE at its base, with masses up to a fifth off, moves and turns at random while
gravity pulls along a tilted ground; four sets of tilt, friction and rolling friction. Each is written in Siconos's text and solved to 1e-8 of |q| by interior-point. A line a
problem: contacts, iterations, milliseconds; with --siconos the same of its Gauss-Seidel, to 1e-8 of its own measure
(build/tests/siconos_rolling, built where Siconos is installed). The status is 1 where interior-point does not solve one.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy

from robustness import PROGRAM

RADIUS, STEP, GRAVITY = 0.05, 0.01, 9.81
CASES = [(0, 0.3, 0.05), (0.1, 0.5, 0.05), (0.2, 0.4, 0.3), (0.05, 0.8, 0.005)]  # tilt, mu, mu_r over the radius


def places(size):
    return numpy.array([((2 * i + layer) * RADIUS, (2 * j + layer) * RADIUS, RADIUS + layer * RADIUS * 2**0.5)
                        for layer in range(size) for i in range(size - layer) for j in range(size - layer)])


def contacts_of(x):
    """(sphere, sphere or -1, normal)"""
    found = []
    for a in range(len(x)):
        if x[a, 2] < 1.01 * RADIUS:
            found.append((a, -1, numpy.array([0, 0, 1.0])))
        for b in range(a):
            apart = x[a] - x[b]
            if numpy.linalg.norm(apart) < 2.0001 * RADIUS:
                found.append((a, b, apart / numpy.linalg.norm(apart)))
    return found


def gradients(x, contacts):
    """H: normal, two tangents at the contact's point, and turning about these"""
    h = numpy.zeros((6 * len(x), 5 * len(contacts)))
    for c, (a, b, normal) in enumerate(contacts):
        first = numpy.cross(normal, [1, 0, 0] if abs(normal[0]) < 0.6 else [0, 1, 0])
        first /= numpy.linalg.norm(first)
        directions = (normal, first, numpy.cross(normal, first))
        for body, sign in ((a, 1), (b, -1)):
            if body < 0:
                continue
            arm = -sign * RADIUS * normal
            for k, direction in enumerate(directions):
                h[6 * body:6 * body + 3, 5 * c + k] = sign * direction
                h[6 * body + 3:6 * body + 6, 5 * c + k] = sign * numpy.cross(arm, direction)
            for k in (1, 2):
                h[6 * body + 3:6 * body + 6, 5 * c + 2 + k] = sign * directions[k]
    return h


def problem(size, tilt):
    """W by blocks and q"""
    rng, x = numpy.random.default_rng(size), places(size)
    contacts = contacts_of(x)
    mass = 0.3 * rng.uniform(0.8, 1.2, len(x))
    inverse = numpy.column_stack([1 / mass] * 3 + [1 / (0.4 * mass * RADIUS**2)] * 3).ravel()
    v = numpy.hstack([rng.normal(0, 0.02, (len(x), 3)), rng.normal(0, 0.5, (len(x), 3))])
    v[:, :3] += STEP * GRAVITY * numpy.array([numpy.sin(tilt), 0, -numpy.cos(tilt)])
    h = gradients(x, contacts)
    w = h.T @ (h * inverse[:, None])
    neighbours = [[b for b, other in enumerate(contacts) if set(other[:2]) & set(own[:2]) - {-1}] for own in contacts]
    return w, h.T @ v.ravel(), neighbours


def write(path, w, q, neighbours, mu, mu_r):
    """Siconos's text: sparse blocks, every bit"""
    count, first = len(neighbours), numpy.cumsum([0] + [len(row) for row in neighbours])
    ends = "\t".join(str(5 * (k + 1)) for k in range(count))
    with open(path, "w", encoding="ascii") as file:
        file.write(f"5\n{count}\n1\n{5 * count}\n{5 * count}\n{first[-1]}\n{count}\n{count}\n{ends}\n{ends}\n{count + 1}\n{first[-1]}\n")
        file.write("\t".join(map(str, first)) + "\n" + "\t".join(str(b) for row in neighbours for b in row) + "\n")
        for a, row in enumerate(neighbours):
            for k, b in enumerate(row):
                block = w[5 * a:5 * a + 5, 5 * b:5 * b + 5].T.ravel()
                file.write(f"{first[a] + k}\n" + "\n".join(f"{entry:.24e}" for entry in block) + "\n")
        for vector in (q, numpy.full(count, mu), numpy.full(count, mu_r)):
            file.write(" ".join(f"{entry:.24e}" for entry in vector) + "\n")


def ours(path, repeat):
    """(flag, iterations, seconds)"""
    with tempfile.TemporaryDirectory(prefix="rolling-") as folder:
        os.mkdir(os.path.join(folder, "p"))
        os.symlink(os.path.abspath(path), os.path.join(folder, "p", "a.dat"))
        done = subprocess.run([PROGRAM, "suite", os.path.join(folder, "p"), "--method", "interior-point", "--time-limit", "120",
                               "--repeat", str(repeat), "-o", os.path.join(folder, "a.h5")], capture_output=True, text=True)
    if "\n" not in done.stdout:
        sys.exit(done.stderr)
    titles, row = (line.split("\t") for line in done.stdout.splitlines()[:2])
    cells = dict(zip(titles, row))
    return cells["flag"], cells["iterations"], float(cells["seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="2,3,4,6")
    parser.add_argument("--siconos")
    parser.add_argument("--repeat", type=int, default=0)
    options = parser.parse_args()
    failed = 0
    print("size\ttilt\tmu\tmu_r/R\tcontacts\tflag\titerations\tms" + ("\tSiconos: iterations\tms\terror" if options.siconos else ""))
    with tempfile.TemporaryDirectory(prefix="rolling-pyramids-") as folder:
        for size in map(int, options.sizes.split(",")):
            for tilt, mu, mu_r in CASES:
                path = os.path.join(folder, f"{size}-{tilt}.dat")
                w, q, neighbours = problem(size, tilt)
                write(path, w, q, neighbours, mu, mu_r * RADIUS)
                flag, iterations, seconds = ours(path, options.repeat)
                failed += flag != "converged"
                cells = [size, tilt, mu, mu_r, len(neighbours), flag, iterations, f"{1e3 * seconds:.3g}"]
                if options.siconos:
                    done = subprocess.run([options.siconos, path], capture_output=True, text=True)
                    cells += done.stdout.split() or [done.stderr.strip()]
                print("\t".join(map(str, cells)), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
