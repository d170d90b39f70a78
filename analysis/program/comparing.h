/* What `compare` was asked for and what it found, and how it prints that (private to program/). */
#ifndef NB_PROGRAM_COMPARING_H
#define NB_PROGRAM_COMPARING_H

#include "record/record.h"
#include "statistics/compare.h"
#include "text/json.h"

enum {
    NB_COMPARING_WARNINGS = 12,
    NB_COMPARING_RECORDS = 64 /* that --rank takes at most */
};

typedef enum nb_compare_format {
    NB_COMPARE_TEXT,
    NB_COMPARE_JSON,
    NB_COMPARE_TSV,
    NB_COMPARE_CSV, /* this and the next of rankings alone */
    NB_COMPARE_LATEX,
    NB_COMPARE_MARKDOWN,
    NB_COMPARE_FORMATS
} nb_compare_format;

typedef struct nb_comparing {
    const char *path[NB_COMPARING_RECORDS]; /* two at most without `rank`; NULL behind the last */
    int paths;
    double accuracy;     /* 0: whole runs */
    nb_cost_error error; /* that the accuracy is of */
    nb_compare_format format;
    char by[NB_NAME_LENGTH]; /* of one record, "" of two */
    int rank;                /* 1: solvers over the runs of all records, which compared[0] has */
    double fail_above;       /* times over those of A, or of the baseline, beyond which it fails; 0: none */
    const char *baseline;    /* of one record, the run as given, or NULL */
    char *baseline_path;     /* of its record, where that is another one, or NULL */
    int side[2];             /* which of the two records A and B of a pair are in */
    nb_record_reader *reader[NB_COMPARING_RECORDS];
    nb_compared_runs compared[2];
    nb_comparison *list;
    int64_t count;
    char warnings[NB_COMPARING_WARNINGS][640];
    int warning_count;
} nb_comparing;

/* whether the two are different runs of which both are there */
int nb_comparing_is_pair(const nb_comparison *x);

/* the run that is A (side 0) or B (1) of a pair */
const nb_compared_run *nb_comparing_run(const nb_comparing *c, const nb_comparison *x, int side);

/* The pairs, or the runs beside their baseline, on standard output; what a table leaves unsaid on standard error. */
void nb_comparing_print_json(const nb_comparing *c);
void nb_comparing_print_tsv(const nb_comparing *c);
nb_status nb_comparing_print_text(const nb_comparing *c);

/* a value of the setting --by */
typedef struct nb_ranking_value {
    char text[NB_NAME_LENGTH];
} nb_ranking_value;

/* Ranks the solvers of c->compared[0], which has the runs of all records, and prints the table: one, or of the runs of
 * each of these values of the setting c->by one of its own. *above, from 0: solvers that
 * take more than c->fail_above times the baseline, or solve fewer problems; each has a line on standard error. */
nb_status nb_ranking_print(const nb_comparing *c, int64_t values, const nb_ranking_value *value, int *above);

/* ---- the run that --baseline names ---- */

/* Cuts "RECORD/RUN" in two where what stands before the last '/' is a file: *path (nb_free) is NULL where no record is
 * named; *run is the rest of `text`. */
nb_status nb_baseline_split(const char *text, char **path, const char **run);

/* The run of this name: its number as check counts ("0003" or "3"), or settings with commas between them, each
 * NAME=VALUE or a value alone ("arch,pcr,mu=0.6"). NB_ERROR_USAGE where none has them, or two of one scenario, or runs
 * of several solvers; with `any_problem` of several solvers alone. The labels of `set` have to be settled. */
nb_status nb_baseline_find(const nb_compared_runs *set, const char *path, const char *run, int any_problem,
                           int64_t *index);

#endif
