/* How a pack is added: ropes between nodes, one row each, in this file alone. A sum over them serves linear solvers;
 * added to a step, beside contacts and joints, they are solved by a whole method, with the law that is there for them:
 * 0 <= slack _|_ tension >= 0. Who knows cones alone refuses them. */
#include "check.h"

#include <lapacke.h>
#include <string.h>

#include "accelerators.h"
#include "base/memory.h"
#include "constraint/bilateral.h"
#include "constraint/step.h"
#include "constraint/unilateral.h"
#include "contact/contact.h"
#include "measure/iterate.h"
#include "measure/measure.h"
#include "method.h"
#include "method/newton/device_step.h"
#include "operator/solve.h"
#include "operator/store.h"
#include "plugin/plugin_method.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"

NB_PRECISIONS(f64);

/* ---- the pack ---- */

/* a rope between the centres of two nodes */
typedef struct rope {
    int32_t a, b;
    double length;
    real along[3]; /* from b to a: the slack grows by along . (v_b - v_a) */
} rope;

typedef struct rope_pack {
    nb_pack base; /* first */
    rope *ropes;  /* [blocks] */
} rope_pack;

static const rope *rope_of(const nb_pack *p, int32_t i) {
    return &((const rope_pack *)p)->ropes[i];
}

static void push(const real *along, real x, real *at) {
    for (int k = 0; k < 3; k++) at[k] += x * along[k];
}

static void forces(const nb_pack *p, int32_t begin, int32_t end, const real *s, const real *x, real *force) {
    for (int32_t i = begin, r = 0; i < end; i++, r++) {
        real weighted = s ? s[r] * x[r] : x[r];
        push(rope_of(p, i)->along, -weighted, force + p->nodes->place[rope_of(p, i)->a]);
        push(rope_of(p, i)->along, weighted, force + p->nodes->place[rope_of(p, i)->b]);
    }
}

static void block_velocity(const nb_pack *p, int32_t i, const real *velocity, real *out) {
    const rope *of = rope_of(p, i);
    const real *a = velocity + p->nodes->place[of->a], *b = velocity + p->nodes->place[of->b];
    out[0] = 0;
    for (int k = 0; k < 3; k++) out[0] += of->along[k] * (b[k] - a[k]);
}

static void velocities(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y) {
    for (int32_t i = begin; i < end; i++) block_velocity(p, i, velocity, y + (i - begin));
}

static int block_nodes(const nb_pack *p, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    node[0] = rope_of(p, i)->a;
    node[1] = rope_of(p, i)->b;
    return 2;
}

/* of a body, the first three of six */
static void block_jacobian(const nb_pack *p, int32_t i, real *out) {
    const rope *of = rope_of(p, i);
    for (int side = 0; side < 2; side++) {
        int width = nb_node_velocities(p->nodes, side ? of->b : of->a);
        for (int k = 0; k < width; k++) *out++ = k >= 3 ? 0 : side ? of->along[k] : -of->along[k];
    }
}

static void push_block(const nb_pack *p, const nb_mass *mass, int32_t i, const real *z, real *velocity) {
    const rope *of = rope_of(p, i);
    for (int side = 0; side < 2; side++) {
        int32_t node = side ? of->b : of->a;
        real force[NB_NODE_WIDEST] = {0}, moved[NB_NODE_WIDEST];
        if (!mass->moves[node]) continue;
        push(of->along, side ? z[0] : -z[0], force);
        mass->type->solve_node(mass, node, force, moved);
        for (int k = 0; k < nb_node_velocities(p->nodes, node); k++) velocity[p->nodes->place[node] + k] += moved[k];
    }
}

static const nb_pack_class rope_pack_class = {
    .name = "ropes",
    .forces = forces,
    .velocities = velocities,
    .block_nodes = block_nodes,
    .block_jacobian = block_jacobian,
    .block_velocity = block_velocity,
    .push_block = push_block,
};

/* ---- as rows of a step ---- */

typedef struct rope_rows {
    nb_step_rows base; /* first */
    rope_pack pack;
    nb_unilateral_law law;
} rope_rows;

