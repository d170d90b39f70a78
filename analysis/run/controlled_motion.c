#include "run/controlled_motion.h"

#include <math.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "model/drive.h"
#include "run/scene_run.h"
#include "run/settle.h"
#include "run/step_chain.h"
#include "step_gradient.h"

NB_PRECISIONS(f64);

enum {
    STATE = NB_INPUT_FORCE /* numbers of a body's state */
};

/* ---- controls ---- */

static int is_place(const nb_control *control) {
    return control->input < NB_INPUT_POSITION + 3;
}

/* the component that the control is: of the place of a hand, or of a force or torque */
static double *component(nb_body *body, const nb_control *control) {
    double *const place[] = {&body->position.x, &body->position.y, &body->position.z};
    double *const force[] = {&body->force.x,  &body->force.y,  &body->force.z,
                             &body->torque.x, &body->torque.y, &body->torque.z};
    return is_place(control) ? place[control->input] : force[control->input - NB_INPUT_FORCE];
}

static double *velocity_component(nb_body *body, int input) {
    double *const all[] = {&body->linear_velocity.x, &body->linear_velocity.y, &body->linear_velocity.z};
    return all[input];
}

/* what the control is in the world as it stands; a place: at the end of the step that is begun */
static double present(nb_world *world, const nb_control *control, double h) {
    nb_body *body = &world->bodies[control->body];
    double value = *component(body, control);
    return is_place(control) ? value + h * *velocity_component(body, control->input) : value;
}

static void set(nb_world *world, const nb_control *control, double h, double value) {
    nb_body *body = &world->bodies[control->body];
    double *number = component(body, control);
    if (is_place(control))
        *velocity_component(body, control->input) = (value - *number) / h;
    else
        *number = value;
}

/* The knot at or after the end of step `step`, and how far the way to it from the knot before has been gone. */
static int32_t find_knot(const nb_controlled_motion *m, int32_t step, double *share) {
    int32_t k = 0;
    while (m->knot_step[k] < step + 1) k++;
    const int32_t from = k > 0 ? m->knot_step[k - 1] : 0;
    *share = (double)(step + 1 - from) / (m->knot_step[k] - from);
    return k;
}

static void set_controls(const nb_controlled_motion *m, nb_world *world, const double *knots, int32_t step) {
    const int controls = m->task.control_count;
    double share;
    const int32_t k = find_knot(m, step, &share);
    const double *to = knots + (ptrdiff_t)controls * k, *from = k > 0 ? to - controls : m->start;
    for (int c = 0; c < controls; c++)
        set(world, &m->task.controls[c], m->request->info.time_step, from[c] + share * (to[c] - from[c]));
}

/* ---- the scene ---- */

static nb_status open_scene(const nb_controlled_motion *m, nb_scene_run *scene) {
    nb_status status;
    *scene = (nb_scene_run){.request = m->request};
    NB_TRY(nb_scene_run_build(scene));
    NB_TRY(nb_scene_run_refuse_stages(scene, "an optimized motion"));
    NB_TRY(nb_scene_run_settle_all(scene));
out:
    return status;
}

static void write_state(const nb_world *world, int32_t step, const nb_trajectory *trajectory) {
    double *q = trajectory->q + (ptrdiff_t)7 * world->body_count * step;
    double *u = trajectory->u + (ptrdiff_t)6 * world->body_count * step;
    trajectory->time[step] = world->time;
    for (int32_t i = 0; i < world->body_count; i++, q += 7, u += 6) {
        const nb_body *b = &world->bodies[i];
        const double place[7] = {b->position.x,    b->position.y,    b->position.z,   b->orientation.w,
                                 b->orientation.x, b->orientation.y, b->orientation.z};
        const double faster[6] = {b->linear_velocity.x,  b->linear_velocity.y,  b->linear_velocity.z,
                                  b->angular_velocity.x, b->angular_velocity.y, b->angular_velocity.z};
        memcpy(q, place, sizeof place);
        memcpy(u, faster, sizeof faster);
    }
}

