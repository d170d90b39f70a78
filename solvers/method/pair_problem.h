/* A step of a world as pairs of convex sets between bodies (contact_pair.h): its unknowns, residuals and Newton
 * systems, for methods that find contact points themselves (private to solvers/method).
 *
 * The velocities u of all bodies and the unknowns of all pairs make one system, of which the pairs' are eliminated, so
 * that the linear solver has one unsymmetric matrix of 6 x 6 blocks over the bodies that move:
 *
 *     M (u - u~) = sum of F_i and their torques,   with u~ as the harness has it
 *
 * each body's rows over its own mass. Units: the mean radius L of the sets of moving bodies; the speed sqrt(g L) of a
 * fall from there (without gravity the largest velocity); for a pair's impulses the lesser mass m of its two bodies. In
 * these rho has no unit: where an impulse is J, the gap is rho L m sqrt(g L)/J. In such units all unknowns can begin at
 * 1: with g h in the place of sqrt(g L) a start of alpha - 1 = 1 is a thousand times what bodies move within a step, and
 * one step in ten fails. */
#ifndef NB_METHOD_PAIR_PROBLEM_H
#define NB_METHOD_PAIR_PROBLEM_H

#include "base/arena.h"
#include "base/real.h"
#include "constraint/step.h"
#include "method.h"
#include "method/contact_pair.h"
#include "method/set_pairs.h"
#include "operator/solve.h"

#define nb_pair_problem NB_REAL_NAME(nb_pair_problem)
#define nb_pair_problem_create NB_REAL_NAME(nb_pair_problem_create)
#define nb_pair_problem_destroy NB_REAL_NAME(nb_pair_problem_destroy)
#define nb_pair_problem_begin NB_REAL_NAME(nb_pair_problem_begin)
#define nb_pair_problem_start NB_REAL_NAME(nb_pair_problem_start)
#define nb_pair_problem_extend NB_REAL_NAME(nb_pair_problem_extend)
#define nb_pair_problem_place NB_REAL_NAME(nb_pair_problem_place)
#define nb_pair_problem_evaluate NB_REAL_NAME(nb_pair_problem_evaluate)
#define nb_pair_problem_aim NB_REAL_NAME(nb_pair_problem_aim)
#define nb_pair_problem_eliminate NB_REAL_NAME(nb_pair_problem_eliminate)
#define nb_pair_problem_direction NB_REAL_NAME(nb_pair_problem_direction)
#define nb_pair_problem_violation NB_REAL_NAME(nb_pair_problem_violation)
#define nb_pair_problem_reach NB_REAL_NAME(nb_pair_problem_reach)
#define nb_pair_problem_product NB_REAL_NAME(nb_pair_problem_product)
#define nb_pair_problem_keep NB_REAL_NAME(nb_pair_problem_keep)
#define nb_pair_problem_move NB_REAL_NAME(nb_pair_problem_move)

typedef struct nb_pair_problem {
    const nb_world *world; /* borrowed */
    double h;              /* in the units below */
    double length, speed;  /* [m], [m/s] */
    int32_t body_count, moving;
    int32_t *row;                            /* [bodies] first row of a body that moves; -1 */
    nb_pair_body *body;                      /* [bodies] at u */
    double *u, *u_kept, *du, *u_free, *u_si; /* [bodies][6]; u_si in m/s */
    real *x;                                 /* [rows] */
    double *inertia;                         /* [bodies][9] over the mass, in the world, at the start */
    double *r;                               /* [bodies][6] residuals of momentum */
    nb_set_pairs found;
    nb_pair_set *sets;      /* of all bodies that have some, one body after the other */
    int32_t *first_set;     /* [bodies] */
    nb_contact_pair *pairs; /* [found.count], in that order */
    double *mass;           /* [found.count] [kg] the unit of a pair's impulses */
    int32_t degree;         /* products of all pairs */
    nb_system *system;      /* NULL: nothing moves */
    nb_solve_report report; /* of the last solve */
    /* private */
    int32_t (*known)[2]; /* [known_count] bodies of the pairs that the matrix was made for */
    int32_t known_count;
    int64_t known_capacity;
    double *scratch;
    int64_t *place; /* [pairs][4] where a pair's blocks begin in the first row of each; -1: none */
    nb_csr *matrix; /* the system's */
    nb_delassus *delassus;
    nb_solve *solve;
    nb_arena bodies, pairs_arena;
} nb_pair_problem;

nb_status nb_pair_problem_create(const nb_method_settings *settings, nb_pair_problem **problem);
void nb_pair_problem_destroy(nb_pair_problem *problem); /* NULL allowed */

/* Begins a step: bodies, units and pairs that may touch. `who` stands in the message where the world has what it does
 * not know (NB_ERROR_UNSUPPORTED). u is that of `p`. */
nb_status nb_pair_problem_begin(nb_pair_problem *problem, nb_problem *p, const char *who);
/* All pairs at their starts. */
void nb_pair_problem_start(nb_pair_problem *problem);
/* Looks for pairs that bodies have come to have at u; where there are some, all pairs are made anew. */
nb_status nb_pair_problem_extend(nb_pair_problem *problem, int32_t *added);

/* Places the bodies at u. */
void nb_pair_problem_place(nb_pair_problem *problem);
/* Residuals, and their largest ones: of equations, and of products against `target`. */
void nb_pair_problem_evaluate(nb_pair_problem *problem, double target, double *equality, double *cone);
/* Those of products anew: for a target, and with weight times the products of the step. */
void nb_pair_problem_aim(nb_pair_problem *problem, double target, double weight);
/* The matrix at the point last evaluated. *regular 0: that of a pair is singular. */
void nb_pair_problem_eliminate(nb_pair_problem *problem, int *regular);
/* The largest residuals of pairs as they are. */
void nb_pair_problem_violation(const nb_pair_problem *problem, double *equality, double *cone);
/* The step for the residuals as they are; *solved 0: the linear solver could not. The observer is handed the system as
 * that of this iteration, beside the problem p, where it is not -1; what it took is added to *heard_s. */
nb_status nb_pair_problem_direction(nb_pair_problem *problem, const nb_method_settings *settings,
                                    const nb_observer *observer, int32_t iteration, const nb_problem *p,
                                    double *heard_s, int *solved);
/* as of pairs, of all */
double nb_pair_problem_reach(const nb_pair_problem *problem, double most);
double nb_pair_problem_product(const nb_pair_problem *problem, double t);
void nb_pair_problem_keep(nb_pair_problem *problem);
void nb_pair_problem_move(nb_pair_problem *problem, double t);

#endif
