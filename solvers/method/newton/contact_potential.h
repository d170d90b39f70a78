/* The potential of a contact that gives way (model/contact_model.h), in its velocities alone (private to solvers): with
 * y = -R^-1 (v + b) and P the nearest point of the friction cone in the norm of R,
 *
 *     z = P(y),   l = z.(R z)/2,   dl/dv = -z,   d2l/dv2 = G = -dz/dv, symmetric and positive semidefinite
 *
 * In x = R^1/2 z the cone is |x_t| <= m x_n, m = mu (R_t/R_n)^1/2, and P is the nearest point in the plain norm. In
 * double: l is divided by R, and small differences of velocities count.
 *
 * Source: Castro, Permenter, Han, "An unconstrained convex formulation of compliant contact", 2023. */
#ifndef NB_NEWTON_CONTACT_POTENTIAL_H
#define NB_NEWTON_CONTACT_POTENTIAL_H

/* The potential [J] at c = v + b [m/s]; z [3] [N s]; g [9] by rows [kg], NULL: not asked for. R_n and R_t > 0 [1/kg].
 */
double nb_contact_potential(double normal, double tangent, double mu, const double c[3], double z[3], double *g);

#endif
