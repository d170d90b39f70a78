/* The settings of a scene (model/scene_settings.h) among a run's recorded parameters, beside those of its scenario and
 * its solvers. A run records all of them, standard values included; older records leave out standard values. */
#ifndef NB_ANALYSIS_SETTINGS_H
#define NB_ANALYSIS_SETTINGS_H

#include <stdio.h>

#include "run/request.h"

/* As named values: those of a scenario's run, of a problem file's, or of a linear system's, which has none. */
void nb_run_settings_write(const nb_request *request, FILE *stream);

/* The standard value as a record has it, or 0 where this is none of these settings; whether a value is that one. */
int nb_run_setting_standard(const char *name, char text[NB_NAME_LENGTH]);
int nb_run_setting_is_standard(const char *name, const char *value);

#endif
