#include "run/heed.h"

#include <string.h>

#include "registry.h"

NB_PRECISIONS(f64);

static char plain(char c) {
    return c == '-' ? '_' : c;
}

/* "linear-iterations" is "linear_iterations" */
static int is(const char *name, const char *attribute) {
    while (*name && plain(*name) == *attribute) name++, attribute++;
    return *name == *attribute;
}

static int is_one_of(const char *name, const char *const *attributes) {
    while (*attributes && !is(name, *attributes)) attributes++;
    return *attributes != NULL;
}

static int is_of_preconditioner(const char *name) {
    return is(name, "preconditioner") || is(name, "preconditioner_option") || strncmp(name, "preconditioner.", 15) == 0;
}

static const nb_linear_solver_class *solver_of(const nb_run_info *info) {
    const nb_linear_solver_class *solver;
    for (int i = 0; (solver = nb_linear_solver_at(i)) != NULL; i++)
        if (strcmp(solver->name, info->linear_solver) == 0) return solver;
    return NULL;
}

/* a direct solver does not iterate; with "none" the method brings its own */
static const char *deaf_solver(const nb_run_info *info, const char *name) {
    static const char *const iterating[] = {"linear_iterations", "linear_tolerance", NULL};
    int preconditioner = is_of_preconditioner(name);
    if (!preconditioner && !is_one_of(name, iterating)) return NULL;
    if (strcmp(info->linear_solver, "none") == 0) return info->method;
    const nb_linear_solver_class *solver = solver_of(info);
    if (!solver || (preconditioner ? solver->takes_preconditioner : !solver->direct)) return NULL;
    return info->linear_solver;
}

/* the Newton method's own, which resolve.c refuses of others */
static const char *const of_newton[] = {"ncp",    "scaling",        "form",    "row_scaling", "line_search",
                                        "finish", "regularization", "damping", "islands",     "regularization_kind",
                                        NULL};

const char *nb_info_deaf(const nb_run_info *info, const char *name) {
    if (strcmp(info->method, "newton") != 0 && is_one_of(name, of_newton)) return info->method;
    if (is(name, "regularization_kind") && info->regularization == 0) return "regularization 0";
    /* which chooses the length itself */
    if (is(name, "damping") && strcmp(info->line_search, "backtracking") == 0) return "line-search backtracking";
    if (is(name, "batch_perturbation") && info->batch <= 1) return "batch 1";
    return deaf_solver(info, name);
}

int nb_info_heeds(const nb_run_info *info, const char *name) {
    return nb_info_deaf(info, name) == NULL;
}

const char *nb_request_deaf(const nb_request *request, const char *name) {
    static const char *const iterating[] = {"newton_iterations", "newton_tolerance", NULL};
    if (!request->linear) return nb_info_deaf(&request->info, name);
    if (is_one_of(name, of_newton) || is_one_of(name, iterating)) return "a linear system";
    return deaf_solver(&request->info, name);
}

int nb_request_heeds(const nb_request *request, const char *name) {
    return nb_request_deaf(request, name) == NULL;
}
