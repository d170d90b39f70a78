/* The primal form of a Newton system: its rows are eliminated. With T = (C + K + shift)^-1, which is block diagonal,
 * and J weighted by S,
 *
 *     B = H + J^T T J,    (J H^-1 J^T + T^-1)^-1 = T - T J B^-1 J^T T     (Woodbury 1950)
 *
 * B has a block for every node and two for every pair of nodes that share a row block: 6 x 6 blocks of bodies, many
 * times fewer entries than A has, where every contact meets all others on its two bodies. H comes from the mass, as
 * blocks or as a matrix where it couples nodes.
 *
 * Two use it: the form of a Newton method (nb_primal_form, eq. (64), shift 0) and the preconditioner `lu`.
 *
 * Everything is kept in double. Blocks of T^-1 spread over sixteen orders of magnitude in an interior-point method, so
 * that T is kept in three factors (block_inverse.h) and is the inverse of a matrix near T^-1 wherever it is used. */
#ifndef NB_OPERATOR_PRIMAL_H
#define NB_OPERATOR_PRIMAL_H

#include "operator/form.h"
#include "operator/node_pairs.h"
#include "work.h"

#define nb_primal NB_REAL_NAME(nb_primal)
#define nb_primal_fits NB_REAL_NAME(nb_primal_fits)
#define nb_primal_set_pattern NB_REAL_NAME(nb_primal_set_pattern)
#define nb_primal_clear NB_REAL_NAME(nb_primal_clear)
#define nb_primal_set_values NB_REAL_NAME(nb_primal_set_values)
#define nb_primal_begin NB_REAL_NAME(nb_primal_begin)
#define nb_primal_finish NB_REAL_NAME(nb_primal_finish)
#define nb_primal_add_work NB_REAL_NAME(nb_primal_add_work)
#define nb_primal_form NB_REAL_NAME(nb_primal_form)

typedef struct nb_primal {
    nb_node_pairs pairs; /* the pattern of B */
    double *force;       /* [pairs.row[pairs.nodes]] of nb_primal_begin */
    double flops;        /* additions and multiplications of the last nb_primal_set_values, to the leading order */
    /* private */
    const nb_delassus *delassus;             /* borrowed */
    nb_csr *mass;                            /* H where it couples nodes, else NULL */
    int64_t *jacobian_place, *inverse_place; /* [blocks + 1] where each block's part begins */
    double *jacobian;                        /* S J, each block by rows */
    double *inverse;                         /* T of a block of n rows: X [n][n], d [n], Y [n][n] */
    real *diagonal;                          /* [rows] of D */
} nb_primal;

/* Whether the nodes and row blocks of a source are known, so that it has a primal form. */
int nb_primal_fits(const nb_delassus *delassus);

/* Only this allocates. For a source that fits, borrowed from here on; `all` and `couples` as in nb_node_pairs_make.
 * *primal is zero, or was filled before. The caller clears it, on a fault too. */
nb_status nb_primal_set_pattern(nb_primal *primal, const nb_delassus *delassus, int all, const uint8_t *couples);
void nb_primal_clear(nb_primal *primal);

/* T, S J and the entries of B in the order of pairs (node_pairs.h), from the rows' S, C and K; `shift` is relative to
 * the diagonal of S D S. Returns the first row of the first block whose T^-1 is singular, which then gets a T that is
 * as well, or -1. */
int32_t nb_primal_set_values(nb_primal *primal, const nb_system *rows, double shift, double *value);

/* f = J^T T r, as long as B has rows; owned by *primal */
double *nb_primal_begin(nb_primal *primal, const real *r);
/* z = T (r - J v), for v [rows of B], which may be f itself */
void nb_primal_finish(const nb_primal *primal, const real *r, const double *v, real *z);

/* Adds what B takes to be made from J and T, and T and J take in nb_primal_begin and nb_primal_finish. */
void nb_primal_add_work(const nb_primal *primal, nb_preconditioner_work *work);

/* Unknowns: the velocities of all nodes with mass, in their order, a block each. B du = J^T T b - g, y = T (b - J du).
 * A row without compliance is refused.
 *
 * B has the pairs of nodes between which some row has had a weight S that is not zero since `create`: its pattern grows
 * where rows begin to carry. */
extern const nb_form_class nb_primal_form;

#endif
