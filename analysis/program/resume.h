/* Making an interrupted command whole: its command line, and those of its runs that were finished. */
#ifndef NB_PROGRAM_RESUME_H
#define NB_PROGRAM_RESUME_H

#include "run/checkpoint.h"
#include "run/simulate.h"

/* The words of the command `name` from a line that nb_command_line made, the program's name left out; words[0 .. count
 * - 1] and their text are one piece of memory, given back with nb_free(words). */
nb_status nb_resume_words(const char *line, const char *name, int *count, char ***words);

/* Whether there is nothing to go on with since the record is whole: no checkpoint is beside it, and the command `name`
 * wrote it. This is said on standard error. */
nb_status nb_resume_is_whole(const char *record, const char *name, int *whole);

/* Told of each run that an interrupted command has recorded; *own: it is taken for one of those that it is to make. */
typedef nb_status nb_resume_visitor(void *context, const nb_run *run, int *own);

/* Shows `visit` the runs that the command recorded of which the checkpoint is. They are in the record's own file after
 * Ctrl-C, and in the one beside it that was being written when the program was killed: *source (owned by the caller;
 * NULL: there are none). *count: how many runs are its own. */
nb_status nb_resume_find(const nb_checkpoint *checkpoint, const char *record, nb_resume_visitor *visit, void *context,
                         char **source, int64_t *count);

/* whether a run that was recorded is what this request asks for */
int nb_resume_is_run_of(const nb_request *request, const nb_run_info *info);

/* Removes what killed writers of the record left beside it, but for `kept` (or NULL) and this process's own. The record
 * must be open for writing: then nobody else is at it. */
void nb_resume_tidy(const char *record, const char *kept);

#endif
