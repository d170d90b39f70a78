#include "penalty_options.h"

#include <string.h>

#include "registry.h"

NB_PRECISIONS(f32, f64);

#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
const nb_option nb_penalty_options[NB_PENALTY_OPTIONS] = {
    [NB_PENALTY_COUPLING] =
        {"friction-coupling", "", NB_PENALTY_IMPLICIT, 0, 0, 0, CHOICES("implicit", "lagged", "extrapolated"),
         "whose normal force friction takes: of the step's end, of its start, or of the two starts before, continued"},
    [NB_PENALTY_PASSES] =
        {"friction-iterations", "1", 1, 1, 1000, 1, NULL,
         "passes of a step with lagged friction at most, each with the normal forces of the one before"},
    [NB_PENALTY_LAG_TOLERANCE] = {"lag-tolerance", "1", 1e-3, 0, 1, 0, NULL,
                                  "change of normal forces, of the largest, that ends passes; 0: all are made"},
    [NB_PENALTY_FRICTION_TOLERANCE] = {"friction-tolerance", "m/s", 1e-3, 1e-12, 1e6, 0, NULL,
                                       "slip from which friction is whole; sticking contacts creep at less (eps)"},
    [NB_PENALTY_CONTACT_TOLERANCE] = {"contact-tolerance", "m", 1e-3, 1e-12, 1e6, 0, NULL,
                                      "gap below which contacts push (delta)"},
    [NB_PENALTY_CONTACT_STIFFNESS] =
        {"contact-stiffness", "N/m", 0, 1e-12, 1e18, 0, NULL, /* 0: not given */
         "stiffness of a contact at first (kappa); not given: half the tolerance under the heaviest body"},
    [NB_PENALTY_STATIC_MU] = {"static-mu", "1", 0, 0, 1e6, 0, NULL,
                              "coefficient of static friction; 0: that of sliding"},
    [NB_PENALTY_STRIBECK_VELOCITY] = {"stribeck-velocity", "m/s", 1e-2, 1e-12, 1e6, 0, NULL,
                                      "slip from which friction is that of sliding"},
    [NB_PENALTY_VISCOUS_FRICTION] = {"viscous-friction", "N s/m", 0, 0, 1e12, 0, NULL, "of a contact that touches"},
    [NB_PENALTY_GEOMETRY] = {"contact-geometry", "", NB_PENALTY_OF_ITERATE, 0, 0, 0, CHOICES("start", "iterate"),
                             "normals, points and gaps of contacts: of the step's start, or found where iterates lead"},
    [NB_PENALTY_BASIS] = {"basis-derivatives", "", 0, 0, 0, 0, CHOICES("off", "on"),
                          "of contacts found where iterates lead: how they move with bodies, in the matrix"},
    [NB_PENALTY_INITIAL_CONTACT] = {"initial-contact", "", 0, 0, 0, 0, CHOICES("touching", "gap", "loaded"),
                                    "where a run begins, contacts: as the scene has them, at the tolerance, or loaded"},
    [NB_PENALTY_RAYLEIGH_MASS] = {"rayleigh-mass", "1/s", 0, 0, 1e12, 0, NULL,
                                  "damping forces over the momenta of all that has mass (alpha)"},
    [NB_PENALTY_RAYLEIGH_STIFFNESS] = {"rayleigh-stiffness", "s", 0, 0, 1e12, 0, NULL,
                                       "damping of elements and compliant joints over their stiffness (beta)"},
    [NB_PENALTY_JOINT_COMPLIANCE] = {"joint-compliance", "1", 1e-6, 1e-10, 1, 0, NULL,
                                     "of rigid joints: their error over what a step's impulse makes of it, at least "
                                     "the root of round-off"},
    [NB_PENALTY_FORCING] =
        {"forcing", "", NB_PENALTY_GOLDEN, 0, 0, 0, CHOICES("golden", "quadratic", "fixed"),
         "tolerance of linear solves: the last decrease of the residual to the power 1.618 or 2, at most 1e-4; "
         "or --linear-tolerance"},
    [NB_PENALTY_RESIDUAL_TOLERANCE] =
        {"residual-tolerance", "m/s", 1e-9, 0, 1, 0, NULL,
         "residual that a step ends with, as a velocity of the whole mass; of a node ten times that"},
    [NB_PENALTY_CAVITIES] = {"cavity-derivatives", "", 0, 0, 0, 0, CHOICES("whole", "sparse"),
                             "of cavities' forces in the matrix: with the change of their pressure, a dense row that "
                             "takes one more solve each, or without"},
};

