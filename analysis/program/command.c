#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "text/plain.h"

typedef struct parsing {
    const nb_command *command;
    nb_option_setter *set;
    void *context;
    const struct argp_option *options;
    nb_status status;
} parsing;

const nb_command *const nb_commands[NB_COMMANDS] = {
    &nb_command_list,     &nb_command_run,     &nb_command_solve,     &nb_command_suite,
    &nb_command_merge,    &nb_command_bundle,  &nb_command_export,    &nb_command_gradient,
    &nb_command_optimize, &nb_command_figure,  &nb_command_reproduce, &nb_command_report_record,
    &nb_command_check,    &nb_command_compare, &nb_command_bench,     &nb_command_info,
};

const char nb_exit_statuses[] = "0 success, 1 a solve did not converge where that was asked for,\n"
                                "2 a check failed, 3 input or output, 64 usage, 130 interrupted.\n";

int nb_command_add_option(struct argp_option *list, int count, const struct argp_option *option) {
    const struct argp_option added = *option, *last = count > 0 ? &list[count - 1] : NULL;
    if (last && !last->name && (!added.name || added.group != last->group)) count--;
    list[count] = added;
    return count + 1;
}

const struct argp_option *nb_command_shared(const nb_command *command) {
    return command->takes ? nb_request_arguments(command->takes) : NULL;
}

void nb_command_options(const nb_command *command, struct argp_option list[NB_COMMAND_MOST_OPTIONS]) {
    const char *doc = command->takes ? "print this, or all of it with --help=all" : "print this and stop";
    const struct argp_option help[] = {{.name = "help", .key = 'h', .doc = doc, .group = -1}, {0}};
    const struct argp_option *tables[] = {command->options, nb_command_shared(command), help};
    int count = 0, group = 0;
    for (int t = 0; t < 3; t++)
        for (const struct argp_option *o = tables[t]; o && (o->name || o->doc) && count < NB_COMMAND_MOST_OPTIONS - 1;
             o++) {
            if (command->one_scene && o->name && strncmp(o->name, "batch", 5) == 0) continue;
            struct argp_option one = *o;
            group = one.group ? one.group : group + !one.name; /* as argp counts those that are 0 */
            one.group = group;
            count = nb_command_add_option(list, count, &one);
        }
    list[count] = (struct argp_option){0};
}

static int has_option(const nb_command *command, const char *name) {
    struct argp_option options[NB_COMMAND_MOST_OPTIONS];
    nb_command_options(command, options);
    for (const struct argp_option *o = options; o->name || o->doc; o++)
        if (o->name && strcmp(o->name, name) == 0) return 1;
    return 0;
}

void nb_command_owners(const char *name, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < NB_COMMANDS && used < size; i++)
        if (has_option(nb_commands[i], name))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : " (an option of ",
                                     nb_commands[i]->name);
    if (used > 0 && used < size) snprintf(text + used, size - used, ")");
}

/* the option of this long name, or of which it is the one beginning; *matches counts them */
static const struct argp_option *find_option(const struct argp_option *options, const char *name, int *matches) {
    const struct argp_option *found = NULL;
    *matches = 0;
    for (const struct argp_option *o = options; o->name || o->doc; o++) {
        if (!o->name || strncmp(o->name, name, strlen(name)) != 0) continue;
        found = o;
        ++*matches;
        if (strcmp(o->name, name) == 0) return *matches = 1, o;
    }
    return found;
}

/* why a long option was refused */
static nb_status explain_long(const parsing *p, const char *word) {
    char name[80], hint[256], owners[160];
    int matches;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const struct argp_option *o = find_option(p->options, name, &matches);
    if (matches > 1)
        return nb_fail(NB_ERROR_USAGE, "option --%s: several begin like this; write it out (see ncpbench %s --help)",
                       name, p->command->name);
    if (o && o->arg) return nb_fail(NB_ERROR_USAGE, "option --%s takes a value: %s", o->name, o->arg);
    if (o) return nb_fail(NB_ERROR_USAGE, "option --%s takes no value; '%.80s' gives one", o->name, word);
    const char *names[NB_COMMAND_MOST_OPTIONS];
    int count = 0;
    for (o = p->options; o->name || o->doc; o++)
        if (o->name && !(o->flags & OPTION_HIDDEN)) names[count++] = o->name;
    nb_name_hint("--", name, count, nb_name_listed, names, hint, sizeof hint);
    nb_command_owners(name, owners, sizeof owners);
    return nb_fail(NB_ERROR_USAGE, "unknown option '--%s'%s (see ncpbench %s --help)", name, *owners ? owners : hint,
                   p->command->name);
}

