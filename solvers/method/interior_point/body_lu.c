#include "body_lu.h"

#include <stddef.h>

#include "base/instruction_set.h"

#define INSTRUCTION_SET(set, has) extern const nb_body_lu_kernels nb_body_lu_kernels_##set;
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &nb_body_lu_kernels_##set,
static const nb_body_lu_kernels *const kernels[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

const nb_body_lu_kernels *nb_body_lu_kernels_get(void) {
    return kernels[nb_instruction_set()];
}

const nb_body_lu_kernels *nb_body_lu_kernels_named(const char *name) {
    int set = nb_instruction_set_named(name);
    return set < 0 ? NULL : kernels[set];
}

/* the one of those left that has the fewest neighbours among them */
static int32_t least_degree(int32_t count, const uint64_t *neighbours, uint64_t left) {
    int32_t best = 0;
    int least = NB_BODY_LU_MOST;
    for (int32_t i = 0; i < count; i++) {
        if (!(left >> i & 1)) continue;
        int degree = __builtin_popcountll(neighbours[i] & left);
        if (degree >= least) continue;
        least = degree;
        best = i;
    }
    return best;
}

void nb_body_lu_analyse(nb_body_lu *lu, uint64_t *neighbours) {
    const int32_t n = lu->bodies;
    uint64_t left = n == NB_BODY_LU_MOST ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
    for (int32_t i = 0; i < n * n; i++) lu->place[i] = -1;
    for (int32_t i = 0; i < n; i++) lu->place[(n + 1) * i] = (int16_t)i;
    lu->blocks = n;
    for (int32_t k = 0; k < n; k++) {
        const int32_t best = least_degree(n, neighbours, left);
        left &= ~(UINT64_C(1) << best);
        const uint64_t next = neighbours[best] & left;
        lu->order[k] = (uint8_t)best;
        lu->later[best] = next;
        for (uint64_t m = next; m; m &= m - 1) {
            const int32_t i = __builtin_ctzll(m);
            neighbours[i] |= next & ~(UINT64_C(1) << i);
            lu->place[n * i + best] = (int16_t)lu->blocks++;
            lu->place[n * best + i] = (int16_t)lu->blocks++;
        }
    }
}
