/* Steps of scenes, made by the Newton method on this processor and by the island kernel. */
#ifndef NB_TESTS_ISLAND_BENCH_H
#define NB_TESTS_ISLAND_BENCH_H

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "check.h"
#include "island/run.h"
#include "registry.h"
#include "run/method_options.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/columns.h"
#include "step/stepper.h"

enum {
    ITERATIONS = 6
};

/* one step of a scene, made by the method here and by the kernel */
typedef struct bench {
    nb_request request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_step *step;
    nb_problem *problem;
    nb_method *newton;
    real *u, *z; /* [ITERATIONS + 1] the method's iterates, 0 being the start */
    int heard;
    nb_newton_report reports[ITERATIONS + 1];
} bench;

static inline void bench_set(bench *b, const char *name, const char *value) {
    nb_setting *setting = &b->request.settings[b->request.setting_count++];
    strcpy(setting->name, name);
    strcpy(setting->value, value);
}

static inline void bench_set_solver(bench *b, const char *name, const char *value) {
    nb_setting *setting = &b->request.solver_options[b->request.solver_option_count++];
    strcpy(setting->name, name);
    strcpy(setting->value, value);
}

static inline bench *bench_create(const char *scenario) {
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
static inline void bench_open(bench *b, int steps) {
    const nb_stepper_class *type = NB_REAL_BITS == 32 ? &nb_stepper_f32 : &nb_stepper_f64;
    CHECK_OK(nb_simulate_prepare(&b->request));
    nb_method_settings settings = nb_request_settings(&b->request);
    CHECK_OK(b->request.choices.scenario->build(b->request.choices.parameters, 1, &b->world));
    CHECK_OK(nb_contacts_create(&b->contacts));
    CHECK_OK(nb_measure_create(&b->measure));
    double h = b->request.info.time_step;
    nb_geometry geometry = b->request.choices.geometry;
    void *stepper;
    CHECK_OK(type->create("newton", &settings, &stepper));
    for (int i = 0; i <= steps; i++) {
        nb_step_outcome outcome;
        nb_step_counts counts;
        if (b->world->prescribe) b->world->prescribe(b->world, h);
        CHECK_OK(nb_contacts_detect(b->world, h, b->contacts));
        CHECK_OK(nb_measure_begin(b->measure, b->world, b->contacts, h, geometry));
        if (i == steps) break;
        CHECK_OK(type->begin(stepper, b->world, b->contacts, h, geometry));
        CHECK_OK(type->step(stepper, b->world, b->contacts, h, 0, b->measure, NULL, &outcome, &counts, NULL));
    }
    type->destroy(stepper);
    CHECK_OK(nb_step_create(&b->step));
    CHECK_OK(nb_step_begin(b->step, b->world, b->contacts, h, geometry));
    b->problem = nb_step_problem(b->step);
    CHECK_OK(NB_ALLOCATE((ITERATIONS + 1) * (int64_t)b->problem->velocities, &b->u));
    CHECK_OK(NB_ALLOCATE((ITERATIONS + 1) * (int64_t)b->problem->rows, &b->z));
}

static inline void bench_destroy(bench *b) {
    if (b->newton) b->newton->type->destroy(b->newton);
    nb_step_destroy(b->step);
    nb_measure_destroy(b->measure);
    nb_contacts_destroy(b->contacts);
    nb_world_destroy(b->world);
    nb_free(b->u);
    nb_free(b->z);
    nb_free(b->request.info.parameters);
    free(b);
}

static inline void keep_iterate(bench *b, int i) {
    const nb_problem *p = b->problem;
    memcpy(b->u + (ptrdiff_t)i * p->velocities, p->u, (size_t)p->velocities * sizeof(real));
    memcpy(b->z + (ptrdiff_t)i * p->rows, p->z, (size_t)p->rows * sizeof(real));
}

static inline nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    (void)system;
    (void)problem;
    keep_iterate(context, newton);
    return NB_OK;
}

static inline nb_status hear_newton(void *context, const nb_newton_report *report) {
    bench *b = context;
    assert_true(b->heard <= ITERATIONS);
    b->reports[b->heard++] = *report;
    return NB_OK;
}

/* the method's iterates into u and z */
static inline void run_method(bench *b) {
    nb_observer observer = {.context = b, .system = hear_system, .newton = hear_newton};
    nb_step_outcome outcome;
    nb_method_settings settings = nb_request_settings(&b->request);
    const nb_method_class *type;
    CHECK_OK(nb_method_find("newton", &type));
    CHECK_OK(type->create(type, &settings, &b->newton));
    CHECK_OK(type->step(b->newton, b->problem, b->measure, &observer, &outcome));
    keep_iterate(b, ITERATIONS);
    assert_int_equal(b->heard, ITERATIONS + 1);
}

