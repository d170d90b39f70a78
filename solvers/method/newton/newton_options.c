#include "newton_options.h"

#include <string.h>

#include "condensed.h"
#include "device.h"
#include "device_step.h"
#include "operator/primal.h"
#include "operator/saddle.h"
#include "operator/solve.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

static const char *const searches[] = {"none", "backtracking", "residual", NULL};

/* the choices of --form */
enum {
    COMPLIANCE,
    STIFFNESS,
    CONDENSED,
    SADDLE
};
static const char *const form_names[] = {"compliance", "stiffness", "condensed", "saddle", NULL};
static const nb_form_class *const forms[] = {NULL, &nb_primal_form, &nb_condensed_form, &nb_saddle_form};

#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
const nb_option nb_newton_options[NB_NEWTON_OPTIONS] = {
    [NB_NEWTON_NCP] = {"ncp", "", NB_NCP_FISCHER_BURMEISTER, 0, 0, 0, nb_ncp_function_names,
                       "complementarity function; see ncpbench list ncp-functions"},
    [NB_NEWTON_SCALING] = {"scaling", "", NB_SCALING_EFFECTIVE_MASS_CAPPED, 0, 0, 0, nb_scaling_names,
                           "of the complementarity function; see ncpbench list scalings"},
    [NB_NEWTON_ROW_SCALING] = {"row-scaling", "", 0, 0, 0, 0, CHOICES("symmetric", "paper"),
                               "sqrt(alpha) on both sides, or alpha as in Macklin et al. (2019)"},
    [NB_NEWTON_FORM] =
        {"form", "", 0, 0, 0, 0, form_names,
         "formulation (also --formulation) of the Newton system: over rows, eq. (59); over velocities, (64); with only "
         "elements condensed into the mass; or the saddle-point system, (56)"},
    [NB_NEWTON_LINE_SEARCH] =
        {"line-search", "", 0, 0, 0, 0, searches,
         "halves the Newton step until the natural map falls (backtracking), or the residual's 2-norm"},
    [NB_NEWTON_FINISH] = {"finish", "", 0, 0, 0, 0, CHOICES("none", "exact"),
                          "final iterations with the exact generalized Jacobian"},
    [NB_NEWTON_DAMPING] = {"damping", "1", 0.75, 1e-6, 1, 0, NULL, "length of the Newton step"},
    [NB_NEWTON_REGULARIZATION] = {"regularization", "1", 1e-6, 0, 1e6, 0, NULL, "added to the diagonal of A"},
    [NB_NEWTON_REGULARIZATION_KIND] = {"regularization-kind", "", 0, 0, 0, 0, CHOICES("relative", "absolute"),
                                       "the number times diag(A), or itself in 1/kg"},
    [NB_NEWTON_ISLANDS] = {"islands", "", 0, 0, 0, 0, CHOICES("off", "on"),
                           "solve the islands of the contact graph one by one"},
    [NB_NEWTON_GEOMETRIC_STIFFNESS] = {"geometric-stiffness", "", 0, 0, 0, 0, CHOICES("none", "diagonal"),
                                       "of particles: H = M, or with the diagonal update of eq. (71)-(74)"},
};

const char *nb_newton_why_ignored(const double *values, int i) {
    if (i == NB_NEWTON_REGULARIZATION_KIND && values[NB_NEWTON_REGULARIZATION] == 0) return "regularization 0";
    if (i == NB_NEWTON_DAMPING && values[NB_NEWTON_LINE_SEARCH] != NB_NEWTON_NO_SEARCH) /* chooses the length itself */
        return values[NB_NEWTON_LINE_SEARCH] == NB_NEWTON_SEARCH_RESIDUAL ? "line-search residual"
                                                                          : "line-search backtracking";
    return NULL;
}

const char *const nb_newton_spellings[][2] = {{"form", "formulation"}, {NULL, NULL}};

const char *nb_newton_why_unused(const double *values, const char *setting) {
    static const char *const by_form[] = {"form compliance", "form stiffness", "form condensed", "form saddle"};
    const int form = (int)values[NB_NEWTON_FORM];
    const size_t length = strlen(setting);
    if (form != COMPLIANCE && nb_name_is("preconditioner.blocks", setting, length)) return by_form[form];
    if (form != STIFFNESS && nb_name_is("preconditioner.update", setting, length)) return by_form[form];
    return NULL;
}

const nb_form_class *nb_newton_form(const double *values) {
    return forms[(int)values[NB_NEWTON_FORM]];
}

