/* A sparse row or column in the making, of an incomplete factorisation by threshold: numbers at a few of `size` places,
 * of which the largest are kept (private to solvers/precond). */
#ifndef NB_PRECOND_KEPT_H
#define NB_PRECOND_KEPT_H

#include <stdint.h>
#include <tgmath.h>

#include "base/real.h"
#include "base/status.h"

#define nb_kept NB_REAL_NAME(nb_kept)
#define nb_kept_reserve NB_REAL_NAME(nb_kept_reserve)
#define nb_kept_clear NB_REAL_NAME(nb_kept_clear)
#define nb_kept_choose NB_REAL_NAME(nb_kept_choose)

typedef struct nb_kept {
    int32_t count;
    int32_t *place; /* [count] those with numbers, in the order in which they came */
    real *number;   /* [size] by place; zero elsewhere */
    uint8_t *taken; /* [size] 1: it is among the places */
    double *size;   /* [size] scratch of nb_kept_choose; zero elsewhere */
    /* private */
    struct nb_kept_entry {
        double size;
        int32_t place;
    } * entries; /* [size] */
    int64_t place_capacity, number_capacity, taken_capacity, size_capacity, entries_capacity;
} nb_kept;

/* Room for numbers at `size` places, none of them taken. *kept is zero, or was filled before. */
nb_status nb_kept_reserve(nb_kept *kept, int32_t size);
void nb_kept_clear(nb_kept *kept);

/* number[place] += x */
static inline void nb_kept_add(nb_kept *k, int32_t place, real x) {
    if (!k->taken[place]) {
        k->taken[place] = 1;
        k->place[k->count++] = place;
    }
    k->number[place] += x;
}

/* Of the places from `first` to before `end`, those whose number is larger than `least`, and at most `most` of them,
 * the largest (among equals, the first): into chosen [most], ascending. Returns how many. Places of one group are
 * chosen by the largest number among them; group [size] has the first place of each one's, and NULL stands for groups
 * of one. */
int32_t nb_kept_choose(nb_kept *kept, const int32_t *group, int32_t first, int32_t end, double least, int32_t most,
                       int32_t *chosen);

/* takes every number away */
static inline void nb_kept_restart(nb_kept *k) {
    for (int32_t i = 0; i < k->count; i++) {
        k->number[k->place[i]] = 0;
        k->taken[k->place[i]] = 0;
    }
    k->count = 0;
}

#endif
