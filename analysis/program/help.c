/* --help of a command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "run/options.h"
#include "text/plain.h"

enum {
    WIDTH = 80,
    COLUMN = 28, /* where texts begin */
    FULL_COLUMN = 30,
    TEXT = 512,
    LARGEST_GROUP = 128
};

/* ---- what is printed ---- */

static const struct argp_option *find(const struct argp_option *options, const char *name) {
    for (const struct argp_option *o = options; o && (o->name || o->doc); o++)
        if (o->name && strcmp(o->name, name) == 0) return o;
    return NULL;
}

static int is_shared(const nb_command *command, const char *name) {
    return find(nb_command_shared(command), name) != NULL;
}

/* whether the option stands in the table with the same text */
static int has_same(const struct argp_option *options, const struct argp_option *o) {
    const struct argp_option *other = find(options, o->name);
    return other && strcmp(other->doc ? other->doc : "", o->doc ? o->doc : "") == 0;
}

/* Leaves the options that the command `as` does not have, too; returns whether any shared one is left. */
static int leave_own(const nb_command *command, struct argp_option *options) {
    struct argp_option from_as[NB_COMMAND_MOST_OPTIONS];
    int count = 0, left = 0;
    nb_command_options(command->as, from_as);
    for (const struct argp_option *o = options; o->name || o->doc; o++) {
        const int shared = o->name && is_shared(command, o->name);
        if (o->name && (shared ? find(from_as, o->name) != NULL : has_same(from_as, o))) continue;
        left |= shared;
        count = nb_command_add_option(options, count, o);
    }
    if (count > 0 && !options[count - 1].name) count--;
    options[count] = (struct argp_option){0};
    return left;
}

/* "The options of run are taken, too, but for --a, --b." */
static void say_shared(const nb_command *command, const struct argp_option *all, char *text, size_t size) {
    struct argp_option theirs[NB_COMMAND_MOST_OPTIONS];
    int count = 0;
    nb_command_options(command->as, theirs);
    size_t used = (size_t)snprintf(text, size, "\n\nThe options of %s are taken, too", command->as->name);
    for (const struct argp_option *o = theirs; o->name || o->doc; o++) {
        const struct argp_option *own = o->name ? find(all, o->name) : NULL;
        if (!o->name || o->flags & OPTION_HIDDEN || (own && !(own->flags & OPTION_HIDDEN)) || used >= size) continue;
        used += (size_t)snprintf(text + used, size - used, "%s--%s", count++ ? ", " : ", but for ", o->name);
    }
    if (used < size) snprintf(text + used, size - used, ".");
}

/* without --help, which all commands have */
static void leave_for_manual(const nb_command *command, struct argp_option *options) {
    int count = 0;
    if (command->as) leave_own(command, options);
    for (const struct argp_option *o = options; o->name || o->doc; o++)
        if (!o->name || strcmp(o->name, "help") != 0) options[count++] = *o;
    options[count] = (struct argp_option){0};
}

/* ---- in short: a line an option ---- */

/* a form of the command line, on lines that fit */
static void print_form(const char *start, const char *name, const char *words, size_t length) {
    char head[64];
    snprintf(head, sizeof head, "%s ncpbench %s [OPTION...]", start, name);
    size_t used = strlen(head);
    nb_print(stdout, "%s", head);
    for (size_t i = 0; i < length;) {
        const size_t word = strcspn(words + i, " \n");
        const int full = used + 1 + word > WIDTH;
        if (full) fputs("\n         ", stdout);
        nb_print(stdout, " %.*s", (int)word, words + i);
        used = (full ? 9 : used) + 1 + word;
        i += word + 1;
    }
    nb_print(stdout, "\n");
}

static void print_usage(const nb_command *command) {
    const char *start = "Usage:";
    const char *line = command->arguments ? command->arguments : "";
    do {
        const size_t length = strcspn(line, "\n");
        print_form(start, command->name, line, length);
        line += length + (line[length] == '\n');
        start = "  or: ";
    } while (*line);
    nb_print(stdout, "%s.\n", command->summary);
}

