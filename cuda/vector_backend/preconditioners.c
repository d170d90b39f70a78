/* Preconditioners and sweeps on a device: what is taken of one, and its passes. */
#include <math.h>

#include "base/arena.h"
#include "vector_backend/backend.h"

NB_PRECISIONS(f32, f64, mixed);

/* ---- diagonals ---- */

nb_status nb_device_take_diagonal(void *state, const real *diagonal) {
    nb_device_backend *s = state;
    const int64_t bytes = nb_view_length(&s->view) * (int64_t)sizeof *s->diagonal;
    nb_device_note(s, nb_device_grow(s, bytes, &s->diagonal_capacity, &s->diagonal_memory));
    if (s->fault != NB_OK) return nb_device_fault(s);
    s->diagonal = (storage *)(void *)s->diagonal_memory;
    nb_device_take(s, diagonal, s->diagonal);
    return nb_device_fault(s);
}

/* the first step of a polynomial, whose iterate is P r */
void nb_device_apply_diagonal(void *state, const storage *r, storage *z) {
    nb_device_backend *s = state;
    nb_device_launch(s,
                     (nb_pass){.kind = NB_PASS_START, .b = 1, .x = r, .ad = s->diagonal, .y = z, .ends = NB_STEP_LAST});
}

/* ---- blocks ---- */

static void place_blocks(nb_arena *a, const nb_preconditioner_blocks *blocks, nb_view *v) {
    NB_PLACE(a, blocks->count + (int64_t)1, &v->block_start);
    NB_PLACE(a, blocks->count + (int64_t)1, &v->block_place);
    NB_PLACE(a, blocks->place[blocks->count], &v->block_factors);
}

nb_status nb_device_take_blocks(void *state, const nb_preconditioner_blocks *blocks) {
    nb_device_backend *s = state;
    nb_view *v = &s->view;
    int64_t starts = (blocks->count + (int64_t)1) * (int64_t)sizeof *blocks->start;
    int64_t places = (blocks->count + (int64_t)1) * (int64_t)sizeof *blocks->place;
    int64_t factors = blocks->place[blocks->count] * (int64_t)sizeof *blocks->factors;
    nb_arena arena = {.alignment = NB_DEVICE_ALIGNMENT};
    place_blocks(&arena, blocks, v);
    nb_device_note(s, nb_device_grow(s, arena.used, &s->block_capacity, &s->block_memory));
    if (s->fault != NB_OK) return nb_device_fault(s);
    v->blocks = blocks->count;
    arena = (nb_arena){.memory = s->block_memory, .alignment = NB_DEVICE_ALIGNMENT};
    place_blocks(&arena, blocks, v);
    nb_device_upload(s, v->block_start, blocks->start, starts);
    nb_device_upload(s, v->block_place, blocks->place, places);
    nb_device_upload(s, v->block_factors, blocks->factors, factors);
    return nb_device_fault(s);
}

nb_status nb_device_take_sweeps(void *state, const nb_sweeps *sweeps) {
    nb_device_backend *s = state;
    if (s->view.packs > 0)
        nb_device_note(s, nb_fail(NB_ERROR_UNSUPPORTED, "device %s: sweeps in color order support rigid bodies only",
                                  nb_device_name(s)));
    if (s->fault == NB_OK && s->planned != sweeps->colouring) {
        nb_device_note(s, nb_sweep_plan_make(&s->plan, s->layout, s->system->delassus, sweeps->colouring));
        if (s->fault == NB_OK)
            nb_device_note(s, nb_device_grow(s, s->plan.bytes, &s->sweep_capacity, &s->sweep_memory));
        if (s->fault != NB_OK) return nb_device_fault(s);
        nb_sweep_plan_bind(&s->plan, s->sweep_memory, &s->view);
        nb_device_upload(s, s->sweep_memory, s->plan.lists, s->plan.list_bytes);
        s->planned = sweeps->colouring;
    }
    s->omega = sweeps->omega;
    s->norm = sweeps->norm;
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_PIVOTS, .by_rows = sweeps->by_rows});
    return nb_device_fault(s);
}

void nb_device_apply_blocks(void *state, const storage *r, storage *z) {
    nb_device_launch(state, (nb_pass){.kind = NB_PASS_BLOCKS, .x = r, .out = z});
}

/* ---- sweeps ---- */

void nb_device_start_sweep(void *state) {
    nb_device_backend *s = state;
    nb_device_mark(s, NB_TIME_WORK);
    if (s->fault == NB_OK) nb_device_note(s, s->runtime->clear(s->view.velocity, nb_device_velocity_bytes(s)));
}

