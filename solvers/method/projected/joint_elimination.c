#include "joint_elimination.h"

#include <string.h>

#include "base/memory.h"
#include "base/union_find.h"
#include "cholmod_factor.h"

NB_PRECISIONS(f32, f64);

enum {
    COLUMNS = 16 /* of D_jc that are solved with at once */
};

void nb_joint_elimination_destroy(nb_joint_elimination *e) {
    if (!e) return;
    for (int32_t k = 0; e->factor && k < e->components; k++) nb_cholmod_factor_end(&e->factor[k]);
    nb_free(e->factor);
    nb_csr_destroy(e->reduced);
    nb_csr_destroy(e->whole);
    nb_free(e->offset);
    nb_free(e->compliance);
    nb_free(e->component);
    nb_free(e->place);
    nb_free(e->start);
    nb_free(e->row);
    nb_free(e);
}

/* component, place, start and row, by joint rows that D couples */
static nb_status find_components(nb_joint_elimination *e) {
    nb_status status;
    const nb_csr *d = e->whole;
    int32_t *parent = NULL;
    NB_TRY(NB_ALLOCATE(e->joints, &parent));
    NB_TRY(NB_ALLOCATE(e->joints, &e->component));
    NB_TRY(NB_ALLOCATE(e->joints, &e->place));
    NB_TRY(NB_ALLOCATE(e->joints, &e->row));
    for (int32_t r = 0; r < e->joints; r++) parent[r] = r;
    for (int32_t r = 0; r < e->joints; r++)
        for (int64_t k = d->start[r]; k < d->start[r + 1] && d->column[k] < r; k++) nb_unite(parent, r, d->column[k]);
    for (int32_t r = 0; r < e->joints; r++)
        e->component[r] = nb_root(parent, r) == r ? e->components++ : e->component[nb_root(parent, r)];
    NB_TRY(NB_ALLOCATE(e->components + 1, &e->start));
    for (int32_t r = 0; r < e->joints; r++) e->place[r] = e->start[e->component[r] + 1]++;
    for (int32_t k = 0; k < e->components; k++) e->start[k + 1] += e->start[k];
    for (int32_t r = 0; r < e->joints; r++) e->row[e->start[e->component[r]] + e->place[r]] = r;
out:
    nb_free(parent);
    return status;
}

/* the pattern of N_jj of component k */
static nb_status analyse(nb_joint_elimination *e, int32_t k) {
    nb_status status;
    nb_cholmod_factor *f = &e->factor[k];
    const nb_csr *d = e->whole;
    const int32_t n = e->start[k + 1] - e->start[k], *row = e->row + e->start[k];
    int64_t entries = 0;
    for (int pass = 0; pass < 2; pass++) {
        SuiteSparse_long *start = pass ? f->matrix->p : NULL, *index = pass ? f->matrix->i : NULL, place = 0;
        for (int32_t i = 0; i < n; i++) {
            if (pass) start[i] = place;
            for (int64_t c = d->start[row[i]]; c < d->start[row[i] + 1] && d->column[c] < e->joints; c++) {
                if (d->column[c] < row[i]) continue;
                if (pass) index[place] = e->place[d->column[c]];
                place++;
            }
        }
        if (pass)
            start[n] = place;
        else
            entries = place;
        if (!pass) NB_TRY(nb_cholmod_factor_reserve(f, n, entries));
    }
    NB_TRY(nb_cholmod_factor_analyse(f));
    NB_TRY(nb_cholmod_factor_reserve_many(f, COLUMNS));
out:
    return status;
}

nb_status nb_joint_elimination_create(const nb_delassus *delassus, int32_t joints, nb_joint_elimination **elimination) {
    nb_status status;
    nb_joint_elimination *e = NULL;
    *elimination = NULL;
    NB_TRY(NB_ALLOCATE(1, &e));
    e->delassus = delassus;
    e->joints = joints;
    NB_TRY(NB_ALLOCATE(delassus->rows, &e->offset));
    NB_TRY(NB_ALLOCATE(joints, &e->compliance));
    NB_TRY(delassus->type->pattern(delassus, &e->whole));
    NB_TRY(find_components(e));
    NB_TRY(NB_ALLOCATE(e->components, &e->factor));
    for (int32_t k = 0; k < e->components; k++) nb_cholmod_factor_begin(&e->factor[k]);
    for (int32_t k = 0; k < e->components; k++) NB_TRY(analyse(e, k));
    *elimination = e;
    return NB_OK;
out:
    nb_joint_elimination_destroy(e);
    return status;
}

