/* The derivatives of one time step, as a method gives them: of the velocities at its end by everything that it started
 * from. Chains of steps (analysis/run/gradient.h) see nothing else of a method.
 *
 * A step is a map of inputs, so many a body, to velocities u [bodies][6]; positions follow them, q+ = q (+) h u. Where
 * contacts open, close, stick and slide the map has kinks: a gradient is that of the step smoothed by rho, which has
 * none, and for rho -> 0 that of the step itself wherever it has one. Steps of methods whose friction is smooth have
 * their own. Everything in double. */
#ifndef NB_STEP_GRADIENT_H
#define NB_STEP_GRADIENT_H

#include <stdint.h>

#include "base/status.h"

/* where the inputs of a body are */
enum {
    NB_INPUT_POSITION = 0,  /* 3, of the centre of mass [m]; 3, a small turn in the world's axes [rad] */
    NB_INPUT_VELOCITY = 6,  /* 6, at the start of the step [m/s], [rad/s] */
    NB_INPUT_FORCE = 12,    /* 6, besides gravity, constant over the step [N], [N m] */
    NB_INPUT_MASS = 18,     /* [kg], its moments of inertia in proportion: another density */
    NB_INPUT_INERTIA = 19,  /* d ln(moments), all three, the mass as it is */
    NB_INPUT_SIZE = 20,     /* d ln(scale) of the shape about the centre of mass, mass and moments as they are */
    NB_INPUT_FRICTION = 21, /* the body's coefficient (a contact takes the geometric mean of two) */
    NB_INPUTS = 22
};

/* In the place of a smoothing: that of the step itself, of a method whose steps are smoothed (`smooths` of method.h).
 */
#define NB_SMOOTHING_OWN (-1.0)

typedef struct nb_step_gradient nb_step_gradient;

typedef struct nb_step_gradient_class {
    /* du [bodies][6] for small inputs [bodies][NB_INPUTS] */
    nb_status (*forward)(nb_step_gradient *self, const double *inputs, double *du);
    /* by_inputs [bodies][NB_INPUTS] += the derivatives of a number by the inputs, from its derivatives by_u
     * [bodies][6] by the velocities: the transpose of `forward` */
    nb_status (*adjoint)(nb_step_gradient *self, const double *by_u, double *by_inputs);
    /* *open: 1 where the velocities are held by the smoothing alone, as where a continuum of solutions has others, so
     * that they have no derivatives (solvers/method/gradient/gradient.md); else 0. NULL of methods that do not
     * look. To be called before `forward` and `adjoint`: it may change their last digits. */
    nb_status (*look)(nb_step_gradient *self, int *open);
    void (*destroy)(nb_step_gradient *self);
} nb_step_gradient_class;

/* What every one begins with; whoever asked a method for it owns it. Those of one method may share memory: they are for
 * one thread at a time. */
struct nb_step_gradient {
    const nb_step_gradient_class *type;
    int32_t bodies;
    double h;           /* [s] */
    const double *u;    /* [bodies][6] the velocities of the smoothed step [m/s], [rad/s] */
    double smoothing;   /* rho: x o y in every contact [J]; NB_SMOOTHING_OWN: the largest of them */
    double own;         /* the largest one by which the step itself is smoothed [J]; 0: it is not */
    double distance;    /* of these velocities from the method's, in the norm of the masses [m/s] */
    double residual;    /* of the smoothed equations, relative */
    int32_t iterations; /* that led there */
    double made_s;      /* what making it took, as the harness timed it */
};

static inline void nb_step_gradient_destroy(nb_step_gradient *gradient) {
    if (gradient) gradient->type->destroy(gradient);
}

#endif
