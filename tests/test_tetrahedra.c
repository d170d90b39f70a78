/* Elements as rows of a step: the pack against its own Jacobians, rows and forces against differences, whole steps. */
#include "check.h"

#include <lapacke.h>
#include <string.h>

#include "base/memory.h"
#include "constraint/bilateral.h"
#include "constraint/step.h"
#include "element/elastic_law.h"
#include "element/energy.h"
#include "element/tetrahedron_pack.h"
#include "measure/measure.h"
#include "method.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "soft_mesh.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON, h = 0.01;

/* ---- a scene ---- */

static const nb_material materials[] = {{NB_MATERIAL_LINEAR, 1e5, 0.3, 1000},
                                        {NB_MATERIAL_NEO_HOOKEAN, 1e5, 0.45, 1000},
                                        {NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL, 1e5, 0.45, 1000}};

enum {
    ALL = 3, /* materials */
    MIXED = 3
};

/* A box of 2 x 1 x 3 cells: 30 elements, which fill no group. `kind` MIXED: of all materials in turn, with springs. One
 * particle is fixed. */
static nb_world *make_box(int kind) {
    nb_world *world;
    nb_soft_part part;
    int32_t index;
    CHECK_OK(nb_world_create(&world));
    for (int i = 0; i < ALL; i++) CHECK_OK(nb_world_add_material(world, &materials[i], &index));
    CHECK_OK(nb_world_add_soft_box(world, kind % ALL, nb_vec3_of(1, -2, 0.5), nb_vec3_of(0.2, 0.1, 0.3),
                                   (const int32_t[3]){2, 1, 3}, &part));
    assert_int_equal(part.tetrahedron_count, 30);
    assert_int_equal(part.particle_count, 24);
    if (kind == MIXED) {
        for (int32_t i = 0; i < 30; i++) world->tetrahedra[i].material = i % ALL;
        for (int k = 0; k < 6; k++) world->tetrahedra[3].activation[k] = 0.05 * (k + 1);
        for (int32_t i = 0; i < 5; i++)
            CHECK_OK(nb_world_add_spring(world, &(nb_spring){{i, 23 - 2 * i}, 0.2, 100. + i}, &index));
    }
    world->particles[7].kind = NB_BODY_FIXED;
    return world;
}

/* particles go by up to `far` of a cell's edge */
static void shake(nb_world *world, uint64_t *seed, double far) {
    for (int32_t i = 0; i < world->particle_count; i++) {
        nb_vec3 *x = &world->particles[i].position;
        x->x += 0.1 * far * test_random(seed, -1, 1);
        x->y += 0.1 * far * test_random(seed, -1, 1);
        x->z += 0.1 * far * test_random(seed, -1, 1);
    }
}

typedef struct scene {
    nb_world *world;
    nb_contacts *contacts;
    nb_step *step;
} scene;

static nb_problem *begin_scene(scene *s, nb_world *world) {
    s->world = world;
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_step_create(&s->step));
    CHECK_OK(nb_step_begin(s->step, s->world, s->contacts, h, NB_GEOMETRY_UPDATED));
    return nb_step_problem(s->step);
}

static void end_scene(scene *s) {
    nb_step_destroy(s->step);
    nb_contacts_destroy(s->contacts);
    nb_world_destroy(s->world);
}

/* ---- products ---- */

