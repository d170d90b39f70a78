#include "interior_step.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "constraint/box.h"
#include "constraint/cone_law.h"

NB_PRECISIONS(f32, f64);

static const double to_boundary = 0.99, short_step = 0.1;

/* of tau, on the diagonal of contacts: keeps steps along impulses that cancel from running away */
static const double shift = 1e-3;

static void lay_out(nb_arena *a, nb_interior *s) {
    double **vectors[] = {&s->x, &s->v, &s->residual, &s->dx, &s->dx_best, &s->b};
    double **of_cones[] = {&s->y, &s->dy, &s->dy_best, &s->g};
    int64_t rows = s->problem->rows, own = 3 * (int64_t)s->cones;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) NB_PLACE(a, rows, vectors[i]);
    for (size_t i = 0; i < sizeof of_cones / sizeof *of_cones; i++) NB_PLACE(a, own > rows ? own : rows, of_cones[i]);
    NB_PLACE(a, 2 * (int64_t)s->cones, &s->t);
    NB_PLACE(a, s->cones, &s->scaling);
    NB_PLACE(a, s->cones, &s->cone);
}

/* ---- the cones, whose entries lie in the rows of contacts ---- */

static int32_t count_cones(const nb_scaled_problem *p) {
    int32_t count = 0;
    for (int32_t i = 0; i < p->range_count; i++) count += p->ranges[i].blocks * p->ranges[i].law->type->cones;
    return count;
}

/* and how many rows have one */
static int32_t count_bounds(const nb_scaled_problem *p, int32_t *limits) {
    const nb_box_law *law = (const nb_box_law *)p->box.law;
    int32_t count = 0;
    for (int32_t i = p->box.first; i < p->box.first + p->box.blocks; i++)
        count += !isinf(law->lower[i]) + !isinf(law->upper[i]),
            *limits += !isinf(law->lower[i]) != !isinf(law->upper[i]);
    return count;
}

/* of block k of a range */
static int32_t first_row(const nb_scaled_problem *p, int32_t range, int32_t k) {
    return p->ranges[range].first_row + p->ranges[range].law->type->rows * k;
}

static void list_cones(nb_interior *s) {
    const nb_scaled_problem *p = s->problem;
    int32_t count = 0;
    for (int32_t i = 0; i < p->range_count; i++) {
        const nb_law_class *type = p->ranges[i].law->type;
        for (int32_t k = 0; k < p->ranges[i].blocks; k++)
            for (int32_t c = 0; c < type->cones; c++, count++)
                s->cone[count] =
                    (nb_interior_cone){{first_row(p, i, k) + type->cone[c][0], first_row(p, i, k) + type->cone[c][1],
                                        first_row(p, i, k) + type->cone[c][2]},
                                       1,
                                       0};
    }
}

/* the half-lines of the present unit */
static void list_bounds(nb_interior *s) {
    const nb_scaled_problem *p = s->problem;
    int32_t count = s->of_contacts;
    for (int32_t i = 0; i < p->box.blocks; i++) {
        const int32_t row = p->box.first_row + i;
        double bounds[2];
        nb_scaled_problem_bounds(p, i, bounds);
        if (!isinf(bounds[0])) s->cone[count++] = (nb_interior_cone){{row, -1, -1}, 1, -bounds[0]};
        if (!isinf(bounds[1])) s->cone[count++] = (nb_interior_cone){{row, -1, -1}, -1, bounds[1]};
    }
}

/* what cone i has of the rows `x` of a direction */
static void gather(const nb_interior *s, int32_t i, const double *x, double entry[3]) {
    const nb_interior_cone *cone = &s->cone[i];
    entry[0] = cone->sign * x[cone->row[0]];
    for (int k = 1; k < 3; k++) entry[k] = cone->row[k] < 0 ? 0 : x[cone->row[k]];
}

/* what it has of the iterate */
static void gather_iterate(const nb_interior *s, int32_t i, double entry[3]) {
    gather(s, i, s->x, entry);
    entry[0] += s->cone[i].offset;
}

/* adds what cone i has to its rows */
static void scatter(const nb_interior *s, int32_t i, double weight, const double entry[3], double *rows) {
    const nb_interior_cone *cone = &s->cone[i];
    rows[cone->row[0]] += weight * cone->sign * entry[0];
    for (int k = 1; k < 3; k++)
        if (cone->row[k] >= 0) rows[cone->row[k]] += weight * entry[k];
}

