#include "shifted_factor.h"

#include <string.h>

#include "base/memory.h"
#include "operator/primal.h"

NB_PRECISIONS(f32, f64);

extern const nb_linear_solver_class NB_REAL_NAME(nb_cholesky);

nb_status nb_shifted_factor_make(const nb_projected *problem, nb_shifted_factor *f) {
    nb_status status;
    const nb_problem *p = problem->p;
    *f = (nb_shifted_factor){.problem = problem, .solver = &NB_REAL_NAME(nb_cholesky)};
    NB_TRY(nb_system_create(p->exact, &f->rows));
    if (!problem->matrix) NB_TRY(nb_form_create(&nb_primal_form, f->rows, &f->form));
    NB_TRY(NB_ALLOCATE(p->velocities, &f->momentum));
    NB_TRY(NB_ALLOCATE(p->velocities, &f->du));
    NB_TRY(NB_ALLOCATE(p->rows, &f->change));
    NB_TRY(f->solver->create(NULL, &f->state));
out:
    return status;
}

void nb_shifted_factor_clear(nb_shifted_factor *f) {
    if (f->state) f->solver->destroy(f->state);
    nb_form_destroy(f->form);
    nb_system_destroy(f->rows);
    nb_free(f->momentum);
    nb_free(f->du);
    nb_free(f->change);
    *f = (nb_shifted_factor){0};
}

/* what is factorised */
static nb_system *system_of(const nb_shifted_factor *f) {
    return f->form ? f->form->system : f->rows;
}

nb_status nb_shifted_factor_set(nb_shifted_factor *f, const real *scale, const real *sigma) {
    nb_status status = NB_OK;
    const nb_projected *s = f->problem;
    nb_linear_outcome outcome = {.failed_row = -1};
    for (int32_t r = 0; r < s->rows; r++) {
        f->rows->s[r] = nb_projected_s(s, r) * scale[r];
        f->rows->c[r] = scale[r] * scale[r] * nb_projected_c(s, r) + sigma[r];
        f->rows->b[r] = 0;
    }
    nb_system_values_changed(f->rows);
    const int64_t before = f->form ? f->form->system->pattern_epoch : 0;
    if (f->form) NB_TRY(nb_form_assemble(f->form, f->rows, f->momentum));
    if (!f->has_pattern || (f->form && f->form->system->pattern_epoch != before))
        NB_TRY(f->solver->set_up_pattern(f->state, system_of(f)));
    f->has_pattern = 1;
    NB_TRY(f->solver->set_up_values(f->state, system_of(f), &outcome));
    if (outcome.failed_row >= 0)
        status = nb_fail(NB_ERROR_UNSUPPORTED,
                         "a matrix N + sigma is not positive definite to rounding; use a larger --admm-eta");
out:
    return status;
}

nb_status nb_shifted_factor_refine(nb_shifted_factor *f, const real *b, real *x) {
    nb_status status = NB_OK;
    const nb_linear_request request = {0};
    nb_linear_outcome outcome = {.failed_row = -1};
    nb_system *rows = f->rows;
    rows->delassus->type->apply(rows->delassus, rows->s, rows->c, x, f->change);
    for (int32_t r = 0; r < rows->rows; r++) rows->b[r] = b[r] - f->change[r];
    if (f->form) {
        NB_TRY(nb_form_assemble(f->form, rows, f->momentum));
        NB_TRY(f->solver->solve(f->state, f->form->system, &request, f->form->x, &outcome));
        f->form->type->recover(f->form, rows, f->du, f->change);
    } else {
        NB_TRY(f->solver->solve(f->state, rows, &request, f->change, &outcome));
    }
    for (int32_t r = 0; r < rows->rows; r++) x[r] += f->change[r];
out:
    return status;
}
