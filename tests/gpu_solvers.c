/* Solvers on a GPU against this processor's, iterate by iterate on random scenes, to the bit with themselves, and
 * against the emulation of the same kernels. Skips (77) where there is no GPU. */
#include <stdio.h>

#include "device_packs.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

TEST(iterates_agree) {
    check_iterates(&nb_device_cuda);
}

TEST(wide_colours_are_swept) {
    check_wide_colours(&nb_device_cuda);
}

TEST(packs_agree) {
    check_packs(&nb_device_cuda);
    check_other_blocks(&nb_device_cuda);
}

TEST(sequences_take_as_many_iterations) {
    check_sequences(&nb_device_cuda);
}

TEST(the_failing_row_is_told) {
    if (NB_STORAGE_BITS != NB_REAL_BITS) skip(); /* no mixed cholesky */
    check_failed_row(&nb_device_cuda);
}

TEST(the_same_solve_gives_the_same_bits) {
    check_determinism(&nb_device_cuda);
}

TEST(what_the_device_does_by_itself_is_the_same) {
    check_unwatched(&nb_device_cuda, 4, 40); /* small and short ones: watched, each iteration waits */
}

TEST(what_is_kept_of_a_system_does_not_show) {
    check_memory_that_is_kept(&nb_device_cuda);
}

/* The same order of all sums: what is left is the compiler's fusing of products and sums, a rounding each, which sweeps
 * pass on from group to group. */
TEST(the_emulation_computes_the_same) {
    static scene s;
    static real emulated[MOST_ROWS], on_gpu[MOST_ROWS];
    uint64_t seed = 17;
    nb_solve_report report;
    print_message("seed %llu\n", (unsigned long long)seed);
    make_scene(&s, &seed, sizes[0]);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const nb_linear_solver_class *solver;
        CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
        if (!is_offered(&solver)) continue;
        CHECK_OK(run(&cases[k], s.system, &nb_device_emulated, 3, emulated, &report));
        CHECK_OK(run(&cases[k], s.system, &nb_device_cuda, 3, on_gpu, &report));
        double tolerance = 1000 * (double)NB_STORAGE_EPSILON * largest(s.system->rows, emulated);
        for (int32_t i = 0; i < s.system->rows; i++) CHECK_NEAR(on_gpu[i], emulated[i], tolerance);
    }
    end_scene(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterates_agree),
        cmocka_unit_test(wide_colours_are_swept),
        cmocka_unit_test(packs_agree),
        cmocka_unit_test(sequences_take_as_many_iterations),
        cmocka_unit_test(the_failing_row_is_told),
        cmocka_unit_test(the_same_solve_gives_the_same_bits),
        cmocka_unit_test(what_the_device_does_by_itself_is_the_same),
        cmocka_unit_test(what_is_kept_of_a_system_does_not_show),
        cmocka_unit_test(the_emulation_computes_the_same),
    };
    if (nb_device_cuda.check() != NB_OK) {
        printf("SKIPPED: %s\n", nb_error_message());
        return 77;
    }
    nb_cuda_poison();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
