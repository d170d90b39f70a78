/* The options of method smoothed: what they are, which do not go together, and the law that they make (private to
 * methods). */
#ifndef NB_PENALTY_OPTIONS_H
#define NB_PENALTY_OPTIONS_H

#include "constraint/smoothed_friction.h"
#include "method.h"

#define nb_penalty_options NB_REAL_NAME(nb_penalty_options)
#define nb_penalty_spellings NB_REAL_NAME(nb_penalty_spellings)
#define nb_penalty_why_unused NB_REAL_NAME(nb_penalty_why_unused)
#define nb_penalty_law NB_REAL_NAME(nb_penalty_law)
#define nb_penalty_advice NB_REAL_NAME(nb_penalty_advice)
#define nb_penalty_leaves_cone NB_REAL_NAME(nb_penalty_leaves_cone)
#define nb_penalty_check NB_REAL_NAME(nb_penalty_check)
#define nb_penalty_why_ignored NB_REAL_NAME(nb_penalty_why_ignored)

enum {
    NB_PENALTY_COUPLING,
    NB_PENALTY_PASSES,
    NB_PENALTY_LAG_TOLERANCE,
    NB_PENALTY_FRICTION_TOLERANCE,
    NB_PENALTY_CONTACT_TOLERANCE,
    NB_PENALTY_CONTACT_STIFFNESS,
    NB_PENALTY_STATIC_MU,
    NB_PENALTY_STRIBECK_VELOCITY,
    NB_PENALTY_VISCOUS_FRICTION,
    NB_PENALTY_GEOMETRY,
    NB_PENALTY_BASIS,
    NB_PENALTY_INITIAL_CONTACT, /* initial_contact.h */
    NB_PENALTY_RAYLEIGH_MASS,
    NB_PENALTY_RAYLEIGH_STIFFNESS,
    NB_PENALTY_JOINT_COMPLIANCE,
    NB_PENALTY_FORCING,
    NB_PENALTY_RESIDUAL_TOLERANCE,
    NB_PENALTY_CAVITIES,
    NB_PENALTY_OPTIONS
};

enum {
    NB_PENALTY_IMPLICIT,
    NB_PENALTY_LAGGED,
    NB_PENALTY_EXTRAPOLATED
};
enum {
    NB_PENALTY_OF_START,
    NB_PENALTY_OF_ITERATE
};
enum {
    NB_PENALTY_GOLDEN,
    NB_PENALTY_QUADRATIC,
    NB_PENALTY_FIXED
};

extern const nb_option nb_penalty_options[NB_PENALTY_OPTIONS];

/* of contacts of stiffness kappa [N/m]; `values` one an option */
nb_smoothed_friction nb_penalty_law(const double *values, double kappa);

/* of the method's class (method.h) */
extern const char *const nb_penalty_spellings[][2];
const char *nb_penalty_why_unused(const double *values, const char *setting);
const char *nb_penalty_advice(nb_shortfall how, const double *values);
int nb_penalty_leaves_cone(const double *values);
nb_status nb_penalty_check(const nb_method_settings *settings, const nb_method_scene *scene);
const char *nb_penalty_why_ignored(const double *values, int i);

#endif
