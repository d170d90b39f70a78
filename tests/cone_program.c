#include "cone_program.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "convex/convex_set.h"
#include "method/single_level/cone_block.h"

enum {
    MOST_ITERATIONS = 100,
    CONE_ROWS = NB_CONVEX_CONE_ROWS
};

static const double TO_BOUNDARY = 0.99, LEAST_CENTRING = 1e-4, GOOD_ENOUGH = 1e-7;

/* places in the work: vectors over rows, then over unknowns, then the matrix of the normal equations */
typedef struct vectors {
    double *w;      /* scaling: of a half-line its weight; of a cone eta w, with w of hyperbolic length 1 */
    double *eta;    /* of a cone, at its first row */
    double *scaled; /* lambda = W z = W^-1 s */
    double *d;      /* right-hand side of the complementarity, divided by lambda */
    double *ds, *dz, *rows;
    double *dx, *dual, *matrix;
    double *best; /* x, s and z of the best iterate */
} vectors;

static vectors vectors_of(const nb_cone_program *p) {
    vectors v = {.w = p->work};
    v.eta = v.w + p->rows, v.scaled = v.eta + p->rows, v.d = v.scaled + p->rows, v.ds = v.d + p->rows;
    v.dz = v.ds + p->rows, v.rows = v.dz + p->rows, v.dx = v.rows + p->rows, v.dual = v.dx + p->unknowns;
    v.matrix = v.dual + p->unknowns;
    v.best = v.matrix + (int64_t)p->unknowns * p->unknowns;
    return v;
}

nb_status nb_cone_program_reserve(int32_t unknowns, int32_t rows, int32_t block_count, nb_cone_program *program) {
    const int64_t n = unknowns, m = rows;
    int64_t numbers = 2 * n + m * n + 3 * m + (7 * m + 2 * n + n * n) + (n + 2 * m) + block_count;
    nb_status status = NB_RESERVE(numbers, &program->capacity, &program->memory);
    if (status != NB_OK) return status;
    memset(program->memory, 0, (size_t)numbers * sizeof *program->memory);
    program->unknowns = unknowns, program->rows = rows, program->block_count = block_count;
    program->c = program->memory;
    program->x = program->c + n;
    program->g = program->x + n;
    program->h = program->g + m * n;
    program->s = program->h + m;
    program->z = program->s + m;
    program->work = program->z + m;
    program->block_rows = (int32_t *)(void *)(program->work + 9 * m + 3 * n + n * n);
    return NB_OK;
}

void nb_cone_program_clear(nb_cone_program *program) {
    nb_free(program->memory);
    *program = (nb_cone_program){0};
}

static double dot(int32_t n, const double *u, const double *v) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += u[i] * v[i];
    return sum;
}

static void apply_scaling(const nb_cone_program *p, const vectors *v, double sign, const double *from, double *to) {
    for (int32_t k = 0, i = 0; k < p->block_count; i += p->block_rows[k++])
        if (p->block_rows[k] == 1)
            to[i] = sign > 0 ? v->w[i] * from[i] : from[i] / v->w[i];
        else
            nb_cone_block_apply(p->block_rows[k], v->w + i, v->eta[i], sign, from + i, to + i);
}

/* ---- one step ---- */

/* 0 where an iterate has left the cones by round-off */
static int find_scaling(const nb_cone_program *p, vectors *v) {
    for (int32_t k = 0, i = 0; k < p->block_count; i += p->block_rows[k++]) {
        int32_t n = p->block_rows[k];
        if (n == 1) {
            if (!(p->s[i] > 0 && p->z[i] > 0)) return 0;
            v->w[i] = sqrt(p->s[i] / p->z[i]);
        } else {
            if (!(p->s[i] > 0 && p->z[i] > 0 && nb_cone_block_determinant(n, p->s + i) > 0 &&
                  nb_cone_block_determinant(n, p->z + i) > 0))
                return 0;
            nb_cone_block_scale(n, p->s + i, p->z + i, v->w + i, &v->eta[i]);
        }
    }
    apply_scaling(p, v, 1, p->z, v->scaled);
    return 1;
}

