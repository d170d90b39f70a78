/* The preconditioner `spectral` by dense spectra of P A: no eigenvalue exceeds one, as 1 - P A is a product in which
 * A's norm does not grow; and the condition number is at most 2 / theta, of systems of scenes as of larger parts. */
#include <SuiteSparse_config.h>
#include <dlfcn.h>
#include <lapacke.h>

#include "preconditioner_scene.h"
#include "random_system.h"

NB_PRECISIONS(f64);

enum {
    SETS = 4
};

static void *create_spectral(const nb_preconditioner_class **type, const char *theta, const char *size) {
    double options[8];
    void *p;
    CHECK_OK(nb_preconditioner_find("spectral", type));
    nb_options_standard((*type)->options, (*type)->option_count, options);
    CHECK_OK(nb_options_set((*type)->options, (*type)->option_count, "spectral", "theta", theta, options));
    CHECK_OK(nb_options_set((*type)->options, (*type)->option_count, "spectral", "size", size, options));
    CHECK_OK((*type)->create(options, &p));
    return p;
}

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
    for (int k = 0; k < SETS; k++) {
        const double theta = strtod(sets[k].theta, NULL);
        double *values;
        nb_reason reason = NB_REASON_NONE;
        void *p = create_spectral(&type, sets[k].theta, sets[k].size);
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

/* ---- coarse spaces at their limits ---- */

enum {
    CLIQUES = 4,
    EACH = 3,
    NODES = CLIQUES * EACH
};

/* The Laplacian of four triangles in a circle, coupled weakly: A 1 = 0. Its coarse space has the constants of
 * triangles, and the sum of these is in A's null space, so that the coarse matrix is singular. On A's range P A keeps
 * its bounds. */
TEST(test_singular_coarse_matrix) {
    const nb_preconditioner_class *type;
    random_system t;
    nb_preconditioner_work work;
    nb_reason reason = NB_REASON_NONE;
    double dense[MOST][MOST] = {{0}}, a[NODES * NODES], values[NODES], s[NODES * NODES], p[NODES][NODES];
    int32_t own[NODES + 1];
    for (int i = 0; i <= NODES; i++) own[i] = i;
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            const int next = j == (i / EACH * EACH + EACH) % NODES && i % EACH == EACH - 1;
            const double weight = i == j ? 0 : i / EACH == j / EACH ? 1 : next ? 1e-4 : 0;
            dense[i][j] -= weight;
            dense[i][i] += weight;
            if (!next) continue;
            dense[j][i] -= weight;
            dense[j][j] += weight;
        }
    system_of_dense(NODES, dense, NODES, own, NODES, own, &t);
    void *state = create_spectral(&type, "0.05", "3");
    CHECK_OK(type->set_up_pattern(state, t.system));
    CHECK_OK(type->set_up_values(state, t.system, &reason));
    assert_int_equal(reason, NB_REASON_NONE);
    type->work(state, &work);
    /* a number of each row in D and in Z, and the factor of a full circle of four; more where a part cuts a triangle */
    CHECK_BELOW(NODES + NODES + CLIQUES * (CLIQUES + 1) / 2, work.nonzeros);
    for (int j = 0; j < NODES; j++) {
        real unit[NODES] = {0}, column[NODES];
        unit[j] = 1;
        type->apply(state, unit, column);
        for (int i = 0; i < NODES; i++) p[i][j] = (double)column[i];
        for (int i = 0; i < NODES; i++) a[i * NODES + j] = dense[i][j];
    }
    /* A = V L V^T; the eigenvalues of P A are those of L^1/2 V^T P V L^1/2 */
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', NODES, a, NODES, values), 0);
    for (int k = 0; k < NODES; k++)
        for (int l = 0; l < NODES; l++) {
            double sum = 0;
            for (int i = 0; i < NODES; i++)
                for (int j = 0; j < NODES; j++) sum += a[i * NODES + k] * p[i][j] * a[j * NODES + l];
            s[k * NODES + l] = sum * sqrt(fmax(values[k], 0) * fmax(values[l], 0));
        }
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', NODES, s, NODES, values), 0);
    print_message("  %.3g, then %.3f to %.3f\n", values[0], values[1], values[NODES - 1]);
    /* of A 1 = 0, where P has 1/shift, 1/4096 of round-off's: so many digits are left */
    CHECK_BELOW(fabs(values[0]), 1e-3);
    CHECK_BELOW(0.05 / 2, values[1]); /* without the coarse space it is 1e-3 */
    CHECK_BELOW(values[NODES - 1], 1 + 1e-3);
    type->destroy(state);
    random_system_destroy(&t);
}

/* CHOLMOD's memory ends at the allocation after `left` more, and from then on */
static int left;
static void *(*own_malloc)(size_t);
static void *limited(size_t size) {
    return left-- > 0 ? own_malloc(size) : NULL;
}

static void hear_memory(void *context, int iteration, nb_system *system) {
    const nb_preconditioner_class *type;
    int *refusals = context;
    nb_status status = NB_ERROR_MEMORY;
    if (iteration != 1) return;
    void *p = create_spectral(&type, "0.9", "5");
    CHECK_OK(type->set_up_pattern(p, system));
    struct SuiteSparse_config_struct *library = dlsym(RTLD_DEFAULT, "SuiteSparse_config");
    assert_non_null(library);
    own_malloc = library->malloc_func;
    for (int allowed = 0; status != NB_OK; allowed++) {
        nb_reason reason = NB_REASON_NONE;
        left = allowed;
        library->malloc_func = limited;
        status = type->set_up_values(p, system, &reason);
        library->malloc_func = own_malloc;
        if (status == NB_OK) continue;
        ++*refusals;
        assert_int_equal(status, NB_ERROR_MEMORY);
        assert_non_null(strstr(nb_error_message(), "coarse space, "));
        assert_non_null(strstr(nb_error_message(), " GB"));
        assert_null(strchr(nb_error_message(), '\n'));
        assert_true(allowed < 1000);
    }
    type->destroy(p);
}

/* one line with the estimate, wherever memory ends; the set-up after it succeeds */
TEST(test_coarse_space_beyond_memory) {
    int refusals = 0;
    scene_systems s = {.scene = "wall",
                       .settings = {{"width", "6"}, {"height", "6"}},
                       .newton = 2,
                       .hear = hear_memory,
                       .context = &refusals};
    scene_make_systems(&s);
    print_message("  %d refusals: %s\n", refusals, nb_error_message());
    assert_true(refusals > 3);
}

/* the coarse space has no vectors with 0, and all with 1 */
TEST(test_theta_is_within_0_and_1) {
    static const char *const refused[] = {"0", "1", "-0.1", "2"};
    const nb_preconditioner_class *type;
    double options[8];
    CHECK_OK(nb_preconditioner_find("spectral", &type));
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        CHECK_FAULT(nb_options_set(type->options, type->option_count, "spectral", "theta", refused[k], options),
                    NB_ERROR_USAGE, "out of range (1e-06 to 0.99)");
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

RUN_TESTS(test_condition, test_singular_coarse_matrix, test_coarse_space_beyond_memory, test_theta_is_within_0_and_1,
          test_flat)
