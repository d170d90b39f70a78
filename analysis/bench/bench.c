#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench/kinds.h"
#include "bench/pairs.h"
#include "bench/probe.h"
#include "registry.h"
#include "run/recorder.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

enum {
    OPERATOR,
    PCR,
    GAUSS_SEIDEL,
    ACCURACY,
    ASSEMBLY,
    NEWTON,
    ISLAND,
    BATCH,
    PSOR,
    ELEMENTS,
    PAIRS,
    GRADIENT,
    FRICTION,
    SMOOTHED,
    PRECONDITIONERS,
    KERNELS
};
const char *const nb_bench_kernels[] = {[OPERATOR] = "operator",
                                        [PCR] = "pcr",
                                        [GAUSS_SEIDEL] = "gauss-seidel",
                                        [ACCURACY] = "accuracy",
                                        [ASSEMBLY] = "assembly",
                                        [NEWTON] = "newton",
                                        [ISLAND] = "island",
                                        [BATCH] = "batch",
                                        [PSOR] = "psor",
                                        [ELEMENTS] = "elements",
                                        [PAIRS] = "pairs",
                                        [GRADIENT] = "gradient",
                                        [FRICTION] = "friction",
                                        [SMOOTHED] = "smoothed",
                                        [PRECONDITIONERS] = "preconditioners",
                                        NULL};
const char *const nb_bench_summaries[] = {
    [OPERATOR] = "one product with A = J H^-1 J^T + C",
    [PCR] = "one iteration of PCR with the Jacobi preconditioner",
    [GAUSS_SEIDEL] = "one sweep of Gauss-Seidel",
    [ACCURACY] = "a solve with PCR and a preconditioner until the true residual is 1e-2, 1e-4 and 1e-6 of its start",
    [ASSEMBLY] = "the values of one Newton iteration: residuals, weights, operator, preconditioner",
    [NEWTON] = "one Newton iteration with 20 iterations of PCR, and the shares of its step",
    [ISLAND] = "one Newton iteration in the island kernel: a whole step of one scene in one launch of a device",
    [BATCH] = "one Newton iteration of many scenes of about 120 contacts in one launch",
    [PSOR] = "one sweep of the method psor, with the relaxed law of friction",
    [ELEMENTS] = "a soft bar: products, values, and set-up and solve of the formulations",
    [PAIRS] = "one iteration of the method single-level on stacks of four blocks, a pair of convex sets",
    [GRADIENT] =
        "a step of newton, interior-point and single-level on them, and one column and one row of its derivatives",
    [FRICTION] = "laws of smoothed friction between particles: forces, and forces with blocks",
    [SMOOTHED] = "the values of one Newton iteration of the method smoothed: residuals, forces, blocks, matrix",
    [PRECONDITIONERS] = "set-up and application of the preconditioners, a number that each is stored in",
    NULL};

static const double accuracies[] = {1e-2, 1e-4, 1e-6}; /* of ACCURACY */
static const double sample_s = 4e-3;

enum {
    BEGINNINGS = 5,         /* samples of what is done once a step */
    PROBED_NEWTON = 3,      /* by then contacts are open, stuck and sliding */
    LINEAR_ITERATIONS = 20, /* of a Newton iteration that is timed as a whole */
    SWEEPS = 10,            /* a sample of the method psor */
    NEWTON_ITERATIONS = NB_TIMING_SAMPLES + 2
};

/* what a Newton step is made of: two things that are done once, and what every iteration does */
enum {
    DETECT,
    BEGIN, /* rows, mass matrix, pattern */
    ASSEMBLE,
    SET_UP,
    SOLVE,
    UPDATE,
    RECORD, /* the errors measured, and the iteration's row; as with --linear-history off */
    SHARES,
    ITERATED = ASSEMBLE /* the first share of an iteration */
};
static const char *const share_names[SHARES] = {"newton:detect", "newton:begin",  "newton:assemble", "newton:set-up",
                                                "newton:solve",  "newton:update", "newton:record"};

/* a measurement under way */
typedef struct bench {
    int kernel;
    nb_timing result;        /* of the last row */
    const nb_device *device; /* NULL: this processor */
    const char *const *preconditioners;
    nb_bench_report *report;
    void *context;
    double samples[NB_TIMING_SAMPLES]; /* [s] */
    int count;
    double shares[SHARES][NB_TIMING_SAMPLES]; /* [s], of the same samples */
    nb_recorder *recorder;                    /* of a whole Newton iteration, which is recorded as in a run; or NULL */
    double last;                              /* when the last Newton iteration was over */
} bench;

/* ---- samples ---- */

static void take_sample(void *context, double seconds) {
    bench *b = context;
    if (b->count < NB_TIMING_SAMPLES) b->samples[b->count++] = seconds;
}

