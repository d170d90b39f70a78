/* The island kernel on this processor: its stages, one thread after the other in any order (nb_emulated_set_order).
 * What it makes is bit for bit what the kernel makes, where neither fuses multiplications and additions. */
#include "island/view.h"

#include <string.h>

#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64);

enum {
    NB_SUM,
    NB_LARGEST
};

#define NB_PROGRAM static
#define NB_OWN(call)                                      \
    for (int turn = 0; turn < s->threads; turn++) {       \
        const int t = nb_emulated_turn(turn, s->threads); \
        nb_island_lane *l = &lanes[t];                    \
        (void)l;                                          \
        call;                                             \
    }
#define NB_EACH(call) NB_OWN(call)
#define NB_ONE(call) call
#define NB_GATHER(what) gather(v, p, s, what)
#define NB_REDUCE(mode) reduce(s, lanes, mode, sums)

#include "island/stages.h"

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
    return mode == NB_LARGEST && which == NB_ISLAND_SUMS - 1 ? nb_island_larger(a, b) : a + b;
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

#include "island/program.h"

#define nb_islands_emulated NB_REAL_NAME(nb_islands_emulated)
nb_status nb_islands_emulated(const nb_island *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                              const nb_island_settings *settings);

nb_status nb_islands_emulated(const nb_island *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                              const nb_island_settings *settings) {
    nb_status status;
    nb_island_lane *lanes = NULL;
    double *memory = NULL;
    NB_TRY(NB_ALLOCATE(threads, &lanes));
    NB_TRY(NB_ALLOCATE(shared_bytes / (int64_t)sizeof *memory + 1, &memory));
    for (int32_t turn = 0; turn < count; turn++) {
        const int32_t i = nb_emulated_turn(turn, count);
        nb_island_shared shared;
        memset(memory, 0xff, (size_t)shared_bytes); /* no numbers: a block finds anything */
        nb_island_share(&islands[i], threads, memory, &shared);
        nb_island_program(&islands[i], settings, &shared, lanes, settings->solver == NB_ISLAND_GAUSS_SEIDEL);
    }
out:
    nb_free(lanes);
    nb_free(memory);
    return status;
}
