/* What `compare` was asked for and what it found, and how it prints that (private to program/). */
#ifndef NB_PROGRAM_COMPARING_H
#define NB_PROGRAM_COMPARING_H

#include "record/record.h"
#include "statistics/compare.h"
#include "text/json.h"

enum {
    NB_COMPARING_WARNINGS = 12
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
    const char *path[2];
    double accuracy; /* 0: whole runs */
    int of_energy;   /* 1: the accuracy is of the energy error of linear solves */
    nb_compare_format format;
    char by[NB_NAME_LENGTH]; /* of one record, "" of two */
    int rank;                /* 1: solvers over the runs of all records, which compared[0] has */
    double fail_above;       /* times over those of A, or of the baseline, beyond which it fails; 0: none */
    const char *baseline;    /* of one record, the run as given, or NULL */
    char *baseline_path;     /* of its record, where that is another one, or NULL */
    int side[2];             /* which of the two records A and B of a pair are in */
    nb_record_reader *reader[2];
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

void nb_comparing_print_interval(const nb_interval *x, nb_json *json, const char *name);

/* The pairs, or the runs beside their baseline, on standard output; what a table leaves unsaid on standard error. */
void nb_comparing_print_json(const nb_comparing *c);
void nb_comparing_print_tsv(const nb_comparing *c);
nb_status nb_comparing_print_text(const nb_comparing *c);

#endif
