/* Tetrahedra by themselves: singular values, the stretch and how it moves, materials against analytic values. */
#include "check.h"

#include <lapacke.h>
#include <string.h>

#include "element/scalar_lane.h"
#include "element/tetrahedron_formulas.h"
#include "model/material.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;

enum {
    ROUNDS = 2000
};

static void random_matrix(uint64_t *seed, double size, double m[9]) {
    for (int k = 0; k < 9; k++) m[k] = test_random(seed, -size, size);
}

static void random_rotation(uint64_t *seed, double m[9]) {
    nb_quat q;
    do
        q = nb_quat_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                       test_random(seed, -1, 1));
    while (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z < 0.01);
    const nb_mat3 turn = nb_quat_matrix(nb_quat_normalized(q));
    memcpy(m, turn.m, sizeof turn.m);
}

static void narrow(int count, const double *from, real *to) {
    for (int k = 0; k < count; k++) to[k] = (real)from[k];
}

static void product(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* U diag(s) V^T */
static void compose(const double u[9], const double s[3], const double v[9], double out[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] =
                u[3 * i] * s[0] * v[3 * j] + u[3 * i + 1] * s[1] * v[3 * j + 1] + u[3 * i + 2] * s[2] * v[3 * j + 2];
}

static double determinant(const real m[9]) {
    return (double)(m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                    m[2] * (m[3] * m[7] - m[4] * m[6]));
}

/* ---- singular values ---- */

static void check_rotation(const real m[9]) {
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) CHECK_NEAR(nb_lane_columns(m, p, q), p == q, 20 * epsilon);
    CHECK_NEAR(determinant(m), 1, 20 * epsilon);
}

/* everything that the decomposition promises; singular values against LAPACK's */
static void check_svd(const double from[9]) {
    nb_lane_svd svd;
    real f[9];
    double a[9], known[3], superb[2], size = 0;
    narrow(9, from, f);
    for (int k = 0; k < 9; k++) {
        a[k] = (double)f[k];
        size = fmax(size, fabs(a[k]));
    }
    nb_lane_svd_of(f, &svd);
    check_rotation(svd.u);
    check_rotation(svd.v);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += (double)(svd.u[3 * i + k] * svd.s[k]) * (double)svd.v[3 * j + k];
            CHECK_NEAR(sum, a[3 * i + j], 30 * epsilon * size);
        }
    assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', 3, 3, a, 3, known, NULL, 3, NULL, 3, superb), 0);
    CHECK_NEAR(svd.s[0], known[0], 20 * epsilon * size);
    CHECK_NEAR(svd.s[1], known[1], 20 * epsilon * size);
    CHECK_NEAR(fabs((double)svd.s[2]), known[2], 20 * epsilon * size);
    assert_true(svd.s[0] >= svd.s[1] * (1 - 8 * NB_REAL_EPSILON));
    assert_true(svd.s[1] >= NB_ABS(svd.s[2]) * (1 - 8 * NB_REAL_EPSILON));
    if (known[0] * known[1] * known[2] < 1e3 * epsilon * size * size * size) return; /* det F is round-off */
    for (int k = 0; k < 9; k++) f[k] /= (real)size;
    assert_true((svd.s[2] > 0) == (determinant(f) > 0));
}

