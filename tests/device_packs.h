/* Scenes with particles and elements on a device, held against this processor: for the emulated one (test_stages.c) and
 * the GPU (gpu_solvers.c). */
#ifndef NB_TEST_DEVICE_PACKS_H
#define NB_TEST_DEVICE_PACKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accelerators.h"
#include "base/largest.h"
#include "base/memory.h"
#include "base/storage.h"
#include "check.h"
#include "contact/contact.h"
#include "operator/solve.h"
#include "random_scene.h"
#include "registry.h"
#include "soft_mesh.h"

/* Solvers on a device, held against this processor's: for the emulated one (test_stages.c) and the GPU
 * (gpu_solvers.c). */

enum {
    MOST_OPTIONS = 8
};

/* Solvers and preconditioners that sweep do so in colour order here, as devices do. */
typedef struct solver_case {
    const char *solver, *option, *preconditioner, *preconditioner_option; /* "name=value"; NULL: none, as it comes */
} solver_case;

static const solver_case cases[] = {
    {"pcr", NULL, "none", NULL},
    {"pcr", NULL, "jacobi", NULL},
    {"pcr", NULL, "block-jacobi", "blocks=contact"},
    {"pcr", NULL, "block-jacobi", "blocks=pair"},
    {"pcg", NULL, "none", NULL},
    {"pcg", NULL, "jacobi", NULL},
    {"pcg", NULL, "block-jacobi", "blocks=pair"},
    {"minres", NULL, "none", NULL},
    {"minres", NULL, "block-jacobi", "blocks=contact"},
    {"jacobi", "variant=plain", NULL, NULL},
    {"jacobi", "variant=damped", NULL, NULL},
    {"jacobi", "variant=l1", NULL, NULL},
    {"gauss-seidel", NULL, NULL, NULL},
    {"gauss-seidel", "omega=1.3", NULL, NULL},
    {"gauss-seidel", "sweep=symmetric", NULL, NULL},
    {"pcg", NULL, "ssor", NULL},
    {"pcr", NULL, "ssor", "omega=1.3"},
    {"minres", NULL, "ssor", NULL},
    {"pcg", NULL, "chebyshev", NULL},
    {"pcr", NULL, "chebyshev", "inner=jacobi"},
    {"minres", NULL, "chebyshev", "degree=1"},
    {"pcr", NULL, "chebyshev", "degree=7"},
    {"pcg", NULL, "fsai", NULL},
    {"pcr", "recycle=2", "jacobi", NULL},
    {"cholesky", NULL, NULL, NULL},
};

/* bodies, joints, runs of contacts: more constraints than threads of a block, only joints, only contacts, nothing */
static const int sizes[][3] = {{60, 20, 100}, {50, 30, 0}, {40, 0, 110}, {12, 4, 20}, {3, 1, 2}, {3, 0, 0}};

/* whether this solver has a case in the precision of what is stored */
static int is_offered(const nb_linear_solver_class **solver) {
    return NB_STORAGE_BITS == NB_REAL_BITS || nb_linear_solver_take_mixed(solver) == NB_OK;
}

/* The set-up of fsai takes a tenth of a second where a random scene has many contacts, and is the processor's. */
static int is_costly(const solver_case *c, const nb_system *system) {
    return c->preconditioner && strcmp(c->preconditioner, "fsai") == 0 && system->rows > 300;
}

static void standard(const nb_option *options, int count, const char *setting, double *values) {
    char name[32];
    nb_options_standard(options, count, values);
    for (int i = 0; i < count; i++)
        if (strcmp(options[i].name, "order") == 0)
            CHECK_OK(nb_options_set(options, count, "test", "order", "colour", values));
    if (!setting) return;
    const char *value = strchr(setting, '=');
    snprintf(name, sizeof name, "%.*s", (int)(value - setting), setting);
    CHECK_OK(nb_options_set(options, count, "test", name, value + 1, values));
}

