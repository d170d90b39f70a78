/* Two convex sets of two bodies as one part of a step's equations: collision and contact of a pair, by inequalities
 * alone (convex/convex_set.h), for methods that find contact points themselves (private to
 * solvers/method/single_level).
 *
 * Unknowns of a pair: the point p, the scale alpha and the epsilon of both sets, the multipliers lambda and slacks s of
 * their rows, the impulse's multiplier gamma with its slack s_g, and with friction (psi, w) and beta. With bodies
 * where they are at the end of the step, y_i = p - x_i, g_i = R_i A_i^T lambda_i, V_i the velocity of body i at p:
 *
 *     g_1 + g_2 = 0,   b_1.lambda_1 + b_2.lambda_2 = 1,   E^T lambda = 0,   s = alpha b - A (R^T y - c) - E epsilon
 *     s_g = alpha - 1,   w = g_1 x V_1 + g_2 x V_2
 *     lambda o s = rho e,   gamma s_g = rho,   (mu gamma, beta) o (psi, w) = rho e
 *
 * o is the product of half-lines and second-order cones, e its unit. What is s = g alone makes the least alpha for
 * which the sets meet. N_i = -g_i is normal to both, into body i, of length 1/(sum of both sets' extents along it), and
 * is never normalised: for symmetric sets it begins as zero. The impulse on body i is F_i = gamma N_i + N_i x beta, at
 * p: friction needs no tangents, |N x beta| <= mu gamma |N|, and as rho goes to 0 it takes the most power, -w.beta, so
 * that it is Coulomb's; beta's part along N comes out as zero, as w has none. The two g_i differ until the pair is
 * solved, and each body has its own.
 *
 * A Newton step eliminates all of this: what is left is 6 x 6 blocks over the velocities of the two bodies. Of
 * half-lines with s > lambda, lambda is eliminated by hand; the others keep it in a small dense matrix with pivots. In
 * normal equations over (p, alpha) alone, a face on a face would lose what fixes p along them: it is of the size rho.
 *
 * The products of cones are linearised as they stand. Where the two of a cone are far from the directions that they
 * have in the end, such a step can go to the surface, whatever it aims at; a scaled one, W^-1 du + W dv for the W with
 * W^-1 u = W v, does not (cone_block.h). Both are the same on the central path.
 *
 * With `relaxed` = 1, s_g = alpha - 1 - h mu psi: what slides parts by mu times its slip, and the pair's part
 * of the equations is that of a convex problem but for normals that turn (Anitescu, Tasora, 2010). Between 0 and 1 is
 * a way from there to Coulomb's law.
 *
 * All is in units of the method (lengths, masses, velocities), in double.
 * Source: Le Cleac'h et al., "Single-level differentiable contact simulation", 2023, (20), with conic rows, and with
 * friction on a cone in the place of facets. */
#ifndef NB_SINGLE_LEVEL_CONTACT_PAIR_H
#define NB_SINGLE_LEVEL_CONTACT_PAIR_H

#include <stdint.h>

#include "base/vec3.h"
#include "convex/convex_set.h"

/* a set whose rows have the size 1 in units of length */
typedef struct nb_pair_set {
    int32_t rows, linear, cone_count, unknowns; /* as in nb_convex_set */
    const int32_t *cone_rows;
    nb_vec3 *a;    /* [rows] */
    double *b, *e; /* [rows], [rows][unknowns] */
    nb_vec3 centre;
} nb_pair_set;

/* a body at the end of the step */
typedef struct nb_pair_body {
    int moves; /* 1: its velocities are unknowns */
    double h;
    nb_vec3 way;     /* of its centre of mass from the start of the step on */
    nb_mat3 frame;   /* of the body, in the world */
    nb_mat3 by_spin; /* how it turns by its angular velocity */
    nb_vec3 v, w;
} nb_pair_body;

enum {
    NB_PAIR_MOTION = 12 /* velocities of two bodies */
};

