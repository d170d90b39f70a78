/* Whether impulses p prove that a problem v = N z + q, N = S D S + C, has no solution (certificate.h, projected.h,
 * lemke.c): S p balances on every node, p.q < 0, and no row with an impulse gives way. That p is in the cones of the
 * law is the caller's. What is left of forces and of p.q must be round-off of what makes it up. */
#ifndef NB_PROJECTED_PROOF_H
#define NB_PROJECTED_PROOF_H

#include "base/csr.h"
#include "operator/sum.h"

#define nb_proof NB_REAL_NAME(nb_proof)
#define nb_proof_begin NB_REAL_NAME(nb_proof_begin)
#define nb_proof_end NB_REAL_NAME(nb_proof_end)
#define nb_proof_holds NB_REAL_NAME(nb_proof_holds)

/* a sum that is this small against its terms is round-off: of the problem's data, and of the sum */
#define NB_PROOF_NOTHING (256 * (double)NB_REAL_EPSILON)

typedef struct nb_proof {
    const nb_delassus *delassus;
    const nb_csr *matrix; /* D where it is known by its entries alone; else NULL */
    const real *s, *c;    /* [rows] S and C; NULL: 1 and 0 */
    double gives;         /* the most of C p, over the largest p */
    double *sums, *terms; /* [velocities], [nodes] private */
} nb_proof;

/* Takes scratch memory for a proof that has the rest. The caller ends it, on a fault too. */
nb_status nb_proof_begin(nb_proof *proof);
void nb_proof_end(nb_proof *proof);

int nb_proof_holds(const nb_proof *proof, const double *q, const double *p);

#endif
