/* Rows whose columns a structure brings itself: a record is read with the columns that it has, and another process gets
 * them with the rows. */
#include <hdf5.h>
#include <string.h>
#include <unistd.h>

#include "base/member.h"
#include "base/memory.h"
#include "check.h"
#include "random_run.h"
#include "record/group.h"
#include "record/h5.h"

static const nb_column three_columns[] = {
    {"residual", "m/s", "residual", ""}, {"kind", "1", "which of two", "0=none 1=some"}, {"time_s", "s", "time", ""}};

typedef struct table {
    int32_t steps;
    int64_t *start; /* [steps + 2] */
    nb_columns columns;
    double *rows; /* [start[steps]][columns.count] */
} table;

static const nb_meaning step_axis = {"step", "1", "step, from 0"}, row_axis = {"row", "1", "row of the step, from 0"};
#define STEPS \
    { NB_EXTENT_COUNT32, 0, offsetof(table, steps), &step_axis, 0 }
#define ROWS \
    { NB_EXTENT_RAGGED, 0, offsetof(table, start), &row_axis, 0 }

static const nb_member of_table[] = {
    {NB_LINE("steps", table, steps, COUNT)},
    {NB_LINE_STARTS("count", "rows of the step", table, start, STEPS)},
    {NB_LINE_PART(table, columns, nb_own_columns_members), .name = "columns"},
    {NB_LINE_OWN_ROWS(table, rows, columns, STEPS, ROWS)},
};
static const nb_members table_members = NB_MEMBERS(table, of_table);

static void random_table(uint64_t *state, table *t) {
    *t = (table){.steps = 4};
    CHECK_OK(nb_columns_add(&t->columns, three_columns, 3));
    CHECK_OK(NB_ALLOCATE(t->steps + 2, &t->start));
    for (int i = 1; i < t->steps + 2; i++) t->start[i] = t->start[i - 1] + test_random_below(state, 3);
    t->start[t->steps + 1] = t->start[t->steps];
    int64_t rows = t->start[t->steps];
    CHECK_OK(NB_ALLOCATE(3 * rows, &t->rows));
    test_random_fill(state, t->rows, 3 * rows);
}

static void check_same_table(const table *a, const table *b) {
    assert_int_equal(a->steps, b->steps);
    check_same_columns(&a->columns, &b->columns);
    check_same_bytes("start", a->start, b->start, a->steps + 2, sizeof(int64_t));
    check_same_bytes("rows", a->rows, b->rows, a->start[a->steps], (size_t)a->columns.count * sizeof(double));
}

static hid_t new_file(void) {
    char path[] = "/tmp/ncpbench-columns-XXXXXX";
    hid_t made;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    nb_h5_quiet();
    CHECK_OK(nb_h5_create_file(path, path, &made));
    unlink(path);
    return made;
}

/* A record is read with the columns that it has, whoever knows of them; one that is missing is named. */
TEST(test_columns_of_a_record) {
    uint64_t random = 21;
    table sent, received = {0};
    random_table(&random, &sent);
    hid_t group, file = new_file();
    CHECK_OK(nb_h5_create_group(file, "table", &group));
    CHECK_OK(nb_group_write(group, &table_members, &sent));
    CHECK_OK(nb_columns_add(&received.columns, &three_columns[1], 1));
    CHECK_OK(nb_group_read(group, &table_members, &received));
    check_same_table(&sent, &received);
    nb_members_clear(&table_members, &received);
    assert_true(H5Ldelete(group, "kind", H5P_DEFAULT) >= 0);
    CHECK_FAULT(nb_group_read(group, &table_members, &received), NB_ERROR_INPUT, "/table/kind");
    nb_members_clear(&table_members, &received);
    assert_true(H5Ldelete(group, "columns/legend", H5P_DEFAULT) >= 0);
    CHECK_FAULT(nb_group_read(group, &table_members, &received), NB_ERROR_INPUT, "/table/columns/legend");
    nb_members_clear(&table_members, &received);
    H5Gclose(group);
    H5Fclose(file);
    nb_members_clear(&table_members, &sent);
}

/* What one process hands to another brings its columns, whatever the other has. */
TEST(test_columns_are_handed_on) {
    uint64_t random = 22;
    table sent, received = {0}, copy = {0};
    random_table(&random, &sent);
    CHECK_OK(nb_columns_add(&received.columns, &three_columns[2], 1));
    nb_stream stream = {.file = tmpfile(), .path = "the test's", .unchecked = 1};
    CHECK_OK(nb_members_put(&table_members, NB_TRANSFER, &sent, &stream));
    stream.left = ftell(stream.file);
    rewind(stream.file);
    CHECK_OK(nb_members_get(&table_members, NB_TRANSFER, &received, &stream));
    fclose(stream.file);
    check_same_table(&sent, &received);
    CHECK_OK(nb_members_copy(&table_members, &received, &copy));
    nb_members_clear(&table_members, &received);
    check_same_table(&sent, &copy);
    nb_members_clear(&table_members, &copy);
    for (int i = sent.columns.count; i < NB_COLUMNS_MOST; i++)
        CHECK_OK(nb_columns_add(&sent.columns, three_columns, 1));
    CHECK_FAULT(nb_columns_add(&sent.columns, three_columns, 1), NB_ERROR_INPUT, "more than 160 columns");
    nb_members_clear(&table_members, &sent);
}

RUN_TESTS(test_columns_of_a_record, test_columns_are_handed_on)
