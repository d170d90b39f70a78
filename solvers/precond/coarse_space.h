/* The coarse space of a Schwarz preconditioner (schwarz.c), for the stiffness form of newton:
 *
 *     B = H + sum over rows of J^T S (1/C) S J
 *
 * Of a part p with the rows of A that it takes, N_p is B with those rows of J alone that act on nodes of p and no
 * others, B_p the principal submatrix of B, X_p one over the number of parts that a row is in. Its vectors are X_p v.
 * GenEO has N_p v = l X_p B_p X_p v, l < 0.1: motions that the part gives way to and its surroundings do not. The rigid
 * space has v of the part moving as one body, six a part, and needs no eigenproblem. With Z all vectors, and M the
 * one-level preconditioner, P is balanced (Mandel 1993):
 *
 *     P = Q + (1 - Q A) M (1 - A Q),   Q = Z (Z^T A Z)^-1 Z^T
 *
 * Spillane, Dolean, Hauret, Nataf, Pechstein, Scheichl 2014. Everything is in double.
 * LAPACK solves the eigenproblems, on one thread (dense_serial.h). Private to solvers/precond. */
#ifndef NB_PRECOND_COARSE_SPACE_H
#define NB_PRECOND_COARSE_SPACE_H

#include "precond/block_graph.h"
#include "reason.h"

#define nb_coarse_space NB_REAL_NAME(nb_coarse_space)
#define nb_coarse_space_begin NB_REAL_NAME(nb_coarse_space_begin)
#define nb_coarse_space_keep NB_REAL_NAME(nb_coarse_space_keep)
#define nb_coarse_space_add_rigid NB_REAL_NAME(nb_coarse_space_add_rigid)
#define nb_coarse_space_add NB_REAL_NAME(nb_coarse_space_add)
#define nb_coarse_space_finish NB_REAL_NAME(nb_coarse_space_finish)
#define nb_coarse_space_before NB_REAL_NAME(nb_coarse_space_before)
#define nb_coarse_space_after NB_REAL_NAME(nb_coarse_space_after)
#define nb_coarse_space_clear NB_REAL_NAME(nb_coarse_space_clear)

/* rows of A that a part takes, ascending */
typedef struct nb_part_rows {
    int32_t rows;
    int32_t *row;
} nb_part_rows;

typedef struct nb_coarse_space {
    int32_t columns; /* of Z */
    double flops;    /* of the last set-up */
    /* private */
    nb_system *system;
    const nb_csr *a;
    const nb_block_graph *graph;
    int32_t *slot;              /* [nodes] block of A that a node is; -1: without mass */
    double *x;                  /* [nodes][3] where they are */
    int32_t *in;                /* [rows] where a row of A is in the part at hand, or -1 */
    double *inverse;            /* [rows] one over the parts that a row is in */
    const nb_part_rows **owner; /* [columns] the part of each vector */
    int64_t *place;             /* [columns + 1] where it stands in `value` */
    double *value;              /* Z, column after column */
    double *coarse;             /* [columns^2] the Cholesky factor of Z^T A Z */
    double *c, *kept, *w;       /* [columns] two; [rows] */
    double *neumann, *right, *vectors, *eigenvalues;
    int32_t size, found, info; /* of the eigenproblem at hand; of what LAPACK makes */
    int64_t slot_capacity, x_capacity, in_capacity, inverse_capacity, owner_capacity, place_capacity, value_capacity,
        coarse_capacity, c_capacity, kept_capacity, w_capacity, neumann_capacity, right_capacity, vectors_capacity,
        eigenvalues_capacity;
} nb_coarse_space;

/* A space without vectors, of a system in the stiffness form (NB_ERROR_USAGE else) with entries `a`, all borrowed until
 * the next call; parts_of_row [rows]: how many parts each is in. */
nb_status nb_coarse_space_begin(nb_coarse_space *space, nb_system *system, const nb_csr *a, const nb_block_graph *graph,
                                const int32_t *parts_of_row);
/* In its place: the vectors that there are, for another system of the same pattern and parts. */
void nb_coarse_space_keep(nb_coarse_space *space, nb_system *system, const nb_csr *a);
/* the vectors of one part, which is borrowed as well; their number in *found */
nb_status nb_coarse_space_add(nb_coarse_space *space, const nb_part_rows *part, int32_t *found);
/* the rigid motions of one part, the same */
nb_status nb_coarse_space_add_rigid(nb_coarse_space *space, const nb_part_rows *part, int32_t *found);
/* Z^T A Z; *reason NB_REASON_SINGULAR where it is not positive */
nb_status nb_coarse_space_finish(nb_coarse_space *space, nb_reason *reason);
/* r = (1 - A Q) r [rows]; what Q r has is kept for nb_coarse_space_after */
void nb_coarse_space_before(nb_coarse_space *space, double *r);
/* z = Q r + (1 - Q A) z */
void nb_coarse_space_after(nb_coarse_space *space, double *z);
void nb_coarse_space_clear(nb_coarse_space *space);

#endif
