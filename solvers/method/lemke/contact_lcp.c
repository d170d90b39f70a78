#include "contact_lcp.h"

#include <math.h>

#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "cone/friction_polygon.h"

NB_PRECISIONS(f32, f64);

static const double implied = 1e-12; /* a joint row of which no more than this is left follows from others */

static int32_t contact_of(const nb_contact_lcp *lcp, int32_t i) {
    return (lcp->row[lcp->joints + 3 * i] - lcp->problem->bilaterals) / 3;
}

static double friction_of(const nb_contact_lcp *lcp, int32_t i) {
    return (double)lcp->problem->laws.cone->mu[contact_of(lcp, i)];
}

int64_t nb_contact_lcp_unknowns(const nb_projected *s, const int32_t *row, int32_t rows) {
    int64_t count = 0;
    for (int32_t k = 0; k < rows; k++) {
        const int32_t own = row[k] - s->bilaterals;
        if (own >= 0 && own % 3 == 0) count += s->laws.cone->mu[own / 3] > 0 ? s->facets + 2 : 1;
    }
    return count;
}

/* ---- rows of joints and contacts ---- */

/* N = S D S + C and q of these rows; place [rows of the problem]: where each of them stands */
static nb_status copy_rows(nb_contact_lcp *lcp, const nb_csr *d) {
    nb_status status;
    const nb_projected *s = lcp->problem;
    int32_t *place = NULL;
    NB_TRY(NB_ALLOCATE(s->rows, &place));
    for (int32_t i = 0; i < lcp->rows; i++) place[lcp->row[i]] = i;
    for (int32_t i = 0; i < lcp->rows; i++) {
        const int32_t r = lcp->row[i];
        double *to = lcp->g + (int64_t)i * lcp->rows;
        for (int64_t k = d->start[r]; k < d->start[r + 1]; k++)
            to[place[d->column[k]]] = (double)(nb_projected_s(s, r) * d->value[k] * nb_projected_s(s, d->column[k]));
        to[i] += (double)nb_projected_c(s, r);
        lcp->free[i] = (double)s->q[r];
    }
out:
    nb_free(place);
    return status;
}

/* Row k, which is solved for its own impulse, from all rows behind it and the joint rows that are left. */
static void eliminate(nb_contact_lcp *lcp, int32_t k, const int32_t *left) {
    const int32_t rows = lcp->rows;
    const double *own = lcp->g + (int64_t)k * rows;
    for (int32_t i = 0; i < rows; i++) {
        double *row = lcp->g + (int64_t)i * rows;
        if (i == k || (i < lcp->joints && !left[i]) || row[k] == 0) continue;
        const double factor = row[k] / own[k];
        for (int32_t j = 0; j < rows; j++)
            if (j >= lcp->joints || left[j]) row[j] -= factor * own[j];
        lcp->free[i] -= factor * lcp->free[k];
    }
}

/* largest pivots first */
static nb_status eliminate_joints(nb_contact_lcp *lcp) {
    nb_status status;
    int32_t *left = NULL;
    double *start = NULL;
    NB_TRY(NB_ALLOCATE(lcp->joints, &left));
    NB_TRY(NB_ALLOCATE(lcp->joints, &start));
    for (int32_t i = 0; i < lcp->joints; i++) {
        left[i] = 1;
        start[i] = lcp->g[(int64_t)i * (lcp->rows + 1)];
    }
    for (;;) {
        int32_t best = -1;
        double most = implied;
        for (int32_t i = 0; i < lcp->joints; i++) {
            const double share = left[i] && start[i] > 0 ? lcp->g[(int64_t)i * (lcp->rows + 1)] / start[i] : 0;
            if (share <= most) continue;
            most = share;
            best = i;
        }
        if (best < 0) break;
        NB_TRY(nb_interrupt_check());
        eliminate(lcp, best, left);
        left[best] = 0;
        lcp->order[lcp->eliminated++] = best;
    }
out:
    nb_free(left);
    nb_free(start);
    return status;
}

/* ---- unknowns of contacts ---- */

/* unknown k of a contact as impulses in its frame, scaled; none for lambda */
static void force_of(const nb_contact_lcp *lcp, int32_t i, int32_t k, double f[3]) {
    f[0] = f[1] = f[2] = 0;
    if (k == 0) f[0] = lcp->normal_scale[i];
    if (k == 0 || k > lcp->problem->facets) return;
    for (int j = 0; j < 2; j++) f[1 + j] = lcp->tangent_scale[i] * lcp->corner[k - 1][j];
}

static int32_t unknowns_of(const nb_contact_lcp *lcp, int32_t i) {
    return friction_of(lcp, i) > 0 ? lcp->problem->facets + 2 : 1;
}

/* the unknowns of contact i against those of contact j, from row and column on */
static void fill(nb_contact_lcp *lcp, int32_t i, int32_t j, int32_t row, int32_t column) {
    const int32_t width = lcp->rows, first = lcp->joints + 3 * i, second = lcp->joints + 3 * j;
    for (int32_t a = 0; a < unknowns_of(lcp, i); a++) {
        double f[3], along[3] = {0};
        force_of(lcp, i, a, f);
        for (int k = 0; k < 9; k++)
            along[k % 3] += f[k / 3] * lcp->g[(int64_t)(first + k / 3) * width + second + k % 3];
        for (int32_t b = 0; b < unknowns_of(lcp, j); b++) {
            double other[3];
            force_of(lcp, j, b, other);
            lcp->m[(int64_t)(row + a) * lcp->unknowns + column + b] =
                along[0] * other[0] + along[1] * other[1] + along[2] * other[2];
        }
    }
}

