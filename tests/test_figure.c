/* Figures drawn from records made by hand: what they state, what they refuse, and that nothing is left behind. */
#include "figure/figure.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "figure/page.h"
#include "figure/profile.h"
#include "figure/script.h"
#include "registry.h"
#include "statistics/compared_run.h"

NB_PRECISIONS(f64);

static char folder[64]; /* the temporary folder of all that a test writes */

/* of the first two runs of a record: repetition r takes (r + 1) 0.1 ms for each of assembly, set-up and solve, in every
 * step */
static int repeats[2];
static int asked_steps; /* of all runs, where it is not their own number; or 0 */

static const char *in_folder(const char *name) {
    static char path[4][336];
    static int next;
    char *text = path[next++ % 4];
    snprintf(text, sizeof path[0], "%s/%s", folder, name);
    return text;
}

/* how many entries the folder has */
static int entries(void) {
    int count = -2; /* . and .. */
    DIR *dir = opendir(folder);
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

static int make_folder(void **state) {
    (void)state;
    repeats[0] = repeats[1] = asked_steps = 0;
    snprintf(folder, sizeof folder, "/tmp/nb-figure-XXXXXX");
    return !mkdtemp(folder) || setenv("TMPDIR", folder, 1) != 0;
}

static int remove_folder(void **state) {
    (void)state;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));) unlink(in_folder(e->d_name));
    closedir(dir);
    return rmdir(folder);
}

static const nb_figure_class *figure(const char *name) {
    for (int i = 0; nb_figure_at(i); i++)
        if (strcmp(nb_figure_at(i)->name, name) == 0) return nb_figure_at(i);
    fail_msg("no figure %s", name);
    return NULL;
}

/* ---- records made by hand ---- */

typedef struct recipe {
    const char *scenario, *solver /* "pcr", or with its preconditioner "pcr/ssor" */, *scaling, *precision;
    int steps, newton, linear, lead;
    double error;    /* natural-map error after Newton iteration k of step s: error (s + 1) 0.5^k [m/s] */
    double residual; /* linear residual of iteration k: residual^k */
} recipe;

static void fill_info(nb_run_info *info, const recipe *r) {
    char options[200];
    snprintf(info->scenario, sizeof info->scenario, "%s", r->scenario);
    snprintf(info->method, sizeof info->method, "newton");
    size_t length = strcspn(r->solver, "/");
    snprintf(info->linear_solver, sizeof info->linear_solver, "%.*s", (int)length, r->solver);
    snprintf(info->preconditioner, sizeof info->preconditioner, "%s", r->solver + length + (r->solver[length] == '/'));
    snprintf(info->precision, sizeof info->precision, "%s", r->precision);
    info->steps = asked_steps ? asked_steps : r->steps;
    info->newton_iterations = r->newton;
    info->linear_iterations = r->linear ? r->linear : 200; /* 0: a solve that has no rows */
    snprintf(
        options, sizeof options,
        "method.damping=0.75\nmethod.ncp:minimum-map\nmethod.regularization-kind:relative\nmethod.regularization=%s\n"
        "method.scaling:%s\n",
        strcmp(r->scaling, "eps 0") == 0 ? "0" : "1e-06", r->scaling);
    CHECK_OK(nb_copy_text(options, &info->parameters));
    info->lead = r->lead;
    info->time_step = 0.0083;
    info->bodies = 4;
    info->joints = 3;
}

