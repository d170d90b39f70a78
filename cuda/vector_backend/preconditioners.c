/* Preconditioners and sweeps on a device: the parts that are taken of one, and their passes. */
#include <math.h>

#include "base/arena.h"
#include "vector_backend/backend.h"

NB_PRECISIONS(f32, f64, mixed);

/* ---- parts ---- */

/* lists once a pattern, numbers each time */
static void take_matrix(nb_device_backend *s, const nb_block_matrix *m) {
    nb_matrix_plan *plan = &s->matrix;
    if (s->fault == NB_OK && s->planned_matrix != m->start) {
        nb_device_note(s, nb_matrix_plan_make(plan, s->layout, m));
        if (s->fault == NB_OK)
            nb_device_note(s, nb_device_grow(s, plan->bytes, &s->matrix_capacity, &s->matrix_memory));
        if (s->fault != NB_OK) return;
        nb_matrix_plan_bind(plan, s->matrix_memory, &s->view);
        nb_device_upload(s, s->matrix_memory, plan->image, plan->list_bytes);
        s->planned_matrix = m->start;
    }
    if (s->fault != NB_OK) return;
    nb_matrix_plan_fill(plan, m);
    nb_device_upload(s, s->matrix_memory + plan->list_bytes, plan->image + plan->list_bytes,
                     plan->image_bytes - plan->list_bytes);
    nb_device_upload(s, s->view.matrix[0].value, m->value, m->place[m->count] * (int64_t)sizeof *m->value);
}

static void take_sweeps(nb_device_backend *s, const nb_sweeps *sweeps) {
    if (s->view.packs > 0)
        nb_device_note(s, nb_fail(NB_ERROR_UNSUPPORTED, "device %s: sweeps in color order support rigid bodies only",
                                  nb_device_name(s)));
    if (s->fault == NB_OK && s->planned != sweeps->colouring) {
        nb_device_note(s, nb_sweep_plan_make(&s->plan, s->layout, s->system->delassus, sweeps->colouring));
        if (s->fault == NB_OK)
            nb_device_note(s, nb_device_grow(s, s->plan.bytes, &s->sweep_capacity, &s->sweep_memory));
        if (s->fault != NB_OK) return;
        nb_sweep_plan_bind(&s->plan, s->sweep_memory, &s->view);
        nb_device_upload(s, s->sweep_memory, s->plan.lists, s->plan.list_bytes);
        s->planned = sweeps->colouring;
    }
    s->omega = sweeps->omega;
    s->norm = sweeps->norm;
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_PIVOTS, .by_rows = sweeps->by_rows});
}

/* whether the blocks are those of contacts, by their factors, and there is nothing else */
static int are_contacts(const nb_view *v, const nb_block_matrix *m) {
    if (!m->start || m->column || v->joint_rows > 0 || v->packs > 0 || m->count != v->contacts) return 0;
    for (int32_t i = 0; i < m->count; i++)
        if (m->start[i + 1] - m->start[i] != 3) return 0;
    return 1;
}

static void place_vectors(nb_arena *a, nb_device_backend *s, const nb_preconditioner_parts *parts, void **vector) {
    const int64_t length = nb_view_length(&s->view);
    for (int i = 0; i < parts->vectors; i++) {
        storage *v;
        NB_PLACE(a, length, &v);
        vector[i] = v;
    }
    NB_PLACE(a, parts->matrix.diagonal ? length : 0, &s->diagonal);
    NB_PLACE(a, s->by_contacts ? 6 * (int64_t)s->view.contact_stride : 0, &s->view.contact_factors);
}

nb_status nb_device_take_parts(void *state, const nb_preconditioner_parts *parts, void **vector) {
    nb_device_backend *s = state;
    const nb_block_matrix *m = &parts->matrix;
    nb_arena arena = {.alignment = NB_DEVICE_ALIGNMENT};
    s->by_contacts = parts->iterates && are_contacts(&s->view, m);
    s->by_factors = !m->column;
    place_vectors(&arena, s, parts, vector);
    if (arena.used > 0) nb_device_note(s, nb_device_grow(s, arena.used, &s->part_capacity, &s->part_memory));
    if (m->start) take_matrix(s, m);
    if (s->fault != NB_OK) return nb_device_fault(s);
    if (parts->vectors > 0) nb_device_note(s, s->runtime->clear(s->part_memory, arena.used)); /* what pads them */
    arena = (nb_arena){.memory = s->part_memory, .alignment = NB_DEVICE_ALIGNMENT};
    place_vectors(&arena, s, parts, vector);
    s->work = parts->vectors > 0 ? vector[0] : NULL;
    if (m->diagonal)
        nb_device_take(s, m->diagonal, s->diagonal);
    else
        s->diagonal = NULL;
    if (s->by_contacts) nb_device_launch(s, (nb_pass){.kind = NB_PASS_FACTORS});
    if (parts->sweeps.colouring) take_sweeps(s, &parts->sweeps);
    return nb_device_fault(s);
}

/* ---- products and polynomials ---- */

/* by a diagonal, or contacts' factors, it is the first step of a polynomial */
void nb_device_multiply(void *state, int transposed, const storage *x, storage *out) {
    nb_device_backend *s = state;
    if (s->diagonal || s->by_contacts)
        nb_device_launch(
            s, (nb_pass){.kind = NB_PASS_START, .b = 1, .x = x, .ad = s->diagonal, .y = out, .ends = NB_STEP_LAST});
    else if (s->by_factors)
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_BLOCKS, .x = x, .out = out});
    else
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_ROWS, .backward = transposed, .x = x, .out = out});
}

/* two passes a step, where M is a diagonal, or the scene has contacts alone and each is a block */
int nb_device_iterate(void *state, int count, const double *a, const double *b, const storage *r, storage *z) {
    nb_device_backend *s = state;
    nb_pass pass = {.kind = NB_PASS_START, .b = (real)b[0], .x = r, .ad = s->diagonal, .y = z, .d = s->work};
    if (!s->diagonal && !s->by_contacts) return 0;
    for (int k = 0; k < count; k++) {
        if (k > 0) {
            nb_device_launch(s, (nb_pass){.kind = NB_PASS_BODY});
            nb_system_count_product(s->system);
            pass.kind = NB_PASS_STEP;
        }
        pass.a = (real)a[k];
        pass.b = (real)b[k];
        pass.ends = (k == 1 ? NB_STEP_FIRST : 0) + (k == count - 1 ? NB_STEP_LAST : 0);
        nb_device_launch(s, pass);
    }
    return 1;
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

void nb_device_triangle(void *state, int backward, const storage *r, storage *z) {
    nb_device_backend *s = state;
    nb_device_start_sweep(s);
    launch_sweep(s,
                 (nb_pass){.kind = NB_PASS_TRIANGLE, .a = s->omega, .b = s->omega * (2 - s->omega), .x = r, .out = z},
                 backward);
}
