/* The natural map: projection, known solutions, the three normalisations. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "cone/cone.h"
#include "measure/natural_map.h"

/* the shared example: one contact, W = [[1, .5, 0], [.5, 2, 0], [0, 0, 2]], q = (-1, .2, 0) */
static int64_t one_start[] = {0, 2, 4, 5};
static int32_t one_column[] = {0, 1, 0, 1, 2};
static double one_value[] = {1, 0.5, 0.5, 2, 2};
static const nb_csr_f64 one_w = {.rows = 3, .columns = 3, .start = one_start, .column = one_column, .value = one_value};
static const double one_q[] = {-1, 0.2, 0};

static nb_file_data one_contact(const double *mu) {
    return (nb_file_data){3, 0, 1, &one_w, one_q, mu, NB_FRICTION_COULOMB, NULL, 0};
}

/* Moreau: x = P(x) + (x - P(x)) with P(x) in the cone, x - P(x) in the polar cone, orthogonal to each other */
TEST(projection_splits_every_vector) {
    uint64_t seed = 20, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 2000; trial++) {
        int dimension = 2 + trial % 2;
        double mu = trial % 10 == 0 ? 0 : test_random(&random, 0, 2), x[3], p[3] = {0}, dot = 0;
        for (int k = 0; k < 3; k++) x[k] = k < dimension ? test_random(&random, -1, 1) : 0;
        memcpy(p, x, sizeof x);
        nb_cone_project_friction(dimension, mu, p);
        double rest[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        for (int k = 0; k < 3; k++) dot += p[k] * rest[k];
        /* numbers of size 1: a few roundings */
        CHECK_BELOW(hypot(p[1], p[2]) - mu * p[0], 1e-15);
        CHECK_BELOW(rest[0] + mu * hypot(rest[1], rest[2]), 1e-15);
        CHECK_NEAR(dot, 0, 1e-15);
    }
}

TEST(one_contact_sticks) {
    const double mu = 0.5, z[3] = {1.2, -0.4, 0}; /* W^-1 (-q), inside the cone */
    nb_file_data data = one_contact(&mu);
    double u[3];
    nb_natural_map map;
    nb_natural_map_compute(&data, z, u, &map);
    CHECK_BELOW(map.contacts, 1e-15);
    for (int k = 0; k < 3; k++) CHECK_NEAR(u[k], 0, 1e-15);
}

TEST(one_contact_slides) {
    /* u_N = 0 and r_T = -mu r_N along the slip: r_N (1 - mu/2) = 1 */
    const double mu = 0.2, n = 1 / 0.9, z[3] = {n, -mu * n, 0};
    nb_file_data data = one_contact(&mu);
    double u[3];
    nb_natural_map map;
    nb_natural_map_compute(&data, z, u, &map);
    CHECK_BELOW(map.contacts, 1e-15);
    CHECK_NEAR(u[0], 0, 1e-15);
    CHECK_NEAR(u[1], 0.5 * n - 2 * mu * n + 0.2, 1e-15);
}

/* W = 0 and q_N = -1: no impulse helps, however large; and next to it an impulse that large velocities must not hide */
TEST(the_smaller_is_not_swallowed) {
    static int64_t start[] = {0, 0, 0, 0};
    static const nb_csr_f64 w = {.rows = 3, .columns = 3, .start = start, .column = NULL, .value = NULL};
    const double mu = 0.5, q[2][3] = {{-1, 0.5, 0}, {1e18, 0, 0}}, z[2][3] = {{1e18, 0, 0}, {1, 0.25, 0}};
    const double known[2] = {hypot(0.75, 0.5), hypot(1, 0.25)}; /* |u^| and |r|: inside the cone, and its polar */
    for (int i = 0; i < 2; i++) {
        const nb_file_data data = {3, 0, 1, &w, q[i], &mu, NB_FRICTION_COULOMB, NULL, 0};
        double u[3];
        nb_natural_map map;
        nb_natural_map_compute(&data, z[i], u, &map);
        CHECK_NEAR(map.contacts, known[i], 1e-15);
    }
}