static void add_step(nb_run *run, const recipe *r, int s) {
    double step[NB_STEP_COLUMNS] = {0};
    for (int k = 0; k <= r->newton; k++) {
        double newton[NB_NEWTON_COLUMNS + NB_METHOD_COLUMNS];
        for (int c = 0; c < run->newton_columns.count; c++) newton[c] = r->error * (s + 1) * pow(0.5, k);
        double *limit = &newton[nb_run_newton_column(run, "limit_residual")];
        if (strcmp(r->scaling, "no bounds") == 0) *limit = newton[nb_run_newton_column(run, "limit_step")] = NAN;
        if (strcmp(r->scenario, "low-bounds") == 0) *limit *= 1e-3;
        if (k == r->newton) newton[nb_run_newton_column(run, "step_linf")] = NAN; /* as in every last row */
        for (int i = 0; r->linear && i <= r->linear && k < r->newton; i++)
            CHECK_OK(nb_run_add_linear(
                run, (const double[NB_LINEAR_COLUMNS]){pow(r->residual, i), pow(r->residual, 2 * i)}));
        CHECK_OK(nb_run_add_newton(run, newton));
    }
    step[NB_STEP_CONTACTS] = 67;
    step[NB_STEP_NATURAL_MAP_RELATIVE] = NAN; /* of problem files */
    step[NB_STEP_ASSEMBLY_S] = 1e-3 * (s + 1);
    step[NB_STEP_SOLVE_S] = 2e-3;
    step[NB_STEP_SETUP_S] = 1e-3;
    CHECK_OK(nb_run_add_step(run, step));
}

static void add_repeats(nb_run *run, int most) {
    double **times[] = {&run->repeat_assembly_s, &run->repeat_setup_s, &run->repeat_solve_s, &run->repeat_step_s};
    int64_t count = (int64_t)most * run->step_count;
    run->repeat_count = most;
    CHECK_OK(NB_ALLOCATE(most, &run->repeat_order));
    for (int i = 0; i < 4; i++) {
        CHECK_OK(NB_ALLOCATE(count, times[i]));
        for (int64_t k = 0; k < count; k++) (*times[i])[k] = 1e-4 * (double)(k / run->step_count + 1);
    }
}

static nb_record_reader *record_of(const recipe *recipes, int count) {
    nb_provenance where = {.cpu_model = "a processor", .build_type = "Release", .warnings = "a busy day"};
    nb_record *record;
    nb_record_reader *reader;
    const nb_method_class *newton;
    CHECK_OK(nb_method_find("newton", &newton));
    CHECK_OK(nb_record_create(in_folder("record.h5"), "by hand", "test", &where, &record));
    for (int i = 0; i < count; i++) {
        nb_run *run;
        CHECK_OK(nb_run_create(&run));
        fill_info(&run->info, &recipes[i]);
        CHECK_OK(nb_run_set_newton_columns(run, newton->columns, newton->column_count));
        for (int s = 0; s < recipes[i].steps; s++) add_step(run, &recipes[i], s);
        if (i < 2 && repeats[i] > 0) add_repeats(run, repeats[i]);
        run->finished = 1;
        CHECK_OK(nb_snapshot_resize(&run->final, 4, 0, 0));
        CHECK_OK(nb_record_write_run(record, run));
        nb_run_destroy(run);
    }
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(nb_record_open(in_folder("record.h5"), &reader));
    return reader;
}

/* No line of text is longer than the page is wide: 141 letters of the smallest print, some of several bytes. */
static void check_lines_fit(const char *svg) {
    for (const char *end, *at = svg; (at = strchr(at, '>')) != NULL; at = end) {
        end = at + 1 + strcspn(at + 1, "<");
        if (end - at > 160) fail_msg("%d bytes in one line: %.*s", (int)(end - at), (int)(end - at), at);
    }
}

static int holds_text(const char *path, const char *word) {
    char *text = calloc(1, 4 << 20);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, (4 << 20) - 1, file) > 0);
    fclose(file);
    int found = strstr(text, word) != NULL;
    free(text);
    return found;
}

/* adds a file to a text of at most 4 MiB */
static void append_file(const char *path, char *text) {
    size_t used = strlen(text);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text + used, 1, (4 << 20) - 1 - used, file) > 0);
    fclose(file);
}

