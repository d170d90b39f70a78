/* The contract of methods (method.h), clause by clause, of every entry of the table over a few steps of a scene; and
 * for each clause an entry that breaks it. Allocations, interrupts, units and what a solution is are in tests of their
 * own, which walk the table as well. */
#include "contract.h"
#include "record_file.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

NB_PRECISIONS(f32, f64);

enum {
    STEPS = 4,
    SAVED = 2,      /* the step before which a checkpoint is made */
    ITERATIONS = 8, /* at most, of a step */
    BODIES = 12
};

static const nb_method_class *right; /* what is put wrong, in the test of the test */

/* what a run came to */
typedef struct outcome {
    int32_t bodies;
    nb_vec3 position[BODIES], velocity[BODIES];
    nb_step_outcome step[STEPS];
    int reports;
} outcome;

/* how it is run */
typedef struct course {
    int observed, interrupted; /* 1: somebody listens; it goes on from a checkpoint */
    double tolerance;          /* [m/s] */
    int64_t allocations;       /* after which they fail; -1: none does */
} course;

typedef struct runner {
    nb_request request;
    nb_method_settings settings;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
} runner;

static const nb_stepper_class *stepper_class(void) {
    return NB_REAL_BITS == 32 ? &nb_stepper_f32 : &nb_stepper_f64;
}

static nb_status hear(void *context, const nb_newton_report *report) {
    (void)report;
    ++*(int *)context;
    return NB_OK;
}

static void open_runner(const nb_method_class *type, double tolerance, runner *r) {
    memset(r, 0, sizeof *r);
    nb_request_standard(&r->request);
    nb_run_info *info = &r->request.info;
    snprintf(info->scenario, NB_NAME_LENGTH, "heavy-stack");
    snprintf(info->method, NB_NAME_LENGTH, "%s", right ? right->name : type->name);
    snprintf(info->precision, NB_NAME_LENGTH, NB_REAL_BITS == 32 ? "f32" : "f64");
    if (type->friction_laws == NB_FRICTION_FACETED) r->request.scene.friction_law = NB_FRICTION_POLYHEDRAL;
    info->newton_iterations = ITERATIONS;
    info->linear_iterations = 20;
    info->newton_tolerance = tolerance;
    CHECK_OK(nb_simulate_prepare(&r->request));
    r->settings = nb_request_settings(&r->request);
    CHECK_OK(r->request.choices.scenario->build(r->request.choices.parameters, 1, &r->world));
    r->world->settings.friction_law = r->request.scene.friction_law;
    if (type->gives_way) r->world->settings.contacts.model = r->request.scene.contacts.model;
    if (nb_friction_has_facets(r->world->settings.friction_law)) r->world->settings.friction_facets = 4;
    CHECK_OK(nb_contacts_create(&r->contacts));
    CHECK_OK(nb_measure_create(&r->measure));
}

static void close_runner(runner *r) {
    if (r->stepper) stepper_class()->destroy(r->stepper);
    nb_measure_destroy(r->measure);
    nb_contacts_destroy(r->contacts);
    nb_world_destroy(r->world);
    nb_free(r->request.info.parameters);
}

static nb_status advance(runner *r, const nb_observer *observer, nb_step_outcome *to) {
    nb_status status;
    nb_step_counts counts;
    const double h = r->request.info.time_step;
    const nb_geometry geometry = r->request.choices.geometry;
    NB_TRY(nb_contacts_detect(r->world, h, r->contacts));
    NB_TRY(stepper_class()->begin(r->stepper, r->world, r->contacts, h, geometry));
    NB_TRY(nb_measure_begin(r->measure, r->world, r->contacts, h, geometry));
    NB_TRY(stepper_class()->step(r->stepper, r->world, r->contacts, h, 1, r->measure, observer, to, &counts, NULL));
out:
    return status;
}

/* a new stepper, at work where the old one was */
static void change_stepper(const nb_method_class *type, runner *r) {
    nb_stream stream;
    const char *path = test_path("state");
    CHECK_OK(nb_stream_create(path, &stream));
    CHECK_OK(stepper_class()->save(r->stepper, &stream));
    CHECK_OK(nb_stream_finish(&stream, path, 0));
    stepper_class()->destroy(r->stepper);
    CHECK_OK(stepper_class()->create(type->name, &r->settings, &r->stepper));
    CHECK_OK(nb_stream_open(path, &stream));
    CHECK_OK(stepper_class()->load(r->stepper, &stream));
    nb_stream_close(&stream);
}

