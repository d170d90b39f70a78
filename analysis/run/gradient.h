/* Derivatives of a scene's state after some steps: the chain over the steps' own (step_gradient.h), forward or back. */
#ifndef NB_ANALYSIS_GRADIENT_H
#define NB_ANALYSIS_GRADIENT_H

#include <signal.h>

#include "model/world.h"
#include "record/gradient.h"
#include "run/request.h"
#include "step_gradient.h"

/* the kinds of inputs, which are asked for by name */
typedef struct nb_gradient_kind {
    const char *name;
    int first, count; /* among a body's inputs */
    int fixed;        /* 1: bodies that never move have them, too */
} nb_gradient_kind;

enum {
    NB_GRADIENT_KINDS = 7
};
extern const nb_gradient_kind nb_gradient_kinds[NB_GRADIENT_KINDS];

/* "x", "y", "z", "rx", ..., "wz" */
extern const char *const nb_gradient_components[NB_GRADIENT_STATE];

typedef struct nb_gradient_request {
    double smoothing;                 /* [J]; 0: the motion's own, or 1e-8 where it is not smoothed */
    int body, component;              /* of the objective; body -1: forward */
    int with_kind[NB_GRADIENT_KINDS]; /* forward: columns of these inputs */
    int only_count;                   /* of these bodies; 0: of all that have any */
    int32_t only[64];
} nb_gradient_request;

/* Runs a prepared request and differentiates its steps. *gradient, which is zero, is the caller's to clear, on a fault
 * too. NB_ERROR_USAGE for a smoothing that is less than the motion's own, NB_ERROR_UNSUPPORTED, by name, for methods,
 * scenes and contacts without derivatives; NB_ERROR_INTERRUPTED. */
nb_status nb_gradient_run(const nb_request *request, const nb_gradient_request *what, nb_gradient *gradient);

/* Where `inputs` [bodies][NB_INPUTS] change, whose first twelve numbers a body are its state, the velocities at the end
 * of the step change by du [bodies][6] and the states of dynamic bodies by `state` [bodies][12]; those of others are
 * left alone. */
nb_status nb_step_chain_forward(nb_step_gradient *gradient, const nb_world *world, const double *inputs, double *du,
                                double *state);

#endif
