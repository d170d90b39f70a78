/* The linear complementarity problem of contacts with facets of friction that hang together, dense and in double
 * (private to solvers/method/lemke). Of contact i with mu > 0 it has z_n, beta_1 .. beta_l and lambda, without friction
 * z_n alone (constraint/polyhedral_law.c); joint rows are eliminated, those that others already imply are left out.
 *
 * Unknowns are scaled so that the diagonal of the contacts' own rows is one, and the largest |q|. */
#ifndef NB_LEMKE_CONTACT_LCP_H
#define NB_LEMKE_CONTACT_LCP_H

#include "method/projected/projected.h"

#define nb_contact_lcp NB_REAL_NAME(nb_contact_lcp)
#define nb_contact_lcp_unknowns NB_REAL_NAME(nb_contact_lcp_unknowns)
#define nb_contact_lcp_create NB_REAL_NAME(nb_contact_lcp_create)
#define nb_contact_lcp_destroy NB_REAL_NAME(nb_contact_lcp_destroy)
#define nb_contact_lcp_write NB_REAL_NAME(nb_contact_lcp_write)

typedef struct nb_contact_lcp {
    int32_t unknowns;
    double *m, *q; /* [unknowns][unknowns], [unknowns] */
    /* private */
    const nb_projected *problem;
    const int32_t *row;    /* [rows] of the problem: joint rows, then three a contact; borrowed */
    int32_t rows, joints;  /* of the part */
    int32_t eliminated;    /* joint rows */
    int32_t *order;        /* [joints] in which they were eliminated */
    double *g, *free;      /* [rows][rows], [rows]: N and q, the joint rows as they were eliminated */
    double *normal_scale;  /* [contacts] */
    double *tangent_scale; /* [contacts] */
    double unit;           /* of q */
    double (*corner)[2];   /* [facets] */
} nb_contact_lcp;

/* how many unknowns the contacts of these rows make */
int64_t nb_contact_lcp_unknowns(const nb_projected *problem, const int32_t *row, int32_t rows);

/* Of rows `row` [rows] of the problem, ascending, that no other row is coupled with; d has D's entries. */
nb_status nb_contact_lcp_create(const nb_projected *problem, const nb_csr *d, const int32_t *row, int32_t rows,
                                nb_contact_lcp *lcp);
void nb_contact_lcp_destroy(nb_contact_lcp *lcp); /* what was created; {0} allowed */

/* z [rows of the problem], in these rows, from the unknowns x; `free` 0: of the problem with q = 0, as for a ray. */
void nb_contact_lcp_write(const nb_contact_lcp *lcp, const double *x, int free, real *z);

#endif
