/* list: what can be named on the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "command.h"
#include "export_values.h"
#include "file/scene_file.h"
#include "isolate.h"
#include "names.h"
#include "run/find_scenario.h"
#include "run/prepare.h"
#include "text/json.h"
#include "text/plain.h"
#include "text/table.h"

static const char *kind_at(const void *list, int i) {
    return ((const nb_named_kind *)list)[i].name;
}

/* the accepted values: "0 to 1", "a|b" */
static void format_range(const nb_option *o, char text[128]) {
    size_t used = 0;
    *text = '\0';
    for (int i = 0; o->choices && o->choices[i] && used < 128; i++)
        used += (size_t)snprintf(text + used, 128 - used, "%s%s", i ? "|" : "", o->choices[i]);
    if (!o->choices) snprintf(text, 128, "%g to %g%s", o->minimum, o->maximum, o->integer ? ", whole" : "");
}

static nb_status print_options(const nb_named *e, const char *kind_of_option) {
    char one[32]; /* "parameters" is "parameter" */
    snprintf(one, sizeof one, "%.*s", (int)strlen(kind_of_option) - 1, kind_of_option);
    const char *const titles[] = {"", one, ">default", "unit", "range", "meaning"};
    nb_table *table;
    nb_status status = nb_table_create(6, titles, &table);
    if (status != NB_OK) return status;
    for (int i = 0; i < e->option_count; i++) {
        const nb_option *o = &e->options[i];
        char range[128];
        format_range(o, range);
        nb_table_cell(table, "%s", "");
        nb_table_cell(table, "%s", o->name);
        if (o->choices)
            nb_table_cell(table, "%s", o->choices[(int)o->standard]);
        else
            nb_table_cell(table, "%g", o->standard);
        nb_table_cell(table, "%s", o->units && strcmp(o->units, "1") != 0 ? o->units : "");
        nb_table_cell(table, "%s", range);
        nb_table_cell(table, "%s", o->summary);
    }
    status = nb_table_print(table, stdout);
    nb_table_destroy(table);
    return status;
}

/* what a run takes where no option says otherwise */
static nb_status print_defaults(const nb_scenario_class *scenario) {
    const nb_paper_steps *paper = scenario->paper;
    char text[NB_DEFAULT_TEXT];
    const nb_status status = nb_default_text(scenario, text);
    if (status == NB_OK) nb_print(stdout, "defaults%s%s: %s\n", paper ? " of " : "", paper ? paper->source : "", text);
    return status;
}

/* the end of a summary: the shape of a dataset, and units other than "1" */
static void print_shape(const nb_named *e) {
    if (e->shape) nb_print(stdout, " (%s)", e->shape);
    if (e->units && strcmp(e->units, "1") != 0) nb_print(stdout, " [%s]", e->units);
}

/* a line each: the options of one are asked for by its name */
static void print_kind(const nb_named_kind *k) {
    nb_named e;
    int width = 0;
    nb_print(stdout, "%s\n", k->title);
    for (int i = 0; k->at(i, &e); i++)
        if ((int)strlen(e.name) > width) width = (int)strlen(e.name);
    for (int i = 0; k->at(i, &e); i++) {
        nb_print(stdout, "  %-*s  %s", width, e.name, e.summary);
        print_shape(&e);
        if (e.note) nb_print(stdout, "; %s", e.note);
        nb_print(stdout, "%s%s\n", e.plugin ? "; from " : "", e.plugin ? e.plugin : "");
    }
}

/* the names alone, so that all kinds fit on a screen; of many, how many there are */
static void print_names(const nb_named_kind *k) {
    enum {
        WIDTH = 79,
        MOST = 60
    };
    nb_named e;
    int count = 0, column = 2;
    while (k->at(count, &e)) count++;
    nb_print(stdout, "%s\n ", k->title);
    if (count > MOST) nb_print(stdout, " %d: ncpbench list %s", count, k->name);
    for (int i = 0; count <= MOST && k->at(i, &e); i++) {
        const int length = (int)strlen(e.name) + (i + 1 < count);
        if (column + length + 1 > WIDTH) {
            nb_print(stdout, "\n ");
            column = 2;
        }
        nb_print(stdout, " %s%s", e.name, i + 1 < count ? "," : "");
        column += length + 1;
    }
    nb_print(stdout, "\n");
}