static nb_status run(const nb_method_class *type, const course *how, outcome *to) {
    runner r;
    memset(to, 0, sizeof *to);
    const nb_observer observer = {.context = &to->reports, .newton = hear};
    open_runner(type, how->tolerance, &r);
    nb_allocation_fail_after(how->allocations);
    nb_status status = stepper_class()->create(type->name, &r.settings, &r.stepper);
    if (status != NB_OK) r.stepper = NULL;
    for (int k = 0; status == NB_OK && k < STEPS; k++) {
        if (how->interrupted && k == SAVED) change_stepper(type, &r);
        status = advance(&r, how->observed ? &observer : NULL, &to->step[k]);
    }
    nb_allocation_fail_after(-1);
    to->bodies = r.world->body_count;
    assert_in_range(to->bodies, 1, BODIES);
    for (int32_t i = 0; i < to->bodies; i++) {
        to->position[i] = r.world->bodies[i].position;
        to->velocity[i] = r.world->bodies[i].linear_velocity;
    }
    close_runner(&r);
    return status;
}

static outcome run_as(const nb_method_class *type, course how) {
    outcome o;
    how.allocations = -1;
    CHECK_OK(run(type, &how, &o));
    return o;
}

static const char *same(const outcome *one, const outcome *other) {
    if (memcmp(one->position, other->position, sizeof one->position) != 0) return broken("other positions");
    if (memcmp(one->velocity, other->velocity, sizeof one->velocity) != 0) return broken("other velocities");
    for (int k = 0; k < STEPS; k++)
        if (one->step[k].newton_iterations != other->step[k].newton_iterations ||
            one->step[k].reason != other->step[k].reason)
            return broken("step %d takes other iterations", k);
    return NULL;
}

/* ---- the clauses ---- */

static const char *says_what_it_is(const nb_method_class *type) {
    const char *fault = named(type->name, type->summary);
    if (type->column_count < 0 || type->column_count > NB_METHOD_COLUMNS)
        fault = broken("%d columns", type->column_count);
    if (!type->save != !type->load) fault = broken("it saves what it does not load, or loads what it does not save");
    if (!type->prepare != !type->launch) fault = broken("it prepares what it does not launch");
    for (int i = 0; i < type->option_count; i++) {
        const nb_option *o = &type->options[i];
        if (!o->choices && o->standard != 0 && !(o->standard >= o->minimum && o->standard <= o->maximum))
            fault = broken("the standard value of %s is out of its range", o->name);
        if (named(o->name, o->summary)) fault = named(o->name, o->summary);
    }
    return fault;
}

static const char *repeats_bits(const nb_method_class *type) {
    const outcome one = run_as(type, (course){0}), other = run_as(type, (course){0});
    return same(&one, &other);
}

static const char *is_not_changed_by_an_observer(const nb_method_class *type) {
    const outcome one = run_as(type, (course){0}), other = run_as(type, (course){.observed = 1});
    return other.reports < STEPS ? broken("%d reports of %d steps", other.reports, STEPS) : same(&one, &other);
}

static const char *goes_on_from_a_checkpoint(const nb_method_class *type) {
    const outcome one = run_as(type, (course){0}), other = run_as(type, (course){.interrupted = 1});
    return same(&one, &other);
}

static const char *says_how_it_ends(const nb_method_class *type) {
    const outcome o = run_as(type, (course){0});
    for (int k = 0; k < STEPS; k++) {
        const nb_step_outcome *step = &o.step[k];
        if (step->reason == NB_REASON_NONE) return broken("step %d ends without a reason", k);
        if (!isfinite(step->errors.natural_map)) return broken("step %d has no error", k);
        if (step->newton_iterations < 0 || step->newton_iterations > ITERATIONS)
            return broken("%d iterations of %d", (int)step->newton_iterations, ITERATIONS);
    }
    return NULL;
}

/* what it calls converged is so, by the harness's error; of a tolerance that it may reach, and of one that it may not
 */
static const char *converges_where_it_says_so(const nb_method_class *type) {
    const double tolerances[] = {1e-2, 1e-30};
    for (int i = 0; i < 2 && !type->tolerance; i++) { /* else its steps end by another measure */
        const outcome o = run_as(type, (course){.tolerance = tolerances[i]});
        for (int k = 0; k < STEPS; k++)
            if (o.step[k].reason == NB_REASON_CONVERGED && !(o.step[k].errors.natural_map <= tolerances[i]))
                return broken("converged with %g m/s", o.step[k].errors.natural_map);
    }
    return NULL;
}

/* Whichever allocation fails, of making or of steps: a fault, and nothing leaked. All of the first, then fewer. */
static const char *survives_failing_allocations(const nb_method_class *type) {
    nb_status status = NB_ERROR_MEMORY;
    for (int64_t successes = 0; status != NB_OK; successes += 1 + successes / 12) {
        outcome o;
        const int64_t held = nb_allocation_held();
        status = run(type, &(course){.allocations = successes}, &o);
        if (nb_allocation_held() != held) return broken("memory is kept after failure %d", (int)successes);
        if (status != NB_OK && status != NB_ERROR_MEMORY) return broken("status %d of an allocation", (int)status);
    }
    type->destroy(NULL); /* allowed */
    return NULL;
}

