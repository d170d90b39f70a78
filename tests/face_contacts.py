"""Drops and stacks of Le Cleac'h et al. 2023, figs 9 and 10: `single-level` beside `bilevel`.

    NCPBENCH=build/ncpbench python3 tests/face_contacts.py [--starts 100] [--offsets 10] [--methods single-level,bilevel]

Fig. 9: a pentagon falls from random places for 1.5 s, at six rates and six values of rho, 100 starts each. A line a rate
and method: runs with a step that did not converge in 30 iterations, mean iterations a step, the largest penetration
of the runs that converged [m], and their mean of the largest. Fig. 10: two cubes of 0.5 m and 1 kg on each other, the
upper one 0 to 0.18 m aside, for 1 s: failed runs, and the momentum that they have although they rest, the mean over
steps and runs of sqrt(2 m E) of the two [kg m/s], of all runs that gave numbers. Penetrations are the harness's, over all corners.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

PROGRAM = os.environ.get("NCPBENCH", "ncpbench")
RATES = [10, 16, 25, 40, 63, 100]
RHOS = ["1e-3", "1e-4", "1e-5", "1e-6", "1e-8", "1e-10"]
CONVERGED = 1


def runs(folder, scenario, method, rho, rate, seconds, *options):
    """`steps` of each run: reasons, iterations, penetrations, kinetic energies"""
    path = os.path.join(folder, "runs.h5")
    if os.path.exists(path):
        os.remove(path)
    command = [PROGRAM, "run", scenario, "--method", method, "--method-option", f"rho={rho}", "--time-step",
               repr(1 / rate), "--steps", str(round(seconds * rate)), "--linear-history", "off", "--repeat", "0",
               *options, "-o", path]
    done = subprocess.run(command, capture_output=True, text=True)
    if not os.path.exists(path):
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    with h5py.File(path) as record:
        for run in record["runs"].values():
            steps = run["steps"]
            yield {name: steps[name][()] for name in ("reason", "newton_iterations", "max_penetration",
                                                      "kinetic_energy")}


def failed(run, steps):
    return len(run["reason"]) < steps or bool((run["reason"] != CONVERGED).any())


def drops(folder, method, rate, starts):
    seeds = ",".join(str(1 + i) for i in range(starts))
    all_failed, iterations, worst = [], [], []
    for rho in RHOS:
        found = list(runs(folder, "drop", method, rho, rate, 1.5, "--seed", seeds))
        good = [run for run in found if not failed(run, round(1.5 * rate))]
        all_failed.append(len(found) - len(good))
        iterations += [run["newton_iterations"].mean() for run in found]
        worst += [run["max_penetration"].max() for run in good]
    return all_failed, numpy.mean(iterations), max(worst, default=numpy.nan), numpy.mean(worst or [numpy.nan])


def stacks(folder, method, rate, offsets):
    asides = ",".join(f"{0.08 * i:g}" for i in range(offsets))  # over the half-size of 0.25 m: 0.02 i m
    all_failed, moments = 0, []
    for rho in RHOS:
        for run in runs(folder, "blocks", method, rho, rate, 1, "--set", f"offset={asides}"):
            all_failed += failed(run, rate)
            energy = run["kinetic_energy"]
            moments.append(numpy.sqrt(2 * energy[numpy.isfinite(energy)]).mean())
    return all_failed, numpy.median(moments), numpy.mean(moments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--offsets", type=int, default=10)
    parser.add_argument("--methods", default="single-level,bilevel")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"| rate [Hz] | method | failed of {a.starts}, rho {', '.join(RHOS)} | iterations | penetration, most [m] | mean of the most [m] |")
        print("|---|---|---|---|---|---|")
        for method in a.methods.split(","):
            total = 0
            for rate in RATES:
                counts, iterations, most, mean = drops(folder, method, rate, a.starts)
                total += sum(counts)
                print(f"| {rate} | {method} | {', '.join(map(str, counts))} | {iterations:.1f} | {most:.1e} | {mean:.1e} |", flush=True)
            print(f"| all | {method} | {total} of {a.starts * len(RATES) * len(RHOS)} | | | |")
        print(f"\n| rate [Hz] | method | failed of {a.offsets * len(RHOS)} | momentum, median [kg m/s] | mean [kg m/s] |")
        print("|---|---|---|---|---|")
        for method in a.methods.split(","):
            for rate in RATES:
                bad, middle, mean = stacks(folder, method, rate, a.offsets)
                print(f"| {rate} | {method} | {bad} | {middle:.1e} | {mean:.1e} |", flush=True)


if __name__ == "__main__":
    main()
