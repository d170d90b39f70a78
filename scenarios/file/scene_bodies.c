/* Bodies, joints, motors and pairs of scene files. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "file/scene_members.h"
#include "file/scene_parts.h"
#include "model/coordinate.h"
#include "model/pair.h"

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

/* ---- what is read ---- */

/* A body's frame seen from that of its shape in the file, where these are not one. */
typedef struct own_frame {
    int moved;
    nb_vec3 centre;
    nb_quat axes;
} own_frame;

/* a shape of the file about its centre of mass and principal axes: shape `to` of the world, its frame seen from the
 * file's */
typedef struct centred_shape {
    int32_t from, to;
    own_frame frame;
} centred_shape;

typedef struct reading {
    nb_world *world;
    own_frame *frames;      /* [bodies so far] */
    centred_shape *centred; /* [centred_count] */
    int32_t centred_count;
    int64_t frame_capacity, centred_capacity;
} reading;

typedef nb_status reader(const nb_input_at *at, reading *r);

static nb_status read_list(const nb_input_at *scene, const char *key, reader *read, reading *r) {
    const nb_input_at list = nb_input_member(scene, key);
    nb_status status = list.value ? nb_input_array(&list) : NB_OK;
    for (int64_t i = 0; i < nb_input_count(&list) && status == NB_OK; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        status = read(&item, r);
    }
    return status;
}

static const own_frame *frame_of(const reading *r, int32_t body) {
    return r->frames && body >= 0 && r->frames[body].moved ? &r->frames[body] : NULL;
}

/* from the file's frame of a body into its own */
static void take_anchor(const own_frame *frame, nb_vec3 *anchor) {
    if (frame) *anchor = nb_quat_rotate(nb_quat_conjugate(frame->axes), nb_sub(*anchor, frame->centre));
}

static void take_turn(const own_frame *frame, nb_quat *turn) {
    if (frame) *turn = nb_quat_product(nb_quat_conjugate(frame->axes), *turn);
}

/* ---- bodies ---- */

/* the shape of the file about its centre of mass, once for all bodies that have it */
static nb_status centre_shape(const nb_input_at *at, int32_t shape, reading *r, const centred_shape **centred) {
    nb_status status;
    nb_vec3 moments;
    double volume;
    nb_shape *copy;
    const nb_input_at scene = nb_input_root(at->file), shapes = nb_input_member(&scene, "shapes"),
                      item = nb_input_item(&shapes, shape);
    for (int32_t i = 0; i < r->centred_count; i++)
        if (r->centred[i].from == shape) {
            *centred = &r->centred[i];
            return NB_OK;
        }
    NB_TRY(NB_RESERVE((int64_t)r->centred_count + 1, &r->centred_capacity, &r->centred));
    NB_TRY(nb_scene_read_shape(&item, 0, 0, &copy));
    centred_shape *own = &r->centred[r->centred_count];
    *own = (centred_shape){.from = shape, .frame = {.moved = 1}};
    nb_shape_centre(copy, &own->frame.centre, &own->frame.axes, &moments, &volume);
    NB_TRY(nb_world_add_shape(r->world, copy, &own->to));
    r->centred_count++;
    *centred = own;
out:
    return status;
}

/* Where the shape of a dynamic body is not about its centre of mass, the body takes one that is; position and
 * orientation, so far those of the file's frame, become its own. */
static nb_status centre_body(const nb_input_at *at, nb_body *body, reading *r) {
    nb_status status;
    const centred_shape *centred;
    if (body->kind != NB_BODY_DYNAMIC || nb_shape_is_centred(r->world->shapes[body->shape])) return NB_OK;
    NB_TRY(centre_shape(at, body->shape, r, &centred));
    body->shape = centred->to;
    body->position = nb_add(body->position, nb_quat_rotate(body->orientation, centred->frame.centre));
    body->orientation = nb_quat_product(body->orientation, centred->frame.axes);
    r->frames[r->world->body_count] = centred->frame;
out:
    return status;
}

