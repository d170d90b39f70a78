/* A comparison with PETSc, built where PETSc is found: the Newton system of a scene solved by our matrix-free PCR with
 * the Jacobi preconditioner, and by PETSc's KSPCR with PCJACOBI on the assembled matrix of the same system.
 *
 *     petsc_pcr [SCENARIO [NAME=VALUE...]]       (without: a wall of about 10^4 contacts)
 *
 * Fails where the iterates differ; the times are printed, and nothing is asserted of them. Both run on one thread. */
#include <math.h>
#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "contact/contact.h"
#include "measure/measure.h"
#include "operator/solve.h"
#include "registry.h"
#include "run/blas.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

enum {
    COMPARED_NEWTON = 3, /* by then contacts are open, stuck and sliding */
    FEW = 10,            /* iterations; times are differences, so that what is done once a solve does not count */
    MANY = 210,
    REPETITIONS = 9
};

/* Krylov recurrences amplify round-off as they go on; 20 iterations stay far below this */
static const double largest_difference = 1e-8;
static const int counts[] = {1, 2, 5, 10, 20};

static PetscErrorCode petsc_fault(PetscErrorCode code) {
    if (code) nb_fail(NB_ERROR_NUMERIC, "PETSc: error %d", (int)code);
    return code;
}

/* like NB_TRY, for calls of PETSc */
#define TRY_PETSC(call)                \
    do {                               \
        if (petsc_fault(call)) {       \
            status = NB_ERROR_NUMERIC; \
            goto out;                  \
        }                              \
    } while (0)

typedef struct theirs {
    PetscInt *start;
    Mat matrix;
    Vec b, x;
    KSP solver;
} theirs;

typedef struct comparison {
    int done, differs;
} comparison;

static nb_status theirs_create(const nb_csr *a, const real *b, theirs *t) {
    nb_status status;
    PC jacobi;
    NB_TRY(NB_ALLOCATE(a->rows + 1, &t->start));
    for (int32_t i = 0; i <= a->rows; i++) t->start[i] = (PetscInt)a->start[i];
    TRY_PETSC(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, a->rows, a->rows, t->start, a->column, a->value, &t->matrix));
    TRY_PETSC(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, a->rows, b, &t->b));
    TRY_PETSC(VecDuplicate(t->b, &t->x));
    TRY_PETSC(KSPCreate(PETSC_COMM_SELF, &t->solver));
    TRY_PETSC(KSPSetOperators(t->solver, t->matrix, t->matrix));
    TRY_PETSC(KSPSetType(t->solver, KSPCR));
    TRY_PETSC(KSPSetNormType(t->solver, KSP_NORM_NONE)); /* the least work: exactly so many iterations */
    TRY_PETSC(KSPGetPC(t->solver, &jacobi));
    TRY_PETSC(PCSetType(jacobi, PCJACOBI));
    TRY_PETSC(KSPSetUp(t->solver));
out:
    return status;
}

static void theirs_destroy(theirs *t) {
    KSPDestroy(&t->solver);
    VecDestroy(&t->x);
    VecDestroy(&t->b);
    MatDestroy(&t->matrix);
    nb_free(t->start);
}

static nb_status theirs_solve(theirs *t, int iterations, double *seconds) {
    nb_status status = NB_OK;
    TRY_PETSC(KSPSetTolerances(t->solver, 0, 0, PETSC_DEFAULT, iterations));
    double start = nb_clock_seconds();
    TRY_PETSC(KSPSolve(t->solver, t->b, t->x));
    *seconds = nb_clock_seconds() - start;
out:
    return status;
}

static nb_status ours_solve(nb_solve *solve, nb_system *system, int iterations, real *x, double *seconds) {
    nb_solve_report report;
    nb_status status = nb_solve_run(solve, system, &(nb_linear_stop){.iterations = iterations, .tolerance = 0}, NULL,
                                    NULL, x, &report);
    if (status == NB_OK && report.iterations != iterations)
        status = nb_fail(NB_ERROR_NUMERIC, "our PCR stopped after %d of %d iterations: %s", (int)report.iterations,
                         iterations, nb_reason_name(report.reason));
    *seconds = report.solve_s;
    return status;
}

