#include "precond/kept.h"

#include <stdlib.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

typedef struct nb_kept_entry entry;

nb_status nb_kept_reserve(nb_kept *k, int32_t size) {
    nb_status status;
    nb_kept_restart(k);
    NB_TRY(NB_RESERVE(size, &k->place_capacity, &k->place));
    NB_TRY(NB_RESERVE(size, &k->number_capacity, &k->number));
    NB_TRY(NB_RESERVE(size, &k->taken_capacity, &k->taken));
    NB_TRY(NB_RESERVE(size, &k->size_capacity, &k->size));
    NB_TRY(NB_RESERVE(size, &k->entries_capacity, &k->entries));
out:
    return status;
}

void nb_kept_clear(nb_kept *k) {
    nb_free(k->place);
    nb_free(k->number);
    nb_free(k->taken);
    nb_free(k->size);
    nb_free(k->entries);
    *k = (nb_kept){0};
}

static int by_size(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* the place where its group's size is */
static int32_t group_of(const int32_t *group, int32_t place) {
    return group ? group[place] : place;
}

int32_t nb_kept_choose(nb_kept *k, const int32_t *group, int32_t first, int32_t end, double least, int32_t most,
                       int32_t *chosen) {
    int32_t count = 0;
    for (int32_t i = 0; i < k->count; i++) {
        const int32_t place = k->place[i];
        double *size = &k->size[group_of(group, place)];
        if (place >= first && place < end) *size = fmax(*size, (double)fabs(k->number[place]));
    }
    for (int32_t i = 0; i < k->count; i++) {
        const int32_t place = k->place[i];
        const double size = k->size[group_of(group, place)];
        if (place >= first && place < end && size > least) k->entries[count++] = (entry){size, place};
    }
    for (int32_t i = 0; i < k->count; i++) k->size[group_of(group, k->place[i])] = 0;
    if (count > most) {
        qsort(k->entries, (size_t)count, sizeof *k->entries, by_size);
        count = most;
    }
    for (int32_t i = 0; i < count; i++) chosen[i] = k->entries[i].place;
    qsort(chosen, (size_t)count, sizeof *chosen, by_place);
    return count;
}
