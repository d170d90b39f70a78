/* The options of the methods in the table: they are options of the command line by their own names, and those that the
 * record's schema has are attributes of every run. All others stand in its parameters, "method.NAME". */
#ifndef NB_ANALYSIS_METHOD_OPTIONS_H
#define NB_ANALYSIS_METHOD_OPTIONS_H

#include "base/options.h"
#include "record/run.h"

struct nb_method_class_f64; /* nb_method_class */

/* Option `i` of all; NULL after the last. Where several methods have one of the same name it comes once, and is the
 * first method's. */
const nb_option *nb_method_option_at(int i, const struct nb_method_class_f64 **owner);

/* The option of this name, where - and _ are the same; NULL: none. */
const nb_option *nb_method_option_find(const char *name, const struct nb_method_class_f64 **owner);

/* The place of the option of this name, likewise, among a method's own, or -1. */
int nb_method_option_place(const struct nb_method_class_f64 *method, const char *name);

/* Whether the option of this name is an attribute of runs. */
int nb_method_option_is_attribute(const char *name);

/* What the run has it set to, as an attribute or in its parameters; else its standard value. */
double nb_method_option_value(const nb_run_info *info, const nb_option *option);

/* Sets the attribute of a run; an option that is none is left alone. */
void nb_method_option_set_attribute(nb_run_info *info, const nb_option *option, double value);

/* The value as text: the name of a choice, or a number of at most `digits` digits. */
void nb_option_text(const nb_option *option, double value, int digits, char *text, size_t size);

#endif
