#include "contact/broad_phase.h"

#include "base/memory.h"
#include "check.h"

static nb_bounds random_box(uint64_t *seed, double room, double size) {
    nb_vec3 low = {test_random(seed, 0, room), 0, 0}, high;
    low.y = test_random(seed, 0, room);
    low.z = test_random(seed, 0, room);
    high.x = low.x + test_random(seed, 0, size);
    high.y = low.y + test_random(seed, 0, size);
    high.z = low.z + test_random(seed, 0, size);
    return (nb_bounds){low, high, 0, 1};
}

static int boxes_overlap(const nb_bounds *a, const nb_bounds *b) {
    return !(a->high.x < b->low.x || b->high.x < a->low.x || a->high.y < b->low.y || b->high.y < a->low.y ||
             a->high.z < b->low.z || b->high.z < a->low.z);
}

static int compare_pairs(const void *x, const void *y) {
    const int32_t *a = x, *b = y;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* exactly the pairs that a double loop over all boxes finds, each once */
static void check_against_all_pairs(nb_broad_phase *phase, int32_t count, const nb_bounds *boxes) {
    CHECK_OK(nb_broad_phase_search(phase, count, boxes));
    if (phase->pair_count > 0) qsort(phase->pairs, (size_t)phase->pair_count, sizeof *phase->pairs, compare_pairs);
    int64_t k = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = i + 1; j < count; j++) {
            if (boxes[i].group == boxes[j].group || (!boxes[i].active && !boxes[j].active)) continue;
            if (!boxes_overlap(&boxes[i], &boxes[j])) continue;
            assert_true(k < phase->pair_count);
            assert_int_equal(phase->pairs[k][0], i);
            assert_int_equal(phase->pairs[k][1], j);
            k++;
        }
    assert_int_equal(k, phase->pair_count);
}

TEST(test_same_pairs_as_brute_force) {
    uint64_t seed = 11;
    print_message("seed %llu\n", (unsigned long long)seed);
    nb_broad_phase phase = {0};
    nb_bounds boxes[300];
    for (int trial = 0; trial < 40; trial++) {
        int32_t count = (int32_t)test_random(&seed, 0, 300), found = 0;
        for (int32_t i = 0; i < count; i++) {
            /* a few walls among many pebbles; some boxes flat, some fixed, some of one body */
            boxes[i] = random_box(&seed, 10, test_random(&seed, 0, 1) < 0.05 ? 10 : 1);
            if (trial % 4 == 1) boxes[i].high.z = boxes[i].low.z = floor(boxes[i].low.z);
            boxes[i].group = trial % 4 == 2 ? i / 5 : i;
            boxes[i].active = trial % 4 != 3 || test_random(&seed, 0, 1) < 0.5;
        }
        check_against_all_pairs(&phase, count, boxes);
        found += phase.pair_count > 0;
        assert_true(count < 100 || found > 0); /* or nothing would have been compared */
    }
    nb_broad_phase_clear(&phase);
}

TEST(test_boxes_in_one_place) {
    nb_broad_phase phase = {0};
    nb_bounds boxes[50];
    for (int32_t i = 0; i < 50; i++) boxes[i] = (nb_bounds){{1, 1, 1}, {1, 1, 1}, i, 1};
    check_against_all_pairs(&phase, 50, boxes);
    assert_int_equal(phase.pair_count, 50 * 49 / 2);
    nb_broad_phase_clear(&phase);
}

/* touching boxes of a grid, whose middles are equal in two coordinates with many others */
TEST(test_grid) {
    nb_broad_phase phase = {0};
    static nb_bounds boxes[512];
    for (int32_t i = 0; i < 512; i++) {
        nb_vec3 low = {i % 8, i / 8 % 8, i / 64};
        boxes[i] = (nb_bounds){low, nb_add(low, nb_vec3_of(1, 1, 1)), i, 1};
    }
    check_against_all_pairs(&phase, 512, boxes);
    nb_broad_phase_clear(&phase);
}

/* At constant density the number of box tests a box stays nearly constant: 64 times as many boxes may cost each at most
 * half as much again (the deeper tree), where all pairs would cost 64 times as much. */
TEST(test_linear_growth) {
    uint64_t seed = 5;
    nb_broad_phase phase = {0};
    double tests_a_box[3];
    for (int size = 0; size < 3; size++) {
        int32_t count = 1000 << (3 * size);
        nb_bounds *boxes = test_calloc((size_t)count, sizeof *boxes);
        for (int32_t i = 0; i < count; i++) {
            boxes[i] = random_box(&seed, 10 * (1 << size), 1.5);
            boxes[i].group = i;
        }
        CHECK_OK(nb_broad_phase_search(&phase, count, boxes));
        tests_a_box[size] = (double)phase.tests / count;
        print_message("%d boxes: %.2f tests and %.2f pairs a box\n", count, tests_a_box[size],
                      (double)phase.pair_count / count);
        test_free(boxes);
    }
    CHECK_BELOW(tests_a_box[1], 1.5 * tests_a_box[0]);
    CHECK_BELOW(tests_a_box[2], 1.5 * tests_a_box[0]);
    nb_broad_phase_clear(&phase);
}

static void move_boxes(uint64_t *seed, int32_t count, double by, nb_bounds *boxes) {
    for (int32_t i = 0; i < count; i++) {
        nb_vec3 way = {test_random(seed, -by, by), test_random(seed, -by, by), test_random(seed, -by, by)};
        boxes[i].low = nb_add(boxes[i].low, way);
        boxes[i].high = nb_add(boxes[i].high, way);
    }
}

