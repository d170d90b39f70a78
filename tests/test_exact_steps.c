/* Exact steps of trajectories (cuda/trajectory/exact_steps.h) on the emulated device: the factor against dense
 * elimination, and runs against this processor's interior-point. */
#include "base/memory.h"
#include "method.h"
#include "model/free_turn.h"
#include "run/simulate.h"
#include "trajectory_scene.h"

NB_PRECISIONS(f64);

#include "trajectory/body_factor.h"

enum {
    BODIES = 9,
    SLOTS = 11, /* two that nothing moves */
    CONTACTS = 24,
    UNKNOWNS = 6 * BODIES
};

/* ---- the factor ---- */

/* a random matrix, and what the factor is given of it */
typedef struct matrix {
    nb_trajectory copy;
    nb_island island;
    nb_island_shared shared;
    nb_body_factor factor;
    int32_t a[CONTACTS], b[CONTACTS], side_start[BODIES + 1], side_list[2 * CONTACTS];
    double arm[6 * CONTACTS], mass[BODIES], memory[8192], far_blocks[NB_FACTOR_BLOCK * BODIES * BODIES];
    nb_mat3 inertia[BODIES];
    double dense[UNKNOWNS][UNKNOWNS + 1]; /* and the right-hand side */
} matrix;

static double some(uint64_t *state) {
    return nb_random_uniform(state, -1, 1);
}

/* J of contact i: [3][UNKNOWNS] */
static void fill_rows(const matrix *m, int32_t i, double j[3][UNKNOWNS]) {
    memset(j, 0, 3 * sizeof *j);
    for (int side = 0; side < 2; side++) {
        const int32_t body = side ? m->b[i] : m->a[i];
        const double *r = m->arm + (ptrdiff_t)3 * CONTACTS * side, sign = side ? -1 : 1;
        const double x = r[i], y = r[CONTACTS + i], z = r[2 * CONTACTS + i];
        const double turning[3][3] = {{0, z, -y}, {-z, 0, x}, {y, -x, 0}};
        for (int k = 0; body < BODIES && k < 3; k++) {
            j[k][6 * body + k] = sign;
            for (int n = 0; n < 3; n++) j[k][6 * body + 3 + n] = sign * turning[k][n];
        }
    }
}

static void add_contact(matrix *m, int32_t i) {
    double j[3][UNKNOWNS], k[3][3];
    fill_rows(m, i, j);
    for (int p = 0; p < 9; p++) k[p / 3][p % 3] = m->factor.k[p * CONTACTS + i];
    for (int r = 0; r < UNKNOWNS; r++)
        for (int c = 0; c < UNKNOWNS; c++)
            for (int p = 0; p < 9; p++) m->dense[r][c] += j[p / 3][r] * k[p / 3][p % 3] * j[p % 3][c];
}

