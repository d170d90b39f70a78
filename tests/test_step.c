/* The NCP of a time step over rigid bodies, and its Delassus operator. */
#include "check.h"

#include "base/instruction_set.h"

#include <string.h>

#include "base/memory.h"
#include "constraint/step.h"
#include "operator/sum.h"

NB_PRECISIONS(f32, f64);

enum {
    BODIES = 6,
    CONTACTS = 14
};

static const double epsilon = (double)NB_REAL_EPSILON;

/* bodies of random mass and orientation at `offset`; the last is fixed, the one before kinematic */
static nb_world *random_world(uint64_t *seed, nb_vec3 offset, int joints) {
    nb_world *world;
    CHECK_OK(nb_world_create(&world));
    for (int i = 0; i < BODIES; i++) {
        nb_body body = {.mass = test_random(seed, 0.5, 3), .shape = -1, .friction = 0.5};
        body.kind = i == BODIES - 1 ? NB_BODY_FIXED : i == BODIES - 2 ? NB_BODY_KINEMATIC : NB_BODY_DYNAMIC;
        body.inertia = nb_vec3_of(test_random(seed, 1, 2), test_random(seed, 1, 2), test_random(seed, 1, 2));
        body.position =
            nb_add(offset, nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1)));
        body.orientation = nb_quat_normalized((nb_quat){test_random(seed, -1, 1), test_random(seed, -1, 1),
                                                        test_random(seed, -1, 1), test_random(seed, -1, 1)});
        if (body.kind != NB_BODY_FIXED) {
            body.linear_velocity =
                nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1));
            body.angular_velocity =
                nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1));
        }
        int32_t index;
        CHECK_OK(nb_world_add_body(world, &body, &index));
    }
    const double compliance[6] = {0, 1e-4, 0, 0, 1e-3, 0};
    int32_t index;
    if (joints) {
        CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_REVOLUTE, 0, 2, offset, nb_quat_identity(), compliance, &index));
        CHECK_OK(
            nb_world_add_joint_at(world, NB_JOINT_SPHERICAL, 3, -1, offset, nb_quat_identity(), compliance, &index));
    }
    return world;
}

/* contacts between the given bodies at random points */
static nb_contacts random_contacts(uint64_t *seed, const nb_world *world, int count, int32_t pairs[][2],
                                   nb_contact *items) {
    for (int i = 0; i < count; i++) {
        nb_contact *c = &items[i];
        *c = (nb_contact){.body_a = pairs[i][0], .body_b = pairs[i][1], .friction = 0.3, .feature = (uint64_t)i};
        c->normal =
            nb_normalized(nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1)));
        c->gap = test_random(seed, -0.01, 0.02);
        c->point_b = nb_add(world->bodies[c->body_b].position,
                            nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1)));
        c->point_a = nb_add_scaled(c->point_b, c->gap, c->normal);
    }
    return (nb_contacts){.count = count, .items = items};
}

static int32_t all_pairs[CONTACTS][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 5}, {1, 2}, {1, 2}, {1, 4},
                                         {2, 3}, {2, 3}, {2, 5}, {3, 4}, {3, 5}, {3, 5}, {3, 5}};

/* dense J [rows][velocities] and D = J H^-1 J^T [rows][rows] from the packs' blocks and the mass */
static void dense_operator(nb_problem *p, double *j, double *d) {
    int32_t n = p->rows, m = p->velocities;
    const nb_delassus *sum = p->delassus;
    double *hj = calloc((size_t)(n * m), sizeof *hj);
    memset(j, 0, sizeof *j * (size_t)(n * m));
    for (int32_t i = 0; i < sum->block_count; i++) {
        int32_t node[NB_BLOCK_NODES];
        real block[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS], inverse[36], *from = block;
        int nodes = nb_sum_whole_jacobian((const nb_sum_view *)sum, i, node, block);
        for (int32_t r = sum->block_start[i]; r < sum->block_start[i + 1]; r++)
            for (int e = 0; e < nodes; e++, from += 6) {
                real moved[6] = {0};
                if (sum->mass->moves[node[e]]) {
                    sum->mass->type->inverse_block(sum->mass, node[e], inverse);
                    for (int k = 0; k < 36; k++) moved[k / 6] += inverse[k] * from[k % 6];
                }
                for (int k = 0; k < 6; k++) {
                    j[r * m + 6 * node[e] + k] = (double)from[k];
                    hj[r * m + 6 * node[e] + k] = (double)moved[k];
                }
            }
    }
    memset(d, 0, sizeof *d * (size_t)(n * n));
    for (int32_t r = 0; r < n; r++)
        for (int32_t c = 0; c < n; c++)
            for (int32_t k = 0; k < m; k++) d[r * n + c] += hj[r * m + k] * j[c * m + k];
    free(hj);
}

