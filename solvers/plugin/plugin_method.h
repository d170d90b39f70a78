/* A plugin's method as one of the harness's, in f64 (private to solvers). */
#ifndef NB_PLUGIN_METHOD_H
#define NB_PLUGIN_METHOD_H

#include "class.h"
#include "method.h"

/* The class that stands for slot `slot`, filled in from `class`. It linearises the problem at its present velocities,
 * once; the harness's errors are those of the problem itself. */
const nb_method_class *nb_plugin_method(const nb_plugin_class *type, int slot);

#endif
