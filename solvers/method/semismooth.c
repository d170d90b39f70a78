#include "semismooth.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cone.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_HALVINGS = 8,
    MOST_HALVINGS_DAMPED = 2
};

/* the least eigenvalue of V: its inverse must leave room for the entries of S D S, which have the size 1 */
static const double least_slope = NB_REAL_BITS == 64 ? 1e-9 : 1e-4;

/* the least that is added to the diagonal */
static const double least_shift = 1e-10;

static void place(nb_arena *a, nb_semismooth *s) {
    double **vectors[] = {&s->x, &s->own, &s->v, &s->f, &s->x_before, &s->dx, &s->b};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) NB_PLACE(a, s->problem->rows, vectors[i]);
}

nb_status nb_semismooth_create(nb_cone_problem *problem, nb_semismooth **semismooth) {
    nb_status status;
    nb_semismooth *s = NULL;
    *semismooth = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    s->problem = problem;
    place(&s->arena, s);
    NB_TRY(nb_arena_reserve(&s->arena));
    place(&s->arena, s);
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

static void look(nb_semismooth *s, const nb_semismooth_task *task) {
    nb_cone_problem_velocity(s->problem, s->x, s->own);
    memcpy(s->v, s->own, (size_t)s->problem->rows * sizeof *s->v);
    if (task->eps > 0)
        for (int32_t r = 0; r < s->problem->rows; r++) s->v[r] += task->eps * (s->x[r] - task->centre[r]);
    s->norm = nb_cone_problem_natural(s->problem, task->rho, s->x, s->v, s->f);
}

/* the block and right-hand side of one contact */
static void assemble_contact(nb_semismooth *s, const nb_semismooth_task *task, int32_t i) {
    nb_cone_problem *c = s->problem;
    int32_t r = nb_cone_problem_first(c, i);
    const double *x = s->x + r, *v = s->v + r, *f = s->f + r;
    double length = sqrt(v[1] * v[1] + v[2] * v[2]), rho = task->rho;
    double z[3] = {x[0] - rho * (v[0] + length), x[1] - rho * v[1], x[2] - rho * v[2]};
    double t[2] = {length > 0 ? v[1] / length : 0, length > 0 ? v[2] / length : 0};
    double block[9], inverse[9], *b = s->b + r;
    nb_cone_slope slope;
    nb_cone_differentiate(z, least_slope, &slope);
    nb_cone_slope_matrix(&slope, 1 / slope.low, 1 / slope.high, 1 / slope.across, inverse);
    nb_cone_slope_matrix(&slope, 1 / slope.low - 1, 1 / slope.high - 1, 1 / slope.across - 1, block);
    for (int k = 0; k < 9; k++) block[k] /= rho;
    for (int k = 0; k < 3; k++) block[k] -= t[0] * block[3 + k] + t[1] * block[6 + k];
    for (int k = 0; k < 3; k++)
        b[k] = -(inverse[3 * k] * f[0] + inverse[3 * k + 1] * f[1] + inverse[3 * k + 2] * f[2]) / rho;
    b[0] -= t[0] * b[1] + t[1] * b[2];
    if (!nb_cone_problem_has_friction(c, i)) b[1] = b[2] = 0;
    nb_cone_problem_block(c, i, block);
}

static void assemble(nb_semismooth *s, const nb_semismooth_task *task) {
    for (int32_t r = 0; r < s->problem->bilaterals; r++) s->b[r] = -s->f[r];
    for (int32_t i = 0; i < s->problem->contacts; i++) assemble_contact(s, task, i);
}

/* Halves the step until |F| falls, so often at most; 0 where it does not. */
static int search_line(nb_semismooth *s, const nb_semismooth_task *task, int most, double *taken) {
    double before = s->norm, t = 1;
    memcpy(s->x_before, s->x, (size_t)s->problem->rows * sizeof *s->x);
    for (int halvings = 0; halvings <= most; halvings++, t /= 2) {
        for (int32_t r = 0; r < s->problem->rows; r++) s->x[r] = s->x_before[r] + t * s->dx[r];
        look(s, task);
        *taken = t;
        if (s->norm < (1 - 1e-4 * t) * before) return 1;
    }
    memcpy(s->x, s->x_before, (size_t)s->problem->rows * sizeof *s->x);
    look(s, task);
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
    return s->norm < 0.1 * task->rho * task->eps * sqrt(sum);
}

static double size_of(const nb_semismooth *s) {
    double largest = 1;
    for (int32_t r = 0; r < s->problem->rows; r++) largest = fmax(largest, fabs(s->x[r]));
    return largest;
}

/* what a task adds to the diagonal, but for eps */
static double shift_of(const nb_semismooth *s, const nb_semismooth_task *task) {
    if (task->phase == NB_PHASE_CERTIFICATE) return 1e-14; /* its problem is monotone and needs none */
    return fmax(least_shift, 1e-3 * fmin(1, s->norm / task->rho / (task->eps > 0 ? 1 : size_of(s))));
}

/* whether the steps of a task are damped; s->norm is that of its start */
static int is_damped(const nb_semismooth *s, const nb_semismooth_task *task) {
    const nb_cone_problem *c = s->problem;
    return task->warm && s->norm < 1e-6 * sqrt(c->contacts > 0 ? c->contacts : c->rows);
}

/* the shift after a damped step, of which `taken` was taken, from |F| before */
static double next_shift(const nb_semismooth *s, double shift, double taken, double before) {
    if (taken < 1) return 30 * shift;
    return fmax(least_shift, shift / (s->norm < 0.5 * before ? 30 : 10));
}

nb_status nb_semismooth_run(nb_semismooth *s, const nb_semismooth_task *task, int *done) {
    const double first_shift = 1e-6, most_shift = 100; /* of damped steps; the matrix has the size 1 */
    nb_status status = NB_OK;
    nb_cone_problem *c = s->problem;
    int moved = 1, solved = 1, slow = 0;
    look(s, task);
    double start = s->norm, shift = first_shift;
    int damped = is_damped(s, task);
    *done = 0;
    for (int32_t k = 0; damped ? shift <= most_shift : moved; k++) {
        nb_cone_problem_begin(c, task->phase, s->x, s->own);
        *done = near_enough(s, task, start);
        if (c->solved || *done || k == task->iterations || (slow == 2 && task->eps == 0 && !damped)) break;
        assemble(s, task);
        double taken = 0, before = s->norm;
        if (!damped) shift = shift_of(s, task);
        NB_TRY(nb_cone_problem_factorise(c, shift + task->eps));
        NB_TRY(nb_cone_problem_solve(c, s->b, s->dx, &solved));
        moved = solved && search_line(s, task, damped ? MOST_HALVINGS_DAMPED : MOST_HALVINGS, &taken);
        if (damped) shift = next_shift(s, shift, taken, before);
        slow = taken < 0.2 ? slow + 1 : 0;
        NB_TRY(nb_cone_problem_end(c, taken, s->dx));
    }
out:
    return status;
}
