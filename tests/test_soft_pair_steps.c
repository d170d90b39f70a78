/* Contacts of deformable bodies with each other over whole steps: rows, islands, methods, and what they leave of
 * momentum. */
#include "constraint/step.h"
#include "soft_scene.h"

NB_PRECISIONS(f32, f64);

static const double g = 9.81, ROUND_OFF = 1e-12;

/* ---- rows ---- */

/* Jacobians against differences of values, and sums of them: no contact moves the whole, or turns it where its points
 * are on each other */
TEST(jacobians_match_differences) {
    if (NB_REAL_BITS == 32) return;
    uint64_t seed = test_seed();
    nb_world *world = soft_scene_world();
    nb_contacts *contacts;
    nb_step *step;
    nb_soft_part part;
    int seen[6] = {0};
    const double h = 0.01;
    world->settings.contact_margin = 0.02;
    nb_quat turn = nb_quat_about(nb_vec3_of(0, 0, 1), 0.4);
    for (int n = 0; n < 2; n++) {
        CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(-0.1, -0.1, 0), nb_vec3_of(0.2, 0.2, 0.1),
                                       (const int32_t[3]){2, 2, 1}, &part));
        soft_scene_move(world, &part, n ? turn : nb_quat_identity(), nb_vec3_of(0, 0, 0.105 * n));
        nb_soft_part_set_skin(world, &part, 0.5, 0.002);
    }
    nb_vec3 beside = nb_quat_rotate(turn, nb_vec3_of(0.138, 0.01, 0.243)); /* the middle of the upper one's edge */
    CHECK_OK(nb_world_add_soft_ball(world, 0, beside, 0.05, 3, &part));
    nb_soft_part_set_skin(world, &part, 0.5, 0.002);
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_contacts_detect(world, h, contacts));
    CHECK_OK(nb_step_begin(step, world, contacts, h, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    const nb_sum_view *view = nb_sum_view_of(p->delassus);
    const int32_t *order = nb_step_contact_order(step);
    real *force = NULL;
    CHECK_OK(NB_ALLOCATE(p->velocities, &force));
    for (int32_t v = 0; v < p->velocities; v++) p->u[v] = (real)test_random(&seed, -1e-2, 1e-2);
    p->type->evaluate(p, NULL);
    for (int32_t i = 0; i < p->contacts; i++) {
        static real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
        const nb_contact *c = &contacts->items[order[i]];
        const nb_contact_side *side = nb_contacts_side(contacts, order[i]);
        int32_t node[NB_BLOCK_NODES], row = p->bilaterals + 3 * i;
        int count = nb_sum_whole_jacobian(view, p->bilaterals + i, node, j);
        assert_int_equal(count, side->count);
        seen[count + (side->second == 2)]++;
        CHECK_NEAR(p->value[row], c->gap / h, 0.05);
        for (int n = 0, column = 0; n < count; n++)
            for (int k = 0; k < 3; k++, column++) {
                real *u = p->u + p->nodes->velocity[node[n]] + k, old = *u, high[3];
                *u = old + R(1e-3);
                p->type->evaluate(p, NULL);
                for (int r = 0; r < 3; r++) high[r] = p->value[row + r];
                *u = old - R(1e-3);
                p->type->evaluate(p, NULL);
                for (int r = 0; r < 3; r++) /* rows are linear */
                    CHECK_NEAR((high[r] - p->value[row + r]) / 2e-3, j[r * 3 * count + column], 1e-9);
                *u = old;
            }
        for (int r = 0; r < 3; r++) {
            nb_vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
            for (int32_t k = 0; k < p->rows; k++) p->z[k] = k == row + r;
            p->type->row_forces(p, p->z, force);
            for (int32_t k = 0; k < world->particle_count; k++) {
                nb_vec3 on = nb_vec3_of((double)force[3 * k], (double)force[3 * k + 1], (double)force[3 * k + 2]);
                sum = nb_add(sum, on);
                moment = nb_add(moment, nb_cross(world->particles[k].position, on));
            }
            /* skins of 2 mm: the points of the particles are that much farther apart than those that touch */
            double apart = r == 0 ? 0 : fabs(c->gap + 2 * 0.002);
            CHECK_NEAR(nb_norm(sum), 0, ROUND_OFF);
            CHECK_NEAR(nb_norm(moment), apart, 1e-9);
        }
        for (int32_t k = 0; k < p->rows; k++) p->z[k] = 0;
    }
    print_message("%d of edge and corner, %d of face and corner, %d of two edges\n", seen[3], seen[4], seen[5]);
    assert_true(seen[3] > 0 && seen[4] > 0 && seen[5] > 0);
    nb_free(force);
    nb_step_destroy(step);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

/* ---- whole steps ---- */

static void momentum_of(const nb_world *world, int32_t begin, int32_t end, double *mass, nb_vec3 *momentum) {
    *mass = 0;
    *momentum = nb_vec3_of(0, 0, 0);
    for (int32_t i = begin; i < end; i++) {
        *mass += world->particles[i].mass;
        *momentum = nb_add_scaled(*momentum, world->particles[i].mass, world->particles[i].velocity);
    }
}

/* Two blocks of other sizes fly at each other: the middle of both keeps its velocity to round-off, whatever happens
 * between them; without friction and with it. */
TEST(blocks_fly_at_each_other) {
    const double h = 0.005, limit = NB_REAL_BITS == 64 ? 1e-11 : 2e-4;
    nb_world *world = soft_scene_world();
    nb_soft_part part[2];
    soft_scene s;
    double mass, most = 0, deepest = 0, carried = 0, before = 0;
    nb_vec3 momentum, start;
    world->gravity = nb_vec3_of(0, 0, 0);
    world->settings.contact_margin = 0.005;
    for (int n = 0; n < 2; n++) {
        double size = n ? 0.1 : 0.2;
        CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(-size / 2, -size / 2, -size / 2),
                                       nb_vec3_of(size, size, size), (const int32_t[3]){2 - n, 2 - n, 2 - n},
                                       &part[n]));
        soft_scene_move(world, &part[n], nb_quat_about(nb_vec3_of(1, 0, 0), 0.3 * n),
                        nb_vec3_of(n ? 0.155 : 0, 0.013 * n, 0));
        nb_soft_part_set_skin(world, &part[n], 0.4, 0);
        for (int32_t i = 0; i < part[n].particle_count; i++)
            world->particles[part[n].first_particle + i].velocity = nb_vec3_of(n ? -2 : 0.5, 0.1, 0);
    }
    momentum_of(world, 0, world->particle_count, &mass, &start);
    momentum_of(world, part[1].first_particle, world->particle_count, &mass, &momentum);
    before = momentum.x;
    soft_scene_begin(&s, world, "interior-point");
    for (int i = 0; i < 20; i++) {
        CHECK_OK(soft_scene_step(&s, h));
        momentum_of(world, 0, world->particle_count, &mass, &momentum);
        most = fmax(most, nb_norm(nb_sub(momentum, start)) / mass);
        for (int32_t k = 0; k < s.final.contacts; k++) {
            deepest = fmax(deepest, -s.final.gap[k]);
            carried = fmax(carried, s.final.lambda_normal[k]);
        }
    }
    momentum_of(world, part[1].first_particle, world->particle_count, &mass, &momentum);
    print_message("velocity of the middle off by %.1e m/s; small block from %.3f to %.3f N s, deepest %.1e m\n", most,
                  before, momentum.x, deepest);
    CHECK_BELOW(most, limit);
    CHECK_BELOW(deepest, NB_REAL_BITS == 64 ? 1e-9 : 1e-5);
    assert_true(carried > 1 && momentum.x > 0); /* they have bounced */
    soft_scene_end(&s);
}

