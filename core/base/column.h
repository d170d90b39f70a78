/* Columns of numbers: what each number of a row is. A table of them stands beside what makes the rows. */
#ifndef NB_BASE_COLUMN_H
#define NB_BASE_COLUMN_H

#include <stdint.h>

#include "base/status.h"

enum {
    NB_COLUMNS_MOST = 160 /* of a row */
};

/* one column of rows of numbers, with its place in a record */
typedef struct nb_column {
    char name[64], units[16], long_name[160];
    char legend[320]; /* "0=none 1=...": what its numbers stand for, the dataset's attribute where all columns are
                         written; "": they are quantities */
} nb_column;

/* the columns of rows: items[0 .. count - 1], or those of them whose numbers are in `which` */
typedef struct nb_columns {
    const nb_column *items;
    int32_t count;
    const int *which; /* [count], or NULL */
} nb_columns;

const nb_column *nb_columns_at(const nb_columns *columns, int i);
/* its name; for lists of names (options.h), `columns` is an nb_columns */
const char *nb_columns_name_at(const void *columns, int i);
/* The place of the column of this name, or -1. */
int nb_columns_find(const nb_columns *columns, const char *name);

/* Columns that a structure holds itself: `items` is its own, and goes with its members (nb_own_columns_members,
 * base/member.h). Adds some at the end; NB_ERROR_INPUT where there are too many. */
nb_status nb_columns_add(nb_columns *own, const nb_column *columns, int count);

#endif
