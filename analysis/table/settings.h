/* The settings of runs, attributes and parameters, as comparisons see them: their kinds, their values, and those in
 * which runs differ.
 *
 * A setting that belongs to a scenario, a linear solver, a preconditioner or a method is compared among the runs of
 * that one alone: an arch has other parameters than a wall, which does not make them differ. A setting that a run does
 * not use (setting_effect.h) is not compared in that run. How often a run was timed is no setting. */
#ifndef NB_ANALYSIS_TABLE_SETTINGS_H
#define NB_ANALYSIS_TABLE_SETTINGS_H

#include <stddef.h>

#include "base/status.h"
#include "reason.h"
#include "record/record.h"
#include "record/run.h"

enum {
    NB_COMPARED_PROBLEM = 1,
    NB_COMPARED_SOLVER = 2
};

/* The attribute of this name; NULL: there is none. The name of attribute i, for nb_name_find. */
const nb_member *nb_setting_attribute(const char *name);
const char *nb_setting_attribute_at(const void *context, int i);

/* What kind of setting an attribute is: NB_COMPARED_PROBLEM, NB_COMPARED_SOLVER; 0: none, or no attribute. */
int nb_setting_kind(const char *name);
/* The same of a parameter, which always is of one kind. */
int nb_setting_parameter_kind(const char *name);

/* The standard value of a setting of the scene (model/scene_settings.h), as a record has it; 0 where there is none of
 * this name. Whether a value is that one. A record that is older than a setting lacks it: its runs have the standard
 * value. */
int nb_setting_standard(const char *name, char text[NB_NAME_LENGTH]);
int nb_setting_is_standard(const char *name, const char *value);

/* A parameter's value as tables and figures show it: of a library's option set ("-ksp_type cr -pc_type sor") the words
 * that are no option's name ("cr sor"), others as they are. */
void nb_setting_shorten(const char *value, char text[NB_NAME_LENGTH]);

/* The value of an attribute or a parameter; 0 where the run has none of this name, and there is no standard value. */
int nb_setting_value(const nb_run_info *info, const char *name, char value[NB_NAME_LENGTH]);

/* The name of the setting that a word of the command line or of a figure's script means, `word` [length], in which -
 * and _ are the same. The word is an attribute ("solver" is short for linear_solver), a parameter, with or without the
 * prefix that a record gives those of the scene ("scene.mu"), or what stands behind a parameter's dot ("omega").
 * Several may have the word behind their dots: `which` counts them from 0. 0 where the run has none. */
int nb_setting_name(const nb_run_info *info, const char *word, size_t length, int which, char name[NB_NAME_LENGTH]);

/* The value of the first of these. Only what the run has is found. */
int nb_setting_find(const nb_run_info *info, const char *word, size_t length, char value[NB_NAME_LENGTH]);

/* Whether the run depends on an attribute or a parameter (run/setting_effect.h), and whether its steps start as where
 * nobody asks for a start. */
int nb_setting_is_used(const nb_run_info *info, const char *name);
int nb_setting_starts_as_usual(const nb_run_info *info);

/* The limit of Newton iterations, or of linear ones, of a run of this scenario and method where none is asked for; 0:
 * unknown. `of_file`: of a problem file. */
int32_t nb_setting_usual_limit(const nb_run_info *info, int of_file, int linear);

/* What the run's method says may help where steps fell short, or NULL. */
const char *nb_setting_advice(const nb_run_info *info, nb_shortfall how);

/* Whether the run's problem is known to have no solution (run/standard_set.h). */
int nb_setting_is_infeasible(const nb_run_info *info);

/* Whether a name is in a list that NULL ends. */
int nb_setting_is_listed(const char *name, const char *const *names);

/* The settings of runs, a column each in the order in which they come: attributes but those that were found, then
 * parameters. Zero is a table of none. */
typedef struct nb_setting_table {
    char **name; /* [count], owned */
    int64_t count, name_capacity;
    struct nb_setting_row {
        char **text; /* owned; NULL where the run has none of this name */
        int64_t capacity;
    } * row; /* [runs] */
    int64_t runs, capacity;
} nb_setting_table;

/* Adds a run, but those settings that `without` names; of a real `digits` significant ones. */
nb_status nb_setting_table_add(nb_setting_table *table, const nb_run_info *info, int digits,
                               const char *const *without);
/* The value of a setting; NULL where the run has none of this name. */
const char *nb_setting_table_text(const nb_setting_table *table, int64_t run, int64_t setting);
void nb_setting_table_clear(nb_setting_table *table);

/* those in which runs differ */
typedef struct nb_differing nb_differing;

/* With `within_scenarios` every setting is compared among the runs of a scenario alone: for texts that name the
 * scenario, where what it brings (its method, its law of friction) tells nothing more. */
nb_status nb_differing_create(int within_scenarios, nb_differing **differing);
void nb_differing_destroy(nb_differing *differing); /* NULL allowed */

/* Takes the settings of one run more; parameters that cannot be read are none. */
nb_status nb_differing_add(nb_differing *differing, const nb_run_info *info);

/* Of all runs of a record, within scenarios; *differing is created. */
nb_status nb_differing_read(nb_record_reader *reader, nb_differing **differing);

/* Whether the setting ("time_step", "mu", "linear-solver.variant") differs among the runs that this one is compared
 * with. */
int nb_differing_in(const nb_differing *differing, const nb_run_info *info, const char *name);

/* What a table shows of a setting: its value, or "-" where the run has none or does not use it. */
void nb_setting_text(const nb_run_info *info, const char *name, char text[NB_NAME_LENGTH]);

/* The columns of a table of runs beside scenario and linear solver, which stand there always: the names of the settings
 * that differ (of the first so many); returns how many. They are valid as long as `differing` is. */
enum {
    NB_DIFFERING_COLUMNS = 16
};
int nb_differing_columns(const nb_differing *differing, const char *names[NB_DIFFERING_COLUMNS]);

/* The name of setting `i` of those that differ, each once, in the order of the runs; NULL after the last. */
const char *nb_differing_at(const nb_differing *differing, int64_t i);

#endif
