/* Making an interrupted command whole: its command line, and those of its runs that were finished. */
#ifndef NB_PROGRAM_RESUME_H
#define NB_PROGRAM_RESUME_H

#include "checkpoint.h"
#include "plan.h"

/* The command's words from a line that nb_command_line made, the program's name left out; words[0 .. count - 1] and
 * their text are one piece of memory, given back with nb_free(words). */
nb_status nb_resume_words(const char *line, int *count, char ***words);

/* The finished runs of the command that the checkpoint is of. They are in the record's own file after Ctrl-C, and in
 * the one beside it that was being written when the program was killed: *source (owned by the caller; NULL: there are
 * none). done[i] is set for each run of the plan that is there, and *missed where one of them did not reach its
 * tolerance. */
nb_status nb_resume_find(const nb_plan *plan, const nb_checkpoint *checkpoint, const char *record, char **source,
                         char *done, int *missed);

/* Removes what killed writers of the record left beside it, but for `kept` (or NULL) and this process's own. The record
 * must be open for writing: then nobody else is at it. */
void nb_resume_tidy(const char *record, const char *kept);

#endif
