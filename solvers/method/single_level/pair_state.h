/* A step of a world as pairs of convex sets between bodies (contact_pair.h): its unknowns, residuals and Newton
 * systems, for methods that find contact points themselves: the state that its sources share
 * (private to solvers/method/single_level).
 *
 * The velocities u of all bodies and the unknowns of all pairs make one system, of which the pairs' are eliminated, so
 * that the linear solver has one unsymmetric matrix of 6 x 6 blocks over the bodies that move:
 *
 *     M (u - u~) = sum of F_i and their torques + J^T z,   with u~ as the harness has it
 *     c(q+)/h + (e/h^2) z = 0   of joints (pair_joints.h), whose rows stand in the matrix behind the bodies'
 *
 * each body's rows over its own mass. Units: the mean radius L of the sets of moving bodies; for velocities c, the
 * speed sqrt(g L) of a fall from there, but no more than 0.05 L/h, and that without gravity; for a pair's impulses the
 * lesser mass m of its two bodies. All unknowns begin at 1 in such units: with a c of g h, alpha - 1 would begin at a
 * thousand times what bodies move within a step, and one step in ten failed; with one of 0.1 L/h, arches and walls did.
 *
 * A step ends where the products of collision are rho, which rounds shapes by some rho L at any h, and where of a
 * contact with the normal impulse J, its gap and its slip
 *
 *     J gap = rho m g h L,   mu J psi + beta.w = rho m g h sqrt(g L) [J]
 *
 * so that rho means the same at every h: forces J/h have the potential -rho m g L ln(gap), and friction the power
 * rho m g sqrt(g L). What carries its own weight keeps a gap of rho L and creeps by about rho sqrt(g L); what begins
 * without a gap gets a velocity of sqrt(rho g L) at most. These are `part` of rho in the units above, for which the
 * paper's (22) has 1: gaps are then rho L m c/J, and velocities at the start gap/h, or 1/h^2. */
#ifndef NB_SINGLE_LEVEL_PAIR_STATE_H
#define NB_SINGLE_LEVEL_PAIR_STATE_H

#include "base/arena.h"
#include "base/real.h"
#include "contact_pair.h"
#include "model/world.h"
#include "operator/solve.h"
#include "operator/system.h"
#include "set_pairs.h"

#define nb_pair_problem NB_REAL_NAME(nb_pair_problem)

/* what rho is measured by */
typedef enum nb_pair_rho_unit {
    NB_PAIR_BY_WEIGHT, /* as above; without gravity, where h is the only unit of time, as below */
    NB_PAIR_BY_PRODUCT /* parts of 1 */
} nb_pair_rho_unit;

typedef struct nb_pair_joint {
    int32_t body[2];      /* -1: the world */
    int32_t first, count; /* its rows among those of all joints, in the world's order */
    int32_t row;          /* the first one's in the matrix; -1: neither body moves, and it has none there */
    double mass;          /* [kg] the unit of its impulses, the lesser mass of what moves */
} nb_pair_joint;

typedef struct nb_pair_problem {
    const nb_world *world; /* borrowed */
    double h;              /* in the units below */
    double length, speed;  /* [m], [m/s] */
    int32_t body_count, moving;
    int32_t *row;                            /* [bodies] first row of a body that moves; -1 */
    nb_pair_body *body;                      /* [bodies] at u */
    double *u, *u_kept, *du, *u_free, *u_si; /* [bodies][6]; u_si in m/s */
    real *x;                                 /* [rows] of the system's solution */
    double *inertia;                         /* [bodies][9] over the mass, in the world, at the start */
    double *r;                               /* [bodies][6] residuals of momentum */
    int32_t rows;                            /* of the matrix: 6 a body that moves, then those of joints */
    int32_t joint_count, joint_rows;
    nb_pair_joint *joints;        /* [joint_count] as in the world */
    double *z, *z_kept, *dz;      /* [joint_rows] impulses */
    double *joint_residual;       /* [joint_rows] c/h + (e/h^2) z */
    double (*joint_gradient)[12]; /* [joint_rows] by lengths and turns of a and b */
    double *joint_compliance;     /* [joint_rows] e/h^2 */
    double *joint_diagonal;       /* [joint_rows] the same in the matrix */
    double *joint_unit;           /* [joint_rows] 1; of rows of rotation L */
    double *joint_impulse;        /* [joint_rows] [N s] or [N m s] the unit of z; 0: the joint has no rows */
    nb_set_pairs found;
    nb_pair_set *sets;         /* of all bodies that have some, one body after the other */
    int32_t *first_set;        /* [bodies] */
    nb_contact_pair *pairs;    /* [found.count], in that order */
    double *mass;              /* [found.count] [kg] the unit of a pair's impulses */
    int32_t degree;            /* products of all pairs */
    double product;            /* their sum where last evaluated */
    double product_by_step[2]; /* what goes with t and t^2 in it after t times the last step */
    double reach;              /* the longest part of the last step that leaves all pairs in their cones */
    double part[2];            /* of all pairs (contact_pair.h) */
    double apart;              /* collision is solved by itself, to products of this; 0: it is not */
    int32_t grown;             /* iterations of that since the step began */
    int monotone;              /* 1: of a pair's part of the matrix the symmetric part has no negative eigenvalues */
    int stuck;                 /* 1: the collision of a pair was not solved at the point last placed */
    nb_system *system;         /* NULL: nothing moves */
    nb_solve_report report;    /* of the last solve */
    /* private */
    int32_t (*known)[3]; /* [known_count] rows of the pairs' bodies that the matrix was made for, and of joints */
    int32_t known_count;
    int64_t known_capacity;
    double *scratch;
    char unknowns[256]; /* what the system's are */
    int64_t *place;     /* [pairs][4] where a pair's blocks begin in the first row of each; -1: none */
    nb_csr *matrix;     /* the system's */
    nb_delassus *delassus;
    nb_solve *solve;
    nb_arena bodies, pairs_arena;
} nb_pair_problem;

#endif
