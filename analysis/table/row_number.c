#include "table/row_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "table/expression.h"
#include "table/settings.h"

nb_status nb_row_number_read(const char *owner, const char *text, nb_row_number *number) {
    char function[NB_NAME_LENGTH] = "";
    int start = 0;
    const size_t length = strlen(text);
    *number = (nb_row_number){.condition = ""};
    if (sscanf(text, "%63[^=]=%63[a-z_](%n", number->name, function, &start) != 2 || start == 0 ||
        text[length - 1] != ')')
        return nb_fail(NB_ERROR_INPUT, "%s: 'number: %.200s': it is NAME=FUNCTION(EXPRESSION where CONDITION)", owner,
                       text);
    const char *where = strstr(text, " where "), *end = where ? where : text + length - 1;
    if ((size_t)(end - text - start) >= sizeof number->expression || length >= sizeof number->condition)
        return nb_fail(NB_ERROR_INPUT, "%s: 'number: %.80s ...' is too long", owner, text);
    snprintf(number->expression, sizeof number->expression, "%.*s", (int)(end - text) - start, text + start);
    if (where) snprintf(number->condition, sizeof number->condition, "%.*s", (int)strlen(where) - 8, where + 7);
    nb_status status = nb_column_function_read(owner, function, &number->function);
    if (status == NB_OK && number->function == NB_FUNCTION_BEFORE)
        status = nb_fail(NB_ERROR_INPUT, "%s: 'number: %.200s': before(...) is of a column", owner, text);
    return status;
}

/* a row in which an expression has a value, and what its names are of */
typedef struct row {
    const nb_record_table *table;
    const nb_run_info *info;
    const nb_row_number *numbers; /* [count] those before it */
    const double *values, *cells;
    int count;
    int64_t row, rows;
} row;

static const char *column_at(const void *context, int i) {
    return ((const row *)context)->table->columns[i].name;
}

/* the column, of which y is that of --y; -1: none */
static int find_column(const row *r, const char *name) {
    if (strcmp(name, "y") == 0) return r->table->y;
    return nb_name_find(name, r->table->count, column_at, r);
}

/* "NAME, K" */
static nb_status find_row(const row *r, const char *argument, double *value) {
    char name[NB_NAME_LENGTH];
    long further;
    if (sscanf(argument, "%63[^,], %ld", name, &further) != 2)
        return nb_fail(NB_ERROR_INPUT, "'at(%.60s)': it takes a column and a number of rows", argument);
    const int column = find_column(r, name);
    if (column < 0) return nb_name_unknown("column", name, r->table->count, column_at, r);
    const int64_t k = r->row + further;
    *value = k >= 0 && k < r->rows ? r->cells[k * r->table->count + column] : (double)NAN;
    return NB_OK;
}

static nb_status find_value(void *context, const char *name, const char *argument, double *value) {
    const row *r = context;
    char text[NB_NAME_LENGTH], *end;
    const int column = find_column(r, name);
    int number = r->count - 1;
    if (argument && strcmp(name, "at") == 0) return find_row(r, argument, value);
    while (number >= 0 && strcmp(r->numbers[number].name, name) != 0) number--;
    if (column >= 0)
        *value = r->cells[r->row * r->table->count + column];
    else if (number >= 0)
        *value = r->values[number];
    else if (strcmp(name, "row") == 0 || strcmp(name, "rows") == 0)
        *value = (double)(name[3] ? r->rows : r->row);
    else if (r->info && nb_setting_find(r->info, name, strlen(name), text))
        *value = (*value = strtod(text, &end), *end ? (double)NAN : *value);
    else if (nb_setting_attribute(name) && !argument)
        *value = NAN;
    else
        return nb_name_unknown("column", name, r->table->count, column_at, r);
    return NB_OK;
}

nb_status nb_row_numbers_take(const nb_row_number *numbers, int count, const nb_record_table *table,
                              const nb_run_info *info, const double *cells, int64_t rows, double *values) {
    nb_status status;
    double *sample, holds = 1;
    NB_TRY(NB_ALLOCATE(rows, &sample));
    for (int i = 0; i < count; i++) {
        row r = {table, info, numbers, values, cells, i, 0, rows};
        int64_t used = 0;
        for (; r.row < rows; r.row++) {
            if (*numbers[i].condition)
                NB_TRY(nb_expression_value(numbers[i].condition, find_value, &r, &holds));
            else
                holds = 1;
            NB_TRY(nb_expression_value(numbers[i].expression, find_value, &r, &sample[used]));
            used += holds != 0 && !isnan(sample[used]);
        }
        values[i] = nb_column_function_value(numbers[i].function, sample, used);
    }
out:
    nb_free(sample);
    return status;
}
