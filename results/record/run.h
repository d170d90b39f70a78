/* A run: everything that one (scenario, method, solver, ...) combination did, in memory. The record (record.h) writes
 * runs to HDF5 and reads them back; checks, comparisons, reports and figures work on runs. */
#ifndef NB_RESULTS_RUN_H
#define NB_RESULTS_RUN_H

#include <stdint.h>

#include "base/mapped_array.h"
#include "base/member.h"
#include "base/status.h"
#include "measure/largest_error.h"
#include "model/mesh.h"
#include "record/batch.h"
#include "record/columns.h"
#include "reference_solution.h"
#include "scenario.h"
#include "snapshot.h"
#include "stored_system.h"

enum {
    NB_NAME_LENGTH = 64
};

/* What was asked for: the attributes of /runs/NNNN. */
typedef struct nb_run_info {
    char scenario[NB_NAME_LENGTH]; /* or the file's base name for a stored problem */
    char method[NB_NAME_LENGTH], linear_solver[NB_NAME_LENGTH], preconditioner[NB_NAME_LENGTH];
    char device[NB_NAME_LENGTH], precision[NB_NAME_LENGTH];
    char geometry[NB_NAME_LENGTH];    /* joints, frozen, updated */
    char linear_norm[NB_NAME_LENGTH]; /* true, preconditioned, natural: what linear_tolerance is of; "": not recorded */
    double time_step, newton_tolerance, linear_tolerance;
    double relative_tolerance; /* problem files: stop at nb_natural_map's `relative` <= this; 0: never */
    double time_limit;         /* [s] of a pass, where others end it; 0: none */
    int32_t newton_iterations, linear_iterations, steps, threads, repeats, warmup;
    int32_t lead;            /* Newton iterations made before the first recorded one of a step */
    int32_t lead_exact;      /* 1: by Cholesky of the stiffness form; 0: by 200 iterations of PCR */
    int32_t settle;          /* steps made before the first recorded one, alike in every run: by `auto` in double */
    double settle_tolerance; /* natural map that each of them is solved to [m/s] */
    int32_t warm_start;
    int32_t reference;         /* 1: the last step is solved to convergence besides, for the true errors */
    int32_t reference_linear;  /* 1: linear iterates are held against the solution of their system */
    int32_t whole_steps;       /* an nb_whole_steps (method.h) */
    int32_t batch_contacts;    /* of each copy of a batch, where the device makes its steps; 0: as many as it takes */
    int32_t batch;             /* copies of the scene that are made at once; 1: the scene alone */
    int32_t batch_seeds;       /* 1: the scenes of as many seeds, from `seed` on; 0: perturbed ones */
    double batch_perturbation; /* how far these start off it */
    uint64_t seed;
    /* The scenario's parameters and the settings of its scene by name, and what method, linear solver and
     * preconditioner were given, "method.NAME" (base/named_values.h; owned). */
    char *parameters;
    int32_t bodies, joints, tetrahedra, triangles; /* what the scene has (nb_run_info_is_found) */
} nb_run_info;

/* What making it took, in the recorded pass, and came to: further attributes. */
typedef struct nb_run_usage {
    double peak_bytes;          /* the program's own memory at most, beyond what it held before */
    double peak_resident_bytes; /* the process's, libraries included */
    double wall_s;              /* of the pass: solving, measuring, recording; no building, no settling */
    double device_work_s;       /* of wall_s on an accelerator: its kernels; NaN on this processor */
    double device_transfer_s;   /* of wall_s: copies to and from the accelerator; NaN on this processor */
    double record_s;            /* of keeping and writing down what was measured */
    double reference_error; /* natural map that the solve for the reference reached [m/s]; NaN: none was asked for */
    /* Of the steps that settled the scene, those of all copies of a batch together; NaN: none were asked for. */
    double settle_unsolved; /* how many were not solved to settle_tolerance */
    double settle_error;    /* largest natural map that one of them ended with [m/s] */
    /* of the scene as it was built, or of the state that the run begins from (measure/start_errors.h); NaN: problems */
    double start_penetration, start_joint_error, start_joint_turn; /* [m], [m], [rad] */
} nb_run_usage;

