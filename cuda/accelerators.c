#include "accelerators.h"

#include <math.h>
#include <stddef.h>

#include "base/clock.h"
#include "cholesky.h"
#include "runtime.h"

/* ---- how fast a device's memory is ---- */

enum {
    TRIALS = 7,
    CACHES = 8 /* a copy over so many of them leaves little in them */
};
static const double trial_bytes = 2e9; /* moved in a trial, so that launches and waits count little on a GPU */
static const double trial_s = 5e-3;    /* which is enough where the memory is slow */

/* seconds of a copy, as the mean over `rounds` */
static nb_status time_copies(const nb_runtime *runtime, void *to, const void *from, int64_t bytes, int rounds,
                             double *seconds) {
    nb_status status;
    NB_TRY(runtime->wait());
    double start = nb_clock_seconds();
    for (int i = 0; i < rounds; i++) NB_TRY(runtime->copy(to, from, bytes));
    NB_TRY(runtime->wait());
    *seconds = (nb_clock_seconds() - start) / rounds;
out:
    return status;
}

/* as copy_bandwidth of device.h */
static nb_status copy_bandwidth(const nb_runtime *runtime, double bytes, double *gb_s) {
    nb_status status;
    void *memory = NULL;
    double seconds, best = INFINITY, least = CACHES * (double)runtime->cache_bytes();
    int64_t half = (int64_t)(fmax(fmax(bytes, least), 4096) / 2);
    NB_TRY(runtime->allocate(2 * half, &memory));
    char *to = memory, *from = to + half;
    NB_TRY(runtime->clear(memory, 2 * half));
    NB_TRY(time_copies(runtime, to, from, half, 1, &seconds));
    int rounds = (int)fmax(1, fmin(trial_bytes / (2 * (double)half), trial_s / fmax(seconds, 1e-9)));
    for (int trial = 0; trial < TRIALS; trial++) {
        NB_TRY(time_copies(runtime, to, from, half, rounds, &seconds));
        best = fmin(best, seconds);
    }
    *gb_s = 1e-9 * 2 * (double)half / best;
out:
    runtime->free(memory);
    return status;
}

extern const struct nb_vector_backend_class_f32 nb_vector_backend_cuda_f32, nb_vector_backend_emulated_f32;
extern const struct nb_vector_backend_class_f64 nb_vector_backend_cuda_f64, nb_vector_backend_emulated_f64;
extern const struct nb_vector_backend_class_mixed nb_vector_backend_cuda_mixed, nb_vector_backend_emulated_mixed;
extern const struct nb_device_step_class_f32 nb_device_step_cuda_f32, nb_device_step_emulated_f32;
extern const struct nb_device_step_class_f64 nb_device_step_cuda_f64, nb_device_step_emulated_f64;

static nb_status check_cuda(void) {
    return nb_runtime_cuda.open();
}

static nb_status check_emulated(void) {
    return nb_runtime_emulated.open();
}

static void describe_cuda(nb_device_facts *facts) {
    *facts = (nb_device_facts){.platform = ""};
    if (nb_runtime_cuda.describe) nb_runtime_cuda.describe(facts);
}

static void take_cuda_times(double *work_s, double *transfer_s) {
    nb_runtime_cuda.take_times(work_s, transfer_s);
}

static void take_emulated_times(double *work_s, double *transfer_s) {
    nb_runtime_emulated.take_times(work_s, transfer_s);
}

static nb_status cuda_bandwidth(double bytes, double *gb_s) {
    return copy_bandwidth(&nb_runtime_cuda, bytes, gb_s);
}

static nb_status emulated_bandwidth(double bytes, double *gb_s) {
    return copy_bandwidth(&nb_runtime_emulated, bytes, gb_s);
}

const nb_device nb_device_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA graphics processor",
    .check = check_cuda,
    .describe = describe_cuda,
    .take_times = take_cuda_times,
    .warm_up_s = 0.5, /* an H200 idles at 345 MHz, and works at 1980 */
    .copy_bandwidth = cuda_bandwidth,
    .backend_f32 = &nb_vector_backend_cuda_f32,
    .backend_f64 = &nb_vector_backend_cuda_f64,
    .backend_mixed = &nb_vector_backend_cuda_mixed,
    .cholesky = &nb_cholesky_cuda,
    .step_f32 = &nb_device_step_cuda_f32,
    .step_f64 = &nb_device_step_cuda_f64,
};

const nb_device nb_device_emulated = {
    .name = "emulated",
    .summary = "what cuda computes, thread by thread on this processor: slow, for tests",
    .check = check_emulated,
    .take_times = take_emulated_times,
    .copy_bandwidth = emulated_bandwidth,
    .backend_f32 = &nb_vector_backend_emulated_f32,
    .backend_f64 = &nb_vector_backend_emulated_f64,
    .backend_mixed = &nb_vector_backend_emulated_mixed,
    .cholesky = &nb_cholesky_emulated,
    .step_f32 = &nb_device_step_emulated_f32,
    .step_f64 = &nb_device_step_emulated_f64,
};
