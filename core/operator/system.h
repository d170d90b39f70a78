/* The linear system of one Newton iteration, as linear solvers and preconditioners see it.
 *
 *     A x = b,   A = S D S + C + K,   D = J H^-1 J^T (the Delassus operator)
 *
 * D comes from a *source* (nodes and their row blocks, or a stored matrix); the weights S and the diagonal C change
 * with every Newton iteration, and C already holds the regularisation. Without K, A is symmetric; it is positive
 * semidefinite wherever C >= 0, and often singular where C = 0 (redundant contacts).
 *
 * Rows come in *blocks*: one row for a bilateral constraint, three (normal, tangent 1, tangent 2) for a contact, five
 * with rolling friction, up to six for others. Blocks that act between the same nodes are neighbours and form a
 * *group*.
 *
 * K, which most systems do not have (nb_system_use_blocks), is block diagonal over these blocks and need not be
 * symmetric: the cone's term of an interior-point method. What solves an unsymmetric A says so in its class
 * (takes_unsymmetric in linear_solver.h and preconditioner.h); others are refused one.
 *
 * Entries of A are assembled only when a solver asks (nb_system_matrix): the pattern once per pattern epoch, the values
 * once per value epoch. Single blocks need no entries where the source is a sum of packs (nb_system_block).
 *
 * Source: Macklin et al. 2019, eq. (55), (59), in impulses (formulation.md). Units: D and C in 1/kg for velocity rows.
 */
#ifndef NB_SYSTEM_SYSTEM_H
#define NB_SYSTEM_SYSTEM_H

#include <stdint.h>

#include "base/csr.h"
#include "base/real.h"
#include "base/status.h"
#include "device.h"
#include "operator/block.h"
#include "operator/mass.h"

#define nb_delassus NB_REAL_NAME(nb_delassus)
#define nb_delassus_class NB_REAL_NAME(nb_delassus_class)
#define nb_system NB_REAL_NAME(nb_system)
#define nb_system_create NB_REAL_NAME(nb_system_create)
#define nb_system_destroy NB_REAL_NAME(nb_system_destroy)
#define nb_system_use_blocks NB_REAL_NAME(nb_system_use_blocks)
#define nb_system_diagonal_block NB_REAL_NAME(nb_system_diagonal_block)
#define nb_system_values_changed NB_REAL_NAME(nb_system_values_changed)
#define nb_system_blocks_changed NB_REAL_NAME(nb_system_blocks_changed)
#define nb_system_pattern_changed NB_REAL_NAME(nb_system_pattern_changed)
#define nb_system_apply NB_REAL_NAME(nb_system_apply)
#define nb_system_count_product NB_REAL_NAME(nb_system_count_product)
#define nb_system_diagonal NB_REAL_NAME(nb_system_diagonal)
#define nb_system_matrix NB_REAL_NAME(nb_system_matrix)
#define nb_system_has_blocks NB_REAL_NAME(nb_system_has_blocks)
#define nb_system_block NB_REAL_NAME(nb_system_block)
#define nb_system_residual NB_REAL_NAME(nb_system_residual)
#define nb_system_reduce NB_REAL_NAME(nb_system_reduce)

typedef struct nb_delassus nb_delassus;

/* What a source of D offers. None of these functions allocates, `pattern` apart. */
typedef struct nb_delassus_class {
    /* y = s * (D (s * x)) + c * x, entry by entry in s and c; x and y must not overlap. s NULL: 1, c NULL: 0. */
    void (*apply)(const nb_delassus *d, const real *s, const real *c, const real *x, real *y);
    /* the diagonal of D [rows] */
    void (*diagonal)(const nb_delassus *d, real *diagonal);
    /* a new matrix with the sparsity pattern of D and values of zero; the caller destroys it */
    nb_status (*pattern)(const nb_delassus *d, nb_csr **matrix);
    /* the entries of D into the pattern made above */
    void (*values)(const nb_delassus *d, nb_csr *matrix);

    /* For methods that go block by block without entries; all NULL where only the matrix D is known, or H couples
     * nodes. Such a method carries velocities v = H^-1 J^T z of its own along, [nb_nodes_length] in padded arrays. */
    /* out = D_ik [rows of block i][rows of block k] */
    void (*block)(const nb_delassus *d, int32_t i, int32_t k, real *out);
    /* out = (J v)_i [rows of block i] */
    void (*block_velocity)(const nb_delassus *d, int32_t i, const real *v, real *out);
    /* v += H^-1 J_i^T z, z [rows of block i] */
    void (*push_block)(const nb_delassus *d, int32_t i, const real *z, real *v);

    /* For methods that make a matrix over the nodes; NULL where only the matrix D is known. */
    /* the nodes with mass that block i acts on, in an order that all blocks of a group share; returns their number,
     * which may be 0 */
    int (*block_nodes)(const nb_delassus *d, int32_t i, int32_t node[NB_BLOCK_NODES]);
    /* the same, and out = J_i [rows of block i][columns] (NB_BLOCK_ROWS x NB_BLOCK_COLUMNS at most), columns: the
     * velocities of these nodes one after the other */
    int (*block_jacobian)(const nb_delassus *d, int32_t i, int32_t node[NB_BLOCK_NODES], real *out);
} nb_delassus_class;

