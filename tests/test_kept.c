/* What an incomplete factorisation by threshold keeps of a row (precond/kept.h). */
#include "check.h"
#include "precond/kept.h"

NB_PRECISIONS(f32, f64);

static void check_chosen(nb_kept *k, const int32_t *group, int32_t first, double least, int32_t most,
                         const int32_t *expected, int32_t count) {
    int32_t chosen[8];
    assert_int_equal(nb_kept_choose(k, group, first, 8, least, most, chosen), count);
    for (int32_t i = 0; i < count; i++) assert_int_equal(chosen[i], expected[i]);
}

/* the large ones, of equal ones the first; groups as a whole, by their largest number in range; the same again */
TEST(test_choice) {
    static const double numbers[8] = {9, 0.1, -3, 0.2, 0.3, 3, 0, 0.1};
    static const int32_t groups[8] = {0, 0, 2, 2, 2, 5, 5, 7};
    nb_kept k = {0};
    CHECK_OK(nb_kept_reserve(&k, 8));
    for (int trial = 0; trial < 2; trial++) {
        for (int32_t i = 7; i >= 0; i--)
            if (numbers[i] != 0) nb_kept_add(&k, i, (real)numbers[i]);
        check_chosen(&k, NULL, 0, 0.25, 8, (int32_t[]){0, 2, 4, 5}, 4);
        check_chosen(&k, NULL, 0, 0.25, 2, (int32_t[]){0, 2}, 2);
        check_chosen(&k, groups, 0, 0.25, 8, (int32_t[]){0, 1, 2, 3, 4, 5}, 6);
        check_chosen(&k, groups, 1, 0.25, 8, (int32_t[]){2, 3, 4, 5}, 4);
        check_chosen(&k, groups, 0, 5, 8, (int32_t[]){0, 1}, 2);
        nb_kept_restart(&k);
    }
    nb_kept_clear(&k);
}

RUN_TESTS(test_choice)
