"""Laws of Larionov et al. 2023 from their definitions: barrier (the cubic penalty beside the truncated log barrier), volume
(energies of the gas, the nearly incompressible and the quadratic law, integrated from the compression coefficient), water
(its coefficient from the speed of sound, and that of an ideal gas from its law)."""
import sys

import numpy as np
from scipy.integrate import quad

from common import say


def barrier():
    """-(d - delta)^2 ln(d / delta) over (delta - d)^3 / delta, ever nearer to delta; and derivatives there by differences"""
    delta = 1.0
    for digits in (2, 3):
        d = delta - 10.0 ** -digits
        say(f"ratio_{digits}", -(d - delta) ** 2 * np.log(d / delta) / ((delta - d) ** 3 / delta))

    def log_barrier(d):
        return np.where(d < delta, -(d - delta) ** 2 * np.log(d / delta), 0)

    e = 1e-3  # one-sided differences of orders 1, 2 and 3 inside of the tolerance
    x = log_barrier(delta - e * np.arange(4))
    say("first", abs(x[0] - x[1]) / e)
    say("second", abs(x[0] - 2 * x[1] + x[2]) / e ** 2)
    say("third", abs(x[0] - 3 * x[1] + 3 * x[2] - x[3]) / e ** 3)


def volume():
    """energies at half and twice the volume, k = 1/P = 1, V0 = 1: pressures follow from -dV/dP / V = k, k = 1/P for a gas"""
    laws = {"gas": lambda v: 1 / v - 1, "liquid": lambda v: -np.log(v), "quadratic": lambda v: 1 - v}
    for name, pressure in laws.items():
        for where, v in (("half", 0.5), ("double", 2.0), ("near", 0.99)):
            say(f"{name}_{where}", quad(lambda u: -pressure(u), 1, v)[0])
    with np.errstate(invalid="ignore"):  # the energies in closed form, at a negative volume
        v = np.float64(-0.1)
        energies = {"gas": v - 1 - np.log(v), "liquid": v * np.log(v) - v + 1, "quadratic": (v - 1) ** 2 / 2}
    say("undefined", sum(np.isnan(energies[name]) for name in ("gas", "liquid")))
    say("quadratic_defined", np.isfinite(energies["quadratic"]))


def water():
    density, sound, expansion, heat, kelvin = 998.2, 1482.0, 2.07e-4, 4184.0, 293.15  # of water at 20 C, SI units
    adiabatic = 1 / (density * sound ** 2)
    isothermal = adiabatic + expansion ** 2 * kelvin / (density * heat)
    say("water", isothermal * 101325)
    p, e = 3.0, 1e-6  # atm; V = 1 / P
    say("gas", -(1 / (p + e) - 1 / (p - e)) / (2 * e) * p * p)


{"barrier": barrier, "volume": volume, "water": water}[sys.argv[1]]()
