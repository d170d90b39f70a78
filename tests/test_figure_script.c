/* Heads of figure scripts: what they say is read, what they cannot mean is refused in one line, and the tables that
 * they ask for hold the numbers of the run. */
#include "figure/script.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "figure/figure.h"
#include "table/rows.h"

static const char *const no_text[] = {NULL};

#define HEAD(...)           \
    (const char *const[]) { \
        __VA_ARGS__, NULL   \
    }

TEST(every_script_is_right) {
    int count = 0;
    for (; nb_script_sources[count].name; count++) {
        nb_figure_script script;
        CHECK_OK(nb_script_read(&nb_script_sources[count], &script));
        assert_ptr_equal(nb_figure_at(count)->name, nb_script_sources[count].name);
        assert_true(*script.type.summary && script.source == &nb_script_sources[count]);
    }
    assert_true(count > 10);
    assert_null(nb_figure_at(count));
}

/* ---- what is refused ---- */

static void check_refused(const char *const *head, const char *word) {
    const nb_script_source source = {"mine", head, no_text};
    nb_figure_script script;
    CHECK_FAULT(nb_script_read(&source, &script), NB_ERROR_INPUT, word);
    assert_non_null(strstr(nb_error_message(), "figure mine: "));
    assert_null(strchr(nb_error_message(), '\n'));
    /* who draws it is told the same, before anything is read or written */
    CHECK_FAULT(nb_figure_draw(&script.type, NULL, "/nowhere/a.svg"), NB_ERROR_INPUT, word);
}

#define REFUSED(word, ...) check_refused(HEAD("title: T", __VA_ARGS__), word)
#define NUMBER_REFUSED(word, number) \
    REFUSED(word, "rows: step", "columns: step time", "number: " number, "number: b=most(step)")
#define COLUMNS_REFUSED(word, rows, columns) REFUSED(word, "rows: " rows, "columns: " columns)

TEST(unknown_words_are_refused) {
    REFUSED("unknown key 'colums'; did you mean 'columns'", "colums: iteration");
    REFUSED("unknown rows 'profil'; did you mean 'profile'", "rows: profil");
    REFUSED("unknown rows 'quartiles'", "rows: quartiles");
    COLUMNS_REFUSED("unknown column 'natural_map'; did you mean 'natural_map_error'", "newton", "natural_map");
    COLUMNS_REFUSED("unknown column 'natural_map_error'", "linear", "natural_map_error");
    COLUMNS_REFUSED("unknown column 'contacts'", "run", "contacts");
    COLUMNS_REFUSED("unknown column 'residual_ms'", "newton", "residual_ms");
    COLUMNS_REFUSED("unknown function 'medium'; did you mean 'median'", "run", "medium(contacts)");
    COLUMNS_REFUSED("unknown column 'scene'", "run", "last(scene)");
    COLUMNS_REFUSED("unknown column 'contacts'", "run", "mean(contacts@1e-6)");
    REFUSED("unknown column 'nothing'", "rows: newton", "y: nothing", "columns: y");
    NUMBER_REFUSED("unknown function 'medium'; did you mean 'median'", "a=medium(step)");
    NUMBER_REFUSED("unknown column 'stop'; did you mean 'step'", "a=most(stop)");
    NUMBER_REFUSED("unknown column 'b'", "a=most(step where b > 1)"); /* which comes after it */
    NUMBER_REFUSED("unknown column 'tim'; did you mean 'time'", "a=most(at(tim, -1))");
}

