/* Structures by the table of their members: with one of the test's own, what is said in a line goes through a group of
 * a record, to another process and into a checkpoint, and what is damaged on the way is refused. */
#include "base/member.h"

#include <hdf5.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "random_run.h"
#include "record/group.h"
#include "record/h5.h"

enum {
    MOST_PLACES = 5
};

typedef struct mark {
    char label[12];
    double weight;
    int32_t body;
    double corner[3];
} mark;

typedef struct inner {
    int64_t count;
    double *value; /* [count] */
} inner;

typedef struct example {
    char name[24], hint[24];
    double length;
    int32_t number;
    int64_t wide;
    uint64_t seed;
    char *note;
    int32_t bodies, steps, mark_count, place_count, many_count;
    double *q;                  /* [bodies][2][3] */
    int64_t *first;             /* [bodies + 1] */
    int32_t place[MOST_PLACES]; /* [place_count] */
    mark *marks;                /* [mark_count] */
    int64_t *row_start;         /* [steps + 2] */
    double *rows;               /* [row_start[steps]][columns] */
    int64_t *turn_start;        /* [rows + 2] */
    double *turns;              /* [turn_start[rows]][1] */
    nb_mapped_array room;       /* of rows */
    nb_columns columns;         /* of rows */
    inner always, sometimes;
    inner *many;   /* [many_count] */
    double *later; /* [bodies], the member that was added */
    double later_number;
} example;

static const nb_meaning step_axis = {"step", "1", "step, from 0"}, row_axis = {"row", "1", "row of the step, from 0"},
                        turn_axis = {"turn", "1", "turn of the row, from 0"};
static const nb_column three_columns[] = {
    {"residual", "m/s", "residual", ""}, {"count_of", "1", "count", ""}, {"third", "s", "time", ""}};
static const nb_column one_column[] = {{"angle", "rad", "angle", ""}};
static const nb_columns turn_columns = {one_column, 1, NULL};

static const nb_member of_inner[] = {
    {NB_LINE("count", inner, count, COUNT)},
    {NB_LINE_ARRAY("value", "N", "force", inner, value, REAL, NB_COUNT64(inner, count))},
};
static const nb_members inner_members = NB_MEMBERS(inner, of_inner);

static const nb_member of_mark[] = {
    {NB_LINE("label", mark, label, TEXT), .units = "1", .long_name = "name"},
    {NB_LINE("weight", mark, weight, REAL), .units = "kg", .long_name = "mass"},
    {NB_LINE("body", mark, body, INT32), .units = "1", .long_name = "body"},
    {NB_LINE_IN_PLACE("corner", "m", "place", mark, corner, REAL, NB_EACH(3))},
};
static const nb_members mark_members = NB_MEMBERS(mark, of_mark);

static nb_status check_number(void *owner) {
    const example *e = owner;
    return e->number >= 0 ? NB_OK : nb_fail(NB_ERROR_INPUT, "number is %d", (int)e->number);
}

#define STEPS \
    { NB_EXTENT_COUNT32, 0, offsetof(example, steps), &step_axis, 0 }
#define ROWS \
    { NB_EXTENT_RAGGED, 0, offsetof(example, row_start), &row_axis, 0 }
#define TURNS \
    { NB_EXTENT_RAGGED, 0, offsetof(example, turn_start), &turn_axis, 0 }
#define BODIES NB_COUNT32(example, bodies)
#define ONE_MORE \
    { NB_EXTENT_COUNT32, 1, offsetof(example, bodies), NULL, 0 }

static const nb_member of_rows[] = {
    {NB_LINE_STARTS("count", "rows of the step", example, row_start, STEPS)},
    {NB_LINE_OWN_ROWS(example, rows, columns, STEPS, ROWS), .room = offsetof(example, room)},
};
static const nb_members row_group = NB_MEMBERS(example, of_rows);
static const nb_member of_turns[] = {
    {NB_LINE_STARTS("count", "turns of the row", example, turn_start, STEPS, ROWS)},
    {NB_LINE_ROWS(example, turns, turn_columns, STEPS, ROWS, TURNS)},
};
static const nb_members turn_group = NB_MEMBERS(example, of_turns);

