/* What a command's runs are made from, by which a resumed command sees that it goes on with the same: the SHA-256 of
 * scene files, problem files and plugins, the state that runs begin with, and what decides on round-off. */
#ifndef NB_ANALYSIS_INPUTS_H
#define NB_ANALYSIS_INPUTS_H

#include "base/sha256.h"
#include "base/stream.h"
#include "run/request.h"

typedef struct nb_input {
    char *name;  /* a path in quotes, or what it is */
    char *value; /* its SHA-256, or a word */
} nb_input;

typedef struct nb_inputs {
    nb_input *items;
    int64_t count, capacity;
} nb_inputs;

void nb_inputs_clear(nb_inputs *inputs);

/* One of a name that is there already is passed over. */
nb_status nb_inputs_add(nb_inputs *inputs, const char *name, const char *value);

/* A file by the SHA-256 of its bytes, each read once; NB_ERROR_IO where it cannot be read. */
nb_status nb_inputs_add_file(nb_inputs *inputs, const char *path);

/* The SHA-256 of a file among them, borrowed as long as they are there; NULL: it is not. */
const char *nb_inputs_sha256(const nb_inputs *inputs, const char *path);

/* The files and the state of a prepared request. */
nb_status nb_inputs_add_request(nb_inputs *inputs, const nb_request *request);

/* The kernels and the BLAS that this process takes. */
nb_status nb_inputs_add_kernels(nb_inputs *inputs);

/* All that `from` has. */
nb_status nb_inputs_add_all(nb_inputs *inputs, const nb_inputs *from);

/* NB_ERROR_INPUT with the name of the first that `now` has not, or has otherwise, or that it has besides. */
nb_status nb_inputs_compare(const nb_inputs *then, const nb_inputs *now, const char *record);

nb_status nb_inputs_put(nb_stream *stream, const nb_inputs *inputs);
nb_status nb_inputs_get(nb_stream *stream, nb_inputs *inputs);

#endif
