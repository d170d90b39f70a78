/* The verdict on a claim, computed from runs by its rule. */
#ifndef NB_ANALYSIS_CLAIMS_VERDICT_H
#define NB_ANALYSIS_CLAIMS_VERDICT_H

#include "claims/measure.h"

typedef enum nb_claim_verdict {
    NB_CLAIM_HOLDS,
    NB_CLAIM_IN_PART,
    NB_CLAIM_DOES_NOT_HOLD, /* in the paper's set-up */
    NB_CLAIM_SETUP_MISSING, /* it does not hold in another set-up than the paper's */
    NB_CLAIM_NOT_TESTABLE,
    NB_CLAIM_MISPRINT, /* no claim: a formula as printed is wrong */
    NB_CLAIM_OPEN,     /* no rule yet, a run that failed or was not made, a measure without a number */
    NB_CLAIM_VERDICTS
} nb_claim_verdict;

extern const char *const nb_claim_verdict_names[NB_CLAIM_VERDICTS]; /* "holds", "in part", ... */

typedef struct nb_judgement {
    nb_claim_verdict verdict;
    int runs;            /* that it is judged by */
    char numbers[2048];  /* "identity 0.2, effective mass 1 [0.9, 1.1]"; "" */
    char measured[2048]; /* the rule's sentence, with these numbers; without one the numbers alone */
    char reason[1024];   /* the rule that decided and what of it was not met, or why it is open */
} nb_judgement;

/* Judges by runs [count], those that the claim asks for; NULL: one that was not made; and by what its script printed
 * (claims/script.h; NULL: it has none). What makes the claim open is no fault; NB_ERROR_MEMORY is. */
nb_status nb_claim_judge(const nb_claim *claim, nb_run *const *runs, int count, const char *printed,
                         nb_judgement *judgement);

/* Open for this reason (printf style). */
void nb_judgement_open(nb_judgement *judgement, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