/* a solve of the case on the system, on this device (NULL: this processor); so many times, the last one told */
static nb_status run_to(const solver_case *c, nb_system *system, const nb_device *device, const nb_linear_stop *stop,
                        int times, nb_solve_history *history, real *x, nb_solve_report *report) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner = NULL;
    double values[MOST_OPTIONS], preconditioner_values[MOST_OPTIONS];
    nb_solve *solve;
    CHECK_OK(nb_linear_solver_find(c->solver, &solver));
    if (!is_offered(&solver)) skip();
    assert_true(solver->on_devices);
    standard(solver->options, solver->option_count, c->option, values);
    if (c->preconditioner) {
        CHECK_OK(nb_preconditioner_find(c->preconditioner, &preconditioner));
        standard(preconditioner->options, preconditioner->option_count, c->preconditioner_option,
                 preconditioner_values);
    }
    system->device = device;
    CHECK_OK(nb_solve_create(solver, values, preconditioner, preconditioner_values, &solve));
    nb_status status = NB_OK;
    for (int i = 0; i < times && status == NB_OK; i++)
        status = nb_solve_run(solve, system, stop, history, NULL, x, report);
    nb_solve_destroy(solve);
    return status;
}

static nb_status run_until(const solver_case *c, nb_system *system, const nb_device *device, int iterations,
                           double tolerance, nb_solve_history *history, real *x, nb_solve_report *report) {
    const nb_linear_stop stop = {.iterations = iterations, .tolerance = tolerance};
    return run_to(c, system, device, &stop, 1, history, x, report);
}

static nb_status run_watched(const solver_case *c, nb_system *system, const nb_device *device, int iterations,
                             nb_solve_history *history, real *x, nb_solve_report *report) {
    return run_until(c, system, device, iterations, 0, history, x, report);
}

static nb_status run(const solver_case *c, nb_system *system, const nb_device *device, int iterations, real *x,
                     nb_solve_report *report) {
    return run_watched(c, system, device, iterations, NULL, x, report);
}

/* C = 1/2 bounds the condition, so that round-off grows with the iterations alone */
static void bound_condition(scene *s) {
    for (int32_t r = 0; r < s->system->rows; r++) s->system->c[r] = R(0.5);
    nb_system_values_changed(s->system);
}

static void make_scene(scene *s, uint64_t *seed, const int size[3]) {
    begin_scene(s, seed, size[0], size[1], size[2]);
    bound_condition(s);
}

static double largest(int32_t n, const real *x) {
    double most = 0;
    for (int32_t i = 0; i < n; i++) nb_raise(&most, fabs((double)x[i]));
    return most;
}

/* Sums in another order differ by some hundred roundings; each iteration passes an error on with a factor of at most a
 * few, against the size of the iterate; plain Jacobi, which diverges, does so with the size it grows to. */
static void compare(const solver_case *c, nb_system *system, const nb_device *device) {
    static real mine[MOST_ROWS], theirs[MOST_ROWS];
    static const int counts[] = {0, 1, 3, 10};
    nb_solve_report here, there;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        double growth = pow(2, counts[k]);
        CHECK_OK(run(c, system, NULL, counts[k], mine, &here));
        CHECK_OK(run(c, system, device, counts[k], theirs, &there));
        /* where both end at round-off, the last digits say which of two reasons it is, and at which iteration */
        if (!nb_reason_converged(here.reason) || !nb_reason_converged(there.reason)) {
            assert_int_equal(here.iterations, there.iterations);
            assert_int_equal(here.reason, there.reason);
            assert_int_equal(here.products, there.products);
            assert_int_equal(here.preconditionings, there.preconditionings);
            assert_int_equal(here.colours, there.colours);
        }
        double tolerance = 200 * growth * (double)NB_STORAGE_EPSILON * largest(system->rows, mine);
        for (int32_t i = 0; i < system->rows; i++) CHECK_NEAR(theirs[i], mine[i], tolerance);
    }
}

static void compare_all(nb_system *system, const nb_device *device) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const nb_linear_solver_class *solver;
        CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
        if (is_offered(&solver) && !is_costly(&cases[k], system)) compare(&cases[k], system, device);
    }
}

/* every case on every size, iterate by iterate */
static inline void check_iterates(const nb_device *device) {
    static scene s;
    uint64_t seed = 11;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        make_scene(&s, &seed, sizes[i]);
        compare_all(s.system, device);
        end_scene(&s);
    }
}

/* A chain has two colours of more groups than a block has threads, and a tail; the residual that a sweep stops at is
 * made of all of them. */
