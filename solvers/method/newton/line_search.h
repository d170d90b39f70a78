/* The length of a Newton step: t = 1, halved until a merit falls (private to solvers/method/newton).
 * Source: Macklin et al. 2019, 8.1, where the merit is the 2-norm of the residual. */
#ifndef NB_NEWTON_LINE_SEARCH_H
#define NB_NEWTON_LINE_SEARCH_H

#include "base/real.h"
#include "constraint/problem.h"

#define nb_line_search NB_REAL_NAME(nb_line_search)
#define nb_line_search_run NB_REAL_NAME(nb_line_search_run)
#define nb_line_search_move NB_REAL_NAME(nb_line_search_move)

typedef struct nb_line_search {
    const real *du, *dz;            /* the step [velocities], [rows] */
    real *u_saved, *z_saved;        /* [velocities], [rows] overwritten */
    double before;                  /* the merit of the iterate */
    double (*merit)(void *context); /* of the problem's present iterate, 0 at a solution */
    void *context;
} nb_line_search;

/* (u, z) += t (du, dz); returns the largest change of an impulse in velocity units, w |dz| [m/s] */
double nb_line_search_move(nb_problem *p, const real *du, const real *dz, real t);

/* Moves the problem's iterate by the first of t = 1, 1/2, ... at which the merit is at most (1 - 1e-4 t) of the one
 * before, and returns 1; after eight halvings without such a length 0, where the iterate was. *step_linf is the change
 * as above, or 0. */
int nb_line_search_run(const nb_line_search *search, nb_problem *p, double *step_linf);

#endif
