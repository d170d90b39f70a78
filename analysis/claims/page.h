/* Verdicts as text: a table for the terminal and other programs, a page in Markdown (results/claims/README.md), and
 * beside figures a line and a page. */
#ifndef NB_ANALYSIS_CLAIMS_PAGE_H
#define NB_ANALYSIS_CLAIMS_PAGE_H

#include <stdio.h>

#include "claims/verdict.h"
#include "figure/source.h"
#include "record/provenance.h"

/* What a page written by this file begins with. */
#define NB_CLAIMS_PAGE_TITLE "# The claims of the papers"

/* A line a chosen claim, with tabs between its columns: claim, published, measured, verdict, reason. `chosen`,
 * `judgements` [claims->count]. */
void nb_claims_print(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *stream);

/* "macklin: 40 holds, 12 in part, ..." a paper, a line each. */
void nb_claims_print_counts(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *stream);

enum {
    NB_CLAIMS_ORIGINS = 8
};

/* with what judged runs were made */
typedef struct nb_claims_origin {
    char processor[128], commit[64], kernels[64];
    int64_t runs;
} nb_claims_origin;

/* Zero is none. What is beyond NB_CLAIMS_ORIGINS counts to the last. */
typedef struct nb_claims_origins {
    nb_claims_origin origins[NB_CLAIMS_ORIGINS];
    int count;
} nb_claims_origins;

/* Counts a run of this provenance. */
void nb_claims_origins_add(nb_claims_origins *origins, const nb_provenance *provenance);

/* The page: what verdicts mean, where the runs were made, counts, and a section a paper with its summary and a row a
 * chosen claim. NB_ERROR_IO where it cannot be written whole. */
nb_status nb_claims_write_page(const nb_claims *claims, const char *chosen, const nb_judgement *judgements,
                               const nb_claims_origins *origins, FILE *page);

/* "Claims 3 and 5 of Le Cleac'h et al. 2023 hold. Claim 1 holds in part.": those that the figure shows, without those
 * that are open; "" where there are none. `chosen` as above. */
void nb_claims_quote(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, const char *figure,
                     char *text, size_t size);

/* The page of a paper, by its short name: each of these figures that is its own, or shows a claim of it, as a picture
 * FIGURE.ENDING, and below it what the paper says beside what came out. NB_ERROR_IO where it cannot be written whole.
 */
nb_status nb_claims_write_figures(const nb_claims *claims, const char *chosen, const nb_judgement *judgements,
                                  const char *paper, const nb_figure_class *const *figures, int count,
                                  const char *ending, FILE *page);

#endif
