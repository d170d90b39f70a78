#include "vector_backend/sweeps.h"

#include "base/arena.h"
#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

void nb_sweep_plan_clear(nb_sweep_plan *plan) {
    nb_free(plan->lists);
    *plan = (nb_sweep_plan){0};
}

static int32_t groups_of(const nb_sweep_plan *plan) {
    return plan->lists[plan->colours];
}

static int64_t length_of(const nb_sweep_plan *plan) {
    return plan->list_bytes / (int64_t)sizeof *plan->lists;
}

static void place(nb_arena *a, const nb_sweep_plan *plan, nb_view *v) {
    NB_PLACE(a, length_of(plan), &v->colour_start);
    NB_PLACE(a, 6 * (int64_t)v->contact_stride + v->joint_stride, &v->pivots);
}

nb_status nb_sweep_plan_make(nb_sweep_plan *plan, const nb_layout *layout, const nb_delassus *d,
                             const nb_colouring *colouring) {
    nb_view v = layout->counts; /* for its sizes */
    nb_arena all = {.alignment = NB_DEVICE_ALIGNMENT};
    int64_t length = colouring->colours + (int64_t)1 + 2 * (int64_t)d->group_count;
    nb_status status = NB_RESERVE(length, &plan->capacity, &plan->lists);
    if (status != NB_OK) return status;
    plan->colours = plan->tail = colouring->colours;
    for (int32_t k = 0; k <= plan->colours; k++) plan->lists[k] = colouring->start[k];
    while (plan->tail > 0 && plan->lists[plan->tail] - plan->lists[plan->tail - 1] <= NB_THREADS) plan->tail--;
    int32_t *first = plan->lists + plan->colours + 1, *count = first + d->group_count;
    for (int32_t i = 0; i < d->group_count; i++) {
        const int32_t *blocks = d->group_start + colouring->group[i];
        first[i] = nb_layout_place_of(layout, blocks[0]); /* the layout keeps a group's constraints together */
        count[i] = blocks[1] - blocks[0];
    }
    plan->list_bytes = length * (int64_t)sizeof *plan->lists;
    place(&all, plan, &v);
    plan->bytes = all.used;
    return NB_OK;
}

void nb_sweep_plan_bind(const nb_sweep_plan *plan, void *memory, nb_view *v) {
    nb_arena a = {.memory = memory, .alignment = NB_DEVICE_ALIGNMENT};
    place(&a, plan, v);
    v->group_first = v->colour_start + plan->colours + 1;
    v->group_count = v->group_first + groups_of(plan);
}

int32_t nb_sweep_plan_launches(const nb_sweep_plan *plan) {
    return plan->tail + (plan->tail < plan->colours);
}

void nb_sweep_plan_range(const nb_sweep_plan *plan, int32_t i, int backward, nb_pass *pass) {
    int32_t launch = backward ? nb_sweep_plan_launches(plan) - 1 - i : i;
    pass->backward = backward;
    pass->colours[0] = launch;
    pass->colours[1] = launch < plan->tail ? launch + 1 : plan->colours;
    pass->largest = 0;
    for (int32_t k = pass->colours[0]; k < pass->colours[1]; k++) {
        int32_t groups = plan->lists[k + 1] - plan->lists[k];
        if (groups > pass->largest) pass->largest = groups;
    }
}
