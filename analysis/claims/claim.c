#include "claims/claim.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "figure/script.h"

/* ---- lines ---- */

/* the lines as one text, whose ends of lines the readers put zeros at; the caller frees it */
static nb_status join(const char *const *lines, char **text) {
    size_t size = 1;
    for (const char *const *line = lines; *line; line++) size += strlen(*line) + 1;
    nb_status status = NB_ALLOCATE((int64_t)size, text);
    if (status != NB_OK) return status;
    char *to = *text;
    for (const char *const *line = lines; *line; line++) {
        size_t length = strcspn(*line, "\n");
        memcpy(to, *line, length);
        to[length] = '\n';
        to += length + 1;
    }
    return NB_OK;
}

/* the next line, without its end, or NULL; *at goes on */
static char *next_line(char **at) {
    char *line = *at;
    if (!*line) return NULL;
    size_t length = strcspn(line, "\n");
    *at = line + length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

/* ---- the list ---- */

enum {
    LIST_COLUMNS = 7
};

static nb_status find(const nb_claims *claims, const char *id, nb_claim **claim) {
    *claim = NULL;
    for (int i = 0; i < claims->count && !*claim; i++)
        if (strcmp(claims->claims[i].id, id) == 0) *claim = &claims->claims[i];
    return *claim ? NB_OK : nb_fail(NB_ERROR_INPUT, "claims: the list has no '%.80s'", id);
}

static nb_status read_claim(char *line, nb_claims *claims) {
    const char *column[LIST_COLUMNS];
    int count = 0;
    nb_claim *known;
    for (char *at = line; count < LIST_COLUMNS; at++) {
        size_t length = strcspn(at, "\t");
        int more = at[length] == '\t';
        at[length] = '\0';
        column[count++] = strcmp(at, "-") == 0 ? "" : at;
        at += length;
        if (!more) break;
    }
    if (count < LIST_COLUMNS || !strchr(column[0], '-'))
        return nb_fail(NB_ERROR_INPUT, "claims: the line of '%.80s' has no id or fewer than %d columns", line,
                       (int)LIST_COLUMNS);
    if (find(claims, column[0], &known) == NB_OK)
        return nb_fail(NB_ERROR_INPUT, "claims: '%.80s' is there twice", column[0]);
    claims->claims[claims->count++] = (nb_claim){.id = column[0],
                                                 .paper = column[1],
                                                 .place = column[2],
                                                 .text = column[3],
                                                 .published = column[4],
                                                 .conditions = column[5],
                                                 .hint = column[6]};
    return NB_OK;
}

static nb_status read_list(const char *const *lines, nb_claims *claims) {
    nb_status status;
    int count = 0;
    while (lines[count]) count++;
    NB_TRY(join(lines, &claims->list));
    NB_TRY(NB_ALLOCATE(count, &claims->claims));
    char *at = claims->list, *line = next_line(&at); /* the titles of the columns */
    while (line && (line = next_line(&at)) != NULL)
        if (*line) NB_TRY(read_claim(line, claims));
out:
    return status;
}

/* ---- the rules ---- */

static const struct {
    const char *name;
    size_t offset;
} keys[] = {
    {"claim", 0},
    {"run", 0},
    {"prints", 0},
    {"takes", 0},
    {"failures", 0},
    {"times", 0},
    {"set-up", 0},
    {"rival", 0},
    {"summary", 0},
    {"quote", offsetof(nb_claim, quote)},
    {"from", offsetof(nb_claim, from)},
    {"figure", offsetof(nb_claim, figure)},
    {"says", offsetof(nb_claim, says)},
    {"note", offsetof(nb_claim, note)},
    {"first rule", offsetof(nb_claim, first_rule)},
    {"script", offsetof(nb_claim, script)},
    {"holds", offsetof(nb_claim, holds)},
    {"in part", offsetof(nb_claim, in_part)},
    {"misprint", offsetof(nb_claim, misprint)},
    {"not testable", offsetof(nb_claim, not_testable)},
};

enum {
    KEY_CLAIM,
    KEY_RUN,
    KEY_PRINTS,
    KEY_TAKES,
    KEY_FAILURES,
    KEY_TIMES,
    KEY_SETUP,
    KEY_RIVAL,
    KEY_SUMMARY,
    KEYS = sizeof keys / sizeof *keys
};

static const char *key_at(const void *context, int i) {
    (void)context;
    return keys[i].name;
}

static nb_status wrong(const nb_claim *claim, const char *line, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "claims: %.40s: '%.100s': %s", claim ? claim->id : "before the first claim", line,
                   what);
}

