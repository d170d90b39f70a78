#include <stddef.h>

#include "preconditioner.h"
#include "base/memory.h"

typedef struct state_t { real *inverse; } state_t;
static nb_status create(const double *values, void **state) { (void)values; state_t *s; nb_status status = NB_ALLOCATE(1, &s); *state = s; return status; }
static nb_status pattern(void *state, nb_system *system) { state_t *s = state; nb_free(s->inverse); return NB_ALLOCATE(system->rows, &s->inverse); }
static int32_t rows_;
static nb_status values(void *state, nb_system *system, nb_reason *reason) { (void)reason; state_t *s = state; nb_system_diagonal(system, s->inverse); rows_ = system->rows; for (int32_t i = 0; i < system->rows; i++) s->inverse[i] = s->inverse[i] > 0 ? 1 / s->inverse[i] : 0; return NB_OK; }
static void apply(void *state, const real *r, real *z) { state_t *s = state; for (int32_t i = 0; i < rows_; i++) z[i] = s->inverse[i] * r[i]; }
static void destroy(void *state) { state_t *s = state; if (s) nb_free(s->inverse); nb_free(s); }
static const nb_preconditioner_class jacobi = {.name = "jacobi", .summary = "inverse diagonal", .create = create, .set_up_pattern = pattern, .set_up_values = values, .apply = apply, .destroy = destroy};
const nb_preconditioner_class *const nb_preconditioners[] = {&jacobi, NULL};
