/* A small reproducible random sequence (splitmix64; Steele, Lea, Flood 2014): the same numbers on every machine. */
#ifndef NB_BASE_RANDOM_H
#define NB_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t nb_random_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* uniform in [low, high) */
static inline double nb_random_uniform(uint64_t *state, double low, double high) {
    return low + (high - low) * (double)(nb_random_bits(state) >> 11) * 0x1p-53;
}

/* a random order of the `count` numbers */
static inline void nb_shuffle(int64_t *order, int64_t count, uint64_t *state) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)(nb_random_bits(state) % (uint64_t)(i + 1)), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

#endif
