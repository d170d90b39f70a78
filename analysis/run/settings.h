/* The settings of a problem that stand among a run's recorded parameters, beside those of its scenario and its solvers:
 * how contacts, friction and time steps are made. A run records all of them, standard values included. */
#ifndef NB_ANALYSIS_SETTINGS_H
#define NB_ANALYSIS_SETTINGS_H

#include "model/world.h"
#include "run/request.h"
#include "text/json.h"

typedef struct nb_run_settings {
    double contact_margin;                /* [m]; NaN: the scenario's own */
    double compliance, thickness;         /* of contacts [m/N], [m] */
    double friction_ratio, direction;     /* [1], [rad] */
    double friction_law, facets;          /* an nb_friction_law; number of directions */
    double time_stepping;                 /* an nb_stepping_scheme */
    double stabilization, recovery_speed; /* NaN, in older records: as the scheme takes it; recovery_speed [m/s] */
    double active_set, restitution;       /* [m], [1]; likewise */
    double relative_tolerance;            /* of problem files */
} nb_run_settings;

/* of a request that is resolved; of a record that holds none */
nb_run_settings nb_run_settings_of(const nb_request *request);
nb_run_settings nb_run_settings_standard(void);

/* The members of a scenario's run, of a problem file's, or of a linear system's, which has none. */
void nb_run_settings_write(const nb_request *request, nb_json *json);

/* Takes one member of recorded parameters; one of another name is left alone. */
nb_status nb_run_settings_take(const char *name, const char *value, nb_run_settings *settings);

/* All but the contact margin. */
void nb_run_settings_apply(const nb_run_settings *settings, nb_world *world);
/* The margin, where it is not the scenario's own: it is no part of what checks hold a state against. */
void nb_run_settings_apply_margin(const nb_run_settings *settings, nb_world *world);

/* The standard value as a record has it, or NULL where this is none of these settings; whether a value is that one.
 * Older records leave out standard values. */
const char *nb_run_setting_standard(const char *name);
int nb_run_setting_is_standard(const char *name, const char *value);

#endif
