/* The loop over one island (interior-point's first phase) on random steps: bodies with spin, redundant contacts,
 * frictions from 0 to 1, arms that turn and arms that stay, whose last digits are polished. Solutions are measured by
 * the harness, held against those of the other phases, and the same by any number of threads. Gaps are not negative:
 * bodies at rest meet every contact, so that there is a solution. */
#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "check.h"
#include "constraint/step.h"
#include "measure/iterate.h"
#include "method/interior_point/island_phase.h"
#include "method/interior_point/scaled_problem.h"
#include "registry.h"

enum {
    MOST_BODIES = 120,
    MOST_CONTACTS = 1000,
    MOST_STEPS = 320
};

typedef struct scene {
    nb_world *world;
    nb_contact items[MOST_CONTACTS];
    nb_contacts contacts;
    nb_step *step;
    nb_measure *measure;
    nb_island_phase phase;
} scene;

static nb_vec3 random_vector(uint64_t *random) {
    return nb_vec3_of(test_random(random, -1, 1), test_random(random, -1, 1), test_random(random, -1, 1));
}

static void add_body(scene *s, uint64_t *random, nb_body_kind kind) {
    int32_t index;
    nb_body body = {.kind = kind, .mass = test_random(random, 0.5, 3), .shape = -1};
    body.inertia = nb_vec3_of(test_random(random, 0.2, 0.4), test_random(random, 0.2, 0.4), 0.3);
    body.position = random_vector(random);
    body.orientation = nb_quat_normalized((nb_quat){1, test_random(random, -1, 1), test_random(random, -1, 1), 0});
    if (kind == NB_BODY_DYNAMIC) body.linear_velocity = random_vector(random);
    if (kind == NB_BODY_DYNAMIC) body.angular_velocity = random_vector(random);
    CHECK_OK(nb_world_add_body(s->world, &body, &index));
}

/* 1 to 4 contacts of a pair with one normal and one friction */
static void add_contacts(scene *s, uint64_t *random, int32_t a, int32_t b) {
    const int count = 1 + (int)(test_random_bits(random) % 4);
    const nb_vec3 normal = nb_normalized(random_vector(random));
    const double mu = test_random_bits(random) % 6 == 0 ? 0 : test_random(random, 0.1, 1);
    const double gap = test_random_bits(random) % 2 ? 0 : test_random(random, 0, 0.005);
    for (int i = 0; i < count; i++) {
        assert_true(s->contacts.count < MOST_CONTACTS);
        nb_contact *c = &s->items[s->contacts.count++];
        *c = (nb_contact){
            .body_a = a, .body_b = b, .friction = mu, .feature = (uint64_t)i, .normal = normal, .gap = gap};
        c->point_b = nb_add_scaled(s->world->bodies[a].position, 0.5, random_vector(random));
        c->point_a = nb_add_scaled(c->point_b, gap, normal);
    }
}

/* an island of bodies first, first + 1, ..: a chain with a pair more, every third body on what is fixed */
static void add_island(scene *s, uint64_t *random, int32_t first, int bodies, int32_t ground) {
    for (int k = 0; k < bodies; k++) {
        const int32_t own = first + k;
        if (k + 1 < bodies) add_contacts(s, random, own, own + 1);
        if (k + 3 < bodies && k % 4 == 0) add_contacts(s, random, own, own + 3);
        if (k % 3 == 0) add_contacts(s, random, own, ground);
    }
}

/* `islands` of `bodies` each, and one of `large` before them; one more body is free */
static void begin_mixed(scene *s, uint64_t *random, int large, int islands, int bodies, nb_geometry geometry) {
    memset(s, 0, sizeof *s);
    CHECK_OK(nb_world_create(&s->world));
    s->world->gravity = nb_vec3_of(0, 0, -9.81);
    const int32_t ground = large + islands * bodies + 1;
    for (int i = 0; i < ground; i++) add_body(s, random, NB_BODY_DYNAMIC);
    add_body(s, random, NB_BODY_FIXED);
    s->contacts.items = s->items;
    add_island(s, random, 0, large, ground);
    for (int i = 0; i < islands; i++) add_island(s, random, large + i * bodies, bodies, ground);
    CHECK_OK(nb_step_create(&s->step));
    CHECK_OK(nb_step_begin(s->step, s->world, &s->contacts, 0.01, geometry));
    CHECK_OK(nb_measure_create(&s->measure));
    CHECK_OK(nb_measure_begin(s->measure, s->world, &s->contacts, 0.01, geometry));
}