/* a ground with a block on it, and another, turned, on that one */
static nb_world *make_stack(int cells, nb_soft_part part[2]) {
    nb_world *world = soft_scene_world();
    nb_shape *shape;
    const double size = 0.1;
    world->settings.contact_margin = 0.003;
    CHECK_OK(nb_shape_half_space(&shape));
    soft_scene_solid(world, NB_BODY_FIXED, shape, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity());
    for (int n = 0; n < 2; n++) {
        CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(-size / 2, -size / 2, 0), nb_vec3_of(size, size, size),
                                       (const int32_t[3]){cells, cells, cells}, &part[n]));
        soft_scene_move(world, &part[n], nb_quat_about(nb_vec3_of(0, 0, 1), 0.3 * n), nb_vec3_of(0, 0, 0.101 * n));
        nb_soft_part_set_skin(world, &part[n], 0.5, 0);
    }
    return world;
}

/* the force of contacts on a part's particles */
static nb_vec3 force_on(const nb_snapshot *final, const nb_soft_part *part) {
    nb_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < final->contacts; i++) {
        int32_t k = nb_snapshot_soft(final, i);
        for (int n = 0; k >= 0 && n < 4; n++) {
            int32_t of = final->soft_particle[4 * k + n] - part->first_particle;
            if (final->soft_particle[4 * k + n] >= 0 && of >= 0 && of < part->particle_count)
                sum = nb_add_scaled(sum, final->soft_weight[4 * k + n], nb_snapshot_contact_force(final, i));
        }
    }
    return sum;
}