/* draws, and compares with `words`, all of which the SVG or the text beside it must hold */
static void check_drawing(const char *name, const recipe *recipes, int count, const char *const *words) {
    nb_record_reader *reader = count > 0 ? record_of(recipes, count) : NULL;
    const char *path = in_folder("a.svg");
    const nb_figure_source source = {.readers = &reader, .count = reader != NULL, .origin = NB_ORIGIN_PAPER};
    CHECK_OK(nb_figure_draw_from(figure(name), &source, path));
    nb_record_reader_close(reader);
    assert_int_equal(entries(), count > 0 ? 3 : 2); /* the record, the figure and its text, no table, no script */
    char *text = calloc(1, 4 << 20);
    append_file(path, text);
    check_lines_fit(text);
    append_file(in_folder("a.txt"), text);
    for (; *words; words++)
        if (!strstr(text, *words)) fail_msg("%s does not say '%s'", name, *words);
    free(text);
}
#define SAYS(...)           \
    (const char *const[]) { \
        __VA_ARGS__, NULL   \
    }

/* ---- what figures state ---- */

TEST(fig06_and_fig09_need_no_record) {
    check_drawing("macklin-fig06", NULL, 0,
                  SAYS("W = 0.1 and φ_f = 0 m/s (minimum-map), W = 0.1 and φ_f = 0 m/s (Fischer"));
    /* Fischer-Burmeister's phi = a + b - |(a, b)| on a line that passes the origin at a distance d with the speed s
     * bends by s^2/d there: (1/4, 1) and d = 1/(8 sqrt(17/16)) give 8.76; (1/4, 1/4) and d = 1/(8 sqrt 2) give sqrt 2
     */
    check_drawing("macklin-fig09", NULL, 0, SAYS("minimum-map a kink and 0, Fischer-Burmeister 8.7 and 1.4"));
}

TEST(fig11_compares_residuals_at_iteration_20) {
    /* 1.1^20 = 6.73, and its square */
    const recipe recipes[] = {{"arch", "pcg", "x", "f64", 1, 1, 30, 3, 1, 0.88},
                              {"arch", "pcr", "x", "f64", 1, 1, 30, 3, 1, 0.8}};
    check_drawing(
        "macklin-fig11", recipes, 2,
        SAYS("plain norm: arch 6.7;", "norm: arch 45 ", "a processor", "h = 0.0083 s", "30 linear iterations, f64"));
}

TEST(fig16_shows_medians_over_steps) {
    /* the third of five steps, after 30 halvings: 3 * 2^-30 = 2.8e-9 */
    const recipe recipes[] = {{"beam", "pcr", "identity", "f64", 5, 30, 40, 0, 1, 0.5},
                              {"beam", "pcr", "effective-mass", "f64", 5, 30, 40, 0, 1000, 0.5}};
    check_drawing("macklin-fig16", recipes, 2,
                  SAYS("identity 2.8e-09; effective-mass 2.8e-06.", "over that of effective-mass 0.001."));
}

/* what bounds the accuracy of a solution is drawn where one was found */
TEST(fig18_has_a_bound_where_it_means_something) {
    /* 0.001 and 1e-6 m/s at the end; the bound is the same number on the arch, a thousandth of it in the other scene */
    const recipe recipes[] = {{"arch", "pcr", "x", "f32", 1, 10, 40, 0, 1, 0.5},
                              {"arch", "pcg", "x", "f32", 1, 20, 40, 0, 1, 0.5},
                              {"low-bounds", "pcr", "x", "f32", 1, 20, 40, 0, 1, 0.5}};
    check_drawing("macklin-fig18", recipes, 3,
                  SAYS("Tisseur's bound (92) over the least error reached: arch 1.", "one of the solution: low-bounds.",
                       "Error of pcr over the least at the end (paper: 1): arch 1e+03 (pcg), low-bounds 1."));
}

