/* A polynomial in M A, M another preconditioner (`inner`), as P: so many steps of the Chebyshev iteration
 * for A z = r from zero, over eigenvalues of M A from `top` / ratio to `top`. Only products with A.
 *
 * P = p(M A) M with 1 - x p(x) = T_k((t - x)/d) / T_k(t/d), t and d the middle of the interval and half of its length:
 * symmetric, and positive definite while no eigenvalue is above 2 t, which is top + top / ratio. The largest eigenvalue
 * is that of the Lanczos matrix of some steps of conjugate gradients on a right-hand side of random numbers, which are
 * always the same, and `top` a tenth above it.
 *
 * Saad 2003, sections 6.7.3, 12.3; Golub, Van Loan 2013, section 10.1.5. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/random.h"
#include "device.h"
#include "operator/system_size.h"
#include "precond/row_operations.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const char *const inner_names[] = {"block-jacobi", "jacobi", "fsai", "ict", NULL};

enum {
    DEGREE,
    RATIO,
    INNER,
    MOST_OPTIONS = 8,
    MOST_DEGREE = 20,
    MOST_STEPS = 11 /* of conjugate gradients */
};

static const nb_option options[] = {
    {"degree", "1", 4, 1, MOST_DEGREE, 1, NULL,
     "applications of the inner preconditioner; one operator application fewer"},
    {"ratio", "1", 30, 1.0001, 1e6, 0, NULL, "of the largest eigenvalue to the smallest that it is made for"},
    {"inner", "1", 0, 0, 0, 0, inner_names, "the preconditioner in the polynomial, as it is without options"},
};

enum { /* vectors to work in; those of the inner preconditioner follow */
    RESIDUAL,
    STEP,  /* of z */
    IMAGE, /* what M makes of the residual */
    VECTORS
};

#define ENTRIES                    \
    ENTRY(nb_precond_block_jacobi) \
    ENTRY(nb_precond_jacobi)       \
    ENTRY(nb_precond_fsai)         \
    ENTRY(nb_precond_ict)

#define ENTRY(name) extern const nb_preconditioner_class NB_REAL_NAME(name);
ENTRIES
#undef ENTRY

/* by the choices of `inner` */
#define ENTRY(name) &NB_REAL_NAME(name),
static const nb_preconditioner_class *const inner_classes[] = {ENTRIES};

typedef struct chebyshev {
    int degree;
    double ratio, top; /* top 0: not known yet */
    const nb_preconditioner_class *inner;
    void *state;       /* its */
    int products;      /* that the last set-up made */
    nb_system *system; /* of the last set-up; borrowed */
    real *memory;      /* [VECTORS][rows] */
    int64_t capacity;
    void *vector[VECTORS]; /* in it */
} chebyshev;

static void destroy(void *state) {
    chebyshev *p = state;
    if (!p) return;
    if (p->inner) p->inner->destroy(p->state);
    nb_free(p->memory);
    nb_free(p);
}

static nb_status create(const double *values, void **state) {
    nb_status status;
    chebyshev *p = NULL;
    double own[MOST_OPTIONS];
    const nb_preconditioner_class *inner = inner_classes[(int)values[INNER]];
    NB_TRY(NB_ALLOCATE(1, &p));
    p->degree = (int)values[DEGREE];
    p->ratio = values[RATIO];
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

static nb_status set_up_pattern(void *state, nb_system *system) {
    chebyshev *p = state;
    nb_status status;
    if (system->device && !nb_preconditioner_works_on_devices(p->inner))
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "chebyshev inner=%s does not support device %s; use inner=block-jacobi, jacobi or fsai",
                       p->inner->name, system->device->name);
    NB_TRY(p->inner->set_up_pattern(p->state, system));
    NB_TRY(NB_RESERVE(VECTORS * (int64_t)system->rows, &p->capacity, &p->memory));
    for (int i = 0; i < VECTORS; i++) p->vector[i] = p->memory + i * (int64_t)system->rows;
out:
    return status;
}

/* z = M r */
static void apply_inner(const chebyshev *p, const nb_vector_operations *o, const void *r, void *z) {
    nb_vector_operations own = *o;
    own.vector += VECTORS;
    nb_preconditioner_apply_by(p->inner, p->state, &own, r, z);
}

/* ---- the largest eigenvalue ---- */

/* random numbers in units of the rows, or the lightest alone would be seen in f32 */
static void make_start(const nb_system *system, real *r) {
    uint64_t seed = 1;
    nb_system_diagonal(system, r);
    for (int32_t i = 0; i < system->rows; i++) r[i] = sqrt(fabs(r[i])) * (real)nb_random_uniform(&seed, -1, 1);
}

/* the largest eigenvalue of the symmetric tridiagonal matrix with these `square`s beside its diagonal, by bisection
 * (Sturm) */
static double largest_of(int n, const double *diagonal, const double *square) {
    double low = diagonal[0], high = 0;
    for (int i = 0; i < n; i++) {
        const double around = (i > 0 ? sqrt(square[i - 1]) : 0) + (i + 1 < n ? sqrt(square[i]) : 0);
        low = fmax(low, diagonal[i]);
        high = fmax(high, diagonal[i] + around);
    }
    for (int round = 0; round < 60; round++) {
        const double x = (low + high) / 2;
        double pivot = 1;
        int above = 0; /* whether an eigenvalue is: not all pivots of x - T are positive */
        for (int i = 0; i < n && !above; i++) {
            pivot = x - diagonal[i] - (i > 0 ? square[i - 1] / pivot : 0);
            above = !(pivot > 0);
        }
        *(above ? &low : &high) = x;
    }
    return high;
}