static inline void check_wide_colours(const nb_device *device) {
    static scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 19;
    nb_solve_report here, there;
    print_message("seed %llu\n", (unsigned long long)seed);
    begin_chain(&s, &seed, 590);
    bound_condition(&s);
    compare_all(s.system, device);
    compare(&(solver_case){"pcg", NULL, "fsai", NULL}, s.system,
            device); /* blocks of rows of several blocks of threads */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const nb_linear_solver_class *solver;
        CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
        if (strcmp(solver->name, "gauss-seidel") != 0 || !is_offered(&solver)) continue;
        CHECK_OK(run_until(&cases[k], s.system, NULL, 500, 1e-4, NULL, x, &here));
        CHECK_OK(run_until(&cases[k], s.system, device, 500, 1e-4, NULL, x, &there));
        assert_int_equal(here.reason, NB_REASON_CONVERGED);
        assert_int_equal(there.reason, NB_REASON_CONVERGED);
        assert_int_equal(there.iterations, here.iterations);
        assert_true(here.iterations > 1);
        assert_true(there.colours > 2);
    }
    end_scene(&s);
}

/* Cholesky breaks down at the same row, in one launch and in many. */
static inline void check_failed_row(const nb_device *device) {
    static const solver_case cholesky = {"cholesky", NULL, NULL, NULL};
    static scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 20;
    nb_solve_report here, there;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            make_scene(&s, &seed, sizes[3]);
        else
            begin_chain(&s, &seed, 590);
        bound_condition(&s);
        s.system->c[s.system->rows / 2] = R(-1e3);
        nb_system_values_changed(s.system);
        CHECK_OK(run(&cholesky, s.system, NULL, 1, x, &here));
        CHECK_OK(run(&cholesky, s.system, device, 1, x, &there));
        assert_int_equal(here.reason, NB_REASON_NOT_POSITIVE_DEFINITE);
        assert_int_equal(there.reason, NB_REASON_NOT_POSITIVE_DEFINITE);
        assert_int_equal(there.failed_row, here.failed_row);
        end_scene(&s);
    }
}

/* One solve on the device for system after system, larger ones and smaller ones: what is kept of one does not show in
 * the next, which is to the bit what a new solve makes of it. */
static inline void check_memory_that_is_kept(const nb_device *device) {
    static const int order[] = {3, 0, 2, 1, 5, 4, 0};
    static scene s;
    static real fresh[MOST_ROWS], kept[MOST_ROWS];
    double values[MOST_OPTIONS], preconditioner_values[MOST_OPTIONS];
    nb_solve_report report;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const nb_linear_solver_class *solver;
        const nb_preconditioner_class *preconditioner = NULL;
        uint64_t seed = 22 + k;
        nb_solve *solve;
        CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
        if (!is_offered(&solver)) continue;
        standard(solver->options, solver->option_count, cases[k].option, values);
        if (cases[k].preconditioner) {
            CHECK_OK(nb_preconditioner_find(cases[k].preconditioner, &preconditioner));
            standard(preconditioner->options, preconditioner->option_count, cases[k].preconditioner_option,
                     preconditioner_values);
        }
        CHECK_OK(nb_solve_create(solver, values, preconditioner, preconditioner_values, &solve));
        for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
            make_scene(&s, &seed, sizes[order[i]]);
            if (is_costly(&cases[k], s.system)) {
                end_scene(&s);
                continue;
            }
            CHECK_OK(run(&cases[k], s.system, device, 4, fresh, &report));
            nb_solve_restart(solve);
            CHECK_OK(nb_solve_run(solve, s.system, &(nb_linear_stop){.iterations = 4, .tolerance = 0}, NULL, NULL, kept,
                                  &report));
            assert_memory_equal(kept, fresh, (size_t)s.system->rows * sizeof *kept);
            end_scene(&s);
        }
        nb_solve_destroy(solve);
    }
}

