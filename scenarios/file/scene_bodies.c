/* Bodies, joints and motors of scene files. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "file/scene_file.h"
#include "file/scene_parts.h"

const char *const nb_scene_body_kinds[3] = {
    [NB_BODY_DYNAMIC] = "dynamic", [NB_BODY_FIXED] = "fixed", [NB_BODY_KINEMATIC] = "kinematic"};
const char *const nb_scene_joint_kinds[5] = {[NB_JOINT_FIXED] = "fixed",
                                             [NB_JOINT_SPHERICAL] = "spherical",
                                             [NB_JOINT_REVOLUTE] = "revolute",
                                             [NB_JOINT_PRISMATIC] = "prismatic",
                                             [NB_JOINT_DISTANCE] = "distance"};
const char *const nb_scene_motor_axes[2] = {"turns", "slides"};

/* ---- what all parts use ---- */

nb_status nb_scene_explain(const nb_input_at *at, nb_status status) {
    char message[400];
    if (status != NB_ERROR_INPUT && status != NB_ERROR_USAGE && status != NB_ERROR_UNSUPPORTED) return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_input_fail(at, "%s", message);
}

nb_status nb_scene_real(const nb_input_at *object, const char *key, double *x) {
    const nb_input_at at = nb_input_member(object, key);
    return nb_input_real(&at, x);
}

nb_status nb_scene_vec3(const nb_input_at *object, const char *key, nb_vec3 *x) {
    const nb_input_at at = nb_input_member(object, key);
    return nb_input_vec3(&at, x);
}

nb_status nb_scene_maybe_real(const nb_input_at *object, const char *key, double *x) {
    const nb_input_at at = nb_input_member(object, key);
    return at.value ? nb_input_real(&at, x) : NB_OK;
}

nb_status nb_scene_maybe_vec3(const nb_input_at *object, const char *key, nb_vec3 *x) {
    const nb_input_at at = nb_input_member(object, key);
    return at.value ? nb_input_vec3(&at, x) : NB_OK;
}

nb_status nb_scene_maybe_quat(const nb_input_at *object, const char *key, nb_quat *x) {
    const nb_input_at at = nb_input_member(object, key);
    return at.value ? nb_input_quat(&at, x) : NB_OK;
}

nb_status nb_scene_maybe_kind(const nb_input_at *object, int count, const char *const *names, int *kind) {
    const nb_input_at at = nb_input_member(object, "kind");
    return at.value ? nb_input_choice(&at, "kind", count, names, kind) : NB_OK;
}

/* ---- bodies ---- */

/* a body whose mass and moments follow from its shape and a density */
static nb_status add_of_density(const nb_input_at *at, double density, nb_body *body, nb_world *world) {
    nb_status status;
    int32_t index;
    const nb_input_at shape = nb_input_member(at, "shape");
    const nb_input_at given = nb_input_member(at, "density_kg_m3");
    if (body->shape < 0) return nb_input_fail(&shape, "is missing; a density requires a shape");
    const double volume = nb_shape_mass_properties(world->shapes[body->shape]).volume;
    if (!(density > 0 && volume > 0))
        return nb_input_fail(&given, "%g kg/m^3 of a shape of %g m^3: both must be positive", density, volume);
    NB_TRY(nb_world_add_solid(world, body->kind, body->shape, density * volume, body->friction, body->position,
                              body->orientation, &index));
    nb_body *added = &world->bodies[index];
    added->linear_velocity = body->linear_velocity;
    added->angular_velocity = body->angular_velocity;
    added->force = body->force;
    added->torque = body->torque;
out:
    return nb_scene_explain(at, status);
}

static nb_status read_motion(const nb_input_at *at, nb_body *body) {
    nb_status status;
    NB_TRY(nb_scene_vec3(at, "position_m", &body->position));
    NB_TRY(nb_scene_maybe_quat(at, "orientation_wxyz", &body->orientation));
    NB_TRY(nb_scene_maybe_vec3(at, "velocity_m_s", &body->linear_velocity));
    NB_TRY(nb_scene_maybe_vec3(at, "angular_velocity_rad_s", &body->angular_velocity));
    NB_TRY(nb_scene_maybe_vec3(at, "force_N", &body->force));
    NB_TRY(nb_scene_maybe_vec3(at, "torque_N_m", &body->torque));
    NB_TRY(nb_scene_maybe_real(at, "friction", &body->friction));
out:
    return status;
}

