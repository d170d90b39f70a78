#include "registry.h"

#include <stddef.h>

/* every class struct in the tables starts with its name */
static const char *name_at(const void *table, int i) {
    return *(const char *const *)((const void *const *)table)[i];
}

static nb_status find(const char *kind, const char *name, const void *const *table, const void **found) {
    int count = 0;
    while (table[count]) count++;
    int i = nb_name_find(name, count, name_at, table);
    if (i < 0) return nb_name_unknown(kind, name, count, name_at, table);
    *found = table[i];
    return NB_OK;
}

nb_status nb_linear_solver_find(const char *name, const nb_linear_solver_class **solver) {
    return find("linear solver", name, (const void *const *)nb_linear_solvers, (const void **)solver);
}

nb_status nb_preconditioner_find(const char *name, const nb_preconditioner_class **preconditioner) {
    return find("preconditioner", name, (const void *const *)nb_preconditioners, (const void **)preconditioner);
}

nb_status nb_method_find(const char *name, const nb_method_class **method) {
    return find("method", name, (const void *const *)nb_methods, (const void **)method);
}
