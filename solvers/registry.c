#include "registry.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

NB_PRECISIONS(f32, f64);

/* what was added to the tables while the program runs */
static const nb_linear_solver_class *added_solvers[NB_REGISTRY_MOST_ADDED];
static const nb_preconditioner_class *added_preconditioners[NB_REGISTRY_MOST_ADDED];
static const nb_method_class *added_methods[NB_REGISTRY_MOST_ADDED];
static int added_solver_count, added_preconditioner_count, added_method_count;

void nb_linear_solver_add(const nb_linear_solver_class *solver) {
    if (added_solver_count < NB_REGISTRY_MOST_ADDED) added_solvers[added_solver_count++] = solver;
}

void nb_preconditioner_add(const nb_preconditioner_class *preconditioner) {
    if (added_preconditioner_count < NB_REGISTRY_MOST_ADDED)
        added_preconditioners[added_preconditioner_count++] = preconditioner;
}

void nb_method_add(const nb_method_class *method) {
    if (added_method_count < NB_REGISTRY_MOST_ADDED) added_methods[added_method_count++] = method;
}

static int length(const void *const *table) {
    int count = 0;
    while (table[count]) count++;
    return count;
}

const nb_linear_solver_class *nb_linear_solver_at(int i) {
    int built_in = length((const void *const *)nb_linear_solvers);
    if (i < built_in) return nb_linear_solvers[i];
    return i - built_in < added_solver_count ? added_solvers[i - built_in] : NULL;
}

const nb_preconditioner_class *nb_preconditioner_at(int i) {
    int built_in = length((const void *const *)nb_preconditioners);
    if (i < built_in) return nb_preconditioners[i];
    return i - built_in < added_preconditioner_count ? added_preconditioners[i - built_in] : NULL;
}

const nb_method_class *nb_method_at(int i) {
    int built_in = length((const void *const *)nb_methods);
    if (i < built_in) return nb_methods[i];
    return i - built_in < added_method_count ? added_methods[i - built_in] : NULL;
}

static const char *solver_name(const void *context, int i) {
    (void)context;
    return nb_linear_solver_at(i)->name;
}

static const char *preconditioner_name(const void *context, int i) {
    (void)context;
    return nb_preconditioner_at(i)->name;
}

static const char *method_name(const void *context, int i) {
    (void)context;
    return nb_method_at(i)->name;
}

/* the place of the name among the `count` that name_at gives */
static nb_status find(const char *kind, const char *name, int count, const char *(*name_at)(const void *context, int i),
                      int *place) {
    *place = nb_name_find(name, count, name_at, NULL);
    return *place < 0 ? nb_name_unknown(kind, name, count, name_at, NULL) : NB_OK;
}

nb_status nb_linear_solver_find(const char *name, const nb_linear_solver_class **solver) {
    int place, count = length((const void *const *)nb_linear_solvers) + added_solver_count;
    nb_status status = find("linear solver", name, count, solver_name, &place);
    if (status == NB_OK) *solver = nb_linear_solver_at(place);
    return status;
}

/* adds a name to a list of names */
static void append_name(char *names, size_t size, const char *name) {
    size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
}

void nb_linear_solver_names(int (*is)(const nb_linear_solver_class *), char *names, size_t size) {
    const nb_linear_solver_class *solver;
    *names = 0;
    for (int i = 0; (solver = nb_linear_solver_at(i)) != NULL; i++)
        if (is(solver)) append_name(names, size, solver->name);
}

void nb_preconditioner_names(int (*is)(const nb_preconditioner_class *), char *names, size_t size) {
    const nb_preconditioner_class *preconditioner;
    *names = 0;
    for (int i = 0; (preconditioner = nb_preconditioner_at(i)) != NULL; i++)
        if (is(preconditioner)) append_name(names, size, preconditioner->name);
}

void nb_method_names(int (*is)(const nb_method_class *), char *names, size_t size) {
    const nb_method_class *method;
    *names = 0;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        if (is(method)) append_name(names, size, method->name);
}

static int has_mixed(const nb_linear_solver_class *solver) {
    return solver->mixed != NULL;
}

nb_status nb_linear_solver_take_mixed(const nb_linear_solver_class **solver) {
    char names[256];
    if ((*solver)->mixed) {
        *solver = (*solver)->mixed;
        return NB_OK;
    }
    nb_linear_solver_names(has_mixed, names, sizeof names);
    return nb_fail(NB_ERROR_USAGE, "linear solver '%s' does not support --precision mixed; use %s", (*solver)->name,
                   names);
}

