/* The preconditioner `factor`: the inverse of A, and when it makes a new one. */
#include "preconditioner_variants.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {3, 40, 500};
enum {
    SEEDS = sizeof seeds / sizeof *seeds
};

/* the largest entry of A P - 1 */
static double inverse_error(random_system *t, const applied *a) {
    double worst = 0;
    dense_of_system(t);
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++) {
            double sum = 0;
            for (int k = 0; k < t->rows; k++) sum += t->dense[i][k] * a->p[k][j];
            worst = fmax(worst, fabs(sum - (i == j)));
        }
    return worst;
}

/* round-off of the factor and of the application, magnified by the condition of A */
TEST(test_inverse) {
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        applied a;
        uint64_t state = seeds[n];
        const variant v = variant_named("factor", "refresh", "each");
        random_system_create(&state, 0, 0.5, &t);
        apply_to(&v, &t, &a);
        const double condition = largest_row_sum(t.rows, t.dense) * a.largest, error = inverse_error(&t, &a);
        print_message("  seed %d: off by %.2g, condition %.2g\n", (int)seeds[n], error, condition);
        CHECK_BELOW(error, 8 * t.rows * condition * epsilon);
        a.type->destroy(a.state);
        random_system_destroy(&t);
    }
}

/* other values, as a Newton iteration brings them, and set-up: whether there is a new factor */
static int refactors(random_system *t, applied *a, int factor) {
    for (int i = 0; i < t->rows; i++) t->system->c[i] = (real)(factor * (1 + i));
    nb_system_values_changed(t->system);
    refresh(a, t);
    return a->type->factorised(a->state);
}

/* each: always; step: with a new pattern; auto: once iterations are more than twice those of the first solve */
TEST(test_refresh) {
    static const struct {
        const char *name;
        int32_t iterations[4]; /* of the solves between */
        int made[4];           /* expected after them */
    } kinds[] = {{"each", {3, 3, 3, 3}, {1, 1, 1, 1}},
                 {"step", {3, 90, 90, 90}, {0, 0, 0, 0}},
                 {"auto", {3, 6, 7, 2}, {0, 0, 1, 0}}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        random_system t;
        applied a;
        uint64_t state = 11;
        const variant v = variant_named("factor", "refresh", kinds[k].name);
        random_system_create(&state, 0, 0.5, &t);
        apply_to(&v, &t, &a);
        for (int n = 0; n < 4; n++) {
            a.type->solved(a.state, kinds[k].iterations[n]);
            const int made = refactors(&t, &a, n + 1);
            print_message("  %s after %d iterations: %s factor\n", kinds[k].name, (int)kinds[k].iterations[n],
                          made ? "a new" : "the old");
            assert_int_equal(made, kinds[k].made[n]);
            assert_true(made == (inverse_error(&t, &a) < 0.01));
        }
        CHECK_OK(a.type->set_up_pattern(a.state, t.system));
        assert_true(refactors(&t, &a, 7));
        assert_true(inverse_error(&t, &a) < 0.01);
        a.type->destroy(a.state);
        random_system_destroy(&t);
    }
}

/* A kept factor is of one system, and not of a later one at its address, whose pattern has changed more often. */
TEST(test_another_system) {
    const variant v = variant_named("factor", "refresh", "step");
    random_system t, later;
    applied a;
    uint64_t state = 12;
    random_system_create(&state, 0, 0.5, &t);
    random_system_create(&state, 0, 0.5, &later);
    apply_to(&v, &t, &a);
    nb_system *address = t.system, *other = later.system, first = *address;
    *address = *other;
    later.system = address;
    nb_system_pattern_changed(address);
    CHECK_OK(a.type->set_up_pattern(a.state, address));
    refresh(&a, &later);
    assert_true(a.type->factorised(a.state));
    CHECK_BELOW(inverse_error(&later, &a), 0.01);
    a.type->destroy(a.state);
    *other = *address;
    *address = first;
    later.system = other;
    random_system_destroy(&t);
    random_system_destroy(&later);
}

/* no shift below 100 helps [1 200; 200 1] */
TEST(test_gives_up) {
    random_system t;
    applied a;
    double dense[MOST][MOST] = {{1, 200}, {200, 1}};
    const variant v = variant_named("factor", "refresh", "each");
    system_of_dense(2, dense, 0, NULL, 0, NULL, &t);
    apply_to(&v, &t, &a);
    assert_int_equal(a.reason, NB_REASON_NOT_POSITIVE_DEFINITE);
    a.type->destroy(a.state);
    random_system_destroy(&t);
}

RUN_TESTS(test_inverse, test_refresh, test_another_system, test_gives_up)
