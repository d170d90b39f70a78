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
 * Sources: interior_step.h; interior_point.c; Alizadeh, Goldfarb, 2003. */
#ifndef NB_INTERIOR_POINT_ISLAND_LOOP_H
#define NB_INTERIOR_POINT_ISLAND_LOOP_H

#include <stdint.h>

#include "body_lu.h"
#include "cone/cone.h"

/* what an island is given of a contact; the frame's rows are the normal and two tangents */
typedef struct nb_island_contact {
    int32_t body[2]; /* within the island; -1: one that nothing moves */
    double direction[3][3];
    double start[2][3]; /* arms at the start of the step [m] */
    double turns;       /* 1: arms turn with their bodies; 0: they stay */
    double rate;        /* gap over h [m/s] */
    double mu;
    double prescribed[2][6]; /* velocities of bodies that nothing moves */
    double impulse[3];       /* z [N s] that a warm island begins with */
} nb_island_contact;

enum {
    NB_ISLAND_LANES = NB_BODY_LU_LANES /* contacts of a block */
};

/* Contacts side by side, a number of each in a vector (body_lu.h). Lanes without a contact rest at x = y = e with
 * S = 0, and take part in no sum. */
typedef struct nb_island_block {
    /* given */
    int32_t body[2][NB_ISLAND_LANES];
    nb_lanes live; /* 1; 0 without a contact */
    nb_lanes direction[3][3], start[2][3], turns, rate, mu, impulse[3];
    double prescribed[2][NB_ISLAND_LANES][NB_BODY_LU_STRIDE]; /* rows like those of bodies */
    /* of the present u */
    nb_lanes arm[2][3];
    nb_lanes value[3]; /* C_n/h, v_t [m/s] */
    nb_lanes w[2];     /* effective inverse masses, normal and mean tangential [1/kg] */
    /* the iterate and its step */
    nb_lanes s[3], compliance; /* S; S E S of the normal */
    nb_lanes x[3], y[3], centre[3], residual[3], dx[3], dy[3];
    nb_lanes length[2], determinant[2]; /* of x and y: |x_T|, x_N^2 - |x_T|^2 */
    /* the scaling (cone.h): eta, 1/eta, w, 1/(1 + w_N); lambda, |lambda_T|, 1/lambda_N, 1/det lambda */
    nb_lanes size, over_size, point[3], over_point, lambda[3], lambda_length, over_normal, over_determinant;
    nb_lanes tilt[2];                    /* theta y_T/|y_T| */
    nb_lanes inverse[9], k[9], right[3]; /* k: what the contact adds between velocities in the world */
    nb_lanes best[3];                    /* x of the least error in the polish */
} nb_island_block;

struct nb_island_kernels;

/* of island_polish.h */
typedef struct nb_island_polish {
    double tolerance;   /* given; 0: there is none [m/s] */
    int32_t sure, most; /* given: iterations of the loop and of it; the second where it is near a solution */
    int begun;
    double rho, eps;     /* of the present problem: the map's weight, and the proximal term; 0: there is none */
    double norm, start;  /* |F|; where the problem began */
    double shift;        /* the least */
    double least;        /* the least error so far [m/s] */
    int32_t steps, slow; /* of the present problem; short ones in a row */
    int32_t starts;      /* of the proximal point */
    int stuck;           /* the last step found no smaller |F| */
} nb_island_polish;

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
    double *inverse;        /* [bodies][NB_BODY_LU_STRIDE] 1/m, the inverse inertia, and a radius of gyration [m] */
    double *free;           /* [bodies][6] u~ */
    nb_body_lu lu;          /* analysed */
    const nb_body_lu_kernels *lu_kernels;
    const struct nb_island_kernels *kernels;
    /* scratch and outcome */
    double *u, *du, *momentum; /* [bodies][NB_BODY_LU_STRIDE] velocities, their step, M (u - u~) - J^T z */
    int32_t *slot;             /* [contacts] NB_ISLAND_LANES times its block, and its lane */
    nb_island_block *block;    /* [nb_island_blocks(contacts)] */
    double unit, eps, theta;
    double tau, size, far;             /* x.y a contact; largest residual; largest |x - c| */
    double alpha, sigma;               /* of the last step */
    double least, before;              /* progress */
    double error;                      /* natural map of the iterate [m/s] */
    int32_t iterations, idle, centres; /* done; without progress; proximal points */
    int failed, solved, ended;
    nb_island_polish polish;
} nb_island;