nb_status nb_interior_create(nb_scaled_problem *problem, nb_interior **interior) {
    nb_status status;
    nb_interior *s = NULL;
    *interior = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    s->problem = problem;
    s->of_contacts = count_cones(problem);
    s->cones = s->of_contacts + count_bounds(problem, &s->limits);
    for (int32_t i = 0; i < problem->range_count; i++) s->relaxed |= problem->ranges[i].law->type == &nb_relaxed_class;
    lay_out(&s->arena, s);
    NB_TRY(nb_arena_reserve(&s->arena));
    lay_out(&s->arena, s);
    list_cones(s);
    *interior = s;
    return NB_OK;
out:
    nb_interior_destroy(s);
    return status;
}

void nb_interior_destroy(nb_interior *s) {
    if (!s) return;
    nb_arena_clear(&s->arena);
    nb_free(s);
}

/* x inside the bounds: `reach` from one, in the middle of two */
static void start_boxes(nb_interior *s, double reach) {
    const nb_scaled_problem *p = s->problem;
    for (int32_t i = 0; i < p->box.blocks; i++) {
        double bounds[2];
        nb_scaled_problem_bounds(p, i, bounds);
        s->x[p->box.first_row + i] = isinf(bounds[0]) && isinf(bounds[1]) ? 0
                                     : isinf(bounds[0])                   ? bounds[1] - reach
                                     : isinf(bounds[1])                   ? bounds[0] + reach
                                                                          : (bounds[0] + bounds[1]) / 2;
    }
}

void nb_interior_start(nb_interior *s, double size, double reach, double theta) {
    memset(s->x, 0, (size_t)s->problem->rows * sizeof *s->x);
    memset(s->y, 0, 3 * (size_t)s->cones * sizeof *s->y);
    list_bounds(s);
    for (int32_t i = 0; i < s->of_contacts; i++) s->x[s->cone[i].row[0]] = size;
    start_boxes(s, reach);
    for (int32_t i = 0; i < s->cones; i++) {
        double x[3];
        gather_iterate(s, i, x);
        s->y[3 * (ptrdiff_t)i] = x[0] < size ? size * size / x[0] : size;
    }
    s->theta = s->relaxed ? 0 : theta;
    s->idle = 0;
}

int nb_interior_restart(nb_interior *s, const double *x, double size) {
    nb_scaled_problem *c = s->problem;
    if (s->cones != c->contacts) return 0;
    memcpy(s->x, x, (size_t)c->rows * sizeof *s->x);
    nb_scaled_problem_velocity(c, s->x, s->v);
    for (int32_t i = 0; i < s->cones; i++) {
        double *y = s->y + 3 * (ptrdiff_t)i, from[3], to[3];
        gather(s, i, s->x, from);
        gather(s, i, s->v, y);
        if (!s->relaxed) y[0] += sqrt(y[1] * y[1] + y[2] * y[2]);
        for (int k = 0; k < 3; k++) from[k] -= y[k], y[k] = -from[k];
        nb_cone_project(from, to);
        nb_cone_project(y, y);
        to[0] += size;
        y[0] += size;
        for (int k = 0; k < 3; k++) s->x[s->cone[i].row[k]] = to[k];
    }
    s->theta = !s->relaxed;
    s->idle = 0;
    return 1;
}

