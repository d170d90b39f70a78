#include "base/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* the number of edits between two short names: a letter more, less, another one, or two next to each other swapped
 * (restricted Damerau-Levenshtein); capitals are no edits */
static int edit_distance(const char *a, const char *b) {
    enum {
        LONGEST = 64
    };
    int rows[3][LONGEST + 1], n = (int)strlen(b), m = (int)strlen(a);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (int j = 0; j <= n; j++) rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            int change = above[j - 1] + (x != y), gap = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            row[j] = change < gap ? change : gap;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]) &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[m % 3][n];
}

int nb_name_is(const char *name, const char *text, size_t length) {
    if (strlen(name) != length) return 0;
    for (size_t i = 0; i < length; i++)
        if (name[i] != text[i] && !(strchr("-_", name[i]) && strchr("-_", text[i]))) return 0;
    return 1;
}

int nb_name_find(const char *name, int count, const char *(*name_at)(const void *context, int i), const void *context) {
    for (int i = 0; i < count; i++)
        if (strcmp(name, name_at(context, i)) == 0) return i;
    return -1;
}

enum {
    FAR = 1000,
    OF_A_WORD = 1, /* what a name counts as farther where it is only near from one of its words on: "macklin-fig18" */
    OF_EDITS = 10  /* ... and where it is only alike */
};

static int begins_with(const char *text, const char *start) {
    size_t length = strlen(start);
    return length > 0 && strncasecmp(text, start, length) == 0;
}

/* How far a name is from what was typed: that of which it is a later word, then that of which it is the beginning, then
 * that of which it begins a later word, then by the edits between them; FAR where they are not alike. */
static int farness(const char *typed, const char *name) {
    int least = FAR, most = ((int)strlen(typed) + 2) / 3;
    if (most > 3) most = 3;
    for (const char *word = name; word; word = strpbrk(word, "-_")) {
        word += *word == '-' || *word == '_';
        int later = word == name ? 0 : OF_A_WORD, edits = edit_distance(typed, word) + later;
        int far = later && strcasecmp(word, typed) == 0                       ? -1
                  : begins_with(word, typed) && (!later || strlen(typed) > 2) ? later
                  : edits <= most && edits < (int)strlen(word)                ? OF_EDITS + edits
                                                                              : FAR;
        if (far < least) least = far;
    }
    return least;
}

void nb_name_hint(const char *dashes, const char *name, int count, const char *(*name_at)(const void *context, int i),
                  const void *context, char *hint, size_t size) {
    enum {
        MOST = 3
    };
    int nearest[MOST], found = 0, limit;
    *hint = '\0';
    for (int i = 0; i < count; i++) {
        int far = farness(name, name_at(context, i)), place = found;
        if (far == FAR) continue;
        while (place > 0 && far < farness(name, name_at(context, nearest[place - 1]))) place--;
        if (place == MOST) continue;
        if (found < MOST) found++;
        memmove(nearest + place + 1, nearest + place, (size_t)(found - 1 - place) * sizeof *nearest);
        nearest[place] = i;
    }
    limit = found > 0 ? farness(name, name_at(context, nearest[0])) : FAR;
    if (limit == 0) limit = OF_A_WORD; /* all that begin so; else those that are as near as the nearest */
    while (found > 0 && farness(name, name_at(context, nearest[found - 1])) > limit) found--;
    for (int i = 0; i < found; i++) {
        size_t used = strlen(hint);
        snprintf(hint + used, size - used, "%s'%s%.60s'%s",
                 i == 0           ? "; did you mean "
                 : i + 1 == found ? " or "
                                  : ", ",
                 dashes, name_at(context, nearest[i]), i + 1 == found ? "?" : "");
    }
}

nb_status nb_name_unknown(const char *kind, const char *name, int count,
                          const char *(*name_at)(const void *context, int i), const void *context) {
    enum {
        ROOM = 320
    };
    char known[ROOM + 8] = "", hint[256];
    nb_name_hint("", name, count, name_at, context, hint, sizeof hint);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(known), length = strlen(name_at(context, i));
        if (used + length + 2 > ROOM) {
            snprintf(known + used, sizeof known - used, ", ...");
            break;
        }
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", name_at(context, i));
    }
    if (count == 0) return nb_fail(NB_ERROR_USAGE, "unknown %s '%.80s': there are none", kind, name);
    return nb_fail(NB_ERROR_USAGE, "unknown %s '%.80s'%s (known: %s)", kind, name, hint, known);
}

static const char *option_name(const void *options, int i) {
    return ((const nb_option *)options)[i].name;
}

void nb_options_standard(const nb_option *options, int count, double *values) {
    for (int i = 0; i < count; i++) values[i] = options[i].standard;
}

static nb_status parse_choice(const nb_option *option, const char *owner, const char *text, double *value) {
    int count = 0;
    while (option->choices[count]) count++;
    int i = nb_name_find(text, count, nb_name_listed, option->choices);
    if (i < 0) {
        char kind[128];
        snprintf(kind, sizeof kind, "%s of %s", option->name, owner);
        return nb_name_unknown(kind, text, count, nb_name_listed, option->choices);
    }
    *value = i;
    return NB_OK;
}

static nb_status parse_number(const nb_option *option, const char *owner, const char *text, double *value) {
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x))
        return nb_fail(NB_ERROR_USAGE, "%s: %s takes a number, not '%.80s'", owner, option->name, text);
    if (x < option->minimum || x > option->maximum) {
        int plain = !*option->units || strcmp(option->units, "1") == 0;
        return nb_fail(NB_ERROR_USAGE, "%s: %s = %.80s is out of range (%g to %g%s%s)", owner, option->name, text,
                       option->minimum, option->maximum, plain ? "" : " ", plain ? "" : option->units);
    }
    if (option->integer && x != floor(x))
        return nb_fail(NB_ERROR_USAGE, "%s: %s takes a whole number, not '%.80s'", owner, option->name, text);
    *value = x;
    return NB_OK;
}

nb_status nb_options_set(const nb_option *options, int count, const char *owner, const char *name, const char *text,
                         double *values) {
    int i = nb_name_find(name, count, option_name, options);
    if (i < 0) {
        char kind[128];
        snprintf(kind, sizeof kind, "parameter of %s", owner);
        return nb_name_unknown(kind, name, count, option_name, options);
    }
    return options[i].choices ? parse_choice(&options[i], owner, text, &values[i])
                              : parse_number(&options[i], owner, text, &values[i]);
}

void nb_option_text(const nb_option *option, double value, int digits, char *text, size_t size) {
    if (option->choices)
        snprintf(text, size, "%s", option->choices[value > 0 ? (int)value : 0]);
    else
        snprintf(text, size, "%.*g", digits, value);
}

const char *nb_name_listed(const void *names, int i) {
    return ((const char *const *)names)[i];
}

nb_status nb_name_choose(const char *kind, const char *name, const char *const *names, int count, int *index) {
    *index = nb_name_find(name, count, nb_name_listed, names);
    return *index < 0 ? nb_name_unknown(kind, name, count, nb_name_listed, names) : NB_OK;
}
