/* Complementarity functions and their scalings, for one contact.
 *
 * Everything is in velocities and impulses: a = C_n/h [m/s], z = h lambda [N s], so that a scaling factor rho has the
 * units 1/kg: the paper's r is h^2 rho for normals and h rho for friction (eq. (66) and below).
 *
 * Source: Macklin et al. 2019, sections 4, 6 and 7; corrected in formulation.md. */
#ifndef NB_NCP_NCP_H
#define NB_NCP_NCP_H

#include <tgmath.h>

#include "base/real.h"

/* |(x, y)|, without hypot's care for numbers near the ends of the range: these are velocities and impulses */
static inline real nb_ncp_length(real x, real y) {
    return sqrt(x * x + y * y);
}

typedef enum nb_ncp_function {
    NB_NCP_FISCHER_BURMEISTER,
    NB_NCP_MINIMUM_MAP,
    NB_NCP_FUNCTIONS
} nb_ncp_function;

typedef enum nb_ncp_scaling {
    NB_SCALING_IDENTITY,              /* r = 1:   rho = 1/h^2 (normal), 1/h (friction) */
    NB_SCALING_TIME_STEP,             /* r = h^2: rho = 1 */
    NB_SCALING_EFFECTIVE_MASS,        /* the paper's: rho = w = [J M^-1 J^T]_ii */
    NB_SCALING_EFFECTIVE_MASS_CAPPED, /* rho_f = min(w, 0.5 max(v, 1e-4)/(mu z_n)) */
    NB_SCALINGS
} nb_ncp_scaling;

/* names and one-line summaries, by the enumerations above */
extern const char *const nb_ncp_function_names[NB_NCP_FUNCTIONS];
extern const char *const nb_ncp_function_summaries[NB_NCP_FUNCTIONS];
extern const char *const nb_scaling_names[NB_SCALINGS];
extern const char *const nb_scaling_summaries[NB_SCALINGS];

#define nb_ncp_normal NB_REAL_NAME(nb_ncp_normal)
#define nb_ncp_friction NB_REAL_NAME(nb_ncp_friction)
#define nb_ncp_factors NB_REAL_NAME(nb_ncp_factors)
#define nb_ncp_normal_value NB_REAL_NAME(nb_ncp_normal_value)

/* phi(a, rho z) and its partial derivatives alpha = d phi/da, beta = d phi/d(rho z) */
typedef struct nb_ncp_normal_value {
    real phi, alpha, beta;
} nb_ncp_normal_value;
nb_ncp_normal_value nb_ncp_normal(nb_ncp_function function, real a, real rho_z);

/* The friction compliance W [1/kg] of v_t + W z_f = 0 for slip speed v = |v_t| [m/s], f = |z_f| and m = mu z_n > 0
 * [N s]. Inactive contacts (m <= 0) are the caller's: W = 1, residual z_f. */
real nb_ncp_friction(nb_ncp_function function, real v, real f, real m, real rho);

/* The scaling factors of a contact: w_normal, w_friction are its effective inverse masses [1/kg], v and m as above. */
void nb_ncp_factors(nb_ncp_scaling scaling, real h, real w_normal, real w_friction, real v, real m, real *rho_normal,
                    real *rho_friction);

#endif