static double product(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double nb_interior_measure(nb_interior *s) {
    nb_scaled_problem *c = s->problem;
    double sum = 0;
    nb_scaled_problem_velocity(c, s->x, s->v);
    memcpy(s->residual, s->v, (size_t)c->rows * sizeof *s->v);
    for (int32_t i = 0; i < s->cones; i++) {
        const double *y = s->y + 3 * (ptrdiff_t)i;
        double x[3];
        gather_iterate(s, i, x);
        sum += product(x, y);
        scatter(s, i, -1, y, s->residual);
        if (!s->relaxed) s->residual[s->cone[i].row[0]] += sqrt(y[1] * y[1] + y[2] * y[2]);
    }
    s->tau = s->cones > 0 ? sum / s->cones : 0;
    return nb_scaled_problem_natural(c, 1, s->x, s->v, s->b);
}

/* ---- the linear system ---- */

/* a_N -= theta t . a_T */
static void apply_tilt(double theta, const double t[2], double *a) {
    a[0] -= theta * (t[0] * a[1] + t[1] * a[2]);
}

/* the part of cone i, N F^2, of a contact's block [rows][rows] that begins at `first` */
static void add_cone(nb_interior *s, int32_t i, int32_t first, int32_t rows, double *block) {
    const double *y = s->y + 3 * (ptrdiff_t)i;
    double x[3], own[9], *t = s->t + 2 * (ptrdiff_t)i, length = sqrt(y[1] * y[1] + y[2] * y[2]);
    gather_iterate(s, i, x);
    nb_cone_scale(x, y, &s->scaling[i]);
    for (int k = 0; k < 2; k++) t[k] = length > 0 ? y[1 + k] / length : 0;
    nb_cone_square(&s->scaling[i], own);
    for (int k = 0; k < 3; k++) own[k] -= s->theta * (t[0] * own[3 + k] + t[1] * own[6 + k]);
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            block[rows * (s->cone[i].row[j] - first) + s->cone[i].row[k] - first] += own[3 * j + k];
}

/* the entries of rows with bounds */
static void assemble_boxes(nb_interior *s) {
    nb_scaled_problem *c = s->problem;
    int32_t next = s->of_contacts;
    for (int32_t i = 0; i < c->box.blocks; i++) {
        const int32_t row = c->box.first_row + i;
        double entry = 0;
        for (; next < s->cones && s->cone[next].row[0] == row; next++) {
            double x[3], *t = s->t + 2 * (ptrdiff_t)next;
            gather_iterate(s, next, x);
            nb_cone_scale(x, s->y + 3 * (ptrdiff_t)next, &s->scaling[next]);
            t[0] = t[1] = 0;
            entry += s->y[3 * (ptrdiff_t)next] / x[0];
        }
        nb_scaled_problem_box_entry(c, i, entry);
    }
}

static void assemble(nb_interior *s) {
    nb_scaled_problem *c = s->problem;
    const int32_t rows = c->contact_rows, cones = c->contacts > 0 ? s->of_contacts / c->contacts : 0;
    assemble_boxes(s);
    for (int32_t i = 0; i < c->contacts; i++) {
        double block[NB_BLOCK_ROWS * NB_BLOCK_ROWS] = {0};
        for (int32_t k = 0; k < cones; k++) add_cone(s, cones * i + k, nb_scaled_problem_first(c, i), rows, block);
        for (int32_t k = 0; k < rows; k++) block[(rows + 1) * k] += shift * s->tau;
        nb_scaled_problem_block(c, i, block);
    }
}

/* dx and dy for g in the contacts and `weight` times the residual */
static nb_status find_direction(nb_interior *s, double weight, double *dx, double *dy, int *solved) {
    nb_status status;
    nb_scaled_problem *c = s->problem;
    for (int32_t r = 0; r < c->rows; r++) s->b[r] = -weight * s->residual[r];
    for (int32_t i = 0; i < s->cones; i++) {
        double f[3];
        nb_cone_apply(&s->scaling[i], s->g + 3 * (ptrdiff_t)i, f);
        memcpy(dy + 3 * (ptrdiff_t)i, f, sizeof f);
        apply_tilt(s->theta, s->t + 2 * (ptrdiff_t)i, f);
        scatter(s, i, 1, f, s->b);
    }
    NB_TRY(nb_scaled_problem_solve(c, s->b, dx, solved));
    for (int32_t i = 0; i < s->cones; i++) {
        double h[3];
        gather(s, i, dx, h);
        nb_cone_apply(&s->scaling[i], h, h);
        nb_cone_apply(&s->scaling[i], h, h);
        for (int k = 0; k < 3; k++) dy[3 * (ptrdiff_t)i + k] -= h[k];
    }
out:
    return status;
}

/* ---- the step's length and what it leads to ---- */

/* a NaN is no length: it stays */
static void shorten(double *length, double step) {
    if (!(step >= *length)) *length = step;
}

static double step_length(const nb_interior *s, const double *dx, const double *dy) {
    double length = 1 / to_boundary;
    for (int32_t i = 0; i < s->cones; i++) {
        double x[3], step[3];
        gather_iterate(s, i, x);
        gather(s, i, dx, step);
        shorten(&length, nb_cone_step(x, step));
        shorten(&length, nb_cone_step(s->y + 3 * (ptrdiff_t)i, dy + 3 * (ptrdiff_t)i));
    }
    return to_boundary * length;
}

static double complementarity_after(const nb_interior *s, double t, const double *dx, const double *dy) {
    double sum = 0;
    for (int32_t i = 0; i < s->cones; i++) {
        double x[3], step[3];
        gather_iterate(s, i, x);
        gather(s, i, dx, step);
        for (int k = 0; k < 3; k++) {
            const ptrdiff_t own = 3 * (ptrdiff_t)i + k;
            sum += (x[k] + t * step[k]) * (s->y[own] + t * dy[own]);
        }
    }
    return sum / s->cones;
}

/* ---- right-hand sides g = lambda^-1 o r_c ---- */

/* g = -lambda */
static void aim_at_zero(nb_interior *s) {
    for (int32_t i = 0; i < s->cones; i++)
        for (int k = 0; k < 3; k++) s->g[3 * (ptrdiff_t)i + k] = -s->scaling[i].lambda[k];
}

/* g += lambda^-1 o (tau e) */
static void aim_at_centre(nb_interior *s, double tau) {
    for (int32_t i = 0; i < s->cones; i++) {
        double r[3] = {tau, 0, 0};
        nb_cone_divide(s->scaling[i].lambda, s->scaling[i].determinant, r, r);
        for (int k = 0; k < 3; k++) s->g[3 * (ptrdiff_t)i + k] += r[k];
    }
}

/* g -= lambda^-1 o (F dx o F^-1 dy), Mehrotra's second-order term of the predictor */
static void correct(nb_interior *s, const double *dx, const double *dy) {
    for (int32_t i = 0; i < s->cones; i++) {
        double a[3], b[3];
        gather(s, i, dx, a);
        nb_cone_apply(&s->scaling[i], a, a);
        nb_cone_apply_inverse(&s->scaling[i], dy + 3 * (ptrdiff_t)i, b);
        nb_cone_product(a, b, a);
        nb_cone_divide(s->scaling[i].lambda, s->scaling[i].determinant, a, a);
        for (int k = 0; k < 3; k++) s->g[3 * (ptrdiff_t)i + k] -= a[k];
    }
}

static double clip(double value, double low, double high) {
    /* what is too large is not taken back all at once (Gondzio) */
    if (value < low) return low - value;
    return value > high ? fmax(high - value, -high) : 0;
}

/* g += lambda^-1 o what brings the products at a longer step near target e */
static void centre_products(nb_interior *s, double t, double target, const double *dx, const double *dy) {
    for (int32_t i = 0; i < s->cones; i++) {
        const nb_cone_scaling *scaling = &s->scaling[i];
        double a[3], b[3];
        gather(s, i, dx, a);
        nb_cone_apply(scaling, a, a);
        nb_cone_apply_inverse(scaling, dy + 3 * (ptrdiff_t)i, b);
        for (int k = 0; k < 3; k++) {
            a[k] = scaling->lambda[k] + t * a[k];
            b[k] = scaling->lambda[k] + t * b[k];
        }
        nb_cone_product(a, b, a);
        double length = sqrt(a[1] * a[1] + a[2] * a[2]);
        double low = clip(a[0] - length, 0.1 * target, 10 * target),
               high = clip(a[0] + length, 0.1 * target, 10 * target);
        double along = length > 0 ? (high - low) / (2 * length) : 0;
        a[0] = (high + low) / 2;
        const int32_t tangent = s->cone[i].row[1];
        if (tangent < 0 || !(s->problem->s[tangent] > 0)) a[0] = high, along = 0; /* without friction */
        a[1] *= along;
        a[2] *= along;
        nb_cone_divide(scaling->lambda, scaling->determinant, a, a);
        for (int k = 0; k < 3; k++) s->g[3 * (ptrdiff_t)i + k] += a[k];
    }
}

/* ---- the step ---- */

static void keep(nb_interior *s, double alpha) {
    double *dx = s->dx, *dy = s->dy;
    s->alpha = alpha;
    s->dx = s->dx_best;
    s->dy = s->dy_best;
    s->dx_best = dx;
    s->dy_best = dy;
}

/* the direction of the present g into dx_best where its step is longer than the one kept */
static nb_status try_direction(nb_interior *s, double weight, double gain) {
    nb_status status;
    int solved;
    NB_TRY(find_direction(s, weight, s->dx, s->dy, &solved));
    if (!solved) return NB_OK;
    double alpha = step_length(s, s->dx, s->dy);
    if (alpha > gain * s->alpha) keep(s, alpha);
out:
    return status;
}

static nb_status predict_and_correct(nb_interior *s) {
    nb_status status;
    aim_at_zero(s);
    NB_TRY(try_direction(s, 1, 0));
    double ratio = complementarity_after(s, s->alpha, s->dx_best, s->dy_best) / s->tau;
    double predicted = s->alpha;
    s->sigma = fmin(1, pow(fmax(ratio, 0), 3));
    if (predicted < short_step) s->sigma = fmax(s->sigma, 0.5);
    aim_at_zero(s);
    if (predicted >= short_step) correct(s, s->dx_best, s->dy_best);
    aim_at_centre(s, s->sigma * s->tau);
    s->alpha = 0;
    NB_TRY(try_direction(s, 1, 0));
out:
    return status;
}

/* Pure centring where the corrected step is short, with less and less of the residual; with nothing of it only once,
 * since a second time would change nothing. */
static nb_status centre(nb_interior *s) {
    static const double weights[] = {1, 0.3, 0};
    nb_status status = NB_OK;
    int idle = 0, count = s->idle ? 2 : 3;
    for (int i = 0; i < count && s->alpha < short_step; i++) {
        double before = s->alpha;
        aim_at_zero(s);
        aim_at_centre(s, s->tau);
        NB_TRY(try_direction(s, weights[i], 1));
        if (!(s->alpha > before)) continue;
        s->sigma = 1;
        idle = i == 2;
    }
    s->idle = idle;
out:
    return status;
}

static nb_status correct_further(nb_interior *s) {
    nb_status status = NB_OK;
    for (int i = 0; i < 2 && s->alpha > 0 && s->alpha < 0.5; i++) {
        double before = s->alpha;
        aim_at_zero(s);
        correct(s, s->dx_best, s->dy_best);
        aim_at_centre(s, s->sigma * s->tau);
        centre_products(s, fmin(1, 2 * s->alpha + 0.1), s->sigma * s->tau, s->dx_best, s->dy_best);
        NB_TRY(try_direction(s, 1, 1.1));
        if (!(s->alpha > before)) break;
    }
out:
    return status;
}

/* of a row with one bound: how far velocities without impulses leave it open */
static int is_limit(const nb_scaled_problem *c, int32_t i, double *open) {
    double bounds[2];
    nb_scaled_problem_bounds(c, i, bounds);
    *open = isinf(bounds[0]) ? -c->q[c->box.first_row + i] : c->q[c->box.first_row + i];
    return isinf(bounds[0]) != isinf(bounds[1]);
}

nb_status nb_interior_reach(nb_interior *s, double size, double *reach) {
    static const double held = 1e-6, left = 1e6; /* compliances of limits that are near, and of other rows */
    const double most = NB_REAL_BITS == 64 ? 1e7 : 1e3;
    nb_status status;
    nb_scaled_problem *c = s->problem;
    double identity[NB_BLOCK_ROWS * NB_BLOCK_ROWS] = {0}, largest = size, open;
    int solved;
    for (int32_t k = 0; k < c->contact_rows; k++) identity[(c->contact_rows + 1) * k] = 1;
    for (int32_t i = 0; i < c->contacts; i++) nb_scaled_problem_block(c, i, identity);
    for (int32_t i = 0; i < c->box.blocks; i++)
        nb_scaled_problem_box_entry(c, i, is_limit(c, i, &open) && open < 1 ? held : left);
    nb_scaled_problem_set_matrix(c, 1e-12);
    for (int32_t r = 0; r < c->rows; r++) s->b[r] = -c->q[r];
    NB_TRY(nb_scaled_problem_solve(c, s->b, s->dx, &solved));
    for (int32_t i = 0; solved && i < c->box.blocks; i++)
        if (is_limit(c, i, &open)) nb_raise(&largest, fabs(s->dx[c->box.first_row + i]));
    *reach = isfinite(largest) ? fmin(largest, most * size) : size;
out:
    return status;
}

nb_status nb_interior_step(nb_interior *s) {
    nb_status status;
    nb_scaled_problem *c = s->problem;
    assemble(s);
    nb_scaled_problem_set_matrix(c, 1e-12);
    s->alpha = 0;
    s->sigma = 0;
    if (s->cones > 0) {
        NB_TRY(predict_and_correct(s));
        NB_TRY(centre(s));
        NB_TRY(correct_further(s));
    } else {
        NB_TRY(try_direction(s, 1, 0));
    }
    for (int32_t r = 0; r < c->rows; r++) s->x[r] += s->alpha * s->dx_best[r];
    for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)s->cones; i++) s->y[i] += s->alpha * s->dy_best[i];
    if (s->relaxed) return NB_OK; /* theta stays 0 */
    if (s->alpha < short_step) s->theta = fmax(0.5, s->theta - 0.3);
    if (s->alpha > 0.5) s->theta = fmin(1, s->theta + 0.05);
out:
    return status;
}
