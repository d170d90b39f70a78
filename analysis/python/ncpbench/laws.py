"""Forces of a model's hinges and slides as motors of a scene: springs, dampers, and actuators whose control is held."""
import numpy

from .touching import disabled

try:
    import mujoco
except ImportError:
    mujoco = None

FAR = 3.0      # rad; the angle of a motor without effort is told from its target to half a turn
CERTAIN = 1e3  # rad/s, m/s: the rate of what exerts all of its effort


class Law:
    """the force constant - stiffness s - damping ds/dt of the way s from the start, between `least` and `most`"""

    def __init__(self, constant=0.0, stiffness=0.0, damping=0.0, least=-numpy.inf, most=numpy.inf):
        self.constant, self.stiffness, self.damping, self.least, self.most = constant, stiffness, damping, least, most

    def bounded(self):
        return self.least > -numpy.inf or self.most < numpy.inf

    def plus(self, other):
        return Law(self.constant + other.constant, self.stiffness + other.stiffness, self.damping + other.damping, self.least, self.most)

    def scaled(self, gear):
        """of a force at the end of a gear"""
        ends = sorted((gear * self.least, gear * self.most)) if gear else (0.0, 0.0)
        return Law(gear * self.constant, gear * self.stiffness, gear * self.damping, *ends)


def polynomial(first, more, x, odd):
    """value and slope of a x + b x x + c x x x, whose second term is b x |x| where it is to be odd"""
    size = abs(x) if odd else x
    return first * x + more[0] * x * size + more[1] * x**3, first + 2 * more[0] * size + 3 * more[1] * x * x


def spring(model, data, joint, note):
    """what is no line is its tangent at the start"""
    dof, at = model.jnt_dofadr[joint], model.jnt_qposadr[joint]
    law = Law()
    if (model.jnt_stiffness[joint] or model.jnt_stiffnesspoly[joint].any()) and not disabled(model, "SPRING"):
        force, slope = polynomial(model.jnt_stiffness[joint], model.jnt_stiffnesspoly[joint], data.qpos[at] - model.qpos_spring[at], False)
        law = law.plus(Law(-force, slope))
        note("springs that are not linear: their tangent at the start", model.jnt_stiffnesspoly[joint].any())
        note("left out: yield of springs", hasattr(model, "jnt_springyield") and model.jnt_springyield[joint] > 0)  # from MuJoCo 4.0 on
    if not disabled(model, "DAMPER"):
        law = law.plus(damper(model.dof_damping[dof], model.dof_dampingpoly[dof], data.qvel[dof], note))
    return law


def damper(first, more, rate, note):
    if not first and not numpy.any(more):
        return Law()
    force, slope = polynomial(first, more, rate, True)
    note("dampers that are not linear: their tangent at the start", numpy.any(more))
    return Law(slope * rate - force, 0, slope)


def of_joint(model, actuator):
    return int(model.actuator_trntype[actuator]) in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)


def works(model, actuator):
    return not disabled(model, "ACTUATION") and not (0 <= model.actuator_group[actuator] <= 30 and model.opt.disableactuator >> int(model.actuator_group[actuator]) & 1)


def why_not(model, actuator):
    """what is left out of an actuator, or nothing"""
    gains, biases, dynamics = mujoco.mjtGain, mujoco.mjtBias, mujoco.mjtDyn
    kind = int(model.jnt_type[model.actuator_trnid[actuator, 0]]) if of_joint(model, actuator) else None
    if kind is None:
        return "actuators of tendons, sites, cranks or bodies"
    if kind not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
        return "actuators of free and ball joints"
    if (int(model.actuator_gaintype[actuator]) not in (gains.mjGAIN_FIXED, gains.mjGAIN_AFFINE) or int(model.actuator_biastype[actuator]) not in (biases.mjBIAS_NONE, biases.mjBIAS_AFFINE) or
            int(model.actuator_dyntype[actuator]) not in (dynamics.mjDYN_NONE, dynamics.mjDYN_INTEGRATOR, dynamics.mjDYN_FILTER, dynamics.mjDYN_FILTEREXACT)):
        return "actuators that are muscles, pid, dcmotor, plugins or of the user"
    return None


def signal(model, data, actuator, note):
    """control or activation, which stays"""
    if model.actuator_dyntype[actuator] != mujoco.mjtDyn.mjDYN_NONE:
        note("actuators with dynamics: their activation stays", 1)
        return data.act[model.actuator_actadr[actuator] + model.actuator_actnum[actuator] - 1]
    value = data.ctrl[model.actuator_ctrladr[actuator]]
    if model.actuator_ctrllimited[actuator] and not disabled(model, "CLAMPCTRL"):
        value = numpy.clip(value, *model.actuator_ctrlrange[actuator].ravel()[:2])
    return value


