#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench/probe.h"
#include "method/stepper.h"
#include "recorder.h"
#include "resolve.h"
#include "simulate.h"
#include "statistics.h"

enum {
    OPERATOR,
    PCR,
    ASSEMBLY,
    NEWTON
};
const char *const nb_bench_kernels[] = {
    [OPERATOR] = "operator", [PCR] = "pcr", [ASSEMBLY] = "assembly", [NEWTON] = "newton", NULL};
const char *const nb_bench_summaries[] = {
    [OPERATOR] = "one product with A = J H^-1 J^T + C",
    [PCR] = "one iteration of PCR with the Jacobi preconditioner",
    [ASSEMBLY] = "the values of one Newton iteration: residuals, weights, operator, preconditioner",
    [NEWTON] = "one Newton iteration with 20 iterations of PCR, and the shares of its step",
    NULL};

static const double contacts_per_box = 14.9; /* of the pile below */
static const double sample_s = 4e-3;

enum {
    BEGINNINGS = 5,         /* samples of what is done once a step */
    PROBED_NEWTON = 3,      /* by then contacts are open, stuck and sliding */
    LINEAR_ITERATIONS = 20, /* of a Newton iteration that is timed as a whole */
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
    nb_timing result; /* of the last row */
    nb_bench_report *report;
    void *context;
    double samples[NB_TIMING_SAMPLES]; /* [s] */
    int count;
    double shares[SHARES][NB_TIMING_SAMPLES]; /* [s], of the same samples */
    nb_recorder *recorder;                    /* of a whole Newton iteration, which is recorded as in a run; or NULL */
    double last;                              /* when the last Newton iteration was over */
} bench;

/* ---- bandwidth ---- */

/* a = b + s c over three arrays of `bytes` together; the best of a few rounds [GB/s] */
static nb_status measure_triad(double bytes, double *gb_s) {
    nb_status status;
    int64_t n = (int64_t)(bytes / (3 * sizeof(double))) + 8;
    int rounds = (int)fmin(1e6, ceil(2e7 / (double)n)); /* a few milliseconds each */
    double *a = NULL, *b = NULL, *c = NULL, best = INFINITY;
    NB_TRY(NB_ALLOCATE(n, &a));
    NB_TRY(NB_ALLOCATE(n, &b));
    NB_TRY(NB_ALLOCATE(n, &c));
    for (int64_t i = 0; i < n; i++) a[i] = b[i] = c[i] = 1;
    for (int trial = 0; trial < 7; trial++) {
        double start = nb_clock_seconds();
        for (int r = 0; r < rounds; r++) {
            double s = 1e-9 * r;
            for (int64_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
            c[r % n] = a[n - 1]; /* the next round needs this one */
        }
        best = fmin(best, (nb_clock_seconds() - start) / rounds);
    }
    *gb_s = 1e-9 * 3 * sizeof(double) * (double)n / best;
out:
    nb_free(a);
    nb_free(b);
    nb_free(c);
    return status;
}

/* ---- samples ---- */

static void take_sample(void *context, double seconds) {
    bench *b = context;
    if (b->count < NB_TIMING_SAMPLES) b->samples[b->count++] = seconds;
}

/* one row: `count` samples [s] and what follows from them */
static nb_status report_samples(bench *b, const double *samples, int count) {
    nb_timing *r = &b->result;
    double sorted[NB_TIMING_SAMPLES], scale = 1e9 / r->contacts;
    for (int i = 0; i < NB_TIMING_SAMPLES; i++) r->samples[i] = sorted[i] = i < count ? scale * samples[i] : NAN;
    r->sample_count = count;
    nb_sort_sample(sorted, count);
    r->median = nb_quantile(sorted, count, 0.5);
    r->least = sorted[0];
    r->most = sorted[count - 1];
    r->fraction = r->bytes / r->median / r->triad;
    return b->report(b->context, r);
}

static nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    bench *b = context;
    nb_status status = NB_OK;
    double bytes;
    (void)problem;
    if (newton != PROBED_NEWTON || b->kernel >= ASSEMBLY) return NB_OK;
    nb_status (*probe)(void *, nb_probe_kernel, int, double, nb_probe_sample *, void *, double *) =
        strcmp(b->result.precision, "f32") == 0     ? nb_probe_f32
        : strcmp(b->result.precision, "mixed") == 0 ? nb_probe_mixed
                                                    : nb_probe_f64;
    NB_TRY(probe(system, b->kernel == PCR ? NB_PROBE_PCR : NB_PROBE_OPERATOR, NB_TIMING_SAMPLES, sample_s, take_sample,
                 b, &bytes));
    b->result.bytes = bytes / b->result.contacts;
    NB_TRY(measure_triad(bytes / 2, &b->result.triad));
    NB_TRY(report_samples(b, b->samples, b->count));
out:
    return status;
}

/* the end of a Newton iteration: the first one warms up, the last report says nothing of a solve */
static nb_status hear_newton(void *context, const nb_newton_report *report) {
    bench *b = context;
    nb_status status = b->recorder ? b->recorder->observer.newton(b->recorder, report) : NB_OK;
    double now = nb_clock_seconds(), whole = now - b->last;
    double assembly = report->assembly_s + report->setup_s;
    int counts = b->last > 0 && report->solved && b->count < NB_TIMING_SAMPLES;
    if (counts) {
        b->shares[ASSEMBLE][b->count] = report->assembly_s - report->update_s;
        b->shares[UPDATE][b->count] = report->update_s;
        b->shares[SET_UP][b->count] = report->setup_s;
        b->shares[SOLVE][b->count] = report->solve_s;
        b->shares[RECORD][b->count] = whole - assembly - report->solve_s;
        take_sample(b, b->kernel == NEWTON ? whole : assembly);
    }
    b->last = now;
    return status;
}

