#include "pair_starts.h"

#include "base/real.h"

NB_PRECISIONS(f64);

int nb_pair_starts_order(const nb_pair_starts *known, int warm, int remembered, int apart, int starts[NB_START_COUNT]) {
    const int end = apart ? NB_START_PATH : NB_START_COUNT, later = warm && known->solved_by >= NB_START_PATH;
    const int comes_first = later && known->in_a_row >= 2 && known->in_a_row % 4 != 0;
    int count = 0;
    if (comes_first) starts[count++] = known->solved_by;
    starts[count++] = NB_START_AS_IT_IS;
    if (later && !comes_first) starts[count++] = known->solved_by;
    for (int start = remembered ? NB_START_AT_REST : NB_START_PATH; start < end; start++)
        if (!later || start != known->solved_by) starts[count++] = start;
    return count;
}

enum {
    LEAST = 30, /* iterations of a start */
    PARTS = 50,
    PARTS_OF_BILEVEL = 2,
    LATER = 3,
    ALONG_PATH = 20
};

int32_t nb_pair_starts_iterations(int32_t limit, int apart, int start) {
    const int32_t part = limit / (apart ? PARTS_OF_BILEVEL : PARTS), one = part > LEAST ? part : LEAST;
    return one * (start == NB_START_PATH ? ALONG_PATH : start < NB_START_MONOTONE ? 1 : LATER);
}

int32_t nb_pair_starts_approach(int32_t limit) {
    return 2 * nb_pair_starts_iterations(limit, 0, NB_START_AT_REST);
}

void nb_pair_starts_solved(nb_pair_starts *known, int start) {
    known->in_a_row = start == known->solved_by ? known->in_a_row + 1 : 1;
    known->solved_by = start;
}
