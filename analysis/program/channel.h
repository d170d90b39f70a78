/* What a child leaves its parent: a file without a name for its answer, and a pipe whose end says that it is over. */
#ifndef NB_PROGRAM_CHANNEL_H
#define NB_PROGRAM_CHANNEL_H

#include <stdio.h>

#include "base/status.h"

/* *answer: for reading and writing, shared with children, closed by the caller with fclose; alive: the pipe's ends, to
 * be closed with close: [0] is for the parent, [1] for the child, whose end closes it. `purpose` names the child in the
 * line of a fault ("a process for " it). NB_ERROR_IO, with nothing left open (NULL, -1, -1). */
nb_status nb_channel_open(const char *purpose, FILE **answer, int alive[2]);

#endif
