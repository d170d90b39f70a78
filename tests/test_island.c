/* The island kernel, run by emulation, against the Newton method on this processor: the same iterates up to round-off.
 * NB_TEST_IN_BOTH_PRECISIONS */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "island/run.h"
#include "method/stepper.h"
#include "registry.h"
#include "resolve.h"
#include "simulate.h"

enum {
    ITERATIONS = 6
};

/* one step of a scene, made by the method here and by the kernel */
typedef struct bench {
    nb_request request;
    nb_choices choices;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_step *step;
    nb_problem *problem;
    void *newton;
    const nb_method_class *class;
    real *u, *z; /* [ITERATIONS + 1] the method's iterates, 0 being the start */
    int heard;
    nb_newton_report reports[ITERATIONS + 1];
} bench;

static void bench_set(bench *b, const char *name, const char *value) {
    nb_setting *setting = &b->request.settings[b->request.setting_count++];
    strcpy(setting->name, name);
    strcpy(setting->value, value);
}

static void bench_set_solver(bench *b, const char *name, const char *value) {
    nb_setting *setting = &b->request.solver_options[b->request.solver_option_count++];
    strcpy(setting->name, name);
    strcpy(setting->value, value);
}

static bench *bench_create(const char *scenario) {
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    nb_request_standard(&b->request);
    strcpy(b->request.info.scenario, scenario);
    strcpy(b->request.info.precision, NB_REAL_NAMED);
    b->request.info.newton_iterations = ITERATIONS;
    b->request.info.linear_iterations = 8; /* more would only let round-off grow */
    return b;
}

/* `steps` steps are made before the one that is looked at */
static void bench_open(bench *b, int steps) {
    const nb_stepper_class *class = NB_REAL_BITS == 32 ? &nb_stepper_f32 : &nb_stepper_f64;
    CHECK_OK(nb_simulate_prepare(&b->request));
    CHECK_OK(nb_request_resolve(&b->request, &b->choices));
    CHECK_OK(b->choices.scenario->build(b->choices.parameters, 1, &b->world));
    CHECK_OK(nb_contacts_create(&b->contacts));
    CHECK_OK(nb_measure_create(&b->measure));
    double h = b->request.info.time_step;
    int frozen = b->choices.settings.frozen_geometry;
    void *stepper;
    CHECK_OK(class->create("newton", &b->choices.settings, &stepper));
    for (int i = 0; i <= steps; i++) {
        nb_step_outcome outcome;
        nb_step_counts counts;
        if (b->world->prescribe) b->world->prescribe(b->world, h);
        CHECK_OK(nb_contacts_detect(b->world, h, b->contacts));
        CHECK_OK(nb_measure_begin(b->measure, b->world, b->contacts, h, frozen));
        if (i == steps) break;
        CHECK_OK(class->begin(stepper, b->world, b->contacts, h, frozen));
        CHECK_OK(class->step(stepper, b->world, b->contacts, h, 0, b->measure, NULL, &outcome, &counts, NULL));
    }
    class->destroy(stepper);
    CHECK_OK(nb_step_create(&b->step));
    CHECK_OK(nb_step_begin(b->step, b->world, b->contacts, h, frozen));
    b->problem = nb_step_problem(b->step);
    CHECK_OK(NB_ALLOCATE((ITERATIONS + 1) * (int64_t)b->problem->velocities, &b->u));
    CHECK_OK(NB_ALLOCATE((ITERATIONS + 1) * (int64_t)b->problem->rows, &b->z));
}

static void bench_destroy(bench *b) {
    if (b->class) b->class->destroy(b->newton);
    nb_step_destroy(b->step);
    nb_measure_destroy(b->measure);
    nb_contacts_destroy(b->contacts);
    nb_world_destroy(b->world);
    nb_free(b->u);
    nb_free(b->z);
    nb_free(b->request.info.parameters);
    free(b);
}

static void keep_iterate(bench *b, int i) {
    const nb_problem *p = b->problem;
    memcpy(b->u + (ptrdiff_t)i * p->velocities, p->u, (size_t)p->velocities * sizeof(real));
    memcpy(b->z + (ptrdiff_t)i * p->rows, p->z, (size_t)p->rows * sizeof(real));
}

static nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    (void)system;
    (void)problem;
    keep_iterate(context, newton);
    return NB_OK;
}

static nb_status hear_newton(void *context, const nb_newton_report *report) {
    bench *b = context;
    assert_true(b->heard <= ITERATIONS);
    b->reports[b->heard++] = *report;
    return NB_OK;
}

