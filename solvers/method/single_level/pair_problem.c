#include "pair_problem.h"

#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/dense_room.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "constraint/step.h"
#include "model/carried.h"
#include "model/coordinate.h"
#include "model/pair.h"
#include "operator/delassus_matrix.h"
#include "pair_joints.h"
#include "pair_matrix.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

nb_status nb_pair_problem_create(const nb_method_settings *settings, nb_pair_problem **problem) {
    nb_status status;
    *problem = NULL;
    NB_TRY(nb_dense_room()); /* for monotone matrices */
    NB_TRY(NB_ALLOCATE(1, problem));
    NB_TRY(nb_settings_solve(settings, &(*problem)->solve));
out:
    if (status != NB_OK) {
        nb_pair_problem_destroy(*problem);
        *problem = NULL;
    }
    return status;
}

void nb_pair_problem_destroy(nb_pair_problem *problem) {
    if (!problem) return;
    nb_solve_destroy(problem->solve);
    nb_pair_matrix_drop(problem);
    nb_set_pairs_clear(&problem->found);
    nb_arena_clear(&problem->bodies);
    nb_arena_clear(&problem->pairs_arena);
    nb_free(problem->known);
    nb_free(problem);
}

/* ---- the start of a step ---- */

static nb_status refuse(const nb_world *world, const char *who) {
    nb_status status = nb_world_refuse_particles(world, who);
    if (status != NB_OK) return status;
    const char *what = world->settings.contact_compliance > 0                    ? "compliance of contacts"
                       : world->settings.contact_thickness > 0                   ? "thickness of contacts"
                       : world->settings.friction_ratio != 1                     ? "anisotropic friction"
                       : world->settings.stepping.scheme != NB_STEPPING_IMPLICIT ? "linearized time stepping"
                       : nb_coordinate_rows(world, NULL) > 0                     ? NB_COORDINATE_ROWS_NAME
                                                                                 : NULL;
    if (what) return nb_fail(NB_ERROR_UNSUPPORTED, "%s does not support %s", who, what);
    return NB_OK;
}

static int moves(const nb_world *world, int32_t body) {
    return world->bodies[body].kind == NB_BODY_DYNAMIC;
}

static const nb_shape *shape_of(const nb_world *world, int32_t body) {
    int32_t shape = world->bodies[body].shape;
    return shape < 0 ? NULL : world->shapes[shape];
}

static void choose_units(nb_pair_problem *s, double h) {
    const double part = 0.05; /* of the length that a body goes in a step, at most, at the unit of speed */
    const nb_world *world = s->world;
    double sum = 0;
    int64_t count = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_shape *shape = shape_of(world, i);
        for (int32_t k = 0; moves(world, i) && shape && k < shape->set_count; k++) {
            if (!(shape->sets[k].radius < INFINITY)) continue;
            sum += shape->sets[k].radius;
            count++;
        }
    }
    s->length = count > 0 ? sum / (double)count : 1;
    double fall = sqrt(nb_norm(world->gravity) * s->length), most = part * s->length / h;
    s->speed = fall > 0 ? fmin(fall, most) : most;
    s->h = h * s->speed / s->length;
}

static void lay_out_bodies(nb_arena *a, nb_pair_problem *s) {
    int64_t bodies = s->body_count;
    NB_PLACE(a, bodies, &s->row);
    NB_PLACE(a, bodies, &s->body);
    NB_PLACE(a, bodies, &s->first_set);
    NB_PLACE(a, 6 * bodies, &s->u);
    NB_PLACE(a, 6 * bodies, &s->u_kept);
    NB_PLACE(a, 6 * bodies, &s->du);
    NB_PLACE(a, 6 * bodies, &s->u_free);
    NB_PLACE(a, 6 * bodies, &s->u_si);
    NB_PLACE(a, 6 * bodies, &s->r);
    NB_PLACE(a, 9 * bodies, &s->inertia);
    nb_pair_joints_lay_out(a, s);
    NB_PLACE(a, 6 * bodies + s->joint_rows, &s->x);
}

/* velocities in the method's units */
static void scale_velocities(const nb_pair_problem *s, const real *from, double *to) {
    for (int64_t k = 0; k < 6 * (int64_t)s->body_count; k++)
        to[k] = (double)from[k] / s->speed * (k % 6 < 3 ? 1 : s->length);
}

