/* What a method implements: a way to solve the NCP of one time step. One method is one file in solvers/method/ and one
 * line in its table.c.
 *
 * A method works on an nb_problem (core/constraint/problem.h), the NCP of one step, made from a world and its contacts
 * or from a problem file; it leaves the solution in problem->z (impulses) and the velocities in the problem, and tells
 * the observer what it does. All numbers it reports are computed by the harness's measures (core/measure/iterate.h).
 */
#ifndef NB_METHOD_H
#define NB_METHOD_H

#include <stdint.h>

#include "base/options.h"
#include "base/status.h"
#include "constraint/ncp.h"
#include "constraint/problem.h"
#include "linear_solver.h"
#include "measure/measure.h"
#include "preconditioner.h"
#include "reason.h"

#define nb_method_class NB_REAL_NAME(nb_method_class)
#define nb_methods NB_REAL_NAME(nb_methods)

/* what kind of iteration it was, of methods that have several */
typedef enum nb_phase {
    NB_PHASE_NONE,
    NB_PHASE_INTERIOR_POINT,
    NB_PHASE_SEMISMOOTH,
    NB_PHASE_PROXIMAL,
    NB_PHASE_CERTIFICATE, /* looks for a proof that there is no solution; the state stays */
    NB_PHASE_FOREIGN      /* of a plugin's method */
} nb_phase;

/* one Newton iteration's numbers, in double, for the record; see results/schema.md for their meaning */
typedef struct nb_newton_report {
    double residual_linf, residual_l2, constraint_error, complementarity_error, friction_error, bilateral_error,
        momentum_error, natural_map_error, file_error /* natural map relative to ||q||; NaN for worlds */,
        step_linf /* largest w |dz| applied [m/s] */, limit_residual, limit_step;
    double velocity_error, force_error; /* true errors, where the step has a reference */
    int32_t linear_iterations;
    double operator_applications, preconditioner_applications; /* of the linear solve; an island's count by its share of
                                                                  the rows */
    double linear_residual;                                    /* true ||b - A x|| / ||b|| */
    nb_reason linear_reason;
    double assembly_s, setup_s, solve_s;
    double update_s; /* of assembly_s: the velocity step, and taking it (without a line search) */
    int64_t factor_nonzeros;
    int32_t colours; /* of the linear solver's or preconditioner's sweeps; 0: natural order or none */
    int finish;      /* 1: an iteration of the exact finish */
    nb_phase phase;  /* NB_PHASE_NONE: of a method without phases, for which the next five say nothing */
    double step_length, centring /* sigma */, theta, tau; /* the last three of interior-point iterations */
    double factorisations;
    int solved; /* 0: the state after the last iteration; the fields from linear_iterations on say nothing */
} nb_newton_report;

/* Who listens to a method; any function may be NULL. A fault they return ends the step with that fault. */
typedef struct nb_observer {
    void *context;
    nb_status (*linear)(void *context, int32_t iteration, double residual_l2, double preconditioned_residual);
    nb_status (*newton)(void *context, const nb_newton_report *report);
    /* the system of this iteration, just before it is solved (nb_system and nb_problem of the run's precision) */
    nb_status (*system)(void *context, int32_t newton, void *system, const void *problem);
} nb_observer;

typedef struct nb_method_settings {
    nb_ncp_function ncp;
    nb_ncp_scaling scaling;
    int paper_row_scaling; /* 1: alpha on row and force as printed; 0: the symmetric sqrt(alpha) */
    int stiffness_form;    /* 1: eq. (64); 0: eq. (59) */
    int frozen_geometry;   /* 1: J and the gap linear in u, from the start of the step */
    int backtracking;      /* 1: line search on the natural-map merit; 0: the fixed step `damping` */
    int exact_finish;      /* 1: end with the exact generalised Jacobian (formulation.md) */
    int islands;           /* 1: solve island by island */
    int mixed;             /* f64: 1: the linear solver keeps the operator and its vectors in f32 (base/storage.h) */
    const struct nb_device *device; /* where the linear solver works (device.h); NULL: this processor */
    int whole_steps;                /* 1: the device makes all Newton iterations of a step by itself */
    int limits;                     /* 1: Tisseur's bounds (91), (92), by a dense eigenvalue computation */
    int32_t newton_iterations, linear_iterations;
    int32_t lead_iterations;   /* Newton iterations made before the first one, with PCR to round-off and unobserved */
    double newton_tolerance;   /* stop at natural-map error <= this [m/s]; 0: never */
    double relative_tolerance; /* problem files: stop at a natural map <= this times ||q||; 0: never */
    double linear_tolerance;
    double damping;                                             /* t */
    double regularization;                                      /* eps */
    int regularization_absolute;                                /* 1: eps [1/kg]; 0: eps * diag(A) */
    double alpha_minimum;                                       /* lower clamp of alpha */
    const char *linear_solver, *preconditioner;                 /* names in their tables (borrowed) */
    const double *linear_solver_values, *preconditioner_values; /* one number an option of theirs (borrowed) */
    const double *method_values;                                /* one number an option of the method (borrowed) */
} nb_method_settings;

/* what a step took */
typedef struct nb_step_outcome {
    nb_reason reason;
    int32_t newton_iterations;
    nb_errors errors; /* of the state reached */
    double assembly_s, setup_s, solve_s;
    double operator_applications, preconditioner_applications; /* of all linear solves */
    double norm_a,
        norm_a_inverse; /* of the column-scaled last system, where `limits`; else NaN (see results/schema.md) */
    char words[128];    /* what a plugin's method says of it, in a line; else "" */
} nb_step_outcome;

typedef struct nb_method_class {
    const char *name;
    const char *summary;
    const nb_option *options;
    int option_count;
    int alone;                 /* 1: it takes no linear solver of the harness's, and no preconditioner */
    const char *linear_solver; /* what it takes where none is asked for; NULL: pcr */
    const char *scene_solver, *scene_preconditioner; /* likewise on scenarios; NULL: the former, and jacobi */
    int unsymmetric;           /* 1: its linear systems are not symmetric: solver and preconditioner must take such */
    int32_t newton_iterations; /* at most, where the request leaves it open; 0: what the scenario says */
    /* keeps solver states from step to step; `settings` is copied, the value arrays it points to are borrowed */
    nb_status (*create)(const nb_method_settings *settings, void **state);
    /* NULL, or the first part of a step that a device makes as a whole: prepare gets it ready, from the problem's
     * present iterate, and launch sends those of several states that were prepared with the same settings in one
     * launch. `step` on the same problem then takes what came of it; without the two it makes them itself. */
    nb_status (*prepare)(void *state, nb_problem *problem);
    nb_status (*launch)(void *const *states, int32_t count);
    /* Solves from the problem's present iterate (zero, or a warm start) and leaves the solution in problem->u and z.
     * `measure` is the harness's, begun on the same step; every error reported comes from it. */
    nb_status (*step)(void *state, nb_problem *problem, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome);
    void (*destroy)(void *state);
} nb_method_class;

extern const nb_method_class *const nb_methods[]; /* solvers/method/table.c, NULL-terminated */

#endif