/* what stands before the first ';' or ':', and the default, which ends the text: "[pcr]" */
static void shorten(const char *doc, char text[TEXT]) {
    const size_t length = strlen(doc), most = WIDTH - COLUMN;
    const char *value = length > 0 && doc[length - 1] == ']' ? strrchr(doc, '[') : NULL;
    size_t end = 0;
    while (doc[end] && !(strchr(";:", doc[end]) && doc[end + 1] == ' ')) end++;
    snprintf(text, TEXT, "%.*s", (int)end, doc);
    if (end < length && value && end + 1 + strlen(value) <= most) snprintf(text + end, TEXT - end, " %s", value);
}

/* choices that do not fit beside the name stand in the text's place: "coulomb, relaxed [coulomb]" */
static void list_choices(const struct argp_option *o, char text[TEXT]) {
    const char *value = strrchr(o->doc, '[');
    size_t used = 0, length = strlen(o->arg);
    for (const char *c = o->arg; *c; c++) length += *c == '|';
    for (const char *c = o->arg; *c && used < TEXT - 2; c++) {
        text[used++] = *c == '|' ? ',' : *c;
        if (*c == '|' && length <= WIDTH - COLUMN) text[used++] = ' ';
    }
    if (used > WIDTH - COLUMN) { /* --help=all has the rest */
        used = WIDTH - COLUMN - sizeof ",...";
        while (text[used] != ',') used--;
        used += (size_t)snprintf(text + used, TEXT - used, ",...");
    }
    text[used] = '\0';
    if (value && used + 1 + strlen(value) <= WIDTH - COLUMN) snprintf(text + used, TEXT - used, " %s", value);
}

static void print_option(const struct argp_option *o) {
    char head[128], text[TEXT];
    const int has_key = o->key < 128;
    const int choices = o->arg && strchr(o->arg, '|') && strlen(o->name) + strlen(o->arg) + 5 > COLUMN - 2;
    if (choices)
        list_choices(o, text);
    else
        shorten(o->doc, text);
    snprintf(head, sizeof head, "%s%.1s%s--%s%s%s", has_key ? "-" : "", has_key ? (const char[]){(char)o->key, 0} : "",
             has_key ? ", " : "", o->name, o->arg ? "=" : "",
             choices  ? "NAME"
             : o->arg ? o->arg
                      : "");
    nb_print(stdout, "  %-*s  %s\n", COLUMN - 4, head, text);
}

/* "  Copies of the scene: --batch, --batch-seeds", on lines that fit */
static void print_names(const char *title, const struct argp_option *options, int group, const nb_command *of) {
    size_t used = strlen(title) + (*title ? 2 : 1);
    int count = 0;
    nb_print(stdout, "%*s", (int)used, title);
    for (const struct argp_option *o = options; o->name || o->doc; o++) {
        if (!o->name || o->flags & OPTION_HIDDEN || (of ? !is_shared(of, o->name) : o->group != group)) continue;
        const size_t word = strlen(o->name) + 3;
        const int full = used + 2 + word > WIDTH; /* with the commas */
        if (count++ > 0) fputs(",", stdout);
        if (full) fputs("\n     ", stdout);
        nb_print(stdout, " --%s", o->name);
        used = (full ? 5 : used + (count > 1)) + word;
    }
    nb_print(stdout, "\n");
}

/* the groups in their order: what is done, the record (below 0), plugins (100), --help */
static int group_at(int rank) {
    const int negative = LARGEST_GROUP - 2, plugins = 100;
    if (rank < plugins) return rank;
    if (rank < plugins + negative) return rank - plugins - LARGEST_GROUP + 1;
    return rank < LARGEST_GROUP + negative ? rank - negative : -1;
}

/* `details`: those headings whose options are named alone */
static void print_groups(const nb_command *command, const struct argp_option *options, int compact, int details) {
    for (int rank = 0; rank < 2 * LARGEST_GROUP - 1; rank++) {
        const int group = group_at(rank);
        const char *title = NULL;
        int any = 0;
        for (const struct argp_option *o = options; o->name || o->doc; o++) {
            if (o->group != group || (o->name && compact && is_shared(command, o->name))) continue;
            if (!o->name && ((o->flags & NB_OPTION_DETAILS) != 0) != details) break;
            if (!o->name) title = o->doc;
            if (!o->name && details && !compact) print_names(title, options, group, NULL);
            if (!o->name || details || o->flags & OPTION_HIDDEN) continue;
            if (!any) fputs("\n", stdout);
            if (!any++ && title) nb_print(stdout, " %s\n", title);
            print_option(o);
        }
    }
}

