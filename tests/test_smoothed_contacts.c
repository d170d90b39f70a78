/* Contacts of method smoothed: the stiffness that a load asks for, gaps at the end of a step against detection there,
 * and what passes of lagged friction leave, against closed forms. */
#include "smoothed_scene.h"

#include "contact/contact.h"
#include "method/smoothed/penalty_matrix.h"

NB_PRECISIONS(f64);

/* ---- stiffness ---- */

/* A load that does not change gets a stiffness whose gap is delta/2, from any that is too soft, in one repetition. */
TEST(a_static_load_ends_at_half_the_tolerance) {
    static const char *const soft[] = {"contact-stiffness=1", "contact-stiffness=1e-3", "contact-stiffness=2000"};
    for (int k = 0; k < 3; k++) {
        scene s;
        open_scene(soft[k], "multifrontal", &s);
        const nb_particle *particle = add_particle(&s, 10, delta, 0);
        step(&s, 100); /* so long that inertia counts for 2e-5 of the weight at most, from 1.8 m deep */
        CHECK_NEAR(s.repeats, 1, 0);
        CHECK_NEAR(particle->position.z, delta / 2, 1e-5 * delta);
        CHECK_NEAR(s.least_gap, 0.5, 1e-5);
        CHECK_NEAR(s.stiffness, 4 * gravity * cos(slope) / (3 * delta), 4e-5 * s.stiffness);
        close_scene(&s);
    }
}

/* A ball that is wider than the gap it is in: no stiffness keeps it apart from both planes. */
TEST(what_cannot_be_kept_apart_fails_by_name) {
    scene s;
    int32_t shape, body;
    open_scene("", "multifrontal", &s);
    nb_shape *ball;
    CHECK_OK(nb_add_ground(s.world, 0.5, nb_quat_identity(), &body));
    CHECK_OK(nb_add_ground(s.world, 0.5, nb_quat_about(nb_vec3_of(1, 0, 0), acos(-1)), &body));
    s.world->bodies[body].position = nb_vec3_of(0, 0, 0.99);
    CHECK_OK(nb_shape_sphere(0.5, &ball));
    CHECK_OK(nb_world_add_shape(s.world, ball, &shape));
    CHECK_OK(nb_world_add_solid(s.world, NB_BODY_DYNAMIC, shape, 1, 0.5, nb_vec3_of(0, 0, 0.495), nb_quat_identity(),
                                &body));
    CHECK_OK(try_step(&s, 0.01));
    assert_int_equal(s.outcome.reason, NB_REASON_DIVERGED);
    print_message("%s\n", s.outcome.remark);
    assert_non_null(strstr(s.outcome.remark, "m deep at up to"));
    close_scene(&s);
}

/* ---- contacts at the iterate ---- */

/* a ball, an ellipsoid, a tilted box on the ground and on a ball that is fixed, and a particle on one: all fast */
static void add_movers(scene *s) {
    int32_t ground, ball, big, egg, box, body;
    nb_shape *shape;
    s->world->gravity = nb_vec3_of(0, 0, -gravity);
    CHECK_OK(nb_add_ground(s->world, 0.4, nb_quat_identity(), &ground));
    CHECK_OK(nb_shape_sphere(0.3, &shape));
    CHECK_OK(nb_world_add_shape(s->world, shape, &ball));
    CHECK_OK(nb_shape_sphere(1, &shape));
    CHECK_OK(nb_world_add_shape(s->world, shape, &big));
    CHECK_OK(nb_shape_ellipsoid(nb_vec3_of(0.4, 0.3, 0.2), &shape));
    CHECK_OK(nb_world_add_shape(s->world, shape, &egg));
    CHECK_OK(nb_add_box_shape(s->world, nb_vec3_of(0.2, 0.15, 0.1), &box));
    const nb_quat tilted = nb_quat_about(nb_vec3_of(0.6, 0.8, 0), 0.7);
    CHECK_OK(nb_world_add_solid(s->world, NB_BODY_FIXED, big, 1, 0.4, nb_vec3_of(0, 0, 0.2), tilted, &body));
    CHECK_OK(nb_world_add_solid(s->world, NB_BODY_DYNAMIC, ball, 2, 0.4, nb_vec3_of(1.25, 0, 0.6), tilted, &body));
    s->world->bodies[body].linear_velocity = nb_vec3_of(-1, 2, -1);
    CHECK_OK(nb_world_add_solid(s->world, NB_BODY_DYNAMIC, egg, 2, 0.4, nb_vec3_of(4, 0, 0.27), tilted, &body));
    s->world->bodies[body].angular_velocity = nb_vec3_of(3, 2, -1);
    CHECK_OK(nb_world_add_solid(s->world, NB_BODY_DYNAMIC, box, 2, 0.4, nb_vec3_of(-4, 0, 0.22), tilted, &body));
    s->world->bodies[body].angular_velocity = nb_vec3_of(-3, 4, -1);
    const nb_particle particle = {.kind = NB_BODY_DYNAMIC,
                                  .mass = 1,
                                  .position = nb_vec3_of(0, 0, 1.2 + delta / 2),
                                  .velocity = nb_vec3_of(3, 0, 0),
                                  .friction = 0.4};
    CHECK_OK(nb_world_add_particle(s->world, &particle, &body));
}

