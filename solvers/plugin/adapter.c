#include "plugin/adapter.h"

#include <stdio.h>
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "operator/packed.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

static void view_apply(void *host, const real *x, real *y) {
    const nb_plugin_view *view = host;
    if (!view->backend) {
        nb_system_apply(view->system, x, y);
        return;
    }
    real *v = nb_vector_backend_vector(view->backend, 0), *av = nb_vector_backend_vector(view->backend, 1);
    nb_vector_backend_take(view->backend, x, v);
    nb_vector_backend_begin_product(view->backend, 0, NULL, 1, v, NULL);
    nb_vector_backend_finish_product(view->backend, v, av);
    nb_vector_backend_give(view->backend, av, 0, NULL, y);
}

static void view_diagonal(void *host, real *diagonal) {
    nb_system_diagonal(((const nb_plugin_view *)host)->system, diagonal);
}

static const char *view_matrix(void *host, ncpbench_matrix *matrix) {
    nb_plugin_view *view = host;
    const nb_csr *a;
    if (!(view->type->plugin.flags & NCPBENCH_NEEDS_ENTRIES)) return "matrix is called without NCPBENCH_NEEDS_ENTRIES";
    if (nb_system_matrix(view->system, &a) != NB_OK) {
        snprintf(view->fault, sizeof view->fault, "%s", nb_error_message());
        return view->fault;
    }
    *matrix = (ncpbench_matrix){a->rows, 0, a->start, a->column, a->value};
    return NULL;
}

nb_status nb_plugin_view_fill(nb_plugin_view *view, const nb_plugin_class *type, nb_system *system) {
    nb_status status;
    const nb_delassus *d = system->delassus;
    const double *position = system->node && system->origin ? system->origin->delassus->mass->nodes->position : NULL;
    NB_TRY(NB_RESERVE(system->rows, &view->b_capacity, &view->b));
    if (position) NB_TRY(NB_RESERVE(3 * (int64_t)d->block_count, &view->position_capacity, &view->position));
    for (int32_t i = 0; position && i < d->block_count; i++)
        memcpy(view->position + 3 * (ptrdiff_t)i, position + 3 * (ptrdiff_t)system->node[i], 3 * sizeof *position);
    memcpy(view->b, system->b, (size_t)system->rows * sizeof *view->b);
    view->system = system;
    view->type = type;
    view->shown = (ncpbench_system){.size = sizeof view->shown,
                                    .rows = system->rows,
                                    .host = view,
                                    .apply = view_apply,
                                    .diagonal = view_diagonal,
                                    .matrix = view_matrix,
                                    .b = view->b,
                                    .block_count = d->block_count,
                                    .group_count = d->group_count,
                                    .block_start = d->block_start,
                                    .group_start = d->group_start,
                                    .node_count = view->node_start ? d->mass->nodes->count : 0,
                                    .node_start = view->node_start,
                                    .node = view->node,
                                    .position = position ? view->position : NULL};
out:
    return status;
}

/* the nodes of the groups */
static nb_status list_nodes(nb_plugin_view *view, const nb_delassus *d) {
    nb_status status = NB_OK;
    int32_t count = 0;
    if (!d->mass || !d->type->block_nodes) {
        nb_free(view->node_start);
        view->node_start = NULL;
        view->start_capacity = 0;
        return NB_OK;
    }
    NB_TRY(NB_RESERVE((int64_t)d->group_count + 1, &view->start_capacity, &view->node_start));
    NB_TRY(NB_RESERVE((int64_t)d->group_count * NB_BLOCK_NODES, &view->node_capacity, &view->node));
    for (int32_t g = 0; g < d->group_count; g++) {
        view->node_start[g] = count;
        count += d->type->block_nodes(d, d->group_start[g], view->node + count);
    }
    view->node_start[d->group_count] = count;
out:
    return status;
}

/* products, where they are those of the built-in solvers */
static nb_status set_product(nb_plugin_view *view, const nb_plugin_class *type, nb_system *system) {
    nb_status status;
    nb_vector_backend_destroy(view->backend);
    view->backend = NULL;
    if (type->plugin.flags & NCPBENCH_NEEDS_ENTRIES || system->k || !nb_packed_fits(system->delassus)) return NB_OK;
    NB_TRY(nb_vector_backend_create(&view->backend));
    NB_TRY(nb_vector_backend_set_pattern(view->backend, system));
    NB_TRY(nb_vector_backend_set_vectors(view->backend, 2));
out:
    return status;
}

nb_status nb_plugin_view_begin(nb_plugin_view *view, const nb_plugin_class *type, nb_system *system) {
    nb_status status;
    NB_TRY(list_nodes(view, system->delassus));
    NB_TRY(set_product(view, type, system));
    NB_TRY(nb_plugin_view_fill(view, type, system));
out:
    return status;
}

