/* The classes that plugins brought (core/ncpbench/plugin.h), and the note of which of their functions is running. */
#ifndef NB_PLUGIN_CLASS_H
#define NB_PLUGIN_CLASS_H

#include <stdint.h>

#include "base/options.h"
#include "base/status.h"
#include "ncpbench/plugin.h"
#include "registry.h"

enum {
    NB_PLUGIN_MOST = NB_REGISTRY_MOST_ADDED /* linear solvers, preconditioners, and methods, of all plugins together */
};

enum {
    NB_PLUGIN_DESCRIPTION = 2048
};

typedef enum nb_plugin_kind {
    NB_PLUGIN_LINEAR_SOLVER,
    NB_PLUGIN_PRECONDITIONER,
    NB_PLUGIN_METHOD,
    NB_PLUGIN_KINDS
} nb_plugin_kind;

/* one class of a plugin; lives as long as the program */
typedef struct nb_plugin_class {
    nb_plugin_kind kind;
    char title[256];       /* "linear solver 'mine' of ./mine.so", for messages */
    const char *file;      /* the path it was loaded from */
    ncpbench_class plugin; /* as this program's header has it: what an older plugin lacks is zero */
    ncpbench_solver_f32 solver_f32;
    ncpbench_solver_f64 solver_f64;
    ncpbench_precond_f32 precond_f32;
    ncpbench_precond_f64 precond_f64;
    ncpbench_method_f64 method_f64;
    const nb_option *options; /* [plugin.option_count] */
    int offers[2];            /* it has functions for f32, for f64 */
} nb_plugin_class;

/* Puts the class into the list and gives its number among those of its kind. NB_ERROR_INPUT where there are
 * NB_PLUGIN_MOST already. */
nb_status nb_plugin_list(const nb_plugin_class *type, int *number);

/* The class of this kind and number (in the order in which they were added), or NULL. */
const nb_plugin_class *nb_plugin_at(nb_plugin_kind kind, int i);
/* whether there is one of any kind: each run is then made in a process of its own */
int nb_plugins_loaded(void);
/* The class of this name, or NULL where no plugin brought one. */
const nb_plugin_class *nb_plugin_find(nb_plugin_kind kind, const char *name);

/* Keeps what a plugin's linear solver says of how it was set up (lines of text, or NULL: nothing new) for the record;
 * what was said last, in one line, or "". */
void nb_plugin_describe(const char *text);
const char *nb_plugin_description(void);

/* NB_ERROR_UNSUPPORTED where the class has no functions for f32 (or, with `f32` 0, for f64). NULL passes. */
nb_status nb_plugin_check_precision(const nb_plugin_class *type, int f32);

/* which function of a plugin runs */
typedef enum nb_plugin_call {
    NB_PLUGIN_OUTSIDE, /* none: the program itself */
    NB_PLUGIN_CREATE,
    NB_PLUGIN_SET_UP_PATTERN,
    NB_PLUGIN_SET_UP_VALUES,
    NB_PLUGIN_SOLVE,
    NB_PLUGIN_APPLY,
    NB_PLUGIN_CONVERT,
    NB_PLUGIN_DESTROY
} nb_plugin_call;

typedef struct nb_plugin_place {
    const nb_plugin_class *type;
    nb_plugin_call call;
} nb_plugin_place;

extern nb_plugin_place *nb_plugin_now; /* where the program is now */

/* A place in memory shared with child processes: a child that points nb_plugin_now at it tells its parent where it is.
 * The caller ends it with nb_plugin_place_release (NULL allowed). */
nb_status nb_plugin_place_share(nb_plugin_place **place);
void nb_plugin_place_release(nb_plugin_place *place);
const char *nb_plugin_call_name(nb_plugin_call call); /* "set_up_pattern" */

#endif
