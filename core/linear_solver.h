/* What a linear solver implements. One solver is one file in solvers/linear/ and one line in its table.c.
 *
 *     create -> { set_up_pattern (per pattern) -> { set_up_values (per values) -> solve }* }* -> destroy
 *
 * The harness (core/operator/solve.h) calls these, times set-up apart from solve, checks the result with its own
 * residual, and knows which of the two set-ups is due from the system's epochs. No solver allocates inside solve. */
#ifndef NB_LINEAR_SOLVER_H
#define NB_LINEAR_SOLVER_H

#include <stdint.h>

#include "base/options.h"
#include "base/real.h"
#include "base/status.h"
#include "operator/system.h"
#include "preconditioner.h"
#include "reason.h"
#include "stop.h"
#include "work.h"

#define nb_linear_solver_class NB_REAL_NAME(nb_linear_solver_class)
#define nb_linear_request NB_REAL_NAME(nb_linear_request)

/* What the harness finds of an iterate x. A is the system's matrix, e = x - x* its error: e^T A e is the square of the
 * energy norm (core/errors.md), where A is not symmetric that of its symmetric part. Units: of the rows' systems m/s
 * and sqrt(J). NaN: not known. */
typedef struct nb_linear_iterate {
    double residual_l2;             /* |b - A x| */
    double preconditioned_residual; /* sqrt(r . P r), r = b - A x */
    double energy_error;            /* sqrt(e^T A e), where the system's solution is made besides (solve.h) */
    double energy_decrease; /* [J] by how much e^T A e fell from the iterate before, by the solver's recurrence */
    double own_norm;        /* what the solver itself takes for the norm of the residual, in its own units */
} nb_linear_iterate;

/* Called by a solver at iteration 0 (the start, x = 0) and after every iteration with the current iterate x [rows].
 * A solver that does not hold its iterate may form it only when the monitor is set (monitor != NULL). */
typedef void nb_linear_monitor(void *context, int32_t iteration, const void *x);

typedef struct nb_linear_request {
    nb_linear_stop stop;
    nb_linear_monitor *monitor; /* or NULL */
    void *monitor_context;
    /* Where there is a monitor: the solver may put here, before it calls the monitor, by how much its step lowered
     * e^T A e (nb_linear_iterate); only what its own scalars tell. Likewise the norm that it judges by. */
    double *energy_decrease, *own_norm;
    const nb_preconditioner_class *preconditioner; /* NULL where the solver takes none */
    void *preconditioner_state;
} nb_linear_request;

/* What a solver says of its own run; the harness adds the true residual. */
typedef struct nb_linear_outcome {
    nb_reason reason;
    int32_t iterations;          /* done */
    int32_t failed_row;          /* the row at which a factorisation broke down, or -1 */
    int64_t factor_nonzeros;     /* nnz(L) of a direct solver (L and U of an LU), else 0 */
    nb_preconditioner_work work; /* of a direct solver's factors, each time that they are made; NaN on entry */
    int32_t recycled;            /* vectors of earlier systems that it deflated by; -1: they were of another size */
    /* Not NULL on entry: where a direction along which A x is round-off ended the solve, the solver may put it here
     * [rows] and set `found_null`. It shows a right-hand side outside the range of A. */
    real *null_vector;
    int found_null;
    int32_t factorisations; /* of the solve itself, in which a direct solver found that it needs better factors */
    /* what was spent on iterates that only the monitor needed: no part of the solver's work */
    double shown_s;
    int64_t shown_preconditionings;
} nb_linear_outcome;

typedef struct nb_linear_solver_class {
    const char *name;    /* lower-case with hyphens */
    const char *summary; /* one line */
    const nb_option *options;
    int option_count;
    int takes_preconditioner;
    int direct;                                 /* 1: no iterations */
    int idle;                                   /* 1: it solves nothing, and is never proposed */
    int true_norm_only;                         /* 1: its tolerance is of |b - A x| and of no other norm (stop.h) */
    int takes_unsymmetric;                      /* 1: A need not be symmetric (system.h); else such a one is refused */
    int takes_mirrored;                         /* 1: A may be symmetric but for mirrored rows (system.h) */
    int on_devices;                             /* 1: works wherever the system's device keeps its vectors */
    const struct nb_linear_solver_class *mixed; /* f64: the same in precision `mixed`; NULL: there is none */
    /* Not NULL: whether runs are offered these options in this precision; else NB_ERROR_UNSUPPORTED */
    nb_status (*check)(const double *values);
    /* NULL, or: the option and its value ("variant l1") that leaves option i without effect where the options have
     * these values; NULL: it has one */
    const char *(*why_ignored)(const double *values, int i);
    /* `values` holds option_count numbers and is borrowed only during the call */
    nb_status (*create)(const double *values, void **state);
    nb_status (*set_up_pattern)(void *state, nb_system *system);
    /* may report a breakdown of a factorisation through outcome->reason (and return NB_OK) */
    nb_status (*set_up_values)(void *state, nb_system *system, nb_linear_outcome *outcome);
    /* x [rows] is zero on entry and the solution on return; the right-hand side is system->b. */
    nb_status (*solve)(void *state, nb_system *system, const nb_linear_request *request, real *x,
                       nb_linear_outcome *outcome);
    /* Not NULL: the colours of the order in which the last pattern's blocks are swept; 0: natural order */
    int32_t (*colours)(const void *state);
    void (*destroy)(void *state); /* NULL allowed */
} nb_linear_solver_class;

/* solvers/linear/table.c: all linear solvers, NULL-terminated */
#define nb_linear_solvers NB_REAL_NAME(nb_linear_solvers)
extern const nb_linear_solver_class *const nb_linear_solvers[];

#endif