/* apply, diagonal and entries of A = S D S + C are those of the dense J H^-1 J^T */
TEST(the_operator_is_j_inverse_mass_j_transposed) {
    uint64_t seed = 42;
    print_message("seed %llu\n", (unsigned long long)seed);
    nb_contact items[CONTACTS];
    nb_world *world = random_world(&seed, nb_vec3_of(0, 0, 0), 1);
    nb_contacts contacts = random_contacts(&seed, world, CONTACTS, all_pairs, items);
    nb_step *step;
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_step_begin(step, world, &contacts, 0.01, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    assert_int_equal(p->rows, 5 + 3 + 3 * CONTACTS);
    for (int32_t i = 0; i < p->velocities - 12; i++) p->u[i] = R(test_random(&seed, -1, 1));
    p->type->evaluate(p, NULL);

    int32_t n = p->rows;
    double *j = calloc((size_t)(n * p->velocities), sizeof *j), *d = calloc((size_t)(n * n), sizeof *d);
    dense_operator(p, j, d);
    nb_system *system;
    CHECK_OK(nb_system_create(p->delassus, &system));
    real x[128], y[128], diagonal[128];
    for (int32_t r = 0; r < n; r++) {
        system->s[r] = R(test_random(&seed, 0, 1));
        system->c[r] = R(test_random(&seed, 0, 1));
        x[r] = R(test_random(&seed, -1, 1));
    }
    nb_system_values_changed(system);
    nb_system_apply(system, x, y);
    nb_system_diagonal(system, diagonal);
    const nb_csr *matrix;
    CHECK_OK(nb_system_matrix(system, &matrix));
    const double tolerance = 300 * epsilon; /* sums of some fifty terms of size one to ten */
    for (int32_t r = 0; r < n; r++) {
        double sum = (double)(system->c[r] * x[r]);
        int64_t k = matrix->start[r];
        for (int32_t c = 0; c < n; c++) {
            double expected = (double)system->s[r] * d[r * n + c] * (double)system->s[c];
            sum += expected * (double)x[c];
            if (r == c) expected += (double)system->c[r];
            if (k < matrix->start[r + 1] && matrix->column[k] == c)
                CHECK_NEAR(matrix->value[k++], expected, tolerance);
            else
                CHECK_NEAR(0, expected, 0); /* nothing is missing from the pattern */
            if (r == c) CHECK_NEAR(diagonal[r], expected, tolerance);
        }
        assert_true(k == matrix->start[r + 1]);
        CHECK_NEAR(y[r], sum, tolerance);
    }
    nb_system_destroy(system);
    free(j), free(d);
    nb_step_destroy(step);
    nb_world_destroy(world);
}

/* frozen values are affine in u with slope J */
TEST(frozen_values_are_linear) {
    uint64_t seed = 43;
    nb_contact items[CONTACTS];
    nb_world *world = random_world(&seed, nb_vec3_of(0, 0, 0), 1);
    nb_contacts contacts = random_contacts(&seed, world, CONTACTS, all_pairs, items);
    nb_step *step;
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_step_begin(step, world, &contacts, 0.01, NB_GEOMETRY_FROZEN));
    nb_problem *p = nb_step_problem(step);
    int32_t n = p->rows, m = p->velocities;
    double *j = calloc((size_t)(n * m), sizeof *j), *d = calloc((size_t)(n * n), sizeof *d), start[128];
    p->type->evaluate(p, NULL);
    dense_operator(p, j, d);
    for (int32_t r = 0; r < n; r++) start[r] = (double)p->value[r];
    double du[6 * BODIES] = {0};
    for (int32_t i = 0; i < m - 12; i++) {
        du[i] = test_random(&seed, -1, 1);
        p->u[i] = R(du[i]);
    }
    p->type->evaluate(p, NULL);
    for (int32_t r = 0; r < n; r++) {
        double expected = start[r];
        for (int32_t i = 0; i < m; i++) expected += j[r * m + i] * du[i];
        CHECK_NEAR(p->value[r], expected, 100 * epsilon * (fabs(start[r]) + 20));
    }
    free(j), free(d);
    nb_step_destroy(step);
    nb_world_destroy(world);
}

