/* Convex sets by inequalities: what shapes are to methods that find contact points themselves.
 *
 * Scaled by alpha about its centre, a set holds the points r of its body's frame for which there is an epsilon with
 *
 *     s = alpha b - A (r - centre) - E epsilon,   s in K
 *
 * K is the product of `linear` half-lines, s_i >= 0, and of second-order cones, s_0 >= |(s_1, ..)|, in the order of the
 * rows. Everything is linear in r, epsilon and alpha; alpha = 1 is the set itself. A half-space has b = 0: scaling does
 * not move it.
 *
 *     half-space      n . r <= 0
 *     polytope        A r <= alpha b
 *     padded polytope A (r - epsilon) <= alpha b, |epsilon| <= alpha R
 *     ellipsoid       |E r| <= alpha
 *     capsule         |r - epsilon v| <= alpha R, |epsilon| <= alpha L/2
 *     cylinder        |r - (v . r) v| <= alpha R, |v . r| <= alpha L/2
 *     cone            |r - (v . r) v| <= tan(nu) (v . r + alpha 3H/4), v . r <= alpha H/4
 *     Minkowski sum   epsilon in one set, r - epsilon in the other
 *
 * The growth distance of two placed sets is the least alpha at which they have a point p in common: below 1 they
 * overlap, above it they are apart.
 *
 * Source: Le Cleac'h et al., "Single-level differentiable contact simulation", 2023, (14), (23)-(25), appendix B, with
 * norms written as cones; Tracy, Howell, Manchester, "Differentiable collision detection for a set of convex
 * primitives", 2022. */
#ifndef NB_CONVEX_CONVEX_SET_H
#define NB_CONVEX_CONVEX_SET_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"

enum {
    NB_CONVEX_CONE_ROWS = 4 /* of one second-order cone, at most; at least 2 */
};

typedef struct nb_convex_set {
    int32_t rows, linear;     /* of s; how many of them, the first, are half-lines */
    int32_t cone_count;       /* second-order cones, which have the other rows */
    int32_t unknowns;         /* length of epsilon */
    const int32_t *cone_rows; /* [cone_count] 2 to NB_CONVEX_CONE_ROWS */
    const nb_vec3 *a;         /* [rows] rows of A; of a half-line of unit length, or 0 where e has it [1]; of a cone [1]
                                 or [1/m] */
    const double *e;          /* [rows][unknowns] */
    const double *b;          /* [rows] [m], or [1] with rows of [1/m] */
    nb_vec3 centre;           /* in the body's frame; of a half-space a point of its plane [m] */
    double radius;            /* of a ball about the centre that holds the set; INFINITY: none does [m] */
    double *memory;           /* the one block of memory that has the arrays; it is the set's */
} nb_convex_set;

/* Makers: whatever *set held before, it holds a set about the origin of its frame (a polytope: about `centre`), which
 * its owner gives back with nb_convex_set_clear. Measures that are not positive and finite are NB_ERROR_INPUT, and *set
 * is empty. */
nb_status nb_convex_ball(double radius, nb_convex_set *set);
nb_status nb_convex_ellipsoid(nb_vec3 half, nb_convex_set *set);
/* below the plane z = 0 */
nb_status nb_convex_half_space(nb_convex_set *set);
/* normal . r <= height: normals of any length but 0. Heights must leave `centre` inside, and a normal that is there
 * twice is taken once, with the lower height. `radius`: of a ball about the centre that holds the set (INFINITY:
 * unknown). */
nb_status nb_convex_polytope(int32_t count, const nb_vec3 *normals, const double *heights, nb_vec3 centre,
                             double radius, nb_convex_set *set);
/* axes along z; `length` is that of the cylinder, without caps */
nb_status nb_convex_capsule(double radius, double length, nb_convex_set *set);
nb_status nb_convex_cylinder(double radius, double length, nb_convex_set *set);
/* its base below, at z = -height/4, its tip at 3 height/4: the origin is its centre of mass */
nb_status nb_convex_cone(double radius, double height, nb_convex_set *set);
/* The Minkowski sum of a set with a ball, and of two sets: its centre is the sum of theirs. */
nb_status nb_convex_padded(const nb_convex_set *of, double radius, nb_convex_set *set);
nb_status nb_convex_sum(const nb_convex_set *first, const nb_convex_set *second, nb_convex_set *set);

/* The set of these rows, copied from `from`, whose own memory and number of rows are not looked at: linear, cone_count,
 * cone_rows, unknowns, a, e, b, centre, radius. Numbers that are not finite, heights b of half-lines that are not
 * positive, cones of other than 2 to NB_CONVEX_CONE_ROWS rows, and a radius that is not positive are NB_ERROR_INPUT.
 * Whether the rows bound the set is not looked at. */
nb_status nb_convex_set_of_rows(const nb_convex_set *from, nb_convex_set *set);
nb_status nb_convex_set_copy(const nb_convex_set *from, nb_convex_set *set);
/* Every point r goes to offset + turn r. */
void nb_convex_set_move(nb_convex_set *set, nb_vec3 offset, nb_quat turn);
void nb_convex_set_clear(nb_convex_set *set);

/* s [rows] of the point r of the set's frame, with epsilon [unknowns] (NULL for sets without). */
void nb_convex_set_slack(const nb_convex_set *set, nb_vec3 r, double alpha, const double *epsilon, double *s);
/* How far s is inside K: the least of all s_i of half-lines and s_0 - |(s_1, ..)| of cones; negative outside. */
double nb_convex_set_margin(const nb_convex_set *set, const double *s);

#endif
