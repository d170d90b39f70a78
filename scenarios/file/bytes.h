/* A whole file as bytes (private to scenarios/file). */
#ifndef NB_SCENARIOS_BYTES_H
#define NB_SCENARIOS_BYTES_H

#include <stdint.h>

#include "base/status.h"

/* All bytes of a regular file, which the caller frees; NB_ERROR_IO where it cannot be read, NB_ERROR_INPUT as below. */
nb_status nb_bytes_read(const char *path, char **data, int64_t *size);

/* NB_ERROR_INPUT where a file that begins so is compressed, or text of 16-bit characters: it says which. */
nb_status nb_bytes_check(const char *path, const char *data, int64_t size);

#endif
