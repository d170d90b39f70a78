/* Completion of words in a shell: the program itself says what can stand there, from the tables that it works by. */
#ifndef NB_PROGRAM_COMPLETE_H
#define NB_PROGRAM_COMPLETE_H

#include "command.h"

/* Prints what the last of the words after "ncpbench", which may be begun, can be: a line each, with its meaning after a
 * tab. Returns 1 where the shell is to offer files. */
int nb_complete(int count, char **words);

#endif
