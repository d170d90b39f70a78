#include "penalty_rows.h"

#include <tgmath.h>

#include "constraint/bilateral.h"
#include "constraint/box.h"
#include "constraint/cone_law.h"
#include "element/elastic_law.h"
#include "model/coordinate.h"
#include "operator/block_inverse.h"
#include "operator/sum.h"
#include "penalty_kernels.h"

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
                       "method smoothed does not support compliant contacts; use --contact-stiffness");
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
        else if (type == &nb_box_class)
            return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed does not support " NB_COORDINATE_ROWS_NAME);
        else if (type != &nb_bilateral_class && !is_elastic(type))
            return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed does not support rows of the law '%s'", type->name);
    }
out:
    return status;
}

/* ---- blocks ---- */

/* of a range of contacts, the first of which is the contact `first` of all */
static nb_penalty_answers answers_of(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range,
                                     int32_t first) {
    return (nb_penalty_answers){.law = rows->law,
                                .slippery = rows->slippery,
                                .lagged = rows->lagged ? rows->lagged + first : NULL,
                                .share = rows->share,
                                .h = p->h,
                                .time = rows->acts * p->h,
                                .mu = ((const nb_cone_law *)range->law)->mu + range->first,
                                .value = p->value + range->first_row};
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
            nb_penalty_answers answers = answers_of(rows, p, range, contact);
            answers.z = z + range->first_row;
            nb_penalty_kernels_best()->push(&answers, 0, range->blocks);
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
            nb_penalty_answers answers = answers_of(rows, p, range, contact);
            answers.t = t + place[range->first_block];
            nb_penalty_kernels_best()->slope(&answers, 0, range->blocks);
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
