#include <petscsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petsc/parts.h"

enum {
    MOST_SETS = 64
};

/* the option sets of --petsc; those from `fresh` on were taken last */
const char *nb_petsc_sets[MOST_SETS + 1] = {"-ksp_type cg -pc_type jacobi", NULL};
static int set_count = 1, fresh = 1;

/* ---- words ---- */

/* the option's name where it is the harness's to set, or prints */
static const char *find_reserved(const char *set) {
    static const struct {
        const char *start, *use;
    } reserved[] = {{"-ksp_rtol", "--linear-tolerance"},
                    {"-ksp_atol", "--linear-tolerance"},
                    {"-ksp_max_it", "--linear-iterations"},
                    {"-ksp_convergence_test", "--linear-tolerance"},
                    {"-ksp_monitor", "--linear-history"},
                    {"-ksp_initial_guess_nonzero", "nothing: a solve begins at 0"},
                    {"-ksp_view", "nothing: the record has it"},
                    {"-log_", "nothing: ncpbench measures"},
                    {"-options_", "nothing: the record has them"},
                    {"-help", "PETSc's manual"},
                    {"-info", "nothing"}};
    for (const char *word = set; word; word = strchr(word, ' ')) {
        word += *word == ' ';
        for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
            if (strncmp(word, reserved[i].start, strlen(reserved[i].start)) == 0) {
                snprintf(nb_petsc_fault, sizeof nb_petsc_fault, "--petsc does not support '%.*s'; use %s",
                         (int)strcspn(word, " "), word, reserved[i].use);
                return nb_petsc_fault;
            }
    }
    return NULL;
}

/* the first word that PETSc would pass over, such as pc_type without its '-', or prints */
static const char *find_stray(const char *set) {
    int follows_option = 0;
    for (const char *word = set; *word; word += *word == ' ') {
        const int length = (int)strcspn(word, " ");
        if ((*word != '-' && !follows_option) || (*word == '-' && length == 1)) {
            snprintf(nb_petsc_fault, sizeof nb_petsc_fault,
                     "--petsc '%.120s': '%.*s' is neither an option (-NAME) nor the value of one", set,
                     length < 60 ? length : 60, word);
            return nb_petsc_fault;
        }
        follows_option = *word == '-';
        word += length;
    }
    return NULL;
}

static int is_known(const char *set) {
    for (int i = 0; i < set_count; i++)
        if (strcmp(nb_petsc_sets[i], set) == 0) return 1;
    return 0;
}

const char *nb_petsc_take(int32_t count, const char *const *words) {
    fresh = set_count;
    for (int32_t i = 0; i < count; i++) {
        const char *text = find_reserved(words[i]);
        if (!text) text = find_stray(words[i]);
        if (text) return text;
        if (is_known(words[i])) continue;
        if (set_count == MOST_SETS) return "--petsc: more than 63 option sets";
        nb_petsc_sets[set_count++] = words[i];
        nb_petsc_sets[set_count] = NULL;
    }
    return NULL;
}

/* ---- their trial ---- */

/* A Laplacian of a grid, three equal copies with their rows side by side, so that multigrid has several levels. */
enum {
    SIDE = 20,
    BLOCKS = SIDE * SIDE,
    ROWS = 3 * BLOCKS,
    MOST_ENTRIES = 5 * ROWS
};

typedef struct grid {
    ncpbench_system_f64 system;
    ncpbench_matrix_f64 matrix;
    int64_t start[ROWS + 1];
    int32_t column[MOST_ENTRIES], block[BLOCKS + 1];
    double value[MOST_ENTRIES], b[ROWS];
} grid;

static void grid_apply(void *host, const double *x, double *y) {
    const grid *g = host;
    for (int32_t i = 0; i < ROWS; i++) {
        y[i] = 0;
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) y[i] += g->value[e] * x[g->column[e]];
    }
}

static void grid_diagonal(void *host, double *diagonal) {
    (void)host;
    for (int32_t i = 0; i < ROWS; i++) diagonal[i] = 4.1;
}

static const char *grid_matrix(void *host, ncpbench_matrix_f64 *matrix) {
    *matrix = ((grid *)host)->matrix;
    return NULL;
}

static void make_grid(grid *g) {
    int64_t entries = 0;
    for (int32_t i = 0; i <= BLOCKS; i++) g->block[i] = 3 * i;
    for (int32_t row = 0; row < ROWS; row++) {
        const int32_t block = row / 3, places[] = {block - SIDE, block - 1, block, block + 1, block + SIDE};
        for (int k = 0; k < 5; k++) {
            const int32_t other = places[k];
            if (other < 0 || other >= BLOCKS || ((k == 1 || k == 3) && other / SIDE != block / SIDE)) continue;
            g->column[entries] = 3 * other + row % 3;
            g->value[entries++] = k == 2 ? 4.1 : -1;
        }
        g->start[row + 1] = entries;
        g->b[row] = 1 + row % 7;
    }
    g->matrix = (ncpbench_matrix_f64){ROWS, 0, g->start, g->column, g->value};
    g->system = (ncpbench_system_f64){.size = sizeof g->system,
                                      .rows = ROWS,
                                      .host = g,
                                      .apply = grid_apply,
                                      .diagonal = grid_diagonal,
                                      .matrix = grid_matrix,
                                      .b = g->b,
                                      .block_count = BLOCKS,
                                      .block_start = g->block};
}

/* the options of the set that PETSc did not use, or NULL */
static const char *find_unused(const char *set) {
    PetscInt count = 0;
    char **names = NULL, **values = NULL;
    TRY(PetscOptionsLeftGet(NULL, &count, &names, &values));
    /* those of the command line with which PETSc was started */
    if (count > 0)
        snprintf(nb_petsc_fault, sizeof nb_petsc_fault, "--petsc '%.120s': PETSc does not use -%.60s", set, names[0]);
    (void)PetscOptionsLeftRestore(NULL, &count, &names, &values);
    return *nb_petsc_fault ? nb_petsc_fault : NULL;
}

static const char *try_set(int set, grid *g) {
    static double x[ROWS];
    const double values[] = {set};
    void *own = NULL;
    ncpbench_outcome outcome = {.size = sizeof outcome};
    const ncpbench_request_f64 request = {.size = sizeof request, .iterations = 5, .tolerance = 1e-3};
    memset(x, 0, sizeof x);
    const char *text = nb_petsc_create(values, 64, &own);
    if (!text) text = nb_petsc_functions.set_up_pattern(own, &g->system);
    if (!text) text = nb_petsc_functions.set_up_values(own, &g->system, &outcome);
    if (!text && outcome.reason == NCPBENCH_NONE)
        text = nb_petsc_functions.solve(own, &g->system, &request, x, &outcome);
    if (text) {
        static char line[400];
        snprintf(line, sizeof line, "--petsc '%.120s': %s", nb_petsc_sets[set], text);
        return line;
    }
    text = find_unused(nb_petsc_sets[set]);
    nb_petsc_destroy(own);
    return text;
}

const char *nb_petsc_probe(void) {
    const char *text = NULL;
    grid *g = calloc(1, sizeof *g);
    if (!g) return "out of memory";
    make_grid(g);
    for (int i = fresh; i < set_count && !text; i++) text = try_set(i, g);
    free(g);
    return text;
}
