/* Arrays that only grow at their end and may become large: from a megabyte on they live in a file without a name, and
 * what is written is handed back to the system. A run of any length then needs no more memory than a short one. */
#ifndef NB_BASE_MAPPED_ARRAY_H
#define NB_BASE_MAPPED_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* of one array; zeroed: the array is in ordinary memory, or not there */
typedef struct nb_mapped_array {
    char *base;           /* of the mapped file, or NULL */
    size_t bytes, rested; /* mapped, and handed back from the start on */
    int64_t capacity;     /* entries that there is room for, wherever the array is */
    int file;
} nb_mapped_array;

/* As nb_reserve, with the capacity in *mapped, for room for `count` elements. The file is made in TMPDIR, or else in
 * /var/tmp (which is on a disk, as /tmp need not be), and has its room before it is written; where no file can be
 * made the array stays in memory. A file that cannot grow is NB_ERROR_IO, and nothing changes. */
nb_status nb_mapped_array_reserve(nb_mapped_array *mapped, int64_t count, size_t size, void *pointer);

/* Hands all pages back that have been looked at since; the array stays as it is. */
void nb_mapped_array_rest(const nb_mapped_array *mapped);

/* Gives the array back, wherever it is. */
void nb_mapped_array_free(nb_mapped_array *mapped, void *array);

#endif
