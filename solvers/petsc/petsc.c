/* PETSc's solvers as a plugin (ncpbench/plugin.h) that the program loads for `--linear-solver petsc` or `petsc-shell`.
 * It is an object of its own, because PETSc brings MPI and some 50 libraries into the process.
 *
 * `petsc` gives PETSc the entries of A in place (MatCreateSeqAIJWithArrays), `petsc-shell` the product alone. Vectors
 * are placed on the harness's own memory. Each option set of --petsc is a choice of the option `options`.
 *
 * A solve ends by the true residual ||b - A x||: where PETSc's own norm falls below its limit, the true one is
 * computed, and the limit is lowered where that is too large. */
#include "petsc/parts.h"

#include <math.h>
#include <petscksp.h>
#include <petscpkg_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_STALLS = 5 /* checks of the true residual that find no smaller one: round-off */
};

#define ROUND_OFF 1e-14 /* of ||b||: where residuals are looked at first that are to be as small as can be */

char nb_petsc_fault[256];

static PetscErrorCode keep_fault(MPI_Comm communicator, int line, const char *function, const char *file,
                                 PetscErrorCode code, PetscErrorType type, const char *message, void *context) {
    (void)communicator, (void)line, (void)file, (void)context;
    if (type == PETSC_ERROR_INITIAL) {
        const int length = message ? (int)strcspn(message, "\n") : 0;
        snprintf(nb_petsc_fault, sizeof nb_petsc_fault, "PETSc: %.*s (%s)", length, message ? message : "", function);
    }
    return code;
}

typedef struct state {
    int shell;                           /* 1: the product alone */
    const char *set;                     /* its options */
    const ncpbench_system_f64 *system;   /* during a call */
    const ncpbench_request_f64 *request; /* during a solve */
    int32_t rows, block;                 /* rows of each block of A, where all are alike, else 1 */
    ncpbench_matrix_f64 entries;         /* as the system told them last */
    PetscInt *start;
    const int32_t *column;
    const double *value; /* that the matrix stands on; NULL: none is made */
    Mat matrix;
    Vec b, x, residual;
    KSP solver;
    int normless, exact_norm;   /* the solver has no residual of its own; has the true one */
    double limit;               /* on PETSc's norm: below it the true residual is computed */
    double norm_b, least, mark; /* least true residual that was found; PETSc's norm when that or a stall was seen */
    int stalls;                 /* checks that found none smaller */
    int32_t shown;              /* the last iteration that the monitor heard of; -1: none */
    double reductions;          /* of a solve on several processes */
    char *description;
    size_t description_size;
} state;

/* ---- PETSc itself ---- */

/* Nothing but itself is to be reached, also where mpirun started the program, and nothing has to be left in the folder
 * for temporary files. */
static void stand_alone(void) {
    static const char *const launchers[] = {"OMPI_", "PMIX_", "PMI_"};
    char name[256];
    for (int i = 0; environ && environ[i];) {
        int launched = 0;
        for (int k = 0; k < 3; k++) launched |= strncmp(environ[i], launchers[k], strlen(launchers[k])) == 0;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
        if (!launched || unsetenv(name) != 0) i++; /* else the next one is here now */
    }
    setenv("OMPI_MCA_btl", "self", 1);
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
    setenv("OMPI_MCA_orte_create_session_dirs", "0", 1);
}

/* no signal handler, no ~/.petscrc, no PETSC_OPTIONS */
const char *nb_petsc_start(int together) {
    static char *words[] = {"ncpbench", "-no_signal_handler", "-skip_petscrc", NULL}, **argv = words;
    static int argc = 3;
    PetscBool done = PETSC_FALSE;
    if (PetscInitialized(&done) == 0 && done) return NULL;
    unsetenv("PETSC_OPTIONS");
    if (!together) stand_alone();
    if (PetscInitialize(&argc, &argv, NULL, NULL)) return "PETSc does not start";
    if (PetscPushErrorHandler(keep_fault, NULL)) return "PETSc takes no handler of faults";
    return NULL;
}

/* ---- the state ---- */

static void forget(state *s) {
    KSPDestroy(&s->solver);
    MatDestroy(&s->matrix);
    VecDestroy(&s->b);
    VecDestroy(&s->x);
    VecDestroy(&s->residual);
    free(s->start);
    s->start = NULL;
    s->value = NULL;
}

