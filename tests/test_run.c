/* Runs in memory: ragged rows stay where they were put, also when memory runs out on the way. */
#include "method.h"
#include "random_run.h"
#include "reason.h"
#include "registry.h"

NB_PRECISIONS(f64);

enum {
    STEPS = 40,
    MOST_NEWTONS = 6,
    MOST_LINEARS = 9
};

/* how many Newton rows each step has, and linear rows each of these */
typedef struct lengths {
    int newtons[STEPS], linears[STEPS][MOST_NEWTONS];
} lengths;

/* what an entry shall be: a number that says where it belongs */
static double mark(int step, int newton, int linear, int column) {
    return ((step * 100.0 + newton) * 100 + linear) * 100 + column;
}

/* Calls `add` until it works: each of its allocations fails once, and nothing may be lost by that. */
#define INSIST(call)                                                          \
    do {                                                                      \
        nb_status result_;                                                    \
        int left_ = 0;                                                        \
        do {                                                                  \
            nb_allocation_fail_after(failing ? left_++ : -1);                 \
            result_ = (call);                                                 \
            nb_allocation_fail_after(-1);                                     \
            if (result_ != NB_OK) assert_int_equal(result_, NB_ERROR_MEMORY); \
        } while (result_ != NB_OK);                                           \
    } while (0)

static void add_marked(nb_run *run, int failing, const lengths *n) {
    double row[NB_STEP_COLUMNS + NB_NEWTON_COLUMNS];
    for (int s = 0; s < STEPS; s++) {
        for (int k = 0; k < n->newtons[s]; k++) {
            for (int i = 0; i < n->linears[s][k]; i++) {
                for (int c = 0; c < NB_LINEAR_COLUMNS; c++) row[c] = mark(s, k, i, c);
                INSIST(nb_run_add_linear(run, row));
            }
            for (int c = 0; c < NB_NEWTON_COLUMNS; c++) row[c] = mark(s, k, 99, c);
            INSIST(nb_run_add_newton(run, row));
        }
        for (int c = 0; c < NB_STEP_COLUMNS; c++) row[c] = mark(s, 99, 99, c);
        INSIST(nb_run_add_step(run, row));
    }
}

static void check_marked(const nb_run *run, const lengths *n) {
    assert_int_equal(run->step_count, STEPS);
    assert_int_equal(run->newton_start[0], 0);
    assert_int_equal(run->linear_start[0], 0);
    for (int s = 0; s < STEPS; s++) {
        assert_int_equal(run->newton_start[s + 1] - run->newton_start[s], n->newtons[s]);
        for (int c = 0; c < NB_STEP_COLUMNS; c++)
            CHECK_NEAR(run->steps[s * NB_STEP_COLUMNS + c], mark(s, 99, 99, c), 0);
        for (int k = 0; k < n->newtons[s]; k++) {
            int64_t r = run->newton_start[s] + k;
            assert_int_equal(run->linear_start[r + 1] - run->linear_start[r], n->linears[s][k]);
            for (int c = 0; c < NB_NEWTON_COLUMNS; c++)
                CHECK_NEAR(run->newton[r * NB_NEWTON_COLUMNS + c], mark(s, k, 99, c), 0);
            for (int i = 0; i < n->linears[s][k]; i++)
                for (int c = 0; c < NB_LINEAR_COLUMNS; c++)
                    CHECK_NEAR(run->linear[(run->linear_start[r] + i) * NB_LINEAR_COLUMNS + c], mark(s, k, i, c), 0);
        }
    }
}

static void ragged(int failing) {
    uint64_t seed = 20190717;
    lengths random, *n = &random;
    nb_run *run;
    for (int s = 0; s < STEPS; s++) {
        n->newtons[s] = test_random_below(&seed, MOST_NEWTONS);
        for (int k = 0; k < MOST_NEWTONS; k++) n->linears[s][k] = test_random_below(&seed, MOST_LINEARS);
    }
    CHECK_OK(nb_run_create(&run));
    add_marked(run, failing, n);
    check_marked(run, n);
    nb_run_destroy(run);
}

