"""A node with contact, friction and elasticity, by itself: singular (determinants of its Jacobian over random
instances), symmetric (of friction's derivatives), explicit (steps that contact allows), basis (a particle in a round bowl,
with the sliding basis of a step's start), peak (of Stribeck's curve), stall (of Newton's method there)."""
import sys

import numpy as np

from common import say


def smoothing(v, eps):
    return 2 * v / eps - v * v / eps ** 2 if v < eps else 1.0


def fall(x):
    return (2 * x + 1) * (x - 1) ** 2 if x < 1 else 0.0


# ---- singular: J = dr/dv of r = M (v - v*) - h f, one node in space ----

def instance(random, h, mu, kind):
    """Mass 1, density 1000 and an edge L make the stiffness E L of 10^3 to 10^6 N/m; soft in a random direction."""
    axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
    k = axes @ np.diag(10 ** random.uniform(0, 6, 3)) @ axes.T
    normal, slip = np.array([0, 0, 1.0]), np.array([1.0, 0, 0])
    eps, delta, force = 1e-3, 1e-3, 10 ** random.uniform(-1, 3)
    gap = random.uniform(0, 1) * delta
    kappa = force * delta / (3 * (delta - gap) ** 2)
    stiff = 6 * kappa * (delta - gap) / delta  # -d lambda/dd
    speed = 10 ** random.uniform(-6, 1)
    s = smoothing(speed, eps)
    along = 2 / eps - 2 * speed / eps ** 2 if speed < eps else 0.0
    across = s / speed
    j = np.eye(3) + h * h * k + h * h * stiff * np.outer(normal, normal)
    j += h * mu * force * (along * np.outer(slip, slip) + across * np.outer([0, 1, 0], [0, 1, 0]))
    if kind == "implicit":
        j -= h * h * mu * s * stiff * np.outer(slip, normal)
    return np.linalg.det(j)


def singular():
    random = np.random.default_rng(31)
    many = 20000
    for h, name in ((0.1, "large"), (0.01, "middle"), (0.001, "small")):
        count = sum(instance(random, h, random.uniform(0, 1), "implicit") <= 0 for _ in range(many))
        say("share_" + name, count / many)
    say("lagged", sum(instance(random, 0.1, random.uniform(0, 1), "lagged") <= 0 for _ in range(many)) / many)


# ---- symmetric: derivatives of a friction force, by differences ----

def symmetric():
    """Friction on a plane with normal n, load 3 kappa (delta - d)^2 / delta: by the end's place, or by the start's."""
    random = np.random.default_rng(5)
    eps, delta, kappa, mu, h = 1e-3, 1e-3, 1e3, 0.5, 0.01
    found = {"lagged": [], "implicit": []}
    for _ in range(200):
        n = random.normal(size=3)
        n /= np.linalg.norm(n)
        start = random.uniform(0, delta) * n
        v = random.normal(size=3) * 10 ** random.uniform(-5, -2)

        def friction(v, kind):
            end = start + h * v if kind == "implicit" else start
            load = 3 * kappa * max(delta - n @ end, 0) ** 2 / delta
            slide = v - n * (n @ v)
            return -mu * load * smoothing(np.linalg.norm(slide), eps) * slide / np.linalg.norm(slide)

        for kind, errors in found.items():
            d = 1e-5 * np.linalg.norm(v)
            j = np.array([(friction(v + e, kind) - friction(v - e, kind)) / (2 * d) for e in d * np.eye(3)]).T
            if np.abs(j).max() > 0:
                errors.append(np.abs(j - j.T).max() / np.abs(j).max())
    for kind, errors in found.items():
        say(kind, max(errors))


# ---- explicit: a particle that rests on a contact ----

def explicit():
    """The largest step, of 1, 1/2, 1/4 ... times 80 ms, with which 1 kg at rest stays within the tolerance for 1 s; forces of
    the step's start (v first, then x), or of its end."""
    g, delta = 9.81, 1e-3
    kappa = 4 * g / (3 * delta)  # half the tolerance under the weight

    def pressure(d):
        return 3 * kappa * max(delta - d, 0) ** 2 / delta

    def stays(h, implicit):
        d, v = 0.5 * delta + 1e-6, 0.0
        for _ in range(round(1 / h)):
            w = v
            if implicit:
                for _ in range(50):
                    slope = 1 + h * h * 6 * kappa * max(delta - d - h * w, 0) / delta
                    w -= (w - v - h * (pressure(d + h * w) - g)) / slope
            else:
                w = v + h * (pressure(d) - g)
            v = w
            d += h * v
            if not abs(d) < delta:
                return False
        return True

    for name, implicit in (("explicit", False), ("implicit", True)):
        h = 0.08
        while not stays(h, implicit):
            h /= 2
        say(name + "_step", h)


