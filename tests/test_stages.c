/* The device's stages, emulated, against this processor's solvers: iterate by iterate on random scenes, to the bit with
 * themselves, and what becomes of a solve whose device is lost. */
#include <string.h>

#include "base/memory.h"
#include "device_packs.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

TEST(iterates_agree) {
    check_iterates(&nb_device_emulated);
}

TEST(wide_colours_are_swept) {
    check_wide_colours(&nb_device_emulated);
}

TEST(packs_agree) {
    check_packs(&nb_device_emulated);
    check_other_blocks(&nb_device_emulated);
}

TEST(sequences_take_as_many_iterations) {
    check_sequences(&nb_device_emulated);
}

TEST(the_failing_row_is_told) {
    if (NB_STORAGE_BITS != NB_REAL_BITS) skip(); /* no mixed cholesky */
    check_failed_row(&nb_device_emulated);
}

TEST(the_same_solve_gives_the_same_bits) {
    check_determinism(&nb_device_emulated);
}

TEST(what_is_kept_of_a_system_does_not_show) {
    check_memory_that_is_kept(&nb_device_emulated);
}

TEST(what_the_device_does_by_itself_is_the_same) {
    check_unwatched(&nb_device_emulated, 0, 400);
}

/* By itself the device makes as many iterations as were asked for, in equal shares of 25 at most, and but one or two in
 * vain. */
TEST(few_passes_are_made_in_vain) {
    static const int counts[] = {1, 8, 24, 25, 26, 40, 51, 200};
    static scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 23;
    nb_solve_report report;
    make_scene(&s, &seed, sizes[0]);
    int64_t before = nb_emulated_launches();
    CHECK_OK(run(&cases[1], s.system, &nb_device_emulated, 0, x, &report));
    int64_t others = nb_emulated_launches() - before;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int n = counts[i], shares = (n + 24) / 25;
        before = nb_emulated_launches();
        CHECK_OK(run(&cases[1], s.system, &nb_device_emulated, n, x, &report));
        int64_t passes = nb_emulated_launches() - before - others - shares; /* a decision at the end of each */
        assert_in_range(passes, 3 * n, 3 * (n + shares - 1));
    }
    end_scene(&s);
}

/* A GPU runs threads and blocks as they come: the same bits in each order, so that no thread of a pass reads what
 * another writes in it. By itself, without anybody watching, so that the device's own decisions are among the passes.
 */
TEST(the_order_of_threads_does_not_matter) {
    static scene s;
    static real forward[MOST_ROWS], other[MOST_ROWS];
    uint64_t seed = 18;
    nb_solve_report report;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i <= sizeof sizes / sizeof *sizes; i++) {
        if (i < sizeof sizes / sizeof *sizes)
            make_scene(&s, &seed, sizes[i]);
        else
            begin_chain(&s, &seed, 590); /* colours of several blocks */
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k += (size_t)test_share()) {
            const nb_linear_solver_class *solver;
            CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
            if (!is_offered(&solver) || is_costly(&cases[k], s.system)) continue;
            for (int order = NB_ORDER_FORWARD; order < NB_ORDERS; order++) {
                real *x = order == NB_ORDER_FORWARD ? forward : other;
                nb_emulated_set_order((nb_emulated_order)order);
                nb_status status = run(&cases[k], s.system, &nb_device_emulated, 30, x, &report);
                nb_emulated_set_order(NB_ORDER_FORWARD);
                CHECK_OK(status);
                assert_memory_equal(x, forward, (size_t)s.system->rows * sizeof *x);
            }
        }
        end_scene(&s);
    }
}

/* at whatever launch the device is lost, the solve says so and leaves no numbers behind */
TEST(a_lost_device_is_a_fault) {
    static scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 13;
    nb_solve_report report;
    print_message("seed %llu\n", (unsigned long long)seed);
    make_scene(&s, &seed, sizes[3]);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const nb_linear_solver_class *solver;
        CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
        if (!is_offered(&solver)) continue;
        nb_status status = NB_ERROR_DEVICE;
        int launches = 0;
        for (; status != NB_OK && launches < 2000; launches += 1 + launches / 64) {
            nb_emulated_fail_after(NB_ERROR_DEVICE, launches);
            status = run(&cases[k], s.system, &nb_device_emulated, 4, x, &report);
            nb_emulated_fail_after(NB_OK, 0);
            assert_true(status == NB_OK || status == NB_ERROR_DEVICE);
            if (status == NB_ERROR_DEVICE) assert_non_null(strstr(nb_error_message(), "lost"));
        }
        assert_int_equal(status, NB_OK);
        assert_true(launches > 5);
    }
    end_scene(&s);
}

/* The polynomial's products are the processor's, those of its set-up are none of the solve's, and a solve to a
 * tolerance takes as many iterations: what the eigenvalue is off by rounding changes none. Another inner preconditioner
 * is refused by name. */
