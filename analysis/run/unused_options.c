#include "run/unused_options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "run/method_options.h"
#include "run/setting_effect.h"
#include "text/plain.h"

/* what became of one option */
typedef struct fate {
    int acts;
    char by[256];                    /* what leaves it without effect: "jacobi, cholesky" */
    char remedy[2 * NB_NAME_LENGTH]; /* for the first of these */
} fate;

struct nb_unused_options {
    const nb_parameter_grid *grid;
    nb_request *scratch;
    fate *fates; /* [count], an option each */
    int64_t count;
};

nb_status nb_unused_options_create(const nb_parameter_grid *grid, nb_unused_options **unused) {
    nb_status status;
    nb_given_option given;
    nb_unused_options *u = NULL;
    NB_TRY(NB_ALLOCATE(1, &u));
    u->grid = grid;
    while (nb_parameter_grid_given(grid, u->count, &given)) u->count++;
    NB_TRY(NB_ALLOCATE(u->count, &u->fates));
    NB_TRY(NB_ALLOCATE(1, &u->scratch));
out:
    if (status != NB_OK) {
        nb_unused_options_destroy(u);
        u = NULL;
    }
    *unused = u;
    return status;
}

void nb_unused_options_destroy(nb_unused_options *unused) {
    if (!unused) return;
    nb_free(unused->fates);
    nb_free(unused->scratch);
    nb_free(unused);
}

/* an option that is replaced where it cannot act; it was asked for what the run has */
static int is_as_made(const nb_given_option *given, const nb_request *request) {
    static const size_t replaced[] = {offsetof(nb_request, info.geometry), offsetof(nb_request, info.preconditioner)};
    const nb_request_option *option = nb_request_option_at(given->option);
    char text[NB_OPTION_TEXT];
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        if (given->name || option->field != replaced[i]) continue;
        nb_request_option_text(option, request, 6, text);
        return given->count == 1 && strcmp(given->values[0], text) == 0 ? 1 : -1;
    }
    return 0;
}

/* Whether its one value is the one that holds where nobody says: what asks for nothing is not refused. */
static int asks_for_nothing(const nb_unused_options *u, const nb_given_option *given, const nb_request *request) {
    const nb_request_option *option = nb_request_option_at(given->option);
    char before[NB_OPTION_TEXT], after[NB_OPTION_TEXT];
    const struct nb_method_class_f64 *owner;
    const int made = is_as_made(given, request);
    if (made || given->count > 1) return made > 0;
    if (given->name && option->field != offsetof(nb_request, method_options)) return 0;
    if (given->name) {
        const nb_option *own = nb_method_option_find(given->name, &owner);
        if (!own) return 0;
        nb_option_text(own, own->standard, 6, before, sizeof before);
        return strcmp(before, given->values[0]) == 0;
    }
    if (option->field == offsetof(nb_request, info.method)) return strcmp(given->values[0], "newton") == 0;
    nb_request_standard(u->scratch);
    nb_request_option_text(option, u->scratch, 17, before);
    if (nb_request_option_apply(option, "", given->values[0], u->scratch) != NB_OK) return 0;
    nb_request_option_text(option, u->scratch, 17, after);
    return strcmp(before, after) == 0;
}

/* the setting as setting_effect.h calls it */
static void name_setting(const nb_given_option *given, char name[NB_NAME_LENGTH + 32]) {
    const size_t field = nb_request_option_at(given->option)->field;
    const char *prefix = field == offsetof(nb_request, solver_options)           ? "linear-solver."
                         : field == offsetof(nb_request, preconditioner_options) ? "preconditioner."
                         : field == offsetof(nb_request, method_options)         ? "method."
                                                                                 : "";
    snprintf(name, NB_NAME_LENGTH + 32, "%s%s", prefix,
             given->name ? given->name : nb_request_option_at(given->option)->option.name + 2);
}

static int is_parameter(const nb_given_option *given) {
    return nb_request_option_at(given->option)->field == offsetof(nb_request, settings);
}

/* "jacobi" in "jacobi, cholesky" */
static int is_listed(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) return 1;
    return 0;
}

static void add(fate *f, const char *by, const char *remedy) {
    const size_t used = strlen(f->by);
    if (!used) snprintf(f->remedy, sizeof f->remedy, "%s", remedy);
    if (!is_listed(f->by, by) && used + strlen(by) + 3 < sizeof f->by)
        snprintf(f->by + used, sizeof f->by - used, "%s%s", used ? ", " : "", by);
}

void nb_unused_options_look(nb_unused_options *u, const nb_request *request) {
    nb_given_option given;
    char name[NB_NAME_LENGTH + 32];
    for (int64_t i = 0; i < u->count && nb_parameter_grid_given(u->grid, i, &given); i++) {
        fate *f = &u->fates[i];
        name_setting(&given, name);
        const nb_ignored ignored = is_parameter(&given) ? (nb_ignored){{0}, {0}} : nb_request_ignored(request, name);
        const char *lacks = nb_parameter_grid_lacks(&given, request);
        if (asks_for_nothing(u, &given, request) || !(*ignored.by || lacks))
            f->acts = 1;
        else
            add(f, *ignored.by ? ignored.by : lacks, ignored.remedy);
    }
}

/* "--recycle", or "--solver-option restart" where there is no short form */
static void name_option(const nb_given_option *given, char text[2 * NB_NAME_LENGTH]) {
    const nb_request_option *o;
    snprintf(text, 2 * NB_NAME_LENGTH, "%s%s%s", nb_request_option_at(given->option)->option.name,
             given->name ? " " : "", given->name ? given->name : "");
    for (int i = 0; given->name && (o = nb_request_option_at(i)) != NULL; i++)
        if (nb_request_option_list(o) == given->option && strcmp(o->option.name + 2, given->name) == 0)
            snprintf(text, 2 * NB_NAME_LENGTH, "%s", o->option.name);
}

nb_status nb_unused_options_check(const nb_unused_options *u) {
    nb_given_option given;
    char name[2 * NB_NAME_LENGTH];
    for (int64_t i = 0; i < u->count && nb_parameter_grid_given(u->grid, i, &given); i++) {
        const fate *f = &u->fates[i];
        if (f->acts || !*f->by) continue;
        name_option(&given, name);
        return nb_fail(NB_ERROR_USAGE, "%s has no effect with %s; use %s%sleave it out", name, f->by, f->remedy,
                       *f->remedy ? ", or " : "");
    }
    return NB_OK;
}

void nb_unused_options_note(const nb_unused_options *u, FILE *stream) {
    nb_given_option given;
    char name[2 * NB_NAME_LENGTH];
    for (int64_t i = 0; i < u->count && nb_parameter_grid_given(u->grid, i, &given); i++) {
        const fate *f = &u->fates[i];
        if (given.count > 1 || !f->acts || !*f->by) continue;
        name_option(&given, name);
        nb_print(stream, "%s has no effect with %s\n", name, f->by);
    }
}

int nb_unused_options_note_varying(const nb_unused_options *u, FILE *stream) {
    nb_given_option given;
    char name[2 * NB_NAME_LENGTH];
    int noted = 0;
    for (int64_t i = 0; i < u->count && nb_parameter_grid_given(u->grid, i, &given); i++) {
        const fate *f = &u->fates[i];
        if (given.count == 1 || !*f->by) continue;
        name_option(&given, name);
        nb_print(stream, "%s %s means nothing to %s", noted++ ? ";" : "", name + 2, f->by);
    }
    return noted;
}
