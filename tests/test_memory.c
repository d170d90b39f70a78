/* Allocation: alignment, zeroing, growth, sizes beyond reason, and failures injected on purpose. */
#include "base/memory.h"
#include "base/resident.h"

#include <string.h>

#include "check.h"

static void test_allocate_zeroed_and_aligned(void **unused) {
    (void)unused;
    static const int64_t counts[] = {0, 1, 7, 8, 9, 63, 64, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double *numbers;
        CHECK_OK(NB_ALLOCATE(counts[i], &numbers));
        assert_non_null(numbers);
        assert_int_equal((uintptr_t)numbers % 64, 0);
        for (int64_t k = 0; k < counts[i]; k++) assert_true(numbers[k] == 0);
        /* all of it is ours: the address sanitizer watches this write */
        memset(numbers, 0xff, (size_t)counts[i] * sizeof *numbers);
        nb_free(numbers);
    }
}

static void test_allocate_refuses_absurd_sizes(void **unused) {
    (void)unused;
    static const struct {
        int64_t count;
        size_t size;
    } cases[] = {{-1, 8},       {INT64_MIN, 1},   {INT64_MAX, 8}, {INT64_MAX, 3}, {INT64_C(1) << 61, 8},
                 {1, SIZE_MAX}, {2, SIZE_MAX / 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int stays = 0;
        void *memory = &stays;
        CHECK_FAULT(nb_allocate(cases[i].count, cases[i].size, &memory), NB_ERROR_MEMORY, "bytes");
        assert_null(memory);
    }
    /* a product that fits size_t but no memory */
    void *memory;
    CHECK_FAULT(nb_allocate(INT64_C(1) << 60, 1, &memory), NB_ERROR_MEMORY, "out of memory");
    assert_null(memory);
}

static void test_reserve_keeps_and_zeroes(void **unused) {
    (void)unused;
    int32_t *numbers = NULL;
    int64_t capacity = 0, last = 0;
    int moves = 0;
    for (int32_t n = 1; n <= 1000; n++) {
        CHECK_OK(NB_RESERVE(n, &capacity, &numbers));
        assert_true(capacity >= n);
        if (capacity != last) {
            moves++;
            for (int64_t k = n - 1; k < capacity; k++) assert_int_equal(numbers[k], 0);
            last = capacity;
        }
        numbers[n - 1] = n;
    }
    for (int32_t n = 1; n <= 1000; n++) assert_int_equal(numbers[n - 1], n);
    /* doubling from 8 reaches 1024 in eight moves */
    assert_int_equal(moves, 8);

    int32_t *before = numbers;
    CHECK_OK(NB_RESERVE(10, &capacity, &numbers));
    assert_ptr_equal(numbers, before);
    nb_free(numbers);
}

/* so that memcpy of nothing is defined */
static void test_reserve_of_nothing_gives_a_pointer(void **unused) {
    (void)unused;
    double *numbers = NULL;
    int64_t capacity = 0;
    CHECK_OK(NB_RESERVE(0, &capacity, &numbers));
    assert_non_null(numbers);
    nb_free(numbers);
}

static void test_reserve_fault_changes_nothing(void **unused) {
    (void)unused;
    char *text = NULL;
    int64_t capacity = 0;
    CHECK_OK(NB_RESERVE(4, &capacity, &text));
    memcpy(text, "keep", 4);
    const char *before = text;
    const int64_t held = capacity;

    nb_allocation_fail_after(0);
    CHECK_FAULT(NB_RESERVE(held + 1, &capacity, &text), NB_ERROR_MEMORY, "out of memory");
    CHECK_FAULT(NB_RESERVE(INT64_MAX, &capacity, &text), NB_ERROR_MEMORY, "bytes");
    assert_ptr_equal(text, before);
    assert_int_equal(capacity, held);
    assert_memory_equal(text, "keep", 4);
    nb_free(text);
}

static void test_failure_injection_hits_once(void **unused) {
    (void)unused;
    void *memory;
    nb_allocation_fail_after(2);
    for (int i = 0; i < 5; i++) {
        nb_status status = nb_allocate(1, 1, &memory);
        assert_int_equal(status, i == 2 ? NB_ERROR_MEMORY : NB_OK);
        assert_int_equal(memory == NULL, i == 2);
        nb_free(memory);
    }
    nb_allocation_fail_after(0);
    nb_allocation_fail_after(-1);
    CHECK_OK(nb_allocate(1, 1, &memory));
    nb_free(memory);
}

static void test_count_grows_by_successes_only(void **unused) {
    (void)unused;
    void *memory;
    const int64_t start = nb_allocation_count();
    CHECK_OK(nb_allocate(3, 5, &memory));
    nb_free(memory);
    nb_allocation_fail_after(0);
    assert_int_equal(nb_allocate(3, 5, &memory), NB_ERROR_MEMORY);
    assert_int_equal(nb_allocation_count() - start, 1);
    nb_free(NULL);
}

static void test_copy_text(void **unused) {
    (void)unused;
    char original[] = "heavy-stack", *copy;
    CHECK_OK(nb_copy_text(original, &copy));
    original[0] = 'X';
    assert_string_equal(copy, "heavy-stack");
    nb_free(copy);
    CHECK_OK(nb_copy_text("", &copy));
    assert_string_equal(copy, "");
    nb_free(copy);
    nb_allocation_fail_after(0);
    assert_int_equal(nb_copy_text("arch", &copy), NB_ERROR_MEMORY);
    assert_null(copy);
}

/* the system counts pages that were touched */
static void test_resident_peak(void **unused) {
    (void)unused;
    const int64_t size = 32 << 20;
    char *memory;
    nb_resident_peak_reset();
    double before = nb_resident_peak();
    assert_true(before > 0x1p16);
    CHECK_OK(NB_ALLOCATE(size, &memory));
    memset(memory, 1, (size_t)size);
    assert_true(nb_resident_peak() > before + 0.9 * (double)size);
    nb_free(memory);
    assert_true(nb_resident_peak() > before + 0.9 * (double)size); /* a peak stays */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocate_zeroed_and_aligned),
        cmocka_unit_test(test_allocate_refuses_absurd_sizes),
        cmocka_unit_test(test_reserve_keeps_and_zeroes),
        cmocka_unit_test(test_reserve_fault_changes_nothing),
        cmocka_unit_test(test_failure_injection_hits_once),
        cmocka_unit_test(test_count_grows_by_successes_only),
        cmocka_unit_test(test_reserve_of_nothing_gives_a_pointer),
        cmocka_unit_test(test_copy_text),
        cmocka_unit_test(test_resident_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
