/* The island kernel on a GPU against its emulation: the same up to fused multiplications and additions. Without a GPU
 * skipped (77). */
#include "island_bench.h"

NB_PRECISIONS(f32, f64);

TEST(test_variants) {
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        bench *b = bench_of(&variants[i]);
        nb_island_settings settings = settings_of(b);
        nb_island_set emulated, cuda, *sets[1] = {&cuda};
        nb_problem *p = b->problem;
        build(b, variants[i].by_island, 0, &emulated);
        build(b, variants[i].by_island, 0, &cuda);
        settings.newton_iterations = 2; /* more would let round-off grow */
        run(&emulated, &settings);
        CHECK_OK(nb_islands_run(&nb_runtime_cuda, sets, 1, &settings));
        nb_island_set_take(&emulated, -1, p);
        memcpy(b->u, p->u, (size_t)p->velocities * sizeof(real));
        nb_island_set_take(&cuda, -1, p);
        CHECK_NEAR(distance(p->u, b->u, p->velocities), 0, 2e4 * (double)NB_REAL_EPSILON);
        nb_island_set_clear(&emulated);
        nb_island_set_clear(&cuda);
        bench_destroy(b);
    }
}

/* the same launch makes the same bits */
TEST(test_it_is_deterministic) {
    bench *b = bench_of(&variants[4]);
    nb_island_settings settings = settings_of(b);
    nb_island_set first, second, *sets[1];
    build(b, 0, 1, &first);
    build(b, 0, 1, &second);
    sets[0] = &first;
    CHECK_OK(nb_islands_run(&nb_runtime_cuda, sets, 1, &settings));
    sets[0] = &second;
    CHECK_OK(nb_islands_run(&nb_runtime_cuda, sets, 1, &settings));
    assert_int_equal(first.made_bytes, second.made_bytes);
    assert_memory_equal(first.made, second.made, (size_t)first.made_bytes);
    nb_island_set_clear(&first);
    nb_island_set_clear(&second);
    bench_destroy(b);
}

TEST(test_a_batch_is_its_scenes) {
    check_batch(&nb_runtime_cuda);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_it_is_deterministic),
        cmocka_unit_test(test_a_batch_is_its_scenes),
    };
    if (nb_runtime_cuda.open() != NB_OK) {
        printf("%s\n", nb_error_message());
        return 77;
    }
    nb_cuda_poison();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