# ---- basis: a particle slides in a round bowl, in a plane ----

def steps_of(h, time, mu, eps, start, speed, kind):
    """Backward Euler, mass 1, bowl of radius 1. The end's angle."""
    g, delta = 9.81, 1e-3
    kappa = 4 * g / (3 * delta)  # half the tolerance under the weight

    def frame(q):
        r = np.hypot(*q)
        out = q / r
        return 1 - r, -out, np.array([-out[1], out[0]])  # gap, normal, tangent

    def pressure(d):
        return 3 * kappa * max(delta - d, 0) ** 2 / delta

    q = (1 - 0.5 * delta) * np.array([np.sin(start), -np.cos(start)])
    v = speed * np.array([np.cos(start), np.sin(start)])
    for _ in range(round(time / h)):
        begun = frame(q)

        def residual(w):
            d, n, t = frame(q + h * w)
            slide = begun[2] if kind == "basis" else t
            load = pressure(begun[0]) if kind == "load" else pressure(d)
            vt = slide @ w
            rub = -mu * load * smoothing(abs(vt), eps) * np.sign(vt) * slide
            return w - v - h * (np.array([0, -g]) + pressure(d) * n + rub)

        v = solve(residual, v)
        q = q + h * v
    return np.arctan2(q[0], -q[1])


def solve(residual, w):
    r = residual(w)
    for _ in range(200):
        if np.abs(r).max() < 1e-10:
            return w
        j = np.empty((2, 2))
        for i in range(2):
            e = np.zeros(2)
            e[i] = 1e-7
            j[:, i] = (residual(w + e) - residual(w - e)) / 2e-7
        step, t = np.linalg.lstsq(j, -r, rcond=None)[0], 1.0
        while np.linalg.norm(residual(w + t * step)) > (1 - 1e-4 * t) * np.linalg.norm(r) and t > 1e-8:
            t /= 2
        w = w + t * step
        r = residual(w)
    return w


def basis():
    """The error of the angle at the end, of the step's start over that of its end: speed, friction and steps vary."""
    ratios, loads = [], []
    for mu in (0.1, 0.3, 0.6):
        for start, speed in ((-1.2, 0.0), (0.0, 2.0)):
            for h in (0.03, 0.015):
                case = (0.9, mu, 1e-3, start, speed)
                exact = steps_of(h / 128, *case, "implicit")
                errors = {k: abs(steps_of(h, *case, k) - exact) for k in ("implicit", "basis", "load")}
                ratios.append(errors["basis"] / errors["implicit"])
                loads.append(errors["load"] / errors["implicit"])
    say("ratio", *ratios)
    say("ratio_load", *loads)
    say("worse", np.mean(np.array(ratios) > 1.5))


# ---- peak, stall ----

def curve(v, eps, stribeck, still=0.6, slides=0.4):
    return (slides + (still - slides) * fall(v / stribeck)) * smoothing(v, eps)


def peak():
    """The largest friction that is seen over that of sliding, of mu_s - mu_d."""
    eps = 1e-3
    for times in (1.5, 2, 5, 10):
        most = max(curve(v, eps, times * eps) for v in np.linspace(0, 2 * eps, 200001))
        say("at_%s" % str(times).replace(".", "_"), (most - 0.4) / 0.2)


def stall():
    """Newton with halved steps from rest, of a box of 1 kg that 5.9 N pull against N = 9.81: residuals where it ends,
    and the least slope of the residual there. The step is beyond m v_s/(1.5 (mu_s - mu_d) N), or below."""
    eps, normal, pull = 1e-3, 9.81, 5.9
    for h, name in ((0.05, "large"), (0.001, "small")):
        def residual(v):
            return v - h * (pull - normal * curve(abs(v), eps, 10 * eps) * np.sign(v))
        v, halvings = 0.0, 0
        for _ in range(200):
            r, slope = residual(v), (residual(v + 1e-9) - residual(v - 1e-9)) / 2e-9
            if abs(r) < 1e-12 or slope == 0:
                break
            step, t = -r / slope, 1.0
            while abs(residual(v + t * step)) > (1 - 1e-4 * t) * abs(r) and t > 1e-9:
                t /= 2
            if t <= 1e-9:
                break
            v += t * step
        say("residual_" + name, abs(residual(v)))
        grid = np.linspace(-1, 2, 300001)
        signs = np.sign([residual(x) for x in grid])
        say("solutions_" + name, int(np.sum(signs[1:] != signs[:-1])))


{"singular": singular, "symmetric": symmetric, "explicit": explicit, "basis": basis, "peak": peak, "stall": stall}[sys.argv[1]]()
