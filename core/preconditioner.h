/* What a preconditioner implements. One preconditioner is one file in solvers/precond/ and one line in its table.c.
 *
 * A preconditioner P approximates A^-1, by a symmetric positive definite operator where A is symmetric (the inverse of
 * A itself, `lu`, where A is positive definite). */
#ifndef NB_PRECONDITIONER_H
#define NB_PRECONDITIONER_H

#include <stdint.h>

#include "base/options.h"
#include "base/real.h"
#include "base/status.h"
#include "operator/colouring.h"
#include "operator/system.h"
#include "reason.h"
#include "stop.h"
#include "work.h"

#define nb_preconditioner_blocks NB_REAL_NAME(nb_preconditioner_blocks)
#define nb_sweeps NB_REAL_NAME(nb_sweeps)
#define nb_polynomial NB_REAL_NAME(nb_polynomial)
#define nb_inverse_factor NB_REAL_NAME(nb_inverse_factor)
#define nb_preconditioner_class NB_REAL_NAME(nb_preconditioner_class)

/* P as a block diagonal of inverses: of each block L D L^T, n x n row by row, L below the diagonal and D^-1 on it. */
typedef struct nb_preconditioner_blocks {
    int32_t count;
    const int32_t *start; /* [count + 1] first row of each block */
    const int64_t *place; /* [count + 1] where its factor starts */
    const real *factors;  /* [place[count]] */
    int64_t *applied;     /* counts the applications made with them; NULL: nobody asks */
} nb_preconditioner_blocks;

/* Sweeps of a relaxation over A in colour order, for devices that make them from A itself. */
typedef struct nb_sweeps {
    const nb_colouring *colouring; /* NULL: in another order, which devices do not take */
    real omega;                    /* over-relaxation factor */
    nb_linear_norm norm;           /* in which a sweep sums the residuals that it meets; P = A_BB^-1 */
    int by_rows;      /* 1: row after row, by the entries of A's diagonal; 0: block after block, by its blocks */
    int64_t *applied; /* as above */
} nb_sweeps;

/* P as a polynomial in M A, for devices: `degree` steps of the Chebyshev iteration for A z = r from zero, over
 * eigenvalues of M A from *top / ratio to *top. M is a diagonal, or made of blocks. */
typedef struct nb_polynomial {
    int degree;
    double ratio;
    const real *diagonal;            /* [rows] M; NULL: blocks */
    nb_preconditioner_blocks blocks; /* M */
    double *top;                     /* 0: not known, to be found by conjugate gradients (solvers/precond/lanczos.h) */
    int *products;                   /* of these; set with *top */
    const real *start;               /* [rows] their right-hand side */
    int64_t *applied;                /* as above */
} nb_polynomial;

/* P as G^T G, for devices that make such products: G by blocks of rows. Block i has rows start[i] .. start[i + 1] - 1,
 * each with the same columns, in `column` from columns[i] on; its numbers are row after row in `value` from place[i]
 * on. */
typedef struct nb_inverse_factor {
    int32_t count;
    const int32_t *start;   /* [count + 1]; at most NB_BLOCK_ROWS rows a block */
    const int64_t *columns; /* [count + 1] */
    const int32_t *column;  /* [columns[count]] ascending in a block */
    const int64_t *place;   /* [count + 1] */
    const real *value;      /* [place[count]] */
    int64_t *applied;       /* as above */
} nb_inverse_factor;

typedef struct nb_preconditioner_class {
    const char *name;    /* lower-case with hyphens */
    const char *summary; /* one line */
    const nb_option *options;
    int option_count;
    int factorises;        /* 1: set_up_values factorises the whole of A, or as much */
    int takes_unsymmetric; /* 1: A need not be symmetric (system.h); else such a one is refused */
    int takes_mirrored; /* 1: A may be symmetric but for mirrored rows (system.h); P is positive definite then, too */
    const char *form;   /* the only form of the systems of newton (`--form`) that it takes; NULL: all */
    const char *of_symmetric; /* the preconditioner that it is where A is symmetric; NULL: itself */
    /* NULL, or: the option and its value ("coarse none") that leaves option i without effect where the options have
     * these values; NULL: it has one */
    const char *(*why_ignored)(const double *values, int i);
    /* `values` holds option_count numbers and is borrowed only during the call */
    nb_status (*create)(const double *values, void **state);
    nb_status (*set_up_pattern)(void *state, nb_system *system);
    /* *reason is NB_REASON_NONE on entry; a breakdown (after every shift was tried) is reported there */
    nb_status (*set_up_values)(void *state, nb_system *system, nb_reason *reason);
    /* z = P r; r and z [rows] must not overlap. Allocates nothing. */
    void (*apply)(void *state, const real *r, real *z);
    /* Not NULL where P is a diagonal: returns it [rows], or NULL for the identity; borrowed until the next set-up.
     * Krylov methods take it into the operator instead of calling apply. */
    const real *(*diagonal)(const void *state);
    /* Not NULL where P is made of blocks, for devices that apply them; only of a symmetric A. Borrowed until the next
     * set-up. */
    void (*blocks)(const void *state, nb_preconditioner_blocks *blocks);
    /* Not NULL where P is a symmetric sweep, for devices that make such sweeps; only of a symmetric A. Borrowed until
     * the next set-up. */
    void (*sweeps)(const void *state, nb_sweeps *sweeps);
    /* Not NULL where P may be a polynomial, for devices that apply such ones; on a device set_up_pattern refuses what
     * it cannot describe so. Borrowed until the next set-up. */
    void (*polynomial)(const void *state, nb_polynomial *polynomial);
    /* Not NULL where P is made of a sparse factor of A^-1, for devices that make its two products. Borrowed until the
     * next set-up; a new pattern has been told to the device by then. */
    void (*inverse_factor)(const void *state, nb_inverse_factor *factor);
    /* Not NULL: the colours of the order in which P goes through the last pattern's blocks; 0: natural order */
    int32_t (*colours)(const void *state);
    /* Not NULL: hears how many iterations a solve with it took */
    void (*solved)(void *state, int32_t iterations);
    /* Not NULL: whether the last set_up_values did what `factorises` says */
    int (*factorised)(const void *state);
    /* NULL: not known. Fills *work, after a set-up that did not break down. */
    void (*work)(const void *state, nb_preconditioner_work *work);
    int64_t *applied; /* of the copy that a solver gets: counts a device's applications of a diagonal; else NULL */
    void (*destroy)(void *state); /* NULL allowed */
} nb_preconditioner_class;

/* whether a device applies it */
static inline int nb_preconditioner_works_on_devices(const nb_preconditioner_class *c) {
    return c->diagonal || c->blocks || c->sweeps || c->polynomial || c->inverse_factor;
}

/* solvers/precond/table.c: all preconditioners, NULL-terminated */
#define nb_preconditioners NB_REAL_NAME(nb_preconditioners)
extern const nb_preconditioner_class *const nb_preconditioners[];

#endif
