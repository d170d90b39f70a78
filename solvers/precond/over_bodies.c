#include "precond/over_bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "operator/sum.h"

NB_PRECISIONS(f32, f64);

enum {
    WIDEST = 3 /* rows of a block */
};

/* a block of T */
typedef struct factors {
    double x[WIDEST * WIDEST], y[WIDEST * WIDEST], inverse[WIDEST]; /* T = x diag(inverse) y, n x n by rows */
} factors;

struct nb_over_bodies {
    const nb_delassus *delassus; /* borrowed */
    int32_t bodies;              /* with mass, that rows act on: slots */
    int32_t *slot;               /* [body_count] of a body, or -1 */
    int32_t *body;               /* [bodies] */
    int32_t (*ends)[2];          /* [blocks] slots, or -1 */
    double (*jacobian)[12];      /* [rows] of S J */
    factors *t;                  /* [blocks] */
    int64_t (*places)[2];        /* [groups] which block of its row of B couples slot 0 with 1, and 1 with 0 */
    int64_t *diagonal;           /* [bodies] likewise, with itself */
    int64_t *start;              /* [bodies + 1] of the rows of blocks */
    int32_t *column;             /* [start[bodies]] ascending */
    nb_lu_matrix matrix;
    double *force;                                /* [6 bodies] */
    real *scratch;                                /* [rows] the diagonal of D */
    real block[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS]; /* of what the source gives */
};

int nb_over_bodies_fits(const nb_system *system) {
    nb_rigid_rows rows;
    return nb_rigid_rows_of(system->delassus, &rows);
}

nb_status nb_over_bodies_create(nb_over_bodies **over) {
    return NB_ALLOCATE(1, over);
}

static void release(nb_over_bodies *o) {
    nb_lu_matrix_clear(&o->matrix);
    nb_free(o->slot);
    nb_free(o->body);
    nb_free(o->ends);
    nb_free(o->jacobian);
    nb_free(o->t);
    nb_free(o->places);
    nb_free(o->diagonal);
    nb_free(o->start);
    nb_free(o->column);
    nb_free(o->force);
    nb_free(o->scratch);
    *o = (nb_over_bodies){0};
}

void nb_over_bodies_destroy(nb_over_bodies *over) {
    if (over) release(over);
    nb_free(over);
}

const nb_lu_matrix *nb_over_bodies_matrix(const nb_over_bodies *over) {
    return &over->matrix;
}

/* ---- the pattern ---- */

/* numbers the bodies as blocks name them */
static void take_ends(nb_over_bodies *o) {
    const nb_delassus *d = o->delassus;
    for (int32_t i = 0; i < d->mass->nodes->count; i++) o->slot[i] = -1;
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t body[NB_BLOCK_NODES];
        int bodies = d->type->block_nodes(d, i, body);
        for (int side = 0; side < 2; side++) {
            o->ends[i][side] = -1;
            if (side >= bodies) continue;
            if (o->slot[body[side]] < 0) {
                o->body[o->bodies] = body[side];
                o->slot[body[side]] = o->bodies++;
            }
            o->ends[i][side] = o->slot[body[side]];
        }
    }
}