typedef nb_status probe(void *system, const nb_probe_request *request, nb_probe_sample *sample, void *context,
                        nb_probe_outcome *outcome);

static probe *probe_of(const char *precision) {
    if (strcmp(precision, "f32") == 0) return nb_probe_f32;
    return strcmp(precision, "mixed") == 0 ? nb_probe_mixed : nb_probe_f64;
}

/* one row of samples; NB_ERROR_UNSUPPORTED where the accuracy is not reached */
static nb_status probe_once(bench *b, void *system, double accuracy, const char *preconditioner) {
    nb_status status;
    static const nb_probe_kernel kernels[] = {[OPERATOR] = NB_PROBE_OPERATOR,
                                              [PCR] = NB_PROBE_PCR,
                                              [GAUSS_SEIDEL] = NB_PROBE_GAUSS_SEIDEL,
                                              [ACCURACY] = NB_PROBE_ACCURACY};
    const nb_probe_request request = {kernels[b->kernel], NB_TIMING_SAMPLES, sample_s, accuracy, preconditioner};
    const int is_standard = strcmp(preconditioner, "jacobi") == 0;
    nb_probe_outcome outcome;
    b->count = 0;
    NB_TRY(probe_of(b->result.precision)(system, &request, take_sample, b, &outcome));
    if (b->count == 0 && b->kernel == ACCURACY)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED,
                       "solves to %.0e of their start and below, which PCR with %s does not reach", accuracy,
                       preconditioner));
    if (b->count == 0) return NB_OK;
    b->result.bytes = outcome.bytes / b->result.contacts;
    if (b->kernel == ACCURACY)
        snprintf(b->result.kernel, sizeof b->result.kernel, "%s:%.0e%s%s", nb_bench_kernels[ACCURACY], accuracy,
                 is_standard ? "" : ":", is_standard ? "" : preconditioner);
    NB_TRY(nb_bench_bandwidth(b->device, isnan(outcome.bytes) ? 150.0 * b->result.contacts : outcome.bytes / 2,
                              nb_bench_rate(&b->result, b->samples, b->count), &b->result.triad));
    NB_TRY(nb_bench_row(&b->result, b->samples, b->count, b->report, b->context));
out:
    return status;
}

/* Solves to the accuracies, the coarsest first, with each preconditioner: where one does not reach an accuracy, the
 * others are still measured, and the last of such faults is the result. */
static nb_status probe_accuracies(bench *b, void *system) {
    nb_status status = NB_OK;
    for (int p = 0; b->preconditioners[p]; p++) {
        nb_status one = NB_OK;
        for (size_t i = 0; i < sizeof accuracies / sizeof *accuracies && one == NB_OK; i++)
            one = probe_once(b, system, accuracies[i], b->preconditioners[p]);
        if (one != NB_OK && one != NB_ERROR_UNSUPPORTED) return one;
        if (one != NB_OK) status = one;
    }
    return status;
}

static nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    bench *b = context;
    (void)problem;
    if (newton != PROBED_NEWTON || b->kernel >= ASSEMBLY) return NB_OK;
    return b->kernel == ACCURACY ? probe_accuracies(b, system) : probe_once(b, system, 0, "jacobi");
}

/* the end of a Newton iteration: the first one warms up, the last report says nothing of a solve */
static nb_status hear_newton(void *context, const nb_newton_report *report) {
    bench *b = context;
    nb_status status = b->recorder ? b->recorder->observer.newton(b->recorder, report) : NB_OK;
    double now = nb_clock_seconds(), whole = now - b->last;
    double assembly = report->assembly_s + report->setup_s;
    int counts = b->last > 0 && report->solved && b->count < NB_TIMING_SAMPLES;
    if (counts && b->kernel == PSOR) {
        take_sample(b, report->solve_s / SWEEPS);
    } else if (counts) {
        b->shares[ASSEMBLE][b->count] = report->assembly_s - report->update_s;
        b->shares[UPDATE][b->count] = report->update_s;
        b->shares[SET_UP][b->count] = report->setup_s;
        b->shares[SOLVE][b->count] = report->solve_s;
        b->shares[RECORD][b->count] = whole - assembly - report->solve_s;
        take_sample(b, b->kernel == NEWTON ? whole : b->kernel == SMOOTHED ? report->assembly_s : assembly);
    }
    b->last = now;
    return status;
}

