/* What methods do with a step of a world as pairs of convex sets (pair_state.h; private to
 * solvers/method/single_level). */
#ifndef NB_SINGLE_LEVEL_PAIR_PROBLEM_H
#define NB_SINGLE_LEVEL_PAIR_PROBLEM_H

#include "base/real.h"
#include "constraint/problem.h"
#include "method.h"
#include "pair_memory.h"
#include "pair_state.h"

#define nb_pair_problem_create NB_REAL_NAME(nb_pair_problem_create)
#define nb_pair_problem_destroy NB_REAL_NAME(nb_pair_problem_destroy)
#define nb_pair_problem_begin NB_REAL_NAME(nb_pair_problem_begin)
#define nb_pair_problem_start NB_REAL_NAME(nb_pair_problem_start)
#define nb_pair_problem_go_on NB_REAL_NAME(nb_pair_problem_go_on)
#define nb_pair_problem_extend NB_REAL_NAME(nb_pair_problem_extend)
#define nb_pair_problem_move_bodies NB_REAL_NAME(nb_pair_problem_move_bodies)
#define nb_pair_problem_evaluate NB_REAL_NAME(nb_pair_problem_evaluate)
#define nb_pair_problem_aim NB_REAL_NAME(nb_pair_problem_aim)
#define nb_pair_problem_eliminate NB_REAL_NAME(nb_pair_problem_eliminate)
#define nb_pair_problem_direction NB_REAL_NAME(nb_pair_problem_direction)
#define nb_pair_problem_reach NB_REAL_NAME(nb_pair_problem_reach)
#define nb_pair_problem_product NB_REAL_NAME(nb_pair_problem_product)
#define nb_pair_problem_move NB_REAL_NAME(nb_pair_problem_move)
#define nb_pair_problem_try NB_REAL_NAME(nb_pair_problem_try)
#define nb_pair_problem_measure_rho NB_REAL_NAME(nb_pair_problem_measure_rho)
#define nb_pair_problem_release NB_REAL_NAME(nb_pair_problem_release)
#define nb_pair_problem_relax NB_REAL_NAME(nb_pair_problem_relax)
#define nb_pair_problem_scale NB_REAL_NAME(nb_pair_problem_scale)
#define nb_pair_problem_bound NB_REAL_NAME(nb_pair_problem_bound)
#define nb_pair_problem_free_target NB_REAL_NAME(nb_pair_problem_free_target)
#define nb_pair_problem_numbers NB_REAL_NAME(nb_pair_problem_numbers)
#define nb_pair_problem_store NB_REAL_NAME(nb_pair_problem_store)
#define nb_pair_problem_restore NB_REAL_NAME(nb_pair_problem_restore)
#define nb_pair_problem_store_step NB_REAL_NAME(nb_pair_problem_store_step)
#define nb_pair_problem_restore_step NB_REAL_NAME(nb_pair_problem_restore_step)

nb_status nb_pair_problem_create(const nb_method_settings *settings, nb_pair_problem **problem);
void nb_pair_problem_destroy(nb_pair_problem *problem); /* NULL allowed */

/* Begins a step: bodies, units and pairs that may touch. `who` stands in the message where the world has what it does
 * not know (NB_ERROR_UNSUPPORTED). u is that of `p`. */
nb_status nb_pair_problem_begin(nb_pair_problem *problem, nb_problem *p, const char *who);
/* Sets what rho is measured by (pair_state.h) in the step that was begun, for pairs that are made anew as well. */
void nb_pair_problem_measure_rho(nb_pair_problem *problem, nb_pair_rho_unit unit);
/* All pairs at their starts: what is remembered of the step before, where they are remembered, or their collisions, and
 * then impulses whose products are at this target, or at 0.01 where that is more. */
void nb_pair_problem_start(nb_pair_problem *problem, const nb_pair_memory *memory, double target);
/* The target of an impulse that stops the fastest body, times the way that it would go in the step. */
double nb_pair_problem_free_target(const nb_pair_problem *problem);
/* Takes this part of the velocities that bodies have at the start of the step. */
void nb_pair_problem_go_on(nb_pair_problem *problem, double part);
/* Takes the velocities that bodies have without contacts and joints. */
void nb_pair_problem_release(nb_pair_problem *problem);
/* Whether steps are scaled (contact_pair.h); not where pairs are made anew. */
void nb_pair_problem_scale(nb_pair_problem *problem, int scaled);
/* How far friction is relaxed (contact_pair.h), from the next evaluation on; not where pairs are made anew. */
void nb_pair_problem_relax(nb_pair_problem *problem, double part);
/* What products of collision aim at stays below this, 0: at the target (contact_pair.h); not where pairs are made anew.
 */
void nb_pair_problem_bound(nb_pair_problem *problem, double bound);
/* Looks for pairs that bodies have come to have at u; where there are some, all pairs are made anew. */
nb_status nb_pair_problem_extend(nb_pair_problem *problem, int32_t *added);

/* An iteration goes through the pairs as seldom as it can: thousands of them are read from memory each time. */

/* Places the bodies at u. */
void nb_pair_problem_move_bodies(nb_pair_problem *problem);
/* Residuals, and their largest ones: of equations, and of products against `target`. */
void nb_pair_problem_evaluate(nb_pair_problem *problem, double target, double *equality, double *cone);
/* The matrix at the point last evaluated, and the right-hand side. *regular 0: that of a pair is singular. */
void nb_pair_problem_eliminate(nb_pair_problem *problem, int *regular);
/* The residuals of products anew, and the right-hand side with them: for a target, and with weight times the products
 * of the step. *cone: the largest one without the latter. */
void nb_pair_problem_aim(nb_pair_problem *problem, double target, double weight, double *cone);
/* The step for the right-hand side, from the point as it is; *solved 0: the linear solver could not. The observer is
 * handed the system as that of this iteration, beside the problem p, where it is not -1; what it took is added to
 * *heard_s. */
nb_status nb_pair_problem_direction(nb_pair_problem *problem, const nb_method_settings *settings,
                                    const nb_observer *observer, int32_t iteration, const nb_problem *p,
                                    double *heard_s, int *solved);
/* as of pairs, of all */
double nb_pair_problem_reach(const nb_pair_problem *problem, double most);
double nb_pair_problem_product(const nb_pair_problem *problem, double t);
/* To the point that the step was found at, and t times the step. */
void nb_pair_problem_move(nb_pair_problem *problem, double t);
/* The same, evaluated for `target`; *aimed: the largest residual of a product against `aim`. */
void nb_pair_problem_try(nb_pair_problem *problem, double t, double aim, double target, double *equality, double *cone,
                         double *aimed);

/* The point as so many numbers, and back to it, where the pairs are the same; to be evaluated then. */
int64_t nb_pair_problem_numbers(const nb_pair_problem *problem);
void nb_pair_problem_store(const nb_pair_problem *problem, double *numbers);
void nb_pair_problem_restore(nb_pair_problem *problem, const double *numbers);
/* The step that was found as so many numbers, and such numbers as the step from the present point. */
void nb_pair_problem_store_step(const nb_pair_problem *problem, double *numbers);
void nb_pair_problem_restore_step(nb_pair_problem *problem, const double *numbers);

#endif