static nb_vec3 place_of(const nb_world *world, const nb_problem *at, int32_t node, double moved) {
    const real *u = at->u + at->nodes->velocity[node];
    nb_vec3 x =
        node < world->body_count ? world->bodies[node].position : world->particles[node - world->body_count].position;
    return nb_add_scaled(x, moved, nb_vec3_of((double)u[0], (double)u[1], (double)u[2]));
}

static void evaluate(nb_step_rows *base, const nb_world *world, const nb_problem *at, double moved, real *value) {
    rope_rows *rows = (rope_rows *)base;
    for (int32_t i = 0; i < rows->pack.base.blocks; i++) {
        rope *of = &rows->pack.ropes[i];
        nb_vec3 apart = nb_sub(place_of(world, at, of->a, moved), place_of(world, at, of->b, moved));
        double distance = nb_norm(apart);
        of->along[0] = (real)(apart.x / distance);
        of->along[1] = (real)(apart.y / distance);
        of->along[2] = (real)(apart.z / distance);
        value[i] = (real)((of->length - distance) / (double)at->h);
    }
}

static void add_ropes(nb_step *step, rope_rows *rows, int32_t count, rope *ropes) {
    *rows = (rope_rows){
        .base = {.pack = &rows->pack.base, .law = &rows->law.base, .evaluate = evaluate},
        .pack =
            {.base = {.type = &rope_pack_class, .nodes = nb_step_problem(step)->nodes, .blocks = count, .rows_each = 1},
             .ropes = ropes},
        .law = {.base = {&nb_unilateral_class}},
    };
    CHECK_OK(nb_step_add_rows(step, &rows->base));
}

/* ---- the scene ---- */

enum {
    PLANE,
    CRATE,  /* on the plane */
    CRANE,  /* a fixed body above */
    LOOSE,  /* a crate with no rope */
    BODIES, /* particles follow */
    BEADS = 4,
    ROPES = 5
};

static const double h = 0.01;

/* Two beads hang from the crane, one below the other; the third pulls at the crate over a taut rope; the fourth is
 * further from the crane than its rope is, and another rope to it is slack. */
static const rope all_ropes[ROPES] = {{CRANE, BODIES, 1, {0}},
                                      {BODIES, BODIES + 1, 0.5, {0}},
                                      {CRATE, BODIES + 2, 1, {0}},
                                      {CRANE, BODIES + 3, 2, {0}},
                                      {BODIES + 1, BODIES + 3, 3, {0}}};

static const nb_particle beads[BEADS] = {
    {.kind = NB_BODY_DYNAMIC, .mass = 0.2, .position = {0, 0, 2}, .velocity = {0.5, 0, 0}},
    {.kind = NB_BODY_DYNAMIC, .mass = 0.1, .position = {0, 0, 1.5}, .velocity = {-2, 1, 0}},
    {.kind = NB_BODY_DYNAMIC, .mass = 0.3, .position = {5, 0, 0.5}, .velocity = {3, 0, 0}, .force = {50, 0, 10}},
    /* 2.0038 from the crane */
    {.kind = NB_BODY_DYNAMIC, .mass = 0.5, .position = {1.2, 0, 1.395}, .velocity = {1, 0, -1}},
};

static nb_world *make_world(void) {
    static const nb_vec3 position[BODIES] = {
        [PLANE] = {0, 0, 0}, [CRATE] = {4, 0, 0.5}, [CRANE] = {0, 0, 3}, [LOOSE] = {-4, 0, 0.5}};
    nb_world *world;
    nb_shape *shape;
    int32_t box, plane, index;
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.5, 0.5), &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &box));
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(world, shape, &plane));
    for (int i = 0; i < BODIES; i++) {
        nb_body_kind kind = i == CRATE || i == LOOSE ? NB_BODY_DYNAMIC : NB_BODY_FIXED;
        CHECK_OK(nb_world_add_solid(world, kind,
                                    i == PLANE   ? plane
                                    : i == CRANE ? -1
                                                 : box,
                                    kind == NB_BODY_DYNAMIC ? 2 : 0, 0.5, position[i], nb_quat_identity(), &index));
    }
    for (int i = 0; i < BEADS; i++) CHECK_OK(nb_world_add_particle(world, &beads[i], &index));
    return world;
}

/* a step of it with its ropes */
typedef struct scene {
    nb_world *world;
    nb_contacts *contacts;
    nb_step *step;
    rope_rows rows;
    rope ropes[ROPES];
} scene;

