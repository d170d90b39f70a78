/* Memory: every allocation of the project goes through here, so that it can be counted, aligned and made to fail. */
#ifndef NB_BASE_MEMORY_H
#define NB_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* `count` zeroed elements of `size` bytes each, aligned to 64 bytes, in *pointer (a `T **`). A count of zero gives a
 * valid pointer to nothing. On a fault *pointer is NULL and the message says how many bytes were asked for.
 * The caller owns the memory and gives it back with nb_free. */
nb_status nb_allocate(int64_t count, size_t size, void *pointer);

/* Grows *pointer (a `T **`, NULL allowed) from `*capacity` to at least `count` elements, by a quarter at least; the old
 * contents are kept, the new elements are zeroed. A count of zero, too, leaves a valid pointer. On a fault nothing
 * changes. */
nb_status nb_reserve(int64_t count, size_t size, int64_t *capacity, void *pointer);

/* Gives memory back; NULL is allowed. */
void nb_free(void *pointer);

/* From now on nb_free keeps everything: the process ends soon, and what somebody else still uses stays (long_call.h).
 */
void nb_memory_keep(void);

/* From now on freed memory stays with the process, large blocks too, so that the next ones of that size are not paged
 * in anew. For programs, at their start: the setting is the C library's, and holds for libraries as well. */
void nb_memory_reuse(void);

/* A copy of `text`, owned by the caller. */
nb_status nb_copy_text(const char *text, char **copy);

/* How many allocations were made so far in this process (for tests: none inside a Newton iteration). */
int64_t nb_allocation_count(void);

/* The most bytes held at once since the last call of nb_allocation_peak_reset (or the start); a reset begins a new
 * count. Memory of libraries is not counted. */
int64_t nb_allocation_peak(void);
void nb_allocation_peak_reset(void);

/* The bytes held now. */
int64_t nb_allocation_held(void);

/* Makes the allocation after `successes` more ones fail, once (for tests); a negative value switches this off. */
void nb_allocation_fail_after(int64_t successes);

#define NB_ALLOCATE(count, pointer) nb_allocate((count), sizeof **(pointer), (pointer))
#define NB_RESERVE(count, capacity, pointer) nb_reserve((count), sizeof **(pointer), (capacity), (pointer))

#endif
