/* The kernels of every instruction set that this processor has, in the vector backend of the Krylov methods, against
 * the scalar operator. */
#include "check.h"

#include <string.h>

#include "accelerators.h"
#include "linear/vector_backend.h"
#include "operator/kernels.h"
#include "random_scene.h"
#include "registry.h"

NB_PRECISIONS(f32, f64, mixed);

static const int sizes[][3] = {/* bodies, joints, runs of contacts */
                               {3, 0, 0},    {3, 0, 1},   {3, 1, 0},   {8, 2, 3},   {60, 20, 100},
                               {40, 0, 110}, {50, 30, 0}, {12, 4, 20}, {60, 3, 90}, {3, 1, 2}};

static const char *const sets[] = {"avx512", "avx2", "baseline"};

static double product_of(int32_t rows, const real *x, const real *y) {
    double sum = 0;
    for (int32_t r = 0; r < rows; r++) sum += (double)x[r] * (double)y[r];
    return sum;
}

static storage *vectors(const nb_vector_backend *backend, int count) {
    storage *v = aligned_alloc(
        64, (size_t)count * ((size_t)nb_vector_backend_length(backend) + 16) / 16 * 16 * sizeof(storage) + 4096);
    assert_non_null(v);
    return v;
}

/* Every operation of the backend on this system, against the same in the order of the rows. `backend` is used again for
 * scenes of other sizes. */
static void compare(nb_vector_backend *backend, nb_system *system, uint64_t *seed, int diagonal) {
    static real x[MOST_ROWS], y[MOST_ROWS], ax[MOST_ROWS], ay[MOST_ROWS], out[MOST_ROWS], root[MOST_ROWS];
    int32_t n = system->rows;
    double sums[2];
    /* sums of at most some hundred terms of size one to ten each; double that where a preconditioner scales them */
    const double tolerance = 2000 * (double)NB_STORAGE_EPSILON;
    const nb_preconditioner_class *jacobi = NULL;
    void *state = NULL;
    nb_reason reason = NB_REASON_NONE;
    CHECK_OK(nb_vector_backend_set_pattern(backend, system));
    nb_vector_backend_set_values(backend);
    nb_system_diagonal(system, root);
    if (diagonal) {
        CHECK_OK(nb_preconditioner_find("jacobi", &jacobi));
        CHECK_OK(jacobi->create(NULL, &state));
        CHECK_OK(jacobi->set_up_pattern(state, system));
        CHECK_OK(jacobi->set_up_values(state, system, &reason));
    }
    for (int32_t r = 0; r < n; r++) {
        root[r] = diagonal ? 1 / R(sqrt((double)root[r])) : 1;
        x[r] = R(test_random(seed, -1, 1));
        y[r] = R(test_random(seed, -1, 1));
    }
    nb_vector_backend_set_weights(backend, jacobi, state);
    assert_true(nb_vector_backend_has_identity(backend));
    int64_t length = (nb_vector_backend_length(backend) + 15) / 16 * 16;
    storage *v = vectors(backend, 6), *w = v + length, *d = w + length, *ad = d + length, *z = ad + length,
            *r = z + length;

    /* v is x, as a right-hand side; taken and given back it has the preconditioner's diagonal twice */
    nb_vector_backend_take(backend, x, v);
    nb_vector_backend_give(backend, v, 0, NULL, out);
    for (int32_t i = 0; i < n; i++) CHECK_NEAR(out[i], x[i] * root[i] * root[i], tolerance);

    /* P^1/2 A P^1/2 v = P^1/2 A P x */
    for (int32_t i = 0; i < n; i++) out[i] = x[i] * root[i] * root[i];
    nb_system_apply(system, out, ax);
    nb_vector_backend_begin_product(backend, 0, NULL, 1, v, sums);
    nb_vector_backend_finish_product(backend, v, w);
    CHECK_NEAR(sums[0], nb_vector_backend_dot(backend, v, v), tolerance * n);
    CHECK_NEAR(sums[1], nb_vector_backend_dot(backend, v, w), tolerance * n);
    CHECK_NEAR(sums[1], product_of(n, out, ax), tolerance * n);
    nb_vector_backend_take(backend, ax, d);
    CHECK_NEAR(nb_vector_backend_dot(backend, d, d), nb_vector_backend_dot(backend, w, w), 10 * tolerance * n);
    for (int64_t i = 0; i < nb_vector_backend_length(backend); i++) CHECK_NEAR(w[i], d[i], tolerance);

    /* the same again, to the bit */
    nb_vector_backend_begin_product(backend, 0, NULL, 1, v, sums);
    nb_vector_backend_finish_product(backend, v, z);
    assert_memory_equal(w, z, (size_t)nb_vector_backend_length(backend) * sizeof *w);

    /* y <- 0.5 x + 2 y, then the endings of PCR and PCG */
    const real half = R(0.5), two = 2, alpha = R(0.75), beta = R(0.25);
    nb_vector_backend_take(backend, y, z);
    nb_vector_backend_begin_product(backend, 0.5, v, 2, z, sums);
    for (int32_t i = 0; i < n; i++) out[i] = root[i] * root[i] * (half * x[i] + two * y[i]);
    nb_system_apply(system, out, ay);
    CHECK_NEAR(sums[1], product_of(n, out, ay), 10 * tolerance * n);
    nb_vector_backend_take(backend, x, d);
    nb_vector_backend_take(backend, y, ad);
    nb_vector_backend_clear(backend, w);
    double square = nb_vector_backend_finish_pcr(backend, z, 0.75, 0.25, w, d, ad, 1);
    CHECK_NEAR(square, nb_vector_backend_dot(backend, ad, ad), 10 * tolerance * n);
    nb_vector_backend_take(backend, ay, r);
    nb_vector_backend_take(backend, y, v);
    for (int64_t i = 0; i < nb_vector_backend_length(backend); i++)
        CHECK_NEAR(ad[i], r[i] + beta * v[i], 10 * tolerance);
    nb_vector_backend_take(backend, x, v);
    for (int64_t i = 0; i < nb_vector_backend_length(backend); i++) {
        CHECK_NEAR(w[i], alpha * v[i], tolerance);
        CHECK_NEAR(d[i], z[i] + beta * v[i], tolerance);
    }
    nb_vector_backend_begin_product(backend, 0, NULL, 1, z, sums);
    nb_vector_backend_clear(backend, w);
    nb_vector_backend_take(backend, x, r);
    square = nb_vector_backend_finish_pcg(backend, z, 0.75, w, r, 1);
    CHECK_NEAR(square, nb_vector_backend_dot(backend, r, r), 10 * tolerance * n);
    nb_vector_backend_take(backend, ay, d);
    for (int64_t i = 0; i < nb_vector_backend_length(backend); i++) {
        CHECK_NEAR(w[i], alpha * z[i], tolerance);
        CHECK_NEAR(r[i], v[i] - alpha * d[i], 10 * tolerance);
    }
    free(v);
    if (jacobi) jacobi->destroy(state);
}