/* a singular system has no factor: what did not solve keeps its place, and is counted */
TEST(singular_counts_what_fails) {
    recipe recipes[8];
    for (int i = 0; i < 8; i++) { /* 0.95^200 = 3.5e-5, 0.99^200 = 0.13 */
        const char *const solvers[] = {"pcr", "pcg", "cholesky", "minres"};
        recipes[i] = (recipe){"arch", solvers[i % 4], i < 4 ? "x" : "eps 0", "f32", 1, 1, 200, 8, 1, 0.95};
        if (i == 6) recipes[i].linear = 0; /* no factor */
        if (i == 5) recipes[i].residual = 0.99;
    }
    check_drawing("singular", recipes, 8,
                  SAYS("pcr 0 of 2, pcg 1 of 2, cholesky 1 of 2, minres 0 of 2",
                       "pcg, residual at the end by shift: arch f32: 4e-05 1e-01",
                       "cholesky, residual at the end by shift: arch f32: 4e-05 -;"));
}

TEST(fig17_and_fig18_state_the_errors_at_the_end) {
    const recipe by_scaling[] = {{"arch", "pcr", "identity", "f64", 1, 10, 80, 0, 1, 0.5},
                                 {"arch", "pcr", "time-step", "f64", 1, 20, 80, 0, 1, 0.5}};
    check_drawing("macklin-fig17", by_scaling, 2,
                  SAYS("arch: identity 1e-03, time-step 1e-06",
                       "Iterations to 1e-06 m/s, identity / time-step: arch - / 20 (-: never)."));
    const recipe by_solver[] = {{"beam", "pcg", "x", "f32", 1, 10, 40, 0, 1, 0.5},
                                {"beam", "pcr", "x", "f32", 1, 20, 40, 0, 1, 0.5}};
    check_drawing("macklin-fig18", by_solver, 2, SAYS("beam: pcg 1e-03, pcr 1e-06"));
}

/* whatever the names: lines are broken after an entry, or at a space */
TEST(long_texts_stay_on_the_page) {
    char name[5][60];
    recipe recipes[10];
    for (int i = 0; i < 10; i++) {
        snprintf(name[i / 2], sizeof name[0], "scene-%d-%040d", i / 2, 0);
        recipes[i] = (recipe){name[i / 2], i % 2 ? "pcr" : "pcg", "x", "f64", 1, 1, 30, 3, 1, i % 2 ? 0.8 : 0.88};
    }
    check_drawing("macklin-fig11", recipes, 10, SAYS(", scene-2-0000000000000000000000000000000000000000 45, "));
}

TEST(tab02_states_medians_of_repetitions) {
    /* The recorded pass: assembly 1 .. 20 ms, median 10.5 and quartiles 5.75, 15.25; solve with set-up 3 ms */
    const recipe recipes[] = {{"arch", "pcr", "effective-mass-capped", "f32", 20, 6, 20, 0, 1, 0.5}};
    check_drawing("macklin-tab02", recipes, 1, SAYS(">10.500<", ">9.500<", ">3.000<", ">67 (0)<", "all 1 run(s)"));
    assert_true(holds_text(in_folder("a.svg"), "cold and made once"));
    /* 0.1 .. 0.5 ms, and twice that */
    repeats[0] = 5;
    check_drawing(
        "macklin-tab02", recipes, 1,
        SAYS(">0.300<", ">0.200<", ">0.600<", ">0.400<", "Times: of 5 repetition(s) after the recorded pass."));
    assert_false(holds_text(in_folder("a.svg"), "cold and made once"));
}

/* ten Newton iterations of 67 contacts in 0.3 + 0.6 ms: 1343 ns each; the cold pass took four */
TEST(cost_is_of_repetitions) {
    repeats[0] = 5;
    const recipe recipes[] = {{"piling", "pcr", "x", "f32", 1, 10, 20, 0, 1, 0.5},
                              {"piling", "pcr", "x", "f64", 1, 10, 20, 0, 1, 0.5}};
    check_drawing("cost", recipes, 2,
                  SAYS("f32 1343 and 1343; f64 5970 and 5970", "Times: of 5 repetition(s) after the recorded pass."));
    assert_true(holds_text(in_folder("a.svg"), "Times of 1 run(s) are"));
}

