/* One contact at a time: its velocity, and what an impulse does to its bodies. Here, and not in contact_pack.c, since a
 * sum inlines them: Gauss-Seidel spends its time in them, and two calls by pointers cost it a seventh.
 *
 * Velocities lie in padded arrays as in mass.h. */
#ifndef NB_OPERATOR_CONTACT_BLOCK_H
#define NB_OPERATOR_CONTACT_BLOCK_H

#include "operator/mass.h"
#include "operator/rows.h"

#define nb_cross_of NB_REAL_NAME(nb_cross_of)
#define nb_contact_velocity NB_REAL_NAME(nb_contact_velocity)
#define nb_contact_push_body NB_REAL_NAME(nb_contact_push_body)
#define nb_contact_impulse NB_REAL_NAME(nb_contact_impulse)
#define nb_contact_push NB_REAL_NAME(nb_contact_push)
#define nb_contact_add_body NB_REAL_NAME(nb_contact_add_body)
#define nb_contact_own_block NB_REAL_NAME(nb_contact_own_block)

/* c = a x b */
static inline void nb_cross_of(const real *a, const real *b, real *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* out [3] = J velocity */
static inline void nb_contact_velocity(const nb_contact_rows *contact, const real *velocity, real *out) {
    const real *a = velocity + (ptrdiff_t)contact->a * NB_BODY_STRIDE,
               *b = velocity + (ptrdiff_t)contact->b * NB_BODY_STRIDE;
    real turn_a[3], turn_b[3], relative[3];
    nb_cross_of(a + 3, contact->arm_a, turn_a);
    nb_cross_of(b + 3, contact->arm_b, turn_b);
    for (int k = 0; k < 3; k++) relative[k] = (a[k] + turn_a[k]) - (b[k] + turn_b[k]);
    for (int k = 0; k < 3; k++) {
        const real *direction = contact->direction[k];
        out[k] = direction[0] * relative[0] + direction[1] * relative[1] + direction[2] * relative[2];
    }
}

/* p [3] = the impulse z [3] of the contact's frame, in the world */
static inline void nb_contact_impulse(const nb_contact_rows *contact, const real *z, real *p) {
    for (int k = 0; k < 3; k++)
        p[k] = z[0] * contact->direction[0][k] + z[1] * contact->direction[1][k] + z[2] * contact->direction[2][k];
}

/* v += sign H^-1 (p, arm x p) of a body */
static inline void nb_contact_push_body(const nb_inverse_mass *inverse, real sign, const real *p, const real *arm,
                                        real *v) {
    real torque[3], turn[3];
    nb_cross_of(arm, p, torque);
    nb_symmetric_apply(inverse->inertia, torque, turn);
    for (int k = 0; k < 3; k++) {
        v[k] += sign * inverse->mass * p[k];
        v[3 + k] += sign * turn[k];
    }
}

/* velocity += H^-1 J^T z; `inverse` [bodies] */
static inline void nb_contact_push(const nb_contact_rows *contact, const nb_inverse_mass *inverse, const real *z,
                                   real *velocity) {
    real p[3];
    nb_contact_impulse(contact, z, p);
    nb_contact_push_body(&inverse[contact->a], 1, p, contact->arm_a, velocity + (ptrdiff_t)contact->a * NB_BODY_STRIDE);
    nb_contact_push_body(&inverse[contact->b], -1, p, contact->arm_b,
                         velocity + (ptrdiff_t)contact->b * NB_BODY_STRIDE);
}

/* What a body adds to D_ii: 1/m + (arm x d_j) . I^-1 (arm x d_k). */
static inline void nb_contact_add_body(const nb_contact_rows *contact, const real *arm, const nb_inverse_mass *inverse,
                                       real own[9]) {
    real turn[3][3], answer[3];
    for (int k = 0; k < 3; k++) nb_cross_of(arm, contact->direction[k], turn[k]);
    for (int k = 0; k < 3; k++) {
        nb_symmetric_apply(inverse->inertia, turn[k], answer);
        for (int j = 0; j < 3; j++)
            own[3 * j + k] += turn[j][0] * answer[0] + turn[j][1] * answer[1] + turn[j][2] * answer[2];
        own[4 * k] += inverse->mass;
    }
}

/* own = D_ii of the contact, by rows */
static inline void nb_contact_own_block(const nb_contact_rows *contact, const nb_inverse_mass *inverse, real own[9]) {
    for (int k = 0; k < 9; k++) own[k] = 0;
    nb_contact_add_body(contact, contact->arm_a, &inverse[contact->a], own);
    nb_contact_add_body(contact, contact->arm_b, &inverse[contact->b], own);
}

#endif
