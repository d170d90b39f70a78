/* Where the natural map of a step is largest, in words. */
#ifndef NB_ANALYSIS_LARGEST_WORDS_H
#define NB_ANALYSIS_LARGEST_WORDS_H

#include "record/run.h"

/* Of the state that a step ends with: "friction of contact 12 between body 3 and the world; 4 open, 10 sticking, 2
 * sliding contacts"; "" where the record does not tell. */
void nb_largest_words(const nb_run *run, int32_t step, char *text, size_t size);

#endif
