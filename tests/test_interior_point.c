/* The method interior-point on problems from files: random bodies and contacts with singular W, mu from 0 to 2, in two
 * and three dimensions, with and without bilateral rows; problems without a solution; empty ones. The natural map is
 * computed here, from the data. */
#include <string.h>

#include "check.h"
#include "constraint/file_problem.h"
#include "file_run.h"
#include "measure/natural_map.h"
#include "method.h"
#include "method/interior_point/scaled_problem.h"

enum {
    MOST_ROWS = 240,
    MOST_BODIES = 8,
    WORDS = 6 * MOST_BODIES
};

typedef struct problem {
    nb_file_data data;
    nb_csr_f64 w;
    int64_t start[MOST_ROWS + 1];
    int32_t column[MOST_ROWS * MOST_ROWS];
    double value[MOST_ROWS * MOST_ROWS], q[MOST_ROWS], mu[MOST_ROWS], h[MOST_ROWS][WORDS];
} problem;

/* W = H H^T by compressed rows */
static void multiply_out(problem *p) {
    int rows = nb_file_data_rows(&p->data);
    int64_t used = 0;
    for (int i = 0; i < rows; i++) {
        p->start[i] = used;
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int k = 0; k < WORDS; k++) sum += p->h[i][k] * p->h[j][k];
            if (sum == 0) continue;
            p->column[used] = j;
            p->value[used++] = sum;
        }
    }
    p->start[rows] = used;
}

/* W = H H^T and q = H v + w of `contacts` contacts, a fifth of them repeated, and `bilaterals` rows; among the bodies
 * of one of so many islands each */
static void make_islands(uint64_t *random, int dimension, int bilaterals, int contacts, double most_mu, int islands,
                         problem *p) {
    int rows = bilaterals + dimension * contacts;
    double v[WORDS];
    assert_true(rows <= MOST_ROWS);
    memset(p->h, 0, sizeof p->h);
    for (int k = 0; k < WORDS; k++) v[k] = test_random(random, -1, 1);
    for (int block = 0; block < bilaterals + contacts; block++) {
        int first = block < bilaterals ? block : bilaterals + dimension * (block - bilaterals);
        int size = block < bilaterals ? 1 : dimension;
        uint64_t bodies = (uint64_t)(MOST_BODIES / islands);
        int low = islands > 1 ? (int)(bodies * (test_random_bits(random) % (uint64_t)islands)) : 0;
        int a = low + (int)(test_random_bits(random) % bodies), b = low + (int)(test_random_bits(random) % bodies);
        int repeated = block > bilaterals && test_random_bits(random) % 5 == 0;
        for (int r = first; r < first + size; r++) {
            for (int k = 0; k < 6 && !repeated; k++) {
                p->h[r][6 * a + k] = test_random(random, -1, 1);
                if (b != a) p->h[r][6 * b + k] = test_random(random, -1, 1);
            }
            if (repeated) memcpy(p->h[r], p->h[r - size], sizeof p->h[r]);
        }
    }
    for (int i = 0; i < rows; i++) {
        p->q[i] = 0;
        for (int k = 0; k < WORDS; k++) p->q[i] += p->h[i][k] * v[k];
    }
    for (int i = 0; i < contacts; i++)
        p->mu[i] = test_random_bits(random) % 4 == 0 ? 0 : test_random(random, 0, most_mu);
    p->w = (nb_csr_f64){.rows = rows, .columns = rows, .start = p->start, .column = p->column, .value = p->value};
    p->data = (nb_file_data){dimension, bilaterals, contacts, &p->w, p->q, p->mu, NB_FRICTION_COULOMB, NULL, 0};
    multiply_out(p);
}

static void make_random(uint64_t *random, int dimension, int bilaterals, int contacts, double most_mu, problem *p) {
    make_islands(random, dimension, bilaterals, contacts, most_mu, 1, p);
}

typedef struct solution {
    nb_step_outcome outcome;
    nb_natural_map map;
    double z[MOST_ROWS];
} solution;

/* to an error of the harness's own, and to one relative to ||q|| */
static void solve_to(const nb_file_data *data, double own, double tolerance, const nb_observer *observer, solution *s) {
    const nb_method_settings settings = {.newton_tolerance = own, .relative_tolerance = tolerance};
    double u[MOST_ROWS];
    solve_file_data("interior-point", settings, data, observer, &s->outcome, s->z);
    nb_natural_map_compute(data, s->z, u, &s->map);
}