typedef struct nb_contact_pair {
    const nb_pair_set *set[2];
    int32_t body[2];
    nb_vec3 start[2]; /* centres of mass at the start of the step, from a point near the pair */
    nb_vec3 carried;  /* what the velocity of a kinematic second body lacks at the first one (model/carried.h) */
    double mu;
    double part[2]; /* of a target, that the products of gamma and of friction aim at (pair_state.h) */
    double bound;   /* what products of collision aim at stays below this, however large a target is; 0: they aim at the
                       target, as the others */
    double relaxed; /* how much of the way the law of friction is to its convex relaxation; 0: Coulomb's */
    int scaled; /* 1: steps bring the products of cones to their target by Nesterov and Todd's scaling; 0: as written */
    int apart;  /* 1: p, alpha, epsilon, lambda and s are what the bodies' places make them: their equations are solved
                   by themselves (nb_contact_pair_grow), and they are no unknowns of the others */
    /* where the parts of the unknowns begin; p at 0, alpha at 3, epsilon at 4, (psi, beta, w) at psi */
    int32_t lambda, s, gamma, psi, size, rows, unknowns;
    /* [size] the unknowns, those that the step was found at, the step; the residuals: of the equation that each unknown
     * names (p: g_1 + g_2; alpha: b.lambda; lambda, gamma, psi and beta: the products) */
    double *x, *kept, *dx, *r;
    double target, weight; /* of the last aim, and correction */
    int moved;             /* 1: x is some way along the step, and `kept` is where that was found */
    /* of the last evaluation */
    nb_vec3 arm[2], g[2], velocity[2]; /* y_i, g_i, V_i */
    nb_vec3 force[2], torque[2];       /* F_i, y_i x F_i */
    /* the eliminated system of order + motion, unknowns first, then the velocities of what moves */
    int alone;
    int32_t order, motion, first[2]; /* first[i]: the first velocity of body i among them; -1: it does not move */
    int32_t *place;                  /* [rows] of lambda among the unknowns; -1: eliminated by hand */
    int32_t *pivot;                  /* [order] the row that is eliminated k-th */
    /* [order][order] L, the inverse of U's diagonal, and U over that, of the unknowns. What velocities have to do with
     * them is made again when it is asked for: many pairs wait for memory. */
    double *factors;
    const struct nb_contact_pair_kernels *kernels; /* of the instruction set */
} nb_contact_pair;

/* a small change of what a pair's equations start from */
typedef struct nb_pair_inputs {
    nb_vec3 way[2], turn[2]; /* of bodies, at the end of the step */
    nb_vec3 carried;         /* of the pair's */
    double size[2];          /* d ln(scale) of a body's shape about its centre of mass */
    double mu;
    double target; /* of the products of collision */
} nb_pair_inputs;

/* ---- sets ---- */

/* how many numbers a set takes */
int64_t nb_pair_set_numbers(const nb_convex_set *set);
/* The set in units of `length`; `memory` has its arrays, and `cone_rows` stays that of `from`. */
void nb_pair_set_make(const nb_convex_set *from, double length, double *memory, nb_pair_set *set);

/* ---- bodies ---- */

/* The body after h with the velocities u [6] from the orientation `start`, as the harness moves it. */
void nb_pair_body_move(nb_quat start, double h, const double *u, nb_pair_body *body);

/* ---- pairs ---- */

/* Fills counts and places of a pair whose sets, bodies and mu are set. */
void nb_contact_pair_lay_out(nb_contact_pair *pair);
/* numbers and indices that its arrays take */
int64_t nb_contact_pair_numbers(const nb_contact_pair *pair);
int64_t nb_contact_pair_indices(const nb_contact_pair *pair);
/* numbers of scratch that the Newton step takes */
int64_t nb_contact_pair_scratch(const nb_contact_pair *pair);
void nb_contact_pair_set_arrays(nb_contact_pair *pair, double *numbers, int32_t *indices);
/* Asks for the memory of a pair that is about to be looked at: so many of x, r, dx and kept, and the factors of the
 * last elimination. Gone through one after the other, pairs wait for memory more than they compute. */
void nb_contact_pair_fetch(const nb_contact_pair *pair, int arrays, int factors);

/* Collision from nowhere: p between the sets, alpha 1, lambda and s the unit of their cones. */
void nb_contact_pair_start_collision(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b);
/* The impulse for an alpha that is known: products at this target, an s_g of this at least, no friction. */
void nb_contact_pair_start_impulse(nb_contact_pair *pair, double target, double least);
/* Adds a multiple of the cones' units to what is in cones: a point inside stays inside. */
void nb_contact_pair_widen(nb_contact_pair *pair, double more);