/* what a record says against its times stands on the figures of times, and on no others */
TEST(warnings_stand_where_times_do) {
    const recipe of_errors[] = {{"arch", "pcg", "x", "f64", 1, 1, 30, 3, 1, 0.88}};
    const recipe of_times[] = {{"piling", "pcr", "x", "f32", 1, 10, 20, 0, 1, 0.5}};
    check_drawing("macklin-fig11", of_errors, 1, SAYS("30 linear iterations"));
    assert_false(holds_text(in_folder("a.svg"), "a busy day"));
    check_drawing("cost", of_times, 1, SAYS("pile of boxes"));
    assert_true(holds_text(in_folder("a.svg"), "Times may be off: a busy day."));
    check_drawing("profile", of_times, 1, SAYS("Problems: 1"));
    assert_true(holds_text(in_folder("a.svg"), "Times may be off: a busy day."));
}

/* ---- what is refused, and what is not run ---- */

/* A scene is one problem, whatever its steps. The errors are error (s + 1) / 4 after both Newton iterations: to 0.3 the
 * first solver gets there in all three steps (0.26 in the last), the second in the first alone (0.22, 0.45, 0.67), and
 * so does not solve the scene. The first does not solve another scene, where the others were not run. */
TEST(profiles_count_scenes_failures_and_missing_runs) {
    recipe recipes[] = {{"arch", "pcr", "x", "f64", 3, 2, 2, 0, 0.35, 0.5},
                        {"arch", "pcg", "x", "f64", 3, 2, 2, 0, 0.9, 0.5},
                        {"arch", "minres", "x", "f64", 3, 2, 2, 0, 0.35, 0.5},
                        {"beam", "pcr", "x", "f64", 1, 2, 2, 0, 100, 0.5}};
    nb_record_reader *reader = record_of(recipes, 4);
    const nb_figure_source source = {.readers = &reader, .count = 1, .accuracy = 0.3};
    nb_figure_runs runs;
    nb_compared_runs compared = {0};
    CHECK_OK(nb_figure_collect_profile(NULL, &source, &runs));
    CHECK_OK(nb_compared_runs_read(&compared, reader, NULL, 0.3));
    assert_int_equal(runs.problems, 2);
    assert_int_equal(runs.series_count[3], 3);
    assert_string_equal(runs.series_name[0][1], "pcg");
    assert_string_equal(runs.title, "Profiles of 3 solvers over 2 problems, to 0.3 m/s");
    const nb_cost *steps = compared.items[0].costs;
    CHECK_NEAR(runs.cost[0][0], steps[0].seconds + steps[1].seconds + steps[2].seconds, 1e-15);
    CHECK_NEAR(runs.cost[1][0], steps[0].flops + steps[1].flops + steps[2].flops, 1e-12);
    for (int measure = 0; measure < 2; measure++) {
        const double *c = runs.cost[measure];
        assert_true(isfinite(c[0]) && c[0] > 0 && isinf(c[1]) && isfinite(c[2]));
        assert_true(isinf(c[3]) && isnan(c[4]) && isnan(c[5]));
    }
    nb_compared_runs_clear(&compared);
    nb_figure_runs_clear(&runs);
    nb_record_reader_close(reader);
    check_drawing("profile", recipes, 4,
                  SAYS("share solved in the end: pcr 0.00; pcg 0.00; minres 0.00", ">pcr (0 %)<", ">minres (0 %)<",
                       "Profiles of 3 solvers over 2 problems, to 0.0001 m/s", "Problems: 2 (a scene each",
                       "2 of 6 pairs of problem and solver were never tried", "No bands", "a busy day"));
}

/* a run that ended early has not solved its scene, though all of its steps are solved */
TEST(profiles_count_runs_that_ended_early_as_failures) {
    recipe recipes[] = {{"arch", "pcr", "x", "f64", 3, 2, 2, 0, 0.35, 0.5},
                        {"arch", "pcg", "x", "f64", 2, 2, 2, 0, 0.35, 0.5}};
    asked_steps = 3;
    nb_record_reader *reader = record_of(recipes, 2);
    const nb_figure_source source = {.readers = &reader, .count = 1, .accuracy = 0.3};
    nb_figure_runs runs;
    CHECK_OK(nb_figure_collect_profile(NULL, &source, &runs));
    assert_int_equal(runs.problems, 1);
    assert_true(isfinite(runs.cost[0][0]) && isinf(runs.cost[0][1]));
    nb_figure_runs_clear(&runs);
    nb_record_reader_close(reader);
}

