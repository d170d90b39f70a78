/* What is called infeasible or wedged is so, in both precisions: a scene or a file's problem has a certificate where
 * normal impulses balance to round-off, and none where they only nearly do, however hard it is. Interior points that
 * look on near the best iterate start where they should. */
#include <string.h>

#include "../scenarios/common.h"
#include "base/memory.h"
#include "check.h"
#include "constraint/file_problem.h"
#include "method/interior_point/cases.h"
#include "method/interior_point/certificate.h"
#include "method/interior_point/interior_step.h"
#include "run/resolve.h"
#include "scenario_run.h"
#include "step/stepper.h"

typedef struct bench {
    nb_request request;
    const nb_stepper_class *type;
    void *stepper;
    nb_step_outcome outcome;
    nb_step_counts counts;
} bench;

static bench *bench_create(const char *precision, const char *linear_solver) {
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    nb_request_standard(&b->request);
    strcpy(b->request.info.scenario, "heavy-stack");
    strcpy(b->request.info.method, "interior-point");
    strcpy(b->request.info.linear_solver, linear_solver);
    strcpy(b->request.info.precision, precision);
    strcpy(b->request.info.preconditioner, strcmp(linear_solver, "gmres") == 0 ? "lu" : "none");
    b->request.info.newton_iterations = 1000; /* a wedge is believed after some 700, a certificate after 200 */
    b->request.info.linear_iterations = 100;
    CHECK_OK(nb_simulate_prepare(&b->request));
    nb_method_settings settings = nb_request_settings(&b->request);
    b->type = b->request.choices.f32 ? &nb_stepper_f32 : &nb_stepper_f64;
    CHECK_OK(b->type->create("interior-point", &settings, &b->stepper));
    return b;
}

static nb_reason bench_destroy(bench *b) {
    nb_reason reason = b->outcome.reason;
    b->type->destroy(b->stepper);
    nb_free(b->request.info.parameters);
    free(b);
    return reason;
}

/* a step of the world, which is destroyed; *error is the natural map that is left [m/s] (NULL: not asked for) */
static nb_reason step(const char *precision, nb_world *world, double *error) {
    const double h = 0.01;
    bench *b = bench_create(precision, "gmres");
    nb_contacts *contacts;
    nb_measure *measure;
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_measure_create(&measure));
    CHECK_OK(nb_contacts_detect(world, h, contacts));
    CHECK_OK(b->type->begin(b->stepper, world, contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(b->type->step(b->stepper, world, contacts, h, 0, measure, NULL, &b->outcome, &b->counts, NULL));
    if (error) *error = b->outcome.errors.natural_map;
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
    return bench_destroy(b);
}

/* A stack of unit boxes, each `ratio` times as heavy as the one below; `lid`: under a fixed box that is `deep` in the
 * uppermost, so that the two would have to part in less than no time. */
static nb_world *stack(int count, double ratio, int lid, double deep) {
    nb_world *world;
    int32_t box, body;
    double mass = 8;
    CHECK_OK(nb_world_create(&world));
    world->settings.contact_margin = 0.01;
    CHECK_OK(nb_add_ground(world, 0.5, nb_quat_identity(), &body));
    CHECK_OK(nb_add_box_shape(world, nb_vec3_of(0.5, 0.5, 0.5), &box));
    for (int i = 0; i < count + lid; i++, mass *= ratio)
        CHECK_OK(nb_world_add_solid(world, i < count ? NB_BODY_DYNAMIC : NB_BODY_FIXED, box, mass, 0.5,
                                    nb_vec3_of(0, 0, i + 0.5 - (i < count ? 0 : deep)), nb_quat_identity(), &body));
    return world;
}

static const char *const precisions[] = {"f32", "f64"};

TEST(no_stack_is_infeasible) {
    const int counts[] = {2, 8, 10, 12, 14};
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 5; i++) {
            nb_reason reason = step(precisions[p], stack(counts[i], 8, 0, 0), NULL);
            if (reason == NB_REASON_INFEASIBLE) fail_msg("%d boxes in %s", counts[i], precisions[p]);
            if (i == 0) assert_int_equal(reason, NB_REASON_ROUND_OFF);
        }
}

