/* No memory is asked for inside iterations: after a step's first one, in which solvers learn the pattern, the count of
 * allocations stands still, for every method (for those that detect contacts on their way from the second step on, when
 * lists have grown), and with newton for every linear solver with every preconditioner, in either form and geometry.
 * Counted is what goes through base/memory.h, that is, all of the project's own; what CHOLMOD, LAPACK and OpenBLAS take
 * for themselves is not. The memory of a step is so many bytes a contact, whatever the size. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "linear_solver.h"
#include "method.h"
#include "preconditioner.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

NB_PRECISIONS(f32, f64);

enum {
    ITERATIONS = 6, /* of newton */
    STEPS = 3,
    BYTES_F32 = 1680,
    BYTES_F64 = 2350
};

typedef struct count {
    int reports;
    int64_t allocations; /* made up to the first report */
    int64_t more;        /* .. and from there to the report `at`, the first that had some; 0: none */
    int at;
    int of_newton;
} count;

static nb_status hear_newton(void *context, const nb_newton_report *report) {
    count *c = context;
    if (c->reports == 0) c->allocations = nb_allocation_count();
    /* the last report comes after what a step keeps for the next one; of newton that is nothing */
    if (c->more == 0 && (report->solved || c->of_newton)) {
        c->more = nb_allocation_count() - c->allocations;
        c->at = c->reports;
    }
    c->reports++;
    return NB_OK;
}

static nb_status hear_linear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    (void)context, (void)iteration, (void)iterate;
    return NB_OK;
}

typedef struct variant {
    const char *solver, *preconditioner, *form, *geometry, *islands, *line_search;
    const nb_method_class *method; /* NULL: newton as above say; else as it is by itself */
} variant;

static void fill_request(const variant *v, const char *scenario, double size, nb_request *request) {
    nb_run_info *info = &request->info;
    nb_request_standard(request);
    strcpy(info->scenario, scenario);
    request->size = size;
    strcpy(info->precision, sizeof(real) == 4 ? "f32" : "f64");
    if (v->method) {
        strcpy(info->method, v->method->name);
        CHECK_OK(nb_simulate_prepare(request));
        return;
    }
    strcpy(info->linear_solver, v->solver);
    strcpy(info->preconditioner, v->preconditioner);
    CHECK_OK(nb_request_set_option(request, "form", v->form));
    strcpy(info->geometry, v->geometry);
    CHECK_OK(nb_request_set_option(request, "line-search", v->line_search));
    CHECK_OK(nb_request_set_option(request, "islands", v->islands));
    info->newton_iterations = ITERATIONS;
    info->linear_iterations = 10;
    info->warm_start = 1;
    CHECK_OK(nb_simulate_prepare(request));
}

/* single-level and bilevel have contacts detected at every iterate: lists grow where one has more than any before. That
 * is in the first step, but with bilevel, whose iterates go anywhere where faces lie on faces. smoothed detects them at
 * a solution, and makes its matrix anew where others are found; sap, where contacts close. The coarse space of the
 * preconditioner spectral has as many vectors as values say. */
static int may_allocate(const variant *v, int step) {
    const char *name = v->method ? v->method->name : "newton";
    if (strcmp(name, "single-level") == 0) return step == 0;
    if (!v->method && strcmp(v->preconditioner, "spectral") == 0) return 1;
    return strcmp(name, "bilevel") == 0 || strcmp(name, "smoothed") == 0 || strcmp(name, "sap") == 0;
}

/* all reports of a step but the first, and the last one, which comes after the final assembly */
static void check_step(const variant *v, const count *c, int step) {
    int searched = strcmp(v->line_search, "none") != 0; /* that may end early: there is nothing better to be found */
    if (!v->method) assert_in_range(c->reports, searched ? 2 : ITERATIONS + 1, ITERATIONS + 1);
    if (c->more > 0 && !may_allocate(v, step))
        fail_msg("%s %s %s %s %s: %d allocations in iteration %d of step %d", v->method ? v->method->name : "newton",
                 v->solver, v->preconditioner, v->form, v->geometry, (int)c->more, c->at, step);
}

/* What the steps held at most, besides what was held before, over the contacts of the last one. *most: the most reports
 * of a step. */
