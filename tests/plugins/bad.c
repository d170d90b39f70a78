/* A plugin that does what the environment variable BAD says, all of it wrong. Without it, it is a Jacobi iteration that
 * is called bad-solver, with a preconditioner called bad-precond. */
#include <fcntl.h>
#include <fenv.h>
#include <glob.h>
#include <locale.h>
#include <math.h>
#include <ncpbench/plugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int is(const char *fault) {
    const char *wanted = getenv("BAD");
    return wanted && strcmp(wanted, fault) == 0;
}

static int *volatile nowhere = (int *)(uintptr_t)8; /* volatile: no compiler shall see it coming */
static volatile int depth;

static int recurse(int n) {
    volatile char waste[4096];
    waste[0] = (char)n;
    depth = n;
    return n < 0 ? waste[0] : recurse(n + 1) + waste[0];
}

/* "PLACE-segv", "PLACE-exit", ...: the ways to end a process */
static void die_at(const char *place) {
    char fault[64];
    const char *wanted = getenv("BAD");
    size_t length = strlen(place);
    if (!wanted || strncmp(wanted, place, length) != 0 || wanted[length] != '-') return;
    snprintf(fault, sizeof fault, "%s", wanted + length + 1);
    if (strcmp(fault, "segv") == 0) *nowhere = 1;
    if (strcmp(fault, "abort") == 0) abort();
    if (strcmp(fault, "fpe") == 0) raise(SIGFPE);
    if (strcmp(fault, "exit") == 0) exit(0);
    if (strcmp(fault, "forty") == 0) _exit(40); /* what the harness's own child would say */
    if (strcmp(fault, "stack") == 0) recurse(0);
    if (strcmp(fault, "round") == 0) fesetround(FE_DOWNWARD);
    if (strcmp(fault, "slow") == 0) nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    if (strcmp(fault, "descriptors") == 0)
        for (int file = 3; file < 1024; file++) { /* first the beginning, then the end, of what is a file */
            if (lseek(file, 0, SEEK_SET) < 0 || write(file, "garbage, garbage", 16) < 0) continue;
            if (ftruncate(file, 1000) == 0) flock(file, LOCK_UN);
        }
    if (strcmp(fault, "record") == 0) { /* by its name, which no program can hide */
        glob_t found;
        if (glob("*.partial-*", 0, NULL, &found) != 0) abort();
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char garbage[20000];
            memset(garbage, 0x55, sizeof garbage);
            int file = open(found.gl_pathv[i], O_WRONLY);
            off_t size = lseek(file, 0, SEEK_END);
            if (pwrite(file, garbage, sizeof garbage, size / 4) < 0) abort();
            close(file);
        }
        globfree(&found);
    }
    if (strcmp(fault, "close") == 0)
        for (int file = 3; file < 1024; file++) close(file);
    if (strcmp(fault, "daemon") == 0 && fork() == 0) { /* a process that stays for long */
        setsid();
        for (int file = 0; file < 3; file++) close(file);
        for (int s = 0; s < 60; s++) nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        _exit(0);
    }
    if (strcmp(fault, "print") == 0) puts("a plugin's own words");
    if (strcmp(fault, "surroundings") == 0) {
        umask(0777);
        signal(SIGINT, SIG_IGN);
        if (chdir("/") != 0 || !setlocale(LC_ALL, "C.UTF-8")) abort();
    }
    if (strcmp(fault, "hang") == 0)
        for (;;) pause();
}

__attribute__((constructor)) static void begin(void) {
    die_at("constructor");
}

static const char *create(const double *values, int32_t precision, void **state) {
    (void)values, (void)precision;
    die_at("create");
    *state = NULL;
    return is("create-fault") ? "no licence for\na second line" : NULL;
}

static void destroy(void *state) {
    (void)state;
    die_at("destroy");
}

static const char *set_up_pattern(void *state, const ncpbench_system_f64 *system) {
    (void)state;
    die_at("pattern");
    if (!is("matrix-unasked")) return NULL;
    ncpbench_matrix_f64 a;
    return system->matrix(system->host, &a);
}

static const char *set_up_values(void *state, const ncpbench_system_f64 *system, ncpbench_outcome *outcome) {
    (void)state, (void)system;
    die_at("values");
    if (is("values-reason")) outcome->reason = -1;
    if (is("values-singular")) outcome->reason = NCPBENCH_SINGULAR;
    return is("values-wild-text") ? (const char *)(uintptr_t)8 : NULL;
}