static nb_status read_body(const nb_input_at *at, nb_world *world) {
    static const char *const keys[] = {"kind",
                                       "shape",
                                       "mass_kg",
                                       "density_kg_m3",
                                       "inertia_kg_m2",
                                       "position_m",
                                       "orientation_wxyz",
                                       "velocity_m_s",
                                       "angular_velocity_rad_s",
                                       "force_N",
                                       "torque_N_m",
                                       "friction",
                                       NULL};
    nb_status status;
    nb_body body = {.kind = NB_BODY_DYNAMIC, .orientation = nb_quat_identity(), .shape = -1};
    int kind = NB_BODY_DYNAMIC;
    int32_t index;
    NB_TRY(nb_input_object(at, keys));
    const nb_input_at shape = nb_input_member(at, "shape"), density = nb_input_member(at, "density_kg_m3"),
                      mass = nb_input_member(at, "mass_kg");
    NB_TRY(nb_scene_maybe_kind(at, 3, nb_scene_body_kinds, &kind));
    body.kind = (nb_body_kind)kind;
    if (shape.value) NB_TRY(nb_input_whole(&shape, -1, world->shape_count - 1, &body.shape));
    if (body.kind == NB_BODY_DYNAMIC && body.shape >= 0 && world->shapes[body.shape]->kind == NB_SHAPE_HALF_SPACE)
        NB_TRY(nb_input_fail(&shape, "a half-space is of fixed and kinematic bodies"));
    NB_TRY(read_motion(at, &body));
    if (density.value) {
        double value;
        if (mass.value) NB_TRY(nb_input_fail(&mass, "and density_kg_m3: give one of the two"));
        NB_TRY(nb_input_real(&density, &value));
        return add_of_density(at, value, &body, world);
    }
    if (body.kind == NB_BODY_DYNAMIC || mass.value) NB_TRY(nb_input_real(&mass, &body.mass));
    if (body.kind == NB_BODY_DYNAMIC)
        NB_TRY(nb_scene_vec3(at, "inertia_kg_m2", &body.inertia));
    else
        NB_TRY(nb_scene_maybe_vec3(at, "inertia_kg_m2", &body.inertia));
    NB_TRY(nb_scene_explain(at, nb_world_add_body(world, &body, &index)));
out:
    return status;
}

/* ---- joints ---- */

/* two items of an array */
static nb_status read_anchors(const nb_input_at *at, nb_joint *joint) {
    nb_status status;
    const nb_input_at anchors = nb_input_member(at, "anchors_m"), frames = nb_input_member(at, "frames_wxyz");
    const nb_input_at a = nb_input_item(&anchors, 0), b = nb_input_item(&anchors, 1);
    NB_TRY(nb_input_array(&anchors));
    NB_TRY(nb_input_vec3(&a, &joint->anchor_a));
    NB_TRY(nb_input_vec3(&b, &joint->anchor_b));
    if (!frames.value) return NB_OK;
    const nb_input_at turn_a = nb_input_item(&frames, 0), turn_b = nb_input_item(&frames, 1);
    NB_TRY(nb_input_array(&frames));
    NB_TRY(nb_input_quat(&turn_a, &joint->frame_a));
    NB_TRY(nb_input_quat(&turn_b, &joint->frame_b));
out:
    return status;
}