TEST(test_ragged_rows) {
    ragged(0);
}

TEST(test_memory_runs_out) {
    ragged(1);
    nb_run *run;
    for (int left = 0; left < 3; left++) {
        nb_allocation_fail_after(left);
        CHECK_FAULT(nb_run_create(&run), NB_ERROR_MEMORY, "memory");
        assert_null(run);
    }
    nb_allocation_fail_after(-1);
    CHECK_OK(nb_run_create(&run));
    nb_run_destroy(run);
    nb_run_destroy(NULL);
}

/* rows of a step that never came to its end do not count */
TEST(test_interrupted_step) {
    double row[NB_STEP_COLUMNS + NB_NEWTON_COLUMNS] = {0};
    nb_run *run;
    CHECK_OK(nb_run_create(&run));
    assert_int_equal(run->newton_start[0], 0);
    CHECK_OK(nb_run_add_newton(run, row));
    CHECK_OK(nb_run_add_step(run, row));
    CHECK_OK(nb_run_add_linear(run, row));
    CHECK_OK(nb_run_add_newton(run, row));
    CHECK_OK(nb_run_add_linear(run, row));
    assert_int_equal(run->step_count, 1);
    assert_int_equal(run->newton_start[1], 1);
    assert_int_equal(run->linear_start[1], 0);
    nb_run_drop_step(run); /* and what comes after them has its own alone */
    CHECK_OK(nb_run_add_linear(run, row));
    CHECK_OK(nb_run_add_newton(run, row));
    CHECK_OK(nb_run_add_step(run, row));
    assert_int_equal(run->newton_start[2], 2);
    assert_int_equal(run->linear_start[2], 1);
    nb_run_destroy(run);
}

/* a fault amid a linear solve: the rows heard by then belong to the step that failed */
TEST(test_fault_in_a_step) {
    nb_run *run;
    double row[NB_NEWTON_COLUMNS] = {0}, step[NB_STEP_COLUMNS] = {0};
    CHECK_OK(nb_run_create(&run));
    CHECK_OK(nb_run_add_newton(run, row));
    CHECK_OK(nb_run_add_step(run, step));
    for (int i = 0; i < 3; i++) CHECK_OK(nb_run_add_linear(run, row));
    CHECK_OK(nb_run_add_fault(run, NB_REASON_REFUSED, "step 1: no place"));
    assert_string_equal(run->fault, "step 1: no place");
    assert_int_equal(run->finished, 0);
    assert_int_equal(run->step_count, 2);
    assert_int_equal(run->newton_start[2] - run->newton_start[1], 1);
    assert_int_equal(run->linear_start[2] - run->linear_start[1], 3);
    assert_true(isnan(run->newton[NB_NEWTON_COLUMNS + NB_NEWTON_NATURAL_MAP_ERROR]));
    for (int c = 0; c < NB_STEP_COLUMNS; c++)
        if (c == NB_STEP_REASON)
            assert_int_equal((int)run->steps[NB_STEP_COLUMNS + c], NB_REASON_REFUSED);
        else
            assert_true(isnan(run->steps[NB_STEP_COLUMNS + c]));
    nb_run_destroy(run);
}

