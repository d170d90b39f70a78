#include "base/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the number of single-character edits between two short names (Levenshtein); capitals are no edits */
static int edit_distance(const char *a, const char *b) {
    enum {
        LONGEST = 64
    };
    int row[LONGEST + 1];
    int n = (int)strlen(b);
    if (n > LONGEST || strlen(a) > LONGEST) return LONGEST;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int change = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            diagonal = row[j];
            int gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < gap ? change : gap;
        }
    }
    return row[n];
}

int nb_name_find(const char *name, int count, const char *(*name_at)(const void *context, int i), const void *context) {
    for (int i = 0; i < count; i++)
        if (strcmp(name, name_at(context, i)) == 0) return i;
    return -1;
}

int nb_name_nearest(const char *name, int count, const char *(*name_at)(const void *context, int i),
                    const void *context) {
    int nearest = -1, least = 4;
    for (int i = 0; i < count; i++) {
        const char *candidate = name_at(context, i);
        int distance = edit_distance(name, candidate);
        /* a near miss: few edits, or the beginning of the name */
        if (*name && strncmp(name, candidate, strlen(name)) == 0) distance = 1;
        if (distance < least && distance < (int)strlen(candidate)) least = distance, nearest = i;
    }
    return nearest;
}

nb_status nb_name_unknown(const char *kind, const char *name, int count,
                          const char *(*name_at)(const void *context, int i), const void *context) {
    enum {
        ROOM = 320
    };
    char known[ROOM + 8] = "", hint[96] = "";
    int nearest = nb_name_nearest(name, count, name_at, context);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(known), length = strlen(name_at(context, i));
        if (used + length + 2 > ROOM) {
            snprintf(known + used, sizeof known - used, ", ...");
            break;
        }
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", name_at(context, i));
    }
    if (count == 0) return nb_fail(NB_ERROR_USAGE, "unknown %s '%.80s': there are none", kind, name);
    if (nearest >= 0) snprintf(hint, sizeof hint, "; did you mean '%s'?", name_at(context, nearest));
    return nb_fail(NB_ERROR_USAGE, "unknown %s '%.80s'%s (known: %s)", kind, name, hint, known);
}

static const char *option_name(const void *options, int i) {
    return ((const nb_option *)options)[i].name;
}

static const char *choice_name(const void *choices, int i) {
    return ((const char *const *)choices)[i];
}

void nb_options_standard(const nb_option *options, int count, double *values) {
    for (int i = 0; i < count; i++) values[i] = options[i].standard;
}

static nb_status parse_choice(const nb_option *option, const char *owner, const char *text, double *value) {
    int count = 0;
    while (option->choices[count]) count++;
    int i = nb_name_find(text, count, choice_name, option->choices);
    if (i < 0) {
        char kind[128];
        snprintf(kind, sizeof kind, "%s of %s", option->name, owner);
        return nb_name_unknown(kind, text, count, choice_name, option->choices);
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
