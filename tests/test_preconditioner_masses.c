/* Preconditioners on a stack of bodies whose masses spread over orders of magnitude (preconditioner_scene.h): positive
 * definite, in single precision as well. */
#include "preconditioner_scene.h"

NB_PRECISIONS(f32, f64);

/* `chebyshev` knew the eigenvalues of the lightest rows alone, in f32, and ended as indefinite at once */
static void hear(void *context, int iteration, nb_system *system) {
    (void)context;
    for (int i = 0; nb_preconditioners[i]; i++) {
        nb_solve_report report;
        scene_iterations(system, "pcg", nb_preconditioners[i]->name, 1e-4, 1000, &report);
        print_message("  iteration %d, %s: %s after %d\n", iteration, nb_preconditioners[i]->name,
                      nb_reason_name(report.reason), (int)report.iterations);
        assert_int_not_equal(report.reason, NB_REASON_INDEFINITE);
        assert_int_not_equal(report.reason, NB_REASON_NOT_POSITIVE_DEFINITE);
    }
}

TEST(test_heavy_stack) {
    scene_systems s = {.scene = "heavy-stack", .settle = 3, .newton = 6, .hear = hear};
    scene_make_systems(&s);
}

RUN_TESTS(test_heavy_stack)