TEST(normalisations_differ_as_documented) {
    const double mu = 0.5, zero[3] = {0};
    nb_file_data data = one_contact(&mu);
    double u[3];
    nb_natural_map map;
    nb_natural_map_compute(&data, zero, u, &map);
    /* by hand: u = q, u^ = (-0.9, 0.2, 0); -u^ = (0.9, -0.2) lies inside the cone, so e = |u^| */
    double e = hypot(0.9, 0.2), q = hypot(1, 0.2);
    CHECK_NEAR(map.contacts, e, 1e-15);
    CHECK_NEAR(map.fclib, e / (1 + sqrt(q)), 1e-15);
    CHECK_NEAR(map.relative, e / q, 1e-15);
    CHECK_NEAR(map.siconos, e / q, 1e-15); /* ||u|| = ||q|| here */
    const double far[3] = {1e3, 0, 0};
    nb_natural_map_compute(&data, far, u, &map);
    CHECK_NEAR(u[0], 999, 1e-12);
    CHECK_NEAR(map.siconos, map.contacts / hypot(999, 500.2), 2e-15 * map.siconos + 1e-15); /* ||u|| is the largest */
    /* w r for w = (1 + 2 (2 + 2)/2)/3, less u^ = (999 + mu 500.2, 500.2): (x_N, x_T), between the cone and its polar */
    const double x = 5.0 / 3 * 1e3 - 999 - 250.1, n = (x + 250.1) / 1.25;
    CHECK_NEAR(map.relative, hypot(5.0 / 3 * 1e3 - n, n / 2) / q, 2e-15 * map.relative);
}

/* one bilateral row coupled with one 2D contact: [[4, 1, 0], [1, 2, 0], [0, 0, 1]], q = (-1, 1, -3) */
TEST(bilateral_rows_are_joined) {
    int64_t start[] = {0, 2, 4, 5};
    int32_t column[] = {0, 1, 0, 1, 2};
    double value[] = {4, 1, 1, 2, 1};
    const nb_csr_f64 w = {.rows = 3, .columns = 3, .start = start, .column = column, .value = value};
    const double q[] = {-1, 1, -3}, mu = 0.3, z[] = {0.5, 0, 0};
    nb_file_data data = {2, 1, 1, &w, q, &mu, NB_FRICTION_COULOMB, NULL, 0};
    double u[3];
    nb_natural_map map;
    nb_natural_map_compute(&data, z, u, &map);
    CHECK_NEAR(map.bilaterals, 1, 1e-15); /* 4 * 0.5 - 1 */
    /* contact: u = (1.5, -3), u^ = (2.4, -3); x = (-2.4, 3): between cone and polar cone, P_N = (-2.4 + 0.9)/1.09 < 0?
     * mu |x_T| = 0.9 <= 2.4, so x is in the polar cone and e = |r| = 0 */
    CHECK_NEAR(map.contacts, 0, 0);
    CHECK_NEAR(map.fclib, 1.0 / 2, 1e-15); /* e_b / (1 + |s|) */
    CHECK_NEAR(map.relative, 1 / sqrt(11), 1e-15);
    CHECK_NEAR(map.siconos, 1 / hypot(1.5, 3), 1e-15); /* ||u|| of the contacts is the largest */
}

TEST(nothing_to_divide_by) {
    const double mu = 0.5, q[3] = {0}, z[3] = {0};
    nb_file_data data = {3, 0, 1, &one_w, q, &mu, NB_FRICTION_COULOMB, NULL, 0};
    double u[3];
    nb_natural_map map;
    nb_natural_map_compute(&data, z, u, &map);
    CHECK_NEAR(map.relative, 0, 0);
    CHECK_NEAR(map.siconos, 0, 0);
    const double broken[3] = {NAN, 0, 0};
    nb_natural_map_compute(&data, broken, u, &map);
    assert_true(isnan(map.relative) && isnan(map.siconos) && isnan(map.fclib));
}

TEST(rows_go_back_to_the_files_order) {
    const double rows[] = {10, 1, 2, 0, 4, 5, 0}, expected[] = {10, 1, 2, 4, 5};
    double out[5];
    nb_file_data data = {.dimension = 2, .bilaterals = 1, .contacts = 2};
    nb_file_data_from_rows(&data, rows, out);
    for (int i = 0; i < 5; i++) CHECK_NEAR(out[i], expected[i], 0);
    const double full[] = {10, 1, 2, 3, 4, 5, 6};
    double all[7];
    data.dimension = 3;
    nb_file_data_from_rows(&data, full, all);
    for (int i = 0; i < 7; i++) CHECK_NEAR(all[i], full[i], 0);
}

RUN_TESTS(projection_splits_every_vector, one_contact_sticks, one_contact_slides, the_smaller_is_not_swallowed,
          normalisations_differ_as_documented, bilateral_rows_are_joined, nothing_to_divide_by,
          rows_go_back_to_the_files_order)