/* clang-format off */
#define LINES \
    {NB_LINE("name", example, name, TEXT)}, \
    {NB_LINE("hint", example, hint, TEXT), .optional = 1}, \
    {NB_LINE("note", example, note, LONG_TEXT)}, \
    {NB_LINE_CHECKSUM("texts_checksum")}, \
    {NB_LINE("length", example, length, REAL)}, \
    {NB_LINE("number", example, number, INT32)}, \
    {NB_LINE_CHECK(check_number)}, \
    {NB_LINE("wide", example, wide, INT64)}, \
    {NB_LINE("seed", example, seed, UINT64)}, \
    {NB_LINE("bodies", example, bodies, COUNT)}, \
    {NB_LINE("steps", example, steps, COUNT)}, \
    {NB_LINE("mark_count", example, mark_count, COUNT)}, \
    {NB_LINE("place_count", example, place_count, COUNT)}, \
    {NB_LINE_ARRAY("q", "m", "two places", example, q, REAL, BODIES, NB_EACH(2), NB_EACH(3))}, \
    {NB_LINE_ARRAY("first", "1", "first of each", example, first, INT64, ONE_MORE)}, \
    {NB_LINE_IN_PLACE("place", "1", "places", example, place, INT32, NB_COUNT32(example, place_count))}, \
    {NB_LINE_LIST(example, marks, mark_members, NB_COUNT32(example, mark_count)), .optional = 1}, \
    {NB_LINE_GROUP("rows", row_group)}, \
    {NB_LINE_GROUP("turns", turn_group), .optional = 1}, \
    {NB_LINE_PART(example, always, inner_members), .name = "always"}, \
    {NB_LINE_PART(example, sometimes, inner_members), .name = "sometimes", .optional = 1}, \
    {NB_LINE("many_count", example, many_count, COUNT), .left_out = NB_RECORD}, \
    {NB_LINE_STRUCTS(example, many, inner_members, NB_COUNT32(example, many_count)), .left_out = NB_RECORD}
/* clang-format on */

static const nb_member lines_before[] = {LINES};
static const nb_members before = NB_MEMBERS(example, lines_before);

/* the two members that were added: a line each */
static const nb_member lines_now[] = {
    LINES,
    {NB_LINE_ARRAY("later", "J", "energy of each body", example, later, REAL, BODIES)},
    {NB_LINE("later_number", example, later_number, REAL), .left_out = NB_CHECKPOINT},
};
static const nb_members members = NB_MEMBERS(example, lines_now);

static void random_inner(uint64_t *state, inner *i) {
    i->count = test_random_below(state, 6);
    CHECK_OK(NB_ALLOCATE(i->count, &i->value));
    test_random_fill(state, i->value, i->count);
}

static void random_marks(uint64_t *state, example *e) {
    e->mark_count = test_random_below(state, 4);
    if (e->mark_count == 0) return;
    CHECK_OK(NB_ALLOCATE(e->mark_count, &e->marks));
    for (int32_t i = 0; i < e->mark_count; i++) {
        test_random_members(state, &mark_members, &e->marks[i]);
        test_random_fill(state, e->marks[i].corner, 3);
    }
}

/* starts of so many ranges of at most `most` entries each; how many there are in all */
static int64_t random_starts(uint64_t *state, int64_t ranges, int most, int64_t **start) {
    CHECK_OK(NB_ALLOCATE(ranges + 2, start));
    for (int64_t i = 0; i < ranges; i++) (*start)[i + 1] = (*start)[i] + test_random_below(state, most);
    return (*start)[ranges + 1] = (*start)[ranges];
}

