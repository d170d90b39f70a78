/* The options of the Newton method, and what of them does not go together (private to solvers/method/newton). */
#ifndef NB_NEWTON_OPTIONS_H
#define NB_NEWTON_OPTIONS_H

#include "base/real.h"
#include "method.h"
#include "operator/form.h"

#define nb_newton_options NB_REAL_NAME(nb_newton_options)
#define nb_newton_form NB_REAL_NAME(nb_newton_form)
#define nb_newton_why_ignored NB_REAL_NAME(nb_newton_why_ignored)
#define nb_newton_spellings NB_REAL_NAME(nb_newton_spellings)
#define nb_newton_why_unused NB_REAL_NAME(nb_newton_why_unused)
#define nb_newton_advice NB_REAL_NAME(nb_newton_advice)
#define nb_newton_check NB_REAL_NAME(nb_newton_check)

enum {
    NB_NEWTON_NCP,
    NB_NEWTON_SCALING,
    NB_NEWTON_ROW_SCALING, /* 1: alpha on row and force as printed; 0: the symmetric sqrt(alpha) */
    NB_NEWTON_FORM,        /* what is solved in place of the system over the rows (59): nb_newton_form */
    NB_NEWTON_LINE_SEARCH, /* of these choices */
    NB_NEWTON_FINISH,      /* 1: the exact generalised Jacobian (formulation.md) */
    NB_NEWTON_DAMPING,
    NB_NEWTON_REGULARIZATION,
    NB_NEWTON_REGULARIZATION_KIND,
    NB_NEWTON_ISLANDS,
    NB_NEWTON_GEOMETRIC_STIFFNESS, /* 1: of particles, on the diagonal of H */
    NB_NEWTON_OPTIONS
};

/* how the length of a step is found: the fixed DAMPING; or halved until a merit falls, the natural map or the 2-norm of
 * the residual */
enum {
    NB_NEWTON_NO_SEARCH,
    NB_NEWTON_SEARCH_NATURAL_MAP,
    NB_NEWTON_SEARCH_RESIDUAL
};

extern const nb_option nb_newton_options[NB_NEWTON_OPTIONS];

/* The form that the options' values choose, or NULL: the system over the rows itself. */
const nb_form_class *nb_newton_form(const double *values);

/* as of nb_method_class */
const char *nb_newton_why_ignored(const double *values, int i);
extern const char *const nb_newton_spellings[][2];
const char *nb_newton_why_unused(const double *values, const char *setting);
const char *nb_newton_advice(nb_shortfall how, const double *values);
nb_status nb_newton_check(const nb_method_settings *settings, const nb_method_scene *scene);

#endif