static void solve(const nb_file_data *data, double tolerance, const nb_observer *observer, solution *s) {
    solve_to(data, 0, tolerance, observer, s);
}

/* all of them are feasible: the velocities v that make q are away from nothing, but -v undoes them */
TEST(random_problems_are_solved) {
    static problem p;
    static solution s;
    const uint64_t seed = 77;
    uint64_t random = seed;
    for (int i = 0; i < 300; i++) {
        int dimension = 2 + i % 2, bilaterals = (int)(test_random_bits(&random) % 7);
        int contacts = 1 + (int)(test_random_bits(&random) % 30);
        make_random(&random, dimension, bilaterals, contacts, i % 3 == 0 ? 2 : 1, &p);
        solve(&p.data, 1e-8, NULL, &s);
        if (s.outcome.reason != NB_REASON_CONVERGED)
            fail_msg("seed %d, problem %d: %d contacts in %dD, %d bilaterals: %s at %g", (int)seed, i, contacts,
                     dimension, bilaterals, nb_reason_name(s.outcome.reason), s.map.relative);
        CHECK_BELOW(s.map.relative, 1e-8);
        CHECK_NEAR(s.map.relative, s.outcome.errors.file.relative, 1e-12);
    }
}

/* The two measures do not fall together: the point that is left behind must meet what its flag says. */
TEST(flags_speak_of_the_point_left) {
    static problem p;
    static solution s;
    const uint64_t seed = 81;
    uint64_t random = seed;
    for (int i = 0; i < 200; i++) {
        double own = pow(10, test_random(&random, -6, 0)), relative = pow(10, test_random(&random, -6, 0));
        make_random(&random, 3, i % 3, 1 + (int)(test_random_bits(&random) % 20), 1, &p);
        if (i % 2 == 0) relative = 0;
        solve_to(&p.data, own, relative, NULL, &s);
        if (s.outcome.reason != NB_REASON_CONVERGED || s.outcome.errors.natural_map > own ||
            (relative > 0 && s.map.relative > relative))
            fail_msg("seed %d, problem %d: %s at %g of %g, %g of %g", (int)seed, i, nb_reason_name(s.outcome.reason),
                     s.outcome.errors.natural_map, own, s.map.relative, relative);
    }
}

/* Two contacts that press one body from opposite sides and both close in: no velocity meets both. Their mu is the same,
 * and the rest of the problem is random. */
TEST(pressed_bodies_have_a_certificate) {
    static problem p;
    static solution s;
    uint64_t random = 78;
    for (int i = 0; i < 100; i++) {
        int dimension = 2 + i % 2, bilaterals = i % 4, contacts = 2 + (int)(test_random_bits(&random) % 20);
        make_random(&random, dimension, bilaterals, contacts, 1, &p);
        int last = bilaterals + dimension * (contacts - 1);
        for (int k = 0; k < dimension; k++) {
            memcpy(p.h[last + k], p.h[last - dimension + k], sizeof p.h[last]);
            for (int w = 0; w < WORDS; w++) p.h[last + k][w] *= -1;
            p.q[last + k] = -p.q[last - dimension + k];
        }
        p.q[last] -= pow(10, test_random(&random, -2, 1));
        multiply_out(&p);
        solve(&p.data, 1e-8, NULL, &s);
        if (s.outcome.reason != NB_REASON_INFEASIBLE)
            fail_msg("problem %d: %s at %g", i, nb_reason_name(s.outcome.reason), s.map.relative);
        assert_true(s.map.relative > 1e-4); /* and its best point is no solution */
    }
}

