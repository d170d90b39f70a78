/* The columns of iterations that this program knows: the harness's, and what the methods have besides. */
#ifndef NB_ANALYSIS_COLUMNS_H
#define NB_ANALYSIS_COLUMNS_H

#include "base/column.h"

/* Column `i`; NULL after the last. What several methods have by one name comes once. */
const nb_column *nb_newton_column_at(int i);
int nb_newton_column_count(void);
/* Its place among them, or -1. */
int nb_newton_column_find(const char *name);

#endif