/* someone's own solver is drawn beside the paper's, and ten have a colour and a name each */
TEST(every_solver_is_drawn) {
    static const char *const names[10] = {"jacobi", "a-solver-of-my-own", "s3", "s4", "s5", "s6", "s7", "s8", "s9",
                                          "s10"};
    recipe linear[10], newton[10];
    for (int i = 0; i < 10; i++) {
        linear[i] = (recipe){"arch", names[i], "x", "f64", 1, 1, 30, 3, 1, 0.5};
        newton[i] = (recipe){"arch", names[i], "x", "f32", 1, 10, 40, 0, 1, 0.5};
    }
    check_drawing("macklin-fig11", linear, 10, SAYS(">a-solver-of-my-own<", ">s10<"));
    check_drawing("macklin-fig18", newton, 10, SAYS(">a-solver-of-my-own<", ">s10<", "s10 1e-03"));
}

/* what has no rows, and a bound that is not drawn, is no line of the legend, though the text beside the figure names it
 */
TEST(legends_have_no_entry_without_a_curve) {
    const recipe linear[] = {{"arch", "pcr", "x", "f64", 1, 1, 30, 3, 1, 0.8},
                             {"arch", "cholesky", "x", "f64", 1, 1, 0, 3, 1, 0.8},
                             {"beam", "cholesky", "x", "f64", 1, 1, 0, 3, 1, 0.8}};
    check_drawing("macklin-fig11", linear, 3, SAYS(">pcr<", ">beam<"));
    assert_false(holds_text(in_folder("a.svg"), ">cholesky<"));
    const recipe without_bound[] = {{"low-bounds", "pcr", "x", "f32", 1, 20, 40, 0, 1, 0.5}};
    check_drawing("macklin-fig18", without_bound, 1, SAYS("No bound where no solver comes within ten times of it"));
    assert_false(holds_text(in_folder("a.svg"), ">Tisseur's bound<"));
}

/* Of more curves and scenes than there is room for those are drawn that differ, not the first: the one run of another
 * solver, and the one scene that is alone, which come last. */
TEST(what_differs_is_drawn_first) {
    char name[30][24];
    recipe recipes[60] = {{0}};
    for (int i = 0; i < 30; i++) { /* thirty tolerances in one scene, thirty scenes with two runs each */
        snprintf(name[i], sizeof name[i], "piling-%d", i);
        recipes[i] = (recipe){"arch", "pcr", "x", "f32", 1, i + 1, 40, 0, 1, 0.5};
        recipes[30 + i] = (recipe){name[i], "pcr", "x", "f32", 1, 1, 40, 0, 1, 0.5};
    }
    recipes[29].solver = "minres";
    check_drawing("convergence", recipes, 60,
                  SAYS(">arch<", ">piling-0<", ">piling-22<", ">minres", "more runs not drawn"));
    assert_false(holds_text(in_folder("a.svg"), ">piling-23<"));
}

/* preconditioners of one solver are curves of their own, named where they differ, and not where they do not */
TEST(preconditioners_are_told_apart) {
    const recipe recipes[] = {{"arch", "pcr/jacobi", "identity", "f32", 1, 10, 40, 0, 1, 0.5},
                              {"arch", "pcr/ssor", "identity", "f32", 1, 20, 40, 0, 1, 0.5},
                              {"arch", "pcg/jacobi", "identity", "f32", 1, 10, 40, 0, 1, 0.5},
                              {"arch", "minres/jacobi", "identity", "f32", 1, 10, 40, 0, 1, 0.5},
                              {"arch", "minres/jacobi", "time-step", "f32", 1, 20, 40, 0, 1, 0.5}};
    check_drawing(
        "macklin-fig18", recipes, 5,
        SAYS("arch: pcr jacobi 1e-03, pcr ssor 1e-06, pcg 1e-03, minres identity 1e-03, minres time-step 1e-06",
             ">pcr ssor<", ">pcg<", "preconditioner jacobi, ssor, scaling identity, time-step"));
}