/* Conjugate gradients for A x = r preconditioned by M, from the start in the rows of RESIDUAL; x is not formed. Their
 * numbers make the Lanczos matrix, whose largest eigenvalue is below that of M A by some percent. Where A is
 * indefinite, d . A d may be negative, which does no harm. The products are none of a solve's. */
static void find_top(chebyshev *p, const nb_vector_operations *o) {
    const int64_t before = p->system->products;
    void *r = o->vector[RESIDUAL], *d = o->vector[STEP], *z = o->vector[IMAGE];
    double diagonal[MOST_STEPS], square[MOST_STEPS], alpha = 1, beta = 0;
    int count = 0, products = 0;
    o->load(o->state, p->vector[RESIDUAL], r);
    apply_inner(p, o, r, z);
    o->copy(o->state, z, d);
    double rz = o->dot(o->state, r, z);
    const double least = o->epsilon * o->epsilon * rz; /* r is round-off */
    while (count < MOST_STEPS && rz > least) {
        const double last = alpha, curvature = o->product(o->state, d, z, 1);
        products++;
        if (curvature == 0) break;
        alpha = rz / curvature;
        diagonal[count] = 1 / alpha + beta / last;
        if (alpha == 0) break;
        o->axpy(o->state, -alpha, z, r);
        apply_inner(p, o, r, z);
        const double next = o->dot(o->state, r, z);
        beta = next / rz;
        rz = next;
        square[count++] = beta / (alpha * alpha);
        o->combine(o->state, 1, z, beta, d);
    }
    p->system->products = before;
    if (o->failed && o->failed(o->state)) return;
    p->products = products;
    p->top = 1.1 * (count > 0 ? largest_of(count, diagonal, square) : 1);
}

static nb_vector_operations by_rows(chebyshev *p) {
    return nb_row_operations(p->system, p->vector);
}

/* A device finds the eigenvalue itself, by its own products, as it first applies P. */
static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    chebyshev *p = state;
    nb_status status = p->inner->set_up_values(p->state, system, reason);
    p->system = system;
    p->products = 0;
    p->top = 0;
    if (status != NB_OK || *reason != NB_REASON_NONE) return status;
    make_start(system, p->vector[RESIDUAL]);
    const nb_vector_operations o = by_rows(p);
    if (!system->device) find_top(p, &o);
    return NB_OK;
}

/* as nb_vector_operations.iterate */
static void iterate(const chebyshev *p, const nb_vector_operations *o, const double *a, const double *b, const void *r,
                    void *z) {
    void *residual = o->vector[RESIDUAL], *step = o->vector[STEP], *image = o->vector[IMAGE];
    apply_inner(p, o, r, z);
    o->combine(o->state, 0, z, b[0], z);
    o->copy(o->state, z, step);
    for (int k = 1; k < p->degree; k++) {
        o->product(o->state, z, residual, 0);
        o->combine(o->state, 1, r, -1, residual);
        apply_inner(p, o, residual, image);
        o->combine(o->state, b[k], image, a[k], step);
        o->axpy(o->state, 1, step, z);
    }
}

static void apply_by(void *state, const nb_vector_operations *o, const void *r, void *z) {
    chebyshev *p = state;
    double a[MOST_DEGREE] = {0}, b[MOST_DEGREE];
    if (p->top == 0) find_top(p, o);
    const double t = p->top * (1 + 1 / p->ratio) / 2, d = p->top * (1 - 1 / p->ratio) / 2;
    b[0] = 1 / t;
    double rho = d / t;
    for (int k = 1; k < p->degree; k++) {
        const double next = 1 / (2 * t / d - rho);
        a[k] = next * rho;
        b[k] = 2 * next / d;
        rho = next;
    }
    if (!o->iterate || !o->iterate(o->state, p->degree, a, b, r, z)) iterate(p, o, a, b, r, z);
}

static void apply(void *state, const real *r, real *z) {
    const nb_vector_operations o = by_rows(state);
    apply_by(state, &o, r, z);
}

static void parts(const void *state, nb_preconditioner_parts *parts) {
    const chebyshev *p = state;
    nb_preconditioner_tell_parts(p->inner, p->state, parts);
    parts->vectors += VECTORS;
    parts->iterates = 1;
}

/* besides the products with A of an application, which the system counts; those of set-up are in it. Two vectors are
 * combined an application of M, three a step of conjugate gradients and two sums */
static void work(const void *state, nb_preconditioner_work *work) {
    const chebyshev *p = state;
    const double rows = p->system->rows, more = p->degree - 1;
    nb_preconditioner_work inner;
    p->inner->work(p->state, &inner);
    *work = (nb_preconditioner_work){
        .setup_flops = inner.setup_flops +
                       p->products * (nb_system_size_of(p->system).product_flops + inner.apply_flops + 8 * rows),
        .apply_flops = p->degree * inner.apply_flops + (1 + 5 * more) * rows,
        .apply_bytes = p->degree * inner.apply_bytes + (3 + 7 * more) * rows * (double)sizeof(real),
        .nonzeros = inner.nonzeros};
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_chebyshev) = {
    .name = "chebyshev",
    .summary = "a polynomial in A over block-jacobi or another: products with A",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .parts = parts,
    .apply_by = apply_by,
    .work = work,
    .destroy = destroy,
};