static void begin_body(nb_pair_problem *s, int32_t i) {
    const nb_body *body = &s->world->bodies[i];
    s->body[i].moves = moves(s->world, i);
    s->row[i] = s->body[i].moves ? 6 * s->moving++ : -1;
    if (!s->body[i].moves) return;
    double unit = body->mass * s->length * s->length;
    nb_mat3 principal = {
        {{body->inertia.x / unit, 0, 0}, {0, body->inertia.y / unit, 0}, {0, 0, body->inertia.z / unit}}};
    nb_mat3 inertia = nb_mat3_rotated(body->orientation, &principal);
    memcpy(s->inertia + 9 * (int64_t)i, inertia.m, 9 * sizeof(double));
}

/* the arrays of all pairs, one pair after the other */
static void lay_out_pairs(nb_arena *a, nb_pair_problem *s) {
    double *numbers, *of_sets;
    int32_t *indices;
    int64_t count = 0, number_count = 0, index_count = 0, sets = 0, scratch = 0;
    for (int32_t i = 0; i < s->body_count; i++) {
        const nb_shape *shape = shape_of(s->world, i);
        for (int32_t k = 0; shape && k < shape->set_count; k++) {
            count += nb_pair_set_numbers(&shape->sets[k]);
            sets++;
        }
    }
    NB_PLACE(a, sets, &s->sets);
    NB_PLACE(a, count, &of_sets);
    NB_PLACE(a, s->found.count, &s->pairs);
    NB_PLACE(a, s->found.count, &s->mass);
    NB_PLACE(a, 4 * (int64_t)s->found.count, &s->place);
    int there = a->memory != NULL;
    /* sizes are known before places are: of copies that are not kept */
    for (int32_t i = 0, k = 0; there && i < s->body_count; i++) {
        const nb_shape *shape = shape_of(s->world, i);
        s->first_set[i] = k;
        for (int32_t j = 0; shape && j < shape->set_count; j++, k++) {
            nb_pair_set_make(&shape->sets[j], s->length, of_sets, &s->sets[k]);
            of_sets += nb_pair_set_numbers(&shape->sets[j]);
        }
    }
    for (int32_t i = 0; i < s->found.count; i++) {
        const nb_set_pair *found = &s->found.items[i];
        const nb_body *a_body = &s->world->bodies[found->body_a], *b_body = &s->world->bodies[found->body_b];
        const nb_convex_set *from[2] = {&shape_of(s->world, found->body_a)->sets[found->set_a],
                                        &shape_of(s->world, found->body_b)->sets[found->set_b]};
        nb_pair_set size[2];
        nb_contact_pair pair = {.mu = nb_world_friction(s->world, found->body_a, found->body_b),
                                .part = {s->part[0], s->part[1]}};
        for (int k = 0; k < 2; k++) {
            size[k] = (nb_pair_set){.rows = from[k]->rows, .unknowns = from[k]->unknowns};
            pair.set[k] = &size[k];
        }
        nb_contact_pair_lay_out(&pair);
        number_count += nb_contact_pair_numbers(&pair);
        index_count += nb_contact_pair_indices(&pair);
        if (nb_contact_pair_scratch(&pair) > scratch) scratch = nb_contact_pair_scratch(&pair);
        if (!there) continue;
        pair.set[0] = &s->sets[s->first_set[found->body_a] + found->set_a];
        pair.set[1] = &s->sets[s->first_set[found->body_b] + found->set_b];
        pair.body[0] = found->body_a;
        pair.body[1] = found->body_b;
        pair.start[1] = nb_scale(1 / s->length, nb_sub(b_body->position, a_body->position));
        /* along the normal it has no effect: friction has it alone */
        const nb_vec3 lacking = nb_carried_excess(s->world, found->body_b, nb_carried_position(s->world, found->body_a),
                                                  s->h * s->length / s->speed, 1);
        pair.carried = nb_scale(1 / s->speed, lacking);
        pair.apart = s->apart > 0;
        s->pairs[i] = pair;
        s->mass[i] = b_body->kind == NB_BODY_DYNAMIC ? fmin(a_body->mass, b_body->mass) : a_body->mass;
    }
    NB_PLACE(a, number_count, &numbers);
    NB_PLACE(a, index_count, &indices);
    NB_PLACE(a, scratch, &s->scratch);
    for (int32_t i = 0; there && i < s->found.count; i++) {
        nb_contact_pair_set_arrays(&s->pairs[i], numbers, indices);
        numbers += nb_contact_pair_numbers(&s->pairs[i]);
        indices += nb_contact_pair_indices(&s->pairs[i]);
    }
}