static nb_status report_newton(bench *b) {
    nb_status status;
    double footprint = 2000.0 * b->result.contacts;
    NB_TRY(measure_triad(footprint, &b->result.triad));
    NB_TRY(report_samples(b, b->samples, b->count));
    for (int i = 0; b->kernel == NEWTON && i < SHARES; i++) {
        snprintf(b->result.kernel, sizeof b->result.kernel, "%s", share_names[i]);
        NB_TRY(report_samples(b, b->shares[i], i < ITERATED ? BEGINNINGS : b->count));
    }
out:
    return status;
}

/* ---- the scene ---- */

static void set(nb_request *request, const char *name, const char *value) {
    nb_setting *setting = &request->settings[request->setting_count++];
    snprintf(setting->name, sizeof setting->name, "%s", name);
    snprintf(setting->value, sizeof setting->value, "%s", value);
}

static nb_status describe_pile(int32_t contacts, const char *precision, int32_t threads, nb_request *request) {
    char count[32];
    nb_request_standard(request);
    snprintf(request->info.scenario, sizeof request->info.scenario, "piling");
    snprintf(request->info.precision, sizeof request->info.precision, "%s", precision);
    request->info.threads = threads;
    request->info.newton_iterations = NEWTON_ITERATIONS;
    request->info.linear_iterations = LINEAR_ITERATIONS;
    snprintf(count, sizeof count, "%d", (int)fmax(1, round(contacts / contacts_per_box)));
    set(request, "count", count);
    set(request, "shape", "box");
    set(request, "spacing", "0");
    set(request, "tilt", "0");
    set(request, "yaw", "0");
    set(request, "stagger", "0.5");
    return nb_simulate_prepare(request);
}

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

/* what is done once a step; several times where that is timed */
static nb_status begin(bench *b, const nb_stepper_class *class, void *stepper, const nb_world *world,
                       nb_contacts *contacts, double h) {
    nb_status status = NB_OK;
    for (int i = 0; i < (b->kernel == NEWTON ? BEGINNINGS : 1); i++) {
        double start = nb_clock_seconds();
        NB_TRY(nb_contacts_detect(world, h, contacts));
        double detected = nb_clock_seconds();
        NB_TRY(class->begin(stepper, world, contacts, h, 0));
        b->shares[DETECT][i] = detected - start;
        b->shares[BEGIN][i] = nb_clock_seconds() - detected;
    }
out:
    return status;
}

nb_status nb_bench(const char *kernel, int32_t contacts, const char *precision, int32_t threads, int shuffled,
                   nb_bench_report *report, void *context) {
    nb_status status;
    nb_request request;
    nb_choices choices;
    nb_world *world = NULL;
    nb_contacts *list = NULL;
    nb_measure *measure = NULL;
    nb_run *run = NULL;
    nb_recorder recorder;
    void *stepper = NULL;
    nb_step_outcome outcome;
    nb_step_counts counts;
    bench b = {.result = {.threads = threads, .bytes = NAN}, .report = report, .context = context};
    nb_observer observer = {.context = &b, .system = hear_system, .newton = hear_newton};
    const nb_stepper_class *class = strcmp(precision, "f32") == 0 ? &nb_stepper_f32 : &nb_stepper_f64;
    while (b.kernel <= NEWTON && strcmp(nb_bench_kernels[b.kernel], kernel) != 0) b.kernel++;
    snprintf(b.result.kernel, sizeof b.result.kernel, "%s", kernel);
    snprintf(b.result.precision, sizeof b.result.precision, "%s", precision);
    snprintf(b.result.order, sizeof b.result.order, "%s", shuffled ? "shuffled" : "built");
    NB_TRY(describe_pile(contacts, precision, threads, &request));
    NB_TRY(nb_request_resolve(&request, &choices));
    double h = request.info.time_step;
    if (b.kernel < ASSEMBLY) choices.settings.newton_iterations = PROBED_NEWTON + 1;
    NB_TRY(choices.scenario->build(choices.parameters, request.info.seed, &world));
    if (shuffled) shuffle_bodies(world);
    NB_TRY(nb_contacts_create(&list));
    NB_TRY(nb_contacts_detect(world, h, list));
    b.result.contacts = list->count;
    NB_TRY(nb_measure_create(&measure));
    NB_TRY(nb_measure_begin(measure, world, list, h, 0));
    NB_TRY(class->create("newton", &choices.settings, &stepper));
    NB_TRY(begin(&b, class, stepper, world, list, h));
    if (b.kernel == NEWTON) {
        NB_TRY(nb_run_create(&run));
        nb_recorder_start(&recorder, run, 0, NULL); /* linear histories would dwarf it, and cool the caches of solves */
        b.recorder = &recorder;
    }
    NB_TRY(class->step(stepper, world, list, h, 0, measure, &observer, &outcome, &counts, NULL));
    if (b.kernel >= ASSEMBLY && b.count > 0) NB_TRY(report_newton(&b));
out:
    if (stepper) class->destroy(stepper);
    nb_run_destroy(run);
    nb_measure_destroy(measure);
    nb_contacts_destroy(list);
    nb_world_destroy(world);
    nb_free(request.info.parameters);
    return status;
}
