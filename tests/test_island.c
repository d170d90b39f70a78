/* The island kernel, run by emulation, against the Newton method on this processor: the same iterates up to round-off.
 */
#include "island_bench.h"

NB_PRECISIONS(f32, f64);

/* Both go from the same start, so that they differ by round-off, which grows where contacts open, close and slide: an
 * iteration of these scenes lets it grow to the tenfold or less. The allowance begins at about 30 times what was seen,
 * also with other instruction sets; in f32 it ends where a wrong kernel would not be told apart any more. */
static void compare(bench *b, int by_island) {
    const double most = NB_REAL_BITS == 32 ? 1e-2 : 1e-6;
    nb_island_set set;
    nb_problem *p = b->problem;
    nb_island_settings settings = settings_of(b);
    double allowed = 2000 * (double)NB_REAL_EPSILON;
    run_method(b);
    build(b, by_island, 1, &set);
    run(&set, &settings);
    for (int i = 0; i < ITERATIONS; i++, allowed = fmin(10 * allowed, most)) {
        nb_island_set_take(&set, i, p);
        double u = distance(p->u, b->u + (ptrdiff_t)(i + 1) * p->velocities, p->velocities);
        double z = distance(p->z, b->z + (ptrdiff_t)(i + 1) * p->rows, p->rows);
        if (!(u <= allowed) || !(z <= allowed))
            fail_msg("iteration %d: u %g and z %g apart, %g allowed", i, u, z, allowed);
    }
    nb_island_set_take(&set, -1, p);
    real *last = b->u + (ptrdiff_t)ITERATIONS * p->velocities;
    assert_true(distance(p->u, last, p->velocities) <= most);
    if (!by_island) { /* what is said of the first iteration; later ones differ by what is left of round-off */
        const nb_island_report *own = &set.islands[0].reports[0];
        const double *other = b->reports[0].values, eps = (double)NB_REAL_EPSILON;
        const double l2 = other[NB_COLUMN_RESIDUAL_L2], linf = other[NB_COLUMN_RESIDUAL_LINF];
        const nb_reason reason = (nb_reason)other[NB_COLUMN_LINEAR_REASON];
        CHECK_NEAR(own->residual_l2, l2, 1e4 * eps * l2);
        CHECK_NEAR(own->residual_linf, linf, 1e4 * eps * linf);
        CHECK_NEAR(own->step_linf, other[NB_COLUMN_STEP_LINF], 1e-3 * other[NB_COLUMN_STEP_LINF]);
        /* where both end at round-off, the last digits say which of two reasons it is, and at which iteration */
        if (!nb_reason_converged(own->reason) || !nb_reason_converged(reason)) {
            assert_int_equal(own->reason, reason);
            assert_int_equal(own->linear_iterations, (int)other[NB_COLUMN_LINEAR_ITERATIONS]);
        }
    }
    nb_island_set_clear(&set);
}

TEST(test_the_iterates_are_the_methods) {
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        bench *b = bench_of(&variants[i]);
        print_message("variant %zu: %s, %d contacts, %d bilaterals, %d islands\n", i, variants[i].scenario,
                      b->problem->contacts, b->problem->bilaterals, b->problem->island_count);
        compare(b, variants[i].by_island);
        bench_destroy(b);
    }
}

TEST(test_a_batch_is_its_scenes) {
    check_batch(&nb_runtime_emulated);
}

/* A GPU runs threads and blocks as they come: the same bits in each order, so that no thread reads what another writes
 * between the same two barriers. */
TEST(test_the_order_of_threads_does_not_matter) {
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        bench *b = bench_of(&variants[i]);
        nb_island_settings settings = settings_of(b);
        nb_island_set forward, other;
        build(b, variants[i].by_island, 1, &forward);
        run(&forward, &settings);
        for (int order = NB_ORDER_FORWARD + 1; order < NB_ORDERS; order++) {
            build(b, variants[i].by_island, 1, &other);
            nb_emulated_set_order((nb_emulated_order)order);
            run(&other, &settings);
            nb_emulated_set_order(NB_ORDER_FORWARD);
            assert_int_equal(forward.made_bytes, other.made_bytes);
            assert_memory_equal(forward.made, other.made, (size_t)forward.made_bytes);
            nb_island_set_clear(&other);
        }
        nb_island_set_clear(&forward);
        bench_destroy(b);
    }
}

