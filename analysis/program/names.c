#include "names.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "constraint/ncp.h"
#include "figure/figure.h"
#include "file/scene_file.h"
#include "method.h"
#include "plugin/plugin.h"
#include "record/columns.h"
#include "record/contents.h"
#include "registry.h"
#include "run/devices.h"
#include "scenario.h"
#include "table/known_columns.h"

NB_PRECISIONS(f64);

static int scenario_at(int i, nb_named *one) {
    int own = 0;
    while (own < i && nb_scenarios[own]) own++;
    const nb_scenario_class *c = nb_scenarios[own] ? nb_scenarios[own] : nb_scene_file_at(i - own);
    if (c)
        *one = (nb_named){.name = c->name,
                          .summary = c->summary,
                          .options = c->parameters,
                          .option_count = c->parameter_count,
                          .scenario = c};
    return c != NULL;
}

/* the file that brought a class, or NULL */
static const char *plugin_file(nb_plugin_kind kind, const char *name) {
    const nb_plugin_class *plugin = nb_plugin_find(kind, name);
    return plugin ? plugin->file : NULL;
}

static int method_at(int i, nb_named *one) {
    const nb_method_class *c = nb_method_at_f64(i);
    if (c)
        *one = (nb_named){.name = c->name,
                          .summary = c->summary,
                          .plugin = plugin_file(NB_PLUGIN_METHOD, c->name),
                          .options = c->options,
                          .option_count = c->option_count};
    return c != NULL;
}

/* what else is to be said of a solver or preconditioner, NULL: nothing */
static const char *note_of(int alone, int takes_unsymmetric, int on_devices) {
    static const char *const notes[2][2][2] = {
        {{NULL, "on devices"}, {"takes unsymmetric systems", "takes unsymmetric systems; on devices"}},
        {{"no preconditioner", "no preconditioner; on devices"},
         {"no preconditioner; takes unsymmetric systems", "no preconditioner; takes unsymmetric systems; on devices"}}};
    return notes[alone != 0][takes_unsymmetric != 0][on_devices != 0];
}

static int linear_solver_at(int i, nb_named *one) {
    const nb_linear_solver_class *c = nb_linear_solver_at_f64(i);
    if (c)
        *one = (nb_named){.name = c->name,
                          .summary = c->summary,
                          .note = note_of(!c->takes_preconditioner, c->takes_unsymmetric, c->on_devices),
                          .plugin = plugin_file(NB_PLUGIN_LINEAR_SOLVER, c->name),
                          .options = c->options,
                          .option_count = c->option_count};
    return c != NULL;
}

static int preconditioner_at(int i, nb_named *one) {
    const nb_preconditioner_class *c = nb_preconditioner_at_f64(i);
    if (c)
        *one = (nb_named){.name = c->name,
                          .summary = c->summary,
                          .note = note_of(0, c->takes_unsymmetric, nb_preconditioner_works_on_devices(c)),
                          .plugin = plugin_file(NB_PLUGIN_PRECONDITIONER, c->name),
                          .options = c->options,
                          .option_count = c->option_count};
    return c != NULL;
}

static int ncp_function_at(int i, nb_named *one) {
    if (i < NB_NCP_FUNCTIONS)
        *one = (nb_named){.name = nb_ncp_function_names[i], .summary = nb_ncp_function_summaries[i]};
    return i < NB_NCP_FUNCTIONS;
}

static int scaling_at(int i, nb_named *one) {
    if (i < NB_SCALINGS) *one = (nb_named){.name = nb_scaling_names[i], .summary = nb_scaling_summaries[i]};
    return i < NB_SCALINGS;
}

static int figure_at(int i, nb_named *one) {
    const nb_figure_class *c = nb_figure_at(i);
    if (c) *one = (nb_named){.name = c->name, .summary = c->summary};
    return c != NULL;
}

/* the methods that have a column */
static void write_owners(const char *column, char *text, size_t size) {
    const nb_method_class *method;
    *text = '\0';
    for (int i = 0; (method = nb_method_at_f64(i)) != NULL; i++) {
        const nb_columns own = {method->columns, method->column_count, NULL};
        size_t used = strlen(text);
        if (nb_columns_find(&own, column) >= 0)
            snprintf(text + used, size - used, "%s%s", used ? ", " : "of ", method->name);
    }
}

static int column_at(int i, nb_named *one) {
    static char name[NB_NAME_LENGTH + 16], note[NB_REGISTRY_MOST_ADDED * 64]; /* of the last */
    nb_known_columns known;
    nb_known_columns_list(&known);
    const int linear = i >= known.count;
    if (i >= known.count + NB_LINEAR_COLUMNS) return 0;
    const nb_column *c = linear ? &nb_linear_columns[i - known.count] : known.at[i];
    snprintf(name, sizeof name, "%s%s", linear ? "linear/" : "", c->name);
    *note = '\0';
    if (!linear) write_owners(c->name, note, sizeof note);
    *one = (nb_named){.name = name, .summary = c->long_name, .units = c->units, .note = *note ? note : NULL};
    return 1;
}

static int dataset_at(int i, nb_named *one) {
    static nb_content content; /* of the last */
    if (!nb_content_at(i, &content)) return 0;
    *one = (nb_named){.name = content.path,
                      .summary = content.long_name,
                      .note = content.is_scale ? "dimension scale" : NULL,
                      .shape = content.shape,
                      .units = content.units};
    return 1;
}

static int device_at(int i, nb_named *one) {
    if (i < NB_DEVICES)
        *one = (nb_named){.name = nb_device_name(i), .summary = nb_device_summary(i), .note = nb_device_missing(i)};
    return i < NB_DEVICES;
}

const nb_named_kind nb_named_kinds[NB_NAMED_KINDS] = {
    {"scenarios", "Scenarios (run SCENARIO; parameters: list scenarios NAME)", NULL, "parameters", "set", scenario_at},
    {"methods", "Methods (--method; options: list methods NAME)", "method", "options", "method-option", method_at},
    {"linear-solvers", "Linear solvers (--linear-solver; options: list linear-solvers NAME)", "linear-solver",
     "options", "solver-option", linear_solver_at},
    {"preconditioners", "Preconditioners (--preconditioner; options: list preconditioners NAME)", "preconditioner",
     "options", "preconditioner-option", preconditioner_at},
    {"ncp-functions", "Complementarity functions (--ncp)", NULL, NULL, NULL, ncp_function_at},
    {"scalings", "Scalings of the complementarity functions (--scaling)", NULL, NULL, NULL, scaling_at},
    {"figures", "Figures and tables (figure NAME, reproduce NAME)", NULL, NULL, NULL, figure_at},
    {"columns", "Columns of Newton and linear iterations in a record (figure convergence --y)", "y", NULL, NULL,
     column_at},
    {"datasets", "Datasets of a record and of the files of gradient and optimize (columns of newton: list columns)",
     NULL, NULL, NULL, dataset_at},
    {"devices", "Devices (--device)", "device", NULL, NULL, device_at},
};