static void begin(scene *s, uint64_t *random, int islands, int bodies, nb_geometry geometry) {
    begin_mixed(s, random, 0, islands, bodies, geometry);
}

static void end(scene *s) {
    nb_island_phase_clear(&s->phase);
    nb_measure_destroy(s->measure);
    nb_step_destroy(s->step);
    nb_world_destroy(s->world);
}

/* returns whether the phase solved it; *error: by the harness */
static int solve(scene *s, double tolerance, nb_step_outcome *outcome, double *error) {
    nb_errors errors;
    int solved;
    nb_problem *p = nb_step_problem(s->step);
    *outcome = (nb_step_outcome){0};
    assert_true(nb_island_phase_applies(p));
    CHECK_OK(nb_island_phase_run(&s->phase, p, tolerance, MOST_STEPS, s->measure, NULL, NULL, outcome, &solved));
    nb_measure_iterate(s->measure, p, &errors);
    *error = errors.natural_map;
    return solved;
}

/* To 1e-4 and 1e-6 m/s, from nothing and from a solution that is off. What is called solved is, by the harness; one in
 * some 1500 is not (seeds 1 to 12), where friction hardly slips. */
TEST(random_islands_are_solved) {
    static scene s;
    const double tolerances[] = {1e-4, 1e-6};
    uint64_t random = test_seed();
    int lost = 0;
    for (int i = 0; i < 60; i++) {
        begin(&s, &random, 1 + i % 3, 1 + i % 20, i % 2 ? NB_GEOMETRY_UPDATED : NB_GEOMETRY_JOINTS);
        nb_problem *p = nb_step_problem(s.step);
        for (int k = 0; k < 4; k++) {
            const double tolerance = tolerances[k % 2];
            nb_step_outcome outcome;
            double error;
            const int solved = solve(&s, tolerance, &outcome, &error);
            lost += !solved;
            assert_in_range(outcome.newton_iterations, 0, MOST_STEPS); /* none where the start is within it */
            if (solved && !(error <= tolerance * (1 + 1e-6))) fail_msg("step %d, trial %d: %g", i, k, error);
            for (int32_t r = 0; r < p->rows; r++) p->z[r] *= test_random(&random, 0.9, 1.1);
        }
        end(&s);
    }
    print_message("%d of 240 not solved\n", lost);
    assert_in_range(lost, 0, 12);
}

/* To 1e-8 and 1e-10 m/s, by the polish. Its impulses balance momentum, so that round-off is far below. */
TEST(random_islands_are_polished) {
    static scene s;
    uint64_t random = test_seed();
    int lost = 0;
    for (int i = 0; i < 60; i++) {
        const double tolerance = i % 2 ? 1e-8 : 1e-10;
        nb_step_outcome outcome;
        double error;
        begin(&s, &random, 1 + i % 3, 1 + i % 20, NB_GEOMETRY_JOINTS);
        const int solved = solve(&s, tolerance, &outcome, &error);
        lost += !solved;
        assert_in_range(outcome.newton_iterations, 1, MOST_STEPS);
        if (solved && !(error <= tolerance * (1 + 1e-3))) fail_msg("step %d: %g", i, error);
        end(&s);
    }
    print_message("%d of 60 not solved\n", lost);
    assert_in_range(lost, 0, 6);
}

typedef float quad __attribute__((mode(TF))); /* of 128 bits */

/* N H + C + diagonal of a contact in quadruple precision, H of the slope's eigenvalues and unit vector */
static void block_of(const double x[3], const double v[3], double compliance, double rho, double diagonal, quad m[9]) {
    const double length = sqrt(v[1] * v[1] + v[2] * v[2]);
    const double z[3] = {x[0] - rho * (v[0] + length), x[1] - rho * v[1], x[2] - rho * v[2]};
    nb_cone_slope slope;
    nb_cone_differentiate(z, 1e-9, &slope);
    const quad t0 = slope.t[0], t1 = slope.t[1], scale = 1 - (t0 * t0 + t1 * t1 - 1) / 2;
    const quad vector[3][3] = {
        {1, -scale * t0, -scale * t1}, {1, scale * t0, scale * t1}, {0, -scale * t1, scale * t0}};
    const double value[3] = {slope.low, slope.high, slope.across}, square[3] = {2, 2, 1};
    for (int i = 0; i < 9; i++) m[i] = 0;
    for (int e = 0; e < 3; e++)
        for (int i = 0; i < 9; i++)
            m[i] += (1 / (quad)value[e] - 1) / rho / square[e] * vector[e][i / 3] * vector[e][i % 3];
    for (int k = 0; k < 3; k++) m[k] -= (v[1] * m[3 + k] + v[2] * m[6 + k]) / length;
    for (int k = 0; k < 3; k++) m[4 * k] += diagonal;
    m[0] += compliance;
}

