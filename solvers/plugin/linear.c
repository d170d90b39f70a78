/* A plugin's linear solver as one of the harness's. */
#include "base/memory.h"
#include "plugin/adapter.h"
#include "plugin/slots.h"

NB_PRECISIONS(f32, f64);

typedef struct solver_state {
    nb_plugin_instance instance; /* first */
    const ncpbench_solver *functions;
    const nb_linear_request *request; /* during a solve */
} solver_state;

static const nb_plugin_class *loaded[NB_PLUGIN_MOST];
static nb_linear_solver_class adapted[NB_PLUGIN_MOST];

static nb_status create(int slot, const double *values, void **state) {
    nb_status status = nb_plugin_instance_create(loaded[slot], values, sizeof(solver_state), state);
    if (status == NB_OK) ((solver_state *)*state)->functions = &NB_REAL_NAME(loaded[slot]->solver);
    return status;
}

SLOT_FUNCTIONS

static nb_status set_up_pattern(void *state, nb_system *system) {
    solver_state *s = state;
    nb_status status;
    NB_TRY(nb_plugin_view_begin(&s->instance.view, s->instance.type, system));
    if (!s->functions->set_up_pattern) return NB_OK;
    nb_plugin_before before = nb_plugin_enter(s->instance.type, NB_PLUGIN_SET_UP_PATTERN);
    const char *text = s->functions->set_up_pattern(s->instance.own, &s->instance.view.shown);
    status = nb_plugin_said(s->instance.type, NB_PLUGIN_SET_UP_PATTERN, text);
    nb_plugin_leave(&before);
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    solver_state *s = state;
    nb_status status;
    ncpbench_outcome said = {.size = sizeof said, .failed_row = -1};
    NB_TRY(nb_plugin_view_set_values(&s->instance.view, s->instance.type, system));
    if (!s->functions->set_up_values) return NB_OK;
    nb_plugin_before before = nb_plugin_enter(s->instance.type, NB_PLUGIN_SET_UP_VALUES);
    const char *text = s->functions->set_up_values(s->instance.own, &s->instance.view.shown, &said);
    status = nb_plugin_said(s->instance.type, NB_PLUGIN_SET_UP_VALUES, text);
    nb_plugin_leave(&before);
    if (status == NB_OK) NB_TRY(nb_plugin_outcome(s->instance.type, &said, 0, &outcome->reason));
    outcome->failed_row = said.failed_row;
    outcome->factor_nonzeros = said.factor_nonzeros;
out:
    return status;
}

static void precondition(void *host, const real *r, real *z) {
    const nb_linear_request *request = ((const solver_state *)host)->request;
    request->preconditioner->apply(request->preconditioner_state, r, z);
}

static void monitor(void *host, int32_t iteration, const real *x) {
    const nb_linear_request *request = ((const solver_state *)host)->request;
    request->monitor(request->monitor_context, iteration, x);
}

static void own_norm(void *host, double norm) {
    *((const solver_state *)host)->request->own_norm = norm;
}

static nb_status solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                       nb_linear_outcome *outcome) {
    solver_state *s = state;
    nb_status status;
    ncpbench_outcome said = {.size = sizeof said, .failed_row = -1, .factor_nonzeros = outcome->factor_nonzeros};
    ncpbench_request asked = {.size = sizeof asked,
                              .iterations = request->stop.iterations,
                              .tolerance = request->stop.tolerance,
                              .host = s,
                              .precondition = request->preconditioner ? precondition : NULL,
                              .monitor = request->monitor ? monitor : NULL,
                              .own_norm = request->monitor ? own_norm : NULL};
    NB_TRY(nb_plugin_view_fill(&s->instance.view, s->instance.type, system));
    s->request = request;
    nb_plugin_before before = nb_plugin_enter(s->instance.type, NB_PLUGIN_SOLVE);
    const char *text = s->functions->solve(s->instance.own, &s->instance.view.shown, &asked, x, &said);
    status = nb_plugin_said(s->instance.type, NB_PLUGIN_SOLVE, text);
    nb_plugin_leave(&before);
    nb_plugin_describe(said.description);
    if (status == NB_OK) NB_TRY(nb_plugin_outcome(s->instance.type, &said, 1, &outcome->reason));
    if (status == NB_OK && said.reason != NCPBENCH_DIVERGED)
        NB_TRY(nb_plugin_finite(s->instance.type, NB_PLUGIN_SOLVE, system->rows, x));
    outcome->iterations = said.iterations;
    outcome->failed_row = said.failed_row;
    outcome->factor_nonzeros = said.factor_nonzeros;
out:
    return status;
}

const nb_linear_solver_class *nb_plugin_solver(const nb_plugin_class *type, int slot) {
    const ncpbench_class *plugin = &type->plugin;
    loaded[slot] = type;
    adapted[slot] = (nb_linear_solver_class){
        .name = plugin->name,
        .summary = plugin->summary,
        .options = type->options,
        .option_count = (int)plugin->option_count,
        .takes_preconditioner = (plugin->flags & NCPBENCH_TAKES_PRECONDITIONER) != 0,
        .direct = (plugin->flags & NCPBENCH_DIRECT) != 0,
        .true_norm_only = (plugin->flags & NCPBENCH_DIRECT) == 0,
        .create = creates[slot],
        .set_up_pattern = set_up_pattern,
        .set_up_values = set_up_values,
        .solve = solve,
        .destroy = nb_plugin_instance_destroy,
    };
    return &adapted[slot];
}
