/* Vectors, quaternions and 3 x 3 matrices: identities on random instances, and derivatives against differences. */
#include "base/vec3.h"

#include "check.h"

enum {
    INSTANCES = 200
};
static const uint64_t seed = 20190607;
/* a dozen operations on numbers of order one */
static const double round_off = 1e-14;

static nb_vec3 random_vector(uint64_t *state) {
    double x = test_random(state, -1, 1), y = test_random(state, -1, 1), z = test_random(state, -1, 1);
    return nb_vec3_of(x, y, z);
}

static nb_quat random_quat(uint64_t *state) {
    double w = test_random(state, -1, 1);
    nb_vec3 v = random_vector(state);
    return nb_quat_normalized((nb_quat){w, v.x, v.y, v.z});
}

static nb_mat3 random_matrix(uint64_t *state) {
    nb_mat3 a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] = test_random(state, -1, 1) + (i == j ? 3 : 0);
    return a;
}

static void check_vectors(nb_vec3 a, nb_vec3 b, double tolerance) {
    CHECK_NEAR(a.x, b.x, tolerance);
    CHECK_NEAR(a.y, b.y, tolerance);
    CHECK_NEAR(a.z, b.z, tolerance);
}

static void check_matrices(const nb_mat3 *a, const nb_mat3 *b, double tolerance) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) CHECK_NEAR(a->m[i][j], b->m[i][j], tolerance);
}

TEST(test_products) {
    uint64_t state = seed;
    check_vectors(nb_cross(nb_vec3_of(1, 0, 0), nb_vec3_of(0, 1, 0)), nb_vec3_of(0, 0, 1), 0);
    for (int i = 0; i < INSTANCES; i++) {
        nb_vec3 a = random_vector(&state), b = random_vector(&state), c = nb_cross(a, b);
        CHECK_NEAR(nb_dot(a, c), 0, round_off);
        CHECK_NEAR(nb_dot(b, c), 0, round_off);
        /* Lagrange: |a x b|^2 = |a|^2 |b|^2 - (a.b)^2 */
        CHECK_NEAR(nb_dot(c, c), nb_dot(a, a) * nb_dot(b, b) - nb_dot(a, b) * nb_dot(a, b), round_off);
        CHECK_NEAR(nb_norm(nb_normalized(a)), 1, round_off);
        check_vectors(nb_add_scaled(a, 2, b), nb_add(a, nb_scale(2, b)), round_off);
        check_vectors(nb_sub(nb_add(a, b), b), a, round_off);
    }
    check_vectors(nb_normalized(nb_vec3_of(0, 0, 0)), nb_vec3_of(0, 0, 0), 0);
}

TEST(test_tangents_are_a_right_handed_frame) {
    uint64_t state = seed;
    static const nb_vec3 axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < INSTANCES; i++) {
        nb_vec3 n = i < 6 ? axes[i] : nb_normalized(random_vector(&state)), t1, t2;
        nb_tangents(n, &t1, &t2);
        CHECK_NEAR(nb_norm(t1), 1, round_off);
        CHECK_NEAR(nb_norm(t2), 1, round_off);
        CHECK_NEAR(nb_dot(n, t1), 0, round_off);
        CHECK_NEAR(nb_dot(n, t2), 0, round_off);
        check_vectors(nb_cross(n, t1), t2, round_off);
        check_vectors(nb_cross(t1, t2), n, round_off);
    }
}

TEST(test_quaternion_turns_as_its_matrix) {
    uint64_t state = seed;
    for (int i = 0; i < INSTANCES; i++) {
        nb_quat p = random_quat(&state), q = random_quat(&state);
        nb_vec3 a = random_vector(&state);
        nb_mat3 r = nb_quat_matrix(q), t = nb_mat3_transposed(&r), identity = nb_quat_matrix(nb_quat_identity());
        nb_mat3 product = nb_mat3_product(&r, &t);
        check_matrices(&product, &identity, round_off);
        check_vectors(nb_quat_rotate(q, a), nb_mat3_apply(&r, a), round_off);
        check_vectors(nb_quat_rotate(nb_quat_conjugate(q), nb_quat_rotate(q, a)), a, round_off);
        check_vectors(nb_quat_rotate(nb_quat_product(p, q), a), nb_quat_rotate(p, nb_quat_rotate(q, a)), round_off);
    }
    /* a quarter turn about z takes x to y */
    nb_quat quarter = nb_quat_about(nb_vec3_of(0, 0, 1), acos(0));
    check_vectors(nb_quat_rotate(quarter, nb_vec3_of(1, 0, 0)), nb_vec3_of(0, 1, 0), round_off);
}