void nb_petsc_destroy(void *own) {
    state *s = own;
    if (!s) return;
    forget(s);
    free(s->description);
    free(s);
}

static const char *create(int shell, const double *values, void **own) {
    const char *text = nb_petsc_start(0);
    if (text) return text;
    const char *set = nb_petsc_sets[(int)values[0]];
    TRY(PetscOptionsClear(NULL));
    TRY(PetscOptionsInsertString(NULL, set));
    state *s = calloc(1, sizeof *s);
    if (!s) return "out of memory";
    s->shell = shell;
    s->set = set;
    *own = s;
    return NULL;
}

const char *nb_petsc_create(const double *values, int32_t precision, void **own) {
    (void)precision;
    return create(0, values, own);
}

const char *nb_petsc_create_shell(const double *values, int32_t precision, void **own) {
    (void)precision;
    nb_petsc_tell_create((int)values[0]);
    return create(1, values, own);
}

static void destroy_shell(void *own) {
    nb_petsc_tell_destroy();
    nb_petsc_destroy(own);
}

static MPI_Comm communicator(void) {
    return nb_petsc_joined() ? PETSC_COMM_WORLD : PETSC_COMM_SELF;
}

/* ---- the operator ---- */

static PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
    state *s;
    const PetscScalar *from;
    PetscScalar *to;
    PetscCall(MatShellGetContext(matrix, &s));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArrayWrite(y, &to));
    s->system->apply(s->system->host, from, to);
    PetscCall(VecRestoreArrayWrite(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    return 0;
}

static PetscErrorCode take_diagonal(Mat matrix, Vec diagonal) {
    state *s;
    PetscScalar *to;
    PetscCall(MatShellGetContext(matrix, &s));
    PetscCall(VecGetArrayWrite(diagonal, &to));
    s->system->diagonal(s->system->host, to);
    PetscCall(VecRestoreArrayWrite(diagonal, &to));
    return 0;
}

/* rows of each block, where all blocks have as many, else 1 */
static int32_t common_block(const ncpbench_system_f64 *system) {
    const int32_t size = system->block_count > 0 ? system->block_start[1] - system->block_start[0] : 1;
    for (int32_t i = 1; i < system->block_count; i++)
        if (system->block_start[i + 1] - system->block_start[i] != size) return 1;
    return size;
}

static const char *make_shell(state *s) {
    TRY(MatCreateShell(communicator(), s->rows, s->rows, PETSC_DETERMINE, PETSC_DETERMINE, s, &s->matrix));
    TRY(MatShellSetOperation(s->matrix, MATOP_MULT, (void (*)(void))multiply));
    TRY(MatShellSetOperation(s->matrix, MATOP_MULT_TRANSPOSE, (void (*)(void))multiply));
    TRY(MatShellSetOperation(s->matrix, MATOP_GET_DIAGONAL, (void (*)(void))take_diagonal));
    return NULL;
}

/* on the harness's own columns and values; -mat_type baij or sbaij takes a copy by blocks */
static const char *make_matrix(state *s, const ncpbench_matrix_f64 *a) {
    char type[64];
    PetscBool other = PETSC_FALSE;
    s->start = malloc(((size_t)s->rows + 1) * sizeof *s->start);
    if (!s->start) return "out of memory";
    if (a->start[s->rows] > PETSC_MAX_INT) return "A has more entries than this PETSc can count";
    for (int32_t i = 0; i <= s->rows; i++) s->start[i] = (PetscInt)a->start[i];
    TRY(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, s->rows, s->rows, s->start, (PetscInt *)(uintptr_t)a->column,
                                  (PetscScalar *)(uintptr_t)a->value, &s->matrix));
    TRY(MatSetBlockSize(s->matrix, s->block));
    TRY(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof type, &other));
    if (other) {
        TRY(MatSetOption(s->matrix, MAT_SYMMETRIC, PETSC_TRUE));
        TRY(MatConvert(s->matrix, type, MAT_INPLACE_MATRIX, &s->matrix));
    }
    s->column = a->column;
    s->value = a->value;
    return NULL;
}

