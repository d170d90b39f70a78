/* Plugins' classes (plugin/class.h) as the harness's.
 *
 * analysis/plugin/ loads shared objects and checks them; solvers/plugin/ makes nb_linear_solver_class,
 * nb_preconditioner_class and nb_method_class of what they hold. */
#ifndef NB_PLUGIN_PLUGIN_H
#define NB_PLUGIN_PLUGIN_H

#include "class.h"

/* Makes the class known by its name in both precisions (registry.h); it and all it points to are borrowed until the
 * program ends. NB_ERROR_INPUT where there are NB_PLUGIN_MOST already. */
nb_status nb_plugin_add(const nb_plugin_class *type);

#endif