/* What was asked for and what it took, as attributes of /runs/NNNN. */
extern const nb_members nb_run_info_members, nb_run_usage_members;
/* whether the attribute is found while a run is made, and not asked for: counts of what the scene has */
int nb_run_info_is_found(const char *name);

/* the arrays that grow with the steps */
typedef enum nb_run_growing {
    NB_RUN_STEPS,
    NB_RUN_NEWTON_START,
    NB_RUN_NEWTON,
    NB_RUN_LINEAR_START,
    NB_RUN_LINEAR,
    NB_RUN_FRAME_TIME,
    NB_RUN_FRAMES,
    NB_RUN_FRAME_VELOCITIES,
    NB_RUN_FRAME_PARTICLES,
    NB_RUN_FRAME_PARTICLE_VELOCITIES,
    NB_RUN_FRAME_BILATERALS,
    NB_RUN_FRAME_MOMENTA,
    NB_RUN_FRAME_CONTACT_START,
    NB_RUN_FRAME_CONTACTS,
    NB_RUN_FRAME_ITERATE_START,
    NB_RUN_FRAME_ITERATES,
    NB_RUN_ITERATE_ERRORS,
    NB_RUN_SYSTEMS,
    NB_RUN_GROWING
} nb_run_growing;

typedef struct nb_run {
    nb_run_info info;
    nb_run_usage usage;
    int32_t step_count;
    double *steps; /* [step_count][NB_STEP_COLUMNS] */
    /* ragged: the Newton rows of step s are newton_start[s] .. newton_start[s + 1] - 1; row k of a step is the state
     * *before* its k-th iteration, and the last row of a step is the state after the last iteration (its linear columns
     * are NaN) */
    int64_t *newton_start;     /* [step_count + 1] */
    nb_columns newton_columns; /* its own: the harness's, and behind them the method's */
    double *newton;            /* [newton_start[step_count]][newton_columns.count] */
    /* the linear rows of Newton row r are linear_start[r] .. linear_start[r + 1] - 1 (iteration 0 = start) */
    int64_t *linear_start; /* [newton rows + 1] */
    double *linear;        /* [...][NB_LINEAR_COLUMNS] */
    int32_t repeat_count;  /* timed repetitions of the whole run */
    double *repeat_setup_s, *repeat_solve_s, *repeat_assembly_s, *repeat_step_s; /* [repeat_count][step_count] */
    double *repeat_order; /* [repeat_count] how many repetitions of any run the session had made before */
    nb_snapshot final;
    nb_reference_solution reference; /* of the last step, where it was asked for and found, else without a solution */
    /* problem files: the solution in the file's own order, else NULL */
    int64_t reaction_count;
    double *reaction, *velocity; /* [reaction_count] */
    /* recorded states where asked for: q and u of every body in each frame, and the errors of each contact and joint */
    int32_t frame_count;
    int32_t frame_particles;       /* of each frame */
    double *frame_time;            /* [frame_count] */
    double *frames;                /* [frame_count][bodies][7] */
    double *frame_u;               /* [frame_count][bodies][6] */
    double *frame_x, *frame_v;     /* [frame_count][frame_particles][3], NULL where there are no particles */
    int32_t frame_bilaterals;      /* of each frame */
    double *frame_bilateral_error; /* [frame_count][frame_bilaterals], as in nb_snapshot; NULL: there are none */
    double *frame_momentum_error;  /* [frame_count][bodies] as in nb_snapshot; NULL: not known */
    int64_t *frame_contact_start;  /* [frame_count + 2]: ragged, as the Newton rows of steps */
    double *frame_contacts;        /* [...][NB_FRAME_CONTACT_COLUMNS] */
    /* iterates of the frames' steps where they were asked for: ragged, as the Newton rows of steps; and the errors of
     * the frame's contacts in each, one iterate after another */
    int64_t *frame_iterate_start; /* [frame_count + 2] */
    double *frame_iterates;       /* [...] iterations made before */
    int64_t iterate_error_count;
    float *iterate_errors;    /* [iterate_error_count] */
    int32_t iterate_contacts; /* private: of each iterate of the step that is open */
    nb_mesh mesh;             /* of bodies and elements, for what draws the frames; empty in runs read from a record */
    /* stored systems (--store-systems) */
    int32_t system_count;
    nb_stored_system *systems;
    nb_checks checks;
    nb_batch batch;     /* where copies of the scene were made (info.batch > 1), else all zero */
    int finished;       /* 0: interrupted; the steps present are whole */
    int32_t sweep_run;  /* number of the run in the sweep of which the record is a shard, from 1; 0: there is none */
    int32_t provenance; /* place of that which it was made with in the record that it was read from; written by that */
    char fault[256]; /* why it failed, in a line, or "". Its last step says so, too: by its reason alone where it has no
                        other numbers (NaN), else as the step that diverged. The steps before are whole */
    char remark[256];                        /* what the method says of the last step, in a line; else "" */
    char start_words[256];                   /* what is wrong with the scene as it begins, in a line; else "" */
    char solver_words[2048];                 /* how a plugin's linear solver was set up, in a line; else "" */
    char problem_words[160];                 /* what is to be known of a problem's file, in a line; else "" */
    nb_mapped_array growing[NB_RUN_GROWING]; /* private: long arrays are in files */
} nb_run;

