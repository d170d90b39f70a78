#include "sparse_mass.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cholmod_factor.h"

NB_PRECISIONS(f32, f64);

typedef struct sparse_mass {
    nb_mass base;     /* first */
    nb_csr_f64 *h;    /* empty rows and columns for nodes without mass */
    int32_t *unknown; /* [velocities] its number among those of nodes with mass, or -1 */
    int32_t *place;   /* [velocities] in padded arrays */
    int32_t unknowns;
    nb_cholmod_factor *factor; /* over the unknowns; a solve works in it, though the mass does not change */
} sparse_mass;

/* ---- the class ---- */

static void solve(const nb_mass *base, int32_t count, const int32_t *node, const real *force, real *velocity) {
    const sparse_mass *m = (const sparse_mass *)base;
    const int32_t *first = base->nodes->velocity;
    nb_cholmod_factor *f = m->factor;
    if (m->unknowns == 0) return;
    double *b = f->b->x;
    memset(b, 0, (size_t)m->unknowns * sizeof *b);
    for (int32_t i = 0; i < count; i++)
        for (int32_t r = first[node[i]]; r < first[node[i] + 1]; r++) b[m->unknown[r]] = (double)force[m->place[r]];
    (void)nb_cholmod_factor_solve(f); /* which has its memory */
    const double *x = f->x->x;
    for (int32_t i = 0; i < count; i++)
        for (int32_t r = first[node[i]]; r < first[node[i] + 1]; r++) velocity[m->place[r]] = (real)x[m->unknown[r]];
}

/* where the k-th of several right-hand sides, or their solutions, lie */
static double *column_of(const sparse_mass *m, cholmod_dense *all, int k) {
    return (double *)all->x + (ptrdiff_t)k * m->unknowns;
}

/* room that the factor's first solve with so many takes */
static nb_status reserve_together(const nb_mass *base) {
    nb_status status = NB_OK;
    nb_cholmod_factor *f = ((const sparse_mass *)base)->factor;
    if (((const sparse_mass *)base)->unknowns == 0 || f->many_x) return NB_OK;
    NB_TRY(nb_cholmod_factor_reserve_many(f, NB_MASS_TOGETHER));
    NB_TRY(nb_cholmod_factor_solve_many(f, NB_MASS_TOGETHER));
out:
    return status;
}

static void put(const nb_mass *base, int k, int32_t count, const int32_t *node, const real *force) {
    const sparse_mass *m = (const sparse_mass *)base;
    const int32_t *first = base->nodes->velocity;
    if (m->unknowns == 0) return;
    double *b = column_of(m, m->factor->many_b, k);
    memset(b, 0, (size_t)m->unknowns * sizeof *b);
    for (int32_t i = 0; i < count; i++)
        for (int32_t r = first[node[i]]; r < first[node[i] + 1]; r++) b[m->unknown[r]] = (double)force[m->place[r]];
}

static void solve_together(const nb_mass *base, int forces) {
    const sparse_mass *m = (const sparse_mass *)base;
    if (m->unknowns > 0) (void)nb_cholmod_factor_solve_many(m->factor, forces); /* which has its memory */
}

static void take(const nb_mass *base, int k, int32_t count, const int32_t *node, real *velocity) {
    const sparse_mass *m = (const sparse_mass *)base;
    const int32_t *first = base->nodes->velocity;
    if (m->unknowns == 0) return;
    const double *x = column_of(m, m->factor->many_x, k);
    for (int32_t i = 0; i < count; i++)
        for (int32_t r = first[node[i]]; r < first[node[i] + 1]; r++) velocity[m->place[r]] = (real)x[m->unknown[r]];
}

static void apply(const nb_mass *base, int32_t count, const int32_t *node, const real *velocity, real *force) {
    const sparse_mass *m = (const sparse_mass *)base;
    const int32_t *first = base->nodes->velocity;
    for (int32_t i = 0; i < count; i++)
        for (int32_t r = first[node[i]]; r < first[node[i] + 1]; r++) {
            double sum = 0;
            for (int64_t e = m->h->start[r]; e < m->h->start[r + 1]; e++)
                sum += m->h->value[e] * (double)velocity[m->place[m->h->column[e]]];
            force[m->place[r]] = (real)sum;
        }
}