static void random_example(uint64_t *state, example *e) {
    char note[100];
    *e = (example){.columns = {three_columns, 3, NULL}};
    test_random_members(state, &members, e);
    e->wide = (int64_t)test_random_bits(state);
    if (test_random_below(state, 1)) e->hint[0] = 0;
    test_random_text(state, note, sizeof note);
    CHECK_OK(nb_copy_text(note, &e->note));
    e->bodies = test_random_below(state, 5);
    e->place_count = test_random_below(state, MOST_PLACES);
    for (int i = 0; i < e->place_count; i++) e->place[i] = test_random_below(state, 99);
    CHECK_OK(NB_ALLOCATE(6 * e->bodies, &e->q));
    CHECK_OK(NB_ALLOCATE(e->bodies + 1, &e->first));
    CHECK_OK(NB_ALLOCATE(e->bodies, &e->later));
    test_random_fill(state, e->q, 6 * e->bodies);
    test_random_fill(state, e->later, e->bodies);
    for (int i = 0; i <= e->bodies; i++) e->first[i] = test_random_below(state, 1000);
    random_marks(state, e);
    e->steps = test_random_below(state, 4);
    int64_t rows = random_starts(state, e->steps, 3, &e->row_start);
    CHECK_OK(NB_ALLOCATE(3 * rows, &e->rows));
    test_random_fill(state, e->rows, 3 * rows);
    int64_t turns = random_starts(state, rows, 4, &e->turn_start);
    CHECK_OK(NB_ALLOCATE(turns, &e->turns));
    test_random_fill(state, e->turns, turns);
    random_inner(state, &e->always);
    if (test_random_below(state, 1)) random_inner(state, &e->sometimes);
    e->many_count = test_random_below(state, 3);
    CHECK_OK(NB_ALLOCATE(e->many_count, &e->many));
    for (int i = 0; i < e->many_count; i++) random_inner(state, &e->many[i]);
}

static void check_same_inner(const inner *a, const inner *b) {
    assert_int_equal(a->count, b->count);
    check_same_bytes("value", a->value, b->value, a->count, sizeof(double));
}

static void check_same(const example *a, const example *b, nb_carrier carrier) {
    const int64_t rows = a->row_start[a->steps];
    check_same_members(&before, a, b);
    assert_string_equal(a->note, b->note);
    assert_int_equal(a->bodies, b->bodies);
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->place_count, b->place_count);
    assert_int_equal(a->mark_count, b->mark_count);
    check_same_bytes("q", a->q, b->q, 6 * a->bodies, sizeof(double));
    check_same_bytes("first", a->first, b->first, a->bodies + 1, sizeof(int64_t));
    check_same_bytes("place", a->place, b->place, a->place_count, sizeof(int32_t));
    for (int32_t i = 0; i < a->mark_count; i++) {
        check_same_members(&mark_members, &a->marks[i], &b->marks[i]);
        check_same_bytes("corner", a->marks[i].corner, b->marks[i].corner, 3, sizeof(double));
    }
    check_same_bytes("row_start", a->row_start, b->row_start, a->steps + 2, sizeof(int64_t));
    check_same_bytes("rows", a->rows, b->rows, rows, 3 * sizeof(double));
    check_same_bytes("turn_start", a->turn_start, b->turn_start, rows + 2, sizeof(int64_t));
    check_same_bytes("turns", a->turns, b->turns, a->turn_start[rows], sizeof(double));
    check_same_inner(&a->always, &b->always);
    check_same_inner(&a->sometimes, &b->sometimes);
    assert_int_equal(b->many_count, carrier == NB_RECORD ? 0 : a->many_count);
    for (int32_t i = 0; i < b->many_count; i++) check_same_inner(&a->many[i], &b->many[i]);
}

/* ---- through the three carriers ---- */

static FILE *stream_file;
static hid_t record_file;