const char *const nb_claim_setup_names[NB_SETUPS] = {"unstated", "published", "ours", "unpublished"};

/* "KIND", or "KIND; TEXT", which all but published ones have */
static nb_status set_setup(char *value, nb_claim *claim) {
    const size_t length = strcspn(value, ";");
    int kind = NB_SETUP_PUBLISHED;
    while (kind < NB_SETUPS && !nb_name_is(nb_claim_setup_names[kind], value, length)) kind++;
    if (kind == NB_SETUPS) return wrong(claim, value, "a set-up is published, ours or unpublished");
    if (claim->setup) return wrong(claim, value, "there is such a line already");
    claim->setup = (nb_claim_setup)kind;
    claim->setup_note = value + length + strspn(value + length, "; ");
    if (!*claim->setup_note && kind != NB_SETUP_PUBLISHED)
        return wrong(claim, value, "it does not say what differs or is missing");
    return NB_OK;
}

/* "OLD => NEW" */
static nb_status add_rival(char *value, nb_claim *claim) {
    char *arrow = strstr(value, " => ");
    if (!arrow || arrow == value) return wrong(claim, value, "a rival is OLD => NEW");
    if (claim->rival_count == NB_CLAIM_RIVALS) return wrong(claim, value, "there are too many lines of a rival");
    *arrow = '\0';
    claim->rivals[claim->rival_count++] = (nb_claim_rival){value, arrow + 4};
    return NB_OK;
}

static nb_status add_summary(const char *value, nb_claims *claims) {
    int count = 0;
    while (claims->summaries[count]) count++;
    if (count == NB_CLAIM_SUMMARIES - 1) return wrong(NULL, value, "there are too many summaries");
    claims->summaries[count] = value;
    return NB_OK;
}

const char *const nb_aggregate_names[NB_AGGREGATES] = {"least", "most",   "mean",  "median",
                                                       "sum",   "number", "share", "one"};

nb_aggregate nb_aggregate_find(const char *text, size_t length) {
    int i = 0;
    while (i < NB_AGGREGATES &&
           !(strlen(nb_aggregate_names[i]) == length && strncmp(nb_aggregate_names[i], text, length) == 0))
        i++;
    return (nb_aggregate)i;
}

/* text NULL: the script prints it */
static nb_status add_measure(const char *name, const char *text, nb_claim *claim) {
    if (claim->measure_count == NB_CLAIM_MEASURES) return wrong(claim, name, "there are too many measures");
    if (nb_aggregate_find(name, strlen(name)) != NB_AGGREGATES)
        return wrong(claim, name, "its name means something else");
    for (int i = 0; i < claim->measure_count; i++)
        if (strcmp(claim->measures[i].name, name) == 0) return wrong(claim, name, "there is such a measure already");
    claim->measures[claim->measure_count++] = (nb_claim_measure){name, text};
    return NB_OK;
}

static nb_status add_printed(char *names, nb_claim *claim) {
    nb_status status = NB_OK;
    char *rest;
    if (claim->measure_count > 0) return wrong(claim, names, "what a script prints stands before all measures");
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        NB_TRY(add_measure(name, NULL, claim));
out:
    return status;
}

