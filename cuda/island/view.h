/* The island kernel: the whole Newton iteration of a time step in one launch, a block of threads an island (or scene).
 *
 * A thread has one *element*, a contact or a joint row, whose geometry and whose shares of all vectors it keeps in
 * registers (nb_island_lane). What elements and bodies exchange is in the block's shared memory (nb_island_shared): the
 * elements' forces and arms, the bodies' velocities. Elements: contacts first, then, from a whole warp on, joint
 * rows. Bodies are *slots*: those with mass first, in the order of the step, then those without that touch them.
 *
 * The iteration is that of solvers/method/newton/newton.c, the linear solvers are those of solvers/linear, PCR with its
 * three dots in one reduction: |q|^2 = w.w + 2 beta w.q + beta^2 |q'|^2 of q = w + beta q'. Its iterates are those of
 * the classical form up to the growth of round-off. Rows of joints follow the iterate as contacts' arms do, by
 * increments from the start of the step (constraint/joint_formulas.h), or stay (frozen geometry).
 *
 * Source: Macklin et al. 2019, eq. (59); core/formulation.md. */
#ifndef NB_ISLAND_VIEW_H
#define NB_ISLAND_VIEW_H

#include <stdint.h>

#include "base/features.h"
#include "base/real.h"
#include "constraint/ncp.h"
#include "model/joint_motion.h"
#include "reason.h"

#define nb_island NB_REAL_NAME(nb_island)
#define nb_island_settings NB_REAL_NAME(nb_island_settings)
#define nb_island_lane NB_REAL_NAME(nb_island_lane)
#define nb_island_shared NB_REAL_NAME(nb_island_shared)

enum {
    NB_ISLAND_WARP = 32,
    NB_ISLAND_BODY_LANES = 8, /* threads that gather a body's force */
    NB_ISLAND_SUMS = 4,
    NB_ISLAND_MOST_THREADS = NB_REAL_BITS == 32 ? 512 : 256, /* elements, padded: more do not fit the registers */
    NB_ISLAND_MOST_WARPS = 32
};

typedef enum nb_island_solver {
    NB_ISLAND_PCR,
    NB_ISLAND_PCG,
    NB_ISLAND_JACOBI,      /* plain or damped by omega */
    NB_ISLAND_GAUSS_SEIDEL /* in colour order, over-relaxed by omega; in a kernel of its own */
} nb_island_solver;

/* what a launch does with all its islands */
typedef struct nb_island_settings {
    nb_ncp_function ncp;
    nb_ncp_scaling scaling;
    nb_island_solver solver;
    int paper_row_scaling, regularization_absolute, contacts_linear; /* 0 or 1, as what follows */
    int precondition;                                                /* by the diagonal */
    int symmetric;                                                   /* Gauss-Seidel forward and backward */
    int exact; /* trajectories in f64 by the interior point (trajectory/exact_stages.h): newton_iterations of it */
    int32_t newton_iterations, linear_iterations;
    real h, damping, regularization, alpha_minimum, omega;
    real soft; /* compliance of the normals, e/h^2 [1/kg] */
    double linear_tolerance;
} nb_island_settings;

/* one Newton iteration's outcome */
typedef struct nb_island_report {
    double residual_linf, residual_l2; /* of the right-hand side */
    double step_linf;                  /* largest w |dz| applied [m/s] */
    int32_t linear_iterations, products;
    int32_t reason; /* an nb_reason: why the linear solver ended */
    int32_t unused;
} nb_island_report;

/* One island in memory; every array of elements is [..][threads], of bodies [..][slots]. */
typedef struct nb_island {
    int32_t contacts, joint_rows, bodies, slots; /* bodies with mass; and with the others */
    int32_t threads, joint_first;                /* elements, padded to whole warps; the first joint row's */
    int32_t contact_begin, joint_begin;          /* the first of its rows in the problem */
    int32_t *body;                               /* [slots] the problem's */
    int32_t *a, *b;                              /* slots; -1: the world (of joint rows) */
    int32_t *side_start, *side_list;             /* [bodies + 1]; 2 element + (0 on body a, 1 on body b) */
    int32_t relaxes, colours, turns;             /* 1: there is an order of sweeps, of so many colours and turns */
    int32_t *turn;                               /* when in a sweep the element is due, from 0 on (relax.h) */
    int32_t joints_move;                         /* 1: rows of joints follow the iterate */
    int32_t *motion;                             /* of such a row, an nb_joint_motion */
    real *joint;                                 /* [NB_JOINT_NUMBERS] where it starts */
    real *geometry;    /* [12] contacts: n, t1, arm a, arm b at the start of the step; joint_rows: their row of J, which
                          the kernel writes where it moves */
    real *offset;      /* C_n/h or c_b/h at the start of the step [m/s] */
    real *arms_turn;   /* of contacts: 1 where their arms turn with the bodies, or 0 */
    real *coefficient; /* mu, or the compliance E/h^2 */
    real *inverse_mass;        /* [7] 1/m, inverse inertia xx yy zz xy xz yz */
    real *u_free;              /* [6] */
    real *u;                   /* [6] at the start */
    real *z;                   /* [3] at the start; joint_rows have the first alone */
    int32_t kept;              /* iterates that are kept: all, or 1: the last */
    real *iterates;            /* [kept][6 slots + 3 threads] u and z */
    nb_island_report *reports; /* [newton_iterations] */
} nb_island;

