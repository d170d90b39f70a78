/* The pack of contacts between rigid bodies: three rows each, by a frame (n, t1, t2) and two lever arms. With
 * p = x0 n + x1 t1 + x2 t2 the force is p and the torque r x p, so that 15 numbers serve for 36. */
#ifndef NB_OPERATOR_CONTACT_PACK_H
#define NB_OPERATOR_CONTACT_PACK_H

#include "operator/pack.h"
#include "operator/rows.h"

#define nb_contact_pack NB_REAL_NAME(nb_contact_pack)
#define nb_contact_pack_class NB_REAL_NAME(nb_contact_pack_class)
#define nb_contact_pack_of NB_REAL_NAME(nb_contact_pack_of)

enum {
    NB_PART_CONTACTS = 2000, /* least contacts of a thread's part */
    NB_PART_STEP = 16        /* parts begin at multiples of this: whole registers */
};

typedef struct nb_contact_pack {
    nb_pack base;                    /* first */
    const nb_contact_rows *contacts; /* [blocks] */
    const struct nb_contact_kernels *kernels;
} nb_contact_pack;

extern const nb_pack_class nb_contact_pack_class;

/* over contacts that the caller keeps, with this processor's kernels */
nb_contact_pack nb_contact_pack_of(const nb_nodes *nodes, int32_t count, const nb_contact_rows *contacts);

#endif
