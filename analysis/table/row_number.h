/* Numbers over the rows of a table: the lines `number` of a figure's head (figure/script.h). Such a line is
 *
 *   NAME=FUNCTION(EXPRESSION[ where CONDITION])
 *
 * FUNCTION is one of table/column.h, of the values of the expression (table/expression.h) in the rows where the
 * condition is true; what is no number is left out. Names are the table's columns, y (that of --y), row (from 0), rows
 * (how many), numbers that stand before it, and settings of the run. at(NAME, K) is a column K rows further on, or
 * before where K is negative; no number where there is no such row. */
#ifndef NB_ANALYSIS_TABLE_ROW_NUMBER_H
#define NB_ANALYSIS_TABLE_ROW_NUMBER_H

#include "base/status.h"
#include "table/rows.h"

enum {
    NB_ROW_NUMBERS = 16 /* of a table at most */
};

typedef struct nb_row_number {
    char name[NB_NAME_LENGTH];
    nb_column_function function;
    char expression[256], condition[256]; /* condition "": all rows */
} nb_row_number;

/* NB_ERROR_INPUT with one line that names the owner ("figure macklin-fig06") where the text is no such line. */
nb_status nb_row_number_read(const char *owner, const char *text, nb_row_number *number);

/* The values of numbers [count] over cells [rows][table->count] of a curve; `info` is that of its run, or NULL, whose
 * settings are no numbers. NB_ERROR_INPUT where an expression makes no sense, or has a name that is unknown. */
nb_status nb_row_numbers_take(const nb_row_number *numbers, int count, const nb_record_table *table,
                              const nb_run_info *info, const double *cells, int64_t rows, double *values);

#endif