static nb_status ours_create(nb_solve **solve) {
    nb_status status;
    const nb_linear_solver_class *pcr;
    const nb_preconditioner_class *jacobi;
    double pcr_values[NB_MAX_OPTIONS], jacobi_values[NB_MAX_OPTIONS];
    NB_TRY(nb_linear_solver_find("pcr", &pcr));
    NB_TRY(nb_preconditioner_find("jacobi", &jacobi));
    nb_options_standard(pcr->options, pcr->option_count, pcr_values);
    nb_options_standard(jacobi->options, jacobi->option_count, jacobi_values);
    NB_TRY(nb_solve_create(pcr, pcr_values, jacobi, jacobi_values, solve));
out:
    return status;
}

static nb_status compare_iterates(nb_solve *solve, nb_system *system, theirs *t, real *x, int *differs) {
    nb_status status = NB_OK;
    double seconds;
    printf("iteration   |ours - theirs| / |theirs|\n");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const PetscScalar *y;
        double sum = 0, difference = 0;
        NB_TRY(ours_solve(solve, system, counts[i], x, &seconds));
        NB_TRY(theirs_solve(t, counts[i], &seconds));
        TRY_PETSC(VecGetArrayRead(t->x, &y));
        for (int32_t r = 0; r < system->rows; r++) {
            sum += y[r] * y[r];
            difference += (x[r] - y[r]) * (x[r] - y[r]);
        }
        TRY_PETSC(VecRestoreArrayRead(t->x, &y));
        double relative = sqrt(difference / sum);
        printf("%9d   %.1e\n", counts[i], relative);
        if (!(relative <= largest_difference)) *differs = 1;
    }
out:
    return status;
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *name, double *times, int32_t contacts) {
    double scale = 1e9 / ((MANY - FEW) * (double)contacts);
    qsort(times, REPETITIONS, sizeof *times, compare_numbers);
    printf("%-42s %8.2f   %8.2f to %.2f\n", name, scale * times[REPETITIONS / 2], scale * times[0],
           scale * times[REPETITIONS - 1]);
}

/* times of MANY less those of FEW iterations, the two solvers in turn */
static nb_status compare_times(nb_solve *solve, nb_system *system, theirs *t, real *x, int32_t contacts) {
    nb_status status = NB_OK;
    double ours[REPETITIONS], petsc[REPETITIONS], few, many;
    for (int i = -1; i < REPETITIONS; i++) { /* the first round warms up */
        NB_TRY(ours_solve(solve, system, FEW, x, &few));
        NB_TRY(ours_solve(solve, system, MANY, x, &many));
        if (i >= 0) ours[i] = many - few;
        NB_TRY(theirs_solve(t, FEW, &few));
        NB_TRY(theirs_solve(t, MANY, &many));
        if (i >= 0) petsc[i] = many - few;
    }
    printf("\nns a contact and iteration                   median   least to most of %d\n", REPETITIONS);
    print_times("ours: pcr, jacobi, matrix-free", ours, contacts);
    print_times("PETSc: KSPCR, PCJACOBI, AIJ", petsc, contacts);
    printf("ratio of the medians                       %8.2f\n", petsc[REPETITIONS / 2] / ours[REPETITIONS / 2]);
out:
    return status;
}