static nb_status set_key(int key, char *value, nb_claim *claim) {
    int runs = 0;
    char *end;
    switch (key) {
    case KEY_PRINTS: return add_printed(value, claim);
    case KEY_RUN:
        while (claim->runs[runs]) runs++;
        if (runs == NB_CLAIM_RUNS) return wrong(claim, value, "there are too many runs");
        claim->runs[runs] = value;
        return NB_OK;
    case KEY_TAKES:
        claim->takes = strtod(value, &end);
        return end != value && !*end && claim->takes >= 0 ? NB_OK : wrong(claim, value, "seconds are expected");
    case KEY_FAILURES:
        claim->failures_count = 1;
        return strcmp(value, "count") == 0 ? NB_OK : wrong(claim, value, "failures count, or are not named");
    case KEY_TIMES:
        claim->quiet = 1;
        return strcmp(value, "quiet") == 0 ? NB_OK : wrong(claim, value, "times are quiet, or are not named");
    case KEY_SETUP: return set_setup(value, claim);
    case KEY_RIVAL: return add_rival(value, claim);
    default: {
        const char **place = (const char **)(void *)((char *)claim + keys[key].offset);
        if (*place) return wrong(claim, value, "there is such a line already");
        *place = value;
        return NB_OK;
    }
    }
}

/* "NAME = TEXT"; *is_one: it is of this form */
static nb_status read_measure(char *line, nb_claim *claim, int *is_one) {
    size_t length = 0;
    while (isalnum((unsigned char)line[length]) || line[length] == '_') length++;
    *is_one = length > 0 && strncmp(line + length, " = ", 3) == 0;
    if (!*is_one) return NB_OK;
    if (!claim) return wrong(claim, line, "a measure belongs to a claim");
    line[length] = '\0';
    return add_measure(line, line + length + 3, claim);
}

static nb_status read_key(char *line, nb_claims *claims, nb_claim **claim) {
    size_t length = strcspn(line, ":");
    if (line[length] != ':') return wrong(*claim, line, "it is neither KEY: VALUE nor NAME = MEASURE");
    line[length] = '\0';
    char *value = line + length + 1;
    value += strspn(value, " ");
    int key = 0;
    while (key < KEYS && strcmp(keys[key].name, line) != 0) key++;
    if (key == KEYS) {
        (void)nb_name_unknown("key", line, KEYS, key_at, NULL);
        char message[1024];
        snprintf(message, sizeof message, "%s", nb_error_message());
        return wrong(*claim, line, message);
    }
    if (!*value) return wrong(*claim, line, "it says nothing");
    if (key == KEY_SUMMARY) return add_summary(value, claims);
    if (key != KEY_CLAIM) return *claim ? set_key(key, value, *claim) : wrong(*claim, line, "it belongs to a claim");
    nb_status status = find(claims, value, claim);
    if (status == NB_OK && (*claim)->ruled) status = wrong(*claim, value, "there are two rules for it");
    if (status == NB_OK) (*claim)->ruled = 1;
    return status;
}

const nb_claim_source *nb_claim_source_find(const nb_claim_source *sources, const char *line) {
    size_t length = strcspn(line, " ");
    for (; sources->name; sources++)
        if (strlen(sources->name) == length && strncmp(sources->name, line, length) == 0) return sources;
    return NULL;
}

static int is_figure(const char *name) {
    const nb_figure_class *figure;
    for (int i = 0; (figure = nb_figure_at(i)) != NULL; i++)
        if (strcmp(figure->name, name) == 0) return 1;
    return 0;
}

/* whether every {NAME} of the sentence is a measure */
static nb_status check_sentence(const nb_claim *claim) {
    for (const char *at = claim->says; at && (at = strchr(at, '{')) != NULL; at++) {
        const size_t length = strcspn(at + 1, "}");
        int i = 0;
        while (i < claim->measure_count && !nb_name_is(claim->measures[i].name, at + 1, length)) i++;
        if (i == claim->measure_count) return wrong(claim, at, "there is no such measure");
    }
    return NB_OK;
}

int nb_claim_is_judged(const nb_claim *claim) {
    return claim->holds || claim->in_part || claim->misprint;
}