/* adds (W^-1 G)^T (W^-1 G) of one block to the upper triangle */
static void add_block(const nb_cone_program *p, const vectors *v, int32_t first, int32_t n) {
    const int32_t m = p->unknowns;
    const double *g = p->g + (int64_t)first * m;
    double column[CONE_ROWS] = {0}, scaled[CONE_ROWS] = {0};
    for (int32_t a = 0; a < m; a++) {
        for (int32_t i = 0; i < n; i++) column[i] = g[(int64_t)i * m + a];
        if (n == 1) {
            scaled[0] = column[0] / (v->w[first] * v->w[first]);
        } else { /* W^-2 = W^-1 W^-1 */
            double once[CONE_ROWS];
            nb_cone_block_apply(n, v->w + first, v->eta[first], -1, column, once);
            nb_cone_block_apply(n, v->w + first, v->eta[first], -1, once, scaled);
        }
        for (int32_t b = 0; b <= a; b++)
            for (int32_t i = 0; i < n; i++) v->matrix[(int64_t)b * m + a] += g[(int64_t)i * m + b] * scaled[i];
    }
}

/* Cholesky's R^T R in the upper triangle. A pivot that round-off has left nothing of gets a large number: that unknown
 * does not move. */
static void factorise(int32_t n, double *a) {
    for (int32_t j = 0; j < n; j++) {
        double *row = a + (int64_t)j * n, whole = row[j];
        for (int32_t k = 0; k < j; k++) row[j] -= a[(int64_t)k * n + j] * a[(int64_t)k * n + j];
        double pivot = row[j] > 1e-15 * whole ? sqrt(row[j]) : 1e100;
        row[j] = pivot;
        for (int32_t i = j + 1; i < n; i++) {
            for (int32_t k = 0; k < j; k++) row[i] -= a[(int64_t)k * n + j] * a[(int64_t)k * n + i];
            row[i] /= pivot;
        }
    }
}

static void solve_factored(int32_t n, const double *a, double *x) {
    for (int32_t j = 0; j < n; j++) {
        for (int32_t k = 0; k < j; k++) x[j] -= a[(int64_t)k * n + j] * x[k];
        x[j] /= a[(int64_t)j * n + j];
    }
    for (int32_t j = n - 1; j >= 0; j--) {
        for (int32_t i = j + 1; i < n; i++) x[j] -= a[(int64_t)j * n + i] * x[i];
        x[j] /= a[(int64_t)j * n + j];
    }
}

/* The direction with W dz + W^-1 ds = -d, G dx + ds = 0 and G^T dz = -dual; d is what lambda takes to the right-hand
 * side of the complementarity. */
static void direction(const nb_cone_program *p, const vectors *v) {
    const int32_t n = p->unknowns;
    apply_scaling(p, v, -1, v->d, v->rows);
    for (int32_t a = 0; a < n; a++) {
        v->dx[a] = -v->dual[a];
        for (int32_t i = 0; i < p->rows; i++) v->dx[a] += p->g[(int64_t)i * n + a] * v->rows[i];
    }
    solve_factored(n, v->matrix, v->dx);
    for (int32_t i = 0; i < p->rows; i++) v->ds[i] = -dot(n, p->g + (int64_t)i * n, v->dx);
    apply_scaling(p, v, -1, v->ds, v->rows);
    for (int32_t i = 0; i < p->rows; i++) v->rows[i] = -v->d[i] - v->rows[i];
    apply_scaling(p, v, -1, v->rows, v->dz);
}

static double step_of(const nb_cone_program *p, const double *u, const double *d) {
    double step = 1;
    for (int32_t k = 0, i = 0; k < p->block_count; i += p->block_rows[k++])
        step = fmin(step, nb_cone_block_step(p->block_rows[k], u + i, d + i));
    return step;
}