/* all of one: what it is, and its options */
static nb_status print_one(const nb_named_kind *k, const nb_named *e) {
    nb_print(stdout, "%s: %s", e->name, e->summary);
    print_shape(e);
    putchar('\n');
    if (e->note) nb_print(stdout, "%s\n", e->note);
    if (e->plugin) nb_print(stdout, "from %s\n", e->plugin);
    if (e->scenario) {
        const nb_status status = print_defaults(e->scenario);
        if (status != NB_OK) return status;
    }
    if (!k->options) return NB_OK;
    if (e->option_count == 0) {
        nb_print(stdout, "\nno %s\n", k->options);
        return NB_OK;
    }
    nb_print(stdout, "\n%s (--%s NAME=VALUE)\n", strcmp(k->options, "options") == 0 ? "Options" : "Parameters",
             k->options_flag);
    return print_options(e, k->options);
}

static void write_option(nb_json *json, const nb_option *o) {
    nb_json_object(json, NULL);
    nb_json_text(json, "name", o->name);
    nb_json_text(json, "summary", o->summary);
    if (o->choices) {
        nb_json_text(json, "default", o->choices[(int)o->standard]);
        nb_json_array(json, "choices");
        for (int i = 0; o->choices[i]; i++) nb_json_text(json, NULL, o->choices[i]);
        nb_json_end(json);
    } else {
        nb_json_number(json, "default", o->standard);
        nb_json_text(json, "units", o->units ? o->units : "1");
        nb_json_number(json, "minimum", o->minimum);
        nb_json_number(json, "maximum", o->maximum);
        nb_json_flag(json, "integer", o->integer);
    }
    nb_json_end(json);
}

static nb_status write_defaults(nb_json *json, const nb_scenario_class *scenario) {
    char text[NB_DEFAULT_TEXT];
    const nb_status status = nb_default_text(scenario, text);
    if (scenario->paper) nb_json_text(json, "paper", scenario->paper->source);
    nb_json_text(json, "defaults", text);
    return status;
}

/* of one (`name`) or all */
static nb_status write_kind(nb_json *json, const nb_named_kind *k, const char *name) {
    nb_status status = NB_OK;
    nb_named e;
    nb_json_array(json, k->name);
    for (int i = 0; k->at(i, &e); i++) {
        if (name && strcmp(e.name, name) != 0) continue;
        nb_json_object(json, NULL);
        nb_json_text(json, "name", e.name);
        nb_json_text(json, "summary", e.summary);
        if (e.shape) nb_json_text(json, "shape", e.shape);
        if (e.units) nb_json_text(json, "units", e.units);
        if (e.note) nb_json_text(json, "note", e.note);
        if (e.plugin) nb_json_text(json, "plugin", e.plugin);
        if (e.scenario && status == NB_OK) status = write_defaults(json, e.scenario);
        if (k->options) {
            nb_json_array(json, k->options);
            for (int o = 0; o < e.option_count; o++) write_option(json, &e.options[o]);
            nb_json_end(json);
        }
        nb_json_end(json);
    }
    nb_json_end(json);
    return status;
}

enum {
    KEY_FORMAT = 500
};

static const struct argp_option options[] = {
    {.name = "format",
     .key = KEY_FORMAT,
     .arg = "text|json|schema",
     .doc = "how to print; schema: the JSON Schema of scene files [text]"},
    NB_PLUGIN_OPTION(0),
    {0},
};

typedef struct list_arguments {
    const char *kind, *name;
    int json, schema;
} list_arguments;

static nb_status set(void *context, int key, const char *text) {
    list_arguments *a = context;
    if (key == ARGP_KEY_ARG) return nb_command_take(&nb_command_list, text, a->kind ? &a->name : &a->kind);
    if (key == NB_PLUGIN_KEY) return nb_plugin_load(text);
    a->schema = strcmp(text, "schema") == 0;
    return a->schema ? NB_OK : nb_command_format(text, &a->json);
}

