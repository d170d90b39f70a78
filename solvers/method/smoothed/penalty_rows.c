#include "penalty_rows.h"

#include <tgmath.h>

#include "constraint/bilateral.h"
#include "constraint/cone_law.h"
#include "element/elastic_law.h"
#include "operator/block_inverse.h"
#include "operator/sum.h"

NB_PRECISIONS(f32, f64);

static int is_elastic(const nb_law_class *type) {
    return type == &nb_elastic_class || type == &nb_elastic_principal_class;
}

/* ---- what is known ---- */

static nb_status check_contacts(const nb_penalty_rows *rows, const nb_law_range *range) {
    const nb_cone_law *cone = (const nb_cone_law *)range->law;
    nb_status status = NB_OK;
    if (cone->soft != 0)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "method smoothed has a stiffness of contacts of its own, and these have a compliance");
    if (cone->ratio != 1)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed does not support --friction-ratio other than 1");
    for (int32_t i = 0; i < range->blocks; i++)
        NB_TRY(nb_smoothed_friction_check(&rows->law, cone->mu[range->first + i]));
out:
    return status;
}

nb_status nb_penalty_rows_check(const nb_penalty_rows *rows, const nb_problem *p) {
    nb_status status = NB_OK;
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        const nb_law_class *type = range->law->type;
        if (type == &nb_cone_class)
            NB_TRY(check_contacts(rows, range));
        else if (type != &nb_bilateral_class && !is_elastic(type))
            return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed does not know rows of the law '%s'", type->name);
    }
out:
    return status;
}

/* ---- blocks ---- */

static nb_sliding_contact contact_at(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range,
                                     int32_t i, int32_t contact) {
    const real *value = p->value + range->first_row + 3 * (ptrdiff_t)i;
    const real mu = rows->slippery ? R(0) : ((const nb_cone_law *)range->law)->mu[range->first + i];
    return (nb_sliding_contact){
        p->h * value[0], {value[1], value[2]}, mu, rows->lagged ? rows->lagged[contact] : R(-1)};
}

static nb_smoothed_friction law_of(const nb_penalty_rows *rows) {
    nb_smoothed_friction law = rows->law;
    if (rows->slippery) law.static_mu = law.viscous = 0;
    return law;
}

/* force and, unless NULL, block of a contact; both are linear in the normal force of friction */
static void push(const nb_penalty_rows *rows, const nb_smoothed_friction *law, const nb_sliding_contact *at,
                 real force[3], real *block) {
    nb_sliding_contact implicit = *at;
    real own_force[3], own[9];
    if (block)
        nb_smoothed_block(law, at, force, block);
    else
        nb_smoothed_force(law, at, force);
    if (!rows->lagged || rows->share == 0) return;
    implicit.lagged = -1;
    nb_smoothed_block(law, &implicit, own_force, own);
    for (int k = 0; k < 3; k++) force[k] += rows->share * (own_force[k] - force[k]);
    for (int k = 0; block && k < 9; k++) block[k] += rows->share * (own[k] - block[k]);
}

/* E^-1 of element i, n x n */
static void invert_element(const nb_law_range *range, int32_t i, double *inverse) {
    const int n = (int)range->law->type->rows;
    const real *e = ((const nb_elastic_law *)range->law)->compliance + (ptrdiff_t)(range->first + i) * n * n;
    double a[NB_BLOCK_ROWS * NB_BLOCK_ROWS], x[NB_BLOCK_ROWS * NB_BLOCK_ROWS], y[NB_BLOCK_ROWS * NB_BLOCK_ROWS],
        d[NB_BLOCK_ROWS];
    for (int k = 0; k < n * n; k++) a[k] = (double)e[k];
    (void)nb_block_invert(n, a, x, d, y); /* positive definite */
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += x[r * n + k] * d[k] * y[k * n + c];
            inverse[r * n + c] = sum;
        }
}

static int is_rigid(const nb_law_range *range, int32_t i) {
    return !(((const nb_bilateral_law *)range->law)->compliance[range->first + i] > 0);
}

real nb_penalty_rows_compliance(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range,
                                int32_t i) {
    const real own = ((const nb_bilateral_law *)range->law)->compliance[range->first + i];
    const real w = p->w[range->first_row + i];
    if (own > 0) return own;
    return w > 0 ? rows->rigid * w : R(1);
}

/* ---- damping ---- */

/* out [n] = from [n] + factor J x of block `block` of n rows, over all nodes that it names */
static void add_along(const nb_problem *p, int32_t block, int n, const real *from, real factor, const real *x,
                      double *out) {
    real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES];
    const int nodes = nb_sum_whole_jacobian(nb_sum_view_of(p->delassus), block, node, j);
    int columns = 0, column = 0;
    for (int k = 0; k < n; k++) out[k] = (double)from[k];
    for (int i = 0; i < nodes; i++) columns += nb_node_velocities(p->nodes, node[i]);
    for (int i = 0; i < nodes; i++) {
        const real *own = x + p->nodes->velocity[node[i]];
        for (int c = 0; c < nb_node_velocities(p->nodes, node[i]); c++, column++)
            for (int k = 0; k < n; k++) out[k] += (double)(factor * j[k * columns + column] * own[c]);
    }
}