/* A curve's colour and name are the same in all panels, also where a panel lacks the first curve of another or has one
 * more; what is not drawn is said. */
TEST(series_are_shared_by_panels) {
    const recipe recipes[] = {{"arch", "pcr", "x", "f32", 1, 10, 40, 0, 1, 0.5},
                              {"arch", "cholesky", "x", "f32", 1, 20, 40, 0, 1, 0.5},
                              {"beam", "cholesky", "x", "f32", 1, 10, 40, 0, 1, 0.5},
                              {"beam", "pcg", "x", "f32", 1, 20, 40, 0, 1, 0.5},
                              {"beam", "pcg", "x", "f32", 1, 10, 40, 0, 1, 0.5}};
    check_drawing("macklin-fig18", recipes, 5,
                  SAYS("arch: pcr 1e-03, cholesky 1e-06, pcg -", "beam: pcr -, cholesky 1e-03, pcg 1e-06",
                       "Not drawn: 1 more run(s)", "Cholesky factorizes in double"));
}

TEST(captions_claim_what_is_drawn) {
    const recipe with_bounds[] = {{"arch", "pcr", "x", "f32", 1, 10, 40, 0, 1, 0.5}};
    check_drawing("macklin-fig18", with_bounds, 1, SAYS("Dashed: Tisseur's bounds", ">Tisseur's bound<"));
    const recipe without[] = {{"arch", "pcr", "no bounds", "f32", 1, 10, 40, 0, 1, 0.5}};
    check_drawing("macklin-fig18", without, 1, SAYS("bounds (92), (91) are not in the record", "scaling no bounds"));
}

TEST(missing_runs_are_named) {
    const recipe other[] = {{"arch", "pcr", "identity", "f64", 2, 3, 7, 0, 1, 0.5}};
    nb_record_reader *reader = record_of(other, 1);
    const nb_figure_class *f;
    for (int i = 0; (f = nb_figure_at(i)) != NULL; i++)
        if (f->runs && f->runs[0] && /* not those that any runs will do for */
            !((const nb_figure_script *)f)->also)
            CHECK_FAULT(nb_figure_draw(f, reader, in_folder("a.svg")), NB_ERROR_INPUT, f->name);
    nb_record_reader_close(reader);
    assert_int_equal(entries(), 1);
}

TEST(pictures_need_the_scene_that_was_recorded) {
    const recipe wrong[] = {{"arch", "pcr", "x", "f32", 50, 6, 20, 0, 1, 0.5}}; /* four bodies are no arch */
    nb_record_reader *reader = record_of(wrong, 1);
    CHECK_FAULT(nb_figure_draw(figure("macklin-fig14"), reader, in_folder("a.svg")), NB_ERROR_INPUT, "arch");
    nb_record_reader_close(reader);
    assert_int_equal(entries(), 1);
}

TEST(what_a_record_says_is_never_run) {
    char scenario[NB_NAME_LENGTH], mark[96];
    const char *const tricks[] = {"`touch %.40s`", "\".system('touch %.40s').\"", "'.system(\"touch %.40s\").'",
                                  "%%s@x\n!touch %.40s\n"};
    for (int i = 0; i < 4; i++) {
        snprintf(mark, sizeof mark, "%s/X", folder);
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
            snprintf(scenario, sizeof scenario, tricks[i], mark);
        _Pragma("GCC diagnostic pop")
            const recipe hostile[] = {{scenario, "pcr", "identity", "f64", 1, 10, 80, 0, 1, 0.5}};
        check_drawing("macklin-fig17", hostile, 1, SAYS("identity 1e-03"));
        assert_int_not_equal(access(mark, F_OK), 0);
    }
}