/* The gaps that contacts push by are those of the shapes at the end of the step; with the start's normals and points
 * they are off by what curves and turns. */
TEST(gaps_are_those_of_the_end) {
    static const char *const options[] = {
        "contact-geometry=iterate", "contact-geometry=iterate friction-coupling=lagged", "contact-geometry=start"};
    for (int k = 0; k < 3; k++) {
        scene s;
        nb_contacts *found;
        double worst = 0, deepest = INFINITY, most = 0;
        open_scene(options[k], "multifrontal", &s);
        CHECK_OK(nb_contacts_create(&found));
        add_movers(&s);
        for (int n = 0; n < 60; n++) {
            double least = INFINITY;
            step(&s, 5e-3);
            CHECK_OK(nb_contacts_detect(s.world, 0, found));
            for (int32_t i = 0; i < found->count; i++) least = fmin(least, found->items[i].gap);
            if (least > delta) continue; /* nothing touches */
            deepest = fmin(deepest, least);
            worst = fmax(worst, fabs(s.least_gap * delta - least));
            most = fmax(most, s.detections);
        }
        print_message("%s: off by %.2e m, in %g detections a step at most\n", options[k], worst, most);
        assert_true(deepest < 0.9 * delta);
        if (k < 2)
            CHECK_BELOW(worst, 1e-8); /* 1e-9 m/s of the whole mass is a thousandth of that */
        else
            assert_true(worst > 1e-5);
        nb_contacts_destroy(found);
        close_scene(&s);
    }
}

/* ---- passes ---- */

/* A particle that settles in a wedge of two planes, each at this angle from the vertical, slides on both. Friction of
 * the one presses it on the other less. Per pass the lag is multiplied by 2 mu h^2 k sin cos/(m + 2 h^2 k sin^2), k the
 * contacts' stiffness at the end: from the closed form of the vertical momentum. */
static double wedge(scene *s, double friction, const char *options) {
    const double angle = 30 * degree, h = 0.01;
    int32_t index;
    const nb_particle heavy = {
        .kind = NB_BODY_DYNAMIC, .mass = 1, .position = nb_vec3_of(0, 0, delta / sin(angle)), .friction = friction};
    open_scene(options, "cholesky", s);
    s->world->gravity = nb_vec3_of(0, 0, -gravity);
    for (int k = -1; k <= 1; k += 2)
        CHECK_OK(nb_add_ground(s->world, friction, nb_quat_about(nb_vec3_of(0, 1, 0), k * (acos(0) - angle)), &index));
    CHECK_OK(nb_world_add_particle(s->world, &heavy, &index));
    CHECK_OK(try_step(s, h));
    const double d = s->least_gap * delta, k = 6 * s->stiffness * (delta - d) / delta, stiff = 2 * h * h * k;
    return friction * stiff * sin(angle) * cos(angle) / (1 + stiff * sin(angle) * sin(angle));
}

TEST(passes_contract_by_the_closed_form) {
    scene s;
    const double factor = wedge(&s, 0.3, "friction-coupling=lagged friction-iterations=8 lag-tolerance=1e-6");
    assert_int_equal(s.outcome.reason, NB_REASON_FRICTION_LAG);
    assert_true(factor > 0.1 && factor < 0.5);
    assert_true(-s.world->particles[0].velocity.z * cos(30 * degree) > eps); /* it slides */
    for (int k = 4; k < PASSES; k++) { /* earlier, the end still moves by the square of what is left */
        print_message("pass %d: lag %.3e N, ratio %.5f for %.5f\n", k, s.pass_lag[k], s.pass_lag[k] / s.pass_lag[k - 1],
                      factor);
        CHECK_NEAR(s.pass_lag[k] / s.pass_lag[k - 1], factor, 1e-2 * factor);
    }
    close_scene(&s);
    wedge(&s, 0.3, "friction-coupling=lagged friction-iterations=8");
    assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
    CHECK_BELOW(s.pass, 6); /* it ends before the eighth */
    close_scene(&s);
}

/* Friction that jams a wedge lets passes diverge: that is a result with a name. A single pass was not asked for more,
 * and passes that are all made by tolerance 0 are not judged. */
TEST(passes_that_do_not_converge_have_a_reason) {
    static const struct {
        const char *options;
        nb_reason reason;
    } cases[] = {{"friction-coupling=lagged friction-iterations=8", NB_REASON_FRICTION_LAG},
                 {"friction-coupling=lagged", NB_REASON_CONVERGED},
                 {"friction-coupling=lagged friction-iterations=8 lag-tolerance=0", NB_REASON_CONVERGED}};
    for (int k = 0; k < 3; k++) {
        scene s;
        wedge(&s, 3, cases[k].options);
        print_message("%s: %s, lag %g N in pass %g\n", cases[k].options, nb_reason_name(s.outcome.reason), s.lag,
                      s.pass);
        assert_int_equal(s.outcome.reason, cases[k].reason);
        CHECK_NEAR(s.pass, k == 1 ? 0 : 7, 0);
        if (k != 1) assert_true(s.lag > 1);
        close_scene(&s);
    }
}