/* the gap at the end of the step, by the definition n . (a(q+) - b(q+)), far from the origin */
TEST(gaps_by_increments_keep_their_digits) {
    uint64_t seed = 44;
    const double h = 0.01;
    nb_contact items[CONTACTS];
    nb_world *world = random_world(&seed, nb_vec3_of(1000, -2000, 500), 0);
    nb_contacts contacts = random_contacts(&seed, world, CONTACTS, all_pairs, items);
    nb_step *step;
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_step_begin(step, world, &contacts, h, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    const int32_t *order = nb_step_contact_order(step);
    for (int32_t i = 0; i < p->velocities - 12; i++) p->u[i] = R(test_random(&seed, -1, 1));
    p->type->evaluate(p, NULL);
    for (int32_t i = 0; i < CONTACTS; i++) {
        const nb_contact *c = &items[order[i]];
        nb_vec3 end[2];
        for (int side = 0; side < 2; side++) {
            const nb_body *body = &world->bodies[side ? c->body_b : c->body_a];
            const real *u = p->u + 6 * (side ? c->body_b : c->body_a);
            nb_vec3 v = nb_vec3_of((double)u[0], (double)u[1], (double)u[2]);
            nb_vec3 omega = nb_vec3_of((double)u[3], (double)u[4], (double)u[5]);
            nb_vec3 arm = nb_sub(side ? c->point_b : c->point_a, body->position);
            nb_vec3 local = nb_quat_rotate(nb_quat_conjugate(body->orientation), arm);
            end[side] = nb_add(nb_add_scaled(body->position, h, v),
                               nb_quat_rotate(nb_quat_advance(body->orientation, h, omega), local));
        }
        double gap = nb_dot(c->normal, nb_sub(end[0], end[1]));
        /* world coordinates of 2e3 cost the reference about 1e-12 m; increments in f32 only their own size, h |u| */
        CHECK_NEAR((double)p->value[3 * i] * h, gap, 1e-11 + 10 * epsilon * 4 * h + epsilon * 0.02);
    }
    nb_step_destroy(step);
    nb_world_destroy(world);
}

TEST(free_motion_has_no_momentum_residual) {
    uint64_t seed = 45;
    nb_contact items[CONTACTS];
    nb_world *world = random_world(&seed, nb_vec3_of(0, 0, 0), 1);
    world->settings.gyroscopic = NB_GYROSCOPIC_EXPLICIT;
    nb_contacts contacts = random_contacts(&seed, world, CONTACTS, all_pairs, items);
    nb_step *step;
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_step_begin(step, world, &contacts, 0.01, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    real du[6 * BODIES], zero[128] = {0};
    p->type->evaluate(p, NULL);
    assert_true(p->type->momentum_error(p) > 0.01); /* u = 0 is not the free motion */
    p->type->velocity_step(p, zero, du);
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] += du[i];
    p->type->evaluate(p, NULL);
    CHECK_BELOW(p->type->momentum_error(p), 50 * epsilon);
    /* gravity and the gyroscopic torque, by hand, for body 0 */
    const nb_body *b = &world->bodies[0];
    CHECK_NEAR(p->u[2], b->linear_velocity.z + 0.01 * world->gravity.z, 20 * epsilon);
    nb_vec3 local = nb_quat_rotate(nb_quat_conjugate(b->orientation), b->angular_velocity);
    nb_vec3 spin = nb_vec3_of(b->inertia.x * local.x, b->inertia.y * local.y, b->inertia.z * local.z);
    nb_vec3 torque = nb_scale(-1, nb_cross(local, spin));
    nb_vec3 change = nb_quat_rotate(
        b->orientation, nb_vec3_of(torque.x / b->inertia.x, torque.y / b->inertia.y, torque.z / b->inertia.z));
    CHECK_NEAR(p->u[3], b->angular_velocity.x + 0.01 * change.x, 20 * epsilon);
    nb_step_destroy(step);
    nb_world_destroy(world);
}

/* two heaps: every island has its rows, and its operator is the whole's on them */
TEST(islands_share_no_body) {
    uint64_t seed = 46;
    int32_t pairs[][2] = {{0, 3}, {1, 2}, {1, 5}, {2, 5}, {0, 3}, {0, 5}};
    nb_contact items[6];
    nb_world *world = random_world(&seed, nb_vec3_of(0, 0, 0), 0);
    nb_contacts contacts = random_contacts(&seed, world, 6, pairs, items);
    nb_step *step;
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_step_begin(step, world, &contacts, 0.01, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    assert_int_equal(p->island_count, 2);
    assert_int_equal(p->largest_island, 3);
    p->type->evaluate(p, NULL);
    real x[18], y[18], one[18], zero[18] = {0};
    for (int i = 0; i < 18; i++) x[i] = R(test_random(&seed, -1, 1)), one[i] = 1;
    p->delassus->type->apply(p->delassus, one, zero, x, y);
    for (int32_t island = 0; island < 2; island++) {
        nb_law_range range;
        assert_int_equal(p->range_count, 1);
        const nb_delassus *own = p->type->island(p, island, &range);
        real part[18];
        assert_int_equal(own->rows, 9);
        assert_int_equal(nb_law_range_rows(&range), 9);
        assert_int_equal(range.first_row, 9 * island);
        assert_int_equal(range.first, 3 * island);
        own->type->apply(own, one, zero, x + range.first_row, part);
        for (int i = 0; i < 9; i++) CHECK_NEAR(part[i], y[range.first_row + i], 0);
    }
    nb_step_destroy(step);
    nb_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_operator_is_j_inverse_mass_j_transposed),
        cmocka_unit_test(frozen_values_are_linear),
        cmocka_unit_test(gaps_by_increments_keep_their_digits),
        cmocka_unit_test(free_motion_has_no_momentum_residual),
        cmocka_unit_test(islands_share_no_body),
    };
    /* with the kernels of every instruction set that this processor has */
    int failed = 0;
    for (int set = 0; set < 3; set++) {
        static const char *const names[] = {"avx512", "avx2", "baseline"};
        if (nb_instruction_set_named(names[set]) < 0) continue;
        setenv("NCPBENCH_KERNELS", names[set], 1);
        failed += cmocka_run_group_tests_name(names[set], tests, NULL, NULL);
    }
    return failed;
}