/* Blocks of contacts that stick, slide and are open, held against cofactors in quadruple precision. Eigenvalues of H
 * are off by round-off over rho, so that the inverse is by some times that over the diagonal, in parts of its largest
 * entry; a compliance adds as much in its proportion. One by cofactors in double precision is off by 1e-5 and more. */
TEST(blocks_are_inverted_to_round_off) {
    uint64_t random = test_seed();
    for (int i = 0; i < 3000; i++) {
        const double size = pow(10, test_random(&random, -8, 0)), rho = pow(10, test_random(&random, 0, 4));
        const double diagonal = pow(10, test_random(&random, -7, -3));
        const double compliance = i % 4 ? 0 : test_random(&random, 0, 1);
        const int lane = i % NB_ISLAND_LANES;
        nb_island_block c = {.body = {{0}}};
        double x[3], v[3];
        quad m[9], inverse[9], largest = 0;
        for (int k = 0; k < 3; k++) x[k] = test_random(&random, -1, 1);
        for (int k = 0; k < 3; k++) v[k] = size * test_random(&random, -1, 1);
        if (i % 2) { /* nearly sliding */
            x[0] = sqrt(x[1] * x[1] + x[2] * x[2]);
            for (int k = 1; k < 3; k++) v[k] = -size / x[0] * x[k];
            v[0] = 1e-6 * size * test_random(&random, -1, 1);
        }
        const double most = 1e-14 + 64 * DBL_EPSILON * (1 / rho + compliance) / diagonal;
        c.compliance[lane] = compliance;
        nb_lanes_set(c.x, 3, lane, x);
        nb_lanes_set(c.y, 3, lane, v);
        nb_island_polish_eliminate((nb_island_lane){&c, lane}, rho, diagonal);
        block_of(x, v, compliance, rho, diagonal, m);
        for (int k = 0; k < 9; k++) {
            const int r = k / 3, q = k % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, q1 = (q + 1) % 3, q2 = (q + 2) % 3;
            inverse[3 * q + r] = m[3 * r1 + q1] * m[3 * r2 + q2] - m[3 * r1 + q2] * m[3 * r2 + q1];
        }
        const quad determinant = m[0] * inverse[0] + m[1] * inverse[3] + m[2] * inverse[6];
        for (int k = 0; k < 9; k++) {
            inverse[k] /= determinant;
            if (inverse[k] > largest) largest = inverse[k];
            if (-inverse[k] > largest) largest = -inverse[k];
        }
        for (int k = 0; k < 9; k++)
            CHECK_NEAR(c.inverse[k][lane] / (double)largest, (double)(inverse[k] / largest), most);
    }
}

/* by method interior-point as a run makes it */
static void solve_by_method(scene *s, double tolerance, const char *preconditioner_name, const nb_observer *observer,
                            nb_step_outcome *outcome) {
    const nb_method_class *type;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    double solver_values[16], preconditioner_values[16];
    nb_method *method;
    CHECK_OK(nb_method_find("interior-point", &type));
    CHECK_OK(nb_linear_solver_find("gmres", &solver));
    CHECK_OK(nb_preconditioner_find(preconditioner_name, &preconditioner));
    nb_options_standard(solver->options, solver->option_count, solver_values);
    nb_options_standard(preconditioner->options, preconditioner->option_count, preconditioner_values);
    const nb_method_settings settings = {.newton_iterations = 2000,
                                         .newton_tolerance = tolerance,
                                         .linear = {.iterations = 100},
                                         .linear_solver = "gmres",
                                         .preconditioner = preconditioner_name,
                                         .linear_solver_values = solver_values,
                                         .preconditioner_values = preconditioner_values};
    CHECK_OK(type->create(type, &settings, &method));
    CHECK_OK(type->step(method, nb_step_problem(s->step), s->measure, observer, outcome));
    type->destroy(method);
}

