/* What an installation carries besides the program, written from the same tables that the program itself works by. */
#ifndef NB_PROGRAM_MANUAL_H
#define NB_PROGRAM_MANUAL_H

#include "command.h"

/* The manual page ncpbench(1) in roff's man macros, on standard output. */
void nb_manual_print(const nb_command *const *commands, int count);

/* A script on standard output that makes a shell ("bash", "zsh") complete commands, options, names and files.
 * NB_ERROR_USAGE for another shell. */
nb_status nb_completion_print(const char *shell, const nb_command *const *commands, int count);

#endif
