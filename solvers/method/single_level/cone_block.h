/* One half-line or second-order cone {u : u_0 >= |(u_1, ..)|} of n rows: what an interior point with Nesterov and
 * Todd's scaling needs of it. core/cone/cone.h has the same for the three rows of a contact. Everything in double;
 * arrays of n numbers, the caller's. Source: Alizadeh, Goldfarb, "Second-order cone programming", 2003; Nesterov, Todd,
 * 1997.
 */
#ifndef NB_SINGLE_LEVEL_CONE_BLOCK_H
#define NB_SINGLE_LEVEL_CONE_BLOCK_H

#include <stdint.h>

/* u_0^2 - |u_1|^2 as a product, which keeps its digits near the surface */
double nb_cone_block_determinant(int32_t n, const double *u);
/* the longest step t <= 1 at which u + t d is in the cone, for u inside */
double nb_cone_block_step(int32_t n, const double *u, const double *d);
/* Of a cone of two rows or more: the scaling W = eta (w, J-reflected), W z = W^-1 s, of s and z inside. */
void nb_cone_block_scale(int32_t n, const double *s, const double *z, double *w, double *eta);
/* out = W v (sign 1) or W^-1 v (sign -1) */
void nb_cone_block_apply(int32_t n, const double *w, double eta, double sign, const double *v, double *out);
/* d = lambda divided into (lambda o lambda + a o b - target e) */
void nb_cone_block_correct(int32_t n, const double *lambda, const double *a, const double *b, double target, double *d);

#endif
