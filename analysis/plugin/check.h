/* Whether what a plugin's entry returns keeps to the interface (core/ncpbench/plugin.h). */
#ifndef NB_ANALYSIS_PLUGIN_CHECK_H
#define NB_ANALYSIS_PLUGIN_CHECK_H

#include "plugin/plugin.h"

/* Looks at everything that `plugin` states and copies it to *classes [*count], whose `file` is `path` (both are
 * borrowed until the program ends; *classes is never freed). NB_ERROR_INPUT with one line that names the file, the
 * class and what is wrong: another ABI, a wrong size, a missing function, a name that is not valid or already taken, an
 * impossible option, or more classes than there is room for. */
nb_status nb_plugin_check(const char *path, const ncpbench_plugin *plugin, nb_plugin_class **classes, int *count);

#endif