/* ---- the matrix ---- */

/* the place of a node's first velocity in the matrix, whose rows are those of nodes with mass */
static int32_t row_of(const nb_problem *p, int32_t node) {
    int32_t row = 0;
    for (int32_t i = 0; i < node; i++)
        if (p->delassus->mass->moves[i]) row += nb_node_velocities(p->nodes, i);
    return row;
}

/* dense += J^T T J of a block, from its Jacobian */
static void add_dense(const nb_problem *p, int32_t block, const double *t, int rows, double *dense) {
    double j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES], place[NB_BLOCK_COLUMNS];
    const int nodes = p->delassus->type->block_jacobian(p->delassus, block, node, j),
              n = (int)(p->delassus->block_start[block + 1] - p->delassus->block_start[block]);
    int columns = 0;
    for (int k = 0; k < nodes; k++)
        for (int c = 0; c < nb_node_velocities(p->nodes, node[k]); c++) place[columns++] = row_of(p, node[k]) + c;
    for (int a = 0; a < columns; a++)
        for (int b = 0; b < columns; b++)
            for (int k = 0; k < n * n; k++)
                dense[place[a] * rows + place[b]] += j[(k / n) * columns + a] * t[k] * j[(k % n) * columns + b];
}

/* of boxes on boxes and on the ground, and a particle on one, with any T, some of it 0 */
TEST(the_matrix_is_that_of_the_blocks) {
    uint64_t seed = test_seed();
    scene s;
    int32_t shape, body;
    nb_step *of;
    nb_penalty_matrix matrix = {0};
    open_scene("", "multifrontal", &s);
    CHECK_OK(nb_add_ground(s.world, 0.4, nb_quat_identity(), &body));
    CHECK_OK(nb_add_box_shape(s.world, nb_vec3_of(0.5, 0.4, 0.1), &shape));
    for (int k = 0; k < 3; k++)
        CHECK_OK(nb_world_add_solid(s.world, NB_BODY_DYNAMIC, shape, 2 + k, 0.4,
                                    nb_vec3_of(0.1 * k, 0, 0.1 + 0.201 * k),
                                    nb_quat_about(nb_vec3_of(0, 0, 1), 0.2 * k), &body));
    const nb_particle particle = {
        .kind = NB_BODY_DYNAMIC, .mass = 1, .position = nb_vec3_of(0.3, 0.1, 0.604), .friction = 1};
    CHECK_OK(nb_world_add_particle(s.world, &particle, &body));
    CHECK_OK(nb_step_create(&of));
    CHECK_OK(nb_contacts_detect(s.world, 0.01, s.contacts));
    CHECK_OK(nb_step_begin(of, s.world, s.contacts, 0.01, NB_GEOMETRY_JOINTS));
    nb_problem *p = nb_step_problem(of);
    CHECK_OK(nb_penalty_matrix_make(&matrix, p, 0));
    const nb_csr *a;
    CHECK_OK(nb_system_matrix(matrix.system, &a));
    const int rows = a->rows;
    assert_int_equal(rows, 3 * 6 + 3);
    assert_true(p->delassus->block_count > 12);
    double *got = test_calloc((size_t)(3 * rows * rows), sizeof *got), *expected = got + rows * rows,
           *mass = expected + rows * rows;
    for (int trial = 0; trial < 4; trial++) { /* the first one: T of 0, the masses alone */
        for (int64_t k = 0; k < matrix.place[p->delassus->block_count]; k++)
            matrix.t[k] = trial == 0 || (k / 9) % 3 == trial ? 0 : test_random(&seed, -1, 1);
        nb_penalty_matrix_assemble(&matrix, p, 0);
        CHECK_OK(nb_system_matrix(matrix.system, &a));
        memset(got, 0, (size_t)(rows * rows) * sizeof *got);
        for (int r = 0; r < rows; r++)
            for (int64_t e = a->start[r]; e < a->start[r + 1]; e++) got[r * rows + a->column[e]] = a->value[e];
        if (trial == 0) memcpy(mass, got, (size_t)(rows * rows) * sizeof *got);
        memcpy(expected, mass, (size_t)(rows * rows) * sizeof *got);
        for (int32_t i = 0; i < p->delassus->block_count; i++)
            add_dense(p, i, matrix.t + matrix.place[i], rows, expected);
        for (int k = 0; k < rows * rows; k++)
            CHECK_NEAR(got[k], expected[k], 1e-13); /* sums of some 50 numbers below 1 */
    }
    test_free(got);
    nb_penalty_matrix_clear(&matrix);
    nb_step_destroy(of);
    close_scene(&s);
}

RUN_TESTS(a_static_load_ends_at_half_the_tolerance, what_cannot_be_kept_apart_fails_by_name, gaps_are_those_of_the_end,
          passes_contract_by_the_closed_form, the_matrix_is_that_of_the_blocks,
          passes_that_do_not_converge_have_a_reason)