/* Residuals, forces and rows at x; the products against rho = target. */
void nb_contact_pair_evaluate(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double target);
/* The residuals of the products alone. */
void nb_contact_pair_aim(nb_contact_pair *pair, double target);
/* Adds weight times the products of the step to them: what the linear ones leave out. */
void nb_contact_pair_correct(nb_contact_pair *pair, double weight);
/* what s_g is less than alpha - 1 by, over psi, in steps of h; 0 with Coulomb's law */
double nb_contact_pair_parting(const nb_contact_pair *pair, double h);
/* (mu gamma, beta) and (psi, w) of x, or of a step */
void nb_contact_pair_friction(const nb_contact_pair *pair, const double *x, double u[4], double v[4]);
/* Raises these to the largest residual of an equation (NULL: not asked for), and of a product over its part. */
void nb_contact_pair_violation(const nb_contact_pair *pair, double *equality, double *cone);
/* how many products there are, those of collision among them where they aim as the others do; their sum, each over its
 * part, and what goes with t and t^2 in it after t times the step */
int32_t nb_contact_pair_degree(const nb_contact_pair *pair);
double nb_contact_pair_product(const nb_contact_pair *pair);
void nb_contact_pair_product_by_step(const nb_contact_pair *pair, double by[2]);
/* The largest t <= most for which x + t dx is in all cones, of a pair that is alone in those of collision. */
double nb_contact_pair_reach(const nb_contact_pair *pair, double most);
/* x = kept + t dx; what is kept is the point that the step was found at */
void nb_contact_pair_move(nb_contact_pair *pair, double t);

/* ---- collision by itself (contact_growth.c) ---- */

/* Solves for the least alpha of the bodies as they are, to products of `target` (a tenth of it off at most) on the
 * central path, from nowhere. Returns 0 where it does not get there; `iterations` grows by those made. */
int nb_contact_pair_grow(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double target,
                         double *scratch, int32_t *iterations);

/* ---- the Newton step (lanes/contact_pair_system.c) ---- */

/* Factorises at the point last evaluated, and reduces the residuals r as they are (below). `alone`: the bodies stay,
 * and there is no impulse: the equations of p, alpha, epsilon, lambda and s by themselves, of which nothing is left,
 * into NULL. Returns 0 where the matrix is singular. */
int nb_contact_pair_eliminate(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, int alone,
                              double *scratch, double left[NB_PAIR_MOTION]);
/* The part of the matrix that is left, [motion][motion], its rows `stride` apart; it is in the scratch of the
 * elimination. */
const double *nb_contact_pair_block(const nb_contact_pair *pair, double *scratch, int32_t *stride);
/* What the residuals r leave for the velocities, [motion], beside the forces themselves. Of a pair that is solved apart
 * the equations of collision hold. */
void nb_contact_pair_reduce(const nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double *scratch,
                            double left[NB_PAIR_MOTION]);
/* dx from the residuals r and the steps of the velocities, [6] of each body (NULL: it does not move). */
void nb_contact_pair_recover(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, const double *du_a,
                             const double *du_b, double *scratch);

/* ---- the Newton step for each instruction set (contact_pair_kernels.c, lanes/) ---- */

/* as nb_contact_pair_eliminate, .. */
typedef struct nb_contact_pair_kernels {
    int (*eliminate)(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, int alone, double *scratch,
                     double left[NB_PAIR_MOTION]);
    const double *(*block)(const nb_contact_pair *pair, double *scratch, int32_t *stride);
    void (*reduce)(const nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double *scratch,
                   double left[NB_PAIR_MOTION]);
    void (*recover)(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, const double *du_a,
                    const double *du_b, double *scratch);
} nb_contact_pair_kernels;

/* Those for this processor, or for the set that NCPBENCH_KERNELS names (base/instruction_set.h). */
const nb_contact_pair_kernels *nb_contact_pair_kernels_get(void);

/* Those of that set; NULL where there is none or the processor cannot run it. */
const nb_contact_pair_kernels *nb_contact_pair_kernels_named(const char *name);

/* ---- derivatives (contact_pair_inputs.c) ---- */

/* The change of all residuals, into r, and of the impulses on the bodies (`wrench`: F_1, its torque, F_2, ..) for small
 * inputs, at the point last evaluated: unknowns and velocities stay. */
void nb_contact_pair_change(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b,
                            const nb_pair_inputs *inputs, double wrench[NB_PAIR_MOTION]);

#endif
