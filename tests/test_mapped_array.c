/* Arrays that move from memory into a file as they grow: every entry stays, and memory does not grow with them. */
#include "base/mapped_array.h"

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

static int64_t fill(nb_mapped_array *mapped, int64_t count, double **array) {
    for (int64_t i = 0; i < count; i++) {
        CHECK_OK(nb_mapped_array_reserve(mapped, i + 1, WIDTH * sizeof(double), array));
        for (int k = 0; k < WIDTH; k++) (*array)[WIDTH * i + k] = (double)(WIDTH * i + k);
    }
    return count;
}

static void check_entries(const double *array, int64_t count) {
    for (int64_t i = 0; i < WIDTH * count; i++)
        if (array[i] != (double)i) fail_msg("entry %lld is %g", (long long)i, array[i]);
}

TEST(test_entries_stay) {
    const int64_t counts[] = {1, 100, 40000, 300000}; /* the last two are in a file */
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        nb_mapped_array mapped = {0};
        double *array = NULL;
        int64_t count = fill(&mapped, counts[c], &array);
        assert_int_equal(mapped.base != NULL, c >= 2);
        check_entries(array, count);
        nb_mapped_array_rest(&mapped);
        check_entries(array, count);
        nb_mapped_array_free(&mapped, array);
        assert_null(mapped.base);
    }
}

TEST(test_memory_stays) {
    nb_mapped_array mapped = {0};
    double *array = NULL;
    long before = resident();
    fill(&mapped, 2000000, &array); /* 61 MiB */
    long after = resident();
    print_message("%ld KiB more for 61 MiB\n", (after - before) / 1024);
    assert_true(after - before < 8 << 20); /* the last pieces, and what the test itself takes */
    check_entries(array, 2000000);
    nb_mapped_array_free(&mapped, array);
}

/* no place for a file: memory serves */
TEST(test_no_file_to_be_had) {
    const char *folder = getenv("TMPDIR");
    char *kept = folder ? strdup(folder) : NULL;
    nb_mapped_array mapped = {0};
    double *array = NULL;
    setenv("TMPDIR", "/nonexistent", 1);
    fill(&mapped, 100000, &array);
    assert_null(mapped.base);
    check_entries(array, 100000);
    nb_mapped_array_free(&mapped, array);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}

RUN_TESTS(test_entries_stay, test_memory_stays, test_no_file_to_be_had)
