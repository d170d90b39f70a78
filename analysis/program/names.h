/* What can be named on the command line: scenarios, solvers, figures, ..., in one table for `list`, for the completion
 * of words and for the manual page. */
#ifndef NB_PROGRAM_NAMES_H
#define NB_PROGRAM_NAMES_H

#include "base/options.h"

/* one thing that has a name */
typedef struct nb_named {
    const char *name, *summary;
    const char *shape, *units; /* of a dataset; NULL: it is none */
    const char *note;          /* said after the summary, or NULL */
    const char *plugin;        /* the file that brought it, or NULL */
    const nb_option *options;
    int option_count;
    const struct nb_scenario_class *scenario; /* whose defaults are shown, or NULL */
} nb_named;

typedef struct nb_named_kind {
    const char *name, *title;
    const char *flag;                /* the option that takes such a name, without dashes, or NULL */
    const char *options;             /* how the options of an entry are called, or NULL */
    const char *options_flag;        /* the option of run that sets them, or NULL */
    int (*at)(int i, nb_named *one); /* the entry `i`; 0 after the last */
} nb_named_kind;

enum {
    NB_NAMED_KINDS = 10
};
extern const nb_named_kind nb_named_kinds[NB_NAMED_KINDS];

#endif
