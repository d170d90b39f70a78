/* Eigenvalues of a stored system before and after its preconditioner (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_SPECTRA_H
#define NB_ANALYSIS_FIGURE_SPECTRA_H

#include <stdio.h>

#include "base/status.h"
#include "figure/data.h"

enum {
    NB_SPECTRA_ROWS = 1000 /* of a system at most: it is dense */
};

/* Of each run of a panel the eigenvalues of P A, ascending, an "index<TAB>eigenvalue" a line: A is its first stored
 * system (--store-systems), symmetric, P its preconditioner with standard options, of blocks of six rows where their
 * number is a multiple of six. A line of "nan" where there is no such system, it has more than NB_SPECTRA_ROWS rows, or
 * P is not symmetric positive definite. */
nb_status nb_figure_write_spectra(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
