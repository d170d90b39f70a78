#include "run/forecast.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

nb_status nb_forecast_create(int64_t count, nb_forecast *forecast) {
    nb_status status;
    *forecast = (nb_forecast){.count = count, .at = -1};
    NB_TRY(NB_ALLOCATE(count, &forecast->runs));
    NB_TRY(NB_ALLOCATE(count, &forecast->correction));
    NB_TRY(NB_ALLOCATE(count, &forecast->sum));
    NB_TRY(NB_ALLOCATE(count, &forecast->weight));
out:
    if (status != NB_OK) nb_forecast_clear(forecast);
    return status;
}

void nb_forecast_clear(nb_forecast *forecast) {
    nb_free(forecast->runs);
    nb_free(forecast->correction);
    nb_free(forecast->sum);
    nb_free(forecast->weight);
    *forecast = (nb_forecast){.at = -1};
}

/* ---- before anything ran ---- */

/* seen on a core of a virtual EPYC of 2026: only the proportions matter for long, since the scale is learnt */
static const double row_s = 2.2e-7, /* of a Newton iteration, a row: values of the system, the update, the errors */
    product_s = 8e-9,               /* of a linear iteration, a row */
    factor_s = 5e-9,                /* of a factorisation, a row squared */
    detect_s = 1.5e-6,              /* of finding contacts, a row */
    overhead_rows = 100,            /* what comes with every iteration, in rows */
    pass_s = 1e-3;                  /* of a pass: building the scene, writing the run */

static double factorisation_s(double rows) {
    const double least = 30; /* a very small one takes as long as this */
    return factor_s * (rows + least) * (rows + least);
}

static double step_s(const nb_forecast_work *w) {
    double newton = w->newton, solve;
    if (w->inner && newton > 20) newton = 20;
    if (w->tolerance > 0 && newton > 40) newton = 40;
    double rows = w->rows + overhead_rows;
    solve = w->direct ? factorisation_s(w->rows) : w->linear * product_s * rows;
    return detect_s * rows + newton * (row_s * rows + solve);
}

/* by `auto` from the step before (settle.c): few iterations where the scene is at rest */
static double settling_step_s(const nb_forecast_work *w) {
    const nb_forecast_work settling = {.rows = w->rows, .newton = 8, .linear = 40};
    return step_s(&settling);
}

double nb_forecast_prior(const nb_forecast_work *w, int repeat) {
    double seconds = pass_s + w->settle * settling_step_s(w) + (w->steps + w->copies * w->steps) * step_s(w);
    if (repeat) return seconds;
    if (w->reference) seconds += 100 * factorisation_s(w->rows);
    if (w->bound) seconds += 50 * factorisation_s(w->rows);
    return seconds;
}

double nb_forecast_share(const nb_forecast_work *w, double step) {
    double own = step * step_s(w), before = w->settle * settling_step_s(w);
    double all = before + (w->steps + w->copies * w->steps) * step_s(w);
    double share = step > 0 && all > 0 ? (own + before) / all : 0;
    return share < 1 ? share : 1;
}

/* ---- what is learnt ---- */

/* what is known of a run: the logarithm of how many times as long it takes as expected, and how much that counts */
static double evidence(const nb_forecast *f, int64_t i, double *weight) {
    const nb_forecast_run *r = &f->runs[i];
    double expected = r->passes_done * r->prior + r->repeats_done * r->repeat_prior, took = r->passes_s + r->repeats_s;
    if (i == f->at) {
        double pass = f->repeat ? r->repeat_prior : r->prior;
        double so_far = f->fraction * pass;
        /* a pass whose share is not known yet says something once it has taken longer than expected */
        if (f->fraction > 0 || f->elapsed > pass) {
            expected += f->fraction > 0 ? so_far : pass;
            took += f->elapsed;
        }
    }
    *weight = 0;
    if (expected <= 0 || took <= 0) return 0;
    *weight = expected / (expected + 0.1 * f->mean); /* a very short one tells little of long ones */
    return log(took / expected);
}

/* Corrects each run by the evidence of those of the same kind, as far as there is some. */
static void correct(nb_forecast *f, int kind) {
    const double doubt = kind < 0 ? 0.05 : 0.3; /* how fast a machine is shows soonest */
    memset(f->sum, 0, (size_t)f->count * sizeof *f->sum);
    memset(f->weight, 0, (size_t)f->count * sizeof *f->weight);
    for (int64_t i = 0; i < f->count; i++) {
        int32_t k = kind < 0 ? 0 : f->runs[i].kind[kind];
        double weight, found = evidence(f, i, &weight);
        f->sum[k] += weight * (found - f->correction[i]);
        f->weight[k] += weight;
    }
    for (int64_t i = 0; i < f->count; i++) {
        int32_t k = kind < 0 ? 0 : f->runs[i].kind[kind];
        f->correction[i] += f->sum[k] / (f->weight[k] + doubt);
    }
}

/* how many times as long as expected the run's next pass takes: as its own did, of which nothing is nearer */
static double scale_of(const nb_forecast *f, int64_t i) {
    const nb_forecast_run *r = &f->runs[i];
    double expected = r->passes_done * r->prior + r->repeats_done * r->repeat_prior;
    return expected > 0 ? (r->passes_s + r->repeats_s) / expected : exp(f->correction[i]);
}

/* [s] of what is to be made of a run, the pass in progress left out */
static double run_left(const nb_forecast *f, int64_t i) {
    const nb_forecast_run *r = &f->runs[i];
    double passes = r->passes - r->passes_done, repeats = r->repeats - r->repeats_done;
    if (i == f->at) *(f->repeat ? &repeats : &passes) -= 1;
    return scale_of(f, i) * (fmax(passes, 0) * r->prior + fmax(repeats, 0) * r->repeat_prior);
}

/* [s] of the pass in progress */
static double pass_left(const nb_forecast *f) {
    const double doubt = 0.05; /* the expectation counts as much as this share of the pass */
    const nb_forecast_run *r = &f->runs[f->at];
    double expected = scale_of(f, f->at) * (f->repeat ? r->repeat_prior : r->prior);
    double whole =
        f->fraction > 0 ? (doubt * expected + f->elapsed) / (doubt + f->fraction) : fmax(expected, 1.2 * f->elapsed);
    return fmax(whole - f->elapsed, 0);
}

double nb_forecast_left(nb_forecast *f) {
    double left = f->after;
    f->mean = 0;
    for (int64_t i = 0; i < f->count; i++)
        f->mean +=
            (f->runs[i].passes * f->runs[i].prior + f->runs[i].repeats * f->runs[i].repeat_prior) / (double)f->count;
    memset(f->correction, 0, (size_t)f->count * sizeof *f->correction);
    correct(f, -1);
    left *= fmax(1, exp(f->correction[0])); /* runs quicker than expected say nothing of other things */
    for (int kind = 0; kind < NB_FORECAST_KINDS; kind++) correct(f, kind);
    for (int64_t i = 0; i < f->count; i++) left += run_left(f, i);
    if (f->at >= 0) left += pass_left(f);
    return left;
}
