/* What island/program.h is to know, where the threads of a block run one after the other on this processor. */
#ifndef NB_ISLAND_EMULATED_THREADS_H
#define NB_ISLAND_EMULATED_THREADS_H

#include "island/stages.h"
#include "runtime.h"

#define NB_PROGRAM static inline
#define NB_OWN(call)                                      \
    for (int turn = 0; turn < s->threads; turn++) {       \
        const int t = nb_emulated_turn(turn, s->threads); \
        nb_island_lane *l = &lanes[t];                    \
        (void)l;                                          \
        call;                                             \
    }
#define NB_EACH(call) NB_OWN(call)
#define NB_ONE(call) call
#define NB_MINE(array) (&(array)[t])
#define NB_GATHER(what) gather(v, p, s, what)
#define NB_REDUCE(mode) reduce(s, lanes, mode, sums)

/* the lanes of a body exchange in a butterfly: all get the same sum */
static void gather(const nb_island *v, const nb_island_settings *p, const nb_island_shared *s,
                   nb_island_gathering what) {
    for (int32_t turn = 0; turn < v->bodies; turn++) {
        const int32_t body = nb_emulated_turn(turn, v->bodies);
        real lane[NB_ISLAND_BODY_LANES][6];
        for (int i = 0; i < NB_ISLAND_BODY_LANES; i++) nb_island_gather(v, s, body, i, lane[i]);
        for (int apart = NB_ISLAND_BODY_LANES / 2; apart > 0; apart /= 2)
            for (int i = 0; i < apart; i++)
                for (int k = 0; k < 6; k++) lane[i][k] += lane[i + apart][k];
        for (int half = 0; half < 2; half++) nb_island_move_body(v, p, s, what, body, half, lane[0] + 3 * half);
    }
}

static double combine(int mode, int which, double a, double b) {
    return which >= mode ? nb_island_larger(a, b) : a + b;
}

/* warps in a butterfly, then one warp after the other */
static void reduce(const nb_island_shared *s, const nb_island_lane *lanes, int mode, double sums[NB_ISLAND_SUMS]) {
    for (int k = 0; k < NB_ISLAND_SUMS; k++) {
        sums[k] = 0;
        for (int32_t first = 0; first < s->threads; first += NB_ISLAND_WARP) {
            double lane[NB_ISLAND_WARP];
            for (int i = 0; i < NB_ISLAND_WARP; i++) lane[i] = lanes[first + i].sums[k];
            for (int apart = NB_ISLAND_WARP / 2; apart > 0; apart /= 2)
                for (int i = 0; i < apart; i++) lane[i] = combine(mode, k, lane[i], lane[i + apart]);
            sums[k] = combine(mode, k, sums[k], lane[0]);
        }
    }
}

#endif
