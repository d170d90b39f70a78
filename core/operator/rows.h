/* Rows of J by frames and arms: what packs between rigid bodies (contact_pack.h, joint_pack.h) are made of. */
#ifndef NB_SYSTEM_ROWS_H
#define NB_SYSTEM_ROWS_H

#include <stdint.h>

#include "base/real.h"

#define nb_contact_rows NB_REAL_NAME(nb_contact_rows)
#define nb_jacobian_row NB_REAL_NAME(nb_jacobian_row)

/* the rows of one contact */
typedef struct nb_contact_rows {
    real direction[3][3]; /* normal, tangent 1, tangent 2 (world) */
    real arm_a[3];        /* from the centre of body a to the contact [m] */
    real arm_b[3];
    int32_t a, b;
} nb_contact_rows;

/* one scalar row: linear a, angular a, linear b, angular b; a or b is -1 for the world (its part is zero) */
typedef struct nb_jacobian_row {
    real j[12];
    int32_t a, b;
} nb_jacobian_row;

#endif
