/* Linked with the program for tests: its emulated device fails as NB_TEST_DEVICE_FAULT asks for, "lost:N" or "memory:N"
 * after N launches, "architecture" from the start. The program itself has no such switch. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static void take_wish(const char *wish) {
    const char *count = strchr(wish, ':');
    int64_t launches = count ? strtoll(count + 1, NULL, 10) : 0;
    if (strncmp(wish, "lost", 4) == 0) nb_emulated_fail_after(NB_ERROR_DEVICE, launches);
    if (strncmp(wish, "memory", 6) == 0) nb_emulated_fail_after(NB_ERROR_MEMORY, launches);
    if (strcmp(wish, "architecture") == 0) nb_emulated_fail_after(NB_ERROR_UNSUPPORTED, 0);
}

__attribute__((constructor)) static void begin(void) {
    const char *wish = getenv("NB_TEST_DEVICE_FAULT");
    if (wish) take_wish(wish);
}
