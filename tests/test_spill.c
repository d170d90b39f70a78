/* Arrays that move from memory into a file as they grow: every entry stays, and memory does not grow with them. */
#include "record/spill.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"

enum {
    WIDTH = 4
};

/* bytes in memory */
static long resident(void) {
    long pages = 0, total;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &total, &pages), 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int64_t fill(nb_spill *spill, int64_t count, int64_t *capacity, double **array) {
    for (int64_t i = 0; i < count; i++) {
        CHECK_OK(nb_spill_reserve(spill, i + 1, WIDTH * sizeof(double), capacity, array));
        for (int k = 0; k < WIDTH; k++) (*array)[WIDTH * i + k] = (double)(WIDTH * i + k);
    }
    return count;
}

static void check_entries(const double *array, int64_t count) {
    for (int64_t i = 0; i < WIDTH * count; i++)
        if (array[i] != (double)i) fail_msg("entry %lld is %g", (long long)i, array[i]);
}

static void test_entries_stay(void **state) {
    (void)state;
    const int64_t counts[] = {1, 100, 40000, 300000}; /* the last two are in a file */
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        nb_spill spill = {0};
        double *array = NULL;
        int64_t capacity = 0, count = fill(&spill, counts[c], &capacity, &array);
        assert_int_equal(spill.base != NULL, c >= 2);
        check_entries(array, count);
        nb_spill_rest(&spill);
        check_entries(array, count);
        nb_spill_free(&spill, array);
        assert_null(spill.base);
    }
}

static void test_memory_stays(void **state) {
    (void)state;
    nb_spill spill = {0};
    double *array = NULL;
    int64_t capacity = 0;
    long before = resident();
    fill(&spill, 2000000, &capacity, &array); /* 61 MiB */
    long after = resident();
    print_message("%ld KiB more for 61 MiB\n", (after - before) / 1024);
    assert_true(after - before < 8 << 20); /* the last pieces, and what the test itself takes */
    check_entries(array, 2000000);
    nb_spill_free(&spill, array);
}

/* no place for a file: memory serves */
static void test_no_file_to_be_had(void **state) {
    (void)state;
    const char *folder = getenv("TMPDIR");
    char *kept = folder ? strdup(folder) : NULL;
    nb_spill spill = {0};
    double *array = NULL;
    int64_t capacity = 0;
    setenv("TMPDIR", "/nonexistent", 1);
    fill(&spill, 100000, &capacity, &array);
    assert_null(spill.base);
    check_entries(array, 100000);
    nb_spill_free(&spill, array);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_stay),
        cmocka_unit_test(test_memory_stays),
        cmocka_unit_test(test_no_file_to_be_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
