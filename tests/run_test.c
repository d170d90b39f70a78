/* Runs one of the C tests that are linked into this program: tests_f64 NAME */
#include <stdio.h>
#include <string.h>

#define TEST(name) int main_of_##name(void);
#include NB_TESTS
#undef TEST

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(void);
    } tests[] = {
#define TEST(name) {#name, main_of_##name},
#include NB_TESTS
    };
    const size_t count = sizeof tests / sizeof *tests;
    for (size_t k = 0; k < count; k++) {
        if (argc == 2 && strcmp(argv[1], tests[k].name) == 0) return tests[k].run();
    }
    fprintf(stderr, "Runs one of its tests: %s NAME. They are:\n", argv[0]);
    for (size_t k = 0; k < count; k++) fprintf(stderr, "  %s\n", tests[k].name);
    return 64;
}
