#include "sparse_mass.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cholmod_factor.h"

NB_PRECISIONS(f32, f64);

typedef struct sparse_mass {
    nb_mass base;     /* first */
    nb_csr *h;        /* empty rows and columns for nodes without mass */
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

static void apply(const nb_mass *base, int32_t count, const int32_t *node, const real *velocity, real *force) {
    const sparse_mass *m = (const sparse_mass *)base;
    const int32_t *first = base->nodes->velocity;
    for (int32_t i = 0; i < count; i++)
        for (int32_t r = first[node[i]]; r < first[node[i] + 1]; r++) {
            real sum = 0;
            for (int64_t e = m->h->start[r]; e < m->h->start[r + 1]; e++)
                sum += m->h->value[e] * velocity[m->place[m->h->column[e]]];
            force[m->place[r]] = sum;
        }
}

static nb_status matrix_of(const nb_mass *base, nb_csr **matrix) {
    return nb_csr_copy(((const sparse_mass *)base)->h, matrix);
}

const nb_mass_class nb_sparse_mass_class = {
    .solve = solve,
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
            value[used++] = (double)m->h->value[e];
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

/* h without the rows and columns of nodes without mass: its pattern the first time */
static void copy_matrix(sparse_mass *m, const nb_csr *h, int pattern) {
    int64_t used = 0;
    for (int32_t r = 0; r < h->rows; r++) {
        for (int64_t e = h->start[r]; m->unknown[r] >= 0 && e < h->start[r + 1]; e++) {
            if (m->unknown[h->column[e]] < 0) continue;
            if (pattern) m->h->column[used] = h->column[e];
            m->h->value[used++] = h->value[e];
        }
        if (pattern) m->h->start[r + 1] = used;
    }
}

static void number(sparse_mass *m) {
    const nb_nodes *nodes = m->base.nodes;
    for (int32_t i = 0; i < nodes->count; i++)
        for (int32_t r = nodes->velocity[i], k = nodes->place[i]; r < nodes->velocity[i + 1]; r++, k++) {
            m->unknown[r] = m->base.moves[i] ? m->unknowns++ : -1;
            m->place[r] = k;
        }
}

nb_status nb_sparse_mass_create(const nb_nodes *nodes, const uint8_t *moves, const nb_csr *h, nb_mass **mass) {
    nb_status status;
    sparse_mass *m = NULL;
    int32_t velocities = nodes->velocity[nodes->count];
    *mass = NULL;
    if (h->rows != velocities || h->columns != velocities)
        return nb_fail(NB_ERROR_INPUT, "a mass over %d velocities is not %d x %d", (int)velocities, (int)h->rows,
                       (int)h->columns);
    NB_TRY(NB_ALLOCATE(1, &m));
    m->base = (nb_mass){&nb_sparse_mass_class, nodes, moves};
    NB_TRY(NB_ALLOCATE(velocities, &m->unknown));
    NB_TRY(NB_ALLOCATE(velocities, &m->place));
    NB_TRY(NB_ALLOCATE(1, &m->factor));
    nb_cholmod_factor_begin(m->factor);
    number(m);
    NB_TRY(nb_csr_create(h->rows, h->columns, nb_csr_nonzeros(h), &m->h));
    copy_matrix(m, h, 1);
    if (m->unknowns > 0) {
        NB_TRY(analyse(m));
        NB_TRY(factorise(m));
    }
out:
    if (status != NB_OK) {
        nb_sparse_mass_destroy(m ? &m->base : NULL);
        return status;
    }
    *mass = &m->base;
    return NB_OK;
}

nb_status nb_sparse_mass_set_values(nb_mass *mass, const nb_csr *h) {
    sparse_mass *m = (sparse_mass *)mass;
    copy_matrix(m, h, 0);
    if (m->unknowns == 0) return NB_OK;
    load_triangle(m, 0);
    return factorise(m);
}

void nb_sparse_mass_destroy(nb_mass *mass) {
    sparse_mass *m = (sparse_mass *)mass;
    if (!m) return;
    if (m->factor) nb_cholmod_factor_end(m->factor);
    nb_free(m->factor);
    nb_csr_destroy(m->h);
    nb_free(m->unknown);
    nb_free(m->place);
    nb_free(m);
}
