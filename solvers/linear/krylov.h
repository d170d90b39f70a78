/* What Krylov methods share (conjugate.c, minres.c): a solve of one cycle or several over a vector backend, when it is
 * to stop (stops.h), and what the monitor is told. Private to solvers/linear. */
#ifndef NB_LINEAR_KRYLOV_H
#define NB_LINEAR_KRYLOV_H

#include "linear/deflation.h"
#include "linear/stops.h"
#include "linear/vector_backend.h"
#include "linear_solver.h"

#define nb_krylov NB_STORAGE_NAME(nb_krylov)
#define nb_krylov_begin NB_STORAGE_NAME(nb_krylov_begin)
#define nb_krylov_goes_on NB_STORAGE_NAME(nb_krylov_goes_on)
#define nb_krylov_meets NB_STORAGE_NAME(nb_krylov_meets)
#define nb_krylov_open_cycle NB_STORAGE_NAME(nb_krylov_open_cycle)
#define nb_krylov_precondition NB_STORAGE_NAME(nb_krylov_precondition)
#define nb_krylov_size NB_STORAGE_NAME(nb_krylov_size)
#define nb_krylov_report NB_STORAGE_NAME(nb_krylov_report)
#define nb_krylov_report_step NB_STORAGE_NAME(nb_krylov_report_step)

/* One solve in progress, of one cycle or several. There are several where the tolerance is of another norm than the
 * recurrences', or the residual is to be verified. A cycle ends where the recurrence says that the tolerance is met.
 * Where b - A x says otherwise, the next one begins from it. */
typedef struct nb_krylov {
    nb_vector_backend *backend;
    const nb_system *system;
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    real *rows; /* the iterate as the monitor and the caller know it */
    nb_stops stops;
    int opened;              /* a cycle was */
    int verifies;            /* the residual is formed before it is believed */
    int measures;            /* its norm is not that of the recurrences */
    double start;            /* that norm of b */
    double verified;         /* and of b - A x when it was formed last */
    nb_deflation *deflation; /* NULL: none */
    double fallen;           /* e^T A e, by its projections since the last iterate was told */
} nb_krylov;

/* tells the monitor of the iterate x + a d */
void nb_krylov_report(const nb_krylov *p, const storage *x, double a, const storage *d);
/* the same, and by how much the step to it lowered e^T A e (nb_linear_iterate) */
void nb_krylov_report_step(nb_krylov *p, double decrease, const storage *x, double a, const storage *d);
/* z = P r, or what deflation leaves of it */
void nb_krylov_precondition(const nb_krylov *p, const storage *r, storage *z);
/* the norm that the tolerance is of, from the residual r and z = P r; z is r where P was taken in */
double nb_krylov_size(const nb_krylov *p, const storage *r, const storage *z);
/* whether a residual of this norm, which the recurrences do not know, ends the cycle */
int nb_krylov_meets(const nb_krylov *p, double size);
/* A solve begins, deflated (`deflation`) or not: takes the weights and the right-hand side; the residual at x = 0 into
 * r. What fails here, nb_vector_backend_fault tells as well. */
nb_krylov nb_krylov_begin(nb_vector_backend *s, nb_deflation *deflation, const nb_system *system,
                          const nb_linear_request *request, real *rows, nb_linear_outcome *outcome, storage *r);
/* A cycle begins at the iterate x, at the residual r, z = P r, of squared norm `weighted` = r . P r. */
void nb_krylov_open_cycle(nb_krylov *p, double weighted, const storage *x, const storage *r, const storage *z);
/* Whether a cycle that ended at x is to be followed by another one. Where it says that the tolerance was met, b - A x
 * is formed in r. z gets P r where that is needed for its norm. `scratch` is overwritten. */
int nb_krylov_goes_on(nb_krylov *p, storage *x, storage *r, storage *z, storage *scratch);

#endif
