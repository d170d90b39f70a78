/* The rows of a table over a run (private to analysis/). */
#ifndef NB_ANALYSIS_TABLE_ROWS_H
#define NB_ANALYSIS_TABLE_ROWS_H

#include <stdio.h>

#include "table/column.h"

enum {
    NB_TABLE_COLUMNS = 96 /* at most */
};

/* what a table has of each run */
typedef struct nb_record_table {
    int rows;                         /* NB_ROWS_RUN, ... */
    const struct nb_made_table *made; /* NULL: rows and columns of a record, as the rest says; else figure/script.h */
    int all_steps;                    /* 1: row k is of iteration k in all steps */
    int32_t step, newton;             /* of which rows are, from 0; -1: the last */
    int y;                            /* the column that `y` stands for, or -1 */
    int count;
    nb_record_column columns[NB_TABLE_COLUMNS];
} nb_record_table;

/* rows of a run as the record has them: row i at first + i * width */
typedef struct nb_rows {
    const double *first;
    int64_t count;
    int width;
} nb_rows;

nb_rows nb_rows_of_steps(const nb_run *run);
nb_rows nb_rows_of_copy(const nb_run *run, int32_t copy);        /* of its batch, a step each */
nb_rows nb_rows_of_newton(const nb_run *run, int64_t step);      /* without any where there is no such step */
nb_rows nb_rows_of_linear(const nb_run *run, int64_t iteration); /* of a row of newton; -1: without any */

/* The rows of newton/ or linear/ that the table takes of a run. */
nb_rows nb_rows_of_table(const nb_record_table *table, const nb_run *run);

/* Writes the run's lines; of a run that has none, or that is NULL, a line without numbers, which keeps the curves after
 * it at their places. */
nb_status nb_record_table_write(const nb_record_table *table, const nb_run *run, FILE *file);

/* What a function comes to of values [count], which are sorted; NaN entries are left out. */
double nb_column_function_value(nb_column_function function, double *values, int64_t count);

/* What a function over the steps of a run (copy -1), or of a copy of its batch, comes to; NaN where there is no number.
 */
nb_status nb_record_column_value(const nb_record_column *column, const nb_run *run, int32_t copy, double *value);

#endif
