/* The options of the methods in the table: they are options of the command line by their own names, and parameters of a
 * run, "method.NAME". */
#ifndef NB_ANALYSIS_METHOD_OPTIONS_H
#define NB_ANALYSIS_METHOD_OPTIONS_H

#include "base/options.h"
#include "reason.h"
#include "record/run.h"

struct nb_method_class_f64; /* nb_method_class */

/* Option `i` of all; NULL after the last. Where several methods have one of the same name it comes once, and is the
 * first method's. */
const nb_option *nb_method_option_at(int i, const struct nb_method_class_f64 **owner);

/* The option of this name, where - and _ are the same; NULL: none. */
const nb_option *nb_method_option_find(const char *name, const struct nb_method_class_f64 **owner);

/* The place of the option of this name, where - and _ are the same, among a method's own, or -1. */
int nb_method_option_place(const struct nb_method_class_f64 *method, const char *name);

/* What the run has the options set to, else their standard values. */
void nb_method_option_values(const nb_run_info *info, const nb_option *options, int count, double *values);

/* What the run's method says may help where steps fell short, or NULL. */
const char *nb_method_advice(const nb_run_info *info, nb_shortfall how);

#endif
