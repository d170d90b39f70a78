/* What a method implements: a way to solve the NCP of one time step. One method is one file in the folder of its family
 * in solvers/method/, and one line in the table.c there; its options and the columns that it adds to the record stand
 * in its file (tests/test_new_method.c is one).
 *
 * A method works on an nb_problem (core/constraint/problem.h), the NCP of one step, made from a world and its contacts
 * or from a problem file; it leaves the solution in problem->z (impulses) and the velocities in the problem, and tells
 * the observer what it does. It may look for contacts again where its iterate has led (nb_measure_detect), and then has
 * other rows than it began with. All numbers it reports are computed by the harness's measures
 * (core/measure/iterate.h).
 */
#ifndef NB_METHOD_H
#define NB_METHOD_H

#include <stdint.h>

#include "base/column.h"
#include "base/options.h"
#include "base/status.h"
#include "base/stream.h"
#include "constraint/problem.h"
#include "linear_solver.h"
#include "measure/measure.h"
#include "model/scene_settings.h"
#include "preconditioner.h"
#include "reason.h"
#include "step_gradient.h"
#include "trajectory.h"

#define nb_method NB_REAL_NAME(nb_method)
#define nb_method_class NB_REAL_NAME(nb_method_class)
#define nb_methods NB_REAL_NAME(nb_methods)

enum {
    NB_METHOD_COLUMNS = 32 /* of a method's own, at most */
};

/* One iteration in numbers, in double, for the record; see results/schema.md for their meaning. */
typedef struct nb_newton_report {
    /* the harness's: of the iterate that the iteration begins at (measure/iterate.h) */
    double constraint_error, complementarity_error, friction_error, bilateral_error, momentum_error, natural_map_error,
        file_error /* nb_natural_map's `relative`; NaN for worlds */;
    double coulomb_error; /* natural-map error by Coulomb's law of friction: what is solved may be another */
    double velocity_error, force_error; /* true errors, where the step has a reference */
    double distance[2];                 /* of the velocities from each of two solutions, where the step has them */
    nb_largest_error largest;           /* where the natural map is largest, where the measure looks for it */
    int solved;                         /* 0: the state after the last iteration, of which times say nothing */
    double assembly_s, setup_s, solve_s;
    double update_s;                  /* of assembly_s: the velocity step, and taking it (without a line search) */
    double values[NB_METHOD_COLUMNS]; /* the method's own, by its columns; NaN: there is no such number */
} nb_newton_report;

/* Who listens to a method; any function may be NULL. A fault they return ends the step with that fault. */
typedef struct nb_observer {
    void *context;
    int contact_errors; /* 1: reports have the error of each contact (nb_largest_error_contacts) */
    nb_status (*linear)(void *context, int32_t iteration, const nb_linear_iterate *iterate);
    nb_status (*newton)(void *context, const nb_newton_report *report);
    /* the system of this iteration, just before it is solved (nb_system and nb_problem of the run's precision) */
    nb_status (*system)(void *context, int32_t newton, void *system, const void *problem);
} nb_observer;

/* what a device makes by itself */
typedef enum nb_whole_steps {
    NB_WHOLE_STEPS_OFF,
    NB_WHOLE_STEPS_ON,        /* all iterations of a step */
    NB_WHOLE_STEPS_TRAJECTORY /* all steps of a batch's copies, too (trajectory.h) */
} nb_whole_steps;

/* What the harness gives every method. */
typedef struct nb_method_settings {
    const struct nb_device *device; /* where the linear solver works (device.h); NULL: this processor */
    int mixed;            /* f64: 1: the linear solver keeps the operator and its vectors in f32 (base/storage.h) */
    int whole_steps;      /* an nb_whole_steps */
    int reference_linear; /* 1: solves that are heard of have the energy error of their iterates; not in f32 */
    int limits;           /* 1: Tisseur's bounds (91), (92) are wanted */
    int32_t newton_iterations;
    int32_t
        lead_iterations; /* Newton iterations made before the first one, unobserved: with 200 iterations of PCR, or */
    int lead_exact;      /* 1: with Cholesky of the stiffness form */
    double newton_tolerance;   /* stop at natural-map error <= this [m/s]; 0: never */
    double relative_tolerance; /* problem files: stop at nb_natural_map's `relative` <= this; 0: never */
    nb_linear_stop linear;     /* of each linear solve */
    const char *linear_solver, *preconditioner;                 /* names in their tables (borrowed) */
    const double *linear_solver_values, *preconditioner_values; /* one number an option of theirs (borrowed) */
    const double *values; /* one number an option of the method, by their places (borrowed); NULL: the standard ones */
} nb_method_settings;

