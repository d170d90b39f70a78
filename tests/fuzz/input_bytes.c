#include "input.h"

const char *fuzz_input(const uint8_t *bytes, size_t size) {
    return fuzz_file(bytes, size);
}

int fuzz_input_is_well_formed(void) {
    return 0;
}
