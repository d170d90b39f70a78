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
#include "vector_operations.h"
#include "work.h"

#define nb_block_matrix NB_REAL_NAME(nb_block_matrix)
#define nb_sweeps NB_REAL_NAME(nb_sweeps)
#define nb_preconditioner_parts NB_REAL_NAME(nb_preconditioner_parts)
#define nb_preconditioner_class NB_REAL_NAME(nb_preconditioner_class)

/* A matrix M that a preconditioner multiplies by (vector_operations.h): a diagonal, or one by blocks of rows. Block i
 * has the rows start[i] .. start[i + 1] - 1, each with the same columns, in `column` from columns[i] on; its numbers
 * are row after row in `value` from place[i] on. Without `column` it is a block diagonal of inverses: of each block L D
 * L^T, n x n, L below the diagonal and D^-1 on it. */
typedef struct nb_block_matrix {
    const real *diagonal; /* [rows]; NULL: blocks */
    int32_t count;
    const int32_t *start;   /* [count + 1]; with `column` at most NB_BLOCK_ROWS rows a block */
    const int64_t *columns; /* [count + 1] */
    const int32_t *column;  /* [columns[count]] ascending in a block */
    const int64_t *place;   /* [count + 1] */
    const real *value;      /* [place[count]] */
} nb_block_matrix;

/* sweeps of a relaxation over A in colour order, which devices make from A itself */
typedef struct nb_sweeps {
    const nb_colouring *colouring; /* NULL: none */
    real omega;                    /* over-relaxation factor */
    nb_linear_norm norm;           /* in which a sweep sums the residuals that it meets; P = A_BB^-1 */
    int by_rows; /* 1: row after row, by the entries of A's diagonal; 0: block after block, by its blocks */
} nb_sweeps;

/* What apply_by works with besides A, told to a device before it. Borrowed until the next set-up; with a new pattern
 * `start` and `colouring` are told anew. */
typedef struct nb_preconditioner_parts {
    nb_block_matrix matrix; /* {0}: none */
    nb_sweeps sweeps;       /* {0}: none */
    int vectors;            /* to work in */
    int iterates;           /* 1: by `iterate` */
} nb_preconditioner_parts;

typedef struct nb_preconditioner_class {
    const char *name;    /* lower-case with hyphens */
    const char *summary; /* one line */
    const nb_option *options;
    int option_count;
    int factorises;        /* 1: set_up_values factorises the whole of A, or as much */
    int takes_unsymmetric; /* 1: A need not be symmetric (system.h); else such a one is refused */
    int takes_mirrored; /* 1: A may be symmetric but for mirrored rows (system.h); P is positive definite then, too */
    const char *form;   /* the only form of the systems of newton (`--form`) that it takes; NULL: all */
    const char *suits;  /* the form that it is for, as in others its factors fill in; NULL: all */
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
    /* Not NULL: devices apply P, only of a symmetric A, by operations on vectors: apply_by, or, where that is NULL, a
     * product with the matrix of the parts. */
    void (*parts)(const void *state, nb_preconditioner_parts *parts);
    void (*apply_by)(void *state, const nb_vector_operations *o, const void *r, void *z);
    /* Not NULL: the colours of the order in which P goes through the last pattern's blocks; 0: natural order */
    int32_t (*colours)(const void *state);
    /* Not NULL: hears how many iterations a solve with it took */
    void (*solved)(void *state, int32_t iterations);
    /* Not NULL: whether the last set_up_values did what `factorises` says */
    int (*factorised)(const void *state);
    /* NULL: not known. Fills *work, after a set-up that did not break down. */
    void (*work)(const void *state, nb_preconditioner_work *work);
    void (*destroy)(void *state); /* NULL allowed */
} nb_preconditioner_class;

/* whether a device applies it */
static inline int nb_preconditioner_works_on_devices(const nb_preconditioner_class *c) {
    return c->diagonal || c->parts;
}

/* what a device is told; of a diagonal, that it is the matrix; of what devices do not apply, nothing */
static inline void nb_preconditioner_tell_parts(const nb_preconditioner_class *c, const void *state,
                                                nb_preconditioner_parts *parts) {
    *parts = (nb_preconditioner_parts){0};
    if (c->parts)
        c->parts(state, parts);
    else if (c->diagonal)
        parts->matrix.diagonal = c->diagonal(state);
}

/* z = P r for vectors of any kind; a device was told the parts */
static inline void nb_preconditioner_apply_by(const nb_preconditioner_class *c, void *state,
                                              const nb_vector_operations *o, const void *r, void *z) {
    if (o->by_rows)
        c->apply(state, (const real *)r, (real *)z);
    else if (c->apply_by)
        c->apply_by(state, o, r, z);
    else
        o->multiply(o->state, 0, r, z);
}

/* solvers/precond/table.c: all preconditioners, NULL-terminated */
#define nb_preconditioners NB_REAL_NAME(nb_preconditioners)
extern const nb_preconditioner_class *const nb_preconditioners[];

#endif
