#include "run/optimize.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "model/drive.h"
#include "run/gradient.h"
#include "run/least_squares.h"
#include "run/scene_run.h"
#include "step_gradient.h"

NB_PRECISIONS(f64);

typedef struct optimizer {
    nb_controlled_motion motion;
    const nb_optimize_request *what;
    nb_optimization *out;
    double rho;
    nb_trajectory trajectory, exact; /* of the last evaluation, and not smoothed: arrays of `out` */
    int32_t goal_rows;
    double *x, *residual; /* [unknowns], [rows] of the motion that is not smoothed */
} optimizer;

nb_optimize_request nb_optimize_standard(void) {
    return (nb_optimize_request){
        .smoothing_count = 3, .smoothing = {3e-3, 3e-4, 3e-5}, .knots = 10, .iterations = 50, .tolerance = 1e-4};
}

/* ---- goals ---- */

static nb_vec3 take(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

/* the turn from the goal to the orientation q, as a vector in the world's axes */
static nb_vec3 turn_from(nb_quat goal, const double *q) {
    nb_quat d = nb_quat_product((nb_quat){q[0], q[1], q[2], q[3]}, nb_quat_conjugate(goal));
    nb_vec3 v = nb_scale(d.w < 0 ? -1 : 1, nb_vec3_of(d.x, d.y, d.z));
    double length = nb_norm(v), angle = 2 * atan2(length, fabs(d.w));
    return nb_scale(length > 1e-9 ? angle / length : 2, v);
}

/* how `turn` changes where its end turns by the small vector d: the inverse of the left Jacobian of SO(3) */
static nb_vec3 change_of_turn(nb_vec3 turn, nb_vec3 d) {
    double angle = nb_norm(turn);
    double second = angle > 1e-3 ? 1 / (angle * angle) - (1 + cos(angle)) / (2 * angle * sin(angle)) : 1.0 / 12;
    nb_vec3 once = nb_cross(turn, d);
    return nb_add_scaled(nb_add_scaled(d, -0.5, once), second, nb_cross(turn, once));
}

/* what a goal is made of: part 0 place, 1 turn, 2 velocity, 3 angular velocity */
static double unit_of(const nb_goal *goal, int part) {
    const double units[4] = {goal->place_unit, goal->turn_unit, goal->velocity_unit, goal->spin_unit};
    return units[part];
}

static nb_vec3 error_of(const nb_goal *goal, int part, const double *q, const double *u) {
    switch (part) {
    case 0: return nb_sub(take(q), goal->position);
    case 1: return turn_from(goal->orientation, q + 3);
    case 2: return nb_sub(take(u), goal->velocity);
    default: return take(u + 3);
    }
}

static int32_t count_goal_rows(const nb_task *task) {
    int32_t rows = 0;
    for (int i = 0; i < task->goal_count; i++)
        for (int part = 0; part < 4; part++) rows += unit_of(&task->goals[i], part) > 0 ? 3 : 0;
    return rows;
}

static void put(nb_vec3 v, double unit, double *to, ptrdiff_t apart) {
    to[0] = v.x / unit;
    to[apart] = v.y / unit;
    to[2 * apart] = v.z / unit;
}

/* The rows of the goals: residual, and the jacobian where it is not NULL. */
static void fill_goals(const optimizer *o, const nb_trajectory *trajectory, double *residual, double *jacobian) {
    const nb_controlled_motion *m = &o->motion;
    const int32_t n = m->unknowns;
    int32_t row = 0;
    for (int i = 0; i < m->task.goal_count; i++) {
        const nb_goal *goal = &m->task.goals[i];
        const double *q = nb_trajectory_q(m, trajectory, m->steps) + 7 * (ptrdiff_t)goal->body;
        const double *u = nb_trajectory_u(m, trajectory, m->steps) + 6 * (ptrdiff_t)goal->body;
        for (int part = 0; part < 4; part++) {
            const double unit = unit_of(goal, part);
            if (!(unit > 0)) continue;
            nb_vec3 error = error_of(goal, part, q, u);
            put(error, unit, residual + row, 1);
            for (int32_t k = 0; jacobian && k < n; k++) {
                nb_vec3 change =
                    take(m->columns + NB_INPUT_FORCE * ((ptrdiff_t)m->bodies * k + goal->body) + 3 * (ptrdiff_t)part);
                if (part == 1) change = change_of_turn(error, change);
                put(change, unit, jacobian + (ptrdiff_t)n * row + k, n);
            }
            row += 3;
        }
    }
}

/* The rows of the controls: how they change from knot to knot. */
static void fill_changes(const optimizer *o, const double *x, double *residual, double *jacobian) {
    const nb_controlled_motion *m = &o->motion;
    const int controls = m->task.control_count;
    for (int32_t k = 0; k < m->unknowns; k++) {
        const double unit = m->task.controls[k % controls].unit;
        residual[k] = (x[k] - (k < controls ? m->start[k] : x[k - controls])) / unit;
        if (!jacobian) continue;
        double *row = jacobian + (ptrdiff_t)m->unknowns * k;
        memset(row, 0, (size_t)m->unknowns * sizeof *row);
        row[k] = 1 / unit;
        if (k >= controls) row[k - controls] = -1 / unit;
    }
}

/* ---- evaluations; unknowns are knots over their units ---- */

static void to_knots(const optimizer *o, const double *unknowns, double *knots) {
    for (int32_t k = 0; k < o->motion.unknowns; k++)
        knots[k] = unknowns[k] * o->motion.task.controls[k % o->motion.task.control_count].unit;
}

static nb_status evaluate(void *context, const double *unknowns, double *residual, double *jacobian, int *none) {
    optimizer *o = context;
    const nb_controlled_motion *m = &o->motion;
    to_knots(o, unknowns, o->x);
    nb_status status = nb_controlled_motion_move(&o->motion, o->x, o->rho, 1, &o->trajectory);
    *none = status == NB_ERROR_NUMERIC;
    if (*none || status != NB_OK) return *none ? NB_OK : status;
    fill_goals(o, &o->trajectory, residual, jacobian);
    fill_changes(o, o->x, residual + o->goal_rows, jacobian + (ptrdiff_t)m->unknowns * o->goal_rows);
    for (int32_t row = 0; row < o->goal_rows + m->unknowns; row++)
        for (int32_t k = 0; k < m->unknowns; k++)
            jacobian[(ptrdiff_t)m->unknowns * row + k] *= m->task.controls[k % m->task.control_count].unit;
    return NB_OK;
}

/* of the first goal */
static void find_distance(const optimizer *o, const nb_trajectory *trajectory, double *distance, double *angle) {
    const nb_controlled_motion *m = &o->motion;
    const nb_goal *goal = &m->task.goals[0];
    const double *q = nb_trajectory_q(m, trajectory, m->steps) + 7 * (ptrdiff_t)goal->body;
    *distance = nb_norm(nb_sub(take(q), goal->position));
    *angle = nb_norm(turn_from(goal->orientation, q + 3));
}

/* the motion that is not smoothed, with the knots of o->x */
static nb_status look_at_exact(optimizer *o, int32_t row) {
    nb_optimization *out = o->out;
    nb_status status = nb_controlled_motion_move(&o->motion, o->x, 0, 0, &o->exact);
    if (status == NB_ERROR_NUMERIC) return NB_OK;
    if (status != NB_OK) return status;
    fill_goals(o, &o->exact, o->residual, NULL);
    fill_changes(o, o->x, o->residual + o->goal_rows, NULL);
    out->exact_cost[row] = nb_half_square(o->goal_rows + o->motion.unknowns, o->residual);
    find_distance(o, &o->exact, &out->exact_distance[row], &out->exact_angle[row]);
    return NB_OK;
}

static nb_status tell(void *context, const nb_least_squares_report *report, const double *unknowns, int *stop) {
    nb_status status = NB_OK;
    optimizer *o = context;
    nb_optimization *out = o->out;
    const int32_t row = out->rows, last = row - 1;
    *stop = nb_interrupt_requested();
    if (*stop) return NB_OK;
    out->smoothing[row] = o->rho;
    out->cost[row] = report->cost;
    out->gradient[row] = report->gradient;
    out->step[row] = report->step;
    out->damping[row] = report->damping;
    out->taken[row] = report->taken;
    if (report->taken) {
        to_knots(o, unknowns, o->x);
        fill_changes(o, o->x, o->residual, NULL);
        out->goal_cost[row] = report->cost - nb_half_square(o->motion.unknowns, o->residual);
        find_distance(o, &o->trajectory, &out->distance[row], &out->angle[row]);
        out->exact_cost[row] = out->exact_distance[row] = out->exact_angle[row] = NAN;
        NB_TRY(look_at_exact(o, row));
    } else {
        out->goal_cost[row] = out->goal_cost[last];
        out->distance[row] = out->distance[last];
        out->angle[row] = out->angle[last];
        out->exact_cost[row] = out->exact_cost[last];
        out->exact_distance[row] = out->exact_distance[last];
        out->exact_angle[row] = out->exact_angle[last];
    }
    out->rows++;
    if (o->what->tell) o->what->tell(o->what->context, out);
out:
    return status;
}

/* ---- all of it ---- */

static nb_status make_room(optimizer *o) {
    nb_status status;
    nb_optimization *out = o->out;
    const nb_controlled_motion *m = &o->motion;
    out->bodies = m->bodies;
    out->steps = m->steps;
    out->controls = m->task.control_count;
    out->knots = m->knots;
    out->rows = o->what->smoothing_count * (o->what->iterations + 1);
    NB_TRY(nb_members_allocate(&nb_optimization_members, out));
    out->rows = 0;
    NB_TRY(NB_ALLOCATE(m->unknowns, &o->x));
    NB_TRY(NB_ALLOCATE(o->goal_rows + m->unknowns, &o->residual));
    for (int c = 0; c < out->controls; c++) {
        out->control_body[c] = m->task.controls[c].body;
        out->control_input[c] = m->task.controls[c].input;
        out->control_unit[c] = m->task.controls[c].unit;
        out->start[c] = m->start[c];
    }
    memcpy(out->knot_step, m->knot_step, (size_t)m->knots * sizeof *m->knot_step);
    memcpy(out->first, m->plan, (size_t)m->unknowns * sizeof *m->plan);
    memcpy(out->best, m->plan, (size_t)m->unknowns * sizeof *m->plan);
out:
    return status;
}

/* One smoothing, from the knots in out->best to better ones. */
static nb_status solve_stage(optimizer *o, double rho) {
    nb_status status;
    nb_optimization *out = o->out;
    const nb_controlled_motion *m = &o->motion;
    nb_reason reason;
    double *unknowns = NULL;
    const nb_least_squares problem = {.unknowns = m->unknowns,
                                      .rows = o->goal_rows + m->unknowns,
                                      .iterations = o->what->iterations,
                                      .tolerance = o->what->tolerance,
                                      .context = o,
                                      .evaluate = evaluate,
                                      .tell = tell};
    NB_TRY(NB_ALLOCATE(m->unknowns, &unknowns));
    for (int32_t k = 0; k < m->unknowns; k++)
        unknowns[k] = out->best[k] / m->task.controls[k % m->task.control_count].unit;
    o->rho = rho;
    NB_TRY(nb_least_squares_solve(&problem, unknowns, &reason));
    NB_TRY(nb_interrupt_check());
    to_knots(o, unknowns, out->best);
    if (out->rows > 0) out->reason[out->rows - 1] = reason;
out:
    nb_free(unknowns);
    return status;
}

static nb_status run_all(optimizer *o) {
    nb_status status = NB_OK;
    nb_optimization *out = o->out;
    const nb_trajectory first = {out->time, out->q_first, out->u_first}, best = {out->time, out->q_best, out->u_best};
    o->trajectory = best;
    o->exact = (nb_trajectory){out->time, out->q_exact, out->u_exact};
    NB_TRY(nb_controlled_motion_move(&o->motion, out->first, o->what->smoothing[0], 0, &first));
    for (int i = 0; i < o->what->smoothing_count; i++) NB_TRY(solve_stage(o, o->what->smoothing[i]));
    NB_TRY(nb_controlled_motion_move(&o->motion, out->best, o->rho, 0, &best));
    NB_TRY(nb_controlled_motion_move(&o->motion, out->best, 0, 0, &o->exact));
out:
    return status;
}

nb_status nb_optimize(const nb_request *request, const nb_optimize_request *what, nb_optimization *out) {
    nb_status status;
    optimizer o = {.motion = {.request = request}, .what = what, .out = out};
    const double start = nb_clock_seconds();
    NB_TRY(nb_controlled_motion_open(&o.motion, what->knots));
    o.goal_rows = count_goal_rows(&o.motion.task);
    NB_TRY(make_room(&o));
    NB_TRY(nb_copy_text(request->info.parameters ? request->info.parameters : "", &out->parameters));
    out->info = request->info;
    out->info.parameters = NULL;
    out->info.bodies = out->bodies;
    NB_TRY(run_all(&o));
    out->seconds = nb_clock_seconds() - start;
out:
    nb_controlled_motion_close(&o.motion);
    nb_free(o.x);
    nb_free(o.residual);
    return status;
}

/* A scene's motion under controls (core/task.h) with trajectories of their own, and its derivatives by these.
 *
 * A trajectory begins with what the control has at the start of the scene, and is linear between knots. These are at
 * the ends of steps, the last one at the end of the motion. The motion may be smoothed: it then goes on from each step
 * by the velocities of the step smoothed by rho (step_gradient.h). Derivatives are those of the motion itself. */

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

static nb_status allocate_motion(nb_controlled_motion *m) {
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
    NB_TRY(allocate_motion(m));
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
