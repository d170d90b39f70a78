/* The starts of a step of single-level: each once, later ones that solved steps before come early, but not always. */
#include "base/real.h"
#include "check.h"
#include "method/single_level/pair_starts.h"

NB_PRECISIONS(f64);

/* where a start comes among those of a step; each comes once */
static int place_of(const nb_pair_starts *known, int remembered, int apart, int start) {
    int starts[NB_START_COUNT], seen[NB_START_COUNT] = {0}, place = -1;
    const int count = nb_pair_starts_order(known, 1, remembered, apart, starts);
    for (int k = 0; k < count; k++) {
        assert_true(starts[k] >= 0 && starts[k] < NB_START_COUNT && !seen[starts[k]]++);
        if (starts[k] == start) place = k;
    }
    return place;
}

TEST(all_in_their_order) {
    int starts[NB_START_COUNT];
    const nb_pair_starts nothing = {0};
    assert_int_equal(nb_pair_starts_order(&nothing, 1, 1, 0, starts), NB_START_COUNT);
    for (int k = 0; k < NB_START_COUNT; k++) assert_int_equal(starts[k], k);
    /* nothing remembered: as it is and at rest are one */
    assert_int_equal(nb_pair_starts_order(&nothing, 1, 0, 0, starts), NB_START_COUNT - 1);
    assert_int_equal(place_of(&nothing, 0, 0, NB_START_AT_REST), -1);
    /* bilevel begins again once */
    assert_int_equal(nb_pair_starts_order(&nothing, 1, 1, 1, starts), 2);
    assert_int_equal(nb_pair_starts_order(&nothing, 1, 0, 1, starts), 1);
}

TEST(what_solved_comes_early) {
    nb_pair_starts known = {0};
    int starts[NB_START_COUNT], first = 0;
    nb_pair_starts_solved(&known, NB_START_MONOTONE);
    assert_int_equal(place_of(&known, 1, 0, NB_START_MONOTONE), 1);
    for (int step = 1; step <= 12; step++) {
        nb_pair_starts_solved(&known, NB_START_MONOTONE);
        const int place = place_of(&known, 1, 0, NB_START_MONOTONE);
        assert_in_range(place, 0, 1);
        first += place == 0;
    }
    assert_int_equal(first, 9); /* of 12, every fourth not */
    /* without a warm start it is not asked for; another that solves begins anew */
    assert_int_equal(nb_pair_starts_order(&known, 0, 0, 0, starts), NB_START_COUNT - 1);
    assert_int_equal(starts[0], NB_START_AS_IT_IS);
    assert_int_equal(starts[1], NB_START_PATH);
    nb_pair_starts_solved(&known, NB_START_AS_IT_IS);
    assert_int_equal(place_of(&known, 1, 0, NB_START_MONOTONE), NB_START_MONOTONE);
}

/* a limit from the method's own on has room for all starts, and a smaller one does not shorten the first ones */
TEST(limits_have_room) {
    const int32_t limits[] = {1, 30, NB_BILEVEL_ITERATIONS, NB_SINGLE_LEVEL_ITERATIONS, 3000, 1000000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        int64_t sum = 0;
        for (int start = 0; start < NB_START_COUNT; start++) {
            const int32_t one = nb_pair_starts_iterations(limits[i], 0, start);
            assert_true(one >= 30);
            sum += one;
        }
        if (limits[i] >= NB_SINGLE_LEVEL_ITERATIONS) assert_true(sum <= limits[i]);
        if (limits[i] >= NB_BILEVEL_ITERATIONS)
            assert_true(2 * nb_pair_starts_iterations(limits[i], 1, 0) <= limits[i]);
    }
}

RUN_TESTS(all_in_their_order, what_solved_comes_early, limits_have_room)
