#include "export_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "export_motion.h"
#include "export_values.h"
#include "file/scene_file.h"
#include "model/coordinate.h"
#include "model/shape.h"
#include "record/partial.h"
#include "record/provenance.h"
#include "run/scene_run.h"
#include "run/start_state.h"
#include "text/json.h"

NB_PRECISIONS(f64);

/* Shapes of exported scenes, as scenarios/file/scene_file.h reads them. */

static int same_places(const nb_polyhedron *a, const nb_polyhedron *b) {
    return a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
           memcmp(a->face_start, b->face_start, (size_t)(a->face_count + 1) * sizeof *a->face_start) == 0 &&
           memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) == 0 &&
           memcmp(a->face_normal, b->face_normal, (size_t)a->face_count * sizeof *a->face_normal) == 0 &&
           memcmp(a->face_vertex, b->face_vertex, (size_t)a->face_start[a->face_count] * sizeof *a->face_vertex) == 0;
}

/* whether it is what nb_shape_box makes, to the last bit */
static int is_box(const nb_shape *shape, nb_vec3 *half) {
    nb_shape *box;
    if (shape->kind != NB_SHAPE_COMPOUND || shape->part_count != 1 || shape->parts[0].vertex_count != 8) return 0;
    const nb_vec3 corner = shape->parts[0].vertices[7];
    *half = nb_vec3_of(fabs(corner.x), fabs(corner.y), fabs(corner.z));
    if (nb_shape_box(*half, &box) != NB_OK) return 0;
    const int same = same_places(&box->parts[0], &shape->parts[0]);
    nb_shape_destroy(box);
    return same;
}

static void write_part(nb_json *json, const nb_polyhedron *p) {
    nb_json_object(json, NULL);
    nb_json_array(json, "vertices_m");
    for (int32_t i = 0; i < p->vertex_count; i++) nb_write_vec3(json, NULL, p->vertices[i]);
    nb_json_end(json);
    nb_json_array(json, "faces"); /* counter-clockwise from outside */
    for (int32_t i = 0; i < p->face_count; i++) {
        nb_json_array(json, NULL);
        for (int32_t k = p->face_start[i]; k < p->face_start[i + 1]; k++) nb_json_number(json, NULL, p->face_vertex[k]);
        nb_json_end(json);
    }
    nb_json_end(json);
    nb_json_array(json, "normals");
    for (int32_t i = 0; i < p->face_count; i++) nb_write_vec3(json, NULL, p->face_normal[i]);
    nb_json_end(json);
    nb_json_end(json);
}

/* ---- solids ---- */

static void write_set(nb_json *json, const nb_convex_set *set) {
    nb_json_object(json, "set");
    nb_write_vec3(json, "centre_m", set->centre);
    nb_json_number(json, "radius_m", set->radius);
    nb_json_array(json, "cones");
    for (int32_t i = 0; i < set->cone_count; i++) nb_json_number(json, NULL, set->cone_rows[i]);
    nb_json_end(json);
    nb_json_array(json, "rows");
    for (int32_t i = 0; i < set->rows; i++) {
        nb_json_array(json, NULL);
        nb_json_number(json, NULL, set->a[i].x);
        nb_json_number(json, NULL, set->a[i].y);
        nb_json_number(json, NULL, set->a[i].z);
        nb_json_number(json, NULL, set->b[i]);
        for (int32_t k = 0; k < set->unknowns; k++) nb_json_number(json, NULL, set->e[(int64_t)i * set->unknowns + k]);
        nb_json_end(json);
    }
    nb_json_end(json);
    nb_json_end(json);
}