nb_status nb_plugin_view_set_values(nb_plugin_view *view, const nb_plugin_class *type, nb_system *system) {
    nb_status status;
    NB_TRY(nb_plugin_view_fill(view, type, system));
    if (!view->backend) return NB_OK;
    NB_TRY(nb_vector_backend_set_values(view->backend));
    NB_TRY(nb_vector_backend_set_weights(view->backend, NULL, NULL));
out:
    return status;
}

nb_status nb_plugin_said(const nb_plugin_class *type, nb_plugin_call call, const char *text) {
    if (!text) return NB_OK;
    return nb_fail(NB_ERROR_NUMERIC, "%s: %s: %.200s", type->title, nb_plugin_call_name(call), text);
}

nb_status nb_plugin_outcome(const nb_plugin_class *type, const ncpbench_outcome *said, int of_solve,
                            nb_reason *reason) {
    static const nb_reason reasons[] = {
        [NCPBENCH_NONE] = NB_REASON_NONE,
        [NCPBENCH_CONVERGED] = NB_REASON_CONVERGED,
        [NCPBENCH_EXACT] = NB_REASON_EXACT,
        [NCPBENCH_ROUND_OFF] = NB_REASON_ROUND_OFF,
        [NCPBENCH_ITERATIONS] = NB_REASON_ITERATIONS,
        [NCPBENCH_DIVERGED] = NB_REASON_DIVERGED,
        [NCPBENCH_INDEFINITE] = NB_REASON_INDEFINITE,
        [NCPBENCH_NOT_POSITIVE] = NB_REASON_NOT_POSITIVE_DEFINITE,
        [NCPBENCH_SINGULAR] = NB_REASON_SINGULAR,
        [NCPBENCH_BREAKDOWN] = NB_REASON_BREAKDOWN,
        [NCPBENCH_STAGNATED] = NB_REASON_STAGNATED,
    };
    const char *call = nb_plugin_call_name(of_solve ? NB_PLUGIN_SOLVE : NB_PLUGIN_SET_UP_VALUES);
    if (said->reason < (of_solve ? 1 : 0) || said->reason > NCPBENCH_STAGNATED)
        return nb_fail(NB_ERROR_NUMERIC, "%s: %s: gives the reason %d; known are %d to %d", type->title, call,
                       (int)said->reason, of_solve ? 1 : 0, (int)NCPBENCH_STAGNATED);
    if (said->iterations < 0)
        return nb_fail(NB_ERROR_NUMERIC, "%s: %s: claims %d iterations", type->title, call, (int)said->iterations);
    *reason = reasons[said->reason];
    return NB_OK;
}

nb_status nb_plugin_make(const nb_plugin_class *type, const double *values, void **state) {
    *state = NULL;
    nb_status status = nb_plugin_check_precision(type, NB_REAL_BITS == 32);
    if (status != NB_OK || !type->plugin.create) return status;
    nb_plugin_before before = nb_plugin_enter(type, NB_PLUGIN_CREATE);
    status = nb_plugin_said(type, NB_PLUGIN_CREATE, type->plugin.create(values, NB_REAL_BITS, state));
    nb_plugin_leave(&before);
    return status;
}

nb_status nb_plugin_instance_create(const nb_plugin_class *type, const double *values, size_t size, void **state) {
    nb_status status;
    nb_plugin_instance *instance = NULL;
    NB_TRY(nb_allocate(1, size, &instance));
    instance->type = type;
    NB_TRY(nb_plugin_make(type, values, &instance->own));
    *state = instance;
    return NB_OK;
out:
    nb_free(instance); /* a plugin whose create failed has nothing to destroy */
    *state = NULL;
    return status;
}

void nb_plugin_instance_destroy(void *state) {
    nb_plugin_instance *instance = state;
    if (!instance) return;
    if (instance->type->plugin.destroy) {
        nb_plugin_before before = nb_plugin_enter(instance->type, NB_PLUGIN_DESTROY);
        instance->type->plugin.destroy(instance->own);
        nb_plugin_leave(&before);
    }
    nb_vector_backend_destroy(instance->view.backend);
    nb_free(instance->view.b);
    nb_free(instance->view.node_start);
    nb_free(instance->view.node);
    nb_free(instance->view.position);
    nb_free(instance);
}

nb_status nb_plugin_finite(const nb_plugin_class *type, nb_plugin_call call, int32_t rows, const real *x) {
    for (int32_t i = 0; i < rows; i++)
        if (!isfinite(x[i]))
            return nb_fail(NB_ERROR_NUMERIC, "%s: %s: entry %d of %d of the result is %g", type->title,
                           nb_plugin_call_name(call), (int)i, (int)rows, (double)x[i]);
    return NB_OK;
}

void nb_plugin_adapt(const nb_plugin_class *type, int slot) {
    if (type->kind == NB_PLUGIN_LINEAR_SOLVER)
        nb_linear_solver_add(nb_plugin_solver(type, slot));
    else if (type->kind == NB_PLUGIN_PRECONDITIONER)
        nb_preconditioner_add(nb_plugin_preconditioner(type, slot));
}