static nb_status report_newton(bench *b) {
    nb_status status;
    double footprint = b->kernel == PSOR ? b->result.bytes / 2 * b->result.contacts : 2000.0 * b->result.contacts;
    NB_TRY(nb_bench_bandwidth(b->device, footprint, nb_bench_rate(&b->result, b->samples, b->count), &b->result.triad));
    NB_TRY(nb_bench_row(&b->result, b->samples, b->count, b->report, b->context));
    for (int i = 0; b->kernel == NEWTON && i < SHARES; i++) {
        snprintf(b->result.kernel, sizeof b->result.kernel, "%s", share_names[i]);
        NB_TRY(nb_bench_row(&b->result, b->shares[i], i < ITERATED ? BEGINNINGS : b->count, b->report, b->context));
    }
out:
    return status;
}

/* ---- the scene ---- */

/* The world's bodies in random order: a pile has no joints that would know them by number. */
static void shuffle_bodies(nb_world *world) {
    uint64_t seed = 1;
    for (int32_t i = world->body_count - 1; i > 0; i--) {
        int32_t k = (int32_t)nb_random_uniform(&seed, 0, i + 1);
        nb_body body = world->bodies[i];
        world->bodies[i] = world->bodies[k];
        world->bodies[k] = body;
    }
}

/* what is done once a step; several times where that is timed, else contacts are those already detected */
static nb_status begin(bench *b, const nb_stepper_class *type, void *stepper, const nb_world *world,
                       nb_contacts *contacts, double h) {
    nb_status status = NB_OK;
    for (int i = 0; i < (b->kernel == NEWTON ? BEGINNINGS : 1); i++) {
        double start = nb_clock_seconds();
        if (b->kernel == NEWTON) NB_TRY(nb_contacts_detect(world, h, contacts));
        double detected = nb_clock_seconds();
        NB_TRY(type->begin(stepper, world, contacts, h, NB_GEOMETRY_JOINTS));
        b->shares[DETECT][i] = detected - start;
        b->shares[BEGIN][i] = nb_clock_seconds() - detected;
    }
out:
    return status;
}

int nb_bench_offers(const char *kernel, const char *device) {
    const nb_linear_solver_class *sweeps;
    int here = strcmp(device, "cpu") == 0;
    if (strcmp(kernel, nb_bench_kernels[ISLAND]) == 0 || strcmp(kernel, nb_bench_kernels[BATCH]) == 0) return !here;
    if (strcmp(kernel, nb_bench_kernels[ASSEMBLY]) == 0 || strcmp(kernel, nb_bench_kernels[PSOR]) == 0 ||
        strcmp(kernel, nb_bench_kernels[ELEMENTS]) == 0 || strcmp(kernel, nb_bench_kernels[PAIRS]) == 0 ||
        strcmp(kernel, nb_bench_kernels[GRADIENT]) == 0 || strcmp(kernel, nb_bench_kernels[FRICTION]) == 0 ||
        strcmp(kernel, nb_bench_kernels[SMOOTHED]) == 0 || strcmp(kernel, nb_bench_kernels[PRECONDITIONERS]) == 0)
        return here;
    if (strcmp(kernel, nb_bench_kernels[GAUSS_SEIDEL]) == 0)
        return here || (nb_linear_solver_find("gauss-seidel", &sweeps) == NB_OK && sweeps->on_devices);
    return 1;
}

nb_status nb_bench_check_preconditioner(const char *text) {
    const nb_preconditioner_class *type;
    double values[NB_MAX_OPTIONS];
    return nb_probe_preconditioner_f64(text, &type, values);
}

static nb_status describe(const nb_bench_item *item, nb_request *request, nb_timing *row) {
    *row = nb_bench_begin_row(item);
    if (item->shuffled) snprintf(row->order, sizeof row->order, "shuffled");
    nb_status status = nb_bench_pile(item, item->contacts, request);
    request->info.newton_iterations = NEWTON_ITERATIONS;
    request->info.linear_iterations = LINEAR_ITERATIONS;
    return status;
}

/* What a sweep moves, a contact: its frame, arms and bodies' numbers, its own eight numbers to and fro; and the
 * velocities of bodies to and fro, and their inverse masses, each body once. */
static double bytes_of_sweep(const bench *b, const nb_world *world) {
    const double number = strcmp(b->result.precision, "f32") == 0 ? 4 : 8;
    const double contact = 15 * number + 8 + 2 * 8 * number, body = 3 * 8 * number;
    return contact + body * world->body_count / b->result.contacts;
}

/* the settings of the method psor: a row every few sweeps, which are enough for all samples */
static nb_status set_up_psor(nb_method_settings *settings, double values[NB_MAX_OPTIONS]) {
    const nb_method_class *psor;
    nb_status status = nb_method_find(nb_bench_kernels[PSOR], &psor);
    if (status != NB_OK) return status;
    nb_options_standard(psor->options, psor->option_count, values);
    char text[16];
    snprintf(text, sizeof text, "%d", (int)SWEEPS);
    NB_TRY(nb_options_set(psor->options, psor->option_count, psor->name, "record-every", text, values));
    settings->values = values;
    settings->newton_iterations = NEWTON_ITERATIONS * SWEEPS;
out:
    return status;
}

