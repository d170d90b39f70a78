/* The trajectory kernel on a GPU against its emulation: the same up to fused multiplications and additions. Without a
 * GPU skipped (77). */
#include "trajectory_scene.h"

NB_PRECISIONS(f32, f64);

static void check_steps_of(nb_world *build(int boxes, double beside)) {
    nb_trajectory_row mine[3][TRAJECTORY_STEPS], theirs[3][TRAJECTORY_STEPS], again[3][TRAJECTORY_STEPS];
    for (int run = 0; run < 3; run++) {
        nb_world *worlds[3] = {build(5, 0.03), build(5, 0.01), build(5, 0.02)};
        worlds[1]->bodies[1].linear_velocity.x = NAN; /* ends at once */
        ride(run == 0 ? &nb_runtime_emulated : &nb_runtime_cuda, worlds, 3, 96, TRAJECTORY_STEPS,
             run == 0   ? mine[0]
             : run == 1 ? theirs[0]
                        : again[0]);
        for (int i = 0; i < 3; i++) nb_world_destroy(worlds[i]);
    }
    assert_memory_equal(theirs, again, sizeof theirs);
    for (int i = 0; i < 3; i++)
        for (int s = 0; s < TRAJECTORY_STEPS; s++) {
            const nb_trajectory_row *x = &mine[i][s], *y = &theirs[i][s];
            assert_int_equal(x->reason, y->reason);
            if (i == 1) continue;
            assert_int_equal(x->contacts, y->contacts);
            assert_int_equal(x->newton_iterations, y->newton_iterations);
            /* round-off grows over twelve iterations (test_device_step.c) */
            CHECK_NEAR(y->natural_map, x->natural_map, NB_REAL_BITS == 32 ? 1e-3 : 1e-11);
            CHECK_NEAR(y->potential_energy, x->potential_energy,
                       (NB_REAL_BITS == 32 ? 1e-6 : 1e-13) * x->potential_energy);
        }
}

TEST(test_steps_of_towers) {
    check_steps_of(tower);
    check_steps_of(joined_tower);
}

/* exact steps with a warm start, in f64; the second copy ends at once */
TEST(test_exact_steps_of_towers) {
    const double tolerance = 1e-6;
    nb_trajectory_row mine[2][TRAJECTORY_STEPS], theirs[2][TRAJECTORY_STEPS], again[2][TRAJECTORY_STEPS];
    for (int run = 0; NB_REAL_BITS == 64 && run < 3; run++) {
        nb_world *worlds[2] = {tower(3, 0.03), tower(3, 0.02)};
        worlds[1]->bodies[1].linear_velocity.x = NAN;
        ride_to(run == 0 ? &nb_runtime_emulated : &nb_runtime_cuda, worlds, 2, 64, tolerance, 1, TRAJECTORY_STEPS,
                run == 0   ? mine[0]
                : run == 1 ? theirs[0]
                           : again[0]);
        for (int i = 0; i < 2; i++) nb_world_destroy(worlds[i]);
    }
    if (NB_REAL_BITS != 64) return;
    assert_memory_equal(theirs, again, sizeof theirs);
    for (int s = 0; s < TRAJECTORY_STEPS; s++) {
        const nb_trajectory_row *x = &mine[0][s], *y = &theirs[0][s];
        assert_int_equal(y->reason, NB_REASON_CONVERGED);
        assert_true(y->natural_map <= tolerance && y->newton_iterations == x->newton_iterations);
        assert_int_equal(x->contacts, y->contacts);
        CHECK_NEAR(y->potential_energy, x->potential_energy, 1e-10 * x->potential_energy);
    }
    assert_int_equal(theirs[1][0].reason, NB_REASON_DIVERGED);
}

/* random poses have no contacts at a limit: the same ones are found */
TEST(test_contacts_of_random_poses) {
    const double h = 0.01;
    uint64_t state = test_seed();
    for (int i = 0; i < 10; i++) {
        nb_world *world = random_world(&state, 6);
        const nb_world *borrowed = world;
        const nb_trajectories_start start = {.worlds = &borrowed, .copies = 1, .contact_slots = 0, .h = h};
        const nb_island_settings settings = trajectory_settings(h);
        nb_contacts *mine;
        nb_contact theirs[512];
        int32_t count;
        nb_trajectories *t;
        CHECK_OK(nb_contacts_create(&mine));
        CHECK_OK(nb_contacts_detect(world, h, mine));
        CHECK_OK(nb_trajectories_create(&nb_runtime_cuda, &start, &settings, 0, &t));
        CHECK_OK(t->type->advance(t, 0, NULL));
        CHECK_OK(nb_trajectories_contacts(t, 0, theirs, &count));
        assert_int_equal(count, mine->count);
        for (int32_t n = 0; n < count; n++) {
            assert_true(theirs[n].feature == mine->items[n].feature && theirs[n].body_a == mine->items[n].body_a);
            CHECK_NEAR(theirs[n].gap, mine->items[n].gap, 1e-12);
        }
        t->type->destroy(t);
        nb_contacts_destroy(mine);
        nb_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_of_towers),
        cmocka_unit_test(test_exact_steps_of_towers),
        cmocka_unit_test(test_contacts_of_random_poses),
    };
    if (nb_runtime_cuda.open() != NB_OK) {
        printf("%s\n", nb_error_message());
        return 77;
    }
    nb_cuda_poison();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