/* the method's iterates into u and z */
static void run_method(bench *b) {
    nb_observer observer = {.context = b, .system = hear_system, .newton = hear_newton};
    nb_step_outcome outcome;
    CHECK_OK(nb_method_find("newton", &b->class));
    CHECK_OK(b->class->create(&b->choices.settings, &b->newton));
    CHECK_OK(b->class->step(b->newton, b->problem, b->measure, &observer, &outcome));
    keep_iterate(b, ITERATIONS);
    assert_int_equal(b->heard, ITERATIONS + 1);
}

static nb_island_settings settings_of(const bench *b) {
    const nb_method_settings *m = &b->choices.settings;
    nb_island_settings s = {.ncp = m->ncp,
                            .scaling = m->scaling,
                            .paper_row_scaling = m->paper_row_scaling,
                            .regularization_absolute = m->regularization_absolute,
                            .precondition = strcmp(m->preconditioner, "jacobi") == 0,
                            .frozen = m->frozen_geometry,
                            .newton_iterations = m->newton_iterations,
                            .linear_iterations = m->linear_iterations,
                            .h = b->problem->h,
                            .damping = (real)m->damping,
                            .regularization = (real)m->regularization,
                            .alpha_minimum = (real)m->alpha_minimum,
                            .linear_tolerance = m->linear_tolerance};
    if (strcmp(m->linear_solver, "pcg") == 0) s.solver = NB_ISLAND_PCG;
    if (strcmp(m->linear_solver, "jacobi") == 0) {
        s.solver = NB_ISLAND_JACOBI;
        s.omega = R(0.3); /* of the damped variant */
    }
    return s;
}

/* the largest difference over the largest entry */
static double distance(const real *a, const real *b, int32_t count) {
    double apart = 0, size = 0;
    for (int32_t i = 0; i < count; i++) {
        apart = fmax(apart, fabs((double)a[i] - (double)b[i]));
        size = fmax(size, fabs((double)b[i]));
        if (!isfinite((double)a[i])) return INFINITY;
    }
    return size > 0 ? apart / size : apart;
}

/* the set of the bench's step from its beginning, not yet run */
static void build(bench *b, int by_island, int history, nb_island_set *set) {
    int frozen = b->choices.settings.frozen_geometry;
    CHECK_OK(nb_step_begin(b->step, b->world, b->contacts, b->request.info.time_step, frozen));
    CHECK_OK(nb_island_set_build(b->step, by_island, frozen, ITERATIONS, history, set));
}

static void run(nb_island_set *set, const nb_island_settings *settings) {
    CHECK_OK(nb_islands_run(&nb_runtime_emulated, &set, 1, settings));
}

/* Both go from the same start, so that they differ by round-off, which grows where contacts open, close and slide: an
 * iteration of these scenes lets it grow to the tenfold or less. The allowance begins at about 30 times what was seen,
 * also with other instruction sets; in f32 it ends where a wrong kernel would not be told apart any more. */
static void compare(bench *b, int by_island) {
    const double most = NB_REAL_BITS == 32 ? 1e-2 : 1e-6;
    nb_island_set set;
    nb_problem *p = b->problem;
    nb_island_settings settings = settings_of(b);
    double allowed = 2000 * (double)NB_REAL_EPSILON;
    run_method(b);
    build(b, by_island, 1, &set);
    run(&set, &settings);
    for (int i = 0; i < ITERATIONS; i++, allowed = fmin(10 * allowed, most)) {
        nb_island_set_take(&set, i, p);
        double u = distance(p->u, b->u + (ptrdiff_t)(i + 1) * p->velocities, p->velocities);
        double z = distance(p->z, b->z + (ptrdiff_t)(i + 1) * p->rows, p->rows);
        if (!(u <= allowed) || !(z <= allowed))
            fail_msg("iteration %d: u %g and z %g apart, %g allowed", i, u, z, allowed);
    }
    nb_island_set_take(&set, -1, p);
    real *last = b->u + (ptrdiff_t)ITERATIONS * p->velocities;
    assert_true(distance(p->u, last, p->velocities) <= most);
    if (!by_island) { /* what is said of the first iteration; later ones differ by what is left of round-off */
        const nb_island_report *own = &set.islands[0].reports[0];
        const nb_newton_report *other = &b->reports[0];
        CHECK_NEAR(own->residual_l2, other->residual_l2, 1e4 * (double)NB_REAL_EPSILON * other->residual_l2);
        CHECK_NEAR(own->residual_linf, other->residual_linf, 1e4 * (double)NB_REAL_EPSILON * other->residual_linf);
        CHECK_NEAR(own->step_linf, other->step_linf, 1e-3 * other->step_linf);
        assert_int_equal(own->reason, other->linear_reason);
        assert_int_equal(own->linear_iterations, other->linear_iterations);
    }
    nb_island_set_clear(&set);
}