/* a body whose mass and moments follow from its shape and a density */
static nb_status add_of_density(const nb_input_at *at, double density, nb_body *body, reading *r) {
    nb_status status;
    nb_world *world = r->world;
    int32_t index;
    const nb_input_at shape = nb_input_member(at, "shape");
    const nb_input_at given = nb_input_member(at, "density_kg_m3");
    if (body->shape < 0) return nb_input_fail(&shape, "is missing; a density requires a shape");
    const double volume = nb_shape_mass_properties(world->shapes[body->shape]).volume;
    if (!(density > 0 && volume > 0))
        return nb_input_fail(&given, "%g kg/m^3 of a shape of %g m^3: both must be positive", density, volume);
    NB_TRY(centre_body(at, body, r));
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

static nb_status read_body(const nb_input_at *at, reading *r) {
    nb_status status;
    nb_world *world = r->world;
    nb_body body = {.kind = NB_BODY_DYNAMIC, .orientation = nb_quat_identity(), .shape = -1};
    int32_t index;
    const nb_input_at shape = nb_input_member(at, "shape"), density = nb_input_member(at, "density_kg_m3"),
                      mass = nb_input_member(at, "mass_kg"), inertia = nb_input_member(at, "inertia_kg_m2");
    NB_TRY(NB_RESERVE((int64_t)world->body_count + 1, &r->frame_capacity, &r->frames));
    r->frames[world->body_count] = (own_frame){0};
    NB_TRY(nb_scene_fill(at, &nb_scene_body_members, world, &body));
    if (body.kind == NB_BODY_DYNAMIC && body.shape >= 0 && world->shapes[body.shape]->kind == NB_SHAPE_HALF_SPACE)
        NB_TRY(nb_input_fail(&shape, "a half-space is of fixed and kinematic bodies"));
    if (density.value) {
        double value;
        if (mass.value) NB_TRY(nb_input_fail(&mass, "and density_kg_m3: give one of the two"));
        NB_TRY(nb_input_real(&density, &value));
        return add_of_density(at, value, &body, r);
    }
    if (body.kind == NB_BODY_DYNAMIC) {
        if (!mass.value && !inertia.value)
            NB_TRY(nb_input_fail(at, "has no mass; expected density_kg_m3%s, or mass_kg and inertia_kg_m2",
                                 body.shape < 0 ? " and a shape" : ""));
        NB_TRY(nb_input_real(&mass, &body.mass));
        NB_TRY(nb_input_vec3(&inertia, &body.inertia));
    }
    NB_TRY(nb_scene_explain(at, nb_world_add_body(world, &body, &index)));
out:
    return status;
}

/* ---- joints ---- */

/* the unit quaternion that turns x into this unit vector by the shortest way */
static nb_quat turn_of_x(nb_vec3 axis) {
    if (axis.x < -1 + 1e-12) return nb_quat_of(0, 0, 0, 1);
    return nb_quat_normalized(nb_quat_of(1 + axis.x, 0, -axis.z, axis.y)); /* (1 + x . axis, x cross axis) */
}

/* Anchor and frame of a body from a point and a frame of the world at the start. */
static void fit_end(const nb_world *world, int32_t body, nb_vec3 point, nb_quat frame, nb_vec3 *anchor, nb_quat *turn) {
    *anchor = point;
    *turn = frame;
    if (body < 0) return;
    const nb_quat back = nb_quat_conjugate(world->bodies[body].orientation);
    *anchor = nb_quat_rotate(back, nb_sub(point, world->bodies[body].position));
    *turn = nb_quat_product(back, frame);
}

static nb_status read_axis(const nb_input_at *at, const nb_joint *joint, nb_quat *frame) {
    nb_status status;
    nb_vec3 axis;
    const nb_input_at given = nb_input_member(at, "axis");
    const int free_axis = joint->kind == NB_JOINT_REVOLUTE || joint->kind == NB_JOINT_PRISMATIC;
    if (!given.value && !free_axis) return NB_OK;
    NB_TRY(nb_input_vec3(&given, &axis));
    if (!(nb_norm(axis) > 0 && isfinite(nb_norm(axis))))
        return nb_input_fail(&given, "(%g, %g, %g) must have a direction", axis.x, axis.y, axis.z);
    *frame = turn_of_x(nb_normalized(axis));
out:
    return status;
}

/* Fills anchors and frames from "point_m" and "axis", of the world, where the joint is given by these; else brings them
 * into the bodies' own frames. */
static nb_status place_joint(const nb_input_at *at, const reading *r, nb_joint *joint) {
    const nb_world *world = r->world;
    static const char *const own[] = {"anchors_m", "frames_wxyz"};
    nb_status status;
    nb_vec3 point;
    nb_quat frame = nb_quat_identity();
    const nb_input_at at_point = nb_input_member(at, "point_m"), axis = nb_input_member(at, "axis"),
                      anchors = nb_input_member(at, own[0]);
    if (!at_point.value && axis.value) return nb_input_fail(&axis, "requires point_m");
    if (!at_point.value && !anchors.value)
        return nb_input_fail(&anchors, "is missing; expected an array, or point_m in its place");
    if (!at_point.value) {
        take_anchor(frame_of(r, joint->body_a), &joint->anchor_a);
        take_anchor(frame_of(r, joint->body_b), &joint->anchor_b);
        take_turn(frame_of(r, joint->body_a), &joint->frame_a);
        take_turn(frame_of(r, joint->body_b), &joint->frame_b);
        return NB_OK;
    }
    for (int k = 0; k < 2; k++) {
        const nb_input_at other = nb_input_member(at, own[k]);
        if (other.value) return nb_input_fail(&other, "and point_m: give one of the two");
    }
    if (joint->kind == NB_JOINT_DISTANCE) return nb_input_fail(&at_point, "a distance joint requires anchors_m");
    NB_TRY(nb_input_vec3(&at_point, &point));
    NB_TRY(read_axis(at, joint, &frame));
    fit_end(world, joint->body_a, point, frame, &joint->anchor_a, &joint->frame_a);
    fit_end(world, joint->body_b, point, frame, &joint->anchor_b, &joint->frame_b);
out:
    return status;
}

static nb_status read_joint(const nb_input_at *at, reading *r) {
    nb_status status;
    nb_world *world = r->world;
    nb_joint joint = {.frame_a = nb_quat_identity(), .frame_b = nb_quat_identity()};
    int32_t index;
    NB_TRY(nb_scene_fill(at, &nb_scene_joint_members, world, &joint));
    NB_TRY(place_joint(at, r, &joint));
    NB_TRY(nb_scene_explain(at, nb_world_add_joint(world, &joint, &index)));
out:
    return status;
}

/* Reads a number that has one name about a free axis and another along it; leaves it where neither is there. */
static nb_status maybe_of_axis(const nb_input_at *at, const char *const names[2], int along, double *x) {
    const nb_input_at own = nb_input_member(at, names[along]), other = nb_input_member(at, names[!along]);
    if (other.value)
        return nb_input_fail(&other, "is of a joint that %s; expected %s", along ? "turns" : "slides", names[along]);
    return own.value ? nb_input_real(&own, x) : NB_OK;
}

/* Limits, friction and armature of a joint, once its motors are known. */
static nb_status read_coordinate(const nb_input_at *at, reading *r) {
    static const char *const frictions[] = {"friction_N_m", "friction_N"}, *const armatures[] = {"armature_kg_m2",
                                                                                                 "armature_kg"};
    nb_status status;
    nb_world *world = r->world;
    nb_coordinate coordinate;
    nb_joint *joint = &world->joints[at->index];
    const nb_input_at limits = nb_input_member(at, "limits"), turned = nb_input_member(at, "turned_rad");
    const int free_axis = nb_coordinate_of(world, (int32_t)at->index, &coordinate);
    const int along = free_axis ? coordinate.along
                                : nb_input_member(at, frictions[1]).value || nb_input_member(at, armatures[1]).value;
    joint->limited = limits.value != NULL;
    if (joint->limited) NB_TRY(nb_input_reals(&limits, 2, joint->limits));
    joint->counted = turned.value != NULL;
    if (turned.value && (!free_axis || along)) NB_TRY(nb_input_fail(&turned, "is of a joint that turns"));
    if (turned.value) NB_TRY(nb_input_real(&turned, &joint->turned));
    NB_TRY(maybe_of_axis(at, frictions, along, &joint->friction));
    NB_TRY(maybe_of_axis(at, armatures, along, &joint->armature));
    NB_TRY(nb_scene_explain(at, nb_coordinate_check(world, (int32_t)at->index)));
out:
    return status;
}

/* ---- motors ---- */

/* whether a joint may have this motor behind those that the world has */
static nb_status check_joint_of(const nb_input_at *at, const nb_motor *motor, const nb_world *world) {
    const nb_input_at joint = nb_input_member(at, "joint");
    const nb_joint_kind kind = world->joints[motor->joint].kind;
    const int32_t first = nb_motor_of(world, motor->joint);
    if (world->motor_count > 0 && world->motors[world->motor_count - 1].joint > motor->joint)
        return nb_input_fail(&joint, "motors must stand in the order of their joints");
    if (motor->effort > 0) {
        if (kind == (motor->along ? NB_JOINT_PRISMATIC : NB_JOINT_REVOLUTE)) return NB_OK;
        if (kind == NB_JOINT_FIXED && first >= 0 && world->motors[first].along == motor->along) return NB_OK;
        return nb_input_fail(&joint,
                             "joint %d must be %s, or driven along this axis by a motor before: this one has a "
                             "limit of effort",
                             (int)motor->joint, motor->along ? "prismatic" : "revolute");
    }
    if (world->joints[motor->joint].damping[0] > 0 || world->joints[motor->joint].damping[3] > 0)
        return nb_input_fail(&joint, "joint %d has damping; a motor requires one without", (int)motor->joint);
    if (kind != NB_JOINT_FIXED)
        return nb_input_fail(&joint, "joint %d must be of kind fixed: a motor without effort frees its axis",
                             (int)motor->joint);
    return first < 0 ? NB_OK : nb_input_fail(&joint, "joint %d has a motor already", (int)motor->joint);
}

static nb_status check_motor(const nb_input_at *at, const nb_motor *motor, const nb_world *world) {
    nb_status status = check_joint_of(at, motor, world);
    if (status != NB_OK) return status;
    if (!(motor->stiffness >= 0 && motor->damping >= 0 && motor->stiffness + motor->damping > 0 &&
          isfinite(motor->damping)))
        return nb_input_fail(at, "stiffness %g and damping %g must be numbers from 0 on, one of them positive",
                             motor->stiffness, motor->damping);
    return NB_OK;
}

static nb_status read_motor(const nb_input_at *at, reading *r) {
    nb_status status;
    nb_world *world = r->world;
    static const char *const efforts[] = {"effort_N_m", "effort_N"};
    nb_motor motor = {.stiffness = INFINITY};
    const nb_input_at joint = nb_input_member(at, "joint");
    NB_TRY(nb_input_object(at, NULL));
    NB_TRY(nb_input_whole(&joint, 0, world->joint_count - 1, &motor.joint));
    motor.anchor = world->joints[motor.joint].anchor_b;
    motor.frame = world->joints[motor.joint].frame_b;
    NB_TRY(nb_scene_fill(at, &nb_scene_motor_members, world, &motor));
    const own_frame *frame = frame_of(r, world->joints[motor.joint].body_b);
    if (nb_input_member(at, "anchor_m").value) take_anchor(frame, &motor.anchor);
    if (nb_input_member(at, "frame_wxyz").value) take_turn(frame, &motor.frame);
    NB_TRY(maybe_of_axis(at, efforts, motor.along, &motor.effort));
    const nb_input_at effort = nb_input_member(at, efforts[motor.along]);
    if (effort.value && !(motor.effort > 0)) NB_TRY(nb_input_fail(&effort, "%g must be positive", motor.effort));
    NB_TRY(check_motor(at, &motor, world));
    NB_TRY(NB_RESERVE(world->motor_count + 1, &world->motor_capacity, &world->motors));
    world->motors[world->motor_count++] = motor;
out:
    return status;
}

/* ---- couplings and pairs ---- */

static nb_status read_coupling(const nb_input_at *at, reading *r) {
    nb_status status;
    nb_world *world = r->world;
    nb_coupling coupling = {0};
    const nb_input_at joints = nb_input_member(at, "joints"), factors = nb_input_member(at, "factors");
    const int64_t count = nb_input_count(&joints);
    NB_TRY(nb_scene_fill(at, &nb_scene_coupling_members, world, &coupling));
    NB_TRY(nb_input_array(&joints));
    if (count < 1 || count > NB_COUPLED)
        NB_TRY(nb_input_fail(&joints, "expected 1 to %d joints, not %lld", NB_COUPLED, (long long)count));
    coupling.count = (int32_t)count;
    NB_TRY(nb_input_wholes(&joints, count, 0, world->joint_count - 1, coupling.joint));
    NB_TRY(nb_input_reals(&factors, count, coupling.factor));
    NB_TRY(nb_scene_explain(at, nb_world_add_coupling(world, &coupling)));
out:
    return status;
}

static nb_status read_pair(const nb_input_at *at, reading *r) {
    nb_status status;
    nb_world *world = r->world;
    nb_pair pair = {.contact = 1, .friction = NAN};
    NB_TRY(nb_scene_fill(at, &nb_scene_pair_members, world, &pair));
    NB_TRY(nb_scene_explain(at, nb_world_add_pair(world, &pair)));
out:
    return status;
}

nb_status nb_scene_read_bodies(const nb_input_at *scene, nb_world *world) {
    nb_status status;
    reading r = {.world = world};
    NB_TRY(read_list(scene, "bodies", read_body, &r));
    NB_TRY(read_list(scene, "joints", read_joint, &r));
    NB_TRY(read_list(scene, "motors", read_motor, &r));
    NB_TRY(read_list(scene, "pairs", read_pair, &r));
    NB_TRY(read_list(scene, "joints", read_coordinate, &r));
    NB_TRY(read_list(scene, "couplings", read_coupling, &r));
out:
    nb_free(r.frames);
    nb_free(r.centred);
    return status;
}
