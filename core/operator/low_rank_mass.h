/* A mass plus few dense rows: H = H0 + sum_k w_k g_k g_k^T, w_k >= 0, of another mass H0, by Woodbury's formula. It is
 * what a cavity's pressure makes of the mass of its particles (element/cavity.h). g is then the gradient of the volume,
 * over hundreds of nodes, and w the slope of the pressure times h^2.
 *
 * A solve is one of H0 and `rank` scalar products. In the scaled rows s_k = sqrt(w_k) g_k
 *
 *     H^-1 f = y - P (1 + S^T P)^-1 S^T y,   y = H0^-1 f,   P = H0^-1 S
 *
 * The small matrix has eigenvalues of at least 1 for all weights, 0 and large ones included.
 * The nodes of a row are coupled with each other. The mass has no blocks, and its matrix is dense over each row. */
#ifndef NB_OPERATOR_LOW_RANK_MASS_H
#define NB_OPERATOR_LOW_RANK_MASS_H

#include "operator/mass.h"

#define nb_low_rank_mass_class NB_REAL_NAME(nb_low_rank_mass_class)
#define nb_low_rank_mass_create NB_REAL_NAME(nb_low_rank_mass_create)
#define nb_low_rank_mass_set_values NB_REAL_NAME(nb_low_rank_mass_set_values)
#define nb_low_rank_mass_destroy NB_REAL_NAME(nb_low_rank_mass_destroy)

extern const nb_mass_class nb_low_rank_mass_class;

/* `base`, its nodes and what moves stay the caller's for as long as the mass; `rank` >= 0 rows, all zero at first */
nb_status nb_low_rank_mass_create(const nb_mass *base, int32_t rank, nb_mass **mass);

/* Takes weights [rank] and rows [rank][velocities] (nodes->velocity), of nodes with mass; the others' numbers count for
 * nothing. To be called again where the values of H0 have changed. Allocates nothing. NB_ERROR_NUMERIC where a weight
 * is below 0, or a number is not finite: the mass is then to be given others before it is used. */
nb_status nb_low_rank_mass_set_values(nb_mass *mass, const double *weight, const double *row);

void nb_low_rank_mass_destroy(nb_mass *mass); /* NULL allowed */

#endif