TEST(any_matrix_has_rotations) {
    uint64_t seed = test_seed();
    for (int i = 0; i < ROUNDS; i++) {
        double u[9], v[9], m[9], size = pow(10, test_random(&seed, -10, 10));
        random_rotation(&seed, u);
        random_rotation(&seed, v);
        const double spectra[][3] = {{1, 1, 1},    {2, 1, 1},       {2, 2, 1},        {1, 1, -1},
                                     {3, 2, -1},   {1, 0.5, 0},     {1, 1, 0},        {1, 0, 0},
                                     {1, 1e-6, 0}, {1, 1e-3, 1e-5}, {1, 1e-9, -1e-9}, {1, 1 - 1e-7, -1 + 1e-6}};
        compose(u, spectra[i % 12], v, m);
        for (int k = 0; k < 9; k++) m[k] *= size;
        check_svd(m);
        random_matrix(&seed, size, m);
        check_svd(m);
    }
    static const double plain[][9] = {{0},
                                      {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                      {-1, 0, 0, 0, -1, 0, 0, 0, -1},
                                      {0, 1, 0, 1, 0, 0, 0, 0, 1},
                                      {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                      {0, 0, 0, 0, 0, 0, 0, 0, 7},
                                      {0, 0, 5, 0, 0, 0, 0, 0, 0},
                                      {1, 1, 0, 1, 1, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) check_svd(plain[i]);
}

/* ---- the stretch ---- */

/* a stretch with a turn on either side; no sum of two of its numbers is below 0.3 */
static void random_gradient(uint64_t *seed, int inverted, double f[9]) {
    double u[9], v[9], s[3] = {test_random(seed, 1.2, 3), test_random(seed, 0.7, 1.1), test_random(seed, 0.2, 0.4)};
    random_rotation(seed, u);
    random_rotation(seed, v);
    if (inverted) s[2] = -s[2];
    compose(u, s, v, f);
}

static void stretch_at(const double f[9], nb_lane_stretch *out) {
    nb_lane_svd svd;
    real m[9];
    narrow(9, f, m);
    nb_lane_svd_of(m, &svd);
    nb_lane_stretch_of(&svd, out);
}

/* J of the six strains by the nine numbers of F */
static void rows_at(const double f[9], double rows[6][9]) {
    nb_lane_stretch at;
    stretch_at(f, &at);
    for (int e = 0; e < 9; e++) {
        real df[9] = {0}, ds[6];
        df[e] = 1;
        nb_lane_stretch_forward(at.r, at.s, at.turn, df, ds);
        for (int r = 0; r < 6; r++) rows[r][e] = (double)ds[r];
    }
}

/* central differences of this step against the rows */
static void check_rows(const double f[9], double step, double tolerance) {
    double rows[6][9];
    rows_at(f, rows);
    for (int e = 0; e < 9; e++) {
        nb_lane_stretch more, less;
        double up[9], down[9];
        memcpy(up, f, sizeof up);
        memcpy(down, f, sizeof down);
        up[e] = (double)(real)(f[e] + step);
        down[e] = (double)(real)(f[e] - step);
        stretch_at(up, &more);
        stretch_at(down, &less);
        for (int r = 0; r < 6; r++) {
            double slope = ((double)more.s[r] - (double)less.s[r]) / (up[e] - down[e]);
            CHECK_NEAR(rows[r][e], (r < 3 ? 1 : 2) * slope, tolerance);
        }
    }
}

TEST(rows_are_derivatives) {
    uint64_t seed = test_seed();
    /* step^2 and round-off over the step */
    const double step = cbrt(epsilon), tolerance = 200 * step * step;
    for (int i = 0; i < ROUNDS / 4; i++) {
        double f[9];
        random_gradient(&seed, i % 2, f);
        check_rows(f, step, tolerance);
    }
}

/* Where stretches are the same, and where an element is flat or just turns inside out, the stretch has a slope all the
 * same: only the sum of the two smallest counts. */
TEST(rows_are_derivatives_at_the_edge) {
    static const double stretches[][3] = {{1, 1, 1},       {2, 2, 0.5}, {1.5, 0.7, 0.7}, {1, 1, 1e-9},
                                          {1, 0.5, -1e-9}, {1, 0.5, 0}, {0.3, 0.3, 0},   {1, 1, -0.5}};
    uint64_t seed = test_seed();
    const double step = cbrt(epsilon);
    for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++)
        for (int turn = 0; turn < 20; turn++) {
            double u[9], v[9], f[9], least = stretches[i][1] + stretches[i][2];
            random_rotation(&seed, u);
            random_rotation(&seed, v);
            compose(u, stretches[i], v, f);
            /* third derivatives grow with the square of what S is divided by */
            check_rows(f, least * step, 200 * step * step / (least * least));
        }
    for (int turn = 0; turn < 20; turn++) { /* inverted as far as wide: no slope, and bounded */
        static const double lost[3] = {1, 0.4, -0.4};
        double u[9], v[9], f[9], rows[6][9];
        random_rotation(&seed, u);
        random_rotation(&seed, v);
        compose(u, lost, v, f);
        rows_at(f, rows);
        for (int e = 0; e < 54; e++) assert_true(fabs(rows[e / 9][e % 9]) < 200);
    }
}

TEST(transposes_are_transposes) {
    uint64_t seed = test_seed();
    for (int i = 0; i < ROUNDS; i++) {
        double f[9], any[15], rows[6][9];
        real y[6], df[9], ds[6], back[9];
        nb_lane_stretch at;
        random_matrix(&seed, 2, f); /* of sums below the least one, too */
        for (int k = 0; k < 15; k++) any[k] = test_random(&seed, -1, 1);
        narrow(6, any, y);
        narrow(9, any + 6, df);
        stretch_at(f, &at);
        nb_lane_stretch_forward(at.r, at.s, at.turn, df, ds);
        nb_lane_stretch_backward(at.r, at.s, at.turn, y, back);
        double one = 0, other = 0, size = 1;
        for (int r = 0; r < 6; r++) one += (double)(y[r] * ds[r]);
        for (int e = 0; e < 9; e++) other += (double)(back[e] * df[e]);
        rows_at(f, rows);
        for (int e = 0; e < 54; e++) size = fmax(size, fabs(rows[e / 9][e % 9]));
        CHECK_NEAR(one, other, 200 * epsilon * size);
    }
}

/* Turns of the whole element, F -> F + W F with W skew, move no stretch; Q F has the stretch of F, and rows that see
 * the world turned. */
TEST(turns_do_not_count) {
    uint64_t seed = test_seed();
    for (int i = 0; i < ROUNDS / 4; i++) {
        double f[9], q[9], turned[9], spin[9] = {0}, df[9], rows[6][9], rows_turned[6][9];
        nb_lane_stretch at, at_turned;
        random_gradient(&seed, i % 2, f);
        random_rotation(&seed, q);
        product(q, f, turned);
        stretch_at(f, &at);
        stretch_at(turned, &at_turned);
        for (int k = 0; k < 6; k++) CHECK_NEAR(at.s[k], at_turned.s[k], 100 * epsilon);
        rows_at(f, rows);
        rows_at(turned, rows_turned);
        spin[1] = test_random(&seed, -1, 1), spin[3] = -spin[1];
        spin[2] = test_random(&seed, -1, 1), spin[6] = -spin[2];
        spin[5] = test_random(&seed, -1, 1), spin[7] = -spin[5];
        product(spin, f, df);
        for (int r = 0; r < 6; r++) {
            double moved[9], along = 0;
            product(q, rows[r], moved); /* d s/d(QF) = Q d s/dF */
            for (int e = 0; e < 9; e++) {
                CHECK_NEAR(rows_turned[r][e], moved[e], 400 * epsilon);
                along += rows[r][e] * df[e];
            }
            CHECK_NEAR(along, 0, 100 * epsilon);
        }
    }
}

/* ---- materials ---- */

/* the values that follow were worked out by hand for these */
static const nb_material known = {NB_MATERIAL_NEO_HOOKEAN, 1e5, 0.45, 1000};

/* Uniaxial tension: lateral stretches that leave no lateral stress, the change of volume, and the stress of the whole.
 */
TEST(uniaxial_stress_is_known) {
    static const double table[][4] = {{0.5, 1.34164079, 0.9, -106896.5517},
                                      {1, 1, 1, 0},
                                      {1.5, 0.82999331, 1.0333333, 35887.6117},
                                      {2, 0.72456884, 1.05, 59913.7931},
                                      {3, 0.59628479, 1.0666667, 99361.4304}};
    double mu = nb_material_mu(&known), lambda = nb_material_lambda(&known);
    CHECK_NEAR(mu, 34482.758621, 1e-6);
    CHECK_NEAR(lambda, 310344.827586, 1e-6);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double s = table[i][0], t = sqrt((1.1 - mu / ((lambda + mu) * s)) / s);
        const double stretch[3] = {s, t, t};
        real narrow_stretch[3], stress[3];
        CHECK_NEAR(t, table[i][1], 1e-8);
        CHECK_NEAR(s * t * t, table[i][2], 1e-7);
        narrow(3, stretch, narrow_stretch);
        nb_lane_neo_hookean_stress((real)mu, (real)lambda, narrow_stretch, stress);
        double rounding = 20 * epsilon * lambda;
        CHECK_NEAR(stress[0], table[i][3], 1e-4 + rounding);
        CHECK_NEAR(stress[1], 0, rounding);
        CHECK_NEAR(stress[2], 0, rounding);
    }
}

/* Simple shear of 1/2: energies of both materials. */
TEST(shear_energy_is_known) {
    static const double f[9] = {1, 0.5, 0, 0, 1, 0, 0, 0, 1};
    double mu = nb_material_mu(&known), lambda = nb_material_lambda(&known), square = 0, trace = 0;
    nb_lane_svd svd;
    nb_lane_stretch at;
    real m[9];
    narrow(9, f, m);
    nb_lane_svd_of(m, &svd);
    CHECK_NEAR(nb_lane_neo_hookean_energy((real)mu, (real)lambda, svd.s), 6034.482759, 1e-6 + 20 * epsilon * lambda);
    stretch_at(f, &at);
    for (int k = 0; k < 6; k++) {
        double s = (double)at.s[k] - (k < 3);
        square += (k < 3 ? 1 : 2) * s * s;
        trace += k < 3 ? s : 0;
    }
    CHECK_NEAR(mu * square + lambda / 2 * trace * trace, 4963.577373, 1e-6 + 20 * epsilon * lambda);
}

/* The energy's slope is the stress, whose slope is the stiffness. In double alone: what f32 leaves of second
 * differences says nothing. */
TEST(derivatives_fit_each_other) {
    uint64_t seed = test_seed();
    const double step = cbrt(epsilon), tolerance = 1e3 * step * step;
    for (int i = 0; i < ROUNDS / 4; i++) {
        real mu = 1, lambda = (real)test_random(&seed, -0.5, 5), s[3], stress[3], normal[6], shear[3];
        static const int place[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
        for (int k = 0; k < 3; k++) s[k] = (real)test_random(&seed, -0.5, 2);
        nb_lane_neo_hookean_stress(mu, lambda, s, stress);
        nb_lane_neo_hookean_stiffness(mu, lambda, s, normal, shear);
        for (int k = 0; k < 3; k++) {
            real up[3], down[3], stress_up[3], stress_down[3];
            memcpy(up, s, sizeof up);
            memcpy(down, s, sizeof down);
            up[k] += (real)step;
            down[k] -= (real)step;
            double apart = (double)up[k] - (double)down[k];
            nb_lane_neo_hookean_stress(mu, lambda, up, stress_up);
            nb_lane_neo_hookean_stress(mu, lambda, down, stress_down);
            double slope =
                (double)(nb_lane_neo_hookean_energy(mu, lambda, up) - nb_lane_neo_hookean_energy(mu, lambda, down)) /
                apart;
            CHECK_NEAR(stress[k], slope, tolerance);
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(normal[place[j][k]], (double)(stress_up[j] - stress_down[j]) / apart, tolerance);
            /* shear between two stretches turns their axes: half of the difference quotient of their stresses */
            int a = (k + 1) % 3, b = (k + 2) % 3;
            if (NB_ABS(s[a] - s[b]) > R(0.1))
                CHECK_NEAR(shear[k], (double)((stress[a] - stress[b]) / (s[a] - s[b])) / 2, 1e3 * epsilon);
        }
    }
}

/* the stress of a stretch S in the frame of the rest shape, by the material's six numbers */
static void stress_of(double mu, double lambda, const double stretch[6], double out[6]) {
    const double full[9] = {stretch[0], stretch[5], stretch[4], stretch[5], stretch[1],
                            stretch[3], stretch[4], stretch[3], stretch[2]};
    nb_lane_svd svd;
    real m[9], stress[3], turned[6];
    narrow(9, full, m);
    nb_lane_svd_of(m, &svd);
    nb_lane_neo_hookean_stress((real)mu, (real)lambda, svd.s, stress);
    nb_lane_symmetric(svd.v, stress, turned);
    for (int k = 0; k < 6; k++) out[k] = (double)turned[k];
}

static void full_compliance(const real triangle[21], double out[6][6]) {
    for (int r = 0, e = 0; r < 6; r++)
        for (int c = 0; c <= r; c++, e++) out[r][c] = out[c][r] = (double)triangle[e];
}

/* Where the energy is convex, the compliance in the frame of the rest shape is the inverse of the stress's slope. */
TEST(compliance_inverts_the_stiffness) {
    uint64_t seed = test_seed();
    const double step = cbrt(epsilon), mu = 1, lambda = 3;
    for (int i = 0; i < ROUNDS / 4; i++) {
        double v[9], s[3], stretch[6], slope[6][6], e[6][6];
        nb_lane_svd svd;
        nb_lane_principal at;
        real turned[21], triangle[6], narrow_s[3];
        random_rotation(&seed, v);
        for (int k = 0; k < 3; k++) s[k] = i % 8 ? test_random(&seed, 0.97, 1.03) : 1;
        narrow(9, v, svd.v);
        narrow(3, s, narrow_s);
        nb_lane_symmetric(svd.v, narrow_s, triangle);
        for (int k = 0; k < 6; k++) stretch[k] = (double)triangle[k];
        nb_lane_neo_hookean((real)mu, (real)lambda, narrow_s, &at);
        nb_lane_turned_compliance(svd.v, &at, turned);
        full_compliance(turned, e);
        for (int k = 0; k < 6; k++) {
            double up[6], down[6], stress_up[6], stress_down[6], width = k < 3 ? step : step / 2; /* of a strain */
            memcpy(up, stretch, sizeof up);
            memcpy(down, stretch, sizeof down);
            up[k] += width;
            down[k] -= width;
            stress_of(mu, lambda, up, stress_up);
            stress_of(mu, lambda, down, stress_down);
            for (int r = 0; r < 6; r++) slope[r][k] = (stress_up[r] - stress_down[r]) / (2 * step);
        }
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) {
                double sum = 0;
                for (int k = 0; k < 6; k++) sum += slope[r][k] * e[k][c];
                CHECK_NEAR(sum, r == c, 1e3 * step * step);
            }
    }
}

/* Whatever the stretch, the compliance is positive definite and below 1/C1; the strain is as the stress wants it. */
TEST(compliance_is_bounded) {
    uint64_t seed = test_seed();
    for (int i = 0; i < ROUNDS; i++) {
        double mu = pow(10, test_random(&seed, 0, 9)), lambda = mu * pow(10, test_random(&seed, -2, 3));
        double wide[3], v[9], e[6][6], eigenvalue[6];
        nb_lane_svd svd;
        nb_lane_principal at;
        real s[3], turned[21];
        for (int k = 0; k < 3; k++) wide[k] = test_random(&seed, -1, 3);
        random_rotation(&seed, v);
        narrow(3, wide, s);
        narrow(9, v, svd.v);
        nb_lane_neo_hookean((real)mu, (real)lambda, s, &at);
        nb_lane_turned_compliance(svd.v, &at, turned);
        full_compliance(turned, e);
        /* as a map of stresses: shear counts twice there, and half here */
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) e[r][c] *= (r < 3 ? 1 : M_SQRT1_2) * (c < 3 ? 1 : M_SQRT1_2) * mu;
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 6, e[0], 6, eigenvalue), 0);
        CHECK_BELOW(eigenvalue[5], 2 * (1 + 100 * epsilon));
        CHECK_BELOW(-eigenvalue[0], 10 * epsilon);
    }
}

