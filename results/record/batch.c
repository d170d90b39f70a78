#include "record/batch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/columns.h"

const int nb_batch_step_column[NB_BATCH_COLUMNS] = {
    [NB_BATCH_CONTACTS] = NB_STEP_CONTACTS,
    [NB_BATCH_NEWTON_ITERATIONS] = NB_STEP_NEWTON_ITERATIONS,
    [NB_BATCH_OPERATOR_APPLICATIONS] = NB_STEP_OPERATOR_APPLICATIONS,
    [NB_BATCH_REASON] = NB_STEP_REASON,
    [NB_BATCH_NATURAL_MAP_ERROR] = NB_STEP_NATURAL_MAP_ERROR,
    [NB_BATCH_KINETIC_ENERGY] = NB_STEP_KINETIC_ENERGY,
    [NB_BATCH_POTENTIAL_ENERGY] = NB_STEP_POTENTIAL_ENERGY,
    [NB_BATCH_STEP_S] = NB_STEP_STEP_S,
    [NB_BATCH_MAX_PENETRATION] = NB_STEP_MAX_PENETRATION,
};

static const nb_columns row_columns = {nb_step_columns, NB_BATCH_COLUMNS, nb_batch_step_column};
static const nb_meaning scene_axis = {"scene", "1", "copy of the scene; 0 is the scene itself"};
static const nb_meaning pass_axis = {"pass", "1", "0: the recorded pass; from 1 on the timed repetitions"};

#define SCENES \
    { NB_EXTENT_COUNT32, 0, offsetof(nb_batch, scenes), &scene_axis, 0 }
#define STEPS \
    { NB_EXTENT_COUNT32, 0, offsetof(nb_batch, steps), &nb_step_axis, 0 }
#define PASSES \
    { NB_EXTENT_COUNT32, 0, offsetof(nb_batch, pass_count), &pass_axis, 0 }