/* what the lines of a claim say together */
static nb_status check(nb_claim *claim) {
    if (!claim->ruled) return NB_OK;
    if (claim->from && !is_figure(claim->from)) return wrong(claim, claim->from, "there is no such figure");
    if (claim->figure && !is_figure(claim->figure)) return wrong(claim, claim->figure, "there is no such figure");
    if (!claim->figure) claim->figure = claim->from;
    if (claim->script && !nb_claim_source_find(nb_claim_sources, claim->script))
        return wrong(claim, claim->script, "there is no such script");
    if (!claim->script == (claim->measure_count > 0 && !claim->measures[0].text))
        return wrong(claim, "script", "a script and what it prints belong together");
    if (!!nb_claim_is_judged(claim) + !!claim->not_testable != 1 ||
        (claim->misprint && (claim->holds || claim->in_part)))
        return wrong(claim, "holds", "a rule has 'holds' or 'in part' or both, or 'misprint', or 'not testable'");
    if (claim->not_testable && claim->measure_count > 0) return wrong(claim, "not testable", "it has measures");
    return check_sentence(claim);
}

nb_status nb_claims_read(const char *const *list, const char *const *rules, nb_claims *claims) {
    nb_status status;
    nb_claim *claim = NULL;
    *claims = (nb_claims){0};
    NB_TRY(read_list(list, claims));
    NB_TRY(join(rules, &claims->rules));
    char *at = claims->rules, *line;
    while ((line = next_line(&at)) != NULL) {
        int is_measure;
        if (*line == '#' || !*line) continue;
        NB_TRY(read_measure(line, claim, &is_measure));
        if (!is_measure) NB_TRY(read_key(line, claims, &claim));
    }
    for (int i = 0; i < claims->count; i++) NB_TRY(check(&claims->claims[i]));
out:
    return status;
}

void nb_claims_clear(nb_claims *claims) {
    nb_free(claims->claims);
    nb_free(claims->list);
    nb_free(claims->rules);
    *claims = (nb_claims){0};
}

int nb_claim_paper_length(const nb_claim *claim) {
    return (int)(strrchr(claim->id, '-') - claim->id);
}

/* ---- rivals ---- */

/* writes `text` with each rival's OLD replaced by its NEW; marks those found */
static void write_replaced(const nb_claim *claim, const char *text, char found[NB_CLAIM_RIVALS], FILE *out) {
    while (*text) {
        int i = 0;
        while (i < claim->rival_count && strncmp(text, claim->rivals[i].old, strlen(claim->rivals[i].old)) != 0) i++;
        if (i < claim->rival_count) {
            fputs(claim->rivals[i].new, out);
            text += strlen(claim->rivals[i].old);
            found[i] = 1;
        } else
            fputc(*text++, out);
    }
    fputc('\0', out);
}

/* the texts that a rival changes, one after the other; `i` from 0, NULL ends them */
static const char **text_at(nb_claim *claim, int i) {
    int runs = 0;
    while (claim->runs[runs]) runs++;
    if (i < runs) return &claim->runs[i];
    if (i == runs) return &claim->script;
    return i - runs <= claim->measure_count ? &claim->measures[i - runs - 1].text : NULL;
}

nb_status nb_claim_make_rival(const nb_claim *claim, nb_claim *rival, char **text) {
    char found[NB_CLAIM_RIVALS] = {0};
    size_t size = 0;
    const char **at;
    if (claim->rival_count == 0) return nb_fail(NB_ERROR_INPUT, "claims: %s has no rival", claim->id);
    FILE *out = open_memstream(text, &size);
    if (!out) return nb_fail(NB_ERROR_MEMORY, "there is no memory for the rival of %s", claim->id);
    *rival = *claim;
    for (int i = 0; (at = text_at(rival, i)) != NULL; i++)
        if (*at) write_replaced(claim, *at, found, out);
    if (fclose(out) != 0) return nb_fail(NB_ERROR_MEMORY, "there is no memory for the rival of %s", claim->id);
    const char *written = *text;
    for (int i = 0; (at = text_at(rival, i)) != NULL; i++)
        if (*at) {
            *at = written;
            written += strlen(written) + 1;
        }
    for (int i = 0; i < claim->rival_count; i++)
        if (!found[i]) return wrong(claim, claim->rivals[i].old, "the rival finds it nowhere");
    return NB_OK;
}
