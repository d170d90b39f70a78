/* The mass H over nodes: what turns forces into velocities and back. The block-diagonal one, where every node has a
 * block of its own, is what bodies and particles have. A mass that couples nodes, such as one with elasticity
 * condensed into it, is another class; it has no blocks.
 *
 * Forces and velocities lie in padded arrays: those of node i from nodes->place[i] on. */
#ifndef NB_OPERATOR_MASS_H
#define NB_OPERATOR_MASS_H

#include "base/csr.h"
#include "base/real.h"
#include "base/status.h"
#include "model/node.h"

#define nb_mass NB_REAL_NAME(nb_mass)
#define nb_mass_class NB_REAL_NAME(nb_mass_class)
#define nb_mass_couples NB_REAL_NAME(nb_mass_couples)
#define nb_inverse_mass NB_REAL_NAME(nb_inverse_mass)
#define nb_block_mass NB_REAL_NAME(nb_block_mass)
#define nb_block_mass_class NB_REAL_NAME(nb_block_mass_class)

typedef struct nb_mass nb_mass;

enum {
    NB_MASS_TOGETHER = 32 /* most forces that are solved with at once */
};

/* None of these functions allocates, `matrix` and `reserve_together` apart. */
typedef struct nb_mass_class {
    /* velocity = H^-1 force over the nodes listed, which have mass; where H couples nodes, the list holds all that are
     * coupled with one of them */
    void (*solve)(const nb_mass *m, int32_t count, const int32_t *node, const real *force, real *velocity);
    /* force = H velocity over the nodes listed, which are as in `solve` */
    void (*apply)(const nb_mass *m, int32_t count, const int32_t *node, const real *velocity, real *force);
    /* a new matrix: H over all velocities (nodes->velocity), whose rows and columns of nodes without mass are empty;
     * columns ascend in each row; the caller destroys it */
    nb_status (*matrix)(const nb_mass *m, nb_csr **matrix);

    /* Several solves at once, of up to NB_MASS_TOGETHER forces: put each in its place, from 0 on; solve the first so
     * many; take their velocities. All NULL where that saves nothing. `reserve_together` comes first, once a
     * pattern of H. */
    nb_status (*reserve_together)(const nb_mass *m);
    void (*put)(const nb_mass *m, int k, int32_t count, const int32_t *node, const real *force);
    void (*solve_together)(const nb_mass *m, int forces);
    void (*take)(const nb_mass *m, int k, int32_t count, const int32_t *node, real *velocity);

    /* Of one node with mass and n velocities; all NULL where H couples nodes. */
    void (*block)(const nb_mass *m, int32_t node, real *out);                   /* out = H [n][n] */
    void (*inverse_block)(const nb_mass *m, int32_t node, real *out);           /* out = H^-1 [n][n] */
    void (*solve_node)(const nb_mass *m, int32_t node, const real *f, real *v); /* v = H^-1 f, not padded */
} nb_mass_class;

struct nb_mass {
    const nb_mass_class *type;
    const nb_nodes *nodes;
    const uint8_t *moves; /* [nodes] 1: it has mass; 0: it is prescribed, no force moves it */
};

/* Whether H couples nodes: it then has no blocks. */
static inline int nb_mass_couples(const nb_mass *m) {
    return !m->type->block;
}

/* H^-1 of a body: zero for a body without mass */
typedef union nb_inverse_mass {
    struct {
        real mass;       /* [1/kg] */
        real inertia[6]; /* world frame xx yy zz xy xz yz [1/(kg m^2)] */
    };
    real numbers[NB_BODY_STRIDE];
} nb_inverse_mass;

/* The block-diagonal mass: bodies by mass and inertia, all other nodes by a symmetric block each. */
typedef struct nb_block_mass {
    nb_mass base;                   /* first */
    const nb_inverse_mass *inverse; /* [bodies] */
    const real *mass;               /* [bodies] [kg] */
    const real *inertia;            /* [bodies][6] as in nb_inverse_mass [kg m^2] */
    /* of nodes after the bodies: where each one's block lies, the blocks by rows, and their inverses */
    const int32_t *block_place; /* [nodes - bodies] */
    const real *block, *block_inverse;
    int diagonal_blocks; /* 1: these nodes are particles alone, whose blocks [9] are diagonal, one after the other */
} nb_block_mass;

extern const nb_mass_class nb_block_mass_class;

/* y = m x, m symmetric 3 x 3: xx yy zz xy xz yz */
static inline void nb_symmetric_apply(const real m[6], const real *x, real *y) {
    y[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    y[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    y[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

#endif
