#include "semismooth.h"

#include <math.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_HALVINGS = 8,
    MOST_HALVINGS_DAMPED = 2
};

/* the least eigenvalue of V: its inverse must leave room for the entries of S D S, which have the size 1 */
static double least_slope(const nb_scaled_problem *c) {
    return NB_REAL_BITS == 64 && !c->settings->mixed ? 1e-9 : 1e-4;
}

/* The least that is added to the diagonal, and what that may go down to. Heavy bodies on light ones have eigenvalues of
 * their mass ratio's size: where the shift is larger, Newton's step is shorter by as much. */
static const double least_shift = 1e-10, lowest_shift = 1e-14;

static void lay_out(nb_arena *a, nb_semismooth *s) {
    double **vectors[] = {&s->x, &s->own, &s->v, &s->f, &s->x_before, &s->dx, &s->b};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) NB_PLACE(a, s->problem->rows, vectors[i]);
}

nb_status nb_semismooth_create(nb_scaled_problem *problem, nb_semismooth **semismooth) {
    nb_status status;
    nb_semismooth *s = NULL;
    *semismooth = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    s->problem = problem;
    lay_out(&s->arena, s);
    NB_TRY(nb_arena_reserve(&s->arena));
    lay_out(&s->arena, s);
    *semismooth = s;
    return NB_OK;
out:
    nb_semismooth_destroy(s);
    return status;
}

void nb_semismooth_destroy(nb_semismooth *s) {
    if (!s) return;
    nb_arena_clear(&s->arena);
    nb_free(s);
}

static void evaluate(nb_semismooth *s, const nb_semismooth_task *task) {
    nb_scaled_problem_velocity(s->problem, s->x, s->own);
    memcpy(s->v, s->own, (size_t)s->problem->rows * sizeof *s->v);
    if (task->eps > 0)
        for (int32_t r = 0; r < s->problem->rows; r++) s->v[r] += task->eps * (s->x[r] - task->centre[r]);
    s->norm = nb_scaled_problem_natural(s->problem, task->rho, s->x, s->v, s->f);
}

static void assemble(nb_semismooth *s, const nb_semismooth_task *task) {
    const nb_scaled_problem *c = s->problem;
    const nb_natural_point at = {c->s, s->x, s->v, c->unit, task->rho, least_slope(c)};
    for (int32_t i = 0; i < c->range_count; i++) {
        const nb_law_range *range = &c->ranges[i];
        range->law->type->jacobian(range, &at, s->f, s->b, nb_system_diagonal_block(c->system, range->first_block));
    }
}

/* Halves the step until |F| falls, so often at most; 0 where it does not. */
static int search_line(nb_semismooth *s, const nb_semismooth_task *task, int most, double *taken) {
    double before = s->norm, t = 1;
    memcpy(s->x_before, s->x, (size_t)s->problem->rows * sizeof *s->x);
    for (int halvings = 0; halvings <= most; halvings++, t /= 2) {
        for (int32_t r = 0; r < s->problem->rows; r++) s->x[r] = s->x_before[r] + t * s->dx[r];
        evaluate(s, task);
        *taken = t;
        if (s->norm < (1 - 1e-4 * t) * before) return 1;
    }
    memcpy(s->x, s->x_before, (size_t)s->problem->rows * sizeof *s->x);
    evaluate(s, task);
    *taken = 0;
    return 0;
}

/* whether a proximal task is done; `start` is |F| at its beginning */
static int near_enough(const nb_semismooth *s, const nb_semismooth_task *task, double start) {
    double sum = 0;
    if (!(task->eps > 0) || !(s->norm < 0.1 * start)) return 0;
    for (int32_t r = 0; r < s->problem->rows; r++) {
        double distance = s->x[r] - task->centre[r];
        sum += distance * distance;
    }
    return s->norm < 0.3 * task->rho * task->eps * sqrt(sum);
}

static double size_of(const nb_semismooth *s) {
    double largest = 1;
    for (int32_t r = 0; r < s->problem->rows; r++) largest = fmax(largest, fabs(s->x[r]));
    return largest;
}

/* what a task adds to the diagonal, but for eps */
static double shift_of(const nb_semismooth *s, const nb_semismooth_task *task, double least) {
    if (task->phase == NB_PHASE_CERTIFICATE) return 1e-14; /* its problem is monotone and needs none */
    return fmax(least, 1e-3 * fmin(1, s->norm / task->rho / (task->eps > 0 ? 1 : size_of(s))));
}

/* whether the steps of a task are damped; s->norm is that of its start */
static int is_damped(const nb_semismooth *s, const nb_semismooth_task *task) {
    const nb_scaled_problem *c = s->problem;
    return task->warm && s->norm < 1e-6 * sqrt(c->count);
}

/* the shift after a damped step, of which `taken` was taken, from |F| before */
static double next_shift(const nb_semismooth *s, double shift, double taken, double before) {
    if (taken < 1) return 30 * shift;
    return fmax(least_shift, shift / (s->norm < 0.5 * before ? 30 : 10));
}

/* The least shift after a step, of which `taken` was taken: less where the whole step took away less than a fifth of
 * |F|, as a shift above the least eigenvalues does, and the standard one where the step was too long. */
static double next_least(const nb_semismooth *s, double least, double taken, double before) {
    if (taken < 1) return least_shift;
    return s->norm < 0.8 * before ? least : fmax(lowest_shift, 1e-2 * least);
}

nb_status nb_semismooth_run(nb_semismooth *s, const nb_semismooth_task *task, int *done) {
    const double first_shift = 1e-6, most_shift = 100; /* of damped steps; the matrix has the size 1 */
    nb_status status = NB_OK;
    nb_scaled_problem *c = s->problem;
    int moved = 1, solved = 1, slow = 0, idle = 0;
    evaluate(s, task);
    double start = s->norm, shift = first_shift, least = least_shift;
    int damped = s->damped = is_damped(s, task);
    *done = 0;
    for (int32_t k = 0; damped ? shift <= most_shift : moved; k++) {
        NB_TRY(nb_interrupt_check());
        nb_scaled_problem_begin(c, task->phase, s->x, s->own);
        *done = near_enough(s, task, start);
        if (c->solved || *done || k == task->iterations || (slow == 2 && task->eps == 0 && !damped)) break;
        if (task->patience > 0 && idle == task->patience) break;
        assemble(s, task);
        double taken = 0, before = s->norm;
        if (!damped) shift = shift_of(s, task, least);
        nb_scaled_problem_set_matrix(c, shift + task->eps);
        NB_TRY(nb_scaled_problem_solve(c, s->b, s->dx, &solved));
        moved = solved && search_line(s, task, damped ? MOST_HALVINGS_DAMPED : MOST_HALVINGS, &taken);
        if (damped) shift = next_shift(s, shift, taken, before);
        if (task->eps == 0) least = next_least(s, least, taken, before); /* else eps holds the least eigenvalues */
        slow = taken < 0.2 ? slow + 1 : 0;
        idle = s->norm < 0.9 * before ? 0 : idle + 1;
        NB_TRY(nb_scaled_problem_end(c, taken, s->dx));
    }
out:
    return status;
}
