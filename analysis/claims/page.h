/* Verdicts as text: a table for the terminal and other programs, a page in Markdown (results/claims/README.md), and
 * beside figures a line and a page. */
#ifndef NB_ANALYSIS_CLAIMS_PAGE_H
#define NB_ANALYSIS_CLAIMS_PAGE_H

#include <stdio.h>

#include "claims/verdict.h"
#include "figure/source.h"

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

/* "Claims: holds: lecleach-03, 05, 06; in part: 01": those that the figure shows, without those that are open; ""
 * where there are none. `chosen` as above. */
void nb_claims_quote(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, const char *figure,
                     char *text, size_t size);

/* The page of a paper, by its short name: each of these figures that is its own, or shows a claim of it, as a picture
 * FIGURE.ENDING, and below it what the paper says beside what came out. NB_ERROR_IO where it cannot be written whole.
 */
nb_status nb_claims_write_figures(const nb_claims *claims, const char *chosen, const nb_judgement *judgements,
                                  const char *paper, const nb_figure_class *const *figures, int count,
                                  const char *ending, FILE *page);

#endif
