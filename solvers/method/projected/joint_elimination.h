/* Joint rows eliminated from a linearised problem (private to solvers/method/projected). With rows j of joints and c of
 * contacts, and N = D + C without the scale S of contacts,
 *
 *     z_j = -N_jj^-1 (D_jc z_c + q_j),   R = D_cc - D_cj N_jj^-1 D_jc,   q_c - D_cj N_jj^-1 q_j
 *
 * so that joints hold at any z_c, and contacts see R in place of D. Joint rows that D couples make a component, with a
 * sparse factor of its own; what acts on one component is dense in R. Loops make redundant rows: N_jj is raised by
 * round-off of its diagonal. */
#ifndef NB_PROJECTED_JOINT_ELIMINATION_H
#define NB_PROJECTED_JOINT_ELIMINATION_H

#include "base/csr.h"
#include "base/real.h"
#include "operator/system.h"

#define nb_joint_elimination NB_REAL_NAME(nb_joint_elimination)
#define nb_joint_elimination_create NB_REAL_NAME(nb_joint_elimination_create)
#define nb_joint_elimination_set NB_REAL_NAME(nb_joint_elimination_set)
#define nb_joint_elimination_set_free NB_REAL_NAME(nb_joint_elimination_set_free)
#define nb_joint_elimination_solve NB_REAL_NAME(nb_joint_elimination_solve)
#define nb_joint_elimination_destroy NB_REAL_NAME(nb_joint_elimination_destroy)

typedef struct nb_joint_elimination {
    nb_csr *reduced; /* R, [rows][rows]; rows and columns of joints are empty */
    real *offset;    /* [rows] -D_cj N_jj^-1 q_j; 0 in rows of joints */
    /* private */
    const nb_delassus *delassus;
    int32_t joints;
    real *compliance;                               /* [joints] */
    nb_csr *whole;                                  /* D */
    int32_t components, *component, *place, *start; /* [joints] of each row; its place there; [components + 1] */
    int32_t *row;                                   /* [joints] by component */
    struct nb_cholmod_factor *factor;               /* [components] */
} nb_joint_elimination;

/* For the first `joints` rows of D, which is borrowed. Takes memory. */
nb_status nb_joint_elimination_create(const nb_delassus *delassus, int32_t joints, nb_joint_elimination **elimination);
void nb_joint_elimination_destroy(nb_joint_elimination *elimination); /* NULL allowed */

/* R for the present D and the compliances [joints]. Takes memory. NB_ERROR_UNSUPPORTED where N_jj is not positive
 * definite, to rounding. */
nb_status nb_joint_elimination_set(nb_joint_elimination *elimination, const real *compliance);

/* The offset, from q [joints]. */
nb_status nb_joint_elimination_set_free(nb_joint_elimination *elimination, const real *q);

/* z_j from the impulses z [rows] of contacts, S included; q [joints] */
nb_status nb_joint_elimination_solve(nb_joint_elimination *elimination, const real *q, real *z);

#endif
