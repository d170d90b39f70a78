/* The times of kernels on a device are taken after it has worked for as long as its clocks take to rise, whatever the
 * kernel. */
#include "accelerators.h"
#include "base/clock.h"
#include "bench/probe.h"
#include "check.h"
#include "random_scene.h"

NB_PRECISIONS(f32, f64);

enum {
    SAMPLES = 3
};

typedef struct hearing {
    double first; /* when the first sample was heard */
    int count;
} hearing;

static void hear(void *context, double seconds) {
    hearing *h = context;
    (void)seconds;
    if (h->count++ == 0) h->first = nb_clock_seconds();
}

TEST(devices_are_warm_before_times_are_taken) {
    static scene s;
    nb_device slow = nb_device_emulated;
    uint64_t seed = 51;
    begin_scene(&s, &seed, 40, 10, 60);
    for (int32_t r = 0; r < s.system->rows; r++) s.system->c[r] = R(0.5);
    nb_system_values_changed(s.system);
    s.system->device = &slow;
    for (int kernel = NB_PROBE_OPERATOR; kernel <= NB_PROBE_ACCURACY; kernel++)
        for (int cold = 0; cold < 2; cold++) {
            /* at least so long: a device that takes 0.2 s longer has its first time 0.2 s later */
            const nb_probe_request request = {(nb_probe_kernel)kernel, SAMPLES, 1e-5, 1e-1, "jacobi"};
            nb_probe_outcome outcome;
            hearing h = {0};
            if (kernel == NB_PROBE_PCR) continue; /* such a small system has no 50 iterations */
            slow.warm_up_s = cold ? 0.2 : 0;
            double start = nb_clock_seconds();
            CHECK_OK((NB_REAL_BITS == 32 ? nb_probe_f32 : nb_probe_f64)(s.system, &request, hear, &h, &outcome));
            assert_in_range(h.count, SAMPLES, 5); /* solves: five at least */
            if (cold) assert_true(h.first - start >= slow.warm_up_s);
        }
    end_scene(&s);
}

RUN_TESTS(devices_are_warm_before_times_are_taken)
