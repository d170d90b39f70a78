/* Text tables as the program prints them: aligned columns, or cells with tabs between. */
#ifndef NB_ANALYSIS_TABLE_H
#define NB_ANALYSIS_TABLE_H

#include <stdio.h>

#include "base/status.h"

typedef struct nb_table nb_table;

/* `titles` [columns], copied; a title that begins with '>' (not printed) has its column aligned to the right */
nb_status nb_table_create(int columns, const char *const *titles, nb_table **created);

/* From now on rows are printed with tabs between the cells. */
void nb_table_use_tabs(nb_table *table);

/* The column will be at least as wide as this text: for tables whose rows are printed one by one. */
void nb_table_widen(nb_table *table, int column, const char *text);

/* The next cell, row by row (printf style). A fault is kept and reported by nb_table_print. */
void nb_table_cell(nb_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the rows added since the last call, headed by the titles the first time. */
nb_status nb_table_print(nb_table *table, FILE *stream);

void nb_table_destroy(nb_table *table); /* NULL allowed */

#endif
