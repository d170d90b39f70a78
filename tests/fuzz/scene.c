/* The reader of scene files. */
#include "file/scene_file.h"

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_check_status(nb_scene_file_try((const char *)bytes, (int64_t)size));
    return 0;
}
