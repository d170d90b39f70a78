#include "siconos_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"

enum {
    LEAST = 2 /* bytes that a number takes, with the blank after it */
};

nb_status nb_siconos_bad(const nb_siconos_words *w, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %s", w->name, (long long)w->line, what);
}

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int nb_siconos_more(nb_siconos_words *w) {
    for (; w->next < w->end && is_blank(*w->next); w->next++) w->line += *w->next == '\n';
    return w->next < w->end;
}

int64_t nb_siconos_count(const nb_siconos_words *w) {
    int64_t count = 0;
    for (const char *c = w->next; c < w->end; c++) count += !is_blank(*c) && (c + 1 == w->end || is_blank(c[1]));
    return count;
}

nb_status nb_siconos_word(nb_siconos_words *w, const char *what) {
    int length = 0;
    if (!nb_siconos_more(w)) return nb_fail(NB_ERROR_INPUT, "'%.300s' ends where %s is expected", w->name, what);
    for (; w->next < w->end && !is_blank(*w->next); w->next++) {
        if (length == NB_SICONOS_WORD - 1)
            return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: a word of more than %d characters, expected %s",
                           w->name, (long long)w->line, NB_SICONOS_WORD - 1, what);
        w->word[length++] = *w->next < '!' || *w->next > '~' ? '?' : *w->next;
    }
    w->word[length] = '\0';
    return NB_OK;
}

nb_status nb_siconos_refuse(const nb_siconos_words *w, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: '%s' is no %s", w->name, (long long)w->line, w->word, what);
}

nb_status nb_siconos_expect(nb_siconos_words *w, const char *word) {
    nb_status status = nb_siconos_word(w, word);
    if (status != NB_OK || strcmp(w->word, word) == 0) return status;
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: '%s' stands where '%s' is expected", w->name,
                   (long long)w->line, w->word, word);
}

void nb_siconos_skip_line(nb_siconos_words *w) {
    while (w->next < w->end && *w->next != '\n') w->next++;
}

nb_status nb_siconos_whole(nb_siconos_words *w, const char *what, int64_t least, int64_t most, int64_t *whole) {
    nb_status status = nb_siconos_word(w, what);
    if (status != NB_OK) return status;
    size_t digits = strspn(w->word, "0123456789");
    if (digits == 0 || w->word[digits] || digits > 18) return nb_siconos_refuse(w, what);
    *whole = strtoll(w->word, NULL, 10);
    if (*whole >= least && *whole <= most) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %s is %lld, expected %lld to %lld", w->name,
                   (long long)w->line, what, (long long)*whole, (long long)least, (long long)most);
}

nb_status nb_siconos_real(nb_siconos_words *w, const char *what, double *value) {
    char *end;
    nb_status status = nb_siconos_word(w, what);
    if (status != NB_OK) return status;
    *value = strtod(w->word, &end);
    if (*end || w->word[strspn(w->word, "+-.0123456789eE")]) return nb_siconos_refuse(w, what);
    return isfinite(*value) ? NB_OK : nb_siconos_refuse(w, "finite number");
}

nb_status nb_siconos_check_left(const nb_siconos_words *w, const char *what, int64_t count) {
    int64_t most = (w->end - w->next + 1) / LEAST;
    if (count <= most) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %s takes %lld numbers, but there are bytes for %lld at most",
                   w->name, (long long)w->line, what, (long long)count, (long long)most);
}

nb_status nb_siconos_reals(nb_siconos_words *w, const char *what, int64_t count, double **values) {
    nb_status status;
    NB_TRY(nb_siconos_check_left(w, what, count));
    NB_TRY(NB_ALLOCATE(count, values));
    for (int64_t i = 0; i < count; i++) {
        NB_TRY(nb_interrupt_check());
        NB_TRY(nb_siconos_real(w, what, &(*values)[i]));
    }
out:
    return status;
}
