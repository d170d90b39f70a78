#include "command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "model/scene_settings.h"
#include "names.h"
#include "table/settings.h"
#include "text/plain.h"

/* what is completed: a word, or behind its '=', and in a comma list, the last item of it */
typedef struct place {
    const char *word; /* what stands before `item` is printed again */
    const char *item;
    char **before; /* the words before it, from the command on */
    int count;
} place;

static void offer(const place *at, const char *dashes, const char *name, const char *after, const char *meaning) {
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", dashes, name, after);
    if (strncmp(text, at->item, strlen(at->item)) == 0)
        nb_print(stdout, "%.*s%s\t%s\n", (int)(at->item - at->word), at->word, text, meaning);
}

static void offer_names(const place *at, const nb_named_kind *kind) {
    nb_named one;
    for (int i = 0; kind->at(i, &one); i++) offer(at, "", one.name, "", one.summary);
}

/* whether one of a kind has the option `name`, which goes to *option */
static int has_option(const nb_named_kind *kind, const char *name, size_t length, nb_option *option) {
    nb_named one;
    for (int i = 0; kind->at(i, &one); i++)
        for (int o = 0; o < one.option_count; o++)
            if (strlen(one.options[o].name) == length && strncmp(one.options[o].name, name, length) == 0) {
                *option = one.options[o];
                return 1;
            }
    return 0;
}

static int lists(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *item = list; *item; item += item[0] == ',') {
        const size_t this = strcspn(item, ",");
        if (this == length && strncmp(item, name, length) == 0) return 1;
        item += this;
    }
    return 0;
}

/* What word `i` names of a kind: the value of the kind's option, which bash may cut at '='; of scenarios, an argument;
 * NULL: nothing. */
static const char *value_of(const place *at, int i, const nb_named_kind *kind) {
    const char *word = at->before[i];
    const int cut = i > 0 && strcmp(at->before[i - 1], "=") == 0;
    const size_t length = kind->flag ? strlen(kind->flag) : 0;
    if (!kind->flag) return i > 0 && *word != '-' && !cut ? word : NULL;
    const int is_option = strncmp(word, "--", 2) == 0;
    if (is_option && strncmp(word + 2, kind->flag, length) == 0 && word[2 + length] == '=') return word + 3 + length;
    const char *option = i - 1 - cut >= 0 ? at->before[i - 1 - cut] : "";
    return !is_option && strncmp(option, "--", 2) == 0 && strcmp(option + 2, kind->flag) == 0 ? word : NULL;
}

/* whether the words before name this one, with `name` NULL any one of the kind */
static int is_named(const place *at, const nb_named_kind *kind, const char *name) {
    nb_named one;
    for (int i = 0; i < at->count; i++) {
        const char *list = value_of(at, i, kind);
        if (list && name && lists(list, name)) return 1;
        for (int k = 0; list && !name && kind->at(k, &one); k++)
            if (lists(list, one.name)) return 1;
    }
    return 0;
}

/* the options of those of a kind that the command line names, or else of all, each once */
static void offer_options_of(const place *at, const nb_named_kind *kind, const char *after) {
    const char *offered[256];
    const int any = !is_named(at, kind, NULL);
    int count = 0;
    nb_named one;
    for (int i = 0; kind->at(i, &one); i++)
        for (int o = 0; (any || is_named(at, kind, one.name)) && o < one.option_count; o++) {
            const nb_option *option = &one.options[o];
            int k = 0;
            while (k < count && strcmp(offered[k], option->name) != 0) k++;
            if (k < count || count == 256) continue;
            offered[count++] = option->name;
            offer(at, "", option->name, after, option->summary);
        }
}

/* what tells runs of a record apart: their settings, and parameters of scenarios */
static void offer_settings(const place *at, const char *after) {
    const nb_scene_setting *setting;
    for (int i = 0; i < nb_run_info_members.count; i++) {
        const nb_member *member = &nb_run_info_members.items[i];
        char name[NB_NAME_LENGTH];
        if (!nb_setting_kind(member->name)) continue;
        snprintf(name, sizeof name, "%s", member->name);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = '-';
        offer(at, "", name, after, "");
    }
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) offer(at, "", setting->option.name, after, "");
    offer_options_of(at, &nb_named_kinds[0], after);
    offer_options_of(at, &nb_named_kinds[1], after); /* of methods, whose prefix need not be typed */
}

/* behind "NAME=" of an option: the choices that NAME has, or the names that a setting takes */
static void offer_choices_of(const place *at, const char *flag, const char *name, size_t length) {
    int any = strcmp(flag, "where") == 0;
    for (int k = 0; k < NB_NAMED_KINDS; k++) {
        const nb_named_kind *kind = &nb_named_kinds[k];
        if (any && kind->flag && strlen(kind->flag) == length && strncmp(kind->flag, name, length) == 0)
            offer_names(at, kind);
        if (!kind->options_flag || (strcmp(kind->options_flag, flag) != 0 && !any)) continue;
        nb_option option;
        if (!has_option(kind, name, length, &option)) continue;
        for (int c = 0; option.choices && option.choices[c]; c++) offer(at, "", option.choices[c], "", "");
    }
}