def actuator_law(model, data, actuator, note):
    """at its joint"""
    joint, gear, u = model.actuator_trnid[actuator, 0], model.actuator_gear[actuator, 0], signal(model, data, actuator, note)
    at = model.jnt_qposadr[joint]
    gain = model.actuator_gainprm[actuator, :3] * ([1, 1, 1] if model.actuator_gaintype[actuator] == mujoco.mjtGain.mjGAIN_AFFINE else [1, 0, 0])
    bias = model.actuator_biasprm[actuator, :3] * (model.actuator_biastype[actuator] == mujoco.mjtBias.mjBIAS_AFFINE)
    constant, by_length, by_rate = gain * u + bias
    law = Law(constant + by_length * gear * data.qpos[at], -by_length * gear, -by_rate * gear)
    if model.actuator_forcelimited[actuator]:
        law.least, law.most = model.actuator_forcerange[actuator].ravel()[:2]
    return law.scaled(gear)


def laws(model, data, joint, note):
    """of a hinge or slide: one without bounds, which may be nothing, and those with"""
    free, bounded = spring(model, data, joint, note), []
    acting = [a for a in range(model.nactuator) if of_joint(model, a) and model.actuator_trnid[a, 0] == joint and not why_not(model, a)]
    for a in acting:
        if not disabled(model, "DAMPER"):
            free = free.plus(damper(model.actuator_gear[a, 0]**2 * model.actuator_damping[a], model.actuator_gear[a, 0]**2 * model.actuator_dampingpoly[a],
                                    data.qvel[model.jnt_dofadr[joint]], note))
    found = [actuator_law(model, data, a, note) for a in acting if works(model, a)]
    if model.jnt_actfrclimited[joint] and found:
        together = found[0] if len(found) == 1 else sum_of(found, note)
        least, most = model.jnt_actfrcrange[joint]
        found = [Law(together.constant, together.stiffness, together.damping, *numpy.clip([together.least, together.most], least, most))]
    for law in found:
        if law.bounded():
            bounded.append(law)
        else:
            free = free.plus(law)
    for law in (free, *bounded):
        note("left out: stiffness and damping below 0", law.stiffness < 0 or law.damping < 0)
        law.stiffness, law.damping = max(law.stiffness, 0.0), max(law.damping, 0.0)
    note("left out: dry friction and armature below 0", model.dof_frictionloss[model.jnt_dofadr[joint]] < 0 or armature(model, joint) < 0)
    return free, bounded


def sum_of(found, note):
    note("left out: limits of force of actuators that share a joint's limit", any(law.bounded() for law in found))
    total = Law()
    for law in found:
        total = total.plus(law)
    return total


def armature(model, joint):
    """of a joint's rotor, with those of its actuators"""
    return float(model.dof_armature[model.jnt_dofadr[joint]] + sum(
        model.actuator_gear[a, 0]**2 * model.actuator_armature[a] for a in range(model.nactuator) if of_joint(model, a) and model.actuator_trnid[a, 0] == joint))


def motors(free, bounded, slides, h):
    """members of motors of a scene but their joints: the first is without effort, where there is one"""
    found, unit, push = [], "effort_N" if slides else "effort_N_m", 0.0
    for law in (free, *bounded):
        middle, half = ((law.least + law.most) / 2, (law.most - law.least) / 2) if law.bounded() else (0.0, None)
        constant, effort = law.constant - middle, {} if half is None else {unit: float(half)}
        motor = {"stiffness": float(law.stiffness), "damping": float(law.damping)}
        push += middle
        if law.stiffness > 0 and (slides or effort or abs(constant) < law.stiffness * FAR):
            motor["target"] = float(constant / law.stiffness)
        elif law.damping > 0 and (slides or effort or abs(constant) < law.stiffness + law.damping / h):
            motor["rate"] = float(constant / law.damping)
        else:  # no target and no rate stands for the constant
            push += constant if half is None else float(numpy.clip(constant, -half, half))
            motor = {} if effort else motor
        if (law.stiffness > 0 or law.damping > 0) and motor and half != 0:
            found.append({**motor, **effort})
    if push:
        found.append({"stiffness": 0.0, "damping": abs(float(push)), "rate": CERTAIN if push > 0 else -CERTAIN, unit: abs(float(push))})
    return found