/* what a method is to solve, as far as settings may not fit it */
typedef struct nb_method_scene {
    int file;             /* 1: a problem from a file; 0: steps of a scenario */
    nb_geometry geometry; /* what is evaluated at the end of a step */
    nb_scene_settings settings;
} nb_method_scene;

/* what a step took */
typedef struct nb_step_outcome {
    nb_reason reason;
    int32_t newton_iterations;
    nb_errors errors; /* of the state reached */
    double assembly_s, setup_s, solve_s;
    double operator_applications, preconditioner_applications; /* of all linear solves */
    double norm_a,
        norm_a_inverse; /* of the column-scaled last system, where `limits`; else NaN (see results/schema.md) */
    char remark[256];   /* what the method says of it, in a line; else "" */
} nb_step_outcome;

typedef struct nb_method_class nb_method_class;

/* A scene that was built, before any step of its run (borrowed); `type` makes steps with `stepper` (step/stepper.h). */
typedef struct nb_scene_start {
    const double *values; /* of the method's options */
    const struct nb_stepper_class *type;
    void *stepper;
    nb_measure *measure;
    nb_world *world;
    nb_contacts *contacts; /* scratch */
    nb_geometry geometry;
} nb_scene_start;

/* What a step looks at on the way to its solution. A method may leave it out. */
typedef struct nb_halfway {
    /* `problem` stands at an iterate of an error of about `near`; *changed 1: it has other rows, as after
     * nb_problem_verify, and the method goes on with these from that iterate */
    nb_status (*look)(void *context, nb_problem *problem, nb_measure *measure, int *changed);
    void *context;
    double near; /* natural map [m/s] */
} nb_halfway;

/* A method at work: what `create` makes begins with it, and what it adds is the method's own: vectors, solvers,
 * unknowns beyond velocities and impulses. */
typedef struct nb_method {
    const nb_method_class *type;
    int warm; /* 1: the next step is to start from the one before, with what the method keeps of it, too */
    const nb_halfway *halfway; /* of the next step, borrowed; NULL: nothing */
    void *kept; /* by what `differentiate` is, from step to step, and cleared by `destroy`; NULL: nothing */
} nb_method;

