#include "run/columns.h"

#include <stddef.h>
#include <string.h>

#include "method.h"
#include "record/run.h"
#include "registry.h"

NB_PRECISIONS(f64);

static int has_column(const nb_method_class *method, const char *name) {
    for (int c = 0; c < method->column_count; c++)
        if (strcmp(method->columns[c].name, name) == 0) return 1;
    return 0;
}

/* whether a method before number m has a column of this name */
static int is_known(int m, const char *name) {
    for (int i = 0; i < m; i++)
        if (has_column(nb_method_at(i), name)) return 1;
    return 0;
}

const nb_column *nb_newton_column_at(int i) {
    const nb_method_class *method;
    if (i < NB_NEWTON_COLUMNS) return &nb_newton_columns[i];
    i -= NB_NEWTON_COLUMNS;
    for (int m = 0; (method = nb_method_at(m)) != NULL; m++)
        for (int c = 0; c < method->column_count; c++)
            if (!is_known(m, method->columns[c].name) && i-- == 0) return &method->columns[c];
    return NULL;
}

int nb_newton_column_count(void) {
    int count = 0;
    while (nb_newton_column_at(count)) count++;
    return count;
}

int nb_newton_column_find(const char *name) {
    const nb_column *column;
    for (int i = 0; (column = nb_newton_column_at(i)) != NULL; i++)
        if (strcmp(column->name, name) == 0) return i;
    return -1;
}