TEST(every_format_and_no_other) {
    const char *const endings[][2] = {{"a.svg", "<?xml"}, {"a.pdf", "%PDF"}, {"a.png", "\x89PNG"}};
    for (int i = 0; i < 3; i++) {
        char start[8] = {0};
        CHECK_OK(nb_figure_draw(figure("macklin-fig06"), NULL, in_folder(endings[i][0])));
        FILE *file = fopen(in_folder(endings[i][0]), "r");
        assert_int_equal(fread(start, 1, strlen(endings[i][1]), file), strlen(endings[i][1]));
        fclose(file);
        assert_string_equal(start, endings[i][1]);
    }
    CHECK_FAULT(nb_figure_draw(figure("macklin-fig06"), NULL, in_folder("a.gif")), NB_ERROR_USAGE, "a.gif");
    CHECK_FAULT(nb_figure_draw(figure("macklin-fig06"), NULL, in_folder("none/a.svg")), NB_ERROR_IO, "none/a.svg");
    CHECK_FAULT(nb_figure_draw(figure("macklin-fig11"), NULL, in_folder("a.svg")), NB_ERROR_USAGE, "--from");
    assert_int_equal(entries(), 4); /* with one text */
}

TEST(without_gnuplot_it_says_so) {
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    nb_status status = nb_figure_draw(figure("macklin-fig06"), NULL, in_folder("a.svg"));
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(status, NB_ERROR_IO);
    assert_non_null(strstr(nb_error_message(), "gnuplot is not installed"));
    assert_int_equal(entries(), 0);
}

/* its place was checked before, and became a folder since */
TEST(a_drawing_without_a_place_is_let_go_once) {
    nb_figure_files files = {0};
    const nb_figure_style style = nb_page_style(NULL);
    FILE *drawn = fopen(in_folder("drawn.pdf"), "w");
    assert_non_null(drawn);
    fputs("%PDF-1.5\n%%EOF\n", drawn);
    assert_int_equal(fclose(drawn), 0);
    assert_int_equal(mkdir(in_folder("a.pdf"), 0700), 0);
    CHECK_FAULT(nb_page_take_drawing(&files, in_folder("drawn.pdf"), in_folder("a.pdf"), &style), NB_ERROR_IO, "a.pdf");
    assert_int_equal(files.count, 0);
    nb_figure_files_clear(&files);
    assert_int_equal(rmdir(in_folder("a.pdf")) | unlink(in_folder("drawn.pdf")), 0);
}

#define DRAWS(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        DRAWS(fig06_and_fig09_need_no_record),
        DRAWS(fig11_compares_residuals_at_iteration_20),
        DRAWS(fig16_shows_medians_over_steps),
        DRAWS(fig17_and_fig18_state_the_errors_at_the_end),
        DRAWS(fig18_has_a_bound_where_it_means_something),
        DRAWS(singular_counts_what_fails),
        DRAWS(long_texts_stay_on_the_page),
        DRAWS(tab02_states_medians_of_repetitions),
        DRAWS(cost_is_of_repetitions),
        DRAWS(warnings_stand_where_times_do),
        DRAWS(profiles_count_scenes_failures_and_missing_runs),
        DRAWS(profiles_count_runs_that_ended_early_as_failures),
        DRAWS(every_solver_is_drawn),
        DRAWS(legends_have_no_entry_without_a_curve),
        DRAWS(what_differs_is_drawn_first),
        DRAWS(preconditioners_are_told_apart),
        DRAWS(series_are_shared_by_panels),
        DRAWS(captions_claim_what_is_drawn),
        DRAWS(missing_runs_are_named),
        DRAWS(pictures_need_the_scene_that_was_recorded),
        DRAWS(what_a_record_says_is_never_run),
        DRAWS(every_format_and_no_other),
        DRAWS(without_gnuplot_it_says_so),
        DRAWS(a_drawing_without_a_place_is_let_go_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
