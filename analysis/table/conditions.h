/* Conditions on the settings of runs: "NAME=VALUE[,VALUE...]". NAME is a word for a setting (nb_setting_find); the
 * run's value is one of these, as a text or as a number ("1" and "0" are also "on" and "off"). */
#ifndef NB_ANALYSIS_TABLE_CONDITIONS_H
#define NB_ANALYSIS_TABLE_CONDITIONS_H

#include "base/status.h"
#include "record/record.h"
#include "record/run.h"

enum {
    NB_CONDITIONS = 16 /* at most */
};

typedef struct nb_conditions {
    const char *item[NB_CONDITIONS]; /* borrowed; all must hold */
    int count;
} nb_conditions;

/* NB_ERROR_USAGE where the text has another form. */
nb_status nb_conditions_add(nb_conditions *conditions, const char *text);

/* Whether the run meets the condition text [length], whose values stand between separators such as ','. */
int nb_condition_holds(const char *text, size_t length, char separator, const nb_run_info *info);

/* Whether it meets all; NULL: there are none. */
int nb_conditions_hold(const nb_conditions *conditions, const nb_run_info *info);

/* NB_ERROR_INPUT where no run of the record meets a condition, with the values that there are. */
nb_status nb_conditions_find(const nb_conditions *conditions, nb_record_reader *reader);

#endif