struct nb_delassus {
    const nb_delassus_class *type;
    int32_t rows;
    int32_t block_count;        /* bilateral rows and contacts */
    const int32_t *block_start; /* [block_count + 1] first row of each block; blocks cover all rows in order */
    int32_t group_count;        /* groups of neighbouring blocks between the same nodes */
    const int32_t *group_start; /* [group_count + 1] first block of each group */
    const nb_mass *mass;        /* H and the nodes; NULL where only the matrix D is known */
};

typedef struct nb_system {
    const nb_delassus *delassus; /* borrowed */
    int32_t rows;                /* = delassus->rows */
    const nb_device *device;     /* where solvers that can work (device.h); NULL, as it comes: this processor */
    real *s;                     /* [rows] row weights (owned; written by the Newton method, then values_changed) */
    real *c;                     /* [rows] diagonal C >= 0, regularisation included (owned, written as s is) */
    real *b;                     /* [rows] right-hand side (owned, written as s is) */
    real *k;              /* K, the blocks one after the other, each by rows (owned, written as s is); NULL: none */
    int64_t *k_place;     /* [block_count + 1] where each block starts in k; NULL: no K */
    const char *unknowns; /* what x is, where A's rows are no constraints: of a method or a form (borrowed); NULL */
    const char *units[2]; /* of A and b, where `unknowns` says what x is; NULL: of several kinds (borrowed) */
    const struct nb_system *origin; /* the rows that a form made this one of (form.h), borrowed; NULL: none */
    const int32_t *node; /* [blocks] of origin, whose velocities a block's rows are (borrowed); NULL: they are others */
    int inverted;        /* 1: K holds (C + K)^-1 itself, for the form `stiffness` alone; C does not count */
    int symmetric;       /* 1: A is; 0 from nb_system_use_blocks on, unless whoever fills K sets it again */
    const uint8_t *filled; /* [rows] 1: A has no entry on the diagonal of this row, the zero there is a place alone
                            * (borrowed); NULL: 0 in all rows */
    int32_t mirrored;      /* where A is not symmetric: rows from here on, times -1, would make it so; 0: none would */
    int64_t serial;        /* of this system alone: a later one may have its address */
    int64_t pattern_epoch; /* grows when the pattern of D changed */
    int64_t value_epoch;   /* grows when entries of A changed */
    int64_t products;      /* products with A so far (nb_system_count_product) */
    double assembly_flops; /* additions and multiplications that a form made A's present values with; 0: none */
    int64_t asked_epoch;   /* value_epoch of the last nb_system_matrix; whoever looks sets it to 0 before */
    /* private: */
    int64_t plain_epoch; /* of the values that `plain` is of */
    int plain;           /* 1: S = 1 and C = 0 */
    /* the assembled entries and the epochs they belong to */
    nb_csr *matrix, *delassus_matrix;
    int64_t *diagonal;     /* [rows] places in `matrix` (csr.h) */
    real *diagonal_blocks; /* as k: those of S D S */
    int64_t matrix_pattern_epoch, matrix_value_epoch;
    int64_t weighted_epoch, matrix_weighted_epoch; /* of S D S */
} nb_system;

/* A system over the source `delassus` (borrowed until destroy) with s = 1, c = 0, b = 0. */
nb_status nb_system_create(const nb_delassus *delassus, nb_system **system);
void nb_system_destroy(nb_system *system);

/* Gives the system a K of zeros, a new pattern (its diagonal blocks are then full) and `symmetric` 0; nothing where it
 * has one. Call it before the system is solved with. */
nb_status nb_system_use_blocks(nb_system *system);

/* The block of K of block i, [rows of block i][rows of block i], of a system that has K. */
real *nb_system_diagonal_block(const nb_system *system, int32_t i);

/* Tell the system that D, s, c or K (or the pattern of D as well) changed. */
void nb_system_values_changed(nb_system *system);
void nb_system_pattern_changed(nb_system *system);
/* The same where it was C and K alone. */
void nb_system_blocks_changed(nb_system *system);

/* Work is counted in products with A. nb_system_apply and nb_system_residual count themselves; a solver that goes
 * around them says so here, once for every pass over all of A: a product made otherwise, a sweep of a relaxation. */
void nb_system_count_product(nb_system *system);

/* y = A x, without entries; x and y must not overlap. Allocates nothing. */
void nb_system_apply(nb_system *system, const real *x, real *y);

/* The diagonal of A [rows]. */
void nb_system_diagonal(const nb_system *system, real *diagonal);

/* The entries of A, up to date; owned by the system, valid until its values change or it is destroyed.
 * Allocates only when the pattern changed. */
nb_status nb_system_matrix(nb_system *system, const nb_csr **matrix);

/* Whether blocks of A can be had without its entries: whether its source is a sum of packs (sum.h) over a
 * block-diagonal mass. */
int nb_system_has_blocks(const nb_system *system);

/* out = A_ik [rows of block i][rows of block k] of a system that has blocks. */
void nb_system_block(const nb_system *system, int32_t i, int32_t k, real *out);

/* r = b - A x; returns ||r||_2 of all rows, summed in double. */
double nb_system_residual(nb_system *system, const real *x, real *r);

/* Numbers that are sums, or the largest, of this system's rows become those of all rows: the same where one process has
 * them all (device.h). */
void nb_system_reduce(const nb_system *system, nb_reduction how, double *numbers, int count);

#endif
