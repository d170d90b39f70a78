/* Symmetric successive over-relaxation as a preconditioner:
 *
 *     P = omega (2 - omega) (D + omega L^T)^-1 D (D + omega L)^-1,   A = L + D + L^T
 *
 * Axelsson 1972. Negative entries of D are taken positive, so that P is positive definite. A row whose diagonal is zero
 * is left alone. */
#include <tgmath.h>

#include "base/memory.h"
#include "preconditioner.h"

static const nb_option options[] = {
    {"omega", "1", 1, 1e-6, 1.999999, 0, NULL, "over-relaxation factor"},
};

typedef struct ssor {
    real omega;
    const nb_csr *matrix;
    int64_t *diagonal; /* [rows] places */
} ssor;

static nb_status create(const double *values, void **state) {
    ssor *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) p->omega = (real)values[0];
    *state = p;
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    ssor *p = state;
    nb_status status;
    nb_free(p->diagonal);
    p->diagonal = NULL;
    NB_TRY(nb_system_matrix(system, &p->matrix));
    NB_TRY(NB_ALLOCATE(system->rows, &p->diagonal));
    nb_csr_diagonal(p->matrix, p->diagonal);
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    (void)reason;
    return nb_system_matrix(system, &((ssor *)state)->matrix);
}

static void apply(void *state, const real *r, real *z) {
    const ssor *p = state;
    const nb_csr *a = p->matrix;
    for (int32_t i = 0; i < a->rows; i++) {
        real sum = r[i], d = fabs(a->value[p->diagonal[i]]);
        for (int64_t k = a->start[i]; k < p->diagonal[i]; k++) sum -= p->omega * a->value[k] * z[a->column[k]];
        z[i] = d > 0 ? sum / d : 0;
    }
    for (int32_t i = a->rows - 1; i >= 0; i--) {
        real sum = 0, d = fabs(a->value[p->diagonal[i]]);
        for (int64_t k = p->diagonal[i] + 1; k < a->start[i + 1]; k++) sum += a->value[k] * z[a->column[k]];
        if (d > 0) z[i] -= p->omega * sum / d;
    }
    for (int32_t i = 0; i < a->rows; i++) z[i] *= p->omega * (2 - p->omega);
}

static void destroy(void *state) {
    ssor *p = state;
    if (p) nb_free(p->diagonal);
    nb_free(p);
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_ssor) = {
    .name = "ssor",
    .summary = "symmetric successive over-relaxation",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .needs_entries = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .destroy = destroy,
};
