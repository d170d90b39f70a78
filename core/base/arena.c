#include "base/arena.h"

#include <string.h>

#include "base/memory.h"

void nb_arena_measure(nb_arena *arena) {
    arena->memory = NULL;
    arena->used = 0;
}

void nb_arena_align(nb_arena *arena, int64_t alignment) {
    arena->used = (arena->used + alignment - 1) & -alignment;
}

void nb_arena_place(nb_arena *arena, int64_t count, size_t size, void *pointer) {
    nb_arena_align(arena, arena->alignment > 0 ? arena->alignment : 64);
    void *place = arena->memory ? arena->memory + arena->used : NULL;
    memcpy(pointer, &place, sizeof place);
    arena->used += count * (int64_t)size;
}

nb_status nb_arena_reserve(nb_arena *arena) {
    if (arena->held && arena->used <= arena->capacity) memset(arena->held, 0, (size_t)arena->used);
    return nb_arena_reuse(arena);
}

nb_status nb_arena_reuse(nb_arena *arena) {
    int64_t bytes = arena->used;
    if (!arena->held || bytes > arena->capacity) {
        int64_t taken = arena->held ? bytes + bytes / 16 : bytes;
        nb_arena_clear(arena);
        nb_status status = nb_allocate(taken, 1, &arena->held);
        if (status != NB_OK) return status;
        arena->capacity = taken;
    }
    arena->memory = arena->held;
    arena->used = 0;
    return NB_OK;
}

void nb_arena_clear(nb_arena *arena) {
    nb_free(arena->held);
    *arena = (nb_arena){.alignment = arena->alignment};
}