TEST(every_set_agrees_with_the_scalar_operator) {
    uint64_t seed = 7;
    print_message("seed %llu\n", (unsigned long long)seed);
    int tried = 0;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        nb_vector_backend *backend;
        if (!nb_kernels_named(sets[k])) continue;
        setenv("NCPBENCH_KERNELS", sets[k], 1);
        assert_string_equal(nb_kernels()->name, sets[k]);
        CHECK_OK(nb_vector_backend_create(&backend));
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            static scene s;
            begin_scene(&s, &seed, sizes[i][0], sizes[i][1], sizes[i][2]);
            for (int diagonal = 0; diagonal < 2; diagonal++) compare(backend, s.system, &seed, diagonal);
            end_scene(&s);
        }
        nb_vector_backend_destroy(backend);
        tried++;
    }
    unsetenv("NCPBENCH_KERNELS");
    assert_true(tried >= 1); /* the baseline runs anywhere */
}

/* likewise the device's stages, whose vectors lie in this processor's memory */
TEST(the_emulated_device_agrees_with_the_scalar_operator) {
    uint64_t seed = 8;
    nb_vector_backend *backend;
    print_message("seed %llu\n", (unsigned long long)seed);
    CHECK_OK(nb_vector_backend_create(&backend));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static scene s;
        begin_scene(&s, &seed, sizes[i][0], sizes[i][1], sizes[i][2]);
        s.system->device = &nb_device_emulated;
        for (int diagonal = 0; diagonal < 2; diagonal++) compare(backend, s.system, &seed, diagonal);
        CHECK_OK(nb_vector_backend_fault(backend));
        end_scene(&s);
    }
    nb_vector_backend_destroy(backend);
}

TEST(a_name_that_is_none_changes_nothing) {
    const nb_kernel_set *best = nb_kernels();
    assert_null(nb_kernels_named("sse9"));
    setenv("NCPBENCH_KERNELS", "sse9", 1);
    assert_ptr_equal(nb_kernels(), best);
    unsetenv("NCPBENCH_KERNELS");
}

RUN_TESTS(every_set_agrees_with_the_scalar_operator, the_emulated_device_agrees_with_the_scalar_operator,
          a_name_that_is_none_changes_nothing)
