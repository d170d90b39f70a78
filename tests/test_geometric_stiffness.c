/* Geometric stiffness on the diagonal: the update against differences of the rows' forces, and a stretched sheet that
 * does not converge without it. */
#include "check.h"

#include <string.h>

#include "base/memory.h"
#include "constraint/step.h"
#include "measure/measure.h"
#include "method.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/geometric_stiffness.h"

NB_PRECISIONS(f32, f64);

static const double h = 0.01, mass = 0.01, rest = 0.05;

/* n x n particles with springs between neighbours, stretched twofold, the border fixed; particles within are off the
 * plane by up to a tenth of a spring */
static nb_world *make_sheet(int n) {
    nb_world *world;
    int32_t index;
    uint64_t seed = 1;
    CHECK_OK(nb_world_create(&world));
    for (int i = 0; i < n * n; i++) {
        int x = i % n, y = i / n, border = x == 0 || y == 0 || x == n - 1 || y == n - 1;
        double off = border ? 0 : 0.1 * rest * test_random(&seed, -1, 1);
        const nb_particle p = {.kind = border ? NB_BODY_FIXED : NB_BODY_DYNAMIC,
                               .mass = mass,
                               .position = {2 * rest * x, 2 * rest * y, off}};
        CHECK_OK(nb_world_add_particle(world, &p, &index));
    }
    for (int i = 0; i < n * n; i++) {
        const int32_t others[2] = {i % n + 1 < n ? i + 1 : -1, i + n < n * n ? i + n : -1};
        for (int k = 0; k < 2; k++) {
            const nb_spring spring = {{i, others[k]}, rest, 0.3 * mass / (h * h)};
            if (others[k] < 0) continue;
            if (world->particles[i].kind == NB_BODY_FIXED && world->particles[others[k]].kind == NB_BODY_FIXED)
                continue;
            CHECK_OK(nb_world_add_spring(world, &spring, &index));
        }
    }
    return world;
}

typedef struct scene {
    nb_world *world;
    nb_contacts *contacts;
    nb_step *step;
    nb_problem *problem;
} scene;

static void begin_scene(scene *s, int n) {
    s->world = make_sheet(n);
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_step_create(&s->step));
    CHECK_OK(nb_step_begin(s->step, s->world, s->contacts, h, NB_GEOMETRY_UPDATED));
    s->problem = nb_step_problem(s->step);
}

static void end_scene(scene *s) {
    nb_step_destroy(s->step);
    nb_contacts_destroy(s->contacts);
    nb_world_destroy(s->world);
}

/* ---- the update ---- */

/* A step of one velocity alone: H gets what the force there loses, where it loses; and its inverse and D with it. */
TEST(update_is_a_slope) {
    enum {
        SIDE = 5,
        VELOCITIES = 3 * SIDE * SIDE
    };
    const real step = R(0.05);
    scene s;
    begin_scene(&s, SIDE);
    nb_problem *p = s.problem;
    const nb_mass *block = p->delassus->mass;
    real du[VELOCITIES], before[VELOCITIES], after[VELOCITIES], now[VELOCITIES];
    int stiffer = 0;
    for (int k = 0; k < VELOCITIES; k++) {
        nb_geometric_stiffness g = {0, du, before, after};
        const int32_t node = k / 3;
        if (!block->moves[node]) continue;
        memset(p->u, 0, sizeof du);
        for (int32_t r = 0; r < p->rows; r++) p->z[r] = R(r % 3 == 0 ? -0.02 : 0.01); /* some push, most pull */
        p->type->stiffen(p, NULL);
        p->type->evaluate(p, NULL);
        nb_geometric_stiffness_update(&g, p); /* there was no step */
        real h_block[9], inverse[9];
        block->type->block(block, node, h_block);
        CHECK_NEAR(h_block[4 * (k % 3)], mass, 1e-7 * mass);
        nb_geometric_stiffness_leave(&g, p);
        p->u[k] = step;
        nb_geometric_stiffness_keep(&g, p);
        p->type->row_forces(p, p->z, now);
        double old = (double)now[k];
        p->type->evaluate(p, NULL);
        p->type->row_forces(p, p->z, now);
        double slope = ((double)now[k] - old) / (double)step;
        nb_geometric_stiffness_update(&g, p);
        block->type->block(block, node, h_block);
        block->type->inverse_block(block, node, inverse);
        double added = slope < 0 ? -slope : 0;
        CHECK_NEAR(h_block[4 * (k % 3)], mass + added, 1e-5 * mass);
        CHECK_NEAR(inverse[4 * (k % 3)] * h_block[4 * (k % 3)], 1, 1e-6);
        stiffer += added > 0.01 * mass;
        /* the others as they were, and momentum of M */
        for (int i = 0; i < VELOCITIES; i++) {
            if (i == k || !block->moves[i / 3]) continue;
            block->type->block(block, i / 3, h_block);
            CHECK_NEAR(h_block[4 * (i % 3)], mass, 1e-7 * mass);
        }
        p->type->evaluate(p, NULL);
        CHECK_NEAR(p->momentum[k] + now[k], mass * ((double)step - (k % 3 == 2 ? -9.81 * h : 0)), 1e-7);
    }
    assert_true(stiffer > 5);
    end_scene(&s);
}