static const char *solve(void *state, const ncpbench_system_f64 *system, const ncpbench_request_f64 *request, double *x,
                         ncpbench_outcome *outcome) {
    (void)state;
    if (!is("solve-round")) die_at("solve");
    int32_t n = system->rows;
    double *diagonal = malloc((size_t)n * sizeof *diagonal), *y = malloc((size_t)n * sizeof *y);
    system->diagonal(system->host, diagonal);
    for (int32_t k = 0; k < request->iterations; k++) {
        if (request->monitor) request->monitor(request->host, k, x);
        system->apply(system->host, x, y);
        for (int32_t i = 0; i < n; i++)
            if (diagonal[i] > 0) x[i] += 0.2 * (system->b[i] - y[i]) / diagonal[i];
    }
    if (request->monitor) request->monitor(request->host, request->iterations, x);
    free(diagonal);
    free(y);
    if (is("solve-round")) die_at("solve");
    outcome->iterations = request->iterations;
    outcome->reason = NCPBENCH_ITERATIONS;
    if (is("solve-nan")) x[n / 2] = (double)NAN;
    if (is("solve-infinity")) x[0] = (double)INFINITY;
    if (is("solve-diverged")) x[0] = (double)NAN, outcome->reason = NCPBENCH_DIVERGED;
    if (is("solve-reason")) outcome->reason = 77;
    if (is("solve-silent")) outcome->reason = NCPBENCH_NONE;
    if (is("solve-iterations")) outcome->iterations = -3;
    if (is("solve-claims")) outcome->reason = NCPBENCH_CONVERGED, memset(x, 0, (size_t)n * sizeof *x);
    if (is("solve-forges")) { /* b = 0: as if x = 0 had no residual */
        memset(x, 0, (size_t)n * sizeof *x);
        memset((double *)(uintptr_t)system->b, 0, (size_t)n * sizeof *x);
    }
    if (is("solve-heap")) memset(x - n, 0x55, 3 * (size_t)n * sizeof *x), memset((char *)x - 100000, 0x55, 200000);
    return is("solve-fault") ? "the pivots ran out" : NULL;
}

static void apply(void *state, const double *r, double *z) {
    (void)state;
    die_at("apply");
    z[0] = is("apply-nan") ? (double)NAN : r[0];
}

/* ---- a method ---- */

static const char *convert(void *state, const ncpbench_contacts_f64 *problem) {
    (void)state, (void)problem;
    die_at("convert");
    return is("convert-fault") ? "no room for W" : NULL;
}

static const char *solve_contacts(void *state, const ncpbench_contacts_f64 *problem,
                                  const ncpbench_method_request_f64 *request, double *r,
                                  ncpbench_method_outcome *outcome) {
    (void)state;
    die_at("method");
    if (request->monitor) request->monitor(request->host, r);
    outcome->iterations = is("method-iterations") ? -3 : 1;
    outcome->factorisations = is("method-factorisations") ? -1 : 0;
    outcome->reason = is("method-silent") ? 0 : is("method-reason") ? 77 : NCPBENCH_CONVERGED; /* a lie, with r = 0 */
    if (is("method-nan")) r[problem->w.rows / 2] = (double)NAN;
    if (is("method-diverged")) r[0] = (double)NAN, outcome->reason = NCPBENCH_DIVERGED;
    if (is("method-words")) memset(outcome->words, '\n', sizeof outcome->words); /* without an end */
    if (is("method-heap")) memset((char *)r - 100000, 0x55, 200000);
    return is("method-fault") ? "lost its way" : NULL;
}

