/* A without the couplings of blocks (block_graph.h) other than some pairs, which are chosen anew with each system, as a
 * Cholesky factor of the diagonally scaled matrix (private to solvers/precond):
 *
 *     L L^T = D^-1/2 M D^-1/2 + shift,   P = D^-1/2 (L L^T)^-1 D^-1/2
 *
 * M has all diagonal blocks of A. A row whose diagonal is zero is left alone: it has a one in M, and P is zero there.
 */
#ifndef NB_PRECOND_KEPT_PAIRS_H
#define NB_PRECOND_KEPT_PAIRS_H

#include "cholmod_factor.h"
#include "precond/block_graph.h"
#include "work.h"

#define nb_kept_pairs NB_REAL_NAME(nb_kept_pairs)
#define nb_kept_pairs_begin NB_REAL_NAME(nb_kept_pairs_begin)
#define nb_kept_pairs_end NB_REAL_NAME(nb_kept_pairs_end)
#define nb_kept_pairs_reserve NB_REAL_NAME(nb_kept_pairs_reserve)
#define nb_kept_pairs_restart NB_REAL_NAME(nb_kept_pairs_restart)
#define nb_kept_pairs_add NB_REAL_NAME(nb_kept_pairs_add)
#define nb_kept_pairs_analyse NB_REAL_NAME(nb_kept_pairs_analyse)
#define nb_kept_pairs_factorize NB_REAL_NAME(nb_kept_pairs_factorize)
#define nb_kept_pairs_solve NB_REAL_NAME(nb_kept_pairs_solve)
#define nb_kept_pairs_add_work NB_REAL_NAME(nb_kept_pairs_add_work)

typedef struct nb_kept_pairs {
    nb_cholmod_factor factor;
    /* private */
    const nb_block_graph *graph; /* borrowed */
    int32_t *head, *link, *next; /* [blocks], [2 pairs] the pairs of each block, as lists; -1: no more */
    int32_t *mark;               /* [blocks] the block at hand of those that it is kept with */
    int64_t links;
    int64_t *start, *source; /* [rows + 1], [entries of A] the kept ones on and right of the diagonal, by place in A */
    double *scale;           /* [rows] D^-1/2 */
    int analysed;            /* 1: `factor` is of the pattern in start and source */
    int64_t head_capacity, link_capacity, next_capacity, mark_capacity, start_capacity, source_capacity, scale_capacity;
} nb_kept_pairs;

/* To be called first; never fails. */
void nb_kept_pairs_begin(nb_kept_pairs *kept);
void nb_kept_pairs_end(nb_kept_pairs *kept);

/* Room for all pairs of the graph of `a`; borrowed from here on. NB_ERROR_MEMORY. */
nb_status nb_kept_pairs_reserve(nb_kept_pairs *kept, const nb_block_graph *graph, const nb_csr *a);

/* forgets all pairs */
void nb_kept_pairs_restart(nb_kept_pairs *kept);
/* keeps the pair of i and j, which meet */
void nb_kept_pairs_add(nb_kept_pairs *kept, int32_t i, int32_t j);

/* Orders and analyses M of the pairs that were added, unless they are those of the last call. NB_ERROR_MEMORY. */
nb_status nb_kept_pairs_analyse(nb_kept_pairs *kept, const nb_csr *a);

/* Factorises the values of `a`, of whose diagonal `size` [rows] has the magnitudes. *done 0 where a pivot is not
 * positive, or may be round-off. NB_ERROR_MEMORY. */
nb_status nb_kept_pairs_factorize(nb_kept_pairs *kept, const nb_csr *a, const real *size, double shift, int *done);

/* z = P r, once *done was 1 */
void nb_kept_pairs_solve(nb_kept_pairs *kept, const real *r, real *z);

/* adds what an application takes, and the numbers of the factor */
void nb_kept_pairs_add_work(const nb_kept_pairs *kept, nb_preconditioner_work *work);

#endif
