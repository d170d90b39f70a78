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

/* ---- bodies and joints ---- */

static void write_body(nb_json *json, const nb_body *body) {
    nb_begin_line(json);
    nb_json_text(json, "kind", nb_scene_body_kinds[body->kind]);
    nb_json_number(json, "shape", body->shape);
    nb_json_number(json, "mass_kg", body->mass);
    nb_write_vec3(json, "inertia_kg_m2", body->inertia);
    nb_write_vec3(json, "position_m", body->position);
    nb_write_quat(json, "orientation_wxyz", body->orientation);
    nb_write_vec3(json, "velocity_m_s", body->linear_velocity);
    nb_write_vec3(json, "angular_velocity_rad_s", body->angular_velocity);
    nb_write_vec3(json, "force_N", body->force);
    nb_write_vec3(json, "torque_N_m", body->torque);
    nb_json_number(json, "friction", body->friction);
    nb_end_line(json);
}

static void write_joint(nb_json *json, const nb_joint *joint) {
    nb_begin_line(json);
    nb_json_text(json, "kind", nb_scene_joint_kinds[joint->kind]);
    nb_write_numbers(json, "bodies", 2, (const double[2]){joint->body_a, joint->body_b}); /* -1: the world */
    nb_json_array(json, "anchors_m");
    nb_write_vec3(json, NULL, joint->anchor_a);
    nb_write_vec3(json, NULL, joint->anchor_b);
    nb_json_end(json);
    nb_json_array(json, "frames_wxyz");
    nb_write_quat(json, NULL, joint->frame_a);
    nb_write_quat(json, NULL, joint->frame_b);
    nb_json_end(json);
    nb_write_numbers(json, "compliance", 6, joint->compliance);
    nb_json_number(json, "length_m", joint->length);
    nb_end_line(json);
}

static void write_motor(nb_json *json, const nb_motor *motor) {
    nb_begin_line(json);
    nb_json_number(json, "joint", motor->joint);
    nb_json_text(json, "axis", nb_scene_motor_axes[motor->along]);
    if (isfinite(motor->stiffness)) nb_json_number(json, "stiffness", motor->stiffness); /* else it does not give way */
    nb_json_number(json, "damping", motor->damping);
    nb_json_number(json, "target", motor->target);
    nb_json_number(json, "rate", motor->rate);
    nb_write_vec3(json, "anchor_m", motor->anchor);
    nb_write_quat(json, "frame_wxyz", motor->frame);
    nb_end_line(json);
}

/* ---- deformable bodies ---- */

static void write_particle(nb_json *json, const nb_particle *particle) {
    nb_begin_line(json);
    nb_json_text(json, "kind", nb_scene_body_kinds[particle->kind]);
    nb_json_number(json, "mass_kg", particle->mass);
    nb_write_vec3(json, "position_m", particle->position);
    nb_write_vec3(json, "velocity_m_s", particle->velocity);
    nb_write_vec3(json, "force_N", particle->force);
    nb_json_number(json, "friction", particle->friction);
    nb_json_number(json, "radius_m", particle->radius);
    nb_write_vec3(json, "rest_m", particle->rest);
    nb_end_line(json);
}

static void write_material(nb_json *json, const nb_material *material) {
    nb_begin_line(json);
    nb_json_text(json, "kind", nb_material_names[material->kind]);
    nb_json_number(json, "young_Pa", material->young);
    nb_json_number(json, "poisson", material->poisson);
    nb_json_number(json, "density_kg_m3", material->density);
    nb_end_line(json);
}

static void write_tetrahedron(nb_json *json, const nb_tetrahedron *of) {
    nb_begin_line(json);
    nb_json_array(json, "particles");
    for (int k = 0; k < 4; k++) nb_json_number(json, NULL, of->particle[k]);
    nb_json_end(json);
    nb_json_number(json, "material", of->material);
    nb_json_number(json, "volume_m3", of->rest.volume);
    nb_json_number(json, "length_m", of->rest.length);
    nb_json_array(json, "gradients_1_m");
    for (int k = 0; k < 4; k++) nb_write_vec3(json, NULL, of->rest.gradient[k]);
    nb_json_end(json);
    nb_write_numbers(json, "activation", 6, of->activation);
    nb_end_line(json);
}