static int open_files(void **state) {
    (void)state;
    char path[] = "/tmp/ncpbench-members-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return -1;
    close(file);
    nb_h5_quiet();
    stream_file = tmpfile();
    nb_status status = nb_h5_create_file(path, path, &record_file);
    unlink(path);
    return stream_file && status == NB_OK ? 0 : -1;
}

static int close_files(void **state) {
    (void)state;
    fclose(stream_file);
    return H5Fclose(record_file) < 0;
}

/* a fresh group; the caller closes it */
static hid_t new_group(void) {
    static int count;
    char name[32];
    hid_t group;
    snprintf(name, sizeof name, "%d", count++);
    CHECK_OK(nb_h5_create_group(record_file, name, &group));
    return group;
}

static long put(const nb_members *table, nb_carrier carrier, const example *e) {
    nb_stream stream = {.file = stream_file, .path = "the test's", .unchecked = 1};
    rewind(stream_file);
    assert_int_equal(ftruncate(fileno(stream_file), 0), 0);
    CHECK_OK(nb_members_put(table, carrier, e, &stream));
    assert_int_equal(fflush(stream_file), 0);
    return ftell(stream_file);
}

static nb_status get(const nb_members *table, nb_carrier carrier, long size, example *e) {
    nb_stream stream = {.file = stream_file, .path = "the test's", .unchecked = 1, .left = size};
    rewind(stream_file);
    *e = (example){.columns = {three_columns, 3, NULL}};
    return nb_members_get(table, carrier, e, &stream);
}

/* from one to another through a carrier, by the table */
static void carry(const nb_members *table, nb_carrier carrier, const example *from, example *to) {
    if (carrier != NB_RECORD) {
        long size = put(table, carrier, from);
        CHECK_OK(get(table, carrier, size, to));
        assert_int_equal(ftell(stream_file), size); /* all of it was read */
        return;
    }
    hid_t group = new_group();
    *to = (example){.columns = {three_columns, 3, NULL}};
    CHECK_OK(nb_group_write(group, table, from));
    CHECK_OK(nb_group_read(group, table, to));
    H5Gclose(group);
}

static const nb_carrier carriers[] = {NB_RECORD, NB_TRANSFER, NB_CHECKPOINT};

TEST(test_round_trip) {
    uint64_t random = test_seed();
    for (int i = 0; i < 60; i++) {
        example sent, received;
        random_example(&random, &sent);
        carry(&members, carriers[i % 3], &sent, &received);
        check_same(&sent, &received, carriers[i % 3]);
        assert_int_equal(received.room.capacity, sent.row_start[sent.steps]); /* it can be added to */
        nb_members_clear(&members, &received);
        assert_null(received.q);
        nb_members_clear(&members, &sent);
    }
}

/* A new member is one line: with it all three carry the member, by the table before none does. */
TEST(test_a_new_member_is_a_line) {
    uint64_t random = 5;
    example sent, received;
    do {
        random_example(&random, &sent);
        if (sent.bodies == 0) nb_members_clear(&members, &sent);
    } while (sent.bodies == 0);
    sent.later_number = 7;
    for (int i = 0; i < 3; i++) {
        carry(&before, carriers[i], &sent, &received);
        assert_null(received.later);
        assert_true(received.later_number == 0);
        nb_members_clear(&members, &received);
        carry(&members, carriers[i], &sent, &received);
        assert_non_null(received.later);
        check_same_bytes("later", sent.later, received.later, sent.bodies, sizeof(double));
        assert_true(received.later_number == (carriers[i] == NB_CHECKPOINT ? 0 : 7)); /* as its line says */
        nb_members_clear(&members, &received);
    }
    nb_members_clear(&members, &sent);
}

static void check_text(hid_t dataset, const char *name, const char *expected) {
    char text[100];
    CHECK_OK(nb_h5_read_text(dataset, name, text, sizeof text));
    assert_string_equal(text, expected);
}