/* a Minkowski sum, by its terms, and its set */
static void write_solid(nb_json *json, const nb_solid *solid, const nb_convex_set *set) {
    nb_json_object(json, NULL);
    nb_write_vec3(json, "offset_m", solid->offset);
    nb_json_array(json, "sum_of");
    for (int32_t i = 0; i < solid->term_count; i++) {
        const nb_term *term = &solid->terms[i];
        nb_json_object(json, NULL);
        nb_json_text(json, "kind", nb_scene_term_kinds[term->kind]);
        nb_write_quat(json, "turn_wxyz", term->turn);
        if (term->kind != NB_TERM_POLYHEDRON) {
            nb_write_vec3(json, "half_m", term->half);
        } else {
            nb_json_array(json, "parts");
            write_part(json, &term->polyhedron);
            nb_json_end(json);
        }
        nb_json_end(json);
    }
    nb_json_end(json);
    write_set(json, set);
    nb_json_end(json);
}

/* of numbers that are finite: to the last bit, the sign of a zero too */
static int same(double a, double b) {
    return a == b && !signbit(a) == !signbit(b);
}

static int same_vectors(nb_vec3 a, nb_vec3 b) {
    return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}

static int same_rotations(nb_quat a, nb_quat b) {
    return same(a.w, b.w) && same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}

static int same_terms(const nb_solid *a, const nb_solid *b) {
    int same = a->term_count == b->term_count && same_vectors(a->offset, b->offset);
    for (int32_t i = 0; i < a->term_count && same; i++)
        same = a->terms[i].kind == b->terms[i].kind && same_vectors(a->terms[i].half, b->terms[i].half) &&
               same_rotations(a->terms[i].turn, b->terms[i].turn);
    return same;
}

static int same_sets(const nb_convex_set *a, const nb_convex_set *b) {
    const size_t rows = (size_t)a->rows;
    return a->rows == b->rows && a->unknowns == b->unknowns && same_vectors(a->centre, b->centre) &&
           a->radius == b->radius && memcmp(a->a, b->a, rows * sizeof *a->a) == 0 &&
           memcmp(a->b, b->b, rows * sizeof *a->b) == 0 &&
           memcmp(a->e, b->e, rows * (size_t)a->unknowns * sizeof *a->e) == 0;
}

/* whether it is what the maker of its kind makes of a radius and a length */
static int is_round(const nb_shape *shape, double *radius, double *length) {
    nb_shape *made;
    nb_status status;
    if (shape->kind < NB_SHAPE_CAPSULE || shape->kind > NB_SHAPE_CONE) return 0;
    const nb_solid *solid = shape->solids;
    *radius = solid->terms[0].half.x;
    *length = 2 * solid->terms[solid->term_count - 1].half.z;
    if (shape->kind == NB_SHAPE_CAPSULE)
        status = nb_shape_capsule(*radius, *length, &made);
    else if (shape->kind == NB_SHAPE_CYLINDER)
        status = nb_shape_cylinder(*radius, *length, &made);
    else
        status = nb_shape_cone(*radius, *length, &made);
    if (status != NB_OK) return 0;
    const int same = same_terms(solid, made->solids) && same_sets(shape->sets, made->sets);
    nb_shape_destroy(made);
    return same;
}

static void write_solids(nb_json *json, const nb_shape *shape) {
    double radius, length;
    if (is_round(shape, &radius, &length)) {
        nb_json_number(json, "radius_m", radius);
        nb_json_number(json, shape->kind == NB_SHAPE_CONE ? "height_m" : "length_m", length);
        return;
    }
    nb_json_array(json, "solids");
    for (int32_t i = 0; i < shape->solid_count; i++) write_solid(json, &shape->solids[i], &shape->sets[i]);
    nb_json_end(json);
}

/* ---- all ---- */

/* One element of the array "shapes". Boxes, capsules, cylinders and cones by their measures where their makers make
 * them to the last bit; other solids with their sets. */
