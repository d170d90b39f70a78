"""Bullet (pybullet): sequential impulses on contact manifolds of at most four points, which persist from step to step.

Its manual says of what the scene stack is: "Simulation becomes unstable when a heavy object is resting on a very light object. It is best to
keep the mass around 1" (Bullet_User_Manual.pdf)."""
import importlib.metadata

import numpy

from scene import march

try:
    import pybullet
except ImportError:
    pybullet = None

# - rigid bodies: Quickstart Guide (docs/pybullet_quickstartguide), createMultiBody: useMaximalCoordinates makes plain rigid bodies in
#   place of articulated ones of no joint; pybullet's default is the latter
# - 1000 iterations: the same guide, setPhysicsEngineParameter: numSolverIterations (50 by itself), solverResidualThreshold "velocity
#   threshold, if the maximum velocity-level error for each constraint is below this threshold the solver will terminate"
# - 10 substeps: the same: numSubSteps, "trade performance over accuracy"; the manual asks for short steps where objects are small
# - dantzig: examples/pybullet/examples/switchConstraintSolver.py, a stack of boxes: a direct solver with these numbers. A step of 500
#   boxes takes it 8 s, so that large scenes are left out
SETTINGS = {
    "default": {},
    "rigid bodies": {"rigid": True},
    "rigid bodies, cold": {"rigid": True, "warmStartingFactor": 0},
    "rigid, 1000 iterations": {"rigid": True, "numSolverIterations": 1000, "solverResidualThreshold": 0},
    "rigid, 10 substeps": {"rigid": True, "numSubSteps": 10},
    "dantzig": {"most": 50, "constraintSolverType": "CONSTRAINT_SOLVER_LCP_DANTZIG", "globalCFM": 1e-6, "solverResidualThreshold": 0.001,
                "numSolverIterations": 200},
}


def version():
    return importlib.metadata.version("pybullet")


def run(scene, h, steps, every, limit, setting):
    p = pybullet
    client = p.connect(p.DIRECT)
    p.setGravity(*scene.gravity)
    setting, rigid = dict(setting), setting.get("rigid", False)
    for own in ("rigid", "most"):
        setting.pop(own, None)
    if "constraintSolverType" in setting:
        setting["constraintSolverType"] = getattr(p, setting["constraintSolverType"])
    substeps = setting.get("numSubSteps", 1)
    p.setPhysicsEngineParameter(fixedTimeStep=h, **setting)
    bodies = []
    shapes = [None] * len(scene.shapes)
    for b, s in enumerate(scene.shape):
        shape = scene.shapes[s]
        if shapes[s] is None:
            if shape.kind == "half-space":
                shapes[s] = p.createCollisionShape(p.GEOM_PLANE, planeNormal=[0, 0, 1])
            elif shape.kind == "box":
                shapes[s] = p.createCollisionShape(p.GEOM_BOX, halfExtents=list(shape.half))
            elif shape.kind == "sphere":
                shapes[s] = p.createCollisionShape(p.GEOM_SPHERE, radius=shape.radius)
            else:
                assert len(shape.parts) == 1, "compounds are not wanted here"
                shapes[s] = p.createCollisionShape(p.GEOM_MESH, vertices=shape.parts[0][0].tolist())  # their convex hull
        w, x, y, z = scene.q[b, 3:]
        body = p.createMultiBody(scene.mass[b] if scene.dynamic[b] else 0, shapes[s], -1, scene.q[b, :3].tolist(), [x, y, z, w], useMaximalCoordinates=rigid)
        # friction of a contact is the product of the two; the damping of 0.04/s, a default for games, is no part of the scene
        p.changeDynamics(body, -1, lateralFriction=scene.mu ** 0.5, rollingFriction=0, spinningFriction=0, restitution=0,
                         linearDamping=0, angularDamping=0)
        if scene.dynamic[b]:
            p.changeDynamics(body, -1, mass=scene.mass[b], localInertiaDiagonal=scene.inertia[b].tolist())
            p.resetBaseVelocity(body, scene.u[b, :3].tolist(), scene.u[b, 3:].tolist())
        bodies.append(body)
    number = {body: b for b, body in enumerate(bodies)}

    def state():
        q, u = scene.q.copy(), scene.u.copy()
        for b in numpy.flatnonzero(scene.dynamic):
            place, (x, y, z, w) = p.getBasePositionAndOrientation(bodies[b])
            linear, angular = p.getBaseVelocity(bodies[b])
            q[b], u[b] = [*place, w, x, y, z], [*linear, *angular]
        return q, u

    def contacts():
        if substeps > 1:
            return None  # it reports the last substep's alone
        rows = []
        for c in p.getContactPoints():
            normal = numpy.array(c[7])  # towards the first body
            force = c[9] * normal + c[10] * numpy.array(c[11]) + c[12] * numpy.array(c[13])
            rows.append([number[c[1]], number[c[2]], *force, *normal])
        return rows

    result = march(h, steps, every, limit, p.stepSimulation, state, contacts)
    p.disconnect(client)
    return result
