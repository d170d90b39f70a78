#include "cases.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "constraint/bilateral.h"
#include "constraint/cone_law.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_CONTACTS = 6,
    MOST_ROWS = 36,
    MOST_CASES = 12000,
    FACETS = 16,     /* of a cone whose friction may have any direction */
    SECTOR_ROWS = 8, /* inequalities of one that slides, at most; FACETS + 2 of others */
    MOST_COLUMNS = MOST_CONTACTS * (FACETS + 2) + MOST_ROWS,
    MOST_PIVOTS = 300 /* of least squares */
};

static const double pi = 3.14159265358979323846;
static const double narrow = 1e-3;                 /* [rad] a sector that is not split: no proof */
static const double units = 32, most_weight = 1e3; /* of a proof: of round-off that is left; sum of weights */

typedef enum state {
    UNDECIDED,
    OPEN,
    STICKS,
    SLIDES
} state;

typedef struct contact_case {
    state state;
    double from, to; /* of the direction of v_T [rad]; a full turn: any */
} contact_case;

typedef struct cases {
    nb_scaled_problem *problem;
    int32_t rows, bilaterals, contacts, count;
    contact_case of[MOST_CONTACTS];
    /* the case at hand: columns [rows + 1] of (g, h), and (e, f), which come first */
    int32_t columns, equations;
    double *d;             /* [rows][rows] v = D x + q */
    double *column, *work; /* [MOST_COLUMNS][rows + 1], each */
    double *weight, *trial, *right;
    int32_t *active; /* [MOST_COLUMNS] columns with a weight */
    nb_arena arena;
} cases;

static void lay_out(nb_arena *a, cases *s) {
    const int64_t size = s->rows + 1;
    NB_PLACE(a, (int64_t)s->rows * s->rows, &s->d);
    NB_PLACE(a, MOST_COLUMNS * size, &s->column);
    NB_PLACE(a, MOST_COLUMNS * size, &s->work);
    NB_PLACE(a, MOST_COLUMNS, &s->weight);
    NB_PLACE(a, MOST_COLUMNS, &s->trial);
    NB_PLACE(a, MOST_COLUMNS, &s->right);
    NB_PLACE(a, MOST_COLUMNS, &s->active);
}

/* ---- a case's inequalities ---- */

/* g.x <= h, or g.x = h where they are equations, for g of length 1 */
static double *add(cases *s) {
    double *g = s->column + (ptrdiff_t)s->columns++ * (s->rows + 1);
    memset(g, 0, (size_t)(s->rows + 1) * sizeof *g);
    return g;
}

static void add_impulse(double *g, int32_t row, double weight) {
    g[row] += weight;
}

static void add_velocity(const cases *s, double *g, int32_t row, double weight) {
    for (int32_t k = 0; k < s->rows; k++) g[k] += weight * s->d[(ptrdiff_t)row * s->rows + k];
    g[s->rows] -= weight * s->problem->q[row];
}

/* friction of any direction: |x_T| <= x_N, from outside */
static void add_cone(cases *s, int32_t first) {
    for (int k = 0; k < FACETS; k++) {
        double *g = add(s);
        add_impulse(g, first, -1);
        add_impulse(g, first + 1, cos(2 * pi * k / FACETS));
        add_impulse(g, first + 2, sin(2 * pi * k / FACETS));
    }
    add_impulse(add(s), first, -1);
}

/* c f <= n, f = -x_T in the direction `angle` */
static void add_friction(cases *s, int32_t first, double angle, double c, double n) {
    double *g = add(s);
    add_impulse(g, first, -n);
    add_impulse(g, first + 1, -c * cos(angle));
    add_impulse(g, first + 2, -c * sin(angle));
}

/* v_T to the left of the direction `angle`, for side 1, or to the right */
static void add_side(cases *s, int32_t first, double angle, double side) {
    double *g = add(s);
    add_velocity(s, g, first + 1, side * sin(angle));
    add_velocity(s, g, first + 2, -side * cos(angle));
}

static void add_sector(cases *s, int32_t first, double from, double to) {
    const double middle = (from + to) / 2, half = pi / 2;
    add_side(s, first, from, 1);
    add_side(s, first, to, -1);
    add_friction(s, first, from, 1, 1);
    add_friction(s, first, middle, 1, 1);
    add_friction(s, first, to, 1, 1);
    add_friction(s, first, middle, -1, -cos((to - from) / 2)); /* beyond the chord */
    add_friction(s, first, from - half, 1, 0);
    add_friction(s, first, to + half, 1, 0);
}

