/* The columns of iterations that this program knows: the harness's, and what the methods have besides. */
#ifndef NB_ANALYSIS_KNOWN_COLUMNS_H
#define NB_ANALYSIS_KNOWN_COLUMNS_H

#include "base/column.h"

enum {
    NB_KNOWN_COLUMNS_MOST = 256
};

typedef struct nb_known_columns {
    const nb_column *at[NB_KNOWN_COLUMNS_MOST];
    int count;
} nb_known_columns;

/* Lists them; what several methods have by one name comes once. */
void nb_known_columns_list(nb_known_columns *known);

/* The name of one of a list. */
const char *nb_known_columns_at(const void *known, int i);

/* Whether there is one of this name. */
int nb_known_columns_have(const char *name);

#endif