/* Velocities, where both are converged: contacts that say something twice leave impulses open. A tolerance of 1e-6 m/s
 * makes 5e-7 m/s of difference at most, and that of the polish in proportion; a hundred times that is far from another
 * solution. */
TEST(solutions_are_those_of_the_other_phases) {
    static scene s;
    static double u[6 * MOST_BODIES];
    uint64_t random = test_seed();
    int compared = 0;
    for (int i = 0; i < 30; i++) {
        nb_step_outcome outcome;
        double error;
        begin(&s, &random, 1, 1 + i % 10, i % 2 ? NB_GEOMETRY_UPDATED : NB_GEOMETRY_JOINTS);
        nb_problem *p = nb_step_problem(s.step);
        const double tolerance = i % 4 == 0 ? 1e-9 : 1e-6;
        const int solved = solve(&s, tolerance, &outcome, &error);
        memcpy(u, p->u, (size_t)p->velocities * sizeof *u);
        solve_by_method(&s, 5e-11, "lu", NULL, &outcome); /* below what the loop is for */
        if (solved && outcome.reason == NB_REASON_CONVERGED) {
            compared++;
            for (int32_t k = 0; k < p->velocities; k++) CHECK_NEAR(u[k], p->u[k], 50 * tolerance);
        }
        end(&s);
    }
    assert_in_range(compared, 28, 30);
}

typedef struct phases {
    int loop, other; /* iterations */
} phases;

static nb_status hear_phase(void *context, const nb_newton_report *report) {
    phases *h = context;
    if (!report->solved) return NB_OK;
    if (report->values[NB_COLUMN_PHASE] == NB_PHASE_ISLAND_LOOP)
        h->loop++;
    else
        h->other++;
    return NB_OK;
}

/* With the method's own solver, to no less than 1e-10 m/s, and from no start that is near. The other phases take time
 * to set up; the polish does not. */
TEST(the_loop_comes_first_where_nothing_else_is_asked_for) {
    static scene s;
    static const struct {
        double tolerance;
        const char *preconditioner;
        int loop;
    } trials[] = {{1e-4, "lu", 1}, {1e-8, "lu", 1}, {5e-11, "lu", 0}, {1e-4, "jacobi", 0}};
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        nb_step_outcome outcome;
        phases h = {0, 0};
        const nb_observer observer = {.context = &h, .newton = hear_phase};
        begin(&s, &random, 2, 5, NB_GEOMETRY_JOINTS);
        solve_by_method(&s, trials[i].tolerance, trials[i].preconditioner, &observer, &outcome);
        assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        assert_int_equal(h.loop + h.other, outcome.newton_iterations);
        assert_true(trials[i].loop ? h.loop > 0 && outcome.setup_s == 0 : h.loop == 0 && outcome.setup_s > 0);
        h = (phases){0, 0};
        solve_by_method(&s, trials[i].tolerance / 2, trials[i].preconditioner, &observer, &outcome);
        assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        assert_int_equal(h.loop, 0);
        end(&s);
    }
}

/* A body that is pressed from both sides has no solution: the loop does not find one, and the other phases prove it. */
TEST(the_other_phases_go_on_where_it_fails) {
    static scene s;
    nb_step_outcome outcome;
    phases h = {0, 0};
    const nb_observer observer = {.context = &h, .newton = hear_phase};
    uint64_t random = 6;
    begin(&s, &random, 1, 1, NB_GEOMETRY_JOINTS);
    for (int i = 0; i < 2; i++) {
        nb_contact *c = &s.items[i];
        *c = (nb_contact){.body_a = 0, .body_b = 2, .friction = 0.5, .gap = -0.01, .normal = {i ? -1 : 1, 0, 0}};
        c->point_a = c->point_b = s.world->bodies[0].position;
    }
    s.contacts.count = 2;
    CHECK_OK(nb_step_begin(s.step, s.world, &s.contacts, 0.01, NB_GEOMETRY_JOINTS));
    CHECK_OK(nb_measure_begin(s.measure, s.world, &s.contacts, 0.01, NB_GEOMETRY_JOINTS));
    solve_by_method(&s, 1e-4, "lu", &observer, &outcome);
    assert_int_equal(outcome.reason, NB_REASON_INFEASIBLE);
    assert_true(h.loop > 0 && h.other > 0);
    end(&s);
}

