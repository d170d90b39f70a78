/* The matrix of one island of bodies, 6 x 6 blocks, factorised by blocks in an order of least degree (private to
 * solvers/method/interior_point).
 *
 *     A = M + sum over contacts of J^T K J,   J u = (u_a + omega_a x r_a) - (u_b + omega_b x r_b)
 *
 * with a 3 x 3 matrix K a contact, that need not be symmetric. Nothing is exchanged: M is positive definite, and K of
 * an interior point nearly so. It is A^T that is stored and factorised: a solution takes rows of blocks by numbers of
 * x, and no sum across a register. A block of the factor holds L where its row comes later, U where its column does,
 * and the inverse of U's block on the diagonal.
 *
 * Sources: Golub, Van Loan, "Matrix Computations", 3.2 (by blocks); Tinney, Walker, 1967 (the order). */
#ifndef NB_INTERIOR_POINT_BODY_LU_H
#define NB_INTERIOR_POINT_BODY_LU_H

#include <stdint.h>

enum {
    NB_BODY_LU_MOST = 64,  /* bodies */
    NB_BODY_LU_LANES = 4,  /* contacts side by side */
    NB_BODY_LU_STRIDE = 8, /* numbers of a row, and of a body's velocities: 6, and 2 zeros */
    NB_BODY_LU_BLOCK = 6 * NB_BODY_LU_STRIDE
};

/* a number of each of some contacts */
typedef double nb_lanes __attribute__((vector_size(NB_BODY_LU_LANES * sizeof(double)), may_alias));

typedef struct nb_body_lu {
    int32_t bodies;
    int32_t blocks;  /* of the factor */
    uint8_t *order;  /* [bodies] who is eliminated when */
    uint64_t *later; /* [bodies] bit j: j is coupled with this body when that is eliminated, and comes later */
    int16_t *place;  /* [bodies][bodies] which block; -1: none */
    double *block;   /* [blocks][6][NB_BODY_LU_STRIDE], aligned to 64 bytes */
} nb_body_lu;

/* Finds the order, `later`, `place` and `blocks`, for `bodies` that are given; neighbours[i] [bodies]: bit j where body
 * i shares a contact with j. The arrays are the caller's; `neighbours` is overwritten. */
void nb_body_lu_analyse(nb_body_lu *lu, uint64_t *neighbours);

/* the rest for each instruction set (body_lu.c, lanes/) */
typedef struct nb_body_lu_kernels {
    /* A = M; inertia xx yy zz xy xz yz [bodies][6] */
    void (*begin)(nb_body_lu *lu, const double *mass, const double *inertia);
    /* A += J^T K J of contacts of bodies body[0] and body[1], -1 for one that nothing moves; `arm` of each, `k` [9] by
     * rows */
    void (*add)(nb_body_lu *lu, const int32_t (*body)[NB_BODY_LU_LANES], const nb_lanes (*arm)[3], const nb_lanes *k);
    /* A = L U, in place */
    void (*factorise)(nb_body_lu *lu);
    /* x = A^-1 x [bodies][NB_BODY_LU_STRIDE], aligned to 64 bytes */
    void (*solve)(const nb_body_lu *lu, double *x);
} nb_body_lu_kernels;

const nb_body_lu_kernels *nb_body_lu_kernels_get(void);
/* those of an instruction set; NULL where this processor has it not */
const nb_body_lu_kernels *nb_body_lu_kernels_named(const char *name);

#endif
