/* Named numbers and texts, however many, in one text that can be copied, compared, sent and kept: what a run was asked
 * for beside its attributes. A line is one value, `name=number` or `name:text`; what would break a line is escaped. The
 * lines stand in the order of their bytes, so that equal values make equal texts. NULL holds no value. */
#ifndef NB_BASE_NAMED_VALUES_H
#define NB_BASE_NAMED_VALUES_H

#include <stdio.h>

#include "base/options.h"
#include "base/status.h"

enum {
    NB_NUMBER_TEXT = 32
};

/* one of them, borrowed during a call */
typedef struct nb_named_value {
    const char *name, *text; /* a number with the fewest digits that give it back */
    int is_number;
} nb_named_value;

/* the fewest digits that read back as x; "nan", "inf" */
void nb_number_text(double x, char text[NB_NUMBER_TEXT]);

/* Lines to a stream, in any order; `prefix` ("", "method.") stands before each name. Of an option a choice is a text.
 */
void nb_named_number_write(FILE *stream, const char *prefix, const char *name, double x);
void nb_named_text_write(FILE *stream, const char *prefix, const char *name, const char *text);
void nb_named_options_write(FILE *stream, const char *prefix, const nb_option *options, int count,
                            const double *values);

/* The lines in their order. The caller frees *sorted (nb_free). */
nb_status nb_named_values_sort(const char *lines, char **sorted);

/* Calls `take` for each in their order, until one fails; its status. */
typedef nb_status nb_named_value_take(void *context, const nb_named_value *value);
nb_status nb_named_values_read(const char *values, nb_named_value_take *take, void *context);

#endif