const char *nb_method_linear_solver(const nb_method_class *method, int scene) {
    if (scene && method->scene_solver) return method->scene_solver;
    return method->linear_solver ? method->linear_solver : "pcr";
}

const char *nb_method_preconditioner(const nb_method_class *method, int scene) {
    return scene && method->scene_preconditioner ? method->scene_preconditioner : "jacobi";
}

static int solves_unsymmetric(const nb_linear_solver_class *solver) {
    return solver->takes_unsymmetric && !solver->idle;
}

static int takes_unsymmetric(const nb_preconditioner_class *preconditioner) {
    return preconditioner->takes_unsymmetric;
}

nb_status nb_check_unsymmetric(const nb_linear_solver_class *solver, const nb_preconditioner_class *preconditioner) {
    char names[512];
    if (!solver->takes_unsymmetric) {
        nb_linear_solver_names(solves_unsymmetric, names, sizeof names);
        return nb_fail(NB_ERROR_USAGE, "linear solver '%s' does not support unsymmetric systems; use %s", solver->name,
                       names);
    }
    if (preconditioner && solver->takes_preconditioner && !preconditioner->takes_unsymmetric) {
        nb_preconditioner_names(takes_unsymmetric, names, sizeof names);
        return nb_fail(NB_ERROR_USAGE, "preconditioner '%s' does not support unsymmetric systems; use %s",
                       preconditioner->name, names);
    }
    return NB_OK;
}

nb_status nb_check_symmetric(const nb_linear_solver_class *solver, const nb_preconditioner_class *preconditioner) {
    if (!solver->takes_preconditioner || !preconditioner->of_symmetric) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "preconditioner '%s' is another one on symmetric systems; use %s",
                   preconditioner->name, preconditioner->of_symmetric);
}

nb_status nb_check_form(const nb_linear_solver_class *solver, const nb_preconditioner_class *preconditioner,
                        const char *form) {
    const char *only = solver->takes_preconditioner ? preconditioner->form : NULL;
    if (!only || strcmp(only, form) == 0) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "preconditioner '%s' requires --form %s (got '%s')", preconditioner->name, only,
                   form);
}

nb_status nb_preconditioner_find(const char *name, const nb_preconditioner_class **preconditioner) {
    int place, count = length((const void *const *)nb_preconditioners) + added_preconditioner_count;
    nb_status status = find("preconditioner", name, count, preconditioner_name, &place);
    if (status == NB_OK) *preconditioner = nb_preconditioner_at(place);
    return status;
}

nb_status nb_settings_solver(const nb_method_settings *settings, const nb_linear_solver_class **solver,
                             const nb_preconditioner_class **preconditioner) {
    nb_status status;
    NB_TRY(nb_linear_solver_find(settings->linear_solver, solver));
    if (settings->mixed) NB_TRY(nb_linear_solver_take_mixed(solver));
    NB_TRY(nb_preconditioner_find(settings->preconditioner, preconditioner));
    if (!(*solver)->takes_preconditioner) *preconditioner = NULL;
out:
    return status;
}

static nb_status make_reference(nb_solve **reference) {
    nb_status status;
    enum {
        MOST = 16
    };
    double solver_values[MOST], preconditioner_values[MOST];
    const nb_linear_solver_class *gmres;
    const nb_preconditioner_class *lu;
    NB_TRY(nb_linear_solver_find("gmres", &gmres));
    NB_TRY(nb_preconditioner_find("lu", &lu));
    nb_options_standard(gmres->options, gmres->option_count, solver_values);
    nb_options_standard(lu->options, lu->option_count, preconditioner_values);
    NB_TRY(nb_solve_create(gmres, solver_values, lu, preconditioner_values, reference));
out:
    return status;
}

nb_status nb_settings_solve(const nb_method_settings *s, nb_solve **solve) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    nb_solve *made = NULL, *reference = NULL;
    NB_TRY(nb_settings_solver(s, &solver, &preconditioner));
    if (solver->check) NB_TRY(solver->check(s->linear_solver_values));
    NB_TRY(nb_solve_create(solver, s->linear_solver_values, preconditioner, s->preconditioner_values, &made));
    if (s->reference_linear) NB_TRY(make_reference(&reference));
    if (reference) nb_solve_use_reference(made, reference);
out:
    if (status != NB_OK) nb_solve_destroy(made);
    *solve = status == NB_OK ? made : NULL;
    return status;
}

nb_status nb_method_find(const char *name, const nb_method_class **method) {
    int place, count = length((const void *const *)nb_methods) + added_method_count;
    nb_status status = find("method", name, count, method_name, &place);
    if (status == NB_OK) *method = nb_method_at(place);
    return status;
}
