"""Formulas that Le Cleac'h et al. 2023 print in their appendices, beside what they follow from: the normals of a padded
polytope, an ellipsoid, a capsule, a cylinder and a cone, (46) to (56), as derivatives of their constraints by the place x;
and the Jacobian (59) of (58) with respect to the impulse. An error is relative to the right value."""
import numpy

from common import say

random = numpy.random.default_rng(1)


def by_place(g, x):
    """the derivative of g(x) by complex steps"""
    return numpy.array([g(x + 1e-40j * e).imag / 1e-40 for e in numpy.eye(3)]).T


def norm(v):
    return numpy.sqrt(v @ v)  # complex, too


def off(printed, right):
    return numpy.linalg.norm(printed - right) / numpy.linalg.norm(right)


worst = {}
for _ in range(50):
    x, p, v = random.normal(size=(3, 3))
    v /= numpy.linalg.norm(v)
    alpha, radius, length, eps = random.uniform(0.5, 2, 4)
    a, e = random.normal(size=(6, 3)), random.normal(size=(3, 3))
    tangent, high = random.uniform(0.3, 2, 2)

    def add(name, printed, g):
        worst[name] = max(worst.get(name, 0), off(printed, by_place(g, x)))

    add("polytope_47", -a, lambda x: a @ (p - x))
    add("ellipsoid_49", 2 * e.T @ e @ (x - p), lambda x: (p - x) @ e.T @ e @ (p - x) - alpha ** 2)
    side = p - (x + eps * v)
    add("capsule_51", -side / norm(side), lambda x: norm(p - (x + eps * v)) - alpha * radius)
    # (52): a vector minus a number as printed; read as products with v of all that stands before it
    ends = numpy.array([v, -v])
    add("cylinder_53", ends, lambda x: numpy.array([(-p + x - alpha * length / 2 * v) @ v, (p - x - alpha * length / 2 * v) @ v]))
    v1 = numpy.array([1.0, 0, 0])  # the cone's own axis, since (55) takes its first component
    hat = p - x + alpha * 3 * high / 4 * v1
    printed = numpy.array([[-tangent * x[0], *(hat[1:] / norm(hat[1:]) * x[1:])], v1])

    def cone(x):
        hat = p - x + alpha * 3 * high / 4 * v1
        return numpy.array([norm(hat[1:]) - tangent * hat[0], (p - x - alpha * high / 4 * v1) @ v1])

    add("cone_56", printed, cone)

# the two rows of motion of (58) by the impulse gamma: -n and -e_y (p - x), where (59) has n and e_y^T (p - x)
n, arm = numpy.array([0.0, 1]), random.normal()
worst["impulse_59"] = off(numpy.array([*n, arm]), numpy.array([*-n, -arm]))
for name, value in worst.items():
    say(name, value)
