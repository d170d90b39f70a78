#include "contact_pair.h"

#include <stddef.h>

#include "base/instruction_set.h"

#define INSTRUCTION_SET(set, has) extern const nb_contact_pair_kernels nb_contact_pair_kernels_##set;
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &nb_contact_pair_kernels_##set,
static const nb_contact_pair_kernels *const kernels[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

const nb_contact_pair_kernels *nb_contact_pair_kernels_get(void) {
    return kernels[nb_instruction_set()];
}

const nb_contact_pair_kernels *nb_contact_pair_kernels_named(const char *name) {
    int set = nb_instruction_set_named(name);
    return set < 0 ? NULL : kernels[set];
}

int nb_contact_pair_eliminate(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, int alone,
                              double *scratch, double left[NB_PAIR_MOTION]) {
    return pair->kernels->eliminate(pair, a, b, alone, scratch, left);
}

const double *nb_contact_pair_block(const nb_contact_pair *pair, double *scratch, int32_t *stride) {
    return pair->kernels->block(pair, scratch, stride);
}

void nb_contact_pair_reduce(const nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double *scratch,
                            double left[NB_PAIR_MOTION]) {
    pair->kernels->reduce(pair, a, b, scratch, left);
}

void nb_contact_pair_recover(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, const double *du_a,
                             const double *du_b, double *scratch) {
    pair->kernels->recover(pair, a, b, du_a, du_b, scratch);
}