static const char *entry_at(const void *context, int i) {
    nb_named e;
    return ((const nb_named_kind *)context)->at(i, &e) ? e.name : "";
}

static nb_status find_entry(const nb_named_kind *k, const char *name, nb_named *e) {
    char what[64]; /* "scenarios" is "scenario" */
    int count = 0;
    const nb_scenario_class *of_file;
    if (strcmp(k->name, "scenarios") == 0) { /* a scene file is added to the list */
        nb_status status = nb_scenario_find(name, &of_file);
        if (status == NB_OK) name = of_file->name;
        if (nb_scene_file_is(name) && status != NB_OK) return status;
    }
    for (; k->at(count, e); count++)
        if (strcmp(e->name, name) == 0) return NB_OK;
    snprintf(what, sizeof what, "%.*s", (int)strlen(k->name) - 1, k->name);
    return nb_name_unknown(what, name, count, entry_at, k);
}

/* the kinds of the arguments: one, or all; a name that is of no kind, as "arch", says where it belongs */
static nb_status find_kinds(const char *name, int *first, int *last) {
    nb_named e;
    *first = 0;
    *last = NB_NAMED_KINDS - 1;
    if (!name) return NB_OK;
    *first = *last = nb_name_find(name, NB_NAMED_KINDS, kind_at, nb_named_kinds);
    if (*first >= 0) return NB_OK;
    for (int i = 0; i < NB_NAMED_KINDS; i++)
        for (int k = 0; nb_named_kinds[i].at(k, &e); k++)
            if (strcmp(e.name, name) == 0)
                return nb_fail(NB_ERROR_USAGE, "list: '%.80s' is one of %s: ncpbench list %s %.80s", name,
                               nb_named_kinds[i].name, nb_named_kinds[i].name, name);
    return nb_name_unknown("kind", name, NB_NAMED_KINDS, kind_at, nb_named_kinds);
}

static nb_status list(int argc, char **argv, int *exit_status) {
    (void)exit_status;
    list_arguments arguments = {0};
    nb_named one;
    int first, last;
    nb_status status;
    NB_TRY(nb_plugin_load_list(getenv("NCPBENCH_PLUGINS")));
    NB_TRY(nb_command_parse(&nb_command_list, argc, argv, set, &arguments));
    if (arguments.schema) {
        if (arguments.kind) return nb_fail(NB_ERROR_USAGE, "list: --format schema takes no kind");
        nb_write_scene_schema(stdout);
        return NB_OK;
    }
    if (arguments.name && strncmp(arguments.name, "petsc", 5) == 0) NB_TRY(nb_plugin_load_own("petsc", 0, NULL));
    NB_TRY(find_kinds(arguments.kind, &first, &last));
    if (arguments.name) NB_TRY(find_entry(&nb_named_kinds[first], arguments.name, &one));
    nb_json json = {.stream = stdout, .indent = 1};
    if (arguments.json) nb_json_object(&json, NULL);
    for (int i = first; i <= last; i++) {
        if (arguments.json)
            NB_TRY(write_kind(&json, &nb_named_kinds[i], arguments.name));
        else if (arguments.name)
            NB_TRY(print_one(&nb_named_kinds[i], &one));
        else if (arguments.kind)
            print_kind(&nb_named_kinds[i]);
        else
            print_names(&nb_named_kinds[i]);
    }
    if (arguments.json) nb_json_end(&json);
out:
    return status;
}

const nb_command nb_command_list = {
    .name = "list",
    .arguments = "[KIND [NAME]]",
    .summary = "list scenarios, methods, solvers, figures, columns, datasets and devices",
    .details = "KIND is one of scenarios, methods, linear-solvers, preconditioners, ncp-functions, scalings, figures, "
               "columns, datasets, devices, listed with a line each; without it the names of all kinds are. With NAME, "
               "one of the kind has its "
               "parameters or options too, with units, defaults and ranges: ncpbench list scenarios arch.",
    .examples = "  ncpbench list scenarios\n"
                "  ncpbench list scenarios arch\n",
    .options = options,
    .run = list,
};
