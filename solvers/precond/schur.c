/* A block diagonal for the saddle form and MINRES: of
 *
 *     [ H      -J^T S ]                      [ P   0      ]
 *     [ -S J   -C     ]   (mirrored rows),   [ 0   C^-1   ]
 *
 * with C the compliance of rows and P another preconditioner, `inner`, of the Schur complement of C,
 * B = H + J^T S C^-1 S J, which is the matrix of the stiffness form. With P = B^-1 every eigenvalue lies in
 * [-1.618, -1] or [0.618, 1], the golden ratio's, whatever H, J and C are: MINRES takes some tens of iterations.
 *
 * Of any other system, which has no mirrored rows, it is the inner preconditioner.
 *
 * Murphy, Golub, Wathen 2000; Benzi, Golub, Liesen 2005, section 10.1. */
#include "base/memory.h"
#include "operator/primal.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const char *const inner_names[] = {"ict",       "jacobi",  "block-jacobi", "ssor",   "ic0", "tree",
                                          "chebyshev", "schwarz", "fsai",         "factor", NULL};

static const nb_option options[] = {
    {"inner", "1", 0, 0, 0, 0, inner_names, "the preconditioner of velocities, as it is without options"},
};

#define ENTRIES                    \
    ENTRY(nb_precond_ict)          \
    ENTRY(nb_precond_jacobi)       \
    ENTRY(nb_precond_block_jacobi) \
    ENTRY(nb_precond_ssor)         \
    ENTRY(nb_precond_ic0)          \
    ENTRY(nb_precond_tree)         \
    ENTRY(nb_precond_chebyshev)    \
    ENTRY(nb_precond_schwarz)      \
    ENTRY(nb_precond_fsai)         \
    ENTRY(nb_precond_factor)

#define ENTRY(name) extern const nb_preconditioner_class NB_REAL_NAME(name);
ENTRIES
#undef ENTRY

/* by the choices of `inner` */
#define ENTRY(name) &NB_REAL_NAME(name),
static const nb_preconditioner_class *const inner_classes[] = {ENTRIES};

enum {
    MOST_OPTIONS = 8
};

typedef struct schur {
    const nb_preconditioner_class *inner;
    void *state;             /* its */
    nb_form *form;           /* the stiffness form of the rows; NULL: the system has no mirrored rows */
    const nb_system *system; /* of the last set-up; borrowed */
    double *inverse;         /* [mirrored rows] 1 / C */
    int64_t pattern_epoch;   /* of `form` that the inner one was set up for */
    int64_t inverse_capacity;
} schur;

static void destroy(void *state) {
    schur *p = state;
    if (!p) return;
    if (p->inner) p->inner->destroy(p->state);
    nb_form_destroy(p->form);
    nb_free(p->inverse);
    nb_free(p);
}

static nb_status create(const double *values, void **state) {
    nb_status status;
    schur *p = NULL;
    double own[MOST_OPTIONS];
    const nb_preconditioner_class *inner = inner_classes[(int)values[0]];
    NB_TRY(NB_ALLOCATE(1, &p));
    nb_options_standard(inner->options, inner->option_count, own);
    NB_TRY(inner->create(own, &p->state));
    p->inner = inner;
out:
    if (status != NB_OK) {
        destroy(p);
        p = NULL;
    }
    *state = p;
    return status;
}

/* rows have compliance, each by itself */
static nb_status check_rows(const nb_system *rows) {
    if (!rows || rows->k)
        return nb_fail(NB_ERROR_USAGE, "preconditioner 'schur' requires --form saddle and rows that do not couple: use "
                                       "multifrontal");
    for (int32_t r = 0; r < rows->rows; r++)
        if (!(rows->c[r] > 0))
            return nb_fail(NB_ERROR_USAGE,
                           "preconditioner 'schur' requires a positive compliance C in every row; row %d has %g: set "
                           "--regularization, or use --linear-solver multifrontal",
                           (int)r, (double)rows->c[r]);
    return NB_OK;
}

/* B of the rows as they are. Its right-hand side is nobody's. */
static nb_status assemble(schur *p, const nb_system *rows) {
    nb_status status;
    p->form->system->origin = rows;
    NB_TRY(nb_primal_form.set_values(p->form, rows));
    nb_system_values_changed(p->form->system);
out:
    return status;
}

static nb_status set_up_inner_pattern(schur *p) {
    p->pattern_epoch = p->form->system->pattern_epoch;
    return p->inner->set_up_pattern(p->state, p->form->system);
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    schur *p = state;
    nb_status status;
    nb_form_destroy(p->form);
    p->form = NULL;
    if (system->mirrored == 0) return p->inner->set_up_pattern(p->state, system);
    NB_TRY(check_rows(system->origin));
    NB_TRY(NB_RESERVE(system->rows - system->mirrored, &p->inverse_capacity, &p->inverse));
    NB_TRY(nb_form_create(&nb_primal_form, system->origin, &p->form));
    NB_TRY(assemble(p, system->origin)); /* the pattern is of the values */
    NB_TRY(set_up_inner_pattern(p));
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    schur *p = state;
    nb_status status;
    p->system = system;
    if (!p->form) return p->inner->set_up_values(p->state, system, reason);
    NB_TRY(check_rows(system->origin));
    NB_TRY(assemble(p, system->origin));
    if (p->pattern_epoch != p->form->system->pattern_epoch) NB_TRY(set_up_inner_pattern(p));
    for (int32_t r = 0; r < system->origin->rows; r++) p->inverse[r] = 1 / (double)system->origin->c[r];
    NB_TRY(p->inner->set_up_values(p->state, p->form->system, reason));
out:
    return status;
}

static void apply(void *state, const real *r, real *z) {
    schur *p = state;
    p->inner->apply(p->state, r, z);
    for (int32_t i = p->system->mirrored; p->form && i < p->system->rows; i++)
        z[i] = (real)(p->inverse[i - p->system->mirrored] * (double)r[i]);
}

static void solved(void *state, int32_t iterations) {
    const schur *p = state;
    if (p->inner->solved) p->inner->solved(p->state, iterations);
}

/* besides the inner one's: B is made, and C^-1 */
static void work(const void *state, nb_preconditioner_work *work) {
    const schur *p = state;
    p->inner->work(p->state, work);
    if (!p->form) return;
    const double rows = p->system->rows - p->system->mirrored;
    work->setup_flops += p->form->system->assembly_flops + rows;
    work->apply_flops += rows;
    work->apply_bytes += rows * (double)(sizeof(double) + 2 * sizeof(real));
    work->nonzeros += rows;
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_schur) = {
    .name = "schur",
    .summary = "for minres: another preconditioner of velocities, and the inverse compliance of rows",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_mirrored = 1,
    .of_symmetric = "ict",
    .form = "saddle",
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .solved = solved,
    .work = work,
    .destroy = destroy,
};
