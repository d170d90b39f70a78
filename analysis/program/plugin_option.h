/* The option --plugin, which run, solve and list share; its value goes to nb_plugin_load. */
#ifndef NB_PROGRAM_PLUGIN_OPTION_H
#define NB_PROGRAM_PLUGIN_OPTION_H

#include "plugin_load.h"

enum {
    NB_PLUGIN_KEY = 600
};

/* a line of an argp table */
#define NB_PLUGIN_OPTION(group_number)                                                                              \
    {                                                                                                               \
        .name = "plugin", .key = NB_PLUGIN_KEY, .arg = "FILE.so",                                                   \
        .doc = "load linear solvers and preconditioners from a shared object; may be given several times (and the " \
               "variable NCPBENCH_PLUGINS names some, with ':' between them)",                                      \
        .group = (group_number)                                                                                     \
    }

#endif
