#include "operator/low_rank_mass.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

typedef struct low_rank_mass {
    nb_mass base; /* first */
    const nb_mass *h0;
    int32_t rank, velocities, moving_count;
    int32_t *moving;        /* [moving_count] nodes with mass */
    double *s;              /* [rank][velocities] scaled rows; 0 of nodes without mass */
    double *p;              /* [rank][velocities] H0^-1 s */
    double *factor;         /* [rank][rank] lower Cholesky factor of 1 + S^T P */
    double *c;              /* [rank] scratch: a solve works in it, though the mass does not change */
    real *force, *velocity; /* padded, scratch of set_values */
} low_rank_mass;

/* ---- sums over the nodes listed ---- */

static double along(const low_rank_mass *m, int32_t k, int32_t count, const int32_t *node, const real *x) {
    const double *s = m->s + (ptrdiff_t)k * m->velocities;
    const nb_nodes *nodes = m->base.nodes;
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t first = nodes->velocity[node[i]], place = nodes->place[node[i]];
        for (int32_t r = first; r < nodes->velocity[node[i] + 1]; r++) sum += s[r] * (double)x[place + r - first];
    }
    return sum;
}

/* y += a row */
static void add(const low_rank_mass *m, const double *row, double a, int32_t count, const int32_t *node, real *y) {
    const nb_nodes *nodes = m->base.nodes;
    for (int32_t i = 0; i < count; i++) {
        const int32_t first = nodes->velocity[node[i]], place = nodes->place[node[i]];
        for (int32_t r = first; r < nodes->velocity[node[i] + 1]; r++)
            y[place + r - first] = (real)((double)y[place + r - first] + a * row[r]);
    }
}

/* ---- the small matrix ---- */

/* L L^T = the matrix in `factor`, whose eigenvalues are 1 at least */
static nb_status factorise(low_rank_mass *m) {
    const int32_t n = m->rank;
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = j; i < n; i++) {
            double *a = m->factor + (ptrdiff_t)i * n, *b = m->factor + (ptrdiff_t)j * n, sum = a[j];
            for (int32_t k = 0; k < j; k++) sum -= a[k] * b[k];
            if (i == j && !(sum > 0))
                return nb_fail(NB_ERROR_NUMERIC, "the mass is not positive definite along dense row %d", (int)j);
            a[j] = i == j ? sqrt(sum) : sum / b[j];
        }
    return NB_OK;
}

/* c = (L L^T)^-1 c */
static void solve_small(const low_rank_mass *m) {
    const int32_t n = m->rank;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < i; k++) m->c[i] -= m->factor[(ptrdiff_t)i * n + k] * m->c[k];
        m->c[i] /= m->factor[(ptrdiff_t)i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < n; k++) m->c[i] -= m->factor[(ptrdiff_t)k * n + i] * m->c[k];
        m->c[i] /= m->factor[(ptrdiff_t)i * n + i];
    }
}

/* ---- the class ---- */

/* velocity = H^-1 f from H0^-1 f */
static void correct(const low_rank_mass *m, int32_t count, const int32_t *node, real *velocity) {
    for (int32_t k = 0; k < m->rank; k++) m->c[k] = along(m, k, count, node, velocity);
    solve_small(m);
    for (int32_t k = 0; k < m->rank; k++) add(m, m->p + (ptrdiff_t)k * m->velocities, -m->c[k], count, node, velocity);
}

static void solve(const nb_mass *base, int32_t count, const int32_t *node, const real *force, real *velocity) {
    const low_rank_mass *m = (const low_rank_mass *)base;
    m->h0->type->solve(m->h0, count, node, force, velocity);
    correct(m, count, node, velocity);
}

static nb_status reserve_together(const nb_mass *base) {
    const nb_mass *h0 = ((const low_rank_mass *)base)->h0;
    return h0->type->reserve_together(h0);
}

static void put(const nb_mass *base, int k, int32_t count, const int32_t *node, const real *force) {
    const nb_mass *h0 = ((const low_rank_mass *)base)->h0;
    h0->type->put(h0, k, count, node, force);
}

static void solve_together(const nb_mass *base, int forces) {
    const nb_mass *h0 = ((const low_rank_mass *)base)->h0;
    h0->type->solve_together(h0, forces);
}

static void take(const nb_mass *base, int k, int32_t count, const int32_t *node, real *velocity) {
    const low_rank_mass *m = (const low_rank_mass *)base;
    m->h0->type->take(m->h0, k, count, node, velocity);
    correct(m, count, node, velocity);
}

static void apply(const nb_mass *base, int32_t count, const int32_t *node, const real *velocity, real *force) {
    const low_rank_mass *m = (const low_rank_mass *)base;
    m->h0->type->apply(m->h0, count, node, velocity, force);
    for (int32_t k = 0; k < m->rank; k++)
        add(m, m->s + (ptrdiff_t)k * m->velocities, along(m, k, count, node, velocity), count, node, force);
}