TEST(heads_that_mean_nothing_are_refused) {
    check_refused(HEAD("rows: newton", "columns: all"), "title");
    REFUSED("there is such a line already", "title: U");
    REFUSED("it says nothing", "rows:");
    REFUSED("'rows: '", "columns: iteration");
    REFUSED("'columns: '", "rows: newton");
    REFUSED("fixed columns", "rows: scene", "columns: time");
    REFUSED("'*' stands for panel and series", "rows: newton", "columns: all", "panel: *");
    REFUSED("they are of newton", "rows: run", "columns: steps", "timings: pcr");
    REFUSED("they are shown", "rows: run", "columns: steps", "times: hidden");
    REFUSED("STEP[:NEWTON]", "rows: newton", "at: first", "columns: all");
    REFUSED("STEP[:NEWTON]", "rows: newton", "at: -1", "columns: all");
    REFUSED("STEP[:NEWTON]", "rows: linear", "at: 1:x", "columns: iteration");
    REFUSED("all steps are for rows of newton", "rows: linear", "at: all", "columns: iteration");
    REFUSED("no column of 'columns' is y", "rows: newton", "y: residual_l2", "columns: iteration");
    COLUMNS_REFUSED("the head has no line 'y'", "newton", "iteration y");
    COLUMNS_REFUSED("a bracket is not closed", "run", "median(contacts");
    COLUMNS_REFUSED("only before(...)", "newton", "median(residual_l2)");
    COLUMNS_REFUSED("of a step there is one value", "step", "median(contacts)");
    COLUMNS_REFUSED("residual_l2", "step", "residual_l2");
    COLUMNS_REFUSED("only iterations of one step", "run", "before(contacts)");
    COLUMNS_REFUSED("the unit of the other terms", "run", "median(assembly_ms+solve_s)");
    COLUMNS_REFUSED("the unit of the other terms", "run", "median(assembly_s+contacts)");
    COLUMNS_REFUSED("an accuracy is a number", "run", "median(step_ms@fast)");
    COLUMNS_REFUSED("an accuracy is a number", "newton", "before(step_ms@1e-6)");
    COLUMNS_REFUSED("a function takes a column", "run", "median()");
    COLUMNS_REFUSED("it is for rows of newton", "linear", "all");
    COLUMNS_REFUSED("the digits, 1 to 17", "run", "contacts=last(contacts):99");
    REFUSED("it takes a function", "rows: newton", "at: all", "columns: residual_l2");
}

/* ---- the numbers of a run ---- */

/* Two steps: three Newton rows, then two. residual_l2 = 10 step + row, natural_map_error = 1e-3^row, and every
 * iteration took 1 s of each time; steps 1 and 2 s. A first linear solve with residuals 4, 2, 1. */
static nb_run *run_of_two_steps(void) {
    static const nb_column residual = {"residual_l2", "m/s", "of a method's own", ""};
    nb_run *run;
    CHECK_OK(nb_run_create(&run));
    CHECK_OK(nb_run_set_newton_columns(run, &residual, 1));
    snprintf(run->info.scenario, sizeof run->info.scenario, "arch");
    run->info.steps = 2;
    for (int s = 0; s < 2; s++) {
        double step[NB_STEP_COLUMNS] = {[NB_STEP_CONTACTS] = 7 + s,
                                        [NB_STEP_ASSEMBLY_S] = 1 + s,
                                        [NB_STEP_SETUP_S] = 1 + s,
                                        [NB_STEP_SOLVE_S] = 1 + s};
        for (int k = 0; k < 3 - s; k++) {
            double row[NB_NEWTON_COLUMNS + 1] = {[NB_NEWTON_COLUMNS] = 10 * s + k,
                                                 [NB_NEWTON_NATURAL_MAP_ERROR] = pow(1e-3, k),
                                                 [NB_NEWTON_NATURAL_MAP_RELATIVE] = NAN, /* as of scenes */
                                                 [NB_NEWTON_ASSEMBLY_S] = 1,
                                                 [NB_NEWTON_SETUP_S] = 1,
                                                 [NB_NEWTON_SOLVE_S] = k == 1 ? (double)NAN : 1};
            for (int i = 0; i < 3 && s == 0 && k == 0; i++)
                CHECK_OK(nb_run_add_linear(run, (const double[NB_LINEAR_COLUMNS]){4 >> i, 40 >> i}));
            CHECK_OK(nb_run_add_newton(run, row));
        }
        CHECK_OK(nb_run_add_step(run, step));
    }
    return run;
}