static nb_status matrix_of(const nb_mass *base, nb_csr **matrix) {
    const nb_csr_f64 *h = ((const sparse_mass *)base)->h;
    int64_t entries = h->start[h->rows];
    nb_status status = nb_csr_create(h->rows, h->columns, entries, matrix);
    if (status != NB_OK) return status;
    memcpy((*matrix)->start, h->start, ((size_t)h->rows + 1) * sizeof *h->start);
    memcpy((*matrix)->column, h->column, (size_t)entries * sizeof *h->column);
    for (int64_t e = 0; e < entries; e++) (*matrix)->value[e] = (real)h->value[e];
    return NB_OK;
}

const nb_mass_class nb_sparse_mass_class = {
    .solve = solve,
    .reserve_together = reserve_together,
    .put = put,
    .solve_together = solve_together,
    .take = take,
    .apply = apply,
    .matrix = matrix_of,
};

/* ---- the factor ---- */

/* the upper triangle of H over the unknowns, by rows; its pattern the first time */
static void load_triangle(const sparse_mass *m, int pattern) {
    SuiteSparse_long *start = m->factor->matrix->p, *row = m->factor->matrix->i, used = 0;
    double *value = m->factor->matrix->x;
    for (int32_t r = 0; r < m->h->rows; r++) {
        if (pattern && m->unknown[r] >= 0) start[m->unknown[r]] = used;
        for (int64_t e = m->h->start[r]; e < m->h->start[r + 1]; e++) {
            if (m->h->column[e] < r) continue;
            if (pattern) row[used] = m->unknown[m->h->column[e]];
            value[used++] = m->h->value[e];
        }
    }
    if (pattern) start[m->unknowns] = used;
}

static nb_status analyse(sparse_mass *m) {
    nb_status status;
    int64_t upper = 0;
    for (int32_t r = 0; r < m->h->rows; r++)
        for (int64_t e = m->h->start[r]; e < m->h->start[r + 1]; e++) upper += m->h->column[e] >= r;
    NB_TRY(nb_cholmod_factor_reserve(m->factor, m->unknowns, upper));
    load_triangle(m, 1);
    NB_TRY(nb_cholmod_factor_analyse(m->factor));
out:
    return status;
}

/* the velocity that is number `unknown` among those of nodes with mass */
static int32_t velocity_of(const sparse_mass *m, int32_t unknown) {
    int32_t r = 0;
    while (m->unknown[r] != unknown) r++;
    return r;
}

static nb_status factorise(const sparse_mass *m) {
    nb_status status;
    int32_t failed;
    for (int64_t e = 0; e < m->h->start[m->h->rows]; e++)
        if (!isfinite(m->h->value[e])) return nb_fail(NB_ERROR_NUMERIC, "the mass has an entry that is no number");
    NB_TRY(nb_cholmod_factor_make(m->factor, &failed));
    if (failed >= 0)
        return nb_fail(NB_ERROR_NUMERIC, "the mass is not positive definite at velocity %d",
                       (int)velocity_of(m, failed));
out:
    return status;
}

/* ---- public ---- */

/* h without the rows and columns of nodes without mass; `unknown` says which those are */
static nb_status copy_pattern(const int32_t *unknown, const nb_csr_f64 *h, nb_csr_f64 **kept) {
    int64_t used = 0;
    nb_status status = nb_csr_create_f64(h->rows, h->columns, nb_csr_nonzeros_f64(h), kept);
    for (int32_t r = 0; status == NB_OK && r < h->rows; r++) {
        for (int64_t e = h->start[r]; unknown[r] >= 0 && e < h->start[r + 1]; e++)
            if (unknown[h->column[e]] >= 0) (*kept)->column[used++] = h->column[e];
        (*kept)->start[r + 1] = used;
    }
    return status;
}

static void copy_values(sparse_mass *m, const nb_csr_f64 *h) {
    int64_t used = 0;
    for (int32_t r = 0; r < h->rows; r++)
        for (int64_t e = h->start[r]; m->unknown[r] >= 0 && e < h->start[r + 1]; e++)
            if (m->unknown[h->column[e]] >= 0) m->h->value[used++] = h->value[e];
}

static int same_pattern(const nb_csr_f64 *a, const nb_csr_f64 *b) {
    return a->rows == b->rows && memcmp(a->start, b->start, ((size_t)a->rows + 1) * sizeof *a->start) == 0 &&
           memcmp(a->column, b->column, (size_t)a->start[a->rows] * sizeof *a->column) == 0;
}