static void add_equations(cases *s) {
    for (int32_t r = 0; r < s->bilaterals; r++) add_velocity(s, add(s), r, 1);
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t first = nb_scaled_problem_first(s->problem, i);
        const state is = s->of[i].state;
        if (is == UNDECIDED) continue;
        for (int k = 0; k < (is == SLIDES ? 1 : 3); k++)
            if (is == OPEN)
                add_impulse(add(s), first + k, 1);
            else
                add_velocity(s, add(s), first + k, 1);
    }
    s->equations = s->columns;
}

static void list_inequalities(cases *s) {
    s->columns = 0;
    add_equations(s);
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t first = nb_scaled_problem_first(s->problem, i);
        const contact_case *is = &s->of[i];
        if (is->state == UNDECIDED || is->state == OPEN) add_velocity(s, add(s), first, -1);
        if (is->state == SLIDES && is->to - is->from < pi)
            add_sector(s, first, is->from, is->to);
        else if (is->state != OPEN)
            add_cone(s, first);
    }
    for (int32_t j = 0; j < s->columns; j++) {
        double *g = s->column + (ptrdiff_t)j * (s->rows + 1), sum = 0;
        for (int32_t k = 0; k < s->rows; k++) sum += g[k] * g[k];
        for (int32_t k = 0; sum > 0 && k <= s->rows; k++) g[k] /= sqrt(sum);
    }
}

/* ---- whether the case is empty ---- */

/* the weights of `count` active columns that bring their sum nearest to (0, -1); 0: none were found */
static int fit(cases *s, int32_t count) {
    const lapack_int size = s->rows + 1;
    lapack_int pivot[MOST_COLUMNS] = {0}, rank;
    for (int32_t j = 0; j < count; j++)
        memcpy(s->work + (ptrdiff_t)j * size, s->column + (ptrdiff_t)s->active[j] * size,
               (size_t)size * sizeof *s->work);
    memset(s->trial, 0, MOST_COLUMNS * sizeof *s->trial);
    s->trial[size - 1] = -1;
    return LAPACKE_dgelsy(LAPACK_COL_MAJOR, size, count, 1, s->work, size, s->trial, MOST_COLUMNS, pivot, 1e-11,
                          &rank) == 0;
}

/* right = (0, -1) less the sum of the weighted columns */
static void find_rest(cases *s, int32_t count) {
    memset(s->right, 0, (size_t)(s->rows + 1) * sizeof *s->right);
    s->right[s->rows] = -1;
    for (int32_t j = 0; j < count; j++) {
        const double *g = s->column + (ptrdiff_t)s->active[j] * (s->rows + 1), weight = s->weight[s->active[j]];
        for (int32_t k = 0; k <= s->rows; k++) s->right[k] -= weight * g[k];
    }
}

/* Whether the rest is round-off of what makes it up, of weights that are not large: a solution has impulses of the
 * rest's inverse, or more. Columns have the length 1. */
static int proves(const cases *s, int32_t count) {
    double weights = 0, rest = 0;
    for (int32_t j = 0; j < count; j++) weights += fabs(s->weight[s->active[j]]);
    for (int32_t k = 0; k < s->rows; k++) rest += fabs(s->right[k]);
    return rest <= units * (double)NB_REAL_EPSILON * weights && weights <= most_weight && fabs(s->right[s->rows]) < 0.1;
}

/* the inactive column that comes nearest to what is left; -1: none */
static int32_t choose_column(const cases *s, int32_t count) {
    int32_t best = -1;
    double most = 1e-9;
    for (int32_t j = s->equations; j < s->columns; j++) {
        const double *g = s->column + (ptrdiff_t)j * (s->rows + 1);
        double along = 0;
        int used = 0;
        for (int32_t k = s->equations; k < count; k++) used |= s->active[k] == j;
        for (int32_t k = 0; k <= s->rows; k++) along += g[k] * s->right[k];
        if (used || !(along > most)) continue;
        most = along;
        best = j;
    }
    return best;
}

/* Moves the weights to the fit, as far as they stay positive; the number of columns that stay active. */
static int32_t take_fit(cases *s, int32_t count, int *whole) {
    double length = 1;
    int32_t stay = s->equations;
    *whole = 1;
    for (int32_t j = s->equations; j < count; j++) {
        const double now = s->weight[s->active[j]];
        if (s->trial[j] <= 0) length = fmin(length, now / (now - s->trial[j]));
    }
    *whole = length == 1;
    for (int32_t j = 0; j < count; j++) {
        const int32_t column = s->active[j];
        s->weight[column] += length * (s->trial[j] - s->weight[column]);
        if (j < s->equations) continue;
        if (!*whole && s->trial[j] <= 0 && s->weight[column] <= 1e-14 * fabs(s->trial[j])) {
            s->weight[column] = 0;
            continue;
        }
        s->active[stay++] = column;
    }
    return stay;
}