/* every block's products against its Jacobian, and parts of the pack against the whole */
TEST(products_are_those_of_jacobians) {
    uint64_t seed = test_seed();
    scene s;
    nb_world *world = make_box(MIXED);
    shake(world, &seed, 0.4);
    nb_problem *p = begin_scene(&s, world);
    const nb_delassus *d = p->delassus;
    const nb_sum_view *view = nb_sum_view_of(d);
    const int32_t *place = p->nodes->place;
    static real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    real *v, *f, *expected, *pushed, *x, *y, *weight, *diagonal;
    const int64_t length = nb_nodes_length(p->nodes);
    assert_int_equal(p->rows, 20 * 6 + 10 * 3 + 5);
    CHECK_OK(NB_ALLOCATE(length, &v));
    CHECK_OK(NB_ALLOCATE(length, &f));
    CHECK_OK(NB_ALLOCATE(length, &expected));
    CHECK_OK(NB_ALLOCATE(length, &pushed));
    CHECK_OK(NB_ALLOCATE(p->rows, &x));
    CHECK_OK(NB_ALLOCATE(p->rows, &y));
    CHECK_OK(NB_ALLOCATE(p->rows, &weight));
    CHECK_OK(NB_ALLOCATE(p->rows, &diagonal));
    for (int32_t i = 0; i < p->nodes->count; i++)
        for (int k = 0; k < 3; k++) v[place[i] + k] = (real)test_random(&seed, -1, 1);
    for (int32_t r = 0; r < p->rows; r++) {
        x[r] = (real)test_random(&seed, -1, 1);
        weight[r] = (real)test_random(&seed, 0.5, 1);
    }
    nb_sum_row_velocities(view, v, y);
    nb_sum_add_forces(view, weight, x, f);
    d->type->diagonal(d, diagonal);
    for (int32_t b = 0; b < d->block_count; b++) {
        int32_t node[NB_BLOCK_NODES], first = d->block_start[b], rows = d->block_start[b + 1] - first;
        int count = nb_sum_whole_jacobian(view, b, node, j);
        real own[NB_BLOCK_ROWS], block[NB_BLOCK_ROWS * NB_BLOCK_ROWS];
        d->type->block_velocity(d, b, v, own);
        d->type->block(d, b, b, block);
        for (int32_t r = 0; r < rows; r++) {
            double sum = 0, square = 0;
            for (int c = 0; c < 3 * count; c++) {
                double e = (double)j[r * 3 * count + c];
                int32_t at = place[node[c / 3]] + c % 3;
                sum += e * (double)v[at];
                expected[at] += (real)(e * (double)(weight[first + r] * x[first + r]));
                if (p->delassus->mass->moves[node[c / 3]]) square += e * e / world->particles[node[c / 3]].mass;
            }
            CHECK_NEAR(y[first + r], sum, 100 * epsilon);
            CHECK_NEAR(own[r], sum, 100 * epsilon);
            CHECK_NEAR(diagonal[first + r], square, 100 * epsilon * square);
            CHECK_NEAR(block[r * rows + r], square, 100 * epsilon * square);
        }
        memset(pushed, 0, (size_t)length * sizeof *pushed);
        d->type->push_block(d, b, x + first, pushed);
        for (int c = 0; c < 3 * count; c++) {
            double sum = 0;
            for (int32_t r = 0; r < rows; r++) sum += (double)(j[r * 3 * count + c] * x[first + r]);
            double inverse = d->mass->moves[node[c / 3]] ? 1 / world->particles[node[c / 3]].mass : 0;
            CHECK_NEAR(pushed[place[node[c / 3]] + c % 3], sum * inverse, 100 * epsilon * inverse);
        }
    }
    for (int64_t e = 0; e < length; e++) CHECK_NEAR(f[e], expected[e], 300 * epsilon);
    /* some of the elements: as many of the whole's rows, and their forces on top of what was there */
    const nb_pack *pack = view->sum->pack[3]; /* behind those of joints and contacts */
    assert_ptr_equal(pack->type, &nb_tetrahedron_pack_class);
    for (int32_t begin = 0; begin < 20; begin += 3)
        for (int32_t end = begin + 1; end <= 20; end += 5) {
            real part[6 * 20];
            memset(f, 0, (size_t)length * sizeof *f);
            memset(expected, 0, (size_t)length * sizeof *f);
            pack->type->velocities(pack, begin, end, v, part);
            for (int32_t r = 0; r < 6 * (end - begin); r++) CHECK_NEAR(part[r], y[6 * begin + r], 0);
            pack->type->forces(pack, begin, end, NULL, x, f);
            for (int32_t i = begin; i < end; i++) {
                int32_t node[NB_BLOCK_NODES];
                pack->type->block_nodes(pack, i, node);
                pack->type->block_jacobian(pack, i, j);
                for (int r = 0; r < 6; r++)
                    for (int c = 0; c < 12; c++)
                        expected[place[node[c / 3]] + c % 3] += j[12 * r + c] * x[6 * (i - begin) + r];
            }
            for (int64_t e = 0; e < length; e++) CHECK_NEAR(f[e], expected[e], 300 * epsilon);
        }
    real *const arrays[] = {v, f, expected, pushed, x, y, weight, diagonal};
    for (int i = 0; i < 8; i++) nb_free(arrays[i]);
    end_scene(&s);
}

