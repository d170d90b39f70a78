/* Deformable bodies that do not touch each other are islands: in the step, in the matrix that their elements are folded
 * into, and to interior-point, whose parts come to the solution of the whole. */
#include "soft_scene.h"

#include "constraint/parts.h"
#include "constraint/step.h"
#include "operator/delassus_matrix.h"
#include "step/condensed_problem.h"

NB_PRECISIONS(f32, f64);

static const double h = 0.01, size = 0.1;

enum {
    BODIES = 3,
    ALL = (1 << BODIES) - 1,
    MOST = 700 /* rows, velocities */
};

/* Soft boxes with places of their own on a ground, those of a mask, each with a mesh and a turn of its own. `place`: of
 * each, in boxes along x and above each other. */
static nb_world *world_of(int mask, const int place[BODIES][2]) {
    nb_world *world = soft_scene_world();
    nb_shape *plane;
    CHECK_OK(nb_shape_half_space(&plane));
    soft_scene_solid(world, NB_BODY_FIXED, plane, 1, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity());
    world->settings.contact_margin = 2e-3;
    for (int i = 0; i < BODIES; i++) {
        const int32_t cells[3] = {3 + i, 4, 1};
        nb_soft_part part;
        if (!(mask & 1 << i)) continue;
        CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(-size / 2, -size / 2, 0), nb_vec3_of(size, size, size),
                                       cells, &part));
        soft_scene_move(world, &part, nb_quat_about(nb_vec3_of(0, 0, 1), 0.3 * i),
                        nb_vec3_of(2 * size * place[i][0], 0, 1.01 * size * place[i][1] + 1e-3));
        CHECK_OK(nb_soft_part_set_rest(world, &part));
        nb_soft_part_set_skin(world, &part, 0.5, 0);
    }
    return world;
}

/* a step, with its elements folded into the mass */
typedef struct folded {
    nb_world *world;
    nb_contacts *contacts;
    nb_step *step;
    nb_condensed_problem *condensed;
    nb_problem *problem; /* the condensed one */
} folded;