/* d/dh R(q advanced by h omega) a = omega x (R a) at h = 0: central differences, error of order h^2 = 1e-10 */
TEST(test_advance_has_the_angular_velocity) {
    uint64_t state = seed;
    const double h = 1e-5;
    for (int i = 0; i < INSTANCES; i++) {
        nb_quat q = random_quat(&state);
        nb_vec3 omega = random_vector(&state), a = random_vector(&state);
        nb_vec3 forth = nb_quat_rotate(nb_quat_advance(q, h, omega), a);
        nb_vec3 back = nb_quat_rotate(nb_quat_advance(q, -h, omega), a);
        nb_vec3 rate = nb_scale(0.5 / h, nb_sub(forth, back));
        check_vectors(rate, nb_cross(omega, nb_quat_rotate(q, a)), 1e-9);
    }
}

/* advancing turns by 2 atan(h |omega|/2) about omega: the normalised first-order step, in closed form */
TEST(test_advance_turns_about_omega) {
    uint64_t state = seed;
    for (int i = 0; i < INSTANCES; i++) {
        nb_quat q = random_quat(&state);
        nb_vec3 omega = random_vector(&state);
        double h = test_random(&state, 0, 3);
        nb_quat turn = nb_quat_about(nb_normalized(omega), 2 * atan(0.5 * h * nb_norm(omega)));
        nb_quat expected = nb_quat_product(turn, q), actual = nb_quat_advance(q, h, omega);
        CHECK_NEAR(actual.w, expected.w, round_off);
        CHECK_NEAR(actual.x, expected.x, round_off);
        CHECK_NEAR(actual.y, expected.y, round_off);
        CHECK_NEAR(actual.z, expected.z, round_off);
    }
}

TEST(test_matrices) {
    uint64_t state = seed;
    nb_mat3 identity = nb_quat_matrix(nb_quat_identity());
    for (int i = 0; i < INSTANCES; i++) {
        nb_mat3 a = random_matrix(&state), b = random_matrix(&state), inverse = nb_mat3_inverse(&a);
        nb_mat3 left = nb_mat3_product(&inverse, &a), right = nb_mat3_product(&a, &inverse);
        /* the matrices are diagonally dominant: condition below 10 */
        check_matrices(&left, &identity, 10 * round_off);
        check_matrices(&right, &identity, 10 * round_off);
        nb_mat3 ab = nb_mat3_product(&a, &b);
        nb_vec3 x = random_vector(&state);
        check_vectors(nb_mat3_apply(&ab, x), nb_mat3_apply(&a, nb_mat3_apply(&b, x)), 10 * round_off);
    }
}

/* a rotated inertia tensor gives the same quadratic form in turned coordinates */
TEST(test_rotated_tensor) {
    uint64_t state = seed;
    const nb_mat3 d = {{{2, 0, 0}, {0, 3, 0}, {0, 0, 5}}};
    for (int i = 0; i < INSTANCES; i++) {
        nb_quat q = random_quat(&state);
        nb_vec3 x = random_vector(&state), y = nb_quat_rotate(q, x);
        nb_mat3 world = nb_mat3_rotated(q, &d);
        CHECK_NEAR(nb_dot(y, nb_mat3_apply(&world, y)), nb_dot(x, nb_mat3_apply(&d, x)), 10 * round_off);
    }
}

int main(void) {
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_tangents_are_a_right_handed_frame),
        cmocka_unit_test(test_quaternion_turns_as_its_matrix),
        cmocka_unit_test(test_advance_has_the_angular_velocity),
        cmocka_unit_test(test_advance_turns_about_omega),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_rotated_tensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