/* ---- a whole step ---- */

/* the natural map after these iterations */
static double solve(int diagonal, const char *solver, const char *form, const char *damping, int iterations,
                    nb_reason *reason) {
    scene s;
    nb_measure *measure;
    nb_request request;
    const nb_method_class *type;
    nb_method *method;
    nb_step_outcome outcome;
    begin_scene(&s, 20);
    nb_request_standard(&request);
    strcpy(request.info.scenario, "incline");
    strcpy(request.info.linear_solver, solver);
    strcpy(request.info.precision, NB_REAL_NAMED);
    CHECK_OK(nb_request_set_option(&request, "damping", damping));
    CHECK_OK(nb_request_set_option(&request, "form", form));
    CHECK_OK(nb_request_set_option(&request, "geometric-stiffness", diagonal ? "diagonal" : "none"));
    request.info.newton_iterations = iterations;
    request.info.linear_iterations = 1000;
    request.info.newton_tolerance = 1e-12;
    CHECK_OK(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    CHECK_OK(nb_measure_create(&measure));
    CHECK_OK(nb_measure_begin(measure, s.world, s.contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_method_find("newton", &type));
    CHECK_OK(type->create(type, &settings, &method));
    CHECK_OK(type->step(method, s.problem, measure, NULL, &outcome));
    print_message("%s, %s, %s, damping %s: natural map %.1e m/s after %d iterations\n", diagonal ? "diagonal" : "none",
                  solver, form, damping, outcome.errors.natural_map, (int)outcome.newton_iterations);
    *reason = outcome.reason;
    type->destroy(method);
    nb_measure_destroy(measure);
    nb_free(request.info.parameters);
    end_scene(&s);
    return outcome.errors.natural_map;
}

/* Stretched twofold at h^2 k/m = 0.3, full steps go back and forth across the sheet without geometric stiffness, and
 * come to round-off with it (paper, fig. 12); milder steps get there without. */
TEST(stretched_sheets_need_it) {
    static const char *const ways[][2] = {{"cholesky", "compliance"}, {"pcr", "compliance"}, {"cholesky", "stiffness"}};
    const double floor = 1e-11 + 300 * (double)NB_REAL_EPSILON;
    nb_reason reason;
    assert_true(solve(0, "cholesky", "compliance", "1", 40, &reason) > 0.1);
    for (int i = 0; i < 3; i++) {
        CHECK_BELOW(solve(1, ways[i][0], ways[i][1], "1", 10, &reason), 2e-3);
        CHECK_BELOW(solve(1, ways[i][0], ways[i][1], "1", 40, &reason), floor);
    }
    CHECK_BELOW(solve(0, "cholesky", "compliance", "0.75", 60, &reason), floor + 1e-9);
}

TEST(what_does_not_fit_is_refused) {
    static const char *const others[][3] = {{"form", "saddle", "updated"}, {"form", "compliance", "frozen"}};
    for (int i = 0; i < 2; i++) {
        nb_request request;
        nb_request_standard(&request);
        strcpy(request.info.scenario, "incline");
        strcpy(request.info.geometry, others[i][2]);
        CHECK_OK(nb_request_set_option(&request, others[i][0], others[i][1]));
        CHECK_OK(nb_request_set_option(&request, "geometric-stiffness", "diagonal"));
        if (i == 0) strcpy(request.info.linear_solver, "klu");
        CHECK_FAULT(nb_simulate_prepare(&request), NB_ERROR_USAGE, "--geometric-stiffness diagonal does not support");
        nb_free(request.info.parameters);
    }
}

RUN_TESTS(update_is_a_slope, stretched_sheets_need_it, what_does_not_fit_is_refused)