/* iterations of four systems, one after the other, of weights that change by a tenth; and what each was deflated by */
static void solve_sequence(const solver_case *c, nb_system *system, const nb_device *device,
                           nb_solve_report report[4]) {
    static real x[MOST_ROWS];
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    double values[MOST_OPTIONS], preconditioner_values[MOST_OPTIONS];
    nb_solve *solve;
    CHECK_OK(nb_linear_solver_find(c->solver, &solver));
    if (!is_offered(&solver)) skip();
    CHECK_OK(nb_preconditioner_find(c->preconditioner, &preconditioner));
    standard(solver->options, solver->option_count, c->option, values);
    standard(preconditioner->options, preconditioner->option_count, c->preconditioner_option, preconditioner_values);
    CHECK_OK(nb_solve_create(solver, values, preconditioner, preconditioner_values, &solve));
    system->device = device;
    for (int k = 0; k < 4; k++) {
        for (int32_t r = 0; r < system->rows; r++) system->c[r] = R(0.1) * (1 + R(0.1) * (real)((k * r) % 3));
        nb_system_values_changed(system);
        CHECK_OK(nb_solve_run(solve, system, &(nb_linear_stop){.iterations = 500, .tolerance = 1e-3}, NULL, NULL, x,
                              &report[k]));
        assert_int_equal(report[k].reason, NB_REASON_CONVERGED);
    }
    nb_solve_destroy(solve);
}

/* A factor of the inverse, and a basis of what earlier systems left, take as many iterations as on this processor. Sums
 * are in another order. In some twenty iterations that changes no count in f64, and one by one where vectors are f32.
 * It grows over the long solves that deflation is for, and over their bases: a twentieth, or two. The basis is used,
 * and saves some. */
static inline void check_sequences(const nb_device *device) {
    static const solver_case sequences[] = {
        {"pcg", NULL, "fsai", NULL},           {"pcr", NULL, "fsai", NULL},
        {"pcg", NULL, "jacobi", NULL},         {"pcg", "recycle=12", "none", NULL},
        {"pcr", "recycle=12", "jacobi", NULL}, {"pcr", "recycle=12", "block-jacobi", NULL},
        {"pcg", "recycle=30", "fsai", NULL}};
    static const int size[] = {30, 10, 30};
    static scene s;
    uint64_t seed = 25;
    nb_solve_report here[4], there[4];
    print_message("seed %llu\n", (unsigned long long)seed);
    make_scene(&s, &seed, size);
    for (size_t k = 0; k < sizeof sequences / sizeof *sequences; k++) {
        const solver_case *c = &sequences[k];
        solve_sequence(c, s.system, NULL, here);
        solve_sequence(c, s.system, device, there);
        for (int i = 0; i < 4; i++) {
            print_message("  %s, %s, %s: %d and %d iterations, deflated by %d and %d\n", c->solver,
                          c->option ? c->option : "as it comes", c->preconditioner, (int)here[i].iterations,
                          (int)there[i].iterations, (int)here[i].recycled, (int)there[i].recycled);
            const int is_long = strcmp(c->preconditioner, "fsai") != 0 || c->option;
            const int off = is_long ? 2 + here[i].iterations / 20 : NB_STORAGE_BITS == 32;
            assert_in_range(abs(there[i].iterations - here[i].iterations), 0, off);
            if (there[i].iterations != here[i].iterations) continue;
            /* a deflated solve that computes its residual once more takes a product more */
            assert_in_range(llabs(there[i].products - here[i].products), 0, is_long ? off : 0);
            assert_in_range(llabs(there[i].preconditionings - here[i].preconditionings), 0, is_long ? off : 0);
            assert_int_equal(there[i].recycled, here[i].recycled);
            if (i > 0 && c->option) assert_true(there[i].recycled > 0 && there[i].iterations < there[0].iterations);
        }
    }
    end_scene(&s);
}

/* a solve twice, to the bit */
static inline void check_determinism(const nb_device *device) {
    static scene s;
    static real one[MOST_ROWS], other[MOST_ROWS];
    uint64_t seed = 12;
    nb_solve_report report;
    print_message("seed %llu\n", (unsigned long long)seed);
    make_scene(&s, &seed, sizes[0]);
    CHECK_OK(run(&cases[1], s.system, device, 30, one, &report));
    CHECK_OK(run(&cases[1], s.system, device, 30, other, &report));
    assert_memory_equal(one, other, (size_t)s.system->rows * sizeof *one);
    end_scene(&s);
}

static inline nb_status look_away(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    (void)context, (void)iteration, (void)iterate;
    return NB_OK;
}

/* PCR that nobody watches makes all iterations on the device: the same passes and numbers, however many of them, until
 * the same reason to stop, in whatever norm the tolerance is */
