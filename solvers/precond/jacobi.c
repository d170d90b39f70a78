/* No preconditioner, P = 1, and the inverse of the diagonal's size, so that P is positive for an indefinite
 * system as well. A row whose diagonal is zero is left alone: P = 0 there. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

typedef struct diagonal {
    int32_t rows;
    real *inverse; /* [rows] */
} diagonal;

static nb_status create(const double *values, void **state) {
    (void)values;
    diagonal *d;
    nb_status status = NB_ALLOCATE(1, &d);
    *state = d;
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    diagonal *d = state;
    nb_free(d->inverse);
    d->rows = system->rows;
    return NB_ALLOCATE(system->rows, &d->inverse);
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    diagonal *d = state;
    (void)reason;
    nb_system_diagonal(system, d->inverse);
    for (int32_t i = 0; i < d->rows; i++) d->inverse[i] = d->inverse[i] != 0 ? 1 / fabs(d->inverse[i]) : 0;
    return NB_OK;
}

static void apply(void *state, const real *restrict r, real *restrict z) {
    const diagonal *d = state;
    for (int32_t i = 0; i < d->rows; i++) z[i] = d->inverse[i] * r[i];
}

static const real *inverse_diagonal(const void *state) {
    return ((const diagonal *)state)->inverse;
}

static void work(const void *state, nb_preconditioner_work *work) {
    const double rows = ((const diagonal *)state)->rows;
    *work = (nb_preconditioner_work){rows, rows, 3 * rows * (double)sizeof(real), rows};
}

static void destroy(void *state) {
    diagonal *d = state;
    if (d) nb_free(d->inverse);
    nb_free(d);
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_jacobi) = {
    .name = "jacobi",
    .summary = "inverse diagonal (Macklin et al. 2019)",
    .takes_unsymmetric = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .diagonal = inverse_diagonal,
    .work = work,
    .destroy = destroy,
};

static nb_status none_set_up_pattern(void *state, nb_system *system) {
    ((diagonal *)state)->rows = system->rows;
    return NB_OK;
}

static nb_status none_set_up_values(void *state, nb_system *system, nb_reason *reason) {
    (void)state;
    (void)system;
    (void)reason;
    return NB_OK;
}

static void none_apply(void *state, const real *r, real *z) {
    memcpy(z, r, (size_t)((const diagonal *)state)->rows * sizeof *z);
}

static const real *no_diagonal(const void *state) {
    (void)state;
    return NULL;
}

static void no_work(const void *state, nb_preconditioner_work *work) {
    *work = (nb_preconditioner_work){.apply_bytes = 2 * ((const diagonal *)state)->rows * (double)sizeof(real)};
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_none) = {
    .name = "none",
    .summary = "no preconditioner",
    .takes_unsymmetric = 1,
    .create = create,
    .set_up_pattern = none_set_up_pattern,
    .set_up_values = none_set_up_values,
    .apply = none_apply,
    .diagonal = no_diagonal,
    .work = no_work,
    .destroy = destroy,
};