static void count_products(nb_pair_problem *s) {
    s->degree = 0;
    for (int32_t i = 0; i < s->found.count; i++) s->degree += nb_contact_pair_degree(&s->pairs[i]);
}

static nb_status make_pairs(nb_pair_problem *s) {
    nb_status status;
    nb_arena_measure(&s->pairs_arena);
    lay_out_pairs(&s->pairs_arena, s);
    NB_TRY(nb_arena_reserve(&s->pairs_arena));
    lay_out_pairs(&s->pairs_arena, s);
    count_products(s);
    NB_TRY(nb_pair_matrix_make(s));
out:
    return status;
}

/* [m/s] and [rad/s] of velocities in units */
static void widen_velocities(const nb_pair_problem *s, const double *u) {
    for (int64_t k = 0; k < 6 * (int64_t)s->body_count; k++) s->u_si[k] = u[k] * s->speed / (k % 6 < 3 ? 1 : s->length);
}

nb_status nb_pair_problem_begin(nb_pair_problem *s, nb_problem *p, const char *who) {
    nb_status status;
    nb_step *step = nb_step_of(p);
    nb_step_arrays arrays;
    if (!step)
        return nb_fail(NB_ERROR_UNSUPPORTED, "%s requires the bodies' shapes, which a problem file does not have", who);
    double h;
    s->world = nb_step_world(step, &h);
    NB_TRY(refuse(s->world, who));
    s->body_count = s->world->body_count;
    nb_step_arrays_of(step, &arrays);
    choose_units(s, h);
    nb_arena_measure(&s->bodies);
    lay_out_bodies(&s->bodies, s);
    NB_TRY(nb_arena_reserve(&s->bodies));
    lay_out_bodies(&s->bodies, s);
    s->moving = 0;
    for (int32_t i = 0; i < s->body_count; i++) begin_body(s, i);
    scale_velocities(s, p->u, s->u);
    scale_velocities(s, arrays.u_free, s->u_free);
    nb_pair_joints_begin(s, p);
    widen_velocities(s, s->u_free);
    NB_TRY(nb_set_pairs_find(&s->found, s->world, h, s->u_si));
    NB_TRY(make_pairs(s));
out:
    return status;
}

void nb_pair_problem_go_on(nb_pair_problem *s, double part) {
    for (int32_t i = 0; i < s->body_count; i++) {
        const nb_body *body = &s->world->bodies[i];
        const nb_vec3 v = nb_scale(part / s->speed, body->linear_velocity),
                      w = nb_scale(part * s->length / s->speed, body->angular_velocity);
        const double u[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        if (s->body[i].moves) memcpy(s->u + 6 * (int64_t)i, u, sizeof u);
    }
}

void nb_pair_problem_release(nb_pair_problem *s) {
    for (int32_t i = 0; i < s->body_count; i++)
        if (s->body[i].moves) memcpy(s->u + 6 * (int64_t)i, s->u_free + 6 * (int64_t)i, 6 * sizeof *s->u);
}

void nb_pair_problem_scale(nb_pair_problem *s, int scaled) {
    for (int32_t i = 0; i < s->found.count; i++) s->pairs[i].scaled = scaled;
}

void nb_pair_problem_measure_rho(nb_pair_problem *s, nb_pair_rho_unit unit) {
    const double gravity = nb_norm(s->world->gravity) * s->length / (s->speed * s->speed);
    const int by_weight = unit == NB_PAIR_BY_WEIGHT && gravity > 0;
    s->part[0] = by_weight ? gravity * s->h : 1;
    s->part[1] = by_weight ? gravity * s->h * sqrt(gravity) : 1;
    for (int32_t i = 0; i < s->found.count; i++) memcpy(s->pairs[i].part, s->part, sizeof s->part);
}

void nb_pair_problem_relax(nb_pair_problem *s, double part) {
    for (int32_t i = 0; i < s->found.count; i++) s->pairs[i].relaxed = part;
}

void nb_pair_problem_bound(nb_pair_problem *s, double bound) {
    for (int32_t i = 0; i < s->found.count; i++) s->pairs[i].bound = bound;
    count_products(s);
}

double nb_pair_problem_free_target(const nb_pair_problem *s) {
    double fastest = 0;
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->body[i].moves && k < 6; k++) nb_raise(&fastest, fabs(s->u_free[6 * (int64_t)i + k]));
    return s->h * fastest * fastest / s->part[0];
}

