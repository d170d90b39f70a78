/* What a pair does for each instruction set: the Newton step of contact_pair.h (private to solvers/method). */
#ifndef NB_METHOD_CONTACT_PAIR_KERNELS_H
#define NB_METHOD_CONTACT_PAIR_KERNELS_H

#include "method/contact_pair.h"

/* as nb_contact_pair_eliminate, .. */
typedef struct nb_contact_pair_kernels {
    int (*eliminate)(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, int alone, double *scratch,
                     double left[NB_PAIR_MOTION]);
    const double *(*block)(const nb_contact_pair *pair, double *scratch, int32_t *stride);
    void (*reduce)(const nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double *scratch,
                   double left[NB_PAIR_MOTION]);
    void (*recover)(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, const double *du_a,
                    const double *du_b, double *scratch);
} nb_contact_pair_kernels;

/* Those for this processor, or for the set that NCPBENCH_KERNELS names (base/instruction_set.h). */
const nb_contact_pair_kernels *nb_contact_pair_kernels_get(void);

/* Those of that set; NULL where there is none or the processor cannot run it. */
const nb_contact_pair_kernels *nb_contact_pair_kernels_named(const char *name);

#endif