/* ---- rows, values and forces ---- */

/* velocities of the iterate; the fixed particle has none */
static void set_velocities(nb_problem *p, uint64_t *seed, double most) {
    for (int32_t i = 0; i < p->nodes->count; i++)
        for (int k = 0; k < 3; k++)
            p->u[3 * i + k] = p->delassus->mass->moves[i] ? (real)test_random(seed, -most, most) : 0;
}

/* Values of the linear rows grow along J, at any stretch: central differences. */
TEST(rows_are_slopes_of_values) {
    uint64_t seed = test_seed();
    const double step = cbrt(epsilon) / h, tolerance = 2e3 * cbrt(epsilon) * cbrt(epsilon);
    for (int round = 0; round < 5; round++) {
        scene s;
        nb_world *world = make_box(MIXED);
        for (int32_t i = 0; i < 30; i++) world->tetrahedra[i].material = 0;
        shake(world, &seed, 0.3);
        nb_problem *p = begin_scene(&s, world);
        assert_int_equal(p->rows, 30 * 6 + 5);
        real u[3 * 24], along[3 * 24], slope[185], up[185];
        set_velocities(p, &seed, 1);
        for (int k = 0; k < 3 * 24; k++)
            along[k] = p->delassus->mass->moves[k / 3] ? (real)test_random(&seed, -1, 1) : 0;
        memcpy(u, p->u, sizeof u);
        p->type->evaluate(p, NULL);
        p->type->rows_of_velocity(p, along, slope);
        for (int k = 0; k < 3 * 24; k++) p->u[k] = u[k] + (real)(0.02 * step) * along[k];
        p->type->evaluate(p, NULL);
        memcpy(up, p->value, sizeof up);
        for (int k = 0; k < 3 * 24; k++) p->u[k] = u[k] - (real)(0.02 * step) * along[k];
        p->type->evaluate(p, NULL);
        for (int r = 0; r < 185; r++)
            CHECK_NEAR((double)(up[r] - p->value[r]) / (0.04 * step), slope[r], tolerance / h);
        end_scene(&s);
    }
}

/* z of a block with E z = -value */
static void solve_block(int n, const real *e, const real *value, real *z) {
    double a[36], b[6];
    lapack_int pivot[6];
    for (int k = 0; k < n * n; k++) a[k] = (double)e[k];
    for (int k = 0; k < n; k++) b[k] = -(double)value[k];
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, a, n, pivot, b, 1), 0);
    for (int k = 0; k < n; k++) z[k] = (real)b[k];
}

/* Impulses that satisfy all rows; then what J^T z is, in `force` [velocities]. */
static void satisfy_rows(nb_problem *p, double *force) {
    p->type->evaluate(p, NULL);
    for (int32_t i = 0; i < p->range_count; i++) {
        const nb_law_range *range = &p->ranges[i];
        const int n = range->law->type->rows;
        for (int32_t b = 0, r = range->first_row; b < range->blocks; b++, r += n)
            solve_block(n,
                        n == 1 ? ((const nb_bilateral_law *)range->law)->compliance + b
                               : ((const nb_elastic_law *)range->law)->compliance + n * n * b,
                        p->value + r, p->z + r);
    }
    for (int k = 0; k < p->velocities; k++) force[k] = 0;
    p->type->evaluate(p, NULL);
    for (int k = 0; k < p->velocities; k++) force[k] = -(double)p->momentum[k];
    memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
    p->type->evaluate(p, NULL);
    for (int k = 0; k < p->velocities; k++) force[k] += (double)p->momentum[k];
}

static double *coordinate(nb_vec3 *x, int k) {
    return k == 0 ? &x->x : k == 1 ? &x->y : &x->z;
}

/* what a box is made to before it is shaken */
typedef struct shape_of_box {
    double x, y, z; /* how far it is stretched */
    double shaken;  /* of a cell's edge */
} shape_of_box;

