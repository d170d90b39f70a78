"""MuJoCo: soft contacts of its own. A contact's force solves a convex problem that lets it sink and slip a little by design
("softness and slip", https://mujoco.readthedocs.io/en/stable/computation/index.html#soft-clarification)."""
import numpy

from scene import march, rotation

try:
    import mujoco
except ImportError:
    mujoco = None

# What mujoco.readthedocs.io says of it:
# - elliptic: modeling.html#preventing-slip: "Increase the impratio parameter ... high impratio values work well only with elliptic cones"
# - stiff: XMLreference.html (solref) and modeling.html#solver-parameters: timeconst "should be at least two times larger than the simulation
#   time step"; the nearer impedances (solimp) are to 1 the harder is a contact, at most 0.9999. Two steps on that way
# - no slip: modeling.html#preventing-slip: "Enable the NoSlip solver ... A small number (1, 2 or 3) is usually sufficient"
ELLIPTIC = {"cone": "elliptic", "impratio": "10"}
SETTINGS = {
    "default": {},
    "default, cold": {"flag": {"warmstart": "disable"}},
    "stiff": {"option": ELLIPTIC, "solimp": "0.99 0.999 0.001"},
    "stiff, no slip": {"option": {**ELLIPTIC, "noslip_iterations": "3"}, "solimp": "0.99 0.999 0.001"},
    "stiffest": {"option": ELLIPTIC, "solimp": "0.9999 0.9999 0.001"},
}


def version():
    return mujoco.__version__


def words(numbers):
    return " ".join(repr(float(x)) for x in numpy.ravel(numbers))


def attributes(values):
    return " ".join(f'{name}="{value}"' for name, value in values.items())


def model_of(scene, h, setting):
    contact = {"friction": f"{scene.mu!r} 0 0", "condim": 3}
    if "solimp" in setting:
        contact.update(solref=f"{2 * h!r} 1", solimp=setting["solimp"])
    option = {"timestep": repr(h), "gravity": words(scene.gravity), **setting.get("option", {})}
    text = [f"<mujoco><compiler/><option {attributes(option)}><flag {attributes(setting.get('flag', {}))}/></option>",
            f"<default><geom {attributes(contact)}/></default><asset>"]
    for s, shape in enumerate(scene.shapes):
        for p, (vertices, _) in enumerate(shape.parts if shape.kind == "polyhedra" else []):
            text.append(f'<mesh name="m{s}-{p}" vertex="{words(vertices)}"/>')
    text.append("</asset><worldbody>")
    for b, s in enumerate(scene.shape):
        shape, place = scene.shapes[s], f'pos="{words(scene.q[b, :3])}" quat="{words(scene.q[b, 3:])}"'
        text.append(f'<body name="b{b}" {place}>')
        if scene.dynamic[b]:
            text.append(f'<freejoint/><inertial pos="0 0 0" mass="{words(scene.mass[b])}" diaginertia="{words(scene.inertia[b])}"/>')
        if shape.kind == "half-space":
            text.append('<geom type="plane" size="0 0 1"/>')
        elif shape.kind == "box":
            text.append(f'<geom type="box" size="{words(shape.half)}"/>')
        elif shape.kind == "sphere":
            text.append(f'<geom type="sphere" size="{shape.radius!r}"/>')
        else:
            text += [f'<geom type="mesh" mesh="m{s}-{p}"/>' for p in range(len(shape.parts))]
        text.append("</body>")
    text.append("</worldbody></mujoco>")
    return mujoco.MjModel.from_xml_string("\n".join(text))


def run(scene, h, steps, every, limit, setting):
    model = model_of(scene, h, setting)
    data = mujoco.MjData(model)
    moving = numpy.flatnonzero(scene.dynamic)
    body = {int(model.body(f"b{b}").id): b for b in range(len(scene.shape))}
    data.qvel.reshape(-1, 6)[:, :3] = scene.u[moving, :3]
    data.qvel.reshape(-1, 6)[:, 3:] = numpy.einsum("bji,bj->bi", rotation(scene.q[moving, 3:]), scene.u[moving, 3:])

    def state():
        q, u = scene.q.copy(), scene.u.copy()
        q[moving] = data.qpos.reshape(-1, 7)
        u[moving, :3] = data.qvel.reshape(-1, 6)[:, :3]
        u[moving, 3:] = numpy.einsum("bij,bj->bi", rotation(q[moving, 3:]), data.qvel.reshape(-1, 6)[:, 3:])
        return q, u

    def contacts():
        rows, force = [], numpy.zeros(6)
        for i in range(data.ncon):
            contact = data.contact[i]
            mujoco.mj_contactForce(model, data, i, force)
            frame = contact.frame.reshape(3, 3)  # its first row points from the first geom to the second, as does the force
            first, second = (body[int(model.geom_bodyid[g])] for g in contact.geom)
            rows.append([second, first, *(frame.T @ force[:3]), *frame[0]])
        return rows

    return march(h, steps, every, limit, lambda: mujoco.mj_step(model, data), state, contacts)
