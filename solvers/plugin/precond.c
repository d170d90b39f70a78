/* A plugin's preconditioner as one of the harness's. */
#include "base/memory.h"
#include "plugin/adapter.h"
#include "plugin/slots.h"

NB_PRECISIONS(f32, f64);

typedef struct precond_state {
    nb_plugin_instance instance; /* first */
    const ncpbench_precond *functions;
    real *image; /* [rows] of the trial application */
    int64_t image_capacity;
    int tried; /* 1: an application was tried since set_up_pattern */
} precond_state;

static const nb_plugin_class *loaded[NB_PLUGIN_MOST];
static nb_preconditioner_class adapted[NB_PLUGIN_MOST];

static void destroy(void *state) {
    precond_state *s = state;
    if (s) nb_free(s->image);
    nb_plugin_instance_destroy(s);
}

static nb_status create(int slot, const double *values, void **state) {
    nb_status status = nb_plugin_instance_create(loaded[slot], values, sizeof(precond_state), state);
    if (status == NB_OK) ((precond_state *)*state)->functions = &NB_REAL_NAME(loaded[slot]->precond);
    return status;
}

SLOT_FUNCTIONS

static nb_status set_up_pattern(void *state, nb_system *system) {
    precond_state *s = state;
    nb_status status;
    NB_TRY(NB_RESERVE(system->rows, &s->image_capacity, &s->image));
    NB_TRY(nb_plugin_view_begin(&s->instance.view, s->instance.type, system));
    s->tried = 0;
    if (!s->functions->set_up_pattern) return NB_OK;
    nb_plugin_before before = nb_plugin_enter(s->instance.type, NB_PLUGIN_SET_UP_PATTERN);
    const char *text = s->functions->set_up_pattern(s->instance.own, &s->instance.view.shown);
    status = nb_plugin_said(s->instance.type, NB_PLUGIN_SET_UP_PATTERN, text);
    nb_plugin_leave(&before);
out:
    return status;
}

static void apply(void *state, const real *r, real *z) {
    precond_state *s = state;
    nb_plugin_before before = nb_plugin_enter(s->instance.type, NB_PLUGIN_APPLY);
    s->functions->apply(s->instance.own, r, z);
    nb_plugin_leave(&before);
}

/* Applications cannot report a fault, and a check of each would be timed with the solver; so the first is tried here,
 * once a pattern. */
static nb_status try_application(precond_state *s, const nb_system *system) {
    if (s->tried) return NB_OK;
    s->tried = 1;
    apply(s, system->b, s->image);
    return nb_plugin_finite(s->instance.type, NB_PLUGIN_APPLY, system->rows, s->image);
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    precond_state *s = state;
    nb_status status;
    ncpbench_outcome said = {.size = sizeof said, .failed_row = -1};
    NB_TRY(nb_plugin_view_set_values(&s->instance.view, s->instance.type, system));
    if (s->functions->set_up_values) {
        nb_plugin_before before = nb_plugin_enter(s->instance.type, NB_PLUGIN_SET_UP_VALUES);
        const char *text = s->functions->set_up_values(s->instance.own, &s->instance.view.shown, &said);
        status = nb_plugin_said(s->instance.type, NB_PLUGIN_SET_UP_VALUES, text);
        nb_plugin_leave(&before);
        if (status == NB_OK) NB_TRY(nb_plugin_outcome(s->instance.type, &said, 0, reason));
    }
    if (status == NB_OK && *reason == NB_REASON_NONE) NB_TRY(try_application(s, system));
out:
    return status;
}

const nb_preconditioner_class *nb_plugin_preconditioner(const nb_plugin_class *type, int slot) {
    const ncpbench_class *plugin = &type->plugin;
    loaded[slot] = type;
    adapted[slot] = (nb_preconditioner_class){
        .name = plugin->name,
        .summary = plugin->summary,
        .options = type->options,
        .option_count = (int)plugin->option_count,
        .create = creates[slot],
        .set_up_pattern = set_up_pattern,
        .set_up_values = set_up_values,
        .apply = apply,
        .destroy = destroy,
    };
    return &adapted[slot];
}
