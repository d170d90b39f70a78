/* From the plugin's classes to the harness's (private to solvers): one class of a plugin becomes one
 * nb_linear_solver_class or nb_preconditioner_class in each precision. (Methods: plugin_method.h.) */
#ifndef NB_PLUGIN_ADAPTER_H
#define NB_PLUGIN_ADAPTER_H

#include <fenv.h>

#include "base/real.h"
#include "linear/vector_backend.h"
#include "linear_solver.h"
#include "plugin/class.h"

#define nb_plugin_adapt NB_REAL_NAME(nb_plugin_adapt)
#define nb_plugin_solver NB_REAL_NAME(nb_plugin_solver)
#define nb_plugin_preconditioner NB_REAL_NAME(nb_plugin_preconditioner)
#define nb_plugin_view NB_REAL_NAME(nb_plugin_view)
#define nb_plugin_view_set_values NB_REAL_NAME(nb_plugin_view_set_values)
#define nb_plugin_view_fill NB_REAL_NAME(nb_plugin_view_fill)
#define nb_plugin_view_begin NB_REAL_NAME(nb_plugin_view_begin)
#define nb_plugin_said NB_REAL_NAME(nb_plugin_said)
#define nb_plugin_make NB_REAL_NAME(nb_plugin_make)
#define nb_plugin_instance NB_REAL_NAME(nb_plugin_instance)
#define nb_plugin_instance_create NB_REAL_NAME(nb_plugin_instance_create)
#define nb_plugin_instance_destroy NB_REAL_NAME(nb_plugin_instance_destroy)
#define nb_plugin_finite NB_REAL_NAME(nb_plugin_finite)
#define nb_plugin_outcome NB_REAL_NAME(nb_plugin_outcome)
#define ncpbench_matrix NB_REAL_NAME(ncpbench_matrix)
#define ncpbench_system NB_REAL_NAME(ncpbench_system)
#define ncpbench_request NB_REAL_NAME(ncpbench_request)
#define ncpbench_solver NB_REAL_NAME(ncpbench_solver)
#define ncpbench_precond NB_REAL_NAME(ncpbench_precond)

/* Fills slot `slot` (0 .. NB_PLUGIN_MOST - 1) of the class's kind and makes it known to the registry. */
void nb_plugin_adapt_f32(const nb_plugin_class *type, int slot);
void nb_plugin_adapt_f64(const nb_plugin_class *type, int slot);

/* the class that stands for slot `slot`, filled in from `class` */
const nb_linear_solver_class *nb_plugin_solver(const nb_plugin_class *type, int slot);
const nb_preconditioner_class *nb_plugin_preconditioner(const nb_plugin_class *type, int slot);

/* The system as a plugin sees it. The plugin gets a copy of b, so that nothing it does changes what it is held to. */
typedef struct nb_plugin_view {
    ncpbench_system shown;
    nb_system *system; /* the real one, during a call */
    const nb_plugin_class *type;
    real *b;
    int32_t *node_start, *node; /* of its groups; NULL: not known */
    double *position;           /* of its blocks, where `shown` has them */
    int64_t b_capacity, start_capacity, node_capacity, position_capacity;
    /* Products by the kernels that the built-in solvers take; NULL: the plugin asks for entries, or the source is not
     * of bodies alone (operator/packed.h). */
    nb_vector_backend *backend;
    char fault[256]; /* of a call into the host, handed to the plugin */
} nb_plugin_view;

/* Brings view->shown up to date with the system: for a new pattern, for new values, and before a call. */
nb_status nb_plugin_view_begin(nb_plugin_view *view, const nb_plugin_class *type, nb_system *system);
nb_status nb_plugin_view_set_values(nb_plugin_view *view, const nb_plugin_class *type, nb_system *system);
nb_status nb_plugin_view_fill(nb_plugin_view *view, const nb_plugin_class *type, nb_system *system);

/* The plugin's outcome as a reason; a fault where it is impossible. A set-up may say nothing. */
nb_status nb_plugin_outcome(const nb_plugin_class *type, const ncpbench_outcome *said, int of_solve, nb_reason *reason);

/* NB_OK for a plugin's NULL, else a fault with the class's title, the function and the plugin's text. */
nb_status nb_plugin_said(const nb_plugin_class *type, nb_plugin_call call, const char *text);

/* Calls the plugin's create for this precision; NB_ERROR_UNSUPPORTED where it does not offer it. */
nb_status nb_plugin_make(const nb_plugin_class *type, const double *values, void **state);

/* What the state of every solver and preconditioner of a plugin begins with. */
typedef struct nb_plugin_instance {
    const nb_plugin_class *type;
    void *own; /* the plugin's */
    nb_plugin_view view;
} nb_plugin_instance;

/* A state of `size` bytes, zero but for its instance, which the plugin has made. */
nb_status nb_plugin_instance_create(const nb_plugin_class *type, const double *values, size_t size, void **state);
void nb_plugin_instance_destroy(void *state); /* NULL allowed */

/* A fault where the result of this call holds something that is no number. */
nb_status nb_plugin_finite(const nb_plugin_class *type, nb_plugin_call call, int32_t rows, const real *x);

/* what is put back after a call into a plugin */
typedef struct nb_plugin_before {
    nb_plugin_place place;
    fenv_t arithmetic;
} nb_plugin_before;

/* Notes that a function of the plugin begins; and that it is over. What it did to the floating-point environment
 * (rounding, flushing of denormal numbers) is undone. */
static inline nb_plugin_before nb_plugin_enter(const nb_plugin_class *type, nb_plugin_call call) {
    nb_plugin_before before;
    before.place = *nb_plugin_now;
    fegetenv(&before.arithmetic);
    nb_plugin_now->type = type;
    nb_plugin_now->call = call;
    return before;
}

static inline void nb_plugin_leave(const nb_plugin_before *before) {
    *nb_plugin_now = before->place;
    fesetenv(&before->arithmetic);
}

#endif