TEST(test_frames) {
    enum {
        FRAMES = 30,
        BODIES = 3,
        JOINT_ROWS = 2,
        CONTACTS = 4
    };
    nb_run *run;
    CHECK_OK(nb_run_create(&run));
    for (int f = 0, failing = 1; f < FRAMES; f++) {
        double q[7 * BODIES], u[6 * BODIES], joints[JOINT_ROWS], contacts[6 * CONTACTS];
        int32_t pairs[2 * CONTACTS];
        for (int i = 0; i < 7 * BODIES; i++) q[i] = mark(f, i, 0, 0);
        for (int i = 0; i < 6 * BODIES; i++) u[i] = mark(f, i, 1, 0);
        for (int i = 0; i < JOINT_ROWS; i++) joints[i] = mark(f, i, 2, 0);
        for (int i = 0; i < 6 * CONTACTS; i++) contacts[i] = mark(f, i, 3, 0);
        for (int i = 0; i < 2 * CONTACTS; i++) pairs[i] = f % (i + 2) - 1;
        nb_snapshot at = {.bodies = BODIES, .bilaterals = JOINT_ROWS, .contacts = f % (CONTACTS + 1), .q = q, .u = u};
        at.bilateral_error = joints;
        at.contact_error = f % 7 ? contacts : NULL;
        at.contact_bodies = pairs;
        at.contact_mode = f % 7 ? pairs : NULL;
        at.momentum_error = u;
        test_give_contacts(&at, contacts);
        INSIST(nb_run_add_frame(run, 0.1 * f, &at));
    }
    assert_int_equal(run->frame_count, FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        CHECK_NEAR(run->frame_time[f], 0.1 * f, 0);
        for (int i = 0; i < 7 * BODIES; i++) CHECK_NEAR(run->frames[f * 7 * BODIES + i], mark(f, i, 0, 0), 0);
        for (int i = 0; i < 6 * BODIES; i++) CHECK_NEAR(run->frame_u[f * 6 * BODIES + i], mark(f, i, 1, 0), 0);
        for (int i = 0; i < JOINT_ROWS; i++)
            CHECK_NEAR(run->frame_bilateral_error[f * JOINT_ROWS + i], mark(f, i, 2, 0), 0);
        for (int i = 0; i < BODIES; i++) CHECK_NEAR(run->frame_momentum_error[f * BODIES + i], mark(f, i, 1, 0), 0);
        const double *row = run->frame_contacts + run->frame_contact_start[f] * NB_FRAME_CONTACT_COLUMNS;
        assert_int_equal(run->frame_contact_start[f + 1] - run->frame_contact_start[f], f % (CONTACTS + 1));
        for (int i = 0; i < f % (CONTACTS + 1); i++, row += NB_FRAME_CONTACT_COLUMNS) {
            CHECK_NEAR(row[NB_FRAME_CONTACT_BODY_A], f % (2 * i + 2) - 1, 0);
            CHECK_NEAR(row[NB_FRAME_CONTACT_BODY_B], f % (2 * i + 3) - 1, 0);
            for (int k = 0; k < 3; k++) {
                const double t0 = mark(f, 6 * i + k, 3, 0), t1 = mark(f, 6 * i + 3 + k, 3, 0);
                const double first = mark(f, 2 * i, 3, 0), second = mark(f, 2 * i + 1, 3, 0);
                const double normal = mark(f, 3 * i + k, 3, 0), slip = first * t0 + second * t1;
                CHECK_NEAR(row[NB_FRAME_CONTACT_POINT + k], normal, 0);
                CHECK_NEAR(row[NB_FRAME_CONTACT_NORMAL + k], normal, 0);
                CHECK_NEAR(row[NB_FRAME_CONTACT_SLIP + k], slip, 0);
                CHECK_NEAR(row[NB_FRAME_CONTACT_FORCE + k], mark(f, i, 3, 0) * normal + slip, 1e-15 * fabs(slip));
            }
            CHECK_NEAR(row[NB_FRAME_CONTACT_GAP], mark(f, i, 3, 0), 0);
            if (f % 7 == 0) assert_true(isnan(row[NB_FRAME_CONTACT_NORMAL_ERROR]));
            if (f % 7 == 0) assert_true(isnan(row[NB_FRAME_CONTACT_MODE]));
            if (f % 7 == 0) continue;
            CHECK_NEAR(row[NB_FRAME_CONTACT_MODE], f % (i + 2) - 1, 0);
            CHECK_NEAR(row[NB_FRAME_CONTACT_NORMAL_ERROR], mark(f, 2 * i, 3, 0), 0);
            CHECK_NEAR(row[NB_FRAME_CONTACT_FRICTION_ERROR], mark(f, 2 * i + 1, 3, 0), 0);
        }
    }
    nb_run_destroy(run);
}

