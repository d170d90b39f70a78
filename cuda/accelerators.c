#include "accelerators.h"

#include "bandwidth.h"
#include "cholesky.h"
#include "runtime.h"

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
    return nb_runtime_bandwidth(&nb_runtime_cuda, bytes, gb_s);
}

static nb_status emulated_bandwidth(double bytes, double *gb_s) {
    return nb_runtime_bandwidth(&nb_runtime_emulated, bytes, gb_s);
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
