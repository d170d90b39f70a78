/* JSON, written: of what the program prints or exports for others. */
#ifndef NB_ANALYSIS_JSON_H
#define NB_ANALYSIS_JSON_H

#include <stdio.h>

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

#endif
