"""The order of inexact Newton whose linear solves leave just sigma_k = min((|r_k|/|r_(k-1)|)^p, 0.01) of the residual,
on x^2 - 2 = 0 and on a system of two equations, with 700 digits."""
from decimal import Decimal, getcontext

from common import say

getcontext().prec = 700
GOLDEN = (1 + Decimal(5).sqrt()) / 2


def power(x, p):
    return (p * x.ln()).exp()


def scalar(x):
    return [x[0] ** 2 - 2], lambda b: [b[0] / (2 * x[0])]


def pair(x):
    """x^2 + y^2 = 4, x y = 1"""
    f = [x[0] ** 2 + x[1] ** 2 - 4, x[0] * x[1] - 1]
    a, b, c, d = 2 * x[0], 2 * x[1], x[1], x[0]
    det = a * d - b * c
    return f, lambda r: [(d * r[0] - b * r[1]) / det, (a * r[1] - c * r[0]) / det]


def norm(r):
    return sum(x * x for x in r).sqrt()


def order(system, x, exponent):
    sizes, before = [], None
    while True:
        r, solve = system(x)
        now = norm(r)
        sizes.append(now)
        if now < Decimal(10) ** -300 or len(sizes) > 60:
            break
        sigma = Decimal("0.01") if before is None else min(power(now / before, exponent), Decimal("0.01"))
        if exponent == 0:
            sigma = Decimal(0)
        x = [a - (1 - sigma) * s for a, s in zip(x, solve(r))]  # leaves sigma r of the linear residual
        before = now
    a, b = sizes[-2:]
    return float(b.ln() / a.ln())


for name, p in (("golden", GOLDEN), ("quadratic", Decimal(2)), ("exact", Decimal(0))):
    found = [order(scalar, [Decimal("1.7")], p), order(pair, [Decimal("2.1"), Decimal("0.4")], p)]
    say(name, *found)