TEST(a_polynomial_counts_as_here) {
    static const solver_case polynomials[] = {{"pcr", NULL, "chebyshev", NULL},
                                              {"pcg", NULL, "chebyshev", "degree=20"},
                                              {"pcr", NULL, "chebyshev", "inner=jacobi"},
                                              {"pcr", NULL, "chebyshev", "inner=fsai"},
                                              {"pcr", NULL, "chebyshev", "inner=ict"}};
    static scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 24;
    nb_solve_report here, there;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 3; i += 2) { /* with joints, and contacts alone */
        make_scene(&s, &seed, sizes[i]);
        for (size_t k = 0; k < 4; k++) {
            CHECK_OK(run_until(&polynomials[k], s.system, NULL, 200, 1e-4, NULL, x, &here));
            CHECK_OK(run_until(&polynomials[k], s.system, &nb_device_emulated, 200, 1e-4, NULL, x, &there));
            assert_int_equal(here.reason, NB_REASON_CONVERGED);
            assert_int_equal(there.reason, NB_REASON_CONVERGED);
            assert_int_equal(there.iterations, here.iterations);
            assert_int_equal(there.products, here.products);
            CHECK_NEAR(there.work.setup_flops, here.work.setup_flops, 0);
            CHECK_OK(run_watched(&polynomials[k], s.system, NULL, 5, NULL, x, &here));
            CHECK_OK(run_watched(&polynomials[k], s.system, NULL, 5, look_away, x, &there));
            assert_int_equal(there.products, here.products); /* whoever looks on makes none */
        }
        assert_int_equal(run(&polynomials[4], s.system, &nb_device_emulated, 1, x, &there), NB_ERROR_UNSUPPORTED);
        assert_non_null(strstr(nb_error_message(), "inner=ict"));
        end_scene(&s);
    }
}

/* after whatever launch the device has no memory left, the solve says so, or does without any more of it */
TEST(a_device_without_memory_is_a_fault) {
    static scene s;
    static real x[MOST_ROWS], undisturbed[MOST_ROWS];
    uint64_t seed = 21;
    nb_solve_report report;
    print_message("seed %llu\n", (unsigned long long)seed);
    make_scene(&s, &seed, sizes[3]);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const nb_linear_solver_class *solver;
        CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
        if (!is_offered(&solver)) continue;
        CHECK_OK(run(&cases[k], s.system, &nb_device_emulated, 4, undisturbed, &report));
        for (int launches = 0; launches < 8; launches++) {
            nb_emulated_fail_after(NB_ERROR_MEMORY, launches);
            nb_status status = run(&cases[k], s.system, &nb_device_emulated, 4, x, &report);
            nb_emulated_fail_after(NB_OK, 0);
            if (status == NB_OK)
                assert_memory_equal(x, undisturbed, (size_t)s.system->rows * sizeof *x);
            else
                assert_int_equal(status, NB_ERROR_MEMORY);
            assert_true(launches > 0 || status != NB_OK);
        }
    }
    end_scene(&s);
}

/* at whatever allocation memory runs out; the second time the solve is deflated */
static void check_allocations(scene *s, const char *recycle, const char *name) {
    static real x[MOST_ROWS];
    const nb_linear_solver_class *pcr;
    const nb_preconditioner_class *preconditioner;
    double values[MOST_OPTIONS], solver_values[MOST_OPTIONS];
    const nb_linear_stop stop = {.iterations = 4, .tolerance = 0};
    nb_solve_report report;
    CHECK_OK(nb_linear_solver_find("pcr", &pcr));
    if (NB_STORAGE_BITS != NB_REAL_BITS) CHECK_OK(nb_linear_solver_take_mixed(&pcr));
    CHECK_OK(nb_preconditioner_find(name, &preconditioner));
    standard(preconditioner->options, preconditioner->option_count, NULL, values);
    standard(pcr->options, pcr->option_count, recycle, solver_values);
    s->system->device = &nb_device_emulated;
    /* the entries of A are the system's to keep, and what LAPACK works in is the program's */
    const solver_case c = {"pcr", recycle, name, NULL};
    for (int i = 0; i < 2; i++) CHECK_OK(run(&c, s->system, &nb_device_emulated, 4, x, &report));
    int64_t held = nb_allocation_held();
    nb_status status = NB_ERROR_MEMORY;
    for (int i = 0; status != NB_OK && i < 200; i++) {
        nb_solve *solve = NULL;
        nb_allocation_fail_after(i);
        status = nb_solve_create(pcr, solver_values, preconditioner, values, &solve);
        if (status == NB_OK) status = nb_solve_run(solve, s->system, &stop, NULL, NULL, x, &report);
        if (status == NB_OK) status = nb_solve_run(solve, s->system, &stop, NULL, NULL, x, &report);
        nb_allocation_fail_after(-1);
        assert_true(status == NB_OK || status == NB_ERROR_MEMORY);
        nb_solve_destroy(solve);
        assert_int_equal(nb_allocation_held(), held);
    }
    assert_int_equal(status, NB_OK);
}

TEST(allocations_that_fail_leave_nothing_behind) {
    static scene s;
    uint64_t seed = 14;
    make_scene(&s, &seed, sizes[3]);
    check_allocations(&s, NULL, "block-jacobi");
    check_allocations(&s, "recycle=2", "jacobi");
    check_allocations(&s, NULL, "fsai");
    end_scene(&s);
}

RUN_TESTS(iterates_agree, wide_colours_are_swept, packs_agree, sequences_take_as_many_iterations,
          the_failing_row_is_told, the_same_solve_gives_the_same_bits, what_is_kept_of_a_system_does_not_show,
          what_the_device_does_by_itself_is_the_same, few_passes_are_made_in_vain, the_order_of_threads_does_not_matter,
          a_lost_device_is_a_fault, a_polynomial_counts_as_here, a_device_without_memory_is_a_fault,
          allocations_that_fail_leave_nothing_behind)