static void make_matrix(matrix *m, uint64_t *state, int32_t room) {
    memset(m, 0, sizeof *m);
    m->island =
        (nb_island){.contacts = CONTACTS, .bodies = BODIES, .slots = SLOTS, .threads = CONTACTS, .a = m->a, .b = m->b};
    m->shared = (nb_island_shared){.elements = CONTACTS, .slots = SLOTS, .bodies = BODIES, .arm = m->arm};
    m->shared.side_start = m->side_start;
    m->shared.side_list = m->side_list;
    m->copy.mass = m->mass;
    m->copy.inertia = m->inertia;
    assert_true(nb_body_factor_bytes(BODIES, CONTACTS, room) <= (int64_t)sizeof m->memory);
    nb_body_factor_share(BODIES, CONTACTS, room, m->memory, m->far_blocks, &m->factor);
    for (int32_t i = 0; i < CONTACTS; i++) {
        m->a[i] = (int32_t)(nb_random_bits(state) % BODIES);
        do m->b[i] = (int32_t)(nb_random_bits(state) % SLOTS);
        while (m->b[i] == m->a[i]);
        for (int k = 0; k < 9; k++) m->factor.k[k * CONTACTS + i] = 0.4 * some(state) + (k % 4 == 0 ? 2 : 0);
        for (int k = 0; k < 6; k++) m->arm[k * CONTACTS + i] = some(state);
    }
    for (int32_t i = 0; i < BODIES; i++) {
        m->side_start[i + 1] = m->side_start[i];
        for (int32_t e = 0; e < CONTACTS; e++) {
            if (m->a[e] == i) m->side_list[m->side_start[i + 1]++] = 2 * e;
            if (m->b[e] == i) m->side_list[m->side_start[i + 1]++] = 2 * e + 1;
        }
        m->mass[i] = nb_random_uniform(state, 0.1, 2);
        m->inertia[i] = nb_rotated_diagonal(random_turn(state), 0.1, 0.2, 0.3);
        for (int k = 0; k < 3; k++) m->dense[6 * i + k][6 * i + k] = m->mass[i];
        for (int k = 0; k < 9; k++) m->dense[6 * i + 3 + k / 3][6 * i + 3 + k % 3] = m->inertia[i].m[k / 3][k % 3];
    }
    for (int32_t i = 0; i < CONTACTS; i++) add_contact(m, i);
}

/* x [6][SLOTS] of the factor, by so many threads, in order or backwards */
static void solve_by_threads(matrix *m, int threads, int backwards, double *x, double *y) {
    nb_body_factor *f = &m->factor;
    const nb_island_shared *s = &m->shared;
#define EACH(call)                                     \
    for (int turn = 0; turn < threads; turn++) {       \
        int t = backwards ? threads - 1 - turn : turn; \
        call;                                          \
    }
    EACH(nb_body_factor_couple(f, &m->island, s, t, threads))
    nb_body_factor_order(f);
    f->block = f->first[BODIES + 1] <= f->room ? f->near_blocks : f->far_blocks;
    EACH(nb_body_factor_assemble(f, &m->copy, s, t, threads))
    for (int k = 0; k < BODIES; k++) {
        EACH(nb_body_factor_scale(f, k, t, threads))
        EACH(nb_body_factor_reduce(f, k, t, threads))
    }
    EACH(nb_body_factor_finish(f, t, threads))
    for (int k = 0; k < BODIES; k++) EACH(nb_body_factor_forward(f, k, x, SLOTS, t, threads))
    EACH(nb_body_factor_middle(f, x, y, SLOTS, t, threads))
    for (int k = BODIES - 1; k >= 0; k--) EACH(nb_body_factor_back(f, k, y, SLOTS, t, threads))
#undef EACH
}

/* Gauss, with exchanges of rows; the solution in the last column */
static void eliminate_dense(double a[UNKNOWNS][UNKNOWNS + 1]) {
    for (int k = 0; k < UNKNOWNS; k++) {
        int pivot = k;
        for (int i = k; i < UNKNOWNS; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        for (int j = k; j <= UNKNOWNS; j++) {
            const double kept = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        for (int i = 0; i < UNKNOWNS; i++) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k; i != k && j <= UNKNOWNS; j++) a[i][j] -= factor * a[k][j];
        }
    }
    for (int i = 0; i < UNKNOWNS; i++) a[i][UNKNOWNS] /= a[i][i];
}