static void nb_export_shape(nb_json *json, const nb_shape *shape) {
    nb_vec3 half;
    int box = is_box(shape, &half);
    nb_begin_line(json);
    nb_json_text(json, "kind", box ? "box" : nb_shape_kind_name(shape->kind));
    if (box) {
        nb_write_vec3(json, "half_sizes_m", half);
    } else if (shape->kind == NB_SHAPE_SPHERE) {
        nb_json_number(json, "radius_m", shape->radius);
    } else if (shape->kind == NB_SHAPE_ELLIPSOID) {
        nb_write_vec3(json, "half_axes_m", shape->half);
    } else if (shape->kind == NB_SHAPE_COMPOUND) {
        nb_json_array(json, "parts");
        for (int32_t i = 0; i < shape->part_count; i++) write_part(json, &shape->parts[i]);
        nb_json_end(json);
    } else if (shape->solid_count > 0) {
        write_solids(json, shape);
    }
    nb_end_line(json);
}

static const char about[] =
    "SI units, z up. A body's frame has its origin at the center of mass and its axes along the principal axes of "
    "inertia; shapes lie in it, a half-space below its plane z = 0. A solid is the Minkowski sum of its terms, each "
    "with its axis along z before it is turned, a cone from -half z/2 to its tip at 3 half z/2. Quaternions w x y z "
    "turn it into the world's. Velocities are in the world's frame; a contact takes the geometric mean of its bodies' "
    "friction, unless pairs have it. A tetrahedron's gradients are those of its shape functions at rest, F = sum of x "
    "(x) gradient; its "
    "activation is the strain that it wants to have, xx yy zz, twice yz xz xy. Triangles are faces of sheets, which "
    "touch from both sides. A cavity's triangles are three particles each, counter-clockwise seen from outside, one "
    "after the other.";

/* ---- bodies ---- */

static void write_cavity(nb_json *json, const nb_filled_cavity *of) {
    nb_begin_line(json);
    nb_write_members(json, &nb_scene_cavity_members, &of->law);
    nb_json_array(json, "triangles");
    for (int32_t i = 0; i < 3 * of->surface.triangle_count; i++) nb_json_number(json, NULL, of->surface.triangles[i]);
    nb_json_end(json);
    nb_end_line(json);
}

/* nothing where there are no particles */
static void write_soft(nb_json *json, const nb_world *w) {
    if (w->particle_count == 0) return;
    nb_write_lines(json, "particles", &nb_scene_particle_members, w->particle_count, w->particles,
                   sizeof *w->particles);
    nb_write_lines(json, "materials", &nb_scene_material_members, w->material_count, w->materials,
                   sizeof *w->materials);
    nb_write_lines(json, "tetrahedra", &nb_scene_tetrahedron_members, w->tetrahedron_count, w->tetrahedra,
                   sizeof *w->tetrahedra);
    nb_write_lines(json, "triangles", &nb_scene_triangle_members, w->triangle_count, w->triangles,
                   sizeof *w->triangles);
    nb_write_lines(json, "springs", &nb_scene_spring_members, w->spring_count, w->springs, sizeof *w->springs);
    if (w->cavity_count == 0) return;
    nb_json_array(json, "cavities");
    for (int32_t i = 0; i < w->cavity_count; i++) write_cavity(json, &w->cavities[i]);
    nb_json_end(json);
}

/* whether the angle is not the one that a file without it begins with */
static int is_turned(const nb_world *w, int32_t i) {
    const double angle = nb_coordinate_of_joint(w, i);
    nb_joint *joint = &w->joints[i];
    const nb_joint kept = *joint;
    joint->counted = 0;
    const double standard = nb_coordinate_of_joint(w, i);
    *joint = kept;
    return fabs(angle - standard) > 1;
}

/* What joints and motors have names by the axis for, where they have it. */
static void write_joint(nb_json *json, const nb_world *w, int32_t i) {
    const nb_joint *joint = &w->joints[i];
    nb_coordinate c;
    nb_begin_line(json);
    nb_write_members(json, &nb_scene_joint_members, joint);
    if (nb_coordinate_of(w, i, &c)) {
        if (joint->limited) nb_write_numbers(json, "limits", 2, joint->limits);
        if (is_turned(w, i)) nb_json_number(json, "turned_rad", nb_coordinate_of_joint(w, i));
        if (joint->friction > 0) nb_json_number(json, c.along ? "friction_N" : "friction_N_m", joint->friction);
        if (joint->armature > 0) nb_json_number(json, c.along ? "armature_kg" : "armature_kg_m2", joint->armature);
    }
    nb_end_line(json);
}