/* From the start of the step by the velocities of the smoothed one. */
static void go_smoothed(const nb_controlled_motion *m, nb_world *world, const nb_step_gradient *g) {
    for (int32_t i = 0; i < m->bodies; i++) {
        nb_body *body = &world->bodies[i];
        const nb_body *before = &m->before[i];
        const double *u = g->u + 6 * (ptrdiff_t)i;
        if (body->kind != NB_BODY_DYNAMIC) continue;
        body->linear_velocity = nb_vec3_of(u[0], u[1], u[2]);
        body->angular_velocity = nb_vec3_of(u[3], u[4], u[5]);
        body->position = nb_add_scaled(before->position, g->h, body->linear_velocity);
        body->orientation = nb_quat_advance(before->orientation, g->h, body->angular_velocity);
    }
}

/* ---- derivatives ---- */

/* Column n, of knot n/controls, over step `step`: it acts from the knot before to the one after. */
static nb_status advance_column(nb_controlled_motion *m, const nb_world *world, nb_step_gradient *g, int32_t step,
                                int32_t n) {
    const nb_control *control = &m->task.controls[n % m->task.control_count];
    const int32_t knot = n / m->task.control_count;
    const int64_t own = (int64_t)STATE * m->bodies;
    double share, weight = 0;
    const int32_t next = find_knot(m, step, &share);
    if (next < knot) return NB_OK; /* nothing yet */
    if (next == knot) weight = share;
    if (next == knot + 1) weight = 1 - share;
    const double *column = m->columns + own * n;
    memset(m->inputs, 0, NB_INPUTS * (size_t)m->bodies * sizeof *m->inputs);
    for (int32_t i = 0; i < m->bodies; i++)
        memcpy(m->inputs + NB_INPUTS * (ptrdiff_t)i, column + STATE * (ptrdiff_t)i, STATE * sizeof *column);
    m->inputs[NB_INPUTS * (ptrdiff_t)control->body + control->input] = weight;
    return nb_step_chain_forward(g, world, m->inputs, m->du, m->columns + own * n);
}

static nb_status advance(nb_controlled_motion *m, nb_scene_run *scene, double rho, int derivatives, int32_t step) {
    nb_status status;
    double row[NB_STEP_COLUMNS];
    memcpy(m->before, scene->world->bodies, (size_t)m->bodies * sizeof *m->before);
    NB_TRY(nb_scene_run_advance(scene, NULL, m->request->info.warm_start, NULL, row));
    nb_step_gradient *g = rho > 0 ? scene->type->take_gradient(scene->stepper) : NULL;
    if (g) go_smoothed(m, scene->world, g);
    for (int32_t n = 0; g && derivatives && n < m->unknowns && status == NB_OK; n++)
        status = advance_column(m, scene->world, g, step, n);
    nb_step_gradient_destroy(g);
out:
    return status;
}

nb_status nb_controlled_motion_move(nb_controlled_motion *m, const double *knots, double rho, int derivatives,
                                    const nb_trajectory *trajectory) {
    nb_status status;
    nb_scene_run scene = {0};
    NB_TRY(open_scene(m, &scene));
    scene.world->prescribe = NULL; /* hands go as the knots say */
    if (rho > 0) NB_TRY(scene.type->differentiate(scene.stepper, rho));
    memset(m->columns, 0, (size_t)m->unknowns * STATE * (size_t)m->bodies * sizeof *m->columns);
    write_state(scene.world, 0, trajectory);
    for (int32_t k = 0; k < m->steps; k++) {
        NB_TRY(nb_interrupt_check());
        set_controls(m, scene.world, knots, k);
        NB_TRY(advance(m, &scene, rho, derivatives, k));
        write_state(scene.world, k + 1, trajectory);
    }
out:
    nb_scene_run_clear(&scene);
    return status;
}

/* ---- setting up ---- */

