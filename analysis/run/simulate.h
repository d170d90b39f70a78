/* Runs one combination (scenario or problem file, method, solver, ...) and fills an nb_run. */
#ifndef NB_ANALYSIS_SIMULATE_H
#define NB_ANALYSIS_SIMULATE_H

#include <signal.h>
#include <stdint.h>

#include "base/status.h"
#include "contact_problem.h"
#include "record/run.h"
#include "run/checkpoint.h"
#include "scenario.h"

enum {
    NB_MAX_SETTINGS = 64,
    NB_PROBLEM_ITERATIONS = 200 /* of a problem file, Newton's and a solver's, at most, where none are given */
};

/* name=value as given by --set (scenario parameters), --solver-option, --preconditioner-option */
typedef struct nb_setting {
    char name[NB_NAME_LENGTH];
    char value[NB_NAME_LENGTH];
} nb_setting;

/* What to run. Zeroed by nb_request_standard; names are looked up and checked by nb_simulate_prepare. */
typedef struct nb_request {
    nb_run_info info; /* names and numbers; parameters is filled in by prepare. 0 steps etc.: the scenario's own */
    const char *problem_path; /* a problem file instead of a scenario, or NULL (borrowed) */
    int linear;               /* 1: that file is a Matrix Market matrix (filled in by prepare) */
    const char *rhs_path;     /* its right-hand side, or NULL (borrowed) */
    double size;              /* --size; NaN: not given */
    int setting_count, solver_option_count, preconditioner_option_count, method_option_count;
    nb_setting settings[NB_MAX_SETTINGS], solver_options[NB_MAX_SETTINGS], preconditioner_options[NB_MAX_SETTINGS],
        method_options[NB_MAX_SETTINGS];
    int linear_history; /* 1: record the residual of every linear iteration */
    int limits;         /* 1: compute Tisseur's bounds on the last step */
    int frame_interval; /* store the state every so many steps; 0: never */
    int store_systems;  /* 1: keep A, b and factors */
    int store_one;      /* 1: only those of step `store_step`, Newton iteration `store_newton`, from 0 */
    int32_t store_step, store_newton;
    nb_contact_problem *contact_problem; /* receives that of step `store_step`; NULL: not asked for */
    double contact_margin;               /* [m]; NaN: the scenario's own */
    double contact_compliance;           /* [m/N] of every contact's normal; 0: rigid */
    double contact_thickness;            /* [m] that touching features keep */
    double friction_ratio;               /* friction across the direction over that along it; 1: isotropic */
    double friction_direction;           /* [rad] from the x to the y axis */
    double relative_tolerance;           /* problem files: stop at a natural map <= this times ||q||; 0: never */
    double time_limit;                   /* [s] of a pass where others end it (isolate.h); noted here; 0: none */
} nb_request;

void nb_request_standard(nb_request *request);

/* Fills what was left open (steps, time step, ... from the scenario), checks every name and number. NB_ERROR_USAGE with
 * one line where something is wrong; nothing is run. */
nb_status nb_simulate_prepare(nb_request *request);

/* Called after every step with the number done; may be NULL. */
typedef void nb_progress(void *context, int32_t steps_done, int32_t steps);

/* Runs a prepared request. On a fault *run holds the steps that were finished (finished = 0) and still belongs to the
 * caller. Stops early, with finished = 0 and NB_OK, when *interrupted becomes non-zero. */
nb_status nb_simulate(const nb_request *request, nb_progress *progress, void *progress_context,
                      const volatile sig_atomic_t *interrupted, nb_run **run);

/* The same, leaving checkpoints as run `index` of a plan: when one is due, and on an interrupt. Where the checkpoint
 * was read and holds this run's state, the run goes on from there; the state is used up by that. A run that stores
 * systems, or that is a problem file, leaves none. */
nb_status nb_simulate_resumable(const nb_request *request, nb_progress *progress, void *progress_context,
                                const volatile sig_atomic_t *interrupted, nb_checkpoint *checkpoint, int32_t index,
                                nb_run **run);

/* Runs one more timed repetition (no recording) and appends its times to run->repeat_*, and to run->batch. */
nb_status nb_simulate_repeat(const nb_request *request, nb_run *run);

#endif