/* the table that such a head makes of the run */
static void check_table(const char *const *head, const nb_figure_choice *choice, const nb_run *run,
                        const char *expected) {
    const nb_script_source source = {"mine", head, no_text};
    nb_figure_script script;
    nb_record_table table;
    char text[1024] = "";
    CHECK_OK(nb_script_read(&source, &script));
    CHECK_OK(nb_script_make_table(&script, choice, &table));
    FILE *file = fmemopen(text, sizeof text, "w");
    CHECK_OK(nb_record_table_write(&table, run, file));
    fclose(file);
    assert_string_equal(text, expected);
}

#define TABLE(expected, ...) check_table(HEAD("title: T", __VA_ARGS__), NULL, run, expected)

TEST(rows_are_those_of_the_step) {
    nb_run *run = run_of_two_steps();
    TABLE("0\t10\n1\t11\n", "rows: newton", "columns: iteration residual_l2");
    TABLE("0\t0\n1\t1\n2\t2\n", "rows: newton", "at: 0", "columns: iteration residual_l2");
    TABLE("10\n11\n", "rows: newton", "at: 1", "columns: residual_l2");
    TABLE("nan\tnan\n", "rows: newton", "at: 2", "columns: iteration residual_l2");
    TABLE("1\t1\n0.5\t0.5\n0.25\t0.25\n", "rows: linear", "at: 0",
          "columns: a=residual_l2/start b=preconditioned_residual/start");
    TABLE("nan\n", "rows: linear", "at: 0:1", "columns: residual_l2"); /* a solve without rows */
    TABLE("nan\n", "rows: linear", "columns: residual_l2");            /* the last step has none at all */
    TABLE("4\n2\n1\n", "rows: linear", "at: 0:0", "columns: residual_l2");
    /* what is no number counts as nothing in a sum */
    TABLE("0\n3000\n5000\n", "rows: newton", "at: 0", "columns: before(assembly_ms+setup_ms+solve_ms)");
    TABLE("0\t7\t1000\n1\t8\t2000\n", "rows: step", "columns: step contacts work=setup_ms");
    nb_run_destroy(run);
}

/* what a line `number` comes to over four rows, of which one has no r */
static void check_number(double expected, const char *line) {
    const char *const head[] = {
        "title: T", "rows: newton", "columns: iteration r=residual_l2", "number: half=most(r)", line, NULL};
    const nb_script_source source = {"mine", head, no_text};
    const nb_run_info info = {.time_step = 0.5};
    const double cells[] = {0, 8, 1, 2, 2, NAN, 3, 4};
    double values[NB_ROW_NUMBERS];
    nb_figure_script script;
    nb_record_table table;
    nb_row_number numbers[NB_ROW_NUMBERS];
    int count;
    CHECK_OK(nb_script_read(&source, &script));
    CHECK_OK(nb_script_make_table(&script, NULL, &table));
    CHECK_OK(nb_script_read_numbers(&script, numbers, &count));
    assert_int_equal(count, 2);
    CHECK_OK(nb_row_numbers_take(numbers, count, &table, &info, cells, 4, values));
    if (!(values[1] == expected || (isnan(values[1]) && isnan(expected)))) fail_msg("%s: %g", line, values[1]);
}

TEST(numbers_are_over_the_rows) {
    check_number(2, "number: a=least(r)");
    check_number(4, "number: a=median(r)");
    check_number(14, "number: a=sum(r)");
    check_number(3, "number: a=count(r)");
    check_number(8, "number: a=first(r)");
    check_number(4, "number: a=last(r)");
    check_number(1, "number: a=first(iteration where r <= half / 2)");
    check_number(NAN, "number: a=first(iteration where r <= 1)");
    check_number(6, "number: a=most(at(r, -1) - r)");
    check_number(1, "number: a=count(row where not (at(r, -1) > 0) and not (at(r, 1) > 0))");
    check_number(2, "number: a=sum(r * time_step where 2 * row >= rows)");
}

