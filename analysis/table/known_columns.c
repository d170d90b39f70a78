#include "table/known_columns.h"

#include <stddef.h>
#include <string.h>

#include "method.h"
#include "record/run.h"
#include "registry.h"

NB_PRECISIONS(f64);

static int has(const nb_known_columns *known, const char *name) {
    for (int i = 0; i < known->count; i++)
        if (strcmp(known->at[i]->name, name) == 0) return 1;
    return 0;
}

void nb_known_columns_list(nb_known_columns *known) {
    const nb_method_class *method;
    known->count = 0;
    for (int c = 0; c < NB_NEWTON_COLUMNS; c++) known->at[known->count++] = &nb_newton_columns[c];
    known->at[known->count++] = &nb_coulomb_column;
    for (int c = 0; c < NB_SOLUTION_COLUMNS; c++) known->at[known->count++] = &nb_solution_columns[c];
    for (int c = 0; c < NB_PLACE_COLUMNS; c++) known->at[known->count++] = &nb_place_columns[c];
    for (int m = 0; (method = nb_method_at(m)) != NULL; m++)
        for (int c = 0; c < method->column_count && known->count < NB_KNOWN_COLUMNS_MOST; c++)
            if (!has(known, method->columns[c].name)) known->at[known->count++] = &method->columns[c];
}

const char *nb_known_columns_at(const void *known, int i) {
    return ((const nb_known_columns *)known)->at[i]->name;
}

int nb_known_columns_have(const char *name) {
    nb_known_columns known;
    nb_known_columns_list(&known);
    return has(&known, name);
}
