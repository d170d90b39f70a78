/* Verdicts as text: a table for the terminal and other programs, and a page in Markdown (results/claims/README.md). */
#ifndef NB_ANALYSIS_CLAIMS_PAGE_H
#define NB_ANALYSIS_CLAIMS_PAGE_H

#include <stdio.h>

#include "claims/verdict.h"

/* What a page written by this file begins with. */
#define NB_CLAIMS_PAGE_TITLE "# The claims of the papers"

/* A line a chosen claim, with tabs between its columns: claim, published, measured, verdict, reason. `chosen`,
 * `judgements` [claims->count]. */
void nb_claims_print(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *stream);

/* "macklin: 40 holds, 12 in part, ..." a paper, a line each. */
void nb_claims_print_counts(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *stream);

/* The page: a section a paper, with its counts and a table of its chosen claims. NB_ERROR_IO where it cannot be written
 * whole. */
nb_status nb_claims_write_page(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *page);

#endif