static void print_short(const nb_command *command) {
    struct argp_option options[NB_COMMAND_MOST_OPTIONS], own[NB_COMMAND_MOST_OPTIONS];
    nb_command_options(command, options);
    nb_command_options(command, own);
    const int compact = command->as && !leave_own(command, own);
    print_usage(command);
    print_groups(command, options, compact, 0);
    if (compact) {
        nb_print(stdout, "\n Options of %s, told by ncpbench %s --help:\n", command->as->name, command->as->name);
        print_names("", options, 0, command);
    } else {
        nb_print(stdout, "\n More, told by ncpbench %s --help=all and ncpbench list methods NAME:\n", command->name);
        print_groups(command, options, 0, 1);
    }
    if (compact && command->details)
        nb_print(stdout, "\nncpbench %s --help=all says what is computed, and how.\n", command->name);
}

/* ---- in full; argp_help would break some lines where its buffer ends ---- */

/* the words of a text from this column on, on lines that fit and begin there; lines that begin with blanks as they are
 */
static void print_wrapped(const char *text, size_t column) {
    size_t used = column;
    while (*text) {
        const size_t word = strcspn(text, " \n"), blanks = strspn(text, " ");
        if (*text == '\n') {
            fputs("\n", stdout);
            used = column;
            text++;
        } else if (blanks > 1 && used == column) {
            const size_t line = strcspn(text, "\n");
            nb_print(stdout, "%.*s", (int)line, text);
            text += line;
        } else if (blanks > 0) {
            text += blanks;
        } else {
            const int full = used > column && used + 1 + word >= WIDTH;
            if (full) nb_print(stdout, "\n%*s", (int)column, "");
            nb_print(stdout, "%s%.*s", full || used == column ? "" : " ", (int)word, text);
            used = (full || used == column ? column : used + 1) + word;
            text += word;
        }
    }
    fputs("\n", stdout);
}

static void print_option_in_full(const struct argp_option *o) {
    char head[256];
    if (o->key < 128)
        snprintf(head, sizeof head, "  -%c, --%s", o->key, o->name);
    else
        snprintf(head, sizeof head, "      --%s", o->name);
    const size_t used = strlen(head);
    snprintf(head + used, sizeof head - used, "%s%s", o->arg ? "=" : "", o->arg ? o->arg : "");
    if (strlen(head) + 2 > FULL_COLUMN)
        nb_print(stdout, "%s\n%*s", head, FULL_COLUMN, "");
    else
        nb_print(stdout, "%-*s", FULL_COLUMN, head);
    print_wrapped(o->doc, FULL_COLUMN);
}

static void print_in_full(const nb_command *command, nb_help level) {
    struct argp_option options[NB_COMMAND_MOST_OPTIONS];
    char shared[2048] = "";
    nb_command_options(command, options);
    if (level == NB_HELP_MANUAL) {
        if (command->as) say_shared(command, options, shared, sizeof shared);
        leave_for_manual(command, options);
    }
    print_usage(command);
    for (int rank = 0; rank < 2 * LARGEST_GROUP - 1; rank++) {
        int any = 0;
        for (const struct argp_option *o = options; o->name || o->doc; o++) {
            if (o->group != group_at(rank) || o->flags & OPTION_HIDDEN) continue;
            if (!any++) fputs("\n", stdout);
            if (o->name)
                print_option_in_full(o);
            else
                nb_print(stdout, " %s\n", o->doc);
        }
    }
    if (command->details) fputs("\n", stdout), print_wrapped(command->details, 0);
    if (*shared) print_wrapped(shared + 1, 0);
}

void nb_command_help(const nb_command *command, nb_help level) {
    if (level == NB_HELP_SHORT && command->takes)
        print_short(command);
    else
        print_in_full(command, level);
    if (level == NB_HELP_MANUAL) return;
    if (command->examples) fputs("\nExamples:\n", stdout), fputs(command->examples, stdout);
    if (command->takes) fputs("\nExit status: ", stdout), fputs(nb_exit_statuses, stdout);
}