/* what others read: extents, units, names and dimension scales */
TEST(test_what_the_group_holds) {
    uint64_t random = 5;
    example e;
    hsize_t dims[3];
    do {
        random_example(&random, &e);
        if (e.bodies == 0 || e.steps < 2 || e.row_start[e.steps] < 2) nb_members_clear(&members, &e);
    } while (!e.note);
    hid_t group = new_group();
    CHECK_OK(nb_group_write(group, &members, &e));
    CHECK_OK(nb_h5_dimensions(group, "q", 3, dims));
    assert_int_equal(dims[0], e.bodies);
    assert_int_equal(dims[1] * dims[2], 6);
    CHECK_OK(nb_h5_dimensions(group, "first", 1, dims));
    assert_int_equal(dims[0], e.bodies + 1);
    hid_t dataset = H5Dopen2(group, "later", H5P_DEFAULT);
    check_text(dataset, "units", "J");
    check_text(dataset, "long_name", "energy of each body");
    H5Dclose(dataset);
    CHECK_OK(nb_h5_dimensions(group, "rows/third", 2, dims));
    assert_int_equal(dims[0], e.steps);
    assert_int_equal(dims[1], nb_longest_range(e.row_start, e.steps));
    dataset = H5Dopen2(group, "rows/third", H5P_DEFAULT);
    check_text(dataset, "units", "s");
    assert_true(H5Aexists(dataset, "DIMENSION_LIST") > 0);
    H5Dclose(dataset);
    CHECK_OK(nb_h5_dimensions(group, "rows/row", 1, dims)); /* its axis */
    assert_int_equal(dims[0], nb_longest_range(e.row_start, e.steps));
    if (e.mark_count > 0) CHECK_OK(nb_h5_dimensions(group, "corner", 2, dims));
    assert_int_equal(nb_h5_has(group, "sometimes"), e.sometimes.count > 0);
    assert_int_equal(H5Aexists(group, "hint") > 0, e.hint[0] != 0);
    H5Gclose(group);
    nb_members_clear(&members, &e);
}

TEST(test_copies) {
    uint64_t random = test_seed();
    for (int i = 0; i < 20; i++) {
        example from, to = {.number = 3};
        random_example(&random, &from);
        for (int k = 0; k < from.many_count; k++) nb_free(from.many[k].value);
        from.many_count = 0;
        CHECK_OK(nb_members_copy(&members, &from, &to));
        check_same(&from, &to, NB_TRANSFER);
        assert_ptr_not_equal(from.q, to.q);
        nb_members_clear(&members, &to);
        nb_status status = NB_ERROR_MEMORY;
        for (int left = 0; status != NB_OK; left++) {
            nb_allocation_fail_after(left);
            status = nb_members_copy(&members, &from, &to);
            nb_allocation_fail_after(-1);
            if (status != NB_OK) assert_null(to.q);
        }
        nb_members_clear(&members, &to);
        nb_members_clear(&members, &from);
    }
}

/* ---- what goes wrong ---- */

/* goes through what was taken, as a user of it would: the sanitizers see what is too short */
static double sum_of(const example *e) {
    double sum = 0;
    const int64_t rows = e->row_start[e->steps];
    for (int32_t i = 0; i < 6 * e->bodies; i++) sum += e->q[i];
    for (int64_t i = 0; i < 3 * rows; i++) sum += e->rows[i];
    for (int64_t i = 0; i < e->turn_start[rows]; i++) sum += e->turns[i];
    for (int32_t i = 0; i < e->mark_count; i++) sum += e->marks[i].weight + (double)strlen(e->marks[i].label);
    for (int64_t i = 0; i < e->always.count; i++) sum += e->always.value[i];
    for (int32_t k = 0; k < e->many_count; k++)
        for (int64_t i = 0; i < e->many[k].count; i++) sum += e->many[k].value ? e->many[k].value[i] : 0;
    return sum + e->place_count;
}