static void write_motor(nb_json *json, const nb_motor *motor) {
    nb_begin_line(json);
    nb_write_members(json, &nb_scene_motor_members, motor);
    if (motor->effort > 0) nb_json_number(json, motor->along ? "effort_N" : "effort_N_m", motor->effort);
    nb_end_line(json);
}

static void write_coupling(nb_json *json, const nb_coupling *coupling) {
    nb_begin_line(json);
    nb_json_array(json, "joints");
    for (int32_t k = 0; k < coupling->count; k++) nb_json_number(json, NULL, coupling->joint[k]);
    nb_json_end(json);
    nb_write_numbers(json, "factors", coupling->count, coupling->factor);
    nb_write_members(json, &nb_scene_coupling_members, coupling);
    nb_end_line(json);
}

static void write_bodies(nb_json *json, const nb_world *w) {
    nb_json_array(json, "shapes");
    for (int32_t i = 0; i < w->shape_count; i++) nb_export_shape(json, w->shapes[i]);
    nb_json_end(json);
    nb_write_lines(json, "bodies", &nb_scene_body_members, w->body_count, w->bodies, sizeof *w->bodies);
    nb_json_array(json, "joints");
    for (int32_t i = 0; i < w->joint_count; i++) write_joint(json, w, i);
    nb_json_end(json);
    if (w->motor_count > 0) {
        nb_json_array(json, "motors");
        for (int32_t i = 0; i < w->motor_count; i++) write_motor(json, &w->motors[i]);
        nb_json_end(json);
    }
    if (w->coupling_count > 0) {
        nb_json_array(json, "couplings");
        for (int32_t i = 0; i < w->coupling_count; i++) write_coupling(json, &w->couplings[i]);
        nb_json_end(json);
    }
    if (w->pair_count > 0)
        nb_write_lines(json, "pairs", &nb_scene_pair_members, w->pair_count, w->pairs, sizeof *w->pairs);
}

/* ---- settings ---- */

/* those that are no members of the scene itself */
static void write_settings(nb_json *json, const nb_scene_settings *settings) {
    const nb_scene_setting *setting;
    char text[64];
    nb_json_object(json, "settings");
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) {
        const double value = nb_scene_setting_value(setting, settings);
        if (nb_scene_member_of_setting(setting->option.name)) continue;
        nb_scene_setting_text(setting, settings, 17, text, sizeof text);
        if (setting->kind == NB_SCENE_CHOICE || !isfinite(value))
            nb_json_text(json, setting->option.name, text);
        else
            nb_json_number(json, setting->option.name, value);
    }
    nb_json_end(json);
}

/* what a run of the file takes unless told otherwise */
static void write_run(nb_json *json, const nb_request *request, int32_t steps) {
    const nb_run_info *info = &request->info;
    const nb_scene_run_values values = {info->method, steps, info->newton_iterations, info->linear_iterations,
                                        info->warm_start == NB_START_PREVIOUS};
    nb_json_object(json, "run");
    nb_write_members(json, &nb_scene_run_members, &values);
    if (request->method_option_count > 0) {
        nb_json_object(json, "options");
        for (int i = 0; i < request->method_option_count; i++)
            nb_json_text(json, request->method_options[i].name, request->method_options[i].value);
        nb_json_end(json);
    }
    nb_json_end(json);
}

/* ---- the file ---- */

/* what a scene file is made of */
typedef struct exported {
    const nb_request *request;
    double time;   /* where it does [s] */
    int32_t steps; /* of a run */
    const char *command;
    const nb_world *world;
    const nb_tracks *tracks; /* NULL: none */
} exported;