real nb_penalty_rows_along(const nb_problem *p, int32_t block, const real *x) {
    const real none = 0;
    double along;
    add_along(p, block, 1, &none, R(1), x, &along);
    return (real)along;
}

/* value + damping J u of block `block` */
static void damped_values(const nb_penalty_rows *rows, const nb_problem *p, int32_t block, int n, const real *value,
                          double *out) {
    if (rows->damping != 0) {
        add_along(p, block, n, value, rows->damping, p->u, out);
        return;
    }
    for (int k = 0; k < n; k++) out[k] = (double)value[k];
}

/* ---- impulses ---- */

static void push_contacts(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range, int32_t first,
                          real *z) {
    const nb_smoothed_friction law = law_of(rows);
    for (int32_t i = 0; i < range->blocks; i++) {
        const nb_sliding_contact at = contact_at(rows, p, range, i, first + i);
        real force[3], *to = z + range->first_row + 3 * (ptrdiff_t)i;
        push(rows, &law, &at, force, NULL);
        to[0] = p->h * force[2];
        to[1] = p->h * force[0];
        to[2] = p->h * force[1];
    }
}

static void push_elements(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range, real *z) {
    const int n = (int)range->law->type->rows;
    double inverse[NB_BLOCK_ROWS * NB_BLOCK_ROWS], value[NB_BLOCK_ROWS];
    for (int32_t i = 0; i < range->blocks; i++) {
        const int32_t r = range->first_row + n * i;
        invert_element(range, i, inverse);
        damped_values(rows, p, range->first_block + i, n, p->value + r, value);
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum -= inverse[k * n + j] * value[j];
            z[r + k] = (real)sum;
        }
    }
}

void nb_penalty_rows_impulses(const nb_penalty_rows *rows, const nb_problem *p, real *z) {
    int32_t contact = 0;
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        if (range->law->type == &nb_cone_class) {
            push_contacts(rows, p, range, contact, z);
            contact += range->blocks;
        } else if (is_elastic(range->law->type)) {
            push_elements(rows, p, range, z);
        } else {
            for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
                double value;
                damped_values(rows, p, range->first_block + i, 1, p->value + r, &value);
                z[r] = (real)-value / nb_penalty_rows_compliance(rows, p, range, i);
            }
        }
    }
}

/* ---- slopes ---- */

/* of (normal, tangents) by their velocities, from the block of (tangents, normal) by these and the gap */
static void contact_slopes(real h, const real block[9], double *t) {
    static const int from[3] = {2, 0, 1};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const double moves = c == 0 ? (double)h * (double)h : (double)h;
            t[3 * r + c] = -moves * (double)block[3 * from[r] + from[c]];
        }
}

static void slope_contacts(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range, int32_t first,
                           const int64_t *place, double *t) {
    const nb_smoothed_friction law = law_of(rows);
    for (int32_t i = 0; i < range->blocks; i++) {
        const nb_sliding_contact at = contact_at(rows, p, range, i, first + i);
        real force[3], block[9];
        push(rows, &law, &at, force, block);
        contact_slopes(p->h, block, t + place[range->first_block + i]);
    }
}

/* T of elements and joints: E^-1 (1 + damping) */
static void slope_others(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range,
                         const int64_t *place, double *t) {
    const int n = (int)range->law->type->rows, elastic = is_elastic(range->law->type);
    for (int32_t i = 0; i < range->blocks; i++) {
        double *to = t + place[range->first_block + i];
        if (elastic)
            invert_element(range, i, to);
        else
            *to = 1 / (double)nb_penalty_rows_compliance(rows, p, range, i);
        if (!elastic && is_rigid(range, i)) continue;
        for (int k = 0; k < n * n; k++) to[k] *= 1 + (double)rows->damping;
    }
}

void nb_penalty_rows_slopes(const nb_penalty_rows *rows, const nb_problem *p, const int64_t *place, double *t) {
    int32_t contact = 0;
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        if (range->law->type == &nb_cone_class) {
            slope_contacts(rows, p, range, contact, place, t);
            contact += range->blocks;
        } else {
            slope_others(rows, p, range, place, t);
        }
    }
}

/* ---- gaps ---- */

int32_t nb_penalty_rows_contacts(const nb_problem *p) {
    int32_t count = 0;
    for (int32_t k = 0; k < p->range_count; k++)
        if (p->ranges[k].law->type == &nb_cone_class) count += p->ranges[k].blocks;
    return count;
}

real nb_penalty_rows_gaps(const nb_problem *p, real *gap) {
    real least = R(INFINITY);
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        if (range->law->type != &nb_cone_class) continue;
        for (int32_t i = 0; i < range->blocks; i++) {
            const real d = p->h * p->value[range->first_row + 3 * i];
            if (d < least) least = d;
            if (gap) *gap++ = d;
        }
    }
    return least;
}