/* Rows that are satisfied pull with -h dU/dx at the end of the step, whatever the compliance that stands for a
 * hyperelastic material: as it is, with stretches that are the same, next to flat, and inside out. */
static void check_forces(int kind, const shape_of_box *shape, uint64_t *seed) {
    const double step = 1e-6;
    scene s;
    double force[3 * 24], largest = 0;
    nb_world *world = make_box(kind);
    for (int32_t i = 0; i < 24; i++) {
        nb_vec3 *x = &world->particles[i].position;
        *x = nb_vec3_of(shape->x * x->x, shape->y * x->y, shape->z * x->z);
    }
    shake(world, seed, shape->shaken);
    nb_problem *p = begin_scene(&s, world);
    set_velocities(p, seed, 10 * shape->shaken);
    satisfy_rows(p, force);
    for (int32_t i = 0; i < 24; i++)
        for (int k = 0; k < 3; k++) *coordinate(&world->particles[i].position, k) += h * (double)p->u[3 * i + k];
    for (int k = 0; k < 3 * 24; k++) largest = fmax(largest, fabs(force[k]));
    assert_true(largest > 0.1);
    for (int32_t i = 0; i < 24; i++)
        for (int k = 0; k < 3; k++) {
            double *x = coordinate(&world->particles[i].position, k), energy;
            if (world->particles[i].kind != NB_BODY_DYNAMIC) continue;
            *x += step;
            energy = nb_elastic_energy(world);
            *x -= 2 * step;
            energy -= nb_elastic_energy(world);
            *x += step;
            /* differences of energies of some J, and in f32 what is left of strains of a tenth */
            CHECK_NEAR(force[3 * i + k], -h * energy / (2 * step), largest * (1e-6 + 2e3 * epsilon));
        }
    end_scene(&s);
}

TEST(forces_are_slopes_of_energy) {
    static const shape_of_box shapes[] = {
        {1, 1, 1, 0.1}, {1.3, 1.3, 1.3, 0}, {1.5, 0.7, 0.7, 0}, {1, 1, 0.02, 0.001}, {1, 1, -0.3, 0.01}};
    uint64_t seed = test_seed();
    for (int kind = 0; kind <= MIXED; kind++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_forces(kind, &shapes[i], &seed);
}

/* A body that is stretched and turned as a whole has no forces on the particles within: 4 x 4 x 4 cells. */
TEST(patches_are_in_balance) {
    uint64_t seed = test_seed();
    for (int kind = 0; kind < ALL; kind++) {
        scene s;
        nb_world *world;
        nb_soft_part part;
        int32_t index;
        double force[3 * 125], largest = 0;
        const nb_quat turn = nb_quat_about(nb_normalized(nb_vec3_of(1, 2, -1)), 0.7);
        const double a[9] = {1.3, 0.2, -0.1, 0.05, 0.8, 0.15, -0.2, 0.1, 1.1};
        CHECK_OK(nb_world_create(&world));
        CHECK_OK(nb_world_add_material(world, &materials[kind], &index));
        CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(1, 1, 1), (const int32_t[3]){4, 4, 4},
                                       &part));
        for (int32_t i = 0; i < 125; i++) {
            nb_vec3 *x = &world->particles[i].position, y = *x;
            *x = nb_quat_rotate(turn,
                                nb_vec3_of(a[0] * y.x + a[1] * y.y + a[2] * y.z, a[3] * y.x + a[4] * y.y + a[5] * y.z,
                                           a[6] * y.x + a[7] * y.y + a[8] * y.z));
        }
        nb_problem *p = begin_scene(&s, world);
        set_velocities(p, &seed, 0);
        satisfy_rows(p, force);
        for (int k = 0; k < 3 * 125; k++) largest = fmax(largest, fabs(force[k]));
        for (int i = 0; i < 125; i++) {
            int inner = i % 5 % 4 && i / 5 % 5 % 4 && i / 25 % 4;
            for (int k = 0; k < 3 && inner; k++) CHECK_NEAR(force[3 * i + k] / largest, 0, 300 * epsilon);
        }
        end_scene(&s);
    }
}

