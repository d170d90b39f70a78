/* Sets of numbers 0 .. n - 1 that are joined pair by pair: islands, connected blocks of a matrix.
 *
 * `parent` [n] starts as parent[i] = i. A set's root is its smallest number, so that one ascending pass can number
 * sets. */
#ifndef NB_BASE_UNION_FIND_H
#define NB_BASE_UNION_FIND_H

#include <stdint.h>

static inline int32_t nb_root(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static inline void nb_unite(int32_t *parent, int32_t a, int32_t b) {
    a = nb_root(parent, a);
    b = nb_root(parent, b);
    if (a < b) parent[b] = a;
    if (b < a) parent[a] = b;
}

#endif
