/* A plugin of ncpbench, to start from: a linear solver and a preconditioner, both in f32 and f64.
 *
 *     cc -O2 -fPIC -shared example.c -o example.so $(pkg-config --cflags ncpbench) -lm
 *     ncpbench list --plugin ./example.so
 *     ncpbench run arch --plugin ./example.so --linear-solver example-richardson --preconditioner example-diagonal \
 *         -o mine.h5
 */
#include <math.h>
#include <ncpbench/plugin.h>
#include <stdlib.h>
#include <string.h>

/* The functions of both classes for one type of numbers; here the file is read once for each. */
#define REAL float
#define NAME(name) name##_f32
#define EPSILON 1.2e-7
#include "example_real.h"
#undef REAL
#undef NAME
#undef EPSILON
#define REAL double
#define NAME(name) name##_f64
#define EPSILON 2.3e-16
#include "example_real.h"

/* ---- the linear solver ---- */

static const ncpbench_option richardson_options[] = {
    {.name = "omega", .summary = "length of each step", .standard = 1, .minimum = 1e-3, .maximum = 2},
};

static const char *richardson_create(const double *values, int32_t precision, void **state) {
    richardson *s = calloc(1, sizeof *s);
    (void)precision; /* the functions of either keep to their own */
    if (!s) return "out of memory";
    s->omega = values[0];
    *state = s;
    return NULL;
}

static void richardson_destroy(void *state) {
    richardson *s = state;
    if (s) free(s->work);
    free(s);
}

static const ncpbench_class richardson_class = {
    .size = sizeof(ncpbench_class),
    .flags = NCPBENCH_TAKES_PRECONDITIONER,
    .name = "example-richardson",
    .summary = "preconditioned Richardson iteration (example of a plugin)",
    .options = richardson_options,
    .option_count = sizeof richardson_options / sizeof *richardson_options,
    .option_size = sizeof *richardson_options,
    .create = richardson_create,
    .destroy = richardson_destroy,
    .solver_f32 = &richardson_f32,
    .solver_f64 = &richardson_f64,
};

/* ---- the preconditioner ---- */

static const char *const weights[] = {"row-sum", "diagonal", NULL};

static const ncpbench_option diagonal_options[] = {
    {.name = "weight", .summary = "what each row is divided by", .choices = weights},
};

static const char *diagonal_create(const double *values, int32_t precision, void **state) {
    diagonal *s = calloc(1, sizeof *s);
    (void)precision;
    if (!s) return "out of memory";
    s->weight = (int)values[0];
    *state = s;
    return NULL;
}

static void diagonal_destroy(void *state) {
    diagonal *s = state;
    if (s) free(s->inverse);
    free(s);
}

static const ncpbench_class diagonal_class = {
    .size = sizeof(ncpbench_class),
    .flags = NCPBENCH_NEEDS_ENTRIES,
    .name = "example-diagonal",
    .summary = "inverse row sums or diagonal (example of a plugin)",
    .options = diagonal_options,
    .option_count = sizeof diagonal_options / sizeof *diagonal_options,
    .option_size = sizeof *diagonal_options,
    .create = diagonal_create,
    .destroy = diagonal_destroy,
    .precond_f32 = &diagonal_f32,
    .precond_f64 = &diagonal_f64,
};

static const ncpbench_class *const classes[] = {&richardson_class, &diagonal_class, NULL};

NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(uint32_t host_abi) {
    static const ncpbench_plugin plugin = {.abi = NCPBENCH_PLUGIN_ABI, .size = sizeof plugin, .classes = classes};
    (void)host_abi; /* the host compares ours with its own */
    return &plugin;
}