/* With -rigid_motions: the near-null space of A where all blocks are particles. On an aggregate, which lies in one
 * deformable body as a rule, the motions of all bodies together span what that body's own do. Not by themselves: with
 * them gamg's and hypre's coarse matrices can be singular (an aggregate of one particle has three motions, not six). */
static const char *tell_rigid_motions(state *s) {
    Vec at;
    MatNullSpace motions;
    PetscBool asked = PETSC_FALSE;
    TRY(PetscOptionsGetBool(NULL, NULL, "-rigid_motions", &asked, NULL));
    if (!asked || !s->system->position || s->block != 3) return NULL;
    TRY(VecCreateSeqWithArray(PETSC_COMM_SELF, 3, s->rows, s->system->position, &at));
    TRY(MatNullSpaceCreateRigidBody(at, &motions));
    TRY(MatSetNearNullSpace(s->matrix, motions));
    TRY(MatNullSpaceDestroy(&motions));
    TRY(VecDestroy(&at));
    return NULL;
}

static const char *tell_new_values(state *s) {
    TRY(MatAssemblyBegin(s->matrix, MAT_FINAL_ASSEMBLY));
    TRY(MatAssemblyEnd(s->matrix, MAT_FINAL_ASSEMBLY));
    return NULL;
}

static const char *make_operator(state *s) {
    ncpbench_matrix_f64 *a = &s->entries;
    PetscBool placed = PETSC_FALSE;
    const char *text = NULL;
    if (s->shell && s->matrix) return tell_new_values(s);
    if (s->shell)
        text = make_shell(s);
    else {
        text = s->system->matrix(s->system->host, a);
        if (text) return text;
        if (s->matrix) TRY(PetscObjectTypeCompare((PetscObject)s->matrix, MATSEQAIJ, &placed));
        if (placed && s->value == a->value && s->column == a->column) return tell_new_values(s);
        TRY(MatDestroy(&s->matrix));
        free(s->start);
        text = make_matrix(s, a);
    }
    if (text) return text;
    TRY(MatSetOption(s->matrix, MAT_SYMMETRIC, PETSC_TRUE));
    TRY(MatSetOption(s->matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    return tell_rigid_motions(s);
}

/* ---- set-up ---- */

static const char *set_up_pattern(void *own, const ncpbench_system_f64 *system) {
    state *s = own;
    forget(s);
    s->rows = system->rows;
    s->block = common_block(system);
    for (int k = 0; k < 2; k++)
        if (nb_petsc_joined())
            TRY(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, s->rows, PETSC_DETERMINE, NULL, k ? &s->x : &s->b));
        else
            TRY(VecCreateSeqWithArray(PETSC_COMM_SELF, s->block, s->rows, NULL, k ? &s->x : &s->b));
    TRY(VecCreateSeq(PETSC_COMM_SELF, s->rows, &s->residual));
    TRY(KSPCreate(communicator(), &s->solver));
    return NULL;
}

/* The next norm and side to try: PETSc's own number is the true residual's norm on the left side, or, of solvers of the
 * GMRES family, on the right. The others tell their iterate on the left side alone. KSPCR's unpreconditioned norm is
 * another one (PETSc 3.18: 0.798 for 0.0061). */
static int choose_norm(state *s, int attempt) {
    PetscBool cr = PETSC_FALSE, right = PETSC_FALSE;
    (void)PetscObjectTypeCompare((PetscObject)s->solver, KSPCR, &cr);
    (void)PetscObjectTypeCompareAny((PetscObject)s->solver, &right, KSPGMRES, KSPFGMRES, KSPLGMRES, KSPDGMRES,
                                    KSPPGMRES, KSPPIPEFGMRES, KSPGCR, KSPPIPEGCR, "");
    (void)KSPSetNormType(s->solver, attempt == 0 && !cr ? KSP_NORM_UNPRECONDITIONED : KSP_NORM_DEFAULT);
    (void)KSPSetPCSide(s->solver, attempt > 0 || cr ? PC_SIDE_DEFAULT : right ? PC_RIGHT : PC_LEFT);
    return attempt < (cr ? 1 : 2);
}

static const char *set_up_solver(state *s) {
    PetscBool chosen = PETSC_FALSE, sided = PETSC_FALSE;
    PetscErrorCode code = PETSC_ERR_SUP;
    TRY(PetscOptionsHasName(NULL, NULL, "-ksp_norm_type", &chosen));
    TRY(PetscOptionsHasName(NULL, NULL, "-ksp_pc_side", &sided));
    TRY(KSPSetFromOptions(s->solver));
    for (int attempt = 0; code == PETSC_ERR_SUP && (attempt == 0 || !(chosen || sided)); attempt++) {
        if (!chosen && !sided && !choose_norm(s, attempt)) break;
        *nb_petsc_fault = '\0';
        code = KSPSetUp(s->solver);
    }
    if (code) return *nb_petsc_fault ? nb_petsc_fault : "PETSc: an unknown fault";
    TRY(KSPSetUpOnBlocks(s->solver));
    return NULL;
}

#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)
#define VERSION(package)                         \
    TEXT_OF(PETSC_PKG_##package##_VERSION_MAJOR) \
    "." TEXT_OF(PETSC_PKG_##package##_VERSION_MINOR) "." TEXT_OF(PETSC_PKG_##package##_VERSION_SUBMINOR)

/* versions, and what the options came to */
static const char *describe(state *s) {
    PetscViewer viewer;
    PetscInt iterations;
    TRY(KSPGetIterationNumber(s->solver, &iterations));
    free(s->description);
    s->description = NULL;
    FILE *stream = open_memstream(&s->description, &s->description_size);
    if (!stream) return "out of memory";
    fprintf(stream, "PETSc %d.%d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
#ifdef PETSC_HAVE_HYPRE
    fprintf(stream, ", hypre %s", VERSION(HYPRE));
#endif
#ifdef PETSC_HAVE_MUMPS
    fprintf(stream, ", MUMPS %s", VERSION(MUMPS));
#endif
    fprintf(stream, "\n");
    if (nb_petsc_joined())
        fprintf(stream, "%s; %.0f reductions in %d iterations\n", nb_petsc_ranks_about(), s->reductions,
                (int)iterations);
    fflush(stream);
    TRY(PetscViewerASCIIOpenWithFILE(communicator(), stream, &viewer));
    TRY(KSPView(s->solver, viewer));
    TRY(PetscViewerDestroy(&viewer));
    fclose(stream);
    return NULL;
}

/* what a factorisation broke down by */
static const char *find_breakdown(state *s, int32_t *reason) {
    PC preconditioner;
    PCFailedReason failed;
    PetscBool symmetric = PETSC_FALSE;
    TRY(KSPGetPC(s->solver, &preconditioner));
    TRY(PCGetFailedReason(preconditioner, &failed));
    if (failed == PC_NOERROR) return NULL;
    TRY(PetscObjectTypeCompareAny((PetscObject)preconditioner, &symmetric, PCCHOLESKY, PCICC, ""));
    *reason = symmetric ? NCPBENCH_NOT_POSITIVE : NCPBENCH_SINGULAR;
    return NULL;
}

static const char *set_up_values(void *own, const ncpbench_system_f64 *system, ncpbench_outcome *outcome) {
    state *s = own;
    s->system = system;
    const char *text = make_operator(s);
    if (text) return text;
    TRY(KSPSetOperators(s->solver, s->matrix, s->matrix));
    text = set_up_solver(s);
    if (!text) text = find_breakdown(s, &outcome->reason);
    return text;
}

/* ---- solving ---- */

static PetscErrorCode true_residual(state *s, Vec iterate, double *norm) {
    const PetscScalar *x;
    PetscScalar *r;
    double sum = 0;
    PetscCall(VecGetArrayRead(iterate, &x));
    PetscCall(VecGetArrayWrite(s->residual, &r));
    s->system->apply(s->system->host, x, r);
    for (int32_t i = 0; i < s->rows; i++) sum += (s->system->b[i] - r[i]) * (s->system->b[i] - r[i]);
    PetscCall(VecRestoreArrayWrite(s->residual, &r));
    PetscCall(VecRestoreArrayRead(iterate, &x));
    *norm = sqrt(nb_petsc_sum(sum));
    return 0;
}

/* Where the true residual is computed next, on PETSc's norm: where that should be near the one wanted. Another norm is
 * followed by the true one's ratio to it, which drifts: once in a decade, and in each iteration near the end. */
static double next_limit(const state *s, double norm, double found, double wanted) {
    if (!s->exact_norm && found < 2 * wanted) return INFINITY;
    if (wanted == 0 || s->stalls > 0) return 0.5 * norm;
    return norm * (s->exact_norm ? fmin(wanted / found, 0.9) : fmax(2 * wanted / found, 0.1));
}

static PetscErrorCode test_convergence(KSP solver, PetscInt iteration, PetscReal norm, KSPConvergedReason *reason,
                                       void *context) {
    state *s = context;
    const double wanted = s->request->tolerance * s->norm_b;
    double found;
    Vec iterate;
    *reason = KSP_CONVERGED_ITERATING;
    if (s->normless) return 0;
    if (iteration == 0) {
        s->mark = norm;
        s->limit = wanted > 0 ? next_limit(s, norm, s->norm_b, wanted) : ROUND_OFF * norm;
    }
    if (!isfinite(norm)) *reason = KSP_DIVERGED_NANORINF;
    if (!(norm <= s->limit) || *reason) return 0;
    PetscCall(KSPBuildSolution(solver, NULL, &iterate));
    PetscCall(true_residual(s, iterate, &found));
    if (found < 0.9 * s->least) {
        s->least = found;
        s->stalls = 0;
        s->mark = norm;
    } else if (norm <= 0.5 * s->mark) {
        s->stalls++;
        s->mark = norm;
    }
    if (found <= wanted || s->stalls > MOST_STALLS || norm == 0)
        *reason = KSP_CONVERGED_RTOL;
    else
        s->limit = next_limit(s, norm, found, wanted);
    return 0;
}

static PetscErrorCode tell(state *s, int32_t iteration, Vec iterate) {
    const PetscScalar *x;
    PetscCall(VecGetArrayRead(iterate, &x));
    s->request->monitor(s->request->host, iteration, x);
    PetscCall(VecRestoreArrayRead(iterate, &x));
    s->shown = iteration;
    return 0;
}

/* the start, x = 0, which not all solvers tell of */
static PetscErrorCode tell_start(state *s) {
    PetscCall(VecZeroEntries(s->residual));
    return tell(s, 0, s->residual);
}

static PetscErrorCode show(KSP solver, PetscInt iteration, PetscReal norm, void *context) {
    state *s = context;
    Vec iterate;
    if (iteration <= s->shown) return 0; /* a restart tells an iteration twice */
    if (iteration > 0 && s->shown < 0) PetscCall(tell_start(s));
    if (!s->normless) s->request->own_norm(s->request->host, norm);
    if (iteration == 0) return tell_start(s);
    PetscCall(KSPBuildSolution(solver, NULL, &iterate));
    return tell(s, (int32_t)iteration, iterate);
}

/* the reason, by the true residual of the solution */
static const char *conclude(state *s, ncpbench_outcome *outcome) {
    KSPConvergedReason reason;
    PetscInt iterations;
    PC preconditioner;
    PetscBool factor = PETSC_FALSE, alone = PETSC_FALSE;
    double found;
    TRY(KSPGetConvergedReason(s->solver, &reason));
    TRY(KSPGetIterationNumber(s->solver, &iterations));
    TRY(KSPGetPC(s->solver, &preconditioner));
    TRY(PetscObjectTypeCompareAny((PetscObject)preconditioner, &factor, PCLU, PCCHOLESKY, ""));
    TRY(PetscObjectTypeCompare((PetscObject)s->solver, KSPPREONLY, &alone));
    outcome->iterations = (int32_t)iterations;
    outcome->reason = reason == KSP_DIVERGED_ITS                                       ? NCPBENCH_ITERATIONS
                      : reason == KSP_DIVERGED_DTOL || reason == KSP_DIVERGED_NANORINF ? NCPBENCH_DIVERGED
                      : reason == KSP_DIVERGED_INDEFINITE_PC || reason == KSP_DIVERGED_INDEFINITE_MAT
                          ? NCPBENCH_INDEFINITE
                      : reason < 0              ? NCPBENCH_BREAKDOWN
                      : s->stalls > MOST_STALLS ? NCPBENCH_ROUND_OFF
                                                : NCPBENCH_ITERATIONS;
    if (reason == KSP_DIVERGED_PC_FAILED) return find_breakdown(s, &outcome->reason);
    if (outcome->reason == NCPBENCH_DIVERGED) return NULL;
    TRY(true_residual(s, s->x, &found));
    if (!isfinite(found)) outcome->reason = NCPBENCH_DIVERGED;
    if (found <= s->request->tolerance * s->norm_b) outcome->reason = NCPBENCH_CONVERGED;
    if (factor && alone) outcome->reason = NCPBENCH_EXACT;
    return NULL;
}

static const char *solve(void *own, const ncpbench_system_f64 *system, const ncpbench_request_f64 *request, double *x,
                         ncpbench_outcome *outcome) {
    state *s = own;
    KSPNormType norm;
    double sum = 0;
    s->system = system;
    s->request = request;
    s->stalls = 0;
    s->shown = -1;
    for (int32_t i = 0; i < s->rows; i++) sum += system->b[i] * system->b[i];
    s->norm_b = s->least = sqrt(nb_petsc_sum(sum));
    if (s->norm_b == 0) {
        outcome->reason = NCPBENCH_CONVERGED;
        return NULL;
    }
    TRY(VecPlaceArray(s->b, system->b));
    TRY(VecPlaceArray(s->x, x));
    TRY(KSPGetNormType(s->solver, &norm));
    s->normless = norm == KSP_NORM_NONE;
    s->exact_norm = norm == KSP_NORM_UNPRECONDITIONED;
    TRY(KSPSetTolerances(s->solver, 0, 0, PETSC_DEFAULT, request->iterations));
    TRY(KSPSetConvergenceTest(s->solver, test_convergence, s, NULL));
    TRY(KSPMonitorCancel(s->solver));
    if (request->monitor) TRY(KSPMonitorSet(s->solver, show, s, NULL));
    s->reductions = -petsc_allreduce_ct;
    TRY(KSPSolve(s->solver, s->b, s->x));
    s->reductions += petsc_allreduce_ct;
    const char *text = conclude(s, outcome);
    /* KSPPREONLY tells no monitor of what it did */
    if (request->monitor && s->shown < 0) TRY(tell_start(s));
    if (request->monitor && s->shown < outcome->iterations) TRY(tell(s, outcome->iterations, s->x));
    TRY(VecResetArray(s->b));
    TRY(VecResetArray(s->x));
    if (!text && !s->description) text = describe(s);
    outcome->description = s->description;
    return text;
}

/* ---- what it holds ---- */

static const ncpbench_option options[] = {
    {.name = "options", .summary = "option set of --petsc", .choices = nb_petsc_sets}};

const ncpbench_solver_f64 nb_petsc_functions = {.size = sizeof nb_petsc_functions,
                                                .set_up_pattern = set_up_pattern,
                                                .set_up_values = set_up_values,
                                                .solve = solve};

static const ncpbench_class entries_class = {
    .size = sizeof entries_class,
    .flags = NCPBENCH_NEEDS_ENTRIES,
    .name = "petsc",
    .summary = "a solver of PETSc on the entries of A; its option sets by --petsc",
    .options = options,
    .option_count = 1,
    .option_size = sizeof *options,
    .create = nb_petsc_create,
    .destroy = nb_petsc_destroy,
    .solver_f64 = &nb_petsc_functions,
};

static const ncpbench_class shell_class = {
    .size = sizeof shell_class,
    .name = "petsc-shell",
    .summary = "a solver of PETSc on the product A x alone; its option sets by --petsc",
    .options = options,
    .option_count = 1,
    .option_size = sizeof *options,
    .create = nb_petsc_create_shell,
    .destroy = destroy_shell,
    .solver_f64 = &nb_petsc_lead,
};

static const ncpbench_class *const classes[] = {&entries_class, &shell_class, NULL};

NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(uint32_t host_abi) {
    static const ncpbench_plugin plugin = {.abi = NCPBENCH_PLUGIN_ABI,
                                           .size = sizeof plugin,
                                           .classes = classes,
                                           .take = nb_petsc_take,
                                           .probe = nb_petsc_probe};
    (void)host_abi;
    return &plugin;
}
