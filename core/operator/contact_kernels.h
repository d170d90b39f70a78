/* The kernels that go over contacts in their own order (contact_pack.h), several at a time: one source
 * (lanes/contacts.c), compiled for every instruction set and picked like those of products (kernels.h). */
#ifndef NB_SYSTEM_CONTACT_KERNELS_H
#define NB_SYSTEM_CONTACT_KERNELS_H

#include "operator/mass.h"
#include "operator/rows.h"

#define nb_contact_pass NB_REAL_NAME(nb_contact_pass)
#define nb_contact_kernels_best NB_REAL_NAME(nb_contact_kernels_best)

enum {
    NB_ARM_STRIDE = 8 /* arms at the start of a step: a, b; gap / h; 1 where arms turn, or 0 */
};

/* what `evaluate` reads and writes; body rows are NB_BODY_STRIDE numbers long */
typedef struct nb_contact_pass {
    nb_contact_rows *contacts;           /* arms are written */
    const real *start;                   /* [contacts][NB_ARM_STRIDE] */
    const real *motion;                  /* [bodies] u, and NB_MOTION_SCALE */
    const nb_inverse_mass *inverse_mass; /* [bodies] */
    real h;
    real *value;    /* [contacts][3] C_n/h and the slip at the end of the step */
    real *diagonal; /* [contacts][3] of D */
    real *weight;   /* [contacts][3] of D, with the friction rows' mean in both of them */
} nb_contact_pass;

typedef struct nb_contact_kernels {
    /* Contacts begin .. end - 1 after bodies have moved for h: a body turns by the unit quaternion along (1, e), that
     * is x -> x + s (e x x + e x (e x x)) with the scale s, and so do arms that turn; the normal's value is taken by
     * increments from the start. */
    void (*evaluate)(const nb_contact_pass *pass, int32_t begin, int32_t end);
    /* y = J velocity [contacts][3] */
    void (*row_velocities)(const nb_contact_rows *contacts, int32_t begin, int32_t end, const real *velocity, real *y);
    /* force += J^T (s * x) [bodies][NB_BODY_STRIDE], s and x [contacts][3] (s NULL: 1) */
    void (*add_forces)(const nb_contact_rows *contacts, int32_t begin, int32_t end, const real *s, const real *x,
                       real *force);
} nb_contact_kernels;

/* Those for this processor. */
const nb_contact_kernels *nb_contact_kernels_best(void);

#endif
