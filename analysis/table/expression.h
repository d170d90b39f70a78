/* Expressions of the rules for claims and of the heads of figures: numbers, names, + - * / ^, comparisons (chains such
 * as 0 < x <= 1, too), and, or, not, brackets, and the functions min, max, abs, sqrt and log10. What is true is 1, what
 * is false 0. A comparison with NaN is false. Every other FUNCTION(text) is asked of the caller, with the text between
 * its brackets. */
#ifndef NB_ANALYSIS_TABLE_EXPRESSION_H
#define NB_ANALYSIS_TABLE_EXPRESSION_H

#include "base/status.h"

/* The number of a name, or of a function of `argument` (else NULL). A fault ends the evaluation. */
typedef nb_status nb_expression_lookup(void *context, const char *name, const char *argument, double *value);

/* NB_ERROR_INPUT with one line that shows where the text makes no sense, or the fault of `lookup`. */
nb_status nb_expression_value(const char *text, nb_expression_lookup *lookup, void *context, double *value);

#endif