/* Numbers the velocities of these nodes; says whether those that are unknown are the same as before. */
static nb_status number(sparse_mass *m, const nb_nodes *nodes, const uint8_t *moves, int *same) {
    nb_status status;
    int32_t velocities = nodes->velocity[nodes->count], *unknown = NULL, *place = NULL;
    NB_TRY(NB_ALLOCATE(velocities, &unknown));
    NB_TRY(NB_ALLOCATE(velocities, &place));
    int32_t before = m->h ? m->h->rows : -1;
    m->unknowns = 0;
    for (int32_t i = 0; i < nodes->count; i++)
        for (int32_t r = nodes->velocity[i], k = nodes->place[i]; r < nodes->velocity[i + 1]; r++, k++) {
            unknown[r] = moves[i] ? m->unknowns++ : -1;
            place[r] = k;
        }
    *same = before == velocities && memcmp(unknown, m->unknown, (size_t)velocities * sizeof *unknown) == 0;
    nb_free(m->unknown);
    nb_free(m->place);
    m->unknown = unknown;
    m->place = place;
    m->base = (nb_mass){&nb_sparse_mass_class, nodes, moves};
    return NB_OK;
out:
    nb_free(unknown);
    return status;
}

static nb_status allocate(nb_mass **mass) {
    nb_status status;
    sparse_mass *m = NULL;
    NB_TRY(NB_ALLOCATE(1, &m));
    NB_TRY(NB_ALLOCATE(1, &m->factor));
    nb_cholmod_factor_begin(m->factor);
    *mass = &m->base;
    return NB_OK;
out:
    nb_free(m);
    return status;
}

nb_status nb_sparse_mass_make(const nb_nodes *nodes, const uint8_t *moves, const nb_csr_f64 *h, nb_mass **mass) {
    nb_status status;
    nb_csr_f64 *kept = NULL;
    int32_t velocities = nodes->velocity[nodes->count];
    int same;
    if (h->rows != velocities || h->columns != velocities)
        return nb_fail(NB_ERROR_INPUT, "a mass over %d velocities is not %d x %d", (int)velocities, (int)h->rows,
                       (int)h->columns);
    if (!*mass) NB_TRY(allocate(mass));
    sparse_mass *m = (sparse_mass *)*mass;
    NB_TRY(number(m, nodes, moves, &same));
    NB_TRY(copy_pattern(m->unknown, h, &kept));
    same = same && same_pattern(kept, m->h);
    nb_csr_destroy_f64(m->h);
    m->h = kept;
    if (m->unknowns > 0 && !same) NB_TRY(analyse(m));
out:
    return status;
}

nb_status nb_sparse_mass_create(const nb_nodes *nodes, const uint8_t *moves, const nb_csr_f64 *h, nb_mass **mass) {
    nb_status status;
    *mass = NULL;
    NB_TRY(nb_sparse_mass_make(nodes, moves, h, mass));
    NB_TRY(nb_sparse_mass_set_values(*mass, h));
    return NB_OK;
out:
    nb_sparse_mass_destroy(*mass);
    *mass = NULL;
    return status;
}

nb_status nb_sparse_mass_set_values(nb_mass *mass, const nb_csr_f64 *h) {
    sparse_mass *m = (sparse_mass *)mass;
    copy_values(m, h);
    if (m->unknowns == 0) return NB_OK;
    load_triangle(m, 0);
    return factorise(m);
}

void nb_sparse_mass_solve(const nb_mass *mass, double *x) {
    const sparse_mass *m = (const sparse_mass *)mass;
    if (m->unknowns == 0) return;
    memcpy(m->factor->b->x, x, (size_t)m->unknowns * sizeof *x);
    (void)nb_cholmod_factor_solve(m->factor); /* which has its memory */
    memcpy(x, m->factor->x->x, (size_t)m->unknowns * sizeof *x);
}

int64_t nb_sparse_mass_factor_nonzeros(const nb_mass *mass) {
    const sparse_mass *m = (const sparse_mass *)mass;
    return m->unknowns > 0 ? (int64_t)m->factor->common.lnz : 0;
}

void nb_sparse_mass_destroy(nb_mass *mass) {
    sparse_mass *m = (sparse_mass *)mass;
    if (!m) return;
    if (m->factor) nb_cholmod_factor_end(m->factor);
    nb_free(m->factor);
    nb_csr_destroy_f64(m->h);
    nb_free(m->unknown);
    nb_free(m->place);
    nb_free(m);
}
