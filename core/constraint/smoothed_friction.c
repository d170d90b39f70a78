#include "constraint/smoothed_friction.h"

NB_PRECISIONS(f32, f64);

static nb_status check_positive(const char *what, const char *unit, real value) {
    if (isfinite(value) && value > 0) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "%s must be above 0%s, and is %g", what, unit, (double)value);
}

static nb_status check_not_negative(const char *what, const char *unit, real value) {
    if (isfinite(value) && value >= 0) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "%s must be 0%s or more, and is %g", what, unit, (double)value);
}

nb_status nb_smoothed_friction_check(const nb_smoothed_friction *law, real mu) {
    nb_status status;
    NB_TRY(check_positive("contact stiffness", " N/m", law->stiffness));
    NB_TRY(check_positive("contact tolerance", " m", law->contact_tolerance));
    NB_TRY(check_positive("friction tolerance", " m/s", law->sliding_tolerance));
    NB_TRY(check_not_negative("friction coefficient", "", mu));
    NB_TRY(check_not_negative("static friction coefficient", "", law->static_mu));
    NB_TRY(check_not_negative("viscous friction", " N s/m", law->viscous));
    if (law->static_mu == 0) return NB_OK;
    if (law->static_mu < mu)
        return nb_fail(NB_ERROR_USAGE, "static friction coefficient %g must be at least the coefficient of sliding, %g",
                       (double)law->static_mu, (double)mu);
    NB_TRY(check_positive("Stribeck velocity", " m/s", law->stribeck_velocity));
    if (law->stribeck_velocity < law->sliding_tolerance)
        return nb_fail(NB_ERROR_USAGE, "Stribeck velocity %g m/s must be at least the friction tolerance, %g m/s",
                       (double)law->stribeck_velocity, (double)law->sliding_tolerance);
out:
    return status;
}
