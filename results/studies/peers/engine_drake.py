"""Drake: compliant contacts with friction regularised by a convex problem (SAP) or near it, at a point a pair of bodies, or hydroelastic:
pressure fields over patches, with one force a polygon of a patch (reported as one a patch)."""
import importlib.metadata

import numpy

from scene import march, rotation

try:
    import pydrake.all as drake
except ImportError:
    drake = None

# As the package's own documentation of these members has it:
# - hydroelastic: bodies are compliant, of DefaultProximityProperties.hydroelastic_modulus, 1e7 Pa; the ground is rigid
# - stiff: the higher the modulus the nearer to rigid contact; MultibodyPlantConfig.stiction_tolerance: sticking bodies slip by this speed,
#   1e-4 m/s by itself
# - margin: DefaultProximityProperties.margin, against contact that is lost and found again between flat faces (github.com/RobotLocomotion/
#   drake, issue 21514): "0.1 mm to 1.0 mm is more than enough for most robotics applications"
# Not here: MultibodyPlantConfig.discrete_contact_approximation "sap" in place of "lagged", which issue 21514 has for flat faces: of 1e7 Pa and
# more it throws the block off the slope at h = 8.3 ms, and ends in NaN with sap_near_rigid_threshold 0; at 1 ms it stays within 6e-6 m
SETTINGS = {
    "default": {},
    "hydroelastic": {"modulus": 1e7},
    "hydroelastic, margin": {"modulus": 1e7, "margin": 1e-3},
    "stiff": {"modulus": 1e9, "stiction": 1e-6},
    "stiff, margin": {"modulus": 1e9, "stiction": 1e-6, "margin": 1e-3},
    "stiffest": {"modulus": 1e12, "stiction": 1e-6},
    "stiffest, margin": {"modulus": 1e12, "stiction": 1e-6, "margin": 1e-3},
}


def version():
    return importlib.metadata.version("drake")


def shapes_of(shape):
    if shape.kind == "half-space":
        return [drake.HalfSpace()]
    if shape.kind == "box":
        return [drake.Box(*(2 * shape.half))]
    if shape.kind == "sphere":
        return [drake.Sphere(shape.radius)]
    return [drake.Convex(points=vertices.T, label=f"part{i}") for i, (vertices, _) in enumerate(shape.parts)]


def properties(scene, shape, setting):
    found = drake.ProximityProperties()
    drake.AddContactMaterial(friction=drake.CoulombFriction(scene.mu, scene.mu), properties=found)
    if "modulus" not in setting:
        return found
    if shape.kind == "half-space":
        drake.AddRigidHydroelasticProperties(properties=found)
    else:
        size = 2 * shape.half.max() if shape.kind == "box" else 2 * shape.radius if shape.kind == "sphere" else 0.5
        drake.AddCompliantHydroelasticProperties(resolution_hint=size / 2, hydroelastic_modulus=setting["modulus"], properties=found)
    if "margin" in setting:
        found.AddProperty("hydroelastic", "margin", setting["margin"])
    return found


def run(scene, h, steps, every, limit, setting):
    builder = drake.DiagramBuilder()
    config = drake.MultibodyPlantConfig(time_step=h)
    if "stiction" in setting:
        config.stiction_tolerance = setting["stiction"]
    plant, graph = drake.AddMultibodyPlant(config, builder)
    plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
    bodies = []
    for b, s in enumerate(scene.shape):
        shape, pose = scene.shapes[s], drake.RigidTransform()
        if scene.dynamic[b]:
            inertia = drake.RotationalInertia(*scene.inertia[b])
            spatial = drake.SpatialInertia.MakeFromCentralInertia(scene.mass[b], numpy.zeros(3), inertia)
            bodies.append(plant.AddRigidBody(f"b{b}", spatial))
        else:
            bodies.append(plant.world_body())
            pose = drake.RigidTransform(drake.RotationMatrix(rotation(scene.q[b, 3:])), scene.q[b, :3])
        for i, part in enumerate(shapes_of(shape)):
            plant.RegisterCollisionGeometry(bodies[-1], pose, part, f"b{b}-{i}", properties(scene, shape, setting))
    plant.Finalize()
    simulator = drake.Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    moving = numpy.flatnonzero(scene.dynamic)
    ground = int(numpy.flatnonzero(~scene.dynamic)[0])
    for b in moving:
        pose = drake.RigidTransform(drake.RotationMatrix(rotation(scene.q[b, 3:])), scene.q[b, :3])
        plant.SetFreeBodyPose(context, bodies[b], pose)
        plant.SetFreeBodySpatialVelocity(context, bodies[b], drake.SpatialVelocity(scene.u[b, 3:], scene.u[b, :3]))
    simulator.Initialize()
    number = {bodies[b].index(): b for b in moving}

    def state():
        q, u = scene.q.copy(), scene.u.copy()
        places, speeds = plant.GetPositions(context).reshape(-1, 7), plant.GetVelocities(context).reshape(-1, 6)
        q[moving] = numpy.hstack([places[:, 4:], places[:, :4]])
        u[moving] = numpy.hstack([speeds[:, 3:], speeds[:, :3]])
        return q, u

    count = [0]

    def step():
        count[0] += 1
        simulator.AdvanceTo(count[0] * h)

    def contacts():
        results, rows = plant.get_contact_results_output_port().Eval(context), []
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            pair = [number.get(index, ground) for index in (info.bodyA_index(), info.bodyB_index())]
            normal = -info.point_pair().nhat_BA_W  # of the pair, from A to B; the force is on B
            rows.append([pair[1], pair[0], *info.contact_force(), *normal])
        inspector = graph.model_inspector()
        for i in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(i)
            surface = info.contact_surface()
            pair = [number.get(plant.GetBodyFromFrameId(inspector.GetFrameId(side)).index(), ground) for side in (surface.id_M(), surface.id_N())]
            areas = numpy.array([surface.area(f) for f in range(surface.num_faces())])
            normal = sum(a * surface.face_normal(f) for f, a in enumerate(areas)) / areas.sum()  # from N into M
            rows.append([*pair, *info.F_Ac_W().translational(), *normal])
        return rows

    return march(h, steps, every, limit, step, state, contacts)