static void fold(nb_world *world, folded *f) {
    *f = (folded){.world = world};
    nb_world_begin_step(world, h);
    CHECK_OK(nb_contacts_create(&f->contacts));
    CHECK_OK(nb_contacts_detect(world, h, f->contacts));
    CHECK_OK(nb_step_create(&f->step));
    CHECK_OK(nb_step_begin(f->step, world, f->contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_condensed_problem_make(nb_step_problem(f->step), &f->condensed));
    f->problem = nb_condensed_problem_of(f->condensed);
}

/* evaluated where particle i moves by a random velocity that its place at rest alone decides */
static void move(const folded *f) {
    nb_problem *p = f->problem;
    for (int32_t i = 0; i < f->world->particle_count; i++) {
        const nb_vec3 x = f->world->particles[i].rest;
        real *u = p->u + p->nodes->velocity[f->world->body_count + i];
        u[0] = R(0.3 * sin(97 * x.x + 31 * x.y));
        u[1] = R(0.3 * cos(53 * x.y + 41 * x.z));
        u[2] = R(0.3 * sin(71 * x.z + 23 * x.x));
    }
    p->type->evaluate(p, NULL);
}

static void unfold(folded *f) {
    nb_condensed_problem_destroy(f->condensed);
    nb_step_destroy(f->step);
    nb_contacts_destroy(f->contacts);
    nb_world_destroy(f->world);
}

static const int apart[BODIES][2] = {{0, 0}, {1, 0}, {2, 0}};

/* D_e of a body among others is that of the body alone, at the step's start and at other velocities. */
TEST(entries_are_those_of_a_body_alone) {
    folded all;
    nb_parts *parts;
    fold(world_of(ALL, apart), &all);
    assert_int_equal(nb_step_problem(all.step)->island_count, BODIES);
    CHECK_OK(nb_parts_create(all.problem, 1, NULL, &parts));
    assert_int_equal(parts->count, BODIES);
    for (int moved = 0; moved < 2; moved++) {
        if (moved) {
            move(&all);
            nb_parts_copy_values(parts, all.problem);
        }
        for (int i = 0; i < BODIES; i++) {
            folded one;
            fold(world_of(1 << i, apart), &one);
            if (moved) move(&one);
            const nb_csr *a = nb_delassus_matrix_of(parts->part[i].delassus);
            const nb_csr *b = nb_delassus_matrix_of(one.problem->exact);
            double largest = 0;
            assert_int_equal(a->rows, b->rows);
            assert_true(a->rows > 12);
            assert_memory_equal(a->start, b->start, ((size_t)a->rows + 1) * sizeof *a->start);
            assert_memory_equal(a->column, b->column, (size_t)a->start[a->rows] * sizeof *a->column);
            for (int64_t e = 0; e < a->start[a->rows]; e++) largest = fmax(largest, fabs((double)b->value[e]));
            for (int64_t e = 0; e < a->start[a->rows]; e++)
                CHECK_NEAR((double)a->value[e], (double)b->value[e], 1e3 * (double)NB_REAL_EPSILON * largest);
            unfold(&one);
        }
    }
    nb_parts_destroy(parts);
    unfold(&all);
}

/* how many islands the step has, and how many parts the condensed problem */
static void count(const int place[BODIES][2], int islands, int parts_expected) {
    folded f;
    nb_parts *parts;
    fold(world_of(ALL, place), &f);
    assert_int_equal(nb_step_problem(f.step)->island_count, islands);
    CHECK_OK(nb_parts_create(f.problem, 1, NULL, &parts));
    assert_int_equal(parts->count, parts_expected);
    nb_parts_destroy(parts);
    unfold(&f);
}

TEST(those_that_touch_are_one) {
    static const int first[BODIES][2] = {{0, 0}, {0, 1}, {1, 0}}, last[BODIES][2] = {{0, 0}, {1, 0}, {1, 1}},
                     around[BODIES][2] = {{0, 0}, {1, 0}, {0, 1}}, stack[BODIES][2] = {{0, 0}, {0, 1}, {0, 2}};
    count(first, 2, 2);
    count(last, 2, 2);
    count(around, 1, 2); /* elements of the one stand between those of the other */
    count(stack, 1, 0);
}

/* Products of the islands' views are those of the whole. */
TEST(views_are_shares_of_the_whole) {
    static real x[4 * MOST], y[4 * MOST], own_x[4 * MOST], own_y[4 * MOST];
    uint64_t seed = test_seed();
    folded f;
    nb_parts *parts;
    fold(world_of(ALL, apart), &f);
    const nb_problem *p = nb_step_problem(f.step);
    assert_in_range(p->rows, 1, 4 * MOST);
    CHECK_OK(nb_parts_create(p, 1, NULL, &parts));
    assert_int_equal(parts->count, BODIES);
    for (int32_t r = 0; r < p->rows; r++) x[r] = R(test_random(&seed, -1, 1));
    p->exact->type->apply(p->exact, NULL, NULL, x, y);
    int32_t rows = 0;
    for (int i = 0; i < BODIES; i++) {
        const nb_part *part = &parts->part[i];
        const nb_delassus *d = part->delassus;
        for (int32_t r = 0; r < d->rows; r++) own_x[r] = x[part->row[r]];
        d->type->apply(d, NULL, NULL, own_x, own_y);
        for (int32_t r = 0; r < d->rows; r++)
            CHECK_NEAR((double)own_y[r], (double)y[part->row[r]],
                       100 * (double)NB_REAL_EPSILON * (1 + fabs((double)y[part->row[r]])));
        rows += d->rows;
    }
    assert_int_equal(rows, p->rows);
    nb_parts_destroy(parts);
    unfold(&f);
}

static nb_status listen(void *context, int32_t newton, void *system, const void *problem) {
    (void)context;
    (void)newton;
    (void)system;
    (void)problem;
    return NB_OK;
}

/* velocities after a step of interior-point: as one, since somebody asks for its systems, or in parts */
static int32_t solve(int as_one, double u[MOST]) {
    const nb_observer observer = {.system = as_one ? listen : NULL};
    soft_scene s;
    soft_scene_begin(&s, world_of(ALL, apart), "interior-point");
    s.request.info.newton_iterations = 1000;
    nb_world_begin_step(s.world, h);
    CHECK_OK(nb_contacts_detect(s.world, h, s.contacts));
    assert_true(s.contacts->count >= 64);
    CHECK_OK(soft_scene_stepper.begin(s.stepper, s.world, s.contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_measure_begin(s.measure, s.world, s.contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(soft_scene_stepper.step(s.stepper, s.world, s.contacts, h, NB_START_PREVIOUS, s.measure, &observer,
                                     &s.outcome, &s.counts, &s.final));
    assert_int_equal(s.counts.islands, BODIES);
    assert_true(nb_reason_converged(s.outcome.reason));
    int32_t n = 3 * s.world->particle_count;
    assert_in_range(n, 1, MOST);
    memcpy(u, s.final.particle_v, (size_t)n * sizeof *u);
    soft_scene_end(&s);
    return n;
}

TEST(parts_come_to_the_solution_of_the_whole) {
    static double one[MOST], parts[MOST];
    int32_t n = solve(1, one);
    int different = 0;
    solve(0, parts);
    for (int32_t i = 0; i < n; i++) {
        CHECK_NEAR(parts[i], one[i], NB_REAL_BITS == 64 ? 1e-8 : 1e-3); /* a hundred times the tolerance */
        different |= parts[i] != one[i];
    }
    assert_true(different); /* else it was not solved in parts */
}

RUN_TESTS(entries_are_those_of_a_body_alone, those_that_touch_are_one, views_are_shares_of_the_whole,
          parts_come_to_the_solution_of_the_whole)