static double run_variant(const variant *v, const char *scenario, double size, int *most) {
    nb_request *request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
    int32_t contact_count = 0;
    const nb_stepper_class *type = sizeof(real) == 4 ? &nb_stepper_f32 : &nb_stepper_f64;
    int64_t before_all = nb_allocation_held();
    CHECK_OK(NB_ALLOCATE(1, &request));
    int64_t before = nb_allocation_held();
    nb_allocation_peak_reset();
    fill_request(v, scenario, size, request);
    const nb_choices *choices = &request->choices;
    nb_method_settings settings = nb_request_settings(request);
    CHECK_OK(choices->scenario->build(choices->parameters, 1, &world));
    nb_scene_settings_apply(&request->scene, &world->settings);
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_measure_create(&measure));
    CHECK_OK(type->create(v->method ? v->method->name : "newton", &settings, &stepper));
    const nb_geometry geometry = choices->geometry;
    double h = request->info.time_step;
    for (int step = 0; step < STEPS; step++) {
        count c = {.of_newton = !v->method};
        nb_step_outcome outcome;
        nb_step_counts counts;
        nb_observer observer = {.context = &c, .newton = hear_newton, .linear = hear_linear};
        CHECK_OK(nb_contacts_detect(world, h, contacts));
        CHECK_OK(type->begin(stepper, world, contacts, h, geometry));
        CHECK_OK(nb_measure_begin(measure, world, contacts, h, geometry));
        CHECK_OK(type->step(stepper, world, contacts, h, 1, measure, &observer, &outcome, &counts, NULL));
        contact_count = counts.contacts;
        assert_true(contact_count > 0);
        check_step(v, &c, step);
        if (c.reports > *most) *most = c.reports;
    }
    type->destroy(stepper);
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
    nb_free(request->info.parameters);
    nb_free(request);
    assert_int_equal(nb_allocation_held(), before_all);
    return (double)(nb_allocation_peak() - before) / contact_count;
}

static void check_variant(const variant *v) {
    int most = 0;
    run_variant(v, "heavy-stack", NAN, &most);
}

/* Bounds a fifth above what was measured: world, detection, measure, system and solver of a step, without the record.
 * Growth with the size would be a dense array. */
TEST(test_bytes_a_contact) {
    const variant v = {"pcr", "jacobi", "compliance", "updated", "off", "none", NULL};
    int most = 0;
    double small = run_variant(&v, "wall", 10, &most), large = run_variant(&v, "wall", 40, &most);
    print_message("%.0f bytes a contact in a small wall, %.0f in a large one\n", small, large);
    assert_true(large < 1.2 * small);
    assert_true(large < (sizeof(real) == 4 ? BYTES_F32 : BYTES_F64));
}

TEST(test_every_solver_and_preconditioner) {
    int variants = 0;
    for (int s = 0; nb_linear_solvers[s]; s++)
        for (int p = 0; nb_preconditioners[p]; p++) {
            if (!nb_linear_solvers[s]->takes_preconditioner && p > 0) break;
            const char *solver = nb_linear_solvers[s]->name, *preconditioner = nb_preconditioners[p]->name;
            if (nb_preconditioners[p]->of_symmetric) continue; /* refused: newton's systems are symmetric */
            if (nb_preconditioners[p]->takes_mirrored && !nb_linear_solvers[s]->takes_mirrored) continue;
            const char *form = nb_preconditioners[p]->form ? nb_preconditioners[p]->form : "compliance";
            check_variant(&(variant){solver, preconditioner, form, "updated", "off", "none", NULL});
            variants += 2;
            if (nb_preconditioners[p]->form) continue; /* islands are of the compliance form */
            check_variant(&(variant){solver, preconditioner, form, "frozen", "on", "none", NULL});
        }
    assert_true(variants > 30);
}

TEST(test_every_method) {
    for (int m = 0; nb_methods[m]; m++) {
        const variant v = {"", "", "", "", "", "", nb_methods[m]};
        int most = 0;
        if (v.method->friction_laws == NB_FRICTION_FACETED) continue; /* an iteration is a dense problem of its own */
        run_variant(&v, "heavy-stack", NAN, &most);
        run_variant(&v, "wall", 3, &most);
        print_message("%s: %d reports of a step\n", v.method->name, most);
        assert_true(most > 2);
    }
}

TEST(test_line_search) {
    check_variant(&(variant){"pcr", "jacobi", "compliance", "updated", "off", "backtracking", NULL});
    check_variant(&(variant){"cholesky", "jacobi", "compliance", "frozen", "off", "residual", NULL});
}

TEST(test_other_forms) {
    for (int s = 0; nb_linear_solvers[s]; s++) {
        check_variant(&(variant){nb_linear_solvers[s]->name, "jacobi", "stiffness", "updated", "off", "none", NULL});
        if (nb_linear_solvers[s]->takes_unsymmetric)
            check_variant(&(variant){nb_linear_solvers[s]->name, "jacobi", "saddle", "updated", "off", "none", NULL});
    }
}

RUN_TESTS(test_every_solver_and_preconditioner, test_every_method, test_line_search, test_bytes_a_contact,
          test_other_forms)
