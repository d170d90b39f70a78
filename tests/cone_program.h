/* Small dense cone programs: minimise c . x over the x with h - G x in K, the product of half-lines and second-order
 * cones of up to NB_CONVEX_CONE_ROWS rows. A primal-dual interior point with Nesterov and Todd's scaling and Mehrotra's
 * corrector, from a point inside K that the caller has.
 *
 * Source: Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010; Domahidi, Chu, Boyd, "ECOS",
 * 2013, with normal equations for the step. */
#ifndef NB_TESTS_CONE_PROGRAM_H
#define NB_TESTS_CONE_PROGRAM_H

#include <stdint.h>

#include "base/status.h"

typedef struct nb_cone_program {
    int32_t unknowns, rows, block_count;
    int32_t *block_rows; /* [block_count] 1: a half-line; otherwise a second-order cone */
    double *c;           /* [unknowns] */
    double *g, *h;       /* [rows][unknowns], [rows] */
    double *x;           /* [unknowns] where it starts, and the solution */
    double *s, *z;       /* [rows] h - G x, and the multipliers: G^T z = -c, both in K, s . z = 0 */
    double gap;          /* s . z at the end: c . x is at most so far from the least */
    double dual_error;   /* largest entry of G^T z + c */
    int32_t iterations;
    double *work; /* private from here */
    double *memory;
    int64_t capacity;
} nb_cone_program;

/* Room for a program of these sizes, all numbers zero. *program starts as all zeros; its memory is used again. */
nb_status nb_cone_program_reserve(int32_t unknowns, int32_t rows, int32_t block_count, nb_cone_program *program);

/* Solves to s . z and an error of the dual of at most `tolerance`, or as near as round-off lets it come. x on entry
 * must be strictly inside. 0 where it is not within 1e-7 after all: a program without a solution, or of wild numbers.
 */
int nb_cone_program_solve(nb_cone_program *program, double tolerance);

void nb_cone_program_clear(nb_cone_program *program);

#endif
