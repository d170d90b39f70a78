/* Contacts for sweeps on several threads (private to solvers/method/projected). Bodies are put into subdomains, one a
 * thread, cut from the order of a breadth-first search over contacts: a contact is of bodies in one subdomain, or in
 * two neighbouring ones. A sweep then has three phases, in each of which no two lists share a body that moves:
 *
 *     inside every subdomain;   between subdomains 0 and 1, 2 and 3, ..;   between 1 and 2, 3 and 4, ..
 *
 * The order in which contacts act on each other is that of the lists, whichever thread takes them: the number of
 * subdomains makes the bits. Within a list contacts ascend, as in a sweep without subdomains. */
#ifndef NB_PROJECTED_SUBDOMAINS_H
#define NB_PROJECTED_SUBDOMAINS_H

#include "operator/sum.h"

#define nb_subdomains NB_REAL_NAME(nb_subdomains)
#define nb_subdomains_make NB_REAL_NAME(nb_subdomains_make)
#define nb_subdomains_clear NB_REAL_NAME(nb_subdomains_clear)

typedef struct nb_subdomains {
    int32_t count;    /* subdomains */
    int32_t lists;    /* 2 count - 1: inside subdomain 0, 1, .., then between 0 and 1, 1 and 2, .. */
    int32_t *start;   /* [lists + 1] of each list in `contact` */
    int32_t *contact; /* [contacts] */
} nb_subdomains;

/* Of contacts between rigid bodies, in about `count` equal parts. Takes memory. */
nb_status nb_subdomains_make(const nb_rigid_rows *rows, int32_t count, nb_subdomains *subdomains);
void nb_subdomains_clear(nb_subdomains *subdomains); /* {0} allowed */

#endif