/* Islands are shared out by whoever is free: bits may not depend on it, nor on who listens. */
static nb_status hear(void *context, const nb_newton_report *report) {
    int32_t *heard = context;
    *heard += report->solved;
    return NB_OK;
}

TEST(bits_are_the_same_by_any_number_of_threads) {
    static scene s;
    static double first[6 * MOST_BODIES + 3 * MOST_CONTACTS];
    uint64_t random = test_seed();
    begin(&s, &random, 20, 5, NB_GEOMETRY_JOINTS);
    nb_problem *p = nb_step_problem(s.step);
    const size_t u = (size_t)p->velocities * sizeof *p->u, z = (size_t)p->rows * sizeof *p->z;
    for (int k = 0; k < 5; k++) {
        int32_t heard = 0;
        const nb_observer observer = {.context = &heard, .newton = hear};
        nb_step_outcome outcome = {0};
        int solved;
        nb_threads_set(k < 4 ? k + 1 : 1);
        memset(p->u, 0, u);
        memset(p->z, 0, z);
        CHECK_OK(nb_island_phase_run(&s.phase, p, 1e-9, MOST_STEPS, s.measure, k < 4 ? NULL : &observer, NULL, &outcome,
                                     &solved));
        assert_true(solved);
        if (k == 4) assert_int_equal(heard, outcome.newton_iterations);
        if (k == 0) memcpy(first, p->u, u);
        if (k == 0) memcpy(first + p->velocities, p->z, z);
        assert_memory_equal(first, p->u, u);
        assert_memory_equal(first + p->velocities, p->z, z);
    }
    nb_threads_set(1);
    end(&s);
}

/* An island whose numbers are none ends unsolved, and is left as it was; the others are solved. What is free falls. */
TEST(what_is_not_solved_is_left_as_it_was) {
    static scene s;
    nb_step_outcome outcome;
    nb_step_arrays arrays;
    double error;
    uint64_t random = test_seed();
    begin(&s, &random, 3, 4, NB_GEOMETRY_JOINTS);
    nb_problem *p = nb_step_problem(s.step);
    nb_step_arrays_of(s.step, &arrays);
    ((double *)arrays.u_free)[6 * 4] = NAN; /* of the second island's first body */
    for (int32_t k = 6 * 4; k < 6 * 8; k++) p->u[k] = 7;
    assert_false(solve(&s, 1e-4, &outcome, &error));
    for (int32_t k = 6 * 4; k < 6 * 8; k++) CHECK_NEAR(p->u[k], 7, 0);
    for (int i = 0; i < 3; i++) assert_int_equal(s.phase.island[i].solved, i != 1);
    for (int k = 0; k < 6; k++) CHECK_NEAR(p->u[6 * 12 + k], arrays.u_free[6 * 12 + k], 0);
    end(&s);
}

TEST(a_step_allocates_nothing_that_the_last_one_had) {
    static scene s;
    nb_step_outcome outcome;
    double error;
    uint64_t random = test_seed();
    begin(&s, &random, 3, 10, NB_GEOMETRY_UPDATED);
    solve(&s, 1e-4, &outcome, &error);
    const int64_t before = nb_allocation_count();
    solve(&s, 1e-4, &outcome, &error);
    assert_int_equal(nb_allocation_count(), before);
    end(&s);
}

/* islands of 64 bodies and no more, and none with joints */
TEST(other_islands_are_not_taken) {
    static scene s;
    int32_t index;
    const double rigid[6] = {0};
    uint64_t random = test_seed();
    for (int bodies = NB_BODY_LU_MOST; bodies <= NB_BODY_LU_MOST + 1; bodies++) {
        begin(&s, &random, 1, bodies, NB_GEOMETRY_JOINTS);
        assert_int_equal(nb_island_phase_applies(nb_step_problem(s.step)), bodies == NB_BODY_LU_MOST);
        end(&s);
    }
    begin(&s, &random, 2, 3, NB_GEOMETRY_JOINTS);
    CHECK_OK(
        nb_world_add_joint_at(s.world, NB_JOINT_FIXED, 6, -1, nb_vec3_of(0, 0, 0), nb_quat_identity(), rigid, &index));
    CHECK_OK(nb_step_begin(s.step, s.world, &s.contacts, 0.01, NB_GEOMETRY_JOINTS));
    CHECK_OK(nb_measure_begin(s.measure, s.world, &s.contacts, 0.01, NB_GEOMETRY_JOINTS));
    nb_step_outcome outcome;
    double error;
    for (int k = 0; k < 6; k++) nb_step_problem(s.step)->u[6 * 6 + k] = 3;
    assert_false(solve(&s, 1e-4, &outcome, &error));
    assert_int_equal(s.phase.done_count, 2);
    for (int k = 0; k < 6; k++) CHECK_NEAR(nb_step_problem(s.step)->u[6 * 6 + k], 3, 0); /* the joint's body */
    end(&s);
}

