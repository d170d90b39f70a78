/* A parameter grid: the options of runs, each with one value or several; every combination of them is one run.
 *
 * The commands run, solve and reproduce share their options (run/options.h). Every value is a comma list
 * ("pcr,pcg"); the runs are the full cross product, the scenarios varying slowest and then the options in the order in
 * which they were given. An option given twice counts as given last. */
#ifndef NB_ANALYSIS_PARAMETER_GRID_H
#define NB_ANALYSIS_PARAMETER_GRID_H

#include <stdint.h>

#include "base/status.h"
#include "run/options.h"

typedef struct nb_parameter_grid nb_parameter_grid;

enum {
    NB_PARAMETER_GRID_MOST_RUNS = 4096
}; /* more than that is taken for a slip */

nb_status nb_parameter_grid_create(nb_parameter_grid **grid);
void nb_parameter_grid_destroy(nb_parameter_grid *grid); /* NULL allowed */

/* Sets the option of this argp key from its text (NULL for a switch). NB_ERROR_USAGE with one line that names option,
 * value and what would be accepted; empty items and items that stand twice are refused. A key that is not in the table
 * sets *known to 0. */
nb_status nb_parameter_grid_set(nb_parameter_grid *grid, int key, const char *text, int *known);

/* Sets the option `name` of linear solvers from a list of values, which may hold commas; `what` is what
 * messages call it. */
nb_status nb_parameter_grid_set_solver(nb_parameter_grid *grid, const char *what, const char *name, int count,
                                       const char *const *values);

/* The values of the option of this name ("--linear-solver"), which has to be one; NULL where it was not given. */
char *const *nb_parameter_grid_values(const nb_parameter_grid *grid, const char *option, int64_t *count);

/* Adds scenarios (a comma list) or one problem file (a path; borrowed). */
nb_status nb_parameter_grid_add_scenarios(nb_parameter_grid *grid, const char *names);
nb_status nb_parameter_grid_add_problem(nb_parameter_grid *grid, const char *path);

/* Takes this problem file (a path; borrowed) in place of all scenarios and problems, so that the same combinations can
 * be made for one file after the other. */
nb_status nb_parameter_grid_replace_problem(nb_parameter_grid *grid, const char *path);

/* The right-hand side of linear systems (nb_request.rhs; borrowed). */
void nb_parameter_grid_set_rhs(nb_parameter_grid *grid, const char *rhs);

/* How many runs; 0 before a scenario or problem was added. NB_ERROR_USAGE where they are more than
 * NB_PARAMETER_GRID_MOST_RUNS, or than `most`. */
nb_status nb_parameter_grid_count(const nb_parameter_grid *grid, int64_t *count);
nb_status nb_parameter_grid_count_up_to(const nb_parameter_grid *grid, int64_t most, int64_t *count);

/* The request of run `i`, not yet prepared; of a problem file, info.scenario is the base name. Of a list of scenarios,
 * solvers, preconditioners or methods those have an option (--set, --solver-option, ...) that know it; one that none
 * knows is left in, to be refused. */
nb_status nb_parameter_grid_request(const nb_parameter_grid *grid, int64_t i, nb_request *request);

/* Whether the option of field `i` was given several values. */
int nb_parameter_grid_varies(const nb_parameter_grid *grid, int i);

/* an option that was given */
typedef struct nb_given_option {
    int option;          /* its place among all (run/options.h) */
    const char *name;    /* of a setting (--set, --solver-option, ...), else NULL; borrowed, as the values */
    char *const *values; /* [count], in the order in which they were given */
    int64_t count;
} nb_given_option;

/* The i-th of them; 0 after the last. */
int nb_parameter_grid_given(const nb_parameter_grid *grid, int64_t i, nb_given_option *given);

/* Of a setting that the run's scenario, solver, ... does not have: the name of that; else NULL. */
const char *nb_parameter_grid_lacks(const nb_given_option *given, const nb_request *request);

#endif
