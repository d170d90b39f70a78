/* What `reproduce --claims` does: the runs of claims, their verdicts, a table and a page of these; and what `reproduce`
 * says of claims beside its figures. */
#ifndef NB_PROGRAM_CLAIMS_H
#define NB_PROGRAM_CLAIMS_H

#include "claims/verdict.h"
#include "drawing.h"

typedef struct nb_claims_request {
    const char *names;   /* ids and papers, a comma between; NULL or "all": all */
    const char *folder;  /* of the records */
    const char *page;    /* where the page goes; NULL: nowhere */
    const char *command; /* the command line, for the record */
    int quick;           /* 1: runs of five minutes in all */
    int show;            /* 1: only print the commands that would be run */
    int rivals;          /* 1: judge the claims' rivals in their place, which must not hold */
    int force;           /* 1: make all runs anew, and write over what is there */
} nb_claims_request;

/* Status as of a command; *exit_status: that of a failed check where a rival holds. NB_ERROR_USAGE where no claim or
 * paper has one of the names. */
nb_status nb_claims_reproduce(const nb_claims_request *request, int *exit_status);

/* Verdicts by what stands in a folder. */
typedef struct nb_claims_kept {
    nb_claims claims;
    char *chosen;             /* [claims.count] 1: one of the figures shows it */
    nb_judgement *judgements; /* [claims.count] of these; open where its runs, or what its script prints, are missing */
} nb_claims_kept;

/* Judges what the figures show by the records and texts that the folder has; nothing is made. *kept is the caller's to
 * clear, on a fault too. */
nb_status nb_claims_judge_kept(const char *folder, const nb_figure_list *figures, nb_claims_kept *kept);
void nb_claims_kept_clear(nb_claims_kept *kept);

#endif
