/* Loads plugins (core/ncpbench/plugin.h) from shared objects, and refuses those that do not keep to the interface. */
#ifndef NB_ANALYSIS_PLUGIN_LOAD_H
#define NB_ANALYSIS_PLUGIN_LOAD_H

#include "base/status.h"

/* Loads the shared object at `path` and makes its linear solvers and preconditioners known (registry.h, plugin.h of the
 * solvers). It is first loaded and read in a process of its own, so that one that crashes or never returns is a fault:
 * NB_ERROR_INPUT, or NB_ERROR_IO where there is no such file, with one line that names the file. A file that is loaded
 * already is passed over. The working folder, the mask for new files, the locale, the arithmetic and what signals do
 * are as before afterwards, whatever its constructors do to them. */
nb_status nb_plugin_load(const char *path);

/* Loads the plugin ncpbench-NAME.so of this build, which is beside the program, or where it is installed in
 * ../lib/ncpbench, and hands it what the user wrote for it (`count` texts, borrowed for good). NB_ERROR_UNSUPPORTED
 * where this build has none; NB_ERROR_USAGE where the plugin refuses the texts. */
nb_status nb_plugin_load_own(const char *name, int count, const char *const *words);

/* A function that the plugin ncpbench-NAME.so of this build exports beside ncpbench_plugin_entry; NULL: there is none.
 */
void *nb_plugin_own_function(const char *name, const char *function);

/* Loads each of a list of paths with ':' between them, as the environment variable NCPBENCH_PLUGINS holds; NULL and
 * empty items are passed over. */
nb_status nb_plugin_load_list(const char *paths);

#endif