/* a sweep of such passes; returns the blocks that left a sum of theirs */
static int32_t launch_sweep(nb_device_backend *s, nb_pass pass, int backward) {
    for (int32_t i = 0; i < nb_sweep_plan_launches(&s->plan); i++) {
        nb_sweep_plan_range(&s->plan, i, backward, &pass);
        nb_device_launch(s, pass);
        if (nb_sweep_blocks(&pass) > pass.counts[0]) pass.counts[0] = nb_sweep_blocks(&pass);
    }
    return pass.counts[0];
}

double nb_device_sweep(void *state, int backward, const storage *b, storage *x) {
    nb_device_backend *s = state;
    nb_pass reduce = {.kind = NB_PASS_REDUCE};
    reduce.counts[0] = launch_sweep(
        s, (nb_pass){.kind = NB_PASS_RELAX, .with_sums = !backward, .norm = s->norm, .a = s->omega, .x = b, .out = x},
        backward);
    if (backward) return 0;
    nb_device_launch(s, reduce);
    if (s->fault == NB_OK) nb_device_note(s, s->runtime->wait());
    return s->fault == NB_OK ? s->sums[0] : (double)NAN;
}

void nb_device_apply_sweeps(void *state, const storage *r, storage *z) {
    nb_device_backend *s = state;
    nb_pass pass = {.kind = NB_PASS_TRIANGLE, .a = s->omega, .b = s->omega * (2 - s->omega), .x = r, .out = z};
    for (int backward = 0; backward < 2; backward++) {
        nb_device_start_sweep(s);
        launch_sweep(s, pass, backward);
    }
}

/* ---- polynomials ---- */

static void launch_on(void *state, nb_pass pass) {
    nb_device_launch(state, pass);
}

/* The largest eigenvalue is found here where it is not known, and its products are none of the solve's. */
nb_status nb_device_take_polynomial(void *state, const nb_polynomial *polynomial) {
    nb_device_backend *s = state;
    nb_polynomial_plan *plan = &s->polynomial;
    const int64_t length = nb_view_length(&s->view), products = s->system->products;
    nb_polynomial_plan_make(plan, s->layout, polynomial, length);
    if (!polynomial->diagonal) nb_device_note(s, nb_device_take_blocks(s, &polynomial->blocks));
    if (s->fault == NB_OK)
        nb_device_note(s, nb_device_grow(s, plan->bytes, &s->polynomial_capacity, &s->polynomial_memory));
    if (s->fault != NB_OK) return nb_device_fault(s);
    nb_polynomial_plan_bind(plan, s->polynomial_memory, length, &s->view);
    nb_device_note(s, s->runtime->clear(s->polynomial_memory, plan->bytes)); /* what pads vectors */
    if (polynomial->diagonal) nb_device_take(s, polynomial->diagonal, plan->inner);
    if (plan->by_factors) nb_device_launch(s, (nb_pass){.kind = NB_PASS_FACTORS});
    if (*polynomial->top == 0) nb_polynomial_plan_top(plan, nb_device_operations, s, launch_on, polynomial);
    s->system->products = products;
    plan->top = *polynomial->top;
    return nb_device_fault(s);
}

void nb_device_apply_polynomial(void *state, const storage *r, storage *z) {
    nb_device_backend *s = state;
    nb_polynomial_plan_apply(&s->polynomial, nb_device_operations, s, launch_on, r, z);
    for (int i = 1; s->polynomial.by_steps && i < s->polynomial.degree; i++) nb_system_count_product(s->system);
}

/* ---- factors of the inverse ---- */

/* lists once a pattern, numbers with each factor */
nb_status nb_device_take_inverse_factor(void *state, const nb_inverse_factor *factor) {
    nb_device_backend *s = state;
    nb_factor_plan *plan = &s->factor;
    if (s->fault == NB_OK && s->factored != factor->column) {
        nb_device_note(s, nb_factor_plan_make(plan, s->layout, factor));
        if (s->fault == NB_OK)
            nb_device_note(s, nb_device_grow(s, plan->bytes, &s->factor_capacity, &s->factor_memory));
        if (s->fault != NB_OK) return nb_device_fault(s);
        nb_factor_plan_bind(plan, s->factor_memory, &s->view);
        nb_device_upload(s, s->factor_memory, plan->image, plan->list_bytes);
        s->factored = factor->column;
    }
    if (s->fault != NB_OK) return nb_device_fault(s);
    nb_factor_plan_fill(plan, factor);
    nb_device_upload(s, s->factor_memory + plan->list_bytes, plan->image + plan->list_bytes,
                     plan->image_bytes - plan->list_bytes);
    return nb_device_fault(s);
}

void nb_device_apply_inverse_factor(void *state, const storage *r, storage *z) {
    nb_device_backend *s = state;
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_ROWS, .x = r, .out = s->factor.half_way});
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_ROWS, .backward = 1, .x = s->factor.half_way, .out = z});
}
