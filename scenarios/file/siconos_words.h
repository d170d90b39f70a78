/* Siconos's text a word at a time (private to scenarios/file): numbers between blanks. Faults are NB_ERROR_INPUT with
 * one line that names the text and the line at fault. */
#ifndef NB_SCENARIOS_SICONOS_WORDS_H
#define NB_SCENARIOS_SICONOS_WORDS_H

#include <stdint.h>

#include "base/status.h"

enum {
    NB_SICONOS_WORD = 64 /* characters of a word, with the zero at its end */
};

typedef struct nb_siconos_words {
    const char *name, *next, *end; /* of the text, which need not end in a zero */
    int64_t line;
    char word[NB_SICONOS_WORD]; /* the last one read */
} nb_siconos_words;

nb_status nb_siconos_bad(const nb_siconos_words *w, const char *what);

/* skips blanks; 0 at the end of the text */
int nb_siconos_more(nb_siconos_words *w);

/* how many words the rest of the text has */
int64_t nb_siconos_count(const nb_siconos_words *w);

/* The next word; `what` is expected. The word read is no such thing. */
nb_status nb_siconos_word(nb_siconos_words *w, const char *what);
nb_status nb_siconos_refuse(const nb_siconos_words *w, const char *what);

/* The next word, which must be this one. */
nb_status nb_siconos_expect(nb_siconos_words *w, const char *word);

/* What is left of the line. */
void nb_siconos_skip_line(nb_siconos_words *w);

/* a whole number from `least` to `most`; from a text within a word, with no sign */
nb_status nb_siconos_whole(nb_siconos_words *w, const char *what, int64_t least, int64_t most, int64_t *whole);

/* a finite number */
nb_status nb_siconos_real(nb_siconos_words *w, const char *what, double *value);

/* Whether the rest of the text can hold so many numbers: what keeps memory within its size. */
nb_status nb_siconos_check_left(const nb_siconos_words *w, const char *what, int64_t count);

/* so many numbers, which the caller frees */
nb_status nb_siconos_reals(nb_siconos_words *w, const char *what, int64_t count, double **values);

#endif