static volatile double kept; /* so that no sum is left out */

TEST(test_damaged_streams) {
    static const int64_t wild[] = {-1, INT64_MIN, INT64_MAX, 1, INT32_MIN, 4};
    uint64_t random = 21;
    example sent, received;
    int refused = 0;
    random_example(&random, &sent);
    const long size = put(&members, NB_TRANSFER, &sent);
    for (long cut = size - 1; cut >= 0; cut--) {
        assert_int_equal(get(&members, NB_TRANSFER, cut, &received), NB_ERROR_INPUT);
        nb_members_clear(&members, &received);
    }
    for (long at = 0; at + 8 <= size; at++) {
        for (size_t w = 0; w < sizeof wild / sizeof *wild; w++) {
            put(&members, NB_TRANSFER, &sent);
            assert_int_equal(pwrite(fileno(stream_file), &wild[w], 8, at), 8);
            nb_status status = get(&members, NB_TRANSFER, size, &received);
            refused += status == NB_ERROR_INPUT;
            if (status == NB_OK && received.q && received.rows && received.turns && received.row_start &&
                received.turn_start && received.always.value && (received.marks || received.mark_count == 0) &&
                (received.many || received.many_count == 0))
                kept = sum_of(&received);
            nb_members_clear(&members, &received);
        }
    }
    print_message("%d of %ld refused\n", refused, 6 * (size - 7));
    assert_true(refused > 500);
    nb_members_clear(&members, &sent);
}

/* every dataset, group and attribute that must be there is missed by its name */
TEST(test_missing_things) {
    static const char *const links[] = {"q",          "first",  "place",        "rows",  "rows/count",  "rows/residual",
                                        "rows/third", "always", "always/value", "later", "turns/count", "turns/angle"};
    static const char *const attributes[] = {"name", "note", "length", "number", "wide", "seed", "later_number"};
    uint64_t random = 5;
    example e, received;
    do {
        random_example(&random, &e);
        if (e.turn_start[e.row_start[e.steps]] == 0) nb_members_clear(&members, &e);
    } while (!e.note);
    for (size_t i = 0; i < sizeof links / sizeof *links + sizeof attributes / sizeof *attributes; i++) {
        const size_t count = sizeof links / sizeof *links;
        const char *name = i < count ? links[i] : attributes[i - count], *last = strrchr(name, '/');
        hid_t group = new_group();
        CHECK_OK(nb_group_write(group, &members, &e));
        assert_true((i < count ? H5Ldelete(group, name, H5P_DEFAULT) : H5Adelete(group, name)) >= 0);
        received = (example){.columns = {three_columns, 3, NULL}};
        CHECK_FAULT(nb_group_read(group, &members, &received), NB_ERROR_INPUT, last ? last + 1 : name);
        nb_members_clear(&members, &received);
        H5Gclose(group);
    }
    nb_members_clear(&members, &e);
}

/* replaces the dataset by one of other extents and numbers */
static void replace(hid_t group, const char *name, int rank, const hsize_t *dims, int64_t number) {
    const nb_meaning meaning = {name, "1", "replaced"};
    int64_t numbers[64];
    for (int i = 0; i < 64; i++) numbers[i] = number;
    assert_true(H5Ldelete(group, name, H5P_DEFAULT) >= 0);
    CHECK_OK(nb_h5_write_array(group, &meaning, H5T_NATIVE_INT64, rank, dims, numbers));
}

