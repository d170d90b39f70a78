/* The operator D = J H^-1 J^T over rigid bodies, by frames and arms, without forming it (private to core/operator).
 *
 * A contact's three rows are given by its frame (n, t1, t2) and two lever arms: with p = x0 n + x1 t1 + x2 t2 the force
 * is p and the torque r x p, so that 15 numbers serve for 36. A bilateral row holds its 12 numbers. */
#ifndef NB_SYSTEM_BODIES_H
#define NB_SYSTEM_BODIES_H

#include "base/real.h"
#include "operator/rows.h"
#include "operator/system.h"

#define nb_contact_kernels NB_REAL_NAME(nb_contact_kernels)
#define nb_inverse_mass NB_REAL_NAME(nb_inverse_mass)
#define nb_bodies NB_REAL_NAME(nb_bodies)
#define nb_bodies_view NB_REAL_NAME(nb_bodies_view)
#define nb_bodies_class NB_REAL_NAME(nb_bodies_class)
#define nb_bodies_add_forces NB_REAL_NAME(nb_bodies_add_forces)
#define nb_bodies_apply_inverse_mass NB_REAL_NAME(nb_bodies_apply_inverse_mass)
#define nb_bodies_bilateral_diagonal NB_REAL_NAME(nb_bodies_bilateral_diagonal)
#define nb_bodies_row_velocities NB_REAL_NAME(nb_bodies_row_velocities)

enum {
    NB_PART_CONTACTS = 2000, /* least contacts of a thread's part */
    NB_PART_STEP = 16,       /* parts begin at multiples of this: whole registers */
    NB_BODY_STRIDE = 8       /* words a body in velocity and force arrays: 6 used, padded to a cache line in f64 */
};

/* H^-1 of a body: zero for a body without mass */
typedef union nb_inverse_mass {
    struct {
        real mass;       /* [1/kg] */
        real inertia[6]; /* world frame xx yy zz xy xz yz [1/(kg m^2)] */
    };
    real words[NB_BODY_STRIDE];
} nb_inverse_mass;

/* shared by the whole system and its islands */
typedef struct nb_bodies {
    int32_t body_count;
    const nb_inverse_mass *inverse_mass; /* [body_count] */
    const nb_bilateral_row *bilaterals;
    const nb_contact_rows *contacts;
    int32_t bilateral_count; /* rows of contact i: from bilateral_count + 3 i on */
    real *force;             /* [body_count * NB_BODY_STRIDE] scratch */
    real *velocity;          /* likewise; always zero for bodies without mass */
    const real *diagonal;    /* [rows] of D */
    const struct nb_contact_kernels *kernels;
} nb_bodies;

/* a range of rows with the bodies they touch: the whole system, or one island */
typedef struct nb_bodies_view {
    nb_delassus base; /* first: a view is a Delassus operator */
    const nb_bodies *bodies;
    int32_t bilateral_begin, bilateral_end, contact_begin, contact_end;
    const int32_t *dynamic; /* [dynamic_count] the bodies with mass */
    int32_t dynamic_count;
} nb_bodies_view;

extern const nb_delassus_class nb_bodies_class;

/* force += J^T (s * x), s NULL for 1; rows in the view's order */
void nb_bodies_add_forces(const nb_bodies_view *view, const real *s, const real *x, real *force);
/* velocity = H^-1 force for the view's bodies */
void nb_bodies_apply_inverse_mass(const nb_bodies_view *view, const real *force, real *velocity);
/* y = J velocity */
void nb_bodies_row_velocities(const nb_bodies_view *view, const real *velocity, real *y);
/* the diagonal of D for the view's bilateral rows */
void nb_bodies_bilateral_diagonal(const nb_bodies_view *view, real *diagonal);

#endif