#define ARRAY(member, KIND, unit, text, extent) NB_LINE_ARRAY(#member, unit, text, nb_batch, member, KIND, extent)
#define OF_CHECKS(member, text) \
    { NB_LINE_IN_PLACE(#member, "1", text, nb_batch, member, INT32, NB_COUNT32(nb_batch, worst.count)) }

static const nb_member of_fault[] = {
    {NB_LINE("fault_scene", nb_batch_fault, scene, INT32), .units = "1", .long_name = "copies that failed"},
    {NB_LINE("fault_step", nb_batch_fault, step, INT32), .units = "1", .long_name = "step in which each copy failed"},
    {NB_LINE("fault", nb_batch_fault, text, TEXT), .units = "1", .long_name = "error message of each copy"},
};
static const nb_members fault_members = NB_MEMBERS(nb_batch_fault, of_fault);

static nb_status check_faults(void *owner) {
    const nb_batch *batch = owner;
    int good = batch->fault_count <= batch->scenes && (batch->faults || batch->fault_count <= 0);
    for (int32_t i = 0; good && i < batch->fault_count; i++)
        good = batch->faults[i].scene >= 0 && batch->faults[i].scene < batch->scenes;
    return good ? NB_OK
                : nb_fail(NB_ERROR_INPUT, "the faults of a batch are not those of its %d copies", (int)batch->scenes);
}

static const nb_member members[] = {
    {NB_LINE("scenes", nb_batch, scenes, COUNT)},
    {NB_LINE("steps", nb_batch, steps, COUNT)},
    {NB_LINE("pass_count", nb_batch, pass_count, COUNT)},
    {NB_LINE("fault_count", nb_batch, fault_count, COUNT)},
    {NB_LINE_ROWS(nb_batch, rows, row_columns, SCENES, STEPS), .optional_from = NB_BATCH_MAX_PENETRATION},
    {ARRAY(failed_checks, INT32, "1", "number of the copy's checks that fail", SCENES)},
    {ARRAY(pass_s, REAL, "s", "wall time of all copies", PASSES)},
    {ARRAY(device_work_s, REAL, "s", "of pass_s, time of the device's kernels; NaN: no device", PASSES)},
    {ARRAY(device_transfer_s, REAL, "s", "of pass_s, time of copies to the device and back; NaN: no device", PASSES)},
    {NB_LINE_LIST(nb_batch, faults, fault_members, NB_COUNT32(nb_batch, fault_count)), .optional = 1},
    {NB_LINE_CHECK(check_faults)},
    {NB_LINE_PART(nb_batch, worst, nb_checks_members), .name = "checks"},
    OF_CHECKS(worst_scene, "copy whose value batch/checks has: the largest deviation"),
    OF_CHECKS(failed_scenes, "copies in which each check fails"),
};
const nb_members nb_batch_members = NB_MEMBERS(nb_batch, members);

nb_status nb_batch_allocate(nb_batch *batch, int32_t scenes, int32_t steps) {
    nb_status status;
    int64_t numbers = (int64_t)scenes * steps * NB_BATCH_COLUMNS;
    NB_TRY(NB_ALLOCATE(numbers, &batch->rows));
    NB_TRY(NB_ALLOCATE(scenes, &batch->failed_checks));
    for (int64_t i = 0; i < numbers; i++) batch->rows[i] = NAN;
    batch->scenes = scenes;
    batch->steps = steps;
out:
    if (status != NB_OK) nb_batch_clear(batch);
    return status;
}

void nb_batch_clear(nb_batch *batch) {
    nb_members_clear(&nb_batch_members, batch);
}

nb_status nb_batch_add_pass(nb_batch *batch, double seconds, double device_work_s, double device_transfer_s) {
    nb_status status;
    double **columns[] = {&batch->pass_s, &batch->device_work_s, &batch->device_transfer_s};
    const double times[] = {seconds, device_work_s, device_transfer_s};
    for (int i = 0; i < 3; i++) {
        int64_t capacity = batch->pass_count;
        NB_TRY(nb_reserve(capacity + 1, sizeof **columns, &capacity, columns[i]));
        (*columns[i])[batch->pass_count] = times[i];
    }
    batch->pass_count++;
out:
    return status;
}

nb_status nb_batch_add_fault(nb_batch *batch, int32_t scene, int32_t step, const char *text) {
    nb_status status;
    int32_t place = batch->fault_count;
    int64_t capacity = place;
    NB_TRY(NB_RESERVE(capacity + 1, &capacity, &batch->faults));
    for (; place > 0 && batch->faults[place - 1].scene > scene; place--)
        batch->faults[place] = batch->faults[place - 1];
    batch->faults[place] = (nb_batch_fault){.scene = scene, .step = step};
    snprintf(batch->faults[place].text, sizeof batch->faults[place].text, "%s", text);
    batch->fault_count++;
out:
    return status;
}

/* How far a check is off; negative where it holds, most where it does not apply. One of an upper limit has it as its
 * tolerance about 0. */
static double excess(const nb_check *check) {
    if (*check->premise) return -INFINITY;
    if (isnan(check->actual)) return INFINITY;
    double beyond = fabs(check->actual - check->expected) - check->tolerance;
    return check->passed ? fmin(beyond, 0) : fmax(beyond, 0);
}

/* whether check `a` of copy `scene` is worse than what was kept; among equals the first copy counts */
static int is_worse(const nb_check *a, int32_t scene, const nb_check *kept, int32_t kept_scene) {
    if (a->passed != kept->passed) return !a->passed;
    double x = excess(a), y = excess(kept);
    return x > y || (x == y && scene < kept_scene);
}

void nb_batch_add_checks(nb_batch *batch, int32_t scene, const nb_checks *checks) {
    for (int i = 0; i < checks->count; i++) {
        const nb_check *check = &checks->items[i];
        int place = 0;
        while (place < batch->worst.count && strcmp(batch->worst.items[place].name, check->name) != 0) place++;
        batch->failed_checks[scene] += !check->passed;
        if (place == NB_CHECK_MAX) continue; /* no scenario names more */
        int is_new = place == batch->worst.count;
        if (is_new) batch->worst.count++;
        batch->failed_scenes[place] += !check->passed;
        if (!is_new && !is_worse(check, scene, &batch->worst.items[place], batch->worst_scene[place])) continue;
        batch->worst.items[place] = *check;
        batch->worst_scene[place] = scene;
    }
}