/* Of the method smoothed as it is by default: systems are unsymmetric, and solved no better than a pile's first
 * iterations need. */
static nb_status set_up_smoothed(nb_method_settings *settings, double values[NB_MAX_OPTIONS]) {
    const nb_method_class *smoothed;
    nb_status status = nb_method_find(nb_bench_kernels[SMOOTHED], &smoothed);
    if (status != NB_OK) return status;
    nb_options_standard(smoothed->options, smoothed->option_count, values);
    settings->values = values;
    settings->linear_solver = "bicgstab";
    return NB_OK;
}

nb_status nb_bench(const nb_bench_item *item, nb_bench_report *report, void *context) {
    nb_status status;
    nb_request request;
    const nb_choices *choices = &request.choices;
    nb_world *world = NULL;
    nb_contacts *list = NULL;
    nb_measure *measure = NULL;
    nb_run *run = NULL;
    nb_recorder recorder;
    void *stepper = NULL;
    nb_step_outcome outcome;
    nb_step_counts counts;
    double values[NB_MAX_OPTIONS];
    bench b = {.report = report, .context = context, .preconditioners = item->preconditioners};
    nb_observer observer = {.context = &b, .system = hear_system, .newton = hear_newton};
    const nb_stepper_class *type = strcmp(item->precision, "f32") == 0 ? &nb_stepper_f32 : &nb_stepper_f64;
    while (b.kernel + 1 < KERNELS && strcmp(nb_bench_kernels[b.kernel], item->kernel) != 0) b.kernel++;
    if (b.kernel == ISLAND || b.kernel == BATCH) return nb_bench_islands(item, report, context);
    if (b.kernel == ELEMENTS) return nb_bench_elements(item, report, context);
    if (b.kernel == PAIRS) return nb_bench_pairs(item, report, context);
    if (b.kernel == PRECONDITIONERS) return nb_bench_preconditioners(item, report, context);
    if (b.kernel == GRADIENT) return nb_bench_gradients(item, report, context);
    if (b.kernel == FRICTION && strcmp(item->precision, "mixed") == 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "friction does not support precision mixed");
    if (b.kernel == FRICTION)
        return (strcmp(item->precision, "f32") == 0 ? nb_bench_friction_f32 : nb_bench_friction_f64)(item, report,
                                                                                                     context);
    NB_TRY(describe(item, &request, &b.result));
    nb_method_settings settings = nb_request_settings(&request);
    b.device = choices->device;
    double h = request.info.time_step;
    if (b.kernel < ASSEMBLY) settings.newton_iterations = PROBED_NEWTON + 1;
    if (b.kernel == PSOR) NB_TRY(set_up_psor(&settings, values));
    if (b.kernel == SMOOTHED) NB_TRY(set_up_smoothed(&settings, values));
    NB_TRY(nb_scenario_build(choices->scenario, choices->parameters, request.info.seed, &world));
    if (b.kernel == PSOR) world->settings.friction_law = NB_FRICTION_RELAXED;
    if (item->shuffled) shuffle_bodies(world);
    NB_TRY(nb_contacts_create(&list));
    NB_TRY(nb_contacts_detect(world, h, list));
    b.result.contacts = list->count;
    if (b.kernel == PSOR) b.result.bytes = bytes_of_sweep(&b, world);
    NB_TRY(nb_measure_create(&measure));
    NB_TRY(nb_measure_begin(measure, world, list, h, NB_GEOMETRY_JOINTS));
    const int own = b.kernel == PSOR || b.kernel == SMOOTHED;
    NB_TRY(type->create(own ? nb_bench_kernels[b.kernel] : "newton", &settings, &stepper));
    NB_TRY(begin(&b, type, stepper, world, list, h));
    if (b.kernel == NEWTON) {
        NB_TRY(nb_run_create(&run));
        NB_TRY(nb_run_set_newton_columns(run, choices->method->columns, choices->method->column_count));
        nb_recorder_start(&recorder, run, 0, NULL); /* linear histories would dwarf it, and cool the caches of solves */
        b.recorder = &recorder;
    }
    NB_TRY(type->step(stepper, world, list, h, 0, measure, &observer, &outcome, &counts, NULL));
    if (b.kernel >= ASSEMBLY && b.count > 0) NB_TRY(report_newton(&b));
out:
    if (stepper) type->destroy(stepper);
    nb_run_destroy(run);
    nb_measure_destroy(measure);
    nb_contacts_destroy(list);
    nb_world_destroy(world);
    nb_free(request.info.parameters);
    return status;
}