/* the run owns what it was given, also where there was no room for it (the sanitizers watch) */
TEST(test_systems_are_taken_over) {
    uint64_t seed = 5;
    nb_stored_system system, copy;
    nb_run *run;
    CHECK_OK(nb_run_create(&run));
    for (int i = 0; i < 20; i++) {
        test_random_system(&seed, i, 1, &system);
        copy = system;
        CHECK_OK(nb_run_add_system(run, &system));
        assert_null(system.a.start);
        assert_ptr_equal(run->systems[i].a.start, copy.a.start);
    }
    while (run->system_count < run->growing[NB_RUN_SYSTEMS].capacity) {
        test_random_system(&seed, run->system_count, 1, &system);
        CHECK_OK(nb_run_add_system(run, &system));
    }
    int32_t count = run->system_count;
    test_random_system(&seed, count, 1, &system);
    nb_allocation_fail_after(0);
    CHECK_FAULT(nb_run_add_system(run, &system), NB_ERROR_MEMORY, "memory");
    nb_allocation_fail_after(-1);
    assert_null(system.a.start);
    assert_int_equal(run->system_count, count);
    nb_run_destroy(run);
}

/* every column can be a dataset: a name of its own in snake_case, units and a meaning */
static void check_columns(const nb_column *columns, int count) {
    for (int i = 0; i < count; i++) {
        assert_int_equal(strspn(columns[i].name, "abcdefghijklmnopqrstuvwxyz_0123456789"), strlen(columns[i].name));
        assert_true(*columns[i].name && *columns[i].units && strlen(columns[i].long_name) > 3);
        size_t length = strlen(columns[i].name);
        if (length > 2 && strcmp(columns[i].name + length - 2, "_s") == 0) assert_string_equal(columns[i].units, "s");
        for (int k = 0; k < i; k++) assert_string_not_equal(columns[i].name, columns[k].name);
    }
}

/* Methods' own columns stand beside the harness's and the group's other datasets; where two methods have a column of
 * one name, it is one quantity. */
TEST(test_columns_of_methods) {
    const nb_method_class *method;
    nb_columns all = {NULL, 0, NULL};
    nb_run *run;
    CHECK_OK(nb_run_create(&run));
    for (int m = 0; (method = nb_method_at(m)) != NULL; m++) {
        assert_in_range(method->column_count, 0, NB_METHOD_COLUMNS);
        CHECK_OK(nb_run_set_newton_columns(run, method->columns, method->column_count));
        check_columns(run->newton_columns.items, run->newton_columns.count);
        for (int c = 0; c < method->column_count; c++) {
            const nb_column *column = &method->columns[c];
            int other = nb_columns_find(&all, column->name);
            assert_string_not_equal(column->name, "count");
            assert_string_not_equal(column->name, "step");
            assert_string_not_equal(column->name, "newton");
            if (other >= 0)
                assert_string_equal(column->units, all.items[other].units);
            else
                CHECK_OK(nb_columns_add(&all, column, 1));
        }
    }
    assert_true(all.count > 20);
    nb_members_clear(&nb_own_columns_members, &all);
    nb_run_destroy(run);
}

TEST(test_legend_of_reasons) {
    char legend[1024] = "";
    for (int i = 0; i < NB_REASON_COUNT; i++) {
        size_t used = strlen(legend);
        snprintf(legend + used, sizeof legend - used, "%s%d=%s", i ? " " : "", i, nb_reason_name((nb_reason)i));
    }
    assert_string_equal(nb_step_columns[NB_STEP_REASON].legend, legend);
}

TEST(test_columns) {
    check_columns(nb_step_columns, NB_STEP_COLUMNS);
    check_columns(nb_newton_columns, NB_NEWTON_COLUMNS);
    check_columns(nb_linear_columns, NB_LINEAR_COLUMNS);
}

RUN_TESTS(test_ragged_rows, test_memory_runs_out, test_interrupted_step, test_fault_in_a_step, test_frames,
          test_systems_are_taken_over, test_columns, test_columns_of_methods, test_legend_of_reasons)