static void check_laws(const nb_world *world, const nb_snapshot *final) {
    nb_checks checks = {0};
    nb_checks_general(world, final, 0, &checks);
    for (int i = 0; i < checks.count; i++)
        if (!checks.items[i].passed) fail_msg("%s: %g", checks.items[i].name, checks.items[i].actual);
}

/* What the blocks press on each other and on the ground is their weight and what moves them, step by step; in the end
 * nearly their weight. */
TEST(a_block_stands_on_a_block) {
    const double weight = 1000 * 1e-3 * g, h = 0.03;
    nb_soft_part part[2];
    nb_world *world = make_stack(2, part);
    soft_scene s;
    double deepest = 0, off = 0, force[2];
    soft_scene_begin(&s, world, "interior-point");
    for (int i = 0; i < 8; i++) {
        nb_vec3 before[2], after;
        double mass;
        for (int n = 0; n < 2; n++)
            momentum_of(world, part[n].first_particle, part[n].first_particle + part[n].particle_count, &mass,
                        &before[n]);
        CHECK_OK(soft_scene_step(&s, h));
        for (int n = 0; n < 2; n++) {
            momentum_of(world, part[n].first_particle, part[n].first_particle + part[n].particle_count, &mass, &after);
            nb_vec3 on = force_on(&s.final, &part[n]), rate = nb_scale(1 / h, nb_sub(after, before[n]));
            force[n] = on.z / weight;
            off = fmax(off, nb_norm(nb_sub(nb_sub(on, rate), nb_vec3_of(0, 0, weight))) / weight);
        }
        for (int32_t k = 0; k < s.final.contacts; k++) deepest = fmax(deepest, -s.final.gap[k]);
        if (NB_REAL_BITS == 64) check_laws(world, &s.final);
    }
    print_message("forces over weight and motion: off by %.1e; over weight in the end %.4f, %.4f; deepest %.1e m\n",
                  off, force[0], force[1], deepest);
    CHECK_BELOW(off, NB_REAL_BITS == 64 ? 1e-6 : 1e-2);
    CHECK_NEAR(force[0], 1, 0.05);
    CHECK_NEAR(force[1], 1, 0.05);
    CHECK_BELOW(deepest, NB_REAL_BITS == 64 ? 1e-9 : 1e-5);
    soft_scene_end(&s);
}

