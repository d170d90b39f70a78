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

#include "base/vec3.h"

enum {
    NB_CONVEX_CONE_ROWS = 4 /* of one second-order cone, at most; at least 2 */
};

typedef struct nb_convex_set {
    int32_t rows, linear;     /* of s; how many of them, the first, are half-lines */
    int32_t cone_count;       /* second-order cones, which have the other rows */
    int32_t unknowns;         /* length of epsilon */
    const int32_t *cone_rows; /* [cone_count] 2 to NB_CONVEX_CONE_ROWS */
    const nb_vec3 *a;         /* [rows] rows of A; of a half-line of unit length [1]; of a cone [1] or [1/m] */
    const double *e;          /* [rows][unknowns] */
    const double *b;          /* [rows] [m], or [1] with rows of [1/m] */
    nb_vec3 centre;           /* in the body's frame; of a half-space a point of its plane [m] */
    double radius;            /* of a ball about the centre that holds the set; INFINITY: none does [m] */
} nb_convex_set;

#endif
