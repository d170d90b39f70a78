/* The pack of tetrahedra with six rows each, the strains of the stretch (tetrahedron_formulas.h): from the rest shape's
 * gradients and from R, S and one more symmetric matrix, 30 numbers in place of the 72 of the Jacobian.
 *
 * Numbers of NB_ELEMENT_LANES elements stand together, one element a lane, so that kernels (lanes/tetrahedra.c) take a
 * register of them at a time. */
#ifndef NB_ELEMENT_TETRAHEDRON_PACK_H
#define NB_ELEMENT_TETRAHEDRON_PACK_H

#include "operator/pack.h"

#define nb_tetrahedron_group NB_REAL_NAME(nb_tetrahedron_group)
#define nb_tetrahedron_pack NB_REAL_NAME(nb_tetrahedron_pack)
#define nb_tetrahedron_pack_class NB_REAL_NAME(nb_tetrahedron_pack_class)
#define nb_tetrahedron_pass NB_REAL_NAME(nb_tetrahedron_pass)
#define nb_tetrahedron_kernels NB_REAL_NAME(nb_tetrahedron_kernels)
#define nb_tetrahedron_kernels_best NB_REAL_NAME(nb_tetrahedron_kernels_best)
#define nb_tetrahedron_groups NB_REAL_NAME(nb_tetrahedron_groups)

enum {
    NB_ELEMENT_LANES = 16
};

/* the elements of a group; those that fill the last one up are copies of its first */
typedef struct nb_tetrahedron_group {
    real gradient[9][NB_ELEMENT_LANES]; /* l grad N of the corners 1 to 3 [1] */
    real rotation[9][NB_ELEMENT_LANES], stretch[6][NB_ELEMENT_LANES], turn[6][NB_ELEMENT_LANES]; /* R, S, as there */
    int32_t particle[4][NB_ELEMENT_LANES];
} nb_tetrahedron_group;

/* what else an evaluation takes, a group as above */
typedef struct nb_tetrahedron_pass {
    nb_tetrahedron_group *group;
    real (*start)[9][NB_ELEMENT_LANES];      /* F at the start of the step */
    real (*activation)[6][NB_ELEMENT_LANES]; /* a */
    real (*modulus)[2][NB_ELEMENT_LANES];    /* mu, lambda [Pa]; 0: the material is linear */
    real (*factor)[3][NB_ELEMENT_LANES];     /* 1/l [1/m]; l/h [m/s]; l^2/(V h^2) [1/(m s^2)] */
    const real *u;                           /* velocities of the particles [particles][3] */
    real moved;                              /* [s] */
    real *value;                             /* [elements][6] */
    real *compliance;                        /* [elements][6][6], written where the material is not linear [1/kg] */
} nb_tetrahedron_pass;

typedef struct nb_tetrahedron_kernels {
    /* R, S, values and compliances of elements begin .. end - 1, begin a multiple of NB_ELEMENT_LANES */
    void (*evaluate)(const nb_tetrahedron_pass *pass, int32_t begin, int32_t end);
    /* y = J velocity of elements begin .. end - 1; y of `begin` on; velocity of the particles, NB_PARTICLE_STRIDE each
     */
    void (*velocities)(const nb_tetrahedron_group *group, int32_t begin, int32_t end, const real *velocity, real *y);
    /* force += J^T (s * x), s NULL for 1 */
    void (*forces)(const nb_tetrahedron_group *group, int32_t begin, int32_t end, const real *s, const real *x,
                   real *force);
    /* out = the diagonal of J H^-1 J^T of elements begin .. end - 1, for an H of blocks by rows [particles][9] that are
     * diagonal, of which `inverse` holds the inverses */
    void (*diagonal)(const nb_tetrahedron_group *group, int32_t begin, int32_t end, const real *inverse, real *out);
} nb_tetrahedron_kernels;

/* those for this processor */
const nb_tetrahedron_kernels *nb_tetrahedron_kernels_best(void);

typedef struct nb_tetrahedron_pack {
    nb_pack base;                      /* first */
    const nb_tetrahedron_group *group; /* aligned to 64 bytes, as memory.h has it */
    const nb_tetrahedron_kernels *kernels;
} nb_tetrahedron_pack;

extern const nb_pack_class nb_tetrahedron_pack_class;

/* groups of so many elements */
static inline int32_t nb_tetrahedron_groups(int32_t elements) {
    return (elements + NB_ELEMENT_LANES - 1) / NB_ELEMENT_LANES;
}

#endif
