/* Runs that are interrupted anywhere: at the first question whether to stop, at the last but one, and at many between.
 * Every method and every linear solver of the tables ends soon after, without a step that is not whole, and goes on
 * from the checkpoint bit for bit. What is counted is questions, never seconds. */
#include "base/interrupt.h"

#include <stdlib.h>
#include <unistd.h>

#include "file/matrix_market.h"
#include "registry.h"
#include "run/checkpoint.h"
#include "run/scene_run.h"
#include "scenario_run.h"

enum {
    STEPS = 3,
    PLACES = 12, /* of a run, at which it is interrupted */
    /* The most questions that may follow before it has ended: the halvings of a step, in each of which loops over pairs
     * ask once, are the most that are left one by one. */
    AFTER = 64
};

static char folder[] = "/tmp/ncpbench-interrupt-XXXXXX", record[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(record, sizeof record, "%s/a.h5", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s.checkpoint", record);
    unlink(path);
    return rmdir(folder);
}

static nb_run *simulate(const nb_request *request, nb_checkpoint *checkpoint) {
    nb_run *run = NULL;
    nb_scene_run_forget_settled(); /* questions are those of a first run */
    CHECK_OK(nb_simulate_resumable(request, NULL, NULL, checkpoint, 0, &run));
    return run;
}

static int is_time(int column) {
    return column == NB_STEP_DETECT_S || column == NB_STEP_ASSEMBLY_S || column == NB_STEP_SETUP_S ||
           column == NB_STEP_SOLVE_S || column == NB_STEP_STEP_S;
}

/* the first steps of `whole`, bit for bit but for times */
static void check_steps(const nb_run *run, const nb_run *whole) {
    for (int32_t s = 0; s < run->step_count; s++) {
        assert_int_equal(run->newton_start[s + 1], whole->newton_start[s + 1]);
        for (int c = 0; c < NB_STEP_COLUMNS; c++)
            if (!is_time(c))
                assert_memory_equal(run->steps + s * NB_STEP_COLUMNS + c, whole->steps + s * NB_STEP_COLUMNS + c,
                                    sizeof(double));
    }
}

static void check_whole(const nb_run *run, const nb_run *whole) {
    assert_true(run->finished);
    assert_int_equal(run->step_count, whole->step_count);
    check_steps(run, whole);
    assert_int_equal(run->final.bodies, whole->final.bodies);
    assert_memory_equal(run->final.q, whole->final.q, 7 * (size_t)whole->final.bodies * sizeof(double));
    assert_memory_equal(run->final.u, whole->final.u, 6 * (size_t)whole->final.bodies * sizeof(double));
}

/* Interrupted at question `at`, and gone on with where a step had been made. */
static void interrupt_at(const nb_request *request, int64_t at, const nb_run *whole) {
    nb_checkpoint *checkpoint;
    CHECK_OK(nb_checkpoint_create(record, "ncpbench run", &checkpoint));
    nb_interrupt_count(at);
    nb_run *run = simulate(request, checkpoint);
    int64_t more = nb_interrupt_asked() - at;
    nb_interrupt_forget();
    if (run->finished || more > AFTER)
        fail_msg("%s, %s: finished %d, %lld questions after question %lld", request->info.method,
                 request->info.linear_solver, run->finished, (long long)more, (long long)at);
    check_steps(run, whole);
    int goes_on = run->step_count > 0 && run->step_count < STEPS; /* copies of a batch begin anew */
    nb_checkpoint_destroy(checkpoint);
    nb_run_destroy(run);
    if (!goes_on) return;
    CHECK_OK(nb_checkpoint_read(record, &checkpoint));
    run = simulate(request, checkpoint);
    check_whole(run, whole);
    nb_checkpoint_remove(checkpoint);
    nb_checkpoint_destroy(checkpoint);
    nb_run_destroy(run);
}

/* how often an uninterrupted run asks, at least `least` of `of` what it does */
static void interrupt(nb_request *request, nb_step_column least) {
    double made = 0;
    CHECK_OK(nb_simulate_prepare(request));
    nb_interrupt_count(0);
    nb_run *whole = simulate(request, NULL);
    const int64_t asked = nb_interrupt_asked();
    nb_interrupt_forget();
    assert_true(whole->finished);
    for (int32_t s = 0; s < whole->step_count; s++) made += whole->steps[s * NB_STEP_COLUMNS + (int)least];
    if (!((double)asked >= made && asked > 2 * whole->step_count))
        fail_msg("%s, %s: %lld questions in %g iterations", request->info.method, request->info.linear_solver,
                 (long long)asked, made);
    for (int64_t k = 0; k < PLACES; k++) /* the last question may be one of a loop that has come to its end */
        interrupt_at(request, 1 + k * (asked - 2) / (PLACES - 1), whole);
    nb_run_destroy(whole);
    nb_free(request->info.parameters);
}

static nb_request request_of(const char *scenario, const char *precision) {
    nb_request request;
    nb_request_standard(&request);
    snprintf(request.info.scenario, NB_NAME_LENGTH, "%s", scenario);
    snprintf(request.info.precision, NB_NAME_LENGTH, "%s", precision);
    request.info.steps = STEPS;
    return request;
}

/* every method takes a step apart, asks in each of its iterations, and keeps nothing of the one it was interrupted in
 */
TEST(test_methods) {
    const nb_method_class *method;
    for (int p = 0; p < 2; p++)
        for (int i = 0; (method = nb_method_at(i)) != NULL; i++) {
            nb_request request = request_of("heavy-stack", p ? "f32" : "f64");
            snprintf(request.info.method, NB_NAME_LENGTH, "%s", method->name);
            if (method->friction_laws == NB_FRICTION_FACETED) request.scene.friction_law = NB_FRICTION_POLYHEDRAL;
            request.info.newton_iterations = 10;
            request.info.warm_start = 1;
            interrupt(&request, NB_STEP_NEWTON_ITERATIONS);
        }
}

TEST(test_linear_solvers) {
    const nb_linear_solver_class *solver;
    for (int i = 0; (solver = nb_linear_solver_at(i)) != NULL; i++) {
        nb_request request = request_of("heavy-stack", "f64");
        snprintf(request.info.linear_solver, NB_NAME_LENGTH, "%s", solver->name);
        request.info.newton_iterations = 3;
        interrupt(&request, solver->direct ? NB_STEP_NEWTON_ITERATIONS : NB_STEP_OPERATOR_APPLICATIONS);
    }
}

/* settled, and with copies beside it */
TEST(test_the_rest_of_a_run) {
    nb_request request = request_of("arch", "f64");
    request.info.settle = 3;
    request.info.newton_iterations = 3;
    interrupt(&request, NB_STEP_NEWTON_ITERATIONS);
    request = request_of("heavy-stack", "f64");
    request.info.batch = 3;
    request.info.newton_iterations = 3;
    interrupt(&request, NB_STEP_NEWTON_ITERATIONS);
}

/* What is solved for true errors is kept from run to run: this one is interrupted again and again before it is. */
TEST(test_reference) {
    nb_request request = request_of("arch", "f64");
    int interrupted = 0, finished = 0;
    request.info.steps = 1;
    request.info.reference = 1;
    request.info.newton_iterations = 1;
    CHECK_OK(nb_simulate_prepare(&request));
    for (int64_t at = 1; !finished; at += 1 + at / 4, interrupted++) {
        nb_interrupt_count(at);
        nb_run *run = simulate(&request, NULL);
        int64_t more = nb_interrupt_asked() - at;
        nb_interrupt_forget();
        finished = run->finished;
        assert_true(finished || more <= AFTER);
        assert_int_equal(run->step_count, finished);
        if (finished) assert_non_null(run->reference.solution.q);
        nb_run_destroy(run);
    }
    assert_true(interrupted > 20);
    nb_free(request.info.parameters);
}

/* a run that was finished but for its repetition comes back as it was */
TEST(test_repetition) {
    nb_request request = request_of("heavy-stack", "f64");
    nb_checkpoint *checkpoint;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(nb_checkpoint_create(record, "ncpbench run", &checkpoint));
    nb_run *whole = simulate(&request, checkpoint), *run;
    nb_interrupt_count(5);
    CHECK_FAULT(nb_simulate_repeat(&request, whole), NB_ERROR_INTERRUPTED, "interrupted");
    nb_interrupt_forget();
    assert_int_equal(whole->repeat_count, 0);
    nb_simulate_keep_complete(checkpoint, 0, whole);
    nb_checkpoint_destroy(checkpoint);
    CHECK_OK(nb_checkpoint_read(record, &checkpoint));
    run = simulate(&request, checkpoint);
    check_whole(run, whole);
    assert_int_equal(run->checks.count, whole->checks.count);
    CHECK_OK(nb_simulate_repeat(&request, run));
    assert_int_equal(run->repeat_count, 1);
    nb_checkpoint_remove(checkpoint);
    nb_checkpoint_destroy(checkpoint);
    nb_run_destroy(run);
    nb_run_destroy(whole);
    nb_free(request.info.parameters);
}

/* what is read asks for each entry */
TEST(test_reading) {
    enum {
        ENTRIES = 1000
    };
    char path[96];
    nb_csr_f64 *a = NULL;
    snprintf(path, sizeof path, "%s/a.mtx", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", ENTRIES, ENTRIES, ENTRIES);
    for (int i = 1; i <= ENTRIES; i++) fprintf(file, "%d %d 2\n", i, i);
    assert_int_equal(fclose(file), 0);
    nb_interrupt_count(ENTRIES);
    CHECK_FAULT(nb_matrix_market_read(path, &a), NB_ERROR_INTERRUPTED, "interrupted");
    assert_null(a);
    nb_interrupt_count(0);
    CHECK_OK(nb_matrix_market_read(path, &a));
    assert_int_equal(nb_interrupt_asked(), ENTRIES);
    nb_interrupt_forget();
    nb_csr_destroy_f64(a);
    unlink(path);
}

TEST(test_questions) {
    assert_false(nb_interrupt_requested());
    CHECK_OK(nb_interrupt_check());
    nb_interrupt_count(3);
    assert_false(nb_interrupt_requested());
    CHECK_OK(nb_interrupt_check());
    CHECK_FAULT(nb_interrupt_check(), NB_ERROR_INTERRUPTED, "interrupted");
    assert_true(nb_interrupt_requested()); /* from now on */
    assert_int_equal(nb_interrupt_asked(), 4);
    nb_interrupt_forget();
    CHECK_OK(nb_interrupt_check());
    nb_interrupted = 1;
    CHECK_FAULT(nb_interrupt_check(), NB_ERROR_INTERRUPTED, "interrupted");
    nb_interrupt_forget();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions),      cmocka_unit_test(test_methods),
        cmocka_unit_test(test_linear_solvers), cmocka_unit_test(test_the_rest_of_a_run),
        cmocka_unit_test(test_reference),      cmocka_unit_test(test_repetition),
        cmocka_unit_test(test_reading),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
