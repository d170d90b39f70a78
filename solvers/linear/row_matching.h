/* Rows for the diagonal of a matrix that has none of its own: a matching of rows and columns over large entries, for
 * factorisations that choose pivots near the diagonal (multifrontal.c).
 *
 * Entries are compared with the largest of their column, then of their row. The matching is made of the large ones
 * first, and augmented with smaller ones where these do not do (Duff, "On algorithms for obtaining a maximum
 * transversal", 1981; Duff, Koster, "On algorithms for permuting large entries to the diagonal of a sparse matrix",
 * 2001). Private to solvers/linear. */
#ifndef NB_LINEAR_ROW_MATCHING_H
#define NB_LINEAR_ROW_MATCHING_H

#include "linear/lu.h"

#define nb_row_matching_wanted NB_REAL_NAME(nb_row_matching_wanted)
#define nb_row_matching_find NB_REAL_NAME(nb_row_matching_find)

/* whether A lacks entries on its diagonal */
int nb_row_matching_wanted(const nb_lu_matrix *a);

/* row[j]: the row whose entry in column j goes to the diagonal [rows]. Where A is singular by its pattern alone,
 * *unmatched is one of the columns without a row, which get those that are left; else -1. */
nb_status nb_row_matching_find(const nb_lu_matrix *a, int32_t *row, int32_t *unmatched);

#endif