static int compare_columns(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* the two ends of a group, where it couples two bodies */
static const int32_t *coupled(const nb_over_bodies *o, int32_t group) {
    const int32_t *ends = o->ends[o->delassus->group_start[group]];
    return ends[0] >= 0 && ends[1] >= 0 ? ends : NULL;
}

/* every body with itself and with those it shares a group with: listed by counting, sorted, repeats dropped */
static nb_status make_block_pattern(nb_over_bodies *o) {
    nb_status status;
    int32_t groups = o->delassus->group_count;
    int64_t kept = 0, begin = 0;
    NB_TRY(NB_ALLOCATE((int64_t)o->bodies + 2, &o->start));
    NB_TRY(NB_ALLOCATE(o->bodies + 2 * (int64_t)groups, &o->column));
    for (int32_t i = 0; i < o->bodies; i++) o->start[i + 2] = 1;
    for (int32_t g = 0; g < groups; g++)
        for (int side = 0; coupled(o, g) && side < 2; side++) o->start[coupled(o, g)[side] + 2]++;
    for (int32_t i = 0; i < o->bodies; i++) o->start[i + 2] += o->start[i + 1];
    for (int32_t i = 0; i < o->bodies; i++) o->column[o->start[i + 1]++] = i;
    for (int32_t g = 0; g < groups; g++)
        for (int side = 0; coupled(o, g) && side < 2; side++)
            o->column[o->start[coupled(o, g)[side] + 1]++] = coupled(o, g)[1 - side];
    for (int32_t i = 0; i < o->bodies; i++) {
        int64_t end = o->start[i + 1];
        qsort(o->column + begin, (size_t)(end - begin), sizeof *o->column, compare_columns);
        o->start[i] = kept;
        for (int64_t e = begin; e < end; e++)
            if (e == begin || o->column[e] != o->column[kept - 1]) o->column[kept++] = o->column[e];
        begin = end;
    }
    o->start[o->bodies] = kept;
out:
    return status;
}

/* which block of row i of B is in column j */
static int64_t place_of(const nb_over_bodies *o, int32_t i, int32_t j) {
    int64_t low = o->start[i], high = o->start[i + 1];
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (o->column[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    return low - o->start[i];
}

static nb_status make_matrix(nb_over_bodies *o) {
    nb_status status;
    int64_t used = 0;
    NB_TRY(nb_lu_matrix_reserve(&o->matrix, 6 * (int64_t)o->bodies, 36 * o->start[o->bodies]));
    for (int32_t i = 0; i < o->bodies; i++)
        for (int a = 0; a < 6; a++) {
            o->matrix.start[6 * i + a] = used;
            for (int64_t e = o->start[i]; e < o->start[i + 1]; e++)
                for (int b = 0; b < 6; b++) o->matrix.column[used++] = 6 * (SuiteSparse_long)o->column[e] + b;
        }
    o->matrix.start[o->matrix.rows] = used;
    memset(o->matrix.triple, 1, (size_t)o->matrix.rows); /* halves of a body */
    for (int32_t i = 0; i < o->bodies; i++) o->diagonal[i] = place_of(o, i, i);
    for (int32_t g = 0; g < o->delassus->group_count; g++) {
        const int32_t *ends = coupled(o, g);
        for (int side = 0; ends && side < 2; side++) o->places[g][side] = place_of(o, ends[side], ends[1 - side]);
    }
out:
    return status;
}

nb_status nb_over_bodies_set_pattern(nb_over_bodies *o, const nb_system *system) {
    nb_status status;
    const nb_delassus *d = system->delassus;
    release(o);
    o->delassus = d;
    NB_TRY(NB_ALLOCATE(d->mass->nodes->count, &o->slot));
    NB_TRY(NB_ALLOCATE(d->mass->nodes->count, &o->body));
    NB_TRY(NB_ALLOCATE(d->block_count, &o->ends));
    NB_TRY(NB_ALLOCATE(d->rows, &o->jacobian));
    NB_TRY(NB_ALLOCATE(d->block_count, &o->t));
    NB_TRY(NB_ALLOCATE(d->group_count, &o->places));
    NB_TRY(NB_ALLOCATE(d->rows, &o->scratch));
    take_ends(o);
    NB_TRY(NB_ALLOCATE(o->bodies, &o->diagonal));
    NB_TRY(NB_ALLOCATE(6 * (int64_t)o->bodies, &o->force));
    NB_TRY(make_block_pattern(o));
    NB_TRY(make_matrix(o));
out:
    return status;
}

/* ---- the values ---- */

static void exchange(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* brings the largest entry of the rest of the n x n matrix a to (j, j), with its row of y and its column of x */
static void bring_pivot(int n, int j, double *a, double *x, double *y) {
    int row = j, column = j;
    for (int r = j; r < n; r++)
        for (int c = j; c < n; c++)
            if (fabs(a[r * n + c]) > fabs(a[row * n + column])) row = r, column = c;
    for (int k = 0; k < n && row != j; k++) {
        exchange(&a[j * n + k], &a[row * n + k]);
        exchange(&y[j * n + k], &y[row * n + k]);
    }
    for (int k = 0; k < n && column != j; k++) {
        exchange(&a[k * n + j], &a[k * n + column]);
        exchange(&x[k * n + j], &x[k * n + column]);
    }
}

/* y a x = diag(1 / inverse): rows of a are taken from each other, and with them those of y; columns likewise with x */
static void invert(int n, double *a, factors *f) {
    for (int i = 0; i < n * n; i++) f->x[i] = f->y[i] = i % (n + 1) == 0;
    for (int j = 0; j < n; j++) {
        bring_pivot(n, j, a, f->x, f->y);
        double reciprocal = f->inverse[j] = a[j * n + j] != 0 ? 1 / a[j * n + j] : 0;
        for (int i = j + 1; i < n; i++) {
            double below = a[i * n + j] * reciprocal, right = a[j * n + i] * reciprocal;
            for (int k = 0; k < n; k++) {
                f->y[i * n + k] -= below * f->y[j * n + k];
                f->x[k * n + i] -= right * f->x[k * n + j];
            }
            for (int k = j + 1; k < n; k++) a[i * n + k] -= below * a[j * n + k];
        }
    }
}

/* C + K + shift of block i, n x n */
static void load_block(const nb_over_bodies *o, const nb_system *system, int32_t i, double shift, double *a) {
    int32_t first = o->delassus->block_start[i], n = o->delassus->block_start[i + 1] - first;
    const real *k = system->k ? nb_system_block_place(system, i) : NULL;
    for (int32_t e = 0; e < n * n; e++) a[e] = k ? (double)k[e] : 0;
    for (int32_t r = 0; r < n; r++) {
        double s = (double)system->s[first + r];
        a[r * n + r] += (double)system->c[first + r] + shift * s * s * (double)o->scratch[first + r];
    }
}

static void take_jacobian(nb_over_bodies *o, const nb_system *system, int32_t i) {
    int32_t first = o->delassus->block_start[i], n = o->delassus->block_start[i + 1] - first, body[NB_BLOCK_NODES];
    int columns = 6 * o->delassus->type->block_jacobian(o->delassus, i, body, o->block);
    for (int32_t r = 0; r < n; r++)
        for (int c = 0; c < 12; c++)
            o->jacobian[first + r][c] =
                c < columns ? (double)system->s[first + r] * (double)o->block[columns * r + c] : 0;
}

/* sum += J_i^T T_i J_i over both bodies: (x^T J)^T diag(inverse) (y J) */
static void add_products(const nb_over_bodies *o, int32_t i, double sum[12][12]) {
    int32_t first = o->delassus->block_start[i], n = o->delassus->block_start[i + 1] - first;
    const factors *t = &o->t[i];
    for (int32_t r = 0; r < n; r++) {
        double left[12] = {0}, right[12] = {0};
        for (int32_t k = 0; k < n; k++)
            for (int c = 0; c < 12; c++) {
                left[c] += t->x[k * n + r] * o->jacobian[first + k][c];
                right[c] += t->inverse[r] * t->y[r * n + k] * o->jacobian[first + k][c];
            }
        for (int a = 0; a < 12; a++)
            for (int b = 0; b < 12; b++) sum[a][b] += left[a] * right[b];
    }
}

/* the entry (0, 0) of the 6 x 6 block of B that is the place-th of row i; its rows are *stride apart */
static double *block_of(const nb_over_bodies *o, int32_t i, int64_t place, int64_t *stride) {
    *stride = 6 * (o->start[i + 1] - o->start[i]);
    return o->matrix.value + 36 * o->start[i] + 6 * place;
}

static void scatter_group(nb_over_bodies *o, int32_t group, double sum[12][12]) {
    const int32_t *ends = o->ends[o->delassus->group_start[group]];
    for (int side = 0; side < 2; side++)
        for (int other = 0; other < 2; other++) {
            int64_t stride;
            if (ends[side] < 0 || ends[other] < 0) continue;
            int64_t place = side == other ? o->diagonal[ends[side]] : o->places[group][side];
            double *to = block_of(o, ends[side], place, &stride);
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++) to[a * stride + b] += sum[6 * side + a][6 * other + b];
        }
}

/* H of a body, from its inverse: symmetric, so that elimination needs no pivots */
static void add_mass(nb_over_bodies *o, int32_t i) {
    int64_t stride;
    double *to = block_of(o, i, o->diagonal[i], &stride), a[WIDEST * WIDEST] = {0};
    real *inverse = o->block;
    factors f;
    o->delassus->mass->type->inverse_block(o->delassus->mass, o->body[i], inverse);
    for (int part = 0; part < 2; part++) { /* linear, angular */
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) a[3 * r + c] = (double)inverse[6 * (3 * part + r) + 3 * part + c];
        invert(3, a, &f);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++)
                    to[(3 * part + r) * stride + 3 * part + c] += f.x[3 * r + k] * f.inverse[k] * f.y[3 * k + c];
    }
}

void nb_over_bodies_set_values(nb_over_bodies *o, const nb_system *system, double shift) {
    const nb_delassus *d = o->delassus;
    d->type->diagonal(d, o->scratch);
    memset(o->matrix.value, 0, (size_t)o->matrix.start[o->matrix.rows] * sizeof *o->matrix.value);
    for (int32_t i = 0; i < o->bodies; i++) add_mass(o, i);
    for (int32_t g = 0; g < d->group_count; g++) {
        double sum[12][12] = {{0}};
        for (int32_t i = d->group_start[g]; i < d->group_start[g + 1]; i++) {
            double a[WIDEST * WIDEST] = {0};
            load_block(o, system, i, shift, a);
            invert((int)(d->block_start[i + 1] - d->block_start[i]), a, &o->t[i]);
            take_jacobian(o, system, i);
            add_products(o, i, sum);
        }
        scatter_group(o, g, sum);
    }
}

/* ---- application ---- */

/* w = T_i w */
static inline void apply_block(const factors *t, int n, double *w) {
    double middle[WIDEST];
    for (int r = 0; r < n; r++) {
        middle[r] = 0;
        for (int k = 0; k < n; k++) middle[r] += t->y[r * n + k] * w[k];
        middle[r] *= t->inverse[r];
    }
    for (int r = 0; r < n; r++) {
        w[r] = 0;
        for (int k = 0; k < n; k++) w[r] += t->x[r * n + k] * middle[k];
    }
}

double *nb_over_bodies_begin(nb_over_bodies *o, const real *r) {
    const nb_delassus *d = o->delassus;
    memset(o->force, 0, 6 * (size_t)o->bodies * sizeof *o->force);
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t first = d->block_start[i], n = d->block_start[i + 1] - first;
        double w[WIDEST];
        for (int32_t k = 0; k < n; k++) w[k] = (double)r[first + k];
        apply_block(&o->t[i], n, w);
        for (int side = 0; side < 2; side++) {
            if (o->ends[i][side] < 0) continue;
            double *f = o->force + 6 * (int64_t)o->ends[i][side];
            for (int32_t k = 0; k < n; k++)
                for (int c = 0; c < 6; c++) f[c] += w[k] * o->jacobian[first + k][6 * side + c];
        }
    }
    return o->force;
}

void nb_over_bodies_finish(const nb_over_bodies *o, const real *r, const double *v, real *z) {
    const nb_delassus *d = o->delassus;
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t first = d->block_start[i], n = d->block_start[i + 1] - first;
        double w[WIDEST];
        for (int32_t k = 0; k < n; k++) {
            w[k] = (double)r[first + k];
            for (int side = 0; side < 2; side++)
                for (int c = 0; o->ends[i][side] >= 0 && c < 6; c++)
                    w[k] -= o->jacobian[first + k][6 * side + c] * v[6 * (int64_t)o->ends[i][side] + c];
        }
        apply_block(&o->t[i], n, w);
        for (int32_t k = 0; k < n; k++) z[first + k] = (real)w[k];
    }
}
