/* The natural map of a problem file: how far impulses are from a solution.
 *
 *     e = || r - P_K(r - u^) ||_2,   u^ = u + (mu |u_T|, 0, 0),   P_K the projection onto the friction cone
 *
 * with P_K of the rolling cone and both slips in u^_N where there is rolling friction (file_data.h), and u itself in
 * the place of u^ where the relaxed law of friction is to hold (data->friction_law). Polyhedral laws have a polygon in
 * the place of the disc: in K, and in |u_T|, which is the slip against its corners.
 *
 * As it stands, e adds velocities to impulses: it is that of the published numbers (FCLIB's and Siconos's), and changes
 * with the units of the file. What methods stop at, and what "converged" means, is a velocity:
 *
 *     e_v = sqrt(sum of || w r - P_K(w r - u^) ||^2),   relative = e_v / || q ||
 *
 * with the impulses of a contact times its effective inverse mass w = (W_NN + 2 W_TT)/3, W_TT the mean of its tangents:
 * the natural map r - P_K(r - rho u^) with rho = 1/w, over rho. A row of zero diagonal is given the mean of the others.
 * Rows of rolling are taken times the length l with l^2 = w/w_R, w_R their own inverse mass: moments over l, rates
 * times l, mu_r over l, in q too. So `relative` changes neither with the units of length, time and mass nor with the
 * size of W.
 *
 * Bilateral rows have the residual || (W z + q)_b ||_2, taken for velocities; a file does not say which of them are
 * rates of rotation. Where there are none, `siconos` is e over the norm given; else the residuals are joined,
 * sqrt(e^2 + e_b^2), over the norms of whole vectors, as in `relative`.
 *
 * A velocity u = W z + q is known to the round-off of its terms, eps (sum of |W_ij z_j|). Impulses that cancel can be
 * so large that no digit of u is left; a map of such a u says nothing. So where the map comes from velocities (w r_N >
 * u^_N), and of bilateral rows, it is at least that round-off.
 *
 * Sources: FCLIB 3.1, fclib_merit_local; Acary, Bremond, Huber, "On solving contact problems with Coulomb friction:
 * formulations and numerical comparisons", 2018; Siconos 4.4. */
#ifndef NB_NATURAL_MAP_H
#define NB_NATURAL_MAP_H

#include "file_data.h"

typedef struct nb_natural_map {
    double contacts;   /* e */
    double bilaterals; /* e_b */
    double fclib;      /* e / (1 + sqrt(||q||)) + e_b / (1 + ||s||), q and s of contacts and bilaterals */
    double relative;   /* e_v and e_b, over ||q|| (1 where q is zero); what a relative tolerance is of */
    double siconos;    /* e and e_b, over max(||q||, ||r||, ||u||) (1 where that is zero) */
} nb_natural_map;

/* Errors of the impulses z [rows] in the file's rows; u [rows] receives the velocities W z + q. NaN in z gives NaN. */
void nb_natural_map_compute(const nb_file_data *data, const double *z, double *u, nb_natural_map *map);

/* what is to hold of one contact, as in nb_file_data */
typedef struct nb_natural_law {
    nb_friction_law friction;
    int32_t facets, dimension; /* rows: with rolling friction 3 or 5, of which half are the normal and the tangents */
    int rolls;                 /* 1: there is rolling friction */
    double mu, mu_r;
} nb_natural_law;

/* |r - P_K(r - u^)|^2 of a contact; at least noise^2 where it comes from velocities, which are known to `noise`. */
double nb_natural_map_square(const nb_natural_law *law, const double *r, const double *u, double noise);

/* |w r - P_K(w r - u^)|^2 by the diagonal of W in the contact's rows, which is positive; over size^2 */
double nb_natural_map_velocity_square(const nb_natural_law *law, const double *diagonal, double size, const double *r,
                                      const double *u, double noise);

/* l of a contact's rows of rolling [m in a file of SI units]; 1 where there are none */
double nb_natural_map_length(const nb_natural_law *law, const double *diagonal);

#endif