/* the value of an option of the method's */
static inline double option_of(const bench *b, const char *name) {
    int place = nb_method_option_place(b->request.choices.method, name);
    assert_true(place >= 0);
    return b->request.choices.method_values[place];
}

static inline nb_island_settings settings_of(const bench *b) {
    const nb_method_settings own = nb_request_settings(&b->request), *m = &own;
    nb_island_settings s = {.ncp = (nb_ncp_function)option_of(b, "ncp"),
                            .scaling = (nb_ncp_scaling)option_of(b, "scaling"),
                            .paper_row_scaling = option_of(b, "row-scaling") == 1,
                            .regularization_absolute = option_of(b, "regularization-kind") == 1,
                            .precondition = strcmp(m->preconditioner, "jacobi") == 0,
                            .contacts_linear = b->request.choices.geometry != NB_GEOMETRY_UPDATED,
                            .newton_iterations = m->newton_iterations,
                            .linear_iterations = m->linear.iterations,
                            .h = b->problem->h,
                            .damping = (real)option_of(b, "damping"),
                            .regularization = (real)option_of(b, "regularization"),
                            .alpha_minimum = R(1e-3),
                            .linear_tolerance = m->linear.tolerance};
    if (strcmp(m->linear_solver, "pcg") == 0) s.solver = NB_ISLAND_PCG;
    if (strcmp(m->linear_solver, "jacobi") == 0) {
        s.solver = NB_ISLAND_JACOBI;
        s.omega = R(0.3); /* of the damped variant */
    }
    if (strcmp(m->linear_solver, "gauss-seidel") == 0) {
        s.solver = NB_ISLAND_GAUSS_SEIDEL;
        s.precondition = 0;
        s.symmetric = m->linear_solver_values[0] == 1;
        s.omega = (real)m->linear_solver_values[1];
    }
    return s;
}

/* the largest difference over the largest entry */
static inline double distance(const real *a, const real *b, int32_t count) {
    double apart = 0, size = 0;
    for (int32_t i = 0; i < count; i++) {
        nb_raise(&apart, fabs((double)a[i] - (double)b[i]));
        nb_raise(&size, fabs((double)b[i]));
        if (!isfinite((double)a[i])) return INFINITY;
    }
    return size > 0 ? apart / size : apart;
}

/* the set of the bench's step from its beginning, not yet run */
static inline void build(bench *b, int by_island, int history, nb_island_set *set) {
    nb_geometry geometry = b->request.choices.geometry;
    CHECK_OK(nb_step_begin(b->step, b->world, b->contacts, b->request.info.time_step, geometry));
    CHECK_OK(nb_island_set_build(b->step, by_island, nb_step_problem(b->step)->frozen, ITERATIONS, history,
                                 strcmp(b->request.info.linear_solver, "gauss-seidel") == 0, set));
}

static inline void run(nb_island_set *set, const nb_island_settings *settings) {
    CHECK_OK(nb_islands_run(&nb_runtime_emulated, &set, 1, settings));
}

typedef struct variant {
    const char *scenario, *size, *solver, *preconditioner, *ncp, *scaling, *rows, *geometry, *kind;
    int by_island, steps;
    const char *sweep, *omega; /* of gauss-seidel, which goes in colour order */
} variant;

/* NULL: as it comes. Steps made before the one compared: at rest, arch and wall are so symmetric that round-off decides
 * what opens first. */