/* by any number of threads, in any order, in shared memory or not: the same bits, and what dense elimination finds */
TEST(test_factor_is_the_dense_one) {
    uint64_t state = test_seed();
    matrix *m;
    CHECK_OK(NB_ALLOCATE(1, &m));
    for (int trial = 0; trial < 5; trial++) {
        const uint64_t from = state;
        double b[UNKNOWNS], first[6 * SLOTS] = {0};
        for (int run = 0; run < 4; run++) {
            static const int threads[] = {1, 32, 7, 96};
            double x[6 * SLOTS] = {0}, y[6 * SLOTS] = {0};
            state = from;
            make_matrix(m, &state, run < 2 ? BODIES * BODIES : 0);
            for (int i = 0; i < UNKNOWNS; i++) {
                b[i] = some(&state);
                x[i % 6 * SLOTS + i / 6] = m->dense[i][UNKNOWNS] = b[i];
            }
            solve_by_threads(m, threads[run], run % 2, x, y);
            if (run == 0) memcpy(first, y, sizeof y);
            assert_memory_equal(first, y, sizeof y);
        }
        eliminate_dense(m->dense);
        for (int i = 0; i < UNKNOWNS; i++)
            CHECK_NEAR(first[i % 6 * SLOTS + i / 6], m->dense[i][UNKNOWNS], 1e-11 * (1 + fabs(m->dense[i][UNKNOWNS])));
    }
    nb_free(m);
}

/* ---- runs ---- */

static const double tolerance = 1e-6;

/* a batch of `scenario` whose copies are shaken, on this processor or in trajectories */
static nb_run *batch_of(const char *scenario, double compliance, int whole, int warm, int steps) {
    nb_request request;
    nb_run *run;
    nb_request_standard(&request);
    snprintf(request.info.scenario, NB_NAME_LENGTH, "%s", scenario);
    snprintf(request.info.method, NB_NAME_LENGTH, "interior-point");
    if (whole) snprintf(request.info.device, NB_NAME_LENGTH, "emulated");
    request.info.newton_tolerance = tolerance;
    request.scene.contact_compliance = compliance;
    request.info.steps = steps;
    request.info.batch = 2;
    request.info.batch_perturbation = 1e-3; /* round-off does not decide which contacts there are */
    request.info.whole_steps = whole;
    request.info.warm_start = warm;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(nb_simulate(&request, NULL, NULL, &run));
    assert_true(run->finished);
    nb_free(request.info.parameters);
    return run;
}

static void check_batch_of(const char *scenario, double compliance, int warm, int steps) {
    nb_run *here = batch_of(scenario, compliance, NB_WHOLE_STEPS_OFF, 0, steps),
           *there = batch_of(scenario, compliance, NB_WHOLE_STEPS_TRAJECTORY, warm, steps);
    const nb_batch *a = &here->batch, *b = &there->batch;
    for (int64_t i = 0; i < (int64_t)a->scenes * a->steps; i++) {
        const double *x = a->rows + i * NB_BATCH_COLUMNS, *y = b->rows + i * NB_BATCH_COLUMNS;
        assert_true(x[NB_BATCH_CONTACTS] > 0 && x[NB_BATCH_CONTACTS] == y[NB_BATCH_CONTACTS]);
        assert_int_equal((int)y[NB_BATCH_REASON], NB_REASON_CONVERGED);
        assert_true(y[NB_BATCH_NATURAL_MAP_ERROR] <= tolerance);
        /* Velocities differ by the tolerance, once a step: energies by that of the whole mass, which has about 1 J per
         * 0.1 kg. */
        const double size = sqrt(x[NB_BATCH_POTENTIAL_ENERGY]);
        CHECK_NEAR(sqrt(y[NB_BATCH_KINETIC_ENERGY]), sqrt(x[NB_BATCH_KINETIC_ENERGY]), (steps + 1) * tolerance * size);
        CHECK_NEAR(y[NB_BATCH_POTENTIAL_ENERGY], x[NB_BATCH_POTENTIAL_ENERGY], tolerance * size * size);
    }
    nb_run_destroy(here);
    nb_run_destroy(there);
}

TEST(test_steps_are_those_of_the_processor) {
    check_batch_of("incline", 0, 0, 4);
    check_batch_of("heavy-stack", 0, 0, 3);
    check_batch_of("heavy-stack", 1e-8, 0, 3);
    check_batch_of("arch", 0, 0, 3);
}