static inline void check_alone(const solver_case *c, nb_system *system, const nb_device *device,
                               const nb_linear_stop *stop, nb_solve_report *here) {
    static real watched[MOST_ROWS], alone[MOST_ROWS];
    nb_solve_report there;
    const int times = c->option ? 3 : 1; /* the second is deflated by what the first left, and so on */
    CHECK_OK(run_to(c, system, device, stop, times, look_away, watched, here));
    CHECK_OK(run_to(c, system, device, stop, times, NULL, alone, &there));
    assert_int_equal(here->recycled, there.recycled);
    assert_int_equal(here->iterations, there.iterations);
    assert_int_equal(here->reason, there.reason);
    assert_int_equal(here->products, there.products);
    assert_int_equal(here->preconditionings, there.preconditionings);
    assert_memory_equal(watched, alone, (size_t)system->rows * sizeof *watched);
}

/* with at most so many iterations: 400 end at round-off, or at the tolerance */
static inline void check_unwatched_case(const solver_case *c, nb_system *system, const nb_device *device, int most) {
    nb_solve_report report;
    const int ends = most >= 400 && !c->option;
    for (int n = 0; n <= most; n += n < 30 ? 10 : most - 30)
        check_alone(c, system, device, &(nb_linear_stop){.iterations = n}, &report);
    assert_true(report.reason == NB_REASON_ROUND_OFF || !ends || system->rows == 0);
    for (int norm = 0; norm < NB_LINEAR_NORMS; norm++) {
        const nb_linear_stop stop = {.iterations = most, .tolerance = 1e-4, .norm = (nb_linear_norm)norm};
        check_alone(c, system, device, &stop, &report);
        assert_true(report.reason == NB_REASON_CONVERGED || !ends || NB_STORAGE_BITS == 32);
    }
}

/* from this size on */
static inline void check_unwatched(const nb_device *device, size_t first, int most) {
    static const solver_case deflated[] = {{"pcr", "recycle=5", "none", NULL},
                                           {"pcr", "recycle=3", "block-jacobi", NULL},
                                           {"pcr", "recycle=8", "chebyshev", NULL}};
    static scene s;
    uint64_t seed = 16;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t i = first; i < sizeof sizes / sizeof *sizes; i++) {
        make_scene(&s, &seed, sizes[i]);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            if (strcmp(cases[k].solver, "pcr") == 0 && !is_costly(&cases[k], s.system))
                check_unwatched_case(&cases[k], s.system, device, most);
        for (size_t k = 0; k < sizeof deflated / sizeof *deflated; k++)
            check_unwatched_case(&deflated[k], s.system, device, most);
        end_scene(&s);
    }
}

typedef struct pack_scene {
    scene of;
    nb_contacts *contacts;
} pack_scene;

static inline void add_solid_box(nb_world *world, nb_body_kind kind, double mass, nb_vec3 half, nb_vec3 place) {
    nb_shape *shape;
    int32_t index, body;
    CHECK_OK(nb_shape_box(half, &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &index));
    CHECK_OK(nb_world_add_solid(world, kind, index, mass, 0.5, place, nb_quat_identity(), &body));
}

/* Two soft blocks, of a linear material and one that is not, whose every third tetrahedron has three rows, with some
 * particles held, on a fixed box and under two jointed ones; springs between the blocks: six packs. */