/* ---- rest shapes ---- */

TEST(rest_shapes_give_the_gradient) {
    uint64_t seed = test_seed();
    for (int i = 0; i < 100; i++) {
        nb_vec3 corner[4], moved[4];
        nb_rest_shape rest;
        double f[9];
        random_matrix(&seed, 2, f);
        for (int a = 0; a < 4; a++) {
            corner[a] = nb_vec3_of(test_random(&seed, 0, 1), test_random(&seed, 0, 1), test_random(&seed, 0, 1));
            corner[a] = nb_add(corner[a], nb_vec3_of(a == 1 ? 2 : 0, a == 2 ? 2 : 0, a == 3 ? (i % 2 ? 2 : -2) : 0));
            moved[a] = nb_vec3_of(f[0] * corner[a].x + f[1] * corner[a].y + f[2] * corner[a].z + 1,
                                  f[3] * corner[a].x + f[4] * corner[a].y + f[5] * corner[a].z - 2,
                                  f[6] * corner[a].x + f[7] * corner[a].y + f[8] * corner[a].z);
        }
        CHECK_OK(nb_rest_shape_of(corner, 0, &rest));
        assert_true(rest.volume > 0);
        CHECK_NEAR(rest.length * rest.length * rest.length, 6 * rest.volume, 1e-13);
        nb_mat3 found = nb_rest_shape_gradient(&rest, moved);
        for (int e = 0; e < 9; e++) CHECK_NEAR(found.m[e / 3][e % 3], f[e], 1e-12);
    }
}

