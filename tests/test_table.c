/* Text tables: alignment, rows printed one by one, allocation failure. */
#include "text/table.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"

TEST(columns_are_aligned) {
    static const char *const titles[] = {"name", ">count", "end"};
    nb_table *table;
    CHECK_OK(nb_table_create(3, titles, &table));
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    nb_table_widen(table, 0, "longest");
    nb_table_cell(table, "%s", "a");
    nb_table_cell(table, "%d", 7);
    nb_table_cell(table, "x");
    CHECK_OK(nb_table_print(table, stream));
    nb_table_cell(table, "%s", "longest");
    nb_table_cell(table, "%d", 12345);
    nb_table_cell(table, "yy");
    CHECK_OK(nb_table_print(table, stream));
    fclose(stream);
    assert_string_equal(text, "name     count  end\n"
                              "a            7  x\n"
                              "longest  12345  yy\n");
    free(text);
    nb_table_destroy(table);
    nb_table_destroy(NULL);
}

/* whichever allocation fails, the fault comes back and nothing leaks (sanitizers watch) */
TEST(allocation_failures_come_back) {
    static const char *const titles[] = {"a", "b"};
    int faults = 0;
    for (int n = 0; n < 16; n++) {
        nb_table *table;
        nb_allocation_fail_after(n);
        nb_status status = nb_table_create(2, titles, &table);
        if (status == NB_OK) {
            nb_table_cell(table, "1");
            nb_table_cell(table, "2");
            char *text;
            size_t size;
            FILE *stream = open_memstream(&text, &size);
            status = nb_table_print(table, stream);
            fclose(stream);
            free(text);
        } else {
            assert_null(table);
        }
        nb_table_destroy(table);
        assert_true(status == NB_OK || status == NB_ERROR_MEMORY);
        faults += status != NB_OK;
    }
    nb_allocation_fail_after(-1);
    assert_int_equal(faults, 8); /* the table, two arrays, two titles, the cells' array, two cells */
}

RUN_TESTS(columns_are_aligned, allocation_failures_come_back)
