/* The preconditioner `spectral` by dense spectra of P A: no eigenvalue exceeds one, as 1 - P A is a product in which
 * A's norm does not grow; and the condition number is at most 2 / theta, of systems of scenes as of larger parts. */
#include <lapacke.h>

#include "preconditioner_scene.h"

NB_PRECISIONS(f64);

enum {
    SETS = 4
};

/* of P A, from A P A x = l A x */
static void find_eigenvalues(const nb_preconditioner_class *type, void *p, nb_system *system, double *values) {
    const int n = system->rows;
    const int64_t square = (int64_t)n * n;
    double *memory;
    const nb_csr *a;
    CHECK_OK(nb_system_matrix(system, &a));
    CHECK_OK(NB_ALLOCATE(2 * square + 2 * n, &memory));
    double *dense = memory, *apa = dense + square, *pa = apa + square, *column = pa + n;
    for (int i = 0; i < n; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            dense[(int64_t)i * n + a->column[k]] = (double)a->value[k];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) column[i] = dense[(int64_t)i * n + j];
        type->apply(p, (const real *)column, (real *)pa);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) sum += (double)a->value[k] * pa[a->column[k]];
            apa[(int64_t)i * n + j] = sum;
        }
    }
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, apa, n, dense, n, values), 0);
    nb_free(memory);
}

static void hear_spectrum(void *context, int iteration, nb_system *system) {
    static const struct {
        const char *theta, *size;
    } sets[SETS] = {{"0.05", "20"}, {"0.05", "5"}, {"0.02", "12"}, {"0.3", "8"}};
    const nb_preconditioner_class *type;
    if (iteration != 1 && iteration != 3) return;
    CHECK_OK(nb_preconditioner_find("spectral", &type));
    for (int k = 0; k < SETS; k++) {
        double options[8], *values, theta;
        nb_reason reason = NB_REASON_NONE;
        void *p;
        nb_options_standard(type->options, type->option_count, options);
        CHECK_OK(nb_options_set(type->options, type->option_count, "spectral", "theta", sets[k].theta, options));
        CHECK_OK(nb_options_set(type->options, type->option_count, "spectral", "size", sets[k].size, options));
        theta = strtod(sets[k].theta, NULL);
        CHECK_OK(type->create(options, &p));
        CHECK_OK(type->set_up_pattern(p, system));
        CHECK_OK(type->set_up_values(p, system, &reason));
        assert_int_equal(reason, NB_REASON_NONE);
        CHECK_OK(NB_ALLOCATE(system->rows, &values));
        find_eigenvalues(type, p, system, values);
        const double least = values[0], largest = values[system->rows - 1];
        print_message("  %s, iteration %d, theta %s, size %s: %.3f to %.3f\n", (const char *)context, iteration,
                      sets[k].theta, sets[k].size, least, largest);
        CHECK_BELOW(largest, 1 + 1e-4); /* round-off of A's condition, 1e10 on granular */
        CHECK_BELOW(largest / least, 2 / theta);
        assert_true(least > 0);
        nb_free(values);
        type->destroy(p);
    }
}

TEST(test_condition) {
    static const struct {
        const char *scene;
        const char *settings[2][2];
        int settle;
    } scenes[] = {{"wall", {{NULL}}, 5},
                  {"arch", {{NULL}}, 5},
                  {"granular", {{"count", "40"}}, 40},
                  {"piling", {{"shape", "box"}, {"count", "30"}}, 30}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        scene_systems s = {.scene = scenes[k].scene,
                           .settle = scenes[k].settle,
                           .newton = 4,
                           .hear = hear_spectrum,
                           .context = (void *)(uintptr_t)scenes[k].scene};
        memcpy(s.settings, scenes[k].settings, sizeof scenes[k].settings);
        scene_make_systems(&s);
    }
}

/* twelve times the bodies: iterations stay, where those of block-jacobi do not */
static void hear_iterations(void *context, int iteration, nb_system *system) {
    nb_solve_report report;
    if (iteration == 1) *(int *)context = scene_iterations(system, "pcg", "spectral", 1e-8, 1000, &report);
}

TEST(test_flat) {
    static const char *const sizes[] = {"6", "20"};
    for (int k = 0; k < 2; k++) {
        int iterations = 0;
        scene_systems s = {.scene = "wall",
                           .settings = {{"width", sizes[k]}, {"height", sizes[k]}},
                           .newton = 2,
                           .hear = hear_iterations,
                           .context = &iterations};
        scene_make_systems(&s);
        print_message("  %s x %s: %d\n", sizes[k], sizes[k], iterations);
        assert_in_range(iterations, 5, 45);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_condition),
        cmocka_unit_test(test_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