TEST(what_is_none_is_refused) {
    nb_rest_shape rest;
    nb_vec3 flat[4] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    CHECK_FAULT(nb_rest_shape_of(flat, 7, &rest), NB_ERROR_INPUT, "tetrahedron 7 has a volume of 0 m^3");
    flat[3].z += 1e-11;
    CHECK_FAULT(nb_rest_shape_of(flat, 7, &rest), NB_ERROR_INPUT, "tetrahedron 7");
    flat[3].z = 1 + 1e-8;
    CHECK_OK(nb_rest_shape_of(flat, 7, &rest));
    flat[3].z = NAN;
    CHECK_FAULT(nb_rest_shape_of(flat, 7, &rest), NB_ERROR_INPUT, "tetrahedron 7");
    nb_vec3 point[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    CHECK_FAULT(nb_rest_shape_of(point, 0, &rest), NB_ERROR_INPUT, "tetrahedron 0");
    const struct {
        nb_material material;
        const char *word;
    } bad[] = {{{NB_MATERIAL_LINEAR, 0, 0.3, 1}, "material 3: Young's modulus 0"},
               {{NB_MATERIAL_LINEAR, INFINITY, 0.3, 1}, "Young's modulus inf"},
               {{NB_MATERIAL_LINEAR, 1, 0.5, 1}, "Poisson's ratio 0.5"},
               {{NB_MATERIAL_LINEAR, 1, -1, 1}, "Poisson's ratio -1"},
               {{NB_MATERIAL_LINEAR, 1, (double)NAN, 1}, "Poisson's ratio nan"},
               {{NB_MATERIAL_LINEAR, 1, 0.3, -1}, "density -1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAULT(nb_material_check(&bad[i].material, 3), NB_ERROR_INPUT, bad[i].word);
    CHECK_OK(nb_material_check(&known, 0));
}

RUN_TESTS(any_matrix_has_rotations, rows_are_derivatives, rows_are_derivatives_at_the_edge, transposes_are_transposes,
          turns_do_not_count, uniaxial_stress_is_known, shear_energy_is_known, derivatives_fit_each_other,
          compliance_inverts_the_stiffness, compliance_is_bounded, rest_shapes_give_the_gradient,
          what_is_none_is_refused)