static int is_empty(cases *s) {
    int32_t count;
    list_inequalities(s);
    count = s->equations;
    memset(s->weight, 0, MOST_COLUMNS * sizeof *s->weight);
    for (int32_t j = 0; j < count; j++) s->active[j] = j;
    for (int pivots = 0, whole = 1; pivots < MOST_PIVOTS; pivots++) {
        if (count > 0) {
            if (!fit(s, count)) return 0;
            const int32_t before = count;
            count = take_fit(s, count, &whole);
            if (!whole && count < before) continue;
        }
        find_rest(s, count);
        if (proves(s, count)) return 1;
        const int32_t next = choose_column(s, count);
        if (next < 0) return 0;
        s->active[count++] = next;
    }
    return 0;
}

/* ---- the tree of cases ---- */

static int refute(cases *s);

static int refute_with(cases *s, int32_t contact, contact_case is) {
    const contact_case before = s->of[contact];
    s->of[contact] = is;
    const int done = refute(s);
    s->of[contact] = before;
    return done;
}

static int refute_parts(cases *s, int32_t contact) {
    const contact_case is = s->of[contact];
    const int parts = is.to - is.from > pi ? 4 : 2;
    for (int k = 0; k < parts; k++) {
        const double width = (is.to - is.from) / parts;
        if (!refute_with(s, contact, (contact_case){SLIDES, is.from + k * width, is.from + (k + 1) * width})) return 0;
    }
    return 1;
}

/* whether all of the case at hand is empty; 0: not shown */
static int refute(cases *s) {
    int32_t widest = -1;
    if (++s->count > MOST_CASES || nb_interrupt_requested()) return 0;
    if (is_empty(s)) return 1;
    for (int32_t i = 0; i < s->contacts; i++)
        if (s->of[i].state == UNDECIDED)
            return refute_with(s, i, (contact_case){OPEN, 0, 0}) && refute_with(s, i, (contact_case){STICKS, 0, 0}) &&
                   refute_with(s, i, (contact_case){SLIDES, 0, 2 * pi});
    for (int32_t i = 0; i < s->contacts; i++)
        if (s->of[i].state == SLIDES &&
            (widest < 0 || s->of[i].to - s->of[i].from > s->of[widest].to - s->of[widest].from))
            widest = i;
    if (widest < 0 || s->of[widest].to - s->of[widest].from < narrow) return 0;
    return refute_parts(s, widest);
}

static int applies(const nb_scaled_problem *c) {
    if (NB_REAL_BITS != 64 || c->settings->mixed || c->box.blocks > 0) return 0;
    if (c->contacts == 0 || c->contacts > MOST_CONTACTS || c->rows > MOST_ROWS) return 0;
    for (int32_t i = 0; i < c->range_count; i++) {
        const nb_law_range *range = &c->ranges[i];
        if (range->law->type == &nb_bilateral_class) continue;
        if (range->law->type != &nb_cone_class) return 0;
        for (int32_t k = 0; k < range->blocks; k++)
            if (!(((const nb_cone_law *)range->law)->mu[range->first + k] > 0)) return 0;
    }
    return 1;
}

/* D, column by column */
static void find_matrix(cases *s) {
    nb_scaled_problem *c = s->problem;
    double *x = s->trial, *v = s->right;
    for (int32_t k = 0; k < s->rows; k++) {
        memset(x, 0, (size_t)s->rows * sizeof *x);
        x[k] = 1;
        nb_scaled_problem_velocity(c, x, v);
        for (int32_t r = 0; r < s->rows; r++) s->d[(ptrdiff_t)r * s->rows + k] = v[r] - c->q[r];
    }
}

nb_status nb_cases_refute(nb_scaled_problem *c, int *found, int32_t *count) {
    nb_status status = NB_OK;
    cases s = {.problem = c, .rows = c->rows, .bilaterals = c->bilaterals, .contacts = c->contacts};
    *found = 0;
    *count = 0;
    if (!applies(c)) return NB_OK;
    nb_arena_measure(&s.arena);
    lay_out(&s.arena, &s);
    NB_TRY(nb_arena_reserve(&s.arena));
    lay_out(&s.arena, &s);
    find_matrix(&s);
    *found = refute(&s);
    *count = s.count;
    NB_TRY(nb_interrupt_check());
out:
    nb_arena_clear(&s.arena);
    return status;
}
