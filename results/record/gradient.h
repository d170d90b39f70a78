/* What `ncpbench gradient` leaves: derivatives of a scene's state after some steps, in a file of their own. Schema
 * `ncpbench-gradient`, version 2 (schema.md). */
#ifndef NB_RESULTS_GRADIENT_H
#define NB_RESULTS_GRADIENT_H

#include "record/provenance.h"
#include "record/run.h"

enum {
    NB_GRADIENT_STATE = 12 /* numbers of a body's state: place, turn, velocity, angular velocity; three each */
};

typedef struct nb_gradient {
    nb_run_info info;
    char *parameters;           /* of scene, method and solvers, as of a run */
    char objective[32];         /* what the adjoint is of, "3:z"; "": forward */
    double smoothing;           /* rho [J] */
    double value;               /* of the objective at the end; NaN where there is none */
    double steps_s, gradient_s; /* what the steps took, and what their derivatives took besides [s] */
    int32_t bodies, steps, columns;
    double *q_before, *u_before, *q, *u; /* [bodies][7], [bodies][6] at the start and at the end */
    double *residual, *distance;         /* [steps] nb_step_gradient */
    int32_t *iterations, *contacts;      /* [steps] */
    int32_t *open; /* [steps] 1: held by the smoothing alone (nb_step_gradient_class); 0: not; -1: not looked for */
    int32_t *column_body, *column_input; /* [columns] */
    double *derivative;                  /* [bodies][NB_GRADIENT_STATE][columns] */
    double *by_input;                    /* [bodies][NB_INPUTS] of the objective, or NULL */
    double *by_force;                    /* [steps][bodies][6] of the objective by the forces of each step, or NULL */
} nb_gradient;

extern const nb_members nb_gradient_members;

void nb_gradient_clear(nb_gradient *gradient);

/* Writes the file; what stands at `path` is replaced when it is whole. */
nb_status nb_gradient_write(const char *path, const nb_gradient *gradient, const char *command,
                            const nb_provenance *provenance);

#endif