/* ---- entries that break them: psor put wrong ---- */

static int calls, since_made;

static nb_status create_counting(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    since_made = 0;
    return right->create(type, settings, self);
}

static void push(nb_problem *problem, int times) {
    for (int32_t i = 0; i < problem->velocities; i++) problem->u[i] += R(1e-3) * (real)times;
}

#define WRONG(name)                                                                                               \
    static nb_status name(nb_method *self, nb_problem *problem, nb_measure *measure, const nb_observer *observer, \
                          nb_step_outcome *to)

WRONG(wandering) {
    nb_status status = right->step(self, problem, measure, observer, to);
    push(problem, calls++);
    return status;
}

WRONG(shy) {
    nb_status status = right->step(self, problem, measure, observer, to);
    if (observer && observer->newton) push(problem, 1);
    return status;
}

WRONG(forgetful) {
    nb_status status = right->step(self, problem, measure, observer, to);
    push(problem, since_made++);
    return status;
}

WRONG(endless) {
    nb_status status = right->step(self, problem, measure, observer, to);
    to->newton_iterations = ITERATIONS + 1;
    return status;
}

WRONG(boasting) {
    nb_status status = right->step(self, problem, measure, observer, to);
    to->reason = NB_REASON_CONVERGED;
    return status;
}

static nb_status leaking(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    static void *own; /* within reach: no leak to a sanitizer */
    *self = NULL;
    nb_status status = nb_allocate(1, 8, &own);
    if (status != NB_OK) return status;
    status = right->create(type, settings, self);
    if (status == NB_OK) nb_free(own);
    return status;
}

/* ---- both tests ---- */

typedef const char *clause(const nb_method_class *type);

static const struct {
    const char *name;
    clause *holds;
    nb_method_class wrong; /* what differs of the entry that breaks it, and its name */
} clauses[] = {
    {"says what it is", says_what_it_is, {.name = "Two Words"}},
    {"repeats its bits", repeats_bits, {.name = "wandering", .step = wandering}},
    {"is not changed by an observer", is_not_changed_by_an_observer, {.name = "shy", .step = shy}},
    {"goes on from a checkpoint", goes_on_from_a_checkpoint, {.name = "forgetful", .step = forgetful}},
    {"says how it ends", says_how_it_ends, {.name = "endless", .step = endless}},
    {"converges where it says so", converges_where_it_says_so, {.name = "boasting", .step = boasting}},
    {"keeps nothing where memory fails", survives_failing_allocations, {.name = "leaking", .create = leaking}},
};
enum {
    CLAUSES = sizeof clauses / sizeof *clauses
};

/* The command line has one option of each name: methods that share a name mean the same. */
TEST(options_of_one_name_are_alike) {
    for (int i = 0; nb_methods[i]; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < nb_methods[i]->option_count; k++)
                for (int l = 0; l < nb_methods[j]->option_count; l++) {
                    const nb_option *a = &nb_methods[i]->options[k], *b = &nb_methods[j]->options[l];
                    if (strcmp(a->name, b->name) != 0) continue;
                    if (strcmp(a->summary, b->summary) != 0 || a->minimum != b->minimum || a->maximum != b->maximum)
                        fail_msg("--%s of %s is another one than that of %s", a->name, nb_methods[i]->name,
                                 nb_methods[j]->name);
                }
}

TEST(every_entry_keeps_every_clause) {
    for (int i = 0; nb_methods[i]; i++) {
        print_message("  %s\n", nb_methods[i]->name);
        for (int k = 0; k < CLAUSES; k++)
            contract_expect(clauses[k].name, nb_methods[i]->name, clauses[k].holds(nb_methods[i]), 1);
        for (int k = 0; k < i; k++) assert_string_not_equal(nb_methods[i]->name, nb_methods[k]->name);
    }
}

TEST(every_clause_can_fail) {
    static nb_method_class types[CLAUSES];
    CHECK_OK(nb_method_find("psor", &right));
    for (int k = 0; k < CLAUSES; k++) {
        const nb_method_class *w = &clauses[k].wrong;
        types[k] = *right;
        types[k].name = w->name;
        types[k].create = w->create ? w->create : create_counting;
        if (w->step) types[k].step = w->step;
        nb_method_add(&types[k]); /* by whose name steppers find it */
        contract_expect(clauses[k].name, w->name, clauses[k].holds(&types[k]), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_one_name_are_alike),
        cmocka_unit_test_setup_teardown(every_entry_keeps_every_clause, test_folder_create, test_folder_destroy),
        cmocka_unit_test_setup_teardown(every_clause_can_fail, test_folder_create, test_folder_destroy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
