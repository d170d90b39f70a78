/* How much a contact gives way, a choice of the problem. A convex model takes the relaxed law of friction
 * (friction_law.h) of a velocity c in the place of the contact's own v = (v_n, v_t):
 *
 *     c = v + b + R z,   R = diag(R_n, R_t, R_t) > 0
 *
 * so that velocities and impulses are the only solution of min z.(N + R) z/2 + z.(q + b) over the cones. Of the step h,
 * the gap phi at its start, and the own block N_ii of the Delassus operator:
 *
 *     rigid    c = v: R = 0, b = 0, and friction by any law
 *     sap      R_n = max(beta^2 w/(4 pi^2), 1/(h k (h + tau))), R_t = sigma w, w = |N_ii|_F/3; b_n takes phi/h to
 *              phi/(h + tau) where phi < 0
 *
 *     spring   where phi < 0: R_n = N_nn/(h omega (2 zeta + h omega)), R_t = 0; b_n takes phi/h to
 *              phi omega/(2 zeta + h omega), omega = 2 pi min(f, 1/(4 h)). Else rigid
 *
 *     mujoco   R_n = (1 - d)/d W, R_t = R_n/impratio; where phi <= 0 b takes v to v - (1 - h B) v-, v- at the start,
 *              and phi/h to h K phi; K = d/(D T zeta)^2, B = 2/(D T), T = max(T_0, 2 h), solref = (T_0, zeta); solimp =
 *              (d_0, D, width): d goes by two parabolas from d_0 at phi = 0 to D from a penetration `width` on
 *
 * That has elliptic cones, and W, the sum of inverse masses, as it estimates N_nn of free bodies. Source: MuJoCo's
 * documentation, "Computation".
 *
 * Each spring has the frequency f and the damping ratio zeta by itself, and sinks under its body by g/omega^2. Source:
 * Box2D 3, soft contacts (Catto, "Soft Constraints", 2011).
 *
 *     lagged, similar   no cone law: a potential of v (contact_field.h), with 1/r the R_n of sap for tau = 0
 *
 * Of sap, k is the stiffness, tau the relaxation time. beta = 1 is a spring whose period is the step. Its body sinks by
 * beta^2 w/(4 pi^2) h f under the impulse f, and a contact that sticks slides at sigma w f.
 *
 * Source: Castro, Permenter, Han, "An unconstrained convex formulation of compliant contact", IEEE Trans. Robotics
 * 39(2), 2023. */
#ifndef NB_MODEL_CONTACT_MODEL_H
#define NB_MODEL_CONTACT_MODEL_H

typedef enum nb_contact_model {
    NB_CONTACTS_OPEN = -1, /* in what is asked for: nobody says */
    NB_CONTACTS_RIGID,
    NB_CONTACTS_SAP,
    NB_CONTACTS_SPRING,
    NB_CONTACTS_MUJOCO,
    NB_CONTACTS_LAGGED,
    NB_CONTACTS_SIMILAR,
    NB_CONTACT_MODELS
} nb_contact_model;

/* whether its impulses are a gradient of velocities alone, by contact_field.h */
static inline int nb_contact_model_is_field(nb_contact_model model) {
    return model == NB_CONTACTS_LAGGED || model == NB_CONTACTS_SIMILAR;
}

/* whether it gives way by R and b of the relaxed law */
static inline int nb_contact_model_is_soft(nb_contact_model model) {
    return model != NB_CONTACTS_RIGID && !nb_contact_model_is_field(model);
}

/* whether impulses are a function of velocities: R is positive in all rows of all contacts, or a field */
static inline int nb_contact_model_is_regular(nb_contact_model model) {
    return model == NB_CONTACTS_SAP || model == NB_CONTACTS_MUJOCO || nb_contact_model_is_field(model);
}

extern const char *const nb_contact_model_names[NB_CONTACT_MODELS + 1]; /* NULL-terminated */

typedef struct nb_contact_choice {
    nb_contact_model model;
    double beta, sigma, stiffness, relaxation; /* of Drake's: beta, sigma, k [N/m] (infinite: rigid), tau [s] */
    double frequency, damping;                 /* of spring: f [Hz], zeta */
    double dissipation, stiction;              /* of lagged and similar: d [s/m], v_s [m/s] */
    /* of mujoco: T_0 [s], zeta; d_0, D, width [m]; impratio; sweeps of the pass without slip (step/no_slip.h) */
    double time_constant, ratio, impedance, most_impedance, width, impedance_ratio;
    double no_slip_sweeps;
} nb_contact_choice;

/* what a contact has at the start of a step */
typedef struct nb_contact_start {
    double h;        /* [s] */
    double gap;      /* phi [m] */
    double block[9]; /* N_ii by rows [1/kg]: normal, tangents */
    double weight;   /* W [1/kg]: sum of the bodies' inverse masses */
    double rate[3];  /* v- [m/s] */
} nb_contact_start;

/* R_n, R_t [1/kg] and b [m/s] of a contact */
typedef struct nb_contact_softness {
    double normal, tangent, shift[3];
} nb_contact_softness;

nb_contact_softness nb_contact_soften(const nb_contact_choice *choice, const nb_contact_start *start);

#endif
