/* Sparse LU of A plus a small shift, for a few iterations of a Krylov method around it: over bodies where the system is
 * made of them (over_nodes.h), which takes far less than the entries of A, and of these where it is not. All in
 * double. A row without entries is left alone.
 *
 * Over bodies the library is multifrontal: their 6 x 6 blocks are good pivots, so that as many iterations follow as
 * after UMFPACK, which pivots anew with all values and took three to six times as long (500 spheres, 500 boxes, wall,
 * arch). Over entries, where nothing is known of the blocks, it is UMFPACK.
 *
 * Compared with others, on systems of an interior-point method over a pile of 216 boxes (2564 contacts, half of
 * them open, a quarter sliding; GMRES to 1e-8; products, at tau = 1e-2, 1e-4, 1e-6):
 *
 *     lu                             2        2        5
 *     ILU(0) of A                  126      none     none     (none: 1e-2 and worse after 500)
 *     ILU(0) of B over bodies      none     none     none
 *     block-jacobi, block SSOR     none     none     none     (stall between 1e-4 and 1e-5)
 *
 * B spreads over as many orders of magnitude as T does: what is dropped from it is never small. And a complete
 * factorisation is not expensive: B of 8000 boxes with 117 196 contacts takes 5 s on one core, ordered by nested
 * dissection. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "linear/lu.h"
#include "precond/over_nodes.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const nb_option options[] = {
    {"shift", "1", 1e-10, 0, 1, 0, NULL,
     "added to the diagonal, relative to that of S D S; 16 units of round-off at least"},
};

typedef struct lu {
    double shift;
    void *library[2];   /* states: of UMFPACK; of the one over bodies */
    nb_over_nodes over; /* where `on_nodes` */
    int on_nodes;
    nb_lu_matrix entries; /* else */
    real *diagonal;       /* [rows] of D; then 0 for a row that is left alone, else 1 */
    double *x;            /* [rows] */
    int64_t diagonal_capacity, x_capacity;
    nb_lu_factors factors;
} lu;

static const nb_lu_library *const libraries[2] = {&nb_lu_umfpack, &nb_lu_multifrontal};

static void destroy(void *state) {
    lu *p = state;
    if (!p) return;
    for (int i = 0; i < 2; i++) libraries[i]->destroy(p->library[i]);
    nb_over_nodes_clear(&p->over);
    nb_lu_matrix_clear(&p->entries);
    nb_free(p->diagonal);
    nb_free(p->x);
    nb_free(p);
}

static nb_status create(const double *values, void **state) {
    nb_status status;
    lu *p = NULL;
    NB_TRY(NB_ALLOCATE(1, &p));
    /* entries are off by round-off: a singular A is indefinite by as much, and A plus the shift is not to be */
    p->shift = fmax(values[0], 16 * (double)NB_REAL_EPSILON);
    for (int i = 0; i < 2; i++) NB_TRY(libraries[i]->create(&p->library[i]));
out:
    if (status != NB_OK) {
        destroy(p);
        p = NULL;
    }
    *state = p;
    return status;
}

static const nb_lu_matrix *matrix_of(const lu *p) {
    return p->on_nodes ? &p->over.matrix : &p->entries;
}

/* the entries, shifted; an empty row gets a one on its diagonal */
static nb_status load_entries(lu *p, nb_system *system) {
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    if (status != NB_OK) return status;
    status = nb_lu_matrix_copy(&p->entries, a, system->filled);
    if (status != NB_OK) return status;
    system->delassus->type->diagonal(system->delassus, p->diagonal);
    const nb_lu_matrix *e = &p->entries;
    for (int32_t i = 0; i < a->rows; i++) {
        double s = (double)system->s[i], *value = NULL;
        int empty = 1;
        for (SuiteSparse_long k = e->start[i]; k < e->start[i + 1]; k++) {
            if (e->column[k] == i) value = &e->value[k];
            empty = empty && e->value[k] == 0;
        }
        if (value) *value += empty ? 1 : p->shift * s * s * (double)p->diagonal[i];
        p->diagonal[i] = !empty;
    }
    return NB_OK;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    lu *p = state;
    nb_status status;
    p->on_nodes = nb_primal_fits(system->delassus);
    if (p->on_nodes) {
        NB_TRY(nb_over_nodes_set_pattern(&p->over, system));
        nb_over_nodes_set_values(&p->over, system, p->shift);
    } else {
        NB_TRY(NB_RESERVE(system->rows, &p->diagonal_capacity, &p->diagonal));
        NB_TRY(NB_RESERVE(system->rows, &p->x_capacity, &p->x));
        NB_TRY(load_entries(p, system));
    }
    if (matrix_of(p)->rows > 0) NB_TRY(libraries[p->on_nodes]->analyse(p->library[p->on_nodes], matrix_of(p)));
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    lu *p = state;
    nb_status status = NB_OK;
    nb_lu_factors factors = {.failed_row = -1};
    if (p->on_nodes) {
        nb_over_nodes_set_values(&p->over, system, p->shift);
    } else {
        NB_TRY(load_entries(p, system));
    }
    if (matrix_of(p)->rows > 0)
        NB_TRY(libraries[p->on_nodes]->factorise(p->library[p->on_nodes], matrix_of(p), 1, &factors));
    if (factors.failed_row >= 0) *reason = NB_REASON_SINGULAR;
    p->factors = factors;
out:
    return status;
}

/* A solve takes no memory and cannot fail after a factorisation that did not. */
static void apply(void *state, const real *r, real *z) {
    lu *p = state;
    const nb_lu_matrix *a = matrix_of(p);
    if (p->on_nodes) {
        double *f = nb_primal_begin(&p->over.primal, r);
        if (a->rows > 0) nb_lu_multifrontal.solve(p->library[1], a, 0, f);
        nb_primal_finish(&p->over.primal, r, f, z);
        return;
    }
    for (SuiteSparse_long i = 0; i < a->rows; i++) p->x[i] = (double)r[i];
    if (a->rows > 0) nb_lu_umfpack.solve(p->library[0], a, 0, p->x);
    for (SuiteSparse_long i = 0; i < a->rows; i++) z[i] = p->diagonal[i] > 0 ? (real)p->x[i] : 0;
}

/* over bodies with the entries of B and what T and J take around the solve; all in double */
static void work(const void *state, nb_preconditioner_work *work) {
    const lu *p = state;
    const double entries = (double)p->factors.nonzeros, own = sizeof(double);
    *work = (nb_preconditioner_work){.setup_flops = p->factors.flops, .apply_flops = 2 * entries, .nonzeros = entries};
    if (p->on_nodes) nb_primal_add_work(&p->over.primal, work);
    work->apply_bytes = work->nonzeros * own + 2 * (double)matrix_of(p)->rows * own;
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_lu) = {
    .name = "lu",
    .summary = "sparse LU but for a small shift; over bodies (multifrontal), where there are any, else UMFPACK's",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_unsymmetric = 1,
    .factorises = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .work = work,
    .destroy = destroy,
};