static nb_status read_joint(const nb_input_at *at, nb_world *world) {
    static const char *const keys[] = {"kind", "bodies", "anchors_m", "frames_wxyz", "compliance", "length_m", NULL};
    nb_status status;
    nb_joint joint = {.frame_a = nb_quat_identity(), .frame_b = nb_quat_identity()};
    int kind = 0;
    int32_t index, bodies[2];
    NB_TRY(nb_input_object(at, keys));
    const nb_input_at named = nb_input_member(at, "kind"), ends = nb_input_member(at, "bodies"),
                      compliance = nb_input_member(at, "compliance");
    NB_TRY(nb_input_choice(&named, "joint", 5, nb_scene_joint_kinds, &kind));
    joint.kind = (nb_joint_kind)kind;
    NB_TRY(nb_input_wholes(&ends, 2, -1, world->body_count - 1, bodies));
    joint.body_a = bodies[0];
    joint.body_b = bodies[1];
    NB_TRY(read_anchors(at, &joint));
    if (compliance.value) NB_TRY(nb_input_reals(&compliance, 6, joint.compliance));
    NB_TRY(nb_scene_maybe_real(at, "length_m", &joint.length));
    NB_TRY(nb_scene_explain(at, nb_world_add_joint(world, &joint, &index)));
out:
    return status;
}

/* ---- motors ---- */

static nb_status check_motor(const nb_input_at *at, const nb_motor *motor, const nb_world *world) {
    const nb_input_at joint = nb_input_member(at, "joint");
    if (world->joints[motor->joint].kind != NB_JOINT_FIXED)
        return nb_input_fail(&joint, "joint %d must be of kind fixed: the motor frees its axis", (int)motor->joint);
    if (world->motor_count > 0 && world->motors[world->motor_count - 1].joint >= motor->joint)
        return nb_input_fail(&joint, "motors must stand in the order of their joints, one a joint");
    if (!(motor->stiffness >= 0 && motor->damping >= 0 && motor->stiffness + motor->damping > 0 &&
          isfinite(motor->damping)))
        return nb_input_fail(at, "stiffness %g and damping %g must be numbers from 0 on, one of them positive",
                             motor->stiffness, motor->damping);
    return NB_OK;
}

static nb_status read_motor(const nb_input_at *at, nb_world *world) {
    static const char *const keys[] = {"joint", "axis",     "stiffness",  "damping", "target",
                                       "rate",  "anchor_m", "frame_wxyz", NULL};
    nb_status status;
    nb_motor motor = {.stiffness = INFINITY};
    NB_TRY(nb_input_object(at, keys));
    const nb_input_at joint = nb_input_member(at, "joint"), axis = nb_input_member(at, "axis");
    NB_TRY(nb_input_whole(&joint, 0, world->joint_count - 1, &motor.joint));
    NB_TRY(nb_input_choice(&axis, "motor axis", 2, nb_scene_motor_axes, &motor.along));
    motor.anchor = world->joints[motor.joint].anchor_b;
    motor.frame = world->joints[motor.joint].frame_b;
    NB_TRY(nb_scene_maybe_real(at, "stiffness", &motor.stiffness));
    NB_TRY(nb_scene_maybe_real(at, "damping", &motor.damping));
    NB_TRY(nb_scene_maybe_real(at, "target", &motor.target));
    NB_TRY(nb_scene_maybe_real(at, "rate", &motor.rate));
    NB_TRY(nb_scene_maybe_vec3(at, "anchor_m", &motor.anchor));
    NB_TRY(nb_scene_maybe_quat(at, "frame_wxyz", &motor.frame));
    NB_TRY(check_motor(at, &motor, world));
    NB_TRY(NB_RESERVE(world->motor_count + 1, &world->motor_capacity, &world->motors));
    world->motors[world->motor_count++] = motor;
out:
    return status;
}

typedef nb_status reader(const nb_input_at *at, nb_world *world);

static nb_status read_all(const nb_input_at *scene, const char *key, reader *read, nb_world *world) {
    const nb_input_at list = nb_input_member(scene, key);
    nb_status status = list.value ? nb_input_array(&list) : NB_OK;
    for (int64_t i = 0; i < nb_input_count(&list) && status == NB_OK; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        status = read(&item, world);
    }
    return status;
}

nb_status nb_scene_read_bodies(const nb_input_at *scene, nb_world *world) {
    nb_status status;
    NB_TRY(read_all(scene, "bodies", read_body, world));
    NB_TRY(read_all(scene, "joints", read_joint, world));
    NB_TRY(read_all(scene, "motors", read_motor, world));
out:
    return status;
}
