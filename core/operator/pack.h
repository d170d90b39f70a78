/* A pack: row blocks of J of one make, that is where their numbers lie and how they are multiplied. The operator is the
 * sum of its packs (sum.h). Here are contacts (frames and arms), joints (twelve numbers a row) and general blocks (any
 * Jacobian). A new one is a class and its struct; tests/test_new_pack.c is an example. */
#ifndef NB_OPERATOR_PACK_H
#define NB_OPERATOR_PACK_H

#include "base/real.h"
#include "operator/mass.h"
#include "operator/system.h"

#define nb_pack NB_REAL_NAME(nb_pack)
#define nb_pack_class NB_REAL_NAME(nb_pack_class)

typedef struct nb_pack nb_pack;

/* Blocks are numbered in the pack. Padded arrays of forces and velocities as in mass.h; the velocity of a node without
 * mass is zero in what operators carry along, and what is added to its force is never read. None allocates. */
typedef struct nb_pack_class {
    const char *name; /* in messages */
    /* force += J^T (s * x) for blocks begin .. end - 1, s NULL for 1; s and x from the first row of `begin` on */
    void (*forces)(const nb_pack *p, int32_t begin, int32_t end, const real *s, const real *x, real *force);
    /* y = J velocity, y from the first row of `begin` on */
    void (*velocities)(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y);
    /* the nodes of block i (the world is none), in an order that all blocks of a group share; returns their number */
    int (*block_nodes)(const nb_pack *p, int32_t i, int32_t node[NB_BLOCK_NODES]);
    /* out = J_i [rows][columns], columns: the velocities of these nodes one after the other */
    void (*block_jacobian)(const nb_pack *p, int32_t i, real *out);
    /* out = (J velocity)_i */
    void (*block_velocity)(const nb_pack *p, int32_t i, const real *velocity, real *out);
    /* velocity += H^-1 J_i^T z, for a mass that has blocks */
    void (*push_block)(const nb_pack *p, const nb_mass *mass, int32_t i, const real *z, real *velocity);
    /* NULL, or: out = the diagonal of J H^-1 J^T of blocks begin .. end - 1, and 1; or 0, where it has no way of its
     * own for such a mass. What it writes is what the blocks' Jacobians make, to round-off. */
    int (*diagonal)(const nb_pack *p, const nb_mass *mass, int32_t begin, int32_t end, real *out);
} nb_pack_class;

struct nb_pack {
    const nb_pack_class *type;
    const nb_nodes *nodes; /* that its blocks name; their velocities lie at nodes->place */
    int32_t blocks;
    int32_t rows_each;        /* rows of every block; 0: row_start tells */
    const int32_t *row_start; /* [blocks + 1], or NULL */
    int of_elements;          /* 1: rows of elements, which a form may fold into the mass (solvers/condensed.h) */
};

/* the first row of block i, and of `blocks` all rows */
static inline int32_t nb_pack_row(const nb_pack *p, int32_t i) {
    return p->rows_each ? p->rows_each * i : p->row_start[i];
}

#endif
