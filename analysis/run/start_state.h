/* The state that runs begin with in place of their scenario's own: `--from RECORD[:RUN[:STEP]]`, so that runs of
 * several methods meet the same step. A record holds the state after a run's last step, and, of runs with
 * --store-states, those after every so many steps. It holds no impulses: a first step starts from velocities alone. */
#ifndef NB_ANALYSIS_START_STATE_H
#define NB_ANALYSIS_START_STATE_H

#include <stdint.h>

#include "base/status.h"
#include "model/world.h"

typedef struct nb_start_state {
    char *text;        /* "FILE.h5:0:30#89abcdef01234567": record, run, step; and of the numbers (owned) */
    char scenario[64]; /* of the run */
    double time;       /* [s] */
    int32_t bodies, particles;
    double *q, *u;            /* [bodies][7], [bodies][6] (owned) */
    double *x, *v;            /* [particles][3] (owned) */
    int32_t joints;           /* whose turns it has: none of a state that was stored on the way */
    double *joint_coordinate; /* [joints] (owned) */
} nb_start_state;

/* Reads the state after STEP recorded steps of run RUN, from 0. Without STEP that after its last step; without RUN of
 * the record's one run. NB_ERROR_USAGE: several runs and none named; NB_ERROR_INPUT: a run or step that is not there,
 * a run without states, numbers that are not finite; NB_ERROR_IO. The caller destroys it. */
nb_status nb_start_state_read(const char *text, nb_start_state **state);
void nb_start_state_destroy(nb_start_state *state); /* NULL allowed */

/* The path in RECORD[:RUN[:STEP]], owned by the caller. */
nb_status nb_start_state_path(const char *text, char **path);

/* Puts bodies, particles and time of the world where the state has them; NULL: leaves it. NB_ERROR_INPUT where it has
 * other counts. */
nb_status nb_start_state_take(const nb_start_state *state, nb_world *world);

#endif