static nb_problem *begin_scene(scene *s, int with_contacts, int frozen) {
    s->world = make_world();
    memcpy(s->ropes, all_ropes, sizeof s->ropes);
    CHECK_OK(nb_contacts_create(&s->contacts));
    if (with_contacts) CHECK_OK(nb_contacts_detect(s->world, h, s->contacts));
    CHECK_OK(nb_step_create(&s->step));
    add_ropes(s->step, &s->rows, ROPES, s->ropes);
    CHECK_OK(nb_step_begin(s->step, s->world, s->contacts, h, frozen));
    return nb_step_problem(s->step);
}

static void end_scene(scene *s) {
    nb_step_destroy(s->step);
    nb_contacts_destroy(s->contacts);
    nb_world_destroy(s->world);
}

/* ---- linear solvers ---- */

static double mass_of(int32_t node) {
    return node == CRATE || node == LOOSE ? 2 : node < BODIES ? 0 : beads[node - BODIES].mass;
}

/* D in full: ropes that share a node with mass act on each other by the cosine of their angle over the mass */
static void fill_reference(const rope *ropes, double *d) {
    for (int e = 0; e < ROPES * ROPES; e++) {
        const rope *one = &ropes[e / ROPES], *other = &ropes[e % ROPES];
        const int32_t mine[] = {one->a, one->b}, theirs[] = {other->a, other->b};
        double cosine = 0;
        for (int k = 0; k < 3; k++) cosine += (double)one->along[k] * (double)other->along[k];
        d[e] = 0;
        for (int side = 0; side < 4; side++)
            if (mine[side / 2] == theirs[side % 2] && mass_of(mine[side / 2]) > 0)
                d[e] += (side / 2 == side % 2 ? cosine : -cosine) / mass_of(mine[side / 2]);
    }
}

TEST(linear_solvers_take_the_sum) {
    static const char *const solvers[] = {"pcr", "gauss-seidel", "cholesky"};
    scene s;
    nb_system *system;
    lapack_int pivot[ROPES];
    double d[ROPES * ROPES], expected[ROPES];
    const nb_problem *p = begin_scene(&s, 0, 0);
    assert_int_equal(p->rows, ROPES);
    assert_int_equal(p->delassus->group_count, ROPES); /* no two ropes are between the same nodes */
    fill_reference(s.ropes, d);
    CHECK_OK(nb_system_create(p->delassus, &system));
    assert_true(nb_system_has_blocks(system));
    for (int r = 0; r < ROPES; r++) {
        CHECK_NEAR(p->w[r], d[r * (ROPES + 1)], 1e-14);
        expected[r] = system->b[r] = R(1 + r);
        d[r * (ROPES + 1)] += system->c[r] = R(0.1);
    }
    nb_system_values_changed(system);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, ROPES, 1, d, ROPES, pivot, expected, 1), 0);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        const nb_linear_solver_class *type;
        nb_solve *state;
        nb_solve_report report;
        double standard[16];
        real x[ROPES] = {0};
        CHECK_OK(nb_linear_solver_find(solvers[k], &type));
        nb_options_standard(type->options, type->option_count, standard);
        CHECK_OK(nb_solve_create(type, standard, NULL, NULL, &state));
        CHECK_OK(
            nb_solve_run(state, system, &(nb_linear_stop){.iterations = 2000, .tolerance = 0}, NULL, NULL, x, &report));
        for (int r = 0; r < ROPES; r++) CHECK_NEAR(x[r], expected[r], 1e-9); /* pcr stops at 1e-12, times a condition */
        nb_solve_destroy(state);
    }
    nb_system_destroy(system);
    end_scene(&s);
}

/* ---- a method ---- */

/* with one option of the method, where it has a name */
static nb_status run(const char *method, const char *solver, const char *option, const char *value, nb_problem *p,
                     nb_measure *measure, nb_step_outcome *outcome) {
    nb_status status;
    const nb_method_class *type;
    nb_method *state = NULL;
    nb_request request;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "incline"); /* whose settings are as good as any */
    strcpy(request.info.method, method);
    strcpy(request.info.linear_solver, solver);
    if (p->frozen) strcpy(request.info.geometry, "frozen");
    if (option) NB_TRY(nb_request_set_option(&request, option, value));
    request.info.newton_iterations = 100;
    request.info.linear_iterations = 200;
    request.info.newton_tolerance = p->frozen ? 0 : 1e-10;
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