/* All of it: what records, other processes and checkpoints carry (run_members.c). What was asked for, as far as a
 * record tells it before it tells what was done. */
extern const nb_members nb_run_members, nb_run_head_members;

nb_status nb_run_create(nb_run **run);
void nb_run_destroy(nb_run *run);

/* A run that gave no result, for the record: what was asked for, why it failed (an nb_reason) and how. */
nb_status nb_run_create_failed(const nb_run_info *info, int reason, const char *fault, nb_run **run);

/* The columns that the run's method has besides the harness's, before any row is added. */
nb_status nb_run_set_newton_columns(nb_run *run, const nb_column *own, int count);

/* The column of this name in the run's Newton rows, or -1; row `row`; its number there, NaN for column -1. */
int nb_run_newton_column(const nb_run *run, const char *name);
const double *nb_run_newton_row(const nb_run *run, int64_t row);
/* whether joints have the largest error of what a step ends with */
int nb_run_ends_in_joints(const nb_run *run, int32_t step);
double nb_run_newton_number(const nb_run *run, int64_t row, int column);

/* whether it has a number in that column */
int nb_run_has_newton_numbers(const nb_run *run, const char *name);

/* Append as a run goes on. A Newton row belongs to the step that nb_run_add_step closes after it; a linear row to the
 * Newton row that nb_run_add_newton closes after it. */
nb_status nb_run_add_linear(nb_run *run, const double row[NB_LINEAR_COLUMNS]);
nb_status nb_run_add_newton(nb_run *run, const double *row);
nb_status nb_run_add_step(nb_run *run, const double row[NB_STEP_COLUMNS]);
/* Forgets the Newton and linear rows of the step that is open, and its iterates. */
void nb_run_drop_step(nb_run *run);
/* Ends a run that failed in the step that is open: with a step of this reason (an nb_reason) that has no other numbers.
 */
nb_status nb_run_add_fault(nb_run *run, int reason, const char *fault);
/* An iterate of the step whose frame is added next: it is made after so many iterations. Those before with another
 * number of contacts are forgotten. */
nb_status nb_run_add_iterate(nb_run *run, double iteration, const nb_contact_errors *errors);
/* A frame of this state and its errors: as many bodies, particles and joint rows in each. */
nb_status nb_run_add_frame(nb_run *run, double time, const nb_snapshot *state);
/* The frame of the state after `steps` recorded steps, 1 or more; -1: there is none. */
int32_t nb_run_frame_after(const nb_run *run, int32_t steps);
/* The last iterate kept of the frame's step (-1: of no frame) that is made after at most so many iterations; -1: none.
 */
int64_t nb_run_iterate_of(const nb_run *run, int32_t frame, double iteration);
/* How many errors stand before those of the frame's iterates; those of one of its iterates [the frame's contacts]. */
int64_t nb_run_iterate_errors_before(const nb_run *run, int32_t frame);
const float *nb_run_iterate_errors(const nb_run *run, int32_t frame, int64_t iterate);
/* Takes over the arrays of *system, also on a fault. */
nb_status nb_run_add_system(nb_run *run, nb_stored_system *system);

#endif