/* Row r of H into `full`, which is zero, and `holds`, as far as it has entries; returns how many. */
static int64_t row_of(const low_rank_mass *m, const nb_csr *h0, int32_t r, double *full, uint8_t *holds) {
    int64_t entries = 0;
    for (int64_t e = h0->start[r]; e < h0->start[r + 1]; e++) {
        full[h0->column[e]] = (double)h0->value[e];
        holds[h0->column[e]] = 1;
    }
    for (int32_t k = 0; k < m->rank; k++) {
        const double *s = m->s + (ptrdiff_t)k * m->velocities;
        for (int32_t c = 0; s[r] != 0 && c < m->velocities; c++) {
            full[c] += s[r] * s[c];
            if (s[c] != 0) holds[c] = 1;
        }
    }
    for (int32_t c = 0; c < m->velocities; c++) entries += holds[c];
    return entries;
}

static nb_status matrix_of(const nb_mass *base, nb_csr **matrix) {
    const low_rank_mass *m = (const low_rank_mass *)base;
    const size_t n = (size_t)m->velocities;
    nb_status status;
    nb_csr *h0 = NULL;
    double *full = NULL;
    uint8_t *holds = NULL;
    int64_t entries = 0;
    *matrix = NULL;
    NB_TRY(m->h0->type->matrix(m->h0, &h0));
    NB_TRY(NB_ALLOCATE(m->velocities, &full));
    NB_TRY(NB_ALLOCATE(m->velocities, &holds));
    for (int pass = 0; pass < 2; pass++) { /* counts, and then fills */
        if (pass) NB_TRY(nb_csr_create(m->velocities, m->velocities, entries, matrix));
        entries = 0;
        for (int32_t r = 0; r < m->velocities; r++) {
            memset(full, 0, n * sizeof *full);
            memset(holds, 0, n * sizeof *holds);
            const int64_t first = entries;
            entries += row_of(m, h0, r, full, holds);
            if (!pass) continue;
            (*matrix)->start[r + 1] = entries;
            for (int32_t c = 0, used = 0; c < m->velocities; c++) {
                if (!holds[c]) continue;
                (*matrix)->column[first + used] = c;
                (*matrix)->value[first + used++] = (real)full[c];
            }
        }
    }
out:
    nb_csr_destroy(h0);
    nb_free(full);
    nb_free(holds);
    return status;
}

const nb_mass_class nb_low_rank_mass_class = {.solve = solve, .apply = apply, .matrix = matrix_of};

/* over an H0 that solves with several forces at once */
static const nb_mass_class together_class = {
    .solve = solve,
    .apply = apply,
    .matrix = matrix_of,
    .reserve_together = reserve_together,
    .put = put,
    .solve_together = solve_together,
    .take = take,
};

static int has_rows(const nb_mass *mass) {
    return mass->type == &nb_low_rank_mass_class || mass->type == &together_class;
}

/* ---- public ---- */

nb_status nb_low_rank_mass_create(const nb_mass *base, int32_t rank, nb_mass **mass) {
    nb_status status;
    low_rank_mass *m = NULL;
    const nb_nodes *nodes = base->nodes;
    *mass = NULL;
    NB_TRY(NB_ALLOCATE(1, &m));
    m->base = (nb_mass){base->type->put ? &together_class : &nb_low_rank_mass_class, nodes, base->moves};
    m->h0 = base;
    m->rank = rank;
    m->velocities = nodes->velocity[nodes->count];
    NB_TRY(NB_ALLOCATE(nodes->count, &m->moving));
    for (int32_t i = 0; i < nodes->count; i++)
        if (base->moves[i]) m->moving[m->moving_count++] = i;
    NB_TRY(NB_ALLOCATE((int64_t)rank * m->velocities, &m->s));
    NB_TRY(NB_ALLOCATE((int64_t)rank * m->velocities, &m->p));
    NB_TRY(NB_ALLOCATE((int64_t)rank * rank, &m->factor));
    NB_TRY(NB_ALLOCATE(rank, &m->c));
    NB_TRY(NB_ALLOCATE(nb_nodes_length(nodes), &m->force));
    NB_TRY(NB_ALLOCATE(nb_nodes_length(nodes), &m->velocity));
    for (int32_t k = 0; k < rank; k++) m->factor[(ptrdiff_t)k * rank + k] = 1;
    *mass = &m->base;
    return NB_OK;
out:
    nb_low_rank_mass_destroy(m ? &m->base : NULL);
    return status;
}

