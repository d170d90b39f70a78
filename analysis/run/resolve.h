/* From the names and numbers of a request to classes and values, each checked. */
#ifndef NB_ANALYSIS_RESOLVE_H
#define NB_ANALYSIS_RESOLVE_H

#include "method.h"
#include "run/request.h"

/* Looks up what the request names, into its choices, and fills what it left open. NB_ERROR_USAGE with one line where a
 * name is unknown or a value impossible. */
nb_status nb_request_resolve(nb_request *request);

/* NB_ERROR_USAGE or NB_ERROR_UNSUPPORTED with one line where what a request asks for, which is resolved and has nothing
 * left open, is not offered together. */
nb_status nb_request_check(const nb_request *request);

/* Whether the request, which is checked, has no --verify-contacts and may have it, as far as it tells: scenes with
 * particles may not. */
int nb_request_may_verify(const nb_request *request);

/* What the method of a prepared request is given; it points into the request, which is not moved while it is used. */
nb_method_settings nb_request_settings(const nb_request *request);

#endif
