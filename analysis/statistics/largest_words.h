/* Where the natural map is largest, in words. */
#ifndef NB_ANALYSIS_LARGEST_WORDS_H
#define NB_ANALYSIS_LARGEST_WORDS_H

#include "record/run.h"

/* At this Newton row: "friction of contact 12 between body 3 and the world"; "" where the record does not tell. */
void nb_largest_words(const nb_run *run, int64_t row, char *text, size_t size);

/* The number of this column at the Newton row; NaN where the record does not tell. */
double nb_largest_number(const nb_run *run, int64_t row, nb_place_column column);

#endif
