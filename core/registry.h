/* Finding things in the tables by name. An unknown name is NB_ERROR_USAGE with the nearest known one in the message. */
#ifndef NB_REGISTRY_H
#define NB_REGISTRY_H

#include <stddef.h>

#include "linear_solver.h"
#include "method.h"
#include "operator/solve.h"
#include "preconditioner.h"

#define nb_linear_solver_find NB_REAL_NAME(nb_linear_solver_find)
#define nb_linear_solver_take_mixed NB_REAL_NAME(nb_linear_solver_take_mixed)
#define nb_settings_solver NB_REAL_NAME(nb_settings_solver)
#define nb_settings_solve NB_REAL_NAME(nb_settings_solve)
#define nb_method_linear_solver NB_REAL_NAME(nb_method_linear_solver)
#define nb_method_preconditioner NB_REAL_NAME(nb_method_preconditioner)
#define nb_check_unsymmetric NB_REAL_NAME(nb_check_unsymmetric)
#define nb_check_symmetric NB_REAL_NAME(nb_check_symmetric)
#define nb_check_form NB_REAL_NAME(nb_check_form)
#define nb_preconditioner_find NB_REAL_NAME(nb_preconditioner_find)
#define nb_method_find NB_REAL_NAME(nb_method_find)
#define nb_linear_solver_at NB_REAL_NAME(nb_linear_solver_at)
#define nb_preconditioner_at NB_REAL_NAME(nb_preconditioner_at)
#define nb_linear_solver_add NB_REAL_NAME(nb_linear_solver_add)
#define nb_preconditioner_add NB_REAL_NAME(nb_preconditioner_add)
#define nb_method_at NB_REAL_NAME(nb_method_at)
#define nb_method_add NB_REAL_NAME(nb_method_add)
#define nb_linear_solver_names NB_REAL_NAME(nb_linear_solver_names)
#define nb_preconditioner_names NB_REAL_NAME(nb_preconditioner_names)
#define nb_method_names NB_REAL_NAME(nb_method_names)

enum {
    NB_REGISTRY_MOST_ADDED = 16
};

nb_status nb_linear_solver_find(const char *name, const nb_linear_solver_class **solver);
nb_status nb_preconditioner_find(const char *name, const nb_preconditioner_class **preconditioner);
nb_status nb_method_find(const char *name, const nb_method_class **method);

/* Puts the solver in precision `mixed` in the place of *solver; NB_ERROR_USAGE where there is none. */
nb_status nb_linear_solver_take_mixed(const nb_linear_solver_class **solver);

/* The solver that the settings name, in mixed precision where they ask for it, and their preconditioner, NULL where the
 * solver takes none. */
nb_status nb_settings_solver(const nb_method_settings *settings, const nb_linear_solver_class **solver,
                             const nb_preconditioner_class **preconditioner);

/* A solve with these, which the caller destroys. Where the settings ask for reference_linear, it holds its iterates
 * against what `gmres` with `lu` comes to at round-off. */
nb_status nb_settings_solve(const nb_method_settings *settings, nb_solve **solve);

/* the linear solver and the preconditioner that the method takes where none is asked for; `scene`: for a scenario */
const char *nb_method_linear_solver(const nb_method_class *method, int scene);
const char *nb_method_preconditioner(const nb_method_class *method, int scene);

/* Whether the solver and its preconditioner (or NULL) take unsymmetric systems; else NB_ERROR_USAGE, naming those that
 * do. */
nb_status nb_check_unsymmetric(const nb_linear_solver_class *solver, const nb_preconditioner_class *preconditioner);

/* Whether the preconditioner, where the solver takes it, is itself on symmetric systems (preconditioner.h); else
 * NB_ERROR_USAGE. */
nb_status nb_check_symmetric(const nb_linear_solver_class *solver, const nb_preconditioner_class *preconditioner);

/* Whether the solver, where it takes the preconditioner at all, has one for systems of this form (preconditioner.h);
 * else NB_ERROR_USAGE. */
nb_status nb_check_form(const nb_linear_solver_class *solver, const nb_preconditioner_class *preconditioner,
                        const char *form);

/* Number `i` of all: those of the tables, then those that were added; NULL after the last. */
const nb_linear_solver_class *nb_linear_solver_at(int i);
const nb_preconditioner_class *nb_preconditioner_at(int i);
const nb_method_class *nb_method_at(int i);

/* The names of all for which `is` returns 1, in that order with ", " between them, for messages; what does not fit into
 * names [size] is cut. */
void nb_linear_solver_names(int (*is)(const nb_linear_solver_class *), char *names, size_t size);
void nb_preconditioner_names(int (*is)(const nb_preconditioner_class *), char *names, size_t size);
void nb_method_names(int (*is)(const nb_method_class *), char *names, size_t size);

/* Adds one that is not in the tables (a plugin's), at most NB_REGISTRY_MOST_ADDED of each kind; borrowed until the
 * program ends. The caller makes sure that its name is free. */
void nb_linear_solver_add(const nb_linear_solver_class *solver);
void nb_preconditioner_add(const nb_preconditioner_class *preconditioner);
void nb_method_add(const nb_method_class *method);

#endif