/* lambda of contact i, whose unknowns begin at row */
static void fill_slip(nb_contact_lcp *lcp, int32_t i, int32_t row) {
    const nb_projected *s = lcp->problem;
    const int32_t n = lcp->unknowns, slip = row + s->facets + 1;
    const double cone = friction_of(lcp, i) * lcp->normal_scale[i] / lcp->tangent_scale[i];
    lcp->m[(int64_t)slip * n + row] = cone;
    if (s->relaxed) lcp->m[(int64_t)row * n + slip] = -cone;
    for (int32_t k = 1; k <= s->facets; k++) {
        lcp->m[(int64_t)(row + k) * n + slip] = 1;
        lcp->m[(int64_t)slip * n + row + k] = -1;
    }
}

static void set_scales(nb_contact_lcp *lcp, int32_t contacts) {
    for (int32_t i = 0; i < contacts; i++) {
        const int64_t first = lcp->joints + 3 * i, width = lcp->rows + 1;
        const double normal = lcp->g[first * width],
                     across = (lcp->g[(first + 1) * width] + lcp->g[(first + 2) * width]) / 2;
        lcp->normal_scale[i] = normal > 0 ? 1 / sqrt(normal) : 1;
        lcp->tangent_scale[i] = across > 0 ? 1 / sqrt(across) : 1;
    }
}

static void fill_all(nb_contact_lcp *lcp, int32_t contacts) {
    int32_t row = 0;
    set_scales(lcp, contacts);
    for (int32_t i = 0; i < contacts; row += unknowns_of(lcp, i), i++) {
        int32_t column = 0;
        for (int32_t j = 0; j < contacts; column += unknowns_of(lcp, j), j++) fill(lcp, i, j, row, column);
        if (friction_of(lcp, i) > 0) fill_slip(lcp, i, row);
        for (int32_t a = 0; a < unknowns_of(lcp, i); a++) {
            double f[3];
            force_of(lcp, i, a, f);
            for (int k = 0; k < 3; k++) lcp->q[row + a] += f[k] * lcp->free[lcp->joints + 3 * i + k];
        }
    }
    lcp->unit = 0;
    for (int32_t i = 0; i < lcp->unknowns; i++) nb_raise(&lcp->unit, fabs(lcp->q[i]));
    if (!(lcp->unit > 0)) lcp->unit = 1;
    for (int32_t i = 0; i < lcp->unknowns; i++) lcp->q[i] /= lcp->unit;
}

void nb_contact_lcp_destroy(nb_contact_lcp *lcp) {
    nb_free(lcp->m);
    nb_free(lcp->q);
    nb_free(lcp->g);
    nb_free(lcp->free);
    nb_free(lcp->order);
    nb_free(lcp->normal_scale);
    nb_free(lcp->tangent_scale);
    nb_free(lcp->corner);
    *lcp = (nb_contact_lcp){0};
}

nb_status nb_contact_lcp_create(const nb_projected *problem, const nb_csr *d, const int32_t *row, int32_t rows,
                                nb_contact_lcp *lcp) {
    nb_status status;
    *lcp = (nb_contact_lcp){.problem = problem, .row = row, .rows = rows};
    while (lcp->joints < rows && row[lcp->joints] < problem->bilaterals) lcp->joints++;
    const int32_t contacts = (rows - lcp->joints) / 3;
    lcp->unknowns = (int32_t)nb_contact_lcp_unknowns(problem, row, rows);
    NB_TRY(NB_ALLOCATE((int64_t)rows * rows, &lcp->g));
    NB_TRY(NB_ALLOCATE(rows, &lcp->free));
    NB_TRY(NB_ALLOCATE(lcp->joints, &lcp->order));
    NB_TRY(NB_ALLOCATE(contacts, &lcp->normal_scale));
    NB_TRY(NB_ALLOCATE(contacts, &lcp->tangent_scale));
    NB_TRY(NB_ALLOCATE((int64_t)lcp->unknowns * lcp->unknowns, &lcp->m));
    NB_TRY(NB_ALLOCATE(lcp->unknowns, &lcp->q));
    NB_TRY(NB_ALLOCATE(problem->facets, &lcp->corner));
    for (int32_t k = 0; k < problem->facets; k++) nb_polygon_corner(problem->facets, k, lcp->corner[k]);
    NB_TRY(copy_rows(lcp, d));
    NB_TRY(eliminate_joints(lcp));
    fill_all(lcp, contacts);
out:
    if (status != NB_OK) nb_contact_lcp_destroy(lcp);
    return status;
}

void nb_contact_lcp_write(const nb_contact_lcp *lcp, const double *x, int free, real *z) {
    const int32_t rows = lcp->rows, contacts = (rows - lcp->joints) / 3;
    for (int32_t i = 0, first = 0; i < contacts; first += unknowns_of(lcp, i), i++) {
        double sum[3] = {0};
        for (int32_t a = 0; a < unknowns_of(lcp, i); a++) {
            double f[3];
            force_of(lcp, i, a, f);
            for (int k = 0; k < 3; k++) sum[k] += f[k] * x[first + a] * lcp->unit;
        }
        for (int k = 0; k < 3; k++) z[lcp->row[lcp->joints + 3 * i + k]] = (real)sum[k];
    }
    for (int32_t k = 0; k < lcp->joints; k++) z[lcp->row[k]] = 0;
    for (int32_t k = lcp->eliminated - 1; k >= 0; k--) {
        const int32_t i = lcp->order[k];
        const double *own = lcp->g + (int64_t)i * rows;
        double sum = free ? lcp->free[i] : 0;
        for (int32_t j = 0; j < rows; j++)
            if (j != i) sum += own[j] * (double)z[lcp->row[j]];
        z[lcp->row[i]] = (real)(-sum / own[i]);
    }
}