typedef struct variant {
    const char *scenario, *size, *solver, *preconditioner, *ncp, *scaling, *rows, *geometry, *kind;
    int by_island, steps;
} variant;

/* NULL: as it comes. Steps made before the one compared: at rest, arch and wall are so symmetric that round-off decides
 * what opens first. */
static const variant variants[] = {
    {"heavy-stack", "4", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 1},
    {"incline", NULL, "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 1},
    {"wall", "3", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2},
    {"piling", "6", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 1, 20},
    {"arch", NULL, "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2},
    {"arch", NULL, "pcg", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2},
    {"arch", NULL, "jacobi", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2},
    {"arch", NULL, "pcr", "none", NULL, NULL, NULL, NULL, NULL, 0, 2},
    {"arch", NULL, "pcr", "jacobi", "minimum-map", "time-step", NULL, NULL, NULL, 0, 2},
    {"arch", NULL, "pcr", "jacobi", NULL, "effective-mass", "paper", NULL, "absolute", 0, 2},
    {"arch", NULL, "pcr", "jacobi", NULL, "identity", NULL, "frozen", NULL, 0, 2},
    {"beam", "6", "pcr", "jacobi", NULL, NULL, NULL, "frozen", NULL, 0, 2},
};

static void take(char *field, const char *value) {
    if (value) strcpy(field, value);
}

static bench *bench_of(const variant *v) {
    bench *b = bench_create(v->scenario);
    nb_run_info *info = &b->request.info;
    if (v->size) b->request.size = atof(v->size);
    take(info->linear_solver, v->solver);
    take(info->preconditioner, v->preconditioner);
    take(info->ncp, v->ncp);
    take(info->scaling, v->scaling);
    take(info->row_scaling, v->rows);
    take(info->geometry, v->geometry);
    take(info->regularization_kind, v->kind);
    info->islands = v->by_island;
    if (strcmp(v->solver, "jacobi") == 0) bench_set_solver(b, "variant", "damped");
    bench_open(b, v->steps);
    return b;
}

static void test_the_iterates_are_the_methods(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        bench *b = bench_of(&variants[i]);
        print_message("variant %zu: %s, %d contacts, %d bilaterals, %d islands\n", i, variants[i].scenario,
                      b->problem->contacts, b->problem->bilaterals, b->problem->island_count);
        compare(b, variants[i].by_island);
        bench_destroy(b);
    }
}

static void check_same_iterate(const nb_island *a, const nb_island *b) {
    assert_int_equal(a->threads, b->threads);
    assert_int_equal(a->slots, b->slots);
    assert_memory_equal(a->u, b->u, 6 * (size_t)a->slots * sizeof(real));
    assert_memory_equal(a->reports, b->reports, ITERATIONS * sizeof *a->reports);
    for (int k = 0; k < 3; k++)
        assert_memory_equal(a->z + k * a->threads, b->z + k * b->threads, (size_t)a->contacts * sizeof(real));
}

/* a scene in a batch, whatever else is in it, is bit for bit the scene alone */
static void test_a_batch_is_its_scenes(void **state) {
    enum {
        SCENES = 4
    };
    bench *b[SCENES];
    nb_island_set alone[SCENES], together[SCENES], *sets[SCENES];
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        b[i] = bench_of(&variants[i]);
        int by_island = variants[i].by_island;
        build(b[i], by_island, 0, &alone[i]);
        nb_island_settings settings = settings_of(b[0]);
        run(&alone[i], &settings);
        build(b[i], by_island, 0, &together[i]);
        sets[i] = &together[i];
    }
    nb_island_settings settings = settings_of(b[0]);
    CHECK_OK(nb_islands_run(&nb_runtime_emulated, sets, SCENES, &settings));
    for (int i = 0; i < SCENES; i++) {
        for (int32_t k = 0; k < alone[i].count; k++) check_same_iterate(&alone[i].islands[k], &together[i].islands[k]);
        nb_island_set_clear(&alone[i]);
        nb_island_set_clear(&together[i]);
        bench_destroy(b[i]);
    }
}

static int is_touched(const nb_contacts *contacts, int32_t body) {
    for (int32_t i = 0; i < contacts->count; i++)
        if (contacts->items[i].body_a == body || contacts->items[i].body_b == body) return 1;
    return 0;
}

