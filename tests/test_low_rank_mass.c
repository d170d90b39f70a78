/* A mass with dense rows beyond its contract (test_mass_contract.c): the pressure of a cavity, stiff rows, and what is
 * refused. */
#include "operator/low_rank_mass.h"

#include "model/cavity.h"
#include "node_scene.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;

/* eight particles of which all but two have mass, and the surface of a cube between them */
static const int32_t cube[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static void make_cube(node_scene *s, uint64_t *seed, double x[24]) {
    const node_sizes sizes = {.particles = 8};
    make_node_scene(s, seed, &sizes);
    for (int i = 0; i < 24; i++) x[i] = (i / 3 >> i % 3 & 1) + test_random(seed, -0.2, 0.2);
}

static void gradient_of_cube(const double x[24], double g[24]) {
    const nb_cavity c = {12, cube[0]};
    CHECK_OK(nb_cavity_check(&c, 8));
    CHECK_OK(nb_cavity_check_volume(&c, x));
    memset(g, 0, 24 * sizeof *g);
    nb_cavity_add_gradient(&c, x, 1, g);
}

/* v = y - P w (g . y)/(1 + w g . P) of one row (Sherman, Morrison 1950), from no weight to one that lets the volume
 * change no more: then g . v is what rounding makes of it */
TEST(cavity_resists_by_its_formula) {
    static const double weights[] = {0, 1e-3, 1, 1e6, 1e12};
    uint64_t seed = test_seed();
    for (int n = 0; n < 5; n++) {
        static node_scene s;
        real f[NODE_NUMBERS], y[NODE_NUMBERS] = {0}, v[NODE_NUMBERS] = {0}, pull[NODE_NUMBERS] = {0},
                              p[NODE_NUMBERS] = {0};
        double x[24], g[24], gy = 0, gp = 0, gv = 0;
        nb_mass *mass;
        memset(&s, 0, sizeof s);
        make_cube(&s, &seed, x);
        gradient_of_cube(x, g);
        CHECK_OK(nb_low_rank_mass_create(&s.mass.base, 1, &mass));
        CHECK_OK(nb_low_rank_mass_set_values(mass, &weights[n], g));
        for (int k = 0; k < NODE_NUMBERS; k++) f[k] = R(test_random(&seed, -1, 1));
        const nb_sum_view *all = &s.whole;
        for (int32_t i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++) pull[s.place[i] + k] = R(g[3 * i + k]);
        s.mass.base.type->solve(&s.mass.base, all->dynamic_count, all->dynamic, f, y);
        s.mass.base.type->solve(&s.mass.base, all->dynamic_count, all->dynamic, pull, p);
        mass->type->solve(mass, all->dynamic_count, all->dynamic, f, v);
        for (int32_t i = 0; i < 8; i++)
            for (int k = 0; s.moves[i] && k < 3; k++) {
                gy += g[3 * i + k] * (double)y[s.place[i] + k];
                gp += g[3 * i + k] * (double)p[s.place[i] + k];
                gv += g[3 * i + k] * (double)v[s.place[i] + k];
            }
        CHECK_NEAR(gv, gy / (1 + weights[n] * gp), 100 * epsilon);
        for (int32_t i = 0; i < 8; i++)
            for (int k = 0; s.moves[i] && k < 3; k++) {
                const int at = s.place[i] + k;
                const double own = (double)y[at] - (double)p[at] * weights[n] * gy / (1 + weights[n] * gp);
                CHECK_NEAR((double)v[at], own, 100 * epsilon);
            }
        nb_low_rank_mass_destroy(mass);
        nb_sparse_mass_destroy(s.coupled);
    }
}

TEST(bad_rows_are_refused) {
    static node_scene s;
    uint64_t seed = 1;
    double x[24], g[24], weight = -1;
    nb_mass *mass;
    make_cube(&s, &seed, x);
    gradient_of_cube(x, g);
    nb_status status = NB_ERROR_MEMORY;
    for (int64_t successes = 0; status != NB_OK; successes++) { /* whichever allocation fails, nothing is kept */
        const int64_t held = nb_allocation_held();
        nb_allocation_fail_after(successes);
        status = nb_low_rank_mass_create(&s.mass.base, 1, &mass);
        nb_allocation_fail_after(-1);
        if (status != NB_OK) assert_true(nb_allocation_held() == held && !mass);
    }
    CHECK_FAULT(nb_low_rank_mass_set_values(mass, &weight, g), NB_ERROR_NUMERIC, "weight -1, which must be 0 or more");
    weight = 1;
    g[3] = NAN;
    CHECK_FAULT(nb_low_rank_mass_set_values(mass, &weight, g), NB_ERROR_NUMERIC, "nan at velocity 3");
    gradient_of_cube(x, g);
    CHECK_OK(nb_low_rank_mass_set_values(mass, &weight, g));
    nb_low_rank_mass_destroy(mass);
    nb_low_rank_mass_destroy(NULL);
}

/* Over another H0 the rows of a mass make the same solution as given there anew; in double, with the velocities of
 * nodes with mass one after the other, too. */
TEST(rows_go_over_to_another_mass) {
    static node_scene s;
    static const double weights[] = {0.3, 20};
    const node_sizes sizes = {.bodies = 3, .particles = 6, .coupled = 1};
    uint64_t seed = test_seed();
    double row[2 * NODE_VELOCITIES], x[NODE_VELOCITIES];
    real f[NODE_NUMBERS] = {0}, y[NODE_NUMBERS] = {0}, v[NODE_NUMBERS] = {0}, w[NODE_NUMBERS] = {0};
    nb_mass *over_blocks, *over_sparse, *again;
    int32_t used = 0;
    make_node_scene(&s, &seed, &sizes);
    for (int k = 0; k < 2 * NODE_VELOCITIES; k++) row[k] = test_random(&seed, -1, 1);
    for (int k = 0; k < NODE_NUMBERS; k++) f[k] = R(test_random(&seed, -1, 1));
    CHECK_OK(nb_low_rank_mass_create(&s.mass.base, 2, &over_blocks));
    CHECK_OK(nb_low_rank_mass_create(s.coupled, 2, &over_sparse));
    CHECK_OK(nb_low_rank_mass_create(s.coupled, 2, &again));
    CHECK_OK(nb_low_rank_mass_set_values(over_blocks, weights, row));
    CHECK_OK(nb_low_rank_mass_set_values(again, weights, row));
    CHECK_OK(nb_low_rank_mass_copy_rows(over_sparse, over_blocks));
    assert_true(nb_low_rank_mass_base(over_sparse) == s.coupled && nb_low_rank_mass_rank(over_sparse) == 2);
    assert_true(nb_low_rank_mass_base(s.coupled) == s.coupled && nb_low_rank_mass_rank(s.coupled) == 0);
    const nb_sum_view *all = &s.whole;
    s.coupled->type->solve(s.coupled, all->dynamic_count, all->dynamic, f, y);
    over_sparse->type->solve(over_sparse, all->dynamic_count, all->dynamic, f, v);
    again->type->solve(again, all->dynamic_count, all->dynamic, f, w);
    for (int pass = 0; pass < 2; pass++, used = 0) { /* H0^-1 f, and then H^-1 f, in their order */
        if (pass) nb_low_rank_mass_correct(over_sparse, x);
        for (int32_t i = 0; i < s.nodes.count; i++)
            for (int k = 0; s.moves[i] && k < nb_node_velocities(&s.nodes, i); k++, used++) {
                const int32_t at = s.place[i] + k;
                if (!pass) x[used] = (double)y[at];
                if (!pass) assert_true(v[at] == w[at]);
                if (pass) CHECK_NEAR(x[used], (double)v[at], 1000 * epsilon);
            }
    }
    nb_low_rank_mass_destroy(over_blocks);
    nb_low_rank_mass_destroy(over_sparse);
    nb_low_rank_mass_destroy(again);
    nb_sparse_mass_destroy(s.coupled);
}

RUN_TESTS(cavity_resists_by_its_formula, rows_go_over_to_another_mass, bad_rows_are_refused)
