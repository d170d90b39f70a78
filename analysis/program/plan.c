#include "plan.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/stream.h"
#include "file_readers.h"
#include "run/batch.h"
#include "run/devices.h"
#include "run/setting_effect.h"
#include "run/start_state.h"
#include "text/plain.h"

static void destroy_request(nb_request *request) {
    if (!request) return;
    nb_free(request->info.parameters);
    nb_free(request);
}

/* compares the run with the first of its scene in the group */
static void note_variation(const nb_plan *plan, nb_plan_group *group, const nb_request *request) {
    const nb_request *first = NULL;
    for (int64_t i = group->first; i < plan->count && !first; i++)
        if (strcmp(plan->requests[i]->info.scenario, request->info.scenario) == 0) first = plan->requests[i];
    for (int i = 0; first && i < nb_request_field_count(); i++) {
        char text_a[NB_REQUEST_FIELD_TEXT], text_b[NB_REQUEST_FIELD_TEXT];
        nb_request_field_text(i, first, text_a);
        nb_request_field_text(i, request, text_b);
        if (strcmp(text_a, text_b) != 0) group->varies[i] = 1;
    }
}

/* what runs begin with */
typedef struct nb_plan_state {
    const char *from; /* as the command line has it: of the grid */
    nb_start_state *state;
} nb_plan_state;

static nb_status read_state(const char *from, nb_start_state **state) {
    nb_status status;
    char *path = NULL;
    NB_TRY(nb_start_state_path(from, &path));
    NB_TRY(nb_safe_read(path, nb_read_record));
    NB_TRY(nb_start_state_read(from, state));
out:
    nb_free(path);
    return status;
}

/* gives the request the state that it begins with */
static nb_status take_start(nb_plan *plan, nb_request *request) {
    nb_status status = NB_OK;
    int64_t i = 0;
    if (!request->from) return NB_OK;
    while (i < plan->state_count && strcmp(plan->states[i].from, request->from) != 0) i++;
    if (i == plan->state_count) {
        NB_TRY(NB_RESERVE(i + 1, &plan->state_capacity, &plan->states));
        NB_TRY(read_state(request->from, &plan->states[i].state));
        plan->states[i].from = request->from;
        plan->state_count++;
    }
    request->start = plan->states[i].state;
out:
    return status;
}

/* prepares run `i` of the grid */
static nb_status prepare(nb_plan *plan, const nb_parameter_grid *grid, int64_t i, nb_request **prepared) {
    nb_request *request;
    nb_status status = NB_ALLOCATE(1, &request);
    *prepared = request;
    if (status != NB_OK || plan->prepare) return status == NB_OK ? plan->prepare(plan->context, i, request) : status;
    NB_TRY(nb_parameter_grid_request(grid, i, request));
    const nb_device *device;
    NB_TRY(nb_device_find(request->info.device, &device));
    NB_TRY(take_start(plan, request));
    if (request->problem_path) {
        NB_TRY(nb_inputs_add_file(&plan->inputs, request->problem_path));
        request->problem_sha256 = nb_inputs_sha256(&plan->inputs, request->problem_path);
    }
    NB_TRY(nb_simulate_prepare(request));
    NB_TRY(nb_batch_try(request));
    NB_TRY(nb_inputs_add_request(&plan->inputs, request));
out:
    return status;
}

/* the line of the seed in an identity (nb_request_identity); its end where there is none */
static const char *seed_line(const char *identity) {
    const char *line = strstr(identity, "\n--seed ");
    return line ? line + 1 : identity + strlen(identity);
}

enum {
    NEW = -1,    /* no run of the plan asks for the same */
    FOREIGN = -2 /* nor does the plan: it is another shard's */
};

/* the run of the plan that the prepared request asks for, or NEW; its identity, for the plan to keep */
static nb_status find_run(const nb_plan *plan, const nb_request *request, nb_plan_run *own, int64_t *found) {
    nb_status status = nb_request_identity(request, &own->identity);
    *found = NEW;
    if (status != NB_OK) return status;
    const char *seed = seed_line(own->identity), *after = seed + strcspn(seed, "\n");
    own->hash = nb_checksum(NB_CHECKSUM_OF_NOTHING, own->identity, strlen(own->identity));
    own->seedless = nb_checksum(NB_CHECKSUM_OF_NOTHING, own->identity, (size_t)(seed - own->identity));
    own->seedless = nb_checksum(own->seedless, after, strlen(after));
    for (int64_t j = 0; j < plan->count && *found < 0; j++)
        if (plan->runs[j].hash == own->hash && strcmp(plan->runs[j].identity, own->identity) == 0) *found = j;
    return NB_OK;
}

enum {
    MOST_OF_SWEEP = 65536 /* runs of all shards together */
};

