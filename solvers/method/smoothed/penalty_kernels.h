/* The kernels over contacts of method smoothed: what contacts answer with, and what those between rigid bodies add to
 * the Newton matrix. One source (lanes/penalty_contacts.c), compiled for every instruction set and picked like the
 * kernels of products (private to methods). */
#ifndef NB_PENALTY_KERNELS_H
#define NB_PENALTY_KERNELS_H

#include "constraint/smoothed_friction.h"
#include "operator/node_pairs.h"
#include "operator/rows.h"

#define nb_penalty_answers NB_REAL_NAME(nb_penalty_answers)
#define nb_penalty_pairs NB_REAL_NAME(nb_penalty_pairs)
#define nb_penalty_kernels NB_REAL_NAME(nb_penalty_kernels)
#define nb_penalty_kernels_best NB_REAL_NAME(nb_penalty_kernels_best)

/* what contacts answer with, in the order of their rows */
typedef struct nb_penalty_answers {
    nb_smoothed_friction law;
    int slippery;       /* as in nb_penalty_rows, and the next two */
    const real *lagged; /* [contacts] */
    real share;
    real h;            /* [s] */
    real time;         /* for which forces act [s]: h but with decoupled-tr */
    const real *mu;    /* [contacts] */
    const real *value; /* [contacts][3] */
    real *z;           /* [contacts][3] impulses, of `push` */
    double *t;         /* [contacts][9] T, of `slope` */
} nb_penalty_answers;

/* what the groups of contacts between two bodies each add to a matrix over node pairs */
typedef struct nb_penalty_pairs {
    const nb_node_pairs *pairs;
    const int32_t *group_start;      /* [groups + 1] block numbers */
    const nb_contact_rows *contacts; /* the first is that of block `first` */
    const double *t;                 /* [9] a contact, likewise */
    const uint8_t *moves;            /* [nodes] whether they have mass */
    int32_t first;
    double *value; /* entries: J^T T J is added */
} nb_penalty_pairs;

typedef struct nb_penalty_kernels {
    /* of contacts begin .. end - 1 */
    void (*push)(const nb_penalty_answers *answers, int32_t begin, int32_t end);
    void (*slope)(const nb_penalty_answers *answers, int32_t begin, int32_t end);
    /* of groups begin .. end - 1 */
    void (*add_pairs)(const nb_penalty_pairs *pairs, int32_t begin, int32_t end);
} nb_penalty_kernels;

/* Those for this processor. */
const nb_penalty_kernels *nb_penalty_kernels_best(void);

#endif
