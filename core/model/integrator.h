/* Integrators as stages of implicit steps. A state is y = (q, v), with q' = v and M v' = f(q, v). A stage of length a h
 * is a step of backward Euler from a state y* that earlier states give:
 *
 *     M (v - v*) = a h f(q* + a h v, v),   q = q* + a h v
 *     y* = start y_n + previous y_(n-1) + first y_1 + rate h y'_n
 *
 * y_n is the state at the start of the step, y_(n-1) that of the step before, and y_1 the one after the first stage.
 * y'_n = (v_n, M^-1 f(q_n, v_n)) is the rate at the start. The state after the last stage is that of the step's end. A
 * method with an implicit step has every stage; those with a rate need the forces at the start of the step as well.
 *
 *     be            backward Euler: order 1, L-stable
 *     tr            trapezoidal rule, Newmark's with beta 1/4 and gamma 1/2: order 2, A-stable; does not damp what is
 *                   stiff
 *     decoupled-tr  tr but for the forces of contacts, friction included: those of the end act over the whole step
 *     bdf2          second backward differentiation formula: order 2, L-stable; its first step is one of be
 *     tr-bdf2       tr over gamma h, then bdf2, gamma = 2 - sqrt 2: order 2, L-stable (Bank et al. 1985)
 *     sdirk2        singly diagonally implicit Runge-Kutta, gamma = 1 - 1/sqrt 2: order 2, L-stable (Alexander 1977)
 *
 * All forces are in every f, explicit ones too. With decoupled-tr, which Li et al. 2020 (IPC) take, y'_n has no forces
 * of contacts, and the stage has twice those of its end. y* is a sum of states: quaternions are combined and
 * normalised. The coefficients are of equal steps. Source: Larionov, Longva, Ascher, Bender, Pai 2023, IV-A. */
#ifndef NB_MODEL_INTEGRATOR_H
#define NB_MODEL_INTEGRATOR_H

#include "base/vec3.h"

typedef enum nb_integrator {
    NB_INTEGRATOR_OPEN = -1, /* in what is asked for: nobody says */
    NB_INTEGRATOR_BE,
    NB_INTEGRATOR_TR,
    NB_INTEGRATOR_BDF2,
    NB_INTEGRATOR_TR_BDF2,
    NB_INTEGRATOR_SDIRK2,
    NB_INTEGRATOR_DECOUPLED_TR,
    NB_INTEGRATORS
} nb_integrator;

extern const char *const nb_integrator_names[NB_INTEGRATORS + 1]; /* NULL-terminated */

/* What makes a step that opens or closes contacts. y* of an integrator of order 2 leads on into what a body meets: it
 * rebounds by where steps fall, and gains energy. A step of be does neither (model/integration.h). */
typedef enum nb_impacts_by {
    NB_IMPACTS_OPEN = -1,  /* in what is asked for: nobody says */
    NB_IMPACTS_BY_BE,      /* be */
    NB_IMPACTS_INTEGRATOR, /* the integrator, as any other step */
    NB_IMPACTS_KINDS
} nb_impacts_by;

extern const char *const nb_impacts_names[NB_IMPACTS_KINDS + 1]; /* NULL-terminated */

enum {
    NB_INTEGRATOR_STAGES = 2 /* at most */
};

typedef struct nb_integrator_stage {
    double length;                 /* a */
    double start, previous, first; /* weights of states, with sum 1 */
    double rate;                   /* weight of h y'_n */
    double end;                    /* when the stage ends, in steps from the start */
    double contact;                /* weight of contact forces: they act over so many lengths of the stage */
} nb_integrator_stage;

typedef struct nb_integrator_stages {
    int count; /* of stages: 1 or 2 */
    nb_integrator_stage stage[NB_INTEGRATOR_STAGES];
    int order;
    int needs_rate;     /* 1: the forces at the start of a step */
    int decoupled;      /* 1: of these those of contacts are left out */
    int needs_previous; /* 1: the state at the start of the step before; without one a step of be */
} nb_integrator_stages;

/* Fills *stages for a step; `has_previous`: there is a step of the same length before it. */
void nb_integrator_stages_of(nb_integrator integrator, int has_previous, nb_integrator_stages *stages);

/* Fills y* [count], numbers of states, without normalising quaternions. States whose weight is 0 may be NULL. */
void nb_integrator_stage_start(const nb_integrator_stage *stage, int count, double h, const double *start,
                               const double *previous, const double *first, const double *rate, double *from);

/* The same of a rotation: quaternions are combined, each with the sign that is nearer to that of the start, and
 * normalised. `rate` is the angular velocity at the start [rad/s], in the world's frame. What the weights are 0 of is
 * not read. The stage ends at nb_quat_advance(y*, a h, its angular velocity). That is the direction of the implicit
 * equation q = q* + a h/2 (0, omega) q, so that turning keeps the integrator's order. */
nb_quat nb_integrator_stage_turn(const nb_integrator_stage *stage, double h, nb_quat start, nb_quat previous,
                                 nb_quat first, nb_vec3 rate);

#endif