struct nb_method_class {
    const char *name;
    const char *summary;
    const nb_option *options; /* its own; those of the methods in the table are options of the command line, too */
    int option_count;
    const nb_column *columns; /* of its iterations, besides the harness's: entry i says what values[i] of a report is */
    int column_count;         /* at most NB_METHOD_COLUMNS */
    int alone;                /* 1: it takes no linear solver of the harness's, and no preconditioner */
    int own_systems;          /* 1, of one that is alone: an observer hears of its linear systems and their solves */
    int pivots;               /* 1: its iterations are not limited: newton_iterations has no effect */
    const char *tolerance;    /* the option of its own that ends a step in place of newton_tolerance; NULL: none */
    const char *own_tolerance; /* the option that ends a step where `why_unused` has a reason for newton-tolerance */
    const char *record_every;  /* the option that says how many iterations there are to one that is recorded */
    int forces;                /* 1: it chooses the tolerance of linear solves, of direct solvers, too */
    const char *const (*spellings)[2];               /* NULL, or: options and their other names, up to {NULL} */
    const char *linear_solver;                       /* what it takes where none is asked for; NULL: pcr */
    const char *scene_solver, *scene_preconditioner; /* the same for scenarios; NULL: linear_solver, and jacobi */
    int finds_contacts; /* 1: by shapes, where bodies come to be: no problem files, and geometry is updated */
    int springs;        /* 1: contacts are springs, by their gaps at the end of an implicit step: no problem files, no
                           linearised time stepping */
    int unsymmetric;    /* 1: its linear systems are not symmetric: solver and preconditioner must take such */
    int condenses;      /* 1: it knows joints and contacts alone, and is given steps with elements with these
                           folded into the mass (step/condensed_problem.h); 0: it is given all rows */
    int on_devices;     /* 1: its linear solves may be on a device */
    int gives_way;      /* 1: of contacts that give way alone (model/contact_model.h): no problem files */
    unsigned friction_laws;    /* bit 1 << law of each that it solves; 0: Coulomb's alone */
    int limits;                /* 1: it computes Tisseur's bounds where they are wanted */
    const char *smooths;       /* the option by which its steps are smoothed, and differentiated by NB_SMOOTHING_OWN,
                                  too; NULL: they are not */
    int warm_start;            /* 1: steps start from the one before where the request leaves it open */
    int32_t newton_iterations; /* at most, where the request leaves it open; 0: what the scenario says */
    /* NULL, or: changes newton_iterations and warm_start as options with these values have them, a preset's say */
    void (*defaults)(const double *values, int32_t *newton_iterations, int *warm_start);
    /* NULL, or: what may help where steps fell short with these values of its options, a clause for the message; NULL:
     * nothing known */
    const char *(*advice)(nb_shortfall how, const double *values);
    /* NULL, or: 1 where forces of friction may lie beyond the cone of mu */
    int (*leaves_cone)(const double *values);
    /* NULL, or: changes the scene that a run begins with, as its options say */
    nb_status (*prepare_scene)(const nb_scene_start *scene);
    /* NULL, or: NB_ERROR_USAGE or NB_ERROR_UNSUPPORTED, in the words of the command line, where the settings do not fit
     * each other or the scene */
    nb_status (*check)(const nb_method_settings *settings, const nb_method_scene *scene);
    /* NULL, or: the option and its value ("line-search backtracking") that leaves option i without effect where the
     * options have these values; NULL: it has one */
    const char *(*why_ignored)(const double *values, int i);
    /* NULL, or: the same of a setting of the harness, "linear-tolerance" or "preconditioner.blocks" */
    const char *(*why_unused)(const double *values, const char *setting);
    /* keeps solver states from step to step; `settings` is copied, the value arrays it points to are borrowed */
    nb_status (*create)(const nb_method_class *type, const nb_method_settings *settings, nb_method **self);
    /* NULL, or the first part of a step that a device makes as a whole: prepare gets it ready, from the problem's
     * present iterate, and launch sends those of several methods that were prepared with the same settings in one
     * launch. `step` on the same problem then takes what came of it; without the two it makes them itself. */
    nb_status (*prepare)(nb_method *self, nb_problem *problem);
    nb_status (*launch)(nb_method *const *selves, int32_t count);
    /* NULL, or: copies of a scene whose steps the settings' device makes by itself, as `step` would; and the natural
     * map that ends such a step where none is asked for [m/s], 0: none. */
    nb_status (*trajectories)(const nb_method *self, const nb_trajectories_start *start,
                              nb_trajectories **trajectories);
    double trajectory_tolerance;
    /* Solves from the problem's present iterate (zero, or a warm start) and leaves the solution in problem->u and z.
     * `measure` is the harness's, begun on the same step; every error reported comes from it. */
    nb_status (*step)(nb_method *self, nb_problem *problem, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome);
    /* NULL: it has none. Else, after `step` on the same problem, which is as that step left it: the derivatives of the
     * step (step_gradient.h), smoothed by `smoothing` > 0 [J], or NB_SMOOTHING_OWN. What they are of is kept in
     * *gradient, which the caller owns; the problem stays as it is. NB_ERROR_UNSUPPORTED, by name, where the scene has
     * what has no derivative. */
    nb_status (*differentiate)(nb_method *self, nb_problem *problem, double smoothing, nb_step_gradient **gradient);
    /* NULL: a step takes over nothing from the one before but what problem->u and z start from. Else the unknowns of
     * its own that it does: `load` brings a new one to where `save` was called, bit by bit. */
    nb_status (*save)(const nb_method *self, nb_stream *stream);
    nb_status (*load)(nb_method *self, nb_stream *stream);
    void (*destroy)(nb_method *self); /* NULL allowed */
};

extern const nb_method_class *const nb_methods[]; /* solvers/method/table.c, NULL-terminated */

#endif