const char *const nb_penalty_spellings[][2] = {{"friction-tolerance", "eps"}, /* the letters of Larionov et al. */
                                               {"contact-tolerance", "delta"},
                                               {"contact-stiffness", "kappa"},
                                               {NULL, NULL}};

nb_smoothed_friction nb_penalty_law(const double *v, double kappa) {
    return (nb_smoothed_friction){.stiffness = (real)kappa,
                                  .contact_tolerance = (real)v[NB_PENALTY_CONTACT_TOLERANCE],
                                  .sliding_tolerance = (real)v[NB_PENALTY_FRICTION_TOLERANCE],
                                  .static_mu = (real)v[NB_PENALTY_STATIC_MU],
                                  .stribeck_velocity = (real)v[NB_PENALTY_STRIBECK_VELOCITY],
                                  .viscous = (real)v[NB_PENALTY_VISCOUS_FRICTION]};
}

static nb_status check_symmetry(const nb_method_settings *s) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    nb_status status;
    const int symmetric = s->values[NB_PENALTY_COUPLING] != NB_PENALTY_IMPLICIT;
    NB_TRY(nb_linear_solver_find(s->linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(s->preconditioner, &preconditioner));
    NB_TRY((symmetric ? nb_check_symmetric : nb_check_unsymmetric)(solver, preconditioner));
out:
    return status;
}

nb_status nb_penalty_check(const nb_method_settings *s, const nb_method_scene *scene) {
    const double *v = s->values;
    const double kappa = v[NB_PENALTY_CONTACT_STIFFNESS] > 0 ? v[NB_PENALTY_CONTACT_STIFFNESS] : 1;
    const nb_smoothed_friction law = nb_penalty_law(v, kappa);
    nb_status status;
    if (scene->file)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed requires gaps, which a problem file does not have");
    if (scene->settings.stepping.scheme != NB_STEPPING_IMPLICIT)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed requires --time-stepping implicit (got '%s')",
                       nb_stepping_names[scene->settings.stepping.scheme]);
    if (scene->settings.contact_compliance > 0)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "method smoothed does not support --contact-compliance; use --contact-stiffness");
    if (scene->settings.friction_ratio != 1)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed does not support --friction-ratio other than 1");
    if (v[NB_PENALTY_COUPLING] == NB_PENALTY_IMPLICIT && v[NB_PENALTY_PASSES] > 1)
        return nb_fail(NB_ERROR_USAGE, "--friction-iterations %g requires --friction-coupling lagged or extrapolated",
                       v[NB_PENALTY_PASSES]);
    if (v[NB_PENALTY_COUPLING] != NB_PENALTY_IMPLICIT && v[NB_PENALTY_BASIS] > 0)
        return nb_fail(NB_ERROR_USAGE,
                       "--basis-derivatives on requires --friction-coupling implicit: they make matrices unsymmetric");
    NB_TRY(nb_smoothed_friction_check(&law, 0));
    NB_TRY(check_symmetry(s));
out:
    return status;
}

const char *nb_penalty_why_ignored(const double *values, int i) {
    if (i == NB_PENALTY_STRIBECK_VELOCITY && values[NB_PENALTY_STATIC_MU] == 0) return "static-mu 0";
    if (i == NB_PENALTY_LAG_TOLERANCE && values[NB_PENALTY_PASSES] == 1) return "friction-iterations 1";
    if (i == NB_PENALTY_BASIS && values[NB_PENALTY_GEOMETRY] == NB_PENALTY_OF_START) return "contact-geometry start";
    if (i == NB_PENALTY_PASSES && values[NB_PENALTY_COUPLING] == NB_PENALTY_IMPLICIT)
        return "friction-coupling implicit";
    return NULL;
}

const char *nb_penalty_why_unused(const double *values, const char *setting) {
    static const char *const forcings[] = {"forcing golden", "forcing quadratic"};
    const int forcing = (int)values[NB_PENALTY_FORCING];
    if (forcing == NB_PENALTY_FIXED || !nb_name_is("linear_tolerance", setting, strlen(setting))) return NULL;
    return forcings[forcing];
}

const char *nb_penalty_advice(nb_shortfall how, const double *values) {
    (void)values;
    if (how == NB_SHORT_DIVERGED) return "a larger --contact-stiffness or a smaller --time-step may help";
    if (how == NB_SHORT_LAGGED)
        return "friction passes not converged: use more --friction-iterations, or --friction-coupling implicit";
    return NULL;
}

int nb_penalty_leaves_cone(const double *values) {
    return values[NB_PENALTY_STATIC_MU] > 0 || values[NB_PENALTY_VISCOUS_FRICTION] > 0;
}