/* ---- steps ---- */

static nb_status run(const char *method, const char *solver, const char *option, const char *value, nb_problem *p,
                     nb_measure *measure, double tolerance, nb_step_outcome *outcome) {
    nb_status status;
    const nb_method_class *type;
    nb_method *state = NULL;
    nb_request request;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "incline"); /* whose settings are as good as any */
    strcpy(request.info.method, method);
    strcpy(request.info.linear_solver, solver);
    strcpy(request.info.precision, NB_REAL_NAMED);
    if (option) NB_TRY(nb_request_set_option(&request, option, value));
    if (option && strcmp(option, "finish") == 0) strcpy(request.info.geometry, "frozen");
    if (strcmp(method, "newton") == 0) NB_TRY(nb_request_set_option(&request, "damping", "1"));
    request.info.newton_iterations = 60;
    request.info.linear_iterations = 4000;
    request.info.newton_tolerance = tolerance;
    NB_TRY(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    NB_TRY(nb_method_find(method, &type));
    NB_TRY(type->create(type, &settings, &state));
    status = type->step(state, p, measure, NULL, outcome);
    type->destroy(state);
out:
    nb_free(request.info.parameters);
    return status;
}

/* One step from a shaken box: every way to solve the systems comes to the same end. */
TEST(all_solvers_take_elements) {
    static const struct {
        const char *solver, *option, *value;
    } ways[] = {{"dense-cholesky", NULL, NULL},
                {"cholesky", NULL, NULL},
                {"pcr", NULL, NULL},
                {"pcg", NULL, NULL},
                {"minres", NULL, NULL},
                {"multifrontal", NULL, NULL},
                {"umfpack", NULL, NULL},
                {"klu", NULL, NULL},
                {"gmres", NULL, NULL},
                {"cholesky", "islands", "on"},
                {"cholesky", "form", "stiffness"},
                {"klu", "form", "saddle"},
                {"cholesky", "line-search", "backtracking"},
                {"cholesky", "row-scaling", "paper"}};
    const double tolerance = 1e-9 + 3e3 * epsilon;
    for (int kind = 0; kind < 3; kind++) { /* linear, Neo-Hookean, and both with springs */
        double first[3 * 24] = {0};
        for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
            uint64_t seed = 5;
            scene s;
            nb_measure *measure;
            nb_step_outcome outcome;
            nb_world *world = make_box(kind < 2 ? kind : MIXED);
            for (int32_t i = 0; i < 30 && kind == 2; i++) world->tetrahedra[i].material = i % 2;
            shake(world, &seed, 0.02);
            nb_problem *p = begin_scene(&s, world);
            CHECK_OK(nb_measure_create(&measure));
            CHECK_OK(nb_measure_begin(measure, world, s.contacts, h, NB_GEOMETRY_UPDATED));
            CHECK_OK(run("newton", ways[n].solver, ways[n].option, ways[n].value, p, measure, tolerance, &outcome));
            print_message("%s, %s %s %s: %d iterations, natural map %.1e m/s\n",
                          kind < 2 ? nb_material_names[kind] : "both", ways[n].solver,
                          ways[n].option ? ways[n].option : "", ways[n].option ? ways[n].value : "",
                          (int)outcome.newton_iterations, outcome.errors.natural_map);
            assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
            for (int k = 0; k < 3 * 24; k++) {
                if (n == 0) first[k] = (double)p->u[k];
                CHECK_NEAR(p->u[k], first[k], 100 * tolerance);
            }
            nb_measure_destroy(measure);
            end_scene(&s);
        }
    }
}