/* bodies that nothing touches, the upper ones of five: u goes to u~ by (1 - t) an iteration, in islands or not */
static void test_free_bodies_fall(void **state) {
    (void)state;
    for (int by_island = 0; by_island < 2; by_island++) {
        bench *b = bench_create("piling");
        b->request.size = 5;
        bench_set(b, "spacing", "9");
        bench_open(b, 0);
        nb_island_settings settings = settings_of(b);
        nb_island_set set;
        build(b, by_island, 0, &set);
        assert_int_equal(set.count, by_island ? b->problem->island_count + 1 : 1);
        run(&set, &settings);
        nb_island_set_take(&set, -1, b->problem);
        double fall = -9.81 * b->request.info.time_step, left = pow(1 - (double)settings.damping, ITERATIONS);
        int found = 0;
        for (int32_t i = 0; i < b->world->body_count; i++) {
            if (b->world->bodies[i].kind != NB_BODY_DYNAMIC || is_touched(b->contacts, i)) continue;
            CHECK_NEAR((double)b->problem->u[6 * i + 2], fall * (1 - left), 8 * (double)NB_REAL_EPSILON);
            found++;
        }
        assert_in_range(found, 1, 4);
        nb_island_set_clear(&set);
        bench_destroy(b);
    }
}

static void test_what_is_not_offered(void **state) {
    const variant joints = {"beam", "6", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 0};
    const variant large = {"wall", "8", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 0};
    nb_island_set set;
    (void)state;
    bench *b = bench_of(&joints);
    CHECK_FAULT(nb_island_set_build(b->step, 0, 0, 1, 0, &set), NB_ERROR_UNSUPPORTED, "--geometry frozen");
    nb_island_set_clear(&set);
    bench_destroy(b);
    b = bench_of(&large);
    CHECK_FAULT(nb_island_set_build(b->step, 0, 0, 1, 0, &set), NB_ERROR_UNSUPPORTED, "one block");
    nb_island_set_clear(&set);
    bench_destroy(b);
}

static void test_numbers_that_are_none(void **state) {
    (void)state;
    bench *b = bench_of(&variants[0]);
    nb_island_settings settings = settings_of(b);
    nb_island_set set;
    build(b, 0, 0, &set);
    set.islands[0].u_free[2] = NAN;
    run(&set, &settings);
    assert_int_equal(set.islands[0].reports[0].reason, NB_REASON_NAN);
    assert_int_equal(set.islands[0].reports[0].linear_iterations, 0);
    assert_true(isnan(set.islands[0].reports[0].residual_linf));
    nb_island_set_clear(&set);
    bench_destroy(b);
}

static void test_a_lost_device_is_a_fault(void **state) {
    (void)state;
    bench *b = bench_of(&variants[0]);
    nb_island_settings settings = settings_of(b);
    nb_island_set set, *sets[1] = {&set};
    build(b, 0, 0, &set);
    nb_emulated_lose_after(0);
    CHECK_FAULT(nb_islands_run(&nb_runtime_emulated, sets, 1, &settings), NB_ERROR_DEVICE, "lost");
    nb_emulated_lose_after(-1);
    CHECK_OK(nb_islands_run(&nb_runtime_emulated, sets, 1, &settings));
    nb_island_set_clear(&set);
    bench_destroy(b);
}

/* the GPU itself against its emulation: the same up to fused multiplications and additions */
static void test_on_the_gpu(void **state) {
    (void)state;
    if (nb_runtime_cuda.open() != NB_OK) {
        print_message("skipped: %s\n", nb_error_message());
        skip();
    }
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        bench *b = bench_of(&variants[i]);
        nb_island_settings settings = settings_of(b);
        nb_island_set emulated, cuda, *sets[1] = {&cuda};
        nb_problem *p = b->problem;
        build(b, variants[i].by_island, 0, &emulated);
        build(b, variants[i].by_island, 0, &cuda);
        settings.newton_iterations = 2;
        run(&emulated, &settings);
        CHECK_OK(nb_islands_run(&nb_runtime_cuda, sets, 1, &settings));
        nb_island_set_take(&emulated, -1, p);
        memcpy(b->u, p->u, (size_t)p->velocities * sizeof(real));
        nb_island_set_take(&cuda, -1, p);
        assert_true(distance(p->u, b->u, p->velocities) <= 2e4 * (double)NB_REAL_EPSILON);
        nb_island_set_clear(&emulated);
        nb_island_set_clear(&cuda);
        bench_destroy(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_iterates_are_the_methods),
        cmocka_unit_test(test_a_batch_is_its_scenes),
        cmocka_unit_test(test_free_bodies_fall),
        cmocka_unit_test(test_what_is_not_offered),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_a_lost_device_is_a_fault),
        cmocka_unit_test(test_on_the_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