/* `all` is of columns alone, also where one is called as something else is ("iteration") */
TEST(all_are_columns_of_the_record) {
    const nb_script_source source = {"mine", HEAD("title: T", "rows: newton", "columns: all"), no_text};
    nb_figure_script script;
    nb_record_table table;
    CHECK_OK(nb_script_read(&source, &script));
    CHECK_OK(nb_script_make_table(&script, NULL, &table));
    assert_true(table.count > NB_NEWTON_COLUMNS);
    for (int i = 0; i < table.count; i++) {
        assert_string_equal(table.columns[i].of[0], table.columns[i].name);
        assert_true(table.columns[i].term[0] >= 0);
    }
}

TEST(what_was_asked_for_takes_the_place_of_the_head) {
    nb_run *run = run_of_two_steps();
    const char *const *head = HEAD("title: T", "rows: newton", "at: last", "y: residual_l2",
                                   "columns: "
                                   "before(solve_s) y");
    nb_figure_choice choice;
    nb_figure_choice_standard(&choice);
    check_table(head, &choice, run, "0\t10\n1\t11\n");
    choice.quantity = "natural-map-error";
    check_table(head, &choice, run, "0\t1\n1\t0.001\n");
    choice.step = 0;
    choice.quantity = "linear/residual_l2"; /* whose rows have equal shares of the solve's second */
    check_table(head, &choice, run, "0\t4\n0.5\t2\n1\t1\n");
    choice.quantity = "relative-residual";
    check_table(head, &choice, run, "0\t1\n0.5\t0.5\n1\t0.25\n");
    nb_run_destroy(run);
}

TEST(functions_are_of_all_steps) {
    nb_run *run = run_of_two_steps();
    TABLE("0\t0\t2.5\t5\t7.5\t10\n1\t1\t3.5\t6\t8.5\t11\n2\t2\t2\t2\t2\t2\n", "rows: newton", "at: all",
          "columns: iteration least(residual_l2) quarter(residual_l2) median(residual_l2) three_quarters(residual_l2) "
          "most(residual_l2)");
    TABLE("2\t10\n2\t11\n1\tnan\n", "rows: newton", "at: all", "columns: count(residual_l2) last(residual_l2)");
    TABLE("arch\t2\t8\t7.5\t1500\t0.5\t0\n", "rows: run",
          "columns: scenario steps last(contacts) mean(contacts) median(assembly_ms) spread(setup_s) repetitions");
    /* natural maps of 1e-3 after one iteration, of 1e-6 after two: in the first step alone. The third row of a step is
     * its end, so that no iteration after it has cost anything. */
    TABLE("2\t1\t1\t2\t0\tnan\n", "rows: run",
          "columns: count(newton_iterations@1e-3) mean(newton_iterations@1e-3) a=count(newton_iterations@1e-6) "
          "mean(newton_iterations@1e-6) count(step_ms@1e-9) median(step_ms@1e-9)");
    run->steps[NB_STEP_CONTACTS] = NAN;
    TABLE("8\tnan\t1\n", "rows: run", "columns: most(contacts) worst(contacts) count(contacts)");
    nb_run_destroy(run);
}

/* a time is of the repetitions, where there are any; so much that digits are asked for is seen */
TEST(times_are_of_repetitions) {
    nb_run *run = run_of_two_steps();
    double **times[] = {&run->repeat_assembly_s, &run->repeat_setup_s, &run->repeat_solve_s, &run->repeat_step_s};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(NB_ALLOCATE(6, times[i]));
        for (int k = 0; k < 6; k++) (*times[i])[k] = 0.1 * (k + 1);
    }
    run->repeat_count = 3;
    TABLE("350\t700\t250\t1.5\t3\n", "rows: run",
          "columns: median(assembly_ms) median(setup_ms+solve_ms) spread(assembly_ms) median(detect_s+assembly_s):3 "
          "repetitions");
    TABLE("0.35\t7.5\n", "rows: run", "columns: median(assembly_s) median(contacts)");
    nb_run_destroy(run);
}

RUN_TESTS(every_script_is_right, unknown_words_are_refused, heads_that_mean_nothing_are_refused,
          rows_are_those_of_the_step, numbers_are_over_the_rows, all_are_columns_of_the_record,
          what_was_asked_for_takes_the_place_of_the_head, functions_are_of_all_steps, times_are_of_repetitions)