/* An island that the loop does not take, and one that it does not solve, are solved by the other phases alone; the
 * others keep the loop's solution, bit by bit, while joints' islands come in, too. */
TEST(the_other_phases_take_what_is_left) {
    static scene s;
    static double u[6 * MOST_BODIES];
    enum {
        LARGE = NB_BODY_LU_MOST + 6,
        SMALL = 12
    };
    const double rigid[6] = {0};
    uint64_t random = test_seed();
    int compared = 0;
    for (int with_joint = 0; with_joint < 2; with_joint++) {
        nb_step_outcome outcome;
        phases h = {0, 0};
        const nb_observer observer = {.context = &h, .newton = hear_phase};
        double error;
        int32_t index;
        begin_mixed(&s, &random, with_joint ? 5 : LARGE, SMALL / 3, 3, NB_GEOMETRY_JOINTS);
        const int32_t first = with_joint ? 5 : LARGE;
        if (with_joint)
            CHECK_OK(nb_world_add_joint_at(s.world, NB_JOINT_SPHERICAL, 0, -1, s.world->bodies[0].position,
                                           nb_quat_identity(), rigid, &index));
        CHECK_OK(nb_step_begin(s.step, s.world, &s.contacts, 0.01, NB_GEOMETRY_JOINTS));
        CHECK_OK(nb_measure_begin(s.measure, s.world, &s.contacts, 0.01, NB_GEOMETRY_JOINTS));
        nb_problem *p = nb_step_problem(s.step);
        assert_false(solve(&s, 1e-4 * (1 - 1e-6), &outcome, &error));
        memcpy(u, p->u, (size_t)p->velocities * sizeof *u);
        compared += s.phase.done_count;
        CHECK_OK(nb_step_begin(s.step, s.world, &s.contacts, 0.01, NB_GEOMETRY_JOINTS));
        CHECK_OK(nb_measure_begin(s.measure, s.world, &s.contacts, 0.01, NB_GEOMETRY_JOINTS));
        solve_by_method(&s, 1e-4, "lu", &observer, &outcome);
        assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        CHECK_BELOW(outcome.errors.natural_map, 1e-4);
        assert_true(h.loop > 0 && h.other > 0);
        assert_int_equal(h.loop + h.other, outcome.newton_iterations);
        for (int32_t k = 6 * first; s.phase.done_count == SMALL / 3 && k < 6 * (first + SMALL); k++)
            assert_true(p->u[k] == u[k]);
        end(&s);
    }
    assert_in_range(compared, SMALL / 3, 2 * SMALL / 3);
}

/* A warm island that is solved where it begins takes no iteration, and stays. */
TEST(what_is_solved_stays) {
    static scene s;
    static double u[6 * MOST_BODIES];
    nb_step_outcome outcome;
    double error;
    uint64_t random = test_seed();
    begin(&s, &random, 4, 5, NB_GEOMETRY_UPDATED);
    nb_problem *p = nb_step_problem(s.step);
    assert_true(solve(&s, 1e-5, &outcome, &error));
    memcpy(u, p->u, (size_t)p->velocities * sizeof *u);
    assert_true(solve(&s, 2e-5, &outcome, &error));
    assert_int_equal(outcome.newton_iterations, 0);
    assert_memory_equal(u, p->u, (size_t)p->velocities * sizeof *u);
    end(&s);
}

RUN_TESTS(random_islands_are_solved, random_islands_are_polished, blocks_are_inverted_to_round_off,
          solutions_are_those_of_the_other_phases, the_loop_comes_first_where_nothing_else_is_asked_for,
          the_other_phases_go_on_where_it_fails, bits_are_the_same_by_any_number_of_threads,
          what_is_not_solved_is_left_as_it_was, a_step_allocates_nothing_that_the_last_one_had,
          other_islands_are_not_taken, the_other_phases_take_what_is_left, what_is_solved_stays)
