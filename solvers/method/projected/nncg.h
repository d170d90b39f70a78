/* Nonlinear conjugate gradients over sweeps (private to solvers/method/projected). A sweep takes the state x to x';
 * what it moved, d = x' - x, stands for a gradient:
 *
 *     beta = |d|^2/|d_before|^2,   x <- x' + beta p,   p <- beta p + d;   beta > 1: p <- 0, a restart
 *
 * with the norm of the impulses z. The impulses, what else a method holds of them and the velocities that they have
 * made move together, as all are linear in x. Impulses may leave their cones until the next sweep.
 *
 * Source: Silcowitz, Niebe, Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force
 * problems", The Visual Computer 2010. */
#ifndef NB_PROJECTED_NNCG_H
#define NB_PROJECTED_NNCG_H

#include "sweep.h"

#define nb_nncg NB_REAL_NAME(nb_nncg)
#define nb_nncg_make NB_REAL_NAME(nb_nncg_make)
#define nb_nncg_clear NB_REAL_NAME(nb_nncg_clear)
#define nb_nncg_restart NB_REAL_NAME(nb_nncg_restart)
#define nb_nncg_step NB_REAL_NAME(nb_nncg_step)

/* the choices of the option `acceleration` */
enum {
    NB_ACCELERATION_NONE,
    NB_ACCELERATION_NNCG
};

#define NB_ACCELERATION_OPTION                                                                           \
    {                                                                                                    \
        "acceleration", "1", NB_ACCELERATION_NONE, 0, 0, 0, (const char *const[]){"none", "nncg", NULL}, \
            "nncg: nonlinear conjugate gradients over sweeps"                                            \
    }

enum {
    NB_NNCG_PARTS = 3
};

typedef struct nb_nncg {
    real *x[NB_NNCG_PARTS]; /* z, the velocities of nodes, what else: borrowed */
    int64_t length[NB_NNCG_PARTS];
    real *before[NB_NNCG_PARTS], *direction[NB_NNCG_PARTS];
    double square; /* |d|^2 of the sweep before; 0: there was none */
} nb_nncg;

/* Over a sweep's impulses and velocities, and `count` unknowns more where there are some. It is zero; the caller clears
 * it, on a fault too. Takes memory. */
nb_status nb_nncg_make(const nb_sweep *sweep, real *more, int64_t count, nb_nncg *nncg);
void nb_nncg_clear(nb_nncg *nncg); /* {0} allowed */

/* To be called where the state has changed otherwise than by a sweep. Does nothing for {0}, as the next. */
void nb_nncg_restart(nb_nncg *nncg);
void nb_nncg_step(nb_nncg *nncg); /* after each sweep */

#endif