static ncpbench_method_f64 method = {sizeof(ncpbench_method_f64), 3, convert, solve_contacts};
static ncpbench_solver_f64 solver = {sizeof(ncpbench_solver_f64), 0, set_up_pattern, set_up_values, solve};
static ncpbench_precond_f64 precond = {sizeof(ncpbench_precond_f64), 0, NULL, NULL, apply};
static const char *choices[] = {"a", "b", NULL};
static ncpbench_option options[] = {
    {.name = "level", .summary = "of badness", .standard = 1, .minimum = 0, .maximum = 2},
    {.name = "kind", .summary = "of badness", .choices = choices},
};
static ncpbench_class bad_solver = {
    .size = sizeof(ncpbench_class),
    .name = "bad-solver",
    .summary = "a bad solver",
    .options = options,
    .option_count = 2,
    .option_size = sizeof *options,
    .create = create,
    .destroy = destroy,
    .solver_f64 = &solver,
};
static ncpbench_class bad_precond = {
    .size = sizeof(ncpbench_class),
    .name = "bad-precond",
    .summary = "a bad preconditioner",
    .precond_f64 = &precond,
};
static ncpbench_class bad_method = {
    .size = sizeof(ncpbench_class),
    .name = "bad-method",
    .summary = "a bad method",
    .create = create,
    .destroy = destroy,
    .method_f64 = &method,
};
static const ncpbench_class *classes[64] = {&bad_solver, &bad_precond, &bad_method};
static ncpbench_plugin plugin = {.abi = NCPBENCH_PLUGIN_ABI, .size = sizeof plugin, .classes = classes};

static void lie_about_options(void) {
    if (is("option-name")) options[0].name = "Level";
    if (is("option-reserved")) options[0].name = "plugin";
    if (is("option-twice")) options[1].name = "level";
    if (is("option-summary")) options[0].summary = NULL;
    if (is("option-default")) options[0].standard = 3;
    if (is("option-nan")) options[0].standard = (double)NAN;
    if (is("option-choice")) options[1].standard = 2;
    if (is("option-no-choices")) choices[0] = NULL;
    if (is("option-count")) bad_solver.option_count = 1000000;
    if (is("option-size")) bad_solver.option_size = 8;
    if (is("option-wild")) bad_solver.options = (void *)(uintptr_t)16;
}

const ncpbench_plugin *ncpbench_plugin_entry(uint32_t host_abi) {
    (void)host_abi;
    die_at("entry");
    lie_about_options();
    if (is("null")) return NULL;
    if (is("wild")) return (void *)(uintptr_t)16;
    if (is("abi")) plugin.abi = 999;
    if (is("plugin-size")) plugin.size = 8;
    if (is("no-list")) plugin.classes = NULL;
    if (is("empty-list")) classes[0] = NULL;
    if (is("endless-list"))
        for (int i = 0; i < 64; i++) classes[i] = &bad_solver;
    if (is("crowd")) /* more than there is room for, each with a name of its own */
        for (int i = 0; i < 20; i++) {
            static ncpbench_class crowd[20];
            static char names[20][16];
            crowd[i] = bad_precond;
            snprintf(names[i], sizeof names[i], "crowd-%d", i);
            crowd[i].name = names[i];
            classes[i] = &crowd[i];
        }
    if (is("class-size")) bad_solver.size = 4;
    if (is("class-huge")) bad_solver.size = 0x7fffffff;
    if (is("no-name")) bad_solver.name = NULL;
    if (is("name")) bad_solver.name = "Bad Solver\n";
    if (is("name-taken")) bad_solver.name = "pcr";
    if (is("name-twice")) classes[2] = &bad_precond;
    if (is("precond-taken")) bad_precond.name = "jacobi";
    if (is("name-wild")) bad_solver.name = (const char *)(uintptr_t)16;
    if (is("summary")) bad_solver.summary = "two\nlines";
    if (is("flags")) bad_solver.flags = 0x100;
    if (is("no-functions")) bad_solver.solver_f64 = NULL;
    if (is("both-kinds")) bad_solver.precond_f64 = &precond;
    if (is("no-solve")) solver.solve = NULL;
    if (is("no-apply")) precond.apply = NULL;
    if (is("functions-size")) solver.size = 12;
    if (is("method-taken")) bad_method.name = "newton";
    if (is("method-and-solver")) bad_method.solver_f64 = &solver;
    if (is("no-method-solve")) method.solve = NULL;
    if (is("method-size")) method.size = 16;
    if (is("method-count")) method.iterations = -1;
    if (is("older")) { /* of minor version 0, which knew no methods */
        bad_solver.size = offsetof(ncpbench_class, method_f64);
        bad_solver.method_f64 = (void *)(uintptr_t)16;
        classes[2] = NULL;
    }
    /* right, and unusual: the structures of a newer header, which are longer */
    static struct {
        ncpbench_class type;
        char more[64];
    } newer;
    if (is("newer")) {
        newer.type = bad_solver;
        newer.type.size = sizeof newer;
        classes[0] = &newer.type;
        plugin.size += 64;
    }
    return &plugin;
}
