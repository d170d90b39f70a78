/* Complementarity functions and their scalings, for one contact. They choose between values instead of branching, so
 * that the kernels of newton_rows.h take several contacts at a time through the same lines.
 *
 * Everything is in velocities and impulses: a = C_n/h [m/s], z = h lambda [N s], so that a scaling factor rho has the
 * units 1/kg: the paper's r is h^2 rho for normals and h rho for friction (eq. (66) and below).
 *
 * Source: Macklin et al. 2019, sections 4, 6 and 7; corrected in formulation.md. */
#ifndef NB_NCP_NCP_H
#define NB_NCP_NCP_H

#include "base/features.h"
#include "base/real.h"

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

/* names (and NULL at their end) and one-line summaries, by the enumerations above */
extern const char *const nb_ncp_function_names[NB_NCP_FUNCTIONS + 1];
extern const char *const nb_ncp_function_summaries[NB_NCP_FUNCTIONS];
extern const char *const nb_scaling_names[NB_SCALINGS + 1];
extern const char *const nb_scaling_summaries[NB_SCALINGS];

/* phi(a, rho z) and its partial derivatives alpha = d phi/da, beta = d phi/d(rho z) */
typedef struct nb_ncp_normal_value {
    real phi, alpha, beta;
} nb_ncp_normal_value;

/* |(x, y)|, without hypot's care for numbers near the ends of the range: these are velocities and impulses */
NB_FN real nb_ncp_length(real x, real y) {
    return NB_SQRT(x * x + y * y);
}

/* For Fischer-Burmeister in the form that does not cancel; at (0, 0) its derivative is that of a touching contact,
 * (1, 0). */
NB_FN nb_ncp_normal_value nb_ncp_normal(nb_ncp_function function, real a, real b) {
    nb_ncp_normal_value value;
    if (function == NB_NCP_MINIMUM_MAP) {
        value.phi = a <= b ? a : b;
        value.alpha = a <= b ? R(1) : R(0);
        value.beta = a <= b ? R(0) : R(1);
        return value;
    }
    real s = NB_SQRT(a * a + b * b);
    real plus = 2 * a * b / (a + b + s), minus = a + b - s;
    real alpha_plus = b * b / (s * (s + a)), alpha_minus = 1 - a / s;
    real beta_plus = a * a / (s * (s + b)), beta_minus = 1 - b / s;
    real alpha = a > 0 ? alpha_plus : alpha_minus, beta = b > 0 ? beta_plus : beta_minus;
    value.phi = a + b > 0 ? plus : minus;
    value.alpha = s > 0 ? alpha : R(1);
    value.beta = s > 0 ? beta : R(0);
    return value;
}

/* how many times larger than its inverse mass a row's share of the compliance is at most */
#define NB_NCP_MOST_COMPLIANCE R(100)

/* The friction compliance W [1/kg] of v_t + W z_f = 0 for slip speed v = |v_t| [m/s], f = |z_f| and m = mu z_n > 0
 * [N s], in a row of the inverse mass w [1/kg]. Inactive contacts (m <= 0) are the caller's: W = 1, residual z_f. */
NB_FN real nb_ncp_friction(nb_ncp_function function, real v, real f, real m, real rho, real w) {
    real b = m - f; /* what is left to the limit of the friction disc; never clamp f: that makes a false fixed point */
    /* Outside of the disc W grows without bound. W f <= 100 (w f + v) is enough to bring such a force in, and at a
     * solution, where W f = v, it never binds; see core/formulation.md. The floor keeps v/m finite in f32. */
    real larger = f > m ? f : m, floored = larger > R(1e-30) ? larger : R(1e-30);
    real most = NB_NCP_MOST_COMPLIANCE * (w + v / floored);
    real s = NB_SQRT(v * v + rho * rho * b * b);
    real inside = v * v / (s + rho * b), outside = s - rho * b, beyond = v - rho * b;
    int minimum = function == NB_NCP_MINIMUM_MAP;
    real numerator = minimum ? (beyond > 0 ? beyond : R(0)) : (b > 0 ? inside : outside);
    real denominator = minimum ? m : m - rho * b * b / (s + v); /* negative far outside of the disc */
    real compliance = numerator / denominator;
    real bounded = denominator > 0 && compliance < most ? compliance : most;
    return s > 0 ? bounded : R(0);
}

/* The scaling factors of a contact: w_normal, w_friction are its effective inverse masses [1/kg], v and m as above. */
NB_FN void nb_ncp_factors(nb_ncp_scaling scaling, real h, real w_normal, real w_friction, real v, real m,
                          real *rho_normal, real *rho_friction) {
    int by_mass = scaling != NB_SCALING_IDENTITY && scaling != NB_SCALING_TIME_STEP;
    real fixed = scaling == NB_SCALING_IDENTITY ? 1 / h : R(1);
    *rho_normal = by_mass ? w_normal : fixed * fixed;
    *rho_friction = by_mass ? w_friction : fixed;
    /* the lagged W contracts only for rho up to the true compliance along the slip; see core/formulation.md */
    if (scaling == NB_SCALING_EFFECTIVE_MASS_CAPPED) {
        real least = v > R(1e-4) ? v : R(1e-4), cap = R(0.5) * least / m;
        *rho_friction = m > 0 && cap < w_friction ? cap : w_friction;
    }
}

#endif