static void write_spring(nb_json *json, const nb_spring *spring) {
    nb_begin_line(json);
    nb_write_numbers(json, "particles", 2, (const double[2]){spring->particle[0], spring->particle[1]});
    nb_json_number(json, "length_m", spring->length);
    if (isfinite(spring->stiffness)) nb_json_number(json, "stiffness_N_m", spring->stiffness); /* else a rod */
    nb_end_line(json);
}

static void write_triangle(nb_json *json, const nb_triangle *of) {
    nb_begin_line(json);
    nb_write_numbers(json, "particles", 3, (const double[3]){of->particle[0], of->particle[1], of->particle[2]});
    nb_end_line(json);
}

static void write_cavity(nb_json *json, const nb_filled_cavity *of) {
    nb_begin_line(json);
    nb_json_text(json, "volume_law", nb_volume_model_names[of->law.model]);
    nb_json_number(json, "modulus_Pa", of->law.modulus);
    nb_json_number(json, "volume_without_pressure_m3", of->law.rest);
    nb_json_array(json, "triangles");
    for (int32_t i = 0; i < 3 * of->surface.triangle_count; i++) nb_json_number(json, NULL, of->surface.triangles[i]);
    nb_json_end(json);
    nb_end_line(json);
}

/* nothing where there are no particles */
static void write_soft(nb_json *json, const nb_world *world) {
    if (world->particle_count == 0) return;
    nb_json_array(json, "particles");
    for (int32_t i = 0; i < world->particle_count; i++) write_particle(json, &world->particles[i]);
    nb_json_end(json);
    nb_json_array(json, "materials");
    for (int32_t i = 0; i < world->material_count; i++) write_material(json, &world->materials[i]);
    nb_json_end(json);
    nb_json_array(json, "tetrahedra");
    for (int32_t i = 0; i < world->tetrahedron_count; i++) write_tetrahedron(json, &world->tetrahedra[i]);
    nb_json_end(json);
    nb_json_array(json, "triangles");
    for (int32_t i = 0; i < world->triangle_count; i++) write_triangle(json, &world->triangles[i]);
    nb_json_end(json);
    nb_json_array(json, "springs");
    for (int32_t i = 0; i < world->spring_count; i++) write_spring(json, &world->springs[i]);
    nb_json_end(json);
    if (world->cavity_count == 0) return;
    nb_json_array(json, "cavities");
    for (int32_t i = 0; i < world->cavity_count; i++) write_cavity(json, &world->cavities[i]);
    nb_json_end(json);
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
    nb_json_object(json, "run");
    nb_json_text(json, "method", info->method);
    nb_json_number(json, "steps", steps);
    nb_json_number(json, "newton_iterations", info->newton_iterations);
    nb_json_number(json, "linear_iterations", info->linear_iterations);
    nb_json_number(json, "warm_start", info->warm_start == NB_START_PREVIOUS);
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

static void write_bodies(nb_json *json, const nb_world *world) {
    nb_json_array(json, "shapes");
    for (int32_t i = 0; i < world->shape_count; i++) nb_export_shape(json, world->shapes[i]);
    nb_json_end(json);
    nb_json_array(json, "bodies");
    for (int32_t i = 0; i < world->body_count; i++) write_body(json, &world->bodies[i]);
    nb_json_end(json);
    nb_json_array(json, "joints");
    for (int32_t i = 0; i < world->joint_count; i++) write_joint(json, &world->joints[i]);
    nb_json_end(json);
    if (world->motor_count == 0) return;
    nb_json_array(json, "motors");
    for (int32_t i = 0; i < world->motor_count; i++) write_motor(json, &world->motors[i]);
    nb_json_end(json);
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
    nb_json_object(json, NULL);
    nb_json_text(json, "about", about);
    nb_json_text(json, "ncpbench_version", nb_version());
    nb_json_text(json, "command", e->command);
    nb_json_text(json, "scenario", scenario_of(e->request));
    nb_json_number(json, "time_s", e->time);
    nb_json_number(json, "time_step_s", e->request->info.time_step);
    nb_write_vec3(json, "gravity_m_s2", world->gravity);
    nb_json_number(json, "planar", world->planar); /* bodies with mass move in y = 0 alone */
    nb_json_number(json, "contact_margin_m", world->settings.contact_margin);
    nb_json_number(json, "contact_compliance_m_N", world->settings.contact_compliance);
    nb_json_number(json, "contact_thickness_m", world->settings.contact_thickness);
    write_settings(json, &world->settings);
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
