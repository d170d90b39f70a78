/* The kernel of newton_rows.h for one instruction set: a loop without branches that the compiler takes several contacts
 * at a time through, for each function and scaling apart. */
#include "constraint/newton_rows.h"

#include "constraint/contact_row.h"

NB_PRECISIONS(f32, f64);

#define KERNEL_OF(set) KERNEL_OF_(set)
#define KERNEL_OF_(set) NB_REAL_NAME(nb_newton_rows_##set)

static inline __attribute__((always_inline)) void rows_of(const nb_newton_rows *rows, nb_ncp_function function,
                                                          nb_ncp_scaling scaling, int paper, int32_t begin,
                                                          int32_t end) {
    const real *restrict mu = rows->mu, *restrict value = rows->value, *restrict z = rows->z, *restrict w = rows->w;
    real *restrict s = rows->s, *restrict c = rows->c, *restrict b = rows->b, *restrict update = rows->update;
    const real h = rows->h, least = rows->alpha_minimum, soft = rows->soft, ratio = rows->ratio;
#pragma omp simd
    for (int32_t i = begin; i < end; i++) {
        const int32_t r = 3 * i;
        const nb_contact_row row =
            nb_contact_row_of(function, scaling, paper, h, least, soft, ratio, mu[i], value + r, z + r, w[r], w[r + 1]);
        s[r] = row.s[0];
        c[r] = row.c[0];
        b[r] = row.b[0];
        update[r] = row.update[0];
        s[r + 1] = row.s[1];
        s[r + 2] = ratio * row.s[1];
        c[r + 1] = c[r + 2] = row.c[1];
        b[r + 1] = row.b[1];
        b[r + 2] = row.b[2];
        update[r + 1] = row.update[1];
        update[r + 2] = ratio * row.update[1];
    }
}

#define SCALING(function, scaling, paper)                    \
    case scaling:                                            \
        rows_of(rows, function, scaling, paper, begin, end); \
        break
#define FUNCTION(name, function, paper)                                        \
    static void name(const nb_newton_rows *rows, int32_t begin, int32_t end) { \
        switch (rows->scaling) {                                               \
            SCALING(function, NB_SCALING_IDENTITY, paper);                     \
            SCALING(function, NB_SCALING_TIME_STEP, paper);                    \
            SCALING(function, NB_SCALING_EFFECTIVE_MASS, paper);               \
            SCALING(function, NB_SCALING_EFFECTIVE_MASS_CAPPED, paper);        \
        case NB_SCALINGS: break;                                               \
        }                                                                      \
    }
FUNCTION(fischer_burmeister, NB_NCP_FISCHER_BURMEISTER, 0)
FUNCTION(fischer_burmeister_as_printed, NB_NCP_FISCHER_BURMEISTER, 1)
FUNCTION(minimum_map, NB_NCP_MINIMUM_MAP, 0)
FUNCTION(minimum_map_as_printed, NB_NCP_MINIMUM_MAP, 1)

nb_newton_rows_kernel KERNEL_OF(NB_INSTRUCTION_SET);
void KERNEL_OF(NB_INSTRUCTION_SET)(const nb_newton_rows *rows, int32_t begin, int32_t end) {
    if (rows->function == NB_NCP_MINIMUM_MAP)
        (rows->paper_row_scaling ? minimum_map_as_printed : minimum_map)(rows, begin, end);
    else
        (rows->paper_row_scaling ? fischer_burmeister_as_printed : fischer_burmeister)(rows, begin, end);
}
