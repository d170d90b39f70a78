#include "plan.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "devices.h"

static void destroy_request(nb_request *request) {
    if (!request) return;
    nb_free(request->info.parameters);
    nb_free(request);
}

static int same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* whether two prepared requests ask for the same run */
static int same_request(const nb_request *a, const nb_request *b) {
    if (!same_text(a->problem_path, b->problem_path) || !same_text(a->info.scenario, b->info.scenario)) return 0;
    for (int i = 0; i < nb_sweep_field_count(); i++) {
        char text_a[NB_SWEEP_TEXT], text_b[NB_SWEEP_TEXT];
        nb_sweep_field_text(i, a, text_a);
        nb_sweep_field_text(i, b, text_b);
        if (strcmp(text_a, text_b) != 0) return 0;
    }
    return 1;
}

/* compares the run with the first of its scene in the group */
static void note_variation(const nb_plan *plan, nb_plan_group *group, const nb_request *request) {
    const nb_request *first = NULL;
    for (int64_t i = group->first; i < plan->count && !first; i++)
        if (strcmp(plan->requests[i]->info.scenario, request->info.scenario) == 0) first = plan->requests[i];
    for (int i = 0; first && i < nb_sweep_field_count(); i++) {
        char text_a[NB_SWEEP_TEXT], text_b[NB_SWEEP_TEXT];
        nb_sweep_field_text(i, first, text_a);
        nb_sweep_field_text(i, request, text_b);
        if (strcmp(text_a, text_b) != 0) group->varies[i] = 1;
    }
}

/* prepares run `i` of the sweep */
static nb_status prepare(const nb_sweep *sweep, int64_t i, nb_request **prepared) {
    nb_request *request;
    nb_status status = NB_ALLOCATE(1, &request);
    *prepared = request;
    if (status != NB_OK) return status;
    NB_TRY(nb_sweep_request(sweep, i, request));
    const nb_device *device;
    NB_TRY(nb_device_find(request->info.device, &device));
    NB_TRY(nb_simulate_prepare(request));
out:
    return status;
}

nb_status nb_plan_add(nb_plan *plan, const nb_sweep *sweep) {
    int64_t count, before = plan->count;
    nb_request *request = NULL;
    nb_status status;
    NB_TRY(nb_sweep_count(sweep, &count));
    NB_TRY(NB_RESERVE(plan->group_count + 1, &plan->group_capacity, &plan->groups));
    nb_plan_group *group = &plan->groups[plan->group_count++];
    *group = (nb_plan_group){.first = before};
    for (int64_t i = 0; i < count; i++) {
        NB_TRY(prepare(sweep, i, &request));
        /* one sweep asks for no run twice, but that other methods do not heed what varies of newton's options */
        int64_t others = strcmp(request->info.method, "newton") == 0 ? before : plan->count;
        int known = 0;
        for (int64_t j = 0; j < others && !known; j++) known = same_request(request, plan->requests[j]);
        if (!known) {
            NB_TRY(NB_RESERVE(plan->count + 1, &plan->capacity, &plan->requests));
            note_variation(plan, group, request);
            plan->requests[plan->count++] = request;
            group->count++;
        } else {
            destroy_request(request);
        }
        request = NULL;
    }
out:
    destroy_request(request);
    return status;
}

void nb_plan_clear(nb_plan *plan) {
    for (int64_t i = 0; i < plan->count; i++) destroy_request(plan->requests[i]);
    nb_free(plan->requests);
    nb_free(plan->groups);
    *plan = (nb_plan){0};
}

const nb_plan_group *nb_plan_group_of(const nb_plan *plan, int64_t run) {
    int64_t i = 0;
    while (run >= plan->groups[i].first + plan->groups[i].count) i++;
    return &plan->groups[i];
}

void nb_plan_label(const nb_plan *plan, int64_t run, char *label, size_t size) {
    const nb_request *request = plan->requests[run];
    const nb_plan_group *group = nb_plan_group_of(plan, run);
    size_t used = (size_t)snprintf(label, size, "%s", request->info.scenario);
    for (int i = 0; i < nb_sweep_field_count() && used < size; i++) {
        char text[NB_SWEEP_TEXT];
        if (!group->varies[i]) continue;
        nb_sweep_field_text(i, request, text);
        used += (size_t)snprintf(label + used, size - used, ", %s %s", nb_sweep_field_name(i), text);
    }
}
