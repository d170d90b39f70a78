/* Loaded before OpenBLAS by tests/blas.py: an OpenBLAS that takes every processor for a Prescott unless it is told
 * better, and with NB_TEST_BLAS_STUBBORN even then. Each start of a program leaves a line in NB_TEST_BLAS_STARTS. */
#include <stdio.h>
#include <stdlib.h>

char *openblas_get_corename(void);

static void __attribute__((constructor)) count_start(void) {
    const char *path = getenv("NB_TEST_BLAS_STARTS"), *core = getenv("OPENBLAS_CORETYPE");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "%s\n", core ? core : "-");
    fclose(file);
}

char *openblas_get_corename(void) {
    static char wrong[] = "Prescott";
    char *core = getenv("OPENBLAS_CORETYPE");
    return core && !getenv("NB_TEST_BLAS_STUBBORN") ? core : wrong;
}