/* A contact that closes in and whose bodies no impulse moves: one beyond 1/eps must not hide its velocity. */
TEST(contacts_without_mobility_have_a_certificate) {
    static int64_t start[] = {0, 1, 2, 3, 3, 3, 3};
    static int32_t column[] = {0, 1, 2};
    static double value[] = {1, 1, 1};
    static const double mu[] = {0.5, 0.5};
    for (int i = 0; i < 2; i++) {
        const double q[] = {-1, 0.5, 0, i == 0 ? -1 : 1, 0.5, 0};
        const nb_csr_f64 w = {.rows = 6, .columns = 6, .start = start, .column = column, .value = value};
        nb_file_data data = {3, 0, 2, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
        solution s;
        solve(&data, 1e-8, NULL, &s);
        assert_int_equal(s.outcome.reason, i == 0 ? NB_REASON_INFEASIBLE : NB_REASON_CONVERGED);
        assert_true(i == 0 ? s.map.relative > 1e-4 : s.map.relative <= 1e-8);
    }
}

/* W = 1 but for the coupling -(1 - delta) of the normals: a solution has impulses of 1/delta, and there is one. */
TEST(large_impulses_are_no_certificate) {
    static int64_t start[] = {0, 2, 3, 4, 6, 7, 8};
    static int32_t column[] = {0, 3, 1, 2, 0, 3, 4, 5};
    static const double mu[] = {0.5, 0.7}, q[] = {-1, 0.3, 0.1, -1, -0.2, 0.4};
    for (int digits = 3; digits <= 9; digits++) {
        const double b = -1 + pow(10, -digits);
        double value[] = {1, b, 1, 1, b, 1, 1, 1};
        const nb_csr_f64 w = {.rows = 6, .columns = 6, .start = start, .column = column, .value = value};
        nb_file_data data = {3, 0, 2, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
        solution s;
        solve(&data, 1e-6, NULL, &s);
        assert_int_not_equal(s.outcome.reason, NB_REASON_INFEASIBLE);
        /* where impulses of 1/delta round, it takes the certificate's trial and more; velocities that they make are
         * known to no more than eps of 2/delta, and |q| is 1.5: what that leaves is no convergence */
        const double known = 2 * 2.3e-16 * pow(10, digits);
        solve(&data, 1e-8 + known, NULL, &s);
        assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
        CHECK_BELOW(s.map.relative, 1e-8 + known);
        if (digits < 9) continue;
        solve(&data, 1e-8, NULL, &s);
        assert_int_not_equal(s.outcome.reason, NB_REASON_CONVERGED);
        assert_int_not_equal(s.outcome.reason, NB_REASON_INFEASIBLE);
    }
}

/* Two contacts that press one body from nearly opposite sides. H has full row rank, so that some velocity opens all
 * contacts however they slide: there is a solution, of impulses up to 1/condition. It may be missed, not denied. */
TEST(nearly_opposite_contacts_are_not_called_infeasible) {
    static problem p;
    static solution s;
    const uint64_t seed = 82;
    int too_long = 0;
    uint64_t random = seed;
    for (int i = 0; i < 40; i++) {
        int contacts = 2 + (int)(test_random_bits(&random) % 8), rows = 3 * contacts;
        double away = pow(10, -test_random(&random, 3, 5)); /* W has a condition of its square */
        make_random(&random, 3, 0, contacts, 1, &p);
        for (int r = 0; r < rows; r++) {
            for (int k = 0; k < WORDS; k++) p.h[r][k] = test_random(&random, -1, 1);
            for (int k = 0; k < WORDS && r >= rows - 3; k++) p.h[r][k] = away * p.h[r][k] - p.h[r - 3][k];
            p.q[r] = test_random(&random, -1, 1);
        }
        p.q[rows - 6] = p.q[rows - 3] = -1;
        multiply_out(&p);
        solve(&p.data, 1e-8, NULL, &s);
        if (s.outcome.reason == NB_REASON_INFEASIBLE)
            fail_msg("seed %d, problem %d: %d contacts, %g away, at %g", (int)seed, i, contacts, away, s.map.relative);
        /* one that gets nowhere ends after five interior points (some 20 each) and proximal points (60 each, a run of
         * 15 more), not after their whole budgets (3100), unless a try seems to get somewhere by the problem's own map
         */
        too_long += s.map.relative > 0.3 && s.outcome.newton_iterations >= 600;
    }
    CHECK_BELOW(too_long, 2);
}

/* a block between walls that stand still is no such problem: there is a solution, with any pressure */
TEST(walls_that_touch_are_feasible) {
    static problem p;
    static solution s;
    uint64_t random = 79;
    for (int i = 0; i < 50; i++) {
        make_random(&random, 3, 0, 2, 1, &p);
        for (int k = 0; k < 3; k++) {
            for (int w = 0; w < WORDS; w++) p.h[3 + k][w] = -p.h[k][w];
            p.q[3 + k] = -p.q[k];
        }
        multiply_out(&p);
        solve(&p.data, 1e-10, NULL, &s);
        assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
        CHECK_BELOW(s.map.relative, 1e-10);
    }
}

static int64_t one_start[] = {0, 2, 4, 5};
static int32_t one_column[] = {0, 1, 0, 1, 2};
static double one_value[] = {1, 0.5, 0.5, 2, 2};
static const double one_q[] = {-1, 0.2, 0};

/* W r + q = 0 sticks at mu = 0.5; at 0.2 it slides, r_T = -0.2 r_N; without friction r_N = 1 */
TEST(one_contact_sticks_or_slides) {
    const double mus[] = {0.5, 0.2, 0}, known[][3] = {{1.2, -0.4, 0}, {1 / 0.9, -0.2 / 0.9, 0}, {1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        const nb_csr_f64 w = {.rows = 3, .columns = 3, .start = one_start, .column = one_column, .value = one_value};
        nb_file_data data = {3, 0, 1, &w, one_q, &mus[i], NB_FRICTION_COULOMB, NULL, 0};
        solution s;
        solve(&data, 1e-13, NULL, &s);
        assert_true(nb_reason_converged(s.outcome.reason));
        for (int k = 0; k < 3; k++) CHECK_NEAR(s.z[k], known[i][k], 1e-11); /* tolerance times a condition of 10 */
    }
}

/* nothing to do: no rows, bilateral rows alone, contacts that do not close */
TEST(easy_problems_take_few_iterations) {
    static problem p;
    static solution s;
    uint64_t random = 80;
    int64_t nothing[] = {0};
    const nb_csr_f64 w = {.rows = 0, .columns = 0, .start = nothing, .column = NULL, .value = NULL};
    nb_file_data empty = {3, 0, 0, &w, NULL, NULL, NB_FRICTION_COULOMB, NULL, 0};
    solve(&empty, 1e-10, NULL, &s);
    assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
    assert_int_equal(s.outcome.newton_iterations, 0);
    make_random(&random, 3, 5, 0, 1, &p);
    solve(&p.data, 1e-12, NULL, &s);
    assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
    assert_true(s.outcome.newton_iterations <= 2);
    make_random(&random, 3, 0, 5, 1, &p);
    for (int r = 0; r < 15; r++) p.q[r] = r % 3 == 0;
    solve(&p.data, 1e-10, NULL, &s);
    assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
    for (int r = 0; r < 15; r++) CHECK_NEAR(s.z[r], 0, 1e-10);
}

/* two problems side by side, of very different size, are solved as well as each alone */
TEST(unconnected_parts) {
    int64_t start[7];
    int32_t column[10];
    double value[10], q[6], mu[] = {0.2, 0.5};
    for (int i = 0; i < 6; i++) {
        start[i] = one_start[i % 3] + (i < 3 ? 0 : 5);
        q[i] = one_q[i % 3] * (i < 3 ? 1 : 1e-3);
    }
    start[6] = 10;
    for (int k = 0; k < 10; k++) {
        column[k] = one_column[k % 5] + (k < 5 ? 0 : 3);
        value[k] = one_value[k % 5] * (k < 5 ? 1 : 1e3);
    }
    const nb_csr_f64 w = {.rows = 6, .columns = 6, .start = start, .column = column, .value = value};
    nb_file_data data = {3, 0, 2, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
    solution s;
    solve(&data, 1e-12, NULL, &s);
    assert_true(nb_reason_converged(s.outcome.reason));
    CHECK_NEAR(s.z[0], 1 / 0.9, 1e-10);
    CHECK_NEAR(s.z[3], 1.2e-6, 1e-11); /* |q| is the other part's */
}

/* what the observer is told */
typedef struct heard {
    int iterations, last_solved, phases[NB_PHASE_ISLAND_LOOP + 1];
    double last_error, factorisations;
} heard;

static double told(const nb_newton_report *report, const char *column) {
    const nb_method_class *method;
    CHECK_OK(nb_method_find("interior-point", &method));
    const nb_columns own = {method->columns, method->column_count, NULL};
    int place = nb_columns_find(&own, column);
    assert_true(place >= 0);
    return report->values[place];
}

static nb_status hear(void *context, const nb_newton_report *report) {
    heard *h = context;
    h->last_solved = report->solved;
    h->last_error = report->file_error;
    if (!report->solved) return NB_OK;
    h->iterations++;
    const int phase = (int)told(report, "phase");
    const double length = told(report, "step_length"), centring = told(report, "centring");
    const double theta = told(report, "theta"), tau = told(report, "tau");
    h->phases[phase]++;
    h->factorisations += told(report, "factorisations");
    assert_true(length >= 0 && length <= 1);
    if (phase == NB_PHASE_INTERIOR_POINT) {
        assert_true(centring >= 0 && centring <= 1);
        assert_true(theta >= 0.5 && theta <= 1);
        assert_true(tau > 0);
    } else {
        assert_true(isnan(tau));
    }
    return NB_OK;
}

TEST(every_iteration_is_told) {
    static problem p;
    static solution s;
    uint64_t random = 81;
    heard h = {0};
    const nb_observer observer = {.context = &h, .newton = hear};
    make_random(&random, 3, 2, 25, 1, &p);
    solve(&p.data, 1e-11, &observer, &s);
    assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
    assert_int_equal(h.iterations, s.outcome.newton_iterations);
    CHECK_NEAR(h.factorisations, h.iterations, 0);
    assert_true(h.phases[NB_PHASE_INTERIOR_POINT] > 2 && h.phases[NB_PHASE_SEMISMOOTH] > 0);
    assert_int_equal(h.last_solved, 0);
    CHECK_NEAR(h.last_error, s.map.relative, 1e-14);
    assert_true(s.outcome.operator_applications >= s.outcome.newton_iterations);
}

/* Islands are solved apart: an iteration is one of each that is not solved yet, and a factorisation counts by its rows.
 */
TEST(islands_are_solved_apart) {
    static problem p;
    static solution s;
    const uint64_t seed = 83;
    uint64_t random = seed;
    double shares = 0, iterations = 0;
    for (int i = 0; i < 40; i++) {
        int dimension = 2 + i % 2, contacts = 66 + (int)(test_random_bits(&random) % 10);
        heard h = {0};
        const nb_observer observer = {.context = &h, .newton = hear};
        make_islands(&random, dimension, i % 4, contacts, i % 3 == 0 ? 2 : 1, 2 + i % 3, &p);
        solve(&p.data, 1e-8, &observer, &s);
        if (s.outcome.reason != NB_REASON_CONVERGED)
            fail_msg("seed %d, problem %d: %s at %g", (int)seed, i, nb_reason_name(s.outcome.reason), s.map.relative);
        CHECK_BELOW(s.map.relative, 1e-8);
        CHECK_NEAR(s.map.relative, s.outcome.errors.file.relative, 1e-12);
        CHECK_NEAR(h.last_error, s.map.relative, 1e-14);
        assert_int_equal(h.iterations, s.outcome.newton_iterations);
        assert_true(h.factorisations > 0 && h.factorisations <= h.iterations + 1e-9);
        shares += h.factorisations;
        iterations += h.iterations;
    }
    CHECK_BELOW(shares, 0.95 * iterations); /* not all take as many */
    /* one of them has no solution: two contacts press the last body, which no other touches, from opposite sides */
    make_islands(&random, 3, 0, 70, 1, 3, &p);
    for (int side = 0; side < 2; side++) {
        double *q = p.q + 3 * (68 + side), normal[WORDS] = {0};
        normal[WORDS - 6] = side == 0 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            memset(p.h[3 * (68 + side) + k], 0, sizeof p.h[0]);
            p.h[3 * (68 + side) + k][WORDS - 6 + k] = 1;
            q[k] = k == 0 ? -1 : 0;
        }
        memcpy(p.h[3 * (68 + side)], normal, sizeof normal);
        p.mu[68 + side] = 0.5;
    }
    multiply_out(&p);
    solve(&p.data, 1e-8, NULL, &s);
    assert_int_equal(s.outcome.reason, NB_REASON_INFEASIBLE);
}

/* without a tolerance it ends at round-off, and says so */
TEST(it_ends_at_round_off) {
    static problem p;
    static solution s;
    uint64_t random = 82;
    for (int i = 0; i < 20; i++) {
        make_random(&random, 3, 0, 15, 1, &p);
        solve(&p.data, 0, NULL, &s);
        assert_true(s.outcome.reason == NB_REASON_ROUND_OFF);
        CHECK_BELOW(s.map.relative, 1e-12);
    }
}

RUN_TESTS(random_problems_are_solved, flags_speak_of_the_point_left, pressed_bodies_have_a_certificate,
          contacts_without_mobility_have_a_certificate, large_impulses_are_no_certificate,
          nearly_opposite_contacts_are_not_called_infeasible, walls_that_touch_are_feasible,
          one_contact_sticks_or_slides, easy_problems_take_few_iterations, unconnected_parts, every_iteration_is_told,
          islands_are_solved_apart, it_ends_at_round_off)
