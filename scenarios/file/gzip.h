/* Files in the gzip format (RFC 1952), of one member, by zlib. */
#ifndef NB_FILE_GZIP_H
#define NB_FILE_GZIP_H

#include <stdint.h>

#include "base/status.h"

/* whether the bytes begin as such a file does */
int nb_gzip_is(const char *bytes, int64_t size);

/* What such a file of `size` bytes holds, *text [*length] with a zero byte behind it, which the caller frees (nb_free).
 * NB_ERROR_INPUT where it is damaged or cut short, where something comes behind it, or where it holds more than `most`
 * bytes; `path` stands in messages. No more than some `most` bytes are ever allocated. */
nb_status nb_gzip_expand(const char *path, const char *bytes, int64_t size, int64_t most, char **text, int64_t *length);

#endif
