#include "bench/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device.h"
#include "statistics/statistics.h"

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

nb_status nb_bench_bandwidth(const nb_device *device, double bytes, double *gb_s) {
    return device ? device->copy_bandwidth(bytes, gb_s) : measure_triad(bytes, gb_s);
}

/* ---- rows ---- */

nb_status nb_bench_row(nb_timing *r, const double *samples, int count, nb_bench_report *report, void *context) {
    double sorted[NB_TIMING_SAMPLES], scale = 1e9 / r->contacts;
    for (int i = 0; i < NB_TIMING_SAMPLES; i++) r->samples[i] = sorted[i] = i < count ? scale * samples[i] : NAN;
    r->sample_count = count;
    nb_sort_sample(sorted, count);
    r->median = nb_quantile(sorted, count, 0.5);
    r->least = sorted[0];
    r->most = sorted[count - 1];
    r->fraction = r->bytes / r->median / r->triad;
    return report(context, r);
}
