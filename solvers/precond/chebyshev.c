/* A polynomial in M A, M another preconditioner (`inner`), as P: so many steps of the Chebyshev iteration
 * for A z = r from zero, over eigenvalues of M A from `top` / ratio to `top`. Only products with A.
 *
 * P = p(M A) M with 1 - x p(x) = T_k((t - x)/d) / T_k(t/d), t and d the middle of the interval and half of its length:
 * symmetric, and positive definite while no eigenvalue is above 2 t, which is top + top / ratio. The largest eigenvalue
 * is that of the Lanczos matrix of some steps of conjugate gradients (lanczos.h) on a right-hand side of random
 * numbers, which are always the same, and `top` a tenth above it.
 *
 * Saad 2003, section 12.3; Golub, Van Loan 2013, section 10.1.5. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/random.h"
#include "device.h"
#include "operator/system_size.h"
#include "precond/lanczos.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const char *const inner_names[] = {"block-jacobi", "jacobi", "fsai", "ict", NULL};

static const nb_option options[] = {
    {"degree", "1", 4, 1, 20, 1, NULL, "applications of the inner preconditioner; one operator application fewer"},
    {"ratio", "1", 30, 1.0001, 1e6, 0, NULL, "of the largest eigenvalue to the smallest that it is made for"},
    {"inner", "1", 0, 0, 0, 0, inner_names, "the preconditioner in the polynomial, as it is without options"},
};

enum {
    DEGREE,
    RATIO,
    INNER,
    MOST_OPTIONS = 8
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
    void *state;               /* its */
    int products;              /* that the last set-up made */
    nb_system *system;         /* of the last set-up; borrowed */
    real *residual, *step, *s; /* [rows]; the last two: the step of z, and what M makes of the residual */
    int64_t residual_capacity, step_capacity, s_capacity;
} chebyshev;

static void destroy(void *state) {
    chebyshev *p = state;
    if (!p) return;
    if (p->inner) p->inner->destroy(p->state);
    nb_free(p->residual);
    nb_free(p->step);
    nb_free(p->s);
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
    if (system->device && !p->inner->diagonal && !p->inner->blocks)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "chebyshev inner=%s does not support device %s; use inner=block-jacobi or jacobi",
                       p->inner->name, system->device->name);
    NB_TRY(p->inner->set_up_pattern(p->state, system));
    NB_TRY(NB_RESERVE(system->rows, &p->residual_capacity, &p->residual));
    NB_TRY(NB_RESERVE(system->rows, &p->step_capacity, &p->step));
    NB_TRY(NB_RESERVE(system->rows, &p->s_capacity, &p->s));
out:
    return status;
}

/* ---- the largest eigenvalue ---- */

static double dot(int32_t n, const real *a, const real *b) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* random numbers in units of the rows, or the lightest alone would be seen in f32 */
static void make_start(const nb_system *system, real *r) {
    uint64_t seed = 1;
    nb_system_diagonal(system, r);
    for (int32_t i = 0; i < system->rows; i++) r[i] = sqrt(fabs(r[i])) * (real)nb_random_uniform(&seed, -1, 1);
}

/* from the start in p->residual, which it overwrites */
static void find_top(chebyshev *p) {
    const int32_t n = p->system->rows;
    real *r = p->residual, *direction = p->step, *z = p->s;
    p->inner->apply(p->state, r, z);
    memcpy(direction, z, (size_t)n * sizeof *z);
    nb_lanczos lanczos = nb_lanczos_begin(dot(n, r, z), (double)NB_REAL_EPSILON);
    while (nb_lanczos_goes_on(&lanczos)) {
        nb_system_apply(p->system, direction, z);
        const real alpha = (real)nb_lanczos_step(&lanczos, dot(n, direction, z));
        if (alpha == 0) break;
        for (int32_t i = 0; i < n; i++) r[i] -= alpha * z[i];
        p->inner->apply(p->state, r, z);
        const real beta = (real)nb_lanczos_turn(&lanczos, dot(n, r, z));
        for (int32_t i = 0; i < n; i++) direction[i] = z[i] + beta * direction[i];
    }
    p->products = lanczos.products;
    p->top = nb_lanczos_top(&lanczos);
}

/* A device finds the eigenvalue itself, by its own products, as it first applies P. */
static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    chebyshev *p = state;
    nb_status status = p->inner->set_up_values(p->state, system, reason);
    p->system = system;
    p->products = 0;
    p->top = 0;
    if (status != NB_OK || *reason != NB_REASON_NONE) return status;
    make_start(system, p->residual);
    if (!system->device) find_top(p);
    return NB_OK;
}

static void apply(void *state, const real *r, real *z) {
    chebyshev *p = state;
    const int32_t n = p->system->rows;
    if (p->top == 0) find_top(p);
    const double t = p->top * (1 + 1 / p->ratio) / 2, d = p->top * (1 - 1 / p->ratio) / 2;
    double rho = d / t;
    p->inner->apply(p->state, r, p->s);
    for (int32_t i = 0; i < n; i++) z[i] = p->step[i] = (real)(1 / t) * p->s[i];
    for (int k = 1; k < p->degree; k++) {
        nb_system_apply(p->system, z, p->residual);
        for (int32_t i = 0; i < n; i++) p->residual[i] = r[i] - p->residual[i];
        p->inner->apply(p->state, p->residual, p->s);
        const double next = 1 / (2 * t / d - rho);
        for (int32_t i = 0; i < n; i++) {
            p->step[i] = (real)(next * rho) * p->step[i] + (real)(2 * next / d) * p->s[i];
            z[i] += p->step[i];
        }
        rho = next;
    }
}

static void polynomial(const void *state, nb_polynomial *out) {
    chebyshev *p = (chebyshev *)(uintptr_t)state;
    *out = (nb_polynomial){
        .degree = p->degree, .ratio = p->ratio, .top = &p->top, .products = &p->products, .start = p->residual};
    if (p->inner->diagonal)
        out->diagonal = p->inner->diagonal(p->state);
    else if (p->inner->blocks)
        p->inner->blocks(p->state, &out->blocks);
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
    .polynomial = polynomial,
    .work = work,
    .destroy = destroy,
};