/* the same first step by every method and form: what the upper block gets of the lower one */
TEST(methods_agree) {
    static const char *const methods[] = {"newton", "interior-point", "psor", "pssor", "apgd", "auto"};
    double first = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        nb_soft_part part[2];
        nb_world *world = make_stack(1, part);
        soft_scene s;
        double mass;
        nb_vec3 momentum;
        for (int32_t k = part[1].first_particle; k < world->particle_count; k++) world->particles[k].velocity.z = -0.5;
        soft_scene_begin(&s, world, methods[i]);
        CHECK_OK(soft_scene_step(&s, 0.01));
        momentum_of(world, part[1].first_particle, world->particle_count, &mass, &momentum);
        double force = force_on(&s.final, &part[1]).z;
        print_message("%s: %.6f N, %d iterations\n", methods[i], force, (int)s.outcome.newton_iterations);
        assert_true(force > 10);
        if (i == 0) first = force;
        CHECK_NEAR(force, first, (NB_REAL_BITS == 64 ? 1e-3 : 2e-2) * first);
        CHECK_NEAR(momentum.z, mass * (-0.5 - 0.01 * g) + 0.01 * force, 1e-3);
        soft_scene_end(&s);
    }
}

/* a particle on the block is in its island, and the block carries it: it falls past where it has none below */
TEST(islands_join_what_touches) {
    nb_soft_part part[2];
    nb_world *world = make_stack(1, part);
    soft_scene s;
    int32_t index;
    static const double places[2][3] = {{0.012, 0.017, 0.2025}, {1, 0, 0.2}};
    for (int i = 0; i < 2; i++)
        CHECK_OK(nb_world_add_particle(
            world,
            &(nb_particle){
                .mass = 0.1, .position = {places[i][0], places[i][1], places[i][2]}, .friction = 0.5, .radius = 0.001},
            &index));
    soft_scene_begin(&s, world, "newton");
    CHECK_OK(soft_scene_step(&s, 0.01));
    assert_int_equal(s.counts.islands, 1); /* a particle in the air is none */
    for (int i = 0; i < 20; i++) CHECK_OK(soft_scene_step(&s, 0.03));
    assert_int_equal(s.counts.islands, 2); /* and on the ground one of its own */
    nb_soft_part carried = {.first_particle = index - 1, .particle_count = 1};
    CHECK_NEAR(force_on(&s.final, &carried).z / (0.1 * g), 1, 0.05);
    soft_scene_end(&s);
}

/* a contact that comes on the way is taken back to the start of the step with the particles of both sides */
TEST(contacts_come_on_the_way) {
    const double h = 0.01;
    nb_soft_part part[2];
    nb_world *world = make_stack(2, part);
    nb_contacts *contacts;
    nb_step *step;
    int32_t added, found = 0;
    for (int32_t i = part[1].first_particle; i < world->particle_count; i++) world->particles[i].position.z += 0.1;
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_contacts_detect(world, h, contacts));
    int32_t before = contacts->count;
    CHECK_OK(nb_step_begin(step, world, contacts, h, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    for (int32_t i = part[1].first_particle; i < world->particle_count; i++)
        p->u[p->nodes->velocity[1 + i] + 2] = R(-10.11); /* to 0.1 mm into the lower one */
    CHECK_OK(nb_problem_detect(p, &added));
    assert_true(added > 0);
    const nb_contacts *now = nb_step_contacts(step);
    assert_int_equal(now->count, before + added);
    for (int32_t i = 0; i < now->count; i++) {
        if (nb_contacts_side(now, i)->second == 0) continue;
        CHECK_NEAR(now->items[i].gap, 0.101, 1e-6);
        CHECK_NEAR(nb_norm(nb_sub(nb_sub(now->items[i].point_a, now->items[i].point_b),
                                  nb_scale(now->items[i].gap, now->items[i].normal))),
                   0, 1e-6);
        found++;
    }
    assert_int_equal(found, added);
    nb_step_destroy(step);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

RUN_TESTS(jacobians_match_differences, blocks_fly_at_each_other, a_block_stands_on_a_block, methods_agree,
          islands_join_what_touches, contacts_come_on_the_way)
