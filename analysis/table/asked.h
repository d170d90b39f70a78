/* Whether recorded runs are those that a line of options asks for. */
#ifndef NB_ANALYSIS_TABLE_ASKED_H
#define NB_ANALYSIS_TABLE_ASKED_H

#include "record/run.h"

/* Removes from left[*count] the runs that `ncpbench run LINE` makes; threads, repetitions, device and seed may be
 * others. NB_ERROR_INPUT and NB_ERROR_USAGE where the line is wrong. */
nb_status nb_asked_strike(const char *line, const nb_run **left, int *count);

#endif