/* the words to choose from where --help has some, "a|b|c" or "a,b,c" in lower case; whether there are */
static int offer_choices(const place *at, const char *text) {
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < length; i++)
        if (isupper((unsigned char)text[i]) || text[i] == '.') return 0;
    if (strcspn(text, "|,") >= length) return 0;
    for (const char *end = text + length; text < end;) {
        char name[64];
        size_t word = strcspn(text, "|, ");
        snprintf(name, sizeof name, "%.*s", (int)word, text);
        offer(at, "", name, "", "");
        text += word + 1;
    }
    return 1;
}

/* the values of an option; whether these are files */
static int offer_values(const place *at, const struct argp_option *o) {
    for (int k = 0; k < NB_NAMED_KINDS; k++) {
        const nb_named_kind *kind = &nb_named_kinds[k];
        if (kind->flag && strcmp(kind->flag, o->name) == 0) return offer_names(at, kind), 0;
        if (kind->options_flag && strcmp(kind->options_flag, o->name) == 0) return offer_options_of(at, kind, "="), 0;
    }
    if (strcmp(o->name, "where") == 0) return offer_settings(at, "="), 0;
    if (strcmp(o->name, "by") == 0) return offer_settings(at, ""), 0;
    return !offer_choices(at, o->arg) && (strstr(o->arg, "FILE") || strstr(o->arg, "DIR"));
}

/* what a command's argument can be, by the word that its --help uses for it; whether it is a file */
static int offer_arguments(const place *at, const nb_command *command) {
    const char *first = command->arguments + strspn(command->arguments, "[");
    if (strncmp(first, "SCENARIO", 8) == 0) offer_names(at, &nb_named_kinds[0]);
    for (int k = 0; k < NB_NAMED_KINDS; k++) {
        const nb_named_kind *kind = &nb_named_kinds[k];
        const char *given = strncmp(first, "KIND", 4) == 0 && at->count > 1 ? at->before[1] : NULL;
        if (given && strcmp(given, kind->name) == 0) offer_names(at, kind);
        if (strncmp(first, "KIND", 4) == 0 && !given) offer(at, "", kind->name, "", kind->title);
        if (strncmp(first, "NAME", 4) != 0 || strcmp(kind->name, "figures") != 0) continue;
        offer_names(at, kind);
        offer(at, "", "all", "", "every one that the record has the runs of");
    }
    for (int k = 0; nb_bench_kernels[k] && strncmp(first, "KERNEL", 6) == 0; k++)
        offer(at, "", nb_bench_kernels[k], "", nb_bench_summaries[k]);
    offer_choices(at, first);
    return strncmp(first, "FILE", 4) == 0 || strncmp(first, "PROBLEM", 7) == 0 || strncmp(first, "A.h5", 4) == 0;
}

/* the option "--NAME" or "-K" that takes a value */
static const struct argp_option *option_of(const struct argp_option *options, const char *word, size_t length) {
    for (const struct argp_option *o = options; o->name || o->doc; o++) {
        if (!o->name || !o->arg) continue;
        if (length == 2 && word[0] == '-' && word[1] == o->key) return o;
        if (length == strlen(o->name) + 2 && strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, length - 2) == 0)
            return o;
    }
    return NULL;
}

static int offer_commands(const place *at) {
    for (int i = 0; i < NB_COMMANDS; i++) offer(at, "", nb_commands[i]->name, "", nb_commands[i]->summary);
    offer(at, "--", "help", "", "how it is used");
    offer(at, "--", "version", "", "its version");
    return 0;
}

int nb_complete(int count, char **words) {
    struct argp_option options[NB_COMMAND_MOST_OPTIONS];
    const struct argp_option *option;
    const nb_command *command = NULL;
    const char *last = count > 0 ? words[count - 1] : "", *value = NULL, *name = NULL; /* of NAME=VALUE */
    if (count < 2) return offer_commands(&(place){.word = last, .item = last});
    for (int i = 0; i < NB_COMMANDS; i++)
        if (strcmp(nb_commands[i]->name, words[0]) == 0) command = nb_commands[i];
    if (!command) return 0;
    nb_command_options(command, options);
    if (strncmp(last, "--", 2) == 0 && strchr(last, '=')) {
        value = strchr(last, '=') + 1;
        option = option_of(options, last, (size_t)(value - 1 - last));
    } else { /* bash has '=' as a word of its own */
        int is_equals = strcmp(last, "=") == 0, split = is_equals || strcmp(words[count - 2], "=") == 0;
        int before = count - 2 + is_equals - split;
        last += is_equals;
        if (split && before > 0 && words[before][0] != '-') {
            name = words[before--];
            before -= before > 0 && strcmp(words[before], "=") == 0;
        }
        option = before > 0 ? option_of(options, words[before], strlen(words[before])) : NULL;
    }
    place at = {last, value ? value : last, words, count - 1};
    if (option && !name && strchr(at.item, '=')) {
        name = at.item;
        at.item = strchr(name, '=') + 1;
    }
    if (*last == '-' && !value) {
        for (const struct argp_option *o = options; o->name || o->doc; o++)
            if (o->name && !(o->flags & OPTION_HIDDEN)) offer(&at, "--", o->name, o->arg ? "=" : "", o->doc);
        return 0;
    }
    if (strrchr(at.item, ',')) at.item = strrchr(at.item, ',') + 1;
    if (name) return option ? (offer_choices_of(&at, option->name, name, strcspn(name, "=")), 0) : 0;
    return option ? offer_values(&at, option) : offer_arguments(&at, command);
}
