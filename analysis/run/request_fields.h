/* What tells runs apart: the fields of a request as text, by the options that set them (run/options.h). Field i is that
 * of option i, i < nb_request_field_count. */
#ifndef NB_ANALYSIS_REQUEST_FIELDS_H
#define NB_ANALYSIS_REQUEST_FIELDS_H

#include "run/options.h"

enum {
    NB_REQUEST_FIELD_TEXT = NB_OPTION_TEXT,
    NB_REQUEST_MOST_FIELDS = NB_OPTIONS_MOST
};
int nb_request_field_count(void);         /* at most NB_REQUEST_MOST_FIELDS */
const char *nb_request_field_name(int i); /* "linear-solver" */
void nb_request_field_text(int i, const nb_request *request, char text[NB_REQUEST_FIELD_TEXT]);
/* Whether the run uses the field: else its text may be left out of what it is called. */
int nb_request_uses_field(int i, const nb_request *request);

/* All that a prepared request's run depends on, as one text (nb_free): two requests with the same text are one run. */
nb_status nb_request_identity(const nb_request *request, char **text);

#endif