/* pair i + 1, while i is worked on */
static void fetch_next(const nb_pair_problem *s, int32_t i, int arrays, int factors) {
    if (i + 1 < s->found.count) nb_contact_pair_fetch(&s->pairs[i + 1], arrays, factors);
}

/* ---- residuals ---- */

void nb_pair_problem_move_bodies(nb_pair_problem *s) {
    for (int32_t i = 0; i < s->body_count; i++)
        nb_pair_body_move(s->world->bodies[i].orientation, s->h, s->u + 6 * (int64_t)i, &s->body[i]);
}

/* collision of the bodies where they are, unless it is among the unknowns */
static void solve_collision(nb_pair_problem *s, nb_contact_pair *pair) {
    if (s->apart > 0 &&
        !nb_contact_pair_grow(pair, &s->body[pair->body[0]], &s->body[pair->body[1]], s->apart, s->scratch, &s->grown))
        s->stuck = 1;
}

static void begin_evaluation(nb_pair_problem *s) {
    s->product = 0;
    for (int32_t i = 0; i < s->body_count; i++) {
        double *r = s->r + 6 * (int64_t)i, d[6];
        const double *j = s->inertia + 9 * (int64_t)i;
        for (int k = 0; k < 6; k++) d[k] = s->u[6 * (int64_t)i + k] - s->u_free[6 * (int64_t)i + k];
        for (int k = 0; k < 3; k++) {
            r[k] = d[k];
            r[3 + k] = j[3 * k] * d[3] + j[3 * k + 1] * d[4] + j[3 * k + 2] * d[5];
        }
    }
}

static void subtract(double factor, nb_vec3 v, double *from) {
    from[0] -= factor * v.x;
    from[1] -= factor * v.y;
    from[2] -= factor * v.z;
}

static void evaluate_pair(nb_pair_problem *s, int32_t i, double target, double *equality, double *cone) {
    nb_contact_pair *pair = &s->pairs[i];
    nb_contact_pair_evaluate(pair, &s->body[pair->body[0]], &s->body[pair->body[1]], target);
    nb_contact_pair_violation(pair, equality, cone);
    s->product += nb_contact_pair_product(pair);
    for (int k = 0; k < 2; k++) {
        if (!s->body[pair->body[k]].moves) continue;
        double *r = s->r + 6 * (int64_t)pair->body[k], weight = s->mass[i] / s->world->bodies[pair->body[k]].mass;
        subtract(weight, pair->force[k], r);
        subtract(weight, pair->torque[k], r + 3);
    }
}

static void end_evaluation(nb_pair_problem *s, double *equality) {
    nb_pair_joints_evaluate(s, equality);
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->body[i].moves && k < 6; k++) nb_raise(equality, fabs(s->r[6 * (int64_t)i + k]));
    if (s->stuck) *equality = NAN;
}

void nb_pair_problem_evaluate(nb_pair_problem *s, double target, double *equality, double *cone) {
    *equality = *cone = 0;
    begin_evaluation(s);
    for (int32_t i = 0; i < s->found.count && !nb_interrupt_requested(); i++)
        evaluate_pair(s, i, target, equality, cone);
    end_evaluation(s, equality);
    if (s->stuck) *cone = NAN;
}

void nb_pair_problem_aim(nb_pair_problem *s, double target, double weight, double *cone) {
    double left[NB_PAIR_MOTION];
    *cone = 0;
    if (s->system) nb_pair_matrix_begin_side(s);
    for (int32_t i = 0; i < s->found.count; i++) {
        nb_contact_pair *pair = &s->pairs[i];
        fetch_next(s, i, 3, 1);
        nb_contact_pair_aim(pair, target);
        nb_contact_pair_violation(pair, NULL, cone);
        if (weight != 0) nb_contact_pair_correct(pair, weight);
        if (!s->system) continue;
        nb_contact_pair_reduce(pair, &s->body[pair->body[0]], &s->body[pair->body[1]], s->scratch, left);
        nb_pair_matrix_add_side(s, i, left);
    }
}

