"""DART: a linear complementarity problem of velocities, friction by the faces of a box in place of a cone; since 6.20 also the exact cone."""
import os
import tempfile

import numpy

from scene import march, rotation

try:
    import dartpy
except ImportError:
    dartpy = None

# - ode: gz-physics, which runs DART under Gazebo, sets OdeCollisionDetector; DART's own default, FCL, takes boxes for triangle meshes
# - nsgs, fbf: dartpy.constraint.NsgsFrictionSolver, FbfFrictionSolver: the exact Coulomb law, with ten times as many iterations as they do
#   by themselves
# - split impulse: ConstraintSolver.setSplitImpulseEnabled: overlaps are corrected apart from velocities
# All are for scenes of up to 50 bodies: the binding hands out a copy of the option that bounds the contacts (1000), more are dropped.
SETTINGS = {
    "default": {"most": 50},
    "ode": {"most": 50, "detector": "OdeCollisionDetector"},
    "ode, split impulse": {"most": 50, "detector": "OdeCollisionDetector", "split": True},
    "ode, nsgs": {"most": 50, "detector": "OdeCollisionDetector", "solver": "NsgsFrictionSolver", "option": ("maxSweeps", 1000)},
    "ode, fbf": {"most": 50, "detector": "OdeCollisionDetector", "solver": "FbfFrictionSolver", "option": ("maxOuterIterations", 1000)},
}
SLAB = 100  # [m]


def version():
    return dartpy.__version__


def mesh(vertices, faces, folder):
    """DART takes meshes from files alone"""
    path = os.path.join(folder, "mesh.obj")
    with open(path, "w", encoding="utf-8") as file:
        for v in vertices:
            print("v", *map(repr, map(float, v)), file=file)
        for face in faces:
            for i in range(1, len(face) - 1):
                print("f", face[0] + 1, face[i] + 1, face[i + 1] + 1, file=file)
    urdf = (f'<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
            f'<collision><geometry><mesh filename="file://{path}"/></geometry></collision></link></robot>')
    loader = dartpy.utils.DartLoader()
    return loader.parseSkeletonString(urdf, "").getBodyNode(0).getShapeNode(0).getShape()


def shape_of(shape, folder):
    if shape.kind == "half-space":  # a slab, as in DART's own examples: on a PlaneShape FCL finds one contact under a box
        return dartpy.dynamics.BoxShape([SLAB, SLAB, 1])
    if shape.kind == "box":
        return dartpy.dynamics.BoxShape(2 * shape.half)
    if shape.kind == "sphere":
        return dartpy.dynamics.SphereShape(shape.radius)
    assert len(shape.parts) == 1, "compounds are not wanted here"
    return mesh(*shape.parts[0], folder)


def place(q, below=0):
    found = dartpy.math.Isometry3()
    found.set_rotation(rotation(q[3:]))
    found.set_translation(q[:3] - below * rotation(q[3:])[:, 2])
    return found


def add(world, scene, b, shape):
    skeleton = dartpy.dynamics.Skeleton(f"b{b}")
    if scene.dynamic[b]:
        joint, body = skeleton.createFreeJointAndBodyNodePair()
        inertia = dartpy.dynamics.Inertia(scene.mass[b], numpy.zeros(3), numpy.diag(scene.inertia[b]))
        body.setInertia(inertia)
        joint.setTransform(place(scene.q[b]))
        joint.setLinearVelocity(scene.u[b, :3])
        joint.setAngularVelocity(scene.u[b, 3:])
    else:
        joint, body = skeleton.createWeldJointAndBodyNodePair()
        joint.setTransformFromParentBodyNode(place(scene.q[b], 0.5 if scene.shapes[scene.shape[b]].kind == "half-space" else 0))
    node = body.createShapeNode(shape)
    node.createCollisionAspect()
    node.createDynamicsAspect().setFrictionCoeff(scene.mu)  # of two it takes the smaller
    world.addSkeleton(skeleton)
    return body


def world_of(scene, h, setting):
    world = dartpy.simulation.World()
    world.setGravity(scene.gravity)
    world.setTimeStep(h)
    solver = world.getConstraintSolver()
    if "detector" in setting:
        solver.setCollisionDetector(getattr(dartpy.collision, setting["detector"])())
    if setting.get("split"):
        solver.setSplitImpulseEnabled(True)
    if "solver" in setting:
        friction = getattr(dartpy.constraint, setting["solver"])
        options = friction.Options()
        setattr(options, *setting["option"])
        solver.setBoxedLcpSolver(friction(options))
    with tempfile.TemporaryDirectory() as folder:
        shapes = [shape_of(shape, folder) for shape in scene.shapes]
    return world, [add(world, scene, b, shapes[s]) for b, s in enumerate(scene.shape)]


def run(scene, h, steps, every, limit, setting):
    world, bodies = world_of(scene, h, setting)
    number = {body.getSkeleton().getName(): b for b, body in enumerate(bodies)}

    def state():
        q, u = scene.q.copy(), scene.u.copy()
        for b in numpy.flatnonzero(scene.dynamic):
            there = bodies[b].getWorldTransform()
            q[b] = [*numpy.ravel(there.translation()), *there.quaternion().wxyz()]
            u[b] = [*numpy.ravel(bodies[b].getLinearVelocity()), *numpy.ravel(bodies[b].getAngularVelocity())]
        return q, u

    def contacts():
        rows = []
        for contact in world.getLastCollisionResult().getContacts():
            pair = [number[side.getShapeFrame().asShapeNode().getBodyNodePtr().getSkeleton().getName()]
                    for side in (contact.collisionObject1, contact.collisionObject2)]
            rows.append([*pair, *numpy.ravel(contact.force), *numpy.ravel(contact.normal)])
        return rows

    return march(h, steps, every, limit, world.step, state, contacts)