/* At the end of the step no rope is longer than it is, and those that pull are as long; J is that of the end, so that
 * the momentum of every bead is balanced along the ropes as they then are. */
static void check_ropes(const scene *s, const nb_problem *p) {
    const nb_law_range *range = &p->ranges[p->range_count - 1];
    nb_vec3 left[BEADS];
    int taut = 0;
    assert_ptr_equal(range->law, &s->rows.law.base);
    assert_int_equal(range->blocks, ROPES);
    for (int i = 0; i < BEADS; i++) {
        const real *u = p->u + p->nodes->velocity[BODIES + i];
        nb_vec3 free_velocity =
            nb_add_scaled(beads[i].velocity, h, nb_add_scaled(s->world->gravity, 1 / beads[i].mass, beads[i].force));
        left[i] = nb_scale(beads[i].mass, nb_sub(nb_vec3_of((double)u[0], (double)u[1], (double)u[2]), free_velocity));
    }
    for (int i = 0; i < ROPES; i++) {
        const rope *of = &all_ropes[i];
        nb_vec3 apart = nb_sub(place_of(s->world, p, of->a, h), place_of(s->world, p, of->b, h));
        nb_vec3 force = nb_scale((double)p->z[range->first_row + i] / nb_norm(apart), apart); /* on b */
        double slack = of->length - nb_norm(apart), pull = (double)p->z[range->first_row + i];
        CHECK_BELOW(-slack, 1e-11); /* the tolerance of 1e-10 m/s over h */
        CHECK_BELOW(-pull, 1e-9);   /* over inverse masses of two and more */
        CHECK_BELOW(fmin(slack / h, pull), 1e-9);
        taut += pull > 1e-6;
        if (of->a >= BODIES) left[of->a - BODIES] = nb_add(left[of->a - BODIES], force);
        if (of->b >= BODIES) left[of->b - BODIES] = nb_sub(left[of->b - BODIES], force);
    }
    assert_int_equal(taut, 4);
    for (int i = 0; i < BEADS; i++) CHECK_BELOW(nb_norm(left[i]), 1e-9);
}

TEST(newton_solves_ropes_beside_contacts) {
    static const char *const solvers[] = {"pcr", "dense-cholesky", "gauss-seidel"};
    real u[6 * BODIES + 3 * BEADS] = {0};
    for (int n = 0; n < 6 + NB_NCP_FUNCTIONS; n++) {
        const char *solver = n < 6 ? solvers[n / 2] : "dense-cholesky", *option = n < 6 ? "islands" : "ncp";
        const char *value = n >= 6 ? nb_ncp_function_names[n - 6] : n % 2 ? "on" : "off";
        scene s, measured;
        nb_measure *measure;
        nb_step_outcome outcome;
        nb_problem *p = begin_scene(&s, 1, 0);
        assert_int_equal(p->contacts, 8);
        assert_int_equal(p->rows, 3 * 8 + ROPES);
        assert_int_equal(p->island_count, 2); /* the loose crate; the ropes, with the crate that one of them pulls at */
        CHECK_OK(nb_measure_create_problem(begin_scene(&measured, 1, 0), &measure));
        CHECK_OK(run("newton", solver, option, value, p, measure, &outcome));
        print_message("%s, %s %s: %d iterations, natural map %.1e m/s\n", solver, option, value,
                      (int)outcome.newton_iterations, outcome.errors.natural_map);
        assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        check_ropes(&s, p);
        for (int k = 0; n > 0 && k < p->velocities; k++)
            CHECK_NEAR(p->u[k], u[k], 1e-8); /* another way, the same end */
        memcpy(u, p->u, sizeof u);
        nb_measure_destroy(measure);
        end_scene(&s);
        end_scene(&measured);
    }
}

