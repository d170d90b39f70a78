#include "bench/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device.h"
#include "table/statistics.h"

static const double contacts_per_box = 14.9; /* of the pile below */

/* ---- the scene ---- */

static void set(nb_request *request, const char *name, const char *value) {
    nb_setting *setting = &request->settings[request->setting_count++];
    snprintf(setting->name, sizeof setting->name, "%s", name);
    snprintf(setting->value, sizeof setting->value, "%s", value);
}

nb_status nb_bench_pile(const nb_bench_item *item, int32_t contacts, nb_request *request) {
    char count[32];
    nb_request_standard(request);
    snprintf(request->info.scenario, sizeof request->info.scenario, "piling");
    snprintf(request->info.precision, sizeof request->info.precision, "%s", item->precision);
    snprintf(request->info.device, sizeof request->info.device, "%s", item->device);
    request->info.threads = item->threads;
    snprintf(count, sizeof count, "%d", (int)fmax(1, round(contacts / contacts_per_box)));
    set(request, "count", count);
    set(request, "shape", "box");
    set(request, "spacing", "0");
    set(request, "tilt", "0");
    set(request, "yaw", "0");
    set(request, "stagger", "0.5");
    return nb_simulate_prepare(request);
}

/* ---- bandwidth ---- */

/* a = b + s c over three arrays of `bytes` together; the best of many short rounds, since other processes disturb long
 * ones [GB/s] */
static nb_status measure_triad(double bytes, double *gb_s) {
    nb_status status;
    int64_t n = (int64_t)(bytes / (3 * sizeof(double))) + 8;
    const int rounds = (int)fmin(1e6, ceil(1e6 / (double)n)); /* a few tenths of a millisecond each */
    const int trials = (int)fmax(7, 140 / ceil((double)n * rounds / 1e6));
    double *a = NULL, *b = NULL, *c = NULL, best = INFINITY;
    NB_TRY(NB_ALLOCATE(n, &a));
    NB_TRY(NB_ALLOCATE(n, &b));
    NB_TRY(NB_ALLOCATE(n, &c));
    for (int64_t i = 0; i < n; i++) a[i] = b[i] = c[i] = 1;
    for (int trial = 0; trial < trials; trial++) {
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

nb_status nb_bench_bandwidth(const nb_device *device, double bytes, double least_gb_s, double *gb_s) {
    enum {
        TRIALS = 5
    };
    nb_status status = NB_OK;
    *gb_s = 0;
    for (int trial = 0; trial < TRIALS && status == NB_OK && (trial == 0 || *gb_s < least_gb_s); trial++) {
        double seen;
        status = device ? device->copy_bandwidth(bytes, &seen) : measure_triad(bytes, &seen);
        if (status == NB_OK) *gb_s = fmax(*gb_s, seen);
    }
    return status;
}

/* ---- rows ---- */

nb_timing nb_bench_begin_row(const nb_bench_item *item) {
    nb_timing row = {.contacts = item->contacts, .threads = item->threads, .scenes = 1, .bytes = NAN};
    snprintf(row.kernel, sizeof row.kernel, "%s", item->kernel);
    snprintf(row.precision, sizeof row.precision, "%s", item->precision);
    snprintf(row.device, sizeof row.device, "%s", item->device);
    snprintf(row.order, sizeof row.order, "built");
    return row;
}

double nb_bench_rate(const nb_timing *row, const double *samples, int count) {
    double sorted[NB_TIMING_SAMPLES];
    if (isnan(row->bytes)) return 0;
    memcpy(sorted, samples, (size_t)count * sizeof *sorted);
    return 1e-9 * row->bytes * row->contacts / nb_quantile(sorted, nb_sort_sample(sorted, count), 0.5);
}

nb_status nb_bench_row(nb_timing *r, const double *samples, int count, nb_bench_report *report, void *context) {
    const double scale = 1e9 / r->contacts, most_fraction = 2;
    double sorted[NB_TIMING_SAMPLES];
    r->sample_count = 0;
    for (int i = 0; i < count; i++)
        if (samples[i] >= 0) r->samples[r->sample_count++] = scale * samples[i];
    if (2 * r->sample_count < count)
        return nb_fail(NB_ERROR_NUMERIC, "the machine is too busy: %d of %d samples are negative",
                       count - (int)r->sample_count, count);
    for (int i = r->sample_count; i < NB_TIMING_SAMPLES; i++) r->samples[i] = NAN;
    memcpy(sorted, r->samples, sizeof sorted);
    count = (int)nb_sort_sample(sorted, r->sample_count);
    r->median = nb_quantile(sorted, count, 0.5);
    r->least = sorted[0];
    r->most = sorted[count - 1];
    if (r->bytes / r->median / r->triad > most_fraction) r->triad = NAN;
    r->fraction = r->bytes / r->median / r->triad;
    return report(context, r);
}
