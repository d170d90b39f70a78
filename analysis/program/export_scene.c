#include "export_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "export_motion.h"
#include "export_shapes.h"
#include "export_values.h"
#include "file/scene_file.h"
#include "record/partial.h"
#include "record/provenance.h"
#include "run/scene_run.h"
#include "run/start_state.h"

NB_PRECISIONS(f64);

static const char about[] =
    "SI units, z up. A body's frame has its origin at the center of mass and its axes along the principal axes of "
    "inertia; shapes lie in it, a half-space below its plane z = 0. A solid is the Minkowski sum of its terms, each "
    "with its axis "
    "along z before it is turned, a cone from -half z/2 to its tip at 3 half z/2. Quaternions w x y z turn it into the "
    "world's. "
    "Velocities are in the world's frame; a contact takes the geometric mean of its bodies' friction. A tetrahedron's "
    "gradients are those of its shape "
    "functions at rest, F = sum of x (x) gradient; its activation is the strain that it wants to have, xx yy zz, twice "
    "yz xz xy. Triangles are faces of sheets, which touch from both sides. A cavity's triangles are three particles "
    "each, "
    "counter-clockwise seen from outside, one after the other.";

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

static void write_bodies(nb_json *json, const nb_world *w) {
    nb_json_array(json, "shapes");
    for (int32_t i = 0; i < w->shape_count; i++) nb_export_shape(json, w->shapes[i]);
    nb_json_end(json);
    nb_write_lines(json, "bodies", &nb_scene_body_members, w->body_count, w->bodies, sizeof *w->bodies);
    nb_write_lines(json, "joints", &nb_scene_joint_members, w->joint_count, w->joints, sizeof *w->joints);
    if (w->motor_count == 0) return;
    nb_write_lines(json, "motors", &nb_scene_motor_members, w->motor_count, w->motors, sizeof *w->motors);
}

/* ---- settings ---- */

/* those that are no members of the scene itself */
static void write_settings(nb_json *json, const nb_scene_settings *settings) {
    const nb_scene_setting *setting;
    char text[64];
    nb_json_object(json, "settings");
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) {
        const double value = nb_scene_setting_value(setting, settings);
        if (strncmp(setting->option.name, "contact-", 8) == 0) continue;
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

static const char *scenario_of(const nb_request *request) {
    const nb_scenario_class *scenario = request->choices.scenario;
    return scenario->file ? nb_scene_file_text(scenario, "scenario") : scenario->name;
}

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
    nb_json_text(json, "scenario", scenario_of(e->request));
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