void nb_pair_problem_start(nb_pair_problem *s, const nb_pair_memory *memory, double target) {
    /* of all products, for most steps. With 1 from nowhere, collisions unsolved, steps took twice the iterations, and
     * tables on tables jammed at the first one; with 0.1 piles take a quarter more, with 0.001 tables and walls do. */
    const double usual = 0.01;
    /* The paper's; with 0.1 scenes at rest take up to twice the iterations, with 0.001 those that move take up to half
     * more, and some have to begin again. */
    const double more = 0.01;
    nb_pair_problem_move_bodies(s);
    s->stuck = 0;
    for (int32_t i = 0; i < s->found.count && !nb_interrupt_requested(); i++) {
        nb_contact_pair *pair = &s->pairs[i];
        const nb_pair_body *a = &s->body[pair->body[0]], *b = &s->body[pair->body[1]];
        solve_collision(s, pair);
        if (nb_pair_memory_recall(memory, s, i, more)) continue;
        if (!pair->apart && !nb_contact_pair_grow(pair, a, b, usual, s->scratch, &s->grown))
            nb_contact_pair_start_collision(pair, a, b);
        nb_contact_pair_start_impulse(pair, fmax(target, usual), fmax(sqrt(s->h * pair->part[0] * target), usual));
    }
}

nb_status nb_pair_problem_extend(nb_pair_problem *s, int32_t *added) {
    nb_status status;
    widen_velocities(s, s->u);
    NB_TRY(nb_set_pairs_extend(&s->found, s->world, s->h * s->length / s->speed, s->u_si, added));
    if (*added > 0) NB_TRY(make_pairs(s));
out:
    return status;
}

/* ---- the step ---- */

void nb_pair_problem_eliminate(nb_pair_problem *s, int *regular) {
    double left[NB_PAIR_MOTION];
    *regular = 1;
    if (s->system) {
        nb_pair_matrix_begin(s);
        nb_pair_matrix_begin_side(s);
    }
    for (int32_t i = 0; i < s->found.count; i++) {
        nb_contact_pair *pair = &s->pairs[i];
        fetch_next(s, i, 2, 1);
        *regular =
            nb_contact_pair_eliminate(pair, &s->body[pair->body[0]], &s->body[pair->body[1]], 0, s->scratch, left);
        if (!*regular) return;
        if (!s->system) continue;
        nb_pair_matrix_add(s, i);
        nb_pair_matrix_add_side(s, i, left);
    }
    if (s->system) nb_pair_matrix_end(s);
}

/* before a step from the present point */
static void keep_velocities(nb_pair_problem *s) {
    s->reach = INFINITY;
    memcpy(s->u_kept, s->u, 6 * (size_t)s->body_count * sizeof *s->u);
    memcpy(s->z_kept, s->z, (size_t)s->joint_rows * sizeof *s->z);
}

nb_status nb_pair_problem_direction(nb_pair_problem *s, const nb_method_settings *settings, const nb_observer *observer,
                                    int32_t iteration, const nb_problem *p, double *heard_s, int *solved) {
    nb_status status = NB_OK;
    double by_step[2];
    *solved = 1;
    NB_TRY(nb_interrupt_check()); /* what loops over pairs were left for is no point */
    keep_velocities(s);
    s->product_by_step[0] = s->product_by_step[1] = 0;
    if (!s->system) return NB_OK;
    if (iteration >= 0 && observer && observer->system) {
        double start = nb_clock_seconds();
        NB_TRY(observer->system(observer->context, iteration, s->system, p));
        *heard_s += nb_clock_seconds() - start;
    }
    NB_TRY(nb_pair_matrix_solve(s, settings, observer, solved));
    if (!*solved) return NB_OK;
    for (int32_t i = 0; i < s->found.count; i++) {
        nb_contact_pair *pair = &s->pairs[i];
        int32_t a = pair->body[0], b = pair->body[1];
        fetch_next(s, i, 3, 1);
        nb_contact_pair_recover(pair, &s->body[a], &s->body[b], s->du + 6 * (int64_t)a, s->du + 6 * (int64_t)b,
                                s->scratch);
        s->reach = nb_contact_pair_reach(pair, s->reach);
        nb_contact_pair_product_by_step(pair, by_step);
        for (int k = 0; k < 2; k++) s->product_by_step[k] += by_step[k];
    }
out:
    return status;
}

