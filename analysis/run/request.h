/* What a run is asked for, in the words of the command line, and what these stand for once they are resolved. */
#ifndef NB_ANALYSIS_REQUEST_H
#define NB_ANALYSIS_REQUEST_H

#include <stdint.h>

#include "base/options.h"
#include "base/status.h"
#include "contact_problem.h"
#include "model/scene_settings.h"
#include "record/run.h"
#include "scenario.h"

enum {
    NB_MAX_OPTIONS = 64,
    NB_MAX_SETTINGS = 64,
    NB_SETTING_VALUE = 192,
    NB_BATCH_MOST = 65536,
    NB_BATCH_MOST_STEPS = 100000000, /* of all copies: their rows are held in memory, 64 bytes each */
    NB_PROBLEM_ITERATIONS = 200      /* of a problem file, Newton's and a solver's, at most, where none are given */
};

#define NB_SETTLE_TOLERANCE 1e-10 /* standard value of --settle-tolerance [m/s] */

/* Called after every step with the number done; may be NULL. */
typedef void nb_progress(void *context, int32_t steps_done, int32_t steps);

/* What a run is of: a scene, a contact problem from a file, or a linear system from one. */
struct nb_simulation; /* a run in progress (private to simulate.c) */
struct nb_recorder;
struct nb_observer;

typedef struct nb_subject {
    const char *name; /* "scenario", "problem", "system" */
    int has_steps;    /* 1: of a scene; 0: one solve of a file */
    int has_contacts; /* 1: methods solve it; 0: a linear solver alone does */
    /* the recorded pass */
    nb_status (*run)(struct nb_simulation *s, struct nb_recorder *recorder, nb_progress *progress, void *context);
    /* what a pass begins with, and one step or solve of it, in one row of the record */
    nb_status (*open)(struct nb_simulation *s);
    nb_status (*solve)(struct nb_simulation *s, const struct nb_observer *observer, double row[NB_STEP_COLUMNS]);
    nb_status (*keep)(const struct nb_simulation *s, nb_run *run); /* its solution; NULL: steps have kept it */
} nb_subject;

extern const nb_subject nb_subject_scene, nb_subject_problem, nb_subject_system;

/* `path`: of a problem file, or NULL */
const nb_subject *nb_subject_of(const char *path);

/* name=value as given by --set (scenario parameters), --solver-option, --preconditioner-option, --method-option */
typedef struct nb_setting {
    char name[NB_NAME_LENGTH];
    char value[NB_SETTING_VALUE];
} nb_setting;

/* What the names of a request stand for. It holds no pointer into itself or the request, and may be copied with it. */
typedef struct nb_choices {
    const struct nb_method_class_f64 *method;
    const nb_scenario_class *scenario;                        /* NULL for a problem file */
    const struct nb_device *device;                           /* NULL: this processor */
    const nb_option *solver_options, *preconditioner_options; /* none with a method that takes neither */
    int solver_option_count, preconditioner_option_count;
    const char *solver_plugin, *preconditioner_plugin, *method_plugin; /* the files that brought them, or NULL */
    double parameters[NB_MAX_OPTIONS];                                 /* of the scenario */
    double solver_values[NB_MAX_OPTIONS], preconditioner_values[NB_MAX_OPTIONS], method_values[NB_MAX_OPTIONS];
    int f32, mixed, norm; /* the last an nb_linear_norm */
    nb_geometry geometry;
} nb_choices;

/* What to run. Zeroed by nb_request_standard; names are looked up and checked by nb_simulate_prepare. */
typedef struct nb_request {
    nb_run_info
        info; /* names and numbers; parameters is filled in by prepare. 0 steps, no method: the scenario's own */
    const char *problem_path; /* a problem file instead of a scenario, or NULL (borrowed) */
    /* the file's row in the table of a standard set (standard_set.h), or NULL (borrowed) */
    const struct nb_standard_problem *standard;
    const char *problem_sha256;         /* of that file, as it was read; NULL: not recorded (borrowed) */
    const nb_subject *subject;          /* what the run is of (filled in by prepare) */
    const char *rhs;                    /* --rhs, or NULL: as nb_linear_problem_find_rhs has it (borrowed) */
    char rhs_shown[64];                 /* the file's base name, or "A 1" (filled in by prepare) */
    double size;                        /* --size; NaN: not given */
    const char *from;                   /* --from, or NULL: begins as the scenario does (borrowed) */
    const struct nb_start_state *start; /* which that is; set by whoever reads it (borrowed) */
    int setting_count, solver_option_count, preconditioner_option_count, method_option_count;
    nb_setting settings[NB_MAX_SETTINGS], solver_options[NB_MAX_SETTINGS], preconditioner_options[NB_MAX_SETTINGS],
        method_options[NB_MAX_SETTINGS];
    int linear_history; /* 1: record the residual of every linear iteration */
    int limits;         /* 1: compute Tisseur's bounds on the last step */
    int frame_interval; /* store the state every so many steps; 0: never */
    int store_iterates; /* 1: and the errors of contacts of the iterates of those steps */
    int store_systems;  /* 1: keep A, b and factors */
    int store_one;      /* 1: only those of step `store_step`, Newton iteration `store_newton`, from 0 */
    int32_t store_step, store_newton;
    nb_contact_problem *contact_problem; /* receives that of step `store_step`; NULL: not asked for */
    nb_scene_settings scene; /* left open where nobody says; what papers and methods have it take is filled in by
                                prepare, and nb_request_scene has all of it */
    nb_choices choices;      /* filled in by prepare */
} nb_request;

void nb_request_standard(nb_request *request);

/* The settings of its scene, with what holds where nobody says; the margin stays open (NaN). */
nb_scene_settings nb_request_scene(const nb_request *request);

/* Sets an option of the method, in the place of what it was set to before; NB_ERROR_USAGE where it does not fit. */
nb_status nb_request_set_option(nb_request *request, const char *name, const char *value);

/* Fails with the line that says how many of so many steps of settling were not solved, and how far off they were
 * [m/s]. */
nb_status nb_settle_fault(double unsolved, double steps, double tolerance, double worst);

#endif