/* extents that do not fit each other, and row counts that make no sense */
TEST(test_damaged_groups) {
    const struct {
        const char *name;
        int rank;
        hsize_t dims[3];
        int64_t number;
    } damages[] = {
        {"first", 1, {1}, 0},
        {"first", 1, {9}, 0},
        {"q", 3, {4, 2, 2}, 0},
        {"q", 2, {4, 6}, 0},
        {"place", 1, {20}, 0},
        {"first", 1, {0}, 0},
        {"rows/count", 1, {3}, -1},
        {"rows/count", 1, {3}, 100},
        {"rows/count", 1, {3}, 1LL << 62},
        {"rows/count", 1, {2}, 1},
        {"turns/count", 2, {3, 2}, 99},
        {"turns/count", 2, {3, 1}, 1},
        {"turns/angle", 3, {3, 2, 0}, 0},
        {"rows/residual", 2, {3, 1}, 0},
    };
    uint64_t random = 11;
    example e, received;
    do {
        random_example(&random, &e);
        if (e.bodies != 4 || e.steps != 3 || nb_longest_range(e.row_start, 3) != 2 || e.turn_start[e.row_start[3]] == 0)
            nb_members_clear(&members, &e);
    } while (!e.note);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        hid_t group = new_group();
        CHECK_OK(nb_group_write(group, &members, &e));
        replace(group, damages[i].name, damages[i].rank, damages[i].dims, damages[i].number);
        received = (example){.columns = {three_columns, 3, NULL}};
        if (nb_group_read(group, &members, &received) != NB_ERROR_INPUT)
            fail_msg("'%s' (%d) is taken", damages[i].name, (int)i);
        nb_members_clear(&members, &received);
        H5Gclose(group);
    }
    nb_members_clear(&members, &e);
}

TEST(test_checks) {
    uint64_t random = 3;
    example sent, received = {.columns = {three_columns, 3, NULL}};
    random_example(&random, &sent);
    sent.number = -5;
    long size = put(&members, NB_CHECKPOINT, &sent);
    CHECK_FAULT(get(&members, NB_CHECKPOINT, size, &received), NB_ERROR_INPUT, "number is -5");
    nb_members_clear(&members, &received);
    hid_t group = new_group();
    received.columns = (nb_columns){three_columns, 3, NULL};
    CHECK_OK(nb_group_write(group, &members, &sent));
    CHECK_FAULT(nb_group_read(group, &members, &received), NB_ERROR_INPUT, "number is -5");
    nb_members_clear(&members, &received);
    received.columns = (nb_columns){three_columns, 3, NULL};
    H5Adelete(group, "name");
    CHECK_OK(nb_h5_write_text(group, "name", "another"));
    CHECK_FAULT(nb_group_read(group, &members, &received), NB_ERROR_INPUT, "texts_checksum");
    nb_members_clear(&members, &received);
    H5Gclose(group);
    nb_members_clear(&members, &sent);
}

TEST(test_memory_runs_out) {
    uint64_t random = 5;
    example sent, received;
    random_example(&random, &sent);
    hid_t group = new_group();
    CHECK_OK(nb_group_write(group, &members, &sent));
    const long size = put(&members, NB_TRANSFER, &sent);
    for (int kind = 0; kind < 2; kind++) {
        nb_status status = NB_ERROR_MEMORY;
        int failures = 0;
        for (; status != NB_OK; failures++) {
            received = (example){.columns = {three_columns, 3, NULL}};
            nb_allocation_fail_after(failures);
            status = kind ? nb_group_read(group, &members, &received) : get(&members, NB_TRANSFER, size, &received);
            nb_allocation_fail_after(-1);
            if (status != NB_OK) assert_int_equal(status, NB_ERROR_MEMORY);
            if (status == NB_OK) check_same(&sent, &received, kind ? NB_RECORD : NB_TRANSFER);
            nb_members_clear(&members, &received);
        }
        assert_true(failures > 8);
    }
    H5Gclose(group);
    nb_members_clear(&members, &sent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),           cmocka_unit_test(test_a_new_member_is_a_line),
        cmocka_unit_test(test_what_the_group_holds), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_damaged_streams),      cmocka_unit_test(test_missing_things),
        cmocka_unit_test(test_damaged_groups),       cmocka_unit_test(test_checks),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, open_files, close_files);
}