/* hears the Newton systems of the step; compares on one of them */
static nb_status compare(void *context, int32_t newton, void *system_of_iteration, const void *problem) {
    comparison *c = context;
    nb_status status = NB_OK;
    nb_system *system = (nb_system *)(uintptr_t)system_of_iteration; /* its entries are made on demand */
    const nb_csr *a;
    nb_solve *solve = NULL;
    theirs t = {0};
    real *x = NULL;
    if (newton != COMPARED_NEWTON) return NB_OK;
    int32_t contacts = ((const nb_problem *)problem)->contacts;
    NB_TRY(nb_system_matrix(system, &a));
    printf("%d contacts, %d rows, %lld entries\n\n", (int)contacts, (int)system->rows, (long long)a->start[a->rows]);
    NB_TRY(NB_ALLOCATE(system->rows, &x));
    NB_TRY(ours_create(&solve));
    NB_TRY(theirs_create(a, system->b, &t));
    NB_TRY(compare_iterates(solve, system, &t, x, &c->differs));
    NB_TRY(compare_times(solve, system, &t, x, contacts));
    c->done = 1;
out:
    theirs_destroy(&t);
    nb_solve_destroy(solve);
    nb_free(x);
    return status;
}

/* the words of the command line: a scenario and its parameters */
static nb_status read_words(int argc, char **argv, nb_request *request) {
    static char *large_wall[] = {"", "wall", "width=30", "height=30"};
    if (argc < 2) {
        argc = 4;
        argv = large_wall;
    }
    nb_request_standard(request);
    request->info.newton_iterations = COMPARED_NEWTON + 1;
    snprintf(request->info.scenario, sizeof request->info.scenario, "%s", argv[1]);
    printf("%s", argv[1]);
    for (int i = 2; i < argc && request->setting_count < NB_MAX_SETTINGS; i++) {
        nb_setting *setting = &request->settings[request->setting_count++];
        const char *equals = strchr(argv[i], '=');
        if (!equals) return nb_fail(NB_ERROR_USAGE, "'%s' is not NAME=VALUE", argv[i]);
        snprintf(setting->name, sizeof setting->name, "%.*s", (int)(equals - argv[i]), argv[i]);
        snprintf(setting->value, sizeof setting->value, "%s", equals + 1);
        printf(" %s", argv[i]);
    }
    printf(": ");
    return nb_simulate_prepare(request);
}

static nb_status run(int argc, char **argv, comparison *c) {
    nb_status status;
    nb_request request;
    nb_world *world = NULL;
    nb_contacts *contacts = NULL;
    nb_measure *measure = NULL;
    void *stepper = NULL;
    nb_step_outcome outcome;
    nb_step_counts step_counts;
    nb_observer observer = {.context = c, .system = compare};
    NB_TRY(read_words(argc, argv, &request));
    const nb_choices *choices = &request.choices;
    nb_method_settings settings = nb_request_settings(&request);
    double h = request.info.time_step;
    NB_TRY(choices->scenario->build(choices->parameters, request.info.seed, &world));
    NB_TRY(nb_contacts_create(&contacts));
    NB_TRY(nb_contacts_detect(world, h, contacts));
    NB_TRY(nb_measure_create(&measure));
    NB_TRY(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_UPDATED));
    NB_TRY(nb_stepper_f64.create("newton", &settings, &stepper));
    NB_TRY(nb_stepper_f64.begin(stepper, world, contacts, h, NB_GEOMETRY_UPDATED));
    NB_TRY(nb_stepper_f64.step(stepper, world, contacts, h, 0, measure, &observer, &outcome, &step_counts, NULL));
out:
    if (stepper) nb_stepper_f64.destroy(stepper);
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
    nb_free(request.info.parameters);
    return status;
}

int main(int argc, char **argv) {
    nb_blas_restart(argv);
    nb_blas_set_threads(1);
    if (PetscInitializeNoArguments()) return 77;
    comparison c = {0};
    nb_status status = run(argc, argv, &c);
    fflush(stdout);
    if (status != NB_OK) fprintf(stderr, "petsc_pcr: %s\n", nb_error_message());
    if (c.differs) fprintf(stderr, "petsc_pcr: the iterates differ by more than %g\n", largest_difference);
    PetscFinalize();
    return status != NB_OK || !c.done || c.differs;
}
