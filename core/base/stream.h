/* A file of plain numbers for this program alone (a checkpoint, what processes hand to each other): written beside its
 * place, renamed when whole, with a checksum over everything at its end. Numbers are as they lie in memory; nothing is
 * converted. */
#ifndef NB_BASE_STREAM_H
#define NB_BASE_STREAM_H

#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

typedef struct nb_stream {
    FILE *file;
    const char *path; /* borrowed, for messages */
    uint64_t checksum;
    int64_t left;  /* reading: bytes before the checksum */
    int unchecked; /* 1: no checksum is kept, of what is not for later */
} nb_stream;

#define NB_CHECKSUM_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* The checksum (FNV-1a) of what `checksum` is of and these bytes behind it, however the bytes were cut into calls. */
uint64_t nb_checksum(uint64_t checksum, const void *data, size_t bytes);

/* Begins to write `path`, which must outlive the stream. */
nb_status nb_stream_create(const char *path, nb_stream *stream);

/* Opens a file written before and checks all of it; NB_ERROR_INPUT where it is cut short or damaged. */
nb_status nb_stream_open(const char *path, nb_stream *stream);

nb_status nb_stream_put(nb_stream *stream, const void *data, size_t bytes);

/* NB_ERROR_INPUT where fewer bytes are left. */
nb_status nb_stream_get(nb_stream *stream, void *data, size_t bytes);

/* `count` elements of `size` bytes, their number before them; reading grows *pointer (a `T **`) with nb_reserve. */
nb_status nb_stream_put_array(nb_stream *stream, int64_t count, size_t size, const void *data);
nb_status nb_stream_get_array(nb_stream *stream, int64_t *count, size_t size, int64_t *capacity, void *pointer);

/* A text, owned by the caller. */
nb_status nb_stream_put_text(nb_stream *stream, const char *text);
nb_status nb_stream_get_text(nb_stream *stream, char **text);

/* Ends writing: the checksum, with `sync` the disk, and then the name `target`. On a fault the file is dropped. */
nb_status nb_stream_finish(nb_stream *stream, const char *target, int sync);

/* Lets go of a file that is read, or of one that is written and not wanted; may be called again. */
void nb_stream_close(nb_stream *stream);

#endif
