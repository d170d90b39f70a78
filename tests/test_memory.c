/* Allocation: alignment, zeroing, growth, sizes beyond reason, and failures injected on purpose. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/memory_peak.h"

#include <string.h>

#include "check.h"

TEST(test_allocate_zeroed_and_aligned) {
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

TEST(test_allocate_refuses_absurd_sizes) {
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

TEST(test_reserve_keeps_and_zeroes) {
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
    /* by a quarter each, 8, 10, 12, 15, .. 1085 */
    assert_int_equal(moves, 24);

    int32_t *before = numbers;
    CHECK_OK(NB_RESERVE(10, &capacity, &numbers));
    assert_ptr_equal(numbers, before);
    nb_free(numbers);
}

/* so that memcpy of nothing is defined */
TEST(test_reserve_of_nothing_gives_a_pointer) {
    double *numbers = NULL;
    int64_t capacity = 0;
    CHECK_OK(NB_RESERVE(0, &capacity, &numbers));
    assert_non_null(numbers);
    nb_free(numbers);
}

TEST(test_reserve_fault_changes_nothing) {
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

TEST(test_failure_injection_hits_once) {
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

TEST(test_count_grows_by_successes_only) {
    void *memory;
    const int64_t start = nb_allocation_count();
    CHECK_OK(nb_allocate(3, 5, &memory));
    nb_free(memory);
    nb_allocation_fail_after(0);
    assert_int_equal(nb_allocate(3, 5, &memory), NB_ERROR_MEMORY);
    assert_int_equal(nb_allocation_count() - start, 1);
    nb_free(NULL);
}

/* an arena lays three arrays of different sizes out, one of them empty */
typedef struct arrays {
    nb_arena arena;
    int64_t count;
    char *letters;
    double *numbers, *none;
    int32_t *integers;
} arrays;

static void place(nb_arena *a, arrays *t) {
    NB_PLACE(a, t->count, &t->letters);
    NB_PLACE(a, t->count, &t->numbers);
    NB_PLACE(a, 0, &t->none);
    NB_PLACE(a, 3 * t->count, &t->integers);
}

static void lay_out(arrays *t, int64_t count) {
    t->count = count;
    nb_arena_measure(&t->arena);
    place(&t->arena, t);
    assert_null(t->letters);
    assert_null(t->integers);
    CHECK_OK(nb_arena_reserve(&t->arena));
    place(&t->arena, t);
}

TEST(test_arena_places_apart_aligned_and_zeroed) {
    arrays t = {0};
    for (int64_t count = 0; count < 40; count += 3) { /* grows, and keeps what it has */
        lay_out(&t, count);
        const char *begin[] = {t.letters, (const char *)t.numbers, (const char *)t.none, (const char *)t.integers};
        const int64_t bytes[] = {count, 8 * count, 0, 12 * count};
        for (int i = 0; i < 4; i++) {
            assert_int_equal((uintptr_t)begin[i] % 64, 0);
            for (int64_t k = 0; k < bytes[i]; k++) assert_int_equal(begin[i][k], 0);
            if (i < 3) assert_true(begin[i] + bytes[i] <= begin[i + 1]);
        }
        memset(t.letters, 0xff, (size_t)bytes[0]);
        memset(t.numbers, 0xff, (size_t)bytes[1]);
        memset(t.integers, 0xff, (size_t)bytes[3]); /* the address sanitizer watches the end */
    }
    const char *kept = t.arena.memory;
    const int64_t allocations = nb_allocation_count();
    lay_out(&t, 5);
    assert_ptr_equal(t.arena.memory, kept);
    assert_int_equal(nb_allocation_count(), allocations);
    for (int64_t k = 0; k < 5; k++) assert_true(t.letters[k] == 0 && t.numbers[k] == 0);
    nb_arena_clear(&t.arena);
    assert_null(t.arena.memory);
}

TEST(test_arena_fault_leaves_nothing) {
    arrays t = {0};
    lay_out(&t, 4);
    const int64_t held = nb_allocation_held();
    t.count = 1000;
    nb_arena_measure(&t.arena);
    place(&t.arena, &t);
    nb_allocation_fail_after(0);
    CHECK_FAULT(nb_arena_reserve(&t.arena), NB_ERROR_MEMORY, "out of memory");
    assert_null(t.arena.memory);
    assert_true(nb_allocation_held() < held);
    lay_out(&t, 4);
    nb_arena_clear(&t.arena);
}

/* memory that is not the arena's, with an alignment of its own */
TEST(test_arena_in_borrowed_memory) {
    char *memory;
    arrays t = {.count = 5};
    CHECK_OK(NB_ALLOCATE(2048, &memory));
    t.arena = (nb_arena){.memory = memory, .alignment = 256};
    place(&t.arena, &t);
    assert_ptr_equal(t.letters, memory);
    assert_ptr_equal(t.numbers, memory + 256);
    assert_ptr_equal(t.none, memory + 512);
    assert_ptr_equal(t.integers, memory + 512);
    assert_int_equal(t.arena.used, 512 + 60);
    nb_arena_align(&t.arena, 256);
    assert_int_equal(t.arena.used, 768);
    nb_arena_clear(&t.arena); /* frees nothing */
    assert_int_equal(t.arena.alignment, 256);
    memory[2047] = 1;
    nb_free(memory);
}

TEST(test_copy_text) {
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
TEST(test_memory_peak) {
    const int64_t size = 32 << 20;
    char *memory;
    nb_memory_peak_reset();
    double before = nb_memory_peak();
    assert_true(before > 0x1p16);
    CHECK_OK(NB_ALLOCATE(size, &memory));
    memset(memory, 1, (size_t)size);
    assert_true(nb_memory_peak() > before + 0.9 * (double)size);
    nb_free(memory);
    assert_true(nb_memory_peak() > before + 0.9 * (double)size); /* a peak stays */
}

RUN_TESTS(test_allocate_zeroed_and_aligned, test_allocate_refuses_absurd_sizes, test_reserve_keeps_and_zeroes,
          test_reserve_fault_changes_nothing, test_failure_injection_hits_once, test_count_grows_by_successes_only,
          test_reserve_of_nothing_gives_a_pointer, test_arena_places_apart_aligned_and_zeroed,
          test_arena_fault_leaves_nothing, test_arena_in_borrowed_memory, test_copy_text, test_memory_peak)