static int is_touched(const nb_contacts *contacts, int32_t body) {
    for (int32_t i = 0; i < contacts->count; i++)
        if (contacts->items[i].body_a == body || contacts->items[i].body_b == body) return 1;
    return 0;
}

/* bodies that nothing touches, all but the lowest: u goes to u~ by (1 - t) an iteration, in islands or not */
static void check_free_bodies(int bodies, int by_island) {
    bench *b = bench_create("piling");
    b->request.size = bodies;
    bench_set(b, "spacing", "9");
    bench_open(b, 0);
    nb_island_settings settings = settings_of(b);
    nb_island_set set;
    build(b, by_island, 0, &set);
    run(&set, &settings);
    nb_island_set_take(&set, -1, b->problem);
    double fall = -9.81 * b->request.info.time_step, left = pow(1 - (double)settings.damping, ITERATIONS);
    int found = 0;
    for (int32_t i = 0; i < b->world->body_count; i++) {
        if (b->world->bodies[i].kind != NB_BODY_DYNAMIC || is_touched(b->contacts, i)) continue;
        CHECK_NEAR((double)b->problem->u[6 * i + 2], fall * (1 - left), 8 * (double)NB_REAL_EPSILON);
        found++;
    }
    assert_in_range(found, 1, bodies - 1);
    int groups = (found + NB_ISLAND_MOST_THREADS - 1) / NB_ISLAND_MOST_THREADS;
    assert_int_equal(set.count, by_island ? b->problem->island_count + groups : 1);
    nb_island_set_clear(&set);
    bench_destroy(b);
}

TEST(test_free_bodies_fall) {
    check_free_bodies(5, 0);
    check_free_bodies(5, 1);
    check_free_bodies(600, 1);
}

TEST(test_what_is_not_offered) {
    const variant large = {"wall", "8", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL};
    nb_island_set set;
    bench *b = bench_of(&large);
    CHECK_FAULT(nb_island_set_build(b->step, 0, 0, 1, 0, 0, &set), NB_ERROR_UNSUPPORTED, "one block");
    nb_island_set_clear(&set);
    bench_destroy(b);
}

TEST(test_numbers_that_are_none) {
    bench *b = bench_of(&variants[0]);
    nb_island_settings settings = settings_of(b);
    nb_island_set set;
    build(b, 0, 0, &set);
    set.islands[0].u_free[2] = NAN;
    run(&set, &settings);
    assert_int_equal(set.islands[0].reports[0].reason, NB_REASON_NAN);
    assert_int_equal(set.islands[0].reports[0].linear_iterations, 0);
    assert_true(isnan(set.islands[0].reports[0].residual_linf));
    nb_island_set_clear(&set);
    bench_destroy(b);
}

TEST(test_a_lost_device_is_a_fault) {
    bench *b = bench_of(&variants[0]);
    nb_island_settings settings = settings_of(b);
    nb_island_set set, *sets[1] = {&set};
    build(b, 0, 0, &set);
    nb_emulated_fail_after(NB_ERROR_DEVICE, 0);
    CHECK_FAULT(nb_islands_run(&nb_runtime_emulated, sets, 1, &settings), NB_ERROR_DEVICE, "lost");
    nb_emulated_fail_after(NB_OK, 0);
    CHECK_OK(nb_islands_run(&nb_runtime_emulated, sets, 1, &settings));
    nb_island_set_clear(&set);
    bench_destroy(b);
}

RUN_TESTS(test_the_iterates_are_the_methods, test_a_batch_is_its_scenes, test_the_order_of_threads_does_not_matter,
          test_free_bodies_fall, test_what_is_not_offered, test_numbers_that_are_none, test_a_lost_device_is_a_fault)