/* The kernels for each instruction set (island_kernels.c, lanes/). Contacts are taken in their order, whatever thread
 * they are taken by. */
typedef struct nb_island_kernels {
    /* w of the present arms */
    void (*weigh)(nb_island *island);
    /* values at u, and where arms turn these and w */
    void (*evaluate)(nb_island *island);
    /* The momentum, the contacts' residuals, `length`, `determinant`, tau, size, far and error (NaN where it is none)
     * of the iterate. */
    void (*measure)(nb_island *island);
    /* u of the impulses, u~ + M^-1 J^T z */
    void (*balance)(nb_island *island);
    /* scalings, `inverse` and `k` */
    void (*scale)(nb_island *island);
    /* `k` of `inverse` */
    void (*couple)(nb_island *island);
    /* The right-hand sides for x o y = target e and `weight` of the residuals, with the second-order term of the
     * direction before where `correct`: those of contacts, and in du that of the bodies. */
    void (*aim)(nb_island *island, double target, int correct, double weight);
    /* the right-hand side of the bodies in du, of those of contacts and `weight` of the momentum */
    void (*gather)(nb_island *island, double weight);
    /* dx and dy of du */
    void (*follow)(nb_island *island);
    /* the longest step of x and y within their cones; NaN where it is none */
    double (*longest_step)(const nb_island *island);
    /* x.y a contact after a step of length t; whether x and y are inside their cones there, in floating point */
    double (*complementarity)(const nb_island *island, double t);
    int (*is_inside)(const nb_island *island, double t);
    void (*step)(nb_island *island, double t);
} nb_island_kernels;

const nb_island_kernels *nb_island_kernels_get(void);
/* those of an instruction set; NULL where this processor has it not */
const nb_island_kernels *nb_island_kernels_named(const char *name);

static inline int32_t nb_island_blocks(int32_t contacts) {
    return (contacts + NB_ISLAND_LANES - 1) / NB_ISLAND_LANES;
}

/* a block, and which of its lanes */
typedef struct nb_island_lane {
    nb_island_block *c;
    int i;
} nb_island_lane;

static inline nb_island_lane nb_island_lane_of(const nb_island *island, int32_t contact) {
    const int32_t slot = island->slot[contact];
    return (nb_island_lane){&island->block[slot / NB_ISLAND_LANES], slot % NB_ISLAND_LANES};
}

static inline void nb_lanes_get(const nb_lanes *v, int count, int lane, double *out) {
    for (int k = 0; k < count; k++) out[k] = v[k][lane];
}

static inline void nb_lanes_set(nb_lanes *v, int count, int lane, const double *from) {
    for (int k = 0; k < count; k++) v[k][lane] = from[k];
}

/* Takes the contacts, and chooses their slots: blocks of one pair of bodies first, as these cost the least, then what
 * is left of all pairs. Contacts of a pair are to follow each other. */
void nb_island_set_contacts(nb_island *island, const nb_island_contact *contact);

/* Begins at u and the impulses. Where a warm island is solved there, it stays as it is, and has ended; else it takes
 * the first iterate, and measures that. */
void nb_island_begin(nb_island *island);

/* One iteration of an island that has not `ended`. */
void nb_island_iterate(nb_island *island);

/* z of contact i [N s] at the iterate */
void nb_island_impulse(const nb_island *island, int32_t i, double z[3]);

/* ---- parts of an iteration ---- */

/* the kernel, and what is no number is an infinite error */
void nb_island_measure(nb_island *island);
/* the factors of M + J^T S K S J, of the contacts' `k` */
void nb_island_factorise(nb_island *island);

#endif