/* A step of one world, solved by cholesky or with another option; leaves the iterate in the problem. */
static nb_problem *solve_step(scene *s, nb_world *world, const char *option, const char *value, double tolerance,
                              nb_step_outcome *outcome) {
    nb_measure *measure;
    nb_problem *p = begin_scene(s, world);
    CHECK_OK(nb_measure_create(&measure));
    CHECK_OK(nb_measure_begin(measure, world, s->contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(run("newton", "cholesky", option, value, p, measure, tolerance, outcome));
    nb_measure_destroy(measure);
    return p;
}

/* Without gravity and a hold a body keeps its momentum, and turns on as backward Euler has it: the forces at the end of
 * the step have no moment about the places at its end, sum m x+ x (v+ - v-) = 0. */
TEST(free_bodies_keep_momentum) {
    const double tolerance = 1e-11 + 3e3 * epsilon;
    for (int kind = 0; kind < 3; kind++) {
        uint64_t seed = 7;
        scene s;
        nb_step_outcome outcome;
        nb_vec3 linear = {0, 0, 0}, angular = {0, 0, 0};
        nb_world *world = make_box(kind < 2 ? kind : MIXED);
        for (int32_t i = 0; i < 30 && kind == 2; i++) world->tetrahedra[i].material = i % 2;
        world->gravity = nb_vec3_of(0, 0, 0);
        world->particles[7].kind = NB_BODY_DYNAMIC;
        double mass = 0;
        for (int32_t i = 0; i < 24; i++) {
            nb_vec3 *v = &world->particles[i].velocity;
            mass += world->particles[i].mass;
            *v = nb_add(nb_cross(nb_vec3_of(3, -4, 5), world->particles[i].position), nb_vec3_of(-10, -13, -3));
            v->x += test_random(&seed, -0.3, 0.3);
        }
        CHECK_NEAR(mass, 1000 * 0.2 * 0.1 * 0.3, 1e-12);
        const nb_problem *p = solve_step(&s, world, NULL, NULL, tolerance, &outcome);
        assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        double moved = 0;
        for (int32_t i = 0; i < 24; i++) {
            const real *u = p->u + 3 * i;
            nb_vec3 v = nb_vec3_of((double)u[0], (double)u[1], (double)u[2]);
            nb_vec3 push = nb_scale(world->particles[i].mass, nb_sub(v, world->particles[i].velocity));
            linear = nb_add(linear, push);
            angular = nb_add(angular, nb_cross(nb_add_scaled(world->particles[i].position, h, v), push));
            moved += nb_norm(push);
        }
        assert_true(moved > 0.01);
        CHECK_NEAR(nb_norm(linear), 0, 10 * tolerance);
        CHECK_NEAR(nb_norm(angular), 0, 20 * tolerance);
        end_scene(&s);
    }
}

/* Whatever lies between nothing and a stone: soft elements fall as if they were not there, stiff ones as a whole. */
TEST(any_stiffness_is_solved) {
    const double most = sizeof(real) == 4 ? 1e12 : 1e20;
    for (int kind = 0; kind < 2; kind++)
        for (double young = 1e-12; young <= most; young *= 1e4) {
            scene s;
            nb_step_outcome outcome;
            nb_world *world = make_box(kind);
            world->materials[kind].young = young;
            world->particles[7].kind = NB_BODY_DYNAMIC;
            for (int32_t i = 0; i < 24; i++)
                world->particles[i].velocity = nb_vec3_of(0, i % 2 ? 0.1 : -0.1, 0); /* 0.5 mm of 100 a step */
            const nb_problem *p = solve_step(&s, world, NULL, NULL, 1e-9 + 1e3 * epsilon, &outcome);
            print_message("%s, %g Pa: %d iterations, natural map %.1e m/s\n", nb_material_names[kind], young,
                          (int)outcome.newton_iterations, outcome.errors.natural_map);
            assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
            for (int32_t i = 0; i < 24; i++) {
                const real *u = p->u + 3 * i;
                CHECK_NEAR(u[2], -9.81 * h, young < 1 ? 1e-6 : 0.2);
                if (young < 1e-6) CHECK_NEAR(u[1], i % 2 ? 0.1 : -0.1, 1e-6);
            }
            for (int32_t t = 0; t < 30 && young > 1e9; t++) { /* all edges keep their length */
                const int32_t *corner = world->tetrahedra[t].particle;
                for (int a = 0; a < 4; a++)
                    for (int b = 0; b < a; b++) {
                        const real *x = p->u + 3 * corner[a], *y = p->u + 3 * corner[b];
                        nb_vec3 apart =
                            nb_sub(world->particles[corner[a]].position, world->particles[corner[b]].position);
                        nb_vec3 v = nb_vec3_of((double)(x[0] - y[0]), (double)(x[1] - y[1]), (double)(x[2] - y[2]));
                        CHECK_NEAR(nb_norm(nb_add_scaled(apart, h, v)), nb_norm(apart), 1e-6);
                    }
            }
            end_scene(&s);
        }
}

/* From elements turned inside out: hyperelastic ones come back, and no iterate runs away. */
TEST(inverted_elements_come_back) {
    const double tolerance = 1e-8 + 3e3 * epsilon;
    for (int kind = 0; kind < 2; kind++)
        for (uint64_t start = 1; start <= 4; start++) {
            uint64_t seed = start;
            scene s;
            nb_step_outcome outcome;
            nb_world *world = make_box(kind);
            int inverted = 0;
            shake(world, &seed, 0.9);
            for (int32_t t = 0; t < 30; t++) {
                double stretch[3];
                nb_principal_stretches(world, t, stretch);
                inverted += stretch[2] < 0;
            }
            assert_true(inverted > 0);
            solve_step(&s, world, NULL, NULL, tolerance, &outcome);
            print_message("%s, %d of 30 elements inverted: %d iterations, natural map %.1e m/s\n",
                          nb_material_names[kind], inverted, (int)outcome.newton_iterations,
                          outcome.errors.natural_map);
            assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
            end_scene(&s);
        }
}

/* ---- what is refused ---- */

TEST(others_refuse_elements) {
    scene s;
    nb_measure *measure;
    nb_step_outcome outcome;
    int32_t index;
    nb_world *world = make_box(0);
    nb_problem *p = begin_scene(&s, world);
    CHECK_OK(nb_measure_create(&measure));
    CHECK_OK(nb_measure_begin(measure, world, s.contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_FAULT(run("interior-point", "umfpack", NULL, NULL, p, measure, 0, &outcome), NB_ERROR_UNSUPPORTED,
                "law elastic");
    CHECK_FAULT(run("newton", "umfpack", "finish", "exact", p, measure, 0, &outcome), NB_ERROR_UNSUPPORTED,
                "law elastic");
    const double squeeze[6] = {0.1};
    CHECK_FAULT(nb_world_add_tetrahedron(world, (const int32_t[4]){0, 1, 2, 2}, 0, NULL, &index), NB_ERROR_INPUT,
                "tetrahedron 30 has particle 2 twice");
    CHECK_FAULT(nb_world_add_tetrahedron(world, (const int32_t[4]){0, 1, 2, 24}, 0, NULL, &index), NB_ERROR_INPUT,
                "tetrahedron 30: there is no particle 24");
    CHECK_FAULT(nb_world_add_tetrahedron(world, (const int32_t[4]){0, 1, 3, 4}, 0, NULL, &index), NB_ERROR_INPUT,
                "tetrahedron 30 has a volume of 0 m^3");
    CHECK_FAULT(nb_world_add_tetrahedron(world, (const int32_t[4]){0, 1, 3, 6}, 5, NULL, &index), NB_ERROR_INPUT,
                "there is no material 5");
    CHECK_FAULT(nb_world_add_tetrahedron(world, (const int32_t[4]){0, 1, 3, 6}, 1, squeeze, &index), NB_ERROR_INPUT,
                "only a linear material");
    CHECK_FAULT(nb_world_add_spring(world, &(nb_spring){{1, 2}, 1, 0}, &index), NB_ERROR_INPUT,
                "spring 0: stiffness 0");
    assert_int_equal(world->tetrahedron_count, 30);
    world->particles[6].kind = NB_BODY_FIXED;
    CHECK_FAULT(nb_world_add_spring(world, &(nb_spring){{6, 7}, 1, 1}, &index), NB_ERROR_INPUT,
                "spring 0: none of its particles has mass");
    nb_measure_destroy(measure);
    end_scene(&s);
}

RUN_TESTS(products_are_those_of_jacobians, rows_are_slopes_of_values, forces_are_slopes_of_energy,
          patches_are_in_balance, all_solvers_take_elements, free_bodies_keep_momentum, any_stiffness_is_solved,
          inverted_elements_come_back, others_refuse_elements)
