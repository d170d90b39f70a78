/* Named numbers and choices: how solvers, preconditioners and scenarios state what can be set, with defaults and units.
 *
 * An owner lists its options in a constant array; a caller holds one double an option, in that order. A choice is held
 * as its index. */
#ifndef NB_BASE_OPTIONS_H
#define NB_BASE_OPTIONS_H

#include <stddef.h>

#include "base/status.h"

typedef struct nb_option {
    const char *name;           /* lower-case with hyphens */
    const char *units;          /* SI, "1" for a plain number */
    double standard;            /* the default; 0 below the range: not given */
    double minimum, maximum;    /* accepted range, both included */
    int integer;                /* 1: whole numbers only */
    const char *const *choices; /* NULL, or NULL-terminated names: the value is an index and the range is ignored */
    const char *summary;        /* one line for --help and list */
} nb_option;

/* values[i] = options[i].standard */
void nb_options_standard(const nb_option *options, int count, double *values);

/* Sets the option `name` from `text`. An unknown name or a value out of range is NB_ERROR_USAGE; `owner` (for example
 * "scenario 'arch'") stands in the message, with the nearest name or the accepted range. */
nb_status nb_options_set(const nb_option *options, int count, const char *owner, const char *name, const char *text,
                         double *values);

/* The value as text: the name of a choice, or a number of at most `digits` digits. */
void nb_option_text(const nb_option *option, double value, int digits, char *text, size_t size);

/* Whether text [length] is the name, where - and _ are the same. */
int nb_name_is(const char *name, const char *text, size_t length);

/* The index of `name` among `count` names given by name_at(context, i), or -1. */
int nb_name_find(const char *name, int count, const char *(*name_at)(const void *context, int i), const void *context);

/* "; did you mean '--a', '--b' or '--c'?" for names that are near in spelling, with `dashes` before each: those that
 * begin with what was typed, then those of which a later word does ("fig18", "solvers"), then by the letters that
 * differ;
 * "" where none is near. */
void nb_name_hint(const char *dashes, const char *name, int count, const char *(*name_at)(const void *context, int i),
                  const void *context, char *hint, size_t size);

/* Fails with NB_ERROR_USAGE: "unknown KIND 'name'; did you mean 'x' or 'y'? (known: a, b, c)". */
nb_status nb_name_unknown(const char *kind, const char *name, int count,
                          const char *(*name_at)(const void *context, int i), const void *context);

/* names[i] of a list of names, for the functions above */
const char *nb_name_listed(const void *names, int i);

/* The index of `name` in a list of names; NB_ERROR_USAGE as of nb_name_unknown where it has none of this name. */
nb_status nb_name_choose(const char *kind, const char *name, const char *const *names, int count, int *index);

#endif
