/* How many threads loops may use. Loops are cut into parts, one a thread, by their size and the number of threads
 * alone; sums go over the parts in order: the same number of threads gives the same bits. The threads are OpenMP's;
 * where the compiler has none, the parts follow each other. */
#ifndef NB_BASE_THREADS_H
#define NB_BASE_THREADS_H

#include <stdint.h>

enum {
    NB_MOST_THREADS = 256
};

/* From now on at most `count` threads (1 to NB_MOST_THREADS; 1 at the start). */
void nb_threads_set(int count);

/* Parts for a loop over `size` contacts or rows: 1 where a part would have less than `least`. */
int nb_threads_for(int64_t size, int64_t least);

/* The statements for each part i, one a thread; `parts` is a variable, and nothing may leave them. One part runs by
 * itself: OpenMP takes longer to begin than small loops do. */
#define NB_EACH_PART(i, parts, ...)                                        \
    do {                                                                   \
        if ((parts) == 1) {                                                \
            const int i = 0;                                               \
            __VA_ARGS__                                                    \
            break;                                                         \
        }                                                                  \
        NB_PRAGMA(omp parallel for num_threads(parts) schedule(static, 1)) \
        for (int i = 0; i < (parts); i++) {                                \
            __VA_ARGS__                                                    \
        }                                                                  \
    } while (0)
#define NB_PRAGMA(text) _Pragma(#text)

/* From here on loops that libraries cut into parts run on this thread alone, also where they ask for a number of
 * threads themselves, as CHOLMOD's do; until `release` gets what this returned. */
int nb_threads_hold(void);
void nb_threads_release(int before);

/* Where part `i` of `parts` begins (and the one before ends) among `count` things, in multiples of `step`. */
static inline int32_t nb_part_begin(int i, int parts, int32_t count, int32_t step) {
    int64_t steps = (count + step - 1) / step;
    return i >= parts ? count : (int32_t)(steps * i / parts * step);
}

#endif
