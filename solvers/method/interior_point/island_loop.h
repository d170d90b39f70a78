/* One island of rigid bodies with Coulomb contacts and no joints, solved in one loop: an interior point over the
 * bodies' velocities u, the contacts' impulses and their slack, with a proximal term (private to
 * solvers/method/interior_point).
 *
 * In the scaled variables of scaled_problem.h, impulses z = unit S x and velocities v = S (value + E z)/unit, it brings
 *
 *     M (u - u~) - J^T z = 0,    v + |y_T| e_N + eps (x - c) - y = 0,    x o y = tau e
 *
 * to zero, with values, arms and J of the present u: contacts that turn with their bodies need no outer iteration. The
 * centre c is 0 at first, where eps is so small that it disturbs no solution at the tolerance. Where the
 * error no longer falls and eps (x - c) is what is left, c moves to x; without progress, c becomes the projection of x,
 * and eps large. A step is a predictor and a corrector (Mehrotra) with the Nesterov-Todd scaling; contacts are
 * eliminated by 3 x 3 blocks, and bodies by body_lu.h. The island is solved where the harness's natural map
 * (measure/measure.h) is within the tolerance.
 *
 * Sources: interior_step.h; proximal.h; Alizadeh, Goldfarb, 2003. */
#ifndef NB_INTERIOR_POINT_ISLAND_LOOP_H
#define NB_INTERIOR_POINT_ISLAND_LOOP_H

#include <stdint.h>

#include "body_lu.h"
#include "cone/cone.h"

typedef struct nb_island_contact {
    /* given; the frame's rows are the normal and two tangents */
    int32_t body[2]; /* within the island; -1: one that nothing moves */
    double direction[3][3];
    double start[2][3]; /* arms at the start of the step [m] */
    double turns;       /* 1: arms turn with their bodies; 0: they stay */
    double rate;        /* gap over h [m/s] */
    double mu;
    double prescribed[2][6]; /* velocities of bodies that nothing moves */
    double impulse[3];       /* z [N s] that a warm island begins with */
    /* of the present u */
    double arm[2][3];
    double value[3]; /* C_n/h, v_t [m/s] */
    double w[2];     /* effective inverse masses, normal and mean tangential [1/kg] */
    /* the iterate and its step */
    double s[3], compliance; /* S; S E S of the normal */
    double x[3], y[3], centre[3], residual[3], dx[3], dy[3];
    nb_cone_scaling scaling;
    double tilt[2]; /* y_T/|y_T| */
    double inverse[9], g[3], right[3];
} nb_island_contact;

typedef struct nb_island {
    /* given */
    int32_t bodies, contacts;
    double h, tolerance; /* [s], [m/s] */
    double start_tau;    /* where on the central path a warm start is put */
    double soft, ratio;  /* the normals' compliance [1/kg]; friction along second tangents to that along first ones */
    int turns;           /* 1: some contacts' arms turn */
    int warm;            /* 1: u and impulses are those of the step before; 0: of no meaning */
    int32_t most;        /* iterations */
    double *mass, *inertia; /* [bodies], [bodies][6] xx yy zz xy xz yz */
    double *inverse;        /* [bodies][7] 1/m, and the inverse inertia */
    double *free;           /* [bodies][6] u~ */
    nb_body_lu lu;          /* analysed */
    const nb_body_lu_kernels *kernels;
    /* scratch and outcome */
    double *u, *du, *momentum; /* [bodies][NB_BODY_LU_STRIDE] velocities, their step, M (u - u~) - J^T z */
    double *scale;             /* [bodies] 2/(1 + e.e), e = h omega/2 */
    nb_island_contact *contact;
    double unit, eps, theta;
    double tau, size, far;             /* x.y a contact; largest residual; largest |x - c| */
    double alpha, sigma;               /* of the last step */
    double least, before;              /* progress */
    double error;                      /* natural map of the iterate [m/s] */
    int32_t iterations, idle, centres; /* done; without progress; proximal points */
    int failed, solved, ended;
} nb_island;

/* Begins at u and the impulses. Where a warm island is solved there, it stays as it is, and has ended; else it takes
 * the first iterate, and measures that. */
void nb_island_begin(nb_island *island);

/* One iteration of an island that has not `ended`. */
void nb_island_iterate(nb_island *island);

/* z of contact i [N s] at the iterate */
void nb_island_impulse(const nb_island *island, int32_t i, double z[3]);

#endif
