#include "vector_backend/polynomial.h"

#include <math.h>

#include "base/arena.h"
#include "precond/lanczos.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

/* whether the blocks are those of contacts, and there is nothing else */
static int are_contacts(const nb_layout *layout, const nb_preconditioner_blocks *blocks) {
    const nb_view *v = &layout->counts;
    if (v->joint_rows > 0 || v->packs > 0 || blocks->count != v->contacts) return 0;
    for (int32_t i = 0; i < blocks->count; i++)
        if (blocks->start[i + 1] - blocks->start[i] != 3) return 0;
    return 1;
}

static void place(nb_arena *a, nb_polynomial_plan *plan, int64_t length, int64_t factors, real **contact_factors) {
    NB_PLACE(a, length, &plan->residual);
    NB_PLACE(a, length, &plan->step);
    NB_PLACE(a, length, &plan->image);
    NB_PLACE(a, plan->by_factors ? 0 : length, &plan->inner);
    NB_PLACE(a, plan->by_factors ? factors : 0, contact_factors);
}

void nb_polynomial_plan_make(nb_polynomial_plan *plan, const nb_layout *layout, const nb_polynomial *polynomial,
                             int64_t length) {
    nb_arena arena = {.alignment = NB_DEVICE_ALIGNMENT};
    real *factors;
    plan->degree = polynomial->degree;
    plan->ratio = polynomial->ratio;
    plan->top = *polynomial->top;
    plan->by_factors = !polynomial->diagonal && are_contacts(layout, &polynomial->blocks);
    plan->by_steps = polynomial->diagonal || plan->by_factors;
    place(&arena, plan, length, 6 * (int64_t)layout->counts.contact_stride, &factors);
    plan->bytes = arena.used;
}

void nb_polynomial_plan_bind(nb_polynomial_plan *plan, void *memory, int64_t length, nb_view *view) {
    nb_arena arena = {.memory = memory, .alignment = NB_DEVICE_ALIGNMENT};
    place(&arena, plan, length, 6 * (int64_t)view->contact_stride, &view->contact_factors);
}

/* where M is, for a pass */
static storage *inner_of(const nb_polynomial_plan *plan) {
    return plan->by_factors ? NULL : plan->inner;
}

/* out = M r */
static void apply_inner(const nb_polynomial_plan *plan, const nb_vector_backend_class *backend, void *state,
                        nb_polynomial_launch *launch, const storage *r, storage *out) {
    if (plan->by_steps)
        launch(state,
               (nb_pass){.kind = NB_PASS_START, .b = 1, .x = r, .ad = inner_of(plan), .y = out, .ends = NB_STEP_LAST});
    else
        backend->apply_blocks(state, r, out);
}

void nb_polynomial_plan_top(const nb_polynomial_plan *plan, const nb_vector_backend_class *backend, void *state,
                            nb_polynomial_launch *launch, const nb_polynomial *polynomial) {
    storage *r = plan->residual, *direction = plan->step, *z = plan->image;
    double sums[2];
    backend->take(state, polynomial->start, r);
    apply_inner(plan, backend, state, launch, r, z);
    backend->copy(state, z, direction);
    nb_lanczos lanczos = nb_lanczos_begin(backend->dot(state, r, z), (double)NB_STORAGE_EPSILON);
    while (nb_lanczos_goes_on(&lanczos)) {
        backend->begin_product(state, 0, NULL, 1, direction, sums);
        backend->finish_product(state, direction, z);
        const double alpha = nb_lanczos_step(&lanczos, sums[1]);
        if (alpha == 0) break;
        backend->axpy(state, -alpha, z, r);
        apply_inner(plan, backend, state, launch, r, z);
        const double beta = nb_lanczos_turn(&lanczos, backend->dot(state, r, z));
        backend->combine(state, 1, z, beta, direction);
    }
    if (backend->fault(state) != NB_OK) return;
    *polynomial->products = lanczos.products;
    *polynomial->top = nb_lanczos_top(&lanczos);
}

/* z += d, d = (a d + b M (r - A z)), with the product's first half in the passes before; ready for the next one */
static void step(const nb_polynomial_plan *plan, const nb_vector_backend_class *backend, void *state,
                 nb_polynomial_launch *launch, double a, double b, const storage *r, storage *z) {
    backend->begin_product(state, 0, NULL, 1, z, NULL);
    backend->finish_product(state, z, plan->residual);
    backend->combine(state, 1, r, -1, plan->residual);
    apply_inner(plan, backend, state, launch, plan->residual, plan->image);
    backend->combine(state, b, plan->image, a, plan->step);
    backend->axpy(state, 1, plan->step, z);
}

void nb_polynomial_plan_apply(const nb_polynomial_plan *plan, const nb_vector_backend_class *backend, void *state,
                              nb_polynomial_launch *launch, const storage *r, storage *z) {
    const double t = plan->top * (1 + 1 / plan->ratio) / 2, d = plan->top * (1 - 1 / plan->ratio) / 2;
    double rho = d / t;
    nb_pass pass = {.kind = NB_PASS_START, .b = (real)(1 / t), .x = r, .ad = inner_of(plan), .y = z, .d = plan->step};
    pass.ends = plan->degree == 1 ? NB_STEP_LAST : 0;
    if (plan->by_steps) {
        launch(state, pass);
    } else {
        backend->apply_blocks(state, r, z);
        backend->combine(state, 0, z, 1 / t, z);
        backend->copy(state, z, plan->step);
    }
    for (int k = 1; k < plan->degree; k++) {
        const double next = 1 / (2 * t / d - rho), a = next * rho, b = 2 * next / d;
        rho = next;
        if (!plan->by_steps) {
            step(plan, backend, state, launch, a, b, r, z);
            continue;
        }
        pass.kind = NB_PASS_STEP;
        pass.a = (real)a;
        pass.b = (real)b;
        pass.ends = (k == 1 ? NB_STEP_FIRST : 0) + (k == plan->degree - 1 ? NB_STEP_LAST : 0);
        launch(state, (nb_pass){.kind = NB_PASS_BODY});
        launch(state, pass);
    }
}