static nb_status check_solver(const nb_method_settings *s, int file) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    const nb_form_class *form = nb_newton_form(s->values);
    NB_TRY(nb_linear_solver_find(s->linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(s->preconditioner, &preconditioner));
    if (file && solver->takes_preconditioner && preconditioner->form)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED,
                       "preconditioner '%s' requires --form %s, whose velocities a problem file does not have",
                       preconditioner->name, preconditioner->form));
    NB_TRY(nb_check_form(solver, preconditioner, form_names[(int)s->values[NB_NEWTON_FORM]]));
    if (!form || form->symmetric) NB_TRY(nb_check_symmetric(solver, preconditioner));
    if (form && !form->symmetric && !(solver->takes_mirrored && preconditioner->takes_mirrored))
        NB_TRY(nb_check_unsymmetric(solver, preconditioner));
out:
    return status;
}

nb_status nb_newton_check(const nb_method_settings *s, const nb_method_scene *scene) {
    const double *v = s->values;
    if (v[NB_NEWTON_FINISH] == 1 && !scene->file && scene->geometry == NB_GEOMETRY_UPDATED)
        return nb_fail(NB_ERROR_USAGE, "--finish exact requires --geometry joints or frozen (got 'updated')");
    if (scene->settings.friction_ratio != 1 && (s->whole_steps || v[NB_NEWTON_ROW_SCALING] == 1))
        return nb_fail(NB_ERROR_UNSUPPORTED, "--%s does not support --friction-ratio other than 1",
                       s->whole_steps ? "whole-steps" : "row-scaling paper");
    if (v[NB_NEWTON_GEOMETRIC_STIFFNESS] == 1 &&
        (scene->file || scene->geometry == NB_GEOMETRY_FROZEN || s->whole_steps || v[NB_NEWTON_FORM] == SADDLE ||
         v[NB_NEWTON_LINE_SEARCH] == NB_NEWTON_SEARCH_RESIDUAL))
        return nb_fail(NB_ERROR_USAGE, "--geometric-stiffness diagonal does not support %s",
                       scene->file                             ? "problem files, which have no particles"
                       : scene->geometry == NB_GEOMETRY_FROZEN ? "--geometry frozen, where rows do not turn"
                       : v[NB_NEWTON_FORM] == SADDLE           ? "--form saddle"
                       : v[NB_NEWTON_LINE_SEARCH] == NB_NEWTON_SEARCH_RESIDUAL
                           ? "--line-search residual, which moves rows"
                           : "--whole-steps");
    if (scene->settings.friction_law != NB_FRICTION_COULOMB && s->whole_steps)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps does not support --friction-law %s; use coulomb",
                       nb_friction_law_names[scene->settings.friction_law]);
    if (v[NB_NEWTON_FORM] != COMPLIANCE && (v[NB_NEWTON_ISLANDS] == 1 || v[NB_NEWTON_ROW_SCALING] == 1))
        return nb_fail(NB_ERROR_USAGE, "--%s requires --form compliance",
                       v[NB_NEWTON_ISLANDS] == 1 ? "islands on" : "row-scaling paper");
    if (v[NB_NEWTON_FORM] != COMPLIANCE && scene->file)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--form %s requires velocities, which a problem file does not have",
                       form_names[(int)v[NB_NEWTON_FORM]]);
    if (v[NB_NEWTON_ISLANDS] == 1 && scene->file)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--islands on does not support problem files");
    static const char *const other_forms[] = {NULL, "form stiffness", "form condensed", "form saddle"};
    const char *only_here = other_forms[(int)v[NB_NEWTON_FORM]];
    if (!only_here && v[NB_NEWTON_FINISH] == 1) only_here = "finish exact";
    if (s->whole_steps && !only_here && v[NB_NEWTON_LINE_SEARCH] != NB_NEWTON_NO_SEARCH)
        only_here = nb_newton_why_ignored(v, NB_NEWTON_DAMPING);
    if (s->device && only_here)
        return nb_fail(NB_ERROR_UNSUPPORTED, "%s--%s does not support device %s",
                       s->whole_steps ? "--whole-steps: " : "", only_here, s->device->name);
    return s->whole_steps ? nb_device_step_check(s) : check_solver(s, scene->file);
}

const char *nb_newton_advice(nb_shortfall how, const double *values) {
    switch (how) {
    case NB_SHORT_DIVERGED:
        return "a larger --regularization may help, and --line-search backtracking keeps the error from growing";
    case NB_SHORT_OF_ITERATIONS: return values[NB_NEWTON_FINISH] == 1 ? NULL : "--finish exact";
    case NB_SHORT_WITH_ELEMENTS:
        return values[NB_NEWTON_GEOMETRIC_STIFFNESS] == 0 && values[NB_NEWTON_LINE_SEARCH] != NB_NEWTON_SEARCH_RESIDUAL
                   ? "for elements far from their rest shape use --geometric-stiffness diagonal or --line-search "
                     "residual"
                   : NULL;
    default: return NULL;
    }
}
