/* A mass plus few dense rows: H = H0 + sum_k w_k g_k g_k^T, w_k >= 0, of another mass H0, by Woodbury's formula. It is
 * what a cavity's pressure makes of the mass of its particles (model/cavity.h). g is then the gradient of the volume,
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
#define nb_low_rank_mass_base NB_REAL_NAME(nb_low_rank_mass_base)
#define nb_low_rank_mass_rank NB_REAL_NAME(nb_low_rank_mass_rank)
#define nb_low_rank_mass_row NB_REAL_NAME(nb_low_rank_mass_row)
#define nb_low_rank_mass_copy_rows NB_REAL_NAME(nb_low_rank_mass_copy_rows)
#define nb_low_rank_mass_refuse NB_REAL_NAME(nb_low_rank_mass_refuse)
#define nb_low_rank_mass_correct NB_REAL_NAME(nb_low_rank_mass_correct)

extern const nb_mass_class nb_low_rank_mass_class;

/* `base`, its nodes and what moves stay the caller's for as long as the mass; `rank` >= 0 rows, all zero at first */
nb_status nb_low_rank_mass_create(const nb_mass *base, int32_t rank, nb_mass **mass);

/* Takes weights [rank] and rows [rank][velocities] (nodes->velocity), of nodes with mass; the others' numbers count for
 * nothing. To be called again where the values of H0 have changed. Allocates nothing. NB_ERROR_NUMERIC where a weight
 * is below 0, or a number is not finite: the mass is then to be given others before it is used. */
nb_status nb_low_rank_mass_set_values(nb_mass *mass, const double *weight, const double *row);

/* H0 and the number of rows; of a mass without dense rows, itself and 0 */
const nb_mass *nb_low_rank_mass_base(const nb_mass *mass);
int32_t nb_low_rank_mass_rank(const nb_mass *mass);
/* s_k [velocities]; of nodes without mass 0 */
const double *nb_low_rank_mass_row(const nb_mass *mass, int32_t k);

/* Takes the rows s_k of another mass of the same rank over the same nodes, as nb_low_rank_mass_set_values does. */
nb_status nb_low_rank_mass_copy_rows(nb_mass *mass, const nb_mass *from);

/* NB_ERROR_UNSUPPORTED, with the form of the Newton system that is not offered, where H has dense rows: it would need
 * H as a matrix, dense over them. */
nb_status nb_low_rank_mass_refuse(const nb_mass *mass, const char *form);

/* x = H^-1 f from x = H0^-1 f, over the velocities of nodes with mass in their order, in double */
void nb_low_rank_mass_correct(const nb_mass *mass, double *x);

void nb_low_rank_mass_destroy(nb_mass *mass); /* NULL allowed */

#endif
