#include "input.h"

const char *fuzz_input(const uint8_t *bytes, size_t size) {
    return fuzz_file(bytes, size);
}

void fuzz_check_closed(void) {
}
