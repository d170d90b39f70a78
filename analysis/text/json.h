/* JSON: a writer for whatever the program prints or records, and a reader for flat objects such as a run's parameters.
 */
#ifndef NB_ANALYSIS_JSON_H
#define NB_ANALYSIS_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "base/status.h"

enum {
    NB_JSON_DEPTH = 16
};

/* Writes one value (in practice an object) to a stream. Zero it, set `stream`, and open the outermost object with
 * name = NULL. Members of an object have a name, elements of an array have NULL. */
typedef struct nb_json {
    FILE *stream; /* borrowed */
    int indent;   /* 1: one member a line; 0: everything on one line */
    int depth;    /* private, like the rest */
    char closing[NB_JSON_DEPTH];
    int members[NB_JSON_DEPTH];
} nb_json;

void nb_json_object(nb_json *json, const char *name);
void nb_json_array(nb_json *json, const char *name);
void nb_json_end(
    nb_json *json); /* closes the innermost object or array; a newline after the outermost one if indented */
void nb_json_text(nb_json *json, const char *name, const char *text);
void nb_json_number(nb_json *json, const char *name,
                    double x);                                /* fewest digits that read back as x; not finite: null */
void nb_json_flag(nb_json *json, const char *name, int flag); /* true, false */

/* One member for each option: numbers as numbers, choices by their name. `prefix` ("" or "linear-solver.") stands
 * before each name. */
void nb_json_options(nb_json *json, const char *prefix, const nb_option *options, int count, const double *values);

/* Called for every member of a flat object: the decoded string, or the literal text of a number, true, false or null.
 * Both texts are borrowed during the call. */
typedef nb_status nb_json_member(void *context, const char *name, const char *value);

/* Reads an object whose members are strings, numbers, true, false or null, in their order. NB_ERROR_INPUT where it is
 * anything else; a fault of `member` ends the reading. */
nb_status nb_json_read(const char *text, nb_json_member *member, void *context);

#endif