static nb_status check_task(const nb_controlled_motion *m, const nb_world *world) {
    nb_status status = nb_world_refuse_particles(world, "an optimized motion");
    if (status != NB_OK) return status;
    for (int c = 0; c < m->task.control_count; c++) {
        const nb_control *control = &m->task.controls[c];
        const nb_body *body = &world->bodies[control->body];
        const int hand = body->kind == NB_BODY_KINEMATIC && body->shape < 0;
        if (!(is_place(control) ? hand : body->kind == NB_BODY_DYNAMIC))
            return nb_fail(NB_ERROR_INPUT, "control %d: body %d cannot be controlled by input %d", c,
                           (int)control->body, control->input);
    }
    return NB_OK;
}

/* what the scenario's own plan comes to at the knots */
static void read_plan(nb_controlled_motion *m, nb_world *world) {
    const int controls = m->task.control_count;
    const double h = m->request->info.time_step;
    for (int c = 0; c < controls; c++)
        m->start[c] = *component(&world->bodies[m->task.controls[c].body], &m->task.controls[c]);
    for (int32_t step = 0, k = 0; step < m->steps; step++) {
        nb_world_begin_step(world, h);
        if (m->knot_step[k] == step + 1) {
            for (int c = 0; c < controls; c++)
                m->plan[controls * (ptrdiff_t)k + c] = present(world, &m->task.controls[c], h);
            k++;
        }
        for (int32_t i = 0; i < world->body_count; i++)
            if (world->bodies[i].kind == NB_BODY_KINEMATIC)
                world->bodies[i].position =
                    nb_add_scaled(world->bodies[i].position, h, world->bodies[i].linear_velocity);
        world->time += h;
    }
}

static nb_status make_room(nb_controlled_motion *m) {
    nb_status status;
    const int64_t bodies = m->bodies, columns = (int64_t)m->unknowns * STATE * bodies;
    NB_TRY(NB_ALLOCATE(m->knots, &m->knot_step));
    NB_TRY(NB_ALLOCATE(m->task.control_count, &m->start));
    NB_TRY(NB_ALLOCATE(m->unknowns, &m->plan));
    NB_TRY(NB_ALLOCATE(columns, &m->columns));
    NB_TRY(NB_ALLOCATE(NB_INPUTS * bodies, &m->inputs));
    NB_TRY(NB_ALLOCATE(6 * bodies, &m->du));
    NB_TRY(NB_ALLOCATE(bodies, &m->before));
out:
    return status;
}

nb_status nb_controlled_motion_open(nb_controlled_motion *m, int32_t knots) {
    nb_status status;
    nb_scene_run scene = {0};
    const nb_scenario_class *scenario = m->request->choices.scenario;
    m->steps = m->request->info.steps;
    if (!scenario->set_task)
        return nb_fail(NB_ERROR_USAGE, "scenario '%s' has no controls to optimize and no goal; use grasp",
                       scenario->name);
    if (knots > m->steps)
        return nb_fail(NB_ERROR_USAGE, "--knots %d: the motion has %d steps", (int)knots, (int)m->steps);
    scenario->set_task(m->request->choices.parameters, &m->task);
    NB_TRY(open_scene(m, &scene));
    m->bodies = scene.world->body_count;
    m->knots = knots;
    m->unknowns = knots * m->task.control_count;
    NB_TRY(check_task(m, scene.world));
    NB_TRY(scene.type->differentiate(scene.stepper, 0)); /* whether it can, before anything is run */
    NB_TRY(make_room(m));
    for (int32_t k = 0; k < knots; k++) m->knot_step[k] = (int32_t)((int64_t)m->steps * (k + 1) / knots);
    read_plan(m, scene.world);
out:
    nb_scene_run_clear(&scene);
    return status;
}

void nb_controlled_motion_close(nb_controlled_motion *m) {
    nb_free(m->knot_step);
    nb_free(m->start);
    nb_free(m->plan);
    nb_free(m->columns);
    nb_free(m->inputs);
    nb_free(m->du);
    nb_free(m->before);
    *m = (nb_controlled_motion){0};
}