NB_FN int64_t nb_island_iterate_length(const nb_island *v) {
    return 6 * (int64_t)v->slots + 3 * (int64_t)v->threads;
}

/* what a thread keeps */
typedef struct nb_island_lane {
    int turn; /* which half of the partial sums is next */
    int kind; /* 0: none, 1: contact, 2: joint row */
    int32_t a, b;
    real geometry[12];      /* as in the island, with the arms at the present iterate */
    real z[3], diagonal[3]; /* of D */
    real s[2], c[2], b_rows[3], update[2], root[3];
    real x[3], d[3], q[3], r[3], w[3]; /* of the linear solver, in the space with the preconditioner taken in */
    real factor[6];                    /* of Gauss-Seidel: L D L^T of the element's own block, by rows */
    double sums[NB_ISLAND_SUMS];       /* its share of sums; of the last the largest is wanted */
} nb_island_lane;

/* the block: its threads, of which a smaller island than the largest of a launch has use for the first alone, and its
 * shared memory */
typedef struct nb_island_shared {
    int threads;
    int32_t elements, slots, bodies, joint_first; /* the island's; here they stay in registers */
    double *partial;                              /* [2][NB_ISLAND_MOST_WARPS][NB_ISLAND_SUMS], taken in turn */
    real *force;        /* [3][elements] of each contact on body a in the world's axes; [0] s y of a joint row */
    real *arm;          /* [6][elements] */
    real *velocity;     /* [6][slots] H^-1 J^T of what force holds; zero for bodies without mass */
    real *motion;       /* [7][slots] u, and the scale of its rotation (contact_formulas.h) */
    real *momentum;     /* [6][slots] H^-1 g */
    real *inverse_mass; /* [7][slots], side_start and side_list: the island's */
    int32_t *side_start, *side_list;
} nb_island_shared;

/* what the kernel keeps there besides, its island, up to where the rest is aligned [bytes] */
enum {
    NB_ISLAND_OWN_BYTES = (sizeof(nb_island) + 127) / 128 * 128
};

/* how many sides of elements there are at most, the length of side_list */
NB_FN int64_t nb_island_sides(const nb_island *v) {
    return 2 * ((int64_t)v->contacts + v->joint_rows);
}

/* what nb_island_share divides [bytes] */
NB_FN int64_t nb_island_shared_bytes(const nb_island *v) {
    return 2 * NB_ISLAND_MOST_WARPS * NB_ISLAND_SUMS * (int64_t)sizeof(double) +
           (9 * (int64_t)v->threads + 26 * (int64_t)v->slots) * (int64_t)sizeof(real) +
           (v->bodies + 1 + nb_island_sides(v)) * (int64_t)sizeof(int32_t);
}

/* Divides `memory`, aligned for doubles, of a block of so many threads. */
NB_FN void nb_island_share(const nb_island *v, int threads, double *memory, nb_island_shared *s) {
    s->threads = threads;
    s->elements = v->threads;
    s->slots = v->slots;
    s->bodies = v->bodies;
    s->joint_first = v->joint_first;
    s->partial = memory;
    s->force = (real *)(memory + 2 * NB_ISLAND_MOST_WARPS * NB_ISLAND_SUMS);
    s->arm = s->force + 3 * s->elements;
    s->velocity = s->arm + 6 * s->elements;
    s->motion = s->velocity + 6 * s->slots;
    s->momentum = s->motion + 7 * s->slots;
    s->inverse_mass = s->momentum + 6 * s->slots;
    s->side_start = (int32_t *)(s->inverse_mass + 7 * s->slots);
    s->side_list = s->side_start + s->bodies + 1;
}

#endif
