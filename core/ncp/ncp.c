#include "ncp/ncp.h"

#include <tgmath.h>

/* the least denominator of W, relative to mu z_n */
#if NB_REAL_BITS == 32
#define LEAST_DENOMINATOR R(1e-6)
#else
#define LEAST_DENOMINATOR R(1e-12)
#endif

/* Fischer-Burmeister in the form that does not cancel; at (0, 0) the derivative of a touching contact, (1, 0) */
static nb_ncp_normal_value fischer_burmeister(real a, real b) {
    nb_ncp_normal_value value = {0, 1, 0};
    real s = sqrt(a * a + b * b);
    if (!(s > 0)) return value;
    value.phi = a + b > 0 ? 2 * a * b / (a + b + s) : a + b - s;
    value.alpha = a > 0 ? b * b / (s * (s + a)) : 1 - a / s;
    value.beta = b > 0 ? a * a / (s * (s + b)) : 1 - b / s;
    return value;
}

static nb_ncp_normal_value minimum_map(real a, real b) {
    return a <= b ? (nb_ncp_normal_value){a, 1, 0} : (nb_ncp_normal_value){b, 0, 1};
}

nb_ncp_normal_value nb_ncp_normal(nb_ncp_function function, real a, real rho_z) {
    return function == NB_NCP_MINIMUM_MAP ? minimum_map(a, rho_z) : fischer_burmeister(a, rho_z);
}

real nb_ncp_friction(nb_ncp_function function, real v, real f, real m, real rho) {
    real b = m - f; /* what is left to the limit of the friction disc; never clamp f: that makes a false fixed point */
    if (function == NB_NCP_MINIMUM_MAP) return v <= rho * b ? 0 : (v - rho * b) / m;
    real s = sqrt(v * v + rho * rho * b * b);
    if (!(s > 0)) return 0;
    real numerator = b > 0 ? v * v / (s + rho * b) : s - rho * b;
    real denominator = m - rho * b * b / (s + v);
    return numerator / fmax(denominator, LEAST_DENOMINATOR * m);
}

void nb_ncp_factors(nb_ncp_scaling scaling, real h, real w_normal, real w_friction, real v, real m, real *rho_normal,
                    real *rho_friction) {
    switch (scaling) {
    case NB_SCALING_IDENTITY:
        *rho_normal = 1 / (h * h);
        *rho_friction = 1 / h;
        break;
    case NB_SCALING_TIME_STEP: *rho_normal = *rho_friction = 1; break;
    case NB_SCALING_EFFECTIVE_MASS:
    case NB_SCALING_EFFECTIVE_MASS_CAPPED:
    case NB_SCALINGS:
        *rho_normal = w_normal;
        *rho_friction = w_friction;
        break;
    }
    /* the lagged W contracts only for rho up to the true compliance along the slip; see core/formulation.md */
    if (scaling == NB_SCALING_EFFECTIVE_MASS_CAPPED && m > 0)
        *rho_friction = fmin(*rho_friction, R(0.5) * fmax(v, R(1e-4)) / m);
}