/* Why argp refused `word`: getopt's own messages take two lines and know no near misses. */
static nb_status explain(const parsing *p, const char *word) {
    if (strncmp(word, "--", 2) == 0) return explain_long(p, word);
    for (const struct argp_option *o = p->options; o->name || o->doc; o++)
        if (o->arg && o->key == word[1])
            return nb_fail(NB_ERROR_USAGE, "option -%c takes a value: %s", word[1], o->arg);
    return nb_fail(NB_ERROR_USAGE, "unknown option '%.80s' (see ncpbench %s --help)", word, p->command->name);
}

static error_t parse(int key, char *text, struct argp_state *state) {
    parsing *p = state->input;
    switch (key) {
    case ARGP_KEY_ERROR:
        if (p->status == NB_OK) p->status = explain(p, state->argv[state->next - 1]);
        return 0;
    case ARGP_KEY_INIT:
    case ARGP_KEY_FINI:
    case ARGP_KEY_SUCCESS:
    case ARGP_KEY_END:
    case ARGP_KEY_NO_ARGS:
    case ARGP_KEY_ARGS: return ARGP_ERR_UNKNOWN;
    case 'h': return 0; /* main looks for it before anything else */
    default: p->status = p->set(p->context, key, text); return p->status == NB_OK ? 0 : EINVAL;
    }
}

nb_status nb_command_parse(const nb_command *command, int argc, char **argv, nb_option_setter *set, void *context) {
    struct argp_option options[NB_COMMAND_MOST_OPTIONS];
    nb_command_options(command, options);
    parsing p = {.command = command, .set = set, .context = context, .options = options};
    struct argp argp = {.options = options, .parser = parse};
    error_t error = argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, &p);
    if (error == ENOMEM) return nb_fail(NB_ERROR_MEMORY, "out of memory while the options were parsed");
    return p.status;
}

nb_status nb_command_accuracy(const char *command, const char *text, double *accuracy, nb_cost_error *error) {
    static const char *const names[] = {"", "energy:", "residual:"};
    int of = 2;
    const nb_option to = {
        .name = "--to", .units = "", .minimum = 1e-300, .maximum = 1e300, .summary = "natural-map error"};
    while (of > 0 && strncmp(text, names[of], strlen(names[of])) != 0) of--;
    *error = (nb_cost_error)of;
    return nb_options_set(&to, 1, command, "--to", text + strlen(names[of]), accuracy);
}

nb_status nb_command_number(const char *name, const char *text, const char *units, double least, double most,
                            double *number) {
    const nb_option option = {.name = name, .units = units, .minimum = least, .maximum = most, .summary = ""};
    return nb_options_set(&option, 1, "command line", name, text, number);
}

nb_status nb_command_whole(const char *name, const char *text, int32_t least, int32_t most, int32_t *number) {
    const nb_option option = {
        .name = name, .units = "", .minimum = least, .maximum = most, .integer = 1, .summary = ""};
    double value = least;
    nb_status status = nb_options_set(&option, 1, "command line", name, text, &value);
    *number = (int32_t)value;
    return status;
}

nb_status nb_command_take(const nb_command *command, const char *text, const char **place) {
    if (*place) return nb_fail(NB_ERROR_USAGE, "%s: '%.80s' is one argument too many", command->name, text);
    *place = text;
    return NB_OK;
}

nb_status nb_command_format(const char *text, int *json) {
    static const char *const formats[] = {"text", "json"};
    return nb_name_choose("--format", text, formats, 2, json);
}

void nb_command_report(const char *where) {
    nb_print(stderr, "ncpbench: %s%s%s\n", where ? where : "", where ? ": " : "", nb_error_message());
}

/* ---- command lines as text ---- */

/* the word for a shell: as it is, or in single quotes */
static char *quote(char *out, const char *word) {
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    if (*word && strspn(word, plain) == strlen(word)) return stpcpy(out, word);
    *out++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            out = stpcpy(out, "'\\''");
        else
            *out++ = *word;
    }
    *out++ = '\'';
    *out = '\0';
    return out;
}

nb_status nb_command_line(int argc, char **argv, char **line) {
    int64_t most = (int64_t)sizeof "ncpbench";
    for (int i = 0; i < argc; i++) most += 4 * (int64_t)strlen(argv[i]) + 3;
    nb_status status = NB_ALLOCATE(most, line);
    if (status != NB_OK) return status;
    char *out = stpcpy(*line, "ncpbench");
    for (int i = 0; i < argc; i++) {
        *out++ = ' ';
        out = quote(out, argv[i]);
    }
    return NB_OK;
}
