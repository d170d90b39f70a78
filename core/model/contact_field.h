/* Contacts whose impulses are minus the gradient of a convex potential l of their velocities v = (v_n, v_t) alone. Of
 * Drake's models lagged and similar, with the step h, the gap phi and the normal velocity v- at its start,
 *
 *     n(v)   = (p - r v)_+ (1 - d v)_+,  p = -h k phi, r = h^2 k;  n' <= 0     Hunt and Crossley's dissipation d
 *     |v_t|_s = sqrt(|v_t|^2 + e^2) - e,  e = max(v_s, mu sigma w n0),  n0 = p_+ (1 - d v-)_+,  w = |N_ii|_F/3
 *
 *     lagged    l = integral of n from v_n on + mu n0 |v_t|_s:   z = (n(v_n), -mu n0 v_t/(|v_t|_s + e))
 *     similar   l = integral of n from s on, s = v_n - mu |v_t|_s:   z = (n(s), -mu n(s) v_t/(|v_t|_s + e))
 *
 * 1/r is at least beta^2 w/(4 pi^2), as of sap (contact_model.h).
 *
 * Source: Castro, Han, Masterjohn, "Irrotational contact fields", 2023. */
#ifndef NB_MODEL_CONTACT_FIELD_H
#define NB_MODEL_CONTACT_FIELD_H

#include "model/contact_model.h"

typedef struct nb_contact_field {
    int similar;
    double p, r, dissipation; /* [N s], [kg], [s/m] */
    double mu, bound, e;      /* bound: mu n0, of lagged [N s]; e > 0 [m/s] */
    double lead;              /* phi/h, which a row has on top of v_n [m/s] */
} nb_contact_field;

/* of the contact, for the models lagged and similar */
nb_contact_field nb_contact_field_of(const nb_contact_choice *choice, const nb_contact_start *start, double mu);

/* l [J] at v [3], normal first; z [3] [N s] = -dl/dv; g [9] by rows [kg] = d2l/dv2, positive semidefinite; NULL: not
 * asked for */
double nb_contact_field_potential(const nb_contact_field *field, const double v[3], double z[3], double *g);

#endif
