#include "accelerators.h"

#include "runtime.h"

extern const struct nb_space_class_f32 nb_space_cuda_f32, nb_space_emulated_f32;
extern const struct nb_space_class_f64 nb_space_cuda_f64, nb_space_emulated_f64;
extern const struct nb_space_class_mixed nb_space_cuda_mixed, nb_space_emulated_mixed;
extern const struct nb_whole_class_f32 nb_whole_cuda_f32, nb_whole_emulated_f32;
extern const struct nb_whole_class_f64 nb_whole_cuda_f64, nb_whole_emulated_f64;

static nb_status check_cuda(void) {
    return nb_runtime_cuda.open();
}

static nb_status check_emulated(void) {
    return nb_runtime_emulated.open();
}

const nb_device nb_device_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA graphics processor",
    .check = check_cuda,
    .space_f32 = &nb_space_cuda_f32,
    .space_f64 = &nb_space_cuda_f64,
    .space_mixed = &nb_space_cuda_mixed,
    .whole_f32 = &nb_whole_cuda_f32,
    .whole_f64 = &nb_whole_cuda_f64,
};

const nb_device nb_device_emulated = {
    .name = "emulated",
    .summary = "what cuda computes, thread by thread on this processor: slow, for tests",
    .check = check_emulated,
    .space_f32 = &nb_space_emulated_f32,
    .space_f64 = &nb_space_emulated_f64,
    .space_mixed = &nb_space_emulated_mixed,
    .whole_f32 = &nb_whole_emulated_f32,
    .whole_f64 = &nb_whole_emulated_f64,
};
