/* The option --plugin, which run, solve, export and list share; its value goes to nb_plugin_load. And --plugin-limit of
 * those that run plugins; its value goes to nb_isolated_limit. */
#ifndef NB_PROGRAM_PLUGIN_OPTION_H
#define NB_PROGRAM_PLUGIN_OPTION_H

#include "plugin/load.h"

enum {
    NB_PLUGIN_KEY = 600,
    NB_PLUGIN_LIMIT_KEY
};

/* lines of an argp table */
#define NB_PLUGIN_OPTION(group_number)                                                                                 \
    {                                                                                                                  \
        .name = "plugin", .key = NB_PLUGIN_KEY, .arg = "FILE.so",                                                      \
        .doc =                                                                                                         \
            "load solvers from a shared object; linear solvers, preconditioners, methods; may be given several times " \
            "(and the "                                                                                                \
            "variable NCPBENCH_PLUGINS names some, with ':' between them)",                                            \
        .group = (group_number)                                                                                        \
    }

#define NB_PLUGIN_LIMIT_OPTION(group_number)                                                    \
    {                                                                                           \
        .name = "plugin-limit", .key = NB_PLUGIN_LIMIT_KEY, .arg = "S",                         \
        .doc = "end a run after so many seconds; with plugins [never]", .group = (group_number) \
    }

#endif
