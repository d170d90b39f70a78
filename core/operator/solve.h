/* The harness around one linear solve: it decides which set-up is due, times set-up apart from solve, keeps the clock
 * still while history is recorded, and computes the true residual itself, so that it need not trust what a solver says.
 */
#ifndef NB_SYSTEM_SOLVE_H
#define NB_SYSTEM_SOLVE_H

#include "base/real.h"
#include "base/status.h"
#include "linear_solver.h"
#include "operator/system.h"
#include "operator/system_size.h"
#include "preconditioner.h"
#include "reason.h"

#define nb_solve NB_REAL_NAME(nb_solve)
#define nb_solve_create NB_REAL_NAME(nb_solve_create)
#define nb_solve_run NB_REAL_NAME(nb_solve_run)
#define nb_solve_use_reference NB_REAL_NAME(nb_solve_use_reference)
#define nb_solve_exact NB_REAL_NAME(nb_solve_exact)
#define nb_solve_restart NB_REAL_NAME(nb_solve_restart)
#define nb_solve_create_s NB_REAL_NAME(nb_solve_create_s)
#define nb_solve_destroy NB_REAL_NAME(nb_solve_destroy)

typedef struct nb_solve nb_solve;

typedef struct nb_solve_report {
    nb_reason reason;
    int32_t iterations;
    int32_t failed_row;      /* of a factorisation that broke down, or -1 */
    int32_t colours;         /* of the order of its sweeps; 0: they go in natural order, or it makes none */
    int64_t factor_nonzeros; /* nnz(L), or 0 */
    int32_t recycled;       /* vectors of earlier systems that it deflated by; -1: they were of another size, dropped */
    int32_t factorisations; /* of the whole of A, by a direct solver or by a preconditioner that does so */
    double residual_l2;     /* true ||b - A x||_2 */
    double rhs_l2;          /* ||b||_2 */
    double setup_s, solve_s;
    double measure_s; /* spent on the harness's own checks and residuals: in neither of those */
    /* What the solver spent on the solve, the harness's own measures left out: products with A (system.h) and calls of
     * the preconditioner; a diagonal that a Krylov method takes into the operator is never called. Solvers that work
     * on entries of their own and count no product (direct ones) are taken to need one an iteration. */
    int64_t products, preconditionings;
    nb_system_size size;
    /* Additions and multiplications of making A's values for this solve: by a form, and of entries that the solver
     * asked for. 0 where it has solved with these values before. */
    double assembly_flops;
    /* Of the preconditioner, or of a direct solver's factors; of a solver without either zero. setup_flops is of this
     * solve: 0 where nothing was set up, of all factorisations where there were several. NaN: not known. */
    nb_preconditioner_work work;
} nb_solve_report;

/* Hears of every iterate, from 0 (x = 0). P is the preconditioner; for solvers without one the inverse diagonal, so
 * that all can be drawn in one norm. */
typedef nb_status nb_solve_history(void *context, int32_t iteration, const nb_linear_iterate *iterate);

/* `preconditioner` is NULL for solvers that take none. Values as in the classes' create. */
nb_status nb_solve_create(const nb_linear_solver_class *solver, const double *solver_values,
                          const nb_preconditioner_class *preconditioner, const double *preconditioner_values,
                          nb_solve **solve);
/* From here on a solve with a history makes the system's solution besides, by `reference`, before its own clock starts
 * and on this processor, so that iterates have an energy error. It is NaN where `reference` leaves an energy error
 * above 1e-9 of the solution's energy norm, by its preconditioner. `reference` is taken over. */
void nb_solve_use_reference(nb_solve *solve, nb_solve *reference);
/* The solution that the last solve's iterates were held against [rows], which the caller may write over; NULL: none. */
real *nb_solve_exact(const nb_solve *solve);
/* The next system is a new one, whatever its epochs say: solver and preconditioner are set up for it in the memory that
 * they have. */
void nb_solve_restart(nb_solve *solve);
void nb_solve_destroy(nb_solve *solve);
/* [s] what the classes' create took, which is no part of a step; 0 for NULL */
double nb_solve_create_s(const nb_solve *solve);

/* Solves A x = b from zero. A reason that the true residual contradicts is corrected: where it is not within a
 * hundred times the tolerance of a solver that says converged, to round-off or (above 1e-4) stagnated; where it is
 * larger than b after round-off or exact, to diverged or (direct solvers) singular; where it is in rows that an
 * iterative solver's norm did not see (their diagonal is zero, or x = 0), to breakdown, or round-off where A takes it
 * to zero, so that it cannot be made less. x [rows] is zero where the system holds NaN (reason nan) or the result is
 * not finite (reason diverged). `history` may be NULL. Always the same system object, or one that is fresh or
 * restarted. A system that is not symmetric is NB_ERROR_UNSUPPORTED for a solver or preconditioner that takes symmetric
 * ones only, unless both take its mirrored rows (registry.h names those that fit, before anything is run). */
nb_status nb_solve_run(nb_solve *solve, nb_system *system, const nb_linear_stop *stop, nb_solve_history *history,
                       void *history_context, real *x, nb_solve_report *report);

#endif
