/* The natural map of a problem file: the error measure of the frictional contact literature, in its three usual
 * normalisations. A solver can be "converged" in one of them and far off in another, so all are computed and recorded.
 *
 *     e = || r - P_K(r - u^) ||_2,   u^ = u + (mu |u_T|, 0, 0),   P_K the projection onto the friction cone, rho = 1
 *
 * with P_K of the rolling cone and both slips in u^_N where there is rolling friction (file_data.h), and u itself in
 * the place of u^ where the relaxed law of friction is to hold (data->friction_law). Polyhedral laws have a polygon in
 * the place of the disc: in K, and in |u_T|, which is the slip against its corners.
 *
 * rho = 1 adds velocities to impulses as they stand in the file; that is how the published numbers are made.
 * Bilateral rows have the residual || (W z + q)_b ||_2. Where there are none, `relative` and `siconos` are e over the
 * norm given; else the residuals are joined, sqrt(e^2 + e_b^2), over the norms of whole vectors.
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
    double relative;   /* over ||q|| (1 where q is zero) */
    double siconos;    /* over max(||q||, ||r||, ||u||) (1 where that is zero) */
} nb_natural_map;

/* Errors of the impulses z [rows] in the file's rows; u [rows] receives the velocities W z + q. NaN in z gives NaN. */
void nb_natural_map_compute(const nb_file_data *data, const double *z, double *u, nb_natural_map *map);

/* |r - P_K(r - u^)|^2 of one contact of so many dimensions. */
double nb_natural_map_contact(nb_friction_law law, int32_t facets, int32_t dimension, double mu, const double *r,
                              const double *u);
/* the same of one with rolling friction */
double nb_natural_map_rolling(int32_t dimension, double mu, double mu_r, const double *r, const double *u);

#endif
