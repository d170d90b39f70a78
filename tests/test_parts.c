/* The parts of a problem: every row is in one of them, and what they know of their rows is what the problem knows. */
#include "constraint/parts.h"

#include <string.h>

#include "base/memory.h"
#include "constraint/bilateral.h"
#include "constraint/cone_law.h"
#include "constraint/file_problem.h"
#include "random_scene.h"

NB_PRECISIONS(f32, f64);

/* the law of a row of a problem or of a part, and its parameter there */
static const nb_law *law_of_row(const nb_law_range *ranges, int32_t count, int32_t row, int32_t *parameter) {
    for (int32_t i = 0; i < count; i++) {
        int32_t end = ranges[i].first_row + nb_law_range_rows(&ranges[i]);
        if (row < ranges[i].first_row || row >= end) continue;
        *parameter = ranges[i].first + (row - ranges[i].first_row) / ranges[i].law->type->rows;
        return ranges[i].law;
    }
    fail_msg("row %d has no law", (int)row);
    return NULL;
}

/* The blocks of a part are those of its ranges, in this order. */
static void check_blocks(const nb_part *part) {
    const nb_delassus *d = part->delassus;
    int32_t block = 0, row = 0;
    for (int32_t i = 0; i < part->range_count; i++) {
        const nb_law_range *range = &part->ranges[i];
        assert_int_equal(range->first_block, block);
        assert_int_equal(range->first_row, row);
        for (int32_t k = 0; k < range->blocks; k++, row += range->law->type->rows)
            assert_int_equal(d->block_start[block++], row);
    }
    assert_int_equal(block, d->block_count);
    assert_int_equal(row, d->rows);
}

/* Products of a part's operator with its share of any vector are the whole's, whatever stands in the other rows. */
static void check_products(const nb_problem *p, const nb_part *part, uint64_t *random) {
    static real x[MOST_ROWS], y[MOST_ROWS], s[MOST_ROWS], c[MOST_ROWS];
    static real own_x[MOST_ROWS], own_y[MOST_ROWS], own_s[MOST_ROWS], own_c[MOST_ROWS];
    for (int32_t r = 0; r < p->rows; r++) {
        x[r] = (real)test_random(random, -1, 1);
        s[r] = (real)test_random(random, 0, 1);
        c[r] = (real)test_random(random, 0, 1);
    }
    for (int32_t r = 0; r < part->delassus->rows; r++) {
        own_x[r] = x[part->row[r]];
        own_s[r] = s[part->row[r]];
        own_c[r] = c[part->row[r]];
    }
    p->exact->type->apply(p->exact, s, c, x, y);
    part->delassus->type->apply(part->delassus, own_s, own_c, own_x, own_y);
    for (int32_t r = 0; r < part->delassus->rows; r++)
        CHECK_NEAR((double)own_y[r], (double)y[part->row[r]], 100 * (double)NB_REAL_EPSILON);
}

/* Returns how many parts there are. */
static int32_t check_parts(const nb_problem *p, int32_t least, uint64_t *random) {
    nb_parts *parts;
    int seen[MOST_ROWS] = {0};
    CHECK_OK(nb_parts_create(p, least, NULL, &parts));
    for (int32_t i = 0; i < parts->count; i++) {
        const nb_part *part = &parts->part[i];
        check_blocks(part);
        check_products(p, part, random);
        if (i + 1 < parts->count) assert_true(part->delassus->block_count >= least);
        for (int32_t r = 0; r < part->delassus->rows; r++) {
            int32_t one = -1, other = -1;
            seen[part->row[r]]++;
            assert_ptr_equal(law_of_row(part->ranges, part->range_count, r, &one),
                             law_of_row(p->ranges, p->range_count, part->row[r], &other));
            assert_int_equal(one, other);
        }
    }
    for (int32_t r = 0; parts->count > 0 && r < p->rows; r++) assert_int_equal(seen[r], 1);
    int32_t count = parts->count;
    nb_parts_destroy(parts);
    return count;
}

TEST(of_a_step) {
    static scene s;
    uint64_t seed = 31;
    int several = 0;
    for (int i = 0; i < 20; i++) {
        begin_scene(&s, &seed, 60, i % 4, 12 + i);
        const nb_problem *p = nb_step_problem(s.step);
        int32_t alone = check_parts(p, 1, &seed), together = check_parts(p, 16, &seed);
        assert_int_equal(alone, p->island_count > 1 ? p->island_count : 0);
        assert_true(together <= alone);
        several += together > 2 && together < alone;
        end_scene(&s);
    }
    assert_true(several >= 5); /* else the scenes show nothing */
}

/* W = blocks of three contacts and a joint row each, whose rows are far apart, and a contact on its own */
TEST(of_a_matrix) {
    enum {
        ISLANDS = 5,
        CONTACTS = 3 * ISLANDS + 1,
        ROWS = ISLANDS + 3 * CONTACTS
    };
    static int32_t column[ROWS * ROWS];
    static double value[ROWS * ROWS], q[ROWS], mu[CONTACTS];
    int64_t start[ROWS + 1] = {0};
    uint64_t random = 32;
    for (int i = 0; i < ROWS; i++) {
        int one = i < ISLANDS ? i : i < ROWS - 3 ? (i - ISLANDS) / 3 % ISLANDS : ISLANDS;
        start[i + 1] = start[i];
        for (int k = 0; k < ROWS; k++) {
            int other = k < ISLANDS ? k : k < ROWS - 3 ? (k - ISLANDS) / 3 % ISLANDS : ISLANDS;
            if (one != other && (i + k) % 7 != 0) continue; /* some zeros are stored */
            column[start[i + 1]] = k;
            value[start[i + 1]++] = one != other ? 0 : i == k ? 40 : test_random(&random, -1, 1);
        }
    }
    for (int i = 0; i < CONTACTS; i++) mu[i] = 0.1 + 0.01 * i;
    const nb_csr_f64 w = {.rows = ROWS, .columns = ROWS, .start = start, .column = column, .value = value};
    const nb_file_data data = {3, ISLANDS, CONTACTS, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
    nb_problem *p;
    CHECK_OK(nb_file_problem_create(&data, &p));
    assert_int_equal(p->island_count, ISLANDS + 1);
    assert_int_equal(check_parts(p, 1, &random), ISLANDS + 1);
    assert_int_equal(check_parts(p, 8, &random), 3);
    assert_int_equal(check_parts(p, 100, &random), 0);
    nb_file_problem_destroy(p);
}

TEST(memory_may_fail) {
    static scene s;
    uint64_t seed = 33;
    begin_scene(&s, &seed, 60, 2, 20);
    nb_status status = NB_ERROR_MEMORY;
    for (int64_t successes = 0; status != NB_OK; successes++) {
        nb_parts *parts;
        int64_t held = nb_allocation_held();
        nb_allocation_fail_after(successes);
        status = nb_parts_create(nb_step_problem(s.step), 4, NULL, &parts);
        nb_allocation_fail_after(-1);
        nb_parts_destroy(parts);
        assert_int_equal(nb_allocation_held(), held);
    }
    end_scene(&s);
}

RUN_TESTS(of_a_step, of_a_matrix, memory_may_fail)
