/* A plan: the prepared requests of all runs to make. */
#ifndef NB_PROGRAM_PLAN_H
#define NB_PROGRAM_PLAN_H

#include <stdint.h>

#include "record/record.h"
#include "run/inputs.h"
#include "run/parameter_grid.h"
#include "run/prepare.h"
#include "run/setting_effect.h"
#include "run/simulate.h"

/* the runs of one grid */
typedef struct nb_plan_group {
    int64_t first, count;
    int64_t alike; /* combinations that ask for a run which the grid has: what tells them apart, it does not use */
    char varies[NB_REQUEST_MOST_FIELDS]; /* 1: runs of one scene differ in this field (nb_request_field_name) */
} nb_plan_group;

/* what tells a run from the others (private to plan.c) */
typedef struct nb_plan_run {
    char *identity;
    int64_t combination;     /* of its grid */
    int64_t number;          /* among all runs of the sweep of which the plan is a shard, from 0 */
    uint64_t hash, seedless; /* of the identity, of what is left of it without the seed */
} nb_plan_run;

typedef struct nb_plan {
    nb_request **requests; /* prepared, each owned */
    nb_plan_run *runs;
    int64_t run_capacity;
    nb_plan_group *groups;
    int64_t count, capacity, group_count, group_capacity;
    struct nb_plan_state *states; /* that runs begin with, each read once (private) */
    int64_t state_count, state_capacity;
    nb_inputs inputs; /* of all runs */
    /* The plan is a shard of a sweep: it has the runs whose number is shard - 1 modulo shards; 0: it has all of one
     * grid. Set before runs are added. */
    int32_t shard, shards;
    nb_sweep sweep;         /* of a shard: what its record says of the sweep */
    uint64_t *sweep_hashes; /* [sweep.runs] (private) */
    int64_t sweep_capacity;
    nb_unused_options *unused; /* of the last grid (private) */
    /* prepares a combination of the grid in the place of the plan, which then reads no files; NULL: none */
    nb_status (*prepare)(const void *context, int64_t combination, nb_request *request);
    const void *context;
} nb_plan;

/* Prepares every run of the grid and adds those that the plan does not hold yet; nothing is run. The grid must
 * outlive the plan. NB_ERROR_USAGE where an option of the grid has no effect in any of its runs. */
nb_status nb_plan_add(nb_plan *plan, const nb_parameter_grid *grid);
void nb_plan_clear(nb_plan *plan);

/* Lines on standard error where the plan's last grid has combinations that are one run, and of options that have no
 * effect in some of its runs (run/setting_effect.h). */
void nb_plan_note_unused(const nb_plan *plan);

/* The first run of the plan that is the same but for the seed, perhaps itself: what one takes tells what the other
 * does. */
int64_t nb_plan_kind(const nb_plan *plan, int64_t run);

const nb_plan_group *nb_plan_group_of(const nb_plan *plan, int64_t run);

/* "heavy-stack, linear-solver pcr, precision f32": the scene and what tells the run from the others */
void nb_plan_label(const nb_plan *plan, int64_t run, char *label, size_t size);

#endif
