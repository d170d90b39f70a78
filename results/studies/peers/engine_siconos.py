"""Siconos (Debian's python3-siconos): the same law as ncpbench's, Signorini-Coulomb at the velocities of Moreau and Jean's scheme, on contact points
that Bullet finds and in its way keeps; an overlap that has come about stays."""
import subprocess

import numpy

from scene import march, rotation

try:
    import siconos.kernel as kernel
    import siconos.numerics as numerics
    from siconos.mechanics.collision import base, bullet
except ImportError:
    kernel = None

# A step of 100 bricks takes it seconds: large scenes are left out.
# - default: what siconos.io.mechanics_run does by itself: theta 0.50001, the solver NSGS to 1e-4 in 1000 sweeps. It projects no overlap out.
# - tight: theta = 1, the scheme of ncpbench and of the other engines, and NSGS to 1e-10 in 10^4 sweeps (docs, users_guide, "Friction contact
#   problems": dparam[SICONOS_DPARAM_TOL], iparam[SICONOS_IPARAM_MAX_ITER])
SETTINGS = {
    "default": {"most": 50},
    "tight": {"most": 50, "theta": 1.0, "solver": "SICONOS_FRICTION_3D_NSGS", "tolerance": 1e-10, "iterations": 10000},
}
MARGIN = 0.02  # of a shape's width; by itself it is 0.1 m inside, which some of these bodies do not have


def version():
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"], capture_output=True, text=True).stdout if kernel else kernel.version


def shape_of(shape):
    if shape.kind == "half-space":
        return base.SiconosPlane()
    if shape.kind == "box":
        return base.SiconosBox(*(2 * shape.half))
    if shape.kind == "sphere":
        return bullet.SiconosSphere(shape.radius)
    assert len(shape.parts) == 1, "compounds are not wanted here"
    return base.SiconosConvexHull(shape.parts[0][0])


def size_of(shape):
    """the least width, of a box and the like [m]"""
    if shape.kind == "half-space":
        return 0
    return 2 * (shape.half.min() if shape.kind == "box" else shape.radius if shape.kind == "sphere" else min(numpy.ptp(shape.parts[0][0], axis=0)))


def run(scene, h, steps, every, limit, setting):
    model = kernel.NonSmoothDynamicalSystem(0, 10 * (steps + 2) * h)
    manager = bullet.SiconosBulletCollisionManager(bullet.SiconosBulletOptions())
    manager.insertNonSmoothLaw(kernel.NewtonImpactFrictionNSL(0, 0, scene.mu, 3), 0, 0)
    kept, bodies = [], {}
    for b, s in enumerate(scene.shape):
        shape = shape_of(scene.shapes[s])
        shape.setInsideMargin(MARGIN * size_of(scene.shapes[s]))
        shape.setOutsideMargin(MARGIN * size_of(scene.shapes[s]))
        contactors = base.SiconosContactorSet()
        contactors.append(base.SiconosContactor(shape))
        kept += [shape, contactors]
        if not scene.dynamic[b]:
            manager.insertStaticContactorSet(contactors, scene.q[b])
            continue
        spin = rotation(scene.q[b, 3:]).T @ scene.u[b, 3:]  # in the body's frame
        body = base.RigidBodyDS(scene.q[b], [*scene.u[b, :3], *spin], scene.mass[b], numpy.diag(scene.inertia[b]))
        body.setContactors(contactors)
        body.setFExtPtr(scene.mass[b] * scene.gravity)
        model.insertDynamicalSystem(body)
        bodies[b] = body
    integrator = kernel.MoreauJeanOSI(setting.get("theta", 0.50001))
    if "solver" in setting:
        options = kernel.solver_options_create(getattr(numerics, setting["solver"]))
        options.dparam[numerics.SICONOS_DPARAM_TOL] = setting["tolerance"]
        options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = setting["iterations"]
        problem = kernel.FrictionContact(3, options)
    else:
        problem = kernel.FrictionContact(3)
    problem.setMStorageType(numerics.NM_SPARSE_BLOCK)
    problem.setNumericsVerboseMode(False)
    problem.setKeepLambdaAndYState(True)
    simulation = kernel.TimeStepping(model, kernel.TimeDiscretisation(0, h))
    simulation.insertIntegrator(integrator)
    simulation.insertNonSmoothProblem(problem)
    simulation.insertInteractionManager(manager)
    simulation.setNewtonOptions(kernel.SICONOS_TS_NONLINEAR)
    simulation.setNewtonMaxIteration(20)
    simulation.setNewtonTolerance(1e-10)

    def step():
        simulation.computeOneStep()
        simulation.clearNSDSChangeLog()
        simulation.nextStep()

    def state():
        q, u = scene.q.copy(), scene.u.copy()
        for b, body in bodies.items():
            q[b], twist = body.q(), body.twist()
            u[b] = [*twist[:3], *(rotation(q[b, 3:]) @ twist[3:])]
        return q, u

    return march(h, steps, every, limit, step, state, lambda: None)