/* From where the lagged W has got to, the exact finish jumps to round-off: in a frozen geometry ropes are linear. */
TEST(the_finish_is_exact) {
    static const char *const solvers[] = {"dense-cholesky", "umfpack"}; /* the latter serves the finish as well */
    for (int i = 0; i < 2; i++) {
        scene s, measured;
        nb_measure *measure;
        nb_step_outcome outcome;
        int taut = 0;
        nb_problem *p = begin_scene(&s, 1, 1);
        CHECK_OK(nb_measure_create_problem(begin_scene(&measured, 1, 1), &measure));
        CHECK_OK(run("newton", solvers[i], "finish", "exact", p, measure, &outcome));
        print_message("%s: %d iterations, natural map %.1e m/s\n", solvers[i], (int)outcome.newton_iterations,
                      outcome.errors.natural_map);
        assert_int_equal(outcome.reason, NB_REASON_ROUND_OFF);
        CHECK_BELOW(outcome.errors.natural_map, 1e-13);
        assert_true(outcome.newton_iterations <= 16); /* twelve */
        for (int r = p->rows - ROPES; r < p->rows; r++) {
            CHECK_BELOW(fabs(fmin((double)p->value[r], (double)p->z[r])), 1e-11);
            taut += p->z[r] > 1e-6;
        }
        assert_int_equal(taut, 4);
        nb_measure_destroy(measure);
        end_scene(&s);
        end_scene(&measured);
    }
}

/* a frozen geometry: values grow by J u from those at the start of the step, in all rows */
TEST(frozen_ropes_are_linear) {
    uint64_t seed = test_seed();
    scene s;
    real start[3 * 8 + ROPES], moved[3 * 8 + ROPES];
    nb_problem *p = begin_scene(&s, 1, 1);
    p->type->evaluate(p, NULL);
    memcpy(start, p->value, sizeof start);
    for (int i = 0; i < ROPES; i++) {
        nb_vec3 apart = nb_sub(place_of(s.world, p, all_ropes[i].a, 0), place_of(s.world, p, all_ropes[i].b, 0));
        CHECK_NEAR(start[3 * 8 + i], (all_ropes[i].length - nb_norm(apart)) / h, 1e-12);
    }
    for (int32_t i = 0; i < p->nodes->count; i++)
        for (int32_t k = p->nodes->velocity[i]; mass_of(i) > 0 && k < p->nodes->velocity[i + 1]; k++)
            p->u[k] = R(test_random(&seed, -1, 1));
    p->type->rows_of_velocity(p, p->u, moved);
    p->type->evaluate(p, NULL);
    for (int r = 0; r < p->rows; r++) CHECK_NEAR(p->value[r], start[r] + moved[r], 1e-13);
    end_scene(&s);
}

/* Contacts that are detected within the step come before the ropes, which keep what they pull with. */
TEST(ropes_stay_when_contacts_come) {
    scene s, measured;
    nb_measure *measure;
    nb_errors errors;
    int32_t added;
    nb_problem *p = begin_scene(&s, 0, 0);
    CHECK_OK(nb_measure_create_problem(begin_scene(&measured, 0, 0), &measure));
    const real down[] = {0, 0, R(-0.1)};
    for (int r = 0; r < ROPES; r++) p->z[r] = R(1 + r);
    memcpy(p->u + p->nodes->velocity[LOOSE], down, sizeof down);
    memcpy(p->u + p->nodes->velocity[CRATE], down, sizeof down);
    CHECK_OK(nb_measure_detect(measure, p, &added));
    assert_int_equal(added, 8);
    nb_measure_iterate(measure, p, &errors); /* of the same rows */
    assert_true(isfinite(errors.natural_map) && errors.natural_map > 0);
    assert_int_equal(p->rows, 3 * 8 + ROPES);
    for (int r = 0; r < p->rows; r++) CHECK_NEAR(p->z[r], r < 3 * 8 ? 0 : 1 + r - 3 * 8, 0);
    CHECK_NEAR(p->u[p->nodes->velocity[LOOSE] + 2], -0.1, 0);
    assert_int_equal(p->island_count, 2);
    nb_measure_destroy(measure);
    end_scene(&measured);
    end_scene(&s);
}

/* ---- what is refused ---- */

static nb_status step_of_plugin(nb_problem *p, nb_measure *measure) {
    static const nb_plugin_class mine = {.kind = NB_PLUGIN_METHOD,
                                         .title = "method 'mine' of plugin 'mine.so'",
                                         .plugin = {.name = "mine", .summary = "of the test"},
                                         .offers = {0, 1}};
    const nb_method_class *type = nb_plugin_method(&mine, 0);
    const nb_method_settings settings = {0};
    nb_method *method;
    nb_step_outcome outcome;
    nb_status status = type->create(type, &settings, &method);
    if (status != NB_OK) return status;
    status = type->step(method, p, measure, NULL, &outcome);
    type->destroy(method);
    return status;
}