static const variant variants[] = {
    {"heavy-stack", "4", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 1, NULL, NULL},
    {"incline", NULL, "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 1, NULL, NULL},
    {"wall", "3", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2, NULL, NULL},
    {"piling", "6", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 1, 20, NULL, NULL},
    {"arch", NULL, "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2, NULL, NULL},
    {"arch", NULL, "pcg", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2, NULL, NULL},
    {"arch", NULL, "jacobi", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2, NULL, NULL},
    {"arch", NULL, "pcr", "none", NULL, NULL, NULL, NULL, NULL, 0, 2, NULL, NULL},
    {"arch", NULL, "pcr", "jacobi", "minimum-map", "time-step", NULL, NULL, NULL, 0, 2, NULL, NULL},
    {"arch", NULL, "pcr", "jacobi", NULL, "effective-mass", "paper", NULL, "absolute", 0, 2, NULL, NULL},
    {"arch", NULL, "pcr", "jacobi", NULL, "identity", NULL, "frozen", NULL, 0, 2, NULL, NULL},
    {"beam", "6", "pcr", "jacobi", NULL, NULL, NULL, "frozen", NULL, 0, 2, NULL, NULL},
    {"beam", "6", "pcr", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2, NULL, NULL},
    {"beam", "8", "pcg", "jacobi", NULL, NULL, "paper", NULL, NULL, 0, 2, NULL, NULL},
    {"beam", "6", "gauss-seidel", "none", NULL, NULL, NULL, NULL, NULL, 0, 2, "forward", NULL},
    {"arch", NULL, "gauss-seidel", "jacobi", NULL, NULL, NULL, NULL, NULL, 0, 2, "forward", NULL},
    {"piling", "6", "gauss-seidel", "jacobi", NULL, NULL, NULL, NULL, NULL, 1, 20, "forward", NULL},
    {"beam", "6", "gauss-seidel", "none", NULL, NULL, NULL, "frozen", NULL, 0, 2, "symmetric", NULL},
    {"wall", "3", "gauss-seidel", "none", "minimum-map", NULL, NULL, NULL, NULL, 0, 2, "symmetric", NULL},
    {"arch", NULL, "gauss-seidel", "none", NULL, NULL, NULL, NULL, NULL, 0, 2, "forward", "0.7"},
    {"piling", "6", "gauss-seidel", "none", NULL, NULL, NULL, NULL, NULL, 1, 20, "symmetric", "1.3"},
};

static inline void take(char *field, const char *value) {
    if (value) strcpy(field, value);
}

static inline void take_option(bench *b, const char *name, const char *value) {
    if (value) CHECK_OK(nb_request_set_option(&b->request, name, value));
}

static inline bench *bench_of(const variant *v) {
    bench *b = bench_create(v->scenario);
    nb_run_info *info = &b->request.info;
    if (v->size) b->request.size = atof(v->size);
    take(info->linear_solver, v->solver);
    take(info->preconditioner, v->preconditioner);
    take_option(b, "ncp", v->ncp);
    take_option(b, "scaling", v->scaling);
    take_option(b, "row-scaling", v->rows);
    take(info->geometry, v->geometry);
    take_option(b, "regularization-kind", v->kind);
    take_option(b, "islands", v->by_island ? "on" : NULL);
    if (strcmp(v->solver, "jacobi") == 0) bench_set_solver(b, "variant", "damped");
    if (v->sweep) {
        bench_set_solver(b, "sweep", v->sweep);
        bench_set_solver(b, "order", "colour");
        if (v->omega) bench_set_solver(b, "omega", v->omega);
    }
    bench_open(b, v->steps);
    return b;
}

static inline void check_same_iterate(const nb_island *a, const nb_island *b) {
    assert_int_equal(a->threads, b->threads);
    assert_int_equal(a->slots, b->slots);
    assert_int_equal(a->kept, b->kept);
    size_t length = (size_t)(a->kept * nb_island_iterate_length(a));
    assert_memory_equal(a->iterates, b->iterates, length * sizeof(real));
    assert_memory_equal(a->reports, b->reports, ITERATIONS * sizeof *a->reports);
}

/* a scene in a batch of scenes of other sizes is bit for bit the scene alone */
static inline void check_batch(const nb_runtime *runtime) {
    enum {
        SCENES = 4
    };
    bench *b[SCENES];
    nb_island_set alone[SCENES], together[SCENES], *sets[SCENES], *one;
    for (int i = 0; i < SCENES; i++) {
        b[i] = bench_of(&variants[i]);
        int by_island = variants[i].by_island;
        build(b[i], by_island, 0, &alone[i]);
        nb_island_settings settings = settings_of(b[0]);
        one = &alone[i];
        CHECK_OK(nb_islands_run(runtime, &one, 1, &settings));
        build(b[i], by_island, 0, &together[i]);
        sets[i] = &together[i];
    }
    nb_island_settings settings = settings_of(b[0]);
    CHECK_OK(nb_islands_run(runtime, sets, SCENES, &settings));
    for (int i = 0; i < SCENES; i++) {
        for (int32_t k = 0; k < alone[i].count; k++) check_same_iterate(&alone[i].islands[k], &together[i].islands[k]);
        nb_island_set_clear(&alone[i]);
        nb_island_set_clear(&together[i]);
        bench_destroy(b[i]);
    }
}

#endif
