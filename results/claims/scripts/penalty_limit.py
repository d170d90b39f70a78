"""anitescu-06: is the scheme the limit of backward Euler on a linearized penalty force?

A ball of mass m falls on the ground, and a point on a circle (phi = |q| - 1, curved) falls inwards. The penalty force is
gamma phi_-^2 / 2 along the gradient, phi linearized over the step. The step of the penalty is solved by bracketing, the
scheme's by its complementarity; `apart` is the largest difference of the velocities after 20 steps, `order` the power
of gamma by which it falls."""

import numpy as np
from scipy.optimize import brentq

from common import say

h, mass, gravity = 0.02, 2.0, np.array([0.0, -9.81])


def ground(q):
    return q[1], np.array([0.0, 1.0])


def circle(q):
    return np.linalg.norm(q) - 1, q / np.linalg.norm(q)


def steps(gap, q, v, gamma):
    """velocities after each step; gamma None: the scheme"""
    path = []
    for _ in range(20):
        phi, normal = gap(q)
        free = v + h * gravity
        end = phi + h * normal @ free  # linearized, without a force
        if end >= 0:
            impulse = 0.0
        elif gamma is None:
            impulse = -end * mass / h**2 * h
        else:  # the force gamma s^2 / 2 at s = -(end + h^2 force / mass)
            depth = brentq(lambda s: s + end + h**2 * gamma * s * s / 2 / mass, 0, -end, xtol=1e-300, rtol=1e-14)
            impulse = h * gamma * depth**2 / 2
        v = free + impulse / mass * normal
        q = q + h * v
        path.append(v)
    return np.array(path)


stiffness = 10.0 ** np.arange(4, 15, 2)
apart, orders = [], []
for gap, q, v in ((ground, (0.0, 0.3), (0.0, -1.0)), (circle, (0.3, 1.1), (0.4, -2.0))):
    exact = steps(gap, np.array(q), np.array(v), None)
    errors = [np.max(abs(steps(gap, np.array(q), np.array(v), gamma) - exact)) for gamma in stiffness]
    apart.append(errors[-1])
    orders.append(-np.polyfit(np.log(stiffness[1:]), np.log(errors[1:]), 1)[0])
say("apart", max(apart))
say("order", min(orders))
