/* Lemke's method for a dense linear complementarity problem (private to solvers/method/lemke):
 *
 *     w = M z + q,   w >= 0,   z >= 0,   w.z = 0
 *
 * It adds z_0 >= 0 to every row, which makes z = 0 feasible, and exchanges basic variables until z_0 has left. Rows
 * that tie are told apart lexicographically, so that without round-off no basis comes twice. Where no row limits the
 * variable that enters, the solutions go on along a ray: if M is copositive plus (positive semidefinite, say), then no
 * w >= 0, z >= 0 meet w = M z + q at all. If it is copositive only, as for friction that is not relaxed, a ray says
 * nothing.
 *
 * The tableau is dense, n (n + 2) numbers, and a pivot changes all of them. Entries should be of size one.
 *
 * Source: Cottle, Pang, Stone, "The Linear Complementarity Problem", 1992, algorithms 4.4.5 and 4.9.3. */
#ifndef NB_LEMKE_PIVOTING_H
#define NB_LEMKE_PIVOTING_H

#include <stdint.h>

#include "base/status.h"

typedef enum nb_lemke_end {
    NB_LEMKE_SOLVED,
    NB_LEMKE_RAY,
    NB_LEMKE_CYCLED, /* a basis came twice: round-off has undone the lexicographic order */
    NB_LEMKE_PIVOTS  /* as many as were allowed */
} nb_lemke_end;

typedef struct nb_lemke_outcome {
    nb_lemke_end end;
    int32_t pivots;
} nb_lemke_outcome;

/* M [n][n] by rows, q [n]. `shift` is added to M's diagonal. z [n] receives the solution, of M itself with the basis
 * found where that is the better one; after another end it is zero. ray [n]: after a ray the direction in which z goes
 * on, at least 0; else zero. Takes memory. */
nb_status nb_lemke(int32_t n, const double *m, const double *q, double shift, int32_t most_pivots, double *z,
                   double *ray, nb_lemke_outcome *outcome);

/* the largest |min(z_i, (M z + q)_i)| */
double nb_lcp_error(int32_t n, const double *m, const double *q, const double *z);

#endif