/* from the step before: the same states, by fewer iterations */
TEST(test_warm_starts) {
    int64_t sum[2] = {0, 0};
    check_batch_of("incline", 0, 1, 6);
    check_batch_of("heavy-stack", 1e-8, 1, 4);
    check_batch_of("arch", 0, 1, 4);
    for (int warm = 0; warm < 2; warm++) {
        nb_run *run = batch_of("stack-4", 0, NB_WHOLE_STEPS_TRAJECTORY, warm, 20);
        for (int64_t i = 0; i < (int64_t)run->batch.scenes * run->batch.steps; i++)
            sum[warm] += (int64_t)run->batch.rows[i * NB_BATCH_COLUMNS + NB_BATCH_NEWTON_ITERATIONS];
        nb_run_destroy(run);
    }
    assert_true(3 * sum[1] < sum[0]);
}

/* a box in the grip of two walls, which no impulses let go */
TEST(test_steps_that_stagnate) {
    nb_run *run = batch_of("jammed-box", 0, NB_WHOLE_STEPS_TRAJECTORY, 0, 2);
    const nb_batch *batch = &run->batch;
    for (int64_t i = 0; i < (int64_t)batch->scenes * batch->steps;
         i += batch->steps) { /* the last step is no device's */
        const double *row = batch->rows + i * NB_BATCH_COLUMNS;
        assert_int_equal((int)row[NB_BATCH_REASON], NB_REASON_STAGNATED);
        assert_true(row[NB_BATCH_NATURAL_MAP_ERROR] > tolerance && row[NB_BATCH_NEWTON_ITERATIONS] < 200);
    }
    nb_run_destroy(run);
}

/* ---- towers ---- */

static void ride_exactly(nb_world *const *worlds, int count, int slots, int warm, nb_trajectory_row *rows) {
    ride_to(&nb_runtime_emulated, worlds, count, slots, tolerance, warm, TRAJECTORY_STEPS, rows);
}

/* the same bits in any order of threads and of copies, and with others beside it, of which one ends */
static void check_alone(int warm) {
    nb_trajectory_row alone[TRAJECTORY_STEPS], rows[3][TRAJECTORY_STEPS];
    nb_world *one = tower(4, 0.02);
    ride_exactly(&one, 1, 0, warm, alone);
    for (int i = 0; i < TRAJECTORY_STEPS; i++) {
        assert_int_equal(alone[i].reason, NB_REASON_CONVERGED);
        assert_true(alone[i].natural_map <= tolerance && (warm || alone[i].newton_iterations > 0));
    }
    for (int order = 0; order < NB_ORDERS; order++) {
        nb_world *three[3] = {tower(4, 0.03), tower(4, 0.01), tower(4, 0.02)};
        three[1]->bodies[2].linear_velocity.x = NAN;
        nb_emulated_set_order((nb_emulated_order)order);
        ride_exactly(three, 3, 96, warm, rows[0]);
        assert_memory_equal(alone, rows[2], sizeof alone);
        assert_int_equal(rows[1][1].reason, NB_REASON_NONE);
        end_three(one, three);
    }
    nb_emulated_set_order(NB_ORDER_FORWARD);
    nb_world_destroy(one);
}

TEST(test_copies_are_alone) {
    check_alone(0);
    check_alone(1);
}

TEST(test_what_is_refused) {
    const double h = 0.01;
    nb_world *world = tower(65, 0);
    const nb_world *borrowed = world;
    const nb_trajectories_start start = {.worlds = &borrowed, .copies = 1, .contact_slots = 0, .h = h};
    const nb_island_settings settings = exact_settings(h);
    nb_trajectories *t;
    assert_int_equal(nb_trajectories_create(&nb_runtime_emulated, &start, &settings, tolerance, &t),
                     NB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(nb_error_message(), "at most 64 moving bodies (got 65)"));
    nb_world_destroy(world);
}

RUN_TESTS(test_factor_is_the_dense_one, test_steps_are_those_of_the_processor, test_warm_starts,
          test_steps_that_stagnate, test_copies_are_alone, test_what_is_refused)