/* by its name, and which rows it does not know */
static void check_refusal(nb_status status, const char *who) {
    CHECK_FAULT(status, NB_ERROR_UNSUPPORTED, who);
    assert_non_null(strstr(nb_error_message(), "rows 25 to 29 have the law unilateral"));
}

TEST(others_refuse_the_rows) {
    static const nb_problem_class no_step = {0};
    nb_contact_problem stored;
    void *device_step;
    scene s, measured;
    nb_measure *measure;
    nb_step_outcome outcome;
    rope_rows more[NB_SUM_PACKS];
    nb_problem *p = begin_scene(&s, 1, 0);
    CHECK_OK(nb_measure_create_problem(begin_scene(&measured, 1, 0), &measure));
    check_refusal(run("interior-point", "umfpack", NULL, NULL, p, measure, &outcome), "method interior-point");
    check_refusal(step_of_plugin(p, measure), "method 'mine' of plugin 'mine.so'");
    check_refusal(nb_problem_store(p, &stored), "a contact problem's file");
    nb_problem other = *p;
    other.nodes = NULL; /* of which it takes no particles */
    check_refusal(nb_device_emulated.step_f64->build(NULL, &other, NULL, NULL, &device_step), "--whole-steps");
    other.range_count = 0; /* whatever its laws, it is no step of a world */
    other.type = &no_step;
    CHECK_FAULT(nb_device_emulated.step_f64->build(NULL, &other, NULL, NULL, &device_step), NB_ERROR_UNSUPPORTED,
                "steps of a world");
    nb_measure_destroy(measure);
    end_scene(&measured);

    /* rods in place of ropes, and nothing else: the law is one that it knows, its rows are no joints */
    static const real compliance[ROPES] = {0};
    const nb_bilateral_law rods = {.base = {&nb_bilateral_class}, .compliance = compliance};
    begin_scene(&measured, 0, 0);
    measured.rows.base.law = &rods.base;
    CHECK_OK(nb_step_begin(measured.step, measured.world, measured.contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_measure_create(&measure));
    CHECK_FAULT(run("interior-point", "umfpack", NULL, NULL, nb_step_problem(measured.step), measure, &outcome),
                NB_ERROR_UNSUPPORTED, "joints and contacts only; rows 1 to 5 are others");
    nb_measure_destroy(measure);
    end_scene(&measured);

    rope lost[] = {{CRANE, PLANE, 1, {0}}};
    add_ropes(s.step, &more[0], 1, lost);
    CHECK_FAULT(nb_step_begin(s.step, s.world, s.contacts, h, NB_GEOMETRY_UPDATED), NB_ERROR_INPUT,
                "block 0 of the pack ropes acts on no node that has mass");
    lost[0].b = CRATE;
    CHECK_OK(nb_step_begin(s.step, s.world, s.contacts, h, NB_GEOMETRY_UPDATED));
    assert_int_equal(nb_step_problem(s.step)->range_count, 3); /* contacts, and two sets of ropes */
    assert_int_equal(nb_step_problem(s.step)->rows, 3 * 8 + ROPES + 1);
    more[0].pack.base.rows_each = 2;
    CHECK_FAULT(nb_step_begin(s.step, s.world, s.contacts, h, NB_GEOMETRY_UPDATED), NB_ERROR_INPUT,
                "blocks of the law unilateral have 1 rows; block 0 of the pack ropes has 2");
    for (int i = 1; i < NB_SUM_PACKS - 4; i++) { /* joints, contacts, those of particles, and two of ropes are there */
        more[i] = more[0];
        CHECK_OK(nb_step_add_rows(s.step, &more[i].base));
    }
    CHECK_FAULT(nb_step_add_rows(s.step, &more[0].base), NB_ERROR_UNSUPPORTED, "ropes is one more");
    end_scene(&s);
}

RUN_TESTS(linear_solvers_take_the_sum, newton_solves_ropes_beside_contacts, the_finish_is_exact,
          frozen_ropes_are_linear, ropes_stay_when_contacts_come, others_refuse_the_rows)