static void write_scene(nb_json *json, const exported *e) {
    const nb_world *world = e->world;
    const nb_scenario_class *scenario = e->request->choices.scenario;
    const nb_scene_settings *settings = &world->settings;
    const nb_scene_head head = {e->time,
                                e->request->info.time_step,
                                world->gravity,
                                world->planar,
                                settings->contact_margin,
                                settings->contact_compliance,
                                settings->contact_thickness};
    nb_json_object(json, NULL);
    nb_json_text(json, "about", about);
    nb_json_text(json, "ncpbench_version", nb_version());
    nb_json_text(json, "command", e->command);
    nb_json_text(json, "scenario", scenario->file ? nb_scene_file_text(scenario, "scenario") : scenario->name);
    nb_write_members(json, &nb_scene_members, &head);
    write_settings(json, settings);
    write_run(json, e->request, e->steps);
    write_bodies(json, world);
    write_soft(json, world);
    nb_export_motion(json, e->tracks);
    nb_json_end(json);
}

static nb_status write_file(const void *context, FILE *file) {
    nb_json json = {.stream = file, .indent = 1};
    write_scene(&json, context);
    return NB_OK;
}

static nb_vec3 vector(const double *x) {
    return nb_vec3_of(x[0], x[1], x[2]);
}

/* Where the step starts. Of kinematic bodies and particles the snapshot has the velocities of the step itself. */
static void take_state(const nb_snapshot *state, nb_world *world) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const double *q = state->q_before + 7 * (int64_t)i, *u = state->u_before + 6 * (int64_t)i;
        nb_body *body = &world->bodies[i];
        body->position = vector(q);
        body->orientation = nb_quat_of(q[3], q[4], q[5], q[6]);
        if (body->kind == NB_BODY_KINEMATIC) continue;
        body->linear_velocity = vector(u);
        body->angular_velocity = vector(u + 3);
    }
    for (int32_t j = 0; state->joints == world->joint_count && j < state->joints; j++) {
        world->joints[j].turned = state->joint_coordinate[j]; /* at the step's end: less than half a turn on */
        world->joints[j].counted = 1;
    }
    for (int32_t i = 0; i < world->particle_count; i++) {
        nb_particle *particle = &world->particles[i];
        particle->position = vector(state->particle_x_before + 3 * (int64_t)i);
        if (particle->kind != NB_BODY_KINEMATIC) particle->velocity = vector(state->particle_v_before + 3 * (int64_t)i);
    }
}

/* The scene where the file starts; what is prescribed is replayed up to there. */
static nb_status build(nb_scene_run *scene, const nb_snapshot *state, int32_t step) {
    nb_status status;
    const nb_run_info *info = &scene->request->info;
    NB_TRY(nb_scene_run_build(scene));
    NB_TRY(nb_start_state_take(scene->request->start, scene->world));
    if (info->settle + step == 0) return NB_OK;
    nb_tracks_replay(scene->world, info->settle + step, info->time_step);
    take_state(state, scene->world);
out:
    return status;
}

nb_status nb_export_scene(const char *path, const nb_request *request, const nb_snapshot *state, double time,
                          int32_t step, int32_t steps, const char *command) {
    nb_status status;
    nb_scene_run scene = {.request = request}, played = {.request = request};
    exported e = {request, time, steps, command, NULL, NULL};
    NB_TRY(build(&scene, state, step));
    if (isnan(time)) e.time = scene.world->time;
    e.world = scene.world;
    e.tracks = scene.world->tracks;
    if (scene.world->prescribe && !scene.world->tracks) {
        NB_TRY(build(&played, state, step));
        NB_TRY(nb_tracks_sample(played.world, steps, request->info.time_step));
        e.tracks = played.world->tracks;
    }
    NB_TRY(nb_partial_write(path, write_file, &e));
out:
    nb_scene_run_clear(&scene);
    nb_scene_run_clear(&played);
    return status;
}