static inline void add_soft_blocks(nb_world *world) {
    static const nb_material materials[] = {{NB_MATERIAL_LINEAR, 1e5, 0.3, 1000},
                                            {NB_MATERIAL_NEO_HOOKEAN, 1e5, 0.4, 1000},
                                            {NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL, 1e5, 0.4, 1000}};
    const double compliance[6] = {0};
    int32_t index;
    world->settings.contact_margin = 0.005;
    add_solid_box(world, NB_BODY_DYNAMIC, 2, nb_vec3_of(0.06, 0.08, 0.04), nb_vec3_of(0.1, 0.1, 0.243));
    add_solid_box(world, NB_BODY_DYNAMIC, 3, nb_vec3_of(0.06, 0.08, 0.04), nb_vec3_of(0.5, 0.1, 0.243));
    add_solid_box(world, NB_BODY_FIXED, 0, nb_vec3_of(1, 1, 0.1), nb_vec3_of(0, 0, -0.1));
    CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_SPHERICAL, 0, 1, nb_vec3_of(0.3, 0.1, 0.243), nb_quat_identity(),
                                   compliance, &index));
    for (int i = 0; i < 2; i++) {
        nb_soft_part part;
        CHECK_OK(nb_world_add_material(world, &materials[i], &index));
        CHECK_OK(nb_world_add_soft_box(world, index, nb_vec3_of(0.4 * i, 0, 0.001), nb_vec3_of(0.2, 0.2, 0.2),
                                       (const int32_t[3]){2, 2, 2}, &part));
        nb_soft_part_set_skin(world, &part, 0.5, 0);
        world->particles[part.first_particle].kind = NB_BODY_FIXED;
    }
    CHECK_OK(nb_world_add_material(world, &materials[2], &index));
    for (int32_t i = world->tetrahedron_count / 2; i < world->tetrahedron_count; i += 3)
        world->tetrahedra[i].material = index;
    for (int32_t i = 0; i < 5; i++)
        CHECK_OK(nb_world_add_spring(
            world, &(nb_spring){.particle = {i, 28 + i}, .length = 0.3, .stiffness = i == 2 ? (double)INFINITY : 500},
            &index));
}

/* K of tetrahedra: symmetric, and large enough to show */
static inline void fill_blocks(nb_system *system, uint64_t *seed) {
    const int32_t *start = system->delassus->block_start;
    const nb_sum_view *view = nb_sum_view_of(system->delassus);
    int32_t filled[7] = {0};
    CHECK_OK(nb_system_use_blocks(system));
    for (int32_t p = 0; p < view->sum->packs; p++)
        for (int32_t i = view->first[p];
             view->sum->pack[p]->of_elements && i < view->first[p] + view->end[p] - view->begin[p]; i++) {
            int32_t n = start[i + 1] - start[i];
            real *k = nb_system_diagonal_block(system, i);
            for (int32_t r = 0; n > 1 && r < n; r++) {
                for (int32_t c = 0; c < r; c++) k[n * r + c] = k[n * c + r] = R(test_random(seed, -0.2, 0.2));
                k[(n + 1) * r] = R(test_random(seed, 1, 2));
            }
            filled[n]++;
        }
    assert_true(filled[6] > 0 && filled[3] > 0 && filled[1] > 0);
    system->symmetric = 1;
    nb_system_values_changed(system);
}

static inline void begin_packs(pack_scene *s, uint64_t *seed, int with_blocks) {
    CHECK_OK(nb_world_create(&s->of.world));
    add_soft_blocks(s->of.world);
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_contacts_detect(s->of.world, 0.01, s->contacts));
    begin_step(&s->of, seed, 4, *s->contacts);
    bound_condition(&s->of);
    if (with_blocks) fill_blocks(s->of.system, seed);
}

static inline void end_packs(pack_scene *s) {
    end_scene(&s->of);
    nb_contacts_destroy(s->contacts);
}

static inline int sweeps(const solver_case *c) {
    return strcmp(c->solver, "gauss-seidel") == 0 || (c->preconditioner && strcmp(c->preconditioner, "ssor") == 0);
}

/* every case, iterate by iterate; sweeps are refused by name */
static inline void check_packs(const nb_device *device) {
    static pack_scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 31;
    nb_solve_report report;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int with_blocks = 0; with_blocks < 2; with_blocks++) {
        begin_packs(&s, &seed, with_blocks);
        assert_true(s.contacts->count > 20);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const nb_linear_solver_class *solver;
            CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
            if (!is_offered(&solver)) continue;
            if (!sweeps(&cases[k])) {
                compare(&cases[k], s.of.system, device);
                continue;
            }
            assert_int_equal(run(&cases[k], s.of.system, device, 1, x, &report), NB_ERROR_UNSUPPORTED);
            assert_non_null(strstr(nb_error_message(), "support rigid bodies only"));
        }
        end_packs(&s);
    }
}

/* K of what is no element is refused by name. */
static inline void check_other_blocks(const nb_device *device) {
    static pack_scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 32;
    nb_solve_report report;
    begin_packs(&s, &seed, 1);
    *nb_system_diagonal_block(s.of.system, 0) = 1;
    nb_system_values_changed(s.of.system);
    assert_int_equal(run(&cases[0], s.of.system, device, 1, x, &report), NB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(nb_error_message(), "of elements only"));
    end_packs(&s);
}

#endif