/* all pairs of one of boxes a .. b - 1 and one of c .. d - 1, by a double loop */
static void check_between(nb_broad_phase *phase, const nb_bounds *boxes, int32_t a, int32_t b, int32_t c, int32_t d) {
    int64_t k = 0;
    if (phase->pair_count > 0) qsort(phase->pairs, (size_t)phase->pair_count, sizeof *phase->pairs, compare_pairs);
    for (int32_t i = a; i < b; i++)
        for (int32_t j = a == c ? i + 1 : c; j < d; j++) {
            if (boxes[i].group == boxes[j].group || (!boxes[i].active && !boxes[j].active)) continue;
            if (!boxes_overlap(&boxes[i], &boxes[j])) continue;
            assert_true(k < phase->pair_count);
            assert_int_equal(phase->pairs[k][0], i);
            assert_int_equal(phase->pairs[k][1], j);
            k++;
        }
    assert_int_equal(k, phase->pair_count);
}

/* Trees that are kept while their boxes move, a little or all over the place, and are of another number at times, find
 * the pairs that are there. */
TEST(test_trees_are_kept) {
    uint64_t seed = test_seed();
    nb_broad_phase phase = {0};
    nb_box_tree one = {0}, other = {0};
    static nb_bounds boxes[250];
    for (int32_t i = 0; i < 250; i++) {
        boxes[i] = random_box(&seed, 10, 1.5);
        boxes[i].group = i / 3;
    }
    for (int step = 0; step < 120; step++) {
        int32_t first = step / 40, half = 100 + step / 30, count = step % 50 == 49 ? half : 250;
        move_boxes(&seed, 250, step % 20 == 19 ? 10 : 0.2, boxes);
        for (int32_t i = 0; i < 250; i++) boxes[i].active = (i + step) % 4 > 0;
        CHECK_OK(nb_box_tree_update(&one, first, half - first, boxes));
        CHECK_OK(nb_box_tree_update(&other, half, count - half, boxes));
        CHECK_OK(nb_broad_phase_within(&phase, &one, boxes));
        check_between(&phase, boxes, first, half, first, half);
        CHECK_OK(nb_broad_phase_within(&phase, &other, boxes));
        check_between(&phase, boxes, half, count, half, count);
        CHECK_OK(nb_broad_phase_between(&phase, step % 2 ? &one : &other, step % 2 ? &other : &one, boxes));
        check_between(&phase, boxes, first, half, half, count);
    }
    nb_box_tree_clear(&one);
    nb_box_tree_clear(&other);
    nb_broad_phase_clear(&phase);
}

/* A tree that is kept takes at most three times the tests of a new one, however far its boxes have come, and no memory
 * but the first time. */
TEST(test_kept_trees_stay_good) {
    enum {
        BOXES = 2000
    };
    uint64_t seed = test_seed();
    nb_broad_phase kept = {0}, made = {0};
    nb_box_tree tree = {0};
    static nb_bounds boxes[BOXES];
    double worst = 0;
    int64_t taken = 0;
    for (int32_t i = 0; i < BOXES; i++) {
        boxes[i] = random_box(&seed, 12, 1);
        boxes[i].group = i;
    }
    for (int step = 0; step < 60; step++) {
        move_boxes(&seed, BOXES, 0.5, boxes);
        if (step == 1) taken = nb_allocation_count();
        CHECK_OK(nb_box_tree_update(&tree, 0, BOXES, boxes));
        if (step > 0) assert_int_equal(nb_allocation_count(), taken);
        CHECK_OK(nb_broad_phase_within(&kept, &tree, boxes));
        CHECK_OK(nb_broad_phase_search(&made, BOXES, boxes));
        assert_int_equal(kept.pair_count, made.pair_count);
        worst = fmax(worst, (double)kept.tests / (double)made.tests);
        taken = nb_allocation_count(); /* pairs may grow */
    }
    print_message("up to %.2f times the tests of a new tree\n", worst);
    assert_true(worst > 1.1); /* it was kept */
    CHECK_BELOW(worst, 3);
    nb_box_tree_clear(&tree);
    nb_broad_phase_clear(&kept);
    nb_broad_phase_clear(&made);
}

TEST(test_memory) {
    uint64_t seed = 3;
    nb_bounds boxes[100];
    for (int32_t i = 0; i < 100; i++) boxes[i] = random_box(&seed, 3, 1), boxes[i].group = i;
    nb_status status = NB_ERROR_MEMORY;
    for (int successes = 0; status != NB_OK; successes++) {
        nb_broad_phase phase = {0};
        nb_allocation_fail_after(successes);
        status = nb_broad_phase_search(&phase, 100, boxes);
        nb_allocation_fail_after(-1);
        assert_true(status == NB_OK || status == NB_ERROR_MEMORY);
        if (status == NB_OK) { /* a second search of the same boxes needs nothing more */
            int64_t before = nb_allocation_count();
            CHECK_OK(nb_broad_phase_search(&phase, 100, boxes));
            assert_int_equal(nb_allocation_count(), before);
        }
        nb_broad_phase_clear(&phase);
    }
}

RUN_TESTS(test_same_pairs_as_brute_force, test_boxes_in_one_place, test_grid, test_linear_growth, test_trees_are_kept,
          test_kept_trees_stay_good, test_memory)
