/* The analysis of a sparse Cholesky factor by CHOLMOD, over groups of rows: consecutive rows that have the same
 * neighbors, as the rows of a body have, are ordered as one (private to solvers).
 *
 * The graph of groups is ordered by CHOLMOD's own rule: approximate minimum degree, and METIS's nested dissection where
 * that leaves much to do. In this order the first row of each group with its later neighbors has the fill of the whole
 * matrix, so that the symbolic factor is made from these entries alone.
 *
 * Chen, Davis, Hager, Rajamanickam, "Algorithm 887: CHOLMOD", 2008. */
#ifndef NB_SOLVERS_CHOLMOD_ANALYSIS_H
#define NB_SOLVERS_CHOLMOD_ANALYSIS_H

#include <cholmod.h>

enum {
    NB_CHOLMOD_GROUP = 6 /* rows of a group at most */
};

/* The symbolic factor of `matrix`, its upper triangle by rows with ascending columns; NULL: out of memory. The caller
 * frees it by CHOLMOD. Settings of `common` stay as they are; its `fl` and `lnz` are those of the factor. */
cholmod_factor *nb_cholmod_analyse(cholmod_sparse *matrix, cholmod_common *common);

#endif