/* What ends at round-off has half the digits of the precision: of what stands in the rows, at most some h g, the
 * velocity that gravity gives. */
TEST(round_off_is_small) {
    for (int p = 0; p < 2; p++)
        for (int count = 2; count <= 8; count++) {
            double error, least = 2 * sqrt(p == 0 ? 1.2e-7 : 2.2e-16) * 0.01 * 9.81;
            nb_reason reason = step(precisions[p], stack(count, 8, 0, 0), &error);
            if (nb_reason_converged(reason) && !(error <= least))
                fail_msg("%d boxes in %s: %s at %g m/s", count, precisions[p], nb_reason_name(reason), error);
            if (count <= (p == 0 ? 4 : 8)) assert_true(nb_reason_converged(reason));
        }
}

TEST(a_squeezed_stack_is_infeasible) {
    for (int p = 0; p < 2; p++)
        for (int count = 1; count <= 4; count++) {
            nb_reason reason = step(precisions[p], stack(count, 2, 1, 0.005), NULL);
            if (reason != NB_REASON_INFEASIBLE)
                fail_msg("%d boxes in %s: %s", count, precisions[p], nb_reason_name(reason));
        }
}

/* why a problem of a file, of at most three contacts, ends */
static nb_reason solve(const char *precision, const nb_file_data *data) {
    double impulse[9];
    bench *b = bench_create(precision, "multifrontal");
    nb_measure *measure;
    CHECK_OK(nb_measure_create_file(data, &measure));
    CHECK_OK(b->type->solve(b->stepper, data, measure, NULL, &b->outcome, &b->counts, impulse));
    nb_measure_destroy(measure);
    return bench_destroy(b);
}

/* W = 1 but for the coupling -(1 - delta) of the normals, both of which close in: impulses of 1/delta, or none */
static nb_reason press(const char *precision, double delta) {
    static int64_t start[] = {0, 2, 3, 4, 6, 7, 8};
    static int32_t column[] = {0, 3, 1, 2, 0, 3, 4, 5};
    static const double mu[] = {0.5, 0.7}, q[] = {-1, 0.3, 0.1, -1, -0.2, 0.4};
    const double c = delta - 1;
    double value[] = {1, c, 1, 1, c, 1, 1, 1};
    const nb_csr_f64 w = {.rows = 6, .columns = 6, .start = start, .column = column, .value = value};
    const nb_file_data data = {3, 0, 2, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
    return solve(precision, &data);
}

TEST(only_what_balances_is_infeasible) {
    for (int p = 0; p < 2; p++) {
        assert_int_equal(press(precisions[p], 0), NB_REASON_INFEASIBLE);
        /* round-off is 256 units, 3e-5 in f32 */
        for (int digits = 1; digits <= (p == 0 ? 4 : 12); digits++)
            if (press(precisions[p], pow(10, -digits)) == NB_REASON_INFEASIBLE)
                fail_msg("1e-%d in %s", digits, precisions[p]);
    }
}

/* A body of mass and inertia 1 between two walls that lean by `slope` from the vertical, and touch it at either end of
 * a line of length 2: their contacts close by `closing` [m/s]. Another lands beside it at 1 m/s. */
static nb_reason pinch(double slope, double closing) {
    enum {
        ROWS = 9,
        BODY = 6,
        UNKNOWNS = 9
    };
    static const double mu[] = {0.7, 0.7, 0.7};
    const double c = cos(slope), s = sin(slope), q[ROWS] = {-closing, 0, 0, -closing, 0, 0, -1, 0.3, 0.1};
    double j[ROWS][UNKNOWNS] = {0}, value[ROWS * ROWS] = {0};
    int64_t start[ROWS + 1];
    int32_t column[ROWS * ROWS];
    for (int i = 0; i < 2; i++) {
        const double x = i == 0 ? -1 : 1, direction[3][3] = {{-x * c, 0, s}, {x * s, 0, c}, {0, 1, 0}};
        for (int k = 0; k < 3; k++) {
            const double *d = direction[k], moment[3] = {0, -x * d[2], x * d[1]};
            memcpy(j[3 * i + k], d, 3 * sizeof *d);
            memcpy(j[3 * i + k] + 3, moment, sizeof moment);
        }
    }
    for (int k = 0; k < 3; k++) j[BODY + k][BODY + k] = 1;
    for (int32_t r = 0; r < ROWS; r++) {
        start[r] = ROWS * r;
        for (int32_t k = 0; k < ROWS; k++) {
            column[ROWS * r + k] = k;
            for (int n = 0; n < UNKNOWNS; n++) value[ROWS * r + k] += j[r][n] * j[k][n];
        }
    }
    start[ROWS] = (int64_t)ROWS * ROWS;
    const nb_csr_f64 w = {.rows = ROWS, .columns = ROWS, .start = start, .column = column, .value = value};
    const nb_file_data data = {3, 0, 3, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
    return solve("f64", &data);
}

/* Forces along the line are within both cones where tan(slope) <= 0.7, and friction then holds what the normals push
 * out. */
TEST(pinched_bodies_are_wedged) {
    static const double gentle[] = {0.1, 0.3, 0.55}, steep[] = {0.65, 0.8, 1.2};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pinch(gentle[i], 1e-3), NB_REASON_WEDGED);
        assert_true(nb_reason_converged(pinch(gentle[i], -1e-3)));
        assert_true(nb_reason_converged(pinch(steep[i], 1e-3)));
    }
}

