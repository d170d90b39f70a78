#include "element/elastic_law.h"

#include <tgmath.h>

#include "base/largest.h"

NB_PRECISIONS(f32, f64);

/* A soft element's rows have large E beside small D. A weight on row and unknown, the same for a block, keeps their
 * diagonal below this many w, and leaves the step as it is. */
static const real most_compliance = 100;

static const real *compliance_of(const nb_law_range *range, int32_t i) {
    const int32_t n = range->law->type->rows;
    return ((const nb_elastic_law *)range->law)->compliance + (ptrdiff_t)(range->first + i) * n * n;
}

/* (value + E z) of row k of a block that begins at row r */
static inline real residual(const nb_law_state *at, int32_t n, const real *e, int32_t r, int32_t k) {
    real sum = at->value[r + k];
    for (int32_t j = 0; j < n; j++) sum += e[k * n + j] * at->z[r + j];
    return sum;
}

static void linearise(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights) {
    const int32_t n = range->law->type->rows;
    for (int32_t i = 0; i < range->blocks; i++) {
        const int32_t r = range->first_row + n * i;
        const real *e = compliance_of(range, i);
        real *k = weights->k + weights->k_place[range->first_block + i], soft = 0, stiff = 0;
        for (int32_t j = 0; j < n; j++) {
            soft = fmax(soft, e[j * n + j]);
            stiff = fmax(stiff, at->w[r + j]);
        }
        /* the literal form weighs forces, too, which are then no longer the element's */
        real weight =
            how->paper_row_scaling || soft <= most_compliance * stiff ? R(1) : sqrt(most_compliance * stiff / soft);
        for (int32_t j = 0; j < n; j++) {
            weights->s[r + j] = weights->update[r + j] = weight;
            weights->c[r + j] = 0;
            weights->b[r + j] = -weight * residual(at, n, e, r, j);
        }
        for (int32_t j = 0; j < n * n; j++) k[j] = weight * weight * e[j];
    }
}

static void project(const nb_law_range *range, real *z) {
    (void)range; /* all are admitted */
    (void)z;
}

static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    const int32_t n = range->law->type->rows;
    for (int32_t i = 0; i < range->blocks; i++) {
        const int32_t r = range->first_row + n * i;
        for (int32_t k = 0; k < n; k++)
            nb_raise(&errors->bilateral, (double)fabs(residual(at, n, compliance_of(range, i), r, k)));
    }
}

const nb_law_class nb_elastic_class = {
    .name = "elastic",
    .rows = 6,
    .full_blocks = 1,
    .linearise = linearise,
    .project = project,
    .error = error,
};

const nb_law_class nb_elastic_principal_class = {
    .name = "elastic-principal",
    .rows = 3,
    .full_blocks = 1,
    .linearise = linearise,
    .project = project,
    .error = error,
};
