/* Several arrays in one piece of memory, each aligned to 64 bytes (or to what the arena asks for).
 *
 * One function names the arrays. It is called twice: first to measure, then to place them.
 *
 *     static void place(nb_arena *a, thing *t) {
 *         NB_PLACE(a, t->rows, &t->x);
 *         NB_PLACE(a, 6 * t->bodies, &t->u);
 *     }
 *
 *     nb_arena_measure(&t->arena);
 *     place(&t->arena, t);
 *     NB_TRY(nb_arena_reserve(&t->arena));
 *     place(&t->arena, t);
 *
 * An arena that is {0} measures. One whose `memory` was set by hand places arrays in memory that is not its own, a
 * device's for example, which is not touched here. */
#ifndef NB_BASE_ARENA_H
#define NB_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct nb_arena {
    char *memory;      /* where arrays are placed; NULL: they are only measured, and their pointers are NULL */
    int64_t used;      /* [bytes] up to the end of the last array */
    int64_t alignment; /* [bytes] of each array's beginning, a power of two; 0: 64 */
    char *held;        /* private: the arena's own memory, of `capacity` bytes */
    int64_t capacity;
} nb_arena;

/* Begins to measure. Memory that the arena holds is kept for nb_arena_reserve, but what lies in it is given up. */
void nb_arena_measure(nb_arena *arena);

/* The next array, of `count` elements of `size` bytes, in *pointer (a `T **`). */
void nb_arena_place(nb_arena *arena, int64_t count, size_t size, void *pointer);

/* Moves the end of what is used up to a multiple of `alignment`, a power of two. */
void nb_arena_align(nb_arena *arena, int64_t alignment);

/* Takes the memory that was measured, all zeros, and begins to place. Memory held from before is used again where it is
 * enough; what replaces it has a sixteenth to spare. On a fault the arena holds nothing and measures. */
nb_status nb_arena_reserve(nb_arena *arena);

/* The same, but what lies in memory held from before stays there: for arrays that are written before they are read. */
nb_status nb_arena_reuse(nb_arena *arena);

/* Gives back what the arena holds; it then measures. */
void nb_arena_clear(nb_arena *arena);

#define NB_PLACE(arena, count, pointer) nb_arena_place((arena), (count), sizeof **(pointer), (pointer))

#endif
