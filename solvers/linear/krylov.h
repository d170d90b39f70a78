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
#define nb_krylov_restarts NB_STORAGE_NAME(nb_krylov_restarts)
#define nb_krylov_bound NB_STORAGE_NAME(nb_krylov_bound)
#define nb_krylov_open_cycle NB_STORAGE_NAME(nb_krylov_open_cycle)
#define nb_krylov_precondition NB_STORAGE_NAME(nb_krylov_precondition)
#define nb_krylov_norm NB_STORAGE_NAME(nb_krylov_norm)
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
    int cycles;                /* so far */
    int verifies;              /* the residual is formed before it is believed */
    int other_norm;            /* the tolerance is of another norm than that of the recurrence */
    double start;              /* norm of b */
    double verified;           /* norm of b - A x when it was formed last */
    nb_deflation *deflation;   /* NULL: none */
    double projected_decrease; /* of e^T A e, by projections since the last report */
} nb_krylov;

/* reports the iterate x + a d to the monitor */
void nb_krylov_report(const nb_krylov *p, const storage *x, double a, const storage *d);
/* reports x + a d, and by how much the step to it lowered e^T A e (nb_linear_iterate) */
void nb_krylov_report_step(nb_krylov *p, double decrease, const storage *x, double a, const storage *d);
/* z = P r, projected where the solve is deflated */
void nb_krylov_precondition(const nb_krylov *p, const storage *r, storage *z);
/* The norm that the tolerance is relative to, of the residual r and z = P r; z is r where P was taken in. */
double nb_krylov_norm(const nb_krylov *p, const storage *r, const storage *z);
/* the norm (nb_krylov_norm) of a residual that ends the cycle */
double nb_krylov_bound(const nb_krylov *p);
/* A solve begins, deflated (`deflation`) or not: takes the weights and the right-hand side; the residual at x = 0 into
 * r. What fails here, nb_vector_backend_fault tells as well. */
nb_krylov nb_krylov_begin(nb_vector_backend *s, nb_deflation *deflation, const nb_system *system,
                          const nb_linear_request *request, real *rows, nb_linear_outcome *outcome, storage *r);
/* A cycle begins at the iterate x, at the residual r, z = P r, of squared norm `weighted` = r . P r. */
void nb_krylov_open_cycle(nb_krylov *p, double weighted, const storage *x, const storage *r, const storage *z);
/* Whether to restart from x, where a cycle ended. Where it reports convergence, b - A x is formed in r, and decides. z
 * gets P r where that is needed for its norm. `scratch` is overwritten. */
int nb_krylov_restarts(nb_krylov *p, storage *x, storage *r, storage *z, storage *scratch);

#endif