/* ---- a problem of a file by itself ---- */

typedef struct scaled_bench {
    bench *b;
    nb_method_settings settings;
    nb_problem *problem;
    nb_measure *measure;
    nb_scaled_problem *scaled;
} scaled_bench;

static void scaled_create(const nb_file_data *data, scaled_bench *s) {
    s->b = bench_create("f64", "multifrontal");
    s->settings = nb_request_settings(&s->b->request);
    CHECK_OK(nb_file_problem_create(data, &s->problem));
    CHECK_OK(nb_measure_create_file(data, &s->measure));
    CHECK_OK(nb_scaled_problem_create(s->problem, &s->settings, &s->scaled));
    nb_scaled_problem_begin_step(s->scaled, s->measure, NULL, &s->b->outcome);
    nb_scaled_problem_linearise(s->scaled);
}

static void scaled_destroy(scaled_bench *s) {
    nb_scaled_problem_destroy(s->scaled);
    nb_measure_destroy(s->measure);
    nb_file_problem_destroy(s->problem);
    bench_destroy(s->b);
}

/* The interior point starts again at P(x - y) + size e and P(y - x) + size e: within size of the boundary, their
 * difference x - y, and complementary but for size e. */
TEST(restarts_are_complementary_but_for_their_size) {
    static int64_t start[] = {0, 1, 2, 3, 4, 5, 6};
    static int32_t column[] = {0, 1, 2, 3, 4, 5};
    uint64_t random = test_seed();
    for (int i = 0; i < 40; i++) {
        double value[6], q[6], mu[2], x[6], v[6];
        for (int r = 0; r < 6; r++)
            value[r] = 1, q[r] = test_random(&random, -1, 1), x[r] = test_random(&random, -1, 1);
        for (int k = 0; k < 2; k++) mu[k] = test_random(&random, 0.1, 1);
        const nb_csr_f64 w = {.rows = 6, .columns = 6, .start = start, .column = column, .value = value};
        const nb_file_data data = {3, 0, 2, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
        const double size = test_random(&random, 0, 1);
        scaled_bench s;
        nb_interior *interior;
        scaled_create(&data, &s);
        CHECK_OK(nb_interior_create(s.scaled, &interior));
        assert_true(nb_interior_restart(interior, x, size));
        nb_scaled_problem_velocity(s.scaled, x, v);
        for (int k = 0; k < 6; k += 3) {
            double *a = interior->x + k, *b = interior->y + k;
            v[k] += hypot(v[k + 1], v[k + 2]);
            for (int r = 0; r < 3; r++) CHECK_NEAR(a[r] - b[r], x[k + r] - v[k + r], 1e-13);
            a[0] -= size, b[0] -= size;
            assert_true(a[0] + 1e-13 >= hypot(a[1], a[2]) && b[0] + 1e-13 >= hypot(b[1], b[2]));
            CHECK_NEAR(a[0] * b[0] + a[1] * b[1] + a[2] * b[2], 0, 1e-13);
        }
        nb_interior_destroy(interior);
        scaled_destroy(&s);
    }
}

/* ---- by cases ---- */

static int is_refuted(const nb_file_data *data, int32_t *cases) {
    scaled_bench s;
    int found;
    scaled_create(data, &s);
    CHECK_OK(nb_cases_refute(s.scaled, &found, cases));
    scaled_destroy(&s);
    return found;
}

/* A box between walls that lean by 0.3 rad (scenarios/jammed_box.c). Where friction holds it no law has a solution.
 * Next to the friction angle, mu = tan(lean), where all but cancels, there is no proof. The linear programs of HiGHS
 * (scipy) refute the same 1448 cases of the first one. */
TEST(a_jammed_box_has_no_solution_by_coulombs_law) {
    static const struct {
        const char *settings;
        nb_reason reason;
    } known[] = {{"", NB_REASON_INFEASIBLE},
                 {"lean=0.1 mu=1", NB_REASON_INFEASIBLE},
                 {"mu=0.4 mass=0.001", NB_REASON_INFEASIBLE},
                 {"mu=0.35 size=100", NB_REASON_INFEASIBLE},
                 {"mu=0.31", NB_REASON_WEDGED},
                 {"mu=0.3", NB_REASON_CONVERGED}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        nb_request request = request_of_scenario("jammed-box", known[i].settings, 1, 1e-8);
        strcpy(request.info.method, "interior-point");
        strcpy(request.info.linear_solver, "gmres");
        strcpy(request.info.preconditioner, "lu");
        request.info.newton_iterations = 5000;
        nb_run *done = run(&request);
        const int reason = (int)done->steps[NB_STEP_REASON];
        if (reason != (int)known[i].reason) fail_msg("%s: %s", known[i].settings, nb_reason_name((nb_reason)reason));
        nb_run_destroy(done);
    }
}

/* Problems that are made from a solution, with contacts of all kinds, are not refuted; with one contact more that
 * closes against another, opposite one all are. */
TEST(what_has_a_solution_is_not_refuted) {
    enum {
        CONTACTS = 6,
        ROWS = 3 * CONTACTS
    };
    static double value[ROWS * ROWS];
    static int64_t start[ROWS + 1];
    static int32_t column[ROWS * ROWS];
    uint64_t random = test_seed();
    int32_t largest = 0;
    for (int i = 0; i < 80; i++) {
        const int pressed = i % 2, contacts = 1 + pressed + i % (CONTACTS - pressed), rows = 3 * contacts,
                  freedom = 2 + (int)(test_random_bits(&random) % 8);
        double h[ROWS][10], z[ROWS], v[ROWS], q[ROWS], mu[CONTACTS];
        for (int k = 0; k < contacts; k++) {
            const double angle = test_random(&random, 0, 6.28), size = test_random(&random, 0.1, 3);
            const int kind = (int)(test_random_bits(&random) % 3); /* open, sticks, slides */
            mu[k] = test_random(&random, 0.1, 1.5);
            z[3 * k] = kind == 0 ? 0 : size;
            v[3 * k] = kind == 0 ? size : 0;
            const double friction = kind == 0   ? 0
                                    : kind == 1 ? test_random(&random, 0, 0.9) * mu[k] * size
                                                : -mu[k] * size,
                         slip = kind == 1 ? 0 : test_random(&random, 0.01, 2);
            z[3 * k + 1] = friction * cos(angle), z[3 * k + 2] = friction * sin(angle);
            v[3 * k + 1] = slip * cos(angle), v[3 * k + 2] = slip * sin(angle);
        }
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < freedom; k++)
                h[r][k] = pressed && r >= rows - 3 ? -h[r - 3][k] : test_random(&random, -1, 1);
        for (int r = 0; r < rows; r++) {
            start[r] = (int64_t)rows * r;
            q[r] = v[r];
            for (int c = 0; c < rows; c++) {
                double sum = 0;
                for (int k = 0; k < freedom; k++) sum += h[r][k] * h[c][k];
                column[rows * r + c] = c;
                value[rows * r + c] = sum;
                q[r] -= sum * z[c];
            }
        }
        for (int k = 0; pressed && k < 3; k++) q[rows - 3 + k] = -q[rows - 6 + k];
        q[rows - 3] -= pressed;
        start[rows] = (int64_t)rows * rows;
        const nb_csr_f64 w = {.rows = rows, .columns = rows, .start = start, .column = column, .value = value};
        const nb_file_data data = {3, 0, contacts, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
        int32_t cases;
        const int refuted = is_refuted(&data, &cases);
        if (refuted != pressed)
            fail_msg("problem %d: %d contacts of %d freedoms, refuted %d after %d cases", i, contacts, freedom, refuted,
                     (int)cases);
        if (cases > largest) largest = cases;
    }
    print_message("at most %d cases\n", (int)largest);
}

/* ---- the conditions, one by one ---- */

/* Two frictionless contacts whose normals are coupled by -(1 - delta), W = 1 else, closing at `first` and `second`; the
 * first gives way by `compliance`; `best` stands in both as the best impulse known. Whether (1, 1) is a certificate. */
static int holds(double delta, double first, double second, double compliance, double best) {
    static int64_t start[] = {0, 2, 3, 4, 6, 7, 8};
    static int32_t column[] = {0, 3, 1, 2, 0, 3, 4, 5};
    const double c = delta - 1;
    double value[] = {1, c, 1, 1, c, 1, 1, 1};
    const double mu[2] = {0}, q[] = {-first, 0, 0, -second, 0, 0};
    const double p[] = {1, 0, 0, 1, 0, 0};
    const nb_csr_f64 w = {.rows = 6, .columns = 6, .start = start, .column = column, .value = value};
    const nb_file_data data = {3, 0, 2, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
    double scratch[6];
    int found;
    scaled_bench s;
    scaled_create(&data, &s);
    s.scaled->c[0] = compliance;
    s.scaled->best[0] = s.scaled->best[3] = best / s.scaled->unit;
    CHECK_OK(nb_certificate_holds(s.scaled, p, scratch, &found));
    scaled_destroy(&s);
    return found;
}

TEST(each_condition_of_a_certificate_counts) {
    assert_true(holds(0, 1, 1, 0, 0));
    assert_false(holds(0, 1, -1, 0, 0));         /* nothing closes in */
    assert_false(holds(0, 1, -1 + 2e-14, 0, 0)); /* by no more than round-off, 5.7e-14 of what adds up */
    assert_true(holds(0, 1, -1 + 5e-12, 0, 0));
    assert_false(holds(1e-14, 1, -1 + 5e-12, 0, 0)); /* impulses of 500 would do */
    assert_false(holds(0, 1, 1, 1e-5, 0));           /* a row gives way: impulses of 1e5 would do */
    assert_true(holds(1e-14, 1, 1, 0, 0));           /* round-off cannot tell it from 0 */
    assert_false(holds(1e-14, 1, 1, 0, 1e14));       /* but this is its solution */
    assert_false(holds(1e-12, 1, 1, 0, 0));          /* impulses of 1e12 would do: what is left is no round-off */
}

RUN_TESTS(no_stack_is_infeasible, round_off_is_small, a_squeezed_stack_is_infeasible, only_what_balances_is_infeasible,
          pinched_bodies_are_wedged, restarts_are_complementary_but_for_their_size,
          a_jammed_box_has_no_solution_by_coulombs_law, what_has_a_solution_is_not_refuted,
          each_condition_of_a_certificate_counts)