static int64_t most_runs(const nb_plan *plan) {
    const int64_t most = (int64_t)NB_PARAMETER_GRID_MOST_RUNS * (plan->shards > 0 ? plan->shards : 1);
    return most < MOST_OF_SWEEP ? most : MOST_OF_SWEEP;
}

/* Numbers a new run of the sweep; *known is 0 where the sweep has it already. */
static nb_status number_run(nb_plan *plan, nb_plan_run *own, int64_t *known) {
    nb_sweep *sweep = &plan->sweep;
    *known = 0;
    for (int64_t i = 0; i < sweep->runs; i++)
        if (plan->sweep_hashes[i] == own->hash) return NB_OK;
    nb_status status = NB_RESERVE(sweep->runs + 1, &plan->sweep_capacity, &plan->sweep_hashes);
    if (status != NB_OK) return status;
    own->number = sweep->runs;
    plan->sweep_hashes[sweep->runs++] = own->hash;
    sweep->checksum =
        nb_checksum(sweep->runs == 1 ? NB_CHECKSUM_OF_NOTHING : sweep->checksum, own->identity, strlen(own->identity));
    *known = own->number % plan->shards == plan->shard - 1 ? NEW : FOREIGN;
    return NB_OK;
}

nb_status nb_plan_add(nb_plan *plan, const nb_parameter_grid *grid) {
    int64_t count;
    nb_request *request = NULL;
    nb_plan_run own = {0};
    nb_status status;
    nb_unused_options_destroy(plan->unused);
    plan->unused = NULL;
    NB_TRY(nb_unused_options_create(grid, &plan->unused));
    NB_TRY(nb_parameter_grid_count_up_to(grid, most_runs(plan), &count));
    NB_TRY(NB_RESERVE(plan->group_count + 1, &plan->group_capacity, &plan->groups));
    nb_plan_group *group = &plan->groups[plan->group_count++];
    *group = (nb_plan_group){.first = plan->count};
    for (int64_t i = 0; i < count; i++) {
        int64_t known;
        NB_TRY(prepare(plan, grid, i, &request));
        nb_unused_options_look(plan->unused, request);
        NB_TRY(find_run(plan, request, &own, &known));
        if (known == NEW && plan->shards > 0) NB_TRY(number_run(plan, &own, &known));
        if (known == NEW) {
            NB_TRY(NB_RESERVE(plan->count + 1, &plan->capacity, &plan->requests));
            NB_TRY(NB_RESERVE(plan->count + 1, &plan->run_capacity, &plan->runs));
            note_variation(plan, group, request);
            own.combination = i;
            plan->runs[plan->count] = own;
            plan->requests[plan->count++] = request;
            group->count++;
        } else {
            group->alike += known >= group->first;
            destroy_request(request);
            nb_free(own.identity);
        }
        request = NULL;
        own.identity = NULL;
    }
    NB_TRY(nb_unused_options_check(plan->unused));
out:
    destroy_request(request);
    nb_free(own.identity);
    return status;
}

void nb_plan_note_unused(const nb_plan *plan) {
    const nb_plan_group *group = &plan->groups[plan->group_count - 1];
    const long long runs = group->count, combinations = runs + group->alike;
    if (group->alike > 0) {
        nb_print(stderr, "%lld combinations are %lld run%s:", combinations, runs, runs == 1 ? "" : "s");
        nb_print(stderr, "%s\n", nb_unused_options_note_varying(plan->unused, stderr) ? "" : " some differ in nothing");
    }
    nb_unused_options_note(plan->unused, stderr);
}

void nb_plan_clear(nb_plan *plan) {
    for (int64_t i = 0; i < plan->count; i++) {
        destroy_request(plan->requests[i]);
        nb_free(plan->runs[i].identity);
    }
    for (int64_t i = 0; i < plan->state_count; i++) nb_start_state_destroy(plan->states[i].state);
    nb_unused_options_destroy(plan->unused);
    nb_free(plan->sweep_hashes);
    nb_free(plan->states);
    nb_inputs_clear(&plan->inputs);
    nb_free(plan->requests);
    nb_free(plan->runs);
    nb_free(plan->groups);
    *plan = (nb_plan){0};
}

int64_t nb_plan_kind(const nb_plan *plan, int64_t run) {
    int64_t first = 0;
    while (plan->runs[first].seedless != plan->runs[run].seedless) first++;
    return first;
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
    for (int i = 0; i < nb_request_field_count() && used < size; i++) {
        char text[NB_REQUEST_FIELD_TEXT];
        if (!group->varies[i] || !nb_request_uses_field(i, request)) continue;
        nb_request_field_text(i, request, text);
        if (!*text) continue; /* options of others in the list */
        used += (size_t)snprintf(label + used, size - used, ", %s %s", nb_request_field_name(i), text);
    }
}
