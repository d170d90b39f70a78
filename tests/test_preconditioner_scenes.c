/* Preconditioners on Newton systems of scenes, in the stiffness form: iterations of CG, or of GMRES, to a true residual
 * of 1e-8. The systems are made anew here (preconditioner_scene.h), the second of a step after ten that settle the
 * scene. What is asserted holds of every such system, or with room for round-off in how it was come by. */
#include "preconditioner_scene.h"

NB_PRECISIONS(f64);

enum {
    LIMIT = 3000,
    TRIED = 8 /* preconditioners of a scene */
};

typedef struct expectation {
    const char *preconditioner;
    int least, most; /* iterations */
} expectation;

typedef struct scene_case {
    const char *scene;
    const char *settings[2][2];
    expectation expected[TRIED];
} scene_case;

static const scene_case cases[] = {
    /* chains of bodies: their graph is a forest, on which nothing is left out */
    {"arch", {{NULL}}, {{"tree", 1, 1}, {"ict", 12, 26}, {"factor", 2, 6}}},
    {"beam", {{NULL}}, {{"tree", 1, 1}}},
    {"heavy-stack", {{NULL}}, {{"tree", 1, 1}}},
    /* 26 where block-jacobi takes 377; ict took 18 on the arch, where block-jacobi took 226 */
    {"wall",
     {{NULL}},
     {{"block-jacobi", 300, 460},
      {"ict", 18, 34},
      {"chebyshev", 100, 150},
      {"factor", 2, 4},
      {"schwarz", 20, 50},
      {"fsai", 130, 210}}},
};

static void hear(void *context, int iteration, nb_system *system) {
    const scene_case *c = context;
    for (int k = 0; iteration == 1 && k < TRIED && c->expected[k].preconditioner; k++) {
        nb_solve_report report;
        const expectation *e = &c->expected[k];
        const int iterations = scene_iterations(system, "pcg", e->preconditioner, 1e-8, LIMIT, &report);
        print_message("  %s, %s: %d iterations\n", c->scene, e->preconditioner, iterations);
        assert_in_range(iterations, e->least, e->most);
    }
}

static void test_iterations(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scene_systems s = {
            .scene = cases[k].scene, .settle = 10, .newton = 3, .hear = hear, .context = (void *)(uintptr_t)&cases[k]};
        memcpy(s.settings, cases[k].settings, sizeof cases[k].settings);
        scene_make_systems(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
