/* What the contacts contribute to a Newton system: the weights, the diagonal C and the right-hand side of their rows.
 * One source (lanes/newton_rows.c), compiled for every instruction set and picked like the kernels of products.
 *
 * Source: Macklin et al. 2019, eq. (59) with sections 4, 6 and 7; the symmetric form is formulation.md's. */
#ifndef NB_NCP_NEWTON_ROWS_H
#define NB_NCP_NEWTON_ROWS_H

#include <stdint.h>

#include "base/real.h"
#include "constraint/ncp.h"

#define nb_newton_rows NB_REAL_NAME(nb_newton_rows)
#define nb_newton_rows_kernel NB_REAL_NAME(nb_newton_rows_kernel)
#define nb_newton_rows_assemble NB_REAL_NAME(nb_newton_rows_assemble)

typedef struct nb_newton_rows {
    nb_ncp_function function;
    nb_ncp_scaling scaling;
    int paper_row_scaling; /* 1: alpha on row and force as printed; 0: its root on row and unknown */
    real h, alpha_minimum; /* the least alpha; smaller ones are raised to it where alpha is taken as its root */
    real soft;             /* compliance of the normals, e/h^2 [1/kg] */
    real ratio;            /* of the friction along the second tangent to that along the first; 1: isotropic */
    const real *mu;        /* [contacts] */
    /* [contacts][3]: normal, tangents */
    const real *value, *z, *w;
    real *s, *c, *b; /* of the system, without the momentum's part of b and without regularisation */
    real *update;    /* what the solution is multiplied with to give the change of z */
} nb_newton_rows;

/* Assembles the rows of all contacts, with this processor's kernel. */
void nb_newton_rows_assemble(const nb_newton_rows *rows, int32_t contacts);

/* a kernel: contacts begin .. end - 1 */
typedef void nb_newton_rows_kernel(const nb_newton_rows *rows, int32_t begin, int32_t end);

#endif