static nb_status factorise(nb_joint_elimination *e, int32_t k) {
    nb_status status;
    nb_cholmod_factor *f = &e->factor[k];
    const nb_csr *d = e->whole;
    double *value = f->matrix->x;
    int32_t failed;
    for (int32_t i = e->start[k]; i < e->start[k + 1]; i++) {
        const int32_t r = e->row[i];
        for (int64_t c = d->start[r]; c < d->start[r + 1] && d->column[c] < e->joints; c++) {
            const double entry = (double)d->value[c];
            if (d->column[c] < r) continue;
            *value++ = d->column[c] > r ? entry : entry * (1 + 64 * (double)NB_REAL_EPSILON) + (double)e->compliance[r];
        }
    }
    NB_TRY(nb_cholmod_factor_make(f, &failed));
    if (failed >= 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--joints direct: joint rows are singular to rounding; use sweep");
out:
    return status;
}

/* entries as they are found */
typedef struct triplets {
    int64_t count, row_capacity, column_capacity, value_capacity;
    int32_t *row, *column;
    real *value;
} triplets;

static nb_status add(triplets *t, int32_t row, int32_t column, double value) {
    nb_status status;
    NB_TRY(NB_RESERVE(t->count + 1, &t->row_capacity, &t->row));
    NB_TRY(NB_RESERVE(t->count + 1, &t->column_capacity, &t->column));
    NB_TRY(NB_RESERVE(t->count + 1, &t->value_capacity, &t->value));
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = (real)value;
out:
    return status;
}

/* rows [count] of contacts that D couples with component k */
static int32_t find_touched(const nb_joint_elimination *e, int32_t k, uint8_t *mark, int32_t *touched) {
    const nb_csr *d = e->whole;
    int32_t count = 0;
    for (int32_t i = e->start[k]; i < e->start[k + 1]; i++)
        for (int64_t c = d->start[e->row[i]]; c < d->start[e->row[i] + 1]; c++)
            if (d->column[c] >= e->joints && !mark[d->column[c]]) {
                mark[d->column[c]] = 1;
                touched[count++] = d->column[c];
            }
    for (int32_t i = 0; i < count; i++) mark[touched[i]] = 0;
    return count;
}

/* -D_uk N_kk^-1 D_kv of all touched u, and of v from `first` on, as many as are solved with at once */
static nb_status add_columns(nb_joint_elimination *e, int32_t k, const int32_t *touched, int32_t count, int32_t first,
                             triplets *t) {
    nb_status status;
    const nb_csr *d = e->whole;
    nb_cholmod_factor *f = &e->factor[k];
    const int32_t n = e->start[k + 1] - e->start[k], columns = count - first < COLUMNS ? count - first : COLUMNS;
    double *b = f->many_b->x;
    memset(b, 0, (size_t)n * (size_t)columns * sizeof *b);
    for (int32_t v = 0; v < columns; v++) {
        const int32_t r = touched[first + v];
        for (int64_t c = d->start[r]; c < d->start[r + 1] && d->column[c] < e->joints; c++)
            if (e->component[d->column[c]] == k) b[(int64_t)v * n + e->place[d->column[c]]] = (double)d->value[c];
    }
    NB_TRY(nb_cholmod_factor_solve_many(f, columns));
    const double *x = f->many_x->x;
    for (int32_t u = 0; u < count; u++)
        for (int32_t v = 0; v < columns; v++) {
            const int32_t r = touched[u];
            double sum = 0;
            for (int64_t c = d->start[r]; c < d->start[r + 1] && d->column[c] < e->joints; c++)
                if (e->component[d->column[c]] == k)
                    sum -= (double)d->value[c] * x[(int64_t)v * n + e->place[d->column[c]]];
            NB_TRY(add(t, r, touched[first + v], sum));
        }
out:
    return status;
}

nb_status nb_joint_elimination_set(nb_joint_elimination *e, const real *compliance) {
    nb_status status;
    triplets t = {0};
    uint8_t *mark = NULL; /* [rows] */
    int32_t *touched = NULL;
    nb_csr *d = e->whole;
    e->delassus->type->values(e->delassus, d);
    memcpy(e->compliance, compliance, (size_t)e->joints * sizeof *compliance);
    NB_TRY(NB_ALLOCATE(d->rows, &mark));
    NB_TRY(NB_ALLOCATE(d->rows, &touched));
    for (int32_t r = e->joints; r < d->rows; r++)
        for (int64_t c = d->start[r]; c < d->start[r + 1]; c++)
            if (d->column[c] >= e->joints) NB_TRY(add(&t, r, d->column[c], (double)d->value[c]));
    for (int32_t k = 0; k < e->components; k++) {
        NB_TRY(factorise(e, k));
        const int32_t count = find_touched(e, k, mark, touched);
        for (int32_t first = 0; first < count; first += COLUMNS) NB_TRY(add_columns(e, k, touched, count, first, &t));
    }
    nb_csr_destroy(e->reduced);
    e->reduced = NULL;
    NB_TRY(nb_csr_from_triplets(d->rows, d->rows, t.count, t.row, t.column, t.value, &e->reduced));
out:
    nb_free(t.row);
    nb_free(t.column);
    nb_free(t.value);
    nb_free(mark);
    nb_free(touched);
    return status;
}

/* out [joints] -= N_jj^-1 (D_jc z + q_j + N_jj out), z NULL: 0: a step of refinement from what `out` holds */
static nb_status refine(nb_joint_elimination *e, const real *q, const real *z, real *out) {
    nb_status status = NB_OK;
    const nb_csr *d = e->whole;
    for (int32_t k = 0; k < e->components; k++) {
        nb_cholmod_factor *f = &e->factor[k];
        double *b = f->b->x;
        for (int32_t i = e->start[k]; i < e->start[k + 1]; i++) {
            const int32_t r = e->row[i];
            double sum = (double)q[r] + (double)e->compliance[r] * (double)out[r];
            for (int64_t c = d->start[r]; c < d->start[r + 1]; c++)
                sum += (double)d->value[c] * (d->column[c] < e->joints ? (double)out[d->column[c]]
                                              : z                      ? (double)z[d->column[c]]
                                                                       : 0);
            b[i - e->start[k]] = sum;
        }
        NB_TRY(nb_cholmod_factor_solve(f));
        for (int32_t i = e->start[k]; i < e->start[k + 1]; i++)
            out[e->row[i]] -= (real)((const double *)f->x->x)[i - e->start[k]];
    }
out:
    return status;
}

/* -N_jj^-1 (D_jc z + q_j), to the rounding of a product */
static nb_status solve(nb_joint_elimination *e, const real *q, const real *z, real *out) {
    nb_status status;
    memset(out, 0, (size_t)e->joints * sizeof *out);
    NB_TRY(refine(e, q, z, out));
    NB_TRY(refine(e, q, z, out));
out:
    return status;
}

nb_status nb_joint_elimination_set_free(nb_joint_elimination *e, const real *q) {
    nb_status status;
    const nb_csr *d = e->whole;
    NB_TRY(solve(e, q, NULL, e->offset));
    for (int32_t r = e->joints; r < d->rows; r++) {
        double sum = 0;
        for (int64_t c = d->start[r]; c < d->start[r + 1] && d->column[c] < e->joints; c++)
            sum += (double)d->value[c] * (double)e->offset[d->column[c]];
        e->offset[r] = (real)sum;
    }
    memset(e->offset, 0, (size_t)e->joints * sizeof *e->offset);
out:
    return status;
}

nb_status nb_joint_elimination_solve(nb_joint_elimination *e, const real *q, real *z) {
    return solve(e, q, z, z);
}