/* s = sqrt(weight) row, of nodes with mass */
static nb_status scale_row(low_rank_mass *m, int32_t k, double weight, const double *row) {
    const nb_nodes *nodes = m->base.nodes;
    double *s = m->s + (ptrdiff_t)k * m->velocities;
    const double root = sqrt(weight);
    if (!isfinite(root)) /* NaN below 0 */
        return nb_fail(NB_ERROR_NUMERIC, "dense row %d of the mass has the weight %g, which must be 0 or more", (int)k,
                       weight);
    for (int32_t i = 0; i < m->moving_count; i++)
        for (int32_t r = nodes->velocity[m->moving[i]]; r < nodes->velocity[m->moving[i] + 1]; r++) {
            s[r] = root * row[r];
            if (!isfinite(s[r]))
                return nb_fail(NB_ERROR_NUMERIC, "dense row %d of the mass has %g at velocity %d", (int)k, row[r],
                               (int)r);
        }
    return NB_OK;
}

/* p, and the small matrix of the rows s */
static nb_status factorise_rows(low_rank_mass *m) {
    const nb_nodes *nodes = m->base.nodes;
    for (int32_t k = 0; k < m->rank; k++) {
        double *p = m->p + (ptrdiff_t)k * m->velocities;
        memset(m->force, 0, (size_t)nb_nodes_length(nodes) * sizeof *m->force);
        add(m, m->s + (ptrdiff_t)k * m->velocities, 1, m->moving_count, m->moving, m->force);
        m->h0->type->solve(m->h0, m->moving_count, m->moving, m->force, m->velocity);
        for (int32_t i = 0; i < m->moving_count; i++)
            for (int32_t r = nodes->velocity[m->moving[i]], at = nodes->place[m->moving[i]];
                 r < nodes->velocity[m->moving[i] + 1]; r++)
                p[r] = (double)m->velocity[at++];
    }
    for (int32_t i = 0; i < m->rank; i++)
        for (int32_t j = 0; j <= i; j++) {
            double sum = i == j;
            for (int32_t r = 0; r < m->velocities; r++)
                sum += m->s[(ptrdiff_t)i * m->velocities + r] * m->p[(ptrdiff_t)j * m->velocities + r];
            m->factor[(ptrdiff_t)i * m->rank + j] = sum;
        }
    return factorise(m);
}

nb_status nb_low_rank_mass_set_values(nb_mass *mass, const double *weight, const double *row) {
    low_rank_mass *m = (low_rank_mass *)mass;
    nb_status status;
    for (int32_t k = 0; k < m->rank; k++) NB_TRY(scale_row(m, k, weight[k], row + (ptrdiff_t)k * m->velocities));
    NB_TRY(factorise_rows(m));
out:
    return status;
}

const nb_mass *nb_low_rank_mass_base(const nb_mass *mass) {
    return has_rows(mass) ? ((const low_rank_mass *)mass)->h0 : mass;
}

int32_t nb_low_rank_mass_rank(const nb_mass *mass) {
    return has_rows(mass) ? ((const low_rank_mass *)mass)->rank : 0;
}

const double *nb_low_rank_mass_row(const nb_mass *mass, int32_t k) {
    const low_rank_mass *m = (const low_rank_mass *)mass;
    return m->s + (ptrdiff_t)k * m->velocities;
}

nb_status nb_low_rank_mass_copy_rows(nb_mass *mass, const nb_mass *from) {
    low_rank_mass *m = (low_rank_mass *)mass;
    memcpy(m->s, ((const low_rank_mass *)from)->s, (size_t)m->rank * (size_t)m->velocities * sizeof *m->s);
    return factorise_rows(m);
}

nb_status nb_low_rank_mass_refuse(const nb_mass *mass, const char *form) {
    if (nb_low_rank_mass_rank(mass) == 0) return NB_OK;
    return nb_fail(
        NB_ERROR_UNSUPPORTED,
        "--form %s does not support cavities (scene has %d): its matrix would be dense over their particles; "
        "use --form condensed or compliance",
        form, (int)nb_low_rank_mass_rank(mass));
}

/* x += a row; returns row . x of before */
static double over_moving(const low_rank_mass *m, const double *row, double a, double *x) {
    const int32_t *first = m->base.nodes->velocity;
    double along = 0;
    for (int32_t i = 0; i < m->moving_count; i++)
        for (int32_t r = first[m->moving[i]]; r < first[m->moving[i] + 1]; r++, x++) {
            along += row[r] * *x;
            *x += a * row[r];
        }
    return along;
}

void nb_low_rank_mass_correct(const nb_mass *mass, double *x) {
    const low_rank_mass *m = (const low_rank_mass *)mass;
    for (int32_t k = 0; k < m->rank; k++) m->c[k] = over_moving(m, m->s + (ptrdiff_t)k * m->velocities, 0, x);
    solve_small(m);
    for (int32_t k = 0; k < m->rank; k++) over_moving(m, m->p + (ptrdiff_t)k * m->velocities, -m->c[k], x);
}

void nb_low_rank_mass_destroy(nb_mass *mass) {
    low_rank_mass *m = (low_rank_mass *)mass;
    if (!m) return;
    nb_free(m->moving);
    nb_free(m->s);
    nb_free(m->p);
    nb_free(m->factor);
    nb_free(m->c);
    nb_free(m->force);
    nb_free(m->velocity);
    nb_free(m);
}
