/* The runs of a record as a report shows them: what tells them apart, and the outcome of each (private to analysis/).
 */
#ifndef NB_ANALYSIS_REPORT_RUNS_H
#define NB_ANALYSIS_REPORT_RUNS_H

#include <stdio.h>

#include "record/record.h"
#include "table/outcome.h"
#include "table/settings.h"

typedef struct nb_report_run {
    char scenario[NB_NAME_LENGTH], linear_solver[NB_NAME_LENGTH];
    char (*columns)[NB_NAME_LENGTH]; /* its settings in the table of checks (nb_report_runs.columns); owned */
    int32_t steps, steps_asked;
    int32_t bodies, states; /* stored ones of bodies */
    int of_system;          /* of a Matrix Market system */
    double contacts, newton_iterations, linear_iterations,
        error; /* natural map [m/s], or of a system ||b - A x||/||b|| */
    nb_step_time step_time;
    int32_t repeats; /* 0: the time of a step is of the recorded pass */
    nb_run_usage usage;
    int32_t provenance; /* its place in the record */
    const char *reason;
    int finished;
    nb_checks checks;
    int recomputed;     /* the checks are new; 0: copied from the record */
    char *check_reason; /* why some may fail, in a line; NULL: none does; owned */
    char *check_fault;  /* why there are none; or NULL; owned */
} nb_report_run;

typedef struct nb_report_runs {
    nb_setting_table settings;
    int *differs;                              /* [settings.count] whether the runs that have it differ in it */
    nb_differing *differing;                   /* owned */
    const char *columns[NB_DIFFERING_COLUMNS]; /* settings that have columns in the table of checks */
    int column_count;
    nb_report_run *runs;
    int run_count;
} nb_report_runs;

/* Reads every run of the record, one at a time, and checks it again. The caller clears *runs, also after a fault. */
nb_status nb_report_runs_read(nb_record_reader *reader, nb_report_runs *runs);
void nb_report_runs_clear(nb_report_runs *runs);

/* The table of the runs: the outcome of each, then the settings in which they differ. */
void nb_report_runs_write(const nb_report_runs *runs, FILE *page);

/* The settings that all share. */
void nb_report_settings_write(const nb_report_runs *runs, FILE *page);

/* The table of all checks. */
void nb_report_checks_write(const nb_report_runs *runs, FILE *page);

#endif