double nb_pair_problem_reach(const nb_pair_problem *s, double most) {
    return fmin(most, s->reach);
}

double nb_pair_problem_product(const nb_pair_problem *s, double t) {
    return s->product + t * (s->product_by_step[0] + t * s->product_by_step[1]);
}

static void move_bodies(nb_pair_problem *s, double t) {
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->body[i].moves && k < 6; k++)
            s->u[6 * (int64_t)i + k] = s->u_kept[6 * (int64_t)i + k] + t * s->du[6 * (int64_t)i + k];
    for (int32_t k = 0; k < s->joint_rows; k++) s->z[k] = s->z_kept[k] + t * s->dz[k];
    nb_pair_problem_move_bodies(s);
    s->stuck = 0;
}

static void move_pair(nb_pair_problem *s, int32_t i, double t) {
    nb_contact_pair_move(&s->pairs[i], t);
    solve_collision(s, &s->pairs[i]);
}

void nb_pair_problem_move(nb_pair_problem *s, double t) {
    move_bodies(s, t);
    for (int32_t i = 0; i < s->found.count && !nb_interrupt_requested(); i++) move_pair(s, i, t);
}

void nb_pair_problem_try(nb_pair_problem *s, double t, double aim, double target, double *equality, double *cone,
                         double *aimed) {
    *equality = *cone = *aimed = 0;
    move_bodies(s, t);
    begin_evaluation(s);
    for (int32_t i = 0; i < s->found.count && !nb_interrupt_requested(); i++) {
        fetch_next(s, i, 4, 0);
        move_pair(s, i, t);
        evaluate_pair(s, i, aim, equality, aimed);
        nb_contact_pair_aim(&s->pairs[i], target);
        nb_contact_pair_violation(&s->pairs[i], NULL, cone);
    }
    end_evaluation(s, equality);
    if (s->stuck) *cone = *aimed = NAN;
}

/* ---- points ---- */

int64_t nb_pair_problem_numbers(const nb_pair_problem *s) {
    int64_t numbers = 6 * (int64_t)s->body_count + s->joint_rows;
    for (int32_t i = 0; i < s->found.count; i++) numbers += s->pairs[i].size;
    return numbers;
}

/* velocities, impulses of joints, and what pairs have, one after the other */
static void gather(const nb_pair_problem *s, int step, double *numbers) {
    const int64_t velocities = 6 * (int64_t)s->body_count;
    memcpy(numbers, step ? s->du : s->u, (size_t)velocities * sizeof *numbers);
    memcpy(numbers + velocities, step ? s->dz : s->z, (size_t)s->joint_rows * sizeof *numbers);
    numbers += velocities + s->joint_rows;
    for (int32_t i = 0; i < s->found.count; numbers += s->pairs[i++].size)
        memcpy(numbers, step ? s->pairs[i].dx : s->pairs[i].x, (size_t)s->pairs[i].size * sizeof *numbers);
}

static void scatter(nb_pair_problem *s, int step, const double *numbers) {
    const int64_t velocities = 6 * (int64_t)s->body_count;
    memcpy(step ? s->du : s->u, numbers, (size_t)velocities * sizeof *numbers);
    memcpy(step ? s->dz : s->z, numbers + velocities, (size_t)s->joint_rows * sizeof *numbers);
    numbers += velocities + s->joint_rows;
    for (int32_t i = 0; i < s->found.count; numbers += s->pairs[i++].size)
        memcpy(step ? s->pairs[i].dx : s->pairs[i].x, numbers, (size_t)s->pairs[i].size * sizeof *numbers);
}

void nb_pair_problem_store(const nb_pair_problem *s, double *numbers) {
    gather(s, 0, numbers);
}

void nb_pair_problem_restore(nb_pair_problem *s, const double *numbers) {
    scatter(s, 0, numbers);
    nb_pair_problem_move_bodies(s);
}

void nb_pair_problem_store_step(const nb_pair_problem *s, double *numbers) {
    gather(s, 1, numbers);
}

void nb_pair_problem_restore_step(nb_pair_problem *s, const double *numbers) {
    scatter(s, 1, numbers);
    keep_velocities(s);
    for (int32_t i = 0; i < s->found.count; i++) {
        nb_contact_pair *pair = &s->pairs[i];
        pair->moved = 0; /* it begins here */
        s->reach = nb_contact_pair_reach(pair, s->reach);
    }
}