/* from the affine direction in ds and dz */
static void corrector(const nb_cone_program *p, const vectors *v, double target) {
    apply_scaling(p, v, -1, v->ds, v->ds);
    apply_scaling(p, v, 1, v->dz, v->dz);
    for (int32_t k = 0, i = 0; k < p->block_count; i += p->block_rows[k++])
        nb_cone_block_correct(p->block_rows[k], v->scaled + i, v->ds + i, v->dz + i, target, v->d + i);
}

static void find_errors(nb_cone_program *p, const vectors *v) {
    p->dual_error = 0;
    for (int32_t a = 0; a < p->unknowns; a++) {
        v->dual[a] = p->c[a];
        for (int32_t i = 0; i < p->rows; i++) v->dual[a] += p->g[(int64_t)i * p->unknowns + a] * p->z[i];
        nb_raise(&p->dual_error, fabs(v->dual[a]));
    }
    p->gap = dot(p->rows, p->s, p->z);
}

/* 0 where it comes no further */
static int advance(nb_cone_program *p, vectors *v) {
    if (!find_scaling(p, v)) return 0;
    memset(v->matrix, 0, (size_t)p->unknowns * (size_t)p->unknowns * sizeof *v->matrix);
    for (int32_t k = 0, i = 0; k < p->block_count; i += p->block_rows[k++]) add_block(p, v, i, p->block_rows[k]);
    factorise(p->unknowns, v->matrix);
    memcpy(v->d, v->scaled, (size_t)p->rows * sizeof *v->d);
    direction(p, v);
    double affine = fmin(step_of(p, p->s, v->ds), step_of(p, p->z, v->dz));
    double left = 1 - affine;
    corrector(p, v, fmax(LEAST_CENTRING, left * left * left) * p->gap / p->block_count);
    direction(p, v);
    double step = fmin(1, TO_BOUNDARY * fmin(step_of(p, p->s, v->ds), step_of(p, p->z, v->dz)));
    if (!(step > 1e-8)) return 0;
    for (int32_t a = 0; a < p->unknowns; a++) p->x[a] += step * v->dx[a];
    for (int32_t i = 0; i < p->rows; i++) p->s[i] += step * v->ds[i], p->z[i] += step * v->dz[i];
    return 1;
}

/* x, and s with z behind it, to and from the best iterate's */
static void keep(const nb_cone_program *p, const vectors *v) {
    memcpy(v->best, p->x, (size_t)p->unknowns * sizeof *v->best);
    memcpy(v->best + p->unknowns, p->s, 2 * (size_t)p->rows * sizeof *v->best);
}

static void restore(nb_cone_program *p, const vectors *v) {
    memcpy(p->x, v->best, (size_t)p->unknowns * sizeof *v->best);
    memcpy(p->s, v->best + p->unknowns, 2 * (size_t)p->rows * sizeof *v->best);
    find_errors(p, v);
}

int nb_cone_program_solve(nb_cone_program *p, double tolerance) {
    vectors v = vectors_of(p);
    double best = INFINITY;
    for (int32_t i = 0; i < p->rows; i++) p->s[i] = p->h[i] - dot(p->unknowns, p->g + (int64_t)i * p->unknowns, p->x);
    for (int32_t k = 0, i = 0; k < p->block_count; i += p->block_rows[k++]) {
        for (int32_t j = 0; j < p->block_rows[k]; j++) p->z[i + j] = 0;
        p->z[i] = 1;
    }
    find_errors(p, &v);
    for (p->iterations = 0; p->iterations < MOST_ITERATIONS; p->iterations++) {
        double error = p->gap + p->dual_error; /* NaN where either is */
        if (error < best) {
            best = error;
            keep(p, &v);
        }
        /* near the end round-off in the matrix makes the dual worse again */
        if (best <= tolerance || !(error < 100 * best || (best > GOOD_ENOUGH && isfinite(error))) || !advance(p, &v))
            break;
        find_errors(p, &v);
    }
    if (best < INFINITY) restore(p, &v);
    return best <= fmax(tolerance, GOOD_ENOUGH);
}
